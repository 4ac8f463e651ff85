"""Records: those of the program, however templates come to the pages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from spark_crawl import CARRIED, LARGE_HOST, LARGE_PAGES, Row, assert_same, table

import dehusk
from dehusk import _native
from dehusk import spark as husk


@pytest.fixture(scope="session")
def expected(crawl_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> pa.Table:
    """What the program writes."""
    out = tmp_path_factory.mktemp("expected") / "out.parquet"
    report = dehusk.clean(crawl_folder, out, carry=list(CARRIED))
    assert report["failed"] > 0
    return table(out)


@pytest.fixture(scope="session")
def templates(spark: SparkSession, pages: DataFrame, tmp_path_factory: pytest.TempPathFactory) -> DataFrame:
    """Templates in a file, as for a large crawl."""
    folder = str(tmp_path_factory.mktemp("templates") / "out")
    husk.learn(pages).write.parquet(folder)
    return spark.read.parquet(folder)


def test_the_records_of_the_program(pages: DataFrame, expected: pa.Table) -> None:
    assert_same(table(husk.clean(pages, carry=CARRIED)), expected)


@pytest.mark.parametrize("count_pages", [False, True])
def test_a_join_gives_the_same_records(
    pages: DataFrame, templates: DataFrame, expected: pa.Table, count_pages: bool
) -> None:
    joined = husk.clean(
        pages, templates, carry=CARRIED, broadcast_bytes=0, salt_pages=10, count_pages=count_pages
    )
    assert_same(table(joined), expected)


def test_templates_learned_on_the_way_can_be_joined(pages: DataFrame, expected: pa.Table) -> None:
    assert_same(table(husk.clean(pages, carry=CARRIED, broadcast_bytes=0)), expected)


def test_a_large_host_is_spread_over_tasks(pages: DataFrame, templates: DataFrame) -> None:
    def tasks(salt_pages: int) -> list[int]:
        records = husk.clean(pages, templates, broadcast_bytes=0, salt_pages=salt_pages)
        of_host = records.filter(F.col("host") == LARGE_HOST).groupBy(F.spark_partition_id()).count()
        return [row[1] for row in of_host.collect()]

    assert tasks(1_000_000) == [LARGE_PAGES]
    spread = tasks(5)
    assert sum(spread) == LARGE_PAGES
    # Chance decides how even it is, but it is the same chance every time: URLs and partitions do not change.
    assert len(spread) == 4
    assert max(spread) < LARGE_PAGES * 0.6


def test_options_and_pages_by_themselves(spark: SparkSession, crawl_folder: Path) -> None:
    file = crawl_folder / "00.parquet"
    found = table(husk.clean(spark.read.parquet(str(file)), False, format=["markdown", "text"], metadata=True, focus="recall", links=False))
    cleaner = _native.Cleaner({"format": ["markdown", "text"], "metadata": True, "focus": "recall", "links": False})
    columns: Any = {"html": "html", "url": "url", "content_type": "", "id": "id", "carry": [], "needs_url": True}
    here = pa.table(cleaner.clean(pq.read_table(file), columns)).sort_by("id")
    assert_same(found, here)
    assert {"markdown", "text", "author"} <= set(found.schema.names)
    assert set(found["template_pages"].to_pylist()) == {0}


def test_what_cannot_be_read_is_a_row_with_an_error(spark: SparkSession, rows: list[Row]) -> None:
    broken = [(row["url"], row["html"]) for row in rows if row["url"] is None or "broken" in row["url"]]
    broken += [("https://broken.example/null", None), ("https://\xff.example/", b"<p>A host with another name.")]
    frame = spark.createDataFrame(broken, "address string, body binary")
    found = husk.clean(frame, False, url="address", html="body").collect()
    assert {row.url: row.error for row in found} == {
        "": None,
        "https://broken.example/null": "no_page",
        "https://broken.example/image": "not_text",
        "https://broken.example/empty": None,
        "https://\xff.example/": None,
    }


def test_a_text_that_is_not_utf8(spark: SparkSession) -> None:
    """Spark can hold such texts, and they must not reach code that believes them."""
    frame = spark.range(3).select(
        F.when(F.col("id") < 2, F.lit(b"http://a.example/\xff\xfe").cast("string")).otherwise("http://a.example/1").alias("url"),
        F.lit(b"<p>Nets \xff are mended.").cast("string").alias("html"),
    )
    one = husk.clean(frame).orderBy("url").collect()
    two = husk.clean(frame, broadcast_bytes=0).orderBy("url").collect()
    assert [row.url for row in one] == ["", "", "http://a.example/1"]
    assert {row.text for row in one} == {"Nets \ufffd are mended."}
    assert one == two


class TestWrongColumnsAndOptions:
    """They are exceptions at once, not failures of a task an hour later."""

    def test_columns(self, pages: DataFrame) -> None:
        with pytest.raises(dehusk.DehuskValueError, match="there is no column 'body'; the columns are id, url, html") as caught:
            husk.clean(pages, False, html="body")
        assert caught.value.kind == "missing_column"
        with pytest.raises(dehusk.DehuskValueError, match="no column 'other'"):
            husk.clean(pages, False, carry=["other"])
        with pytest.raises(dehusk.DehuskValueError, match="no column 'name'"):
            husk.clean(pages, False, id="name")
        with pytest.raises(dehusk.DehuskValueError, match="'price' is of the type decimal") as caught:
            husk.learn(pages, html="price")
        assert caught.value.kind == "bad_column"
        with pytest.raises(dehusk.DehuskValueError, match="'html' is of the type binary; text is needed"):
            husk.sample(pages, url="html")
        with pytest.raises(dehusk.DehuskTypeError, match="not a single text"):
            husk.clean(pages, False, carry="day")

    def test_frames(self, spark: SparkSession, pages: DataFrame) -> None:
        with pytest.raises(dehusk.DehuskTypeError, match="df is a DataFrame of Spark, not list"):
            husk.learn([("http://a.example/", "<p>")])  # type: ignore[arg-type]
        with pytest.raises(dehusk.DehuskTypeError, match="templates is a DataFrame, None or False, not bool"):
            husk.clean(pages, True)  # type: ignore[arg-type]
        with pytest.raises(dehusk.DehuskValueError, match="no column 'template'"):
            husk.clean(pages, spark.createDataFrame([("a", 1)], "host string, pages long"))
        with pytest.raises(dehusk.DehuskValueError, match="'sample' is of the type string; binary is needed"):
            husk.templates(spark.createDataFrame([("a", "b", 1)], "host string, sample string, pages long"))

    def test_options(self, pages: DataFrame) -> None:
        with pytest.raises(dehusk.DehuskValueError, match="sideways"):
            husk.clean(pages, False, focus="sideways")  # type: ignore[arg-type]
        with pytest.raises(dehusk.DehuskValueError, match="guess"):
            husk.learn(pages, method="guess")  # type: ignore[arg-type]
        with pytest.raises(dehusk.DehuskValueError, match="salt_pages"):
            husk.clean(pages, False, salt_pages=0)
        with pytest.raises(dehusk.DehuskValueError, match="merge_groups"):
            husk.learn(pages, merge_groups=0)

    @pytest.mark.parametrize("broadcast_bytes", [0, 1 << 20])
    def test_two_templates_of_one_host(self, pages: DataFrame, templates: DataFrame, broadcast_bytes: int) -> None:
        with pytest.raises(Exception, match="has two templates; to learn from several crawls, take samples"):
            husk.clean(pages, templates.unionByName(templates), broadcast_bytes=broadcast_bytes).count()


def test_batches_are_small_unless_the_user_wants_others(spark: SparkSession, pages: DataFrame) -> None:
    husk.clean(pages, False)
    assert spark.conf.get("spark.sql.execution.arrow.maxRecordsPerBatch") == "8"
    assert spark.conf.get("spark.sql.execution.arrow.maxBytesPerBatch") == str(16 << 20)
