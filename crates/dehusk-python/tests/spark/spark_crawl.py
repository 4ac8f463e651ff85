"""The pages of a small crawl, and records as tables to compare."""

from __future__ import annotations

import datetime
import decimal
import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame

SITES = Path(__file__).parents[4] / "examples" / "sites"
LARGE_HOST = "large.example"
LARGE_PAGES = 90

Row = dict[str, Any]


def made_page(number: int) -> bytes:
    """A page with a husk around two sentences of its own."""
    return f"""<!doctype html><title>Log {number}</title><nav><a href=/>Harbour</a> <a href=/tides>Tides</a></nav>
<main><h1>Entry {number}</h1><p>Boat {number} came in at {number % 24} o'clock with {number * 7 % 100} crates of herring, and the crew
mended net {number * 13 % 50} on the quay until it was dark.</p></main><footer>Large Harbour, <a href=/imprint>imprint</a></footer>""".encode()


def crawl() -> list[Row]:
    """Sites, a host with most of the pages, and what goes wrong in crawls."""
    found = [(path.relative_to(SITES).as_posix(), path.read_bytes()) for path in sorted(SITES.rglob("*.html"))]
    assert len(found) >= 40
    pages: list[tuple[str | None, bytes]] = [(f"http://{name}", html) for name, html in found]
    pages += [(f"https://{LARGE_HOST}/log/{number}", made_page(number)) for number in range(LARGE_PAGES)]
    pages += [
        ("https://alone.example/", made_page(1000)),
        ("https://broken.example/image", b"\x89PNG\r\n\x1a\n" + bytes(64)),
        ("https://broken.example/empty", b""),
        (None, made_page(1001)),
    ]
    rows = [{"id": 10_000_000_000 + number, "url": url, "html": html} for number, (url, html) in enumerate(pages)]
    random.Random(7).shuffle(rows)
    return rows


CARRIED = {
    "price": pa.decimal128(9, 2),
    "fetched": pa.timestamp("us", tz="UTC"),
    "day": pa.date32(),
    "tags": pa.list_(pa.string()),
    "counts": pa.struct([("words", pa.int64()), ("ratio", pa.float32())]),
    "host": pa.int16(),
}


def carried_values(number: int) -> Row:
    if number % 5 == 0:
        return dict.fromkeys(CARRIED)
    return {
        "price": decimal.Decimal(number) / 4,
        "fetched": datetime.datetime(2026, 11, 1, 12, tzinfo=datetime.timezone.utc) + datetime.timedelta(seconds=number),
        "day": datetime.date(2026, 11, 1) + datetime.timedelta(days=number),
        "tags": ["a", None, str(number)],
        "counts": {"words": number, "ratio": 0.5},
        "host": number,
    }


def write_crawl(rows: list[Row], folder: Path, files: int) -> Path:
    """The rows in so many Parquet files."""
    folder.mkdir(parents=True)
    schema = pa.schema([("id", pa.int64()), ("url", pa.string()), ("html", pa.binary()), *CARRIED.items()])
    full = [row | carried_values(row["id"] % 1000) for row in rows]
    for number in range(files):
        pq.write_table(pa.Table.from_pylist(full[number::files], schema), folder / f"{number:02}.parquet")
    return folder


def table(records: DataFrame | Path) -> pa.Table:
    """Records in order of their ids, as Arrow. Texts of Spark and of the program differ only in how long they may be."""
    found = pq.read_table(records) if isinstance(records, Path) else records.toArrow()
    small = {pa.large_string(): pa.string(), pa.large_binary(): pa.binary()}
    fields = [pa.field(field.name, small.get(field.type, field.type)) for field in found.schema]
    return found.cast(pa.schema(fields)).sort_by([("id", "ascending")]).combine_chunks()


def assert_same(one: pa.Table, two: pa.Table) -> None:
    assert one.schema.names == two.schema.names
    for name in one.schema.names:
        assert one.schema.field(name).type == two.schema.field(name).type, name
        assert one[name].to_pylist() == two[name].to_pylist(), name
