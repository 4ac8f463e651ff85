"""What the Python package costs beside the library in Rust, and beside resiliparse and trafilatura, on the same pages.

    overhead.py PAGES.jsonl EVAL [--rounds N] [--out FILE.md]

PAGES has a page on each line, with `id`, `url` and `html`; EVAL is the program of `eval/`, which times the library. Runs are
interleaved, and the fastest counts. One thread is measured by processor time; two threads against one by the clock.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa

import dehusk


def rust(program: str, pages: Path) -> float:
    """Processor seconds of the library, page by page, as `eval peers` takes them."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out.jsonl"
        subprocess.run([program, "peers-ours", "extract", str(pages), str(out), "0"], check=True, capture_output=True)
        return sum(json.loads(line)["seconds"] for line in out.open())


def processor(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def clock(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def every(extract: Callable[[str], object], pages: list[str]) -> None:
    for page in pages:
        try:
            extract(page)
        except Exception:
            pass


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", type=Path)
    parser.add_argument("eval")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only-ours", action="store_true")
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    records = [json.loads(line) for line in args.pages.open(encoding="utf-8")]
    html: list[str] = [record["html"] for record in records]
    table = pa.table({"url": [record.get("url") or "" for record in records], "html": html})

    def consume(results: Any) -> None:
        for _ in results:
            pass

    runs: dict[str, Callable[[], float]] = {
        "Rust library": lambda: rust(args.eval, args.pages),
        "extract, page by page": lambda: processor(lambda: every(dehusk.extract, html)),
        "extract_many, one thread": lambda: processor(lambda: consume(dehusk.extract_many(html, threads=1))),
        "extract_many, Arrow in and out, one thread": lambda: processor(lambda: dehusk.extract_many(table, threads=1)),
    }
    if not args.only_ours:
        import trafilatura
        from resiliparse.extract.html2text import extract_plain_text

        runs["resiliparse"] = lambda: processor(lambda: every(lambda page: extract_plain_text(page, main_content=True), html))
        runs["trafilatura"] = lambda: processor(lambda: every(lambda page: trafilatura.extract(page), html))
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    walls: dict[int, list[float]] = {1: [], 2: []}
    for number in range(args.rounds):
        for name, run in runs.items():
            if name == "trafilatura" and number:
                continue  # It takes longer than all others together.
            seconds[name].append(run())
            print(f"{name}: {seconds[name][-1]:.2f} s", file=sys.stderr)
        for threads in walls:
            walls[threads].append(clock(lambda: consume(dehusk.extract_many(html, threads=threads))))
            print(f"{threads} threads: {walls[threads][-1]:.2f} s", file=sys.stderr)
    base = min(seconds["Rust library"])
    lines = [f"{len(html)} pages, {sum(map(len, html)) / 1e6:.0f} million characters.", "", "| what | CPU s | pages/s | × Rust |", "|---|--:|--:|--:|"]
    for name, taken in seconds.items():
        best = min(taken)
        lines.append(f"| {name} | {best:.2f} | {len(html) / best:.0f} | {base / best:.2f} |")
    speedup = min(walls[1]) / min(walls[2])
    lines += ["", f"Two threads: {speedup:.2f} times as fast as one, by the clock ({os.cpu_count()} processors)."]
    lines.append(f"Most memory of this process, all pages held: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3:.0f} MB.")
    text = "\n".join(lines) + "\n"
    print(text)
    if args.out:
        args.out.write_text("# What Python costs\n\n`eval/python/overhead.py`. " + text)


main()
