"""Exceptions. All are of one family, and each has a kind."""

from __future__ import annotations

__all__ = ["DehuskError", "DehuskTypeError", "DehuskValueError"]


class DehuskError(Exception):
    """Something is wrong with a page, a template, an option or a file.

    ``kind`` is a short name for code, such as ``"too_large"`` or ``"bad_template"``; the text is for people.

    >>> import dehusk
    >>> try:
    ...     dehusk.extract(b"\\x89PNG\\r\\n\\x1a\\n" + bytes(64))
    ... except dehusk.DehuskError as error:
    ...     print(error.kind)
    not_text
    """

    kind: str

    def __init__(self, message: str, kind: str = "other") -> None:
        super().__init__(message)
        self.kind = kind

    def __reduce__(self) -> tuple[type[DehuskError], tuple[str, str]]:
        return type(self), (str(self), self.kind)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self)!r}, kind={self.kind!r})"


class DehuskTypeError(DehuskError, TypeError):
    """A value has a type that cannot be used, such as a page that is neither ``str`` nor ``bytes``."""


class DehuskValueError(DehuskError, ValueError):
    """An option or a column has a value that cannot be used."""


_CLASSES: dict[str, type[DehuskError]] = {
    "bad_type": DehuskTypeError,
    "bad_options": DehuskValueError,
    "bad_text": DehuskValueError,
    "bad_column": DehuskValueError,
    "missing_column": DehuskValueError,
}


def error(kind: str, message: str) -> DehuskError:
    """The exception of a kind."""
    return _CLASSES.get(kind, DehuskError)(message, kind)
