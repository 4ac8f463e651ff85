"""What the scripts of this folder share: a session whose events are logged, and what can be read from them."""

from __future__ import annotations

import contextlib
import glob
import json
import os
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession

import dehusk


def session(master: str, **settings: str) -> SparkSession:
    """A session that writes its events to a folder of its own."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    os.environ.setdefault("SOURCE_DATE_EPOCH", "0")
    all_settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.eventLog.enabled": "true",
        "spark.eventLog.compress": "false",
        "spark.eventLog.rolling.enabled": "false",
        "spark.sql.warehouse.dir": tempfile.mkdtemp(prefix="dehusk-warehouse-"),
        "spark.eventLog.dir": tempfile.mkdtemp(prefix="dehusk-events-"),
        "spark.executorEnv.PYTHONPATH": os.environ.get("PYTHONPATH", ""),
        "spark.sql.parquet.columnarReaderBatchSize": "256",
        **{name.replace("__", "."): value for name, value in settings.items()},
    }
    spark = SparkSession.builder.master(master).appName("dehusk-eval").config(map=all_settings).getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    return spark


@dataclass
class Stage:
    """The tasks of a stage."""

    number: int
    seconds: list[float] = field(default_factory=list)
    read: list[int] = field(default_factory=list)
    """Bytes of shuffles that each task has read."""
    written: list[int] = field(default_factory=list)
    """Bytes of shuffles that each task has written."""
    records_read: list[int] = field(default_factory=list)


def stages(spark: SparkSession) -> list[Stage]:
    """All stages so far, from the events. Ends the session: only then are all events written."""
    folder = spark.conf.get("spark.eventLog.dir")
    spark.stop()
    found: dict[int, Stage] = {}
    for name in glob.glob(f"{folder}/*"):
        with open(name, encoding="utf-8") as file:
            for line in file:
                event: dict[str, Any] = json.loads(line)
                if event["Event"] != "SparkListenerTaskEnd" or "Task Metrics" not in event:
                    continue
                metrics = event["Task Metrics"]
                stage = found.setdefault(event["Stage ID"], Stage(event["Stage ID"]))
                stage.seconds.append(metrics["Executor Run Time"] / 1000)
                shuffle = metrics["Shuffle Read Metrics"]
                stage.read.append(shuffle["Remote Bytes Read"] + shuffle["Local Bytes Read"])
                stage.records_read.append(shuffle["Total Records Read"])
                stage.written.append(metrics["Shuffle Write Metrics"]["Shuffle Bytes Written"])
    return [found[number] for number in sorted(found)]


@dataclass
class Cost:
    """What a part of a script took, with all its processes."""

    seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_python: int = 0
    """The largest resident memory of a Python worker."""
    peak_java: int = 0
    """The largest resident memory of a Java process."""


def _cpu() -> float:
    total = 0.0
    for process in [psutil.Process(), *psutil.Process().children(recursive=True)]:
        with contextlib.suppress(psutil.Error):
            times = process.cpu_times()
            total += times.user + times.system + times.children_user + times.children_system
    return total


@contextlib.contextmanager
def cost() -> Iterator[Cost]:
    """Measures what happens inside. Other work on the machine changes the seconds, and the CPU seconds only a little."""
    out, ended, own = Cost(), threading.Event(), os.getpid()

    def watch() -> None:
        while not ended.wait(0.2):
            for process in psutil.Process().children(recursive=True):
                with contextlib.suppress(psutil.Error):
                    memory, name = process.memory_info().rss, process.name()
                    if name == "java":
                        out.peak_java = max(out.peak_java, memory)
                    elif name.startswith("python") and process.pid != own:
                        out.peak_python = max(out.peak_python, memory)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    start, cpu = time.monotonic(), _cpu()
    try:
        yield out
    finally:
        out.seconds, out.cpu_seconds = time.monotonic() - start, _cpu() - cpu
        ended.set()
        watcher.join()


def pages_as_parquet(inputs: Iterable[Path], folder: Path, files: int = 8) -> int:
    """The pages of JSON lines as Parquet, with html as text as the program reads it. Returns how many there are."""
    folder.mkdir(parents=True)
    schema = pa.schema([("url", pa.string()), ("html", pa.string())])
    writers = [pq.ParquetWriter(folder / f"{number:02}.parquet", schema, compression="zstd") for number in range(files)]
    count = 0
    for number, batch in enumerate(map(pa.record_batch, dehusk.read_pages(sorted(inputs)))):
        part = pa.record_batch([batch["url"], batch["html"].cast(pa.string())], schema=schema)
        writers[number % files].write_batch(part, row_group_size=200)
        count += batch.num_rows
    for writer in writers:
        writer.close()
    return count


def markdown(head: list[str], rows: Iterable[Iterable[object]]) -> str:
    """A table for people."""
    lines = [head, ["---"] * len(head), *([str(cell) for cell in row] for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
