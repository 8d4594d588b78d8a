"""``fw report``: what it takes, what it writes, what it refuses."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from json_files import read_rows, write_json
from messages import (
    EXACT_TEST,
    LEFT_OUT_COLUMN,
    OUTPUTS_FOR_FEWER_INPUTS,
)
from samples import sampled

from metrics_framework.evaluation.external_sort import Run

FAST = ("--metric", "sari", "--no-confidence")


@pytest.fixture
def data_folder(datasets_path: Path) -> Path:
    return datasets_path / "simplification"


def embedded(page: Path) -> Any:
    found = re.search(r'id="data">(.*?)</script>', page.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def output_scores(page: Path, system: int, score: int) -> list[float]:
    """Reads the scores of the outputs of a system from the page."""
    found = re.search(rf'id="n-{system}-{score}">(.*?)</script>', page.read_text(encoding="utf-8"))
    assert found is not None
    kind, packed = json.loads(found[1])
    numbers: list[float] = np.frombuffer(base64.b64decode(packed), f"<{kind}").tolist()
    return numbers


def plain_text(data_folder: Path, *systems: str) -> list[Path | str]:
    references = [data_folder / f"references.{number}.txt" for number in range(3)]
    outputs = [data_folder / f"{system}.txt" for system in systems]
    return ["--outputs", *outputs, "--references", *references, "--sources", data_folder / "sources.txt"]


def test_rows_and_text_files_give_the_same_scores(fw: Callable[..., Any], data_folder: Path, tmp_path: Path) -> None:
    rows = fw("report", "rows.html", "--input-files", data_folder / "outputs.jsonl", *FAST)
    texts = fw("report", "texts.html", *plain_text(data_folder, "careful", "timid", "clumsy"), *FAST)
    assert (rows.code, texts.code) == (0, 0), rows.err + texts.err
    assert re.search(r"wrote a report of 3 systems on 48 sentences to texts\.html \(0\.\d\d MB\)", texts.err)
    first, second = embedded(tmp_path / "rows.html"), embedded(tmp_path / "texts.html")
    assert first["systems"] == second["systems"]
    assert first["facts"]["files"] == ["outputs.jsonl"]
    assert second["facts"]["files"][:4] == ["careful.txt", "timid.txt", "clumsy.txt", "references.0.txt"]


def test_the_same_run_gives_the_same_bytes(fw: Callable[..., Any], data_folder: Path, tmp_path: Path) -> None:
    words = (*plain_text(data_folder, "careful", "timid"), "--metric", "sari", "--resamples", "100")
    fw("report", "one.html", *words)
    fw("report", "two.html", *words, "--jobs", "2")
    assert (tmp_path / "one.html").read_bytes() == (tmp_path / "two.html").read_bytes()


def test_score_files_of_evaluate_and_ratings_stand_in_the_report(
    fw: Callable[..., Any], data_folder: Path, tmp_path: Path
) -> None:
    outputs = data_folder / "outputs.jsonl"
    assert fw("ter", "evaluate", "macro.json", "micro.jsonl", "--input-files", outputs).code == 0
    ratings = data_folder / "human.jsonl"
    done = fw("report", "out.html", "--input-files", outputs, "--scores-files", "micro.jsonl", ratings)
    assert done.code == 0, done.err
    data = embedded(tmp_path / "out.html")
    names = [column["name"] for column in data["scores"]]
    assert {"ter", "simplicity", "compression_ratio"} <= set(names)
    assert "sari" not in names
    assert data["signatures"]["ter"].startswith("ter|")
    micro = read_rows(tmp_path / "micro.jsonl")
    theirs = [row["metrics"]["ter"] for row in micro if row["summarizer_id"] == "timid"]
    timid = next(place for place, system in enumerate(data["systems"]) if system["name"] == "timid")
    assert output_scores(tmp_path / "out.html", timid, names.index("ter")) == theirs
    assert data["systems"][timid]["scores"]["ter"]["value"] == pytest.approx(sum(theirs) / 48)


def test_a_metric_can_stand_beside_score_files_and_keeps_its_options(
    fw: Callable[..., Any], data_folder: Path, tmp_path: Path
) -> None:
    words = ("--input-files", data_folder / "outputs.jsonl", "--scores-files", data_folder / "human.jsonl")
    features = "quality-estimation:splitter=none,lexical_complexity=false"
    done = fw("report", "out.html", *words, "--metric", features, "--metric", "sari:variant=hf,label=hf")
    assert done.code == 0, done.err
    names = [column["name"] for column in embedded(tmp_path / "out.html")["scores"]]
    computed = names[names.index("compression_ratio") :]  # in the order of the flags, behind what was read
    assert "simplicity" in names[: names.index("compression_ratio")]
    assert computed.index("compression_ratio") < computed.index("hf")
    assert "lexical_complexity" not in names


def test_a_configuration_says_it_all(fw: Callable[..., Any], data_folder: Path, tmp_path: Path) -> None:
    chosen = {"title": "A & B", "confidence": {"resamples": 40}, "baseline": "timid", "output_html": "out.html"}
    files = {"profile": "translation", "input_files": str(data_folder / "outputs.jsonl")}
    write_json("config.json", {**files, **{key: value for key, value in chosen.items() if key != "title"}})
    done = fw("report", "--config", "config.json", "--title", chosen["title"])
    assert done.code == 0, done.err
    data = embedded(tmp_path / "out.html")
    assert (data["title"], data["facts"]["marks"]) == ("A & B", "matches"), "those of translation"
    assert (data["resampling"]["resamples"], data["resampling"]["compared_with"]) == (40, "timid")


def test_the_page_can_go_to_standard_output(fw: Callable[..., Any], data_folder: Path) -> None:
    done = fw("report", "-", "--input-files", data_folder / "outputs.jsonl", *FAST)
    assert done.out.startswith("<!doctype html>")
    assert done.err == ""


def test_scores_that_do_not_fit_the_outputs_are_warnings(fw: Run, data_folder: Path) -> None:
    rated = {"instance_id": "1", "summarizer_id": "timid", "summarizer_type": "peer", "metrics": {"fluency": 2}}
    write_json("fluency.jsonl", rated)
    words = [*plain_text(data_folder, "timid"), "--scores-files", data_folder / "human.jsonl", "fluency.jsonl"]
    done = fw("report", "out.html", *words, "--no-confidence")
    assert done.code == 0, done.err
    assert "96 rows of the score files belong to outputs that are not in this report" in done.err
    assert "(of 48), excluded from its mean: fluency 47." in done.err
    assert fw("report", "out.html", *words, "--no-confidence", "--strict").code == 1


def test_without_metrics_the_scores_are_those_of_the_profile_under_its_headings(
    fw: Callable[..., Any], data_folder: Path, tmp_path: Path
) -> None:
    done = fw("report", "out.html", "--input-files", data_folder / "outputs.jsonl", "--resamples", "100")
    assert done.code == 0, done.err
    main = {one["name"]: one["title"] for one in embedded(tmp_path / "out.html")["scores"] if one["main"]}
    assert [*main][:4] == ["sari", "bleu", "fkgl", "compression_ratio"]
    assert main["compression_ratio"] == "Compression ratio"


def rated(path: Path, data_folder: Path, head: str, cell: Callable[[int], str]) -> Path:
    """Writes a table with columns of its own beside those that say which output it is."""
    outputs = map(json.loads, (data_folder / "outputs.jsonl").read_text(encoding="utf-8").splitlines())
    lines = [f"{one['instance_id']},{one['summarizer_id']},{cell(place)}" for place, one in enumerate(outputs)]
    path.write_text("\n".join([f"instance_id,system_id,{head}", *lines, ""]), encoding="utf-8")
    return path


@pytest.mark.parametrize("bad", sampled(["good", '"5,5"'], 1))
def test_a_column_of_ratings_that_is_lost_is_told_on_the_page_too(
    fw: Callable[..., Any], data_folder: Path, tmp_path: Path, bad: str
) -> None:
    def cells(place: int) -> str:
        return f"SMT,{place % 5},{bad if place == 7 else 3}"

    table = rated(tmp_path / "q.csv", data_folder, "sys_type,adequacy,fluency", cells)
    words = ("report", "out.html", "--input-files", data_folder / "outputs.jsonl", *FAST, "--scores-files", table)
    done = fw(*words)
    assert done.code == 0, done.err
    lost = bad.strip('"')
    said = f"because line 9 has the string '{lost}'; {144 if lost == '5,5' else 143} of its 144 cells are numbers."
    (warning,) = [line for line in done.err.splitlines() if "warning" in line]
    assert warning.startswith(f"fw: warning: {LEFT_OUT_COLUMN} 'fluency' of {table}, {said}")
    data = embedded(tmp_path / "out.html")
    assert data["notes"][0].startswith(f"{LEFT_OUT_COLUMN} 'fluency' of q.csv, {said}")
    assert "adequacy" in [one["name"] for one in data["scores"]]
    assert fw(*words, "--strict").code == 1


def test_few_sentences_have_exact_tests_and_a_note_on_their_intervals(
    fw: Callable[..., Any], data_folder: Path, tmp_path: Path
) -> None:
    lines = (data_folder / "outputs.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    few = [line for line in lines if json.loads(line)["instance_id"] in ("1", "2", "3", "4", "5")]
    (tmp_path / "few.jsonl").write_text("".join(few), encoding="utf-8")
    done = fw("report", "out.html", "--input-files", "few.jsonl", "--ci", "percentile")
    assert done.code == 0, done.err
    data = embedded(tmp_path / "out.html")
    assert data["resampling"]["test"] == EXACT_TEST
    notes = " ".join(data["notes"])
    assert f"3 of 3 systems have {OUTPUTS_FOR_FEWER_INPUTS} 20 inputs (5 or more), and bootstrap intervals" in notes
    assert "2 comparisons on 5 inputs cannot be significant at 0.05: their smallest p-value is 0.0625" in notes
    assert f"two-sided {EXACT_TEST}, Holm" in (tmp_path / "out.html").read_text(encoding="utf-8")
    done = fw("report", "out.html", "--input-files", "few.jsonl", "--ci", "jackknife")
    assert "too short" not in done.err
    assert embedded(tmp_path / "out.html")["resampling"]["intervals"] == "jackknife"
    assert "(jackknife over sentences)" in (tmp_path / "out.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "words",
    [
        ("--input-files", "summarization/outputs.jsonl"),
        ("--outputs", "translation/good.txt", "--references", "translation/references.0.txt"),
    ],
)
def test_a_report_without_sources_names_the_profiles_that_need_none(
    fw: Callable[..., Any], datasets_path: Path, words: tuple[str, ...]
) -> None:
    found = [word if word.startswith("--") else datasets_path / word for word in words]
    result = fw("report", "out.html", *found)
    assert result.code in (1, 2)
    assert "'source'" in result.err
    assert "for other texts, use --profile summarization or --profile translation" in result.err
    assert fw("report", "out.html", "--profile", "translation", "--no-confidence", *found).code == 0


def test_the_inputs_to_list_are_chosen_and_named(fw: Callable[..., Any], data_folder: Path, tmp_path: Path) -> None:
    source = ("--input-files", data_folder / "outputs.jsonl", *FAST)
    result = fw("report", "r.html", *source, "--worst", "4", "--sample", "3")
    assert "of 48 sentences: the 4 sentences with the worst mean SARI of all systems" in result.err
    assert "sample of 3 sentences (seed" in embedded(tmp_path / "r.html")["selection"]
    assert fw("report", "r.html", *source, "--worst", "48", "--force").code == 0
    assert embedded(tmp_path / "r.html")["selection"] == "", "all are listed"
    assert "--sample: must be an integer, 1 or more, got '0'" in fw("report", "x.html", *source, "--sample", "0").err
