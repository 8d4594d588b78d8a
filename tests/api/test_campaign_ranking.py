"""`compare` as shared tasks rank systems: means over domains, documents as clusters, ranges and separated clusters."""

from __future__ import annotations

import itertools
import json
import random
import shlex
from collections import defaultdict
from collections.abc import Callable, Mapping
from math import fsum
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from messages import NO_OUTPUT_HAS_THE_FIELD

import metrics_framework as fw
from metrics_framework.commands.app import main
from metrics_framework.common.errors import FwError
from metrics_framework.significance.multiple_testing import SEPARATED, ranked

Row = dict[str, Any]
DOMAINS = "nnnnss"
DOCUMENTS = ["n1", "n1", "n2", "n2", "s1", "s2"]
SCORES = {"a": [80, 90, 70, 60, 50, 40], "b": [70, 70, 60, 60, 80, 50]}
"""Over all inputs, both have the mean 65; a has the means 75 and 45 in the domains, b 65 and 65."""


def rows_of(scores: Mapping[str, list[Any]], domains: Any = DOMAINS, documents: Any = DOCUMENTS) -> list[Row]:
    return [
        {
            "instance_id": str(number),
            "summarizer_id": system,
            "summarizer_type": "reference" if system.startswith("ref") else "peer",
            "domain": domains[number],
            "document": documents[number],
            "metrics": {"esa": value},
        }
        for system, values in scores.items()
        for number, value in enumerate(values)
        if value is not None
    ]


@pytest.mark.filterwarnings("ignore:1 comparison on 4 clusters")
def test_means_over_domains_and_their_test_worked_by_hand() -> None:
    """Domains are halves of the score; documents contribute sums of differences over the size of their domain.

    b − a: n1 (−10 − 20)/4/2 = −3.75, n2 (−10 + 0)/4/2 = −1.25, s1 30/2/2 = 7.5, s2 10/2/2 = 2.5; in all 5. Of the 8
    swaps with s1 unchanged, 15, 10, 12.5, 7.5, 7.5 and 5 are as large, and 2.5 and 0 are not: p = 6/8.
    """
    result = fw.compare(scores=rows_of(SCORES), preset="wmt", ci="none")
    assert [(one.system, one.score) for one in result["esa"].systems] == [("b", 65), ("a", 60)]
    (pair,) = result["esa"].pairs
    assert (pair.difference, pair.p_value, pair.exact, pair.clusters) == (5, 6 / 8, True, 4)
    assert (pair.outcomes.wins, pair.outcomes.ties, pair.outcomes.losses) == (2, 1, 3)
    written = json.loads(result.to_json())
    assert (written["macro"], written["cluster"]) == ("domain", "document")
    micro = fw.compare(scores=rows_of(SCORES), clusters="document", ci="none")
    assert {one.score for one in micro["esa"].systems} == {65}
    assert "macro" not in json.loads(micro.to_json())


def swapped(rows: list[Row], signs: Mapping[str, int]) -> float:
    """The difference of the means over domains of a and b, after the outputs for some documents are swapped."""
    by_domain: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        system = row["summarizer_id"] if signs[row["document"]] > 0 else "ba"["ab".index(row["summarizer_id"])]
        by_domain[row["domain"]][system].append(row["metrics"]["esa"])
    return fmean(fmean(of["a"]) - fmean(of["b"]) for of in by_domain.values())


def test_p_values_are_those_of_all_swaps_of_documents_under_the_mean_over_domains() -> None:
    draw = random.Random(5)
    for _ in range(4):
        domains = [draw.choice("xyz") for _ in range(7)]
        sizes = [draw.randint(1, 4) for _ in domains]
        documents = [str(number) for number, size in enumerate(sizes) for _ in range(size)]
        of_inputs = [domains[int(document)] for document in documents]
        scores = {system: [draw.gauss(0, 1) for _ in documents] for system in "ab"}
        rows = rows_of(scores, of_inputs, documents)
        (pair,) = fw.compare(scores=rows, preset="wmt", ci="none", log=lambda _: None)["esa"].pairs
        trials = itertools.product((1, -1), repeat=len(domains))
        names = [str(number) for number in range(len(domains))]
        found = [abs(swapped(rows, dict(zip(names, signs, strict=True)))) for signs in trials]
        assert pair.p_value == fmean(one >= found[0] - 1e-9 for one in found)


def test_corpus_scores_are_averaged_over_domains_too() -> None:
    """Of one domain, the score is that of its corpus; of two, their mean."""
    texts = ["the cat sat on the mat", "a dog barked at the door", "all birds fly away in autumn", "no fish can sing"]
    rows = [
        {
            "instance_id": str(number),
            "summarizer_id": system,
            "summary": text[cut:],
            "reference": text,
            "domain": "xxyy"[number],
            "document": str(number),
        }
        for system, cut in (("a", 2), ("b", 7))
        for number, text in enumerate(texts)
    ]
    options: dict[str, Any] = {"ci": "none", "log": lambda _: None}
    macro = fw.compare("bleu", rows, macro="domain", **options)["bleu"]
    apart = fw.compare("bleu", rows, by="domain", **options).sets
    for system in macro.systems:
        parts = [next(s.score for s in one["bleu"].systems if s.system == system.system) for one in apart.values()]
        assert system.score == pytest.approx(fmean(parts), rel=1e-12)
    assert "|macro:domain|" in str(macro.score.signature)
    assert not macro.score.other_signatures


SEPARATIONS = [  # pairs (better, worse) of systems 0, 1, … by rank; clusters; why
    (3, {(0, 1), (0, 2), (1, 2)}, [1, 2, 3], "all differ"),
    (3, {(0, 1), (0, 2)}, [1, 2, 2], "the first beats all below"),
    (3, {(0, 2), (1, 2)}, [1, 1, 2], "the last loses to all above"),
    (3, {(0, 2)}, [1, 1, 1], "the middle one differs from neither"),
    (4, {(0, 2), (0, 3), (1, 2)}, [1, 1, 1, 1], "the second does not beat the last"),
    (4, {(0, 2), (0, 3), (1, 2), (1, 3)}, [1, 1, 2, 2], "two by two"),
    (1, set(), [1], "one system"),
    (0, set(), [], "no system"),
]


@pytest.mark.parametrize(("count", "wins", "clusters", "why"), SEPARATIONS)
def test_every_system_above_a_line_beats_every_one_below(
    count: int, wins: set[tuple[int, int]], clusters: list[int], why: str
) -> None:
    beats = [[(row, column) in wins for column in range(count)] for row in range(count)]
    found = ranked(beats, SEPARATED)
    assert [rank.cluster for rank in found] == clusters, why
    assert [rank[1:] for rank in found] == [rank[1:] for rank in ranked(beats)]


def campaign(count: int = 40) -> list[Row]:
    draw = random.Random(3)
    shifts = {"refA": 4, "good": 4, "poor": 0}
    documents = [str(number // 2) for number in range(count)]
    scores: dict[str, list[Any]] = {name: [draw.gauss(of, 1) for _ in documents] for name, of in shifts.items()}
    scores["good"][:4] = [None] * 4
    return rows_of(scores, ["nsv"[int(one) % 3] for one in documents], documents)


def test_tables_mark_people_and_show_clusters_and_coverage() -> None:
    result = fw.compare(scores=campaign(), preset="wmt", log=lambda _: None)
    table, *_ = str(result).split("\n\n")
    cells = [line.removeprefix("esa").split()[:3] for line in table.splitlines()[2:]]
    assert sorted(cells) == [["1–2", "1", "good"], ["1–2", "1", "refA"], ["3", "2", "poor"]]
    assert "refA (human)" in table
    assert "36–40 of 40 inputs per system; pairs are compared on the inputs of both" in str(result)
    written = json.loads(result.to_json())["scores"]["esa"]["systems"]
    assert {name for name, one in written.items() if one.get("summarizer_type") == "reference"} == {"refA"}
    assert "cluster" not in str(fw.compare(scores=campaign(), log=lambda _: None))


def test_texts_of_people_are_marked_too() -> None:
    kinds = {"refB": "reference", "b": "peer"}
    rows = [
        {
            "instance_id": str(i),
            "summarizer_id": name,
            "summarizer_type": kinds[name],
            "summary": f"a cat {name} {i}",
            "reference": f"a cat sat {i}",
        }
        for name in kinds
        for i in range(8)
    ]
    result = fw.compare("chrf", rows, ci="none", log=lambda _: None)
    assert "refB (human)" in str(result)


OPTIONS: list[tuple[dict[str, Any], str, bool, bool]] = [  # options, text of the table, means over domains, documents
    ({"preset": "wmt"}, "cluster  ", True, True),
    ({"preset": "wmt", "clusters": {str(n): str(n) for n in range(40)}}, "cluster  ", True, False),
    ({"preset": "wmt", "macro": "document"}, "cluster  ", False, True),
    ({"preset": "wmt", "ranking": "clusters"}, "number of a cluster", True, True),
    ({"preset": "wmt", "baseline": "poor"}, "(baseline)", True, True),
    ({"macro": "domain", "clusters": "document", "ranking": "separated"}, "cluster  ", True, True),
]


@pytest.mark.parametrize(("options", "text", "has_domains", "has_documents"), OPTIONS)
def test_given_options_go_before_those_of_the_preset(
    options: dict[str, Any], text: str, has_domains: bool, has_documents: bool
) -> None:
    result = fw.compare(scores=campaign(), log=lambda _: None, **options)
    assert text in " ".join(str(result).split()) or text in str(result)
    assert ("values of domain" in str(result)) is has_domains
    assert ("by document" in str(result)) is has_documents


def test_a_flag_with_its_default_goes_before_the_preset(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in campaign()), encoding="utf-8")
    assert main(["compare", str(path), "--preset", "wmt", "--ranking", "ranges", "--ci", "none"]) == 0
    assert "metric  rank  system" in capsys.readouterr().out


@pytest.mark.parametrize("field", ["domain", "document"])
def test_a_missing_field_is_an_error_that_names_it(field: str) -> None:
    rows = [{name: value for name, value in row.items() if name != field} for row in campaign()]
    with pytest.raises(FwError, match=f"{NO_OUTPUT_HAS_THE_FIELD} '{field}'"):
        fw.compare(scores=rows, preset="wmt", log=lambda _: None)
    rows = [*campaign()[:-1], {name: value for name, value in campaign()[-1].items() if name != field}]
    rows[-1]["instance_id"] = "new"
    with pytest.raises(FwError, match="input 'new' has no"):
        fw.compare(scores=rows, preset="wmt", log=lambda _: None)


@pytest.mark.parametrize(
    ("missing", "flags", "works"),
    [
        (["domain"], [], ["--cluster", "document", "--ranking", "separated"]),
        (["document"], [], ["--macro", "domain", "--ranking", "separated"]),
        (["domain", "document"], [], ["--ranking", "separated"]),
        (["domain"], ["--ranking", "clusters"], ["--cluster", "document", "--ranking", "clusters"]),
    ],
)
def test_a_table_without_the_fields_of_the_preset_is_told_what_works(
    missing: list[str], flags: list[str], works: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "rows.jsonl"
    rows = [{name: value for name, value in row.items() if name not in missing} for row in campaign()]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    assert main(["compare", str(path), "--preset", "wmt", *flags]) == 1
    advice = capsys.readouterr().err.partition("; use ")[2].partition(" instead")[0]
    assert shlex.split(advice) == works
    assert main(["compare", str(path), "--ci", "none", *works]) == 0


def test_autorank_is_of_means_over_domains_too() -> None:
    options: dict[str, Any] = {
        "aggregate": "autorank",
        "higher_is_better": "esa",
        "macro": "domain",
        "ci": "none",
        "log": lambda _: None,
    }
    rows = rows_of({**SCORES, "c": [40, 40, 40, 40, 40, 40]})
    result = fw.compare(scores=rows, **options)["autorank"]
    assert {one.system: one.score for one in result.systems} == fw.autorank({"esa": {"a": 60, "b": 65, "c": 40}})
    assert "|macro:domain|" in str(result.score.signature)


def test_the_paper_says_what_was_done() -> None:
    paper = fw.compare(scores=campaign(), preset="wmt", log=lambda _: None).paper()
    for sentence in (
        "The score of a system is the mean over the values of domain of its scores on their inputs.",
        "Systems have esa for 36--40 of 40 inputs; pairs are compared on the inputs of both.",
        "The outputs of refA are by people.",
        "Each system above a rule is significantly better than all systems below it.",
        r"\midrule poor & 40",
        "refA (human) & 40",
    ):
        assert sentence in paper
    assert paper.count(r"\midrule") == 2
    plain = fw.compare(scores=rows_of(SCORES), clusters="document", ci="none", log=lambda _: None).paper()
    assert not any(word in plain for word in ("mean over", "people", "above a rule", "Systems have"))
    one = fw.compare(scores=rows_of({"a": [1, 2, 3], "b": [2, 3, 1]}), ranking="separated", log=lambda _: None).paper()
    assert "above a rule" not in one


def test_a_log_of_pearmut_is_compared_as_it_is(shared_path: Callable[[str], Path]) -> None:
    path = str(shared_path("golden/shared-tasks/pearmut-annotations.json"))
    found = fw.compare(scores=path, names="score", duplicates="last", ci="none", log=lambda _: None)["score"].systems
    expected = {"refA": 89.5, "ours": 85.588235, "base": 66.088235, "tiny": 35.323529}
    assert {one.system: one.score for one in found} == pytest.approx(expected, abs=5e-7)


def test_outputs_without_error_spans_have_no_list_of_scores() -> None:
    rows = [
        {"id": name, "system": system, "rater": rater, "score": score, "error_spans": spans}
        for name in ("1", "2", "3")
        for system, score in (("a", 80), ("b", 60))
        for rater, spans in (("r", []), ("s", [{"start_i": 0, "end_i": 4, "severity": "minor"}] * (name == "2")))
    ]
    found = fw.compare(scores=rows, ci="none", log=lambda _: None)
    assert [(one.score.name, [system.score for system in one.systems]) for one in found] == [("score", [80.0, 60.0])]


def test_golden_campaign(tmp_path: Path, shared_path: Callable[[str], Path]) -> None:
    """The means over domains of means of segments, computed here from the rows."""
    path = str(shared_path("golden/shared-tasks/pearmut-annotations.json"))
    rows_file, result = str(tmp_path / "rows.jsonl"), tmp_path / "result.json"
    assert main(["convert-ratings", "pearmut", path, rows_file]) == 0
    rows = [json.loads(line) for line in Path(rows_file).read_text(encoding="utf-8").splitlines()]
    found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        scores = row["metrics"]["esa"]
        found[row["summarizer_id"]][row["document"].split("_")[0]].append(fsum(scores) / len(scores))
    expected = {system: fmean(map(fmean, of.values())) for system, of in found.items()}
    flags = ["--preset", "wmt", "--cluster", "document", "--output-file", str(result), "--silent"]
    assert main(["compare", rows_file, "--score", "esa", *flags]) == 0
    systems = json.loads(result.read_text(encoding="utf-8"))["scores"]["esa"]["systems"]
    assert {name: one["value"] for name, one in systems.items()} == pytest.approx(expected, rel=1e-12)
    assert [(name, one["rank"], one["best_rank"], one["worst_rank"]) for name, one in systems.items()] == [
        ("refA", 1, 1, 2),
        ("ours", 1, 1, 2),
        ("base", 2, 3, 3),
        ("tiny", 3, 4, 4),
    ]
