"""``fw write pairs``: the pairs that the aligner ``pharaoh`` looks up, and the way there and back."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from messages import BOTH_INPUT_AND_OUTPUT
from samples import sampled

from metrics_framework.evaluation.external_sort import Run

ALIGNER = "pharaoh:pairs=pairs.txt,alignments=links.txt"


def write_rows(rows: Sequence[tuple[str, str, str, list[str], str]]) -> None:
    names = ("instance_id", "summarizer_id", "summary", "references", "source")
    lines = [json.dumps(dict(zip(names, row, strict=True))) for row in rows]
    Path("rows.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


ROWS = [
    ("1", "a", "The cat sat.", ["A cat sat.", "It sat."], "The big cat sat."),
    ("1", "b", "It sat.", ["A cat sat.", "It sat."], "The big cat sat."),
    ("2", "a", "", ["Rain."], "It rained."),
]


def align_by_place(words: str) -> str:
    """Aligns words at the same place, as a program that reads pairs would write it."""
    source, target = (text.split() for text in words.split("|||"))
    return " ".join(f"{place}-{place}" for place in range(min(len(source), len(target))))


def test_each_different_pair_is_written_once_in_the_words_of_the_metric(fw: Run) -> None:
    write_rows(ROWS)
    result = fw("write-pairs", "pairs.txt", "--input-files", "rows.jsonl")
    assert result.code == 0
    assert Path("pairs.txt").read_text(encoding="utf-8").splitlines() == [
        "the big cat sat . ||| the cat sat .",
        "the big cat sat . ||| a cat sat .",
        "the big cat sat . ||| it sat .",
        "it rained . ||| rain .",
    ]
    assert result.err == "fw: wrote 4 pairs of 3 outputs to pairs.txt\n"
    assert result.out == ""


def test_tokenizer_and_case_are_those_asked_for(fw: Run) -> None:
    write_rows(ROWS[2:])
    result = fw("write-pairs", "-", "--input-files", "rows.jsonl", "--tokenizer", "none", "--no-lowercase")
    assert (result.code, result.out, result.err) == (0, "It rained. ||| Rain.\n", "")


def test_plain_text_is_read_as_evaluate_reads_it(fw: Run) -> None:
    for name, text in (("outputs", "A b.\n"), ("references", "A.\n"), ("sources", "A c.\n")):
        Path(f"{name}.txt").write_text(text, encoding="utf-8")
    files = "--outputs outputs.txt --references references.txt --sources sources.txt"
    assert fw("write-pairs", "-", *files.split()).out == "a c . ||| a b .\na c . ||| a .\n"


@pytest.mark.parametrize("flags", sampled(["", "--tokenizer none", "--no-lowercase", "--jobs 2"], 1))
def test_the_pairs_are_those_that_the_metric_looks_up(fw: Run, datasets_path: Path, flags: str) -> None:
    rows = ("--input-files", datasets_path / "simplification" / "outputs.jsonl")
    of_words = [] if "jobs" in flags else flags.split()
    assert fw("write-pairs", "pairs.txt", *rows, *of_words).code == 0
    lines = Path("pairs.txt").read_text(encoding="utf-8").splitlines()
    Path("links.txt").write_text("".join(f"{align_by_place(line)}\n" for line in lines), encoding="utf-8")
    assert fw("transformations", "evaluate", "macro.json", *rows, "--aligner", ALIGNER, *flags.split()).code == 0
    assert fw("transformations", "score", "scores.jsonl", *rows, "--aligner", ALIGNER, *flags.split()).code == 0
    assert "|align:pharaoh." in Path("macro.json").read_text(encoding="utf-8")
    assert len(Path("scores.jsonl").read_text(encoding="utf-8").splitlines()) == 144


def test_the_order_of_rows_and_of_lines_makes_no_difference(fw: Run) -> None:
    tables = []
    for rows in (ROWS, ROWS[::-1]):
        write_rows(rows)
        fw("write-pairs", "pairs.txt", "--input-files", "rows.jsonl")
        lines = Path("pairs.txt").read_text(encoding="utf-8").splitlines()
        Path("links.txt").write_text("".join(f"{align_by_place(line)}\n" for line in lines), encoding="utf-8")
        tables.append(fw("transformations", "evaluate", "--aligner", ALIGNER, "--input-files", "rows.jsonl").out)
    assert tables[0] == tables[1]
    assert "signature" in tables[0]


def test_a_pair_that_is_missing_ends_the_run_and_says_what_to_do(fw: Run) -> None:
    write_rows(ROWS[:1])
    fw("write-pairs", "pairs.txt", "--input-files", "rows.jsonl", "--no-lowercase")
    lines = Path("pairs.txt").read_text(encoding="utf-8").splitlines()
    Path("links.txt").write_text("\n" * len(lines), encoding="utf-8")
    result = fw("transformations", "evaluate", "--aligner", ALIGNER, "--input-files", "rows.jsonl")
    assert result.code == 1
    assert "pairs.txt: has no line 'the big cat sat . ||| a cat sat .'" in result.err
    assert "write all pairs with 'fw write pairs" in result.err


def test_an_input_is_not_overwritten(fw: Run) -> None:
    write_rows(ROWS)
    result = fw("write-pairs", "rows.jsonl", "--input-files", "rows.jsonl")
    assert result.code == 2
    assert BOTH_INPUT_AND_OUTPUT in result.err


def test_aligners_are_listed_with_their_options(fw: Run) -> None:
    result = fw("list", "aligners", "--format", "tsv")
    assert [line.split("\t")[:3] for line in result.out.splitlines()] == [
        ["aligner", "options", "from"],
        ["pharaoh", "pairs, alignments", "built in"],
        ["simalign", "model, matching, layer", "built in"],
        ["stems", "", "built in"],
    ]
