"""Outputs with equal references are scored together, with the scores of each alone."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from real_outputs import example_outputs
from samples import sampled

import metrics_framework as fw
from metrics_framework.metrics.base.batch_scores import (
    argument_of,
    equal_keys,
    groups_of,
    identity_keys,
    neighbour_keys,
)

METRICS = ("ter", "sari", "bleu", "sent-bleu", "chrf", "rouge", "wer", "fkgl", "token-f1")
TEXTS = st.text(alphabet="ab é\U0001f600\ud800.,\n", max_size=8)
CONTEXTS = st.tuples(st.lists(TEXTS, min_size=1, max_size=3), TEXTS, st.lists(TEXTS, min_size=1, max_size=5))


def grouped(keys_of: Any, summaries: list[str], *contexts: Any) -> Any:
    """Returns the groups of outputs with references and, if given, sources, and the outputs of each group."""
    groups, is_in_order = grouping = groups_of(contexts, keys_of)
    lists = [summaries, *contexts]
    arguments = [argument_of(values, grouping, index > 0, for_kernel=False) for index, values in enumerate(lists)]
    return arguments, None if is_in_order else groups


def repeated(groups: list[tuple[list[str], str, list[str]]]) -> dict[str, list[Any]]:
    """Returns outputs whose neighbours have equal, not identical references."""
    rows = [(text, [*references], source) for references, source, texts in groups for text in texts]
    summaries, references, sources = map(list, zip(*rows, strict=True))
    return {"summary": summaries, "references": references, "source": sources}


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("kernels", sampled(["auto", "python"], 1))
def test_example_data_has_the_scores_of_single_outputs(
    name: str, kernels: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FW_KERNELS", kernels)
    metric = fw.load(name)
    outputs = example_outputs()
    fields = [outputs[field] for field in metric.fields]
    rows = list(zip(*fields, strict=True))
    shuffled = sorted(rows, key=lambda row: row[0])
    for ordered in (rows, shuffled):
        lists = [list(column) for column in zip(*ordered, strict=True)]
        assert metric.score_all(*lists) == [metric.score(*row) for row in ordered]


@pytest.mark.parametrize("name", ["ter", "sari", "chrf", "sent-bleu"])
@settings(max_examples=30)
@given(groups=st.lists(CONTEXTS, min_size=1, max_size=5))
def test_any_texts_have_the_scores_of_single_outputs(name: str, groups: Any) -> None:
    metric = fw.load(name)
    outputs = repeated(groups)
    fields = [outputs[field] for field in metric.fields]
    alone = [metric.score(*row) for row in zip(*fields, strict=True)]
    assert metric.score_all(*fields) == alone
    assert metric.evaluate(*fields)[1] == alone


def test_corpus_scores_add_from_left_to_right() -> None:
    metric = fw.load("ter")
    outputs = repeated([(["a b c", "a", "d e"], "", ["a b", "c", "a"]), (["x", "y z"], "", ["x", "y z"])] * 7)
    fields = [outputs[field] for field in metric.fields]
    edits = length = 0.0
    for scores in metric.score_all(*fields):
        edits += scores["ter_num_edits"]
        length += scores["ter_ref_length"]
    assert metric.evaluate(*fields)[0]["ter"] == 100 * (edits / length)


@pytest.mark.parametrize("keys_of", [equal_keys, neighbour_keys])
def test_outputs_share_a_context_only_if_all_its_fields_are_equal(keys_of: Any) -> None:
    groups, members = grouped(keys_of, ["u", "v", "w", "x"], [["a"], ["a"], ["a"], ["b"]], ["s", "s", "t", "t"])
    assert (groups, members) == ([[["u", "v"], ["w"], ["x"]], [["a"], ["a"], ["b"]], ["s", "t", "t"]], None)


SEPARATE = [["a"], [["b", "c"]], ["a"]]


@pytest.mark.parametrize(
    ("keys_of", "expected"),
    [
        (equal_keys, ([[["u", "w"], ["v"]], [["a"], [["b", "c"]]]], [[0, 2], [1]])),
        (neighbour_keys, ([[["u"], ["v"], ["w"]], SEPARATE], None)),
    ],
)
def test_in_runs_outputs_that_share_a_context_need_not_be_neighbours(keys_of: Any, expected: Any) -> None:
    assert grouped(keys_of, ["u", "v", "w"], SEPARATE) == expected


@pytest.mark.parametrize(
    "references",
    [[["a", "b"], ["a", "c"], ["a", "d"]], [["a"], [["a"]], [["a", ""]]], ["a", ["a"], None]],
    ids=["second references", "sentences", "types"],
)
def test_contexts_that_differ_are_not_shared(references: Any) -> None:
    assert grouped(equal_keys, ["u", "v", "w"], references) == ([[["u"], ["v"], ["w"]], references], None)


def test_fields_that_are_not_texts_are_grouped_by_identity() -> None:
    numpy = pytest.importorskip("numpy")
    array = numpy.array([1, 2])
    groups, members = grouped(identity_keys, ["u", "v", "w"], [array, numpy.array([1, 2]), array])
    assert groups[0] == [["u", "w"], ["v"]]
    assert members == [[0, 2], [1]]


@pytest.mark.parametrize("keys_of", [equal_keys, neighbour_keys])
def test_few_equal_contexts_are_not_grouped(keys_of: Any) -> None:
    lists = [["u", "v", "w", "x", "y"], [["a"], ["a"], ["b"], ["c"], ["d"]]]
    assert grouped(keys_of, *lists) == ([[["u"], ["v"], ["w"], ["x"], ["y"]], lists[1]], None)


def test_metrics_that_count_references_get_each_of_them() -> None:
    class Counting(fw.ReferenceBasedMetric):
        """Scores that depend on all references of a call."""

        needs_all_inputs = True

        def score_multi_all(self, summaries_list: Any, references_list: Any) -> Any:
            return [[{"x": len(references_list)} for _ in summaries] for summaries in summaries_list]

    assert Counting().score_all(["u", "v"], [["a"], ["a"]]) == [{"x": 2}, {"x": 2}]


def test_neighbours_are_compared_only_if_some_of_the_first_are_equal() -> None:
    different = [[str(index)] for index in range(80)]
    references = [*different, *([["x"]] * 720)]
    late, members = grouped(neighbour_keys, ["u"] * 800, [[*texts] for texts in references])
    assert (len(late[0]), members) == (800, None)
    early, _ = grouped(neighbour_keys, ["u"] * 800, [[*texts] for texts in reversed(references)])
    assert len(early[0]) == 81
