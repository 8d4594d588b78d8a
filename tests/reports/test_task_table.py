"""The LaTeX table of metrics and tasks, and the matrices of the page: what is best and what does not differ."""

from __future__ import annotations

import random
import re
from typing import Any
from xml.etree import ElementTree

import pytest

import metrics_framework as fw
from metrics_framework.commands.app import main
from metrics_framework.reports.charts import BEST, TIED, WORSE, Verdict, VerdictColumn, verdict_matrix

SVG = "{http://www.w3.org/2000/svg}"


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


def test_a_matrix_marks_verdicts_in_words_shades_and_a_dagger() -> None:
    values = [Verdict("0.9", BEST, "good: 0.9, best"), Verdict("0.8", TIED), Verdict("0.1", WORSE), Verdict("")]
    chart = verdict_matrix("T", "s", ["good", "fair", "bad", "none"], [VerdictColumn("human", "r", values)])
    tree = ElementTree.fromstring(chart)
    texts = [one.text for one in tree.iter(f"{SVG}text")]
    assert texts[:2] == ["T", "s"]
    assert {"0.9", "0.8 †", "0.1", "good", "r"} <= {*texts}
    shades = [one.get("fill-opacity") for one in tree.iter(f"{SVG}rect") if one.get("class") == "cell"]
    assert shades == [None, "0.32", "0.06"]
    assert [one.get("class") for one in tree.iter(f"{SVG}rect")][-1] == "empty"
    assert "human" not in texts  # a single group has no heading
    two = verdict_matrix("T", "s", ["good"], [VerdictColumn(name, "r", [Verdict("1")]) for name in ("human", "other")])
    assert {"human", "other"} <= {one.text for one in ElementTree.fromstring(two).iter(f"{SVG}text")}
