"""Hostile input: a result or a `DehuskError`, never anything else, and the interpreter lives."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import dehusk
from conftest import REPOSITORY
from dehusk import _native

INPUTS = sorted(path for path in (REPOSITORY / "fuzz" / "regressions").rglob("*") if path.is_file())


def attempt(call: Any) -> None:
    try:
        call()
    except dehusk.DehuskError as error:
        assert error.kind != "internal", error


def test_there_are_inputs() -> None:
    assert len(INPUTS) > 100


def test_pages() -> None:
    pages = [path.read_bytes() for path in INPUTS]
    for page in pages:
        for format in ("text", "markdown", "html", "json"):
            attempt(lambda: dehusk.extract(page, format=format, metadata=True))
        attempt(lambda: dehusk.extract(page).explain())
    for found in dehusk.extract_many(pages, threads=2):
        assert found.error is None or isinstance(found.error, dehusk.DehuskError)
    table = dehusk.extract_many(pa.table({"html": pages}), threads=2)
    assert table.num_rows == len(pages) and "internal" not in table["error"].to_pylist()


def test_segments() -> None:
    for path in INPUTS[::3]:
        attempt(lambda: dehusk.segment(path.read_bytes()))


def test_templates_samples_and_files(tmp_path: Path) -> None:
    merger = _native.Cleaner({}).merger(True)
    for path in INPUTS:
        data = path.read_bytes()
        attempt(lambda: dehusk.Site.from_bytes(data))
        attempt(lambda: dehusk.Templates.open(path))
        attempt(lambda: merger.add(pa.table({"host": ["a"], "sample": [data], "pages": [1]})))
        for ending in ("jsonl", "parquet", "warc", "warc.gz"):
            if path.parent.name in (ending.split(".")[0], "extract"):
                file = tmp_path / f"input.{ending}"
                file.write_bytes(data)
                attempt(lambda: list(dehusk.read_pages(file)))


@pytest.mark.parametrize(
    "shape",
    ["<nobr><b><div>x", "<a><i><section>x", "<p><b id=x>x", "<table><font>", "<math><title>", "<svg><g>", "<!--", "\0", "<", "\\(x\\)"],
)
def test_shapes(shape: str) -> None:
    page = shape * 20_000
    for format in ("text", "markdown", "html", "json"):
        attempt(lambda: dehusk.extract(page, format=format))


def test_arguments() -> None:
    for call in (
        lambda: dehusk.extract(b"x", url=3),  # type: ignore[arg-type]
        lambda: dehusk.extract(b"x", content_type=b"x"),  # type: ignore[arg-type]
        lambda: dehusk.Site.from_bytes(None),  # type: ignore[arg-type]
        lambda: dehusk.Templates({1: b"x"}),  # type: ignore[dict-item]
        lambda: dehusk.duplicates([None]),  # type: ignore[list-item]
    ):
        with pytest.raises((dehusk.DehuskError, TypeError)):
            call()
    # NUL bytes in paths and options.
    attempt(lambda: dehusk.clean("a\0b", "c\0d.jsonl"))
    attempt(lambda: dehusk.extract(b"x", detector="a\0b"))
