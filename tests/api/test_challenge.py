"""Challenge sets: accuracies, tests and the ACES score from the function and the command."""

from __future__ import annotations

import json
import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import metrics_framework as fw
from metrics_framework.common.errors import DataError, UnknownNameError, UsageError
from metrics_framework.meta_evaluation.challenge import aces_score
from metrics_framework.significance.interval_methods import score_interval

PAIRS = "datasets/challenge/pairs.jsonl"
SCORED = [  # phenomenon, category, m of good and bad, lower of good and bad
    ("p", "addition", 3, 1, 1, 2),
    ("p", "addition", 2, 2, 1, 2),
    ("p", "addition", 1, 2, 1, 2),
    ("q", "addition", 5, 1, 2, 1),
    ("r", "omission", 4, 1, 1, 2),
]


def rows(scored=SCORED):
    return [
        {"id": number, "system": system, "phenomenon": phenomenon, "category": category, "m": m, "lower": lower}
        for number, (phenomenon, category, *values) in enumerate(scored)
        for system, m, lower in (("good", values[0], values[2]), ("bad", values[1], values[3]))
    ]


def of(result, metric, group):
    return next(one for one in result.accuracies if (one.metric, one.group) == (metric, group))


def test_ties_are_wrong_and_the_direction_counts():
    result = fw.challenge(rows(), ["m", "lower"], lower_is_better="lower", log=print)
    counts = {(one.metric, one.group): (one.pairs, one.correct, one.ties) for one in result.accuracies}
    assert counts["m", "all"] == (5, 3, 1)
    assert counts["m", "p"] == (3, 1, 1)
    assert counts["m", "addition"] == (4, 2, 1)
    assert counts["lower", "p"] == (3, 3, 0)
    found = of(result, "m", "p")
    assert found.tau == pytest.approx(2 / 3 - 1)
    expected = score_interval(1 / 3, 3, stats.norm.ppf(0.975))
    assert found.accuracy.numbers == pytest.approx((1 / 3, expected.lower, expected.upper))


def test_categories_average_over_their_phenomena():
    result = fw.challenge(rows(), "m", log=print)
    assert result.taus["m"] == {"addition": pytest.approx((-1 / 3 + 1) / 2), "omission": 1.0}
    assert math.isnan(result.aces["m"])
    assert "undefined without mistranslation" in " ".join(result.table().split())


def test_metrics_are_compared_by_the_exact_test_of_mcnemar_corrected_over_groups():
    generator = np.random.default_rng(2)
    scored = [(f"p{i % 3}", "c", *generator.integers(0, 3, 4)) for i in range(90)]
    result = fw.challenge(rows(scored), ["m", "lower"], by="phenomenon", lower_is_better="lower", log=print)
    p_values = []
    for one in result.tests:
        used = [it for it in scored if one.group in ("all", it[0])]
        first, second = ([it[2] > it[3] for it in used], [it[4] < it[5] for it in used])
        both = list(zip(first, second, strict=True))
        only = [both.count((True, False)), both.count((False, True))]
        assert [one.only_first, one.only_second] == only
        assert one.p_value == pytest.approx(stats.binomtest(only[0], sum(only)).pvalue)
        p_values += [one.p_value] if one.by else []
    adjusted = [one.adjusted for one in result.tests if one.by]
    ordered = sorted(range(3), key=p_values.__getitem__)
    by_hand = {index: min(1, (3 - rank) * p_values[index]) for rank, index in enumerate(ordered)}
    for before, after in pairwise(ordered):
        by_hand[after] = max(by_hand[before], by_hand[after])
    assert adjusted == pytest.approx([by_hand[index] for index in range(3)])


def test_pairs_of_one_source_are_clusters():
    scored = [(*SCORED[i % 3][:2], *SCORED[i % 3][2:]) for i in range(30)]
    labelled = [{**row, "source": f"s{row['id'] % 6}"} for row in rows(scored)]
    alone, together = (fw.challenge(labelled, "m", cluster=one, log=print) for one in (None, "source"))
    widths = [of(one, "m", "all").accuracy.upper - of(one, "m", "all").accuracy.lower for one in (alone, together)]
    assert widths[0] < widths[1]


def test_the_aces_score_is_the_weighted_sum():
    fives = ["addition", "omission", "mistranslation", "overtranslation", "undertranslation"]
    ones = [name for name in ACES if name not in (*fives, "punctuation")]
    taus = {name: index / 10 for index, name in enumerate([*fives, *ones, "punctuation"])}
    by_hand = 5 * (0 + 0.1 + 0.2 + 0.3 + 0.4) + 0.5 + 0.6 + 0.7 + 0.8 + 0.1 * 0.9
    assert aces_score(taus) == pytest.approx(by_hand)
    assert aces_score({name.replace(" ", "-").title(): tau for name, tau in taus.items()}) == pytest.approx(by_hand)
    for name in taus:
        assert math.isnan(aces_score({other: tau for other, tau in taus.items() if other != name}))


def test_scoring_at_once_and_in_two_steps_are_one():
    pd = pytest.importorskip("pandas")
    at_once = fw.challenge(PAIRS, ["chrf", "ter"])
    scores = fw.evaluate(["chrf", "ter"], files=PAIRS, systems=["good", "bad"], keep_outputs=True, confidence=False)
    in_steps = fw.challenge([scores, PAIRS], ["chrf", "ter"])
    in_memory = fw.challenge(pd.read_json(PAIRS, lines=True), ["chrf", "ter"])
    assert at_once.to_records() == in_steps.to_records() == in_memory.to_records()
    assert list(in_memory.to_pandas()["metric"][:2]) == ["chrf", "ter"]
    assert at_once.aces == {"chrf": pytest.approx(-18.1), "ter": pytest.approx(-26.1)}
    assert at_once.to_frame("tests").shape == (22, 8)
    assert at_once.plot().startswith("<svg")
    assert json.loads(at_once.to_json())["aces"] == at_once.aces


def test_the_names_of_columns_of_aces_are_known(tmp_path):
    pd = pytest.importorskip("pandas")
    names = {"good": "good-translation", "bad": "incorrect-translation", "phenomenon": "phenomena"}
    table = pd.read_json(PAIRS, lines=True).rename(columns=names)
    table.to_csv(tmp_path / "aces.tsv", sep="\t", index=False)
    assert fw.challenge(str(tmp_path / "aces.tsv"), "chrf").aces == fw.challenge(PAIRS, "chrf").aces


ACES = {  # category to phenomena
    "addition": ["addition"],
    "omission": ["omission"],
    "mistranslation": [
        "xnli-omission-neutral",
        "modal_verb:deletion",
        "hallucination-unit-conversion-amount-matches-ref",
    ],
    "untranslated": ["copy-source", "untranslated-vs-synonym"],
    "do not translate": ["do-not-translate"],
    "overtranslation": ["hyponym-replacement"],
    "undertranslation": ["hypernym-replacement"],
    "real-world knowledge": ["antonym-replacement", "real-world-knowledge-hypernym-vs-hyponym"],
    "wrong language": ["similar-language-low"],
    "punctuation": ["punctuation:deletion_all"],
}


@pytest.fixture
def scored(tmp_path):
    """A file as ``aces-score`` writes it: METRIC-good and METRIC-bad beside the texts, of which some have quotes."""
    pd = pytest.importorskip("pandas")
    generator = np.random.default_rng(3)
    rows = [
        {
            "source": f'Er sagt "{number // 2}".',
            "good-translation": f'He says "{number}" again and again.',
            "incorrect-translation": f"He said {number} now and then.",
            "reference": f'He says: "{number}" again and again.',
            "phenomena": phenomenon,
            "langpair": "de-en",
            **dict(zip(["bleu-good", "bleu-bad", "comet-good", "comet-bad"], generator.integers(0, 4, 4), strict=True)),
        }
        for phenomena in ACES.values()
        for phenomenon in phenomena
        for number in range(4)
    ]
    table = pd.DataFrame(rows)
    table.to_csv(tmp_path / "aces.scored.tsv", sep="\t", index=False)
    return str(tmp_path / "aces.scored.tsv"), table


def test_scored_files_of_aces_are_read(scored):
    path, table = scored
    found = fw.challenge(path)
    taus = {
        metric: {
            category: np.mean([2 * (p[f"{metric}-good"] > p[f"{metric}-bad"]).mean() - 1 for p in map(of_table, names)])
            for category, names in ACES.items()
        }
        for metric in ("bleu", "comet")
        for of_table in [lambda name: table[table["phenomena"] == name]]
    }
    assert {metric: dict(each) for metric, each in found.taus.items()} == {
        metric: pytest.approx(of_metric) for metric, of_metric in taus.items()
    }
    assert found.aces == {metric: pytest.approx(aces_score(of_metric)) for metric, of_metric in taus.items()}
    assert found.to_records() == fw.challenge(table).to_records()
    assert {one.metric for one in fw.challenge(path, "comet", cluster="source").accuracies} == {"comet"}


def test_texts_of_scored_files_are_scored_without_the_quotes_of_the_table(scored):
    path, table = scored
    texts = table.drop(columns=[name for name in table if name.endswith(("-good", "-bad"))])
    expected = fw.challenge(texts, ["chrf", "bleu"])
    assert of(expected, "chrf", "all").accuracy.value == 1
    assert fw.challenge(path, ["chrf", "bleu"]).to_records() == expected.to_records()


def test_categories_are_known_if_all_phenomena_are_of_aces(scored):
    _, table = scored
    by = fw.challenge(table, "comet", by="category")
    assert {one.group for one in by.accuracies} == {"all", *ACES}
    table.loc[0, "phenomena"] = "negation"
    assert math.isnan(fw.challenge(table, "comet").aces.get("comet", math.nan))


@pytest.mark.parametrize("by", ["phenomenon", "category", "source"])
def test_the_aces_score_does_not_depend_on_the_groups(by):
    found = fw.challenge(PAIRS, "chrf", by=by)
    assert ({one.by for one in found.accuracies}, found.aces) == ({"", by}, fw.challenge(PAIRS, "chrf").aces)


@pytest.mark.parametrize("kind", ["dictionary", "json", "csv"])
def test_categories_may_be_in_another_file(kind, tmp_path):
    pd = pytest.importorskip("pandas")
    table = pd.read_json(PAIRS, lines=True)
    known = dict(zip(table["phenomenon"], table["category"], strict=True))
    path = tmp_path / f"categories.{kind}"
    if kind == "json":
        path.write_text(json.dumps(known))
    elif kind == "csv":
        table[["phenomenon", "category"]].drop_duplicates().to_csv(path, index=False)
    given = known if kind == "dictionary" else str(path)
    found = fw.challenge(table.drop(columns="category"), "chrf", categories=given)
    assert found.to_records() == fw.challenge(PAIRS, "chrf").to_records()


def test_what_is_missing_is_left_out_and_said():
    scored = [row for row in rows() if (row["id"], row["system"]) != (0, "bad")]
    scored[-1].pop("phenomenon"), scored[-2].pop("phenomenon")
    found = fw.challenge(scored, "m", log=lambda text: None)
    assert [of(found, "m", "all").missing, of(found, "m", "all").pairs] == [1, 4]
    assert found.warnings == [
        "'m': 1 pair without a score of both outputs left out",
        "1 pair without 'phenomenon' in no group of it",
    ]


REFUSED = [  # scores, options, error, part of the message
    (PAIRS, {}, UsageError, "no metric"),
    (PAIRS, {"metrics": "chrf", "by": "theme"}, UnknownNameError, "theme"),
    ([{"id": 1, "system": "x", "m": 1}], {}, DataError, "good and bad"),
    (rows([*SCORED, ("p", "omission", 1, 2, 1, 2)]), {}, DataError, "two categories"),
]


@pytest.mark.parametrize(("scores", "options", "error", "message"), REFUSED)
def test_mistakes_are_named(scores, options, error, message):
    with pytest.raises(error, match=message):
        fw.challenge(scores, log=lambda text: None, **options)


def test_the_command_prints_and_writes_what_the_function_returns(tmp_path, capsys):
    from metrics_framework.commands.app import main

    out = tmp_path / "out.json"
    words = ["challenge", PAIRS, "-m", "chrf,ter:case_sensitive=true", "--by", "category", "--output-file", str(out)]
    assert main(words) == 0
    assert "ACES score" in capsys.readouterr().out
    result = fw.challenge(PAIRS, ["chrf", "ter:case_sensitive=true"], by="category")
    assert json.loads(out.read_text()) == json.loads(result.to_json())
    assert Path(out).exists()


def test_an_empty_good_output_is_told_with_its_file_and_line(tmp_path):
    pairs = [json.loads(line) for line in Path(PAIRS).read_text(encoding="utf-8").splitlines()]
    pairs[2]["good"] = ""
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(f"{json.dumps(pair)}\n" for pair in pairs), encoding="utf-8")
    with pytest.warns(fw.TextWarning, match=r"empty outputs: 1 of \d+ outputs of 'good' \(first at .*pairs\.jsonl:3\)"):
        fw.challenge(str(path), "chrf")
