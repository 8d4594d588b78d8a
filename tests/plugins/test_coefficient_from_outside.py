"""A coefficient of another package: one file, one function; values, intervals and resamples equal brute force."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest
from concordance import concordance_groups, concordance_of, registered_concordance
from samples import sampled
from scipy import stats

from metrics_framework.common.errors import InputError, PluginError
from metrics_framework.meta_evaluation import coefficient, group_values, interval, resampled
from metrics_framework.meta_evaluation.coefficients.lookup import coefficient_names, load_coefficient
from metrics_framework.meta_evaluation.intervals.cautions import interval_warnings
from metrics_framework.meta_evaluation.intervals.methods import INTERVAL_METHODS
from metrics_framework.meta_evaluation.levels import LEVELS
from metrics_framework.significance.interval_methods import bca_interval

NAME = "concordance"
RESAMPLES = 60
LABELS = [0, 0, 1, 1, 1, 2, 3, 3, 4]


@pytest.fixture(autouse=True)
def registered():
    with registered_concordance():
        yield


def scores(seed=0):
    """Ratings with ties and gaps, and a metric on the same scale."""
    generator = np.random.default_rng(seed)
    quality = generator.normal(size=(7, 1)) + generator.normal(size=(7, 9))
    human, metric = np.round(2 * quality) / 2, quality + generator.normal(size=(7, 9)) / 2
    human[generator.random(human.shape) < 0.15] = np.nan
    return human, metric


def test_the_value_worked_by_hand() -> None:
    # h̄ = 2, m̄ = 3, s_hm = 4/3, s_hh = 2/3, s_mm = 8/3: 2·(4/3) / (2/3 + 8/3 + 1²) = 8/13
    assert coefficient([[1, 2, 3]], [[1, 3, 5]], NAME) == pytest.approx(8 / 13)
    assert coefficient([[1, 2, 3]], [[1, 2, 3]], NAME) == 1
    assert coefficient([[1, 2, 3]], [[3, 2, 1]], NAME) == -1
    assert coefficient([[1, 1]], [[2, 2]], NAME) == 0
    assert math.isnan(coefficient([[1, 1]], [[1, 1]], NAME))
    assert math.isnan(coefficient([[1]], [[2]], NAME))


@pytest.mark.parametrize("returned", [0.5, np.float64(0.5), None, [0.5] * 4, np.zeros((3, 1)), [None] * 3, ["a"] * 3])
def test_one_value_for_each_group_is_required(returned: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def weighted(self, human, metric, weights, options):
        return returned

    monkeypatch.setattr(type(load_coefficient(NAME)), "weighted", weighted)
    expected = rf"{re.escape(__file__)}:\d+: weighted of the coefficient '{NAME}' must return an array"
    with pytest.raises(PluginError, match=expected):
        coefficient(np.ones((2, 3)), np.ones((2, 3)), NAME, level="input")


@pytest.mark.parametrize("level", LEVELS)
def test_values_and_groups_are_those_of_the_definition(level: str) -> None:
    human, metric = scores()
    present = ~np.isnan(human)
    assert coefficient(human, metric, NAME, level=level) == pytest.approx(concordance_of(level, human, metric))
    groups = group_values(human, metric, NAME, level=level)
    assert groups.tolist() == pytest.approx(concordance_groups(level, human, metric, present), nan_ok=True)


@pytest.mark.parametrize("level", LEVELS)
def test_resamples_are_copies(level: str) -> None:
    human, metric = scores()
    generator = np.random.default_rng(1)
    rows, columns = (generator.multinomial(n, np.full(n, 1 / n), 5) for n in human.shape)
    values = resampled(human, metric, NAME, level=level, rows=rows, columns=columns)
    for value, r, c in zip(values, rows, columns, strict=True):
        copies = (np.repeat(np.repeat(one, r, axis=0), c, axis=1) for one in (human, metric))
        assert value == pytest.approx(concordance_of(level, *copies), nan_ok=True)


def drawn(method, shape, clusters):
    """Draws what the method resamples, as indices of rows and columns."""
    generator = np.random.default_rng(3)
    labels = np.arange(shape[1]) if clusters is None else np.array(clusters)
    members = [np.flatnonzero(labels == label) for label in dict.fromkeys(labels.tolist())]
    for _ in range(RESAMPLES):
        rows, columns = np.arange(shape[0]), np.arange(shape[1])
        if not method.endswith("inputs"):
            rows = generator.integers(shape[0], size=shape[0])
        if not method.endswith("systems"):
            columns = np.concatenate([members[one] for one in generator.integers(len(members), size=len(members))])
        yield rows, columns


def left_out(method, shape, clusters):
    """Leaves out one system, or one cluster of inputs, at a time."""
    labels = np.arange(shape[1]) if clusters is None else np.array(clusters)
    if method.endswith("systems"):
        return [(np.delete(np.arange(shape[0]), row), np.arange(shape[1])) for row in range(shape[0])]
    return [(np.arange(shape[0]), np.flatnonzero(labels != label)) for label in dict.fromkeys(labels.tolist())]


def ends_of(method, value, of_draws, of_rest):
    """Computes the ends of an interval by the formula of the method."""
    if method.startswith("bootstrap"):
        return tuple(np.nanpercentile(of_draws, [2.5, 97.5]))
    if method.startswith("bca"):
        found = bca_interval(np.array(of_draws), np.array([value]), np.array(of_rest), 0.025)
        return found.low, found.high
    n, on_scale = len(of_rest), np.arctanh([value, *of_rest])
    pseudo_values = n * on_scale[0] - (n - 1) * on_scale[1:]
    half_width = stats.t.ppf(0.975, n - 1) * pseudo_values.std(ddof=1) / math.sqrt(n)
    return tuple(np.tanh([pseudo_values.mean() - half_width, pseudo_values.mean() + half_width]))


@pytest.mark.parametrize("clusters", [None, LABELS], ids=["inputs", "clusters"])
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("method", sampled([name for name in INTERVAL_METHODS if not name.startswith("fisher")], 3))
def test_every_interval_equals_brute_force(method: str, level: str, clusters: list[int]) -> None:
    human, metric = scores()
    arguments = {"level": level, "method": method, "resamples": RESAMPLES, "seed": 3, "clusters": clusters}
    if (method, level) == ("bca-inputs", "system"):
        with pytest.raises(InputError, match="refused at the system level"):
            interval(human, metric, NAME, **arguments)
        return
    found = interval(human, metric, NAME, **arguments)
    of_draws, of_rest = (
        [concordance_of(level, human[np.ix_(*kept)], metric[np.ix_(*kept)]) for kept in chosen]
        for chosen in (
            drawn(method, human.shape, clusters) if not method.startswith("jackknife") else (),
            left_out(method, human.shape, clusters) if not method.startswith("bootstrap") else (),
        )
    )
    assert found.value == pytest.approx(concordance_of(level, human, metric))
    assert (found.lower, found.upper) == pytest.approx(ends_of(method, found.value, of_draws, of_rest), abs=1e-9)


@pytest.mark.parametrize("method", ["fisher", "fisher-shrunken"])
def test_intervals_of_a_formula_are_refused_with_the_name_of_another(method: str) -> None:
    with pytest.raises(InputError, match=f"'{method}' is undefined for 'concordance'; use jackknife-systems"):
        interval(*scores(), NAME, level="system", method=method)


def test_its_default_interval_is_the_jackknife_without_a_warning() -> None:
    assert {load_coefficient(NAME).default_interval(level) for level in LEVELS} == {"jackknife-systems"}
    assert interval_warnings(scores()[0], "system", {NAME: "jackknife-systems"}) == []
    assert "use jackknife-systems" in interval_warnings(scores()[0], "system", {NAME: "bootstrap-systems"})[0]


def test_it_has_no_epsilon() -> None:
    with pytest.raises(InputError, match="'epsilon' must be 0 for 'concordance'"):
        coefficient(*scores(), NAME, epsilon=0.5)


def test_it_is_listed_under_its_title() -> None:
    assert NAME in coefficient_names()
    assert load_coefficient(NAME).title == "Lin ρc"
