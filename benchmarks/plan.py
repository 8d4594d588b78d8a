"""Checks the plans of `fw plan`: draws studies of the planned size and analyses them with the tests that users run.

Run it with ``python benchmarks/plan.py``. For each row it prints what the plan promises and what studies achieve: the
share of significant tests, the half-width that 80 % of intervals do not exceed, or the share of judges that pass.
Ratings are drawn one by one: a quality of each output, errors of each rater, and, for ``alt-test``, a scale of two or
five points. Means and differences are analysed by t-tests of SciPy, of the means of clusters if inputs are clustered,
means with a judge and shares by `predicted_mean`, and judges by `alt_test`.

Plans from a pilot are rows with its number of inputs: of each pilot, a study is planned. The power of these studies is
printed as its mean, in the worst fifth, which the assurance of 80 % promises to be the planned one, and in the worst
tenth; of half-widths, the share of studies that achieve them.

The run ends with an error if a power is more than .05 from the promised one, or a half-width more than 5 %.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

import metrics_framework as fw
from metrics_framework.common.arrays import Floats
from metrics_framework.meta_evaluation import alt_test, predicted_mean
from metrics_framework.meta_evaluation.plan.judge_tests import NormalRatings
from metrics_framework.meta_evaluation.plan.request import Goal

SIMULATIONS = 2000
LARGEST_ERROR = 0.05
SD = 1.1
PILOTS = 200
STUDIES = 50
"""The studies that are drawn for each pilot."""
ASSURANCE = 0.8
SIMULATED = 400
"""The simulated studies of plans from pilots, which decide about ``alt-test``."""
_ASSUMED = ("sd", "agreement", "correlation", "judge_agreement", "points", "cluster_correlation")
"""What a pilot shows instead."""


class Row(NamedTuple):
    """A plan.

    Attributes:
        goal: Its goal.
        options: Its options.
        pilot: The number of inputs of the pilot that shows its assumptions; 0 if they are stated.
        allowed: The largest error.
    """

    goal: Goal
    options: dict[str, Any]
    pilot: int = 0
    allowed: float = LARGEST_ERROR


def rows() -> Iterator[Row]:
    """Yields the plans that are checked."""
    for agreement in (0.2, 0.6):
        known = {"sd": SD, "agreement": agreement}
        yield Row("mean", {**known, "half_width": 0.2})
        yield Row("mean", {**known, "difference": 0.25})
        for correlation in (0.0, 0.6):
            for systems in (2, 4):
                options = {"difference": 0.3, "correlation": correlation, "systems": systems}
                yield Row("difference", {**known, **options})
        clusters = {"cluster_size": 5, "cluster_correlation": 0.4}
        yield Row("mean", {**known, **clusters, "half_width": 0.2})
        yield Row("difference", {**known, **clusters, "difference": 0.3})
        yield Row("estimate", {**known, **clusters, "judge_agreement": 0.4, "judged": 1000, "difference": 0.15})
        for judge in (0.2, 0.4):
            yield Row("estimate", {**known, "judge_agreement": judge, "judged": 400, "half_width": 0.25})
            yield Row("estimate", {**known, "judge_agreement": judge, "judged": 1000, "difference": 0.25})
    for share in (0.03, 0.1, 0.4):
        yield Row("mean", {"share": share, "half_width": 0.05})
        options = {"share": share, "judge_agreement": 0.6, "judged": 1000, "half_width": 0.06}
        yield Row("estimate", options, allowed=0.3 if share < 0.1 else LARGEST_ERROR)  # one good output of 41
    for agreement, judge in ((0.3, 0.4), (0.5, 0.5), (0.5, 0.6)):
        for points, scoring in ((5, "neg_rmse"), (2, "accuracy")):
            options = {"agreement": agreement, "judge_agreement": judge, "points": points, "scoring": scoring}
            yield Row("alt-test", {**options, "epsilon": 0.2})
    yield from pilot_rows()


def pilot_rows() -> Iterator[Row]:
    """Yields the plans from pilots."""
    known = {"sd": SD, "agreement": 0.5}
    clusters = {"cluster_size": 5, "cluster_correlation": 0.4}
    for pilot in (10, 30, 100):
        yield Row("mean", {**known, "difference": 0.25}, pilot)
        yield Row("mean", {**known, "half_width": 0.2}, pilot)
        yield Row("difference", {**known, "difference": 0.3, "correlation": 0.6}, pilot)
        yield Row("estimate", {**known, "judge_agreement": 0.4, "judged": 1000, "difference": 0.25}, pilot)
    for pilot in (100, 400):
        yield Row("alt-test", {"agreement": 0.5, "judge_agreement": 0.5, "points": 5, "epsilon": 0.2}, pilot, 0.1)
    yield Row("mean", {**known, **clusters, "difference": 0.3}, 200)
    yield Row("difference", {**known, **clusters, "difference": 0.3}, 200)


def ratings_of(stream: np.random.Generator, inputs: int, raters: int, options: dict[str, Any]) -> tuple[Floats, Floats]:
    """Returns ratings of two systems, shape (2, inputs, raters), and the scores of a judge, shape (2, inputs)."""
    agreement, correlation = options["agreement"], options.get("correlation") or 0.0
    common, own = _standard(stream, 1, inputs, options), _standard(stream, 2, inputs, options)
    quality = np.sqrt(correlation) * common + np.sqrt(1 - correlation) * own
    noise = stream.standard_normal((2, inputs, raters))
    ratings = SD * (np.sqrt(agreement) * quality[:, :, None] + np.sqrt(1 - agreement) * noise)
    loading = (options.get("judge_agreement") or 0.0) / np.sqrt(agreement)
    judge = loading * quality + np.sqrt(1 - loading**2) * _standard(stream, 2, inputs, options)
    return ratings, judge


def _standard(stream: np.random.Generator, systems: int, inputs: int, options: dict[str, Any]) -> Floats:
    """Returns standard normal numbers that correlate within clusters, shape (systems, inputs)."""
    size, correlation = options.get("cluster_size", 1), options.get("cluster_correlation", 0.0)
    shared = np.repeat(stream.standard_normal((systems, -(-inputs // size))), size, axis=1)[:, :inputs]
    own = stream.standard_normal((systems, inputs))
    drawn: Floats = np.sqrt(correlation) * shared + np.sqrt(1 - correlation) * own
    return drawn


def is_found(row: Row, stream: np.random.Generator, raters: int, inputs: int, tests: int) -> float:
    """Draws a study and returns whether its test is significant, or its half-width."""
    from scipy.stats import t, ttest_1samp

    shift, size = row.options.get("difference") or 0.0, row.options.get("cluster_size", 1)
    judged = row.options.get("judged") or inputs
    if "share" in row.options:
        share, correlation = row.options["share"], row.options.get("judge_agreement") or 0.0
        good = stream.random(judged) < share
        judge = stream.random(judged) < share + correlation * (good - share)
        found = predicted_mean(good[:inputs], judge[:inputs], judge[inputs:])
        return (found.upper - found.lower) / 2
    ratings, judge = ratings_of(stream, judged, raters, row.options)
    means = ratings.mean(axis=2)
    if row.goal == "estimate":
        clusters = (np.arange(judge.shape[1]) // size).tolist()
        found = predicted_mean(
            means[0, :inputs] + shift,
            judge[0, :inputs],
            judge[0, inputs:],
            clusters=clusters[:inputs],
            unlabelled_clusters=clusters[inputs:],
        )
        return found.lower > 0 or found.upper < 0 if shift else (found.upper - found.lower) / 2
    values = means[0] - means[1] + shift if row.goal == "difference" else means[0] + shift
    values = values.reshape(-1, size).mean(axis=1)
    if shift:
        return float(ttest_1samp(values, 0).pvalue <= 0.05 / tests)
    return float(t.ppf(0.975, len(values) - 1) * values.std(ddof=1) / np.sqrt(len(values)))


def passes(row: Row, stream: np.random.Generator, raters: int, outputs: int) -> bool:
    """Draws a study and returns whether the judge passes the alternative annotator test."""
    judge, ratings = drawn_of_test(row, stream, raters, outputs)
    humans = {str(rater): dict(enumerate(values.tolist())) for rater, values in enumerate(ratings)}
    scoring = row.options.get("scoring", "neg_rmse")
    return alt_test(dict(enumerate(judge.tolist())), humans, scoring=scoring, epsilon=row.options["epsilon"]).passes


def drawn_of_test(row: Row, stream: np.random.Generator, raters: int, outputs: int) -> tuple[Floats, Floats]:
    """Returns judgements, shape (outputs,), and ratings, shape (raters, outputs)."""
    options = row.options
    drawn = NormalRatings(options["agreement"], options["judge_agreement"], options["points"])
    judge, ratings = drawn.draw(stream, raters, outputs, 1)
    return judge[0], ratings[:, 0]


def achieved(row: Row, raters: int, inputs: int, tests: int, simulations: int, seed: int = 0) -> list[float]:
    """Returns whether tests are significant, whether judges pass, or half-widths, in studies of a size."""
    stream = np.random.default_rng((raters, inputs, simulations, seed))
    if row.goal == "alt-test":
        return [passes(row, stream, raters, inputs) for _ in range(simulations)]
    return [is_found(row, stream, raters, inputs, tests) for _ in range(simulations)]


def pilot_of(row: Row, seed: int) -> list[dict[str, Any]]:
    """Returns the rows of a pilot with three raters."""
    stream = np.random.default_rng((row.pilot, seed))
    if row.goal == "alt-test":
        one_judge, one_ratings = drawn_of_test(row, stream, 3, row.pilot)
        judge, ratings = one_judge[None], one_ratings.T[None]
    else:
        ratings, judge = ratings_of(stream, row.pilot, 3, row.options)
    size = row.options.get("cluster_size", 1)
    return [
        {"id": f"{i}", "system": f"{s}", "rater": f"{r}", "y": value, "judge": judge[s, i], "document": f"{i // size}"}
        for (s, i, r), value in np.ndenumerate(ratings)
    ]


def planned(row: Row, raters: int, seed: int) -> fw.PlanResult:
    """Plans a study, from a pilot if the row has one."""
    if not row.pilot:
        return fw.plan(row.goal, raters=[raters], **row.options)
    options = {name: value for name, value in row.options.items() if name not in _ASSUMED}
    if "cluster_size" in options:
        options["cluster"] = "document"
    if row.goal in ("estimate", "alt-test"):
        options["judge"] = "judge"
    return fw.plan(row.goal, pilot_of(row, seed), rating="y", raters=[raters], simulations=SIMULATED, **options)


def check(row: Row, raters: int, simulations: int) -> tuple[str, float]:
    """Plans a study, draws studies of this size, and returns a line and how far they are from the promise."""
    shown = ", ".join(f"{name} {value}" for name, value in row.options.items())
    plan = planned(row, raters, 0)
    design = plan.designs[0]
    if design.inputs is None or design.achieved is None:
        return f"{row.goal:10}  {raters}  none    {shown}", 0.0
    studies = simulations // 2 if row.goal == "alt-test" else simulations
    values = achieved(row, raters, design.inputs, plan.request.tests, studies)
    is_power = plan.request.is_about_power
    found = float(np.mean(values) if is_power else np.quantile(values, ASSURANCE))
    error = (found - design.achieved) / (1 if is_power else design.achieved)
    numbers = f"{design.inputs:6}  {plan.quantity:10}  {design.achieved:.3f}  {found:.3f}"
    return f"{row.goal:10}  {raters}  {numbers}  {shown}", error


def check_pilot(row: Row, raters: int, pilots: int) -> tuple[str, float]:
    """Plans a study from each of several pilots, and returns a line and how far studies are from the promise."""
    found, sizes = [], []
    for seed in range(pilots):
        plan = planned(row, raters, seed)
        inputs, target = plan.designs[0].inputs, plan.request.target or 0.0
        if inputs is None:
            continue
        sizes.append(inputs)
        if row.goal == "alt-test" or not plan.request.is_about_power:
            values = np.array(achieved(row, raters, inputs, plan.request.tests, STUDIES, seed))
            found.append(float(np.mean(values if row.goal == "alt-test" else values <= target)))
        else:  # the power for the variances that are true
            known = fw.plan(row.goal, raters=[raters], inputs=[inputs], simulations=1, **row.options)
            found.append(known.designs[0].achieved or 0.0)
    tenth, fifth = np.quantile(found, [0.1, 1 - ASSURANCE])
    is_power = plan.request.is_about_power
    error = min(0.0, fifth - target if is_power else np.mean(found) - ASSURANCE)
    shown = ", ".join(f"{name} {value}" for name, value in row.options.items())
    what = "power" if is_power else "achieved"
    numbers = f"{round(np.median(sizes)):6}  {what:10}  mean {np.mean(found):.3f}, fifth {fifth:.3f}, tenth {tenth:.3f}"
    return f"{row.goal:10}  {raters}  {numbers}  {shown}; {len(found)} pilots of {row.pilot} inputs", float(error)


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--simulations", type=int, default=SIMULATIONS)
    simulations = parser.parse_args().simulations
    print("goal        R  inputs  quantity    plan   found  options")
    errors, is_wrong = [], False
    for row in rows():
        for raters in (
            (3,) if row.pilot else (2, 5) if row.goal == "alt-test" else (1,) if "share" in row.options else (1, 3)
        ):
            line, error = (
                check_pilot(row, raters, PILOTS * simulations // SIMULATIONS)
                if row.pilot
                else check(row, raters, simulations)
            )
            errors.append(abs(error))
            is_wrong |= abs(error) > row.allowed
            print(line, flush=True)
    print(f"\nlargest error {max(errors):.3f}, mean {np.mean(errors):.3f}")
    if is_wrong and simulations >= SIMULATIONS:
        sys.exit("a plan does not achieve what it promises")


if __name__ == "__main__":
    main()
