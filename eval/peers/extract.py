"""Runs one extractor over the pages of a JSON-lines file: extract.py PEER PAGES OUT FIRST.

Appends a line with id, text, processor time and peak memory for each page from number FIRST on, as soon as it is there. Only
the calls of the extractor are timed; reading JSON and what an extractor sets up at its first call are not.
"""

import json
import logging
import resource
import sys
import time

BLOCKS = {
    "address", "article", "aside", "blockquote", "br", "dd", "div", "dl", "dt", "figcaption", "figure", "footer", "form", "h1",
    "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main", "nav", "ol", "p", "pre", "section", "table", "td", "th", "tr", "ul",
}


def trafilatura():
    from trafilatura import extract

    return lambda url, html: extract(html, url=url) or ""


def resiliparse():
    from resiliparse.extract.html2text import extract_plain_text

    return lambda url, html: extract_plain_text(html, main_content=True)


def justext():
    import justext

    stoplist = justext.get_stoplist("English")

    def extract(url, html):
        paragraphs = justext.justext(html.encode(), stoplist)
        return "\n".join(paragraph.text for paragraph in paragraphs if not paragraph.is_boilerplate)

    return extract


def readability():
    from lxml.html import fromstring
    from readability import Document

    def extract(url, html):
        # It gives HTML. Blocks become lines, so that the last word of one and the first of the next stay two.
        root = fromstring(Document(html).summary())
        for element in root.iter(*BLOCKS):
            element.text = "\n" + (element.text or "")
            element.tail = "\n" + (element.tail or "")
        return root.text_content()

    return extract


def boilerpy3():
    from boilerpy3.extractors import ArticleExtractor

    extractor = ArticleExtractor(raise_on_failure=False)
    return lambda url, html: extractor.get_content(html)


def selectolax():
    from selectolax.lexbor import LexborHTMLParser

    def extract(url, html):
        tree = LexborHTMLParser(html)
        tree.strip_tags(["script", "style", "noscript", "template"])
        return tree.body.text(separator="\n") if tree.body else ""

    return extract


def peak_memory():
    """The most memory this process had so far, in bytes."""
    try:
        with open("/proc/self/status") as status:
            return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM:"))
    except (OSError, StopIteration):
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else peak * 1024


def extract_or_reason(extract, page):
    try:
        return {"text": extract(page["url"], page["html"])}
    except Exception as error:
        return {"failed": f"{type(error).__name__}: {error}"[:200]}


def main():
    peer, pages, out, first = sys.argv[1:]
    logging.disable(logging.CRITICAL)
    extract = globals()[peer]()
    warm = False
    with open(pages, encoding="utf-8") as pages, open(out, "ab") as out:
        for number, line in enumerate(pages):
            if number < int(first):
                continue
            page = json.loads(line)
            if not warm:
                extract_or_reason(extract, page)
                warm = True
            start = time.process_time()
            record = extract_or_reason(extract, page)
            record["seconds"] = time.process_time() - start
            record["id"] = page["id"]
            record["peak"] = peak_memory()
            # A text may hold half a surrogate pair, which is no UTF-8.
            record = json.dumps(record, ensure_ascii=False).encode("utf-8", "replace")
            out.write(record + b"\n")
            out.flush()


if __name__ == "__main__":
    main()
