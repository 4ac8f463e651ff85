"""The segments of a page."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from . import _native
from ._extract import Html
from ._options import SegmentMethod
from ._values import Key, key_of

__all__ = ["Segment", "Segmentation", "segment"]


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a page that belongs together."""

    text: str
    role: str | None
    """What it is for: ``"content"``, ``"navigation"`` and so on."""
    record: dict[str, Any]
    """All that ``dehusk segment`` writes of it."""


@dataclass(frozen=True, slots=True)
class Segmentation:
    """The segments of a page, in page order."""

    segments: list[Segment]
    method: str
    is_complete: bool
    """Whether the search ended before its limit of work."""
    flags: list[str]
    page: dict[str, Any]

    def __iter__(self) -> Iterator[Segment]:
        return iter(self.segments)

    def __len__(self) -> int:
        return len(self.segments)


@functools.lru_cache(maxsize=16)
def _segmenter(options: Key) -> _native.Segmenter:
    return _native.Segmenter(dict(options))


def segment(
    html: Html,
    *,
    url: str | None = None,
    method: SegmentMethod = "best",
    max_bytes: int | None = None,
    max_nodes: int | None = None,
) -> Segmentation:
    """Splits a page into segments, such as its navigation, its article and its footer.

    >>> page = "<nav><a href=/>Home</a> <a href=/all>All posts</a></nav><main><h1>Tar</h1><p>Tar is warmed, never boiled.</p></main>"
    >>> any("never boiled" in part.text for part in segment(page))
    True
    """
    options = key_of({"method": method, "max_bytes": max_bytes, "max_nodes": max_nodes})
    text, flags = _segmenter(options).record(html, url)
    import json

    record = json.loads(text)
    segments = [Segment(text=part.get("text", ""), role=part.get("role"), record=part) for part in record["segments"]]
    return Segmentation(segments, record["method"], record["is_complete"], flags, record["page"])
