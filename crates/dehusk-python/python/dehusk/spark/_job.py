"""What every stage needs: options that were checked once, the columns of pages, and the size of Arrow batches."""

from __future__ import annotations

import functools
import os
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from pyspark import TaskContext
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import BinaryType, BooleanType, DataType, StringType

from .. import _native
from .._errors import DehuskTypeError, DehuskValueError
from .._values import Key, key_of

if TYPE_CHECKING:
    from pyspark.sql import Column

    from .._native import _PageColumns

# Pages have some ten to some hundred kilobytes, so that Spark's own limits (10,000 rows, 2 GB) would hold gigabytes at once.
BATCH_LIMITS = {
    "spark.sql.execution.arrow.maxRecordsPerBatch": "512",
    "spark.sql.execution.arrow.maxBytesPerBatch": str(16 << 20),
}

_EPOCH = "SOURCE_DATE_EPOCH"


class Job(NamedTuple):
    """Options of the program's ``clean``, and the moment the job began: all executors write the same day into templates."""

    options: Key
    epoch: str

    @classmethod
    def new(cls, options: dict[str, Any]) -> Job:
        """Checks the options here, where the user sees the exception at once."""
        epoch = os.environ.get(_EPOCH, "")
        job = cls(key_of(options), epoch if epoch.isdigit() else str(int(time.time())))
        job.cleaner()
        return job

    def cleaner(self) -> _native.Cleaner:
        """The cleaner of this process."""
        context = TaskContext.get()
        return _cleaner(self, context.cpus() if context else 1)


@functools.lru_cache(maxsize=4)
def _cleaner(job: Job, threads: int) -> _native.Cleaner:
    # Workers of Python serve many tasks, and building a cleaner reads its model.
    before = os.environ.get(_EPOCH)
    os.environ[_EPOCH] = job.epoch
    try:
        return _native.Cleaner(dict(job.options), threads)
    finally:
        if before is None:
            del os.environ[_EPOCH]
        else:
            os.environ[_EPOCH] = before


def check_frame(df: object, name: str = "df") -> DataFrame:
    """A DataFrame, or an exception that says what was given instead."""
    if not isinstance(df, DataFrame):
        raise DehuskTypeError(f"{name} is a DataFrame of Spark, not {type(df).__name__}", "bad_type")
    return df


def column(name: str) -> Column:
    """A column by its exact name, whatever characters it has."""
    return F.col("`" + name.replace("`", "``") + "`")


def type_of(df: DataFrame, name: str) -> DataType:
    """The type of a column that must be there."""
    if name not in df.columns:
        raise DehuskValueError(f"there is no column {name!r}; the columns are {', '.join(df.columns)}", "missing_column")
    return df.schema[name].dataType


def need_type(df: DataFrame, name: str, wanted: tuple[type[DataType], ...], words: str) -> None:
    """Raises an exception if a column is of another type."""
    found = type_of(df, name)
    if not isinstance(found, wanted):
        raise DehuskValueError(
            f"the column {name!r} is of the type {found.simpleString()}; {words} is needed", "bad_column"
        )


def select_pages(
    df: DataFrame, url: str, html: str, id: str = "", carry: Iterable[str] = ()
) -> tuple[DataFrame, _PageColumns]:
    """The columns that the work needs, so that no other is sent to Python; and their names."""
    check_frame(df)
    if isinstance(carry, str):
        raise DehuskTypeError("carry is a list of column names, not a single text", "bad_type")
    columns: _PageColumns = {
        "html": html,
        "url": url,
        "content_type": "content_type",
        "id": id,
        "carry": list(carry),
        "needs_url": True,
    }
    need_type(df, html, (StringType, BinaryType), "text or binary")
    need_type(df, url, (StringType,), "text")
    for name in columns["carry"]:
        type_of(df, name)
    names = [url, html]
    # What `read_warc` knows of a page besides.
    known: dict[str, type[DataType]] = {"content_type": StringType, "truncated": BooleanType}
    if {"error", "error_message"} <= set(df.columns):
        known |= {"error": StringType, "error_message": StringType}
    names += [name for name, kind in known.items() if name in df.columns and isinstance(type_of(df, name), kind)]
    if id and (id != "id" or id in df.columns):
        type_of(df, id)
        names.append(id)
    names += columns["carry"]
    twice = [name for name in set(df.columns) if df.columns.count(name) > 1 and name in names]
    if twice:
        raise DehuskValueError(f"there are several columns {twice[0]!r}", "bad_column")
    return df.select([column(name) for name in dict.fromkeys(names)]), columns


def limit_batches(spark: SparkSession) -> None:
    """Bounds the memory of Arrow batches, unless the user has."""
    is_set = spark.conf.getAll
    for key, value in BATCH_LIMITS.items():
        if key not in is_set:
            spark.conf.set(key, value)
