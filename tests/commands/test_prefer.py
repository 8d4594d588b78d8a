"""``fw prefer`` and `fw.prefer`: from tables of votes to tables, JSON and charts."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from messages import OPPOSITE_ORDER
from scipy import stats

import metrics_framework as fw
from metrics_framework.commands.app import main
from metrics_framework.meta_evaluation import bradley_terry

HEADER = "input,system_a,system_b,winner\n"
VOTES = HEADER + "1,x,y,a\n1,y,x,b\n2,x,z,model_a\n2,y,z,tie\n3,z,x,x\n3,z,y,tie (bothbad)\n4,y,x,a\n5,z,x,z\n5,x,y,\n"


@pytest.fixture
def votes(tmp_path: Path) -> Path:
    path = tmp_path / "votes.csv"
    path.write_text(VOTES)
    return path


def run(capsys: pytest.CaptureFixture[str], *arguments: object, code: int = 0) -> tuple[str, str]:
    assert main(["prefer", *map(str, arguments)]) == code
    output = capsys.readouterr()
    return output.out, output.err


def test_the_table_has_strengths_ranks_and_counts(votes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, err = run(capsys, votes)
    assert out.splitlines()[0].split() == [
        "system",
        "strength",
        "interval",
        "rank",
        *["wins", "ties", "losses", "win", "rate"],
    ]
    assert "left out: 1 without a" in " ".join(out.split())
    assert "1 of 1 pair judged in both orders are consistent" in " ".join(out.split())
    assert not err


def test_json_equals_the_array_function(votes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = run(capsys, votes, "--format", "json", "--inconsistent", "keep", "--cluster", "none")
    found = json.loads(out)
    triples = [("x", "y", "a"), ("y", "x", "b"), ("x", "z", "a"), ("y", "z", "tie")]
    triples += [("z", "x", "b"), ("z", "y", "tie"), ("y", "x", "a"), ("z", "x", "a")]
    model = bradley_terry(triples)
    strengths = dict(zip(model.systems, model.strengths, strict=True))
    assert {row["system"]: row["strength"] for row in found["systems"]} == pytest.approx(strengths)
    assert (found["command"], found["votes"], found["left_out"]) == ("fw prefer", 8, {"without a winner": 1})


def test_a_ridge_ranks_a_system_that_never_loses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "votes.csv"
    path.write_text(HEADER + "1,x,y,a\n2,y,z,a\n")
    out, err = run(capsys, path, "--ridge", "1", "--format", "csv")
    assert [line.split(",")[0] for line in out.splitlines()] == ["system", "x", "y", "z"]
    assert "the ridge pulls strengths together" in err


@pytest.mark.slow
def test_the_example_data_show_position_length_and_agreement(
    datasets_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    judge, people = datasets_path / "preferences" / "judge.jsonl", datasets_path / "preferences" / "people.csv"
    out, _ = run(capsys, judge, "--covariate", "length", "--against", people, "--subset", "genre", "--format", "json")
    found = json.loads(out)
    assert [row["system"] for row in found["systems"]][:2] == ["careful", "bold"]
    assert found["coefficients"][0]["covariate"] == "length"
    assert found["coefficients"][0]["lower"] > 0
    assert (found["position"]["pairs"], found["position"]["consistent"]) == (120, 87)
    assert {row["subset"] for row in found["against"]} == {"", "news", "recipes", "(macro average)"}
    plain = json.loads(run(capsys, judge, "--format", "json")[0])
    assert [row["system"] for row in plain["systems"]][:2] == ["bold", "careful"]


def test_best_worst_choices_have_scores_and_reliability(
    datasets_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, err = run(capsys, datasets_path / "preferences" / "best_worst.csv", "--format", "json")
    found = json.loads(out)
    assert found["systems"][0]["best_worst"] == 0.75
    assert found["systems"][0]["strength"] is None
    assert "no strengths" in err
    assert found["split_half"]["splits"] == 100


def test_a_judge_with_the_opposite_order_is_visible_at_a_glance(
    datasets_path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    people = datasets_path / "preferences" / "people.csv"
    rows = [line.split(",") for line in people.read_text().splitlines()]
    winner = rows[0].index("winner")
    for row in rows[1:]:
        row[winner] = {"a": "b", "b": "a"}.get(row[winner], row[winner])
    rater = rows[0].index("rater")
    judge = tmp_path / "judge.csv"
    judge.write_text("\n".join(",".join(cell for place, cell in enumerate(row) if place != rater) for row in rows))
    out, err = run(capsys, judge, "--against", people)
    first, _, row = out.splitlines()[:3]
    assert first.split() == ["judge", "systems", "τ-b", "interval", "inputs"]
    assert row.split()[:3] == ["judge", "4", "-1.000"]
    assert f"'judge' ranks the systems exactly {OPPOSITE_ORDER} of people (Kendall's τ-b -1.000 [-1.000, " in err
    assert out.index("τ-b") < out.index("strength") < out.index("agreement")
    html, _ = run(capsys, judge, "--against", people, "--format", "html")
    assert html.index("-1.000") < html.index("careful")
    result = json.loads(run(capsys, judge, "--against", people, "--format", "json")[0])
    (found,) = result["ranking"]["judges"]
    assert (found["tau_b"], found["lower"], found["by"], found["units"]) == (-1, -1, "input", 20)
    assert (result["ranking"]["resamples"], result["ranking"]["seed"]) == (1000, 0)
    assert "opposite order" in result["warnings"][0]
    csv, _ = run(capsys, judge, "--against", people, "--format", "csv", "--show", "ranking")
    assert csv.startswith(
        "judge,subset,systems,tau_b,lower,upper,by,units,undefined_resamples,reason\njudge,,4,-1.0,-1.0,"
    )
    assert run(capsys, judge, "--against", people, "--format", "csv")[0].startswith("system,strength")
    assert run(capsys, judge, "--against", people, "--strict", code=1)


@pytest.mark.parametrize("given", [{"judge": "a"}, {"rater": "a", "signature": "llm-judge|m"}, {}])
def test_votes_of_a_judge_are_not_pooled_with_those_of_people_in_silence(
    given: dict[str, str], datasets_path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    people = datasets_path / "preferences" / "people.csv"
    judge = tmp_path / "judge.jsonl"
    rows = [json.loads(line) for line in (people.parent / "judge.jsonl").read_text(encoding="utf-8").splitlines()]
    written = [{**row, **given} for row in rows[:1]]
    written += [{**row, **{name: given[name] for name in given if name != "signature"}} for row in rows[1:]]
    judge.write_text("".join(f"{json.dumps(row)}\n" for row in written), encoding="utf-8")
    assert f"the votes of '{people}' and '{judge}'" in run(capsys, people, judge)[1]
    assert f"the votes of '{people}' and" not in run(capsys, judge, "--against", people)[1]


def test_the_ranking_of_a_judge_is_that_of_the_strengths_of_both_tables(datasets_path: Path) -> None:
    folder = datasets_path / "preferences"
    judge, people = str(folder / "judge.jsonl"), str(folder / "people.csv")
    with pytest.warns(UserWarning, match="τ-b of fewer than 8 systems"):
        result = fw.prefer(judge, against=people, covariates="length", resamples=100, seed=1)
    strengths = [
        {row["system"]: row["strength"] for row in found.to_records()}
        for found in (fw.prefer(judge, covariates="length"), fw.prefer(people))
    ]
    expected = stats.kendalltau(*([side[system] for system in strengths[0]] for side in strengths)).statistic
    (record,) = result.to_records("ranking")
    assert record["tau_b"] == result.preferences.rankings[0].tau_b.value == pytest.approx(expected)
    if importlib.util.find_spec("pandas"):
        assert list(result.to_frame(of="ranking")["tau_b"]) == [record["tau_b"]]
    assert "100 resamples of inputs, seed 1" in str(result).replace("\n", " ").replace("           ", "")


@pytest.mark.parametrize("column", ["doc", "document_id", "source", "prompt", "documents", "lp"])
def test_ids_that_restart_are_no_votes_in_both_orders(column: str) -> None:
    """The second document has the systems in the other order, so that no rater seems to vote twice."""
    rows = [
        {
            "id": number % 8,
            column: f"d{number // 8}",
            "system_a": first,
            "system_b": second,
            "winner": "a",
            "rater": "r",
        }
        for number in range(16)
        for first, second in ["AB" if number < 8 else "BA"]
    ]
    with pytest.raises(fw.DataError, match=r"instance '0' has two .*: 'd0' .* and 'd1' .*, and so have 7 other inputs"):
        fw.prefer(rows, log=lambda _: None)


def test_votes_from_data_frames_equal_those_from_files(votes: Path) -> None:
    pandas = pytest.importorskip("pandas")
    of_file, of_frame = fw.prefer(votes), fw.prefer(pandas.read_csv(votes))
    assert of_file.to_json() == of_frame.to_json()
    assert list(of_frame.to_frame()["system"]) == list(of_file.preferences.systems)
    assert list(of_frame.to_frame(of="pairs").columns[:2]) == ["system_a", "system_b"]


def test_lengths_of_texts_are_counted_in_words() -> None:
    texts = {3: "a b c", 1: "a", 2: ["a", "b"], 0: ""}
    rows = [("a", 3, 1), ("b", 3, 2), ("a", 1, 0), ("b", 2, 3), ("tie", 1, 2), ("a", 2, 3)]
    ids = {"system_a": "x", "system_b": "y"}
    of_texts = fw.prefer(
        [{**ids, "winner": w, "output_a": texts[a], "output_b": texts[b]} for w, a, b in rows], covariates="length"
    )
    of_numbers = fw.prefer(
        [{**ids, "winner": w, "length_a": a, "length_b": b} for w, a, b in rows], covariates="length"
    )
    assert of_texts.to_json() == of_numbers.to_json()
    with pytest.raises(fw.DataError, match=r"votes\[0\].*not a text"):
        fw.prefer([{**ids, "winner": "a", "output_a": 3, "output_b": "x"}], covariates="length")


def test_agreement_needs_no_strengths_but_invalid_settings_are_errors() -> None:
    judge = [{"input": i, "system_a": "x", "system_b": "y", "winner": "a"} for i in range(9)]
    with pytest.warns(UserWarning, match="no strengths: .*x never lost"):
        result = fw.prefer(judge, against=judge)
    assert result.to_records("agreement")[0]["agreement"] == 1
    assert str(result).startswith("judge")
    with pytest.raises(fw.InputError, match="not negative"):
        fw.prefer(judge, against=judge, ridge=-1)


def test_a_vote_without_an_input_is_a_cluster_of_its_own() -> None:
    ids = {"system_a": "x", "system_b": "y"}
    votes = [
        {**ids, "input": i, "winner": w} for i, w in ((1, "a"), (1, "a"), (2, "b"), (None, "a"), (None, "b"), (3, "a"))
    ]
    result = fw.prefer(votes)
    assert result.preferences.model is not None
    assert (result.preferences.cluster, result.preferences.model.clusters) == ("input", 5)
    with pytest.raises(fw.InputError, match="in 2 votes"):
        fw.prefer(votes, cluster="input")


WARNINGS = [  # votes, cluster, warning
    ([("x", "y", "tie")] * 9, None, "all votes are ties"),
    (
        [("x", "y", "a"), ("x", "y", "b"), ("x", "y", "a")],
        None,
        r"from fewer than 5 votes is unreliable: strengths \(3\)",
    ),
]


@pytest.mark.parametrize(("votes", "cluster", "warning"), WARNINGS)
def test_votes_that_say_little_are_reported(votes: Any, cluster: str | None, warning: str) -> None:
    with pytest.warns(UserWarning, match=warning):
        fw.prefer(votes, cluster=cluster)


def test_errors_of_one_cluster_are_null(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "votes.csv"
    path.write_text(HEADER + "1,x,y,a\n1,x,y,b\n1,x,y,a\n")
    out, err = run(capsys, path, "--format", "json")
    assert [row["standard_error"] for row in json.loads(out)["systems"]] == [None, None]
    assert [(row["rank_best"], row["rank_worst"]) for row in json.loads(out)["systems"]] == [(1, 2), (1, 2)]
    assert "all votes are in one cluster" in err


@pytest.mark.parametrize("votes", [[("x", "y")], 3, [3], [("x", "y", None)]])
def test_votes_of_other_types_are_errors(votes: Any) -> None:
    with pytest.raises((fw.InputError, fw.DataError)):
        fw.prefer(votes)


@pytest.mark.parametrize(("inputs", "winners", "warns"), [(8, "ab", True), (30, "ab", False), (30, ["a", "tie"], True)])
def test_intervals_of_win_rates_of_few_votes_or_many_ties_have_a_caution(
    inputs: int, winners: Sequence[str], warns: bool
) -> None:
    pair = {"system_a": "x", "system_b": "y"}
    rows = [
        {**pair, "input": number, "rater": rater, "winner": winners[(number + number // 2 * rater) % 2]}
        for number in range(inputs)
        for rater in range(2)
    ]
    cautions = fw.prefer(rows, log=lambda _: None).as_json().get("cautions", [])
    assert any(caution.startswith("win rates: 95 % intervals") for caution in cautions) == warns, cautions
