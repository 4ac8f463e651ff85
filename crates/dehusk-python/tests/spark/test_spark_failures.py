"""Executors and drivers that are killed: the same rows, nothing twice, nothing lost, and no half output."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pyspark
import pytest
from pyspark.sql import DataFrame, SparkSession
from spark_crawl import assert_same, made_page, table

import dehusk
from dehusk import spark as husk
from dehusk.spark import __main__ as program
from dehusk.spark._job import Job
from dehusk.spark._learn import merged, sampled

ArrowFunction = Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]


def kill_once(marker: Path) -> ArrowFunction:
    """Lets the first batch with rows pass, and kills the executor at the next or at the end; only the first task that comes here."""

    def pass_on(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        def parent(pid: int) -> int:
            with open(f"/proc/{pid}/stat") as file:
                return int(file.read().rpartition(")")[2].split()[1])

        def kill_executor() -> None:
            try:
                os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                return
            pid = os.getpid()
            while os.path.basename(os.readlink(f"/proc/{pid}/exe")) != "java":
                pid = parent(pid)
            os.kill(pid, signal.SIGKILL)
            time.sleep(60)

        seen = 0
        for batch in batches:
            if seen > 0:
                kill_executor()
            yield batch
            seen += batch.num_rows
        if seen > 0:
            kill_executor()

    return pass_on


def with_kill(frame: DataFrame, marker: Path) -> DataFrame:
    """The same rows. The function runs in the stage that makes them."""
    return frame.mapInArrow(kill_once(marker), frame.schema)


def rows_of(templates: DataFrame) -> list[tuple[Any, ...]]:
    return sorted((row.host, bytes(row.template), row.pages) for row in templates.collect())


@pytest.fixture(scope="module")
def whole(pages: DataFrame) -> tuple[list[tuple[Any, ...]], pa.Table]:
    """What comes out if nothing is killed."""
    return rows_of(husk.learn(pages)), table(husk.clean(pages))


@pytest.mark.parametrize("stage", ["pages", "samples", "templates"])
def test_an_executor_is_killed_while_learning(
    pages: DataFrame, whole: tuple[list[tuple[Any, ...]], pa.Table], tmp_path: Path, stage: str
) -> None:
    marker, job = tmp_path / "killed", Job.new({})
    frame = with_kill(pages, marker) if stage == "pages" else pages
    samples = sampled(frame, "url", "html", job, 16)
    if stage == "samples":
        samples = with_kill(samples, marker)
    templates = merged(samples, job, to_templates=True)
    if stage == "templates":
        templates = with_kill(templates, marker)
    assert rows_of(templates) == whole[0]
    assert marker.exists()


@pytest.mark.parametrize("broadcast_bytes", [1 << 20, 0])
def test_an_executor_is_killed_while_cleaning(
    pages: DataFrame, whole: tuple[list[tuple[Any, ...]], pa.Table], tmp_path: Path, broadcast_bytes: int
) -> None:
    """Learned templates are in the files of the executor that is killed, if they are joined."""
    marker, out = tmp_path / "killed", tmp_path / "out"
    records = husk.clean(pages, broadcast_bytes=broadcast_bytes, salt_pages=20)
    with_kill(records, marker).write.parquet(str(out))
    assert marker.exists()
    assert (out / "_SUCCESS").exists()
    assert_same(table(out), whole[1])


def many_files(folder: Path, files: int) -> Path:
    folder.mkdir()
    for number in range(files):
        urls = [f"http://a.example/{number}/{page}" for page in range(10)]
        pages = {"url": urls, "html": [made_page(number * 10 + page) for page in range(10)]}
        pq.write_table(pa.table(pages), folder / f"{number:03}.parquet")
    return folder


def test_a_killed_driver_leaves_no_output(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The program as spark-submit runs it. Afterwards it starts again from its templates."""
    pages, out, templates = many_files(tmp_path / "in", 40), tmp_path / "out", tmp_path / "templates"
    submit = Path(pyspark.__file__).parent / "bin" / "spark-submit"
    command = [str(submit), "--master", "local[1]", "--conf", f"spark.sql.files.openCostInBytes={1 << 30}"]
    command += ["--conf", "spark.ui.enabled=false", str(program.__file__), str(pages), str(out), "--templates", str(templates)]
    with open(tmp_path / "log", "wb") as log:
        driver = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
        # Each of forty tasks writes a file. When the first is there, the job is in the middle.
        while driver.poll() is None and not list(out.glob("_temporary/**/part-*.parquet")):
            time.sleep(0.01)
        os.killpg(driver.pid, signal.SIGKILL)
        driver.wait()
    assert driver.returncode == -signal.SIGKILL, (tmp_path / "log").read_text()[-3000:]
    assert out.exists() and not (out / "_SUCCESS").exists()
    assert not list(out.glob("*.parquet"))
    assert (templates / "_SUCCESS").exists()

    again = [str(pages), str(out), "--templates", str(templates), "--no-learn"]
    assert program.main(again) == 2
    assert "exists and is not complete" in capsys.readouterr().err
    assert program.main([*again, "--overwrite"]) == 0
    assert (out / "_SUCCESS").exists()
    dehusk.clean(pages, tmp_path / "expected.parquet")
    ours, expected = (pq.read_table(path).sort_by("url") for path in (out, tmp_path / "expected.parquet"))
    assert ours.to_pylist() == expected.to_pylist()
