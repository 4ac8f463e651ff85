"""Makes a small crawl of folders of pages: two WARC files and a Parquet file with the same pages.

python examples/python/sites_to_warc.py examples/sites crawl/
"""

from __future__ import annotations

import gzip
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

import dehusk


def warc_record(url: str, page: bytes) -> bytes:
    """A page as a crawler stores it: the response of the server, after what the crawler says about it."""
    response = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + page
    head = (
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Date: 2026-11-01T12:00:00Z\r\n"
        f"WARC-Target-URI: {url}\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: {len(response)}\r\n\r\n"
    )
    return head.encode() + response + b"\r\n\r\n"


def main(source: str, out: str) -> None:
    """Reads the pages of ``source`` and writes them to the folder ``out``."""
    pages = pa.Table.from_batches([pa.record_batch(batch) for batch in dehusk.read_pages(source)])
    folder = Path(out)
    (folder / "warc").mkdir(parents=True, exist_ok=True)
    pq.write_table(pages.select(["url", "html"]), folder / "pages.parquet")
    rows = pages.select(["url", "html"]).to_pylist()
    for number in range(2):
        # A WARC file is compressed record by record, so that a reader can begin anywhere.
        records = [gzip.compress(warc_record(row["url"], row["html"])) for row in rows[number::2]]
        (folder / "warc" / f"{number}.warc.gz").write_bytes(b"".join(records))
    print(f"{len(rows)} pages in {folder}")


if __name__ == "__main__":
    main(*sys.argv[1:])
