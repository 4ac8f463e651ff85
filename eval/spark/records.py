"""Whether the program, Python and Spark give the same records, and the same templates from any partitions.

    python eval/spark/records.py FOLDER_OF_JSONL PROGRAM
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from measure import markdown, pages_as_parquet, session

import dehusk
from dehusk import spark as husk


def digest_of_records(path: Path) -> tuple[int, str]:
    """The number of records, and the SHA-256 of their canonical JSON in order of their URLs."""
    lines: list[tuple[str, str]] = []
    files = [path] if path.is_file() else sorted(path.glob("*.parquet"))
    for batch in (batch for file in files for batch in pq.ParquetFile(file).iter_batches(500)):
        for row in batch.to_pylist():
            lines.append((row["url"], json.dumps(row, sort_keys=True, ensure_ascii=False)))
    lines.sort()
    digest = hashlib.sha256()
    for _, line in lines:
        digest.update(line.encode() + b"\n")
    return len(lines), digest.hexdigest()


def shuffled(source: Path, folder: Path, files: int) -> None:
    """The same pages in another order, in so many files."""
    table = pa.concat_tables([pq.read_table(file) for file in sorted(source.glob("*.parquet"))])
    order = list(range(table.num_rows))
    random.Random(files).shuffle(order)
    folder.mkdir()
    for number in range(files):
        pq.write_table(table.take(order[number::files]), folder / f"{number:02}.parquet", row_group_size=200)


def digest_of_templates(rows: Iterator[tuple[str, bytes]]) -> tuple[int, str]:
    digest, count = hashlib.sha256(), 0
    for host, template in sorted(rows):
        digest.update(host.encode() + b"\n" + template)
        count += 1
    return count, digest.hexdigest()


def main() -> None:
    os.environ["SOURCE_DATE_EPOCH"] = "0"
    inputs, program = sorted(Path(sys.argv[1]).glob("*.jsonl.zst")), sys.argv[2]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pages_as_parquet(inputs, folder / "in")
        given = ["--format", "text,markdown", "--metadata"]
        subprocess.run([program, "clean", folder / "in", "-o", folder / "program.parquet", *given], check=True)
        dehusk.clean(folder / "in", folder / "python.parquet", format=["text", "markdown"], metadata=True)
        # Each file is a partition, whatever its size.
        whole = {"spark__sql__files__openCostInBytes": str(1 << 30), "spark__sql__files__maxPartitionBytes": str(1 << 30)}
        spark = session("local-cluster[2,1,1536]", **whole)
        pages = spark.read.parquet(str(folder / "in"))
        for out, broadcast_bytes in [("broadcast", 64 << 20), ("join", 0)]:
            records = husk.clean(
                pages, format=["text", "markdown"], metadata=True, broadcast_bytes=broadcast_bytes, salt_pages=50
            )
            records.write.parquet(str(folder / out))
        found = {
            "the program": "program.parquet",
            "`dehusk.clean`": "python.parquet",
            "Spark, templates in every task": "broadcast",
            "Spark, salted join": "join",
        }
        rows = [(what, *digest_of_records(folder / out)) for what, out in found.items()]
        print(markdown(["records of", "pages", "SHA-256"], rows), end="\n\n", flush=True)
        assert len({row[2] for row in rows}) == 1

        rows = []
        for files in (1, 4, 16):
            shuffled(folder / "in", folder / f"in{files}", files)
            frame = spark.read.parquet(str(folder / f"in{files}"))
            learned = husk.learn(frame).collect()
            digest = digest_of_templates((row.host, bytes(row.template)) for row in learned)
            rows.append((frame.rdd.getNumPartitions(), *digest))
        print(markdown(["partitions", "hosts with a template", "SHA-256 of templates"], rows))
        assert len({row[2] for row in rows}) == 1
        spark.stop()


if __name__ == "__main__":
    main()
