"""``fw plan``, run as the command line runs it."""

from __future__ import annotations

import csv
import io
import json

import pytest

MEAN = ("plan", "mean", "--sd", "1.1", "--agreement", "0.4", "--simulations", "50")
TEST = ("plan", "alt-test", "--agreement", "0.4", "--judge-agreement", "0.5", "--simulations", "100")


@pytest.fixture
def files(datasets_path):
    return [str(datasets_path / "judging/ratings.csv"), str(datasets_path / "judging/judgements.csv")]


def test_a_row_for_each_number_of_raters_is_printed(fw):
    done = fw(*MEAN, "--half-width", "0.1", "--seed", "7")
    assert done.code == 0, done.err
    rows = [line.split() for line in done.out.splitlines()[2:6]]
    assert [row[:3] for row in rows] == [
        ["1", "468", "468"],
        ["2", "328", "656"],
        ["3", "282", "846"],
        ["5", "245", "1225"],
    ]
    assert "seed 7" in done.out


@pytest.mark.parametrize("format", ["table", "markdown", "latex", "html", "csv", "tsv", "json"])
def test_every_format_is_written(fw, format):
    done = fw(*MEAN, "--difference", "0.3", "--raters", "2", "3", "--format", format)
    assert done.code == 0, done.err
    if format == "csv":
        rows = list(csv.DictReader(io.StringIO(done.out)))
        assert [(row["goal"], row["raters"]) for row in rows] == [("mean", "2"), ("mean", "3")]
        assert all(0.8 <= float(row["power"]) < 0.82 for row in rows)


def test_json_has_the_curve(fw, tmp_path):
    path = tmp_path / "plan.json"
    assert fw(*MEAN, "--half-width", "0.1", "--raters", "3", "--output-file", str(path), "--silent").code == 0
    found = json.loads(path.read_text(encoding="utf-8"))
    assert next(iter(found.items())) == ("command", "fw plan")
    assert (found["quantity"], found["target"], found["seed"]) == ("half_width", 0.1, 0)
    (curve,) = found["curves"]
    numbers = [inputs for inputs, _ in curve["points"]]
    assert numbers == sorted(numbers)
    assert numbers[0] < 282 < numbers[-1]
    assert found["assumptions"]["between"] == pytest.approx(0.4 * 1.21)


def test_a_picture_shows_the_curves_and_the_target(fw, tmp_path):
    path = tmp_path / "plan.svg"
    for words in ((*MEAN, "--half-width", "0.1"), (*TEST, "--raters", "2", "3")):
        done = fw(*words, "--plot", str(path))
        assert done.code == 0, done.err
        svg = path.read_text(encoding="utf-8")
        assert svg.count('class="curve"') == svg.count('class="mark"') == (4 if "mean" in words else 2)


@pytest.mark.parametrize("goal", ["mean", "difference", "estimate", "alt-test"])
def test_a_pilot_is_read_from_files(fw, files, goal):
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


def test_the_uncertainty_of_a_pilot_is_stated(fw, files):
    done = fw("plan", "mean", *files, "--rating", "helpfulness", "--half-width", "0.2", "--simulations", "20")
    assert "160 rated outputs; numbers of inputs are uncertain by about 22%" in " ".join(done.out.split())


INVALID = [  # words, message, exit code
    (("plan",), "no goal; use fw plan mean|difference|estimate|alt-test", 2),
    (("plan", "meen"), "did you mean 'mean'?", 2),
    (MEAN, "what should the study achieve?", 1),
    ((*MEAN, "--half-width", ".1", "--difference", ".2"), "use either 'half_width', or 'difference'", 1),
    ((*MEAN, "--half-width", ".1", "--power", ".9"), "'power' needs the 'difference'", 1),
    ((*MEAN, "--half-width", ".1", "--inputs", "50"), "leave out 'half_width' and 'power'", 1),
    ((*MEAN, "--half-width", "0"), "'half_width' must be a number above 0, and 1e+100 at most, got 0", 1),
    ((*MEAN, "--half-width", "1e200"), "'half_width' must be a number above 0, and 1e+100 at most", 1),
    ((*MEAN, "--inputs", "2000000"), "'inputs' must be 1000000 or less, got 2000000", 1),
    ((*MEAN, "--difference", "0"), "'difference' must be a number other than 0", 1),
    ((*MEAN, "--half-width", ".1", "--epsilon", ".1"), "'epsilon' has no effect on the goal 'mean'", 1),
    ((*MEAN, "--half-width", ".1", "--judged", "5"), "'judged' has no effect on the goal 'mean'", 1),
    ((*MEAN, "--half-width", ".1", "--rating", "x"), "'rating' describes the ratings of a pilot", 1),
    ((*MEAN, "--inputs", "1"), "'inputs' must be 2 or more for the goal 'mean', got 1", 1),
    (("plan", "mean", "--half-width", ".1"), "'sd' is missing: the goal 'mean' needs it", 1),
    (("plan", "mean", "--half-width", ".1", "--sd", "1"), "'agreement' is missing", 1),
    ((*TEST, "--raters", "1"), "'raters' must be 2 or more for the goal 'alt-test', got 1", 1),
    ((*TEST, "--inputs", "20"), "'inputs' must be 30 or more for the goal 'alt-test'", 1),
    ((*TEST, "--confidence", "90"), "'confidence' has no effect on the goal 'alt-test'", 1),
    ((*TEST, "--epsilon", "expert"), "experts, skilled, crowd", 1),
    ((*TEST[:4], "--judge-agreement", ".9"), "'judge_agreement' must be 0.6", 1),
    ((*TEST, "--judge", "model"), "'judge' names the scores of a judge in a pilot", 1),
    (("plan", "estimate", *MEAN[2:], "--judge-agreement", ".5", "--half-width", "1"), "'judged' is missing", 1),
    (
        ("plan", "estimate", *MEAN[2:], "--judge-agreement", ".9", "--judged", "99", "--half-width", "1"),
        "'judge_agreement' must be 0.632 or less",
        1,
    ),
    (
        ("plan", "estimate", *MEAN[2:], "--judge-agreement", ".5", "--judged", "99", "--inputs", "100"),
        "'inputs' must be 99 or less, got 100",
        1,
    ),
    (
        ("plan", "difference", *MEAN[2:], "--difference", ".2", "--systems", "1"),
        "'systems' must be 2 or more for the goal 'difference'",
        1,
    ),
]


@pytest.mark.parametrize(("words", "message", "code"), INVALID)
def test_mistakes_are_explained(fw, words, message, code):
    done = fw(*words)
    assert (done.code, message in done.err) == (code, True), done.err


PILOT = [  # words, message, exit code
    (("mean", "--half-width", ".1"), "'rating' must name the column of the ratings of the pilot", 1),
    (("mean", "--half-width", ".1", "--rating", "helpful"), "did you mean 'helpfulness'?", 2),
    (("mean", "--half-width", ".1", "--rating", "helpfulness", "--sd", "1"), "'sd' follows from the pilot", 1),
    (("estimate", "--half-width", ".1", "--rating", "helpfulness", "--judged", "300"), "'judge' must name", 1),
    (("mean", "--half-width", ".1", "--rating", "solved"), "ratings.csv:2", 1),
]


@pytest.mark.parametrize(("words", "message", "code"), PILOT)
def test_mistakes_with_a_pilot_are_explained(fw, files, words, message, code):
    done = fw("plan", words[0], *files, *words[1:])
    assert (done.code, message in done.err) == (code, True), done.err


def test_few_inputs_of_an_estimate_are_warned_of(fw):
    words = ("--half-width", ".6", "--sd", "1", "--agreement", ".5", "--judge-agreement", ".5", "--judged", "90")
    done = fw("plan", "estimate", *words, "--simulations", "20", "--raters", "2")
    assert "inputs are few for a mean with a judge" in done.err
