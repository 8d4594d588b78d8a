"""SummEval and REALSumm, read from folders with the files of their authors."""

from __future__ import annotations

import json
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from metrics_framework.commands.app import main

Rows = list[dict[str, Any]]
ASPECTS = {"coherence": 1, "consistency": 5, "fluency": 4, "relevance": 2}


@pytest.fixture
def rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Rows]:
    """Sets up a part from ``tmp_path / "in"`` and returns its rows."""
    monkeypatch.setenv("FW_DATA", str(tmp_path / "home"))
    (tmp_path / "in").mkdir()

    def run(part: str) -> Rows:
        words = ["setup-dataset", part, str(tmp_path / "out"), "--from-dir", str(tmp_path / "in"), "--force"]
        assert main(words) == 0
        return [json.loads(line) for line in (tmp_path / "out" / f"{part}.jsonl").read_text("utf-8").splitlines()]

    return run


def annotation(**changes: Any) -> dict[str, Any]:
    return {
        "id": "dm-test-1",
        "model_id": "M8",
        "decoded": "Rain fell .",
        "references": ["It rained.", "Much rain."],
        "filepath": "cnndm/dailymail/stories/1.story",
        "expert_annotations": [ASPECTS, {**ASPECTS, "coherence": 3}],
        "turker_annotations": [{**ASPECTS, "fluency": 5}],
        **changes,
    }


def write_annotations(folder: Path, *lines: dict[str, Any]) -> None:
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (folder / "in" / "model_annotations.aligned.jsonl").write_text(text, encoding="utf-8")


def test_summeval_has_all_ratings_of_an_output(tmp_path: Path, rows: Callable[[str], Rows]) -> None:
    write_annotations(tmp_path, annotation())
    ids = {"instance_id": "dm-test-1", "summarizer_id": "M8", "summarizer_type": "peer"}
    assert rows("summeval-summaries") == [{**ids, "summary": "Rain fell .", "references": ["It rained.", "Much rain."]}]
    assert rows("summeval-metrics") == [
        {
            **ids,
            "metrics": {
                "expert": {"coherence": [1, 3], "consistency": [5, 5], "fluency": [4, 4], "relevance": [2, 2]},
                "turker": {"coherence": [1], "consistency": [5], "fluency": [5], "relevance": [2]},
            },
        }
    ]


def test_summeval_reads_the_articles_from_paired_rows_or_stories(tmp_path: Path, rows: Callable[[str], Rows]) -> None:
    write_annotations(tmp_path, annotation(text="It poured."))
    assert rows("summeval-documents") == [{"instance_id": "dm-test-1", "documents": ["It poured."]}]
    write_annotations(tmp_path, annotation(), annotation(model_id="M9"))
    story = tmp_path / "in" / "dailymail" / "1.story"
    story.parent.mkdir()
    story.write_text("It rained\n\n in York.\n\n@highlight\n\nRain\n", encoding="utf-8")
    assert rows("summeval-documents") == [{"instance_id": "dm-test-1", "documents": ["It rained in York."]}]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"expert_annotations": [{"fluency": 1}]}, "jsonl:1: every rating must have coherence"),
        ({"model_id": None}, "jsonl:1: 'model_id' is missing"),
    ],
)
def test_a_faulty_row_of_summeval_is_named(
    changes: dict[str, Any],
    expected: str,
    tmp_path: Path,
    rows: Callable[[str], Rows],
    capsys: pytest.CaptureFixture[str],
) -> None:
    row = annotation(**changes)
    write_annotations(tmp_path, {key: value for key, value in row.items() if value is not None})
    assert main(["setup-dataset", "summeval-metrics", str(tmp_path), "--from-dir", str(tmp_path / "in")]) == 1
    assert expected in capsys.readouterr().err


# ---- REALSumm --------------------------------------------------------------------------------------------------------

SCORES = {
    "rouge_1_precision": "0.5",
    "rouge_1_recall": 0.25,
    "rouge_1_f_score": np.float64(0.33),
    "bert_recall_score": np.float32(0.5),
    "litepyramid_recall": 0.75,
    "js-2": 0.4,
    "mover_score": 0.1,
}


def inputs(*systems: str) -> dict[int, Any]:
    outputs = {f"{system}.txt": {"system_summary": f"<t> Rain {system} . </t>", "scores": SCORES} for system in systems}
    return {0: {"doc_id": 7, "ref_summ": "<t> It rained . </t> <t> A lot . </t>", "system_summaries": outputs}}


@pytest.fixture
def pickles(tmp_path: Path, rows: Callable[[str], Rows]) -> Path:
    (tmp_path / "in" / "abs.pkl").write_bytes(pickle.dumps(inputs("t5_out_base", "bart_out")))
    (tmp_path / "in" / "ext.pkl").write_bytes(pickle.dumps(inputs("bart_out", "refresh_out")))
    return tmp_path / "in"


@pytest.mark.usefixtures("pickles")
def test_realsumm_has_the_scores_of_people_and_both_kinds_of_systems(rows: Callable[[str], Rows]) -> None:
    (row,) = rows("realsumm-abs-metrics")
    assert row["summarizer_id"] == "t5_out_base"
    assert row["metrics"] == {
        "rouge-1": {"precision": 0.5, "recall": 0.25, "f1": 0.33},
        "bertscore": {"recall": 0.5},
        "litepyramid": {"recall": 0.75},
        "js-2": 0.4,
        "moverscore": 0.1,
    }
    found = rows("realsumm-summaries")
    assert [row["summarizer_id"] for row in found] == ["t5_out_base", "bart_out", "refresh_out"]
    assert found[0]["references"] == [["It rained .", "A lot ."]]


def test_realsumm_finds_the_article_of_a_summary(pickles: Path, rows: Callable[[str], Rows]) -> None:
    folder = pickles / "outputs" / "t5_out_base"
    folder.mkdir(parents=True)
    (folder / "out.txt").write_text("<t> other </t>\n<t> Rain t5_out_base . </t>\n")
    (folder / "src.txt").write_text("Other article .\nThe article .\n")
    assert rows("realsumm-abs-documents") == [{"instance_id": "7", "documents": [["The article ."]]}]


class Program:
    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, ("made-by-a-pickle",)


def test_a_pickle_cannot_run_a_program(
    pickles: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (pickles / "abs.pkl").write_bytes(pickle.dumps({0: Program()}))
    assert main(["setup-dataset", "realsumm-abs-metrics", str(tmp_path / "out"), "--from-dir", str(pickles)]) == 1
    error = capsys.readouterr().err
    assert "abs.pkl: is not a file of scores of REALSumm: it contains 'posix.mkdir', expected only data" in error
    assert not (tmp_path / "made-by-a-pickle").exists()
