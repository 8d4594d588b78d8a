"""Tables of correlations in every format, and the LaTeX table of metrics and tasks."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest
from correlated_rows import correlate
from messages import SIGNED_AS_COMPUTED

import metrics_framework as fw
from metrics_framework.api.analysis_results import CorrelationResult
from metrics_framework.commands.app import main
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.scored_output import MetricsRow
from metrics_framework.meta_evaluation.correlate.study import CorrelationStudy

LEVELS = "input,system,global"


def result(metric="m_1", **options):
    values = [(0, "a", 1, 1), (0, "b", 2, 3), (0, "c", 3, 2), (1, "a", 1, 1), (2, "a", 4, 4), (2, "b", 4, 5)]
    rows = [MetricsRow(str(i), s, "peer", MetricsDict({metric: m, "h": h})) for i, s, m, h in values]
    rows.append(MetricsRow("2", "R", "reference", MetricsDict({metric: 1})))
    return correlate(rows, metric, "h", **{"ci": "none", "levels": LEVELS, **options})


def correlation_table(results, format="table"):
    return CorrelationResult(CorrelationStudy(results, results[0].request), []).table(format) + "\n"


PLAIN = f"""\
Only metric for h: m_1 (Pearson r 0.500, input level, 1 input). Mind: there are only 3 systems;
there are only 3 inputs; 25 % of pairs are tied in m_1.

metric  against  level   n          Pearson r  Spearman ρ  Kendall τ-b
──────  ───────  ──────  ─────────  ─────────  ──────────  ───────────
m_1     h        input   1 input    0.500      0.500       0.333
                 system  3 systems  0.500      0.500       0.500
                 global  6 outputs  0.889      0.925       0.815

data: 6 outputs of 3 systems (peers) on 3 inputs; left out: 1 not of type peer
input level: 1 input used (1 of 3 systems); skipped: 1 with one system, 1 constant in a metric
ties: input 1 in m_1, 0 in h, 0 in both, of 4 pairs; system 1 in m_1, 1 in h, 0 in both, of 3 pairs; \
global 2 in m_1, 1 in h, 1 in both, of 15 pairs (τ-b corrects for them)
intervals: none
sign: {SIGNED_AS_COMPUTED}
"""


def test_plain_table() -> None:
    # By hand: system means m (2, 3, 3) and h (2, 4, 2), so r = ρ = τ = 1/2 there; input 0 has r = ρ = 1/2, τ = 1/3;
    # global r = 10 / √(19/2 · 40/3), τ = (12 − 1) / √(13 · 14).
    assert correlation_table([result()]) == PLAIN


def test_markdown_cells_are_escaped() -> None:
    lines = correlation_table([result("m|1")], "markdown").splitlines()
    assert lines[0].startswith("Only metric for h: m\\|1 (")
    assert lines[2].startswith("| metric | against |")
    assert set(lines[3]) == {"|", "-", " "}
    assert lines[4].startswith("| m\\|1")
    assert lines[8].startswith("- data: ")


def test_latex_is_escaped_and_remarks_are_comments() -> None:
    lines = correlation_table([result("a_1%")], "latex").splitlines()
    assert lines[0].startswith("% Only metric for h: a_1% (")
    assert lines[2:4] == [r"\begin{tabular}{lllllll}", r"\toprule"]
    assert lines[6].startswith(r"a\_1\% & h & input & 1 input & 0.500")
    end = lines.index(r"\end{tabular}")
    assert all(line.startswith("% ") for line in lines[end + 1 :])


def test_csv_has_full_numbers_and_empty_cells_where_undefined() -> None:
    lines = correlation_table([result(levels=["input", "global"])], "csv").splitlines()
    assert lines[0] == "metric1,metric2,summarizer_type,level,n,coefficient,value,lower,upper,p_value"
    assert lines[1].startswith("m_1,h,peer,input,1,pearson,0.5")
    assert lines[1].endswith(",,,")
    assert len(lines) == 1 + 2 * 3


def test_undefined_values_say_so() -> None:
    rows = [MetricsRow("1", "a", "peer", MetricsDict({"m": 1, "h": 2}))]
    text = correlation_table([correlate(rows, "m", "h", ci="bootstrap-both", resamples=3, levels=LEVELS)])
    assert text.count("undefined") >= 9
    assert "undefined resamples, skipped: 3 at the input level, 3 at the system level, 3 at the global" in text


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"ci": "fisher", "confidence": 90}, "intervals: 90 % two-tailed, Fisher's transformation"),
        (
            {"ci": "bootstrap-inputs", "two_tailed": False, "resamples": 9, "seed": 2},
            "intervals: 95 % one-tailed, percentile bootstrap over inputs, 9 resamples, seed 2",
        ),
    ],
)
def test_intervals_are_described(options: dict[str, Any], expected: str) -> None:
    assert expected in correlation_table([result(**options)]).splitlines()


def test_several_metrics_share_a_table_and_name_their_remarks() -> None:
    text = correlation_table([result("m"), result("n")])
    assert text.count("metric  against") == 1
    assert text.count("data: 6 outputs") == 1
    assert "\nm: ties" in text
    assert "\nn: ties" in text
    assert text.count("intervals: none") == 1


def rows(data_sets: str = "ab") -> list[dict[str, Any]]:
    draw = random.Random(4)
    table = []
    for name in data_sets:
        for index in range(20):
            for system in range(4):
                quality = draw.gauss(0, 1)
                scores = {"human": quality, "fluency": quality + draw.gauss(0, 1), "noise_1": draw.gauss(0, 1)}
                scores |= {"ter": draw.gauss(0, 0.3) - quality, "good": quality + draw.gauss(0, 0.3)}
                table.append({"instance_id": index, "summarizer_id": f"s{system}", "lp": f"{name}&x", **scores})
    return table


def study(**options: Any) -> fw.CorrelationResult:
    metrics, base = ["noise_1", "ter", "good"], {"coefficients": ["pearson", "acc-eq"], "ci": "none", "resamples": 100}
    return fw.correlate(rows(), metrics, ["human", "fluency"], data_sets="lp", **{**base, **options})


@pytest.fixture(scope="module")
def compared() -> fw.CorrelationResult:
    return study(levels=["input", "global"], test="inputs")


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.removesuffix(r"\\").split(" & ")]


def test_the_table_has_one_column_for_each_task_and_one_row_for_each_metric(compared: Any) -> None:
    text = compared.task_table()
    lines = text.splitlines()
    assert lines[0].startswith("% Metrics and human ratings")
    assert lines[1:3] == [r"\begin{table}[t]", r"\centering"]
    assert lines[-1] == r"\end{table}"
    columns = 2 * 2 * 2 * 2 + 2  # data sets, ratings, levels, coefficients; an average for each rating
    assert rf"\begin{{tabular}}{{l{'r' * columns}}}" in lines
    rules = [lines.index(rf"\{name}rule") for name in ("top", "mid", "bottom")]
    header, body = lines[rules[0] + 1 : rules[1]], lines[rules[1] + 1 : rules[2]]
    assert [len(cells(line)) for line in [header[-1], *body]] == [columns + 1] * 4
    for line in header[:-1]:
        spans = [int(size) for size in re.findall(r"multicolumn\{(\d+)\}", line)]
        ends = [int(end) for end in re.findall(r"cmidrule\(lr\)\{\d+-(\d+)\}", line)]
        assert sum(spans) == columns - 2 or ends[-1] == columns - 1
    assert [cells(line)[0] for line in body] == ["good", "-ter", r"noise\_1"]
    assert r"a\&x" in header[0]
    assert text.count("{") == text.count("}")
    assert text.count("$") % 2 == 0


def test_the_best_is_bold_and_metrics_that_do_not_differ_have_a_dagger(compared: Any) -> None:
    body = [line for line in compared.task_table().splitlines() if line.startswith(("good", "-ter", r"noise\_1"))]
    values = {cells(line)[0]: cells(line)[1:] for line in body}
    found = next(
        one.found
        for one in compared.comparisons
        if (one.data_set, one.human, one.level, one.coefficient) == ("a&x", "human", "input", "pearson")
    )
    assert found.metrics[0] in ("good", "ter")
    for number, name in enumerate(found.metrics):
        label = {"ter": "-ter", "noise_1": r"noise\_1"}.get(name, name)
        cell = values[label][0]
        assert f"{found.values[name]:.3f}" in cell.replace("$-$", "-")
        assert (r"\textbf" in cell) == (number == 0)
        assert (r"\dagger" in cell) == (number > 0 and found.adjusted[0, number] > 0.05)
    caption = next(line for line in compared.task_table().splitlines() if line.startswith(r"\caption"))
    for part in ("two-sided p-values, corrected (Holm)", r"$\alpha$ = 0.05", "for other inputs", "lower is better"):
        assert part in caption


def test_the_caption_says_that_nothing_was_tested_or_ranks_as_wmt(compared: Any) -> None:
    data, options = rows("a"), {"coefficients": "pearson", "ci": "none"}
    untested = fw.correlate(data, ["good", "noise_1"], "human", **options).task_table()
    assert "No test was made." in untested
    assert "dagger" not in untested
    wmt = fw.correlate(data, ["good", "noise_1"], "human", test="inputs", ranking="wmt", **options).task_table()
    assert "one-sided p-values, not corrected" in wmt
    assert "multicolumn" not in wmt  # one level, rating and data set need no header


def test_undefined_values_are_dashes_and_sentinels_have_a_part_of_the_table() -> None:
    data = [
        {**row, "constant": 1, "summary": "w " * (row["instance_id"] + len(row["summarizer_id"]))} for row in rows("a")
    ]
    found = fw.correlate(data, ["good", "constant"], "human", sentinels=True, levels="global", ci="none")
    body = found.task_table().partition(r"\midrule")[2].splitlines()
    assert "constant & -- & -- & -- \\\\" in body
    assert body.index(r"\midrule") < next(i for i, line in enumerate(body) if line.startswith("sentinel-length"))


def test_the_command_writes_the_table_and_replaces_its_own(tmp_path: Any) -> None:
    scores = tmp_path / "scores.csv"
    lines = [",".join(map(str, line)) for line in (rows("a")[0], *(row.values() for row in rows("a")))]
    scores.write_text("\n".join(lines) + "\n", encoding="utf-8")
    words = [str(scores), "--metric", "good", "--metric", "ter", "--human", "human", "--ci", "none", "--silent"]
    for _ in range(2):
        assert main(["correlate", *words, "--task-table", str(tmp_path / "t.tex")]) == 0
    assert (tmp_path / "t.tex").read_text(encoding="utf-8").startswith("% Metrics and human ratings")
    assert main(["correlate", *words, "--task-table", str(tmp_path / "t.md")]) == 2


def test_the_page_leads_with_the_answers_and_a_matrix_for_each_level(compared: Any) -> None:
    page = compared.page()
    answers, matrices, folds = (page.index(part) for part in ('class="answers"', 'id="metrics"', "<details>"))
    assert answers < matrices < folds
    assert page[matrices:folds].count("<figure>") == 3  # averages, two levels
    assert page.count("<p>Best metric for ") == 2
    assert "::details-content { content-visibility: visible" in page  # print shows the folds
    assert '<summary><h2>Notes</h2></summary><div class="inside" id="notes">' in page
