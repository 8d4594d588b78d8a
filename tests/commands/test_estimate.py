"""``fw estimate``, run as the command line runs it."""

from __future__ import annotations

import csv
import io
import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from messages import NO_BETTER_THAN_CHANCE
from scipy import stats

import metrics_framework as metrics
from metrics_framework.evaluation.external_sort import Run
from metrics_framework.meta_evaluation import misclassification, predicted_mean


@pytest.fixture
def files(datasets_path) -> list[Path]:
    return [str(datasets_path / "judging/ratings.csv"), str(datasets_path / "judging/judgements.csv")]


def arrays(files, rating, judge, system, good=None):
    """Reads ratings and scores by input with nothing but the csv module."""
    by_input, scores = {}, {}
    for row in csv.DictReader(Path(files[0]).read_text(encoding="utf-8").splitlines()):
        if row["system"] == system:
            by_input.setdefault(row["id"], []).append(float(row[rating] == good) if good else float(row[rating]))
    for row in csv.DictReader(Path(files[1]).read_text(encoding="utf-8").splitlines()):
        if row["system"] == system:
            scores[row["id"]] = float(row[judge] == good) if good else float(row[judge])
    return {unit: float(np.mean(values)) for unit, values in by_input.items()}, scores


def test_means_and_differences_are_those_of_the_array_functions(fw: Run, files: Callable[[str], str]) -> None:
    done = fw("estimate", *files, "--rating", "helpfulness", "--judge", "model", "--format", "json")
    assert done.code == 0, done.err
    found = json.loads(done.out)["judges"][0]
    data = {system: arrays(files, "helpfulness", "model", system) for system in ("new", "old")}
    for entry in found["systems"]:
        ratings, scores = data[entry["system"]]
        rest = [score for unit, score in scores.items() if unit not in ratings]
        expected = predicted_mean(list(ratings.values()), [scores[unit] for unit in ratings], rest)
        assert entry["mean"]["value"] == pytest.approx(expected.value)
        assert entry["mean"]["lower"] == pytest.approx(expected.lower)
        assert entry["mean"]["ratings_saved"] == pytest.approx(expected.ratings_saved)
    (new, new_scores), (old, old_scores) = data["new"], data["old"]
    differences = {unit: new_scores[unit] - old_scores[unit] for unit in new_scores}
    rated = [unit for unit in new if unit in old]
    expected = predicted_mean(
        [new[unit] - old[unit] for unit in rated],
        [differences[unit] for unit in rated],
        [value for unit, value in differences.items() if unit not in rated],
    )
    pair = found["differences"][0]
    assert (pair["system1"], pair["system2"], pair["rated"]) == ("new", "old", 80)
    assert pair["mean"]["value"] == pytest.approx(expected.value)
    t = expected.value / expected.standard_error
    assert pair["p_value"] == pair["p_adjusted"] == pytest.approx(2 * stats.t.sf(abs(t), 78))
    assert (pair["mean"]["interval"], pair["mean"]["degrees_of_freedom"]) == ("t", 78)


def test_pass_fail_judges_are_corrected(fw: Run, files: Callable[[str], str]) -> None:
    words = ("--rating", "solved", "--judge", "verdict", "--pass-fail", "--format", "json")
    share = json.loads(fw("estimate", *files, *words).out)["judges"][0]["shares"][0]
    means, verdicts = arrays(files, "solved", "verdict", "new", good="yes")
    ratings = {unit: mean > 0.5 for unit, mean in means.items()}
    good = [verdicts[unit] for unit, is_good in ratings.items() if is_good]
    bad = [verdicts[unit] for unit, is_good in ratings.items() if not is_good]
    rest = [verdict for unit, verdict in verdicts.items() if unit not in ratings]
    expected = misclassification(np.mean(rest), 1 - np.mean(bad), np.mean(good), n=len(rest), m0=len(bad), m1=len(good))
    assert share["counts"] == {"unrated": len(rest), "rated_bad": len(bad), "rated_good": len(good)}
    assert share["corrected"]["value"] == pytest.approx(expected.value)
    assert share["corrected"]["lower"] == pytest.approx(expected.lower)
    assert share["sensitivity"]["value"] == pytest.approx(np.mean(good))


def test_ratings_of_0_and_1_have_score_intervals_and_their_differences_those_of_student(
    fw: Run, files: Callable[[str], str]
) -> None:
    words = ("--rating", "solved", "--judge", "verdict", "--pass-fail")
    found = json.loads(fw("estimate", *files, *words, "--format", "json").out)["judges"][0]
    means, verdicts = arrays(files, "solved", "verdict", "new", good="yes")
    ratings = {unit: float(mean > 0.5) for unit, mean in means.items()}
    rest = [verdict for unit, verdict in verdicts.items() if unit not in ratings]
    expected = predicted_mean(list(ratings.values()), [verdicts[unit] for unit in ratings], rest)
    mean = found["systems"][0]["mean"]
    assert (mean["interval"], found["differences"][0]["mean"]["interval"]) == ("score", "t")
    assert (mean["lower"], mean["upper"]) == pytest.approx((expected.lower, expected.upper))
    assert mean["rarer"] == min(sum(ratings.values()), 80 - sum(ratings.values()))
    assert found["shares"][0]["predicted"] == mean
    printed = " ".join(fw("estimate", *files, *words).out.split())
    assert "Wilson's score interval with Student's t for 0/1 ratings, Student's t for differences" in printed
    rows = list(csv.DictReader(io.StringIO(fw("estimate", *files, *words, "--format", "csv").out)))
    assert [row["interval"] for row in rows] == ["score", "score", "t"]


def test_ratings_that_happen_to_be_0_or_1_in_one_system_have_the_interval_of_the_others() -> None:
    rows = [
        {"id": unit, "system": system, "people": rating, "model": unit % 4}
        for system, ratings in (("a", [1, 1, 0]), ("b", [1, 5, 3]))
        for unit, rating in enumerate(ratings * 20)
    ]
    with pytest.warns(UserWarning, match="every scored output is rated"):
        result = metrics.estimate(rows, "people", "model")
    assert {result[system].mean.interval for system in "ab"} == {"t"}


def rows_of(ratings, clusters=None):
    """Returns rows of one system with these ratings, and twice as many outputs with a score only."""
    many = [*ratings, *[None] * (2 * len(ratings))]
    document = (lambda unit: unit) if clusters is None else (lambda unit: unit // clusters)
    return [
        {"id": unit, "people": rating, "model": unit * 7 % 5, "document": document(unit)}
        for unit, rating in enumerate(many)
    ]


INTERVALS = [  # ratings, outputs of a cluster, part of the warning or none, why
    ([1, 2, 3, 4, 5] * 20, None, None, "many ratings without skewness"),
    ([1, 2, 3, 4, 5], None, None, "few ratings without skewness"),
    (
        [1] * 34 + [2] * 34 + [3] * 34,
        34,
        "without an interval, which needs 4 clusters with ratings, and 2 without",
        "few clusters",
    ),
    ([1] * 95 + [5] * 5, None, "1 system with skewed ratings (skewness up to 4.1, with 100 ratings)", "skewed"),
    ([3] * 100, None, "1 system with equal ratings only", "constant"),
    ([0, 1] * 10, None, None, "score intervals of 20 ratings"),
    (
        [0] * 91 + [1] * 9,
        None,
        "1 system with fewer than 10 ratings or clusters of the rarer class (9 or more)",
        "rare",
    ),
    (([0] * 9 + [1]) * 10, 25, "rarer class (4 or more)", "ten good outputs in four clusters"),
]


@pytest.mark.parametrize(("ratings", "clusters", "message", "why"), INTERVALS, ids=[case[-1] for case in INTERVALS])
def test_intervals_that_may_be_too_short_are_reported_with_their_coverage(
    ratings: Any, clusters: list[int], message: str, why: str
) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        cluster = None if clusters is None else "document"
        metrics.estimate(rows_of(ratings, clusters), "people", "model", cluster=cluster)
    found = [str(warning.message) for warning in caught]
    assert (message is None) == (found == []), why
    assert message is None or [message in text for text in found] == [True], found


def test_fewer_than_four_ratings_are_refused_with_the_system_and_the_flag(fw: Run, tmp_path: Path) -> None:
    rows = [(unit, system, unit if unit < rated else "", unit % 3) for unit in range(9) for system, rated in RATED]
    words = ("estimate", table(tmp_path, rows), "--rating", "rating", "--judge", "score")
    done = fw(*words)
    assert done.code == 1
    assert "error: b: the weight" in done.err
    assert "set --tuning to free" in done.err
    assert fw(*words, "--tuning", "free").code == 0


RATED = (("a", 4), ("b", 3))


def test_systems_and_differences_share_a_warning(fw: Run, tmp_path: Path) -> None:
    rows = [
        (unit, system, 9 * (unit < far) + unit % 3, unit % 3)
        for unit in range(30)
        for system, far in (("a", 1), ("b", 2))
    ]
    done = fw("estimate", table(tmp_path, rows), "--rating", "rating", "--judge", "score")
    assert "2 systems and 1 difference with skewed ratings" in done.err


def test_error_rates_of_all_systems(fw: Run, files: Callable[[str], str]) -> None:
    words = ("--rating", "solved", "--judge", "verdict", "--pass-fail", "--errors-of", "all", "--format", "json")
    shares = json.loads(fw("estimate", *files, *words).out)["judges"][0]["shares"]
    assert shares[0]["sensitivity"] == shares[1]["sensitivity"]
    assert shares[0]["counts"]["rated_bad"] + shares[0]["counts"]["rated_good"] == 160


def test_a_table_for_programs_has_systems_and_differences(fw: Run, files: Callable[[str], str]) -> None:
    for words in (("helpfulness", "--judge", "model"), ("solved", "--judge", "verdict", "--pass-fail")):
        rows = list(csv.DictReader(io.StringIO(fw("estimate", *files, "--rating", *words, "--format", "csv").out)))
        assert [(row["system"], row["minus"]) for row in rows] == [("new", ""), ("old", ""), ("new", "old")]


def test_a_baseline_and_several_judges(fw: Run, files: Callable[[str], str]) -> None:
    words = ("--rating", "helpfulness", "--judge", "model", "--judge", "bland", "--baseline", "new")
    done = fw("estimate", *files, *words)
    assert "old − new" in done.out
    assert done.out.index("model  new") < done.out.index("bland  new")


def table(tmp_path, rows, header="id,system,rating,score"):
    path = tmp_path / "table.csv"
    path.write_text("\n".join([header, *(",".join(map(str, row)) for row in rows)]), encoding="utf-8")
    return str(path)


def test_samples_that_are_not_random_are_reported(fw: Run, tmp_path: Path) -> None:
    rows = [(unit, "a", unit % 5 if unit < 60 else "NA", unit % 5 + (3 if unit < 60 else 0)) for unit in range(200)]
    done = fw("estimate", table(tmp_path, rows), "--rating", "rating", "--judge", "score")
    assert "a: rated outputs have higher scores than the others (z = " in done.err
    assert "hardly a random sample" in done.err
    assert fw("estimate", table(tmp_path, rows), "--rating", "rating", "--judge", "score", "--strict").code == 1


def test_what_is_left_out_is_counted(fw: Run, tmp_path: Path) -> None:
    rows = [(unit, system, unit % 4, "" if unit < 3 else unit % 3) for unit in range(80) for system in "ab"]
    rows += [(unit, "c", "", unit % 3) for unit in range(80)]
    done = fw("estimate", table(tmp_path, rows), "--rating", "rating", "--judge", "score")
    assert done.code == 0
    assert "6 rated outputs without a score of 'score' left out" in done.err
    assert "no output with a rating and a score of c" in done.err
    assert "2 differences of systems undefined: fewer than 10 inputs have ratings of both" in done.err


@pytest.mark.parametrize(("missing_of_b", "warns"), [(3, False), (8, True)])
def test_unequal_shares_of_rated_outputs_without_a_score_are_warned_of(
    fw: Run, tmp_path: Path, missing_of_b: Any, warns: Any
) -> None:
    missing = {"a": 3, "b": missing_of_b}
    rows = [(unit, s, unit % 4, "" if unit < missing[s] else unit % 3) for unit in range(80) for s in "ab"]
    done = fw("estimate", table(tmp_path, rows), "--rating", "rating", "--judge", "score")
    assert ("from 3 of 80 of 'a' to 8 of 80 of 'b'" in done.err) is warns


def test_a_judge_no_better_than_chance_is_refused_for_its_system(fw: Run, tmp_path: Path) -> None:
    rows = [(unit, "a", ("yes", "no", "")[unit % 3], "pass" if unit % 2 else "fail") for unit in range(240)]
    words = ("--rating", "rating", "--judge", "score", "--pass-fail")
    done = fw("estimate", table(tmp_path, rows), *words, "--format", "json")
    assert done.code == 0
    assert f"a: the judge is {NO_BETTER_THAN_CHANCE}: specificity 0.5 + sensitivity 0.5 ≤ 1" in done.err
    assert json.loads(done.out)["judges"][0]["shares"][0]["corrected"]["value"] is None


def test_tied_verdicts_are_left_out_and_counted(fw: Run, tmp_path: Path) -> None:
    rows = [
        (unit, "a", rater, verdict, unit % 2)
        for unit in range(60)
        for rater, verdict in (("r", 1), ("s", unit % 3 > 0))
    ]
    rows = [(unit, system, rater, int(verdict), score) for unit, system, rater, verdict, score in rows]
    path = table(tmp_path, rows, "id,system,rater,rating,score")
    done = fw("estimate", path, "--rating", "rating", "--judge", "score", "--pass-fail")
    assert "20 outputs that as many raters call good as bad" in done.out
    assert "no output is unrated or rated bad" in done.err


def test_clusters_widen_intervals(fw: Run, files: Callable[[str], str], tmp_path: Path) -> None:
    stream = np.random.default_rng(0)
    effects = stream.normal(size=30)
    rows = []
    for unit in range(300):
        rating = round(effects[unit % 30] + stream.normal(0, 0.3), 3)
        rows.append((unit, "a", rating if unit % 2 else "", round(stream.normal(), 3), unit % 30))
    path = table(tmp_path, rows, "id,system,rating,score,document")
    words = ("--rating", "rating", "--judge", "score", "--format", "json")
    plain, clustered = (json.loads(fw("estimate", path, *words, *more).out) for more in ((), ("--cluster", "document")))
    assert clustered["judges"][0]["clusters"] == 30
    errors = [found["judges"][0]["systems"][0]["mean"]["standard_error"] for found in (plain, clustered)]
    assert errors[1] > 1.5 * errors[0]


def test_one_system_without_a_column_and_records() -> None:
    rows = [{"id": unit, "people": unit % 5 if unit < 60 else None, "model": unit % 5} for unit in range(200)]
    result = metrics.estimate(rows, "people", "model")
    assert result[""].mean.unrated == 140
    assert "(all outputs)" in str(result)
    record = result.to_records()[0]
    assert record["classical_lower"] < record["classical_value"] < record["classical_upper"]


def test_judgements_of_other_outputs_are_an_error() -> None:
    tables = [[{"id": 1, "people": 1}, {"id": 2, "people": 2}], [{"id": "a", "model": 1}, {"id": "b", "model": 2}]]
    with pytest.raises(ValueError, match="no output has both a rating and a score of 'model', and 2 outputs a rating"):
        metrics.estimate(tables, "people", "model")


def test_judges_without_a_score_are_an_error_that_says_so() -> None:
    tables = [[{"id": 1, "people": 1}, {"id": 2, "people": 2}], [{"id": 1, "model": None}, {"id": 2, "model": None}]]
    with pytest.raises(ValueError, match="null"):
        metrics.estimate(tables, "people", "model")
