"""What several tests use."""

from __future__ import annotations

from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[3]
SITES = REPOSITORY / "examples" / "sites"


@pytest.fixture(scope="session")
def sites() -> Path:
    """The example sites: folders of pages."""
    return SITES


@pytest.fixture(scope="session")
def pages() -> list[tuple[str, bytes]]:
    """All example pages, each with an address."""
    files = sorted(path for path in SITES.rglob("*.html"))
    return [(f"https://{path.relative_to(SITES).as_posix()}", path.read_bytes()) for path in files]


ARTICLE = """<!doctype html><title>Nets</title>
<nav><a href=/>Home</a> <a href=/all>All posts</a> <a href=/about>About</a></nav>
<main><h1>Nets</h1><p>Nets are mended in May, when the boats come home and the nights are short. Whoever has
hands to spare sits on the quay, and the old ones tell how it was done <a href=/before>before</a>.</p></main>
<footer>Harbour Notes. <a href=/privacy>Privacy</a></footer>"""


@pytest.fixture
def article() -> str:
    """A small article with a template around it."""
    return ARTICLE
