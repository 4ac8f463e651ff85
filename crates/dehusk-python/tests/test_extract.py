"""One page."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import dehusk


def program(*arguments: str) -> str:
    """What the program prints."""
    done = subprocess.run([sys.executable, "-m", "dehusk", *arguments], capture_output=True, check=True)
    return done.stdout.decode()


def test_an_article(article: str) -> None:
    found = dehusk.extract(article)
    assert found.text.startswith("Nets are mended in May")
    assert "Privacy" not in found.text and "All posts" not in found.text
    assert found.title == "Nets"
    assert found.format == "text"
    assert found.confidence is not None and 0 < found.confidence <= 1
    assert found.page_type
    assert found.encoding == "UTF-8"
    assert 0 < found.dropped_share < 1
    assert found.metadata is None and found.error is None and found.url is None
    assert str(found) == found.text and found


def test_text_and_bytes_are_the_same(article: str) -> None:
    assert dehusk.extract(article) == dehusk.extract(article.encode())
    assert dehusk.extract(article.encode()) == dehusk.extract(bytearray(article.encode()))
    assert dehusk.extract(article.encode()) == dehusk.extract(memoryview(article.encode()))


def test_text_is_not_decoded_again() -> None:
    # What the page says of its encoding no longer holds once it is text.
    page = "<meta charset=iso-8859-1><p>Ærø is an island, and its harbour has a café.</p>"
    assert "Ærø is an island, and its harbour has a café." in dehusk.extract(page).text
    latin = "<p>Ærø is an island, and its harbour has a café.</p>".encode("latin-1")
    assert "café" in dehusk.extract(latin, content_type="text/html; charset=iso-8859-1").text


def test_formats_are_those_of_the_program(sites: Path) -> None:
    for path in sorted(sites.rglob("*.html"))[::5]:
        html = path.read_bytes()
        for format in ("text", "markdown", "html", "json", "records"):
            printed = program("extract", "-f", format, str(path))
            # The program ends what it prints with a line end.
            assert dehusk.extract(html, format=format).text.rstrip("\n") == printed.rstrip("\n"), (path, format)
    found = dehusk.extract(html, format="markdown")
    assert found.render("markdown") == found.text
    assert found.render("text") == dehusk.extract(html).text
    assert json.loads(found.render("json"))["blocks"]
    assert found.strip().rstrip("\n") == program("strip", str(path)).rstrip("\n")
    assert found.explain() in program("explain", str(path))


def test_options_reach_the_engine(article: str) -> None:
    markdown = dehusk.extract(article, format="markdown", url="https://a.example/x/").text
    assert "[before](https://a.example/before)" in markdown
    assert "](" not in dehusk.extract(article, format="markdown", links=False).text
    assert len(dehusk.extract(article, focus="recall").text) >= len(dehusk.extract(article, focus=0.2).text)
    everything = dehusk.extract(article, detector="none").text
    assert "Privacy" in everything
    assert dehusk.extract(article, heading="drop", format="markdown").text.startswith("Nets are mended")


def test_metadata(article: str) -> None:
    page = article.replace("</title>", "</title><meta name=author content='Ada Lund'><html lang=en>")
    found = dehusk.extract(page, metadata=True)
    assert found.metadata is not None and found.metadata_sources is not None
    assert found.metadata["author"] == "Ada Lund"
    assert found.metadata["title"] == "Nets"
    assert set(found.metadata) == set(found.metadata_sources)


def test_blocks(article: str) -> None:
    blocks = dehusk.extract(article).blocks
    decisions = {block.text.split("\n")[0]: block.decision for block in blocks}
    assert any(start.startswith("Nets are mended") and decision == "keep" for start, decision in decisions.items())
    assert any(block.decision == "drop" and "Privacy" in block.text for block in blocks)
    for block in blocks:
        assert 0 <= block.score <= 1 and block.reason["name"] and block.xpath and block.css
        assert block.span is not None
        source = article.encode()[block.span[0] : block.span[1]].decode()
        assert block.text.split()[0] in source


def test_a_page_without_content_is_no_error() -> None:
    found = dehusk.extract(b"")
    assert found.text == "" and not found and found.flags == ["no_content"]


def test_repr_is_short(article: str) -> None:
    assert len(repr(dehusk.extract(article * 100))) < 400
    assert "Nets" in repr(dehusk.extract(article))


@pytest.mark.parametrize("page", [None, 3, 2.5, ["<p>x"], object()])
def test_what_is_not_a_page(page: Any) -> None:
    with pytest.raises(dehusk.DehuskTypeError, match="a page is str or bytes") as raised:
        dehusk.extract(page)
    assert raised.value.kind == "bad_type" and isinstance(raised.value, TypeError)


def test_bad_input() -> None:
    def kind(*values: Any, **options: Any) -> str:
        with pytest.raises(dehusk.DehuskError) as raised:
            dehusk.extract(*values, **options)
        assert str(raised.value)
        return raised.value.kind

    assert kind("<p>\ud800") == "bad_text"
    assert kind(b"\x89PNG\r\n\x1a\n" + bytes(100)) == "not_text"
    assert kind(b"x" * 200, max_bytes=100) == "too_large"
    assert kind(b"x", focus="much") == "bad_options"
    assert kind(b"x", detector="magic") == "bad_options"
    assert kind(b"x", format="pdf") == "bad_options"
    assert kind(b"x", colour="red") == "bad_options"
    assert kind(b"x", links=3) == "bad_options"
    assert kind(b"x", output="x") == "bad_options"
    assert kind(b"x", help=True) == "bad_options"
    assert kind(b"x", url=5) == "bad_type"
    assert kind(b"x", url="\ud800") == "bad_type"
    assert kind(b"x", template=b"x") == "bad_type"


def test_a_page_of_200_megabytes_is_refused() -> None:
    with pytest.raises(dehusk.DehuskError, match="the page has 200000000 bytes, the limit is") as raised:
        dehusk.extract(b"<p>x " * 40_000_000)
    assert raised.value.kind == "too_large"


def test_errors_pickle() -> None:
    import pickle

    with pytest.raises(dehusk.DehuskError) as raised:
        dehusk.extract("<p>\ud800")
    again = pickle.loads(pickle.dumps(raised.value))
    assert type(again) is type(raised.value) and again.kind == "bad_text" and str(again) == str(raised.value)


def test_segments_and_duplicates(article: str) -> None:
    parts = dehusk.segment(article)
    assert len(parts) >= 1 and any("mended in May" in part.text for part in parts)
    assert dehusk.segment(article, method="gcuts").method == "gcuts"
    with pytest.raises(dehusk.DehuskValueError):
        dehusk.segment(article, method="magic")
    one, two = "the tide comes in at noon and the boats go out with it again " * 3, "nothing of the kind happened here, ever, to anyone"
    found = dehusk.duplicates([one, two, one + "so it is"])
    assert found.groups == [[0, 2]] and found.kept == [0, 1] and found.pairs[0][:2] == (0, 2)
    with pytest.raises(dehusk.DehuskTypeError):
        dehusk.duplicates("one text")
    with pytest.raises(dehusk.DehuskValueError):
        dehusk.duplicates([one], hashes=4, shared=8)
