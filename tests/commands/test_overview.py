"""Help, versions, lists, citations and completion: what ``fw`` says of itself."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import subprocess
import sys
from argparse import SUPPRESS
from collections.abc import Callable
from pathlib import Path
from shlex import split
from typing import Any

import pytest
from json_files import read_rows, write_rows
from judge_server import lasting_url
from learned_models import tiny_alignscore, tiny_comet, tiny_metricx, tiny_nli
from neural_models import tiny_model
from samples import sampled

from metrics_framework import Coefficient, DatasetReader, Metric, __version__
from metrics_framework.commands import REGISTRY as COMMANDS
from metrics_framework.commands.app import GROUPS, help_text, main
from metrics_framework.commands.arguments import main_names
from metrics_framework.commands.command import find_command
from metrics_framework.commands.completion import SHELLS, candidates
from metrics_framework.common.errors import RegistrationError
from metrics_framework.meta_evaluation.differences import REGISTRY as DIFFERENCE_TESTS
from metrics_framework.metrics.sari import VARIANTS
from metrics_framework.testing.flat_passage import flat_passage

Run = Callable[..., Any]
METRICS, READERS, COEFFICIENTS, TESTS = (
    [name for name in registry.names() if registry.entries[name].module.startswith("metrics_framework.")]
    for registry in (Metric.registry(), DatasetReader.registry(), Coefficient.registry(), DIFFERENCE_TESTS)
)
LISTED = [("metrics", METRICS), ("readers", READERS), ("coefficients", COEFFICIENTS), ("tests", TESTS)]


def test_help_lists_every_command_in_a_line_of_its_own(fw: Run) -> None:
    result = fw("--help")
    assert (result.code, result.err) == (0, "")
    lines = [line for line in result.out.splitlines() if line.startswith("  ")]
    for name in COMMANDS.names():
        assert [line for line in lines if re.match(rf"  {name} +\w[^.]*\.$", line)], name
    assert result.out.count("\n") <= 45
    assert "complete-words" not in result.out
    assert fw("-h").out == fw("help").out == result.out


def test_every_command_has_a_group_in_the_help() -> None:
    assert sorted(name for names in GROUPS.values() for name in names) == COMMANDS.names()


def test_names_that_cannot_be_used_are_in_the_help(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(Metric.registry().conflicts, "sari", RegistrationError("registered twice"))
    assert "  sari: unavailable: registered twice\n" in help_text()


def _flags(text: str) -> set[str]:
    """Returns the flags that a help describes: those in its first column."""
    text = re.sub(r"  BOOL is true.*?\n\n", "", text.split("\nexamples:")[0], flags=re.DOTALL)
    lines = [line for line in text.splitlines() if re.match(r" {2,4}[-\w]", line)]
    return set(re.findall(r"(?<!\S)--?[a-z][\w-]*", "\n".join(re.split(r"\s{2,}", line.strip())[0] for line in lines)))


EVERYDAY_HELPS = [
    ["evaluate"],
    ["score"],
    ["compare"],
    ["correlate"],
    ["report"],
    ["sari", "evaluate"],
    ["ter", "score"],
]


@pytest.mark.parametrize("words", EVERYDAY_HELPS, ids=" ".join)
def test_help_has_the_everyday_flags_and_help_all_has_all(words: list[str], fw: Run) -> None:
    short, long = fw(*words, "--help").out, fw(*words, "--help-all").out
    parser, command, _ = find_command(words)
    described = [action for action in parser._actions if action.option_strings and action.help != SUPPRESS]
    everyday = [action for action in described if action.dest != "help" and not parser._is_rare(action)]
    assert {flag for action in described for flag in action.option_strings} == _flags(long)
    main = {main_names(action.option_strings)[-1] for action in everyday}
    assert main <= _flags(short) - {"--help-all"} <= {flag for action in everyday for flag in action.option_strings}
    assert f"describe all flags in full ({len(described) - len(everyday) - 1} more)" in short
    assert len(command.everyday) <= 22
    for flag in set(command.everyday) - ({"--metric", "--profile"} if words[1:] else set()):
        assert any(flag in action.option_strings for action in described), flag


def test_help_all_of_a_command_without_rare_flags_is_its_help(fw: Run) -> None:
    assert fw("cite", "--help-all").out == fw("cite", "--help").out
    assert "--help-all" not in fw("cite", "--help").out


ALIASES = {
    "ratings": "convert-ratings",
    "judge": "test-judge",
    "write-pairs": "write pairs",
    "write-votes": "write votes",
    "setup-dataset": "setup dataset",
    "setup-metric": "setup metric",
}


@pytest.mark.parametrize(("alias", "name"), ALIASES.items())
def test_earlier_names_of_commands_remain(alias: str, name: str, fw: Run) -> None:
    assert fw(alias, "--help").out == fw(*name.split(), "--help").out
    assert fw(alias, "--help").out.startswith(f"usage: fw {name} ")


def test_references_before_outputs_are_scored_as_by_evaluate(fw: Run, datasets_path: Path) -> None:
    texts = [str(datasets_path / "simplification" / name) for name in ("references.0.txt", "careful.txt")]
    result = fw(texts[0], "-i", texts[1], "-m", "bleu")
    assert (result.code, result.out) == (0, fw("evaluate", texts[0], "-i", texts[1], "-m", "bleu").out)


def test_a_word_that_resembles_no_metric_is_an_output_file(fw: Run, datasets_path: Path) -> None:
    texts = datasets_path / "simplification"
    words = ("-i", texts / "timid.txt", "-r", texts / "careful.txt", "-m", "ter")
    assert fw("evaluate", "scores.json", *words).code == 0
    assert fw("evaluate", *words, "-o", "x.pdf", "--format", "csv").code == 0, "a chosen format"


def test_without_a_command_the_help_goes_to_standard_error(fw: Run) -> None:
    result = fw()
    assert (result.code, result.out) == (2, "")
    assert result.err == fw("--help").out


HELPS = [[], *(name.split() for name in (*COMMANDS.names(), *METRICS))]
HELPS += [[name, action] for name in METRICS for action in ("evaluate", "score")]


@pytest.mark.parametrize("words", sampled((pytest.param(words, id=" ".join(words)) for words in HELPS), 20))
def test_help_has_80_columns_where_the_width_is_unknown_and_lists_all_flags(words: str, fw: Run) -> None:
    result = fw(*words, "--help-all" if words else "--help")
    assert (result.code, result.err) == (0, "")
    longest = max(result.out.splitlines(), key=len)
    assert len(longest) < 80, longest
    if words[1:] in (["evaluate"], ["score"]):
        assert result.out.startswith(f"usage: fw {' '.join(words)}")
        flags = [
            "--input-files",
            "--dataset-reader",
            "--outputs",
            "--references",
            "--sources",
            "--strict",
            "--log-file",
        ]
        flags += ["--macro-output-json", "--format"] if words[1] == "evaluate" else ["--disable-peer-jackknifing"]
        assert all(flag in result.out for flag in flags)


@pytest.mark.parametrize("words", HELPS, ids=" ".join)
def test_help_fits_a_screen(words: list[str], fw: Run) -> None:
    lines = fw(*words, "--help").out.splitlines()
    assert len(lines) <= 60
    assert max(map(len, lines)) < 80


@pytest.mark.parametrize("words", [[], ["sari"], ["evaluate"], ["correlate"], ["bleu", "evaluate"]], ids=" ".join)
def test_help_fits_the_width_of_the_terminal(words: list[str], fw: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {}
    for width in (120, 80, 60):
        monkeypatch.setenv("COLUMNS", str(width))
        assert max(map(len, fw(*words, "--help").out.split("\nexample")[0].splitlines())) < width
        text = fw(*words, "--help-all" if words[-1:] != ["sari"] and words else "--help").out
        texts[width] = text.split("\nexample")[0]  # the lines of commands are not broken
        assert max(map(len, texts[width].splitlines())) < width
    assert texts[120].count("\n") <= texts[80].count("\n") < texts[60].count("\n")
    assert len({"".join(text.split()) for text in texts.values()}) == 1, "only white space differs"


EXAMPLES = [words for words in HELPS if words[-1:] in (["evaluate"], ["score"], ["correlate"])]
for _name in ("error-spans", "precomputed"):  # whose input is no text
    EXAMPLES.remove([_name, "evaluate"])
    EXAMPLES.remove([_name, "score"])


@pytest.fixture
def example_files(fw: Run, datasets_path: Path) -> None:
    """Writes the files that the examples name."""
    folder = datasets_path / "simplification"
    for name, file in (("a.txt", "timid.txt"), ("b.txt", "careful.txt"), ("sources.txt", "sources.txt")):
        shutil.copy(folder / file, name)
    for name in ("pyramids.jsonl", "annotations.jsonl"):
        shutil.copy(datasets_path / "pyramids" / name, name)
    for number in range(2):
        shutil.copy(folder / f"references.{number}.txt", f"references.{number}.txt")
    shutil.copy(folder / "outputs.jsonl", "outputs.jsonl")
    rows = read_rows("outputs.jsonl")
    documents = {row["instance_id"]: [row["source"], {"text": ["It was said.", "It is so."]}] for row in rows}
    with_documents = ({**row, "documents": documents[row["instance_id"]]} for row in rows)
    inputs = ({"instance_id": instance_id, "documents": texts} for instance_id, texts in documents.items())
    questions = (
        {"reference": reference, "question": "Who?", "answer": reference.split()[0]}
        for reference in dict.fromkeys(reference["text"] for row in rows for reference in row["references"])
    )
    files = {"outputs": with_documents, "summaries": rows, "documents": inputs, "questions": questions}
    for name, lines in files.items():
        write_rows(f"{name}.jsonl", lines)
    Path("score.py").write_text("import sys\nfor row in sys.stdin: print(len(row))\n", encoding="utf-8")
    Path("passages").mkdir()
    for number, source in enumerate(Path("sources.txt").read_text(encoding="utf-8").splitlines()):
        Path("passages", f"{number}.xml").write_text(flat_passage(source), encoding="utf-8")
    assert (
        fw(*["score", "scores.jsonl", "--metric", "sari", "--metric", "bleu", "--input-files", "outputs.jsonl"]).code
        == 0
    )
    rows = read_rows("scores.jsonl")
    ratings = [f"{row['instance_id']},{row['summarizer_id']},{len(row['summarizer_id'])}" for row in rows]
    Path("human.csv").write_text("\n".join(["instance_id,system,simplicity", *ratings]) + "\n", encoding="utf-8")


MODELS: dict[str, tuple[str, str, dict[str, int]]] = {  # folder, task and configuration
    "bertscore": ("models/bert-base-uncased", "encoder", {"num_hidden_layers": 9}),
    "blanc": ("models/my-model", "masked-lm", {}),
    "cross-encoder": ("models/my-model", "sequence-classification", {"num_labels": 1}),
    "moverscore": ("models/my-model", "encoder", {}),
    "question-answering": ("qa", "question-answering", {}),
    "supert": ("models/my-model", "encoder", {}),
    "bartscore": ("models/my-model", "text-to-text", {}),
    "unieval": ("models/my-model", "text-to-text", {}),
}


def _with_encoder(build: Callable[[Path], dict[str, str]], name: str) -> None:
    build(Path("built"))
    Path("models").mkdir()
    Path("built/model").rename(f"models/{name}")
    Path("built/encoder").rename("models/encoder")


LEARNED: dict[str, Callable[[], object]] = {  # build models in the layouts of published programs
    "alignscore": lambda: _with_encoder(tiny_alignscore, "alignscore"),
    "comet": lambda: _with_encoder(tiny_comet, "comet"),
    "metricx": lambda: tiny_metricx(Path("models"), "metricx-24"),
    "summac": lambda: tiny_nli(Path("models/my-model")),
}


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(words, id=" ".join(words), marks=[] if words in EVERYDAY_HELPS else pytest.mark.slow)
        for words in EXAMPLES
    ],
)
def test_help_ends_with_examples_that_run(words: list[str], fw: Run, example_files: None) -> None:
    requirements = Metric.by_name(words[0]).requirements if words[1:] and words[0] in Metric.registry().names() else ()
    missing = [requirement.how_to_get_it() for requirement in requirements if not requirement.is_met()]
    if missing:
        pytest.skip("; ".join(missing))
    if words[0] in MODELS:
        folder, task, options = MODELS[words[0]]
        tiny_model(Path(folder), task, **options)
    if words[0] in LEARNED:
        LEARNED[words[0]]()
    examples = fw(*words, "--help-all").out.split("\nexamples:\n")[1]
    commands = [split(command.replace("\\\n", "")) for command in examples.removeprefix("  ").split("\n  fw")]
    assert len(commands) == {"evaluate": 3, "compare": 3, "pyramid-score": 1}.get(words[0], 2)
    if words[0] in ("llm-judge", "faithfulness", "jury"):
        commands = [[lasting_url() if "localhost" in word else word for word in command] for command in commands]
    for command in commands:
        patterns = [sorted(map(str, Path().glob(word))) if "*" in word else [word] for word in command]
        run = fw(*[word for expanded in patterns for word in expanded if word != "fw"])
        assert run.code == 0, run.err


USERS_OF_OUTPUTS = (
    ["evaluate"],
    ["score"],
    ["report"],
    ["write", "pairs"],
    ["write", "votes"],
    ["quality-estimation", "evaluate"],
)


@pytest.mark.parametrize("words", USERS_OF_OUTPUTS, ids=" ".join)
def test_the_usage_names_every_way_to_give_outputs_and_fits_a_terminal(words: list[str], fw: Run) -> None:
    usage = fw(*words, "--help").out.split("\n\n", 1)[0]
    for flag in ("--input-files", "--outputs", "--dataset", "--references", "--sources"):
        assert flag in usage
    assert max(map(len, usage.split("\n"))) < 80
    assert fw(*words, "--nosuch").err.splitlines()[1:] == [f"fw: see fw {' '.join(words)} --help"]


def test_version_says_what_runs(fw: Run) -> None:
    result = fw("--version")
    assert (result.code, result.err) == (0, "")
    assert result.out.splitlines()[0] == f"fw {__version__}"
    assert f"Python {sys.version.split()[0]}" in result.out
    assert "kernels: " in result.out
    assert fw("-V").out == result.out


def test_the_help_of_a_metric_says_what_it_is_and_what_can_be_done(fw: Run) -> None:
    for name in METRICS:
        result = fw(name, "--help")
        assert (result.code, result.err) == (0, "")
        for fragment in (f"fw {name} evaluate --help", f"fw {name} score --help", f"fw cite {name}"):
            assert fragment in result.out
        assert (Metric.by_name(name).__doc__ or "").split("\n")[0].replace("`", "") in " ".join(result.out.split())


def test_the_options_of_sari_are_flags_with_their_texts_and_values(fw: Run) -> None:
    text = " ".join(fw("sari", "evaluate", "--help-all").out.split())
    assert f"--variant {{{','.join(VARIANTS)}}}" in text.replace(", ", ",")
    assert "--lowercase BOOL" in text
    assert "--input-files, --input-file FILE … JSONL, CSV, TSV (also as .gz or .zst) or Parquet files" in text
    assert "--beta-for-deletion FLOAT" in text
    assert "(default: easse)" in text


@pytest.mark.parametrize(("what", "names"), LISTED)
def test_lists_have_a_row_for_each_name(what: str, names: list[str], fw: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    piped = fw("list", what)
    assert (piped.code, piped.err) == (0, "")
    assert [line.split()[0] for line in piped.out.splitlines()[2:]] == names, "one line each, to be searched"
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    for columns in ("80", "100"):
        monkeypatch.setenv("COLUMNS", columns)
        assert max(map(len, fw("list", what).out.splitlines())) <= int(columns)
    lines = fw("list", what).out.splitlines()
    assert [line.split()[0] for line in lines[2:] if line[0] != " "] == names
    assert max(map(len, lines)) <= 100, "folded to the width of a terminal"
    for form, delimiter in (("csv", ","), ("tsv", "\t")):
        rows = list(csv.DictReader(fw("list", what, "--format", form).out.splitlines(), delimiter=delimiter))
        assert [row[what.removesuffix("s")] for row in rows] == names
        assert all(row["from"] == "built in" and row["what it is"].endswith(".") for row in rows)
    assert json.loads(fw("list", what, "--format", "json").out) == rows


def test_a_list_without_a_word_says_what_can_be_listed(fw: Run) -> None:
    lists = {row["list"]: int(row["names"]) for row in json.loads(fw("list", "--format", "json").out)}
    for what, names in lists.items():
        listed = json.loads(fw("list", what, "--format", "json").out)
        assert len({next(iter(row.values())) for row in listed}) == names
    assert [line.split()[0] for line in fw("list").out.splitlines()[2:]] == list(lists)
    assert lists["metrics"] == len(METRICS)


def test_a_list_says_what_a_metric_takes_and_which_way_is_better(fw: Run) -> None:
    rows = csv.DictReader(fw("list", "metrics", "--format", "csv").out.splitlines())
    listed = {row["metric"]: (row["takes"], row["better"]) for row in rows}
    assert listed["sari"] == ("summary, references, source", "higher")
    assert listed["pyramid-score"] == ("annotation, pyramid", "higher")
    assert listed["ter"] == ("summary, references", "lower")
    assert listed["quality-estimation"] == ("summary, source", "neither")


def test_a_list_says_where_a_coefficient_is_defined_and_what_it_uses(fw: Run) -> None:
    rows = {
        row["coefficient"]: row
        for row in csv.DictReader(fw("list", "coefficients", "--format", "csv").out.splitlines())
    }
    assert rows["kendall-b"]["title"] == "Kendall τ-b"
    assert rows["kendall-b"]["levels"] == "input, system, global, within-system"
    assert (rows["spa"]["levels"], rows["spa"]["range"]) == ("system", "[0, 1]")
    assert rows["spa"]["options"] == "seed, sign_flips, stream"
    assert (rows["pearson"]["options"], rows["pearson"]["range"]) == ("", "[-1, 1]")
    options = {
        row["option"]: row
        for row in csv.DictReader(fw("list", "coefficients", "spa", "--format", "csv").out.splitlines())
    }
    assert options["stream"]["values"] == "default, mt-metrics-eval"
    assert (options["sign_flips"]["default"], set(options)) == ("1000", {"seed", "sign_flips", "stream"})
    assert fw("list", "coefficients", "pearson").out == "no options: pearson\n"


def test_the_options_of_a_metric_are_listed(fw: Run) -> None:
    rows = {
        row["option"]: row for row in csv.DictReader(fw("list", "metrics", "sari", "--format", "csv").out.splitlines())
    }
    assert rows["variant"]["values"].split(", ") == list(VARIANTS)
    assert rows["variant"]["default"] == "easse"
    assert rows["lowercase"]["values"] == "true or false"
    assert rows["beta_for_deletion"]["meaning"].startswith("The weight of recall")
    several = fw("list", "metrics", "ter", "fkgl").out
    assert "\nter     no_punct, " in several
    assert max(map(len, several.splitlines())) <= 80
    assert fw("list", "readers", "summary-only").out == "no options: summary-only\n"
    assert "fw list metrics sari shows those of sari" in " ".join(fw("evaluate", "--help").out.split())


def test_cite_prints_bibtex(fw: Run) -> None:
    result = fw("cite", "sari")
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("@article{xu-etal-2016-optimizing,\n    title = ")
    assert result.out.endswith("}\n")
    assert fw("cite", "easse").out.startswith("@inproceedings{alva-manchego-etal-2019-easse,")
    both = fw("cite", "sari", "pyramid-score").out
    assert len([line for line in both.splitlines() if line.startswith("@")]) == 2
    assert fw("cite", "sari", "sari").out == result.out


# ---- completion ------------------------------------------------------------------------------------------------------

COMPLETED = [  # words in front, unfinished word, among the candidates, not among them
    ([], "", ["sari", "ter", "evaluate", "correlate", "--help"], ["complete-words"]),
    (["correlate", "--coefficients"], "ken", ["kendall-a", "kendall-b", "kendall-c"], ["pearson"]),
    (["correlate", "--level"], "", ["input", "system", "global"], ["--metric"]),
    ([], "sa", ["sari"], ["ter", "score"]),
    ([], "", ["setup", "write"], ["setup dataset", "setup-dataset"]),
    (["setup"], "", ["dataset", "metric"], ["pairs"]),
    (["setup", "dataset"], "", ["asset"], ["sari"]),
    (["setup-dataset"], "asset", ["asset", "asset-test", "asset-valid"], ["turkcorpus"]),
    (["sari", "evaluate", "--dataset"], "asset", ["asset", "asset-test", "asset-valid"], ["turkcorpus"]),
    (["evaluate", "--profile"], "simp", ["simplification"], ["translation"]),
    (["sari"], "ev", ["evaluate"], ["score"]),
    (["sari"], "", ["evaluate", "score"], []),
    (["sari", "evaluate"], "--va", ["--variant"], ["--input-files"]),
    (["sari", "evaluate"], "--", ["--variant", "--input-files", "--dataset-reader"], []),
    (["sari", "evaluate", "--variant"], "", list(VARIANTS), ["--variant"]),
    (["sari", "evaluate", "--variant"], "xu", ["xu2016"], ["easse"]),
    (["sari", "score", "--duplicates"], "", ["error", "first", "last"], []),
    (["sari", "evaluate", "--format"], "", ["table", "markdown", "latex"], []),
    (["sari", "score", "--dataset-reader"], "", READERS, []),
    (["score", "--metric"], "", METRICS, []),
    (["evaluate", "--metrics"], "sa", ["sari", "samsa"], ["ter"]),
    (["evaluate", "-m"], "", METRICS, []),
    (["evaluate"], "--en", ["--engine", "--engine-timeout"], ["--jobs"]),
    (["cite"], "", METRICS, []),
    (["list", "metrics"], "sa", ["sari", "samsa"], ["ter"]),
    (["list", "metrics"], "--", ["--format"], ["sari"]),
    (["list", "coefficients"], "spe", ["spearman"], ["spa"]),
    (["list", "readers", "default"], "", READERS, ["sari"]),
    (["list", "datasets"], "", [], ["sari"]),
    (["list"], "", ["metrics", "readers", "coefficients", "tests"], []),
    (["correlate", "--coefficient"], "kendall", ["kendall-a", "kendall-b"], ["spearman"]),
    (["completion"], "", ["bash", "zsh", "fish"], []),
    (["nothing"], "", [], ["sari"]),
    (["sari", "nothing"], "", [], ["sari"]),
]


@pytest.mark.parametrize(("before", "start", "among", "not_among"), sampled(COMPLETED, 12))
def test_words_are_completed(before: list[str], start: str, among: list[str], not_among: list[str], fw: Run) -> None:
    found = candidates(before, start)
    assert set(among) <= set(found)
    assert not set(not_among) & set(found)
    result = fw("complete-words", "--", *before, start)
    assert (result.code, result.err) == (0, "")
    assert result.out.splitlines() == found


def test_there_is_a_script_for_every_shell(fw: Run) -> None:
    for shell in SHELLS:
        assert "(fw complete-words -- " in fw("completion", shell).out


@pytest.fixture
def bash(tmp_path: Path) -> Callable[[str], list[str]]:
    """Completes a line in a real bash that has read the script."""
    if shutil.which("bash") is None:
        pytest.skip("needs bash")
    (tmp_path / "fw").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m metrics_framework "$@"\n')
    (tmp_path / "fw").chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}

    def complete(line: str) -> list[str]:
        words = line.split(" ")
        quoted = " ".join(f"'{word}'" for word in words)
        script = (
            "source <(fw completion bash); complete -p fw >/dev/null || exit 3; "
            f"COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _fw_complete; "
            'printf "%s\\n" "${COMPREPLY[@]}"'
        )
        done = subprocess.run(["bash", "-c", script], env=environment, capture_output=True, text=True, check=True)
        assert done.stderr == ""
        return done.stdout.split()

    return complete


IN_BASH = [
    ("fw sari score --dataset-reader ", READERS),
    ("fw sari score --vari", ["--variant"]),
    ("fw cite sar", ["sari"]),
    ("fw nothing ", []),
]


@pytest.mark.parametrize(("line", "expected"), sampled(IN_BASH, 1))
def test_bash_completes_lines(line: str, expected: list[str], bash: Callable[[str], list[str]]) -> None:
    assert bash(line) == expected


@pytest.mark.parametrize("metric", ["sari", "ter"])
def test_kernels_that_are_not_there_are_refused_before_scoring(
    metric: str, monkeypatch: pytest.MonkeyPatch, datasets_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FW_KERNELS", "fast")
    assert main([metric, "evaluate", "--input-files", str(datasets_path / "simplification" / "outputs.jsonl")]) == 2
    assert "FW_KERNELS must be one of auto, native, python, got 'fast'" in capsys.readouterr().err
