"""Pages in data frames: content, templates of the sites, and near-duplicates.

python examples/python/pandas_polars.py examples/sites
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa

import dehusk


def with_polars(source: str) -> pl.DataFrame:
    """The content of each page. The columns pass between polars and dehusk as Arrow, on all processors."""
    pages = pl.concat(pl.DataFrame(batch) for batch in dehusk.read_pages(source))
    # Records have the columns that the program writes; `carry` takes columns of the input along.
    records: pl.DataFrame = dehusk.extract_many(pages, format="markdown", metadata=True, carry=["content_type"])
    # A page that cannot be read is a row with an error; the others go on.
    return records.filter(pl.col("error").is_null()).select("url", "title", "language", "confidence", "markdown")


def with_templates(source: str) -> pl.DataFrame:
    """The same with the templates of the sites as evidence, learned from the same pages."""
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "templates"
        dehusk.clean(source, Path(folder) / "records.parquet", templates=store)
        pages = pl.concat(pl.DataFrame(batch) for batch in dehusk.read_pages(source))
        records: pl.DataFrame = dehusk.extract_many(pages, templates=dehusk.Templates.open(store))
    return records.select("url", "title", "text", "template_pages")


def with_pandas(source: str) -> pd.DataFrame:
    """The content of a column of HTML, without pages that are nearly the same as an earlier one."""
    pages = pd.concat([pa.record_batch(batch).to_pandas() for batch in dehusk.read_pages(source)], ignore_index=True)
    records: pd.DataFrame = dehusk.extract_many(pages)
    # Rows of records are in the order of the pages, with an index of their own.
    pages["text"] = records["text"].to_numpy()
    kept = dehusk.duplicates(pages["text"].fillna("")).kept
    return pages.loc[kept, ["url", "text"]]


def main(source: str) -> None:
    """Prints some of each frame."""
    print(with_polars(source).head(5))
    print(with_templates(source).group_by("template_pages").len())
    print(with_pandas(source).describe(include="all"))


if __name__ == "__main__":
    main(*sys.argv[1:])
