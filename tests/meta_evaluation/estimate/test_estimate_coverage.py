"""Small versions of the simulations in `benchmarks/estimate_coverage.py`: intervals contain the truth as documented."""

from __future__ import annotations

import math
from pathlib import Path
from types import ModuleType

import pytest
from benchmark_modules import benchmark
from samples import sampled

from metrics_framework.meta_evaluation import predicted_mean
from metrics_framework.meta_evaluation.estimate import study

ROOT = Path(__file__).resolve().parents[3]
SIMULATIONS = 700


@pytest.fixture(scope="module")
def simulated() -> ModuleType:
    return benchmark("estimate_coverage")


def is_near(found: float, expected: float, simulations: int = SIMULATIONS) -> bool:
    """Returns whether shares of two simulations of one size differ by at most three standard errors."""
    return abs(found - expected) <= 3 * math.sqrt(2 * expected * (1 - expected) / simulations)


VERDICTS = [  # share of good outputs, ratings, coverage of the normal, Student's and score interval in 700 simulations
    (0.1, 30, (0.867, 0.886, 0.951)),
    (0.03, 100, (0.830, 0.834, 0.953)),
    (0.1, 10, (0.609, 0.613, 0.941)),
    (0.03, 30, (0.596, 0.597, 0.961)),
]


@pytest.mark.parametrize(("share", "rated", "expected"), sampled(VERDICTS, 1))
def test_score_intervals_of_few_good_outputs_cover(
    simulated: ModuleType, share: float, rated: int, expected: tuple[float, ...]
) -> None:
    kinds = ("normal", "t", "score")
    found = simulated.coverage(simulated.verdicts(share), share, rated, SIMULATIONS, kinds)
    assert all(map(is_near, found, expected)), found
    assert found[2] >= 0.92


@pytest.mark.slow
@pytest.mark.parametrize(("rated", "expected"), [(30, (0.837, 0.851)), (100, (0.916, 0.918)), (300, (0.926, 0.927))])
def test_intervals_of_lognormal_ratings_cover_as_the_warning_says(
    simulated: ModuleType, rated: int, expected: tuple[float, ...]
) -> None:
    draw, mean = simulated.SHAPES["lognormal (skewness 6.2)"][0], math.exp(0.5)
    found = simulated.coverage(simulated.numbers(draw, 2.16), mean, rated, SIMULATIONS, ("normal", "t"))
    assert all(map(is_near, found, expected)), found


@pytest.mark.slow
@pytest.mark.parametrize("noise", [0.5, 2.0])
def test_intervals_of_ratings_from_1_to_5_cover(simulated: ModuleType, noise: float) -> None:
    draw = simulated.numbers(simulated.five_points, 1.0, noise)
    found = simulated.coverage(draw, simulated.FIVE_POINTS, 100, 1500)
    assert is_near(found[0], 0.95, 1500), found
    assert simulated.ratings_saved(noise, 100, 100) > 0.1, "and are shorter"


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
def test_intervals_of_corrected_shares_cover(simulated: ModuleType, share: float) -> None:
    assert is_near(simulated.coverage_of_shares(share, 100, 1500, seed=1), 0.95, 1500)


def rows_of_the_page() -> dict[str, list[float]]:
    text = (ROOT / "docs" / "explanation" / "estimates.md").read_text(encoding="utf-8")
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line[:1] == "|"]
    return {name: [100 * float(cell) for cell in cells if cell] for name, *cells in lines if cells[-1][:1] == "."}


def span(*columns: float) -> str:
    return f"{min(columns):.0f} to {max(columns):.0f} %"


def test_warnings_state_the_coverage_of_the_page() -> None:
    page = rows_of_the_page()
    cautions = " ".join(text([predicted_mean([1, 1, 3], [0] * 3, [1])]) for _, text in study._CAUTIONS)
    few = {f"{page[name][place]:.0f} %" for name in ("1 to 5, t", "normal, t") for place in (0, 1, 3)}
    assert few == {"90 %", "92 %", "93 %"}
    assert "90 % of simulations with 5 ratings, 92 % with 10, 93 % with 30" in cautions
    skewed = [page[f"{name}, t"] for name in ("exponential (skewness 2)", "lognormal (skewness 6.2)")]
    for place, ratings in ((1, "of simulations with 10"), (3, "with 30"), (4, "with 100")):
        assert f"{span(*(row[place] for row in skewed))} {ratings}" in cautions
    scores = {name: row for name, row in page.items() if name.endswith(", score") and "λ" not in name}
    clustered = [share for name, row in scores.items() if "clusters" in name for share in row]
    independent = [share for name, row in scores.items() if "clusters" not in name for share in row]
    pairs = [share for name, row in page.items() if " and " in name for share in row]
    for described in (
        f"the share in {span(*independent)}",
        f"clusters in {span(*clustered)}",
        f"systems in {span(*pairs)}",
    ):
        assert described in cautions
