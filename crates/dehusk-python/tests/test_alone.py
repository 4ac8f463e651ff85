"""The package by itself: no other package is needed, and little is imported."""

from __future__ import annotations

import subprocess
import sys

ALONE = """
import sys
for name in ("pyarrow", "pandas", "polars", "numpy", "pyspark", "tqdm"):
    sys.modules[name] = None
import dehusk
page = "<title>Tar</title><h1>Tar</h1><p>Tar is warmed, never boiled, and brushed on while the wood is dry.</p>"
assert "never boiled" in dehusk.extract(page, metadata=True).text
assert [found.title for found in dehusk.extract_many([page, page])] == ["Tar", "Tar"]
site = dehusk.Site.learn([page, page.replace("never", "not")])
assert site.extract(page).blocks and site.drift([page, page]).pages == 2
assert len(dehusk.segment(page)) and dehusk.duplicates([page, page]).groups == [[0, 1]]
class Column:
    # Arrow columns of any library, here those of our own batches.
    def __init__(self, batch): self.batch = batch
    def __arrow_c_array__(self, schema=None): return self.batch.__arrow_c_array__(schema)
import pathlib, tempfile
with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "pages.jsonl"
    path.write_text('{"url": "https://a.example/", "html": "<p>One."}\\n')
    (batch,) = dehusk.read_pages(path)
    assert hasattr(dehusk.extract_many(Column(batch)), "__arrow_c_stream__")
    assert dehusk.clean(path, path.with_name("out.jsonl"))["pages"] == 1
print("done")
"""


def test_no_other_package_is_needed() -> None:
    done = subprocess.run([sys.executable, "-c", ALONE], capture_output=True, text=True)
    assert done.stdout == "done\n", done.stderr


def test_import_is_small() -> None:
    # Counted, not timed: modules beyond those that Python itself starts with.
    code = "import sys; before = set(sys.modules); import dehusk; print(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    imported = done.stdout.split()
    assert not {"pyarrow", "pandas", "polars", "numpy", "pyspark", "json", "pathlib", "datetime", "asyncio"} & set(imported)
    assert len(imported) < 80, imported
