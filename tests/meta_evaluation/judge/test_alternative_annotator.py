"""`alt_test`: numbers of the authors' code, a slow twin, and degenerate data."""

from __future__ import annotations

import csv
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from metrics_framework.common.errors import InputError, UnknownChoiceError
from metrics_framework.meta_evaluation import alt_test
from metrics_framework.meta_evaluation.judge.alternative_annotator import RaterDifferences, signed_rank_p

RATERS = {k: {i: 1 + (i * i + 3 * i // 2 + (i * k % 3)) % 5 for i in range(40) if (i + k) % 7} for k in (1, 2, 3)}
JUDGE = {i: 1 + (i * i + 3 * i // 2 + i % 2) % 5 for i in range(40)}
NUMBERS = [  # scoring, ε, ρ, ω; computed with the code of Calderon et al. (2025)
    ("accuracy", 0.1, 0.826890756, 0.666666667),
    ("accuracy", 0.2, 0.826890756, 1),
    ("neg_rmse", 0.1, 0.673949580, 0),
    ("neg_rmse", 0.2, 0.673949580, 0),
]


@pytest.fixture(scope="module")
def simplicity(shared_path):
    ratings = {}
    with shared_path("data/simplicity_da/simplicity_DA_ratings.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            ratings.setdefault(row["rater_id"], {})[row["sent_id"], row["sys_name"]] = float(row["simplicity"])
    return ratings


def twin(judge, humans, scoring, epsilon, q=0.05, min_humans=2, min_instances=30):
    """The test by its definition, one unit after the other, with the t-test of SciPy."""
    from scipy.stats import ttest_1samp

    def score(value, others):
        if scoring == "accuracy":
            return sum(value == other for other in others) / len(others)
        return -math.sqrt(sum((value - other) ** 2 for other in others) / len(others))

    raters_of = {}
    for name, rated in humans.items():
        for unit in rated:
            raters_of.setdefault(unit, []).append(name)
    p_values, shares = [], []
    for name, rated in humans.items():
        units = [unit for unit in rated if unit in judge and len(raters_of[unit]) >= min_humans]
        if len(units) < min_instances:
            continue
        differences, by_judge = [], []
        for unit in units:
            others = [humans[other][unit] for other in raters_of[unit] if other != name]
            of_judge, of_rater = score(judge[unit], others), score(rated[unit], others)
            by_judge.append(of_judge >= of_rater)
            differences.append(int(of_rater >= of_judge) - int(of_judge >= of_rater))
        constant = len(set(differences)) == 1
        p = float(differences[0] >= epsilon) if constant else ttest_1samp(differences, epsilon, alternative="less")[1]
        p_values.append(p)
        shares.append(sum(by_judge) / len(by_judge))
    m, ordered = len(p_values), sorted(p_values)
    harmonic = sum(1 / i for i in range(1, m + 1))
    rejected = max((k for k in range(1, m + 1) if ordered[k - 1] <= k * q / (m * harmonic)), default=0)
    return rejected / m, sum(shares) / m


@pytest.mark.parametrize(("scoring", "epsilon", "advantage", "winning"), NUMBERS)
def test_numbers_of_the_authors_code(scoring, epsilon, advantage, winning):
    test = alt_test(JUDGE, RATERS, scoring=scoring, epsilon=epsilon)
    assert (round(test.advantage_probability, 9), round(test.winning_rate, 9)) == (advantage, winning)
    assert test.passes is (winning >= 0.5)


@pytest.mark.parametrize(("epsilon", "winning"), [(0, 0.292682927), (0.1, 0.536585366), (0.2, 0.756097561)])
def test_a_constant_passes_on_simplicity_da(simplicity, epsilon, winning):
    constant = {unit: 50.97111111 for rated in simplicity.values() for unit in rated}
    test = alt_test(constant, simplicity, scoring="neg_rmse", epsilon=epsilon)
    assert (round(test.advantage_probability, 9), round(test.winning_rate, 9)) == (0.584939035, winning)
    assert len(test.raters) == 41
    assert len(test.left_out_raters) == 26
    assert all(n < 30 for n in test.left_out_raters.values())


def test_a_constant_cannot_win_by_ranks(simplicity):
    constant = {unit: 50.97111111 for rated in simplicity.values() for unit in rated}
    nearly = {unit: 50 + (index == 7) for index, unit in enumerate(constant)}
    for judge in (constant, nearly):
        test = alt_test(judge, simplicity, scoring="ranks", epsilon=0.2)
        assert test.winning_rate < 0.2
        assert test.advantage_probability < 0.4


def test_ranks_do_not_depend_on_the_scale():
    stretched = {
        name: {unit: value**3 * 10.0**index for unit, value in rated.items()}
        for index, (name, rated) in enumerate(RATERS.items())
    }
    test = alt_test(JUDGE, RATERS, scoring="ranks", epsilon=0.1)
    other = alt_test({unit: math.exp(value) for unit, value in JUDGE.items()}, stretched, scoring="ranks", epsilon=0.1)
    assert [rater.judge_wins for rater in test.raters] == [rater.judge_wins for rater in other.raters]


@pytest.mark.parametrize("scoring", ["accuracy", "neg_rmse"])
@given(seed=st.integers(0, 10**6))
@settings(max_examples=30)
def test_a_slow_twin_finds_the_same(scoring, seed):
    stream = np.random.default_rng(seed)
    units, raters, top = stream.integers(30, 60), stream.integers(2, 6), stream.integers(2, 6)
    humans = {
        f"r{name}": {int(unit): int(stream.integers(top)) for unit in np.flatnonzero(stream.random(units) < 0.9)}
        for name in range(raters)
    }
    judge = {unit: int(stream.integers(top)) for unit in range(units)}
    epsilon, least = round(float(stream.random()) * 0.3, 2), 30
    try:
        expected = twin(judge, humans, scoring, epsilon, min_instances=least)
    except ZeroDivisionError:
        with pytest.raises(InputError, match="no rater has 30 units"):
            alt_test(judge, humans, scoring=scoring, epsilon=epsilon)
        return
    test = alt_test(judge, humans, scoring=scoring, epsilon=epsilon, variance="published")
    assert (test.winning_rate, test.advantage_probability) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("least", [30, 5])
def test_one_cluster_for_each_unit_changes_nothing_but_the_number_of_clusters(least):
    judge = {unit: value for unit, value in JUDGE.items() if least == 30 or unit < 20}
    names = {unit: f"d{unit}" for unit in range(40)}
    options = {"scoring": "neg_rmse", "epsilon": 0.1, "min_instances": least, "variance": "published"}
    plain, clustered = alt_test(judge, RATERS, **options), alt_test(judge, RATERS, **options, clusters=names)
    assert [replace(rater, clusters=None) for rater in clustered.raters] == list(plain.raters)
    assert all(rater.clusters == rater.n and rater.is_by_ranks is (least == 5) for rater in clustered.raters)


def test_the_test_of_clusters_has_the_error_of_clustered_values():
    from scipy.stats import t as student

    units = {unit: unit // 4 for unit in range(40)}
    options = {"scoring": "accuracy", "epsilon": 0.1, "variance": "published"}
    test = alt_test(JUDGE, RATERS, **options, clusters=units)
    plain = alt_test(JUDGE, RATERS, **options)
    for rater, other in zip(test.raters, plain.raters, strict=True):
        rated = RATERS[int(rater.rater)]
        agree = {u: [float(RATERS[k][u] == x) for k in RATERS if k != int(rater.rater) and u in RATERS[k]]
                 for u in rated for x in [rated[u]]}  # fmt: skip
        judged = {u: [float(RATERS[k][u] == JUDGE[u]) for k in RATERS if k != int(rater.rater) and u in RATERS[k]]
                  for u in rated}  # fmt: skip
        used = [u for u in rated if agree[u]]
        d = np.array([float(sum(agree[u]) >= sum(judged[u])) - float(sum(judged[u]) >= sum(agree[u])) for u in used])
        groups = sorted({u // 4 for u in used})
        sums = [sum(d[i] - d.mean() for i, u in enumerate(used) if u // 4 == group) for group in groups]
        count = len(groups)
        error = math.sqrt(sum(x * x for x in sums) * count / (count - 1)) / len(d)
        assert rater.clusters == count
        assert rater.p_value == pytest.approx(student.cdf((d.mean() - 0.1) / error, count - 1), abs=1e-12)
        assert rater.p_value != pytest.approx(other.p_value, abs=1e-6)
        assert (rater.judge_wins, rater.rater_wins) == (other.judge_wins, other.rater_wins)


def test_labels_may_be_words_and_missing_values_are_left_out():
    words = {name: {unit: "xyzuvw"[value] for unit, value in rated.items()} for name, rated in RATERS.items()}
    words["lazy"] = dict.fromkeys(range(40), None)
    judge = {unit: "xyzuvw"[value] for unit, value in JUDGE.items()}
    test = alt_test(judge, words, scoring="accuracy", epsilon=0.1)
    assert round(test.advantage_probability, 9) == 0.826890756
    assert test.left_out_raters == {"lazy": 0}
    judge[3] = math.nan
    assert alt_test(judge, words, scoring="accuracy", epsilon=0.1).left_out_units["no judgement"] == 1


def line(count, *values):
    return {unit: values[unit % len(values)] for unit in range(count)}


DEGENERATE = [  # judge, humans, scoring, ε, p-values, why
    (line(30, 1), {"a": line(30, 1), "b": line(30, 1)}, "neg_rmse", 0.1, [0, 0], "d is 0 everywhere, below ε"),
    (line(30, 1), {"a": line(30, 1), "b": line(30, 1)}, "neg_rmse", 0, [1, 1], "d is 0 everywhere, equal to ε"),
    (line(30, 9), {"a": line(30, 1), "b": line(30, 1)}, "accuracy", 0.2, [1, 1], "d is 1 everywhere"),
    (line(30, 9), {"a": line(30, 1), "b": line(30, 1)}, "accuracy", 1, [1, 1], "d is 1, equal to ε"),
    (line(30, 1e308), {"a": line(30, 1e308), "b": line(30, 1.7e308)}, "neg_rmse", 0.1, [0, 0], "no overflow"),
    (line(30, 1e-300), {"a": line(30, 1e-300), "b": line(30, 3e-300)}, "neg_rmse", 0.1, [0, 0], "no underflow"),
]


@pytest.mark.parametrize(("judge", "humans", "scoring", "epsilon", "p_values", "why"), DEGENERATE)
def test_constant_differences_have_defined_p_values(judge, humans, scoring, epsilon, p_values, why):
    test = alt_test(judge, humans, scoring=scoring, epsilon=epsilon, variance="published")
    assert [rater.p_value for rater in test.raters] == p_values, why


def test_the_variance_of_differences_has_a_floor():
    same = line(60, 1)
    floor, published = (
        alt_test(same, {"a": same, "b": same}, scoring="accuracy", epsilon=0.1, variance=variance)
        for variance in ("floor", "published")
    )
    expected = stats.t.cdf(-0.1 / math.sqrt(0.1 * 0.9 / 60), 59)  # all differences are 0
    assert [rater.p_value for rater in floor.raters] == pytest.approx([expected] * 2)
    assert [rater.p_value for rater in published.raters] == [0, 0]
    with pytest.raises(UnknownChoiceError, match="'variance'"):
        alt_test(same, {"a": same, "b": same}, scoring="accuracy", epsilon=0.1, variance="none")


@pytest.mark.parametrize(("units", "epsilon"), [(15, 0.15), (29, 0.15), (30, 0.1), (50, 0.15), (100, 0.2)])
def test_raters_who_nearly_always_agree_do_not_pass_judges_too_often(units, epsilon):
    stream = np.random.default_rng(0)
    shares, rejected = [1 - epsilon - 0.02, epsilon + 0.01, 0.01], np.zeros(2)
    for _ in range(400):
        differences = RaterDifferences([stream.choice([0.0, 1, -1], size=units, p=shares)])
        rejected += [differences.p_values(epsilon, least)[0] <= 0.05 for least in (epsilon * (1 - epsilon), 0.0)]
    assert rejected[0] / 400 <= 0.09
    assert rejected[0] <= rejected[1]


def test_equally_distant_values_tie_despite_rounding():
    humans = {"a": line(30, 0.1), "b": line(30, 0.2)}
    test = alt_test(line(30, 0.30000000000000004), humans, scoring="neg_rmse", epsilon=0.1)
    assert test.raters[0].judge_wins == test.raters[0].rater_wins == 1


def test_few_units_are_refused_unless_allowed():
    humans = {name: {unit: value for unit, value in rated.items() if unit < 12} for name, rated in RATERS.items()}
    with pytest.raises(InputError, match=r"at most 1[01] of one rater"):
        alt_test(JUDGE, humans, scoring="accuracy", epsilon=0.1)
    assert len(alt_test(JUDGE, humans, scoring="accuracy", epsilon=0.1, min_instances=8).raters) == 3


@settings(max_examples=25)
@given(st.lists(st.sampled_from([-1, -0.5, 0, 0.5, 1, 2]), min_size=2, max_size=8))
def test_the_signed_rank_test_is_that_of_scipy(values):
    from scipy.stats import PermutationMethod, wilcoxon

    differences = np.array(values, dtype=float)
    if not differences.any():
        assert signed_rank_p(differences) == 1
        return
    found = wilcoxon(differences, alternative="less", method=PermutationMethod(n_resamples=1 << 12))
    assert signed_rank_p(differences) == pytest.approx(found.pvalue, abs=1e-12)
