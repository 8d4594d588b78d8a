"""Checks the plans of `fw plan`: draws studies of the planned size and analyses them with the tests that users run.

Run it with ``python benchmarks/plan.py``. For each row it prints what the plan promises and what studies achieve: the
share of significant tests, the mean half-width of intervals, or the share of judges that pass. Ratings are drawn one by
one: a quality of each output, errors of each rater, and, for ``alt-test``, a scale of two or five points. Means and
differences are analysed by t-tests of SciPy, means with a judge by `predicted_mean`, and judges by `alt_test`. The run
ends with an error if a power is more than .05 from the promised one, or a half-width more than 5 %.
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


class Row(NamedTuple):
    """A plan: its goal and options."""

    goal: Goal
    options: dict[str, Any]


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
        for judge in (0.2, 0.4):
            yield Row("estimate", {**known, "judge_agreement": judge, "judged": 400, "half_width": 0.25})
            yield Row("estimate", {**known, "judge_agreement": judge, "judged": 1000, "difference": 0.25})
    for agreement, judge in ((0.3, 0.4), (0.5, 0.5), (0.5, 0.6)):
        for points, scoring in ((5, "neg_rmse"), (2, "accuracy")):
            options = {"agreement": agreement, "judge_agreement": judge, "points": points, "scoring": scoring}
            yield Row("alt-test", {**options, "epsilon": 0.2})


def ratings_of(stream: np.random.Generator, inputs: int, raters: int, options: dict[str, Any]) -> tuple[Floats, Floats]:
    """Returns ratings of two systems, shape (2, inputs, raters), and the scores of a judge, shape (2, inputs)."""
    agreement, correlation = options["agreement"], options.get("correlation") or 0.0
    common, own = stream.standard_normal(inputs), stream.standard_normal((2, inputs))
    quality = np.sqrt(correlation) * common + np.sqrt(1 - correlation) * own
    noise = stream.standard_normal((2, inputs, raters))
    ratings = SD * (np.sqrt(agreement) * quality[:, :, None] + np.sqrt(1 - agreement) * noise)
    loading = (options.get("judge_agreement") or 0.0) / np.sqrt(agreement)
    judge = loading * quality + np.sqrt(1 - loading**2) * stream.standard_normal((2, inputs))
    return ratings, judge


def achieved(row: Row, raters: int, inputs: int, tests: int, simulations: int) -> float:
    """Returns the share of significant tests, or the mean half-width, in studies of a planned size."""
    from scipy.stats import t, ttest_1samp

    stream = np.random.default_rng((raters, inputs, simulations))
    shift = row.options.get("difference") or 0.0
    found = []
    for _ in range(simulations):
        ratings, judge = ratings_of(stream, row.options.get("judged") or inputs, raters, row.options)
        means = ratings.mean(axis=2)
        if row.goal == "estimate":
            mean = predicted_mean(means[0, :inputs] + shift, judge[0, :inputs], judge[0, inputs:])
            found.append(mean.lower > 0 or mean.upper < 0 if shift else (mean.upper - mean.lower) / 2)
            continue
        values = means[0] - means[1] + shift if row.goal == "difference" else means[0] + shift
        if shift:
            found.append(ttest_1samp(values, 0).pvalue <= 0.05 / tests)
        else:
            found.append(t.ppf(0.975, inputs - 1) * values.std(ddof=1) / np.sqrt(inputs))
    return float(np.mean(found))


def passing(row: Row, raters: int, outputs: int, simulations: int) -> float:
    """Returns the share of studies in which a judge passes the alternative annotator test."""
    options = row.options
    drawn = NormalRatings(options["agreement"], options["judge_agreement"], options["points"])
    stream = np.random.default_rng((raters, outputs, 99))
    passed = 0
    for _ in range(simulations):
        judge, ratings = drawn.draw(stream, raters, outputs, 1)
        humans = {str(rater): dict(enumerate(row_[0].tolist())) for rater, row_ in enumerate(ratings)}
        judgements = dict(enumerate(judge[0].tolist()))
        test = alt_test(judgements, humans, scoring=options["scoring"], epsilon=options["epsilon"])
        passed += test.passes
    return passed / simulations


def check(row: Row, raters: int, simulations: int) -> tuple[str, float]:
    """Plans a study, draws studies of this size, and returns a line and how far they are from the promise."""
    plan = fw.plan(row.goal, raters=[raters], **row.options)
    design = plan.designs[0]
    shown = ", ".join(f"{name} {value}" for name, value in row.options.items())
    if design.inputs is None or design.achieved is None:
        return f"{row.goal:10}  {raters}  none    {shown}", 0.0
    if row.goal == "alt-test":
        found = passing(row, raters, design.inputs, simulations // 2)
    else:
        found = achieved(row, raters, design.inputs, plan.request.tests, simulations)
    error = found - design.achieved
    if not plan.request.is_about_power:
        error /= design.achieved
    numbers = f"{design.inputs:6}  {plan.quantity:10}  {design.achieved:.3f}  {found:.3f}"
    return f"{row.goal:10}  {raters}  {numbers}  {shown}", error


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--simulations", type=int, default=SIMULATIONS)
    simulations = parser.parse_args().simulations
    print("goal        R  inputs  quantity    plan   found  options")
    errors = []
    for row in rows():
        for raters in (2, 5) if row.goal == "alt-test" else (1, 3):
            line, error = check(row, raters, simulations)
            errors.append(abs(error))
            print(line, flush=True)
    print(f"\nlargest error {max(errors):.3f}, mean {np.mean(errors):.3f}")
    if max(errors) > LARGEST_ERROR and simulations >= SIMULATIONS:
        sys.exit("a plan does not achieve what it promises")


if __name__ == "__main__":
    main()
