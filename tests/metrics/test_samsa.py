"""SAMSA: worked examples in both modes, the laws it keeps to, and what is told when passages are missing or wrong."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from equal_words import EqualWords
from hypothesis import event, given, settings
from hypothesis import strategies as st
from json_files import write_rows
from messages import FAILED_WITH_EXIT_CODE
from samples import sampled
from samsa_cases import CASES, Case
from ucca_writer import passage, passage_xml, words_of

from metrics_framework.alignment import REGISTRY as ALIGNERS
from metrics_framework.common.errors import DataError, DataErrors, ProcessError, UnknownNameError, UsageError
from metrics_framework.common.registrable import Entry
from metrics_framework.metrics.base.metric import load
from metrics_framework.metrics.samsa import Samsa, share_found
from metrics_framework.testing.flat_passage import COMMAND
from metrics_framework.ucca.scenes import (
    CENTRE,
    MAIN,
    PARALLEL,
    PARTICIPANT,
    published_scenes_of,
    scene_units,
    scenes_of,
)

OPTIONS = {"aligner": "equal-words", "splitter": "none", "tokenizer": "none"}
METRICS, MODES = ("samsa", "samsa-abl"), ("definition", "published")
CASE = {case.name: case for case in CASES}
Folder = Callable[..., str]


@pytest.fixture(scope="module", autouse=True)
def aligner() -> Iterator[None]:
    """Lets the aligner of the worked examples be had by its name."""
    entry = Entry("equal-words", EqualWords.__module__, EqualWords.__name__, "the tests", registered=EqualWords)
    with pytest.MonkeyPatch.context() as patch:
        ALIGNERS.search()
        patch.setitem(ALIGNERS.entries, entry.name, entry)
        yield


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """Gives what writes passages into a folder, each with a file name."""

    def write(*passages: str) -> str:
        for number, brackets in enumerate(passages):
            (tmp_path / f"{number}.xml").write_text(passage_xml(brackets), encoding="utf-8")
        return str(tmp_path)

    return write


# ---- worked by hand --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("case", sampled(CASES, 22), ids=[case.name for case in CASES])
def test_a_worked_example_gives_its_score(case: Case, name: str, mode: str, folder: Folder) -> None:
    metric = load(name, passages=[folder(case.passage)], mode=mode, **OPTIONS)
    scores = metric.score(case.sentences, words_of(case.passage))
    assert scores == {name: pytest.approx(float(100 * case.expected(name, mode)), abs=1e-9)}


def test_the_example_data_have_a_passage_of_each_source(datasets_path: Path) -> None:
    lines = (datasets_path / "ucca" / "outputs.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    metric = load("samsa", passages=[str(datasets_path / "ucca")], aligner="equal-words", splitter="pysbd")
    scores = metric.score_all([row["summary"]["text"] for row in rows], [row["source"]["text"] for row in rows])
    assert [one["samsa"] for one in scores[:3]] == [100, 50, 0]  # two scenes in two sentences, in one, in three
    timid = [one["samsa"] for one, row in zip(scores, rows, strict=True) if row["summarizer_id"] == "timid"]
    assert timid == [pytest.approx(100 / scenes) for scenes in (2, 3, 2, 2)]  # the source, in one sentence


# ---- laws ------------------------------------------------------------------------------------------------------------

LETTERS = "abcdef"
TAGS = ("C", "C", "P", "S", "A", "A", "H", "E", "D")


@st.composite
def brackets(draw: st.DrawFn) -> str:
    """Draws a passage with units inside of others, remote edges and implicit units."""
    labels: list[str] = []

    def unit(tag: str, depth: int) -> str:
        kind = draw(st.sampled_from(["plain"] * 6 + ["implicit", "remote", "mark"]))
        if kind == "implicit":
            return f"[{tag}!]"
        if kind == "remote" and labels:
            return f"[{tag}>{draw(st.sampled_from(labels))}]"
        if kind == "mark":
            return "[U ,]"
        if depth and draw(st.booleans()):
            inner = [unit(draw(st.sampled_from(TAGS)), depth - 1) for _ in range(draw(st.integers(1, 4)))]
        else:
            inner = draw(st.lists(st.sampled_from(LETTERS), min_size=1, max_size=2))
        labels.append(f"u{len(labels)}")  # only now: an edge to a unit from below it would lead back
        return f"[{tag}={labels[-1]} {' '.join(inner)}]"

    return " ".join(unit("H", draw(st.integers(1, 3))) for _ in range(draw(st.integers(1, 4))))


SENTENCES = st.lists(st.lists(st.sampled_from(LETTERS), min_size=1, max_size=6), max_size=6)


def both_scores(text: str, sentences: Sequence[Sequence[str]], mode: str) -> tuple[float, float]:
    """Returns SAMSA and SAMSA_abl without the metric's own handling of passages."""
    metrics = [load(name, parser=COMMAND, mode=mode, **OPTIONS) for name in METRICS]
    scenes = (published_scenes_of if mode == "published" else scenes_of)(passage(text))
    samsa, ablated = (metric._score(scenes, [" ".join(sentence) for sentence in sentences]) for metric in metrics)
    return samsa, ablated


@settings(max_examples=15)
@given(brackets(), SENTENCES, st.sampled_from(MODES))
def test_samsa_lies_between_0_and_samsa_abl_which_is_at_most_1(
    text: str, sentences: list[list[str]], mode: str
) -> None:
    samsa, ablated = both_scores(text, sentences, mode)
    assert 0 <= samsa <= ablated <= 1


@settings(max_examples=25)
@given(brackets(), SENTENCES)
def test_samsa_is_the_share_of_samsa_abl_that_sentences_have_of_scenes(text: str, sentences: list[list[str]]) -> None:
    samsa, ablated = both_scores(text, sentences, "definition")
    scenes = len(scenes_of(passage(text)).scenes)
    assert samsa == pytest.approx(ablated * len(sentences) / scenes if scenes else 0)
    assert ablated == 0 or scenes >= len(sentences)


@settings(max_examples=25)
@given(brackets())
def test_the_source_as_its_own_simplification_keeps_all_there_is_to_keep(text: str) -> None:
    scenes = scenes_of(passage(text))
    words = range(len(scenes.words))
    found = share_found(scenes, [[(place, place) for place in words]]) if scenes.scenes else 1.0
    empty = any(not scene.main_relation for scene in scenes.scenes)
    empty |= any(not part for scene in scenes.scenes for part in scene.participants or [()])
    assert found == 1 or (empty and found >= 0.5)


@settings(max_examples=25)
@given(brackets())
def test_the_modes_have_the_same_scenes_with_as_many_participants_made_of_their_words(text: str) -> None:
    ours, theirs = scenes_of(passage(text)).scenes, published_scenes_of(passage(text)).scenes
    assert [scene.words for scene in theirs] == [scene.words for scene in ours]
    assert [len(scene.participants) for scene in theirs] == [len(scene.participants) for scene in ours]
    assert all(participant <= scene.words for scene in [*ours, *theirs] for participant in scene.participants)
    assert all(scene.main_relation <= scene.words for scene in ours)


@settings(max_examples=25)
@given(brackets())
def test_main_relations_of_the_mode_published_are_shifted_by_those_before_that_are_second(text: str) -> None:
    units = scene_units(passage(text))
    counts = [len({unit.name for unit in passage(text).children(scene, MAIN)}) for scene in units]
    ours, theirs = scenes_of(passage(text)).scenes, published_scenes_of(passage(text)).scenes
    owners = [scene for scene, count in zip(ours, counts, strict=True) for _ in range(count)]
    for owner, scene in zip(owners, theirs, strict=False):
        assert scene.main_relation <= owner.main_relation  # the last of its centres is one of them


@settings(max_examples=25)
@given(brackets())
def test_the_modes_are_one_where_nothing_has_several_centres(text: str) -> None:
    read = passage(text)
    centres = [len(read.children(unit, (*CENTRE, *MAIN))) for unit in read.units]
    beside = [len(read.children(one, PARALLEL)) for unit in read.units for one in read.children(unit, PARTICIPANT)]
    several = max([*centres, *beside]) > 1
    event(f"several centres: {several}")
    assert several or published_scenes_of(read) == scenes_of(read)


OF_OTHER_WORDS = list({words_of(case.passage): case for case in CASES}.values())


@given(st.permutations([case.passage for case in OF_OTHER_WORDS]), st.booleans())
@settings(max_examples=8)
def test_the_order_and_the_names_of_files_do_not_matter(order: list[str], as_folder: bool) -> None:
    cases = OF_OTHER_WORDS
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, f"{number}.xml") for number in range(len(order))]
        for path, text in zip(paths, order, strict=True):
            Path(path).write_text(passage_xml(text), encoding="utf-8")
        metric = load("samsa", passages=[folder] if as_folder else paths[::-1], **OPTIONS)
        found = metric.score_all([case.sentences for case in cases], [words_of(case.passage) for case in cases])
    assert [scores["samsa"] for scores in found] == [
        pytest.approx(float(100 * case.expected("samsa", "definition"))) for case in cases
    ]


# ---- options ---------------------------------------------------------------------------------------------------------


def test_a_summary_is_cut_into_sentences_and_words_as_asked(folder: Folder) -> None:
    passages = [folder("[H [A=he He] [P ate]] [L and] [H [A>he] [P left] [U .]]")]
    options = {"passages": passages, "aligner": "equal-words"}
    assert load("samsa", splitter="pysbd", **options).score("He ate. He left.", "He ate and left.")["samsa"] == 100
    assert load("samsa", splitter="none", **options).score("He ate. He left.", "He ate and left.")["samsa"] == 50
    untokenized = load("samsa", splitter="pysbd", tokenizer="none", **options)
    assert untokenized.score("He ate. He left.", "He ate and left.")["samsa"] == 50  # neither "ate." nor "left." counts


def test_a_list_of_several_is_not_cut_further_and_blank_entries_are_no_sentences(folder: Folder) -> None:
    case = CASE["two scenes that stay in one sentence"]
    metric = load("samsa", passages=[folder(case.passage)], **{**OPTIONS, "splitter": "pysbd", "tokenizer": "13a"})
    assert metric.score(["He ate. He left."], "He ate and left.")["samsa"] == 100
    assert metric.score(["He ate.", " ", "He left.", ""], "He ate and left.")["samsa"] == 100


def test_the_signature_says_what_decides_the_score() -> None:
    metric = load("samsa", passages=["there"], mode="published", aligner="equal-words", splitter="pysbd")
    expected = f"samsa|mode:published|ucca:files|align:equal-words|split:pysbd.{version('pysbd')}|tok:13a"
    assert metric.signature().rpartition("|")[0] == expected
    other = load("samsa-abl", parser="tupa", aligner="equal-words", splitter="none", tokenizer="treebank")
    expected = "samsa-abl|mode:definition|ucca:parser|align:equal-words|split:none|tok:treebank"
    assert other.signature().rpartition("|")[0] == expected


def test_each_source_is_parsed_once(tmp_path: Path) -> None:
    log, program = tmp_path / "log", tmp_path / "parser.py"
    program.write_text(
        "import subprocess, sys\ntext = sys.stdin.buffer.read()\n"
        f"open({str(log)!r}, 'ab').write(text)\n"
        "sys.stdout.buffer.write(subprocess.run(sys.argv[1:], input=text, capture_output=True, check=True).stdout)\n",
        encoding="utf-8",
    )
    command = f"{shlex.join([sys.executable, str(program)])} {COMMAND}"
    metric = load("samsa", parser=command, **OPTIONS)
    sources = ["Birds sing .", "Fish swim .", "Birds  sing .", ""]
    metric.score_multi_all([["Birds sing ."], ["Fish swim .", "x"], ["y"], ["z"]], sources)
    metric.score("Birds .", "Birds sing .")
    assert log.read_text(encoding="utf-8") == "Birds sing .\nFish swim .\n"


# ---- what is refused -------------------------------------------------------------------------------------------------


def test_passages_or_a_parser_must_be_given_but_not_both() -> None:
    metric = load("samsa", **OPTIONS)
    assert metric.signature().startswith("samsa|mode:definition|ucca:none|")
    with pytest.raises(UsageError, match="'samsa' requires UCCA passages of the sources: set 'passages'"):
        metric.score("Birds sing .", "Birds sing .")
    with pytest.raises(UsageError, match="'passages' and 'parser' are mutually exclusive"):
        load("samsa", passages=["a"], parser="b", **OPTIONS)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"aligner": "no-such"}, UnknownNameError, "unknown aligner 'no-such'"),
        ({"mode": "other"}, UsageError, "'mode' must be one of definition, published, got 'other'"),
        ({"splitter": "other"}, UsageError, "'splitter' must be one of "),
        ({"tokenizer": "other"}, UsageError, "'tokenizer' must be one of "),
        ({"parser": "a 'b"}, UsageError, "'parser' must be a command"),
    ],
)
def test_wrong_options_are_refused_at_once(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        load("samsa", **{**OPTIONS, **options})


def test_a_mode_that_does_not_exist_is_refused_without_the_registry_too() -> None:
    with pytest.raises(UnknownNameError, match="'mode' must be one of definition, published, got 'other'"):
        Samsa(mode="other", aligner="equal-words")


def test_all_sources_of_a_batch_that_have_no_passage_are_named_together(folder: Folder) -> None:
    metric = load("samsa", passages=[folder("[H [A Birds] [P sing]]")], **OPTIONS)
    with pytest.raises(DataErrors) as caught:
        metric.score_all(["a", "b", "c", "d"], ["Fish swim", "Birds sing", "Cows moo", "Fish swim"])
    assert [problem.message.split(";")[0] for problem in caught.value.problems] == [
        "no passage has the words of the source 'Fish swim', only 1 passage with other words",
        "no passage has the words of the source 'Cows moo', only 1 passage with other words",
    ]
    with pytest.raises(DataError, match="only 1 passage with other words;"):
        metric.score("a", "Fish swim")


def test_files_that_are_no_passages_are_named_once_however_many_sources_there_are(folder: Folder) -> None:
    path = Path(folder("[H [A Birds] [P sing]]"))
    (path / "broken.xml").write_text("<root>", encoding="utf-8")
    with pytest.raises(DataError, match=r"^\S*broken.xml:1: is not XML: no element found$"):
        load("samsa", passages=[str(path)], **OPTIONS).score_all(["a", "b"], ["Birds sing", "Fish swim"])


def test_a_parser_that_fails_ends_the_run() -> None:
    command = shlex.join([sys.executable, "-c", "raise SystemExit('no model')"])
    with pytest.raises(ProcessError, match=f"{FAILED_WITH_EXIT_CODE} 1: no model"):
        load("samsa", parser=command, **OPTIONS).score("a", "Birds sing .")


def test_a_source_without_words_has_no_scenes_and_needs_no_passage(folder: Folder) -> None:
    metric = load("samsa-abl", passages=[folder("[H [A Birds] [P sing]]")], **OPTIONS)
    assert metric.score_all(["x", ""], ["", " \n"]) == [{"samsa-abl": 0.0}, {"samsa-abl": 0.0}]


# ---- the command line ------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_both_metrics_can_be_had_from_the_command_line_by_any_number_of_jobs(folder: Folder, tmp_path: Path) -> None:
    cases = [case for case in OF_OTHER_WORDS if case.sentences]
    rows = [
        {"instance_id": str(number), "summary": case.sentences, "source": words_of(case.passage)}
        for number, case in enumerate(cases)
    ]
    own = folder(*(case.passage for case in cases))
    rows_path = tmp_path / "rows.jsonl"
    write_rows(rows_path, rows)
    options = f"passages={own},aligner=equal-words,splitter=none,tokenizer=none"
    plugin = tmp_path / "plugin.py"
    plugin.write_text(
        "from equal_words import EqualWords\n\nEqualWords.register('equal-words')(EqualWords)\n", encoding="utf-8"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parent.parent)}
    written = []
    for jobs in ("1", "2"):
        out = tmp_path / f"{jobs}.jsonl"
        words = ["score", str(out), "--input-files", str(rows_path), "--jobs", jobs]
        words += ["--include-packages", str(plugin)]
        words += [word for name in METRICS for word in ("--metric", f"{name}:{options}")]
        command = [sys.executable, "-m", "metrics_framework", *words]
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        written.append(out.read_bytes())
    assert written[0] == written[1]
    scored = {row["instance_id"]: row["metrics"] for row in map(json.loads, written[0].splitlines())}
    for name in METRICS:
        found = [scored[row["instance_id"]][name] for row in rows]
        assert found == [pytest.approx(float(100 * case.expected(name, "definition"))) for case in cases]
