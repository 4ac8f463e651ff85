"""Pages of WARC files."""

from __future__ import annotations

import gzip
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession
from spark_crawl import made_page

import dehusk
from dehusk import spark as husk


def response(url: str, html: bytes) -> bytes:
    """A gzip member with a WARC record."""
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + html
    head = f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-IP-Address: 192.0.2.7\r\n"
    head += f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(block)}\r\n\r\n"
    return gzip.compress(head.encode() + block + b"\r\n\r\n", mtime=0)


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two archives; the second has a damaged record."""
    folder = tmp_path_factory.mktemp("warc")
    records = [response(f"http://a.example/{number}", made_page(number)) for number in range(6)]
    (folder / "1.warc.gz").write_bytes(b"".join(records[:3]))
    damaged = bytearray(records[4])
    damaged[len(damaged) // 2] ^= 0xFF
    (folder / "2.warc.gz").write_bytes(records[3] + bytes(damaged) + records[5])
    return folder


def test_the_pages_that_python_reads(spark: SparkSession, archives: Path) -> None:
    names = [str(archives / name) for name in ("1.warc.gz", "2.warc.gz")]
    batches = [pa.record_batch(batch) for batch in dehusk.read_pages(names, carry=["WARC-IP-Address"])]
    expected = pa.Table.from_batches(batches).to_pylist()
    frame = husk.read_warc(spark, archives / "*.warc.gz", carry=["WARC-IP-Address"])
    assert frame.rdd.getNumPartitions() == 2
    found = [row.asDict() for row in frame.collect()]
    assert [row | {"html": row["html"] and bytes(row["html"])} for row in found] == expected
    assert [row["url"] for row in found if row["error"] is None] == [f"http://a.example/{n}" for n in (0, 1, 2, 3, 5)]
    faults = [row for row in found if row["error"] is not None]
    assert [row["error"] for row in faults] == ["damaged_archive"] and "2.warc.gz" in faults[0]["error_message"]
    assert found[0]["WARC-IP-Address"] == "192.0.2.7"


def test_records_of_archives(spark: SparkSession, archives: Path, tmp_path: Path) -> None:
    dehusk.clean(archives.glob("*.gz"), tmp_path / "out.parquet")
    expected = pq.read_table(tmp_path / "out.parquet").sort_by("url").to_pylist()
    records = husk.clean(husk.read_warc(spark, f"file://{archives}/*.gz", partitions=1)).orderBy("url").collect()
    assert [row.asDict() for row in records] == expected
    assert {row.template_pages for row in records if row.error is None} == {5}


def test_urls_go_through_fsspec(spark: SparkSession, archives: Path) -> None:
    """`local://` is one of fsspec's names for the files of a machine."""
    assert husk.read_warc(spark, f"local://{archives}/1.warc.gz").count() == 3
    assert husk.read_warc(spark, f"local://{archives}/*.warc.gz").count() == 6


def test_files_that_are_not_there(spark: SparkSession, archives: Path) -> None:
    with pytest.raises(dehusk.DehuskError, match="missing.warc: there is no such file") as caught:
        husk.read_warc(spark, archives / "missing.warc")
    assert caught.value.kind == "cannot_read"
    with pytest.raises(dehusk.DehuskError, match="no file has such a name"):
        husk.read_warc(spark, archives / "*.warc.zst")
    # A file that goes away later fails the job, and a row names it if that was asked for.
    paths = [str(archives / "1.warc.gz"), f"local://{archives}/gone.warc.gz"]
    with pytest.raises(Exception, match=r"gone\.warc\.gz"):
        husk.read_warc(spark, paths).collect()
    found = husk.read_warc(spark, paths, unreadable="row").collect()
    assert len(found) == 4
    assert found[3].error == "cannot_read" and "gone.warc.gz" in found[3].error_message


def test_a_file_that_cannot_be_read_to_its_end() -> None:
    """A fault of the network is no damage of the archive: it must not look like one."""
    from dehusk.spark import _read

    record = response("http://a.example/1", made_page(1))

    class Interrupted:
        place = 0

        def read(self, size: int = -1) -> bytes:
            if self.place >= len(record):
                raise ConnectionError("connection reset")
            part = record[self.place : self.place + size]
            self.place += len(part)
            return part

        def seek(self, offset: int, whence: int = 0) -> int:
            assert whence != 2
            self.place = offset if whence == 0 else self.place + offset
            return self.place

        def close(self) -> None:
            pass

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_read, "_open", lambda *_: Interrupted())
        with pytest.raises(dehusk.DehuskError, match="1.warc.gz: connection reset"):
            list(_read._pages_of("1.warc.gz", {}, {}))
