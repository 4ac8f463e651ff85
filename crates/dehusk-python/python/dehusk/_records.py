"""What a page repeats."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Record", "RecordGroup"]


@dataclass(frozen=True, slots=True)
class Record:
    """One of several similar parts of a page: a post, a card, a row of a table."""

    text: str
    """Its shown text, a line for each block, without that of records inside it."""
    fields: dict[str, str | list[str]]
    """What it has in each column: a value, or several."""
    xpath: str | None
    """Its element, or the first of them; None where paths would be much longer than the page."""


@dataclass(frozen=True, slots=True)
class RecordGroup:
    """Similar records.

    >>> import dehusk
    >>> card = "<li><h3>{}</h3><p>made of hemp, knotted by hand</p><b>{}</b></li>"
    >>> cards = "".join(card.format(*one) for one in [("Cod net", "€ 40"), ("Herring net", "€ 35"), ("Eel trap", "€ 28")])
    >>> group = dehusk.extract(f"<h1>Shop</h1><ul>{cards}</ul>").all_records[0]
    >>> [row["title"] for row in group.to_dicts()]
    ['Cod net', 'Herring net', 'Eel trap']
    """

    kind: str
    """``"posts"``, ``"items"``, ``"rows"`` or ``"links"``."""
    xpath: str | None
    """The element around the records."""
    is_content: bool
    """Whether most of the text of the records is content."""
    columns: list[str]
    """The names of the columns. ``title``, ``url``, ``image``, ``price``, ``author``, ``date`` and ``text`` have a known meaning; others are
    called by their label, or by their place in the record."""
    records: list[Record]

    def to_dicts(self) -> list[dict[str, str | list[str] | None]]:
        """A dict for each record with every column of the group, None where it has nothing: ``pandas.DataFrame(group.to_dicts())``."""
        return [{column: record.fields.get(column) for column in self.columns} for record in self.records]

    def __len__(self) -> int:
        return len(self.records)


def groups_of(text: str) -> list[RecordGroup]:
    """The groups in the JSON of a page's records."""
    import json

    return [
        RecordGroup(
            kind=group["kind"],
            xpath=group["xpath"],
            is_content=group["is_content"],
            columns=group["columns"],
            records=[Record(**record) for record in group["records"]],
        )
        for group in json.loads(text)["groups"]
    ]
