"""Scores change only with the version of their definition (decision 0068)."""

from __future__ import annotations

import pytest
from recorded_definitions import LEFT_OUT, hashes_of, metrics_on_record, problems, read_record

from metrics_framework.metrics import REGISTRY
from metrics_framework.metrics.base.metric import Metric


@pytest.mark.filterwarnings("ignore::metrics_framework.TextWarning")  # some outputs are empty
@pytest.mark.parametrize("name", metrics_on_record())
def test_scores_of_a_definition_are_those_on_record(name: str) -> None:
    found = problems(name, read_record().get(name), dict(hashes_of(name)))
    assert not found, "\n".join(found)


def test_the_record_has_no_other_metrics() -> None:
    assert set(read_record()) <= set(metrics_on_record())
    assert set(LEFT_OUT) <= set(REGISTRY.names())


def test_a_metric_or_an_option_without_a_record_and_a_changed_score_are_problems() -> None:
    assert "lacks 'ter'" in problems("ter", None, {"ter": "a"})[0]
    assert "lacks 'ter'" in problems("ter", {"definition": 1, "hashes": {}}, {"ter": "a"})[0]
    definition = Metric.by_name("ter").definition
    changed = problems("ter", {"definition": definition, "hashes": {"ter": "a"}}, {"ter": "b"})
    assert f"set definition = {definition + 1} in Ter (metrics_framework.metrics.ter)" in changed[0]
