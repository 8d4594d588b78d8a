"""``fw test-judge``, run as the command line runs it."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from json_files import read_json, write_rows

import metrics_framework as metrics
from metrics_framework.evaluation.external_sort import Run

RATINGS, JUDGEMENTS = "judging/ratings.csv", "judging/judgements.csv"


@pytest.fixture
def files(datasets_path) -> list[Path]:
    return [str(datasets_path / RATINGS), str(datasets_path / JUDGEMENTS)]


def lines_of(path: Path) -> list[str]:
    return Path(path).read_text(encoding="utf-8").splitlines()


def test_judges_and_sentinels_are_printed(fw: Run, files: Callable[[str], str]) -> None:
    done = fw("judge", *files, "--rating", "helpfulness", "--judge", "model", "--judge", "bland", "--text", "words")
    assert done.code == 0, done.err
    lines = [line.split("  ")[0] for line in done.out.splitlines()]
    assert lines[2:9] == ["model", "bland", "constant", "median", "length", "shuffled model", "shuffled bland"]
    assert "passes; no better than a constant" in done.out
    assert "for other outputs and these raters" in done.out.replace("\n          ", "")
    assert done.err.count("warning") == 1


def test_json_has_every_number(fw: Run, files: Callable[[str], str], tmp_path: Path) -> None:
    path = tmp_path / "judges.json"
    done = fw("judge", *files, "--rating", "helpfulness", "--judge", "model", "--output-file", str(path), "--silent")
    assert done.code == 0, done.err
    found = read_json(path)
    model = found["judges"][0]
    assert len(model["sweep"]) == len(found["sweep_epsilons"]) == 101
    assert [rater["rater"] for rater in model["raters"]] == ["ann", "bob", "eve"]
    assert model["above_constant"]["lower"] <= model["above_constant"]["value"] <= model["above_constant"]["upper"]
    assert found["raters"]["pairs"][0].keys() == {"rater1", "rater2", "n", "alpha", "kappa"}


def test_a_table_for_programs_has_judges_and_sentinels(fw: Run, files: Callable[[str], str]) -> None:
    done = fw("judge", *files, "--rating", "helpfulness", "--judge", "model", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(done.out)))
    assert [row["judge"] for row in rows] == ["model", "constant", "median", "shuffled"]
    assert rows[1]["above_constant"] == ""


def test_a_judge_may_be_a_rater_of_the_table(fw: Run, files: Callable[[str], str], tmp_path: Path) -> None:
    both = tmp_path / "both.csv"
    scores = {(row["id"], row["system"]): row["model"] for row in csv.DictReader(lines_of(files[1]))}
    lines = lines_of(files[0])
    units = dict.fromkeys(tuple(line.split(",")[:2]) for line in lines[1:])
    lines += [f"{unit},{system},model,{scores[unit, system]},yes" for unit, system in units]
    both.write_text("\n".join(lines), encoding="utf-8")
    words = ("--rating", "helpfulness", "--judge", "model", "--format", "json", "--silent")
    assert fw("judge", str(both), *words).out == fw("judge", *files, *words).out


def test_labels_are_compared_as_words(fw: Run, files: Callable[[str], str]) -> None:
    done = fw("judge", *files, "--rating", "solved", "--judge", "verdict", "--format", "json")
    found = json.loads(done.out)
    assert found["scoring"] == "accuracy"
    assert found["constants"] == {"constant": "yes"}
    assert found["judges"][0]["signed_error"] is None


def stated(files, tmp_path, judge="verdict", confidence=lambda row: 0.6 + int(row["id"]) % 4 / 10):
    path = tmp_path / "stated.jsonl"
    rows = [
        {"id": row["id"], "system": row["system"], "judge": row[judge], "sure": confidence(row)}
        for row in csv.DictReader(lines_of(files[1]))
    ]
    write_rows(path, rows)
    return str(path)


def test_stated_confidence_is_compared_with_ratings(fw: Run, files: Callable[[str], str], tmp_path: Path) -> None:
    words = ("judge", files[0], stated(files, tmp_path), "--rating", "solved", "--judge", "judge")
    done = fw(*words, "--stated-confidence", "sure", "--bins", "4")
    assert done.code == 0, done.err
    assert "4 bins of equal width" in " ".join(done.out.split())
    found = json.loads(fw(*words, "--stated-confidence", "sure", "--format", "json").out)
    (calibration,) = found["calibration"]
    assert (calibration["judge"], calibration["kind"], calibration["n"]) == ("judge", "stated confidence", 160)
    assert sum(one["n"] for one in calibration["bins"]) == 160
    assert [one["stated"] for one in calibration["bins"]] == pytest.approx([0.6, 0.7, 0.8, 0.9])
    agreement = found["judges"][0]["agreement"]["kappa_parts"]["agreement"]
    assert calibration["base_rate"] == pytest.approx(agreement), "three raters of every output"


def test_one_line_has_kappa_with_its_prevalence_and_bias(fw: Run, files: Callable[[str], str]) -> None:
    done = fw("judge", *files, "--rating", "solved", "--judge", "verdict")
    printed = " ".join(done.out.split())
    assert "verdict: 0.516 from agreement 0.777; prevalence of 'yes' 0.643, bias towards it +0.040" in printed
    assert "raters with each other: 0.672 from agreement 0.846; prevalence of 'yes' 0.623" in printed


def verdicts(files, tmp_path):
    """Writes the verdicts of people as 1 and 0."""
    path = tmp_path / "verdicts.csv"
    rows = csv.DictReader(lines_of(files[0]))
    lines = [f"{row['id']},{row['system']},{row['rater']},{int(row['solved'] == 'yes')}" for row in rows]
    path.write_text("\n".join(["id,system,rater,good", *lines]), encoding="utf-8")
    return str(path)


@pytest.mark.slow
def test_scores_between_0_and_1_are_probabilities_of_verdicts(
    fw: Run, files: Callable[[str], str], tmp_path: Path
) -> None:
    table = stated(files, tmp_path, confidence=lambda row: (int(row["model"]) - 0.5) / 5)
    words = ("judge", verdicts(files, tmp_path), table, "--rating", "good", "--judge", "sure")
    found = json.loads(fw(*words, "--format", "json", "--binning", "mass", "--cluster", "id").out)
    (calibration,) = found["calibration"]
    assert (calibration["kind"], calibration["binning"]) == ("probability", "mass")
    assert calibration["skill"]["value"] > 0
    assert "scores as probabilities of a rating of 1" in fw(*words).out


def test_judges_who_are_raters_state_confidence_in_their_rows(
    fw: Run, files: Callable[[str], str], tmp_path: Path
) -> None:
    path = tmp_path / "both.jsonl"
    people = list(csv.DictReader(lines_of(files[0])))
    judged = [
        {**row, "rater": judge, "solved": row["verdict"], "sure": sure}
        for row in csv.DictReader(lines_of(files[1]))
        for judge, sure in (("gpt", 0.9), ("llama", 0.8))
    ]
    write_rows(path, [*people, *judged])
    words = ("--rating", "solved", "--judge", "gpt", "--judge", "llama", "--stated-confidence", "sure")
    done = fw("judge", str(path), *words, "--format", "json")
    assert done.code == 0, done.err
    found = {one["judge"]: one["bins"][0]["stated"] for one in json.loads(done.out)["calibration"]}
    assert found == pytest.approx({"gpt": 0.9, "llama": 0.8})


def test_contradictory_confidence_is_an_error_with_both_lines(
    fw: Run, files: Callable[[str], str], tmp_path: Path
) -> None:
    table = Path(stated(files, tmp_path))
    first = json.loads(lines_of(table)[0])
    with table.open("a", encoding="utf-8") as file:
        file.write(json.dumps({**first, "sure": 0.1}) + "\n")
    done = fw("judge", files[0], str(table), "--rating", "solved", "--judge", "judge", "--stated-confidence", "sure")
    assert done.code == 1
    assert "stated.jsonl:401: 'sure' of instance '1' of summarizer 'new' is 0.1, but 0.7 at" in done.err


def jury(files, tmp_path):
    """Writes a jury: the rounded mean of two judges."""
    path = tmp_path / "jury.csv"
    rows = csv.DictReader(lines_of(files[1]))
    lines = [f"{row['id']},{row['system']},{(int(row['model']) + int(row['bland']) + 1) // 2}" for row in rows]
    path.write_text("\n".join(["id,system,both", *lines]), encoding="utf-8")
    return str(path)


@pytest.mark.slow
def test_a_jury_is_compared_with_the_best_single_judge(fw: Run, files: Callable[[str], str], tmp_path: Path) -> None:
    words = ("judge", *files, jury(files, tmp_path), "--rating", "helpfulness", "--judge", "model", "--judge", "bland")
    done = fw(*words, "--jury", "both", "--resamples", "100")
    assert done.code == 0, done.err
    printed = " ".join(done.out.split())
    assert "both − model (best)" in printed
    assert "both is not shown to be better than the best single judge" in printed
    assert "100 random sign flips of outputs" in printed
    found = json.loads(fw(*words, "--jury", "both", "--resamples", "100", "--format", "json").out)["jury"]
    assert (found["jury"], found["best"]) == ("both", "model")
    assert found["p_value"] == max(one["p_value"] for one in found["differences"])
    listed = fw(*words, "--judge", "both", "--jury", "both", "--resamples", "100", "--format", "json")
    assert json.loads(listed.out)["jury"] == found, "it may also be among the judges"
    page = tmp_path / "page.html"
    assert fw(*words, "--jury", "both", "--resamples", "20", "--report", str(page)).code == 0
    assert "<h2>Jury</h2>" in page.read_text(encoding="utf-8")


def test_a_jury_needs_single_judges(fw: Run, files: Callable[[str], str], tmp_path: Path) -> None:
    done = fw("judge", *files, jury(files, tmp_path), "--rating", "helpfulness", "--judge", "both", "--jury", "both")
    assert (done.code, "the jury 'both' is compared with single judges, but --judges names none" in done.err) == (
        1,
        True,
    )


def test_labels_that_no_rater_gives_are_reported(fw: Run, files: Callable[[str], str]) -> None:
    done = fw("judge", *files, "--rating", "solved", "--judge", "topic")
    assert "'topic' gives labels that no rater gives: account, delivery" in done.err


def test_few_outputs_are_allowed_on_request(fw: Run, files: Callable[[str], str], tmp_path: Path) -> None:
    few = tmp_path / "few.csv"
    few.write_text("\n".join(lines_of(files[0])[:46]), encoding="utf-8")
    words = ("judge", str(few), files[1], "--rating", "helpfulness", "--judge", "model")
    refused = fw(*words)
    assert refused.code == 1
    assert "no rater has 30 units" in refused.err
    allowed = fw(*words, "--min-units", "10", "--variance", "published")
    assert allowed.code == 0
    assert "signed-rank test for 3 raters" in allowed.out.replace("\n           ", " ")
    assert "rejects true null hypotheses too often" in allowed.err


def test_a_text_among_numbers_is_a_mistake_unless_labels_are_meant(
    fw: Run, files: Callable[[str], str], tmp_path: Path
) -> None:
    lines = lines_of(files[0])
    lines[3] = lines[3].replace(",2,", ",two,")
    mixed = tmp_path / "mixed.csv"
    mixed.write_text("\n".join(lines), encoding="utf-8")
    words = ("judge", str(mixed), files[1], "--rating", "helpfulness", "--judge", "model")
    done = fw(*words)
    assert done.code == 1
    assert "mixed.csv:4: 'helpfulness' must be a finite number, got the string 'two'" in done.err
    assert fw(*words, "--scoring", "accuracy").code == 0


def test_clusters_change_every_interval_and_test_but_no_value(fw: Run, files: Callable[[str], str]) -> None:
    words = ("judge", *files, "--rating", "helpfulness", "--judge", "model", "--format", "json")
    plain, clustered = (json.loads(fw(*words, *more).out) for more in ((), ("--cluster", "topic")))
    assert (plain["clusters"], clustered["clusters"]) == (None, 6)
    first, second = plain["judges"][0], clustered["judges"][0]
    for name in ("advantage_probability", "above_constant", "signed_error", "spread"):
        assert first[name]["value"] == second[name]["value"]
        assert first[name]["lower"] != second[name]["lower"], name
    for name in ("alpha", "kappa"):
        for one, other in ((first["agreement"], second["agreement"]), (plain["raters"], clustered["raters"])):
            assert one[name]["value"] == other[name]["value"]
            assert one[name]["lower"] != other[name]["lower"], name
    for one, other in zip(first["raters"], second["raters"], strict=True):
        assert (one["n"], one["judge_wins"]) == (other["n"], other["judge_wins"])
        assert one["p_value"] < other["p_value"]
        assert other["clusters"] == 6
    assert first["sweep"] != second["sweep"]


def test_the_function_takes_data_frames(files: Callable[[str], str]) -> None:
    pandas = pytest.importorskip("pandas")
    result = metrics.judge([pandas.read_csv(path) for path in files], "helpfulness", "model", scoring="ranks")
    assert list(result.to_frame()["judge"]) == ["model", "constant", "median", "shuffled"]
    assert result["model"].test.passes
    assert not result["constant"].test.passes
    assert "<table>" in result._repr_html_()


def test_lists_of_ratings_are_raters_by_number() -> None:
    rows = [{"id": unit, "good": [unit % 5, unit % 5, (unit + 1) % 5], "model": unit % 5} for unit in range(100)]
    result = metrics.judge(rows, "good", "model", log=None, scoring="ranks")
    assert [rater.rater for rater in result["model"].test.raters] == ["1", "2", "3"]


def test_metrics_of_which_lower_values_are_better_are_negated() -> None:
    rows = [
        {"id": unit, "good": [unit % 7, (unit + unit % 2) % 7], "ter": -(unit % 7), "negated": unit % 7}
        for unit in range(100)
    ]
    with pytest.warns(UserWarning, match="lower values of 'ter' are better, so its scores are negated"):
        result = metrics.judge(rows, "good", ["ter", "negated"], scoring="ranks")
    assert result["ter"].advantage == result["negated"].advantage


def test_intervals_from_few_outputs_or_clusters_are_said_to_be_too_short(fw: Run, files: Callable[[str], str]) -> None:
    words = ("judge", *files, "--rating", "helpfulness", "--judge", "model")
    assert "too short" not in fw(*words).err
    assert fw(*words, "--cluster", "id").err.count("intervals from 80 clusters are too short") == 1


def test_a_kind_of_raters_is_suggested(fw: Run, files: Callable[[str], str]) -> None:
    done = fw("judge", *files, "--rating", "helpfulness", "--judge", "model", "--epsilon", "expert")
    assert done.err.rstrip().endswith("got 'expert'; did you mean 'experts'?")


def test_judges_without_a_score_are_an_error_that_says_so() -> None:
    ratings = [{"id": number, "rater": rater, "people": number} for number in range(9) for rater in "abc"]
    with pytest.raises(ValueError, match=r"0 have the former, 9 the latter.*null"):
        metrics.judge([ratings, [{"id": number, "model": None} for number in range(9)]], "people", "model")
