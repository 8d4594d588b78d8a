"""What users of SacreROUGE do with summaries: score them with ROUGE and jackknifing, and correlate with grades."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from json_files import read_json, write_rows
from messages import AS_ONE_SENTENCE_EACH, SCORE_WITH_A_LABEL
from samples import sampled

from metrics_framework.evaluation.external_sort import Run

COEFFICIENTS = ("pearson", "r"), ("spearman", "rho"), ("kendall", "tau")
LEVELS = ("summary_level", "system_level", "global")

SACREROUGE = [  # metric, type, r, rho and tau at the input, system and global level, from the tests of SacreROUGE
    (
        "rouge-1_jk_precision",
        "reference",
        [[1 / 3] * 3, [1, 1, 1], [0.6225273481541307, 0.8285714285714287, 0.7333333333333333]],
    ),
    (
        "rouge-1_precision",
        "peer",
        [[-1 / 3] * 3, [-1, -1, -1], [-0.33056857901135617, -0.3768511731740915, -0.27602622373694163]],
    ),
    (
        "rouge-1_jk_precision",
        "all",
        [
            [0.4365526945989437, 0.3720759220056127, 0.1719691730561296],
            [0.28732601225892834, 0.2, 0],
            [0.34183806349510004, 0.4035707976004214, 0.28603877677367767],
        ],
    ),
]


def coefficients(path: Path) -> list[list[float]]:
    result = read_json(path)
    return [[result[level][name][symbol] for name, symbol in COEFFICIENTS] for level in LEVELS]


def rows(path: str | Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines() if '"instance_id"' in line]


@pytest.mark.parametrize(("metric", "kind", "expected"), SACREROUGE)
def test_correlations_of_its_metric_file_are_those_of_sacrerouge(
    metric: str, kind: str, expected: list[list[float]], fw: Run, shared_path: Callable[[str], Path], tmp_path: Path
) -> None:
    files = ["--metrics-jsonl-files", shared_path("data/multiling2011/metrics.jsonl")]
    options = ["--metrics", metric, "grade", "--summarizer-type", kind, "--confidence-interval-method", "none"]
    done = fw("correlate", *files, *options, "--output-file", "out.json")
    assert done.code == 0, done.err
    for found, of_level in zip(coefficients(tmp_path / "out.json"), expected, strict=True):
        assert found == pytest.approx(of_level, abs=1e-9)


def test_its_summaries_have_the_rouge_that_they_have_there(
    fw: Run, shared_path: Callable[[str], Path], tmp_path: Path
) -> None:
    """Outputs may be flags, as in SacreROUGE, or arguments."""
    summaries = ["--input-files", shared_path("data/multiling2011/summaries.jsonl")]
    reader = ["--dataset-reader", "reference-based"]
    outputs = ["--macro-output-json", "macro.json", "--micro-output-jsonl", "micro.jsonl"]
    done = fw("rouge", "evaluate", *summaries, *reader, *outputs, "--compute_rouge_l", "true", "--max_ngram", 2)
    assert done.code == 0, done.err
    macro = read_json(tmp_path / "macro.json")["metrics"]
    assert macro["rouge-1"] == pytest.approx({"recall": 46.36, "precision": 47.29, "f1": 46.73}, abs=0.1)
    assert list(macro) == ["rouge-1", "rouge-2", "rouge-l"]
    again = fw("rouge", "evaluate", "again.json", "again.jsonl", *summaries, "--compute-rouge-l", "--max-ngram", 2)
    assert again.code == 0, again.err
    for one, other in (("macro.json", "again.json"), ("micro.jsonl", "again.jsonl")):
        assert (tmp_path / one).read_bytes() == (tmp_path / other).read_bytes()


def test_rouge_is_scored_with_jackknifing_and_correlated_with_grades(
    fw: Run, shared_path: Callable[[str], Path], tmp_path: Path
) -> None:
    summaries = shared_path("data/multiling2011/summaries.jsonl")
    flags = ["--input-files", summaries, "--dataset-reader", "reference-based", "--output-jsonl", "scores.jsonl"]
    done = fw("rouge", "score", *flags)
    assert done.code == 0, done.err
    found = rows(tmp_path / "scores.jsonl")
    assert [row["summarizer_type"] for row in found] == ["peer", "peer", "reference", "reference"] * 3
    for row in found:
        assert "rouge-1_jk" in row["metrics"]
        assert ("rouge-1" in row["metrics"]) == (row["summarizer_type"] == "peer")
    metrics = shared_path("data/multiling2011/metrics.jsonl")
    grades = [{**row, "metrics": {"grade": row["metrics"]["grade"]}} for row in rows(metrics)]
    write_rows(tmp_path / "grades.jsonl", grades)
    asked = [
        "--metrics",
        "rouge-1_jk_precision",
        "grade",
        "--summarizer-type",
        "reference",
        "--output-file",
        "out.json",
    ]
    done = fw("correlate", "--metrics-jsonl-files", "scores.jsonl", "grades.jsonl", *asked, "--ci", "none")
    assert done.code == 0, done.err
    by_input, by_system, overall = coefficients(tmp_path / "out.json")
    assert by_input == pytest.approx([-1 / 3] * 3)  # two writers: each input yields -1 or 1
    assert by_system == pytest.approx([-1] * 3)
    assert overall[2] == pytest.approx(-7 / 15)


def test_our_scores_and_those_of_its_file_are_told_apart_by_a_label(
    fw: Run, shared_path: Callable[[str], Path]
) -> None:
    folder = shared_path("data/multiling2011")
    assert fw("rouge", "score", "ours.jsonl", "--input-files", folder / "summaries.jsonl").code == 0
    both = ["--summarizer-type", "all", "--ci", "none", "--metrics-jsonl-files", folder / "metrics.jsonl"]
    done = fw("correlate", *both, "ours.jsonl", "--metrics", "rouge-1_jk_precision", "grade")
    assert done.code == 1
    assert "score 'rouge-1_precision' has two values" in done.err
    assert done.err.count(SCORE_WITH_A_LABEL) == 1
    labelled = ["--metric", "rouge:label=ours", "--input-files", folder / "summaries.jsonl"]
    assert fw("score", "labelled.jsonl", *labelled).code == 0
    done = fw("correlate", *both, "labelled.jsonl", "--metrics", "ours_rouge-1_jk_precision", "rouge-1_jk_precision")
    assert done.code == 0, done.err


# ---- sentences -------------------------------------------------------------------------------------------------------

NOTE = AS_ONE_SENTENCE_EACH


@pytest.fixture
def split_texts(tmp_path: Path) -> Callable[[str], list[str]]:
    """Writes outputs and references of three sentences, with a separator, and returns the flags to read them."""

    def write(separator: str, copies: int = 200) -> list[str]:
        sentences = ["Dan left .", "The cat sat on the mat .", "It slept there ."]
        rows = [
            {
                "instance_id": str(number),
                "summarizer_id": "a",
                "summary": separator.join(sentences[::-1]),
                "references": [separator.join(sentences), separator.join(sentences[1:])],
            }
            for number in range(copies)
        ]
        path = tmp_path / "texts.jsonl"
        write_rows(path, rows)
        return ["--input-files", str(path)]

    return write


RUNS = [  # words of a command
    ["rouge", "evaluate", "--compute-rouge-l", "--max-ngram=1"],
    ["google-rouge", "evaluate", "--rouge-types=rougeLsum"],
    ["evaluate", "--metric", "rouge:compute_rouge_l=true,max_ngram=1", "--jobs", "2"],
    ["score", "--metric", "rouge:compute_rouge_l=true,max_ngram=1"],
    ["score", "--metric", "rouge:compute_rouge_l=true,max_ngram=1", "--jobs", "2"],
    ["evaluate", "--profile", "summarization", "--no-confidence"],
    ["evaluate", "--metric", "rouge:compute_rouge_l=true", "--metric", "google-rouge"],
]


@pytest.mark.parametrize("words", sampled((pytest.param(words, id=" ".join(words)) for words in RUNS), 3))
def test_a_run_notes_once_that_texts_are_single_lines(
    words: list[str], split_texts: Callable[[str], list[str]], fw: Run
) -> None:
    found = fw(*words, *split_texts(" "))
    assert (found.code, found.err.count(NOTE)) == (0, 1)
    assert re.search(r"use .*sentences[ =]auto", found.err)
    found = fw(*words, *split_texts("\n"))
    assert (found.code, found.err.count(NOTE)) == (0, 0)


def test_every_way_to_score_splits_at_a_separator(split_texts: Callable[[str], list[str]], fw: Run) -> None:
    """On the command line, in a specification, in a profile, and with public functions; with and without kernels."""
    import metrics_framework

    spec = "rouge:compute_rouge_l=true,max_ngram=1,sentences=<q>"
    files = split_texts("<q>")
    commands = [
        ["rouge", "evaluate", "--compute-rouge-l", "--max-ngram=1", "--sentences", "<q>", "--no-checks"],
        ["evaluate", "--metric", spec, "--jobs", "2", "--no-checks"],
        ["evaluate", "--profile", "summarization:sentences=<q>", "--no-confidence", "--no-checks"],
    ]
    expected = {"recall": 100.0, "precision": 90.909, "f1": 95.238}  # 11 + 9 words of 11 + 9, and of 2 · 11
    for number, words in enumerate(commands):
        found = fw(*words, f"macro{number}.json", *files)
        assert (found.code, found.err.count("<q>")) == (0, 0), found.err
        result = read_json(f"macro{number}.json")
        assert result["metrics"]["rouge-l"] == pytest.approx(expected)
        assert "|split:<q>|" in result["signature"]["rouge"]
    found = fw("score", "--metric", spec, "scores.jsonl", *files)
    first = rows("scores.jsonl")[0]["metrics"]
    assert first["rouge-l"] == expected
    assert "rouge-l_jk" in first
    assert metrics_framework.evaluate(spec, files=files[1], checks=False).metrics["rouge-l"] == pytest.approx(expected)
