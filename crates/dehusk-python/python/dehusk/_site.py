"""The templates of one site."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import _native
from ._errors import error
from ._extract import Extraction, Html, PageItem, extract, extract_many
from ._options import Focus, Format, Method, PageOptions

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

__all__ = ["Drift", "KindDrift", "Site"]


@dataclass(frozen=True, slots=True)
class KindDrift:
    """One kind of pages: how many recent ones there are and how well they fit, beside those it was learned from."""

    learned_pages: int
    usual_fit: float
    pages: int
    fit: float
    verdict: str


@dataclass(frozen=True, slots=True)
class Drift:
    """Whether recent pages of a site still fit its templates."""

    pages: int
    unfit: int
    """Pages that no template fits."""
    has_drifted: bool
    """Whether the site should be learned again."""
    findings: list[str]
    kinds: list[KindDrift]
    failed: list[tuple[int, str, str]]
    """Pages that could not be read: number, kind of the error, message."""


class Site:
    """The templates of one site, learned from its pages.

    >>> page = "<nav><a href=/>Home</a> <a href=/all>All posts</a></nav><p>{}</p>".format
    >>> site = Site.learn([page("Rain fell."), page("Nets are mended in May."), page("The ferry is late.")], name="harbour.example")
    >>> site
    <dehusk.Site 'harbour.example', 3 pages>
    >>> site.extract(page("The crane works again."), detector="sitelevel").text.strip()
    'The crane works again.'

    Two sites that were learned from parts of the pages merge to the site of all pages. A site can be pickled, and its file is that of
    ``dehusk learn --partial``.
    """

    __slots__ = ("_site", "failed")

    failed: list[tuple[int, str, str]]
    """Pages that could not be read while learning: number, kind of the error, message."""

    def __init__(self, site: _native.Site) -> None:
        self._site = site
        self.failed = []

    @classmethod
    def learn(
        cls,
        pages: Iterable[PageItem],
        *,
        method: Method = "sitelevel",
        align_share: float | None = None,
        name: str = "",
        seed: int = 0,
    ) -> Self:
        """Learns a site from its pages. Two are needed to compare them, twenty are better; parts of a site that will be merged can have fewer."""
        if isinstance(pages, (str, bytes, bytearray, memoryview)):
            raise error("bad_type", "a site is learned from many pages, not from one")
        learned, failed = _native.Site.learn_pages(pages, {"method": method, "align_share": align_share, "seed": seed}, name)
        if learned.pages == 0:
            why = f": {failed[0][2]}" if failed else ""
            raise error("no_page", f"a site needs at least two pages, and none could be read{why}")
        site = cls(learned)
        site.failed = failed
        return site

    def merge(self, other: Site) -> Self:
        """The site of the pages of both, which must be other pages, learned by the same method."""
        if self.method != other.method:
            raise error("incompatible", f"one site was learned by {self.method}, the other by {other.method}")
        return type(self)(self._site.merged(other._site))

    @classmethod
    def from_bytes(cls, template: bytes) -> Self:
        """Reads a template file."""
        return cls(_native.Site.from_bytes(template))

    def to_bytes(self) -> bytes:
        """The template file."""
        return self._site.to_bytes()

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Reads a template file, also one of ``dehusk learn``."""
        try:
            with open(path, "rb") as file:
                return cls.from_bytes(file.read())
        except OSError as cause:
            raise error("cannot_read", f"{path}: {cause.strerror}") from cause

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a template file, as a whole or not at all."""
        folder, name = os.path.split(os.fspath(path))
        part = os.path.join(folder, f".{name}.{os.getpid()}.part")
        try:
            with open(part, "wb") as file:
                file.write(self.to_bytes())
                file.flush()
                os.fsync(file.fileno())
            os.replace(part, path)
        except OSError as cause:
            with contextlib.suppress(OSError):
                os.remove(part)
            raise error("cannot_write", f"{path}: {cause.strerror}") from cause

    def extract(
        self,
        page: Html,
        *,
        url: str | None = None,
        format: Format = "text",
        focus: Focus = "balanced",
        metadata: bool = False,
        content_type: str | None = None,
        **options: Unpack[PageOptions],
    ) -> Extraction:
        """The content of a page of this site."""
        return extract(
            page,
            url=url,
            format=format,
            focus=focus,
            metadata=metadata,
            content_type=content_type,
            template=self,
            **options,
        )

    def extract_many(self, pages: Iterable[PageItem], **options: Any) -> Iterator[Extraction]:
        """The content of many pages of this site."""
        found: Iterator[Extraction] = extract_many(pages, template=self, **options)
        return found

    def explain(self, page: Html, **options: Any) -> str:
        """The tree of a page with decisions, reasons and the evidence of the site, for people to read."""
        return self.extract(page, **options).explain()

    def drift(self, pages: Iterable[PageItem]) -> Drift:
        """Whether recent pages still fit the templates of the site."""
        found = self._site.drift_of(pages)
        kinds = [KindDrift(**kind) for kind in found.pop("kinds")]
        return Drift(kinds=kinds, **found)

    def to_html(self) -> str:
        """The templates drawn as a page that needs nothing else."""
        return self._site.to_html()

    @property
    def name(self) -> str:
        """The name of the site."""
        return self._site.name

    @property
    def pages(self) -> int:
        """How many pages it was learned from."""
        return self._site.pages

    @property
    def method(self) -> str:
        """How it was learned."""
        return self._site.method

    @property
    def learned(self) -> str:
        """The day it was learned, as ``2026-11-17``."""
        return self._site.learned

    @property
    def kinds(self) -> list[int]:
        """How many pages each kind of pages was learned from."""
        return self._site.kinds

    def __reduce__(self) -> tuple[Any, tuple[bytes]]:
        return type(self).from_bytes, (self.to_bytes(),)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Site):
            return NotImplemented
        return self.to_bytes() == other.to_bytes()

    def __hash__(self) -> int:
        return hash(self.to_bytes())

    def __repr__(self) -> str:
        kinds = len(self.kinds)
        return f"<dehusk.Site {self.name!r}, {self.pages} {'page' if self.pages == 1 else 'pages'}{f', {kinds} kinds of pages' if kinds > 1 else ''}>"
