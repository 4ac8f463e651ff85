"""The program of ``dehusk.spark`` has the options of the table."""

from __future__ import annotations

import inspect

from dehusk import spark as husk
from dehusk.spark import __main__ as program
from dehusk.spark._learn import LearnOptions


def test_every_option_is_an_argument() -> None:
    given = program.parser().parse_args(["in.parquet", "out"])
    assert {option["name"] for option in program._OPTIONS} <= set(vars(given))
    assert program.keywords(given, "sites", "detector", "content", "reading", "columns", "run") == {}


def test_arguments_become_keywords() -> None:
    line = ["in", "out", "--no-links", "--site-by", "domain", "--format", "text,html", "--carry", "a", "--carry", "b", "--focus", "0.3"]
    given = program.parser().parse_args(line)
    assert program.keywords(given, "sites") == {"site_by": "domain"}
    assert program.keywords(given, "content", "detector") == {"links": False, "format": ["text,html"], "focus": "0.3"}
    assert program.keywords(given, "columns") == {"carry": ["a", "b"]}


def test_the_functions_take_them() -> None:
    own = set(inspect.signature(husk.clean).parameters)
    names = {option["opposite"] or option["name"] for option in program._OPTIONS if option["topic"] in ("sites", "detector", "content", "reading")}
    assert names <= own | set(LearnOptions.__annotations__)
