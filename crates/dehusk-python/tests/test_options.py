"""All surfaces have the same options: those of the table."""

from __future__ import annotations

import inspect
import json
import re
import subprocess
import sys
from typing import Any

import dehusk
import pytest
from dehusk import _native
from dehusk._options import CleanOptions, PageOptions, SiteOptions

# What the table offers to Spark, and with it to the functions of this package.
TABLE: list[dict[str, Any]] = json.loads(_native.spark_options())
OWN = {"format", "focus", "metadata"}


def names(*topics: str) -> set[str]:
    """The options of some topics, as Python names them."""
    return {option["opposite"] or option["name"] for option in TABLE if option["topic"] in topics}


def test_the_types_have_every_option() -> None:
    assert set(PageOptions.__annotations__) | OWN == names("detector", "content", "reading")
    assert set(SiteOptions.__annotations__) == names("sites")
    assert set(CleanOptions.__annotations__) >= names("columns") | set(PageOptions.__annotations__) | set(SiteOptions.__annotations__)


@pytest.mark.parametrize("function", [dehusk.extract, dehusk.extract_many, dehusk.clean, dehusk.Site.extract])
def test_functions_take_every_option_of_pages(function: Any) -> None:
    parameters = inspect.signature(function).parameters
    assert OWN <= set(parameters)
    assert any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters.values())
    assert not set(parameters) & set(PageOptions.__annotations__), "an option is defined twice"


def test_every_option_of_pages_is_accepted() -> None:
    values: dict[str, Any] = {"detector": "block", "precision": 0.5, "penalty": 1.0, "threshold": 0.5, "model": "builtin"}
    for option in TABLE:
        name = option["opposite"] or option["name"]
        if option["topic"] not in ("detector", "content", "reading") or name in ("recall", "focus"):
            continue
        kinds: dict[str, Any] = {"flag": True, "whole": 1000, "choice": (option["choices"] or [""])[0]}
        value = values.get(name, kinds.get(option["kind"]))
        given = {"detector": "block", name: value} if name in ("precision",) else {name: value}
        assert dehusk.extract("<p>One net.", **given).error is None, name


def test_the_program_has_every_option() -> None:
    done = subprocess.run([sys.executable, "-m", "dehusk", "clean", "--help"], capture_output=True, text=True, check=True)
    flags = set(re.findall(r"^ +(?:-\w, )?--([a-z-]+)", done.stdout, re.MULTILINE))
    assert {option["name"].replace("_", "-") for option in TABLE} <= flags


def test_datatrove_has_every_option() -> None:
    steps = pytest.importorskip("dehusk.integrations.datatrove")
    assert set(steps.SampleOptions.__annotations__) | OWN == names("detector", "content", "reading", "sites")
    steps.Dehusk(site_by="domain", links=False, comments="drop")
    steps.SampleSites("unused", align_share=0.3, seed=1, max_nodes=1000)
