"""One host with half of 150,000 pages: how long cleaning takes with and without the salt.

    python eval/spark/skew.py [PAGES]
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from measure import cost, markdown, session, stages

from dehusk import spark as husk

FILES = 16


def page(host: str, number: int) -> str:
    links = "".join(f"<li><a href=/{host}/{part}>{part}</a>" for part in ("news", "tides", "boats", "nets", "about"))
    text = f"Boat {number} came in at {number % 24} o'clock with {number * 7 % 1000} crates of herring, and its crew mended nets on the quay. "
    return (
        f"<!doctype html><title>Entry {number} of {host}</title><header><h2>{host}</h2><ul>{links}</ul></header><main><h1>Entry {number}</h1>"
        f"<p>{text * 3}</p><p>{text[::-1] * 2}</p></main><footer>{host}: <a href=/imprint>imprint</a>, <a href=/privacy>privacy</a></footer>"
    )


def write(folder: Path, pages: int) -> None:
    """Half of the pages are of one host, the others of hosts with a hundred each."""
    folder.mkdir()
    for file in range(FILES):
        numbers = range(file, pages, FILES)
        hosts = ["large.example" if number % 2 else f"host{number // 200}.example" for number in numbers]
        urls = [f"https://{host}/{number}" for host, number in zip(hosts, numbers, strict=True)]
        html = [page(host, number) for host, number in zip(hosts, numbers, strict=True)]
        pq.write_table(pa.table({"url": urls, "html": html}), folder / f"{file:02}.parquet", compression="zstd", row_group_size=1000)


def main() -> None:
    pages = int(sys.argv[1]) if len(sys.argv) > 1 else 150_000
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder / "in", pages)
        ways = {"learn": -1, "templates in every task": 0, "join, without salt": pages, "join, 5,000 pages to a salt": 5_000}
        for what, salt_pages in ways.items():
            spark = session(
                "local-cluster[2,1,1536]",
                spark__sql__shuffle__partitions="32",
                spark__sql__adaptive__coalescePartitions__enabled="false",
            )
            frame = spark.read.parquet(str(folder / "in"))
            # So that starting the executors is not measured.
            husk.clean(frame.limit(100), False).write.mode("overwrite").parquet(str(folder / "warm"))
            with cost() as found:
                if salt_pages < 0:
                    husk.learn(frame).write.parquet(str(folder / "templates"))
                else:
                    templates = spark.read.parquet(str(folder / "templates"))
                    limit = 0 if salt_pages else 64 << 20
                    records = husk.clean(frame, templates, broadcast_bytes=limit, salt_pages=salt_pages or 1)
                    records.write.parquet(str(folder / f"out{salt_pages}"))
            found_stages = stages(spark)
            longest = max(found_stages, key=lambda stage: max(stage.seconds))
            most = max(max(stage.records_read) for stage in found_stages)
            rows.append(
                (
                    what,
                    f"{found.seconds:.0f}",
                    f"{found.cpu_seconds:.0f}",
                    f"{max(longest.seconds):.1f}",
                    f"{sum(longest.seconds) / len(longest.seconds):.1f}",
                    f"{most:,}" if salt_pages > 0 else "",
                    f"{found.peak_python / 1e6:.0f}",
                )
            )
            print(rows[-1], file=sys.stderr, flush=True)
    head = ["", "seconds", "CPU seconds", "longest task, s", "mean task of its stage, s", "most rows to one task", "Python worker, peak MB"]
    print(markdown(head, rows))


if __name__ == "__main__":
    main()
