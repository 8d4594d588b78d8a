"""Runs over parts refuse files and folders whose content has changed, whichever option names them."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from messages import CHANGED_SINCE_THE_PLAN
from part_folders import refusal, rows, texts_of, write

from metrics_framework.common.errors import ProcessError
from metrics_framework.evaluation.parts.folder import score_part_into

Run = Callable[..., Any]
UCCA = Path(__file__).parents[2] / "datasets" / "ucca"
PLUGIN = """
from metrics_framework import Metric, MetricsDict, ReferenceBasedMetric
@Metric.register("lengths")
class Lengths(ReferenceBasedMetric):
    def score_multi_all(self, summaries_list, references_list):
        return [[MetricsDict(lengths=float(len(summary))) for summary in group] for group in summaries_list]
"""


def write_files() -> None:
    """Writes input, passages, references, sources, frequencies, alignments and a plug-in."""
    shutil.copytree(UCCA, "ucca")
    shutil.move("ucca/outputs.jsonl", "ucca.jsonl")
    write("in.jsonl", rows(10))
    write("plain.jsonl", [{**row, "references": None, "source": None} for row in rows(10)])
    for name in ("refs.txt", "sources.txt", "one.txt", "two.txt"):
        Path(name).write_text("\n".join(texts_of(len(name), 20)) + "\n", encoding="utf-8")
    Path("words.tsv").write_text("the\t10\ncat\t5\n")
    Path("plugin.py").write_text(PLUGIN)
    Path("lengths").mkdir()
    Path("lengths/__init__.py").write_text("from lengths.metric import Lengths\n")
    Path("lengths/metric.py").write_text(PLUGIN)


TEXTS = "--outputs one.txt two.txt --references refs.txt"
RUNS = {
    "passages": ("samsa evaluate OUT --passages ucca --input-files ucca.jsonl", "ucca/3.xml"),
    "a file of passages": (
        "samsa evaluate OUT --passages ucca/1.xml ucca/2.xml ucca/3.xml ucca/4.xml --input-files ucca.jsonl",
        "ucca/3.xml",
    ),
    "a parser": ("samsa evaluate OUT --parser 'cat --passage=ucca/1.xml' --input-files ucca.jsonl", "ucca/1.xml"),
    "input": ("ter evaluate OUT --input-files in.jsonl", "in.jsonl"),
    "outputs": (f"bleu evaluate OUT {TEXTS}", "two.txt"),
    "references": (f"bleu evaluate OUT {TEXTS}", "refs.txt"),
    "sources": (f"sari evaluate OUT {TEXTS} --sources sources.txt", "sources.txt"),
    "frequencies": ("quality-estimation evaluate OUT --frequencies words.tsv --input-files in.jsonl", "words.tsv"),
    "a plug-in": ("--include-packages plugin.py lengths evaluate OUT --input-files in.jsonl", "plugin.py"),
    "a package": ("--include-packages lengths lengths evaluate OUT --input-files in.jsonl", "lengths/metric.py"),
}


def change(path: str) -> None:
    """Changes a file, but neither its size nor its time of modification."""
    status = os.stat(path)
    content = Path(path).read_bytes()
    Path(path).write_bytes(content.replace(b"float", b"round") if path.endswith(".py") else content.swapcase())
    assert Path(path).read_bytes() != content
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


@pytest.mark.parametrize("name", RUNS)
def test_a_file_that_changes_between_parts_is_refused_by_its_name(name: str, fw: Run, new_registries: Any) -> None:
    write_files()
    words, path = shlex.split(RUNS[name][0].replace("OUT", "out/")), RUNS[name][1]
    with new_registries():
        first = fw(*words, "--part", "1/2")
    assert first.code in (0, 1), first.err  # 1 if the metric fails, which is a result of the part
    assert Path("out/part-00001.done.json").exists() or "a parser" in name
    change(path)
    with new_registries():
        done = fw(*words, "--part", "2/2")
    assert (done.code, done.out) == (2, "")
    assert "the run in 'out/' is a different one (" in done.err
    folder, _, file = path.rpartition("/")
    assert (f"{folder} {file} has other content (hash " if folder in words else f"{path} hash ") in done.err
    assert not Path("out/part-00002.done.json").exists()
    with new_registries(), pytest.raises(ProcessError, match=CHANGED_SINCE_THE_PLAN) as caught:
        score_part_into(os.path.abspath("out"), 1)
    changed = f"'{folder}' has changed" if folder in words else f"'{path}' has changed"
    assert changed in str(caught.value)
    assert f"({file} has other content (hash " in str(caught.value) or folder not in words


def test_a_new_file_in_a_folder_is_refused_by_its_name(fw: Run) -> None:
    write_files()
    words = RUNS["passages"][0].replace("OUT", "out/").split()
    assert fw(*words, "--part", "1/2").code == 0
    Path("ucca/5.xml").write_text("<root/>")
    assert "other files: ucca 5.xml is new" in refusal(fw, *words, "--part", "2/2")
    Path("ucca/5.xml").unlink()
    assert fw(*words, "--part", "2/2").code == 0
    assert fw("collect", "out/").code == 0


def test_a_copy_with_other_times_is_the_same_input(fw: Run) -> None:
    write_files()
    words = RUNS["passages"][0].replace("OUT", "out/").split()
    assert fw(*words, "--part", "1/2").code == 0
    for file in ("ucca.jsonl", "ucca/1.xml"):
        os.utime(file, ns=(1, 1))
    assert fw(*words, "--part", "2/2").code == 0


def test_an_output_folder_in_a_folder_that_is_read_is_refused(fw: Run) -> None:
    write_files()
    words = RUNS["passages"][0].replace("OUT", "ucca/out/").split()
    assert "'ucca/out/' is in the folder 'ucca', which the run reads; use another folder" in refusal(fw, *words)
    assert not os.path.exists("ucca/out")


def test_remote_files_that_options_name_are_compared(fw: Run) -> None:
    fsspec = pytest.importorskip("fsspec", reason="reads remote files")
    write_files()
    system = fsspec.filesystem("memory")
    system.pipe("/bucket/refs.txt", Path("refs.txt").read_bytes())
    words = ["bleu", "evaluate", "out/", "--outputs", "one.txt", "--references", "memory://bucket/refs.txt"]
    assert fw(*words, "--part", "1/2").code == 0
    system.pipe("/bucket/refs.txt", Path("refs.txt").read_bytes().swapcase())
    assert "memory://bucket/refs.txt" in refusal(fw, *words, "--part", "2/2")


def test_a_report_refuses_a_run_whose_passages_have_changed(fw: Run) -> None:
    write_files()
    assert fw(*RUNS["passages"][0].replace("OUT", "out/").split()).code == 0
    change("ucca/3.xml")
    done = fw("report", "report.html", "--parts", "out/")
    assert done.code == 1
    assert "ucca: has changed since its outputs were scored (3.xml has other content" in done.err
