"""The pictures of distributions."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics_framework.reports.html.model import Facts, ReportData, ScoreColumn, System
from metrics_framework.reports.html.page import BARS, distribution_plots, quantile

NUMBERS = st.none() | st.floats(-1e6, 1e6) | st.integers(-5, 5)


def report(*columns: list[float | None], digits: int = 2) -> ReportData:
    systems = [System(f"system <{place}> & co", values={"x": values}) for place, values in enumerate(columns)]
    facts = Facts(len(columns[0]), "1", 1.0, None, [])
    column = ScoreColumn("x", "x", "x", main=True, output_digits=digits)
    return ReportData("t", "0", facts, {}, [column], systems, [], [])


@given(st.lists(st.lists(NUMBERS, min_size=3, max_size=3), min_size=1, max_size=8))
def test_every_system_has_a_row_within_the_picture_whatever_its_scores(columns: list[list[float | None]]) -> None:
    plots = list(distribution_plots(report(*columns)))
    assert len(plots) == (len({value for column in columns for value in column if value is not None}) > 2)
    for _, plot in plots:
        root = ElementTree.fromstring(plot)
        width, height = map(float, root.attrib["viewBox"].split()[2:])
        names = [one.text for one in root.iter("text") if one.attrib["class"] == "name"]
        assert len(names) == len(columns)
        for one in root.iter():
            assert 0 <= float(one.attrib.get("cx", 0)) <= width
            assert 0 <= float(one.attrib.get("y", 0)) <= height


def test_a_row_says_in_words_what_it_draws() -> None:
    ((_, plot),) = distribution_plots(report([1.0, 2.0, 3.0, 10.0, None]))
    (told,) = re.findall("<title>(.*?)</title>", plot)
    # mean 16 / 4; the quartiles of 1, 2, 3, 10 lie at places 0.75, 1.5 and 2.25
    assert told == (
        "system &lt;0&gt; &amp; co: 4 outputs, mean 4.00, median 2.50, quartiles 1.75 and 4.75, "
        "minimum 1.00, maximum 10.00"
    )


def test_the_bars_hold_all_scores_those_beyond_the_axis_in_the_outermost() -> None:
    values: list[float | None] = [float(number) for number in range(1000)]
    ((_, plot),) = distribution_plots(report([*values, 1e9, -1e9]))
    (path,) = re.findall(r'<path class="bars" d="(.*?)"', plot)
    assert path.count("z") == BARS


def test_a_score_of_two_values_has_no_picture() -> None:
    assert list(distribution_plots(report([0, 1, 1, 0, None]))) == []


@pytest.mark.parametrize(("share", "expected"), [(0.0, 1.0), (0.5, 3.0), (0.75, 4.5), (1.0, 6.0)])
def test_a_quantile_lies_between_two_numbers_in_proportion(share: float, expected: float) -> None:
    assert quantile([1.0, 2.0, 4.0, 6.0], share) == expected
