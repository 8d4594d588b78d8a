"""Coefficients of weighted resamples equal those of copied systems and inputs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics_framework.common.errors import InputError
from metrics_framework.kernels.python import weighted_points
from metrics_framework.meta_evaluation import calibrate, coefficient, resampled
from metrics_framework.meta_evaluation.coefficients import weighted_coefficients, weighted_differences
from metrics_framework.meta_evaluation.names import COEFFICIENTS, LEVELS, SINGLE_LEVEL

KEYS = [(name, level) for name in COEFFICIENTS for level in LEVELS if SINGLE_LEVEL.get(name, level) == level]
EPSILONS = {"acc-23": 0.5, "tau-23": 0.25, "kendall-b": 0.25, "kendall-a": 0.0, "kendall-like": 0.75}


def copied(scores, rows, columns):
    """Copies the rows and columns drawn."""
    return np.repeat(np.repeat(scores, rows.astype(int), axis=0), columns.astype(int), axis=1)


@st.composite
def cases(draw):
    rows, columns = draw(st.integers(2, 6)), draw(st.integers(1, 6))
    generator = np.random.default_rng(draw(st.integers(0, 10_000)))
    values = draw(st.sampled_from([2, 4, 40]))
    human, metric = (generator.integers(0, values, (rows, columns)) / 4 for _ in range(2))
    if draw(st.booleans()):
        human[generator.random(human.shape) < 0.3] = np.nan
        metric[generator.random(human.shape) < 0.1] = np.nan
    weights = [generator.multinomial(size, np.full(size, 1 / size), 4).astype(float) for size in (rows, columns)]
    return human, metric, *weights


@settings(max_examples=40, deadline=None)
@given(cases(), st.sampled_from(["rows", "columns", "both"]))
@pytest.mark.parametrize(("name", "level"), [key for key in KEYS if key[0] not in ("spa", "acc-eq")])
def test_weights_are_copies(name, level, case, drawn):
    human, metric, rows, columns = case
    if name == "spa:normal":  # inputs that a system of the data lacks are left out of all resamples
        human, metric = np.nan_to_num(human), np.nan_to_num(metric)
    rows = np.ones_like(rows) if drawn == "columns" else rows
    columns = np.ones_like(columns) if drawn == "rows" else columns
    epsilon = EPSILONS.get(name, 0.0)
    values = resampled(
        human,
        metric,
        name,
        level=level,
        rows=None if drawn == "columns" else rows,
        columns=None if drawn == "rows" else columns,
        epsilon=epsilon,
    )
    for value, r, c in zip(values, rows, columns, strict=True):
        expected = coefficient(copied(human, r, c), copied(metric, r, c), name, level=level, epsilon=epsilon)
        assert value == pytest.approx(expected, abs=1e-9, nan_ok=True)


def test_spa_of_copies_has_other_signs_of_the_same_distribution():
    generator = np.random.default_rng(1)
    human = generator.normal(size=(5, 40))
    metric = human + generator.normal(size=human.shape)
    columns = generator.multinomial(40, np.full(40, 1 / 40), 3).astype(float)
    values = resampled(human, metric, "spa", level="system", rows=None, columns=columns)
    expected = [coefficient(*(copied(one, np.ones(5), c) for one in (human, metric)), "spa", seed=5) for c in columns]
    assert values == pytest.approx(expected, abs=0.03)


def test_the_epsilon_of_acc_eq_is_that_of_the_data():
    generator = np.random.default_rng(2)
    human, metric = generator.integers(0, 4, (5, 9)), generator.normal(size=(5, 9))
    columns = generator.multinomial(9, np.full(9, 1 / 9), 3).astype(float)
    values = resampled(human, metric, "acc-eq", level="input", rows=None, columns=np.ones((1, 9)))
    assert values == pytest.approx([coefficient(human, metric, "acc-eq", level="input")])
    epsilon = calibrate(human, metric).epsilon
    fixed = resampled(human, metric, "acc-23", level="input", rows=None, columns=columns, epsilon=epsilon)
    assert resampled(human, metric, "acc-eq", level="input", rows=None, columns=columns).tolist() == fixed.tolist()


@pytest.mark.parametrize("epsilon", [0.0, 0.5])
@pytest.mark.parametrize("dense", [1, 2, 5, 1024])
def test_pairs_of_many_cells_are_counted_by_merging(dense, epsilon, monkeypatch):
    generator = np.random.default_rng(6)
    human, metric = generator.integers(0, 9, (4, 9)) / 4, generator.integers(0, 5, (4, 9)) / 4
    rows, columns = (generator.multinomial(n, np.full(n, 1 / n), 10).astype(float) for n in (4, 9))
    monkeypatch.setenv("FW_KERNELS", "python")
    monkeypatch.setattr(weighted_points, "DENSE_POINTS", dense)
    values = resampled(human, metric, "acc-23", level="global", rows=rows, columns=columns, epsilon=epsilon)
    for value, r, c in zip(values, rows, columns, strict=True):
        expected = coefficient(copied(human, r, c), copied(metric, r, c), "acc-23", epsilon=epsilon)
        assert value == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("kernels", ["python", "auto"])
@pytest.mark.parametrize(("name", "level"), [key for key in KEYS if key[0] not in ("spa", "spa:normal", "pdp")])
def test_many_systems_are_sorted(name, level, kernels, monkeypatch):
    generator = np.random.default_rng(8)
    human, metric = generator.integers(0, 9, (9, 7)) / 4, generator.integers(0, 20, (9, 7)) / 8
    human[generator.random(human.shape) < 0.3] = np.nan
    rows, columns = (generator.multinomial(n, np.full(n, 1 / n), 12).astype(float) for n in human.shape)
    of = human, metric, name
    epsilon = EPSILONS.get(name, 0.0)
    for drawn in ({"rows": rows, "columns": columns}, {"rows": rows, "columns": None}):
        expected = resampled(*of, level=level, epsilon=epsilon, **drawn)
        with monkeypatch.context() as patch:
            patch.setenv("FW_KERNELS", kernels)
            patch.setattr(weighted_coefficients, "MOST_ROWS_OF_PAIRS", 2)
            patch.setattr(weighted_coefficients, "MOST_POINTS_OF_PAIRS", 2)
            found = resampled(*of, level=level, epsilon=epsilon, **drawn)
        assert found == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_results_do_not_depend_on_the_size_of_blocks(monkeypatch):
    generator = np.random.default_rng(5)
    human, metric = generator.integers(0, 9, (7, 11)) / 4, generator.normal(size=(7, 11))
    rows, columns = (generator.multinomial(n, np.full(n, 1 / n), 10).astype(float) for n in (7, 11))
    whole = {key: resampled(human, metric, key[0], level=key[1], rows=rows, columns=columns) for key in KEYS}
    for module in (weighted_coefficients, weighted_differences):
        monkeypatch.setattr(module, "BLOCK_BYTES", 400)
    for (name, level), values in whole.items():
        found = resampled(human, metric, name, level=level, rows=rows, columns=columns)
        assert found == pytest.approx(values, abs=1e-12, nan_ok=True)


def test_one_set_of_weights_is_needed():
    with pytest.raises(InputError, match="'rows' or 'columns'"):
        resampled([[1, 2]], [[1, 2]], "pearson", level="global", rows=None, columns=None)
