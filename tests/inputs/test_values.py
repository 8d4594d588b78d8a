"""Cells become numbers or labels: missing values, forms of numbers, scales, and labels that differ in case only."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import pytest
from messages import FOR_WORDS_IN_AN_ORDER

from metrics_framework.commands.app import main
from metrics_framework.common.errors import DataError, InputError, ListName
from metrics_framework.inputs.values import (
    USUAL,
    NumberColumn,
    Scale,
    ValueRules,
    far_value,
    has_decimal_comma,
    labels_like_missing,
    missing_words,
    one_label,
)


def column(cells: list[Any], rules: ValueRules = USUAL, path: str = "x.tsv") -> NumberColumn:
    return NumberColumn("q", cells, path, rules)


MISSING = ["NA", "n/a", "N/A", "#N/A", "<NA>", "NaN", "-nan", "None", "nOnE", "NULL"]
NUMBERS = [  # cells, numbers, why
    (["4.5", 3, 2.5, " 1 ", True, "-2e1"], [4.5, 3, 2.5, 1, 1, -20], "plain numbers"),
    (["", " ", None, math.nan, *MISSING], [None] * (4 + len(MISSING)), "missing values in any case"),
    (["8/10", "NA", "7.5 / 10"], [8, None, 7.5], "shares of one number"),
    (["80 %", "7,5%", "12.5%"], [80, 7.5, 12.5], "percent, with a decimal comma or point"),
    (["4 - Agree", "2 – Disagree", "4 -  agree"], [4, 2, 4], "a number and its word"),
    (["1: bad", "5: good"], [1, 5], "a colon"),
    (["1. Bad", "5. Good"], [1, 5], "a point"),
    (["3,5", "4", "1,5e2"], [3.5, 4, 150], "a decimal comma in every number that has a comma"),
    (["3,5", "4.5"], [3.5, 4.5], "points in other numbers"),
    (["٤", "४", "５", "−1", "٣٫٥"], [4, 4, 5, -1, 3.5], "digits of any script"),
    (["８／１０", "٩/١٠"], [8, 9], "forms in digits of any script"),
]


@pytest.mark.parametrize(("cells", "numbers", "why"), NUMBERS)
def test_a_column_of_one_form_has_numbers(cells: list[Any], numbers: list[float | None], why: str) -> None:
    found = column(cells)
    assert found.problems() == [], why
    assert [*found.values()] == numbers, why


TEXTS = [  # cells, row of the first that does not fit, why
    (["4", "Agree"], 1, "a word"),
    (["8/10", "4"], 0, "only some values have the form"),
    (["4", "8/10"], 1, "only some values have the form, in another order"),
    (["8/10", "80 %"], 1, "two forms"),
    (["80 %", "3,5"], 1, "a decimal comma without %"),
    (["1.234,5"], 0, "separators of thousands"),
    (["1,234,567"], 0, "two commas"),
    (["1_000"], 0, "an underscore"),
    (["2-Feb", "1-Mar"], 0, "dates that a spreadsheet made of shares"),
    (["inf"], 0, "not finite"),
    ([10**400], 0, "beyond all floats"),
    (["1/" + "9" * 5000], 0, "more digits than Python reads"),
]


@pytest.mark.parametrize(("cells", "row", "why"), TEXTS)
def test_other_columns_are_text(cells: list[Any], row: int, why: str) -> None:
    found = column(cells)
    assert [place for place, _ in found.problems()] == [row], why
    assert found.text is not None


def test_a_comma_is_no_decimal_comma_if_it_separates_the_columns(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("id,q\n1,2\n", encoding="utf-8")
    for cells in (["3,5", "4"], ["7,5 %"], ["7,5/10"]):
        assert len(column(cells).problems()) == 0
        assert len(column(cells, path=str(tmp_path / "x.csv")).problems()) == 1


@pytest.mark.parametrize("cells", [["3/5", "3/10"], ["4 - Agree", "4 - Disagree"]])
def test_values_of_one_form_must_not_contradict_each_other(cells: list[str]) -> None:
    [(row, message)] = column(cells).problems()
    assert row == 1
    assert all(cell in message for cell in cells)


def test_the_missing_words_replace_the_usual_ones() -> None:
    rules = ValueRules(missing_words("99, refused"))
    found = column([99, "99.0", "Refused", "", None, "4"], rules)
    assert [*found.values()] == [None, None, None, None, None, 4.0]
    assert found.missing == {"99": 1, "99.0": 1, "Refused": 1, "": 1, "null": 1}
    assert found.spelling(1) == "99.0"
    assert column(["NA"], rules).text == (0, "NA")


def test_words_that_mean_a_missing_number_are_labels() -> None:
    assert [ValueRules().label_of(cell) for cell in ("None", "NA", " ", None, math.nan)] == ["None", "NA"] + [None] * 3
    rules = ValueRules(missing_words(["none"]))
    assert [rules.label_of(cell) for cell in ("None", "NA", "")] == [None, "NA", None]
    assert list(labels_like_missing({"None": 18, "na": 1, "Other": 2}, ListName("ratings"))) == [
        "18 labels are 'None'; to leave them out: missing='None'",
        "1 label is 'na'; to leave them out: missing='na'",
    ]


SCALES = [  # scale, categories, value, number, why
    ("1-5", (1, 2, 3, 4, 5), "3.5", 3.5, "a range of whole numbers, with a mean"),
    ("-1 - 1", (-1, 0, 1), "-1", -1, "a negative end"),
    ("0-1.5", (), "0.25", 0.25, "a range with fractions has no categories"),
    ("0-1000", (), "700", 700, "a long range has none, either"),
    ("Bad, Fair,Good", (1, 2, 3), " fair", 2, "words, case and spaces aside"),
    (["Very  bad", "Good"], (1, 2), "very bad", 1, "a list"),
    ("0,25,50", (0, 25, 50), "25", 25, "numbers keep their value"),
]


@pytest.mark.parametrize(("stated", "categories", "value", "number", "why"), SCALES)
def test_a_scale_states_numbers(
    stated: Any, categories: tuple[float, ...], value: str, number: float, why: str
) -> None:
    scale = Scale.of(stated)
    assert scale.categories == categories, why
    found = column([value, ""], ValueRules(scale=scale))
    assert (found.problems(), [*found.values()]) == ([], [number, None]), why
    assert Scale.of(scale) is scale


@pytest.mark.parametrize("stated", ["", "5", "5-1", "Good", "Good,good", "Good,,Bad", 5, ["Good"]])
def test_other_scales_are_refused(stated: Any) -> None:
    with pytest.raises(InputError, match="'scale' must be a range such as 1-5"):
        Scale.of(stated)


OUTSIDE = [  # scale, cells, rows, in the message
    ("1-5", ["3", "99", "0", "99"], [1, 2, 3], "must be a number from 1 to 5, got '99'; if it means missing, use --"),
    ("1-5", ["NA", "99", "", "na"], [1], "got '99'; if it means missing, use --missing NA,na,99"),
    ("Bad,Good", ["Bad", "Goood"], [1], "must be one of Bad, Good, got 'Goood'; if it means missing"),
    ("Bad,Good", ["1"], [0], "must be one of Bad, Good"),
    ("0,25,50", ["30"], [0], "must be one of 0, 25, 50, got '30'"),
    ("1-5", ["8/10", "3/10"], [0], "must be a number from 1 to 5, got '8'"),
]


@pytest.mark.parametrize(("scale", "cells", "rows", "message"), OUTSIDE)
def test_values_outside_the_scale_are_errors(scale: str, cells: list[str], rows: list[int], message: str) -> None:
    problems = column(cells, ValueRules(scale=Scale.of(scale))).problems()
    assert [row for row, _ in problems] == rows
    assert message in problems[0][1]


SCALE_FLAG = f"{FOR_WORDS_IN_AN_ORDER} --scale 'LOWEST,…,HIGHEST'"
ALL = ("missing", "scale", "labels")
MESSAGES = [  # cell, the options of the caller, path, message
    ("Agree", ALL, "x.csv", f"use --labels; {SCALE_FLAG}; if it means missing, use --missing Agree"),
    ("no answer", ALL[:2], ListName("ratings"), "'LOWEST,…,HIGHEST'; if it means missing, use missing='no answer'"),
    ("x", (), "x.csv", "'q' must be a finite number, got the string 'x'; a missing number is empty or NA"),
    ("1.234,5", ALL, "x.csv", ", and with a decimal point"),
]


@pytest.mark.parametrize(("cell", "offers", "path", "message"), MESSAGES)
def test_a_text_names_the_options_that_read_it(cell: str, offers: tuple[str, ...], path: str, message: str) -> None:
    [(_, found)] = column([1, cell], ValueRules(offers=offers), path).problems()
    assert found.endswith(message)
    [(_, found)] = column([cell], ValueRules(offers=offers), path).problems()
    assert "if it means missing" not in found


def test_words_of_a_column_are_named_for_their_scale(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.csv"
    rows = [f"{i},{system},{i}.5,{word}" for i, word in enumerate(("Good", "Bad", "Fair")) for system in "ab"]
    path.write_text("\n".join(["id,system,m,quality", *rows]))
    for words in ("correlate --metric m --human quality", "estimate --judge m --rating quality"):
        command = [*words.split(), str(path)]
        assert main(command)
        assert f"{SCALE_FLAG} with Good, Bad, Fair" in capsys.readouterr().err
        assert main([*command, "--labels"]) == 2
        assert "unknown flag --labels; did you mean --scale?" in capsys.readouterr().err
        assert main([*command, "--scale", "Bad,Fair,Good"]) == 0


def test_a_single_cell_is_a_number_or_an_error() -> None:
    assert ValueRules().number_of("4,5", "q") == 4.5
    with pytest.raises(DataError, match="'q' must be a finite number, got the string 'x'"):
        ValueRules().number_of("x", "q")


FAR = [  # how often numbers occur; the far one, how often, the lowest and highest of the rest
    ({1: 3, 2: 1, 5: 2, 99: 5}, [99, 5, 1, 5]),
    ({-9: 1, 1: 3, 5: 2}, []),
    ({-99: 2, 1: 3, 5: 2}, [-99, 2, 1, 5]),
    ({0: 50, 1: 2}, []),
    ({0: 1, 3: 1, 100: 4}, [100, 4, 0, 3]),
    ({1: 1, 5: 1, 17: 1}, []),
    ({}, []),
]


@pytest.mark.parametrize(("counts", "numbers"), FAR)
def test_a_value_far_from_all_others_is_reported(counts: dict[float, int], numbers: list[int]) -> None:
    found = far_value(counts, "q", "x.csv")
    assert list(map(int, re.findall(r"-?\d+", found))) == [*numbers, *numbers[:1]]


def test_labels_that_differ_in_case_or_spaces_are_one() -> None:
    found, notes = one_label({"good": 2, "Good": 3, "very  Bad": 1, "Very bad": 1, "x": 1})
    assert [found[label] for label in ("good", "Very bad", "very  Bad", "x")] == ["Good", "Very bad", "Very bad", "x"]
    assert [re.findall(r"'([^']+)' \((\d)\)", note) for note in notes] == [
        [("Good", "3"), ("good", "2")],
        [("Very bad", "1"), ("very  Bad", "1")],
    ]


@pytest.mark.parametrize(("delimiter", "expected"), [(";", True), ("\t", True), (",", False)])
def test_a_comma_is_decimal_unless_it_separates_columns(tmp_path: Path, delimiter: str, expected: bool):
    (tmp_path / "x.csv").write_text(f"id{delimiter}score\n1{delimiter}2\n")
    assert has_decimal_comma(str(tmp_path / "x.csv")) is expected
