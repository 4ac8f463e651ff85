"""Every example of the documents and the docstrings runs."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from warc_files import site_pages, write_warcs

import dehusk

ROOT = Path(__file__).resolve().parents[3]
DOCUMENTS = ["docs/python.md", "crates/dehusk-python/README.md"]
# Modules that need a library that is not everywhere.
OPTIONAL = {"dehusk.spark": "pyspark", "dehusk.integrations.datatrove": "datatrove", "dehusk.integrations._datatrove": "datatrove"}


def names() -> dict[str, Any]:
    """What the examples do not define."""
    pages = [item for item in site_pages() if "harbour-notes" in item[0]]
    url, html = pages[1]
    return {
        "dehusk": dehusk,
        "url": url,
        "html": html,
        "page": html,
        "pages": pages,
        "pages_of_a_site": pages,
        "table": __import__("pyarrow").table({"url": [url], "html": [html]}),
    }


def blocks(document: str) -> list[tuple[str, int, str]]:
    """The language, line and text of each block of Python."""
    text = (ROOT / document).read_text()
    found = re.finditer(r"^```(python|pycon)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [(match[1], text[: match.start()].count("\n") + 1, match[2]) for match in found]


@pytest.mark.parametrize("document", DOCUMENTS)
def test_documents(document: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for library in ("pyarrow", "polars", "pandas"):
        pytest.importorskip(library)
    if "datatrove" in (ROOT / document).read_text():
        pytest.importorskip("datatrove")
    monkeypatch.chdir(tmp_path)
    (path, _) = write_warcs(tmp_path / "crawl", site_pages(), 2)
    shutil.copy(path, tmp_path / "crawl.warc.gz")
    known = names()
    found = blocks(document)
    assert found
    for language, line, text in found:
        if language == "pycon":
            test = doctest.DocTestParser().get_doctest(text, known, f"{document}:{line}", document, line)
            runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
            runner.run(test, clear_globs=False)
            assert runner.summarize(verbose=False).failed == 0, capsys.readouterr().out
            known.update(test.globs)
        else:
            # Lines are those of the document, so that a traceback names them.
            exec(compile("\n" * line + text, str(ROOT / document), "exec"), known)


def test_links_lead_somewhere() -> None:
    for document in [*DOCUMENTS, "docs/coming-from.md", "examples/python/README.md"]:
        text = (ROOT / document).read_text()
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text):
            if "://" not in target:
                assert ((ROOT / document).parent / target).exists(), f"{document}: {target}"
    headings = re.findall(r"^#+ (.*)$", (ROOT / "docs/python.md").read_text(), re.MULTILINE)
    anchors = {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
    for anchor in re.findall(r"\]\(#([^)]*)\)", (ROOT / "docs/python.md").read_text()):
        assert anchor in anchors, anchor


def modules() -> list[str]:
    found = [module.name for module in pkgutil.walk_packages(dehusk.__path__, "dehusk.")]
    return ["dehusk", *sorted(name for name in found if not name.endswith(("__main__", "_native")))]


@pytest.mark.parametrize("name", modules())
def test_docstrings(name: str) -> None:
    for prefix, needed in OPTIONAL.items():
        if name == prefix or name.startswith(f"{prefix}."):
            pytest.importorskip(needed)
    module = importlib.import_module(name)
    assert doctest.testmod(module).failed == 0


def test_docstrings_have_examples() -> None:
    finder = doctest.DocTestFinder()
    for value in (dehusk, dehusk.extract, dehusk.extract_many, dehusk.Site, dehusk.segment, dehusk.duplicates, dehusk.DehuskError):
        tests = finder.find(value, getattr(value, "__name__", "dehusk"), module=False)
        assert any(test.examples for test in tests), value
