"""What pages repeat."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import dehusk

CARD = "<li><h3><a href='{0}'>{0} net</a></h3><p>made of hemp and knotted by hand in the long winter</p></li>"
NAMES = ["cod", "herring", "eel", "plaice"]
SHOP = f"<title>Shop</title><main><h1>Nets of the year</h1><ul>{''.join(map(CARD.format, NAMES))}</ul></main>"


def test_groups_have_columns_and_records() -> None:
    found = dehusk.extract(SHOP, url="https://a.example/shop/", detector="none")
    (group,) = found.records
    assert group.kind in ("items", "links", "posts", "rows")
    assert group.is_content and group.xpath and group.xpath.endswith("/ul[1]")
    assert len(group) == len(group.records) == 4
    record = group.records[1]
    assert "herring net" in record.text and record.xpath
    assert record.fields["title"] == "herring net"
    assert record.fields["url"] == "https://a.example/shop/herring"
    assert found.records == found.all_records


def test_rows_have_every_column() -> None:
    page = SHOP.replace("</h3><p>made of hemp and knotted by hand in the long winter</p></li>", "</h3></li>", 1)
    (group,) = dehusk.extract(page, detector="none").records
    rows = group.to_dicts()
    assert len(rows) == 4 and all(list(row) == group.columns for row in rows)
    assert [row["title"] for row in rows] == [f"{name} net" for name in NAMES]
    assert None in rows[0].values()


def test_a_data_frame() -> None:
    pandas = pytest.importorskip("pandas")
    (group,) = dehusk.extract(SHOP, detector="none").records
    frame = pandas.DataFrame(group.to_dicts())
    assert list(frame["title"]) == [f"{name} net" for name in NAMES]


def test_records_are_those_of_the_program(sites: Path) -> None:
    for path in sorted(sites.rglob("*.html"))[::7]:
        arguments = [sys.executable, "-m", "dehusk", "records", "--all", str(path)]
        printed = json.loads(subprocess.run(arguments, capture_output=True, check=True).stdout)
        found = dehusk.extract(path.read_bytes())
        assert [group.columns for group in found.all_records] == [group["columns"] for group in printed["groups"]]
        texts = [[record.text for record in group.records] for group in found.all_records]
        assert texts == [[record["text"] for record in group["records"]] for group in printed["groups"]]
        content = [group for group in found.all_records if group.is_content]
        assert found.records == content
        assert json.loads(found.render("records"))["cuts"] == []


def test_results_of_many_pages_have_no_records() -> None:
    (found,) = dehusk.extract_many([SHOP])
    with pytest.raises(dehusk.DehuskError, match="do not keep the pages"):
        _ = found.records
    copy = pickle.loads(pickle.dumps(dehusk.extract(SHOP)))
    with pytest.raises(dehusk.DehuskError):
        _ = copy.records
    # As a format, many pages have them.
    (found,) = dehusk.extract_many([SHOP], format="records", detector="none")
    assert json.loads(found.text)["groups"][0]["is_content"]
