"""The merge of learn with a heavy-tailed distribution of hosts: what no task, no driver and no join exceeds.

    python eval/spark/merge.py FOLDER_OF_JSONL [HOSTS_TO_RUN PAGES_TO_RUN]

Ten million hosts are computed from the sizes of samples of real sites. A smaller number, with small pages, is run.
"""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from measure import cost, markdown, session, stages
from pyspark.sql import functions as F

import dehusk
from dehusk import _native
from dehusk import spark as husk

COLUMNS: Any = {"html": "html", "url": "url", "content_type": "content_type", "id": "", "carry": [], "needs_url": True}
SAMPLE_PAGES = 200
SIZES = [1, 2, 5, 10, 20, 50, 100]

HOSTS = 10_000_000
PAGES = 625_000_000
INPUTS = 22_500
GROUPS = 16
TASKS = 2_000
JOIN_TASKS = 20_000
SALT_PAGES = 10_000


def sample_bytes(inputs: list[Path]) -> dict[int, float]:
    """The mean bytes of a sample of so many pages of a site."""
    found: dict[int, list[int]] = {size: [] for size in SIZES}
    for path in inputs:
        pages = pa.Table.from_batches(map(pa.record_batch, itertools.islice(dehusk.read_pages(path), 2)))
        for size in SIZES:
            if pages.num_rows >= size:
                sampler = _native.Cleaner([]).sampler(1 << 30)
                sampler.add(pages.slice(0, size), COLUMNS)
                batch = pa.record_batch(sampler.finish())
                if batch.num_rows == 1:
                    found[size].append(len(batch["sample"][0].as_py()))
    return {size: sum(sizes) / len(sizes) for size, sizes in found.items() if sizes}


def compute(bytes_of: Callable[[Any], Any]) -> None:
    """Bytes to tasks, if the host of rank r has 1/r of the pages of the first, and pages are spread over the inputs by chance."""
    rng = np.random.default_rng(1)
    ranks = np.arange(1, HOSTS + 1, dtype=np.float64)
    pages = np.maximum(1.0, np.floor(PAGES / (1 / ranks).sum() / ranks))
    samples = INPUTS * -np.expm1(pages * math.log1p(-1 / INPUTS))
    first = samples * bytes_of(pages / samples)
    # By groups: each of them has a sixteenth of a host's samples.
    read = sum(np.bincount(rng.integers(0, TASKS, HOSTS), first / GROUPS, TASKS) for _ in range(GROUPS))
    groups = np.minimum(GROUPS, samples)
    second = groups * bytes_of(pages / groups)
    merged = np.bincount(rng.integers(0, TASKS, HOSTS), second, TASKS)
    one_step = np.bincount(rng.integers(0, TASKS, HOSTS), first, TASKS)
    rows = [
        ("samples of pages, merged in one step", first.sum(), one_step, first.max()),
        ("samples of pages, merged in 16 groups", first.sum(), read, first.max() / GROUPS),
        ("samples of groups, merged to templates", second.sum(), merged, second.max()),
    ]
    shown = [
        (what, f"{total / 1e9:.0f}", f"{tasks.mean() / 1e6:.0f}", f"{tasks.max() / 1e6:.0f}", f"{site / 1e6:.1f}")
        for what, total, tasks, site in rows
    ]
    print(f"{HOSTS:,} hosts, {pages.sum():,.0f} pages in {INPUTS:,} inputs; the largest host has {pages[0]:,.0f}\n")
    print(markdown(["read by the merge", "GB in all", f"MB per task, mean of {TASKS}", "MB, largest task", "MB of the largest host"], shown))
    print("(of the largest host: what one task reads of it)\n")

    large = pages > SALT_PAGES
    salts = np.ceil(pages[large] / SALT_PAGES).astype(int)
    parts = np.repeat(pages[large] / salts, salts)
    rest = np.bincount(rng.integers(0, JOIN_TASKS, int((~large).sum())), pages[~large], JOIN_TASKS)
    with_salt = rest + np.bincount(rng.integers(0, JOIN_TASKS, len(parts)), parts, JOIN_TASKS)
    without = rest + np.bincount(rng.integers(0, JOIN_TASKS, int(large.sum())), pages[large], JOIN_TASKS)
    print(
        markdown(
            ["join", f"pages per task, mean of {JOIN_TASKS}", "pages, largest task"],
            [
                ("without salt", f"{without.mean():,.0f}", f"{without.max():,.0f}"),
                (f"{SALT_PAGES:,} pages to a salt", f"{with_salt.mean():,.0f}", f"{with_salt.max():,.0f}"),
            ],
        )
    )
    print(f"\nOn the driver: the names of {large.sum():,} hosts with more than {SALT_PAGES:,} pages.")
    print(f"Copies of templates for salts: {salts.sum() - large.sum():,}.\n", flush=True)


def made_pages(hosts: int) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Small pages; the host of rank r has about 1/r of the pages of the first."""

    def make(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import numpy as np
        import pyarrow as pa

        for batch in batches:
            ids = batch["id"].to_numpy()
            chance = (ids.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(11)).astype(np.float64) / 2**53
            ranks = np.exp(chance * np.log(hosts)).astype(np.int64)
            urls = [f"http://h{rank}.example/{number}" for rank, number in zip(ranks, ids, strict=True)]
            html = [
                f"<title>{n}</title><ul><li>Harbour {r}<li>Tides</ul><p>Boat {n} is in.</p><div>Imprint of {r}</div>"
                for r, n in zip(ranks, ids, strict=True)
            ]
            yield pa.record_batch({"url": pa.array(urls), "html": pa.array(html)})

    return make


def run(hosts: int, pages: int) -> None:
    """The same merge, run on two executors with a gigabyte each."""
    spark = session(
        "local-cluster[2,1,1024]",
        spark__sql__shuffle__partitions="64",
        spark__sql__adaptive__coalescePartitions__enabled="false",
        spark__driver__memory="1g",
        spark__sql__execution__arrow__maxRecordsPerBatch="5000",
    )
    frame = spark.range(0, pages, 1, 64).mapInArrow(made_pages(hosts), "url string, html string")
    with cost() as found:
        learned = husk.learn(frame)
        row = learned.agg(F.count("*"), F.sum("pages"), F.max("pages"), F.sum(F.length("template"))).first()
    assert row is not None
    print(f"Run: {hosts:,} hosts, {pages:,} small pages: {row[0]:,} templates of {row[1]:,} pages, the largest host {row[2]:,} pages.")
    print(f"{found.seconds:.0f} s, {found.cpu_seconds:.0f} CPU s; peak of a Python worker {found.peak_python / 1e6:.0f} MB, of a Java process {found.peak_java / 1e6:.0f} MB\n")
    rows = [
        (stage.number, len(stage.read), f"{sum(stage.read) / 1e6:.1f}", f"{sum(stage.read) / len(stage.read) / 1e6:.2f}", f"{max(stage.read) / 1e6:.2f}", f"{max(stage.records_read):,}")
        for stage in stages(spark)
        if sum(stage.read)
    ]
    print(markdown(["stage", "tasks", "MB read", "MB per task, mean", "MB, largest task", "samples, largest task"], rows))


def main() -> None:
    sizes = sample_bytes(sorted(Path(sys.argv[1]).glob("*.jsonl.zst")))
    print(markdown(["pages in a sample", *map(str, sizes)], [["bytes, mean", *(f"{size:,.0f}" for size in sizes.values())]]), "\n")
    known = np.array([*sizes, SAMPLE_PAGES], dtype=float)
    last, before = SIZES[-1], SIZES[-2]
    slope = (sizes[last] - sizes[before]) / (last - before)
    values = np.array([*sizes.values(), sizes[last] + slope * (SAMPLE_PAGES - last)])
    compute(lambda pages: np.interp(np.minimum(pages, SAMPLE_PAGES), known, values))
    if len(sys.argv) > 3:
        run(int(sys.argv[2]), int(sys.argv[3]))


if __name__ == "__main__":
    main()
