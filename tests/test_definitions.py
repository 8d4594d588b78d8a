"""Scores change only with the version of their definition (decision 0068)."""

from __future__ import annotations

import pytest
from recorded_definitions import LEFT_OUT, hashes_of, metrics_on_record, problems, read_record

from metrics_framework.metrics import REGISTRY
from metrics_framework.metrics.base.metric import Metric


@pytest.mark.parametrize("name", metrics_on_record())
def test_scores_of_a_definition_are_those_on_record(name: str) -> None:
    found = problems(name, read_record().get(name), dict(hashes_of(name)))
    assert not found, "\n".join(found)


def test_every_metric_is_on_record_or_left_out_for_a_reason() -> None:
    assert set(read_record()) == set(metrics_on_record())
    assert set(LEFT_OUT) <= set(REGISTRY.names())


CASES = [  # recorded definition, recorded hash, definition of the class, hash now, what the problem says
    (1, "a", 1, "a", None),
    (1, "a", 1, "b", "set definition = 2 in Ter (metrics_framework.metrics.ter)"),
    (1, "a", 2, "b", "run python tests/recorded_definitions.py"),
    (2, "a", 1, "a", "versions only rise"),
]


@pytest.mark.parametrize(("recorded", "before", "definition", "now", "expected"), CASES)
def test_changed_scores_need_a_new_definition(
    recorded: int, before: str, definition: int, now: str, expected: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Metric.by_name("ter"), "definition", definition)
    found = problems("ter", {"definition": recorded, "hashes": {"ter": before}}, {"ter": now})
    assert [expected in problem for problem in found] == [True] if expected else found == []


def test_a_metric_or_an_option_without_a_record_is_a_problem() -> None:
    assert "lacks 'ter'" in problems("ter", None, {"ter": "a"})[0]
    assert "lacks 'ter'" in problems("ter", {"definition": 1, "hashes": {}}, {"ter": "a"})[0]
