"""Every option of a plan against every goal: it changes the plan, or is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from samples import sampled

import metrics_framework as fw

CLUSTERS = {"cluster_size": 2, "cluster_correlation": 0.3}
BASE: dict[str, dict[str, Any]] = {
    "mean": {"sd": 1.0, "agreement": 0.4, "difference": 0.3},
    "difference": {"sd": 1.0, "agreement": 0.4, "difference": 0.3},
    "estimate": {"sd": 1.0, "agreement": 0.4, "difference": 0.3, "judge_agreement": 0.4, "judged": 300},
    "alt-test": {"agreement": 0.4, "judge_agreement": 0.45, "inputs": [40]},
}
OTHER: dict[str, Any] = {  # option to another value
    "half_width": 0.3,
    "difference": 0.25,
    "power": 0.7,
    "assurance": 0.9,
    "raters": [4],
    "inputs": [60],
    "systems": 3,
    "comparisons": "baseline",
    "sd": 1.3,
    "share": 0.3,
    "agreement": 0.6,
    "correlation": 0.5,
    "judge_agreement": 0.5,
    "judged": 200,
    "cluster_size": 3,
    "cluster_correlation": 0.5,
    "points": 2,
    "scoring": "ranks",
    "epsilon": "experts",
    "q": 0.2,
    "confidence": 90,
    "simulations": 60,
    "seed": 1,
}
EVERYWHERE = {"raters", "inputs", "agreement", "simulations", "seed"}
OF_MEANS = {"half_width", "difference", "power", "assurance", "systems", "sd", "confidence", *CLUSTERS}
EFFECTIVE = {
    "mean": EVERYWHERE | OF_MEANS | {"share"},
    "difference": EVERYWHERE | OF_MEANS | {"comparisons", "correlation"},
    "estimate": EVERYWHERE | OF_MEANS | {"share", "judge_agreement", "judged"},
    "alt-test": EVERYWHERE | {"judge_agreement", "points", "scoring", "epsilon", "q"},
}
REPLACED = {"half_width": ["difference"], "power": ["inputs"], "share": ["sd", "agreement"]}
"""Option to the options that it replaces."""


def planned(goal: Any, options: dict[str, Any]) -> Any:
    result = fw.plan(goal, **{"raters": [3], "simulations": 40, **options})
    return json.loads(result.to_json())["designs"], result.table()


@pytest.fixture(scope="module")
def plan_of() -> Callable[[str, dict[str, Any]], Any]:
    """Plans with the same options once."""
    known: dict[str, Any] = {}

    def find(goal: str, options: dict[str, Any]) -> Any:
        key = f"{goal} {options}"
        if key not in known:
            known[key] = planned(goal, options)
        return known[key]

    return find


@pytest.mark.parametrize("option", sampled(OTHER, 4))
@pytest.mark.parametrize("goal", BASE)
def test_an_option_changes_the_plan_or_is_refused(
    goal: str, option: str, plan_of: Callable[[str, dict[str, Any]], Any]
) -> None:
    base = {**BASE[goal], "systems": 3} if option == "comparisons" and goal == "difference" else BASE[goal]
    if option in CLUSTERS and goal != "alt-test":
        base = {**base, **CLUSTERS}
    if option == "assurance" and goal != "alt-test":
        base = {**base, "half_width": 0.3, "difference": None}
    base = {**base, "raters": [1]} if option == "share" else base
    options = {name: value for name, value in base.items() if name not in REPLACED.get(option, ())}
    if option not in EFFECTIVE[goal] and not (goal == "alt-test" and option == "power"):
        with pytest.raises(fw.InputError, match=f"'{option}' acts only for "):
            planned(goal, {**options, option: OTHER[option]})
        return
    changed = planned(goal, {**options, option: OTHER[option]})
    assert changed != plan_of(goal, base), "the table says what changed, also if the numbers are equal"
