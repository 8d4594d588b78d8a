"""Notes on the form of texts: single lines of several sentences, separators, and texts that take long to compare."""

from __future__ import annotations

import io
from typing import Any

import pytest
from messages import AS_ONE_SENTENCE_EACH, COMPARES_A_LONG_TEXT

from metrics_framework.common.errors import Problems
from metrics_framework.common.logs import Log
from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.evaluation.checked_input import checked_batches
from metrics_framework.evaluation.input_summary import InputSummary
from metrics_framework.metrics.base.metric import labelled, load

ONE, TWO, LINES = "It rained.", "It rained. Dan left.", "It rained.\nDan left."


class Given(DatasetReader):
    """Yields these pairs of a summary and its references."""

    def __init__(self, outputs: list[tuple[Any, Any]]) -> None:
        self.outputs = outputs

    def instances(self, input_files: Any, problems: Problems) -> Any:
        for number, (summary, references) in enumerate(self.outputs):
            fields = {"summary": summary, "references": references, "source": references[0]}
            yield EvalInstance(str(number), "a", "peer", fields, "a.jsonl", number + 1)


def summary_of(outputs: list[tuple[Any, Any]], *specs: str, size: int = 2) -> InputSummary:
    summary, metrics = InputSummary(), labelled(list(map(load, specs)))
    for _ in checked_batches(Given(outputs), ["a.jsonl"], metrics, summary, size=size):
        pass
    return summary


def notes_of(summary: InputSummary) -> list[str]:
    stream = io.StringIO()
    log = Log(stream=stream)
    summary.note_long_texts(log)  # before the texts are scored
    summary.warn(log)
    return stream.getvalue().splitlines()


WHOLE = AS_ONE_SENTENCE_EACH
LINE_CASES = [  # texts, metric, what the note contains or None, why
    ([(TWO, [TWO])], "rouge:compute_rouge_l=true", "'rouge' compared the outputs and references as one", "both"),
    ([(TWO, [LINES])], "rouge:compute_rouge_l=true", "compared the outputs as one", "only the outputs"),
    ([(LINES, [TWO, TWO])], "rouge:compute_rouge_l=true", "compared the references as one", "only the references"),
    ([(["a", "b"], [TWO])], "rouge:compute_rouge_l=true", "compared the references as one", "a list has lines"),
    ([(TWO + "\n", [TWO])], "rouge:compute_rouge_l=true", WHOLE, "a break at the end ends the line"),
    ([([TWO], [TWO])], "rouge:compute_rouge_l=true", WHOLE, "a list of one string"),
    ([(TWO, [TWO])] * 3 + [(ONE, [TWO])], "rouge:compute_rouge_l=true", WHOLE, "most have several sentences"),
    ([(TWO, [TWO])], "rouge:wlcs_weight=1.2", WHOLE, "ROUGE-W compares sentences"),
    ([(TWO, [TWO])], "google-rouge", "'google-rouge' compared", "rougeLsum"),
    ([(TWO, [TWO])], "rouge", None, "no ROUGE-L"),
    ([(TWO, [TWO])], 'google-rouge:rouge_types=["rougeL"]', None, "rougeL ignores lines"),
    ([(TWO, [TWO])], "rouge:compute_rouge_l=true,sentences=none", None, "asked for"),
    ([(LINES, [LINES])], "rouge:compute_rouge_l=true", None, "a sentence per line"),
    ([(TWO, [TWO]), (TWO, [TWO]), (LINES, [LINES])], "rouge:compute_rouge_l=true", None, "one text has lines"),
    ([(ONE, [ONE])] * 2 + [(TWO, [ONE])], "rouge:compute_rouge_l=true", None, "most are one sentence"),
    ([("3.5 m", ["e.g."])], "rouge:compute_rouge_l=true", None, "periods within a sentence"),
    ([("a . <q> b", ["a"])], "rouge:compute_rouge_l=true", "some outputs contain '<q>'", "a separator"),
    ([("a", ["a<q>b"])], "google-rouge", "--sentences '<q>' (or google-rouge:sentences=<q>)", "in a reference"),
    ([("a <q> b", ["a"])], "rouge:compute_rouge_l=true,sentences=<q>", None, "split at it"),
    ([("a <q> b", ["a"])], "rouge", "word 'q' for 'rouge'", "n-grams contain it"),
    ([("a <q> b", ["a"])], 'google-rouge:rouge_types=["rouge1"]', "word 'q' for 'google-rouge'", "so do these"),
    ([("a <q> b", ["a"])], "rouge:compute_rouge_l=true,sentences=own", "word 'q' for 'rouge'", "split elsewhere"),
    ([("a <q> b", ["a"])], "rouge:sentences=<q>", None, "no n-gram contains it"),
    ([("a <q> b", ["a"])], "bleu", None, "a metric that cannot split"),
]


@pytest.mark.parametrize(("outputs", "spec", "expected", "why"), LINE_CASES, ids=[row[-1] for row in LINE_CASES])
def test_sentences_that_are_not_lines_are_noted(outputs: list[Any], spec: str, expected: str | None, why: str) -> None:
    notes = notes_of(summary_of(outputs, spec))
    assert len(notes) == (expected is not None), why
    assert expected is None or expected in notes[0]


def test_parts_are_noted_as_a_whole() -> None:
    spec = "rouge:compute_rouge_l=true"
    whole, lines = ([(TWO, [TWO])], [(LINES, [LINES])])
    for outputs, expected in ([whole, whole], 1), ([whole, lines], 0), ([lines, whole], 0):
        merged = InputSummary()
        for part in outputs:
            merged.merge(summary_of(part, spec))
        assert len(notes_of(merged)) == expected


def test_warnings_on_parts_name_the_metrics() -> None:
    merged = InputSummary()
    merged.merge(summary_of([("γάτα", ["b"])], "rouge", "google-rouge"))
    log = Log(silent=True)
    merged.warn(log)
    assert "which rouge and google-rouge are defined to ignore" in log.warnings[0]


LONG = "a" * 2000
LONG_CASES = [  # outputs, noted lengths or None, why
    ([(LONG, [LONG])], (2000, 2000), "both are long"),
    ([(LONG, ["a", LONG * 2])], (2000, 4000), "the longest reference"),
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
    notes = notes_of(summary_of(outputs, "cer", "bleu"))
    assert len(notes) == (lengths is not None), why
    if lengths is not None:
        assert notes[0].startswith(
            f"fw: 'cer' {COMPARES_A_LONG_TEXT} {lengths[0]:,} characters with one of {lengths[1]:,},"
        )
        assert "above 1,000 characters" in notes[0]


SIZES = [  # metric, the length above which texts are long
    ("wer", 250_000),
    ("cer", 100_000),
    ("rouge", None),
    ("rouge:compute_rouge_l=true", 250_000),
    ("rouge:compute_rouge_l=true,wlcs_weight=1.2", 100_000),
    ("rouge:compute_rouge_l=true,skip_bigram_gap_length=-1", 20_000),
    ("rouge:skip_bigram_gap_length=4", None),
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
