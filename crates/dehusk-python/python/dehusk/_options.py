"""Options as the program takes them: each is defined once, there, with its checks and messages."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any, Literal, TypedDict

from ._errors import DehuskValueError

Format = Literal["text", "markdown", "html", "json"]
Focus = Literal["precision", "balanced", "recall"] | float
Method = Literal["sitelevel", "treemap", "align", "auto", "treemap-paper", "align-paper"]


class PageOptions(TypedDict, total=False):
    """Further options of every function that extracts pages. ``dehusk extract --help`` explains them."""

    detector: str
    """``"fusion"``, or one of the published methods."""
    threshold: float | None
    model: str | os.PathLike[str] | None
    precision: float | None
    recall: float | None
    penalty: float | None
    heading: Literal["auto", "keep", "drop"]
    comments: Literal["auto", "keep", "drop", "only"]
    links: bool
    images: bool
    include_hidden: bool
    absolute_urls: bool
    scripting: bool
    max_bytes: int
    max_nodes: int
    max_depth: int


_NEGATED = {"links": "--no-links", "images": "--no-images"}


def arguments(options: Mapping[str, Any]) -> list[str]:
    """Options as arguments of the program. What is None is left out."""
    out: list[str] = []
    for name, value in options.items():
        if value is None:
            continue
        flag = "--" + name.replace("_", "-")
        if name in _NEGATED:
            if not isinstance(value, bool):
                raise DehuskValueError(f"{name} is True or False, not {value!r}", "bad_options")
            if not value:
                out.append(_NEGATED[name])
        elif value is True:
            out.append(flag)
        elif value is False:
            continue
        elif isinstance(value, (str, int, float, os.PathLike)):
            out.append(f"{flag}={os.fspath(value) if isinstance(value, os.PathLike) else value}")
        elif isinstance(value, Iterable):
            out.extend(f"{flag}={item}" for item in value)
        else:
            raise DehuskValueError(f"{name} cannot be {value!r}", "bad_options")
    return out
