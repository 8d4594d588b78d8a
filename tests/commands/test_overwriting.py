"""What a run may overwrite: results of earlier runs, and nothing that it reads or that is not ours."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from pathlib import Path

import pytest
from messages import BOTH_INPUT_AND_OUTPUT, EXPECTED_ENDING, NOT_A_RESULT_OF_FW
from samples import sampled

from metrics_framework.evaluation.external_sort import Run

ROWS = "".join(
    f'{{"instance_id": "{number}", "summarizer_id": "{system}", "summary": "a {system} cat", "source": "a big cat", '
    '"references": ["a cat", "the cat"]}\n'
    for number in (1, 2)
    for system in ("one", "two")
)
HUMAN = '{"instance_id": "1", "summarizer_id": "one", "summarizer_type": "peer", "metrics": {"human": [1, 2]}}\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "in.jsonl").write_text(ROWS)
    (tmp_path / "human.csv").write_text("instance_id,system,human\n1,one,1\n1,two,3\n2,one,2\n2,two,1\n")
    return tmp_path


TABLES = [("txt", ""), ("md", ""), ("tex", ""), ("tex", "--caption c"), ("csv", ""), ("tsv.gz", ""), ("json", "")]
OUTPUTS = [  # the words of a command, its output
    ("ter evaluate {} --input-files in.jsonl", "macro.json"),
    ("ter evaluate {} --input-files in.jsonl --confidence --resamples 50", "macro.json.gz"),
    ("ter evaluate --macro-output-json {} --input-files in.jsonl", "macro.scores"),
    ("ter evaluate --micro-output-jsonl {} --input-files in.jsonl", "micro.jsonl"),
    ("ter score {} --input-files in.jsonl", "scores.jsonl"),
    ("ter score {} --input-files in.jsonl", "scores.jsonl.bz2"),
    ("report {} --metric ter --input-files in.jsonl --no-confidence", "report.html"),
    ("correlate scores.jsonl human.csv --metrics ter human --ci none --output-file {}", "c.json"),
    (
        "correlate scores.jsonl human.csv --metric ter --metric ter_num_edits --human human --ci none --output-file {}",
        "c.json",
    ),
    ("correlate scores.jsonl human.csv --metrics ter human --ci none --plot {}", "plot.svg"),
    ("write-pairs {} --input-files in.jsonl", "pairs.txt"),
    ("visualize rouge {} --input-files in.jsonl", "rouge.html"),
    ("evaluate --profile simplification --resamples 40 -o {} --input-files in.jsonl --silent", "profile.txt"),
    *[(f"ter evaluate -o {{}} --input-files in.jsonl --silent {more}", f"t.{ending}") for ending, more in TABLES],
]
FOREIGN = [  # content, why
    (HUMAN, "ratings in the form of our rows, without a signature"),
    ('{\n  "metrics": {"a": 1}\n}\n', "JSON over several lines"),
    ("[1, 2]\n", "another JSON"),
    ("<!doctype html>\n<html><head><title>mine</title></head></html>\n", "a page"),
    ('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"></svg>\n', "a picture"),
    ("a cat\na dog\n", "text"),
    ("\\documentclass{article} % ter|case:lc|fw:0\n", "a paper that quotes a signature"),
    ("system,human\none,1\n", "a table of ratings"),
    ('{"metrics": ' * 5000, "JSON with too many levels"),
    (b"\xff\xfe\x00\x01", "no text"),
    (b"\x1f\x8b\x08\x00", "a broken archive"),
]


@pytest.mark.parametrize(("words", "name"), sampled(OUTPUTS, 2))
def test_a_result_is_overwritten_by_the_next_run_and_any_other_file_only_with_force(
    words: str, name: str, fw: Run, folder: Path
) -> None:
    if words.startswith("correlate"):
        fw("ter", "score", "scores.jsonl", "--input-files", "in.jsonl")
    command = words.format(name).split()
    for _ in range(2):
        done = fw(*command)
        assert done.code == 0, done.err
    result = (folder / name).read_bytes()
    for content, why in FOREIGN:
        data = content.encode() if isinstance(content, str) else content
        (folder / name).write_bytes(data)
        done = fw(*command)
        error = f"fw: error: '{name}' exists and {NOT_A_RESULT_OF_FW}; use another file, or --force to overwrite it\n"
        assert (done.code, done.out, done.err) == (2, "", error), why
        assert (folder / name).read_bytes() == data, why
        assert fw(*command, "--force").code == 0
        assert (folder / name).read_bytes() == result, why


@pytest.mark.parametrize("name", ["m.json", "m.json.gz"])
def test_an_empty_file_and_a_result_under_another_name_are_overwritten(name: str, fw: Run, folder: Path) -> None:
    (folder / name).touch()
    assert fw(*f"ter evaluate {name} --input-files in.jsonl".split()).code == 0
    assert (folder / name).read_bytes()
    fw(*["ter", "score", "scores.jsonl", "--input-files", "in.jsonl"])
    scores = (folder / "scores.jsonl").read_bytes()
    (folder / name).write_bytes(gzip.compress(scores) if name.endswith(".gz") else scores)
    assert fw(*f"ter evaluate {name} --input-files in.jsonl".split()).code == 0


def test_a_file_that_was_compressed_under_another_name_is_recognized(fw: Run, folder: Path) -> None:
    fw(*["ter", "score", "scores.jsonl", "--input-files", "in.jsonl"])
    (folder / "scores.jsonl").write_bytes(gzip.compress((folder / "scores.jsonl").read_bytes()))
    assert fw(*["ter", "score", "scores.jsonl", "--input-files", "in.jsonl"]).code == 0


def test_bare_files_of_evaluate_that_are_data_are_kept(fw: Run, folder: Path) -> None:
    (folder / "human.jsonl").write_text(HUMAN)
    done = fw("evaluate", "human.jsonl", "--metric", "sari", "--input-files", "in.jsonl")
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        f"fw: error: {EXPECTED_ENDING} .json for system scores, got 'human.jsonl'; arguments without a flag "
        "are output files; to write system scores there, use --macro-output-json human.jsonl\n"
    )
    done = fw("evaluate", "macro.json", "human.jsonl", "--metric", "sari", "--input-files", "in.jsonl")
    assert (done.code, f"'human.jsonl' exists and {NOT_A_RESULT_OF_FW}" in done.err) == (2, True)
    assert (folder / "human.jsonl").read_text() == HUMAN


@pytest.mark.parametrize("name", ["out.jsonl", "out.txt", "out", "out.json.txt", "outjson", "in.csv.gz"])
def test_a_macro_file_must_end_in_json(name: str, fw: Run, folder: Path) -> None:
    done = fw("evaluate", name, "--metric", "ter", "--input-files", "in.jsonl")
    assert (done.code, f"that ends in .json for system scores, got '{name}'" in done.err) == (2, True)
    code = 2 if name == "in.csv.gz" else 0  # JSON that is called a table
    assert fw("ter", "evaluate", "--macro-output-json", name, "--input-files", "in.jsonl").code == code


# ---- what the run reads ----------------------------------------------------------------------------------------------

PAIRS = "a big cat ||| a one cat\n"
READ = [  # what is read, the words of the command, the output, why
    ("refs.txt", "ter evaluate --references refs.txt --outputs out.txt", "--macro-output-json", "references"),
    ("out.txt", "ter evaluate --references refs.txt --outputs a=out.txt", "--macro-output-json", "outputs with a name"),
    ("p/1.xml", "samsa evaluate --passages p/1.xml --input-files in.jsonl", "--macro-output-json", "a passage"),
    ("p/1.xml", "samsa evaluate --passages p --input-files in.jsonl", "--macro-output-json", "a folder of passages"),
    ("p/1.xml", "evaluate --metric samsa:passages=p/1.xml --input-files in.jsonl", "--micro-output-jsonl", "in a spec"),
    ("p/1.xml", "samsa score --passages p/1.xml --input-files in.jsonl", "--log-file", "a log"),
    ("parse.sh", "samsa score --parser 'sh parse.sh' --input-files in.jsonl", "--output-jsonl", "a parser"),
    (
        "freq.txt",
        "quality-estimation evaluate --frequencies freq.txt --input-files in.jsonl",
        "--macro-output-json",
        "word frequencies",
    ),
    (
        "pairs.txt",
        "transformations evaluate --aligner pharaoh:pairs=pairs.txt,alignments=links.txt --input-files in.jsonl",
        "--macro-output-json",
        "an aligner's pairs",
    ),
    (
        "links.txt",
        "samsa score --aligner pharaoh:pairs=pairs.txt,alignments=links.txt --passages p --input-files in.jsonl",
        "--log-file",
        "an aligner's alignments",
    ),
    (
        "refs.txt",
        """ter score --input-files in.jsonl --dataset-reader '{"type": "default", "references": ["refs.txt"]}'""",
        "--output-jsonl",
        "an option of a reader",
    ),
    ("human.csv", "correlate in.jsonl human.csv --metrics ter human", "--output-file", "ratings"),
    ("human.csv", "report r.html --scores-files human.csv --input-files in.jsonl", "--log-file", "ratings of a report"),
]


@pytest.mark.parametrize(("name", "words", "flag", "why"), READ)
@pytest.mark.parametrize("through_link", [False, True])
def test_what_a_run_reads_is_never_an_output(
    name: str, words: str, flag: str, why: str, through_link: bool, fw: Run, folder: Path
) -> None:
    from shlex import split

    (folder / "p").mkdir()
    for path, content in (
        ("p/1.xml", "<root/>\n"),
        ("parse.sh", "cat\n"),
        ("freq.txt", "cat\t1\nbig\t2\n"),
        ("pairs.txt", PAIRS),
        ("links.txt", "0-0 2-2\n"),
        ("refs.txt", "a\nb\n"),
        ("out.txt", "a\nb\n"),
    ):
        (folder / path).write_text(content)
    (folder / "link").symlink_to(name)
    before = {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    done = fw(*split(words), flag, "link" if through_link else name, *([] if flag == "--log-file" else ["--force"]))
    assert (done.code, done.out) == (2, ""), why
    assert f"'{'link' if through_link else name}' {BOTH_INPUT_AND_OUTPUT}" in done.err
    assert {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


PLUGIN = """
from metrics_framework import Metric, MetricsDict, ReferenceFreeMetric
@Metric.register("listed")
class Listed(ReferenceFreeMetric):
    def __init__(self, words: str, lists: list[str] | None = None):
        super().__init__()
    def score_multi_all(self, summaries_list):
        return [[MetricsDict(listed=1.0) for _ in summaries] for summaries in summaries_list]
"""


@pytest.mark.parametrize("output", ["words.txt", "more.txt"])
def test_a_file_that_a_metric_of_a_plug_in_reads_is_no_output(output: str, fw: Run, folder: Path) -> None:
    (folder / "listed.py").write_text(PLUGIN)
    for name in ("words.txt", "more.txt"):
        (folder / name).write_text("cat\n")
    words = "--include-packages listed.py listed score --words words.txt --lists more.txt --input-files in.jsonl"
    done = fw(*words.split(), "--force", "--output-jsonl", output)
    assert (done.code, BOTH_INPUT_AND_OUTPUT in done.err) == (2, True)
    assert fw(*words.split(), "--output-jsonl", "other.txt").code == 0


def test_a_new_file_may_be_in_a_folder_that_is_read(fw: Run, folder: Path) -> None:
    from metrics_framework.commands.output_paths import refuse_overwriting

    (folder / "p").mkdir()
    refuse_overwriting(["p/new.json"], ["p"], force=False)


# ---- standard output -------------------------------------------------------------------------------------------------

NEEDS_PROC = pytest.mark.skipif(not os.path.exists("/proc/self/fd/1"), reason="needs /proc")


STREAMS = ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"]
APPENDED = [
    *((words, name) for words in ("ter score {}", "ter evaluate macro.json {}", "ter evaluate {}") for name in STREAMS),
    *((words, "/dev/fd/3") for words in ("ter score {}", "ter evaluate macro.json {}", "ter evaluate {}")),
    *(("report {}", name) for name in STREAMS),  # other files of a report must end in .html
]


@NEEDS_PROC
@pytest.mark.parametrize(("words", "name"), sampled(APPENDED, 1))
def test_what_is_appended_to_a_file_keeps_what_the_file_held(words: str, name: str, folder: Path) -> None:
    (folder / "all.txt").write_text("before\n")
    command = words.format(name) + " --input-files in.jsonl" + (" --metric ter" if "report" in words else "")
    run = f"exec 3>>all.txt; {sys.executable} -m metrics_framework {command} {'' if name.endswith('3') else '>&3'}"
    done = subprocess.run(["sh", "-c", run], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    lines = (folder / "all.txt").read_text().splitlines()
    assert lines[0] == "before"
    assert len(lines) > 4
    expected = {"all.txt", "human.csv", "in.jsonl", *(["macro.json"] if "macro" in words else [])}
    assert set(os.listdir(folder)) == expected
    if name != "/dev/fd/3":
        assert f"to {name}" not in done.stderr
        assert "terms" not in done.stderr


@pytest.mark.skipif(os.name != "posix", reason="needs a shell")
@pytest.mark.parametrize("words", ["ter score --input-files in.jsonl", "ter evaluate m.json --input-files in.jsonl"])
def test_standard_output_that_is_appended_to_a_file_of_the_run_is_refused(words: str, folder: Path) -> None:
    target = "m.json" if "m.json" in words else "in.jsonl"
    before = (folder / "in.jsonl").read_text()
    run = f"{sys.executable} -m metrics_framework {words} >> {target}"
    done = subprocess.run(["sh", "-c", run], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 2
    assert f"{target}' is a file of this run, but standard output is redirected to it" in done.stderr
    assert (folder / "in.jsonl").read_text() == before
