"""The input of a run: duplicates however many, fields that are missing, counts, and notes on the form of texts."""

from __future__ import annotations

import functools
import io
import json
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from messages import AS_ONE_SENTENCE_EACH, COMPARES_A_LONG_TEXT, DUPLICATE_OUTPUT

from metrics_framework.common.errors import DataError, DataErrors, Problems
from metrics_framework.common.logs import Log
from metrics_framework.data.eval_instance import ColumnBatch, EvalInstance
from metrics_framework.data.fields import Duplicates
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.dataset_readers.rows_of_fields import DefaultReader
from metrics_framework.evaluation import checked_input, external_sort
from metrics_framework.evaluation.checked_input import (
    InputChecks,
    InputSummary,
    checked_batches,
    duplicate_problem,
    valid_rows,
)
from metrics_framework.evaluation.external_sort import Run
from metrics_framework.inputs.checks import TextSample
from metrics_framework.metrics.base.metric import labelled, load

ROWS = 5_000
TEXT_FIELDS = {"summary": "a", "references": ["b"]}


class Twice(DatasetReader):
    """Gives every output twice: first all of one file, then all of another."""

    def __init__(self, rows: int) -> None:
        self.rows = rows

    def instances(self, input_files: Sequence[str], problems: Problems) -> Iterator[EvalInstance]:
        for path in ("a.jsonl", "b.jsonl"):
            for number in range(self.rows):
                yield EvalInstance(str(number), "s", "peer", TEXT_FIELDS, path, number + 1)


class Counted(str):
    """A string that counts how often it is compared."""

    compared = 0

    def __eq__(self, other: object) -> bool:
        Counted.compared += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__


class Given(DatasetReader):
    """Gives these instances, and puts in front of some of them what is wrong with a line."""

    def __init__(self, given: Sequence[EvalInstance | DataError]) -> None:
        self.given = given

    def instances(self, input_files: Sequence[str], problems: Problems) -> Iterator[EvalInstance]:
        for one in self.given:
            if isinstance(one, DataError):
                problems.add(one)
            else:
                yield one


def kept(
    reader: DatasetReader, duplicates: Duplicates = "error", size: int = 2048, in_memory: int = 1 << 14
) -> tuple[list[EvalInstance], InputSummary]:
    seen = InputSummary()
    batches = checked_batches(
        reader, ["a.jsonl", "b.jsonl"], labelled(["ter"]), seen, duplicates, size=size, in_memory=in_memory
    )
    return [instance for batch in batches for instance in batch.instances], seen


def output(instance_id: str, system: str = "s", place: str = "a.jsonl:1", **changes: Any) -> EvalInstance:
    path, line = place.split(":")
    return EvalInstance(instance_id, system, changes.pop("type", "peer"), {**TEXT_FIELDS, **changes}, path, int(line))


def told(given: Sequence[EvalInstance | DataError], **memory: int) -> list[str]:
    """Returns the lines of the error, without the advice behind each."""
    with pytest.raises(DataError) as caught:
        kept(Given(given), **memory)
    return str(caught.value).replace("; use --duplicates first or last to keep one", "").split("\n")


@pytest.mark.parametrize("in_memory", [0, 500, 10 * ROWS])
def test_very_many_duplicates_are_all_counted_and_the_first_ones_told(in_memory: int) -> None:
    with pytest.raises(DataErrors) as caught:
        kept(Twice(ROWS), in_memory=in_memory)
    assert caught.value.count == ROWS
    lines = str(caught.value).split("\n")
    assert len(lines) == 21
    assert lines[0].startswith(f"b.jsonl:1: {DUPLICATE_OUTPUT} 's' for input '0' (first in a.jsonl:1); ")
    assert lines[19].startswith(f"b.jsonl:20: {DUPLICATE_OUTPUT} 's' for input '19' (first in a.jsonl:20); ")
    assert lines[20] == f"… and {ROWS - 20} more problems"


def test_a_place_is_found_without_searching_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every output costs the same, so that many duplicates cannot take the square of their number."""
    monkeypatch.setattr(Counted, "compared", 0)
    ids = [Counted(str(number)) for number in range(1000)] * 2
    checks = InputChecks(["a.jsonl"], InputSummary())
    checks.add(ColumnBatch([EvalInstance(name, "s", "peer", {}, "a.jsonl", line) for line, name in enumerate(ids, 1)]))
    with pytest.raises(DataErrors) as caught:
        checks.finish()
    assert caught.value.count == 1000
    assert Counted.compared < 8 * 2000


# ---- duplicates in memory and on disk --------------------------------------------------------------------------------

PATHS = ["a.jsonl", None, "a.jsonl", "b.jsonl"]


@pytest.mark.parametrize("in_memory", [0, 1000])
def test_duplicates_have_the_file_and_the_line_of_the_first_output(in_memory: int) -> None:
    given = [
        EvalInstance(str(number), "s", "peer", TEXT_FIELDS, PATHS[number % 4], None if number % 3 == 0 else number)
        for number in range(20)
    ]
    problems = Problems()
    for one in given:
        problems.add(duplicate_problem(one.instance_id, "s", (one.path, one.line), (one.path, one.line)))
    with pytest.raises(DataErrors) as expected:
        problems.raise_any()
    with pytest.raises(DataErrors) as caught:
        kept(Given(given * 2), size=20, in_memory=in_memory)
    assert str(caught.value) == str(expected.value)


@pytest.mark.parametrize("in_memory", [0, 1000])
def test_ids_that_only_together_are_the_same_are_different_outputs(in_memory: int) -> None:
    ids = [("ab", "c"), ("a", "bc"), ("", "abc"), ("abc", ""), ("a\0b", "c"), ("a", "b\0c"), ("a\0", "bc")]
    assert kept(Given([output(*pair) for pair in ids]), in_memory=in_memory)[1].num_instances == len(dict(ids))


@pytest.mark.parametrize("name", ["a\0b", "\ud800", "", "a\nb", "é"])
def test_every_id_is_read_from_disk_as_it_was(name: str) -> None:
    given = [output(name, name), output("other"), output(name, name, "a.jsonl:3")]
    with pytest.raises(DataError) as caught:
        kept(Given(given), in_memory=0)
    assert caught.value.message.startswith(f"{DUPLICATE_OUTPUT} '{name}' for input '{name}' (first on line 1)")
    assert (caught.value.path, caught.value.line) == ("a.jsonl", 3)


# ---- more outputs than memory remembers ------------------------------------------------------------------------------

FAR = [output(str(number), place=f"a.jsonl:{number + 1}") for number in range(100)]
SECOND = f"{DUPLICATE_OUTPUT} 's' for input '{{}}' (first {{}})"


@pytest.mark.parametrize("in_memory", [0, 10, 60, 1000])
@pytest.mark.parametrize("size", [1, 7, 2048])
def test_duplicates_far_apart_and_in_another_file_name_both_lines(size: int, in_memory: int) -> None:
    given = [*FAR, output("50", place="a.jsonl:101"), output("7", place="b.jsonl:1"), output("50", place="b.jsonl:2")]
    assert told(given, size=size, in_memory=in_memory) == [
        "a.jsonl:101: " + SECOND.format("50", "on line 51"),
        "b.jsonl:1: " + SECOND.format("7", "in a.jsonl:8"),
        "b.jsonl:2: " + SECOND.format("50", "in a.jsonl:51"),
    ]
    twice = [output("1"), output("1")]  # as in a file that is given twice
    assert told(twice, size=size, in_memory=in_memory) == ["a.jsonl:1: " + SECOND.format("1", "on line 1")]


@pytest.mark.parametrize("in_memory", [0, 10, 1000])
def test_duplicates_and_other_problems_come_in_the_order_of_the_lines(in_memory: int) -> None:
    given = [
        *FAR,
        output("90", place="b.jsonl:1"),
        DataError("is not JSON", "b.jsonl", 2),
        output("new", place="b.jsonl:3", summary=5),
        output("5", place="b.jsonl:4"),
        output("newer", place="b.jsonl:5", type="reference"),
        output("91", place="b.jsonl:6"),
    ]
    lines = told(given, size=10, in_memory=in_memory)
    assert [line[: line.index(" ")] for line in lines] == [f"b.jsonl:{number}:" for number in range(1, 7)]
    for line, words in zip(lines, ["'90'", "JSON", "number 5", "'5'", "of type 'reference' here", "'91'"], strict=True):
        assert words in line


@pytest.mark.parametrize("in_memory", [0, 1000])
def test_only_the_first_twenty_problems_of_all_kinds_are_told(in_memory: int) -> None:
    late = [DataError(f"is not JSON {number}", "b.jsonl", number + 1) for number in range(50)]
    given = [*FAR, *late, *(output(str(number), place=f"b.jsonl:{number + 1}") for number in range(100))]
    lines = told(given, in_memory=in_memory)
    assert [line.split(":")[1] for line in lines[:20]] == [str(1 + number // 2) for number in range(20)]
    assert lines[20:] == ["… and 130 more problems"]


@pytest.mark.parametrize("in_memory", [0, 10, 1000])
@pytest.mark.parametrize(("duplicates", "path"), [("first", "a.jsonl"), ("last", "b.jsonl")])
def test_one_of_many_duplicates_is_kept_and_the_others_are_counted_and_told_once(
    duplicates: Duplicates, path: str, in_memory: int, capsys: pytest.CaptureFixture[str]
) -> None:
    outputs, seen = kept(Twice(1_000), duplicates, 7, in_memory)
    assert [one.instance_id for one in outputs] == [str(number) for number in range(1_000)]
    assert {one.path for one in outputs} == {path}
    assert (seen.skipped, seen.num_instances, seen.outputs) == (1_000, 1_000, {"s": 1_000})
    seen.warn(Log())
    assert capsys.readouterr().err.count("1000 duplicate outputs were skipped") == 1


IDS = st.sampled_from(["", "1", "2", "3", "a\0", "\0a", "\ud800"])
OUTPUTS = st.lists(st.tuples(IDS, IDS, st.sampled_from(["peer", "peer", "reference"]), st.booleans()), max_size=25)


def outcome(given: Sequence[tuple[str, str, str, bool]], duplicates: Duplicates, size: int, in_memory: int) -> Any:
    reader = Given(
        [
            EvalInstance(instance_id, system, kind, TEXT_FIELDS if good or number % 4 else {}, "a.jsonl", number + 1)
            for number, (instance_id, system, kind, good) in enumerate(given)
        ]
    )
    try:
        return kept(reader, duplicates, size, in_memory)
    except DataError as error:
        return str(error)


@settings(max_examples=50, deadline=None)
@given(OUTPUTS, st.sampled_from(["error", "first", "last"]), st.integers(1, 6), st.integers(0, 12))
def test_little_memory_and_much_come_to_the_same(
    given: list[tuple[str, str, str, bool]], duplicates: Duplicates, size: int, in_memory: int
) -> None:
    found = outcome(given, duplicates, size, in_memory)
    assert found == outcome(given, duplicates, size, 1000)
    if not isinstance(found, str) and duplicates == "error":
        assert found[1].num_instances == len({instance_id for instance_id, *_ in given})
        assert sum(found[1].outputs.values()) == len(given)


SOURCES = st.sampled_from(["x", "x", "x", None, "y", ""])
ROWS_WITH_SOURCES = st.lists(st.tuples(st.integers(0, 4), SOURCES, st.sampled_from([None, "d", "d", "e"])), max_size=25)


@settings(max_examples=60, deadline=None)
@example([(0, None, None), (1, "x", "d"), (1, "x", "e")], 6, 1, 4)
@given(ROWS_WITH_SOURCES, st.integers(1, 6), st.integers(0, 12), st.integers(1, 4))
def test_an_id_that_names_two_inputs_is_found_however_little_is_in_memory(
    rows: list[tuple[int, str | None, str | None]], size: int, in_memory: int, held: int
) -> None:
    """Empty and missing sources and documents agree with all."""
    given = [
        {"id": f"i{name}", "system": f"s{at}", "output": "a", "references": ["a"], "source": source, "doc": document}
        for at, (name, source, document) in enumerate(rows)
    ]
    of_inputs = [{(name, at, row[at]) for name, *row in rows if row[at]} for at in (0, 1)]
    is_wrong = any(len(found) > len({name for name, *_ in found}) for found in of_inputs)
    lines = "".join(json.dumps(row) + "\n" for row in given)
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        path = Path(folder, "in.jsonl")
        path.write_text(lines)
        patch.setattr(checked_input, "ExternalSort", functools.partial(external_sort.ExternalSort, held))
        batches = checked_batches(
            DefaultReader(), [str(path)], labelled(["ter"]), InputSummary(), size=size, in_memory=in_memory
        )
        expected = pytest.raises(DataError, match=r"^instance 'i\d' has two ") if is_wrong else nullcontext()
        if rows:
            with expected:
                assert sum(len(batch.ids) for batch in batches) == len(rows)


# ---- temporary files -------------------------------------------------------------------------------------------------


@pytest.fixture
def scratch_files(monkeypatch: pytest.MonkeyPatch) -> list[Run]:
    """Every file that is made; ten rows are sorted in memory."""
    made: list[Run] = []

    class Recorded(Run):
        def __init__(self, rows_per_block: int) -> None:
            super().__init__(rows_per_block)
            made.append(self)

    monkeypatch.setattr(external_sort, "Run", Recorded)
    monkeypatch.setattr(checked_input, "ExternalSort", functools.partial(external_sort.ExternalSort, 10))
    return made


def test_temporary_files_are_gone_when_all_was_read_after_an_error_and_when_nobody_reads_on(
    scratch_files: list[Run],
) -> None:
    _, seen = kept(Given(FAR), size=7, in_memory=10)
    assert seen.num_instances == 100
    assert scratch_files
    assert all(file.closed for file in scratch_files)
    del scratch_files[:]
    assert told([*FAR, output("99", place="b.jsonl:1")], size=7, in_memory=10) == [
        "b.jsonl:1: " + SECOND.format("99", "in a.jsonl:100")
    ]
    assert scratch_files
    assert all(file.closed for file in scratch_files)
    del scratch_files[:]
    batches = checked_batches(Given(FAR), ["a.jsonl"], labelled(["ter"]), InputSummary(), size=7, in_memory=10)
    for _ in range(5):
        next(batches)
    assert scratch_files
    assert not any(file.closed for file in scratch_files)
    del batches
    assert all(file.closed for file in scratch_files)


def test_a_small_input_makes_no_temporary_file(scratch_files: list[Run]) -> None:
    assert kept(Given(FAR))[1].num_instances == 100
    assert scratch_files == []


MISSING = [  # metric, fields, end of the message
    ("ter", {"ref": "b"}, "; rename 'ref' to 'reference'"),
    (
        "ter",
        {"Reference_A": "b", "Reference_B": "b"},
        "; rename 'Reference_A' to 'reference_1', 'Reference_B' to 'reference_2'",
    ),
    ("ter", dict.fromkeys(["ref_a", "ref_b", "ref_c"], "b"), "; rename 'ref_a' to 'reference_1', 'ref_b' to 'refer"),
    ("ter", {"target": "b"}, "'summary', 'target'; if a column has it under another name, use --columns references=C"),
    ("pyramid-score", {"scus": []}, "; the reader 'pyramid-based' reads"),
    ("simetrix", {}, "; the reader 'split-document-based' reads"),
    ("simetrix", {"summary": None, "documents": ["a"]}, "; the reader 'split-document-based' reads"),
    (
        "rouge",
        {"summary": None, "documents": ["a"], "references": ["b"], "bart": "c"},
        "; if a column has it under another name, use --columns summary=COLUMN, or --systems COLUMN … if each system",
    ),
]


@pytest.mark.parametrize(("metric", "fields", "advice"), MISSING)
def test_a_missing_field_is_told_with_what_helps(metric: str, fields: dict[str, Any], advice: str) -> None:
    given = {name: value for name, value in {"summary": "a", **fields}.items() if value is not None}
    problems = Problems()
    batch = ColumnBatch([EvalInstance("1", "s", "peer", given, "x.csv", 2)])
    assert not valid_rows(batch, labelled([metric]), problems).ids
    problem = str(problems.kept[0])
    assert advice in problem
    if metric == "ter":
        assert problem.startswith("x.csv:2: the metric 'ter' needs 'references', but got only 'summ")


def summary_of(
    given: Sequence[EvalInstance], *specs: str, size: int = 2, sample: TextSample | None = None
) -> InputSummary:
    summary = InputSummary(texts=sample)
    for _ in checked_batches(Given(given), ["a.jsonl"], labelled(list(specs or ("ter",))), summary, size=size):
        pass
    return summary


def by_systems(outputs: list[tuple[str, Any]]) -> list[EvalInstance]:
    """Makes outputs of systems and summaries."""
    return [output(str(number), system, summary=summary) for number, (system, summary) in enumerate(outputs)]


@settings(max_examples=30)
@given(st.lists(st.lists(st.integers(1, 5), min_size=1, max_size=4), min_size=1, max_size=4))
@example([[1], [2]])
@example([[2], [1]])
@example([[2, 1], [2]])
@example([[1, 2]])
def test_the_lowest_and_highest_number_of_references_are_those_of_all_batches(batches: list[list[int]]) -> None:
    """The signature said ``refs:2`` for ``1-2`` when only the first or the last batch counted."""
    summary = InputSummary()
    for batch in batches:
        summary.add(ColumnBatch([output("1", references=["b"] * count) for count in batch]))
    counts = [count for batch in batches for count in batch]
    assert summary.references == (min(counts), max(counts))
    expected = str(min(counts)) if min(counts) == max(counts) else f"{min(counts)}-{max(counts)}"
    assert summary.number_of_references == expected


ONE, TWO, LINES = "It rained.", "It rained. Dan left.", "It rained.\nDan left."


def texts(outputs: list[tuple[Any, Any]]) -> list[EvalInstance]:
    """Makes outputs of summaries and their references."""
    return [
        output(str(number), "a", f"a.jsonl:{number + 1}", summary=summary, references=references, source=references[0])
        for number, (summary, references) in enumerate(outputs)
    ]


def notes_of(summary: InputSummary) -> list[str]:
    stream = io.StringIO()
    log = Log(stream=stream)
    summary.note_long_texts(log)  # before the texts are scored
    summary.warn(log)
    return stream.getvalue().splitlines()


WHOLE = AS_ONE_SENTENCE_EACH
LINE_CASES = [  # texts, metric, what the note contains or None, why
    ([(TWO, [TWO])], "rouge:compute_rouge_l=true", "outputs of several sentences", "both"),
    ([(TWO, [LINES])], "rouge:compute_rouge_l=true", "outputs of several sentences", "only the outputs"),
    ([(LINES, [TWO, TWO])], "rouge:compute_rouge_l=true", "references of several sentences", "only the references"),
    ([(["a", "b"], [TWO])], "rouge:compute_rouge_l=true", "references of several sentences", "a list has lines"),
    ([(TWO + "\n", [TWO])], "rouge:compute_rouge_l=true", WHOLE, "a break at the end ends the line"),
    ([([TWO], [TWO])], "rouge:compute_rouge_l=true", WHOLE, "a list of one string"),
    ([([ONE, ONE], [[ONE, ONE]])], "rouge:compute_rouge_l=true", None, "lists of sentences"),
    ([(TWO, [[ONE, ONE]])], "rouge:compute_rouge_l=true", "outputs of several sentences", "lists of references only"),
    ([(TWO, [TWO])] * 3 + [(ONE, [TWO])], "rouge:compute_rouge_l=true", WHOLE, "most have several sentences"),
    ([(TWO, [TWO])], "rouge:wlcs_weight=1.2", WHOLE, "ROUGE-W compares sentences"),
    ([(TWO, [TWO])], "google-rouge", "'google-rouge' compares", "rougeLsum"),
    ([(TWO, [TWO])], "rouge", None, "no ROUGE-L"),
    ([(TWO, [TWO])], 'google-rouge:rouge_types=["rougeL"]', None, "rougeL ignores lines"),
    ([(TWO, [TWO])], "rouge:compute_rouge_l=true,sentences=none", None, "asked for"),
    ([(LINES, [LINES])], "rouge:compute_rouge_l=true", None, "a sentence per line"),
    ([(TWO, [TWO]), (TWO, [TWO]), (LINES, [LINES])], "rouge:compute_rouge_l=true", None, "one text has lines"),
    ([(ONE, [ONE])] * 2 + [(TWO, [ONE])], "rouge:compute_rouge_l=true", None, "most are one sentence"),
    ([("3.5 m", ["e.g."])], "rouge:compute_rouge_l=true", None, "periods within a sentence"),
]


@pytest.mark.parametrize(("outputs", "spec", "expected", "why"), LINE_CASES, ids=[row[-1] for row in LINE_CASES])
def test_sentences_that_are_not_lines_are_noted(outputs: list[Any], spec: str, expected: str | None, why: str) -> None:
    notes = notes_of(summary_of(texts(outputs), spec, sample=TextSample()))
    assert len(notes) == (expected is not None), why
    assert expected is None or expected in notes[0]


LONG = "a" * 2000
LONG_CASES = [  # outputs, noted lengths or None, why
    ([(LONG, [LONG])], (2000, 2000), "both are long"),
    ([(LONG, ["a", LONG * 2])], (2000, 4000), "the longest reference"),
    ([(LONG * 5, [LONG * 5])], (10_000, 10_000), "100 times a second are minutes"),
    ([([LONG, LONG], [[LONG]])], (4000, 2000), "lists of sentences"),
    ([("a", ["b"])] * 3 + [(LONG, [LONG]), (LONG * 3, [LONG])], (6000, 2000), "the slowest pair of all batches"),
    ([("a" * 500, [LONG * 2])], (500, 4000), "the product is that of long texts"),
    ([(LONG, ["a" * 100])], None, "a short reference"),
    ([("a" * 1000, ["a" * 1000])], None, "at the size, not above it"),
]


@pytest.mark.parametrize(("outputs", "lengths", "why"), LONG_CASES, ids=[row[-1] for row in LONG_CASES])
def test_long_texts_are_noted_once(
    outputs: list[Any], lengths: tuple[int, int] | None, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("metrics_framework.metrics.error_rates.Cer.slow_above", 1000)
    notes = notes_of(summary_of(texts(outputs), "cer", "bleu"))
    assert len(notes) == (lengths is not None), why
    if lengths is not None:
        assert notes[0].startswith(
            f"fw: 'cer' {COMPARES_A_LONG_TEXT} {lengths[0]:,} characters with one of {lengths[1]:,},"
        )
        assert "above 1,000 characters" in notes[0]
        assert f"can take {'minutes' if lengths == (10_000, 10_000) else 'seconds'}" in notes[0]


SIZES = [  # metric, the length above which texts are long
    ("wer", 250_000),
    ("cer", 100_000),
    ("rouge", None),
    ("rouge:compute_rouge_l=true", 250_000),
    ("rouge:compute_rouge_l=true,wlcs_weight=1.2,skip_bigram_gap_length=-1", 50_000),
    ("rouge:compute_rouge_l=true,skip_bigram_gap_length=-1", 100_000),
    ("rouge:skip_bigram_gap_length=1000", 100_000),
    ("rouge:skip_bigram_gap_length=4", None),
    ("autosummeng", None),
    ("autosummeng:window=1000", 9_803),
    ("autosummeng:max_n=102", 4_347),
    ("bleu:max_ngram_order=1000", 1_000),
    ("bleu:max_ngram_order=9", None),
    ("chrf:word_order=100", 30_000),
    ("google-rouge", 250_000),
    ('google-rouge:rouge_types=["rougeL"]', 1_000_000),
    ('google-rouge:rouge_types=["rouge2"]', None),
    ("quality-estimation:splitter=none,lexical_complexity=false", 200_000),
    ("ter", None),
    ("chrf", None),
]


@pytest.mark.parametrize(("spec", "size"), SIZES)
def test_metrics_with_quadratic_time_state_from_which_size_on(spec: str, size: int | None) -> None:
    assert load(spec).slow_above == size
