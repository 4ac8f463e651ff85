"""Checks docs/coming-from.md: every snippet runs, and its tables list the options that the other packages have, and ours that exist.

python eval/python/coming_from.py

Needs trafilatura, resiliparse, fastwarc, readability-lxml, justext and pyarrow, so it is not one of the tests.
"""

from __future__ import annotations

import contextlib
import gzip
import inspect
import io
import os
import re
import sys
import tempfile
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import justext
import readability
import trafilatura
from resiliparse.extract.html2text import extract_plain_text

import dehusk
from dehusk._options import PageOptions

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = ROOT / "docs" / "coming-from.md"
SITE = ROOT / "examples" / "sites" / "harbour-notes.example"
PAGE = "2024/04/tide-gauge-from-scrap.html"

# The functions whose options a table lists, by the words of its head.
FUNCTIONS: dict[str, list[Callable[..., Any]]] = {
    "option of `trafilatura.extract`": [trafilatura.extract],
    "option of `extract_plain_text`": [extract_plain_text],
    "option of `Document` and `summary`": [readability.Document.__init__, readability.Document.summary],
    "option of `justext`": [justext.justext],
}


def section_of(text: str, snippet: int) -> str:
    """The heading above a snippet."""
    return str(re.findall(r"^## (.*)$", text[:snippet], re.MULTILINE)[-1])


def run_snippets(text: str) -> int:
    """Runs each block in order. The two of a pair must agree on what the page says, so names are shared."""
    html = (SITE / PAGE).read_bytes()
    known: dict[str, Any] = {"html": html, "url": f"https://harbour-notes.example/{PAGE}"}
    response = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + html
    record = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {known['url']}\r\nContent-Type: application/http; msgtype=response\r\n"
        f"WARC-Date: 2026-11-01T12:00:00Z\r\nWARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-000000000001>\r\nContent-Length: {len(response)}\r\n\r\n"
    ).encode()
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        before = Path.cwd()
        os.chdir(folder)
        try:
            Path("crawl.warc.gz").write_bytes(gzip.compress(record + response + b"\r\n\r\n"))
            for match in re.finditer(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
                line = text[: match.start()].count("\n") + 1
                printed = io.StringIO()
                for name in ("text", "article"):
                    known.pop(name, None)
                with contextlib.redirect_stdout(printed):
                    exec(compile("\n" * line + match[1], str(DOCUMENT), "exec"), known)
                # Whatever it gives, printed or assigned, it is the content of the page or its size.
                given = printed.getvalue() + str(known.get("text", "")) + str(known.get("article", ""))
                expected = str(len(html)) if "crawl.warc.gz" in match[1] else "knows nothing of our basin"
                assert expected in given, f"line {line} ({section_of(text, match.start())}): {given[:200]!r}"
                count += 1
        finally:
            os.chdir(before)
    return count


def check_tables(text: str) -> int:
    """Compares the options of each table with those of the function."""
    ours = {*inspect.signature(dehusk.extract).parameters, *PageOptions.__annotations__}
    count = 0
    for head, functions in FUNCTIONS.items():
        table = re.search(rf"^\| {re.escape(head)} \|.*\n\|[-|]+\n((?:\|.*\n)+)", text, re.MULTILINE)
        assert table, f"no table {head}"
        listed: list[str] = []
        for row in table[1].splitlines():
            theirs, mapped, _ = (cell.strip() for cell in row.strip("|").split(" | "))
            listed += re.findall(r"`(\w+)`", theirs)
            for option, value in re.findall(r"`(\w+)(?:=(\"?[\w.]+\"?))?`", mapped):
                if option in ("id",):
                    continue
                assert option in ours, f"{head}: dehusk.extract has no option {option}"
                if value:
                    dehusk.extract("<p>x", **{option: eval(value)})
        actual = [name for function in functions for name in inspect.signature(function).parameters if name != "self"]
        assert sorted(listed) == sorted(actual), f"{head}: {set(listed) ^ set(actual)}"
        count += len(actual)
    return count


def check_defaults() -> None:
    """What the page says of defaults and results."""
    html = (SITE / PAGE).read_bytes()
    theirs = inspect.signature(trafilatura.extract).parameters
    assert theirs["include_comments"].default is True
    assert theirs["include_links"].default is theirs["include_images"].default is False
    assert trafilatura.extract("") is None and dehusk.extract("").text == "" and "no_content" in dehusk.extract("").flags
    plain = inspect.signature(extract_plain_text).parameters
    assert plain["main_content"].default is False and plain["noscript"].default is False and plain["comments"].default is True
    comment = "ducks in it"
    assert comment in (trafilatura.extract(html) or "")
    assert comment in dehusk.extract(html, comments="only").text and comment not in dehusk.extract(html).text
    assert "Skip to the reading" in dehusk.extract(html, detector="none").text
    assert "Skip to the reading" in trafilatura.html2txt(html)
    noscript = "<p>Nets are mended in May, when the boats come home.</p><noscript><p>Whoever has hands to spare sits on the quay.</p></noscript>"
    assert "quay" in dehusk.extract(noscript, detector="none").text
    assert "quay" not in extract_plain_text(noscript)
    document = readability.Document(html.decode())
    assert 'class="post-body"' in document.summary() and "post-body" not in dehusk.extract(html, format="html").text
    assert len(dehusk.extract(html).blocks) < len(justext.justext(html, justext.get_stoplist("English")))
    assert "cut_nodes" in dehusk.extract(html, max_nodes=50).flags
    found = dehusk.extract("<p>Netze werden im Mai geflickt, wenn die Boote zurückkehren.</p>".encode("latin-1"), content_type="text/html; charset=latin1")
    assert "zurückkehren" in found.text
    fields = set(trafilatura.extract_metadata(html.decode()).__slots__)
    assert {"hostname", "categories", "tags", "image", "license", "fingerprint", "sitename", "pagetype"} <= fields


def main() -> int:
    text = DOCUMENT.read_text()
    for name in ("trafilatura", "resiliparse", "fastwarc", "readability-lxml", "justext"):
        print(f"{name} {version(name)}")
    options = check_tables(text)
    check_defaults()
    print(f"{run_snippets(text)} snippets run, {options} options compared")
    return 0


if __name__ == "__main__":
    sys.exit(main())
