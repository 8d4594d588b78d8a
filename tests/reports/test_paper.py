"""The file of ``--paper``: every clause follows from the run, and the words are those that a reader sees."""

from __future__ import annotations

import json
import math
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from messages import EXACT_TEST

import metrics_framework as fw
from metrics_framework.commands.app import main
from metrics_framework.common.errors import UnknownNameError
from metrics_framework.reports.paper import START
from metrics_framework.version import __version__

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")  # of few systems and inputs
DATA = Path(__file__).resolve().parents[2] / "datasets" / "simplification"
OUTPUTS = str(DATA / "outputs.jsonl")
RATINGS = str(DATA / "ratings.csv")
PEARSON = "Pearson's r"
SARI = "SARI (Xu et al., 2016; EASSE variant, 13a tokens, lower-cased, deletion F1)"
SIGNATURE = "sari|variant:easse|tok:13a|case:lc|deletion:f1|refs:3"
CITED = {
    "xu-etal-2016-optimizing": "Xu et al., 2016",
    "papineni-etal-2002-bleu,post-2018-call": "Papineni et al., 2002; Post, 2018",
    "snover-etal-2006-study": "Snover et al., 2006",
    "alva-manchego-etal-2020-asset": "Alva-Manchego et al., 2020",
    "holm-1979-simple": "Holm (1979)",
    "benjamini-hochberg-1995-controlling": "Benjamini and Hochberg (1995)",
    "mcnemar-1947-note": "McNemar, 1947",
    "tango-1998-equivalence": "Tango, 1998",
    "hall-1992-removal": "Hall, 1992",
    "waudby-smith-ramdas-2024-estimating": "Waudby-Smith and Ramdas, 2024",
}
COMMANDS = {r"\allowbreak{}": "", "$-$": "-", "--": "–", r"$\alpha$": "α", r"$\tau$": "τ", r"$\rho$": "ρ"}


def text_of(paper: str) -> str:
    """Returns the paragraph as a reader sees it."""
    written = paper.split("\n\n")[2]
    written = re.sub(r"\\cite(?:alp|t)\{(.*?)\}", lambda found: CITED[found[1]], written)
    written = re.sub(r"\\nocite\{.*?\}", "", written)
    for command, shown in COMMANDS.items():
        written = written.replace(command, shown)
    written = re.sub(r"\\(?:TODO|texttt)\{((?:[^{}]|\{\})*)\}", r"\1", written)
    return re.sub(r"\\([%&_#$])", r"\1", written)


def tables_of(paper: str) -> list[list[str]]:
    """Returns the rows of each table, without the lines around them."""
    bodies = re.findall(r"\\toprule\n(.*?)\n\\bottomrule", paper, re.DOTALL)
    return [[row for row in body.splitlines() if row != r"\midrule"] for body in bodies]


def check(paper: str) -> None:
    """Checks that TeX can read the file: balanced braces, escaped characters, every citation once in the BibTeX."""
    tex, _, bibtex = paper.partition("\\endinput\n")
    assert tex.startswith(START)
    lines = tex.splitlines()[1:]
    bare = re.sub(r"\\[%&_#${}]", "", "\n".join(lines))
    assert bare.count("{") == bare.count("}")
    assert bare.count("$") % 2 == 0
    keys = re.findall(r"\\(?:citealp|citet|nocite)\{(.*?)\}", bare)
    bare = re.sub(r"\\(?:citealp|citet|nocite|label|providecommand)\{.*", "", bare)
    assert not re.search(r"[%_]|(?<!\[TODO: )#", bare)
    rows = [line for line in tex.replace(r"\&", "").splitlines() if "&" in line]
    assert all(row.count("&") <= 4 and row.endswith(r"\\") for row in rows)
    cited = [key for of_one in keys for key in of_one.split(",")]
    assert sorted(re.findall(r"^@\w+\{(.*),$", bibtex, re.MULTILINE)) == sorted({*cited})


def evaluated(metrics: Any = "sari", test_set: str = "", scores: Any = (), **options: Any) -> str:
    paper = fw.evaluate(metrics, files=OUTPUTS, **options).paper(test_set, scores)
    check(paper)
    return paper


def compared(metrics: Any = "sari", test_set: str = "", **options: Any) -> str:
    paper = fw.compare(metrics, files=OUTPUTS, ci="percentile", **options).paper(test_set)
    check(paper)
    return paper


# ---- the worked examples ---------------------------------------------------------------------------------------------


def test_example_of_evaluate() -> None:
    assert text_of(evaluated(confidence={"method": "studentized", "seed": 0}, where={"summarizer_id": "careful"})) == (
        f"We report {SARI} against 3 references on 48 inputs, with 95 % studentized bootstrap intervals over inputs "
        f"(1,000 resamples, seed 0), by fw {__version__} "
        f"(signature: {SIGNATURE}|bs:1000|seed:0|ci:studentized|fw:{__version__}). "
        "The data are name and citation of the data. Only rows with summarizer_id=careful are used."
    )


def test_example_of_compare() -> None:
    test = (
        "Differences were tested for all 3 pairs with a paired randomization test (1,000 trials, seed 0), which "
        "speaks of other inputs for these systems; p-values are corrected by Holm (1979) for the tests of each score."
    )
    assert test in text_of(compared())
    assert "careful outperforms clumsy by 8.69 SARI [5.91, 11.79], p = .0030." in text_of(compared())


def test_example_of_gate() -> None:
    outcomes = [1] * 30 + [0] * 45 + [1] * 425, [0] * 30 + [1] * 45 + [1] * 425
    paper = fw.gate(*outcomes, "exact_match", margin=0.08).paper("toy_sums")
    check(paper)
    assert text_of(paper).endswith(
        "Differences were tested one-sided at α = 0.05 by McNemar's test and Tango's score test (McNemar, 1947; Tango, "
        "1998). exact_match is no worse by 0.08: the observed change is -0.030 [-0.059, -0.002], 500 examples."
    )
    (rows,) = tables_of(paper)
    assert rows[1] == r"exact\_match & 0.940 & 0.910 & $-$0.030 [$-$0.059, $-$0.002] & no worse by 0.08 \\"


@pytest.mark.parametrize(("unpaired", "how"), [("drop", "are left out"), ("worst", "have the worst score")])
def test_the_paper_of_a_gate_states_failures_and_flips(unpaired: str, how: str) -> None:
    new, old = [1.0, 1, 0.5, 0.75, None, 1], [1.0, 0, 0.5, 1, 1, 1]
    found = fw.gate(new, old, margin=0.9, score_range=(0, 1), unpaired=unpaired, seed=3)
    paper = found.paper()
    check(paper)
    assert f"Inputs that lack score {how}: 1 only in old." in text_of(paper)
    assert "signs are flipped in at most 10,000 ways, seed 3" in text_of(paper)
    assert type(found.needed) is not np.int64


def test_equal_differences_are_tested_by_bets() -> None:
    paper = fw.gate([0.5] * 8, [0.25] * 8, margin=0.5, score_range=(0, 1)).paper()
    assert "by betting on equal differences (Waudby-Smith and Ramdas, 2024)" in text_of(paper)


@pytest.mark.slow
def test_example_of_correlate(shared_path: Callable[[str], Path]) -> None:
    folder = shared_path("data/simplicity_da")
    references = [str(shared_path(f"data/asset/asset.test.simp.{number}")) for number in range(10)]
    metrics = {"sari": "sari", "star": "sari:variant=star", "bleu": "bleu"}
    options = {"files": str(folder / "simplicity_DA.csv"), "references": references, "keep_outputs": True}
    scores = fw.evaluate(metrics, **options)
    ratings = str(folder / "simplicity_DA_ratings.csv")
    options = {"coefficients": "kendall-b", "levels": "input", "ci": "jackknife-inputs", "test": "default"}
    found = fw.correlate([scores, ratings], [*metrics], "simplicity", **options)
    paper = found.paper()
    check(paper)
    # 302 inputs = 195 + 105 with one system + 2 constant ones, as of `test_simplicity_da`.
    assert text_of(paper).endswith(
        "Agreement with human simplicity (mean of 15 of 67 raters, Krippendorff's α = 0.29) is Kendall's τ-b at the "
        "input level (195 of 302 inputs; 107 have one system or are constant), 95 % jackknife interval over inputs; "
        "metrics were compared by permuting inputs, Holm-corrected over 3 pairs."
    )


# ---- clauses, given and not given ------------------------------------------------------------------------------------

EVALUATED: list[tuple[dict[str, Any], str, str]] = [  # arguments, in the text, not in it
    ({}, "against 3 references on 48 inputs, by fw", "interval"),
    ({"confidence": True}, "with 95 % studentized bootstrap intervals over inputs (1,000 resamples, seed 0)", "bca"),
    ({"confidence": {"method": "bca", "level": 99}}, "99 % BCa bootstrap intervals over inputs (1,000", "95 %"),
    (
        {"confidence": {"method": "jackknife"}},
        "with 95 % jackknife intervals over inputs, by fw",
        "intervals over inputs (",
    ),
    (
        {"confidence": True},
        "tested between careful and 2 other systems with a paired randomization test (1,000",
        "pairs",
    ),
    ({"baseline": "timid"}, "tested between timid and 2 other systems", "careful"),
    ({"baseline": "timid"}, "p-values are corrected by Holm (1979) for the tests of each score.", "outperforms"),
    (
        {"metrics": "sari:variant=star"},
        "SARI (Xu et al., 2016; star variant, 13a tokens, case-sensitive) against",
        "EASSE",
    ),
    ({"metrics": {"mine": "sari"}}, f"We report {SARI}", "mine"),
    (
        {"metrics": ["bleu", "sari"]},
        f"smoothing, n-grams up to 4) and {SARI} against 3 references on 48",
        "exp) against",
    ),
    ({"metrics": ["bleu", "sari"]}, "(signatures: bleu|", "(signature:"),
    ({"test_set": "asset-test"}, "The data are asset-test (Alva-Manchego et al., 2020).", "name and citation"),
    ({"test_set": "my_set.jsonl"}, "The data are my_set.jsonl (citation of my_set.jsonl).", "Manchego"),
    ({"where": {"summarizer_id": "careful"}}, "Only rows with summarizer_id=careful are used.", "tested"),
]


@pytest.mark.parametrize(("arguments", "shown", "absent"), EVALUATED)
def test_clauses_of_evaluate(arguments: dict[str, Any], shown: str, absent: str) -> None:
    text = text_of(evaluated(**arguments))
    assert shown in text
    assert absent not in text


COMPARED: list[tuple[dict[str, Any], str, str]] = [
    ({"correct": "none"}, "p-values are not corrected.", "Holm"),
    ({"correct": "bh"}, "p-values are corrected by Benjamini and Hochberg (1995) for the tests of each score.", "Holm"),
    ({"baseline": "timid"}, "tested between timid and 2 other systems with", "for all"),
    ({"baseline": "timid"}, "careful outperforms timid by", "clumsy outperforms careful"),
    ({"test": "bootstrap"}, "with a paired bootstrap test (1,000 trials, seed 0)", "randomization"),
    ({"test": "paired-ar"}, "with sacreBLEU's paired approximate randomization (10,000", "a sacreBLEU"),
    ({"metrics": "ter"}, "timid outperforms clumsy by 8.02 TER [2.78, 12.75], p = .0100.", "-8.02"),
    ({"metrics": "bleu"}, "timid and careful do not differ significantly (1.85 BLEU [-4.02, 7.06], p = .5275).", "$"),
    ({"clusters": [str(n // 4) for n in range(48)]}, "over inputs in clusters (cluster) (1,000", "on 12 inputs"),
    ({"where": {"summarizer_id": "timid"}}, "on 48 inputs", "tested"),
]


@pytest.mark.parametrize(("arguments", "shown", "absent"), COMPARED)
def test_clauses_of_compare(arguments: dict[str, Any], shown: str, absent: str) -> None:
    text = text_of(compared(**arguments))
    assert shown in text
    assert absent not in text


def test_few_inputs_are_tested_exactly_and_one_pair_is_not_corrected() -> None:
    outputs = {"a": ["a b c", "a c", "b"], "b": ["a b", "a", "b"]}
    paper = fw.compare("ter", outputs, references=["a b c", "a c", "b"], ci="jackknife").paper()
    check(paper)
    said = f"Differences were tested for 1 pair with an {EXACT_TEST}, which speaks of other inputs for these systems."
    assert said in text_of(paper)


def test_many_pairs_are_counted() -> None:
    rows = [
        {"instance_id": i, "summarizer_id": f"s{s}", "quality": 10 * (s == 5) + (i * (s + 2)) % 7}
        for s in range(6)
        for i in range(12)
    ]
    paper = fw.compare(scores=rows, ci="jackknife").paper()
    check(paper)
    assert "Of 15 pairs of systems, 5 differ significantly in quality." in text_of(paper)
    assert "We report quality (what quality measures, and its citation) on 12 inputs" in text_of(paper)


F1: dict[str, Any] = {"coefficients": "f1", "good_above": 3.0, "levels": "global", "ci": "none"}
CORRELATED: list[tuple[dict[str, Any], str, str]] = [
    ({}, "is Pearson's r, Spearman's ρ and Kendall's τ-b at the input level (48 inputs)", "compared by"),
    ({}, "(mean of 4 raters, Krippendorff's α = 0.65)", "z-scores"),
    ({"aggregate": "zscore-mean"}, "(mean of z-scores of 4 raters, Krippendorff's α = ", "mean of 4"),
    ({"coefficients": "pearson", "ci": "none"}, f"is {PEARSON} at the input level (48 inputs).", "interval"),
    ({"coefficients": "pearson", "levels": "system"}, "at the system level (3 systems)", "inputs)"),
    ({"coefficients": "pearson", "levels": "global"}, "at the global level (144 outputs of 3 systems)", "inputs)"),
    ({"levels": "global", "ci": "fisher"}, "95 % interval by Fisher's transformation.", "resamples"),
    ({"ci": "bootstrap-inputs"}, "95 % percentile bootstrap interval over inputs (1,000 resamples, seed 0).", "BCa"),
    ({"ci": "bootstrap-inputs", "two_tailed": False}, "95 % one-tailed percentile bootstrap", "95 % percentile"),
    ({"test": "inputs"}, "; metrics were compared by permuting inputs.", "corrected"),
    ({"test": "bootstrap-inputs"}, "; metrics were compared by resampling inputs.", "permuting"),
    ({"test": "inputs", "ranking": "wmt"}, "by permuting inputs, one-sided, not corrected.", "Holm"),
    (
        {**F1, "threshold": 40.0},
        "The threshold of F1, from which on a metric calls outputs good, is 40, as given.",
        "ε",
    ),
    (F1, "calls outputs good, is cross-fitted over 5 folds of inputs.", "given"),
    ({**F1, "folds": 3}, "Outputs are good if simplicity is above 3.", "5 folds"),
    (
        {"coefficients": "acc-eq"},
        "of acc-eq, up to which scores of a metric are ties, is calibrated on these data.",
        "good",
    ),
    ({"coefficients": "acc-23", "epsilon": 0.5}, "are ties, is given.", "calibrated"),
    (
        {"coefficients": "kendall-like"},
        "The threshold of Kendall-like, from which on human scores differ, is 0.",
        "good",
    ),
]


@pytest.fixture(scope="module")
def scores() -> Any:
    return fw.evaluate(["sari", "bleu"], files=OUTPUTS, keep_outputs=True)


@pytest.mark.parametrize(("arguments", "shown", "absent"), CORRELATED)
def test_clauses_of_correlate(scores: Any, arguments: dict[str, Any], shown: str, absent: str) -> None:
    paper = fw.correlate([scores, RATINGS], ["sari", "bleu"], "simplicity", **arguments).paper()
    check(paper)
    agreement = text_of(paper).partition("Agreement with human simplicity")[2]
    assert shown in agreement
    assert absent not in agreement


def test_intervals_of_several_coefficients_are_named_once() -> None:
    rows = [{"instance_id": i, "summarizer_id": s, "x": s + i % 3, "y": s + i % 2} for i in range(4) for s in range(30)]
    paper = text_of(fw.correlate(rows, "x", "y", levels="system").paper())
    assert paper.endswith("at the system level (30 systems), 95 % interval by Fisher's transformation.")


def test_ratings_without_raters_leave_a_visible_gap(scores: Any) -> None:
    rows = [
        {"instance_id": row.instance_id, "summarizer_id": row.summarizer_id, "human_judgement": index % 7}
        for index, row in enumerate(scores.outputs)
    ]
    paper = fw.correlate([scores, rows], "sari", "human_judgement", levels="input", ci="none").paper("asset-test")
    check(paper)
    assert (
        r"Agreement with human\_judgement (\TODO{raters per output, and their agreement, as of fw agreement})" in paper
    )
    assert "The data are asset-test (Alva-Manchego et al., 2020)." in text_of(paper)


# ---- tables ----------------------------------------------------------------------------------------------------------


def test_scores_share_a_table_of_at_most_five_columns() -> None:
    # BLEU of timid and careful do not differ, so no BLEU is bold; SARI of careful is better than that of clumsy.
    (alone,) = tables_of(compared("sari"))
    assert alone == [
        r"system & outputs & SARI & 95 \% interval & rank \\",
        r"careful & 48 & \textbf{54.02} & [51.62, 56.37] & 1 \\",
        r"clumsy & 48 & 45.33 & [43.35, 47.15] & 2 \\",
        r"timid & 48 & 22.66 & [20.75, 24.42] & 3 \\",
    ]
    paper = compared(["sari", "bleu"])
    small, rank = r"{\footnotesize ", r"}\textsuperscript{"
    (both,) = tables_of(paper)
    assert both[0] == r"system & SARI & BLEU \\"
    assert both[1] == (
        rf"careful & \textbf{{54.02}} {small}[51.62, 56.37]{rank}1}} & 45.43 {small}[40.10, 51.11]{rank}1--2}} \\"
    )
    assert [row.partition(" ")[0] for row in both] == ["system", "careful", "clumsy", "timid"]
    bold = "; bold: significantly better than the next."
    assert rf"\caption{{SARI and BLEU on \TODO{{test set}} with 95 \% intervals; superscript: rank{bold}}}" in paper
    (untested,) = tables_of(evaluated(["sari", "bleu"]))
    assert untested[:2] == [r"system & SARI & BLEU \\", r"careful & 54.02 & 45.43 \\"]
    (tested,) = tables_of(evaluated(["sari", "ter"], baseline="timid", confidence={"method": "none"}))
    assert tested[2] == r"timid & 22.66 & \textbf{44.00} \\"  # a p-value of the baseline would be of itself
    assert tested[1].count(r"\textsuperscript{0.") == 2
    five = evaluated(["sari", "bleu", "ter", "chrf", "wer"])
    assert [len(table[0].split("&")) for table in tables_of(five)] == [5, 3]


def test_scores_with_rules_between_systems_have_a_table_each() -> None:
    tables = tables_of(compared(["sari", "ter"], ranking="separated", correct="none"))
    assert [table[0].split(" & ")[2] for table in tables] == ["SARI", "TER"]
    assert r"\midrule clumsy & 48" in tables[0][2]


def test_ranges_of_ranks_are_no_negative_numbers() -> None:
    rows = [{"instance_id": i, "summarizer_id": s, "x": -(i % n)} for i in range(9) for s, n in (("a", 2), ("b", 3))]
    (table,) = tables_of(fw.compare(scores=rows, higher_is_better="x", log=lambda _: None).paper())
    assert [row.split(" & ")[2::2] for row in table[1:]] == [["$-$0.44", r"1--2 \\"], ["$-$1.00", r"1--2 \\"]]


def test_best_is_bold_only_if_a_test_says_so() -> None:
    (untested,) = tables_of(evaluated())
    assert untested[:2] == [r"system & outputs & SARI \\", r"careful & 48 & 54.02 \\"]
    (tested,) = tables_of(evaluated(confidence=True))
    assert tested[:3] == [
        r"system & outputs & SARI & 95 \% interval & p \\",
        r"careful & 48 & \textbf{54.02} & [51.48, 56.35] & baseline \\",
        r"timid & 48 & 22.66 & [20.75, 24.58] & 0.0020 \\",
    ]
    (against_the_last,) = tables_of(evaluated(baseline="timid"))  # which says nothing of careful and clumsy
    assert "textbf" not in "".join(against_the_last)


def test_best_metric_is_bold_only_if_it_beats_the_next(scores: Any) -> None:
    options = {"levels": "input", "ci": "none", "test": "inputs"}
    (tied,) = tables_of(fw.correlate([scores, RATINGS], ["sari", "bleu"], "simplicity", **options).paper())
    assert tied[0] == r"metric & Pearson r & Spearman $\rho$ & Kendall $\tau$-b \\"
    assert "textbf" not in "".join(tied)
    rows = [
        {"instance_id": i, "summarizer_id": s, "good_1": h, "ter": h, "human": h}
        for i in range(30)
        for s, h in zip("abcd", (i % 5, 9 + i % 3, 17 - i % 4, 20 + i % 7), strict=True)
    ]
    paper = fw.correlate(rows, ["good_1", "ter"], "human", **options).paper()
    check(paper)
    assert tables_of(paper)[0][1:] == [
        r"good\_1 & \textbf{1.000} & \textbf{1.000} & \textbf{1.000} \\",
        r"-ter & $-$1.000 & $-$1.000 & $-$1.000 \\",
    ]


def test_more_coefficients_than_columns_are_several_tables(scores: Any) -> None:
    coefficients = ["pearson", "spearman", "kendall-a", "kendall-b", "kendall-c"]
    options = {"levels": "input", "ci": "none", "coefficients": coefficients}
    paper = fw.correlate([scores, RATINGS], "sari", "simplicity", **options).paper()
    check(paper)
    assert [len(table[0].split("&")) for table in tables_of(paper)] == [5, 2]
    assert len({*re.findall(r"\\label\{(.*)\}", paper)}) == 2


def test_chosen_scores_are_in_the_table() -> None:
    assert [rows[0] for rows in tables_of(evaluated(scores=["sari_add", "sari"]))] == [r"system & sari\_add & SARI \\"]
    with pytest.raises(UnknownNameError, match="sari_ad"):
        evaluated(scores=["sari_ad"])


def test_a_citation_without_an_author_is_a_visible_gap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(fw.load("ter")), "citation", "@misc{t, title = {TER}}")
    paper = fw.evaluate("ter", {"a": ["a cat"]}, references=["a dog"]).paper()
    assert r"\TODO{citation of ter, whose BibTeX has no author}" in paper


def test_undefined_scores_are_counted_and_never_best() -> None:
    rows = [
        {"instance_id": i, "summarizer_id": s, "quality": math.nan if s == "b" else i + 5 * (s == "c")}
        for i in range(9)
        for s in "abc"
    ]
    paper = fw.compare(scores=rows, higher_is_better="quality", ci="jackknife").paper()
    check(paper)
    assert "quality is undefined for 9 outputs, which means leave out." in text_of(paper)
    (table,) = tables_of(paper)
    assert table[-1].startswith("b & 0/9 & undefined & -- & --")
    assert r"c & 9 & \textbf{9.00}" in table[1]
    assert "nan" not in paper


def test_constant_scores_have_no_agreement(scores: Any) -> None:
    rows = [{"instance_id": i, "summarizer_id": s, "m": 1, "human": i + ord(s)} for i in range(9) for s in "abc"]
    paper = fw.correlate(rows, "m", "human", levels="input", test="inputs").paper()
    check(paper)
    assert "(0 of 9 inputs; 9 are constant)" in text_of(paper)
    assert tables_of(paper)[0][1:] == [r"m & -- & -- & -- \\"]


def test_names_are_escaped() -> None:
    outputs = {"50%_a&b": ["a b"] * 3, "$x^{2}#~\\": ["a c"] * 3, "[c]": ["d"] * 3}
    for found in (
        fw.evaluate("ter", outputs, references=["a b"] * 3),
        fw.compare("ter", outputs, references=["a b"] * 3),
    ):
        paper = found.paper("my_set & 5 %")
        check(paper)
        assert r"50\%\_a\&b" in paper
        assert r"The data are my\_set \& 5 \% (\TODO{citation of my\_set \& 5 \%})." in paper


def test_what_differs_between_sets_is_said_once_in_their_order() -> None:
    rows = [
        {"instance_id": i, "summarizer_id": s, "test_set": t, "summary": f"a {s}", "references": ["a x"] * n}
        for t, n in (("asset", 2), ("own", 1))
        for i in range(3)
        for s in "xy"
    ]
    paper = fw.evaluate("ter", rows, by="test_set").paper()
    check(paper)
    text = text_of(paper)
    assert "against 2 and 1 references on 3 and 3 inputs" in text
    assert "(signature: ter|case:lc|norm:no|punct:yes|asian:no|refs:2/1|fw:" in text
    assert "The data are asset (Alva-Manchego et al., 2020) and own (citation of own)." in text
    assert "Only rows" not in text
    assert re.findall(r"\\caption\{(.*)\}", paper) == ["TER on asset and own."]
    (rows,) = tables_of(paper)
    assert rows[0] == r"system & outputs & TER \\"
    groups = [r"\multicolumn{3}{l}{\emph{asset}} \\", r"\midrule \multicolumn{3}{l}{\emph{own}} \\"]
    assert [rows[1], rows[4]] == groups


def test_tests_of_sets_that_differ_are_stated_for_each() -> None:
    rows = [
        {"instance_id": i, "summarizer_id": s, "test_set": t, "summary": f"a {s} {i % 2}", "references": ["a x 0"]}
        for t, n, systems in (("few", 3, "xy"), ("many", 40, "xyz"))
        for i in range(n)
        for s in systems
    ]
    paper = fw.compare("ter", rows, by="test_set", ci="jackknife").paper()
    check(paper)
    text = text_of(paper)
    assert "On few: Differences were tested for 1 pair with an exact" in text
    assert "On many: Differences were tested for all 3 pairs with a paired randomization test (1,000" in text
    assert text.count("On few: ") == text.count("On many: ") == 2


@pytest.mark.parametrize("function", [fw.evaluate, fw.compare])
def test_methods_of_sets_are_stated_once_if_only_the_data_differ(function: Any) -> None:
    rows = [
        {"instance_id": i, "summarizer_id": s, "test_set": t, "summary": f"a {s}", "references": ["a x"]}
        for t, n in (("asset", 3), ("own", 4))
        for i in range(n)
        for s in "xy"
    ]
    paper = function("ter", rows, by="test_set").paper()
    check(paper)
    text = text_of(paper)
    assert text.count("We report") == 1
    assert text.count("Differences were tested") == (function is fw.compare)
    assert "against 1 reference on 3 and 4 inputs" in text
    assert "The data are asset (Alva-Manchego et al., 2020) and own (citation of own)." in text
    assert re.findall(r"\\caption\{(\S+ on \w+)", paper) == ["TER on asset"]
    assert r"TER on asset and own" in paper
    if function is fw.compare:
        assert "On asset: x " in text
        assert "On own: x " in text


def test_metrics_without_a_table_are_not_reported() -> None:
    paper = evaluated(["sari", "ter"], scores=["sari"])
    assert SARI in text_of(paper)
    assert "snover" not in paper
    assert "TER" not in text_of(paper)


# ---- the commands ----------------------------------------------------------------------------------------------------


def test_commands_write_what_python_returns(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "paper.tex"
    assert main(["evaluate", "-m", "sari", "--input-files", OUTPUTS, "--paper", str(path)]) == 0
    assert path.read_text() == evaluated()
    assert f"fw: wrote the paper to {path}" in capsys.readouterr().err
    # replaces the earlier one
    assert main(["compare", "-m", "sari", "--input-files", OUTPUTS, "--ci", "percentile", "--paper", str(path)]) == 0
    assert path.read_text() == compared()
    scores = str(tmp_path / "scores.jsonl")
    assert main(["score", scores, "-m", "sari", "-m", "bleu", "--input-files", OUTPUTS]) == 0
    words = ["--metric", "sari", "--human", "simplicity", "--level", "input", "--ci", "none"]
    assert main(["correlate", scores, RATINGS, *words, "--paper", str(path)]) == 0
    options = {"levels": "input", "ci": "none"}
    assert path.read_text() == fw.correlate([scores, RATINGS], "sari", "simplicity", **options).paper()


def test_standard_output_has_the_paper_alone(capsys: Any) -> None:
    assert main(["evaluate", "-m", "sari", "--input-files", OUTPUTS, "--paper", "-"]) == 0
    found = capsys.readouterr()
    assert found.out == evaluated()
    assert "careful" in found.err


@pytest.mark.parametrize("command", ["evaluate", "compare"])
def test_other_files_are_not_overwritten(tmp_path: Path, capsys: Any, command: str) -> None:
    own = tmp_path / "own.tex"
    own.write_text(r"\section{Introduction}")
    words = [command, "-m", "sari", "--input-files", OUTPUTS, "--paper"]
    assert main([*words, str(own)]) == 2
    assert own.read_text() == r"\section{Introduction}"
    capsys.readouterr()
    assert main([*words, "paper.md"]) == 2
    assert "expected a .tex file for --paper, got 'paper.md'" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["evaluate", "compare"])
def test_an_edited_paper_is_not_overwritten(tmp_path: Path, capsys: Any, command: str) -> None:
    path = tmp_path / "paper.tex"
    words = [command, "-m", "sari", "--input-files", OUTPUTS, "--paper", str(path)]
    assert main(words) == main(words) == 0
    written = path.read_text()
    for edited in (written.replace(r"\TODO{test set}", "ASSET"), written + "% mine\n", written.partition("% SHA")[0]):
        path.write_text(edited)
        capsys.readouterr()
        assert main(words) == 2
        assert path.read_text() == edited
        assert f"'{path}' was edited after fw wrote it" in capsys.readouterr().err
    assert main([*words, "--force"]) == 0
    assert path.read_text() == written


def test_a_test_set_of_the_command_line_is_named(tmp_path: Path) -> None:
    path, test_set = tmp_path / "paper.tex", tmp_path / "set.jsonl"
    rows = [{"instance_id": i, "source": "a", "references": ["a b"]} for i in range(48)]
    test_set.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    for command in ("evaluate", "compare"):
        words = [command, "-m", "sari", "--dataset", str(test_set), "--outputs", str(DATA / "careful.txt")]
        assert main([*words, str(DATA / "timid.txt"), "--paper", str(path)]) == 0
        assert f"The data are {test_set} (citation of {test_set})." in text_of(path.read_text())


def test_cite_writes_the_entries_of_a_paper(tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("paper.tex").write_text(compared(), encoding="utf-8")
    entries = compared().partition("\\endinput")[2].partition("\n\n")[2].partition("\n\n%")[0].strip()
    words = ["cite", "paper.tex", "-o", "refs.bib"]
    assert main(words) == main(words) == 0
    assert capsys.readouterr() == ("", "fw: wrote the entries to refs.bib\n" * 2)
    assert {*re.findall("^@.*", Path("refs.bib").read_text(), re.MULTILINE)} == {*re.findall("(?m)^@.*", entries)}
    Path("refs.bib").write_text(Path("refs.bib").read_text() + "@misc{mine}\n")
    Path("own.bib").write_text("@misc{mine}\n")
    Path("own.tex").write_text("x")
    for refused, told in (
        (words, "'refs.bib' was edited"),
        (["cite", "ter", "-o", "own.bib"], "'own.bib' exists"),
        (["cite", "ter", "-o", "refs.txt"], "expected a .bib file"),
        (["cite", "own.tex"], "is no file of --paper"),
    ):
        assert main(refused) in (1, 2)
        assert told in capsys.readouterr().err
    assert main([*words, "ter", "--force"]) == 0
    assert "snover-etal-2006-study" in Path("refs.bib").read_text()


@pytest.mark.skipif(None in map(shutil.which, ("pdflatex", "bibtex")), reason="needs pdflatex and bibtex")
def test_tex_and_bibtex_read_the_file_with_the_packages_it_names(tmp_path: Path) -> None:
    rows = [{**json.loads(line), "test_set": t} for t in "ab" for line in Path(OUTPUTS).read_text().splitlines()]
    paper = fw.compare(["sari", "bleu"], rows, by="test_set", ci="none").paper()
    (tmp_path / "paper.tex").write_text(paper, encoding="utf-8")
    shutil.copy(Path(fw.__file__).with_name("citations.bib"), tmp_path / "refs.bib")
    named = re.split(", | and ", paper.partition("\n")[0].partition("packages ")[2])
    packages = r"\documentclass{article}" + "".join(rf"\usepackage{{{name}}}" for name in named)
    cited = r"\nocite{*}\bibliographystyle{plainnat}\bibliography{refs}"
    (tmp_path / "main.tex").write_text(rf"{packages}\begin{{document}}\input{{paper}}{cited}\end{{document}}")
    tex = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "main.tex"]
    for words in (tex, ["bibtex", "main"], tex, tex):
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, encoding="utf-8", errors="replace")
        assert done.returncode == 0, done.stdout[-2000:]
