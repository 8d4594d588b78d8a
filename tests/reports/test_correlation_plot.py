"""Plots of correlations: well-formed, escaped, the same bytes every time, and drawn to scale."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Hashable
from typing import Any

import numpy as np
import pytest
from correlated_rows import correlate
from hypothesis import given, settings
from hypothesis import strategies as st

import metrics_framework as fw
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.scored_output import MetricsRow
from metrics_framework.meta_evaluation.prefer.votes import Vote
from metrics_framework.reports import correlation_plot as module
from metrics_framework.reports.correlation_plot import correlation_plot, fit_band
from metrics_framework.reports.svg import HEIGHT, WIDTH, Axis, Panel

SVG = "{http://www.w3.org/2000/svg}"


def result(names="abcd", metric="m", inputs=6, **options):
    rows = [
        MetricsRow(str(i), s, "peer", MetricsDict({metric: float(7 * i + 3 * k % 5), "h": float((i + k * k) % 6)}))
        for i in range(inputs)
        for k, s in enumerate(names)
    ]
    return correlate(rows, metric, "h", ci="none", **options)


def drawn(text, tag, kind):
    return [one for one in ElementTree.fromstring(text).iter(f"{SVG}{tag}") if kind in one.get("class", "").split()]


def test_every_output_and_every_system_is_a_point() -> None:
    text = correlation_plot([result()])
    assert len(drawn(text, "circle", "cloud")) == 24
    assert [one[0].text for one in drawn(text, "circle", "point")] == ["a", "b", "c", "d"]
    assert len(drawn(text, "text", "heading")) == 3
    assert correlation_plot([result()]) == text


def test_bars_count_the_inputs() -> None:
    text = correlation_plot([result()])
    counts = [int(one[0].text.split()[0]) for one in drawn(text, "rect", "bar")]
    assert sum(counts) == result().levels["input"].size["num_summary_groups"]


def test_names_are_escaped_and_shortened() -> None:
    text = correlation_plot([result(names=["<b>&\x01", "x" * 40, "ok"], metric='"<m>"&')])
    assert ElementTree.fromstring(text)[0].text == '"<m>"& against h'
    assert "<b>" not in text
    shown = [one.text for one in drawn(text, "text", "name")]
    assert set(shown) == {"<b>&�", "x" * 8 + "…" + "x" * 9, "ok"}


def test_many_outputs_are_drawn_as_shaded_squares(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_POINTS", 10)
    text = correlation_plot([result()])
    assert drawn(text, "circle", "cloud") == []
    assert drawn(text, "rect", "cell")


def test_only_the_levels_computed_are_drawn() -> None:
    assert len(drawn(correlation_plot([result(levels=["system"])]), "text", "heading")) == 1


@pytest.mark.parametrize("names", ["a", "ab"])
def test_little_data_is_drawn(names: list[str]) -> None:
    rows = [MetricsRow("1", s, "peer", MetricsDict({"m": 1.0, "h": 0.0})) for s in names]
    text = correlation_plot([correlate(rows, "m", "h", ci="none")])
    assert "undefined" in text
    assert "nan" not in text


def test_the_fit_is_the_line_of_least_squares() -> None:
    # Points (0,0), (1,1), (2,5): slope 5/2, mean (1, 2).
    rows = [
        MetricsRow("1", s, "peer", MetricsDict({"m": m, "h": h})) for s, m, h in (("a", 0, 0), ("b", 1, 1), ("c", 2, 5))
    ]
    (line,) = drawn(correlation_plot([correlate(rows, "m", "h", ci="none", levels=["global"])]), "line", "fit")
    x_axis, y_axis = Axis.around([0, 2], "m"), Axis.around([0, 5], "h")
    for x, y in ((line.get("x1"), line.get("y1")), (line.get("x2"), line.get("y2"))):
        m = x_axis.low + float(x) / WIDTH * (x_axis.high - x_axis.low)
        h = y_axis.low + (1 - float(y) / HEIGHT) * (y_axis.high - y_axis.low)
        assert h == pytest.approx(2 + 2.5 * (m - 1), abs=0.02)


@settings(deadline=None)
@given(st.floats(-1e9, 1e9), st.floats(1e-6, 1e9))
def test_ticks_are_few_distinct_and_inside(low: Any, span: Any) -> None:
    axis = Axis(low, low + span, "x")
    if span < 1e-6 * abs(low):
        return
    ticks = axis.ticks()
    assert 2 <= len(ticks) <= 8
    slack = 1e-6 * span
    assert all(axis.low - slack <= value <= axis.high + slack for value, _ in ticks)


TICKS = [
    (Axis(0, 100, "x"), ["0", "20", "40", "60", "80", "100"]),
    (Axis(0.12, 0.31, "x"), ["0.15", "0.20", "0.25", "0.30"]),
    (Axis(0, 1.08, "x", counts=True), ["0", "1"]),
    (Axis(0, 1.08, "x"), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
]


@pytest.mark.parametrize(("axis", "labels"), TICKS)
def test_ticks_are_round(axis: Any, labels: Callable[[int, Vote, str], Hashable]) -> None:
    assert [label for _, label in axis.ticks()] == labels


def test_a_single_value_lies_in_the_middle_of_its_axis() -> None:
    for value in (0.0, 3.0, -2.0):
        axis = Axis.around([value], "x")
        assert axis.share(value) == 0.5
        assert not math.isnan(axis.low)


def test_places_are_upside_down() -> None:
    panel = Panel("t", "c", Axis(0, 1, "x"), Axis(0, 1, "y"))
    assert panel.position(0, 0) == (0, HEIGHT)
    assert panel.position(1, 1) == (WIDTH, 0)


@pytest.mark.parametrize("factor", [1e155, 1e305])
def test_scores_near_the_largest_float_are_drawn_in_powers_of_ten(factor: float) -> None:
    rows = [
        MetricsRow(str(i), s, "peer", MetricsDict({"m": factor * (7 * i - k % 5), "h": float((i + k * k) % 6)}))
        for i in range(6)
        for k, s in enumerate("abcd")
    ]
    text = correlation_plot([correlate(rows, "m", "h", ci="none")])
    assert len(drawn(text, "circle", "cloud")) == 24
    assert f"m / 1e{round(math.log10(factor)) + 1}<" in text


def test_several_correlations_are_rows_of_panels() -> None:
    text = correlation_plot([result(metric="a"), result(metric="b")])
    headings = [one.text for one in drawn(text, "text", "heading")]
    assert headings[:3] == ["a: all outputs", "a: means of systems", "a: one coefficient per input"]
    assert [heading[0] for heading in headings] == ["a"] * 3 + ["b"] * 3
    text = correlation_plot([result(metric="a"), result(metric="b")], "global")
    assert [one.text for one in drawn(text, "text", "heading")] == ["a: all outputs", "b: all outputs"]


def test_the_band_contains_the_line_and_is_narrow_for_an_exact_relation() -> None:
    generator = np.random.default_rng(0)
    x = generator.normal(size=60)
    groups, grid = np.arange(60) // 3, np.linspace(x.min(), x.max(), 5)
    band = fit_band(x, 3 * x - 1, groups, grid)
    assert band is not None
    assert np.allclose(band[0], 3 * grid - 1)
    assert np.allclose(band[1], 3 * grid - 1)
    noisy = 3 * x - 1 + generator.normal(size=60)
    slope, height = np.polyfit(x, noisy, 1)
    band = fit_band(x, noisy, groups, grid)
    assert band is not None
    assert (band[0] < slope * grid + height).all()
    assert (slope * grid + height < band[1]).all()
    assert fit_band(x[:15], x[:15], groups[:15], grid) is None
    assert fit_band(np.ones(60), x, groups, grid) is None


def rows_of_pairs():
    generator = np.random.default_rng(5)
    quality = generator.normal(size=(2, 6, 24)).cumsum(axis=2)
    noise = generator.normal(size=(3, 2, 6, 24))
    return [
        {
            "instance_id": f"{i:02}",
            "summarizer_id": f"s{s}",
            "lp": ("de", "zh")[p],
            "doc": f"d{i // 4}",
            **{name: float(quality[p, s, i] + one[p, s, i]) for name, one in zip("mhe", noise, strict=True)},
        }
        for p, s, i in np.ndindex(2, 6, 24)
        if p == 0 or i < 18
    ]


def test_the_band_of_clusters_is_that_of_their_resamples() -> None:
    rows = [row for row in rows_of_pairs() if row["lp"] == "de"]
    options = {"levels": ["global"], "coefficients": ["pearson"], "ci": "none"}
    alone, clustered = (fw.correlate(rows, "m", "h", cluster=one, **options) for one in (None, "doc"))
    bands = [drawn(one.plot(), "polygon", "band")[0].get("points") for one in (alone, clustered)]
    assert bands[0] != bands[1]
    assert "over inputs (all outputs)" in alone.plot()
    assert "over clusters of inputs (all outputs)" in clustered.plot()


def test_intervals_of_clusters_say_what_they_resample() -> None:
    rows = [row for row in rows_of_pairs() if row["lp"] == "de"]
    for options in ({"ci": "jackknife-inputs"}, {"ci": "bootstrap-inputs", "resamples": 99}):
        found = fw.correlate(rows, "m", "h", cluster="doc", levels=["input"], log=lambda _: None, **options)
        assert "over inputs in clusters (doc)" in str(found)
        assert "over inputs in clusters (doc)" in found.paper()


def test_panels_name_what_distinguishes_their_correlation() -> None:
    options = {"levels": ["global"], "coefficients": ["pearson"], "ci": "none"}
    text = fw.correlate(rows_of_pairs(), "m", ["h", "e"], data_sets="lp", **options).plot()
    titles = [one.text for one in drawn(text, "text", "heading")]
    assert titles == [f"m against {human}, {pair}: all outputs" for pair in ("de", "zh") for human in "he"]
    assert "de: 144 outputs of 6 systems on 24 inputs; zh: 108 outputs of 6 systems on 18 inputs" in text
