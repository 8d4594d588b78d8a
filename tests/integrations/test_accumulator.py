"""Accumulators have the scores of `evaluate`, with the same digits for any number of processes."""

from __future__ import annotations

import math
import pickle
import random
import subprocess
import sys
import unicodedata
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from real_outputs import example_outputs, published_outputs

import metrics_framework as fw
from metrics_framework import Accumulator, InputError, ReferenceFreeMetric, SourceBasedMetric, UsageError

WHOLE = ("bleu", "chrf", "wer")
FRACTIONS = ("ter", "sari", "sent-bleu", "rouge", "token-f1")


def fields_of(name: str, outputs: Any) -> list[list[Any]]:
    return [outputs[field] for field in fw.load(name).fields]


def computed(name: str, rows: Sequence[Sequence[Any]], ranks: int) -> fw.MetricsDict:
    """Distributes rows over processes, each with its own accumulator; checks that all compute the same."""
    accumulators = [Accumulator(name) for _ in range(ranks)]
    for rank, accumulator in enumerate(accumulators):
        own = rows[rank::ranks]
        for batch in (own[:3], own[3:]):
            if batch:
                accumulator.update(*map(list, zip(*batch, strict=True)))
    states = [pickle.loads(pickle.dumps(accumulator.state_dict())) for accumulator in accumulators]
    for accumulator in accumulators:
        accumulator.sync(lambda state: states)
    scores = [accumulator.compute() for accumulator in accumulators]
    assert all(one == scores[0] for one in scores)
    return scores[0]


@pytest.mark.parametrize("is_published", [False, True])
@pytest.mark.parametrize("name", [*WHOLE, *FRACTIONS])
def test_scores_are_those_of_evaluate(name: str, is_published: bool, shared_path: Callable[[str], Path]) -> None:
    outputs = published_outputs(shared_path) if is_published else example_outputs()
    rows = list(zip(*fields_of(name, outputs), strict=True))
    expected, _ = fw.load(name).evaluate(*fields_of(name, outputs))
    found = [computed(name, rows, ranks) for ranks in (1, 2, 3, 8)]
    random.Random(1).shuffle(rows)
    found += [computed(name, rows, ranks) for ranks in (1, 3)]
    assert [repr(one) for one in found] == [repr(found[0])] * len(found)
    assert found[0].approx_equal(expected, abs=1e-9)
    if name in WHOLE:
        assert found[0] == expected


@settings(max_examples=30)
@given(st.lists(st.tuples(st.text(), st.lists(st.text(), min_size=1, max_size=3)), min_size=1), st.randoms())
def test_any_texts_in_any_order_have_the_same_digits(rows: Any, generator: random.Random) -> None:
    for name in ("ter", "chrf", "sent-bleu"):
        one = computed(name, rows, 1)
        shuffled = generator.sample(rows, len(rows))
        assert repr(computed(name, shuffled, 3)) == repr(one)
        assert one.approx_equal(fw.load(name).evaluate(*map(list, zip(*rows, strict=True)))[0], abs=1e-9)


PROCESS = """
import json, sys
import torch.distributed as processes
import metrics_framework as fw

rank, world, store = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
processes.init_process_group("gloo", init_method="file://" + store, rank=rank, world_size=world)
rows = json.loads(sys.argv[4])[rank::world]
found = []
for name in ("ter", "bleu", "sent-bleu"):
    scores = fw.Accumulator(name)
    if rows:
        scores.update([text for text, _ in rows], [references for _, references in rows])
    scores.sync()
    found.append(scores.compute())
print(json.dumps(found))
processes.destroy_process_group()
"""


@pytest.mark.slow
@pytest.mark.parametrize("world", [2, 3])
def test_processes_of_torch_compute_the_same(world: int, tmp_path: Path) -> None:
    pytest.importorskip("torch.distributed", reason="needs the package torch of the extra 'neural'")
    import json

    outputs: Any = example_outputs()
    rows = list(zip(outputs["summary"], outputs["references"], strict=True))[: 2 if world == 3 else None]
    arguments = [str(world), str(tmp_path / "store"), json.dumps(rows)]
    commands = [[sys.executable, "-c", PROCESS, str(rank), *arguments] for rank in range(world)]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, encoding="utf-8") for command in commands]
    try:
        printed = [json.loads(process.communicate(timeout=120)[0]) for process in started]
    finally:
        for process in started:
            process.kill()
            process.wait()
    assert printed == [[computed(name, rows, 1) for name in ("ter", "bleu", "sent-bleu")]] * world


def test_arguments_may_have_the_names_of_torchmetrics() -> None:
    given = fw.Accumulator("sari")
    given.update(preds=["a b"], target=[["a"]], sources=["a b c"])
    assert given.compute() == fw.load("sari").evaluate(["a b"], [["a"]], ["a b c"])[0]
    for other in ("summary", "summaries"):
        with pytest.raises(TypeError, match=r"repeated argument 'preds'|'summaries' is another name"):
            given.update(preds=["a"], target=[["a"]], sources=["a"], **{other: ["a"]})


def test_fields_may_be_named() -> None:
    sari = Accumulator("sari")
    sari.update(sources=["a b"], references=[["a"]], summaries=["a"])
    assert sari.compute() == fw.load("sari").evaluate(["a"], [["a"]], ["a b"])[0]
    with pytest.raises(TypeError, match="unexpected or repeated argument 'reference'"):
        sari.update(["a"], sources=["a b"], references=[["a"]], reference=[["a"]])
    with pytest.raises(InputError, match="'sari' takes 3 arguments"):
        sari.update(["a"], [["a"]])


def test_outputs_added_after_sync_count_after_the_next_sync() -> None:
    ter = Accumulator("ter")
    ter.update(["a"], [["b"]])
    other = Accumulator("ter")
    other.update(["a"], [["a"]])
    ter.sync(lambda state: [state, other.state_dict()])
    assert ter.compute()["ter"] == 50.0
    assert ter.compute()["ter"] == 50.0
    ter.update(["a"], [["a"]])
    assert ter.compute()["ter"] == 50.0  # of this process alone
    ter.sync(lambda state: [state, other.state_dict()])
    assert ter.compute()["ter"] == pytest.approx(100 / 3)


def test_a_failed_update_adds_nothing() -> None:
    ter = Accumulator("ter")
    ter.update(["a"], [["b"]])
    with pytest.raises(InputError, match="same number of entries"):
        ter.update(["a", "b"], [["a"]])
    assert (ter.count, ter.compute()["ter"]) == (1, 100.0)


def test_reset_removes_all_outputs() -> None:
    ter = Accumulator("ter")
    with pytest.raises(InputError, match=r"there are no outputs to evaluate; call update\(\) first"):
        ter.compute()
    ter.update(["a"], [["b"]])
    ter.sync(lambda state: [state])
    ter.reset()
    assert ter.count == 0
    with pytest.raises(InputError, match="there are no outputs"):
        ter.compute()
    ter.update([], [])
    ter.sync(lambda state: [state, state])
    with pytest.raises(InputError, match="there are no outputs"):
        ter.compute()


def test_a_state_can_be_saved_and_loaded() -> None:
    ter = Accumulator("ter:label=edits")
    ter.update(["a b"], [["a", "b c d"]])
    copies = [Accumulator("ter:label=edits"), pickle.loads(pickle.dumps(ter))]
    copies[0].load_state_dict(ter.state_dict())
    for copy in copies:
        copy.update(["a"], [["b"]])
        assert copy.count == 2
        assert copy.compute()["edits"] == 100 * (2 / 3)
    assert ter.compute()["edits"] == 50.0


def test_different_metrics_are_not_added() -> None:
    ter = Accumulator("ter")
    with pytest.raises(InputError, match=r"the sums must be those of 'ter\|case:lc.*', got 'ter\|case:mixed"):
        ter.sync(lambda state: [state, Accumulator("ter:case_sensitive=true").state_dict()])
    with pytest.raises(InputError, match="got the list"):
        ter.load_state_dict([])


def test_sums_of_another_release_are_added_unless_their_definition_differs() -> None:
    ter = Accumulator("ter")
    state = ter.state_dict()
    ter.load_state_dict({**state, "metric": f"{state['metric'].rpartition('|fw:')[0]}|fw:9.1"})
    with pytest.raises(InputError, match="def:2"):
        ter.load_state_dict({**state, "metric": f"{state['metric'].rpartition('|fw:')[0]}|def:2|fw:9.1"})


def test_sums_of_pythons_with_other_unicode_tables_are_not_added() -> None:
    ter = Accumulator("ter")
    other = {**Accumulator("ter").state_dict(), "unicode": "9.1.0"}
    for add in (ter.load_state_dict, lambda state: ter.sync(lambda own: [own, state])):
        with pytest.raises(InputError, match=rf"Unicode {unicodedata.unidata_version}, as this one, got .*9\.1\.0"):
            add(other)


def test_sync_needs_processes_of_torch_or_a_function() -> None:
    pytest.importorskip("torch.distributed", reason="needs the package torch of the extra 'neural'")
    with pytest.raises(InputError, match=r"torch.distributed is not initialized; .* pass gather="):
        Accumulator("ter").sync()


def test_sync_without_torch_asks_for_a_function(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch.distributed", None)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(InputError, match=r"sync\(\) uses torch.distributed, which cannot be imported .*pass gather="):
        Accumulator("ter").sync()


@pytest.mark.parametrize("state", [None, 3, {}, {"metric": "ter", "count": 1}])
def test_states_of_another_form_are_refused(state: Any) -> None:
    ter = Accumulator("ter")
    with pytest.raises(InputError, match="a state must be what"):
        ter.load_state_dict(state)
    with pytest.raises(InputError, match="gather must return a list of the states of all processes, got null"):
        ter.sync(lambda own: None)  # type: ignore[arg-type,return-value]


SEVERAL = ["ter", "bleu", "sari", "sent-bleu"]


def rows_of_sari() -> list[tuple[Any, ...]]:
    return list(zip(*fields_of("sari", example_outputs()), strict=True))[:30]


def test_several_metrics_have_the_scores_of_each_and_are_gathered_in_one_call() -> None:
    rows = rows_of_sari()
    ranks, one, calls = [Accumulator(SEVERAL) for _ in range(3)], Accumulator(SEVERAL), 0
    for rank, accumulator in enumerate(ranks):
        accumulator.update(*map(list, zip(*rows[rank::3], strict=True)))
    for batch in (rows[:11], rows[11:]):
        one.update(*map(list, zip(*batch, strict=True)))
    expected: dict[str, Any] = {}
    for name in SEVERAL:
        expected |= computed(name, [row[: len(fw.load(name).fields)] for row in rows], 1)
    assert dict(one.compute()) == expected
    states = [pickle.loads(pickle.dumps(accumulator.state_dict())) for accumulator in ranks]

    def gather(state: Any) -> Sequence[Any]:
        nonlocal calls
        calls += 1
        return states

    for accumulator in ranks:
        accumulator.sync(gather)
        assert repr(accumulator.compute()) == repr(one.compute())
    assert calls == 3
    copy = Accumulator(SEVERAL)
    copy.load_state_dict(one.state_dict())
    assert ([metric.name for metric in copy.metrics], copy.count, repr(copy.compute())) == (
        SEVERAL,
        30,
        repr(one.compute()),
    )
    copy.reset()
    with pytest.raises(InputError, match="there are no outputs"):
        copy.compute()


def test_metrics_of_different_fields_are_updated_by_name() -> None:
    accumulator = Accumulator({"edits": "ter", "quality": LengthOfSource()})
    fields = {"summaries": ["a cat"], "references": [["a dog"]], "sources": ["the cat"]}
    accumulator.update(**fields)
    assert accumulator.compute()["edits"] == 50.0
    assert accumulator.compute()["quality_source"] == 7
    with pytest.raises(InputError, match="no metric needs all of summary, references, source"):
        accumulator.update(*fields.values())
    with pytest.raises(InputError, match="2 metrics"):
        _ = accumulator.metric


class LengthOfSource(SourceBasedMetric):
    def score_multi_all(self, summaries_list: Any, source_list: Any) -> Any:
        pairs = zip(summaries_list, source_list, strict=True)
        return [[{"source": len(source)} for _ in group] for group, source in pairs]


def test_an_invalid_argument_of_one_metric_changes_no_sum() -> None:
    accumulator = Accumulator(["ter", "sari"])
    accumulator.update(["a cat"], [["a dog"]], ["a cat"])
    before = accumulator.state_dict()
    with pytest.raises(InputError):
        accumulator.update(["a cat"], [["a dog"]])  # no source
    with pytest.raises(InputError, match=r"takes 3 arguments \(summary, references, source\), got 4"):
        accumulator.update(["a cat"], [["a dog"]], ["a cat"], ["a cat"])
    with pytest.raises(TypeError, match="'sorces'"):
        accumulator.update(["a cat"], [["a dog"]], sorces=["a cat"])
    assert accumulator.state_dict() == before


def test_states_of_other_metrics_are_refused() -> None:
    several = Accumulator(["ter", "bleu"])
    for state in (Accumulator("ter").state_dict(), Accumulator(["bleu", "ter"]).state_dict(), {"metrics": 1}):
        with pytest.raises(InputError, match="must be that of the metrics ter, bleu"):
            several.load_state_dict(state)
    with pytest.raises(InputError, match="a state must be what"):
        Accumulator("ter").load_state_dict(several.state_dict())
    changed = several.state_dict()
    changed["metrics"]["bleu"]["unicode"] = "9.1.0"
    with pytest.raises(InputError, match=r"9\.1\.0"):
        several.load_state_dict(changed)


def test_two_metrics_with_one_label_or_one_score_are_refused() -> None:
    with pytest.raises(UsageError, match="'ter'"):
        Accumulator(["ter", "ter:case_sensitive=true"])
    both = Accumulator({"a_b": LengthOfSource(), "a": OtherSource()})
    both.update(["a"], ["b c"])
    with pytest.raises(InputError, match="two metrics have a score 'a_b_source'"):
        both.compute()


class OtherSource(SourceBasedMetric):
    def score_multi_all(self, summaries_list: Any, source_list: Any) -> Any:
        return [[{"b_source": 1} for _ in group] for group in summaries_list]


class Lengths(ReferenceFreeMetric):
    """Nested scores, undefined for empty texts."""

    def score_multi_all(self, summaries_list: Any) -> Any:
        return [[self.scored(text) for text in texts] for texts in summaries_list]

    def scored(self, text: str) -> dict[str, Any]:
        value = len(text) / 10 if text else math.nan
        return {"length": {"mean": value, "both": [value, 1]}}


@pytest.mark.filterwarnings("ignore:empty outputs:metrics_framework.TextWarning")
def test_means_leave_out_undefined_scores() -> None:
    lengths = Accumulator(Lengths())
    lengths.update(["a", "", "bcd"])
    expected, _ = Lengths().evaluate(["a", "", "bcd"])
    assert lengths.compute() == expected == {"length": {"mean": 0.2, "both": [0.2, 1.0]}}
    lengths.reset()
    lengths.update([""])
    assert math.isnan(lengths.compute()["length"]["mean"])


def test_processes_with_other_scores_are_reported() -> None:
    lengths = Accumulator(Lengths())
    lengths.update(["a"])
    state = lengths.state_dict()
    other = {**state, "sums": {("other",): (0, [], 1)}}
    with pytest.raises(InputError, match="must return the same scores in every process"):
        lengths.sync(lambda state: [state, other])


def test_metrics_that_need_all_inputs_are_refused() -> None:
    with pytest.raises(UsageError, match="scores of 'bertscore' depend on all inputs"):
        Accumulator("bertscore:idf=references")
