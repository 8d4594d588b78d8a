"""The numbers of a report: those that evaluate gives, over all outputs and over those of a bin."""

from __future__ import annotations

import re
import statistics
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from messages import CANNOT_BE_SIGNIFICANT

from metrics_framework import load
from metrics_framework.common.errors import UsageError
from metrics_framework.common.logs import Log
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.scored_output import MetricsRow
from metrics_framework.dataset_readers.dataset_reader import load_reader
from metrics_framework.evaluation.system_scores import evaluate
from metrics_framework.metrics.base.metric import labelled
from metrics_framework.metrics.ter import Ter
from metrics_framework.reports.html.collected_scores import finite
from metrics_framework.reports.html.model import ReportData, System
from metrics_framework.reports.html.page import page
from metrics_framework.reports.html.test_set import Selection
from metrics_framework.significance.resampling import Resampling

Rows = list[dict[str, Any]]
RESAMPLING = Resampling(resamples=200)


@pytest.fixture(scope="module")
def report(report_of: Callable[..., ReportData], example_rows: Rows) -> ReportData:
    return report_of(example_rows, resampling=RESAMPLING)


def system_of(report: ReportData, name: str) -> System:
    return next(one for one in report.systems if one.name == name)


def test_scores_intervals_and_p_values_are_those_of_evaluate(report: ReportData, datasets_path: Path) -> None:
    files = [str(datasets_path / "simplification" / "outputs.jsonl")]
    metrics = labelled(["sari", "bleu", "quality-estimation"])
    found = evaluate(load_reader("default"), files, metrics, None, Log(silent=True), resampling=RESAMPLING)
    assert found.confidence is not None
    assert found.confidence.significance is not None
    assert report.signatures == found.signature
    checked = 0
    for name, scores in found.systems.items():
        cells = system_of(report, name).scores
        for score, value in scores.flatten().items():
            if isinstance(value, list):
                assert [cells[f"{score}_{place}"].value for place in range(1, len(value) + 1)] == value
                continue
            interval: Any = found.confidence.systems[name][score]
            assert cells[score].value == value
            assert (cells[score].low, cells[score].high) == (finite(interval.lower), finite(interval.upper))
            if name != "careful":
                assert cells[score].p == found.confidence.significance.p_values[name][score]
                assert cells[score].p_holm == found.confidence.significance.adjusted[name][score]
                checked += 1
    assert checked == 2 * (4 + 4 + 7)  # two systems; SARI with its parts, BLEU with its own, seven features


def test_the_first_system_is_compared_with_none(report: ReportData) -> None:
    assert all(cell.p is None for cell in system_of(report, "careful").scores.values())
    assert report.resampling is not None
    assert report.resampling.compared_with == "careful"
    (row,) = re.findall(r'<th [^>]*data-note="baseline of the tests"[^>]*>(.*?)</th>', page(report))
    assert row == "careful"


@pytest.mark.filterwarnings("ignore::metrics_framework.TextWarning")  # of outputs that are the sources
def test_baselines_have_the_scores_of_their_outputs(report: ReportData, example_rows: Rows) -> None:
    rows = [row for row in example_rows if row["summarizer_id"] == "timid"]
    sources = [row["source"]["text"] for row in rows]
    references = [[one["text"] for one in row["references"]] for row in rows]
    copied, _ = load("sari").evaluate(sources, references, sources)
    assert system_of(report, "source copied").scores["sari"].value == copied["sari"]
    human, _ = load("sari").evaluate([one[0] for one in references], [one[1:] for one in references], sources)
    assert system_of(report, "one reference").scores["sari"].value == human["sari"]
    assert system_of(report, "source copied").scores["exact_copies"].value == 1


def test_the_baseline_of_first_words_names_its_difference_from_that_of_easse(
    report: ReportData, example_rows: Rows
) -> None:
    rows = [row for row in example_rows if row["summarizer_id"] == "timid"]
    sources = [row["source"]["text"] for row in rows]
    references = [[one["text"] for one in row["references"]] for row in rows]
    cut = [" ".join(source.split()[: 4 * len(source.split()) // 5]) for source in sources]
    baseline = system_of(report, "first 80 % of the words")
    assert baseline.scores["sari"].value == load("sari").evaluate(cut, references, sources)[0]["sari"]
    assert (
        baseline.scores["sari"].value
        != load("sari").evaluate([f"{one}." for one in cut], references, sources)[0]["sari"]
    )
    assert "(EASSE then adds a full stop)" in page(report)


def test_the_scores_of_a_bin_are_those_of_its_outputs_alone(report: ReportData, example_rows: Rows) -> None:
    rows = [row for row in example_rows if row["summarizer_id"] == "clumsy"]
    last = report.lengths[-1]
    longest = [row for row in rows if len(row["source"]["text"].split()) >= last.shortest]
    assert last.sentences == len(longest)
    expected, _ = load("bleu").evaluate(
        [row["summary"]["text"] for row in longest], [[one["text"] for one in row["references"]] for row in longest]
    )
    assert system_of(report, "clumsy").by_length["bleu"][-1] == pytest.approx(expected["bleu"], rel=1e-12)


def test_outputs_have_their_texts_and_scores_in_the_order_of_the_sentences(
    report: ReportData, example_rows: Rows
) -> None:
    timid = system_of(report, "timid")
    rows = {row["instance_id"]: row for row in example_rows if row["summarizer_id"] == "timid"}
    assert timid.texts == [rows[sentence.id]["summary"]["text"] for sentence in report.sentences]
    for sentence, text, value in zip(report.sentences, timid.texts, timid.values["sari"], strict=True):
        assert value == load("sari").score(text, sentence.references, sentence.source)["sari"]


def test_main_scores_components_directions_and_roles_follow_from_the_metrics(report: ReportData) -> None:
    columns = {column.name: column for column in report.scores}
    assert [column.name for column in report.main_scores][:3] == ["sari", "bleu", "compression_ratio"]
    assert not columns["sari_keep"].main
    assert (columns["sari"].better, columns["sari_keep"].better, columns["exact_copies"].better) == (
        "higher",
        None,
        None,
    )
    assert {column.role for column in report.scores} == {None, "compression", "similarity", "splits", "copies"}
    assert (columns["bleu"].aggregate, columns["exact_copies"].aggregate) == ("corpus", "mean")


def test_facts_describe_the_test_set(report: ReportData) -> None:
    facts = report.facts
    assert (facts.sentences, facts.references) == (48, "3")
    assert facts.words_per_source == pytest.approx(
        statistics.mean(len(sentence.source.split()) for sentence in report.sentences)
    )
    assert facts.licence is None


def test_any_metric_works_and_a_lower_score_can_be_the_better(
    report_of: Callable[..., ReportData], example_rows: Rows
) -> None:
    report = report_of(example_rows, ["ter", "ter:case_sensitive=true,label=cased", "chrf"])
    columns = {column.name: column for column in report.scores}
    assert (columns["ter"].better, columns["cased"].better, columns["chrf"].better) == ("lower", "lower", "higher")
    assert columns["ter_num_edits"].output_digits == 0
    assert report.resampling is None
    assert all(cell.low is None for system in report.systems for cell in system.scores.values())


def test_a_metric_that_does_not_judge_has_no_direction(
    report_of: Callable[..., ReportData], example_rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Ter, "higher_is_better", None)
    columns = {column.name: column for column in report_of(example_rows, ["ter"]).scores}
    assert columns["ter"].better is None


def test_scores_of_files_stand_beside_the_outputs_they_are_of(
    report_of: Callable[..., ReportData], example_rows: Rows
) -> None:
    rated = [
        MetricsRow(row["instance_id"], row["summarizer_id"], "peer", MetricsDict(human=[number, number + 2]))
        for number, row in enumerate(example_rows)
        if row["instance_id"] != "2"
    ]
    other = MetricsRow("no such sentence", "timid", "peer", MetricsDict(human=[1]))
    report = report_of(example_rows, ["quality-estimation"], rows=[*rated, other], resampling=RESAMPLING)
    assert report.main_scores[0].name == "human"  # which the sentence browser shows and sorts by at first
    careful = system_of(report, "careful")
    expected = [None if number == 1 else 3.0 * number + 1 for number in range(48)]  # rows 0, 3, …, of two raters
    assert careful.values["human"] == expected
    assert careful.scores["human"].value == pytest.approx(statistics.mean(filter(None, expected)))
    assert careful.scores["human"].low is not None
    assert system_of(report, "source copied").scores["human"].value is None
    assert report.notes == [
        "Left out: 1 row of the score files, whose outputs are not in this report.",
        "Outputs without a score (of 144), excluded from its mean: human 3.",
        "human is compared with careful on the sentences for which both have a score: timid 47 of 48, clumsy 47 of 48.",
    ]
    assert (str(careful.count("human")), careful.scores["human"].compared) == ("47/48", None)
    assert system_of(report, "timid").scores["human"].compared == 47


def test_a_score_that_is_computed_and_read_from_a_file_is_refused(
    report_of: Callable[..., ReportData], example_rows: Rows
) -> None:
    rows = [MetricsRow("1", "timid", "peer", MetricsDict(exact_copies=1.0))]
    with pytest.raises(UsageError, match=r"'exact_copies' is in .*, and a metric of this run returns it too"):
        report_of(example_rows, ["quality-estimation"], rows=rows)


def test_outputs_that_are_missing_are_told_and_compared_where_both_are(
    report_of: Callable[..., ReportData], example_rows: Rows
) -> None:
    rows = [row for row in example_rows if not (row["summarizer_id"] == "timid" and int(row["instance_id"]) > 40)]
    report = report_of(rows, ["sari"], resampling=RESAMPLING)
    timid = system_of(report, "timid")
    assert timid.texts[40:] == [None] * 8
    assert timid.values["sari"][40:] == [None] * 8
    assert timid.scores["sari"].p is not None
    assert report.notes == [
        "Systems with outputs for fewer than 48 sentences, scored on these sentences only: timid 40.",
        "Systems are compared with careful on the sentences that both have outputs for: timid 40.",
    ]
    assert {cell.compared for cell in timid.scores.values()} == {40}
    assert {cell.compared for cell in system_of(report, "clumsy").scores.values()} == {48}


def easy_and_hard(systems: dict[str, str], easy: range) -> Rows:
    """Sixty sentences, easy ones with the reference "a b" and hard ones with "c d"; a system has one output for all."""
    return [
        {
            "instance_id": str(number),
            "summarizer_id": name,
            "source": "a b c d e",
            "summary": output,
            "references": ["a b" if number in easy else "c d"],
        }
        for name, output in systems.items()
        for number in range(60)
    ]


def test_a_sign_says_what_is_so_on_the_sentences_that_both_systems_have(report_of: Callable[..., ReportData]) -> None:
    """The second system has outputs for easy sentences only: it is the better on average, and the worse on those."""
    rows = easy_and_hard({"all": "a b", "some": "a b e"}, range(20))
    rows = [row for row in rows if row["summarizer_id"] == "all" or int(row["instance_id"]) < 20]
    report = report_of(rows, ["token-f1", "quality-estimation"], resampling=RESAMPLING)
    first, second = system_of(report, "all").scores["token-f1"], system_of(report, "some").scores["token-f1"]
    assert second.value is not None
    assert first.value is not None
    assert second.value > first.value
    assert second.difference == pytest.approx(80 - 100)  # two of three words are right, and all that are asked for
    assert second.compared == 20
    html = page(report)
    assert "significantly lower than all on the 20 sentences of both (p = " in html


def test_a_difference_is_that_of_the_two_scores_where_both_have_all_outputs(report: ReportData) -> None:
    careful = system_of(report, "careful").scores
    checked = 0
    for name in ("timid", "clumsy", "source copied", "one reference"):
        for score, cell in system_of(report, name).scores.items():
            first = careful[score].value
            assert cell.value is not None
            assert first is not None
            if name == "one reference" and score.partition("_")[0] in ("sari", "bleu"):
                assert (cell.difference, cell.p_holm) == (None, None), "it is scored against fewer references"
            else:
                assert cell.difference == pytest.approx(cell.value - first, abs=1e-9)
                checked += 1
    assert checked == 3 * len(report.scores) + 7  # the features use no references


def test_one_sentence_is_told_to_have_no_interval(report_of: Callable[..., ReportData], example_rows: Rows) -> None:
    rows = [row for row in example_rows if row["instance_id"] == "1"]
    told = "Systems with one output, whose intervals and tests are meaningless: careful, timid, clumsy."
    assert told in report_of(rows, ["sari"], resampling=RESAMPLING).notes
    assert told not in report_of(rows, ["sari"]).notes


def test_scores_that_resamples_have_not_are_told(report_of: Callable[..., ReportData], example_rows: Rows) -> None:
    rated = [1.5, *[None] * 47]
    rows = [MetricsRow(str(place), "timid", "peer", MetricsDict(human=one)) for place, one in enumerate(rated, 1)]
    report = report_of(example_rows, ["quality-estimation"], rows=rows, resampling=RESAMPLING)
    share = (47 / 48) ** 48  # of the resamples do not draw the one output that is rated
    (told,) = [note for note in report.notes if note.startswith("Largest number of resamples with an undefined score")]
    assert int(told.rsplit(" ", 1)[1].rstrip(".")) == pytest.approx(200 * share, abs=30)


def test_a_name_does_not_turn_the_words_around_it_round(
    report_of: Callable[..., ReportData], example_rows: Rows
) -> None:
    hostile = "\u202eevil"
    rows = [dict(row, summarizer_id=hostile) for row in example_rows if row["summarizer_id"] == "timid"]
    rows += [row for row in example_rows if row["summarizer_id"] == "careful"][:40]
    html = page(report_of(rows, ["sari"], resampling=RESAMPLING))
    assert f"higher or lower than \u2068{hostile}\u2069 (p " in html
    assert f"are compared with \u2068{hostile}\u2069 on" in html
    assert f"lower than {hostile}" not in html


def test_a_system_called_as_a_baseline_keeps_its_name(report_of: Callable[..., ReportData], example_rows: Rows) -> None:
    rows = [dict(row, summarizer_id="source copied") for row in example_rows if row["summarizer_id"] == "timid"]
    report = report_of(rows, ["sari"])
    assert [system.name for system in report.systems][:2] == ["source copied", "source copied (baseline)"]


def test_too_few_trials_for_anything_to_be_significant_are_told(report_of: Callable[..., ReportData]) -> None:
    rows = easy_and_hard({f"S{number}": "a b " + "e " * number for number in range(5)}, range(30))
    found = report_of(rows, ["token-f1", "quality-estimation"], resampling=Resampling(resamples=79))
    told = f"4 comparisons with 79 {CANNOT_BE_SIGNIFICANT} 0.05; use --resamples 80 or more."
    assert told in found.notes
    assert "(p = " not in page(found).split('<tbody class="baselines">')[0]
    enough = report_of(rows, ["token-f1", "quality-estimation"], resampling=Resampling(resamples=80))
    assert not [note for note in enough.notes if "trials" in note]
    assert "(p = " in page(enough).split('<tbody class="baselines">')[0]


def test_too_few_trials_for_the_baselines_are_told_where_there_is_something_to_mark(
    report_of: Callable[..., ReportData], example_rows: Rows
) -> None:
    told = f"Baselines: 3 comparisons with 40 {CANNOT_BE_SIGNIFICANT} 0.05; use --resamples 60 or more."
    assert told in report_of(example_rows, ["quality-estimation"], resampling=Resampling(resamples=40)).notes
    assert told not in report_of(example_rows, ["quality-estimation"], resampling=Resampling(resamples=60)).notes
    alone = [row for row in example_rows if row["summarizer_id"] == "timid"]
    assert report_of(alone, ["quality-estimation"], resampling=Resampling(resamples=40)).notes == []


def test_scores_of_files_take_after_the_metric_of_their_signature(
    report_of: Callable[..., ReportData], example_rows: Rows
) -> None:
    scores = MetricsDict({"cased": 40.0, "cased_num_edits": 4, "terrible": 1.0, "x": 2.0, "rouge-1_f1": 3.0, "hf_a": 1})
    rows = [MetricsRow(one["instance_id"], one["summarizer_id"], "peer", scores) for one in example_rows]
    signatures = {"cased": "ter|case:mixed|fw:0", "x": "no-such-metric|fw:9", "rouge": "rouge|fw:0", "hf": "sari|"}
    report = report_of(example_rows, ["quality-estimation"], rows=rows, row_signatures=signatures)
    assert {one.name: (one.metric, one.main, one.better) for one in report.scores[:6]} == {
        "cased": ("cased", True, "lower"),
        "cased_num_edits": ("cased", False, None),
        "terrible": ("terrible", True, None),
        "x": ("x", True, None),
        "rouge-1_f1": ("rouge-1_f1", True, None),
        "hf_a": ("hf_a", True, None),  # no score is called hf, of which it could be a component
    }


def test_more_outputs_than_a_page_lists_need_a_choice(report_of: Callable[..., ReportData], example_rows: Rows) -> None:
    metrics = ["sari", "quality-estimation:splitter=none,lexical_complexity=false"]
    with pytest.raises(UsageError, match=r"at most 100 outputs, got 144 of 48 sentences; list some .* --worst 33 or"):
        report_of(example_rows, metrics, selection=Selection(most=100))
    report = report_of(example_rows, metrics, selection=Selection(worst=33, most=100))
    assert len(report.as_json()["sentences"]) == 33
    assert len(report.as_json()["systems"][0]["values"]["sari"]) == 33
    with pytest.raises(UsageError, match="the worst outputs are unknown"):
        report_of(example_rows, metrics[1:], selection=Selection(worst=3))
