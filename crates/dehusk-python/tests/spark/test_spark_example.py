"""The example, as its first lines say."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq

import dehusk

EXAMPLE = Path(__file__).resolve().parents[4] / "examples" / "python" / "spark_clean.py"


def test_the_example(crawl_folder: Path, tmp_path: Path) -> None:
    settings = "--master local[2] --conf spark.sql.shuffle.partitions=4 --conf spark.ui.enabled=false pyspark-shell"
    done = subprocess.run(
        [sys.executable, str(EXAMPLE), str(crawl_folder), str(tmp_path / "out")],
        env={**os.environ, "PYSPARK_SUBMIT_ARGS": settings},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "confidence" in done.stdout
    dehusk.clean(crawl_folder, tmp_path / "expected.parquet")
    expected = pq.read_table(tmp_path / "expected.parquet", columns=["url", "text"])
    found = pq.read_table(tmp_path / "out" / "records", columns=["url", "text"])
    key = lambda row: (row["url"] or "", row["text"] or "")  # noqa: E731
    assert sorted(found.to_pylist(), key=key) == sorted(expected.to_pylist(), key=key)
