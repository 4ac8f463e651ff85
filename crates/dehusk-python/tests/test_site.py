"""Sites."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import dehusk


@pytest.fixture(scope="module")
def site_pages(sites: Path) -> list[bytes]:
    return [path.read_bytes() for path in sorted((sites / "harbour-notes.example").rglob("*.html"))]


def test_a_site_is_that_of_the_program(sites: Path, site_pages: list[bytes], tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    for method in ("sitelevel", "auto"):
        out = tmp_path / f"{method}.husk"
        command = ["learn", "--partial", "--method", method, str(sites / "harbour-notes.example"), "-o", str(out)]
        subprocess.run([sys.executable, "-m", "dehusk", *command], check=True, capture_output=True)
        site = dehusk.Site.learn(site_pages, method=method, name="harbour-notes.example")  # type: ignore[arg-type]
        assert site.to_bytes() == out.read_bytes()
        assert dehusk.Site.load(out) == site and site.method == method
    assert site.pages == len(site_pages) and site.learned == "1970-01-01"


def test_parts_merge_to_the_whole(site_pages: list[bytes]) -> None:
    whole = dehusk.Site.learn(site_pages, method="auto")
    one, two = dehusk.Site.learn(site_pages[::2], method="auto"), dehusk.Site.learn(site_pages[1::2], method="auto")
    assert one.merge(two) == two.merge(one) == whole
    assert dehusk.Site.learn(reversed(site_pages), method="auto") == whole


def test_it_saves_loads_and_pickles(site_pages: list[bytes], tmp_path: Path) -> None:
    site = dehusk.Site.learn(site_pages, name="a.example")
    site.save(tmp_path / "site.husk")
    assert [path.name for path in tmp_path.iterdir()] == ["site.husk"]
    for again in (dehusk.Site.load(tmp_path / "site.husk"), pickle.loads(pickle.dumps(site)), dehusk.Site.from_bytes(site.to_bytes())):
        assert again == site and again.name == "a.example" and hash(again) == hash(site)
        assert again.extract(site_pages[0]) == site.extract(site_pages[0])
    assert "a.example" in repr(site) and f"{len(site_pages)} pages" in repr(site)
    assert site.to_html().startswith("<!DOCTYPE html>") or "<html" in site.to_html()


def test_pages_of_the_site(site_pages: list[bytes]) -> None:
    site = dehusk.Site.learn(site_pages, method="auto")
    alone = dehusk.extract(site_pages[3])
    found = site.extract(site_pages[3])
    assert found.template_fit is not None and alone.template_fit is None
    assert [one.text for one in site.extract_many(site_pages)] == [site.extract(page).text for page in site_pages]
    assert any("site" in block.reason["name"] or "pages" in block.reason for block in site.extract(site_pages[3]).blocks)
    assert "keep" in site.explain(site_pages[3])
    drift = site.drift(site_pages)
    assert drift.pages == len(site_pages) and not drift.has_drifted and drift.kinds
    other = site.drift(["<main><p>A page of another site.</p></main>"] * 30)
    assert other.has_drifted and other.findings


def test_bad_sites(site_pages: list[bytes], tmp_path: Path) -> None:
    def kind(call: Any) -> str:
        with pytest.raises(dehusk.DehuskError) as raised:
            call()
        return raised.value.kind

    good = dehusk.Site.learn(site_pages).to_bytes()
    assert kind(lambda: dehusk.Site.from_bytes(b"no template")) == "bad_template"
    assert kind(lambda: dehusk.Site.from_bytes(good[:-3])) == "bad_template"
    assert kind(lambda: dehusk.Site.load(tmp_path / "none.husk")) == "cannot_read"
    assert kind(lambda: dehusk.Site.learn([])) == "no_page"
    assert kind(lambda: dehusk.Site.learn("<p>one page")) == "bad_type"
    auto = dehusk.Site.learn(site_pages, method="auto")
    assert kind(lambda: auto.merge(dehusk.Site.learn(site_pages))) == "incompatible"
    assert kind(lambda: dehusk.Site.learn([None, 3])) == "no_page"  # type: ignore[list-item]
    assert kind(lambda: dehusk.Site.learn(site_pages, method="magic")) == "bad_options"  # type: ignore[arg-type]
    assert kind(lambda: dehusk.Site.learn(site_pages).save(tmp_path / "no" / "x.husk")) == "cannot_write"
    with_bad = dehusk.Site.learn([*site_pages, None])  # type: ignore[list-item]
    assert with_bad.pages == len(site_pages)
    assert with_bad.failed == [(len(site_pages), "bad_type", "a page is str or bytes, not NoneType")]
    for place in range(0, len(good), max(1, len(good) // 300)):
        damaged = bytearray(good)
        damaged[place] ^= 0x55
        try:
            dehusk.Site.from_bytes(bytes(damaged)).extract(site_pages[0])
        except dehusk.DehuskError as error:
            assert error.kind in ("bad_template", "incompatible")
