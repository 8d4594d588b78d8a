"""Simulates intervals of predicted means and shares, and the tests of single raters, under known truth.

Run it with ``python benchmarks/judging.py``. It prints the coverage of 95 % intervals: of prediction-powered means for
several numbers of ratings and qualities of the judge, of shares corrected for the errors of a pass/fail judge, and of
all that ``fw judge`` prints; and how often the alternative annotator test rejects a true null hypothesis for one rater
at 5 %.
"""

from __future__ import annotations

import argparse

import numpy as np

from metrics_framework.meta_evaluation import misclassification, predicted_mean
from metrics_framework.meta_evaluation.estimates import Interval
from metrics_framework.meta_evaluation.judges.alternative_annotator import AltTestSettings, RaterDifferences
from metrics_framework.meta_evaluation.judges.judging import Panel, judge_raters

SIMULATIONS = 2000
RATED = (20, 30, 50, 100, 200)
UNRATED = 1000


def coverage_of_means(rated: int, noise: float, simulations: int, seed: int = 0) -> tuple[float, float, float]:
    """Returns the coverage of prediction-powered and classical intervals, and the mean share of ratings saved.

    Args:
        rated: The number of ratings.
        noise: The standard deviation of the judge's errors; that of ratings is about 1.
        simulations: The number of simulated data sets.
        seed: The random seed.
    """
    stream = np.random.default_rng((seed, rated, int(100 * noise)))
    covered, classical, saved = 0, 0, 0.0
    for _ in range(simulations):
        truth = np.clip(np.round(stream.normal(3.4, 1.0, rated + UNRATED)), 1, 5)
        scores = truth + stream.normal(0.3, noise, rated + UNRATED)
        estimate = predicted_mean(truth[:rated], scores[:rated], scores[rated:])
        covered += estimate.lower <= MEAN <= estimate.upper
        classical += estimate.classical.lower <= MEAN <= estimate.classical.upper
        saved += estimate.ratings_saved / rated
    return covered / simulations, classical / simulations, saved / simulations


def _expected_rating() -> float:
    """Returns the mean of a normal number that is rounded and limited to 1 to 5."""
    from scipy.special import ndtr

    edges = ndtr(np.array([1.5, 2.5, 3.5, 4.5]) - 3.4)
    return float(5 - edges.sum())


MEAN = _expected_rating()


def coverage_of_shares(share: float, rated: int, simulations: int, seed: int = 0) -> float:
    """Returns the coverage of Rogan and Gladen's shares, for a judge with specificity .8 and sensitivity .9."""
    stream = np.random.default_rng((seed, rated, int(100 * share)))
    covered = used = 0
    for _ in range(simulations):
        good = int(stream.binomial(rated, share))
        bad = rated - good
        if not (good and bad):
            continue
        sensitivity = stream.binomial(good, 0.9) / good
        specificity = stream.binomial(bad, 0.8) / bad
        if sensitivity + specificity <= 1:
            continue
        judged = stream.binomial(UNRATED, share * 0.9 + (1 - share) * 0.2) / UNRATED
        found = misclassification(judged, specificity, sensitivity, n=UNRATED, m0=bad, m1=good)
        covered += found.lower <= share <= found.upper
        used += 1
    return covered / used


def rejections(units: int, epsilon: float, simulations: int, seed: int = 0) -> float:
    """Returns how often the test of one rater rejects mean(d) ≥ ε at 5 % where the mean is ε."""
    stream = np.random.default_rng((seed, units, int(100 * epsilon)))
    ties = 0.4
    better = (1 - ties + epsilon) / 2  # of the rater, so that the mean of d is ε
    shares = [1 - ties - better, ties, better]
    rejected = 0
    for _ in range(simulations):
        differences = stream.choice([-1.0, 0.0, 1.0], size=units, p=shares)
        rejected += RaterDifferences([differences]).p_values(epsilon)[0] <= 0.05
    return rejected / simulations


def _panel(units: int, stream: np.random.Generator) -> Panel:
    """Returns ratings by three raters, from 1 to 5, and a judge."""
    quality = stream.normal(3.4, 0.8, units)
    noise = np.array([[-0.1], [0.2], [-0.3]]) + stream.normal(0, 0.9, (3, units))
    judge = np.clip(np.round(quality + 0.3 + stream.normal(0, 0.5, units)), 1, 5)
    return Panel({"judge": judge}, np.clip(np.round(quality + noise), 1, 5), ["a", "b", "c"])


def _numbers(panel: Panel, resamples: int) -> dict[str, Interval]:
    judging = judge_raters(panel, AltTestSettings("neg_rmse", 0.15), resamples=resamples)
    report = judging.judges[0]
    agreement = report.agreement
    found = {"ρ": report.advantage, "α": agreement.alpha, "κ": agreement.kappa, "κ of raters": judging.raters.kappa}
    for name, interval in (("signed error", agreement.signed_error), ("spread", agreement.spread)):
        if interval is not None:
            found[name] = interval
    return found


def coverage_of_judges(units: int, simulations: int, seed: int = 0) -> dict[str, float]:
    """Returns the coverage of the intervals of ``fw judge``; the truth is that of 300,000 outputs."""
    truth = _numbers(_panel(300_000, np.random.default_rng(seed)), 1)
    covered = dict.fromkeys(truth, 0)
    for number in range(simulations):
        for name, found in _numbers(_panel(units, np.random.default_rng((seed, units, number))), 400).items():
            covered[name] += found.lower <= truth[name].value <= found.upper
    return {name: count / simulations for name, count in covered.items()}


def main() -> None:
    """Prints the four tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--simulations", type=int, default=SIMULATIONS)
    simulations = parser.parse_args().simulations
    print(f"Coverage of 95 % intervals of means, {UNRATED} unrated outputs, {simulations} simulations")
    print("ratings  judge's error  prediction-powered  ratings only  ratings saved")
    for rated in RATED:
        for noise in (0.5, 1.0, 2.0):
            covered, classical, saved = coverage_of_means(rated, noise, simulations)
            print(f"{rated:7}  {noise:13}  {covered:18.3f}  {classical:12.3f}  {saved:13.0%}")
    print(f"\nCoverage of 95 % intervals of shares, {UNRATED} unrated outputs, specificity .8, sensitivity .9")
    print("ratings  " + "  ".join(f"share {share}" for share in (0.2, 0.5, 0.8)))
    for rated in (50, 100, 200):
        values = "  ".join(f"{coverage_of_shares(share, rated, simulations):9.3f}" for share in (0.2, 0.5, 0.8))
        print(f"{rated:7}  {values}")
    print("\nCoverage of 95 % intervals of fw judge, three raters")
    for units in (50, 100, 200):
        found = coverage_of_judges(units, simulations // 5)
        print(f"{units:7}  " + "  ".join(f"{name} {value:.3f}" for name, value in found.items()))
    print("\nShare of true null hypotheses that the test of one rater rejects at 5 %")
    print("outputs  " + "  ".join(f"ε = {epsilon}" for epsilon in (0.0, 0.1, 0.2)))
    for units in (15, 30, 60, 200):
        values = "  ".join(f"{rejections(units, epsilon, simulations):7.3f}" for epsilon in (0.0, 0.1, 0.2))
        print(f"{units:7}  {values}")


if __name__ == "__main__":
    main()
