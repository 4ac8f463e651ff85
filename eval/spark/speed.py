"""Pages per core-second of the program and of Spark, bytes shuffled to learn, and memory.

    python eval/spark/speed.py FOLDER_OF_JSONL PROGRAM
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from measure import Cost, cost, markdown, pages_as_parquet, session, stages

import dehusk
from dehusk import spark as husk


def main() -> None:
    inputs, program = sorted(Path(sys.argv[1]).glob("*.jsonl.zst")), sys.argv[2]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = str(folder / "in")
        pages = pages_as_parquet(inputs, folder / "in")
        costs: dict[str, Cost] = {}
        for turn in (1, 2):
            with cost() as costs[f"the program, turn {turn}"]:
                command = [program, "clean", source, "-o", str(folder / "program.parquet"), "--threads=1"]
                subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
        with cost() as costs["`dehusk.clean`, one thread"]:
            dehusk.clean(source, folder / "python.parquet", threads=1)

        spark = session("local[1]", spark__driver__memory="2g", spark__sql__files__maxPartitionBytes=str(8 << 20))
        frame = spark.read.parquet(source)
        # Java compiles what runs often; a job of an hour is not one of a minute.
        husk.clean(frame.limit(500)).write.parquet(str(folder / "warm"))
        for turn in (1, 2):
            with cost() as costs[f"Spark `local[1]`, templates in every task, turn {turn}"]:
                husk.clean(frame).write.parquet(str(folder / f"broadcast{turn}"))
        with cost() as costs["Spark `local[1]`, salted join"]:
            husk.clean(frame, broadcast_bytes=0, salt_pages=50).write.parquet(str(folder / "join"))
        with cost() as costs["Spark `local[1]`, only learn"]:
            husk.learn(frame).write.parquet(str(folder / "templates"))
        with cost() as costs["Spark `local[1]`, only learn, one merge"]:
            husk.learn(frame, merge_groups=1).write.parquet(str(folder / "templates1"))
        spark.stop()
        rows = [
            (
                what,
                f"{found.seconds:.0f}",
                f"{found.cpu_seconds:.0f}",
                f"{pages / found.cpu_seconds:.0f}",
                f"{found.peak_python / 1e6:.0f}" if found.peak_python else "",
                f"{found.peak_java / 1e6:.0f}" if found.peak_java else "",
            )
            for what, found in costs.items()
        ]
        head = ["learn and clean", "seconds", "CPU seconds", "pages per CPU second", "Python worker, peak MB", "Java, peak MB"]
        print(f"{pages} pages\n\n{markdown(head, rows)}\n", flush=True)

        spark = session("local[1]", spark__sql__files__maxPartitionBytes=str(8 << 20), spark__sql__shuffle__partitions="8")
        frame = spark.read.parquet(source)
        hosts = husk.learn(frame)
        hosts.write.parquet(str(folder / "templates2"))
        sizes = spark.sql(
            f"select count(*), sum(length(template)), max(length(template)) from parquet.`{folder / 'templates2'}`"
        ).first()
        assert sizes is not None
        templates = spark.read.parquet(str(folder / "templates2"))
        husk.clean(frame, templates, broadcast_bytes=0, salt_pages=50).write.parquet(str(folder / "join2"))
        rows = []
        for stage in stages(spark):
            # Jobs that only count write a few bytes.
            if (total := sum(stage.written)) > 100_000:
                rows.append(
                    (stage.number, len(stage.written), f"{total / 1e6:.2f}", f"{total / pages:.0f}", f"{total / sizes[0]:.0f}")
                )
        print(markdown(["stage (learn twice, then pages and templates of a join)", "tasks", "MB written to the shuffle", "bytes per page", "bytes per host"], rows))
        print(f"\n{sizes[0]} templates, {sizes[1] / 1e6:.2f} MB, the largest {sizes[2] / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
