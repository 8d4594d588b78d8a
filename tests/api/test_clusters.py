"""Clusters over all functions: they change every interval and test, and clusters of one input each change nothing."""

from __future__ import annotations

import inspect
import json
import math
import random
import re
import warnings
from collections.abc import Iterator
from typing import Any

import pytest

import metrics_framework as fw
import metrics_framework.meta_evaluation as meta_evaluation
from metrics_framework.common.errors import FwError

SYSTEMS = ("w", "x", "y", "z")
DOCUMENTS = {number: f"d{math.isqrt(2 * number)}" for number in range(36)}
"""Input to its document; the documents differ in size, and outputs of one are alike."""


def rows_of(systems: str = "wxyz", raters: str = "", share: int = 1) -> list[dict[str, Any]]:
    """Returns the scores of outputs, of which one in `share` has no ratings."""
    draw = random.Random(4)
    of_document = {name: draw.gauss(0, 1) for name in sorted({*DOCUMENTS.values()})}
    rows = []
    for number, document in DOCUMENTS.items():
        for system in systems:
            quality = of_document[document] + 0.4 * SYSTEMS.index(system) + draw.gauss(0, 0.5)
            row: dict[str, Any] = {"id": number, "system": system, "document": document, "each": f"e{number}"}
            for name, noise in (("a", 0.8), ("b", 1.2), ("judge", 1.0)):
                row[name] = quality + draw.gauss(0, noise)
            row["judge"] = max(1, min(5, round(3 + row["judge"])))
            row["verdict_of_judge"] = int(row["a"] > 0)
            row["stated"] = draw.random()
            for rater in raters or "p":
                rating = quality + draw.gauss(0, 0.5)
                values = {"human": max(1, min(5, round(3 + rating))), "good": int(rating > 0)}
                if share > 1 and number % share == 0:
                    values = dict.fromkeys(values)
                rows.append({**row, **values, **({"rater": rater} if raters else {})})
    return rows


ROWS, RATED, ONE, SAMPLED = rows_of(), rows_of("w", "pqr"), rows_of("w"), rows_of("w", share=3)
OLD = [{**row, "a": row["b"], "good": row["verdict_of_judge"]} for row in ONE]
CONTRASTS = [{**row, "system": {"w": "bad", "x": "good"}[row["system"]], "phenomenon": "all"} for row in rows_of("wx")]
VOTES = [
    {
        **{name: row[name] for name in ("document", "each")},
        **dict(zip(("system_a", "system_b"), ("xy", "yz", "xz")[row["id"] % 3], strict=True)),
        "input": row["id"],
        "winner": "ab"[row["a"] > 0],
    }
    for row in ONE
]
PEOPLE = [{**vote, "winner": "ab"[ONE[vote["input"]]["good"]]} for vote in VOTES]
ALL_LEVELS = {"levels": ["input", "system", "global", "within-system"]}
CASES: dict[str, tuple[str, list[Any], dict[str, Any]]] = {  # name: function, data, options
    "agreement": ("agreement", [RATED], {"rating": "human", "statistics": "all", "pairwise": True}),
    "agreement of verdicts": ("agreement", [RATED], {"rating": "good", "statistics": "all"}),
    "challenge": ("challenge", [CONTRASTS, ["a", "b"]], {}),
    "compare": ("compare", [], {"scores": ROWS, "names": ["a", "human"], "resamples": 99, "trials": 99}),
    "compare verdicts": ("compare", [], {"scores": ROWS, "names": ["good"], "ci": "jackknife", "trials": 999}),
    "correlate": (
        "correlate",
        [ROWS, ["a", "b"]],
        {**ALL_LEVELS, "human": "human", "ci": "jackknife-inputs", "test": "inputs", "resamples": 60},
    ),
    "correlate by a bootstrap": (
        "correlate",
        [ROWS, ["a", "b"]],
        {
            "human": "human",
            "coefficients": "pearson",
            "partial": "stated",
            "ci": "bootstrap-inputs",
            "test": "bootstrap-inputs",
            "resamples": 60,
        },
    ),
    "estimate": ("estimate", [SAMPLED], {"rating": "human", "judges": ["judge", "a"]}),
    "estimate verdicts": (
        "estimate",
        [SAMPLED],
        {"rating": "good", "judges": "verdict_of_judge", "pass_fail": True},
    ),
    "gate": ("gate", [ONE, OLD, "a"], {"margin": 0.5}),
    "gate verdicts": ("gate", [ONE, OLD, "good"], {"margin": 0.3}),
    "judge": ("judge", [RATED], {"rating": "human", "judges": "judge"}),
    "judge verdicts": (
        "judge",
        [RATED],
        {"rating": "good", "judges": "verdict_of_judge", "scoring": "accuracy", "stated_confidence": "stated"},
    ),
    "plan": ("plan", ["mean", RATED], {"rating": "human", "half_width": 0.4, "raters": [2], "simulations": 20}),
    "prefer": ("prefer", [VOTES], {}),
    "prefer against people": ("prefer", [VOTES], {"against": PEOPLE, "resamples": 60}),
}
REFUSED = {"plan": "two rated inputs or more of a cluster"}
"""The cases that refuse clusters of one input each, and why."""
OF_CLUSTERS = re.compile(r"/(clusters?|design_effect|by|count|unit)\b|/notes/")
"""Which clusters there are: all that may differ with clusters of one input each."""
INFERENCE = re.compile(r"(?<!bins/\d)/(lower|upper|p_value|standard_error|p_better|p_worse|p_no_worse)$")
OF_SYSTEMS = re.compile(r"system_level/[^/]+/p_value$")
"""Tests of other systems, which clusters of inputs do not concern."""
BOUNDS = {-1.0, 0.0, 1.0}


def numbers_of(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict | list):
        for key, one in value.items() if isinstance(value, dict) else enumerate(value):
            yield from numbers_of(one, f"{path}/{key}")
    else:
        yield path, value


def result_of(case: str, column: str | None) -> dict[str, Any]:
    function, data, options = CASES[case]
    name = "clusters" if function in ("compare", "gate") else "cluster"
    if column is None and case == "prefer":
        column = "none"
    with warnings.catch_warnings(action="ignore"):
        found = getattr(fw, function)(*data, **options, **{name: column}).to_json()
    return dict(numbers_of(json.loads(found) if isinstance(found, str) else found))


def test_every_function_with_clusters_has_a_case() -> None:
    with_clusters = {
        name
        for name in fw.__all__
        if inspect.isfunction(function := getattr(fw, name))
        and {"cluster", "clusters"} & {*inspect.signature(function).parameters}
    }
    assert with_clusters == {function for function, _, _ in CASES.values()}


@pytest.mark.parametrize("case", CASES)
def test_clusters_of_one_input_each_give_the_numbers_of_no_clusters(case: str) -> None:
    if case in REFUSED:
        with pytest.raises(FwError, match=REFUSED[case]):
            result_of(case, "each")
        return
    without, found = result_of(case, None), result_of(case, "each")
    differing = {path for path in {*without, *found} if without.get(path) != found.get(path)}
    assert not {path for path in differing if not OF_CLUSTERS.search(path)}


@pytest.mark.parametrize("case", [case for case in CASES if case not in REFUSED])
def test_clusters_change_every_interval_and_test(case: str) -> None:
    without, found = result_of(case, None), result_of(case, "document")
    tested = [
        path
        for path, value in without.items()
        if INFERENCE.search(path) and not OF_SYSTEMS.search(path) and isinstance(value, float) and value not in BOUNDS
    ]
    assert tested
    assert [path for path in tested if found.get(path) == without[path]] == []


def test_clusters_of_one_input_each_leave_arrays_their_p_values() -> None:
    scores = [[3, 1, 4, 1, 5, 9]], [[2, 7, 1, 8, 2, 8]]
    without, found = (
        meta_evaluation.coefficient(*scores, "pearson", level="global", clusters=labels, ci="jackknife-inputs")
        for labels in (None, "abcdef")
    )
    assert not math.isnan(without.p_value)
    assert found == without
