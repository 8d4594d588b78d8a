"""The checks of texts: each finds its seeded fault, and none finds anything in sound texts."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from benchmark_modules import benchmark
from messages import EQUAL_TO_REFERENCE_1, TOKENIZED_PERIOD

from metrics_framework.data.eval_instance import ColumnBatch, EvalInstance
from metrics_framework.inputs import checks
from metrics_framework.inputs.checks import REGISTRY, TextSample, warn_of_texts
from metrics_framework.metrics.base.metric import labelled

pytestmark = pytest.mark.filterwarnings("ignore::metrics_framework.TextWarning")
SUBJECTS = ["The old cat", "Her brother", "A young doctor", "My neighbour", "One of them", "This small bird"]
VERBS = ["watched", "painted", "carried", "found", "repaired", "described", "sold"]
OBJECTS = [
    "the red house",
    "a broken chair",
    "his first letter",
    "every green door",
    "some warm bread",
    "the long bridge",
]
ENDS = ["in the morning.", "near the sea.", "without any help!", "after the storm.", "for his family."]


def sentences(seed: int, count: int = 60) -> list[str]:
    """Returns different sentences."""
    return [
        " ".join(
            part[(number * step + seed) % len(part)]
            for part, step in zip((SUBJECTS, VERBS, OBJECTS, ENDS), (1, 5, 7, 11), strict=True)
        )
        for number in range(count)
    ]


SOURCES = sentences(0)
REFERENCES = [[text.replace("the", "that", 1), text.replace(" ", " quite ", 1)] for text in SOURCES]
OUTPUTS = [text.replace("The", "An") if number % 3 else text + " Again." for number, text in enumerate(SOURCES)]


def found(
    outputs: Sequence[str] = OUTPUTS,
    references: Sequence[Sequence[str]] | None = REFERENCES,
    sources: Sequence[str] | None = SOURCES,
    metrics: Sequence[str] = (),
) -> list[str]:
    return warn_of_texts(outputs, references, sources, [one.needs for one in labelled(list(metrics))])


def changed(change: Callable[[str], str], every: int = 2) -> list[str]:
    """Returns outputs of which one in so many is changed."""
    return [text if number % every else change(text) for number, text in enumerate(OUTPUTS)]


def test_sound_texts_have_no_findings() -> None:
    assert (
        found(metrics=["bleu", "ter", "sari", "chrf", "rouge:compute_rouge_l=true", "wer", "fkgl:splitter=own"]) == []
    )


def test_short_texts_have_no_common_part() -> None:
    assert found([f"cat {row % 50}" for row in range(60)], [[f"dog {row}"] for row in range(60)], None) == []


TEXT_CHECKS = benchmark("text_checks")
TRUE_FINDINGS = {  # of corpora that are sound but for what is found
    "turkcorpus tokenized": TOKENIZED_PERIOD,
    "turkcorpus tokenized reference 0": TOKENIZED_PERIOD,
    "multiling2011": "invisible characters such as U+0093",
}


EXAMPLES = [*TEXT_CHECKS.examples()]


@pytest.mark.parametrize("corpus", [*EXAMPLES, *TEXT_CHECKS.shared()], ids=lambda corpus: corpus.name)
def test_sound_corpora_have_no_findings(corpus: Any) -> None:
    files = [*corpus.outputs, *corpus.references, *corpus.sources]
    if corpus not in EXAMPLES and not (corpus.outputs and all(map(os.path.exists, files))):
        pytest.skip(f"needs {corpus.name} in the folder that FW_SHARED names")
    metrics = ["bleu", "ter", "sari", "chrf", "wer", "fkgl:splitter=own", "google-rouge", "autosummeng"]
    outputs, _, lines = TEXT_CHECKS.checked(corpus, metrics)
    assert outputs
    assert [line for line in lines if not line.startswith(TRUE_FINDINGS.get(corpus.name, "–"))] == []


def at_both(change: Callable[[str], str], every: int = 2) -> dict[str, object]:
    return {"outputs": changed(change, every)}


HAN = "他昨天在海边的旧房子里给妹妹写了一封很长的信"
FAULTS: list[tuple[str, dict[str, object], str]] = [  # check, arguments, a part of the line
    ("equal-lines", {"outputs": SOURCES}, "outputs equal to the sources: 60 of 60"),
    (
        "equal-lines",
        {"outputs": [texts[1] for texts in REFERENCES]},
        "to reference 2: 60 of 60",
    ),
    ("equal-lines", {"references": list(zip(OUTPUTS[::-1], SOURCES, strict=True))}, "reference 2 equal to the sources"),
    (
        "equal-lines",
        {"references": [[text[1:], text[2:], text[1:]] for text in SOURCES]},
        f"3 {EQUAL_TO_REFERENCE_1}",
    ),
    ("begins-with-source", {"outputs": [f"{text} {text[4:]}" for text in SOURCES]}, "60 of 60 outputs"),
    ("begins-with-number", {"outputs": [f"{number}. {text}" for number, text in enumerate(OUTPUTS)]}, "60 of 60"),
    ("begins-with-number", {"outputs": [f"H-{number * 7 % 60}\t{text}" for number, text in enumerate(OUTPUTS)]}, "60"),
    ("shifted", {"outputs": ["Something else.", *OUTPUTS[:-1]]}, "1 line before"),
    ("shifted", {"outputs": [*OUTPUTS[1:], "Something else."], "references": None}, "the sources 1 line later"),
    ("shifted", {"outputs": [*OUTPUTS[:50], *OUTPUTS[51:], "Nothing."]}, "1 line later"),
    ("one-text", {"outputs": changed(lambda text: "I do not know.")}, "30 of 60 outputs"),
    ("common-beginning", {"outputs": [f"In simpler words: {text}" for text in OUTPUTS]}, "begin with 'In simpler w'"),
    ("common-ending", {"outputs": [f"{text} [end of text]" for text in OUTPUTS]}, "end with 'end of text]'"),
    ("tokens-in-brackets", at_both(lambda text: f"{text}</s>", 20), "such as '</s>': 3 of 60"),
    ("tokens-in-brackets", at_both(lambda text: f"{text} <|im_end|>", 20), "'<|im_end|>'"),
    ("tokens-in-brackets", at_both(lambda text: f"{text} [SEP]", 20), "'[SEP]'"),
    ("subwords", at_both(lambda text: text.replace("er", "e@@ r")), "'@@'"),
    ("subwords", at_both(lambda text: "\u2581" + text.replace(" ", " \u2581")), "'\u2581'"),
    ("subwords", at_both(lambda text: text.replace("er", "e ##r")), "decode the outputs"),
    ("n-best", at_both(lambda text: f"0 ||| {text} ||| -2.5"), "'|||'"),
    ("escapes", at_both(lambda text: text + r"\nNext."), r"'\n'"),
    ("escapes", at_both(lambda text: text + r"caf\u00e9."), r"'\u00e9'"),
    ("values-as-texts", at_both(lambda text: f"{{'text': '{text}'}}"), "written as texts"),
    ("values-as-texts", at_both(lambda text: "nan", 20), "'nan': 3 of 60"),
    ("carriage-returns", at_both(lambda text: f"{text}\r"), "30 of 60"),
    ("preamble", at_both(lambda text: f"Sure! {text}"), "'Sure!'"),
    ("preamble", at_both(lambda text: f"Here is the simplified text: {text}"), "text:'"),
    ("markup", at_both(lambda text: f"**{text}**"), "Markdown such as '**'"),
    ("quoted", {"outputs": [f'"{text}"' for text in OUTPUTS]}, "remove the quotes"),
    ("quoted", {"outputs": [f"b'{text}'" for text in OUTPUTS]}, "remove the quotes"),
    ("html-entities", at_both(lambda text: f"{text} &quot;so&quot;", 20), "'&quot;': 3 of 60"),
    ("html-entities", {"references": [[f"{text} R&amp;D" for text in texts] for texts in REFERENCES]}, "120 of 120"),
    ("invisible-characters", at_both(lambda text: text.replace(" ", "\u200b ", 1)), "U+200B"),
    ("replacement-characters", at_both(lambda text: f"caf\ufffd. {text}", 60), "U+FFFD): 1 of 60"),
    ("not-nfc", at_both(lambda text: f"{unicodedata.normalize('NFD', 'Café')}. {text}"), "NFC"),
    ("mojibake", at_both(lambda text: f"{'Café'.encode().decode('cp1252')}. {text}"), "'Ã©'"),
    ("full-width", at_both(lambda text: f"\uff11\uff12 {text}"), "'\uff11'"),
    ("no-capitals", {"outputs": [text.lower() for text in OUTPUTS], "metrics": ["bleu"]}, "60 of 60 outputs"),
    ("all-capitals", {"references": [[text.upper()] for text in SOURCES], "metrics": ["chrf"]}, "of 60 references"),
    ("script", {"outputs": ["Старый кот спал у моря."] * 2 + ["Врач нашёл дом."] * 58}, "60 of 60"),
    ("no-spaces", {"outputs": [HAN[number:] for number in range(6)] * 10, "metrics": ["bleu"]}, "tokenizer='zh'"),
    ("ascii-words", {"outputs": [f"Ćma é ü {text}" for text in OUTPUTS], "metrics": ["rouge"]}, "'rouge' ignores"),
    ("separators", {"outputs": [f"{a}<q>{a}" for a in OUTPUTS], "metrics": ["rouge"]}, "sentences='<q>'"),
    ("separators", {"outputs": [f"{a} <S_SEP> {a}" for a in OUTPUTS], "metrics": ["rouge"]}, "sentences='<S_SEP>'"),
    ("separators", {"outputs": [f"{a}##SENT##{a}" for a in OUTPUTS], "metrics": ["rouge"]}, "sentences='##SENT##'"),
    ("separators", {"outputs": [f"{a} __EOS__ {a}" for a in OUTPUTS], "metrics": ["rouge"]}, "sentences='__EOS__'"),
    ("separators", {"references": [[f"{a} ||| {a}"] for a in OUTPUTS], "metrics": ["google-rouge"]}, "sentences='|||'"),
    ("short", {"outputs": [" ".join(text.split()[:3]) for text in OUTPUTS], "metrics": ["bleu"]}, "4-grams"),
    (
        "tokenized",
        {"outputs": [f"{a} ." for a in OUTPUTS] * 2, "references": None, "sources": None, "metrics": ["bleu"]},
        "120",
    ),
    ("empty", {"outputs": ["", *OUTPUTS[1:]]}, "empty outputs: 1 of 60"),
    ("empty", {"sources": ["", *SOURCES[1:]]}, "empty sources: 1 of 60"),
    ("empty", {"references": [["", " "], ["", "a"], *REFERENCES[2:]]}, "empty references: 1 of 60"),
]


@pytest.mark.parametrize(
    ("name", "texts", "part"), FAULTS, ids=[f"{row[0]}-{number}" for number, row in enumerate(FAULTS)]
)
def test_a_check_finds_its_fault(
    name: str, texts: dict[str, object], part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = found(**texts)
    assert any(part in line for line in lines), lines
    monkeypatch.setattr(REGISTRY, "names", lambda: [name])
    (line,) = found(**texts)
    assert part in line


@pytest.mark.parametrize("by", [-2, -1, 1, 2])
@pytest.mark.parametrize("name", ["translation/literal", "simplification/careful"])
def test_shifted_lines_have_their_distance_and_direction(name: str, by: int, datasets_path: Path) -> None:
    lines, references = (
        (datasets_path / path).read_text(encoding="utf-8").splitlines()
        for path in (f"{name}.txt", f"{name.split('/')[0]}/references.0.txt")
    )
    outputs = [*lines[by:], *["x"] * by] if by > 0 else [*["x"] * -by, *lines[:by]]
    (line,) = (one for one in found(outputs, [[text] for text in references], None) if "similar" in one)
    assert f" {abs(by)} line{'s' * (abs(by) > 1)} {'later' if by > 0 else 'before'} than" in line


@pytest.mark.parametrize("separator", ["##SENT##", "<q>", "||SEP||", "##"])
def test_a_separator_of_sentences_is_one_finding(separator: str) -> None:
    texts = [f"{text} {separator} {text}" for text in SOURCES]
    references = [[text.replace("the", "that")] for text in texts]
    (line,) = found(texts, references, None, ["rouge:compute_rouge_l=true"])
    assert f"sentences={separator!r}" in line


INVISIBLE = [  # text, whether it has an invisible character that no script needs
    ("a cat\x93", True),
    ("\u200ba cat", True),
    ("a\u200bcat", True),
    ("\u0e01\u200b\u0e02", False),  # between Thai words
    ("a\u200ccat", True),
    ("\u0645\u200c\u06cc", False),  # between Persian letters
    ("a\u200c\u0645", False),
    ("a\u200f", True),
    ("a\u200f\u05d0", False),  # before Hebrew
    ("a \u202ecat", True),
    ("\u05d0 \u202a\u05d1", False),
    ("a\x85cat", False),
]


@pytest.mark.parametrize(("text", "is_found"), INVISIBLE, ids=map(str, range(len(INVISIBLE))))
def test_invisible_characters_are_found_unless_a_script_needs_them(
    text: str, is_found: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(REGISTRY, "names", lambda: ["invisible-characters"])
    assert bool(found([text] * 2, None, None)) == is_found


def test_references_that_change_within_an_input_are_found() -> None:
    sample = TextSample()
    for system in "ab":
        sample.add(ColumnBatch([EvalInstance("1", system, "peer", {"summary": "", "references": [system]})]))
    assert "for the same input: 1 of 1 lists of references" in str(sample.lines((), "spec"))


def sample_of(outputs: Sequence[str], *others: Sequence[str]) -> TextSample:
    sample = TextSample()
    for name, texts in zip("abcdefghijklmnopqrst", (outputs, *others), strict=False):
        rows = enumerate(texts)
        sample.add(
            ColumnBatch([EvalInstance(str(row), name, "peer", {"summary": text}, "f", row) for row, text in rows])
        )
    return sample


SOUND = [f"{number} {text}" for number, text in enumerate(sentences(0, 2000), 7)]


@pytest.mark.parametrize(("others", "checked"), [(0, 2000), (1, 2000), (3, 1000), (19, 400)])
def test_more_systems_have_fewer_outputs_checked(others: int, checked: int) -> None:
    faulty = [f"{text}</s>" if row < checked else f"{text}@@" for row, text in enumerate(SOUND)]
    (line,) = (one for one in sample_of(faulty, *[SOUND] * others).lines((), "spec")[0] if "tags" in one)
    assert f"{checked:,} of {'the first ' if checked < 2000 else ''}{checked:,} outputs of 'a'" in line


@pytest.mark.parametrize("fault", ["Sure! {}", "'{}'", "nan"])
def test_a_share_is_counted_in_all_outputs_once_some_have_it(fault: str) -> None:
    faulty = [text if row % 4 else fault.format(text) for row, text in enumerate(SOUND)]
    lines = str(sample_of(faulty, *[SOUND] * 9).lines((), "spec"))
    assert "100 of the first 400 outputs of 'a' (first at f:0)" in lines


def test_long_texts_are_checked_up_to_a_number_of_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "MAX_CHARACTERS", 20)
    for texts, kept in (["x" * 10] * 2 + ["y"] * 2, 3), (["x" * 11] * 2 + ["y"] * 2, 2), (["x" * 9, "y", "z"], 3):
        sample = sample_of(texts).systems["a"]
        assert ([len(column) for column in sample.columns], sample.is_full) == ([kept] * 6, kept < len(texts))


def test_a_sample_of_parts_is_that_of_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "OUTPUTS_CHECKED", 7)
    rows = [EvalInstance(str(row), "ab"[row % 2], "peer", {"summary": "x" * row}, "f", row + 1) for row in range(40)]
    whole, merged = TextSample(), TextSample()
    whole.add(ColumnBatch(rows))
    for start in range(0, 40, 8):
        part = TextSample()
        moved = [replace(row, line=(row.line or 0) - start) for row in rows[start : start + 8]]
        part.add(ColumnBatch(moved))
        merged.merge(part, {"f": start})
    assert merged == whole
    assert whole.lines((), "spec") == merged.lines((), "spec")
    assert "1 of the first 7 outputs of 'a' (first at f:1)" in whole.lines((), "spec")[0][0]
