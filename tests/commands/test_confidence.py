"""Intervals and tests of ``evaluate``: what is computed, where it is written, and what it does not depend on."""

from __future__ import annotations

import csv
import io
import json
import math
import random
from collections.abc import Callable
from pathlib import Path
from shlex import split
from typing import Any

import pytest
from json_files import read_json
from messages import (
    CANNOT_BE_SIGNIFICANT,
    DIFFERENT_INPUTS,
    EXACT_TEST,
    IS_THE_ONLY_SYSTEM,
    NOT_COMPARED,
    ONE_INPUT_ONLY,
)

from metrics_framework.metrics.base.metric import load
from metrics_framework.significance.compared_systems import bootstrap_intervals
from metrics_framework.significance.paired_tests import paired_p_values
from metrics_framework.significance.resampling import Resampling
from metrics_framework.significance.score_vectors import ScoreVectors

Run = Callable[..., Any]
PLUGIN = '''
import math
from metrics_framework import CorpusMetric, Metric, MetricsDict, ReferenceFreeMetric
from metrics_framework.metrics.base.totals import MeanTotal


@Metric.register("own")
class Own(ReferenceFreeMetric):
    """Nests its scores, gives lists, and is not defined for every output."""

    def score_multi_all(self, summaries_list):
        return [[self.scores(len(one)) for one in group] for group in summaries_list]

    def scores(self, length):
        return {"own": {"a": length / 7, "b": [length / 3, None if length % 5 else 1.0]},
                "odd": float("nan") if length % 4 else 0.1 * length}


@Metric.register("fractions")
class Fractions(CorpusMetric, ReferenceFreeMetric):
    """Adds fractions, whose sum depends on their order."""

    def statistics(self, summary):
        return [0.1 * len(summary), 1.7 ** (len(summary) % 90), 1]

    def score_statistics(self, statistics):
        return MetricsDict({"fractions": sum(statistics[:2]) / statistics[2]})


@Metric.register("rare")
class Rare(ReferenceFreeMetric):
    """Is defined for summaries that begin with a Q."""

    def score_multi_all(self, summaries_list):
        return [[{"rare": 1.0 if one[:1] == "Q" else math.nan} for one in group] for group in summaries_list]


class LargestTotal(MeanTotal):
    pass


@Metric.register("largest")
class Largest(Rare):
    """Makes the score of all outputs in a way of its own."""

    def new_total(self):
        return LargestTotal()
'''


def lines_of(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")


def macro_of(path: str = "macro.json") -> dict[str, Any]:
    found: dict[str, Any] = read_json(path)
    return found


# ---- what is computed ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "theirs"), [("bleu", "BLEU"), pytest.param("ter", "TER", marks=pytest.mark.slow), ("chrf", "CHRF")]
)
def test_the_table_has_what_sacrebleu_prints(name: str, theirs: str, plain: Run, datasets_path: Path) -> None:
    metrics = pytest.importorskip("sacrebleu.metrics")
    folder = datasets_path / "simplification"
    metric = getattr(metrics, theirs)()
    streams = [lines_of(folder / f"references.{number}.txt") for number in range(3)]
    found = plain(f"{name} evaluate --ci percentile --seed 12345 --digits 4")
    assert found.code == 0
    rows = {line.split()[0]: line for line in found.out.splitlines() if line}
    for system in ("careful", "timid", "clumsy"):
        score = metric.corpus_score(lines_of(folder / f"{system}.txt"), streams, n_bootstrap=1000)
        assert f" {score.score:.4f} ± {score._ci:.4f}" in rows[system]
    assert rows["sacrebleu"].split()[1] == str(metric.get_signature())


def test_the_macro_file_has_intervals_and_p_values(plain: Run, datasets_path: Path) -> None:
    assert plain("evaluate macro.json --metric bleu --metric sent-bleu --confidence").code == 0
    macro = macro_of()
    folder = datasets_path / "simplification"
    texts = {name: lines_of(folder / f"{name}.txt") for name in ("careful", "timid", "clumsy")}
    references_list = list(zip(*(lines_of(folder / f"references.{number}.txt") for number in range(3)), strict=True))
    ids = [str(number + 1) for number in range(len(references_list))]
    bleu, sent_bleu = load("bleu"), load("sent-bleu")
    groups = {name: bleu.statistics_multi_all([[one] for one in texts[name]], references_list) for name in texts}
    corpus = {name: ScoreVectors.of_statistics(bleu, ids, [one for (one,) in found]) for name, found in groups.items()}
    mean = {name: ScoreVectors.of_scores(ids, sent_bleu.score_all(texts[name], references_list)) for name in texts}
    for name in texts:
        of_corpus, of_mean = bootstrap_intervals([corpus[name], mean[name]])
        written = macro["intervals"]["systems"][name]
        assert written["bleu"] == list(of_corpus["bleu"].numbers[1:])
        assert written["bleu_precisions"] == [list(one.numbers[1:]) for one in of_corpus["bleu_precisions"]]
        assert written["sent-bleu"] == list(of_mean["sent-bleu"].numbers[1:])
        low, high = written["bleu"]
        assert low < macro["systems"][name]["bleu"] < high
    assert macro["intervals"].keys() == {"level", "method", "resamples", "seed", "metrics", "systems"}
    assert (macro["intervals"]["level"], macro["intervals"]["resamples"]) == (0.95, 1000)
    tested = macro["significance"]
    assert (tested["baseline"], tested["test"], tested["trials"], tested["seed"]) == (
        "careful",
        "randomization",
        1000,
        0,
    )
    pairs = [(corpus["careful"], corpus[name]) for name in ("clumsy", "timid")]
    expected = [one.p_values["bleu"] for one in paired_p_values(pairs)]
    assert [tested["systems"][name]["p_values"]["bleu"] for name in ("clumsy", "timid")] == expected
    assert {one["num_instances"] for one in tested["systems"].values()} == {len(ids)}
    least, most = sorted(expected)
    adjusted = sorted(one["p_values_holm"]["bleu"] for one in tested["systems"].values())
    assert adjusted == [min(1, 2 * least), max(most, min(1, 2 * least))]


def test_signatures_say_how_inputs_were_resampled(plain: Run) -> None:
    plain("bleu evaluate macro.json --resamples 200 --seed 7 --confidence-level 0.9")
    macro = macro_of()
    assert "|refs:3|bs:200|ar:200|seed:7|level:0.9|ci:studentized|fw:" in macro["signature"]["bleu"]
    assert "bs:" not in macro["other_signatures"]["bleu"]["sacrebleu"]  # whose intervals are of 95 %
    plain("bleu evaluate macro.json")
    assert "bs:" not in macro_of()["signature"]["bleu"]
    assert not {"intervals", "significance"} & macro_of().keys()
    plain("bleu evaluate macro.json --ci bca")  # which sacreBLEU does not have
    assert "bs:" not in macro_of()["other_signatures"]["bleu"]["sacrebleu"]


def test_scores_and_micro_rows_are_the_same_with_intervals(plain: Run) -> None:
    plain("evaluate macro.json micro.jsonl --metric sari --metric ter")
    plain("evaluate sure.json sure.jsonl --metric sari --metric ter --confidence")
    assert Path("micro.jsonl").read_bytes() == Path("sure.jsonl").read_bytes()
    assert macro_of()["systems"] == macro_of("sure.json")["systems"]


def test_one_system_is_compared_with_nothing(fw: Run, datasets_path: Path) -> None:
    folder = datasets_path / "simplification"
    words = f"--outputs {folder / 'timid.txt'} --references {folder / 'references.0.txt'}"
    found = fw(*split(f"bleu evaluate macro.json --confidence {words}"))
    assert "ar:" not in found.out
    assert "differs" not in found.out
    macro = macro_of()
    assert "significance" not in macro
    assert macro["intervals"]["metrics"] == macro["intervals"]["systems"]["timid"]
    assert f"'timid' {IS_THE_ONLY_SYSTEM}" in fw(*split(f"bleu evaluate --baseline timid {words}")).err


# ---- what it does not depend on --------------------------------------------------------------------------------------


@pytest.fixture
def rows(fw: Run, datasets_path: Path) -> list[str]:
    """The rows of the example outputs; with them a plug-in."""
    Path("plugin.py").write_text(PLUGIN, encoding="utf-8")
    return (datasets_path / "simplification" / "outputs.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)


def write(rows: list[str], path: str = "in.jsonl") -> None:
    Path(path).write_text("".join(rows), encoding="utf-8")


OWN = "--include-packages plugin.py --metric own --metric fractions:label=mine --metric sari:variant=hf --metric ter"


def test_the_order_of_the_rows_does_not_matter(fw: Run, rows: list[str]) -> None:
    words = f"evaluate macro.json --input-files in.jsonl {OWN} --confidence --baseline timid --resamples 100"
    write(rows)
    assert fw(*split(words)).code == 0
    expected = macro_of()
    write(random.Random(0).sample(rows, len(rows)))
    assert fw(*split(words)).code == 0
    for key in ("intervals", "significance"):
        assert macro_of()[key] == expected[key]
    assert {"own_a", "own_b", "odd", "mine", "sari", "ter"} <= expected["intervals"]["metrics"].keys()


def test_a_system_has_the_interval_that_it_has_alone(fw: Run, rows: list[str]) -> None:
    write(rows)
    write([one for one in rows if '"summarizer_id": "timid"' in one], "timid.jsonl")
    fw(*split("sari evaluate both.json --input-files in.jsonl --confidence"))
    fw(*split("sari evaluate alone.json --input-files timid.jsonl --confidence"))
    assert macro_of("both.json")["intervals"]["systems"]["timid"] == macro_of("alone.json")["intervals"]["metrics"]


# ---- what is missing -------------------------------------------------------------------------------------------------


def made(lengths: dict[str, dict[str, int]]) -> list[str]:
    """Rows whose summaries are of some lengths, by system and input."""
    return [
        json.dumps({"instance_id": name, "summarizer_id": system, "summary": "x" * length}) + "\n"
        for system, several in lengths.items()
        for name, length in several.items()
    ]


def evaluated(fw: Run, rows: list[str], words: str) -> Any:
    Path("plugin.py").write_text(PLUGIN, encoding="utf-8")
    write(rows)
    return fw(*split(f"evaluate macro.json --input-files in.jsonl --include-packages plugin.py {words}"))


def test_systems_are_compared_on_common_inputs_and_that_is_told(fw: Run) -> None:
    rows = made({"A": {"1": 7, "2": 9, "3": 4}, "B": {"2": 3, "3": 8, "4": 5}, "C": {"9": 1}})
    found = evaluated(fw, rows, "--metric own --confidence")
    assert f"'B' and 'A' have {DIFFERENT_INPUTS}, and are compared on the 2 inputs that both have" in found.err
    assert f"'C' and 'A' have {DIFFERENT_INPUTS}, and are {NOT_COMPARED}" in found.err
    tested = macro_of()["significance"]["systems"]
    assert tested.keys() == {"B"}
    assert tested["B"]["num_instances"] == 2
    common = [[{"a": length / 7} for length in lengths] for lengths in ((9, 4), (3, 8))]
    (expected,) = paired_p_values([tuple(ScoreVectors.of_scores(["2", "3"], one) for one in common)])
    assert tested["B"]["p_values"]["own_a"] == expected.p_values["a"]


def test_a_score_that_is_not_defined_has_a_null_in_the_file(fw: Run) -> None:
    found = evaluated(fw, made({"A": {"1": 5, "2": 6}, "B": {"1": 7, "2": 9}}), "--metric own --confidence")
    assert found.code == 0
    macro = macro_of()
    assert macro["intervals"]["systems"]["B"]["odd"] == [None, None]
    assert macro["intervals"]["systems"]["B"]["own_b"][1] == [None, None]
    assert macro["significance"]["systems"]["B"]["p_values"]["odd"] is None
    assert macro["significance"]["systems"]["B"]["p_values_holm"]["own_b"][1] is None
    assert "±" not in found.out.splitlines()[3].split()[-1]


def test_resamples_without_a_score_are_told(fw: Run) -> None:
    rows = made({"A": {str(number): number for number in range(9)}})
    rows.append(json.dumps({"instance_id": "Q", "summarizer_id": "A", "summary": "Q"}) + "\n")
    found = evaluated(fw, rows, "--metric rare --ci percentile")
    share = (9 / 10) ** 10  # of the resamples do not draw the one output that has a score
    (told,) = [line for line in found.err.splitlines() if "resamples" in line]
    count = int(told.split("up to ")[1].split()[0])
    assert count == pytest.approx(1000 * share, abs=60)
    assert "'rare' is undefined in up to" in told
    assert macro_of()["intervals"]["metrics"]["rare"] == [1.0, 1.0]


def test_an_interval_of_one_input_is_told_to_say_nothing(fw: Run) -> None:
    found = evaluated(fw, made({"A": {"1": 5}, "B": {"1": 7, "2": 9}}), "--metric own --confidence")
    assert f"'A' {ONE_INPUT_ONLY} input only; its intervals are undefined" in found.err
    assert f"'B' {ONE_INPUT_ONLY} input only" not in found.err


# ---- flags -----------------------------------------------------------------------------------------------------------


def test_the_first_system_of_the_input_is_the_baseline_or_the_one_that_is_named(fw: Run) -> None:
    rows = made({"B": {"1": 1, "2": 5}, "A": {"1": 2, "2": 3}, "C": {"1": 3, "2": 1}})
    evaluated(fw, rows, "--metric own --confidence")
    assert macro_of()["significance"]["baseline"] == "B"
    found = evaluated(fw, rows, "--metric own --baseline C")
    assert macro_of()["significance"]["baseline"] == "C"
    assert f"differs significantly from 'C' (p < 0.05, {EXACT_TEST}, Holm correction for 2 systems)" in " ".join(
        found.out.split()
    )


def test_a_metric_with_another_kind_of_sum_cannot_be_resampled(fw: Run) -> None:
    found = evaluated(fw, made({"A": {"1": 1}, "B": {"1": 2}}), "--metric own --confidence --metric largest")
    assert (found.code, found.out) == (2, "")
    assert "cannot resample 'largest'" in found.err
    assert not Path("macro.json").exists()


def test_whoever_says_how_to_resample_gets_intervals(fw: Run) -> None:
    rows = made({"A": {"1": 1}, "B": {"1": 2}})
    for words in ("--resamples 50", "--seed 3", "--confidence-level 0.9", "--baseline B", "--confidence"):
        evaluated(fw, rows, f"--metric own {words}")
        assert "intervals" in macro_of()
    evaluated(fw, rows, "--metric own --no-confidence")
    assert "intervals" not in macro_of()


# ---- forms -----------------------------------------------------------------------------------------------------------


def far_apart() -> list[str]:
    """System B is longer by one or two for each of 12 inputs, C is as long as A on average."""
    numbers = range(12)
    return made(
        {
            "A": {str(number): 10 + number for number in numbers},
            "B": {str(number): 11 + number + number % 2 for number in numbers},
            "C": {str(number): 10 + number + (1 if number % 2 else -1) for number in numbers},
        }
    )


def ends(system: str) -> str:
    lower, upper = macro_of()["intervals"]["systems"][system]["own_a"]
    return f"[{lower:.2f}, {upper:.2f}]"


def test_the_table_has_intervals_and_marks_and_says_what_they_are(fw: Run) -> None:
    found = evaluated(fw, far_apart(), "--metric own --confidence --pooled")
    lines = found.out.splitlines()
    assert lines[0].split() == ["system", "outputs", "own_a", "own_b", "own_b", "scored", "odd", "odd", "scored"]
    assert " ".join(lines[2].split()).startswith(f"A (baseline) 12 2.21 {ends('A')} ")
    assert " ".join(lines[3].split()).startswith(f"B 12 2.43 {ends('B')}* ")
    assert " ".join(lines[4].split()).startswith(f"C 12 2.21 {ends('C')} ")
    assert lines[2].index("]") == lines[3].index("]") == lines[5].index("]")
    assert lines[7] == "[ ]        95 % confidence interval (studentized, 1000 bootstrap resamples)"
    assert lines[8].startswith(f"*          differs significantly from 'A' (p < 0.05, {EXACT_TEST}, Holm")


def test_percentile_intervals_are_half_widths_as_in_sacrebleu(fw: Run) -> None:
    lines = evaluated(fw, far_apart(), "--metric own --confidence --ci percentile").out.splitlines()
    lower, upper = macro_of()["intervals"]["systems"]["A"]["own_a"]
    assert lines[2].split()[:6] == ["A", "(baseline)", "12", "2.21", "±", f"{(upper - lower) / 2:.2f}"]
    assert "±          half-width of the 95 % confidence interval (1000 bootstrap resamples)" in lines


def test_markdown_and_latex_have_them_too(fw: Run) -> None:
    markdown = evaluated(fw, far_apart(), "--metric own --confidence --format markdown").out
    assert f"| B            |      12 | **2.43** {ends('B')}\\* |" in markdown
    assert "- \\[ \\]: 95 % confidence interval" in markdown
    assert "- \\*: differs significantly from 'A' (p &lt; 0.05" in markdown
    latex = evaluated(fw, far_apart(), "--metric own --confidence --format latex").out
    assert rf"B & 12 & \textbf{{2.43}} {{\footnotesize {ends('B')}}}\rlap{{$^{{*}}$}} &" in latex
    assert r"[ ]: 95 \% confidence interval" in latex
    assert r"$^{*}$: differs significantly from 'A' (p \textless{} 0.05" in latex
    narrow = evaluated(fw, far_apart(), "--metric own --confidence --ci percentile --format latex").out
    assert r"{\footnotesize $\pm$ " in narrow


@pytest.mark.parametrize(("form", "delimiter"), [("csv", ","), ("tsv", "\t")])
def test_tables_of_data_have_the_ends_of_intervals_and_both_p_values(form: str, delimiter: str, fw: Run) -> None:
    out = evaluated(fw, far_apart(), f"--metric own --confidence --pooled --format {form}").out
    table = list(csv.DictReader(io.StringIO(out), delimiter=delimiter))
    macro = macro_of()
    for row in table[:3]:
        system = row["system"]
        assert [float(row["own_a_low"]), float(row["own_a_high"])] == macro["intervals"]["systems"][system]["own_a"]
        if system != "A":
            tested = macro["significance"]["systems"][system]
            assert float(row["own_a_p"]) == tested["p_values"]["own_a"]
            assert float(row["own_a_p_holm"]) == tested["p_values_holm"]["own_a"]
    assert float(table[1]["own_a_p"]) < float(table[1]["own_a_p_holm"])  # B, the smaller of two, is doubled
    assert table[0]["own_a_p"] == table[0]["own_a_p_holm"] == ""
    assert [row["baseline"] for row in table] == ["", "A", "A", ""]
    assert (table[3]["system"], table[3]["own_a_p"], table[3]["own_a_p_holm"]) == ("(all)", "", "")
    assert float(table[3]["own_a_low"]) == macro["intervals"]["metrics"]["own_a"][0]
    ends = zip(*(json.loads(table[0][f"own_b_{end}"].replace("nan", "NaN")) for end in ("low", "high")), strict=True)
    expected = macro["intervals"]["systems"]["A"]["own_b"]
    assert [[None if math.isnan(one) else one for one in pair] for pair in ends] == expected
    assert json.loads(evaluated(fw, far_apart(), "--metric own --confidence --pooled --format json").out) == macro


def test_as_many_resamples_as_asked_for_are_drawn(fw: Run) -> None:
    evaluated(fw, far_apart(), "--metric own --resamples 60 --seed 5")
    lengths = [{"a": (10 + number) / 7} for number in range(12)]
    (expected,) = bootstrap_intervals(
        [ScoreVectors.of_scores([str(number) for number in range(12)], lengths)], Resampling(60, 5)
    )
    assert macro_of()["intervals"]["systems"]["A"]["own_a"] == list(expected["a"].numbers[1:])


def many_systems(count: int) -> list[str]:
    """Makes outputs that every system has longer than the first, and on every input."""
    return made({f"S{number:02}": {str(place): 5 + number for place in range(20)} for number in range(count)})


def test_too_few_trials_for_anything_to_be_significant_are_told(fw: Run) -> None:
    told = f"19 comparisons with 200 {CANNOT_BE_SIGNIFICANT} 0.05; use --resamples 380 or more"
    few = evaluated(fw, many_systems(20), "--metric own --resamples 200")
    assert f"fw: warning: {told}\n" in few.err
    assert told not in few.out, "a warning is printed once"
    assert "*" not in few.out.split("\n\n")[0]
    enough = evaluated(fw, many_systems(20), "--metric own --resamples 380")
    assert "cannot be significant" not in enough.err + enough.out
    assert "*" in enough.out.split("\n\n")[0]
    just = evaluated(fw, many_systems(20), "--metric own --resamples 379")  # 19 / 380 = 0.05
    assert "cannot be significant at 0.05; use --resamples 380 or more" in just.err
    assert "*" not in just.out.split("\n\n")[0]


def test_a_system_without_a_score_is_no_comparison_of_it(fw: Run) -> None:
    rows = made({name: {str(place): 5 + place * index for place in range(1, 21)} for index, name in enumerate("ABC")})
    rows += made({"D": {"99": 5}})  # shares no input: two comparisons; 2 / 41 is below 0.05, and 3 / 41 is not
    assert "comparisons with 40 trials" not in evaluated(fw, rows, "--metric own --resamples 40").err
    rows += made({"E": {"1": 5, "2": 9}})
    assert "3 comparisons with 40 trials" in evaluated(fw, rows, "--metric own --resamples 40").err


def test_tests_on_few_inputs_are_exact_and_say_so(fw: Run) -> None:
    """Five inputs have 2^5 swaps, so that no p-value is below 2 / 32, whatever the seed."""
    rows = made({"A": {str(place): 5 for place in range(5)}, "B": {str(place): 50 for place in range(5)}})
    found = evaluated(fw, rows, "--metric own --confidence --seed 41")
    told = (
        "1 comparison on 5 inputs cannot be significant at 0.05: its smallest p-value is 0.0625; use 6 inputs or more"
    )
    assert f"fw: warning: {told}\n" in found.err
    assert f"(p < 0.05, {EXACT_TEST})" in found.out
    tested = macro_of()["significance"]["systems"]["B"]
    assert (tested["trials"], tested["exact"], tested["p_values"]["own_a"]) == (16, True, 0.0625)
    rows = made({"A": {str(place): 5 for place in range(6)}, "B": {str(place): 50 for place in range(6)}})
    found = evaluated(fw, rows, "--metric own --confidence")
    assert "cannot be significant" not in found.err
    assert macro_of()["significance"]["systems"]["B"]["p_values"]["own_a"] == 0.03125


def test_the_table_says_which_tests_are_exact(fw: Run) -> None:
    rows = made({"A": {str(place): 5 + place for place in range(20)}, "B": {str(place): 6 for place in range(20)}})
    rows += made({"C": {str(place): 7 for place in range(5)}})
    found = evaluated(fw, rows, "--metric own --confidence")
    assert "paired randomization test, 1000 trials; exact for 5 inputs, Holm" in " ".join(found.out.split())
    tested = macro_of()["significance"]["systems"]
    assert [(tested[name]["trials"], tested[name]["exact"]) for name in "BC"] == [(1000, False), (16, True)]


SIGNED = [  # words after fw, fields of the signature, why
    ("evaluate -m ter REFERENCE -i OUTPUT --confidence", "|bs:1000|seed:0|ci:studentized|", "the default"),
    ("evaluate -m ter REFERENCE -i OUTPUT --ci percentile", "|bs:1000|seed:0|", "percentiles in a table of fw"),
    ("REFERENCE -i OUTPUT -m ter --confidence", "|bs:1000|seed:12345|", "the command of sacreBLEU"),
    ("REFERENCE -i OUTPUT -m ter --seed 3 --confidence", "|bs:1000|seed:3|", "its seed may be chosen"),
    ("REFERENCE -i OUTPUT -m ter --ci bca", "|bs:1000|seed:12345|ci:bca|", "and so may the method"),
    ("evaluate -m ter REFERENCE -i OUTPUT --confidence -f text", "|bs:1000|seed:12345|", "the shape of sacreBLEU"),
    ("evaluate -m ter REFERENCE -i OUTPUT OTHER --paired-bs", "|bs:1000|pbs:1000|seed:12345|", "its test"),
    ("evaluate -m ter REFERENCE -i OUTPUT OTHER --paired-ar", "\nsacrebleu  nrefs:1|ar:10000|seed:12345|", "no bs"),
    ("evaluate -m ter REFERENCE -i OUTPUT --confidence --format markdown", "|seed:0|ci:studentized|", "not its shape"),
]


@pytest.mark.parametrize(("words", "fields", "why"), SIGNED)
def test_only_commands_and_shapes_of_sacrebleu_have_its_intervals(
    words: str, fields: str, why: str, fw: Run, datasets_path: Path
) -> None:
    folder = datasets_path / "simplification"
    replaced = words.replace("REFERENCE", str(folder / "references.0.txt")).replace("OUTPUT", str(folder / "timid.txt"))
    replaced = replaced.replace("OTHER", str(folder / "clumsy.txt"))
    found = fw(*split(replaced), *split("-w 2 --silent"))
    assert found.code == 0, found.err
    signature = next(line for line in found.out.splitlines() if "bs:1000" in line or "seed:" in line)
    assert fields in (signature.replace("|fw:", "|").replace("|case:", "|") if fields[0] == "|" else found.out), why
    assert ("ci:" in signature) == ("ci:" in fields), why


# ---- methods of intervals --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "legend", "signed"),
    [
        ("bca", "(BCa, 1000 bootstrap resamples)", "|bs:1000|ar:exact|seed:0|ci:bca|"),
        ("jackknife", "(jackknife)", "|ar:exact|seed:0|ci:jackknife|"),
    ],
)
def test_the_method_of_the_intervals_is_chosen_and_reported(method: Any, legend: str, signed: str, fw: Run) -> None:
    found = evaluated(fw, far_apart(), f"--metric own --ci {method}")
    assert found.code == 0
    macro = macro_of()
    lengths = [{"a": (10 + number) / 7} for number in range(12)]
    vectors = ScoreVectors.of_scores([str(number) for number in range(12)], lengths)
    (expected,) = bootstrap_intervals([vectors], Resampling(method=method))
    assert macro["intervals"]["systems"]["A"]["own_a"] == list(expected["a"].numbers[1:])
    assert macro["intervals"]["method"] == method
    assert signed in macro["signature"]["own"]
    assert f"confidence interval {legend}" in found.out
    percentile = evaluated(fw, far_apart(), "--metric own --ci percentile")
    assert "method" not in macro_of()["intervals"]
    assert "ci:" not in percentile.out


def test_the_method_of_the_intervals_may_be_configured(fw: Run) -> None:
    evaluated(fw, far_apart(), """--metric own --overrides '{"confidence": {"method": "bca"}}'""")
    assert macro_of()["intervals"]["method"] == "bca"
    found = evaluated(fw, far_apart(), """--metric own --overrides '{"confidence": {"method": "basic"}}'""")
    assert found.code == 2
    assert (
        "'method' must be one of percentile, bca, studentized, jackknife, got 'basic' ('confidence' of the conf"
        in found.err
    )
    assert evaluated(fw, far_apart(), "--metric own --ci basic").code == 2


def test_few_inputs_are_reported_with_intervals_that_are_too_short(fw: Run) -> None:
    rows = made({"A": {str(place): 5 + place for place in range(19)}})
    told = "fw: warning: 1 of 1 system has outputs for fewer than 20 inputs (19 or more), and "
    assert told in evaluated(fw, rows, "--metric own --ci percentile").err
    assert told in evaluated(fw, rows, "--metric own --ci bca").err
    assert "too short" not in evaluated(fw, rows, "--metric own --ci jackknife").err
    assert "too short" not in evaluated(fw, rows, "--metric own --confidence").err
    assert "too short" not in evaluated(fw, rows, "--metric own").err
    rows += made({"A": {"19": 3}})
    assert "too short" not in evaluated(fw, rows, "--metric own --ci percentile").err
    assert evaluated(fw, rows[:9], "--metric own --ci percentile --strict").code == 1


def test_an_interval_that_a_method_does_not_have_is_reported(fw: Run) -> None:
    rows = [json.dumps({"instance_id": name, "summarizer_id": "A", "summary": name}) + "\n" for name in "QRS"]
    found = evaluated(fw, rows, "--metric rare --ci jackknife")
    assert "the jackknife interval of rare is undefined for at least one system" in found.err
    assert macro_of()["intervals"]["systems"]["A"]["rare"] == [None, None]
    one = evaluated(fw, rows[:1], "--metric rare --ci bca")
    assert f"'A' {ONE_INPUT_ONLY} input only; its intervals are undefined" in one.err
