"""``fw visualize``."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from metrics_framework import visualize_rouge
from metrics_framework.common.errors import UsageError


def data_of(path: Path | str) -> dict[str, Any]:
    page = Path(path).read_text(encoding="utf-8")
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found
    data: dict[str, Any] = json.loads(found[1])
    return data


@pytest.fixture
def pyramids(datasets_path: Path) -> list[Path]:
    return [datasets_path / "pyramids" / name for name in ("pyramids.jsonl", "annotations.jsonl")]


def test_a_page_of_pyramids_is_written_and_may_be_replaced(fw: Callable[..., Any], pyramids: list[Path]) -> None:
    for _ in range(2):
        result = fw("visualize", "pyramid", "out.html", "--input-files", *pyramids)
        assert (result.code, result.out) == (0, "")
        assert re.fullmatch(r"fw: wrote the page to out\.html \(0\.\d\d MB\)\n", result.err)
    assert [one["instance"] for one in data_of("out.html")["pyramids"]] == ["bridge", "storks"]


def test_inputs_and_systems_are_chosen(fw: Callable[..., Any], pyramids: list[Path]) -> None:
    chosen = ("--instances", "storks", "--systems", "abstract", "A")
    assert fw("visualize", "pyramid", "out.html", "--input-files", *pyramids, *chosen).code == 0
    (pyramid,) = data_of("out.html")["pyramids"]
    assert (pyramid["instance"], [one["name"] for one in pyramid["summaries"]]) == ("storks", ["abstract", "A"])


def test_the_page_goes_to_standard_output(fw: Callable[..., Any], pyramids: list[Path]) -> None:
    result = fw("visualize", "pyramid", "-", "--input-files", *pyramids)
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("<!doctype html>")


def test_a_page_of_rouge_is_written(fw: Callable[..., Any], datasets_path: Path) -> None:
    rows = datasets_path / "translation" / "outputs.jsonl"
    words = ("--systems", "good", "--measure", "l", "--title", "Two references")
    assert fw("visualize", "rouge", "out.html", "--input-files", rows, *words).code == 0
    data = data_of("out.html")
    assert (data["title"], data["systems"], data["options"]["measure"]) == ("Two references", ["good"], "l")
    assert len(data["instances"]) == 24


def test_plain_text_is_shown(fw: Callable[..., Any], datasets_path: Path) -> None:
    folder = datasets_path / "translation"
    files = ("--outputs", folder / "good.txt", "--references", folder / "references.0.txt")
    assert fw("visualize", "rouge", "out.html", *files).code == 0
    assert data_of("out.html")["files"] == ["good.txt"]


@pytest.mark.parametrize(("option", "value"), [("measure", "9"), ("scoring_function", "best")])
def test_an_unknown_choice_is_an_error_in_python(option: str, value: str) -> None:
    chosen: dict[str, Any] = {option: value}
    with pytest.raises(UsageError, match=f"'{option}' must be one of .*, got '{value}'"):
        visualize_rouge(["a"], references=["a"], **chosen)
