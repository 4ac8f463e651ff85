"""The crawl job, and the pages of files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from . import _native
from ._errors import DehuskTypeError
from ._options import CleanOptions, Focus, Format
from ._values import check_names

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["Progress", "clean", "read_pages"]

StrPath = str | os.PathLike[str]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a job is."""

    stage: str
    """``"learning"`` or ``"cleaning"``."""
    bytes_read: int
    bytes_total: int | None
    pages: int
    failed: int


def clean(
    inputs: StrPath | Iterable[StrPath],
    out: StrPath,
    *,
    format: Format | Iterable[Format] = "text",
    focus: Focus = "balanced",
    metadata: bool = False,
    progress: Callable[[Progress], object] | Literal["tqdm"] | None = None,
    **options: Unpack[CleanOptions],
) -> dict[str, Any]:
    """Learns every site of a crawl and cleans its pages: ``dehusk clean``.

    ``inputs`` are folders, WARC, JSON lines or Parquet files; ``out`` is a ``.jsonl`` or ``.parquet`` file, or a folder with a file for each page.
    Further options are those of ``dehusk clean``: ``templates`` is a template store to start from and to add to, or only to use with
    ``learn=False``; ``site_by``, ``method`` and ``seed`` are about learning; an interrupted job goes on with ``resume=True``. ``progress`` is called some times a second, or is ``"tqdm"`` for a bar.

    Returns the report of the job: ``pages``, ``failed``, hosts and more. Raises ``DehuskError`` if the job cannot run or found no page.
    """
    paths = [inputs] if isinstance(inputs, (str, os.PathLike)) else list(inputs)
    if not all(isinstance(path, (str, os.PathLike)) for path in paths):
        raise DehuskTypeError("inputs are paths", "bad_type")
    if not isinstance(out, (str, os.PathLike)):
        raise DehuskTypeError(f"out is a path, not {type(out).__name__}", "bad_type")
    if not (progress is None or progress == "tqdm" or callable(progress)):
        raise DehuskTypeError(f"progress is a function, 'tqdm' or None, not {progress!r}", "bad_type")
    check_names(options, CleanOptions)
    given = {"format": format, "focus": focus, "metadata": metadata, **options}
    files = [os.fspath(path) for path in paths]
    if progress == "tqdm":
        with _Bar() as bar:
            report = _native.clean(files, os.fspath(out), given, bar)
    elif progress is None:
        report = _native.clean(files, os.fspath(out), given)
    else:
        call = progress
        report = _native.clean(files, os.fspath(out), given, lambda *values: call(Progress(*values)))
    import json

    found: dict[str, Any] = json.loads(report)
    return found


class _Bar:
    """The progress of a job as a bar of tqdm."""

    def __init__(self) -> None:
        from tqdm.auto import tqdm

        self._tqdm: Any = tqdm
        self._bar: Any = None
        self._stage = ""

    def __enter__(self) -> _Bar:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def __call__(self, stage: str, position: int, total: int | None, pages: int, failed: int) -> None:
        if stage != self._stage:
            self.__exit__()
            self._stage = stage
            self._bar = self._tqdm(desc=stage, total=total, unit="B", unit_scale=True)
        self._bar.set_postfix(pages=pages, failed=failed, refresh=False)
        self._bar.update(position - self._bar.n)


def read_pages(
    inputs: StrPath | Iterable[StrPath],
    *,
    url_column: str = "url",
    html_column: str = "html",
    carry: Iterable[str] = (),
    max_bytes: int | None = None,
) -> Iterator[Any]:
    """The pages of folders, WARC, JSON lines or Parquet files, as batches of Arrow.

    Their columns are ``url``, ``html``, ``content_type``, ``truncated``, ``error``, ``error_message`` and those of ``carry``. A record that cannot be read
    has an error and no page. ``pyarrow.record_batch`` or ``polars.DataFrame`` takes a batch, and so does ``extract_many``.
    """
    paths = [inputs] if isinstance(inputs, (str, os.PathLike)) else list(inputs)
    if not all(isinstance(path, (str, os.PathLike)) for path in paths):
        raise DehuskTypeError("inputs are paths", "bad_type")
    options = {"url_column": url_column, "html_column": html_column, "carry": carry, "max_bytes": max_bytes}
    return _native.Pages([os.fspath(path) for path in paths], options)
