"""Every option of `agreement` against every section of its result: which change, which stay, and what is refused."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import pytest
from messages import NEEDS_TWO_RATERS

import metrics_framework as fw
from metrics_framework.common.errors import InputError, UsageError
from metrics_framework.meta_evaluation.rater_agreement.agreement_coefficients import COEFFICIENTS
from metrics_framework.meta_evaluation.rater_agreement.request import WEIGHTS

pytestmark = pytest.mark.filterwarnings("ignore")
SECTIONS = ("values", "intervals", "icc", "errors", "groups", "pairs", "plans", "ceilings")


@pytest.fixture(autouse=True)
def few_splits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("metrics_framework.meta_evaluation.rater_agreement.study._SPLITS", 10)


def rows() -> list[dict[str, Any]]:
    """Ratings by two of three raters of each output, which are alike within a document."""
    random.seed(4)
    found = []
    for number in range(48):
        quality = number // 4 % 4 + random.choice([0, 0, 1])
        for rater in random.sample("abc", 2):
            rating = quality + random.choice([-1, 0, 0, 1])
            text = "bad" if rating < 2 else "good"
            ids = {"id": number // 2, "system": f"s{number % 2}", "rater": rater, "doc": f"d{number // 4}"}
            found.append({**ids, "kind": "xy"[number % 2], "q": 1 + rating, "label": text})
    return found


ROWS = rows()


def sections(**options: Any) -> dict[str, Any]:
    """Returns the numbers of each section."""
    settings = {"rating": "q", "statistics": "all", "weights": (), **options}
    (study,) = fw.agreement(ROWS, **settings, log=None)
    found = study.as_json()
    ours = [one for one in found["agreement"] if not one["group"]]
    ends = {(one["name"], one["weights"]): (one["lower"], one["upper"]) for one in ours}
    return {
        "values": {key: one["value"] for key, one in zip(ends, ours, strict=True)},
        "intervals": {key: pair for key, pair in ends.items() if key[0] != "icc"},
        "icc": {key: pair for key, pair in ends.items() if key[0] == "icc"},
        "errors": [one["standard_error"] for one in ours if one["name"] in ("gwet", "fleiss")],
        "groups": [one for one in found["agreement"] if one["group"]],
        "pairs": found["pairs"],
        "plans": [found["plans"], found["mean_of_ratings"]],
        "ceilings": found["ceilings"],
    }


@cache
def usual() -> dict[str, Any]:
    """Returns the numbers of each section with the usual options."""
    return sections()


CHANGES = [  # options, the sections that they change
    ({"confidence": 80}, {"intervals", "icc"}),
    ({"seed": 1}, {"ceilings"}),  # they draw halves of the ratings
    ({"cluster": "doc"}, {"intervals", "icc", "errors"}),
    ({"cluster": "instance_id"}, {"intervals", "icc", "errors"}),
    ({"by": "kind"}, {"groups"}),
    ({"pairwise": True}, {"pairs"}),
    ({"plans": [(3, 10)]}, {"plans"}),
    ({"statistics": ["icc"]}, {"values", "intervals", "icc", "errors"}),
    ({"weights": ["ordinal"]}, {"values", "intervals", "icc", "errors"}),
]


@pytest.mark.parametrize(("options", "changed"), CHANGES, ids=[str(options) for options, _ in CHANGES])
def test_every_option_reaches_every_section_that_it_concerns(options: dict[str, Any], changed: set[str]) -> None:
    before, after = usual(), sections(**options)
    assert {name for name in SECTIONS if repr(before[name]) != repr(after[name])} == changed


def test_clusters_of_one_output_change_nothing() -> None:
    alone = [{**row, "id": f"{row['id']}-{row['system']}"} for row in ROWS]
    plain, clustered = (fw.agreement(alone, "q", "all", cluster=cluster).to_records() for cluster in (None, "id"))
    assert repr(plain) == repr(clustered)


REFUSED = [  # options, message
    ({"rating": "label", "labels": True, "plans": [(3, 10)]}, "'label' has categories, but plans need numbers"),
    ({"rating": "label", "labels": True, "statistics": ["gwet", "icc"]}, "'label' has categories, but 'icc' needs"),
    ({"rating": "label", "labels": True, "weights": ["ordinal"]}, "must be one of nominal, identity, got 'ordinal'"),
    ({"weights": ["ordinal", "linaer"]}, "did you mean 'linear'?"),
    ({"rating": (), "raters": ["q"], "rater_column": "rater"}, "leave it out with 'raters'"),
    ({"statistics": "cohen"}, f"{NEEDS_TWO_RATERS} 3"),
]


@pytest.mark.parametrize(("options", "message"), REFUSED, ids=[message for _, message in REFUSED])
def test_options_without_effect_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises((InputError, UsageError)) as error:
        fw.agreement(ROWS, **{"rating": "q", "statistics": "all", **options})
    assert message in str(error.value)


def test_a_named_coefficient_without_the_given_weights_has_its_usual_ones() -> None:
    found = fw.agreement(ROWS, "q", ["krippendorff", "gwet", "icc"], weights="ordinal").to_records()
    pairs = [("krippendorff", "ordinal"), ("gwet", "identity"), ("icc", "2,1")]
    assert [(record["statistic"], record["weights"]) for record in found] == pairs


def test_all_leaves_out_what_categories_have_not() -> None:
    found = fw.agreement(ROWS, "label", "all", labels=True).to_records()
    assert [record["statistic"] for record in found] == ["krippendorff", "gwet", "fleiss"]


def test_the_names_of_flags_are_those_of_the_coefficients() -> None:
    assert {name: kind.all_weights for name, kind in COEFFICIENTS.items()} == WEIGHTS
    assert list(COEFFICIENTS) == list(WEIGHTS)
