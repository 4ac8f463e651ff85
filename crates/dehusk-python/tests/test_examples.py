"""The programs of examples/python, run as a user runs them. The one for Spark is run by the tests of Spark."""

from __future__ import annotations

import functools
import gzip
import http.server
import importlib.util
import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import dehusk

ROOT = Path(__file__).resolve().parents[3]
EXAMPLES = ROOT / "examples" / "python"
SITES = ROOT / "examples" / "sites"


def run(name: str, *arguments: object, needs: tuple[str, ...] = ()) -> str:
    """Runs an example in a process of its own."""
    for module in needs:
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"{name} needs {module}")
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / name), *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "SOURCE_DATE_EPOCH": "0"},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def crawl(tmp_path: Path) -> Path:
    assert "42 pages" in run("sites_to_warc.py", SITES, tmp_path / "crawl", needs=("pyarrow",))
    return tmp_path / "crawl"


def test_every_example_is_listed_and_tested() -> None:
    names = {path.name for path in EXAMPLES.glob("*.py")}
    readme = (EXAMPLES / "README.md").read_text()
    tests = Path(__file__).read_text()
    assert names
    for name in names:
        assert name in readme, f"{name} is not in examples/python/README.md"
        assert f'run("{name}"' in tests or name == "spark_clean.py", f"{name} has no test"


def test_pandas_and_polars() -> None:
    printed = run("pandas_polars.py", SITES, needs=("pandas", "polars", "pyarrow"))
    assert "# API reference" in printed
    # All 42 pages have a template of 14, and no two are nearly the same.
    assert re.search(r"│ 14 +┆ 42 +│", printed)
    assert re.search(r"count +42 +42", printed)


def test_datatrove(crawl: Path, tmp_path: Path) -> None:
    run("datatrove_clean.py", crawl / "warc", tmp_path / "out", needs=("datatrove",))
    documents = {}
    for path in sorted((tmp_path / "out" / "documents").glob("*.jsonl.gz")):
        for line in gzip.decompress(path.read_bytes()).decode().strip().split("\n"):
            document = json.loads(line)
            documents[document["metadata"]["url"]] = document
    assert len(documents) == 42
    truth = json.loads((SITES / "harbour-notes.example.truth.json").read_text())
    checked = 0
    for path, page in truth.items():
        document = documents[f"http://harbour-notes.example/{path}"]
        assert "no_template" not in document["metadata"]["flags"]
        for text in page["husk"]:
            assert text not in document["text"]
            checked += 1
    assert checked > 20


@pytest.fixture
def server() -> Iterator[str]:
    """A site on this machine."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, format: str, *_: object) -> None:
            pass

    handler = functools.partial(Quiet, directory=str(SITES / "harbour-notes.example"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_scrapy(server: str, tmp_path: Path) -> None:
    out = tmp_path / "pages.jsonl"
    run("scrapy_pipeline.py", f"{server}/index.html", out, needs=("scrapy",))
    items = [json.loads(line) for line in out.read_text().strip().split("\n")]
    pages = {item["url"].removeprefix(server): item for item in items}
    assert len(pages) == len(items) == 14
    assert all(item["text"] for item in items)
    # Learned from the first eight pages; the six others are too few for a second part.
    assert sum(item["template_pages"] == 0 for item in items) == 7
    assert sum(item["template_pages"] == 8 for item in items) == 7
    (template,) = (tmp_path / "pages.jsonl.templates").iterdir()
    learned = dehusk.Site.load(template)
    assert learned.pages == 8

    # The second crawl knows the site from its first page.
    run("scrapy_pipeline.py", f"{server}/index.html", out, needs=("scrapy",))
    items = [json.loads(line) for line in out.read_text().strip().split("\n")]
    assert len(items) == 14
    assert [item["template_pages"] for item in items] == [8] * 14
    site = dehusk.Site.load(template)
    text = {item["url"].removeprefix(server): item["text"] for item in items}
    assert "the water arrives eleven minutes late" in text["/2024/04/tide-gauge-from-scrap.html"]
    assert site.pages == 8
