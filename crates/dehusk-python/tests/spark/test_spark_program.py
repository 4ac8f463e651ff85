"""The program, in the session of the tests; `test_spark_failures` runs it with spark-submit."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession
from spark_crawl import CARRIED, assert_same, made_page, table

import dehusk
from dehusk.spark.__main__ import main


def test_parquet(
    spark: SparkSession, crawl_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, templates = tmp_path / "out", tmp_path / "templates"
    carry = [f"--carry={name}" for name in CARRIED]
    given = [str(crawl_folder), str(out), "--templates", str(templates), "--pages-per-file=20", *carry]
    assert main(given) == 0
    assert "pages, 1 could not be read" in capsys.readouterr().err
    dehusk.clean(crawl_folder, tmp_path / "expected.parquet", carry=list(CARRIED))
    expected = table(tmp_path / "expected.parquet")
    assert_same(table(out), expected)
    assert (out / "_SUCCESS").exists()
    sizes = [pq.read_metadata(file).num_rows for file in out.glob("*.parquet")]
    assert max(sizes) == 20 and len(sizes) > 4

    # It replaces nothing unless it is told to.
    before = sorted(path.name for path in out.iterdir())
    assert main(given) == 2
    assert f"{out} exists; --overwrite replaces it" in capsys.readouterr().err
    assert main([str(crawl_folder), str(tmp_path / "other"), "--templates", str(templates)]) == 2
    assert f"{templates} exists" in capsys.readouterr().err
    assert sorted(path.name for path in out.iterdir()) == before
    assert not (tmp_path / "other").exists()

    # Templates that are known are used as they are.
    again = [str(crawl_folder), str(out), "--templates", str(templates), "--no-learn", "--overwrite", "--strict", *carry]
    assert main(again) == 1
    assert_same(table(out), expected)


def test_json_lines(spark: SparkSession, tmp_path: Path) -> None:
    lines = [
        json.dumps({"url": f"http://a.example/{n}", "html": made_page(n).decode(), "id": f"page {n}", "n": n}) for n in range(5)
    ]
    (tmp_path / "in.jsonl").write_text("\n".join([*lines[:3], '{"url": "http://a.exa', *lines[3:]]) + "\n")
    assert main([str(tmp_path / "in.jsonl"), str(tmp_path / "out"), "--carry=n", "-f", "markdown,text"]) == 0
    dehusk.clean(tmp_path / "in.jsonl", tmp_path / "expected.parquet", format=["markdown", "text"], carry=["n"])
    ours, expected = (pq.read_table(path).sort_by("url").to_pylist() for path in (tmp_path / "out", tmp_path / "expected.parquet"))
    assert ours[0]["error"] == expected[0]["error"] == "bad_json"
    assert "in.jsonl" in ours[0]["error_message"]
    # Texts of JSON lines are texts here.
    assert ours[1:] == [row | {"n": str(row["n"])} for row in expected[1:]]


def test_inputs_that_cannot_be_used(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = str(tmp_path / "out")
    for given, words in [
        (["a.parquet", "b.warc.gz"], "several formats (parquet, warc)"),
        (["pages.csv"], "what format is this?"),
        (["pages.jsonl.zst"], "Spark does not read JSON lines in zstd"),
        (["pages.warc"], "there is no such file"),
        (["pages.parquet"], "pages.parquet"),
    ]:
        assert main([*(str(tmp_path / name) for name in given), out]) == 2
        assert words in capsys.readouterr().err
    assert not Path(out).exists()
