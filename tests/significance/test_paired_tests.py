"""Paired tests: against sacreBLEU and SciPy, and worked by hand."""

from __future__ import annotations

import itertools
import math
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import sampled
from significance_cases import CORPUS_METRICS, Texts, means, some_numbers

from metrics_framework.common.arrays import Floats
from metrics_framework.common.errors import InputError
from metrics_framework.metrics.base.metric import load
from metrics_framework.significance import paired_tests
from metrics_framework.significance.paired_tests import paired_p_values
from metrics_framework.significance.resampling import SACREBLEU_SEED, Resampling, swap_weights
from metrics_framework.significance.score_vectors import ScoreVectors


def by_sacrebleu(ours: str, theirs: str, kind: str, trials: int) -> tuple[float, tuple[ScoreVectors, ScoreVectors]]:
    """Returns sacreBLEU's p-value of two systems, and their outputs."""
    metrics, significance = pytest.importorskip("sacrebleu.metrics"), pytest.importorskip("sacrebleu.significance")
    texts, metric = Texts(90, seed=5), load(ours)
    systems = [("good", texts.good), ("bad", texts.bad)]
    _, scores = significance.PairedTest(systems, {theirs: getattr(metrics, theirs)()}, texts.streams(), kind, trials)()
    (found,) = [values[1].p_value for name, values in scores.items() if name != "System"]
    return found, (texts.outputs(metric, texts.good), texts.outputs(metric, texts.bad))


@pytest.mark.parametrize(("ours", "theirs"), sampled(CORPUS_METRICS, 1))
def test_randomization_is_that_of_sacrebleu_but_for_ties(ours: str, theirs: str) -> None:
    """sacreBLEU does not count trials whose difference is as large as the one observed; here they count."""
    resampling = Resampling(2000, SACREBLEU_SEED)
    expected, pair = by_sacrebleu(ours, theirs, "ar", 2000)
    (found,) = paired_p_values([pair], resampling=resampling)
    (swapped,) = swap_weights(90, resampling)
    changes = swapped @ (pair[1].vectors - pair[0].vectors)
    first, second = (pair[0].vectors.sum(0) + changes, pair[1].vectors.sum(0) - changes)
    trials = pair[0].scores_of(first)[ours] - pair[1].scores_of(second)[ours]
    good, bad = (one.score()[ours][0] for one in pair)
    ties = (abs(abs(trials) - abs(good - bad)) < 1e-9).sum()
    assert found.p_values[ours] == pytest.approx(expected + ties / 2001, abs=1e-12)
    assert 0.001 < expected < 0.999
    assert (ties > 0) == (ours == "ter")


def test_the_resampled_differences_are_those_of_sacrebleu_though_the_test_is_two_sided() -> None:
    """sacreBLEU takes the absolute difference before it centres them, which makes its bootstrap test one-sided."""
    p_value, pair = by_sacrebleu("bleu", "BLEU", "bs", 1000)
    good, bad = (one.scores_of(one.vectors.sum(0, keepdims=True))["bleu"][0] for one in pair)
    draws = np.random.default_rng(12345).choice(90, size=(1000, 90), replace=True)
    first, second = (one.scores_of(one.vectors[draws].sum(1))["bleu"] for one in pair)
    one_sided = abs(first - second) - abs(first - second).mean()
    expected = ((one_sided > abs(good - bad)).sum() + 1) / 1001
    assert p_value == pytest.approx(expected, abs=1e-12)
    centred = (first - second) - (first - second).mean()
    (found,) = paired_p_values([pair], "bootstrap", Resampling(seed=SACREBLEU_SEED))
    assert found.p_values["bleu"] == ((abs(centred) >= abs(good - bad)).sum() + 1) / 1001


@pytest.mark.parametrize("kind", ["ar", "bs"])
@pytest.mark.parametrize(("ours", "theirs"), sampled(CORPUS_METRICS, 1))
def test_the_tests_of_sacrebleu_have_its_p_values(ours: str, theirs: str, kind: Literal["ar", "bs"]) -> None:
    expected, pair = by_sacrebleu(ours, theirs, kind, 500)
    (found,) = paired_p_values([pair], f"paired-{kind}", Resampling(1000, SACREBLEU_SEED, trials=500))
    assert found.p_values[ours] == pytest.approx(expected, abs=1e-12)
    assert found.p_values[ours] < 0.999
    (equal,) = paired_p_values([(pair[0], pair[0])], f"paired-{kind}")
    assert equal.p_values[ours] == 1.0  # sacreBLEU: 1 / 1001


@pytest.mark.parametrize("test", ["randomization", "bootstrap"])
def test_a_score_that_no_output_has_has_no_p_value(test: Literal["randomization", "bootstrap"]) -> None:
    none = means([math.nan, math.nan])
    (compared,) = paired_p_values([(none, none)], test, Resampling(50))
    assert math.isnan(float(compared.p_values["m"]))
    assert math.isnan(float(compared.differences["m"]))


def test_every_swap_counts_by_hand() -> None:
    """Scores 3 1 and 1 0: d = 2 - .5 = 1.5; swaps of none, the first, the second, both: 1.5, -.5, .5, -1.5."""
    (found,) = paired_p_values([(means([3.0, 1.0]), means([1.0, 0.0]))])
    assert found == ({"m": 2 / 4}, 2, {"m": -1.5}, 2, True, {})


def test_random_swaps_count_the_observed_difference_as_one_more(monkeypatch: pytest.MonkeyPatch) -> None:
    swaps = np.zeros((20, 12))
    swaps[:9, 0] = 1.0  # the first input differs most; swapping it makes the difference smaller
    monkeypatch.setattr(paired_tests, "swap_weights", lambda inputs, resampling, width: iter([swaps]))
    monkeypatch.setattr(Resampling, "enumerates", lambda self, inputs: False)
    (found,) = paired_p_values([(means([9.0, *[1.0] * 11]), means([0.0] * 12))], resampling=Resampling(20, level=0.9))
    assert found.p_values == {"m": (11 + 1) / (20 + 1)}
    assert (found.trials, found.exact) == (20, False)


@pytest.mark.parametrize("inputs", sampled(range(2, 12), 3))
def test_few_inputs_have_the_exact_p_value_of_scipy_with_every_seed(inputs: int) -> None:
    from scipy.stats import permutation_test

    def difference(x: Floats, y: Floats) -> float:
        return abs(float(np.mean(x) - np.mean(y)))

    one, other = (np.round(some_numbers(inputs, seed), 1).tolist() for seed in (3, 4))
    exact = permutation_test(
        (one, other),
        difference,
        permutation_type="samples",
        n_resamples=np.inf,
        alternative="greater",
        vectorized=False,
    )
    for seed in (1, 41):
        (found,) = paired_p_values([(means(one), means(other))], resampling=Resampling(seed=seed))
        assert found.p_values["m"] == pytest.approx(exact.pvalue, abs=1e-12)
        assert (found.trials, found.exact) == (2 ** (inputs - 1), True)


@pytest.mark.parametrize(("inputs", "resamples", "exact"), [(14, 40, True), (15, 16383, False), (15, 16384, True)])
def test_all_swaps_are_enumerated_if_they_are_no_more_than_the_trials(inputs: int, resamples: int, exact: bool) -> None:
    outputs = means(some_numbers(inputs, 1)), means(some_numbers(inputs, 2))
    (found,) = paired_p_values([outputs], resampling=Resampling(resamples))
    assert (found.exact, found.trials) == (exact, 2 ** (inputs - 1) if exact else resamples)


@pytest.mark.parametrize("name", ["bleu", "ter"])
def test_the_exact_p_value_of_a_corpus_score_is_that_of_all_swaps_of_texts(name: str) -> None:
    texts, metric = Texts(6, seed=2), load(name)
    (found,) = paired_p_values([(texts.outputs(metric, texts.good), texts.outputs(metric, texts.bad))])
    differences = []
    for swaps in itertools.product([False, True], repeat=6):
        both = [(b, g) if swap else (g, b) for g, b, swap in zip(texts.good, texts.bad, swaps, strict=True)]
        one, other = (metric.evaluate(list(side), texts.references_list)[0][name] for side in zip(*both, strict=True))
        differences.append(abs(one - other))
    assert found.p_values[name] == np.mean([value >= differences[0] - 1e-9 for value in differences])


def test_one_input_shows_no_difference() -> None:
    (found,) = paired_p_values([(means([9.0]), means([1.0]))])
    assert found == ({"m": 1.0}, 1, {"m": -8.0}, 1, True, {})


def test_systems_are_compared_on_common_inputs() -> None:
    one, other = some_numbers(6, 1), some_numbers(6, 2)
    more = means([*one, 99.0], [*"abcdef", "only here"]), means([-5.0, *other], ["10", *"abcdef"])
    (found,) = paired_p_values([more])
    (expected,) = paired_p_values([(means(one, "abcdef"), means(other, "abcdef"))])
    assert found == expected
    assert found.inputs == 6


def test_systems_without_a_common_input_cannot_be_compared() -> None:
    with pytest.raises(InputError, match="two systems that share no input"):
        paired_p_values([(means([1.0], ["a"]), means([1.0], ["b"]))])


def test_systems_under_different_metrics_cannot_be_compared() -> None:
    texts = Texts(3)
    with pytest.raises(InputError, match=r"by the same metric, got bleu.* and ter"):
        paired_p_values([(texts.outputs(load("bleu"), texts.good), texts.outputs(load("ter"), texts.good))])
    with pytest.raises(InputError, match=r"by the same metric, got m .* and k .*, m"):
        paired_p_values([(means([1.0]), ScoreVectors.of_scores(["0"], [{"m": 1.0, "k": 1.0}]))])


@given(st.lists(st.tuples(st.floats(-9, 9), st.floats(-9, 9)), min_size=1, max_size=9))
@settings(max_examples=50)
def test_the_order_of_two_systems_does_not_change_the_p_value(pairs: list[tuple[float, float]]) -> None:
    one, other = (means([round(value, 3) for value in values]) for values in zip(*pairs, strict=True))
    for test in ("randomization", "bootstrap"):
        found = paired_p_values([(one, other), (other, one)], test, Resampling(50))
        assert found[0][:2] == found[1][:2]
        assert found[0].differences["m"] == -found[1].differences["m"]
        assert 1 / 256 <= found[0].p_values["m"] <= 1


def test_an_unknown_test_is_refused() -> None:
    expected = "'test' must be one of randomization, bootstrap, bootstrap-t, paired-ar, paired-bs, got 't'"
    with pytest.raises(InputError, match=expected):
        paired_p_values([], "t")


@given(
    st.lists(st.tuples(*[st.none() | st.integers(0, 9)] * 4), min_size=2, max_size=14).filter(
        lambda rows: all(None not in row or len(rows) > 2 for row in rows)
    ),
    st.sampled_from(["randomization", "bootstrap", "paired-ar", "paired-bs"]),
)
@settings(max_examples=60)
def test_each_score_is_tested_on_the_inputs_for_which_both_systems_have_it(
    rows: list[tuple[int | None, ...]], test: Literal["randomization", "bootstrap", "paired-ar", "paired-bs"]
) -> None:
    """The scores x and y of two systems; each is tested as if there were no other score and no other input."""
    ids, resampling = [str(number) for number in range(len(rows))], Resampling(40)
    pair = [
        ScoreVectors.of_scores(ids, [{"x": row[place], "y": [row[place + 1], 1.0]} for row in rows]) for place in (0, 2)
    ]
    (found,) = paired_p_values([(pair[0], pair[1])], test, resampling)
    assert found.inputs == len(rows)
    for name, places in (("x", (0, 2)), ("y", (1, 3))):
        kept = [number for number, row in enumerate(rows) if None not in (row[places[0]], row[places[1]])]
        assert (found.scored[name].inputs if name in found.scored else len(rows)) == len(kept)
        p = found.p_values[name] if name == "x" else found.p_values[name][0]
        if not kept:
            assert math.isnan(p)
            continue
        alone = [means([float(rows[number][place] or 0) for number in kept]) for place in places]
        (expected,) = paired_p_values([(alone[0], alone[1])], test, resampling)
        assert p == expected.p_values["m"]
        assert name not in found.scored or found.scored[name][1:] == (expected.trials, expected.exact)


def test_clusters_are_those_of_the_inputs_with_a_score() -> None:
    one, other = means([1.0, math.nan, 3.0, 4.0]), means([2.0, 5.0, math.nan, 1.0])
    clusters = {name: "document" if name in one.inputs[:2] else name for name in one.inputs}
    (found,) = paired_p_values([(one, other)], clusters=clusters)
    assert (found.scored["m"].inputs, found.scored["m"].trials) == (2, 2), "two clusters of one input each"
    assert (found.inputs, found.trials) == (4, 4), "three clusters"


def test_statistics_are_tested_on_all_inputs() -> None:
    """The score of a corpus needs no score of each output."""
    fkgl: Any = load("fkgl:splitter=none")
    vectors = [
        ScoreVectors.of_statistics(fkgl, ["1", "2", "3"], [fkgl.statistics(text) for text in texts])
        for texts in (["", "a cat sat", "so it did"], ["a dog", "", "animals ran"])
    ]
    (found,) = paired_p_values([(vectors[0], vectors[1])])
    assert (found.inputs, found.scored) == (3, {})
