"""Tables of correlations in every format."""

from __future__ import annotations

from typing import Any

import pytest
from correlated_rows import correlate
from messages import SIGNED_AS_COMPUTED

from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.scored_output import MetricsRow
from metrics_framework.meta_evaluation.correlate.study import Study
from metrics_framework.reports.correlation_tables import study_table

LEVELS = "input,system,global"


def result(metric="m_1", **options):
    values = [(0, "a", 1, 1), (0, "b", 2, 3), (0, "c", 3, 2), (1, "a", 1, 1), (2, "a", 4, 4), (2, "b", 4, 5)]
    rows = [MetricsRow(str(i), s, "peer", MetricsDict({metric: m, "h": h})) for i, s, m, h in values]
    rows.append(MetricsRow("2", "R", "reference", MetricsDict({metric: 1})))
    return correlate(rows, metric, "h", **{"ci": "none", "levels": LEVELS, **options})


def correlation_table(results, format="table"):
    return study_table(Study(results, results[0].request), format)


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
