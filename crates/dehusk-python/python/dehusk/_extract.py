"""One page, and many."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, overload

from . import _native
from ._errors import DehuskError, DehuskTypeError
from ._options import Focus, Format, PageOptions, SiteBy
from ._records import RecordGroup, groups_of
from ._values import Key, check_names, key_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._native import Templates, _PageColumns
    from ._site import Site

__all__ = ["Block", "Extraction", "extract", "extract_many"]

Html = str | bytes | bytearray | memoryview
PageItem = Html | tuple[str | None, Html] | dict[str, Any]


@dataclass(frozen=True, slots=True)
class Block:
    """A part of the page on which one decision was made."""

    text: str
    """The text of the block, whether it was kept or not."""
    score: float
    """0 is content, 1 is template."""
    decision: str
    """``"keep"``, ``"drop"``, or ``"part"``."""
    reason: dict[str, Any]
    """Why: its ``name``, and what belongs to it, such as the number of pages that have the block."""
    confidence: float
    span: tuple[int, int] | None
    """The first byte of the block in the page, decoded to UTF-8, and the byte after its last; None for what the parser inserted."""
    xpath: str | None
    css: str | None


class Extraction:
    """The content of a page, and what is known about the page. ``str()`` of it is the content."""

    __slots__ = ("_found",)

    def __init__(self, found: _native.Extraction) -> None:
        self._found = found

    @property
    def text(self) -> str:
        """The content, in the format that was asked for; empty if the page has none."""
        return self._found.text

    @property
    def format(self) -> str:
        """The format of ``text``."""
        return self._found.format

    @property
    def url(self) -> str | None:
        """The URL that was given."""
        return self._found.url

    @property
    def title(self) -> str | None:
        """The text of the page's ``<title>``."""
        return self._found.title

    @property
    def confidence(self) -> float | None:
        """Estimated F1 of the result, from 0 to 1; None if the detector gives no estimate."""
        return self._found.confidence

    @property
    def page_type(self) -> str | None:
        """Such as ``"article"``, ``"forum"`` or ``"product"``."""
        return self._found.page_type

    @property
    def encoding(self) -> str | None:
        """The encoding that the page was read in."""
        return self._found.encoding

    @property
    def dropped_share(self) -> float:
        """The share of the page's visible text that was dropped, from 0 to 1."""
        return self._found.dropped_share

    @property
    def flags(self) -> list[str]:
        """Unusual facts, such as ``"no_content"`` or a limit that was hit."""
        return self._found.flags

    @property
    def template(self) -> int | None:
        """The number of the site's template that fits the page."""
        return self._found.template

    @property
    def template_fit(self) -> float | None:
        """How well it fits, from 0 to 1."""
        return self._found.template_fit

    @property
    def metadata(self) -> dict[str, str] | None:
        """Title, author, date and more, if they were asked for with ``metadata=True``."""
        return self._found.metadata

    @property
    def metadata_sources(self) -> dict[str, str] | None:
        """Where on the page each field of ``metadata`` was found."""
        return self._found.metadata_sources

    @property
    def error(self) -> DehuskError | None:
        """What was wrong with the page; only in results of ``extract_many``."""
        return self._found.error

    @property
    def blocks(self) -> list[Block]:
        """The decision about every block of the page and the reason for it. Only for pages that were extracted one by one."""
        import json

        blocks = json.loads(self._found.record())["blocks"]
        return [
            Block(
                text=block["text"],
                score=block["score"],
                decision=block["decision"],
                reason=block["reason"],
                confidence=block["confidence"],
                span=tuple(block["span"]) if block["span"] else None,
                xpath=block["xpath"],
                css=block["css"],
            )
            for block in blocks
        ]

    @property
    def records(self) -> list[RecordGroup]:
        """What the page repeats and is content: posts, cards, rows. Only for pages that were extracted one by one."""
        return groups_of(self._found.records(False))

    @property
    def all_records(self) -> list[RecordGroup]:
        """The same with what is not content, such as menus and teasers."""
        return groups_of(self._found.records(True))

    def render(self, format: Format) -> str:
        """The content in another format: ``"text"``, ``"markdown"``, ``"html"``, ``"json"`` or ``"records"``."""
        return self._found.render(format)

    def strip(self) -> str:
        """The source without what was dropped, otherwise as it was. It is not safe to display."""
        return self._found.strip()

    def explain(self) -> str:
        """The tree of the page with decisions, reasons and the features that weighed most, for people to read."""
        return self._found.explain()

    def __str__(self) -> str:
        return self._found.text

    def __bool__(self) -> bool:
        return bool(self._found.text)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Extraction):
            return NotImplemented
        return self._state() == other._state()

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, tuple[Any]]:
        """A copy in another process has everything but the page, and so no blocks and no records."""
        return _from_state, (self._found.state(),)

    def _state(self) -> tuple[object, ...]:
        found = self._found
        error = found.error
        return (
            found.text,
            found.format,
            found.url,
            found.title,
            found.confidence,
            found.page_type,
            found.encoding,
            found.dropped_share,
            found.flags,
            found.template,
            found.template_fit,
            found.metadata,
            error and repr(error),
        )

    def __repr__(self) -> str:
        if self.error is not None:
            return f"<dehusk.Extraction error={self.error!r}>"
        parts = [f"{len(self.text)} characters of {self.format}"]
        if self.title:
            parts.append(f"title={_short(self.title, 40)!r}")
        if self.page_type:
            parts.append(f"page_type={self.page_type!r}")
        if self.confidence is not None:
            parts.append(f"confidence={self.confidence}")
        if self.flags:
            parts.append(f"flags={self.flags}")
        parts.append(repr(_short(" ".join(self.text.split()), 60)))
        return f"<dehusk.Extraction {', '.join(parts)}>"


def _from_state(state: Any) -> Extraction:
    return Extraction(_native.Extraction.from_state(state))


def _short(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"


@functools.lru_cache(maxsize=64)
def _extractor(options: Key) -> _native.Extractor:
    return _native.Extractor(dict(options))


def extract(
    html: Html,
    *,
    url: str | None = None,
    format: Format = "text",
    focus: Focus = "balanced",
    metadata: bool = False,
    template: Site | None = None,
    content_type: str | None = None,
    **options: Unpack[PageOptions],
) -> Extraction:
    """The content of a page.

    ``html`` is the page as ``bytes``, as they came (the encoding is detected; ``content_type`` is the header of the response), or as ``str``.
    ``url`` makes links absolute and helps to read the page. ``template`` is the site that the page is of. Further options are those of
    ``dehusk extract``: ``detector``, ``comments``, ``heading``, ``links``, ``images``, ``include_hidden``, ``max_bytes`` and more.

    >>> page = "<title>Tar</title><h1>Tar</h1><p>Tar is warmed, never boiled, and brushed on while the wood is <b>dry</b>.</p>"
    >>> print(extract(page, format="markdown"))
    # Tar
    <BLANKLINE>
    Tar is warmed, never boiled, and brushed on while the wood is **dry**.
    <BLANKLINE>
    >>> [block.decision for block in extract(page).blocks]
    ['keep', 'keep']

    Raises ``DehuskError`` if this is not a page, such as an image, or if it exceeds a limit. A page without content is no error.
    """
    options.setdefault("absolute_urls", True)
    extractor = _page_extractor(format, focus, metadata, options)
    site = _native_site(template)
    try:
        return Extraction(extractor.extract(html, url, content_type, site))
    except DehuskError:
        raise
    except (TypeError, UnicodeError) as error:
        # Values that are not what the native code takes.
        raise DehuskTypeError(str(error), "bad_type") from None


def _native_site(template: Site | None) -> _native.Site | None:
    if template is None:
        return None
    site = getattr(template, "_site", None)
    if not isinstance(site, _native.Site):
        raise DehuskTypeError(f"template is a dehusk.Site or None, not {type(template).__name__}", "bad_type")
    return site


def _page_extractor(format: Format, focus: Focus, metadata: bool, options: Mapping[str, Any]) -> _native.Extractor:
    check_names(options)
    return _extractor(key_of({"format": format, "focus": focus, "metadata": metadata, **options}))


class _ArrowStream(Protocol):
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


class _ArrowArray(Protocol):
    def __arrow_c_array__(self, requested_schema: object | None = None) -> object: ...


@overload
def extract_many(
    pages: _ArrowStream | _ArrowArray,
    *,
    threads: int | None = None,
    format: Format = "text",
    focus: Focus = "balanced",
    metadata: bool = False,
    template: Site | None = None,
    templates: Templates | None = None,
    site_by: SiteBy = "host",
    html_column: str = "html",
    url_column: str = "url",
    id_column: str = "id",
    carry: Iterable[str] = (),
    **options: Unpack[PageOptions],
) -> Any: ...
@overload
def extract_many(
    pages: Iterable[PageItem],
    *,
    threads: int | None = None,
    format: Format = "text",
    focus: Focus = "balanced",
    metadata: bool = False,
    template: Site | None = None,
    templates: Templates | None = None,
    site_by: SiteBy = "host",
    **options: Unpack[PageOptions],
) -> Iterator[Extraction]: ...
@overload
def extract_many(
    pages: Any,
    *,
    threads: int | None = None,
    format: Format = "text",
    focus: Focus = "balanced",
    metadata: bool = False,
    template: Site | None = None,
    templates: Templates | None = None,
    site_by: SiteBy = "host",
    html_column: str = "html",
    url_column: str = "url",
    id_column: str = "id",
    carry: Iterable[str] = (),
    **options: Unpack[PageOptions],
) -> Any: ...
def extract_many(
    pages: Any,
    *,
    threads: int | None = None,
    format: Format = "text",
    focus: Focus = "balanced",
    metadata: bool = False,
    template: Site | None = None,
    templates: Templates | None = None,
    site_by: SiteBy = "host",
    html_column: str = "html",
    url_column: str = "url",
    id_column: str = "id",
    carry: Iterable[str] = (),
    **options: Unpack[PageOptions],
) -> Any:
    """The content of many pages, in their order, on so many threads (by default one for each processor).

    ``pages`` is an iterable of pages (``str`` or ``bytes``), of pairs ``(url, page)``, or of dicts with ``html`` and, if known, ``url`` and
    ``content_type``. It is read as results are asked for, so it can be endless. A page that cannot be read gives a result with its
    ``error``, and the others go on.

    >>> [found.text.strip() or found.error.kind for found in extract_many(["<p>One net.", b"<p>Two nets.", None])]
    ['One net.', 'Two nets.', 'bad_type']

    ``pages`` can also be a table or a column of Arrow, polars or pandas, or anything else with the Arrow PyCapsule interface. Then the result is a table of
    the same library with a record for each page, as the program's ``extract`` writes them: ``url``, ``title``, the content in a column named
    after the format, ``confidence``, ``page_type``, ``flags``, ``error`` and more, and the columns named by ``carry``.

    Links get absolute URLs where a URL is given; in tables only with ``absolute_urls=True``, as in the records of the program.

    ``template`` is the site that all pages are of; ``templates`` has those of many sites, which are found by the URLs. ``site_by`` says what
    makes a site there, as it did when they were learned.
    """
    if threads is not None and (not isinstance(threads, int) or threads < 0):
        raise DehuskTypeError(f"threads is a number or None, not {threads!r}", "bad_type")
    site = _native_site(template)
    if templates is not None and not isinstance(templates, _native.Templates):
        raise DehuskTypeError(f"templates is a dehusk.Templates or None, not {type(templates).__name__}", "bad_type")
    arrow = _as_arrow(pages)
    if arrow is None:
        options.setdefault("absolute_urls", True)
    extractor = _page_extractor(format, focus, metadata, options)
    if arrow is None:
        if isinstance(pages, (str, bytes, bytearray, memoryview)):
            raise DehuskTypeError("extract_many takes many pages; for a single one call extract", "bad_type")
        try:
            many = extractor.many(pages, threads or 0, site, templates, site_by)
        except DehuskError:
            raise
        except TypeError as error:
            raise DehuskTypeError(f"pages must be an iterable or Arrow columns: {error}", "bad_type") from None
        return map(Extraction, many)
    columns: _PageColumns = {
        "html": html_column,
        "url": url_column,
        "content_type": "content_type",
        "id": id_column,
        "carry": [carry] if isinstance(carry, str) else list(carry),
        "needs_url": url_column != "url",
    }
    return _like(pages, extractor.table(arrow, columns, threads or 0, site, templates, site_by))


def _as_arrow(pages: Any) -> Any | None:
    """The pages as something with the Arrow PyCapsule interface, if they are."""
    if hasattr(pages, "__arrow_c_stream__") or hasattr(pages, "__arrow_c_array__"):
        return pages
    if _library(pages) == "pandas":
        # A column of pandas 2.
        import pyarrow as pa

        return pa.Array.from_pandas(pages)
    if type(pages).__name__ == "LazyFrame":
        raise DehuskTypeError("a LazyFrame has no pages yet: call .collect() on it", "bad_type")
    return None


def _library(value: object) -> str:
    return type(value).__module__.partition(".")[0]


def _like(pages: Any, table: Any) -> Any:
    """A table of the library that the pages came from; pyarrow's for any other, if it is installed."""
    library = _library(pages)
    if library == "polars":
        import polars as pl

        return pl.DataFrame(table)
    if library == "pandas":
        import pyarrow as pa

        frame = pa.table(table).to_pandas()
        frame.index = pages.index
        return frame
    try:
        import pyarrow as pa
    except ImportError:
        return table
    return pa.table(table)
