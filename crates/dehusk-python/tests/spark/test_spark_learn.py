"""Templates: they depend on pages and options, on nothing else."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession
from spark_crawl import LARGE_HOST, LARGE_PAGES, Row, write_crawl

import dehusk
from dehusk import _native
from dehusk import spark as husk

COLUMNS: Any = {
    "html": "html",
    "url": "url",
    "content_type": "content_type",
    "id": "",
    "carry": [],
    "needs_url": True,
}


def by_host(templates: DataFrame) -> dict[str, bytes]:
    rows = templates.collect()
    found = {row.host: bytes(row.template) for row in rows}
    assert len(found) == len(rows)
    return found


def learned_here(folder: Path, method: str) -> dict[str, bytes]:
    """The same pages, learned in this process."""
    cleaner = _native.Cleaner({"method": method})
    sampler, merger = cleaner.sampler(1 << 30), cleaner.merger(True)
    assert sampler.add(pq.read_table(folder), COLUMNS) == []
    parts = [merger.add(sampler.finish()), merger.finish()]
    found = pa.Table.from_batches([pa.record_batch(part) for part in parts]).to_pylist()
    return {row["host"]: row["template"] for row in found}


@pytest.mark.parametrize(("files", "method", "groups"), [(1, "sitelevel", 16), (4, "auto", 1), (16, "sitelevel", 3)])
def test_partitions_and_order_do_not_matter(
    spark: SparkSession, rows: list[Row], crawl_folder: Path, tmp_path: Path, files: int, method: Any, groups: int
) -> None:
    shuffled = random.Random(files).sample(rows, len(rows))
    frame = spark.read.parquet(str(write_crawl(shuffled, tmp_path / "in", files)))
    assert frame.rdd.getNumPartitions() == files
    learned = by_host(husk.learn(frame, method=method, merge_groups=groups))
    assert learned == learned_here(crawl_folder, method)
    assert LARGE_HOST in learned and "alone.example" not in learned


def test_the_templates_of_the_program(pages: DataFrame, crawl_folder: Path, tmp_path: Path) -> None:
    store = tmp_path / "sites.templates"
    dehusk.clean(crawl_folder, tmp_path / "out.jsonl", templates=store)
    cleaner = _native.Cleaner({"detector": "sitelevel", "format": "json"})
    table = pq.read_table(crawl_folder, columns=["url", "html"])
    learned = husk.learn(pages)
    files = by_host(learned)
    ours, its = dehusk.Templates(files), dehusk.Templates.open(store)
    records = [pa.table(cleaner.clean(table, COLUMNS, templates)) for templates in (ours, its)]
    assert records[0].equals(records[1])
    assert sum(records[0]["dropped_characters"].to_pylist()) > 1000
    assert {row.host: row.pages for row in learned.collect()}[LARGE_HOST] == LARGE_PAGES


def test_samples_of_two_crawls(spark: SparkSession, crawl_folder: Path, tmp_path: Path) -> None:
    halves = [spark.read.parquet(*(str(crawl_folder / f"{n:02}.parquet") for n in part)) for part in ((0, 1), (2, 3))]
    husk.sample(halves[0]).write.parquet(str(tmp_path / "old"))
    both = spark.read.parquet(str(tmp_path / "old")).unionByName(husk.sample(halves[1]))
    assert by_host(husk.templates(both)) == learned_here(crawl_folder, "sitelevel")


def test_a_damaged_sample_is_named(spark: SparkSession) -> None:
    damaged = spark.createDataFrame([("a.example", b"husksam1", 3)], "host string, sample binary, pages int")
    with pytest.raises(Exception, match="not a sample of a site of this version, or it is damaged"):
        husk.templates(damaged).collect()
