"""Profiles: metrics that belong together, the table of their scores, and what is told when one cannot be had."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from json_files import read_json, write_json
from messages import EXPECTED_CONFIDENCE, LABELLED_THE_SAME, NEEDS_RESAMPLES
from sums_of_floats import rounded

from metrics_framework.common.installation import install_extra
from metrics_framework.common.options import parse_spec
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.evaluation.profiles.profile import Profile, load_profile
from metrics_framework.evaluation.system_scores import Evaluation
from metrics_framework.reports.score_table import score_table

Run = Callable[..., Any]
PLUGIN = '''
"""Profiles of our own."""
from metrics_framework import Metric, ReferenceFreeMetric
from metrics_framework.common.errors import MissingExtraError
from metrics_framework.evaluation.profiles.profile import Profile, load_profile


@Metric.register("spelling")
class Spelling(ReferenceFreeMetric):
    """Needs a package that nobody has."""

    def __init__(self):
        super().__init__()
        raise MissingExtraError("the metric 'spelling'", "orthography", "spelling")

    def score_multi_all(self, summaries_list):
        raise AssertionError("it cannot be built")


@Profile.register("rewriting")
class Rewriting(Profile):
    """Looks at rewriting."""

    metrics = ("sari:variant=easse", "ter:label=edits")
    columns = {"sari_add": "Add & more", "edits": "TER", "sari": "SARI"}


@Profile.register("needy")
class Needy(Profile):
    """Needs a package."""

    metrics = ("sari", "spelling")
    columns = {"sari": "SARI"}


@Profile.register("unknowing")
class Unknowing(Profile):
    """Has a column for a score that nobody gives."""

    metrics = ("ter",)
    columns = {"ter": "TER", "terr": "TERR"}


@Profile.register("forlorn")
class Forlorn(Profile):
    """Has a metric that is not there."""

    metrics = ("sarii",)
'''


@pytest.fixture
def evaluated(plain: Run) -> Run:
    """Evaluates the example texts, with the profiles of the plug-in."""
    Path("plugin.py").write_text(PLUGIN, encoding="utf-8")
    return lambda words: plain(f"evaluate {words} --include-packages plugin.py")


def test_a_profile_has_its_columns_in_its_order_with_intervals(evaluated: Any) -> None:
    found = evaluated("--profile rewriting macro.json micro.jsonl")
    assert found.code == 0
    lines = found.out.splitlines()
    assert lines[0].split("  ")[0] == "system"
    assert lines[0].split()[1:] == ["outputs", "Add", "&", "more", "TER", "SARI"]
    assert [line.split()[0] for line in lines[2:5]] == ["careful", "timid", "clumsy"]
    assert lines[5] == ""
    macro = read_json("macro.json")
    for line in lines[2:5]:
        scores, widths = macro["systems"][line.split()[0]], macro["intervals"]["systems"][line.split()[0]]
        cells = [
            f"{scores[name]:.2f} [{widths[name][0]:.2f}, {widths[name][1]:.2f}]"
            for name in ("sari_add", "edits", "sari")
        ]
        assert " ".join(line.replace("*", " ").replace("(baseline)", "").split()[2:]) == " ".join(cells)
    assert {"sari_keep", "edits_num_edits"} <= macro["metrics"].keys()  # which have no column
    assert "sari_keep" in json.loads(Path("micro.jsonl").read_text(encoding="utf-8").splitlines()[0])["metrics"]


def test_a_profile_gives_the_scores_of_its_metrics(evaluated: Any) -> None:
    evaluated("macro.json --profile rewriting --no-confidence")
    evaluated("other.json --metric sari:variant=easse --metric ter:label=edits")
    assert Path("macro.json").read_bytes() == Path("other.json").read_bytes()


def configured(evaluated: Run, words: str = "", **config: Any) -> Any:
    write_json("config.json", config)
    return evaluated(f"macro.json --config config.json --format json {words}")


def test_a_configuration_names_a_profile_and_how_to_resample(evaluated: Any) -> None:
    asked = {"level": 0.9, "resamples": 60, "seed": 7}
    by_config = configured(evaluated, profile="rewriting", confidence=asked, baseline="timid")
    assert by_config.code == 0, by_config.err
    flags = "--confidence-level 0.9 --resamples 60 --seed 7 --baseline timid"
    assert by_config.out == evaluated(f"--profile rewriting --format json {flags}").out
    assert json.loads(by_config.out)["significance"]["baseline"] == "timid"


def test_flags_win_over_a_configuration(evaluated: Any) -> None:
    asked: dict[str, Any] = {"confidence": {"resamples": 60, "seed": 7}, "baseline": "timid"}
    found = json.loads(configured(evaluated, "--seed 8 --baseline clumsy", profile="rewriting", **asked).out)
    assert (found["intervals"]["resamples"], found["intervals"]["seed"]) == (60, 8)
    assert found["significance"]["baseline"] == "clumsy"
    assert "intervals" not in json.loads(configured(evaluated, "--no-confidence", profile="rewriting", **asked).out)
    found = json.loads(configured(evaluated, "--profile rewriting", profile="forlorn", confidence=False).out)
    assert "edits" in found["metrics"]
    assert "intervals" not in found


@pytest.mark.parametrize(
    ("config", "has"),
    [
        ({"confidence": True}, True),
        ({"confidence": {}}, True),
        ({"confidence": {"resamples": 50}}, True),
        ({"baseline": "timid"}, True),
        ({"confidence": False}, False),
        ({}, False),
    ],
)
def test_a_configuration_asks_for_intervals(config: dict[str, Any], has: bool, evaluated: Any) -> None:
    found = configured(evaluated, metrics=["ter"], **config)
    assert ("intervals" in json.loads(found.out)) is has


@pytest.mark.parametrize(
    ("config", "told"),
    [
        (
            {"confidence": "yes"},
            "config.json: 'confidence' must be true, false, a level, or an object with 'level', 'method', 'resa",
        ),
        ({"confidence": {"level": 1}}, f"must be {EXPECTED_CONFIDENCE}, got 1 ('confidence' of the"),
        ({"confidence": 100}, f"must be {EXPECTED_CONFIDENCE}, got 100 ('confidence' of the"),
        ({"confidence": {"seed": True}}, "'confidence' must be true, false, a level, or an object"),
        ({"confidence": {"sed": 3}}, "'confidence' must be true, false, a level, or an object"),
        (
            {"confidence": {"resamples": 9}},
            f"a 95 % {NEEDS_RESAMPLES} 40 resamples, got 9 ('confidence' of the configuration)",
        ),
        ({"confidence": False, "baseline": "timid"}, "'baseline' needs intervals, but 'confidence'"),
        ({"profile": 3}, "a profile, got the number 3"),
        ({"profile": "rewritin"}, "unknown profile 'rewritin'"),
        ({"baseline": ["timid"]}, "the name of a system, got the list ['timid']"),
        ({"baseline": "timd"}, "unknown system 'timd'; did you mean 'timid'"),
    ],
)
def test_a_configuration_that_makes_no_sense_is_refused(config: dict[str, Any], told: str, evaluated: Any) -> None:
    found = configured(evaluated, metrics=["ter"], **config)
    assert (found.code, found.out) == (2, "")
    assert told in found.err


def test_metrics_beside_a_profile_come_behind_it(evaluated: Any) -> None:
    found = evaluated("--profile rewriting --metric chrf --metric ter:case_sensitive=true,label=cased --no-confidence")
    heads = found.out.splitlines()[0].split()
    assert heads[-3:] == ["SARI", "chrf", "cased"]
    again = evaluated("--profile rewriting --metric sari:variant=hf")
    assert again.code == 2
    assert f"{LABELLED_THE_SAME} 'sari'" in again.err


def test_a_profile_in_every_format(evaluated: Any) -> None:
    markdown = evaluated("--profile rewriting --format markdown").out
    assert [cell.strip() for cell in markdown.splitlines()[0].split("|")[1:-1]] == [
        "system",
        "outputs",
        "Add & more",
        "TER",
        "SARI",
    ]
    assert re.search(r"\d \\?\[\d", markdown.splitlines()[2])
    latex = evaluated("--profile rewriting --format latex").out
    assert r"system & outputs & Add \& more & TER & SARI \\" in latex
    assert r"\begin{tabular}{lrrrr}" in latex
    table = list(csv.DictReader(io.StringIO(evaluated("--profile rewriting --format csv").out)))
    names = [name + end for name in ("sari_add", "edits", "sari") for end in ("", "_low", "_high", "_p", "_p_holm")]
    assert list(table[0]) == ["system", "outputs", "baseline", *names]
    assert [row["system"] for row in table] == ["careful", "timid", "clumsy"]
    written = json.loads(evaluated("--profile rewriting --format json").out)
    assert {"metrics", "systems", "signature", "intervals", "significance"} <= written.keys()


WRONG = [
    ("needy", 1, "the metric 'spelling' needs the package 'orthography'", "a package is missing"),
    ("needy", 1, install_extra("spelling"), "what to install"),
    ("forlorn", 2, "unknown metric 'sarii'; did you mean 'sari'?", "a metric is missing"),
    (
        "unknowing",
        1,
        "the profile 'unknowing' has a column for 'terr', which its metrics ter do not return",
        "a column",
    ),
]


@pytest.mark.parametrize(("name", "code", "told", "why"), WRONG, ids=[why for *_, why in WRONG])
def test_a_profile_that_cannot_be_had_is_an_error(name: str, code: int, told: str, why: str, evaluated: Any) -> None:
    found = evaluated(f"macro.json --profile {name}")
    assert (found.code, found.out) == (code, "")
    assert told in found.err
    assert not Path("macro.json").exists()


def test_profiles_are_listed(evaluated: Any, fw: Run) -> None:
    listed = fw("list", "profiles", "--include-packages", "plugin.py", "--format", "tsv")
    assert listed.code == 0
    rows = {line.split()[0]: line for line in listed.out.splitlines()}
    assert "sari:variant=easse bleu fkgl quality-estimation\tbuilt in" in rows["simplification"]
    assert rows["rewriting"].endswith("Looks at rewriting.")


# ---- simplification --------------------------------------------------------------------------------------------------

HEADINGS = [
    "SARI",
    "add",
    "keep",
    "del",
    "BLEU",
    "FKGL",
    "Compression ratio",
    "Sentence splits",
    "Levenshtein similarity",
    "Exact copies",
    "Additions proportion",
    "Deletions proportion",
    "Lexical complexity",
]


def made_up(systems: int) -> Evaluation:
    """Scores under the names that the metrics of the profile give."""
    names = list(Profile.by_name("simplification").columns)
    scores = {f"system-{number}": MetricsDict(dict.fromkeys(names, 0.5 + number)) for number in range(systems)}
    metrics = MetricsDict(dict.fromkeys(names, 0.25))
    return Evaluation(metrics, scores, 3, dict.fromkeys(scores, 3), {"sari": "sari|fw"})


def test_simplification_is_the_table_of_easse() -> None:
    profile = Profile.by_name("simplification")
    assert [parse_spec(spec)[0] for spec in profile.metrics] == ["sari", "bleu", "fkgl", "quality-estimation"]
    assert list(profile.columns.values()) == HEADINGS
    head = score_table(made_up(2), "latex", profile=profile).splitlines()[2]
    assert head == " & ".join(["system", "outputs", *HEADINGS]) + r" \\"


def test_a_terminal_gets_the_systems_side_by_side_unless_they_are_many() -> None:
    profile = Profile.by_name("simplification")
    lines = score_table(made_up(3), profile=profile).splitlines()
    assert lines[0].split() == ["score", "system-0", "system-1", "system-2"]
    assert [line[:22].rstrip() for line in lines[2:16]] == ["outputs", *HEADINGS]
    assert score_table(made_up(30), profile=profile).splitlines()[0].split()[:3] == ["system", "outputs", "SARI"]


def test_simplification_scores_the_example_texts_in_one_pass(evaluated: Any) -> None:
    found = evaluated("macro.json --profile simplification")
    assert found.code == 0, found.err
    lines = found.out.splitlines()
    assert lines[0].split() == ["score", "careful", "(baseline)", "timid", "clumsy"]
    assert [line[:22].rstrip() for line in lines[2:16]] == ["outputs", *HEADINGS]
    assert sum(line.count("[") for line in lines[3:16]) == 38  # not where each output is one sentence
    macro = read_json("macro.json")
    assert list(macro["signature"]) == ["sari", "bleu", "fkgl", "quality-estimation"]
    assert all("|bs:1000|ar:1000|seed:0|ci:studentized|" in one for one in macro["signature"].values())


def test_simplification_has_a_lowercased_bleu(evaluated: Any) -> None:
    lower = evaluated("lower.json --profile simplification:bleu=lc --no-confidence")
    assert lower.code == 0, lower.err
    assert "BLEU (lc)" in lower.out
    assert evaluated("other.json --metric bleu:lowercase=true").code == 0
    found, expected = (read_json(f"{name}.json") for name in ("lower", "other"))
    assert "|case:lc|" in found["signature"]["bleu"] == expected["signature"]["bleu"]
    assert {system: scores["bleu"] for system, scores in found["systems"].items()} == {
        system: scores["bleu"] for system, scores in expected["systems"].items()
    }
    configuration = configured(evaluated, "--no-confidence", profile="simplification:bleu=lc")
    assert "|case:lc|" in json.loads(configuration.out)["signature"]["bleu"]
    mixed = evaluated("--profile simplification:bleu=mixed --no-confidence")
    assert mixed.out == evaluated("--profile simplification --no-confidence").out
    assert "BLEU (lc)" not in mixed.out


# ---- summarization and translation -----------------------------------------------------------------------------------


def scored(fw: Run, datasets_path: Path, profile: str, name: str) -> Any:
    done = fw("evaluate", "macro.json", "--profile", profile, "--input-files", datasets_path / name, "--no-confidence")
    assert done.code == 0, done.err
    return done.out.splitlines(), read_json("macro.json")


@pytest.mark.parametrize(
    ("spec", "signature", "scale", "why"),
    [
        ("summarization", "rouge|measures:1+2+l|stem:yes", 100, "the official program"),
        ("summarization:rouge=google", "google-rouge|types:rouge1+rouge2+rougeLsum|stem:yes", 1, "the package"),
    ],
)
def test_summarization_has_three_kinds_of_rouge(
    spec: str, signature: str, scale: float, why: str, fw: Run, datasets_path: Path
) -> None:
    lines, macro = scored(fw, datasets_path, spec, "summarization/outputs.jsonl")
    assert " ".join(lines[0].split()) == ("system outputs ROUGE-1 ROUGE-2 ROUGE-L ROUGE-1 recall ROUGE-1 precision")
    assert [line.split()[0] for line in lines[2:5]] == ["lead", "brief", "mixed"]
    assert all(scale / 10 < float(number) < scale for line in lines[2:5] for number in line.split()[2:])
    (found,) = macro["signature"].values()
    assert found.startswith(signature), why
    names = load_profile(spec).columns
    assert names.keys() <= MetricsDict(macro["systems"]["lead"]).flatten().keys()


def test_translation_has_the_scores_and_signatures_of_sacrebleu(fw: Run, datasets_path: Path) -> None:
    metrics = pytest.importorskip("sacrebleu.metrics")
    lines, macro = scored(fw, datasets_path, "translation", "translation/outputs.jsonl")
    assert lines[0].split() == ["system", "outputs", "BLEU", "chrF", "chrF++", "TER"]
    folder = datasets_path / "translation"
    good, *references = (
        (folder / name).read_text(encoding="utf-8").splitlines()
        for name in ("good.txt", "references.0.txt", "references.1.txt")
    )
    peers = {"bleu": metrics.BLEU(), "chrf": metrics.CHRF(), "chrf++": metrics.CHRF(word_order=2), "ter": metrics.TER()}
    for name, peer in peers.items():
        expected = peer.corpus_score(good, references).score
        assert macro["systems"]["good"][name] == (rounded(expected) if name == "bleu" else expected)
        assert macro["other_signatures"][name]["sacrebleu"] == str(peer.get_signature())
