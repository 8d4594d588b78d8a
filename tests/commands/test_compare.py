"""``fw compare``: what it reads, prints and writes, and its messages."""

from __future__ import annotations

import csv
import io
import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from json_files import write_rows
from messages import CANNOT_BE_SIGNIFICANT, DIRECTION_IS_UNKNOWN, EXACT_TEST

from metrics_framework import compare
from metrics_framework.common.errors import InputError
from metrics_framework.evaluation.profiles.profile import load_profile

DATA = Path(__file__).parents[2] / "datasets" / "simplification"
OUTPUTS, HUMAN, RATINGS = DATA / "outputs.jsonl", DATA / "human.jsonl", DATA / "ratings.csv"

Run = Callable[[str], Any]


@pytest.fixture(name="fw")
def fw_of_a_line(fw: Callable[..., Any]) -> Run:
    """Runs a command line."""
    return lambda line: fw(*shlex.split(line))


def scores(tmp_path: Path, systems: dict[str, list[float | None]], **columns: list[Any]) -> Path:
    rows = [
        {"instance_id": number, "summarizer_id": system, "metrics": {"quality": value}}
        | {name: values[number] for name, values in columns.items()}
        for system, values_of in systems.items()
        for number, value in enumerate(values_of)
    ]
    return write_rows(tmp_path / "scores.jsonl", rows)


@pytest.mark.parametrize("word", ["{}/clumsy.txt", "clumsy.txt", "clumsy"])
@pytest.mark.parametrize("command", ["compare", "evaluate --confidence"])
def test_a_file_names_the_baseline(command: str, word: str, fw: Any, datasets_path: Path) -> None:
    folder = datasets_path / "simplification"
    files = f"-i {folder}/careful.txt {folder}/clumsy.txt -r {folder}/references.0.txt"
    run = fw(f"{command} -m ter {files} --baseline {word.format(folder)}")
    assert run.code == 0, run.err
    assert "clumsy (baseline)" in run.out


def test_texts_and_their_scores_are_compared_alike(fw: Run, tmp_path: Path) -> None:
    """The mean of sentence scores is the score of a system for sent-bleu, so the comparison is the same."""
    texts = fw(f"compare {OUTPUTS} -m sent-bleu --format json")
    micro = tmp_path / "micro.jsonl"
    assert fw(f"evaluate {tmp_path / 'macro.json'} {micro} -m sent-bleu --input-files {OUTPUTS}").code == 0
    read = fw(f"compare {micro} --format json")
    assert (texts.code, read.code) == (0, 0), texts.err + read.err
    first, second = (json.loads(result.out)["scores"]["sent-bleu"] for result in (texts, read))
    assert [pair["p_value"] for pair in first["pairs"]] == [pair["p_value"] for pair in second["pairs"]]
    assert first["systems"].keys() == second["systems"].keys()
    assert first["signature"].replace("refs:3|", "") == second["signature"]


def test_plain_text_is_compared_as_rows_are(fw: Run) -> None:
    files = " ".join(str(DATA / f"{name}.txt") for name in ("careful", "timid", "clumsy"))
    references = " ".join(str(DATA / f"references.{number}.txt") for number in range(3))
    flags = f"--outputs {files} --references {references} --sources {DATA / 'sources.txt'}"
    plain = fw(f"compare -m sari {flags} --format csv")
    rows = fw(f"compare -m sari --input-files {OUTPUTS} --format csv")
    assert plain.code == 0, plain.err
    assert plain.out == rows.out


def test_tables_of_ratings_are_averaged_over_raters(fw: Run) -> None:
    table, lists = (fw(f"compare {path} --format csv") for path in (RATINGS, HUMAN))
    assert table.out == lists.out
    assert f"its direction {DIRECTION_IS_UNKNOWN}; use --higher-is-better simplicity" in table.err


def test_a_table_for_programs_has_a_row_for_each_system_and_pair(fw: Run) -> None:
    rows = list(csv.DictReader(io.StringIO(fw(f"compare {HUMAN} --higher-is-better simplicity --format csv").out)))
    assert [(row["system"], row["against"]) for row in rows] == [
        ("careful", ""),
        ("timid", ""),
        ("clumsy", ""),
        ("careful", "timid"),
        ("careful", "clumsy"),
        ("timid", "clumsy"),
    ]
    assert [row["rank"] for row in rows[:3]] == ["1", "2", "3"]
    assert all(row["better"] == row["system"] for row in rows[3:])


def test_tables_and_plots_have_scores_and_pairs(fw: Run, tmp_path: Path) -> None:
    printed = fw(f"compare {HUMAN} --higher-is-better simplicity --plot {tmp_path / 'p.svg'}").out
    for shown in ("careful", "timid", "70.45", "23.84", "1000 trials", "Holm"):
        assert shown in printed
    drawn = (tmp_path / "p.svg").read_text()
    assert drawn.count("<svg") == 3
    assert "p-values of differences: simplicity" in drawn
    for flag in ("--score", "--scores", "--names"):
        chosen = fw(f"compare {HUMAN} {flag} simplicity --format json")
        assert list(json.loads(chosen.out)["scores"]) == ["simplicity"]


def test_documents_are_drawn_and_swapped_as_a_whole(fw: Run, tmp_path: Path) -> None:
    systems: dict[str, list[float | None]] = {"a": [1.0 + number % 3 for number in range(24)], "b": [1.5] * 24}
    path = scores(tmp_path, systems, document=[number // 4 for number in range(24)])
    result = fw(f"compare {path} --cluster document --ci percentile")
    assert "6 of 24 inputs, by document; design effect" in result.out
    assert f"{EXACT_TEST}, for other clusters and these systems" in result.out
    assert "for fewer than 20 clusters (6 or more)" in result.err


def test_documents_of_texts_in_parquet_are_read(fw: Run, tmp_path: Path) -> None:
    """No metric needs the column of documents, so it would be skipped."""
    parquet = pytest.importorskip("pyarrow.parquet", reason="writes Parquet")
    from pyarrow import Table

    rows = map(json.loads, OUTPUTS.read_text(encoding="utf-8").splitlines())
    lines = [row | {"document": row["instance_id"][-1]} for row in rows]
    parquet.write_table(Table.from_pylist(lines), tmp_path / "in.parquet")
    written = write_rows(tmp_path / "in.jsonl", lines)
    results = [
        fw(f"compare -m sari --cluster document --jobs {jobs} --input-files {path}")
        for jobs in (1, 2)
        for path in (written, tmp_path / "in.parquet")
    ]
    assert "by document" in results[0].out
    assert [result.out for result in results] == [results[0].out] * 4, results[1].err


def test_the_flags_of_sacrebleu_choose_its_tests(fw: Run) -> None:
    for test in ("paired-bs", "paired-ar"):
        flag, name = (fw(f"compare {HUMAN} {flags} --format json").out for flags in (f"--{test}", f"--test {test}"))
        assert flag == name
        assert json.loads(flag)["test"]["name"] == test


def test_a_language_pair_chooses_the_tokenizer(fw: Run, tmp_path: Path) -> None:
    for name in ("a", "b", "r"):
        (tmp_path / f"{name}.txt").write_text("我们去北京\n" * 3, encoding="utf-8")
    result = fw("compare -m bleu --outputs a.txt b.txt --references r.txt -l en-zh")
    assert result.code == 0, result.err
    assert "tok:zh" in result.out


def test_ratings_beside_texts_are_compared_if_they_are_named(fw: Run, tmp_path: Path) -> None:
    path = tmp_path / "rated.csv"
    rows = [
        f"{number},{system},Text {number},{number + low}" for number in range(6) for system, low in (("a", 0), ("b", 1))
    ]
    path.write_text("\n".join(["sent_id,sys_name,simp_sent,fluency", *rows]), encoding="utf-8")
    result = fw(f"compare {path} --score fluency --format json")
    assert result.code == 0, result.err
    systems = json.loads(result.out)["scores"]["fluency"]["systems"]
    assert {name: one["value"] for name, one in systems.items()} == {"a": 2.5, "b": 3.5}
    without = fw(f"compare {path}")
    assert without.code == 2
    assert "--metric NAME" in without.err
    assert "--score NAME" in without.err


def test_systems_without_common_inputs_are_listed(fw: Run, tmp_path: Path) -> None:
    path = scores(tmp_path, {"a": [1.0, None, 3.0, 4.0], "b": [0.0, 1.0, 1.0, 2.0], "c": [None] * 4})
    written = json.loads(fw(f"compare {path} --format json").out)["scores"]["quality"]
    assert written["pairs_without_common_inputs"] == [["a", "c"], ["b", "c"]]
    assert [pair["num_instances"] for pair in written["pairs"]] == [3]


def test_few_inputs_and_many_pairs_are_reported(fw: Run, tmp_path: Path) -> None:
    few = fw(f"compare {scores(tmp_path, {'a': [1.0, 2.0, 4.0], 'b': [0.0, 1.0, 1.0]})} --ci percentile")
    assert "in 80 % of cases for 5, 89 % for 10 and 93 % for 20" in few.err
    assert "1 comparison on 3 inputs cannot be significant at 0.05" in few.err
    many = {f"s{number}": [float((number * value) % 7) for value in range(30)] for number in range(12)}
    result = fw(f"compare {scores(tmp_path, many)} --trials 500")
    assert f"66 comparisons with 500 {CANNOT_BE_SIGNIFICANT} 0.05; use --trials" in result.err
    assert result.out.count("win/tie/loss") == 0, "more than 45 pairs are only in the matrix"
    assert fw(f"compare {scores(tmp_path, many)} --strict").code in (0, 1)


def test_a_profile_names_the_metrics(fw: Run) -> None:
    named = fw(f"compare {OUTPUTS} --profile translation -m wer --format json --resamples 50")
    assert named.code == 0, named.err
    compared = json.loads(named.out)["scores"]
    assert {"bleu", "chrf", "ter", "wer"} <= compared.keys()
    assert (
        compared["wer"] == json.loads(fw(f"compare {OUTPUTS} -m wer --format json --resamples 50").out)["scores"]["wer"]
    )


def test_the_default_test_is_said_to_be_about_exchangeable_systems(fw: Run) -> None:
    for flags, is_said in (("", True), (" --test paired-ar", True), (" --test bootstrap-t", False)):
        found = fw(f"compare {OUTPUTS} --metric ter --trials 20 --resamples 40{flags}").out
        assert ("exchangeable" in found) is is_said, flags


def test_scores_of_a_profile_are_named_by_their_headings(fw: Run) -> None:
    words = f"{OUTPUTS} --profile simplification --scores 'Sentence splits' 'exact Copies' FKGL --ci none --format json"
    assert [*json.loads(fw(f"compare {words}").out)["scores"]] == ["fkgl", "sentence_splits", "exact_copies"]


def test_a_profile_has_its_columns_headings_and_signatures_and_ranks_only_scores_with_a_direction(fw: Run) -> None:
    profile = load_profile("simplification")
    words = f"{OUTPUTS} --profile simplification --resamples 50"
    scores = json.loads(fw(f"compare {words} --format json").out)["scores"]
    assert [*scores] == [*profile.columns]
    for name, score in scores.items():
        is_ranked = name in ("sari", "bleu", "fkgl")
        assert (score["higher_is_better"] is not None) is is_ranked, name
        assert all((one["rank"] is not None) is is_ranked for one in score["systems"].values())
        assert is_ranked or all(one["better"] is None for one in score["pairs"])
    evaluated = fw(f"evaluate --input-files {words} --format json")
    signatures = json.loads(evaluated.out)["signature"]
    compared = signatures["bleu"].replace("|ar:50|", "|ar:1000|")
    assert scores["bleu"]["signature"] == compared
    found = fw(f"compare {words}")
    assert DIRECTION_IS_UNKNOWN not in found.err
    assert {*profile.columns.values()} <= {line.partition("  ")[0] for line in found.out.splitlines()}
    assert "sacrebleu  bleu" in found.out


def test_a_profile_does_not_go_with_files_of_scores() -> None:
    with pytest.raises(InputError, match="leave out 'metrics', 'profile'"):
        compare(scores=str(HUMAN), profile="simplification")


@pytest.mark.parametrize(
    ("inputs", "trials", "expected"), [(48, 1000, "|ar:1000|"), (14, 1000, "|ar:exact|"), (15, 50, "|ar:50|")]
)
def test_signatures_say_whether_all_swaps_are_enumerated(
    fw: Run, tmp_path: Path, inputs: int, trials: int, expected: str
) -> None:
    rows = [json.loads(row) for row in OUTPUTS.read_text(encoding="utf-8").splitlines()]
    file = write_rows(tmp_path / "rows.jsonl", [row for row in rows if int(row["instance_id"]) <= inputs])
    words = f"-m bleu --input-files {file} --format json"
    evaluated = json.loads(fw(f"evaluate {words} --confidence --resamples {trials}").out)
    assert expected in evaluated["signature"]["bleu"]
    compared = json.loads(fw(f"compare {words} --trials {trials}").out)
    assert expected in compared["scores"]["bleu"]["signature"]


def test_signatures_say_whether_all_swaps_of_clusters_are_enumerated(fw: Run, tmp_path: Path) -> None:
    rows = [json.loads(row) for row in OUTPUTS.read_text(encoding="utf-8").splitlines()]
    file = write_rows(tmp_path / "rows.jsonl", [{**row, "cell": f"d{int(row['instance_id']) % 9}"} for row in rows])
    found = json.loads(fw(f"compare -m bleu --input-files {file} --cluster cell --format json").out)
    assert "|ar:exact|" in found["scores"]["bleu"]["signature"]


def test_a_pair_has_one_p_value_in_evaluate_and_compare(fw: Run) -> None:
    words = f"-m bleu --input-files {OUTPUTS} --where summarizer_id!=clumsy --baseline careful --format json"
    evaluated, compared = (json.loads(fw(f"{command} {words}").out) for command in ("evaluate", "compare"))
    assert "|ar:1000|" in evaluated["signature"]["bleu"]
    p_values = evaluated["significance"]["systems"]["timid"]["p_values"]
    assert p_values["bleu"] == compared["scores"]["bleu"]["pairs"][0]["p_value"]
