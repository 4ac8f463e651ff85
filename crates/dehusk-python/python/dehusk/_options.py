"""Options as the program takes them: each is defined once, there, with its checks and messages."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any, Literal, TypedDict

from ._errors import DehuskTypeError, DehuskValueError

Format = Literal["text", "markdown", "html", "json"]
Focus = Literal["precision", "balanced", "recall"] | float
GroupBy = Literal["host", "domain", "path"]
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


_NAMES = frozenset(PageOptions.__annotations__)
_NEGATED = {"links": "--no-links", "images": "--no-images"}


def check_names(options: Mapping[str, object], own: Iterable[str] = ()) -> None:
    """Refuses options that are not those of pages, or the caller's own."""
    for name in options:
        if name not in _NAMES and name not in own:
            known = ", ".join(sorted(_NAMES | set(own)))
            raise DehuskTypeError(f"there is no option {name!r}; further options are {known}", "bad_options")


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
            # A value of one argument with its name, so that none can be taken for another option.
            out.append(f"{flag}={os.fspath(value) if isinstance(value, os.PathLike) else value}")
        elif isinstance(value, Iterable):
            out.extend(f"{flag}={item}" for item in value)
        else:
            raise DehuskValueError(f"{name} cannot be {value!r}", "bad_options")
    return out
