"""``fw plan``, run as the command line runs it."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from json_files import read_json
from samples import sampled

from metrics_framework.evaluation.external_sort import Run

MEAN = ("plan", "mean", "--sd", "1.1", "--agreement", "0.4", "--simulations", "50")
TEST = ("plan", "alt-test", "--agreement", "0.4", "--judge-agreement", "0.5", "--simulations", "100")


@pytest.fixture
def files(datasets_path) -> list[Path]:
    return [str(datasets_path / "judging/ratings.csv"), str(datasets_path / "judging/judgements.csv")]


def test_a_row_for_each_number_of_raters_is_printed(fw: Run) -> None:
    done = fw(*MEAN, "--half-width", "0.1", "--seed", "7")
    assert done.code == 0, done.err
    rows = [line.split() for line in done.out.splitlines()[2:6]]
    assert [row[:3] for row in rows] == [
        ["1", "492", "492"],
        ["2", "349", "698"],
        ["3", "301", "903"],
        ["5", "262", "1310"],
    ]
    assert "seed 7" in done.out


@pytest.mark.slow
def test_a_table_for_programs_has_the_power(fw: Run) -> None:
    done = fw(*MEAN, "--difference", "0.3", "--raters", "2", "3", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(done.out)))
    assert [(row["goal"], row["raters"]) for row in rows] == [("mean", "2"), ("mean", "3")]
    assert all(0.8 <= float(row["power"]) < 0.82 for row in rows)


def test_json_has_the_curve(fw: Run, tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    assert fw(*MEAN, "--half-width", "0.1", "--raters", "3", "--output-file", str(path), "--silent").code == 0
    found = read_json(path)
    assert (found["quantity"], found["target"], found["seed"]) == ("half_width", 0.1, 0)
    (curve,) = found["curves"]
    numbers = [inputs for inputs, _ in curve["points"]]
    assert numbers == sorted(numbers)
    assert numbers[0] < 282 < numbers[-1]
    assert found["assumptions"]["between"] == pytest.approx(0.4 * 1.21)


def test_a_picture_shows_the_curves_and_the_target(fw: Run, tmp_path: Path) -> None:
    path = tmp_path / "plan.svg"
    for words in ((*MEAN, "--half-width", "0.1"), (*TEST, "--raters", "2", "3")):
        done = fw(*words, "--plot", str(path))
        assert done.code == 0, done.err
        svg = path.read_text(encoding="utf-8")
        assert svg.count('class="curve"') == svg.count('class="mark"') == (4 if "mean" in words else 2)


@pytest.mark.parametrize("goal", sampled(["mean", "difference", "estimate", "alt-test"]))
def test_a_pilot_is_read_from_files(fw: Run, files: Callable[[str], str], goal: str) -> None:
    options = {
        "mean": ("--half-width", "0.2"),
        "difference": ("--difference", "0.3"),
        "estimate": ("--half-width", "0.2", "--judge", "model", "--judged", "500"),
        "alt-test": ("--judge", "model", "--raters", "3", "--scoring", "neg_rmse"),
    }[goal]
    done = fw("plan", goal, *files, "--rating", "helpfulness", *options, "--simulations", "50", "--format", "json")
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert found["pilot_outputs"] == (80 if goal == "difference" else 160)
    assert all(design["inputs"] for design in found["designs"])


def test_what_a_pilot_leaves_open_is_stated(fw: Run, files: Callable[[str], str]) -> None:
    words = ("plan", "mean", *files, "--rating", "helpfulness", "--half-width", "0.2", "--simulations", "20")
    done = fw(*words, "--assurance", "0.9")
    assert "160 rated outputs; variances that agree with it are drawn, and 90 %" in " ".join(done.out.split())
