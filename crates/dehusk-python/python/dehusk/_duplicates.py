"""Near-duplicates among texts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from . import _native
from ._errors import DehuskTypeError, DehuskValueError

__all__ = ["Duplicates", "duplicates"]


@dataclass(frozen=True, slots=True)
class Duplicates:
    """The near-duplicates among texts, which are named by their numbers."""

    pairs: list[tuple[int, int, int]]
    """Two texts and how many hashes they share."""
    first: list[int]
    """For each text the first of its group; itself if it is the first or alone."""

    @property
    def groups(self) -> list[list[int]]:
        """Texts that belong together, at least two in each group."""
        groups: dict[int, list[int]] = {}
        for number, first in enumerate(self.first):
            groups.setdefault(first, []).append(number)
        return [group for group in groups.values() if len(group) > 1]

    @property
    def kept(self) -> list[int]:
        """One text of each group, and those that are alone."""
        return [number for number, first in enumerate(self.first) if number == first]


def duplicates(
    texts: Iterable[str], *, shingle_words: int = 6, hashes: int = 8, shared: int = 4
) -> Duplicates:
    """Texts that are nearly the same: they share ``shared`` of the ``hashes`` smallest hashes of their runs of ``shingle_words`` words.

    >>> tar = "Tar is warmed, never boiled, and brushed on while the wood is dry and the wind comes from the land."
    >>> duplicates([tar, "Nets are mended in May, when the boats come home and the nights are short.", tar + " So it is."]).groups
    [[0, 2]]
    """
    if isinstance(texts, (str, bytes)):
        raise DehuskTypeError("texts must be an iterable of texts, not a single one", "bad_type")
    for name, value in (("shingle_words", shingle_words), ("hashes", hashes), ("shared", shared)):
        if not isinstance(value, int) or not 1 <= value <= 64:
            raise DehuskValueError(f"{name} is {value}, it must be from 1 to 64", "bad_options")
    if shared > hashes:
        raise DehuskValueError(f"shared is {shared}, more than hashes, which is {hashes}", "bad_options")
    try:
        pairs, first = _native.duplicates(texts, shingle_words, hashes, shared)
    except (TypeError, UnicodeError) as error:
        raise DehuskTypeError(f"texts must be an iterable of texts: {error}", "bad_type") from None
    return Duplicates(pairs, first)
