"""AutoRank: the rank of systems under several metrics, by hand, by properties, and as WMT25 published it.

The scores and tables of WMT25 are read from ``FW_SHARED/data/wmt25``: the folder ``data/automatic_scores`` of
wmt-conference/wmt25-general-mt, and ``preliminary_ranking/latex_source/generated_report.tex``.
"""

from __future__ import annotations

import json
import math
import random
import re
from collections.abc import Callable, Iterator
from math import fsum
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import metrics_framework as fw
from metrics_framework.commands.app import main
from metrics_framework.common.errors import FwError, Problems
from metrics_framework.meta_evaluation.ratings.rating_format import RatingFormat
from metrics_framework.significance.resampling import Resampling

BY_HAND = {
    "quality": {"a": 0.66, "b": 0.65, "c": 0.60, "d": 0.40},
    "errors": {"a": 5.7, "b": 6.4, "c": 7.0, "d": 12.0},
}
LOWER = {"quality": True, "errors": False}
RANKS = {"a": 1.0, "b": 1.226770, "c": 1.654867, "d": 4.0}


def rows(means: dict[str, dict[str, float]], outputs: int = 12) -> list[dict[str, object]]:
    """Rows of scores with these means, two in each document."""
    return [
        {
            "instance_id": str(number),
            "summarizer_id": system,
            "document": str(number // 2),
            "metrics": {
                name: of[system] * (1 + (number % 3 - 1) * spread) for name, of in means.items() if system in of
            },
        }
        for number in range(outputs)
        for spread, system in zip((0.1, 0.2, 0.05, 0.3), next(iter(means.values())), strict=True)
    ]


def test_values_by_hand() -> None:
    negated = {**BY_HAND, "errors": {system: -mean for system, mean in BY_HAND["errors"].items()}}
    for found in (fw.autorank(BY_HAND, LOWER), fw.autorank(negated)):
        assert found == {system: pytest.approx(rank, abs=5e-7) for system, rank in RANKS.items()}


def test_equal_systems_have_no_rank() -> None:
    assert all(math.isnan(rank) for rank in fw.autorank({"x": {"a": 1, "b": 1, "c": 1}}).values())


def test_ranks_keep_order_and_ends_and_do_not_depend_on_the_scale() -> None:
    draw = random.Random(2)
    for _ in range(50):
        systems = [f"s{number}" for number in range(draw.randint(2, 9))]
        means = {f"m{number}": {one: draw.gauss(0, 1) for one in systems} for number in range(draw.randint(1, 4))}
        found = fw.autorank(means)
        assert (min(found.values()), max(found.values())) == (1, len(systems))
        scaled = {name: {one: 7 * x + 3 for one, x in of.items()} for name, of in means.items()}
        assert fw.autorank(scaled) == {one: pytest.approx(rank, abs=1e-9) for one, rank in found.items()}
        only = means["m0"]
        alone = fw.autorank({"m0": only})
        assert sorted(systems, key=alone.__getitem__) == sorted(systems, key=lambda one: -only[one])


@pytest.mark.parametrize("means", [{}, {"x": {}}, {"x": {"a": 1, "b": 2}, "y": {"a": 1}}, {"x": {"a": math.nan}}])
def test_a_missing_mean_is_an_error(means: dict[str, dict[str, float]]) -> None:
    with pytest.raises(fw.InputError):
        fw.autorank(means)


@pytest.mark.parametrize(
    ("means", "higher_is_better", "message"),
    [
        (None, True, "'means' must be a dictionary"),
        ({"x": [1, 2]}, True, "'means' must be a dictionary"),
        ({"x": {"a": "1", "b": 2}}, True, "system 'a' has no mean of 'x'"),
        ({"x": {"a": None, "b": 2}}, True, "system 'a' has no mean of 'x'"),
        ({"x": {"a": 1, "b": 2}}, {"y": False}, "unknown metric 'y'"),
        ({"x": {"a": 1, "b": 2}}, "no", "'higher_is_better' must be"),
    ],
)
def test_other_arguments_are_errors(means: Any, higher_is_better: Any, message: str) -> None:
    with pytest.raises(FwError, match=message):
        fw.autorank(means, higher_is_better)


def test_the_paper_says_how_the_intervals_of_the_ranks_were_drawn() -> None:
    paper = fw.compare(
        scores=rows(BY_HAND, 24), higher_is_better="quality", lower_is_better="errors", aggregate="autorank"
    ).paper()
    assert r"AutoRank (\citealp{kocmi-etal-2025-preliminary}; of quality+errors, percentile intervals), " in paper
    assert 'title = "Preliminary Ranking of {WMT25}' in paper


def test_compare_adds_the_ranks_with_intervals_of_documents() -> None:
    result = fw.compare(
        scores=rows(BY_HAND, 24),
        higher_is_better="quality",
        lower_is_better="errors",
        aggregate="autorank",
        clusters="document",
    )
    found = {one.system: one for one in result["autorank"].systems}
    assert {name: one.score for name, one in found.items()} == {
        system: pytest.approx(rank, abs=5e-7) for system, rank in RANKS.items()
    }
    assert [one.system for one in result["autorank"].systems] == ["a", "b", "c", "d"]
    assert {one.clusters for one in found.values()} == {12}
    assert all(one.interval.lower <= one.score <= one.interval.upper for one in found.values())
    assert not result["autorank"].pairs
    assert [one.score.name for one in result] == ["autorank", "quality", "errors"]
    assert "autorank|metrics:quality+errors|" in str(result)
    assert "percentile bootstrap of all metrics together" in " ".join(str(result).split())


def test_intervals_are_percentiles_of_ranks_of_resampled_means() -> None:
    draw = random.Random(1)
    scores = [
        {
            "instance_id": str(number),
            "summarizer_id": system,
            "metrics": {name: draw.gauss(shift, 1) for name in "xy"},
        }
        for number in range(40)
        for shift, system in enumerate("abc")
    ]
    result = fw.compare(scores=scores, higher_is_better=["x", "y"], aggregate="autorank", resamples=300, seed=4)
    values = {name: {one: [0.0] * 40 for one in "abc"} for name in "xy"}
    for row in scores:
        for name, value in row["metrics"].items():
            values[name][row["summarizer_id"]][int(row["instance_id"])] = value
    import numpy as np

    draws = np.random.default_rng(4).integers(40, size=(300, 40))
    ranks = [
        fw.autorank({name: {one: fsum(of[one][i] for i in drawn) / 40 for one in of} for name, of in values.items()})
        for drawn in draws
    ]
    for one in result["autorank"].systems:
        ordered = sorted(rank[one.system] for rank in ranks)
        assert (one.interval.lower, one.interval.upper) == pytest.approx((ordered[7], ordered[-8]), abs=1e-9)


def test_a_system_without_one_of_the_metrics_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "scores.jsonl"
    means = {"quality": BY_HAND["quality"], "errors": {"a": 1.0, "b": 2.0, "c": 3.0}}
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows(means)), encoding="utf-8")
    assert main(["compare", str(path), "--aggregate", "autorank", "--higher-is-better", *means]) == 1
    assert "'d' has scores of quality, but not of 'errors'; AutoRank needs all of them" in capsys.readouterr().err


def test_means_over_fewer_inputs_are_a_warning() -> None:
    warnings: list[str] = []
    fw.compare(scores=rows(BY_HAND, 24)[:-1], higher_is_better=[*BY_HAND], aggregate="autorank", log=warnings.append)
    assert any("'autorank': the means of 'd' are over 23 of 24 inputs" in one for one in warnings)


METRICS = [  # aggregate, metrics
    ("autorank", ["bleu", "ter"]),
    ("autorank:metrics=ter", ["ter"]),
    ("autorank:metrics=ter+bleu_bp", ["ter", "bleu_bp"]),
]
ROWS = [
    {"instance_id": str(i), "summarizer_id": system, "test_set": "xy"[i % 2], "summary": text, "reference": "a cat sat"}
    for i in range(6)
    for system, text in (("a", "a cat sat down"), ("b", "a dog sat"), ("c", f"no dog {i}"))
]


@pytest.mark.parametrize(("aggregate", "metrics"), METRICS)
def test_evaluate_adds_the_ranks_of_the_means(aggregate: str, metrics: list[str]) -> None:
    result = fw.evaluate(["bleu", "ter"], ROWS, aggregate=aggregate, log=lambda _: None)
    means = {name: {system: scores.flatten()[name] for system, scores in result.systems.items()} for name in metrics}
    expected = fw.autorank(means, {name: name != "ter" for name in metrics})
    assert {system: scores["autorank"] for system, scores in result.systems.items()} == expected
    assert f"autorank|metrics:{'+'.join(metrics)}|fw:" in str(result)
    assert math.isnan(result.metrics["autorank"])
    assert result.table("csv").splitlines()[0].endswith(",autorank")


@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
@pytest.mark.parametrize("aggregate", ["autorank", "autorank:metrics=ter"])
def test_evaluate_has_the_intervals_of_compare(aggregate: str, jobs: int) -> None:
    options: dict[str, Any] = {"aggregate": aggregate, "log": lambda _: None}
    resampling = Resampling(level=0.9, resamples=200, seed=3)
    result = fw.evaluate(["bleu", "ter"], ROWS[:-1], jobs=jobs, confidence=resampling, **options)
    compared = fw.compare(["bleu", "ter"], ROWS[:-1], confidence=90, resamples=200, seed=3, **options)
    assert result.confidence is not None
    for one in compared["autorank"].systems:
        found = result.confidence.systems[one.system]["autorank"]
        assert found == pytest.approx(one.interval)
    assert "|intervals:percentile|bs:200|seed:3|" in result.signature["autorank"]


def test_evaluate_ranks_the_systems_of_each_set() -> None:
    result = fw.evaluate(["bleu", "ter"], ROWS, by="test_set", aggregate="autorank", log=lambda _: None)
    assert {system: scores["autorank"] for system, scores in result.systems.items()}["a"] == 1
    assert all(one.systems["c"]["autorank"] == 3 for one in result.sets.values())


def test_commands_name_the_metrics(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows_file, scores = tmp_path / "rows.jsonl", tmp_path / "scores.jsonl"
    rows_file.write_text("".join(f"{json.dumps(row)}\n" for row in ROWS), encoding="utf-8")
    scores.write_text("".join(f"{json.dumps(row)}\n" for row in rows(BY_HAND)), encoding="utf-8")
    texts = ["-m", "bleu", "-m", "ter", "--input-files", str(rows_file), "--silent"]
    assert main(["evaluate", *texts, "--aggregate", "autorank:metrics=ter"]) == 0
    assert "autorank|metrics:ter|fw:" in capsys.readouterr().out
    assert main(["compare", str(scores), "--aggregate", "autorank:metrics=quality", "--silent"]) == 1
    assert "--higher-is-better" in capsys.readouterr().err
    flags = ["--aggregate", "autorank:metrics=quality", "--higher-is-better", "quality", "--silent"]
    assert main(["compare", str(scores), *flags]) == 0
    assert "autorank|metrics:quality|intervals:percentile" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("flags", "text"),
    [
        (["--aggregate", "rank"], "autorank:metrics=A+B, got 'rank'"),
        (["--aggregate", "autorank:metrics="], "autorank:metrics=A+B, got 'autorank:metrics='"),
        (["--aggregate", "autorank:scores=x"], "autorank:metrics=A+B, got 'autorank:scores=x'"),
        (["--aggregate", "autorank:metrics=chr"], "unknown score 'chr'"),
        (["--aggregate", "autorank", "-f", "text"], "the output of sacreBLEU has no ranks"),
    ],
)
def test_other_aggregates_are_errors(
    flags: list[str], text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in ROWS), encoding="utf-8")
    assert main(["evaluate", "-m", "bleu", "-m", "ter", "--input-files", str(path), *flags]) == 2
    assert text in capsys.readouterr().err


def test_a_score_with_the_name_of_the_ranks_is_an_error() -> None:
    with pytest.raises(FwError, match="called 'autorank'"):
        fw.compare(scores=rows({**BY_HAND, "autorank": BY_HAND["errors"]}, 24), aggregate="autorank")


def test_texts_can_be_ranked() -> None:
    outputs = {"a": ["the cat sat", "a dog barks"], "b": ["a cat sat", "no dog"], "c": ["no cat here", "two dogs"]}
    outputs = {
        system: [f"{text} at number {number}" for number in range(4) for text in texts]
        for system, texts in outputs.items()
    }
    references = [f"{text} at number {number}" for number in range(4) for text in ("the cat sat", "a dog")]
    found = fw.compare(["bleu", "ter"], outputs, references=references, aggregate="autorank")
    assert [(one.system, one.score) for one in found["autorank"].systems][::2] == [("a", 1), ("c", 3)]


# ---- WMT25 -----------------------------------------------------------------------------------------------------------

PAIRS = {  # in the order of the published tables
    **dict.fromkeys(["en-ar_EG"], 5),
    **dict.fromkeys(["en-bho_IN"], 1),
    **dict.fromkeys(["en-cs_CZ", "en-et_EE", "en-is_IS"], 5),
    **dict.fromkeys(["en-it_IT"], 4),
    **dict.fromkeys(["en-ja_JP", "en-ko_KR"], 5),
    **dict.fromkeys(["en-mas_KE"], 1),
    **dict.fromkeys(["en-ru_RU", "en-sr_Cyrl_RS", "en-uk_UA", "en-zh_CN", "cs-uk_UA", "cs-de_DE", "ja-zh_CN"], 5),
    **dict.fromkeys(["en-bn_BD", "en-de_DE", "en-el_GR", "en-fa_IR", "en-hi_IN", "en-id_ID", "en-kn_IN"], 4),
    **dict.fromkeys(["en-lt_LT", "en-mr_IN", "en-ro_RO", "en-th_TH", "en-sr_Latn_RS", "en-sv_SE", "en-tr_TR"], 4),
    **dict.fromkeys(["en-vi_VN"], 4),
}
"""Language pair to the number of metrics of its table."""
BY_COMMAND = tuple(PAIRS)


class Published(NamedTuple):
    """A row of a published table: texts of the AutoRank and of the means of metrics, by name."""

    rank: str
    means: dict[str, str]

    def equals(self, rank: float, means: dict[str, float]) -> bool:
        """Whether numbers are those of the row, rounded to its decimal places."""
        pairs = [(self.rank, rank), *((text, means[name]) for name, text in self.means.items())]
        return all(abs(float(text) - value) <= 0.5 * 10 ** -len(text.partition(".")[2]) + 1e-9 for text, value in pairs)


def published(report: str) -> Iterator[list[Published]]:
    """Yields the rows of each table."""
    for table in report.split(r"\begin{table")[1:]:
        header = re.search(r"System Name &(.*?)\\\\", table)
        assert header is not None
        columns = [re.sub(r"\$.*?\$", "", name).strip() for name in header[1].split("&")]
        first = columns.index("AutoRank")
        found = []
        for line in table.splitlines():
            if r"\cellcolor" in line:
                cells = [re.sub(r"\\cellcolor\{.*?\}|\\\\", "", cell).strip() for cell in line.split("&")[1:]]
                means = {
                    name: cell for name, cell in zip(columns[first + 1 :], cells[first + 1 :], strict=True) if cell
                }
                found.append(Published(cells[first], means))
        yield found


@pytest.mark.slow
def test_published_ranks_and_means_of_wmt25(shared_path: Callable[[str], Path]) -> None:
    folder = shared_path("data/wmt25/automatic_scores")
    report = shared_path("data/wmt25/generated_report.tex").read_text(encoding="utf-8")
    sums: dict[str, dict[str, dict[str, list[float]]]] = {}
    genmt = RatingFormat.by_name("genmt")()
    for row in genmt.rows(str(folder), Problems()):
        of_pair = sums.setdefault(row["language_pair"], {})
        for name, value in row["metrics"].items():
            of_system = of_pair.setdefault(name, {}).setdefault(row["summarizer_id"], [])
            of_system += [] if value is None else [value]
    means = {
        pair: {name: {one: fsum(x) / len(x) for one, x in of.items() if x} for name, of in by_name.items()}
        for pair, by_name in sums.items()
    }
    counts = [0, 0]
    for pair, table in zip(PAIRS, published(report), strict=True):
        names = list(table[0].means)
        assert len(names) == PAIRS[pair]
        of_pair_means = {name: means[pair][name] for name in names}
        ranks = fw.autorank(of_pair_means)
        for row, system in zip(table, sorted(ranks, key=ranks.__getitem__), strict=True):
            assert row.equals(ranks[system], {name: of_pair_means[name][system] for name in names}), (pair, row)
            counts[0] += 1
            counts[1] += len(row.means)
    assert counts == [1066, 4582]


@pytest.mark.slow
@pytest.mark.parametrize("pair", BY_COMMAND)
def test_published_ranks_by_commands(pair: str, shared_path: Callable[[str], Path], tmp_path: Path) -> None:
    folder = shared_path("data/wmt25/automatic_scores")
    report = shared_path("data/wmt25/generated_report.tex").read_text(encoding="utf-8")
    table = list(published(report))[list(PAIRS).index(pair)]
    scores, result = str(tmp_path / "scores.jsonl"), tmp_path / "result.json"
    assert main(["convert-ratings", "genmt", str(folder), scores, "--pair", pair]) == 0
    flags = ["--aggregate", f"autorank:metrics={'+'.join(table[0].means)}", "--cluster", "document", "--ci", "none"]
    assert main(["compare", scores, *flags, "--output-file", str(result), "--silent"]) == 0
    found = json.loads(result.read_text(encoding="utf-8"))["scores"]
    ranks = {system: one["value"] for system, one in found.pop("autorank")["systems"].items()}
    means = {system: {name: of["systems"][system]["value"] for name, of in found.items()} for system in ranks}
    for row, system in zip(table, sorted(ranks, key=ranks.__getitem__), strict=True):
        assert row.equals(ranks[system], means[system])
