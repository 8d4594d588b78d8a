"""The pictures and pages of ``fw test-judge`` and ``fw estimate``: what they show, and when they cannot be drawn."""

from __future__ import annotations

import re
import warnings
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st

from metrics_framework.evaluation.external_sort import Run
from metrics_framework.meta_evaluation.prefer.votes import Vote

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def files(datasets_path) -> list[Path]:
    return [str(datasets_path / "judging" / name) for name in ("ratings.csv", "judgements.csv", "confidence.csv")]


@pytest.fixture
def judge(fw, files):
    """Runs ``fw test-judge`` on verdicts and the confidence that the judge states in them."""
    options = ("--rating", "solved", "--judge", "verdict", "--stated-confidence", "confidence")
    return lambda *words: fw("judge", *files, *options, *words)


@pytest.fixture
def estimate(fw, files):
    options = ("--rating", "helpfulness", "--judge", "model", "--judge", "bland")
    return lambda *words: fw("estimate", *files[:2], *options, *words)


def marks(path, kind):
    root = ElementTree.parse(path).getroot()
    return [element for element in root.iter() if kind in element.get("class", "").split()]


def texts(path) -> st.SearchStrategy[str]:
    return [element.text for element in ElementTree.parse(path).getroot().iter(f"{SVG}text")]


def test_the_forest_has_judges_sentinels_and_the_range_of_raters(judge: list[Vote], tmp_path: Path) -> None:
    path = tmp_path / "forest.svg"
    assert judge("--forest-plot", str(path)).code == 0
    # verdict, constant, shuffled: ρ, α and κ; the range of raters for α and κ, a line for all three; no range of κ 0
    assert [len(marks(path, kind)) for kind in ("point", "range", "band", "mark")] == [9, 8, 2, 3]
    assert {"raters 0.673", "better constant 0.744", "0.000"} <= set(texts(path)), "no −0"
    band = ElementTree.tostring(marks(path, "band")[0], encoding="unicode")
    low, high = map(float, re.search(r"raters from ([\d.]+) to ([\d.]+)", band).groups())
    assert low < 0.673 < high


def test_the_reliability_diagram_has_a_point_for_each_bin(judge: list[Vote], tmp_path: Path) -> None:
    path = tmp_path / "reliability.svg"
    assert judge("--reliability-plot", str(path), "--bins", "5").code == 0
    points = [element.find(f"{SVG}title").text for element in marks(path, "point")]
    assert sum(int(re.search(r"(\d+) outputs", point)[1]) for point in points) == 160
    assert "5 bins of equal width; below the line: overconfident" in texts(path)
    largest = max(marks(path, "point"), key=lambda element: float(element.get("r")))
    counts = [int(re.search(r"(\d+) outputs", point)[1]) for point in points]
    assert f"{max(counts)} outputs" in largest.find(f"{SVG}title").text


def test_the_page_of_judges_has_tables_pictures_and_notes(
    judge: list[Vote], fw: Run, files: Callable[[str], str], tmp_path: Path
) -> None:
    path = tmp_path / "judges.html"
    for _ in range(2):  # it is recognized as an earlier result
        assert judge("--report", str(path)).code == 0
    page = path.read_text(encoding="utf-8")
    assert re.findall(r"<h2>(.*?)</h2>", page) == ["Test", "Agreement", "Calibration", "Notes", "Method"]
    assert page.count("<svg") == 2
    assert "May verdict replace raters?" in page
    assert "<script" not in page
    words = ("--rating", "helpfulness", "--judge", "model", "--report", str(path))
    done = fw("judge", *files[:2], *words)
    assert done.code == 0, done.err
    page = path.read_text(encoding="utf-8")
    assert "Signed errors" in page
    assert "Calibration" not in re.findall(r"<h2>(.*?)</h2>", page)
    assert "pass the test, so passing shows little" in page, "warnings are on the page"


def test_means_are_drawn_against_ratings_for_each_judge_and_system(estimate: Any, tmp_path: Path) -> None:
    path = tmp_path / "curves.svg"
    assert estimate("--plot", str(path)).code == 0
    assert [len(marks(path, kind)) for kind in ("curve", "fit", "cell", "band")] == [4, 4, 4, 4]
    assert "model: new" in texts(path)
    assert len(marks(path, "curve")[0].get("points").split()) > 20


def test_the_last_point_of_a_curve_is_the_estimate(files: Callable[[str], str]) -> None:
    import metrics_framework as fw

    result = fw.estimate(files[:2], "helpfulness", "model")
    (found,) = result.estimates
    for entry, curve in zip(found.means, found.curves, strict=True):
        last = curve.points[-1]
        assert (curve.system, last.ratings) == (entry.system, 80)
        assert last.mean.value == pytest.approx(entry.mean.value)
        assert last.mean.lower == pytest.approx(entry.mean.lower)
        assert last.classical.upper == pytest.approx(entry.mean.classical.upper)
        numbers = [point.ratings for point in curve.points]
        assert numbers == sorted(set(numbers))
        assert numbers[0] == 5


def test_clusters_are_rated_one_after_the_other(files: Callable[[str], str]) -> None:
    import metrics_framework as fw

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of few clusters
        result = fw.estimate(files[:2], "helpfulness", "model", cluster="topic")
    assert result.estimates[0].curves[0].points[-1].mean.lower == pytest.approx(result["new"].mean.lower)
    assert result.plot().count("<svg") == 1


def test_the_forest_of_estimates_has_means_and_differences(estimate: Any, tmp_path: Path) -> None:
    path = tmp_path / "forest.svg"
    assert estimate("--forest-plot", str(path)).code == 0
    # two judges, two systems and a difference, each with the judge and from the ratings only
    assert len(marks(path, "point")) == 2 * 3 * 2
    assert {"new, ratings only", "new − old"} <= set(texts(path))


def test_the_page_of_estimates_has_tables_pictures_and_notes(estimate: Any, tmp_path: Path) -> None:
    path = tmp_path / "estimates.html"
    done = estimate("--report", str(path))
    assert done.code == 0, done.err
    page = path.read_text(encoding="utf-8")
    assert re.findall(r"<h2>(.*?)</h2>", page) == ["Estimates", "Estimates against ratings", "Notes", "Method"]
    assert "Mean helpfulness" in page


def test_too_few_ratings_for_a_curve_are_explained(fw: Run, tmp_path: Path) -> None:
    rows = [f"{number},{number % 3 if number < 4 else ''},{number % 4}" for number in range(9)]
    table = tmp_path / "few.csv"
    table.write_text("\n".join(["id,people,model", *rows]), encoding="utf-8")
    words = ("estimate", str(table), "--rating", "people", "--judge", "model")
    done = fw(*words, "--plot", str(tmp_path / "p.svg"))
    assert (done.code, "needs a system with more than 5 ratings" in done.err) == (1, True)
    page = tmp_path / "page.html"
    assert fw(*words, "--report", str(page)).code == 0
    assert "against ratings" not in page.read_text(encoding="utf-8")


def test_too_many_curves_for_one_picture_are_refused(fw: Run, tmp_path: Path) -> None:
    rows = [f"{number},s{system},{(number + system) % 5},{number % 4}" for number in range(7) for system in range(31)]
    table = tmp_path / "many.csv"
    table.write_text("\n".join(["id,system,people,model", *rows]), encoding="utf-8")
    words = ("estimate", str(table), "--rating", "people", "--judge", "model", "--baseline", "s0")
    done = fw(*words, "--plot", str(tmp_path / "p.svg"))
    assert (done.code, "up to 30 judges and systems, got 31" in done.err) == (1, True)
