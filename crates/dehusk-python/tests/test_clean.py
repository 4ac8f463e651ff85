"""The crawl job, and its parts."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import dehusk
from dehusk import _native

COLUMNS: Any = {"html": "html", "url": "url", "content_type": "content_type", "id": "id", "carry": [], "needs_url": True}


def test_the_job_is_that_of_the_program(sites: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "dehusk", "clean", str(sites), "-o"]
    subprocess.run([*command, str(tmp_path / "program.jsonl")], check=True, capture_output=True)
    report = dehusk.clean(sites, tmp_path / "python.jsonl")
    assert (tmp_path / "program.jsonl").read_bytes() == (tmp_path / "python.jsonl").read_bytes()
    lines = (tmp_path / "python.jsonl").read_text().splitlines()
    assert report["pages"] == len(lines) and report["failed"] == 0
    subprocess.run([*command, str(tmp_path / "p.parquet"), "--focus=recall", "-f", "markdown,text"], check=True, capture_output=True)
    dehusk.clean([sites], tmp_path / "q.parquet", format=["markdown", "text"], focus="recall", threads=1)
    assert (tmp_path / "p.parquet").read_bytes() == (tmp_path / "q.parquet").read_bytes()


def test_progress(sites: Path, tmp_path: Path, capsys: Any) -> None:
    seen: list[dehusk.Progress] = []
    dehusk.clean(sites, tmp_path / "a.jsonl", progress=seen.append)
    assert {one.stage for one in seen} == {"learning", "cleaning"}
    assert capsys.readouterr() == ("", "")

    def stop(progress: dehusk.Progress) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        dehusk.clean(sites, tmp_path / "b.jsonl", progress=stop)
    assert not (tmp_path / "b.jsonl").exists()
    # What was interrupted can be resumed, and must be asked for.
    with pytest.raises(dehusk.DehuskError) as raised:
        dehusk.clean(sites, tmp_path / "b.jsonl")
    assert raised.value.kind == "unfinished_run"
    dehusk.clean(sites, tmp_path / "b.jsonl", resume=True, progress="tqdm")
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()


def test_templates_are_kept(sites: Path, tmp_path: Path, pages: list[tuple[str, bytes]]) -> None:
    dehusk.clean(sites, tmp_path / "a.jsonl", templates=tmp_path / "t.store")
    dehusk.clean(sites, tmp_path / "b.jsonl", templates=tmp_path / "t.store", learn=False)
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()
    templates = dehusk.Templates.open(tmp_path / "t.store")
    assert len(templates) == 3 and "docs.tidepool.example" in templates and "other.example" not in templates
    texts = {record["url"]: record["text"] for record in map(json.loads, (tmp_path / "a.jsonl").read_text().splitlines())}
    found = dehusk.extract_many(pages, templates=templates)
    assert [one.text for one in found] == [texts[one] for one in sorted(texts)]
    assert repr(templates) == "<dehusk.Templates of 3 sites, from a store>"
    # Sites by domain are found by domain.
    dehusk.clean(sites, tmp_path / "c.jsonl", templates=tmp_path / "d.store", site_by="domain")
    by_domain = dehusk.Templates.open(tmp_path / "d.store")
    assert "tidepool.example" in by_domain
    found = dehusk.extract_many(pages, templates=by_domain, site_by="domain", detector="sitelevel")
    alone = dehusk.extract_many(pages, detector="sitelevel")
    assert sum(len(one.text) for one in found) < 0.8 * sum(len(one.text) for one in alone)
    with pytest.raises(dehusk.DehuskValueError, match="site_by"):
        dehusk.extract_many(pages, templates=by_domain, site_by="planet")  # type: ignore[call-overload]


def test_bad_jobs(sites: Path, tmp_path: Path) -> None:
    def kind(*values: Any, **options: Any) -> str:
        with pytest.raises(dehusk.DehuskError) as raised:
            dehusk.clean(*values, **options)
        assert str(raised.value)
        return raised.value.kind

    assert kind(sites, tmp_path / "x.csv") == "bad_options"
    assert kind(tmp_path / "none", tmp_path / "x.jsonl") == "cannot_read"
    assert kind(sites, "-") == "bad_options"
    assert kind(sites, tmp_path / "x.jsonl", format="pdf") == "bad_options"
    assert kind(sites, tmp_path / "x.jsonl", detector="block") == "bad_options"
    assert kind([3], tmp_path / "x.jsonl") == "bad_type"
    assert kind(sites, 3) == "bad_type"
    assert kind(sites, tmp_path / "x.jsonl", progress="bar") == "bad_type"
    assert not list(tmp_path.iterdir())
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").write_text("x")
    assert kind(sites, tmp_path / "full") == "bad_options"
    (tmp_path / "empty").mkdir()
    assert kind(tmp_path / "empty", tmp_path / "x.jsonl") == "no_page"
    (tmp_path / "bad.store").write_text("x" * 1000)
    assert kind(sites, tmp_path / "x.jsonl", templates=tmp_path / "bad.store") == "template_store"
    with pytest.raises(dehusk.DehuskError):
        dehusk.Templates.open(tmp_path / "bad.store")


def test_pages_of_files(sites: Path, pages: list[tuple[str, bytes]], tmp_path: Path) -> None:
    table = pa.Table.from_batches(pa.record_batch(batch) for batch in dehusk.read_pages(sites))
    assert table.column_names == ["url", "html", "content_type", "truncated", "error", "error_message"]
    assert sorted(table["html"].to_pylist()) == sorted(html for _, html in pages)
    (tmp_path / "x.jsonl").write_text('{"url": "https://a.example/", "html": "<p>x"}\nno json\n')
    (batch,) = dehusk.read_pages(tmp_path / "x.jsonl")
    assert pa.record_batch(batch)["error"].to_pylist() == [None, "bad_json"]
    with pytest.raises(dehusk.DehuskError):
        dehusk.read_pages(tmp_path / "none")


def in_parts(table: pa.Table, parts: int, memory: int, options: dict[str, Any]) -> dict[str, bytes]:
    """The templates of a crawl that is learned in parts, as on a cluster."""
    cleaner = _native.Cleaner(options)
    rows = []
    for part in range(parts):
        sampler = cleaner.sampler(memory)
        for batch in table.take(list(range(part, table.num_rows, parts))[::-1]).to_batches(max_chunksize=7):
            rows += [pa.record_batch(row) for row in sampler.add(batch, COLUMNS)]
        rows.append(pa.record_batch(sampler.finish()))
    samples = pa.Table.from_batches(rows).sort_by("host")
    merger = cleaner.merger(True)
    done = [pa.record_batch(merger.add(batch)) for batch in samples.to_batches(max_chunksize=2)]
    learned = pa.Table.from_batches([*done, pa.record_batch(merger.finish())])
    assert sum(learned["pages"].to_pylist()) == table.num_rows
    return dict(zip(learned["host"].to_pylist(), learned["template"].to_pylist()))


@pytest.mark.parametrize("method", ["sitelevel", "auto"])
def test_a_crawl_in_parts_is_the_crawl(sites: Path, tmp_path: Path, method: Any) -> None:
    dehusk.clean(sites, tmp_path / "whole.parquet", method=method)
    table = pa.Table.from_batches(pa.record_batch(batch) for batch in dehusk.read_pages(sites))
    options = {"method": method}
    whole = in_parts(table, 1, 1 << 30, options)
    assert len(whole) == 3
    for parts, memory in ((4, 1 << 30), (16, 1 << 30), (2, 1)):
        assert in_parts(table, parts, memory, options) == whole
    cleaner = _native.Cleaner(options, threads=2)
    found = pa.table(cleaner.clean(table, COLUMNS, dehusk.Templates(whole)))
    expected = pq.read_table(tmp_path / "whole.parquet")
    assert found.sort_by("url").combine_chunks().equals(expected.sort_by("url").cast(found.schema).combine_chunks())
    assert pa.array(cleaner.hosts(table["url"])).unique().to_pylist() == sorted(whole)


def test_pages_without_an_address_are_of_no_site(tmp_path: Path) -> None:
    page = "<nav>Home</nav><p>The crane works again.</p>"
    (tmp_path / "in.jsonl").write_text("".join(json.dumps({"html": f"{page}{n}"}) + "\n" for n in range(5)))
    dehusk.clean(tmp_path / "in.jsonl", tmp_path / "out.parquet")
    program = pq.read_table(tmp_path / "out.parquet")
    assert program["template_pages"].to_pylist() == [0] * 5
    cleaner = _native.Cleaner({})
    sampler = cleaner.sampler(1 << 20)
    table = pa.table({"url": [""] * 5, "html": [f"{page}{n}" for n in range(5)]})
    assert not sampler.add(table, COLUMNS) and pa.record_batch(sampler.finish()).num_rows == 0
    assert pa.table(cleaner.clean(table, COLUMNS)).equals(program.cast(pa.table(cleaner.clean(table, COLUMNS)).schema))


def test_bad_parts() -> None:
    cleaner = _native.Cleaner({})
    with pytest.raises(dehusk.DehuskError, match="sample"):
        cleaner.merger(True).add(pa.table({"host": ["a"], "sample": [b"x"], "pages": [1]}))
    with pytest.raises(dehusk.DehuskError, match="null"):
        cleaner.merger(True).add(pa.table({"host": ["a"], "sample": pa.array([None], pa.binary()), "pages": [1]}))
    with pytest.raises(dehusk.DehuskError, match="template of a.example") as raised:
        cleaner.clean(pa.table({"url": ["http://a.example/"], "html": ["<p>x"]}), COLUMNS, dehusk.Templates({"a.example": b"x"}))
    assert raised.value.kind == "bad_template"


def test_the_program(sites: Path, tmp_path: Path) -> None:
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, "-m", "dehusk", *arguments], capture_output=True, text=True)

    assert run("--version").stdout.startswith(f"dehusk {dehusk.__version__}")
    assert run("--help").returncode == 0
    bad = run("extract", str(tmp_path / "none.html"))
    assert bad.returncode == 2 and "none.html" in bad.stderr
    assert run("extract", "--focus", "x", "y").returncode == 2
