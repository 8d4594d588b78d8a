"""METEOR: the published program itself, run on files, and what goes wrong without it."""

from __future__ import annotations

import gzip
import random
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from metrics_framework.common.errors import MissingExtraError, ProgramError, UsageError
from metrics_framework.common.installation import install_extra
from metrics_framework.metrics import meteor as module
from metrics_framework.metrics.base.metric import load
from metrics_framework.metrics.meteor import JAR, JAVA, PACKAGE, Meteor, without_chunk_of_perfect_match

requires_meteor = pytest.mark.skipif(
    not (PACKAGE.is_met() and JAVA.is_met()), reason="needs Java and the package pycocoevalcap (extra: meteor)"
)
SENTENCE = "the a dog dogs cat cats run runs ran running quickly fast big large house home of in on to near . , ! buy"
WORDS = [*SENTENCE.split(), "purchase", "bought", "car", "automobile", "don't", "well-known", "U.S.", "3.5"]
WORDS += ["café", "漢字", "😀", "a|||b", "||"]


def random_texts(seed: int, count: int) -> list[str]:
    chance = random.Random(seed)
    return [" ".join(chance.choices(WORDS, k=chance.randint(0, 12))) for _ in range(count)]


def jar() -> Path:
    return module._package_folder() / JAR


def by_program(
    folder: Path, summaries: Sequence[str], references_list: Sequence[Sequence[str]], *options: str
) -> dict[str, Any]:
    """Runs the program on files; returns all numbers that it prints."""
    (folder / "summaries").write_text("\n".join(summaries) + "\n", encoding="utf-8")
    references = [reference for references in references_list for reference in references]
    (folder / "references").write_text("\n".join(references) + "\n", encoding="utf-8")
    command = ["java", "-Xmx2G", "-Dfile.encoding=UTF-8", "-jar", str(jar())]
    files = [str(folder / "summaries"), str(folder / "references"), "-r", str(len(references_list[0]))]
    done = subprocess.run([*command, *files, *options], capture_output=True, text=True, check=True)
    numbers = {name: float(value) for name, value in re.findall(r"^([A-Z][\w ]*):\s+([\d.E-]+)$", done.stdout, re.M)}
    numbers["segments"] = [float(value) for value in re.findall(r"^Segment \d+ score:\s+(\S+)$", done.stdout, re.M)]
    return numbers


@pytest.mark.slow
@requires_meteor
@pytest.mark.parametrize("references", [1, 3])
def test_equal_to_the_program_on_files_to_all_digits(tmp_path: Path, references: int) -> None:
    summaries = random_texts(0, 80)
    columns = [random_texts(1 + index, 80) for index in range(references)]
    columns[0][:40] = [text[::-1] if index % 5 == 0 else text[: index + 9] for index, text in enumerate(summaries[:40])]
    references_list = [list(row) for row in zip(*columns, strict=True)]
    printed = by_program(tmp_path, summaries, references_list, "-l", "en", "-norm")
    corpus, scores = load("meteor").evaluate(summaries, references_list)
    assert [score["meteor"] for score in scores] == printed["segments"]
    assert corpus == {
        "meteor": printed["Final score"],
        "meteor_precision": printed["Precision"],
        "meteor_recall": printed["Recall"],
        "meteor_penalty": printed["Fragmentation penalty"],
    }
    assert corpus["meteor"] != pytest.approx(sum(printed["segments"]) / 80, abs=1e-3)


@pytest.mark.slow
@requires_meteor
def test_other_languages_have_other_parameters(tmp_path: Path) -> None:
    texts = [text.replace("|", "") for text in random_texts(0, 40)]
    references_list = [[text[:-3]] for text in texts]
    for language in ("da", "other"):
        printed = by_program(tmp_path, texts, references_list, "-l", language)
        corpus, scores = load("meteor", language=language, normalize=False).evaluate(texts, references_list)
        assert [score["meteor"] for score in scores] == printed["segments"]
        assert corpus["meteor"] == printed["Final score"]


def random_counts(chance: random.Random, kinds: int) -> list[int]:
    matches = [[chance.choice([0, 0, 1, 2, 5]) for _ in range(4)] for _ in range(kinds)]
    functions = [sum(kind[2 + side] for kind in matches) for side in (0, 1)]
    matched = [sum(kind[side] for kind in matches) + functions[side] for side in (0, 1)]
    extra = [[chance.randint(0, 4) for _ in (0, 1)] for _ in (0, 1)]
    words = [matched[side] + sum(extra[side]) for side in (0, 1)]
    functions = [functions[side] + extra[side][0] for side in (0, 1)]
    flat = [number for kind in matches for number in kind] + [0] * 4 * (4 - kinds)
    return [*words, *functions, *flat, chance.randint(min(1, *matched), max(1, min(matched))), *matched]


@pytest.mark.slow
@requires_meteor
@pytest.mark.parametrize("language", ["cz", "de", "en", "es", "fr", "ru", "da", "other"])
def test_the_formula_equals_that_of_the_program_for_any_counts(language: str, tmp_path: Path) -> None:
    """The program scores counts by its command EVAL; an empty table of paraphrases lets it start quickly."""
    with gzip.open(tmp_path / "empty.gz", "wb"):
        pass
    metric = load("meteor", language=language, normalize=False)
    chance = random.Random(0)
    counts_list = [random_counts(chance, len(metric.parameters.weights)) for _ in range(300)]
    lines = [f"EVAL ||| {' '.join(str(float(count)) for count in counts)}\n" for counts in counts_list]
    command = ["java", "-jar", str(jar()), "-", "-", "-stdio", "-l", language, "-a", str(tmp_path / "empty.gz")]
    done = subprocess.run(command, input="".join(lines), capture_output=True, text=True, check=True)
    printed = [float(line) for line in done.stdout.split("\n")[:-1:2]]  # each score is also that of the corpus
    assert [
        metric.score_statistics(without_chunk_of_perfect_match(counts))["meteor"] for counts in counts_list
    ] == printed


TEXTS: list[tuple[Any, list[Any], float, str]] = [
    ("", ["a cat"], 0, "nothing"),
    ("a cat", [""], 0, "nothing to match"),
    ("", [""], 0, "nothing at all"),
    ("a cat", ["A cat"], 1, "normalization lowercases"),
    ("a\ncat\r\nsat", ["a cat sat"], 1, "line breaks are spaces"),
    (["a cat", "sat"], ["a cat sat"], 1, "sentences"),
    ("a|||b", ["a | | | b"], 1, "the separator of the program"),
    ("a ||| b EVAL", ["a ||| b EVAL"], 1, "what looks like a command"),
    ("\ud800 cat", ["? cat"], 1, "half of a character becomes a question mark"),
    ("漢字 😀 café", ["漢字 😀 café"], 1, "every script"),
    ("a cat", ["dogs", "a cat", "cat a"], 1, "the best reference"),
]


@requires_meteor
@pytest.mark.parametrize(("summary", "references", "expected", "why"), TEXTS)
def test_unusual_texts(summary: Any, references: list[Any], expected: float, why: str) -> None:
    assert load("meteor").score(summary, references)["meteor"] == expected


# ---- the formula, without the program -------------------------------------------------------------------------------


def test_scores_of_counts_by_hand() -> None:
    """Four words each, none a function word: 3 equal and 1 stem in 1 chunk is a perfect order, but not all matches."""
    counts = [5, 4, 0, 0, 3, 3, 0, 0, 1, 1, *[0] * 10, 1, 4, 4]
    precision, recall = 3.6 / 5, 3.6 / 4
    penalty = 0.6 * (1 / 4) ** 0.2
    expected = (1 - penalty) / (0.15 / precision + 0.85 / recall)
    found = Meteor().score_statistics(counts)
    assert list(found.values()) == pytest.approx([expected, precision, recall, penalty], abs=1e-15)


def test_a_perfect_match_has_no_penalty() -> None:
    counts = [4, 4, 2, 2, 2, 2, 2, 2, *[0] * 12, 1, 4, 4]
    assert Meteor().score_statistics(without_chunk_of_perfect_match(counts)) == {
        "meteor": 1,
        "meteor_precision": 1,
        "meteor_recall": 1,
        "meteor_penalty": 0,
    }


# ---- errors ---------------------------------------------------------------------------------------------------------


def test_languages_without_normalization() -> None:
    with pytest.raises(UsageError, match=r"texts in the language 'it'; tokenize.*'normalize' to false"):
        Meteor(language="it")


@pytest.mark.parametrize("memory", ["2", "G", "0G", "2G -version", ""])
def test_invalid_memory(memory: str) -> None:
    with pytest.raises(UsageError, match="'memory' must be a number with a unit, such as 2G or 512M"):
        Meteor(memory=memory)


def test_invalid_time_limit() -> None:
    with pytest.raises(UsageError, match="'time_limit' must be above 0"):
        Meteor(time_limit=0)


def fake_meteor(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> Meteor:
    """Returns METEOR with a shell script for Java, and all files that it needs."""
    (folder / "data").mkdir()
    for name in (JAR, "data/paraphrase-en.gz"):
        (folder / name).touch()
    (folder / "java").write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    (folder / "java").chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=":")
    return Meteor(folder=str(folder), time_limit=20)


def test_without_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    metric = fake_meteor(tmp_path, monkeypatch, "")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(UsageError, match="the metric 'meteor' needs the program 'java': install a Java runtime"):
        metric.score("a", ["b"])


def test_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=re.escape(install_extra("meteor"))):
        Meteor().score("a", ["b"])


def test_a_folder_without_the_program(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"there is no meteor-1\.5\.jar in .*; 'folder' must be the folder of METEOR"):
        Meteor(folder=str(tmp_path)).score("a", ["b"])


def test_a_language_without_its_paraphrases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_meteor(tmp_path, monkeypatch, "")
    with pytest.raises(UsageError, match=r"needs the file data/paraphrase-fr\.gz beside .* 'folder' to its folder"):
        Meteor("fr", folder=str(tmp_path)).score("a", ["b"])


def test_a_program_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    metric = fake_meteor(tmp_path, monkeypatch, "echo 'OutOfMemoryError: Java heap space' >&2; exit 3")
    with pytest.raises(ProgramError, match=r"METEOR(.|\n)*OutOfMemoryError: Java heap space"):
        metric.score("a", ["b"])


def test_a_program_that_prints_something_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    metric = fake_meteor(tmp_path, monkeypatch, "while read -r line; do echo 'Error: no'; done")
    with pytest.raises(ProgramError, match="METEOR must print 23 counts for an output, got the string 'Error: no'"):
        metric.score("a", ["b"])


def test_no_outputs_need_no_program() -> None:
    assert Meteor().score_multi_all([[]], [["a"]]) == [[]]


def test_the_files_of_the_program_are_not_overwritten() -> None:
    assert Meteor(folder="meteor").files_read() == ["meteor"]
