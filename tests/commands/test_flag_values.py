"""Repeated flags, flags with optional values, and words that could be values or files."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from shlex import split
from typing import Any

import pytest
from json_files import read_json, write_json, write_rows
from messages import INTERVALS_TOO_SHORT
from samples import sampled

from metrics_framework import Metric
from metrics_framework.commands import REGISTRY as COMMANDS
from metrics_framework.commands.arguments import Given, Parser, StoreList
from metrics_framework.commands.command import ACTIONS, find_command
from metrics_framework.common.errors import UsageError

Run = Callable[..., Any]
ALL = [[name] for name in COMMANDS.names()] + [[name, one] for name in Metric.registry().names() for one in ACTIONS]
PLUGIN = '''
from metrics_framework import Metric, ReferenceFreeMetric

@Metric.register("grams")
class Grams(ReferenceFreeMetric):
    """Returns its options.

    Args:
        ngram_orders: The orders.
        names: Some names.
    """

    def __init__(self, ngram_orders: list[int] = [1, 2], names: list[str] = []):
        super().__init__()
        self.ngram_orders, self.names = ngram_orders, names

    def score_multi_all(self, summaries_list):
        scores = {"grams": {"sum": sum(self.ngram_orders), "count": len(self.ngram_orders), "names": len(self.names)}}
        return [[scores for _ in summaries] for summaries in summaries_list]
'''


@pytest.fixture
def texts(fw: Run, datasets_path: Path) -> Path:
    """The folder of the example texts."""
    return datasets_path / "simplification"


def values_of(run: Any) -> Any:
    assert run.code == 0, run.err
    return json.loads(run.out)


# ---- repeated flags --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["compare", "agreement", "correlate"])
def test_conditions_and_columns_are_lists_before_files(command: str, fw: Run) -> None:
    rows = [
        {"n": i, "who": who, "rater": rater, "s": i % 4 + (who == "a"), "m": i % 3, "d": "x", "e": i % 2}
        for i in range(8)
        for who in "ab"
        for rater in ("r", "t")
    ]
    write_rows(Path("rows.jsonl"), rows)
    scores = {"compare": "--score s", "agreement": "--rating s", "correlate": "--metric m --gold s"}[command]
    several = "--columns instance_id=n summarizer_id=who --where d=x e!=1 rows.jsonl"
    repeated = "rows.jsonl --columns instance_id=n,summarizer_id=who --where d=x --where e!=1"
    found = [fw(*split(f"{command} {scores} {words} --format json")) for words in (several, repeated)]
    assert values_of(found[0]) == values_of(found[1])


def flags_of(words: list[str]) -> Iterator[argparse.Action]:
    """Yields the flags of a command that store the words after them."""
    for action in find_command(words)[0]._actions:
        if action.option_strings and action.nargs != 0 and action.dest != "help":
            yield action


def given() -> Given:
    parsed = Given()
    parsed.set_by_flags = {}
    return parsed


def is_list(action: argparse.Action) -> bool:
    takes_several = action.nargs in ("+", "*") or isinstance(action.nargs, int)
    return takes_several or isinstance(action, StoreList) or type(action).__name__ == "_AppendAction"


def test_every_flag_with_several_values_adds_up() -> None:
    for action in (action for words in ALL for action in flags_of(words)):
        if not is_list(action):
            continue
        size = action.nargs if isinstance(action.nargs, int) else 1
        first, second = [f"a{number}" for number in range(size)], [f"b{number}" for number in range(size)]
        parser, parsed = Parser("fw"), given()
        for flag, values in ((action.option_strings[0], first), (action.option_strings[-1], second)):
            action(parser, parsed, values if action.nargs is not None else values[0], flag)
        assert getattr(parsed, action.dest) == [*first, *second], action.option_strings


def test_no_flag_with_one_value_takes_another_one_silently() -> None:
    for action in (action for words in ALL for action in flags_of(words)):
        if is_list(action) or action.dest == "dataset":  # whose names are joined with commas
            continue
        parser, parsed, flag = Parser("fw"), given(), action.option_strings[0]
        action(parser, parsed, "a", flag)
        action(parser, parsed, "a", flag)
        with pytest.raises(UsageError, match=rf"^{flag} is given twice, as 'a' and 'b'; use only one of them$"):
            action(parser, parsed, "b", flag)


REPEATED = [  # once, repeated
    ("--references {0}/references.0.txt {0}/references.1.txt", "--references {0}/references.0.txt --references "
     "{0}/references.1.txt"),
    ("--references {0}/references.0.txt {0}/references.1.txt", "--references={0}/references.0.txt --reference_files "
     "{0}/references.1.txt"),
]  # fmt: skip


@pytest.mark.parametrize(("once", "repeated"), REPEATED)
def test_repeated_references_are_all_compared_with(once: str, repeated: str, texts: Path, fw: Run) -> None:
    words = f"sari evaluate --format json --outputs {texts}/timid.txt --sources {texts}/sources.txt"
    expected = values_of(fw(*split(f"{words} {once.format(texts)}")))
    found = values_of(fw(*split(f"{words} {repeated.format(texts)}")))
    assert found == expected
    assert "refs:2" in found["signature"]["sari"]


def test_repeated_outputs_and_input_files_are_all_scored(texts: Path, fw: Run) -> None:
    rest = f"--format json --references {texts}/references.0.txt"
    found = values_of(fw(*split(f"ter evaluate --outputs {texts}/timid.txt --outputs {texts}/careful.txt {rest}")))
    assert set(found["systems"]) == {"timid", "careful"}
    rows = (texts / "outputs.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    Path("a.jsonl").write_text("".join(rows[:9]), encoding="utf-8")
    Path("b.jsonl").write_text("".join(rows[9:]), encoding="utf-8")
    found = values_of(fw(*split("ter evaluate --format json --input-files a.jsonl --input-file b.jsonl")))
    assert found == values_of(fw(*split(f"ter evaluate --format json --input-files {texts}/outputs.jsonl")))


@pytest.fixture
def rated(fw: Run) -> str:
    """Writes scores of three systems with two ratings each; returns the files."""
    rows = [
        {
            "instance_id": str(one),
            "summarizer_id": system,
            "metrics": {
                "sari": (3 * one + 5 * two) % 11,
                "ter": (one * two) % 7,
                "easy": one + two,
                "fluent": one - two,
            },
        }
        for one in range(6)
        for two, system in enumerate("abc")
    ]
    write_rows("s.jsonl", rows)
    return "s.jsonl"


def test_every_metric_is_correlated_with_every_human_rating(rated: str, fw: Run) -> None:
    options = "--ci bootstrap-systems --level input,system,global"
    found = fw(*split(f"correlate --human easy --human fluent {rated} --metric sari --metric ter {options}"))
    assert found.code == 0, found.err
    pairs = [line.split()[:2] for line in found.out.splitlines()[2:] if line[:4].strip() in ("sari", "ter")]
    assert pairs[:4] == [["sari", "easy"], ["ter", "easy"], ["sari", "fluent"], ["ter", "fluent"]]
    assert "data: 18 outputs of 3 systems" in found.out
    warnings = re.findall(f"only 3 systems; .* ({INTERVALS_TOO_SHORT} .* level): use (.*)", found.err)
    assert warnings == [  # once each, not for every pair
        (f"{INTERVALS_TOO_SHORT} input level", "jackknife-systems"),
        (f"{INTERVALS_TOO_SHORT} system level", "fisher"),
        (f"{INTERVALS_TOO_SHORT} system level", "fisher-shrunken"),
        (f"{INTERVALS_TOO_SHORT} global level", "jackknife-systems"),
    ]


def test_repeated_pairs_are_all_correlated(rated: str, fw: Run) -> None:
    words = f"correlate --metrics sari easy --metrics ter fluent {rated} --format json --ci none"
    found = values_of(fw(*split(words)))
    assert [(one["metric1"], one["metric2"]) for one in found] == [("sari", "easy"), ("ter", "fluent")]
    assert found[1] == values_of(fw(*split(f"correlate {rated} --metrics ter fluent --format json --ci none")))


# ---- levels ----------------------------------------------------------------------------------------------------------


LEVELS = ["--confidence 0.99", "--confidence 99", "--confidence 99%", "--confidence=.99", "--confidence-level 99"]
LEVELS += ["--confidence-level 0.99", "--confidence --confidence-level 0.99"]


@pytest.mark.parametrize("level", sampled(LEVELS, 3))
def test_a_confidence_level_is_a_fraction_or_in_percent(level: str, rated: str, texts: Path, fw: Run) -> None:
    words = f"ter evaluate --input-files {texts}/outputs.jsonl --resamples 400 --format json"
    found = values_of(fw(*split(f"{words} {level}")))
    assert found["intervals"]["level"] == 0.99
    assert sorted(path.name for path in Path.cwd().iterdir()) == ["s.jsonl"], "no output file"
    words = f"correlate {rated} --metrics sari easy --format json"
    if level != LEVELS[-1]:
        assert values_of(fw(*split(f"{words} {level}")))["confidence"] == 99


def test_confidence_without_a_level_takes_no_file(rated: str, texts: Path, fw: Run) -> None:
    found = fw(*split(f"ter evaluate --confidence macro.json --input-files {texts}/outputs.jsonl"))
    assert found.code == 0, found.err
    assert read_json("macro.json")["intervals"]["level"] == 0.95
    found = values_of(fw(*split(f"correlate --confidence {rated} --metrics sari easy --format json")))
    assert found["confidence"] == 95


@pytest.mark.parametrize("level", [0.99, 99, {"level": 0.99}, {"level": 99}])
def test_a_configuration_has_a_level_too(level: Any, texts: Path, fw: Run) -> None:
    config = {"metrics": "ter", "input_files": str(texts / "outputs.jsonl"), "confidence": level}
    write_json("config.json", config)
    found = values_of(fw(*split("evaluate --config config.json --format json --resamples 400")))
    assert found["intervals"]["level"] == 0.99


# ---- Boolean values and lists ----------------------------------------------------------------------------------------


LISTS = [  # flags of fw grams, specification, sum and number of orders
    ("--ngram-orders 3", "grams:ngram_orders=3", 3, 1),
    ("--ngram_orders '[3]'", "grams:ngram_orders=[3]", 3, 1),
    ("--ngram-orders 3 4", "grams:ngram_orders=[3,4]", 7, 2),
    ("--ngram-orders '[3, 4]'", "grams:names=[],ngram_orders=[3, 4]", 7, 2),
    ("--ngram-orders 3 --ngram-orders 4", '{"type": "grams", "ngram_orders": [3, 4]}', 7, 2),
    ("--ngram-orders '[3]' '[4]'", '{"type": "grams", "ngram_orders": "[3, 4]"}', 7, 2),
]


@pytest.mark.parametrize(("flags", "spec", "total", "count"), LISTS)
def test_a_list_is_words_or_json(flags: str, spec: str, total: int, count: int, texts: Path, fw: Run) -> None:
    Path("plugin.py").write_text(PLUGIN, encoding="utf-8")
    rest = ["--input-files", str(texts / "outputs.jsonl"), "--format", "json", "--include-packages", "plugin.py"]
    for words in (["grams", "evaluate", *split(flags)], ["evaluate", "--metric", spec]):
        scores = values_of(fw(*words, *rest))["metrics"]["grams"]
        assert (scores["sum"], scores["count"]) == (total, count)


def test_the_help_shows_the_default_of_a_list_as_the_flag_takes_it(fw: Run) -> None:
    Path("plugin.py").write_text(PLUGIN, encoding="utf-8")
    text = fw("--include-packages", "plugin.py", "grams", "score", "--help").out
    assert "orders (default: 1 2)" in text
    assert "some names\n" in text


def test_a_text_that_is_no_json_is_an_item(texts: Path, fw: Run) -> None:
    Path("plugin.py").write_text(PLUGIN, encoding="utf-8")
    rest = ["--input-files", str(texts / "outputs.jsonl"), "--format", "json", "--include-packages", "plugin.py"]
    assert values_of(fw("grams", "evaluate", *rest, "--names", "[UNK]", "[PAD]"))["metrics"]["grams"]["names"] == 2


def test_a_list_of_the_wrong_kind_is_refused(texts: Path, fw: Run) -> None:
    Path("plugin.py").write_text(PLUGIN, encoding="utf-8")
    rest = ["--input-files", str(texts / "outputs.jsonl"), "--include-packages", "plugin.py"]
    found = fw("grams", "evaluate", "--ngram-orders", "x", *rest)
    assert "--ngram-orders: must be a list of integers, got 'x'" in found.err
    found = fw("evaluate", "--metric", "grams:ngram_orders=1,2", *rest)
    assert "option=value, got '2' in 'grams:ngram_orders=1,2'; a list is ngram_orders=[…,…]" in found.err


# ---- suggestions -----------------------------------------------------------------------------------------------------
