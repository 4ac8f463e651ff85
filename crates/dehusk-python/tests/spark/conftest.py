"""A cluster with executors in processes of their own, and a small crawl."""

from __future__ import annotations

import glob
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from spark_crawl import Row, crawl, write_crawl


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
def spark(environment: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """Two executors with one core each, as separate processes."""
    settings: dict[str, Any] = {
        "spark.ui.enabled": "false",
        "spark.sql.warehouse.dir": str(tmp_path_factory.mktemp("warehouse")),
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


@pytest.fixture(scope="session")
def rows() -> list[Row]:
    return crawl()


@pytest.fixture(scope="session")
def crawl_folder(rows: list[Row], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_crawl(rows, tmp_path_factory.mktemp("crawl") / "in", 4)


@pytest.fixture(scope="session")
def pages(spark: SparkSession, crawl_folder: Path) -> DataFrame:
    return spark.read.parquet(str(crawl_folder))
