"""The pages of WARC files, read where the tasks run."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, Protocol

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from .. import _native
from .._errors import DehuskError, DehuskTypeError, DehuskValueError, error
from ._job import limit_batches

if TYPE_CHECKING:
    from ._learn import ArrowFunction

_WILDCARDS = frozenset("*?[")


def read_warc(
    spark: SparkSession,
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    carry: Iterable[str] = (),
    max_bytes: int | None = None,
    partitions: int | None = None,
    unreadable: Literal["raise", "row"] = "raise",
    storage_options: Mapping[str, Any] | None = None,
) -> DataFrame:
    """The pages of WARC files (plain, gzip or zstd): ``url``, ``html`` (binary), ``content_type``, ``truncated``, ``error``, ``error_message``.

    ``paths`` are files and patterns such as ``crawl/*.warc.gz``, which every executor must be able to read, or URLs of what fsspec knows
    (``s3://``, ``https://``, ``hdfs://`` and more; it may need a package such as s3fs), with ``storage_options`` for fsspec. Each file is a task, unless
    ``partitions`` asks for fewer. ``carry`` names header fields of WARC records, which become columns of text.

        pages = read_warc(spark, "s3://commoncrawl/crawl-data/CC-MAIN-2026-43/segments/*/warc/*.warc.gz")

    Records that are not pages, such as images and redirects, are left out. A damaged record is a row with an ``error`` and no page, and reading goes on after it.
    A pattern without files, or a missing local file, is an exception at once. A file that cannot be opened or read later on, by a fault of the network for
    example, fails its task, which Spark repeats some times before it gives up: a crawl should not lose a whole file and look complete. With
    ``unreadable="row"`` it is a row with the error ``cannot_read`` instead, which names the file.
    """
    if isinstance(paths, (str, os.PathLike)):
        paths = [paths]
    if unreadable not in ("raise", "row"):
        raise DehuskValueError(f"unreadable is 'raise' or 'row', not {unreadable!r}", "bad_options")
    if isinstance(carry, str):
        raise DehuskTypeError("carry is a list of names, not a single text", "bad_type")
    carried = list(carry)
    known = dict(storage_options or {})
    files = [file for path in paths for file in _expand(path, known, unreadable)]
    if not files:
        raise DehuskValueError("no WARC file was given", "cannot_read")
    if partitions is not None and (not isinstance(partitions, int) or partitions < 1):
        raise DehuskValueError(f"partitions is {partitions!r}, it must be at least 1", "bad_options")
    options = {"carry": carried, "max_bytes": max_bytes}
    # An exception for a bad option, here and now.
    _native.Cleaner(options)
    limit_batches(spark)
    schema = "url string, html binary, content_type string, truncated boolean, error string, error_message string"
    schema += "".join(f", `{name.replace('`', '``')}` string" for name in carried)
    numbers = spark.range(0, len(files), 1, min(partitions or len(files), len(files)))
    return numbers.mapInArrow(_read_files(files, options, unreadable, known), schema)


def _is_url(path: str) -> bool:
    return "://" in path and not path.startswith("file://")


def _expand(path: str | os.PathLike[str], storage_options: dict[str, Any], unreadable: str) -> list[str]:
    """The files of a path or pattern, in order."""
    if not isinstance(path, (str, os.PathLike)):
        raise DehuskTypeError(f"a path is a text, not {type(path).__name__}", "bad_type")
    name = os.fspath(path)
    if _is_url(name):
        if not _WILDCARDS & set(name):
            return [name]
        import fsspec

        system, pattern = fsspec.core.url_to_fs(name, **storage_options)
        found = [system.unstrip_protocol(file) for file in sorted(system.glob(pattern))]
    else:
        name = os.path.abspath(name.removeprefix("file://"))
        if os.path.exists(name):
            return [name]
        if not _WILDCARDS & set(name):
            if unreadable == "row":
                return [name]
            raise error("cannot_read", f"{name}: there is no such file")
        found = sorted(glob.glob(name, recursive=True))
    if not found:
        raise error("cannot_read", f"{name}: no file has such a name")
    return found


class _Binary(Protocol):
    def read(self, size: int = -1, /) -> bytes: ...
    def seek(self, offset: int, whence: int = 0, /) -> int: ...
    def close(self) -> None: ...


class _WatchedFile:
    """A file that remembers why it could not be read: the reader of WARC takes any such fault for the end of the file, and reports damage."""

    def __init__(self, file: _Binary) -> None:
        self._file = file
        self.failure: Exception | None = None

    def read(self, size: int) -> bytes:
        try:
            return self._file.read(size)
        except Exception as cause:
            self.failure = cause
            raise

    def seek(self, offset: int, whence: int = 0) -> int:
        try:
            return self._file.seek(offset, whence)
        except Exception as cause:
            self.failure = cause
            raise


def _open(path: str, storage_options: dict[str, Any]) -> _Binary:
    if not _is_url(path):
        return open(path.removeprefix("file://"), "rb")
    import fsspec

    found: Any = fsspec.open(path, "rb", **storage_options)
    file: _Binary = found.open()
    return file


def _pages_of(path: str, options: dict[str, Any], storage_options: dict[str, Any]) -> Iterator[pa.RecordBatch]:
    try:
        file = _open(path, storage_options)
    except Exception as cause:
        raise error("cannot_read", f"{path}: {cause}") from cause
    try:
        watched = _WatchedFile(file)
        try:
            pages = _native.Pages.of_warc(watched, path, options)
            for batch in pages:
                if watched.failure is not None:
                    break
                yield pa.record_batch(batch)
        except DehuskError:
            if watched.failure is None:
                raise
        if watched.failure is not None:
            raise error("cannot_read", f"{path}: {watched.failure}") from watched.failure
    finally:
        file.close()


def _read_files(
    files: list[str], options: dict[str, Any], unreadable: str, storage_options: dict[str, Any]
) -> ArrowFunction:
    def read_files(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number in batch["id"].to_pylist():
                try:
                    yield from _pages_of(files[number], options, storage_options)
                except DehuskError as fault:
                    if unreadable == "raise":
                        raise
                    yield _fault_row(fault, options["carry"])

    return read_files


def _fault_row(fault: DehuskError, carried: list[str]) -> pa.RecordBatch:
    text = pa.string()
    kinds = {"url": text, "html": pa.binary(), "content_type": text, "truncated": pa.bool_()}
    kinds |= dict.fromkeys(["error", "error_message", *carried], text)
    values = {"truncated": False, "error": fault.kind, "error_message": str(fault)}
    return pa.record_batch([pa.array([values.get(name)], kind) for name, kind in kinds.items()], names=list(kinds))
