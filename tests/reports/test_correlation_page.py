"""Charts and the page of a study: what they show, and what they say when there is nothing to draw."""

from __future__ import annotations

import random
import xml.etree.ElementTree as ElementTree
from typing import Any

import pytest

import metrics_framework as fw

SVG = "{http://www.w3.org/2000/svg}"


def study(**options: Any) -> Any:
    chance = random.Random(3)
    rows = []
    for instance in range(12):
        for system in range(6):
            human = chance.random() + system / 4
            rows.append(
                {
                    "instance_id": str(instance),
                    "summarizer_id": f"s{system}",
                    "good": human + 0.2 * chance.random(),
                    "fair": human + chance.random(),
                    "<b>noise</b>": chance.random(),
                    "human": round(human, 1),
                }
            )
    metrics = ["good", "fair", "<b>noise</b>"]
    return fw.correlate(rows, metrics, "human", levels=["input", "system"], ci="none", **options)


@pytest.fixture(scope="module")
def compared() -> Any:
    return study(coefficients=["pearson", "acc-eq"], test="inputs")


def texts(svg: str) -> list[str]:
    return [one.text or "" for one in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def test_the_forest_has_a_row_for_each_metric_level_and_coefficient(compared: Any) -> None:
    shown = texts(compared.plot("forest"))
    headings = [one for one in shown if one.endswith("human")]
    assert headings == [
        f"{name}, {level} level, human" for level in ("input", "system") for name in ("Pearson r", "acc-eq")
    ]
    assert shown.count("good") == shown.count("<b>noise</b>") == 4


def test_the_matrix_and_the_ranks_follow_the_order_of_the_comparison(compared: Any) -> None:
    found = compared.study.comparisons[0].found
    names = list(found.metrics)
    assert names[0] == "good"
    matrix = texts(compared.plot("p-values"))
    assert [*dict.fromkeys(one for one in matrix if one in names)] == names
    ranks = texts(compared.plot("ranks"))
    assert [one for one in ranks if one in names][: len(names)] == names


def test_the_curve_marks_the_calibrated_epsilon(compared: Any) -> None:
    estimate = compared["good"].levels["input"].estimates["acc-eq"]
    titles = [one.text or "" for one in ElementTree.fromstring(compared.plot("epsilon")).iter(f"{SVG}title")]
    assert f"{estimate.value:.3f} at {estimate.details['epsilon']:.4g}" in titles


@pytest.mark.parametrize("kind", ["p-values", "ranks", "epsilon"])
def test_charts_that_need_more_results_say_which(kind: str) -> None:
    with pytest.raises(fw.InputError, match="'test'" if kind != "epsilon" else "acc-eq"):
        study(coefficients=["pearson"]).plot(kind)


def test_the_page_has_every_table_and_picture_and_no_script(compared: Any) -> None:
    page = compared.page()
    assert page == study(coefficients=["pearson", "acc-eq"], test="inputs").page()
    assert "<script" not in page
    assert "<b>noise" not in page
    assert page.count("<figure>") == 7
    assert page.count("<details>") == page.count("<summary>") == 7  # all but the matrices of both levels
    assert compared.summary().split(" (")[0] in page
    assert all(
        f'id="{one}"' in page for one in ("metrics", "coefficients", "comparisons", "scores", "ties", "notes", "method")
    )
    assert 'id="ties"' not in study(coefficients=["pearson"]).page()
