"""The memory of `extract_many` over many pages: memory.py PAGES.jsonl COUNT. Pages come again and again, read from the file each time."""

from __future__ import annotations

import itertools
import json
import sys
from collections.abc import Iterator

import dehusk


def pages(path: str) -> Iterator[str]:
    while True:
        with open(path, encoding="utf-8") as file:
            for line in file:
                yield json.loads(line)["html"]


def resident() -> int:
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) // 1024 for line in status if line.startswith("VmRSS:"))


path, count = sys.argv[1], int(sys.argv[2])
for number, _ in enumerate(dehusk.extract_many(itertools.islice(pages(path), count), threads=2), start=1):
    if number % (count // 10) == 0:
        print(f"{number} pages: {resident()} MB", flush=True)
