"""Many pages: iterables and Arrow columns."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import dehusk
from dehusk import _native


def test_the_order_is_kept_and_threads_change_nothing(pages: list[tuple[str, bytes]]) -> None:
    many = pages * 10
    one = list(dehusk.extract_many(many, threads=1))
    three = list(dehusk.extract_many(many, threads=3))
    assert one == three
    assert [found.url for found in one] == [url for url, _ in many]
    for (_, html), found in zip(pages, one):
        assert found.text == dehusk.extract(html).text


def test_items_of_every_kind(article: str) -> None:
    items: list[Any] = [
        article,
        article.encode(),
        ("https://a.example/", article),
        {"html": article, "url": "https://b.example/"},
        None,
        7,
        ("https://c.example/",),
        {"page": article},
        {"html": article, "url": 3},
        "\ud800",
        b"\x89PNG\r\n\x1a\n" + bytes(100),
    ]
    found = list(dehusk.extract_many(items))
    assert [one.error is None for one in found] == [True] * 4 + [False] * 7
    kinds = [one.error.kind for one in found if isinstance(one.error, dehusk.DehuskError)]
    assert kinds == ["bad_type"] * 5 + ["bad_text", "not_text"]
    assert found[3].url == "https://b.example/"
    # Also a page that could not be read has its address.
    assert [one.url for one in dehusk.extract_many([("https://d.example/", None), {"url": "https://e.example/"}])] == [  # type: ignore[list-item]
        "https://d.example/",
        "https://e.example/",
    ]
    assert all(one.text == "" for one in found[4:])
    assert "error" in repr(found[-1])
    with pytest.raises(dehusk.DehuskError, match="dehusk.extract"):
        found[0].blocks


def test_an_iterable_is_read_as_results_are_asked_for(article: str) -> None:
    taken = 0

    def endless() -> Iterator[str]:
        nonlocal taken
        while True:
            taken += 1
            yield article

    results = dehusk.extract_many(endless(), threads=2)
    for _ in range(10):
        assert next(results).title == "Nets"
    assert taken <= 1000


def test_what_the_iterable_raises_comes_after_the_pages_before_it(article: str) -> None:
    def broken() -> Iterator[str]:
        yield article
        yield article
        raise OSError("the disk is gone")

    results = dehusk.extract_many(broken(), threads=2)
    assert next(results).title == next(results).title == "Nets"
    with pytest.raises(OSError, match="the disk is gone"):
        next(results)
    with pytest.raises(StopIteration):
        next(results)


def test_single_pages_and_no_pages(article: str) -> None:
    assert list(dehusk.extract_many([])) == []
    for page in (article, article.encode()):
        with pytest.raises(dehusk.DehuskTypeError, match="call extract"):
            dehusk.extract_many(page)
    with pytest.raises(dehusk.DehuskTypeError):
        dehusk.extract_many(3)
    with pytest.raises(dehusk.DehuskTypeError):
        dehusk.extract_many([article], threads=-1)


def test_other_threads_run_meanwhile(article: str) -> None:
    # The lock is released during work: another thread counts while this one waits for pages.
    stop, count = threading.Event(), [0]

    def counter() -> None:
        while not stop.wait(0):
            count[0] += 1

    thread = threading.Thread(target=counter)
    thread.start()
    try:
        before = count[0]
        dehusk.extract("<p>some words of a page that is not small " * 100_000)
        during = count[0] - before
    finally:
        stop.set()
        thread.join()
    assert during > 100


def test_ctrl_c_ends_it() -> None:
    code = (
        "import dehusk, itertools, sys\n"
        "print('started', flush=True)\n"
        "page = '<p>words of a page ' * 2000\n"
        "for found in dehusk.extract_many(itertools.repeat(page)): pass\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"started\n"
    os.kill(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=120)
    assert b"KeyboardInterrupt" in errors


def columns(pages: list[tuple[str, bytes]]) -> pa.Table:
    urls, html = zip(*pages)
    return pa.table({"id": list(range(len(pages))), "url": urls, "html": html, "fetched": [f"day {i}" for i in range(len(pages))]})


def test_arrow_records_are_those_of_the_program(pages: list[tuple[str, bytes]], tmp_path: Any) -> None:
    import pyarrow.parquet as pq

    table = columns(pages)
    pq.write_table(table, tmp_path / "pages.parquet")
    program = [sys.executable, "-m", "dehusk", "extract", str(tmp_path / "pages.parquet"), "--carry", "fetched"]
    subprocess.run([*program, "--metadata", "-f", "markdown", "-o", str(tmp_path / "out.parquet")], check=True)
    found = dehusk.extract_many(table, carry=["fetched"], metadata=True, format="markdown")
    assert isinstance(found, pa.Table)
    assert found.combine_chunks().equals(pq.read_table(tmp_path / "out.parquet").cast(found.schema).combine_chunks())
    assert found.schema.field("id").type == pa.int64()
    # Batches, chunks and threads change nothing.
    rebatched = pa.Table.from_batches(table.to_batches(max_chunksize=3))
    assert dehusk.extract_many(rebatched, carry=["fetched"], metadata=True, format="markdown", threads=2).equals(found)


@pytest.mark.parametrize(
    "kind", [pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary(), pa.binary_view()]
)
def test_columns_of_every_text_type(kind: pa.DataType, article: str) -> None:
    column = pa.array([article, None], pa.string()).cast(kind) if kind != pa.binary_view() else pa.array([article.encode(), None], kind)
    found = dehusk.extract_many(column)
    assert found["title"].to_pylist() == ["Nets", None]
    assert found["error"].to_pylist() == [None, "no_page"]


def test_text_that_is_none() -> None:
    # Arrow does not check that texts are UTF-8, and Spark's can be anything.
    data = b"<p>caf\xe9 au lait</p>"
    offsets = pa.array([0, len(data)], pa.int32()).buffers()[1]
    column = pa.StringArray.from_buffers(1, offsets, pa.py_buffer(data))
    found = dehusk.extract_many(pa.table({"html": column, "url": column}))
    assert found["text"].to_pylist() == ["caf\ufffd au lait"] and found["url"].to_pylist() == [""]
    assert "replaced_bytes" in found["flags"].to_pylist()[0]
    cleaner = _native.Cleaner({})
    assert pa.array(cleaner.hosts(column)).to_pylist() == [None]


def test_polars_and_pandas(pages: list[tuple[str, bytes]]) -> None:
    table = columns(pages)
    expected = dehusk.extract_many(table)["text"].to_pylist()
    from_polars = dehusk.extract_many(pl.from_arrow(table))
    assert isinstance(from_polars, pl.DataFrame) and from_polars["text"].to_list() == expected
    column = dehusk.extract_many(pl.from_arrow(table)["html"])
    assert isinstance(column, pl.DataFrame) and column["text"].to_list() == expected
    from_pandas = dehusk.extract_many(table.to_pandas())
    assert isinstance(from_pandas, pd.DataFrame) and from_pandas["text"].to_list() == expected
    assert dehusk.extract_many(table.to_pandas()["html"])["text"].to_list() == expected
    # Results have the index of their pages, so that they can be joined to them.
    shuffled = table.to_pandas().sample(frac=1, random_state=1)
    assert dehusk.extract_many(shuffled)["text"].sort_index().to_list() == expected
    with pytest.raises(dehusk.DehuskTypeError, match="collect"):
        dehusk.extract_many(pl.from_arrow(table).lazy())  # type: ignore[union-attr]


def test_links_are_absolute_where_the_address_is_known(article: str) -> None:
    one = dehusk.extract(article, url="https://a.example/x", format="markdown").text
    (many,) = dehusk.extract_many([("https://a.example/x", article)], format="markdown")
    assert "(https://a.example/before)" in one and many.text == one


def test_results_pickle(article: str) -> None:
    import pickle

    for found in dehusk.extract_many([("https://a.example/", article), None], metadata=True):  # type: ignore[list-item]
        again = pickle.loads(pickle.dumps(found))
        assert again == found and again.metadata_sources == found.metadata_sources
        assert repr(again.error) == repr(found.error)
    with pytest.raises(dehusk.DehuskError, match="dehusk.extract") as raised:
        pickle.loads(pickle.dumps(dehusk.extract(article))).blocks
    assert raised.value.kind == "page_not_kept"


def test_wrong_columns() -> None:
    with pytest.raises(dehusk.DehuskValueError, match="Int64") as raised:
        dehusk.extract_many(pa.table({"html": [1, 2]}))
    assert raised.value.kind == "bad_column"
    with pytest.raises(dehusk.DehuskValueError, match='no column "html"; the columns are page'):
        dehusk.extract_many(pa.table({"page": ["<p>x"]}))
    with pytest.raises(dehusk.DehuskValueError, match="no column"):
        dehusk.extract_many(pa.table({"html": ["<p>x"]}), carry=["day"])
    with pytest.raises(dehusk.DehuskValueError, match="no column"):
        dehusk.extract_many(pa.table({"html": ["<p>x"]}), url_column="address")
    empty = dehusk.extract_many(pa.table({"html": pa.array([], pa.string())}))
    assert empty.num_rows == 0 and "text" in empty.column_names


def test_memory_does_not_grow() -> None:
    # What is held after many pages is what was held after few.
    page = "<p>" + "words of a page that takes some room " * 200
    code = f"""
import dehusk, itertools, resource
def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
page = {page!r}
for found in dehusk.extract_many(itertools.repeat(page, 300), threads=2): pass
few = peak()
for found in dehusk.extract_many((page for _ in range(6000)), threads=2): pass
print(peak() - few)
"""
    grown = int(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True).stdout)
    assert grown < 20_000, f"{grown} KB more"
