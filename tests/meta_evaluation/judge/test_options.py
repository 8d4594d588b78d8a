"""Every option of `judge` against every section of its result: which change, and which stay."""

from __future__ import annotations

from functools import cache

import pytest

import metrics_framework as fw

pytestmark = pytest.mark.filterwarnings("ignore")


def rows():
    """Returns ratings by three raters, and two judges; the third rater has rated half of the outputs."""
    found = []
    for unit in range(80):
        quality = (unit * unit // 7 + unit // 3) % 5
        ratings = [quality, (quality + (unit % 3 == 0)) % 5, (quality + unit % 2) % 5 if unit < 36 else None]
        texts = {"words": 10 + (unit * 7) % 40, "doc": f"d{unit // 3}"}
        judges = {"model": (quality + (unit % 5 == 0)) % 5, "other": (unit * 3) % 5}
        found.append({"id": unit, "good": ratings, **judges, **texts})
    return found


ROWS = rows()
SECTIONS = {
    "units": lambda result: (result["units"], result["too_few_raters"]),
    "raters left out": lambda result: result["left_out_raters"],
    "ρ": lambda result: [judge["advantage_probability"]["value"] for judge in result["judges"][:2]],
    "intervals of ρ": lambda result: [ends(judge["advantage_probability"]) for judge in result["judges"][:2]],
    "intervals above the constant": lambda result: [ends(judge["above_constant"]) for judge in result["judges"][:2]],
    "differences": lambda result: [ends(pair["advantage_probability"]) for pair in result["differences"]],
    "p-values": lambda result: [rater["p_value"] for judge in result["judges"][:2] for rater in judge["raters"]],
    "sweep": lambda result: [judge["sweep"] for judge in result["judges"][:2]],
    "agreement": lambda result: [ends(result["judges"][0]["agreement"][name]) for name in ("alpha", "kappa")],
    "agreement of raters": lambda result: [ends(result["raters"][name]) for name in ("alpha", "kappa")],
    "harshness": lambda result: [ends(result["judges"][0][name]) for name in ("signed_error", "spread")],
    "sentinels": lambda result: [judge["advantage_probability"]["value"] for judge in result["judges"][2:]],
}
INTERVALS = {
    *("intervals of ρ", "intervals above the constant", "differences"),
    *("agreement", "agreement of raters", "harshness"),
}
TEST = {"p-values", "sweep"}
CHANGES = [  # options, the sections that they change
    ({"confidence": 80}, INTERVALS),
    ({"seed": 1}, {"sentinels"}),  # the shuffled judges
    ({"cluster": "doc"}, INTERVALS | TEST),
    ({"epsilon": "crowd"}, {"p-values"}),
    ({"q": 0.4}, {"sweep"}),
    ({"min_units": 40}, {*SECTIONS} - {"units"}),
    ({"min_raters": 3, "min_units": 20}, {*SECTIONS} - {"raters left out"}),
    ({"scoring": "ranks"}, {*SECTIONS} - {"units", "raters left out", "agreement", "agreement of raters", "harshness"}),
    ({"text": "words"}, {"sentinels"}),
]


def ends(interval):
    return interval["lower"], interval["upper"]


def sections(**options):
    result = fw.judge(ROWS, "good", ["model", "other"], **{"log": None, **options})
    found = {"command": "", **result.as_json()}
    return {name: repr(part(found)) for name, part in SECTIONS.items()}


@cache
def usual():
    return sections()


@pytest.mark.parametrize(("options", "changed"), CHANGES, ids=[str(options) for options, _ in CHANGES])
def test_every_option_reaches_every_section_that_it_concerns(options, changed):
    before, after = usual(), sections(**options)
    assert {name for name in SECTIONS if before[name] != after[name]} == changed
