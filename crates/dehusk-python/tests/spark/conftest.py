"""A cluster with executors in processes of their own, and a small crawl."""

from __future__ import annotations

import datetime
import decimal
import glob
import os
import random
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession

SITES = Path(__file__).parents[4] / "examples" / "sites"
LARGE_HOST = "large.example"
LARGE_PAGES = 90

Row = dict[str, Any]


@pytest.fixture(scope="session", autouse=True)
def environment() -> None:
    """Java, Python, and a fixed day for templates."""
    if "JAVA_HOME" not in os.environ:
        # Java 17 and 21 are those that Spark 4 is tested with; what comes first in PATH may be newer.
        homes = sorted(glob.glob("/usr/lib/jvm/java-17-*") + glob.glob("/usr/lib/jvm/java-21-*"))
        if homes:
            os.environ["JAVA_HOME"] = homes[0]
    if "JAVA_HOME" not in os.environ and shutil.which("java") is None:
        pytest.fail("the tests of Spark need Java 17: install openjdk-17-jre-headless, or set JAVA_HOME", pytrace=False)
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    os.environ["SOURCE_DATE_EPOCH"] = "0"


@pytest.fixture(scope="session")
def spark(environment: None) -> Iterator[SparkSession]:
    """Two executors with one core each, as separate processes."""
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "4",
        # The data is small: it would all end in one task.
        "spark.sql.adaptive.coalescePartitions.enabled": "false",
        # Each file is a partition.
        "spark.sql.files.openCostInBytes": str(1 << 30),
        "spark.executorEnv.PYTHONPATH": os.environ.get("PYTHONPATH", ""),
        "spark.driver.host": "127.0.0.1",
        # Executors that are killed do not come back: there is no use in waiting for their files.
        "spark.shuffle.io.maxRetries": "1",
        "spark.shuffle.io.retryWait": "200ms",
        "spark.locality.wait": "0",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "8",
    }
    builder = SparkSession.builder.master("local-cluster[2,1,1024]").appName("dehusk-tests")
    session = builder.config(map=settings).getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


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


@pytest.fixture(scope="session")
def rows() -> list[Row]:
    return crawl()


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


@pytest.fixture(scope="session")
def crawl_folder(rows: list[Row], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_crawl(rows, tmp_path_factory.mktemp("crawl") / "in", 4)


@pytest.fixture(scope="session")
def pages(spark: SparkSession, crawl_folder: Path) -> DataFrame:
    return spark.read.parquet(str(crawl_folder))


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
