"""The steps for datatrove, run by datatrove's own executor."""

from __future__ import annotations

import gzip
import json
import pickle
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("datatrove")

from datatrove.data import Document
from datatrove.executor.local import LocalPipelineExecutor
from datatrove.io import get_datafolder
from datatrove.pipeline.readers import JsonlReader
from datatrove.pipeline.writers import JsonlWriter, ParquetWriter
from warc_files import site_pages, warc_record, write_warcs

import dehusk
from dehusk.integrations.datatrove import Dehusk, LearnTemplates, SampleSites, WarcPageReader


@pytest.fixture(autouse=True)
def one_day(monkeypatch: pytest.MonkeyPatch) -> None:
    """Templates contain the day they were learned."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")


@pytest.fixture
def crawl(tmp_path: Path) -> Path:
    write_warcs(tmp_path / "crawl", site_pages(), 5)
    return tmp_path / "crawl"


def run(steps: list[Any], logs: Path, tasks: int = 1, workers: int = 1, **options: Any) -> LocalPipelineExecutor:
    executor = LocalPipelineExecutor(steps, tasks=tasks, workers=workers, logging_dir=str(logs), **options)
    executor.run()
    return executor


def stats(logs: Path, step: str) -> dict[str, Any]:
    """The statistics of a step, by name; a count is a number."""
    for entry in json.loads((logs / "stats.json").read_text()):
        if step in entry["name"]:
            return {
                name: value["total"] if isinstance(value, dict) else value for name, value in entry["stats"].items()
            }
    raise AssertionError(f"no step {step}")


def written(folder: Path) -> dict[str, dict[str, Any]]:
    """The documents that JsonlWriter has written, by URL."""
    found: dict[str, dict[str, Any]] = {}
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text().strip().split("\n"):
            document = json.loads(line)
            assert document["metadata"]["url"] not in found, "twice"
            found[document["metadata"]["url"]] = document
    return found


def program(crawl: Path, out: Path, **options: Any) -> dict[str, dict[str, Any]]:
    """The records of ``dehusk clean``, by URL."""
    dehusk.clean(crawl, out, **options)
    return {record["url"]: record for record in map(json.loads, out.read_text().splitlines())}


def same(documents: dict[str, dict[str, Any]], records: dict[str, dict[str, Any]]) -> None:
    assert documents.keys() == {url for url, record in records.items() if record["text"]}
    for url, document in documents.items():
        record = records[url]
        assert document["text"] == record["text"], url
        expected = {
            "title": record["title"] or "",
            "confidence": record["confidence"],
            "page_type": record["page_type"] or "",
            "flags": " ".join(record["flags"]),
        }
        assert {name: document["metadata"][name] for name in expected} == expected, url


def test_each_page_by_itself(crawl: Path, tmp_path: Path) -> None:
    steps = [WarcPageReader(str(crawl)), Dehusk(metadata=True), JsonlWriter(str(tmp_path / "out"), compression=None)]
    run(steps, tmp_path / "logs", tasks=3, workers=2)
    documents = written(tmp_path / "out")
    assert len(documents) == 42
    for url, page in site_pages():
        found = dehusk.extract(page, url=url, content_type="text/html", metadata=True)
        document = documents[url]
        assert document["text"] == found.text, url
        assert document["metadata"]["confidence"] == found.confidence, url
        assert found.metadata is not None
        assert document["metadata"]["page_metadata"]["language"] == found.metadata.get("language", ""), url
        # The day it was crawled is not the day it was written.
        assert document["metadata"]["date"] == "2026-11-01T12:00:00Z"
        assert document["id"].startswith("<urn:uuid:")
    # One of the two pages that are not UTF-8.
    assert "Feinsäge" in documents["https://werkbank-laden.example/artikel/p2107-feinsaege-lotte.html"]["text"]
    assert stats(tmp_path / "logs", "EXTRAC")["extracted"] == 42


@pytest.mark.parametrize(("tasks", "learners", "memory"), [(1, 1, 96 << 20), (3, 2, 96 << 20), (5, 4, 1)])
def test_two_passes_give_what_the_program_gives(
    crawl: Path, tmp_path: Path, tasks: int, learners: int, memory: int
) -> None:
    samples, templates = str(tmp_path / "samples"), str(tmp_path / "templates")
    workers = min(tasks, 2)
    sample = LocalPipelineExecutor(
        [WarcPageReader(str(crawl)), SampleSites(samples, buckets=7, max_memory=memory)],
        tasks=tasks,
        workers=workers,
        logging_dir=str(tmp_path / "logs-sample"),
    )
    learn = LocalPipelineExecutor(
        [LearnTemplates(samples, templates)],
        tasks=learners,
        workers=workers,
        logging_dir=str(tmp_path / "logs-learn"),
        depends=sample,
    )
    clean = [WarcPageReader(str(crawl)), Dehusk(templates=templates), JsonlWriter(str(tmp_path / "out"), compression=None)]
    run(clean, tmp_path / "logs", tasks, workers, depends=learn)
    store = tmp_path / "store.husks"
    records = program(crawl, tmp_path / "program.jsonl", templates=store)
    assert any(record["template_pages"] for record in records.values())
    same(written(tmp_path / "out"), records)
    parts = list((tmp_path / "samples").glob("*.parquet"))
    assert len(parts) > tasks if memory == 1 else len(parts) == tasks
    assert stats(tmp_path / "logs-learn", "templates")["templates"] == 3

    # The store of the program does as well.
    again = [WarcPageReader(str(crawl)), Dehusk(templates=store), JsonlWriter(str(tmp_path / "again"), compression=None)]
    run(again, tmp_path / "logs-again")
    same(written(tmp_path / "again"), records)


def test_templates_do_not_depend_on_the_tasks(crawl: Path, tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    learned = []
    for tasks, buckets, memory in [(1, 1, 96 << 20), (4, 3, 20_000), (5, 64, 1)]:
        name = f"{tasks}-{buckets}"
        steps = [WarcPageReader(str(crawl)), SampleSites(str(tmp_path / f"samples-{name}"), buckets=buckets, max_memory=memory)]
        run(steps, tmp_path / f"logs-sample-{name}", tasks)
        learn = LearnTemplates(str(tmp_path / f"samples-{name}"), str(tmp_path / f"templates-{name}"))
        run([learn], tmp_path / f"logs-learn-{name}", tasks=2)
        files = sorted((tmp_path / f"templates-{name}").glob("*.parquet"))
        assert len(files) == buckets
        learned.append(sorted(tuple(row.values()) for file in files for row in pq.read_table(file).to_pylist()))
    assert len(learned[0]) == 3
    assert learned[0] == learned[1] == learned[2]


def test_sites_by_path(crawl: Path, tmp_path: Path) -> None:
    samples, templates = str(tmp_path / "samples"), str(tmp_path / "templates")
    run([WarcPageReader(str(crawl)), SampleSites(samples, site_by="path", method="align")], tmp_path / "logs-1", tasks=2)
    run([LearnTemplates(samples, templates)], tmp_path / "logs-2")
    clean = [
        WarcPageReader(str(crawl)),
        Dehusk(templates=templates, detector="align"),
        JsonlWriter(str(tmp_path / "out"), compression=None),
    ]
    run(clean, tmp_path / "logs-3", tasks=2)
    same(
        written(tmp_path / "out"),
        program(crawl, tmp_path / "program.jsonl", site_by="path", method="align", detector="align"),
    )


def test_a_store_of_sites_by_domain(crawl: Path, tmp_path: Path) -> None:
    store = tmp_path / "store.husks"
    records = program(crawl, tmp_path / "program.jsonl", site_by="domain", templates=store)
    pages = [Document(page, url, metadata={"url": url}) for url, page in site_pages()]
    found = list(Dehusk(templates=store, site_by="domain")(pages))
    assert [document.text for document in found] == [records[document.id]["text"] for document in found]
    assert not any("no_template" in document.metadata["flags"] for document in found)


def test_pages_that_datatrove_has_decoded(crawl: Path, tmp_path: Path) -> None:
    pytest.importorskip("magic", reason="datatrove's WarcReader needs libmagic")
    pytest.importorskip("cchardet", reason="datatrove's WarcReader needs cchardet")
    from datatrove.pipeline.readers import WarcReader

    steps = [WarcReader(str(crawl)), Dehusk(), JsonlWriter(str(tmp_path / "out"), compression=None)]
    run(steps, tmp_path / "logs", tasks=2)
    documents = written(tmp_path / "out")
    assert len(documents) == 42
    for url, page in site_pages():
        try:
            text = page.decode()
        except UnicodeDecodeError:
            text = page.decode("latin-1")
        assert documents[url]["text"] == dehusk.extract(text, url=url).text, url


def test_text_is_not_decoded_again() -> None:
    # The page says that it is of another encoding, but as text it has none.
    page = "<meta charset=shift_jis><p>Netze werden im Mai geflickt, wenn die Boote zurückkehren und die Nächte kurz sind.</p>"
    (document,) = Dehusk()([Document(page, "1", metadata={"content_type": "text/html; charset=koi8-r"})])
    assert "zurückkehren" in document.text


def test_documents_without_content_and_bad_ones() -> None:
    page = "<p>Nets are mended in May, when the boats come home and the nights are short.</p>"

    def documents() -> list[Document]:
        return [
            Document(page, "1", metadata={"url": "https://a.example/1"}),
            Document("<nav></nav>", "2"),
            Document(b"\x89PNG\r\n\x1a\n" + bytes(64), "3"),
            Document("lone \udc80", "4", metadata={"url": "https://a.example/\udc80"}),
            Document(None, "5", metadata={"url": 5}),
            Document(page.encode("utf-16"), "6", metadata={"title": "of before", "mine": 1}),
        ]

    step = Dehusk()
    assert [document.id for document in step(documents())] == ["1", "6"]
    counts = {name: stat.total for name, stat in step.stats.stats.items()}
    assert counts["total"] == 6
    assert counts["forwarded"] == counts["extracted"] == 2
    assert counts["dropped"] == 4
    assert [counts[name] for name in ("no_content", "error_not_text", "error_bad_text", "error_bad_type")] == [1] * 4

    kept = list(Dehusk(keep_empty=True)(documents()))
    assert [document.id for document in kept] == ["1", "2", "3", "4", "5", "6"]
    assert [document.text for document in kept[1:5]] == [""] * 4
    assert "no_content" in kept[1].metadata["flags"]
    assert [document.metadata.get("error") for document in kept] == ["", "", "not_text", "bad_text", "bad_type", ""]
    assert kept[5].metadata["mine"] == 1
    assert kept[5].metadata["title"] == ""


def test_formats_and_options() -> None:
    page = "<h1>Tar</h1><p>Tar is warmed, never boiled, and brushed on while the wood is <b>dry</b>. See <a href=/wood>wood</a>.</p>"

    def text(**options: Any) -> Any:
        (document,) = Dehusk(**options)([Document(page, "1", metadata={"url": "https://a.example/tar"})])
        return document.text

    assert "**dry**" in text(format="markdown")
    assert "(https://a.example/wood)" in text(format="markdown", absolute_urls=True)
    assert "wood)" not in text(format="markdown", links=False)
    assert "<b>dry</b>" in text(format="html") or "<strong>dry</strong>" in text(format="html")
    assert json.loads(text(format="json"))["blocks"]
    assert Dehusk().extract(page) == dehusk.extract(page).text
    with pytest.raises(dehusk.DehuskError) as caught:
        Dehusk().extract("\udc80")
    assert caught.value.kind == "bad_text"


def test_mistakes_are_found_before_the_work(tmp_path: Path) -> None:
    with pytest.raises(dehusk.DehuskValueError, match="focus"):
        Dehusk(focus="everything")  # type: ignore[arg-type]
    with pytest.raises(dehusk.DehuskValueError, match="method"):
        SampleSites(str(tmp_path), method="magic")  # type: ignore[arg-type]
    with pytest.raises(dehusk.DehuskValueError, match="buckets"):
        SampleSites(str(tmp_path), buckets=0)
    with pytest.raises(dehusk.DehuskError, match="no samples"):
        list(LearnTemplates(str(tmp_path / "none"), str(tmp_path / "out"))())
    with pytest.raises(dehusk.DehuskError, match="no templates"):
        list(Dehusk(templates=str(tmp_path / "none"))([]))


def test_samples_and_templates_that_are_not_complete(tmp_path: Path) -> None:
    pages = [Document(page, url, metadata={"url": url}) for url, page in site_pages()]
    samples, templates = str(tmp_path / "samples"), str(tmp_path / "templates")
    # The samples of one task of two, as after a crash.
    assert len(list(SampleSites(samples)(pages[::2], 0, 2))) == 21
    with pytest.raises(dehusk.DehuskError, match="1 tasks of 2") as caught:
        list(LearnTemplates(samples, templates)())
    assert caught.value.kind == "bad_samples"
    # The other task has other options.
    list(SampleSites(samples, seed=7)(pages[1::2], 1, 2))
    with pytest.raises(dehusk.DehuskError, match="different runs"):
        list(LearnTemplates(samples, templates)())
    list(SampleSites(samples)(pages[1::2], 1, 2))
    # One task of the two that learn.
    list(LearnTemplates(samples, templates)(None, 0, 2))
    with pytest.raises(dehusk.DehuskError, match="32 files of templates of 64"):
        list(Dehusk(templates=templates)([]))
    list(LearnTemplates(samples, templates)(None, 1, 2))
    (document,) = Dehusk(templates=templates)(pages[:1])
    assert "no_template" not in document.metadata["flags"]
    # Samples are taken again, of other pages, and a task dies.
    again = SampleSites(samples)(pages[2::2], 0, 2)
    next(again)
    again.close()
    with pytest.raises(dehusk.DehuskError, match="1 tasks of 2"):
        list(LearnTemplates(samples, templates)())
    list(SampleSites(samples)(pages[2::2], 0, 2))
    # Learned again, but for the buckets of one task.
    list(LearnTemplates(samples, templates)(None, 0, 2))
    with pytest.raises(dehusk.DehuskError, match="not of the same run"):
        list(Dehusk(templates=templates)([Document(page, url, metadata={"url": url}) for url, page in site_pages()]))


def test_templates_are_read_when_they_are_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import dehusk.integrations.datatrove as steps

    # Row groups of one template, and a cache that holds one.
    monkeypatch.setattr(steps, "_ROW_GROUP_BYTES", 1)
    monkeypatch.setattr(steps, "_CACHE_BYTES", 1)
    monkeypatch.setattr(steps, "_BATCH_DOCUMENTS", 1)
    pages = [(f"https://{site}.example/{number}", site, number) for number in range(4) for site in "abcdefgh"]
    documents = [
        Document(
            f"<nav><a href=/>Home of {site}</a> <a href=/all>All posts</a></nav><p>Note {number} of the harbour says that nets are mended.</p>",
            url,
            metadata={"url": url},
        )
        for url, site, number in pages
    ]
    samples, templates = str(tmp_path / "samples"), str(tmp_path / "templates")
    list(SampleSites(samples, buckets=2)(documents))
    list(LearnTemplates(samples, templates)())
    found = list(Dehusk(templates=templates, detector="sitelevel")(documents))
    assert [document.text.strip() for document in found] == [
        f"Note {number} of the harbour says that nets are mended." for _, _, number in pages
    ]

    folder = steps._TemplateFolder(get_datafolder(templates))
    for site in "abcdefgh":
        assert f"{site}.example" in folder.of([f"{site}.example"])
        assert len(folder._groups) == 1
    assert "none.example" not in folder.of(["none.example"])


def test_steps_pickle(tmp_path: Path) -> None:
    steps = [Dehusk(focus=0.7, templates=str(tmp_path)), SampleSites(str(tmp_path)), LearnTemplates(str(tmp_path), str(tmp_path))]
    for step in [*steps, WarcPageReader(str(tmp_path))]:
        assert type(pickle.loads(pickle.dumps(step))) is type(step)


def test_parquet_of_documents(crawl: Path, tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    steps = [WarcPageReader(str(crawl)), Dehusk(metadata=True), ParquetWriter(str(tmp_path / "out"), batch_size=2)]
    run(steps, tmp_path / "logs")
    assert pq.read_table(tmp_path / "out").num_rows == 42


def test_pages_of_json_lines(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    lines = [json.dumps({"id": url, "url": url, "html": page.decode("latin-1")}) for url, page in site_pages()]
    (tmp_path / "in" / "pages.jsonl").write_text("\n".join(lines))
    steps = [JsonlReader(str(tmp_path / "in"), text_key="html"), Dehusk(), JsonlWriter(str(tmp_path / "out"), compression=None)]
    run(steps, tmp_path / "logs")
    assert len(written(tmp_path / "out")) == 42


def test_damaged_archives(tmp_path: Path) -> None:
    (path,) = write_warcs(tmp_path / "crawl", site_pages()[:10], 1)
    # Some bytes of the middle are gone, and the file ends in the middle of a record.
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2] + whole[len(whole) // 2 + 50 : -20])
    reader = WarcPageReader(str(tmp_path / "crawl"))
    documents = list(reader())
    assert 5 <= len(documents) < 10
    assert all(isinstance(document.text, bytes) for document in documents)
    counts = {name: stat.total for name, stat in reader.stats.stats.items()}
    failed = sum(count for name, count in counts.items() if name.startswith("error_"))
    assert failed >= 1
    expected = {record["url"]: record["text"] for record in program(tmp_path / "crawl", tmp_path / "out.jsonl", learn=True).values()}
    assert {document.metadata["url"] for document in documents} == {url for url, text in expected.items() if url and text}


def test_compressions_and_limits_of_the_reader(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    folder.mkdir()
    pages = site_pages()[:3]
    records = [warc_record(url, page) for url, page in pages]
    (folder / "plain.warc").write_bytes(b"".join(records))
    (folder / "whole.warc.gz").write_bytes(gzip.compress(b"".join(records)))
    documents = list(WarcPageReader(str(folder), default_metadata={"crawl": "a"})())
    assert [document.metadata["url"] for document in documents] == [url for url, _ in pages] * 2
    assert [document.text for document in documents] == [page for _, page in pages] * 2
    assert {document.metadata["crawl"] for document in documents} == {"a"}
    assert len(list(WarcPageReader(str(folder), limit=2, glob_pattern="*.warc")())) == 2


def test_folders_that_are_not_on_this_machine() -> None:
    pages = [Document(page, url, metadata={"url": url}) for url, page in site_pages()]
    list(SampleSites("memory://crawl/samples", buckets=3)(pages))
    list(LearnTemplates("memory://crawl/samples", "memory://crawl/templates")())
    found = list(Dehusk(templates="memory://crawl/templates")(pages))
    assert len(found) == 42
    assert not any("no_template" in document.metadata["flags"] for document in found)
