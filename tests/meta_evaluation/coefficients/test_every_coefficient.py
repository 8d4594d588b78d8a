"""Laws that hold for every registered coefficient at every level, with ties, missing scores, ε and threshold."""

from __future__ import annotations

import math

import numpy as np
import pytest
from brute_force import coefficients as definitions
from coefficient_values import coefficient
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import score_matrices

from metrics_framework.common.errors import PluginError, UsageError
from metrics_framework.meta_evaluation.choices import LEVELS, CoefficientOptions
from metrics_framework.meta_evaluation.coefficients.coefficient import (
    Coefficient,
    GroupCoefficient,
    PairCoefficient,
    WeightedCoefficient,
    resampled_values,
)
from metrics_framework.meta_evaluation.coefficients.lookup import coefficient_names, load_coefficient
from metrics_framework.meta_evaluation.groups.score_pair import ScorePair
from metrics_framework.meta_evaluation.groups.weighted_groups import (
    AllCells,
    Cells,
    Columns,
    Rows,
    SortedRows,
    column_groups,
    row_groups,
)

EVERY = [load_coefficient(name) for name in coefficient_names()]
KEYS = [(one, level) for one in EVERY for level in one.levels]
GROUPED = [(one, level) for one, level in KEYS if isinstance(one, GroupCoefficient)]
SOFT = [(one, level) for one, level in KEYS if one.ceiling_splits == 0]
SIGN_FLIPS = 40
DIFFERENCES = st.sampled_from([0.0, 0.25, 0.5, 0.75])


def names(keys):
    return [f"{one.name}-{level}" for one, level in keys]


def options_for(one):
    """Options that a coefficient uses; ε also where only functions on arrays accept one."""
    used = {"sign_flips": st.just(SIGN_FLIPS), "seed": st.integers(0, 3)} if "sign_flips" in one.uses else {}
    if "stream" in one.uses:
        used["stream"] = st.sampled_from(["default", "mt-metrics-eval"])
    if "threshold" in one.uses:
        used["threshold"] = DIFFERENCES
    if "epsilon" in one.uses or (isinstance(one, PairCoefficient) and "threshold" not in one.uses):
        used["epsilon"] = st.none() | DIFFERENCES
    return st.fixed_dictionaries(used)


@st.composite
def cases(draw, one):
    """A pair of scores, fitted options, and the weights of four resamples."""
    human, metric = draw(score_matrices(least=2))
    options = draw(options_for(one))
    scores = ScorePair(human, metric)
    generator = np.random.default_rng(draw(st.integers(0, 10_000)))
    rows, columns = (generator.multinomial(n, np.full(n, 1 / n), 4).astype(float) for n in scores.shape)
    return scores, CoefficientOptions(**options), rows, columns


def by_definition(one, options):
    """The options under which `brute_force` computes a coefficient."""
    return definitions.Options(
        epsilon=options.epsilon,
        threshold=options.threshold,
        sign_flips=options.sign_flips,
        seed=options.seed,
        stream=options.stream,
        has_epsilon_everywhere=one.name != "kendall-c",
    )


def copied(scores, rows, columns):
    """Copies the systems and inputs that are drawn."""
    return ScorePair(
        *(
            np.repeat(np.repeat(one, rows.astype(int), axis=0), columns.astype(int), axis=1)
            for one in (scores.human, scores.metric)
        )
    )


# --- resamples --------------------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=4)
@given(st.data(), st.sampled_from(["rows", "columns", "both"]))
@pytest.mark.parametrize(("one", "level"), KEYS, ids=names(KEYS))
def test_weights_are_copies_and_weights_of_one_are_the_data(one, level, data, drawn):
    scores, options, rows, columns = data.draw(cases(one))
    if (one, level) in SOFT:  # inputs that a system of the data lacks are left out of all resamples
        scores = ScorePair(*(np.nan_to_num(matrix) for matrix in (scores.human, scores.metric)))
    rows = np.ones_like(rows) if drawn == "columns" else rows
    columns = np.ones_like(columns) if drawn == "rows" else columns
    found = one.measure(scores, level, options)
    fitted = found.options
    ones = [np.ones((3, size)) for size in scores.shape]
    for weights in ((ones[0], None), (None, ones[1]), ones, (None, None)):
        values = one.resampled(scores, level, *weights, fitted)
        assert values.tolist() == pytest.approx([found.value] * len(values), abs=1e-12, nan_ok=True)
    weights = None if drawn == "columns" else rows, None if drawn == "rows" else columns
    values = one.resampled(scores, level, *weights, fitted)
    for value, r, c in zip(values, rows, columns, strict=True):
        expected = one.measure(copied(scores, r, c), level, fitted).value
        assert value == pytest.approx(expected, abs=1e-12, nan_ok=True)


@settings(deadline=None, max_examples=4)
@given(st.data())
@pytest.mark.parametrize("level", LEVELS)
def test_coefficients_that_share_sums_have_the_values_of_each(level, data):
    human, metric = data.draw(score_matrices(least=2))
    wanted = {}
    for one in EVERY:
        if level in one.levels and one.name != "spa":
            options = data.draw(options_for(one))
            wanted[one.name] = one, one.fitted(ScorePair(human, metric), level, CoefficientOptions(**options))[0]
    rows, columns = (np.random.default_rng(1).integers(0, 3, (4, n)).astype(float) for n in human.shape)
    scores = ScorePair(human, metric)
    for weights in ((rows, None), (None, columns), (rows, columns), (None, None)):
        shared = resampled_values(scores, level, wanted, *weights)
        for name, (one, options) in wanted.items():
            alone = one.resampled(scores, level, *weights, options)
            assert shared[name].tolist() == pytest.approx(alone.tolist(), abs=1e-12, nan_ok=True)


@pytest.mark.parametrize(("one", "level"), KEYS, ids=names(KEYS))
def test_there_is_one_value_for_each_resample_of_any_matrix(one, level):
    for shape in ((3, 0), (0, 3), (0, 0), (1, 1), (1, 4), (4, 1), (3, 4), (120, 0)):
        scores = ScorePair(np.arange(float(shape[0] * shape[1])).reshape(shape), np.ones(shape))
        fitted, _ = one.fitted(scores, level, CoefficientOptions(sign_flips=SIGN_FLIPS))
        for resamples in (0, 1, 5):
            rows, columns = (np.ones((resamples, size)) for size in shape)
            for weights in ((rows, None), (None, columns), (rows, columns)):
                assert one.resampled(scores, level, *weights, fitted).shape == (resamples,), shape
        assert one.resampled(scores, level, None, None, fitted).shape == (1,)
        if min(shape) == 0:
            assert math.isnan(one.measure(scores, level, fitted).value)


# --- groups -----------------------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=4)
@given(st.data())
@pytest.mark.parametrize(("one", "level"), KEYS, ids=names(KEYS))
def test_the_coefficient_is_its_definition_and_the_mean_of_its_groups(one, level, data):
    scores, options, _, _ = data.draw(cases(one))
    found = one.measure(scores, level, options)
    values, weights = (function(scores, level, found.options) for function in (one.group_values, one.group_weights))
    assert values.shape == weights.shape
    defined = ~np.isnan(values)
    least, largest = one.range
    assert ((values[defined] >= least) & (values[defined] <= largest)).all()
    mean = float(np.average(values[defined], weights=weights[defined])) if defined.any() else math.nan
    assert found.value == pytest.approx(mean, abs=1e-12, nan_ok=True)
    matrices = scores.human, scores.metric
    expected = definitions.coefficient(one.name, *matrices, level, by_definition(one, found.options))
    assert found.value == pytest.approx(expected, abs=1e-9, nan_ok=True)
    assert found.groups.size in (0, values.size)
    assert found.groups.tolist() == pytest.approx(values[: found.groups.size].tolist(), nan_ok=True)
    if (one, level) in GROUPED:
        axis = {"input": 0, "within-system": 1}.get(level)
        sizes = np.array([scores.points(level)]) if axis is None else scores.present.sum(axis=axis)
        assert np.isnan(values[sizes < one.min_group]).all()


def test_coefficients_are_defined_for_the_least_number_of_outputs():
    for one, level in KEYS:
        agreeing = np.arange(2.0 * one.min_group, step=2)
        scores = ScorePair(*[agreeing[None] if level == "within-system" else agreeing[:, None]] * 2)
        found = one.measure(scores, level, CoefficientOptions(threshold=2))
        assert found.value == one.range[1], (one.name, level)


# --- the general way and the sums that coefficients share -------------------------------------------------------------


def weighted_groups(kind, human, metric, rows, columns):
    """Arranges matrices as groups of one kind; their weights are those of rows, or of both for all cells."""
    if kind is Columns:
        return Columns(human, metric, rows)
    if kind is AllCells:
        return AllCells(Cells(human, metric), rows, columns)
    x, z = (np.resize(one.T, rows.shape).T for one in (human, metric))  # the scores differ among resamples
    return kind(x, z, rows * ~np.isnan(x.T))


@settings(deadline=None, max_examples=4)
@given(st.data())
@pytest.mark.parametrize("kind", [Columns, AllCells, Rows, SortedRows])
@pytest.mark.parametrize("one", dict.fromkeys(one for one, _ in GROUPED), ids=lambda one: one.name)
def test_shared_sums_yield_the_definition_of_each_group(one, kind, data):
    scores, options, rows, columns = data.draw(cases(one))
    groups = weighted_groups(kind, scores.human, scores.metric, rows, columns)
    expected = groups.map(lambda *cells: definitions.of_copies(one.name, *cells, by_definition(one, options)))
    found = one.of_groups(groups, options)
    assert found.shape == expected.shape
    assert found.ravel().tolist() == pytest.approx(expected.ravel().tolist(), abs=1e-12, nan_ok=True)


class PlainCoefficient(WeightedCoefficient):
    """A coefficient by its definition, in the general way only."""

    title = "plain"

    def __init__(self, fast):
        self.fast = fast

    @property
    def name(self):
        return self.fast.name

    def weighted(self, human, metric, weights, options):
        return definitions.of_copies(self.name, human, metric, weights, by_definition(self, options))

    def importance(self, groups, options):
        return self.fast.importance(groups, options)

    def fitted(self, scores, level, options):
        return self.fast.fitted(scores, level, options)


@pytest.mark.parametrize("kernels", ["python", "auto"])
@pytest.mark.parametrize(("one", "level"), GROUPED, ids=names(GROUPED))
def test_large_groups_are_sorted_and_have_the_same_value(one, level, kernels, monkeypatch):
    monkeypatch.setenv("FW_KERNELS", kernels)
    generator = np.random.default_rng(8)
    human, metric = generator.integers(0, 9, (100, 2)) / 4, generator.integers(0, 20, (100, 2)) / 8
    human[generator.random(human.shape) < 0.2] = math.nan
    if level == "within-system":
        human, metric = human.T, metric.T
    scores = ScorePair(human, metric)
    fitted, _ = one.fitted(scores, level, CoefficientOptions(epsilon=0.25 if "epsilon" in one.uses else None))
    rows, columns = (generator.multinomial(n, np.full(n, 1 / n), 2).astype(float) for n in scores.shape)
    for weights in ((rows, None), (rows, columns)):
        fast, slow = (each.resampled(scores, level, *weights, fitted) for each in (one, PlainCoefficient(one)))
        assert fast.tolist() == pytest.approx(slow.tolist(), abs=1e-12, nan_ok=True)


@pytest.mark.parametrize(("blocks_of", "shape"), [(column_groups, (96, 1000)), (row_groups, (4000, 24))])
def test_blocks_of_groups_have_all_groups(blocks_of, shape):
    human, metric = np.random.default_rng(5).integers(0, 9, (2, *shape)) / 4
    weights = np.ones(shape if blocks_of is row_groups else (1, shape[0]))
    blocks = [*blocks_of(human, metric, weights)]
    assert len(blocks) > 1
    for name in ("pearson", "kendall-b"):
        of_blocks = [load_coefficient(name).of_groups(groups, CoefficientOptions()) for _, groups in blocks]
        found = np.concatenate([one.ravel() for one in of_blocks])
        groups = zip(human.T, metric.T, strict=True) if blocks_of is column_groups else zip(human, metric, strict=True)
        for index, (h, m) in enumerate(groups):
            if index % 400 == 0 or index + 1 == len(found):
                assert found[index] == pytest.approx(coefficient([h], [m], name), abs=1e-12)
        assert len(found) == max(shape)


# --- names and declarations -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("one", EVERY, ids=lambda one: one.name)
def test_every_coefficient_declares_itself(one):
    assert one.title
    assert one.levels
    assert {*one.levels} <= {*LEVELS}
    assert one.range[0] < one.range[1]
    assert one.uses <= {"epsilon", "threshold", "good_above", "folds", "sign_flips", "seed", "stream"}
    assert one.on_unit_scale(np.array(one.range)).tolist() == [0, 1]


def test_a_coefficient_without_a_finite_range_is_not_averaged(monkeypatch):
    one = load_coefficient("pearson")
    monkeypatch.setattr(type(one), "range", (-math.inf, 1.0))
    with pytest.raises(UsageError, match="its range, -inf to 1, is not finite"):
        one.on_unit_scale(0.5)


def test_titles_are_distinct():
    assert len({one.title for one in EVERY}) == len(EVERY)


def test_an_alias_is_the_coefficient_itself():
    assert load_coefficient("kendall") is load_coefficient("kendall-b")


class Untitled(WeightedCoefficient):
    """A coefficient without a title."""

    def weighted(self, human, metric, weights, options):
        return human[:, 0]


class Unwritten(Coefficient):
    """A coefficient without a function."""

    title = "none"


class Misplaced(Untitled):
    """A coefficient at an unknown level."""

    title = "misplaced"
    levels = ("segment",)


def registered(broken):
    Coefficient.register("broken")(broken)
    return load_coefficient("broken")


@pytest.mark.parametrize("broken", [Untitled, Unwritten, Misplaced])
def test_an_incomplete_coefficient_is_reported_by_its_name(broken, monkeypatch):
    registry = Coefficient.registry()
    monkeypatch.setattr(registry, "entries", dict(registry.entries))
    with pytest.raises(PluginError, match=r"the coefficient 'broken' (of|must define the method resampled)"):
        registered(broken)
    assert coefficient([[1.0, 2, 4]], [[1.0, 3, 2]], "pearson") == pytest.approx(0.327326835)


# --- means of systems -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("systems", [4, 30, 120])  # compared pair by pair, sorted in each resample, sorted in the data
@pytest.mark.parametrize("name", ["kendall-like", "acc-23", "tau-23", "acc-eq"])
def test_differences_of_means_that_equal_the_threshold_or_epsilon_up_to_rounding_count_as_equal(name, systems):
    """Means of thirds: every second difference is 1/3 or 1/12 before rounding, in whatever order inputs are added."""
    generator = np.random.default_rng(4)
    human, metric = generator.integers(0, 9, (2, systems, 3)) / 4
    exact = [np.array([[round(12 * row.mean())] * 3 for row in matrix], float) for matrix in (human, metric)]
    one = load_coefficient(name)
    options, whole = CoefficientOptions(), CoefficientOptions()
    if name == "kendall-like":
        options, whole = CoefficientOptions(threshold=1 / 3), CoefficientOptions(threshold=4.0)
    elif name != "acc-eq":
        options, whole = CoefficientOptions(epsilon=1 / 12), CoefficientOptions(epsilon=1.0)
    rows = generator.multinomial(systems, np.full(systems, 1 / systems), 3).astype(float)
    found, wanted = (
        one.measure(ScorePair(*pair), "system", how) for pair, how in (((human, metric), options), (exact, whole))
    )
    assert found.value == pytest.approx(wanted.value, abs=1e-12)
    for weights in ((rows, None), (rows, np.ones((3, 3)))):
        values = one.resampled(ScorePair(human, metric), "system", *weights, found.options)
        expected = one.resampled(ScorePair(*exact), "system", *weights, wanted.options)
        assert values.tolist() == pytest.approx(expected.tolist(), abs=1e-12, nan_ok=True)


# --- the threshold of kendall-like ------------------------------------------------------------------------------------


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("repeats", [1, 60])  # few points are compared pair by pair, many after sorting
@pytest.mark.parametrize(
    ("threshold", "tau"),  # of human scores 0, 25 and 49, and scores of a metric 1, 3 and 2
    [
        (np.nextafter(24, 0), 1 / 3),  # 2 of 3 pairs are concordant
        (24.0, 1 / 3),
        (np.nextafter(24, 99), 1.0),  # 25 and 49 are tied
        (25.0, 1.0),
        (np.nextafter(25, 99), 1.0),  # only 0 and 49 are apart
        (49.0, 1.0),
        (np.nextafter(49, 99), math.nan),
    ],
)
def test_human_scores_that_differ_by_the_threshold_are_apart(level, repeats, threshold, tau):
    human, metric = (np.array([values] * repeats, dtype=float).T for values in ([0, 25, 49], [1, 3, 2]))
    if level == "within-system":
        human, metric = human.T, metric.T
    found = load_coefficient("kendall-like")
    scores, options = ScorePair(human, metric), CoefficientOptions(threshold=threshold)
    assert found.measure(scores, level, options).value == pytest.approx(tau, abs=1e-12, nan_ok=True)
    ones = [np.ones((2, size)) for size in scores.shape]
    values = found.resampled(scores, level, *ones, options)
    assert values.tolist() == pytest.approx([tau] * 2, abs=1e-12, nan_ok=True)
