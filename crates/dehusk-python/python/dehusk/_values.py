"""Options on their way to the native module, which checks them by the table that all surfaces share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ._errors import DehuskTypeError
from ._options import PageOptions

Key = tuple[tuple[str, Any], ...]


def check_names(options: Mapping[str, object], known: type[Any] = PageOptions) -> None:
    """Refuses options that a function does not have."""
    # Those of a TypedDict include those of its parents.
    names = known.__annotations__
    for name in options:
        if name not in names:
            listed = ", ".join(sorted(names))
            raise DehuskTypeError(f"there is no option {name!r}; further options are {listed}", "bad_options")


def key_of(options: Mapping[str, Any]) -> Key:
    """Options as a key of a cache. What is None has its default, and is left out."""
    return tuple((name, _hashable(value)) for name, value in sorted(options.items()) if value is not None)


def _hashable(value: Any) -> Any:
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
        return tuple(value)
    try:
        hash(value)
    except TypeError:
        return repr(value)
    return value
