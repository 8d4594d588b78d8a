"""What runs over parts refuse, with the reason."""

from __future__ import annotations

import json
import os
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from messages import BOTH_INPUT_AND_OUTPUT, EXPECTED_ENDING
from part_folders import refusal, write_input

Run = Callable[..., Any]

REFUSED = {
    "ter evaluate out/ --input-files in.jsonl --duplicates first": "needs all outputs in one process",
    "ter evaluate out/ --input-files -": "standard input can be read only once",
    "ter evaluate --input-files in.jsonl --cluster local:2": "--cluster needs an output folder",
    "ter evaluate m.json --input-files in.jsonl --part 1/2": "--part needs an output folder",
    "ter evaluate --input-files in.jsonl --resume": "--resume needs an output folder",
    "ter evaluate m --input-files in.jsonl --part-size 4MB": "--part-size needs an output folder",
    "ter evaluate out --input-files in.jsonl --part 1/2 --cluster local:2": "use only one of them",
    "ter evaluate out --input-files in.jsonl --part 1/2 --part-size 1MB": "use only one of them",
    "ter evaluate out m.json --input-files in.jsonl --part 1/2": "fw collect out",
    "ter evaluate out --input-files in.jsonl --part 3/2": "must be K/N, as in 3/64, with K from 1 to N, got '3/2'",
    "ter evaluate out --input-files in.jsonl --part 0/2": "must be K/N",
    "ter evaluate out --input-files in.jsonl --part-size 0": "as in 64MB, got '0'",
    "ter evaluate out --input-files in.jsonl --cluster local:0": "--cluster must be ",
    "ter evaluate out --input-files in.jsonl --cluster slurm": "--cluster must be ",
    "ter evaluate out --input-files in.jsonl --part-size 1.5MB": "must be a whole number of bytes",
    "ter evaluate out --input-files in.jsonl --cluster-timeout 3": "use it with --cluster",
    "ter evaluate out --input-files in.jsonl --part 1/2 --cluster-timeout 3": "use it with --cluster",
    "ter evaluate out --input-files in.jsonl --cluster local:2 --cluster-timeout 3": "local:2 connects to nothing",
    "ter evaluate out --input-files in.jsonl --cluster tcp://h:1 --cluster-timeout 0": "must be a number of seconds",
    "ter evaluate out --input-files in.jsonl --cluster tcp://h:1 --cluster-timeout nan": "must be a number of seconds",
    "ter evaluate out --input-files in.jsonl --cluster=": "--cluster: must name where to score parts",
    "ter evaluate out --input-files in.jsonl --cluster local:2 --jobs 2": "--jobs would have no effect",
    "ter evaluate out --input-files in.jsonl --part 1/2 --jobs 2": "--jobs would have no effect",
    "ter evaluate other/ --input-files in.jsonl": "has other files, such as 'notes.txt'",
    "ter evaluate out/ --input-files in.jsonl --sentence-level": "flags that print or test as sacreBLEU does",
    "pyramid-score evaluate out/ --dataset-reader pyramid-based --input-files in.jsonl in.jsonl": "is given twice",
    "collect out/ a.json b.jsonl c.jsonl": "does not exist",
    "collect": "required: OUT/\n",
    "collect in.jsonl": "the file 'in.jsonl' is not a folder",
}


@pytest.mark.parametrize("words", REFUSED)
def test_what_parts_cannot_do_is_refused_with_the_reason(words: str, fw: Run) -> None:
    write_input("jsonl")
    Path("other").mkdir()
    Path("other/notes.txt").write_text("mine")
    done = fw(*words.split())
    assert done.code in (1, 2)
    assert REFUSED[words] in done.err
    assert not os.path.exists("out")
    assert os.listdir("other") == ["notes.txt"]


def test_collect_refuses_files_of_another_command(fw: Run) -> None:
    file = write_input("jsonl")
    assert fw("ter", "score", "out/", "--input-files", file).code == 0
    assert "the folder 'out/' is of fw score" in refusal(fw, "collect", "out/", "a.jsonl", "b.jsonl")
    expected = f"{EXPECTED_ENDING} .jsonl, .json or .parquet for output scores, got 'a.csv'"
    assert refusal(fw, "collect", "out/", "a.csv") == f"fw: error: {expected}\n"
    assert EXPECTED_ENDING in refusal(fw, "collect", "out/", "a.txt")


def test_too_many_outputs_for_drawn_intervals_are_refused(fw: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write_input("jsonl")
    monkeypatch.setattr("metrics_framework.evaluation.parts.stored_run.MAX_DRAWN", 100)
    words = ["ter", "evaluate", "out/", "--input-files", file, "--part-size", "4KB", "--confidence"]
    assert "use --resampling poisson" in refusal(fw, *words)
    poisson = ["--resampling", "poisson", "--resamples", "50"]
    expected = fw("ter", "evaluate", "--input-files", file, *poisson)
    assert expected.code == 0, expected.err
    assert fw(*words[:-1], *poisson, "--force").out == expected.out


def test_a_damaged_file_of_results_is_an_error(fw: Run) -> None:
    file = write_input("jsonl")
    assert fw("ter", "evaluate", "out/", "--input-files", file).code == 0
    results = Path("out/part-00001.results")
    results.write_bytes(results.read_bytes().replace(b'"b"', b'"c"', 1))
    done = fw("collect", "out/")
    assert (done.code, done.out) == (1, "")
    assert "part-00001.results: is damaged; delete part-00001.done.json" in done.err


def test_damaged_rows_are_an_error(fw: Run) -> None:
    file = write_input("jsonl")
    assert fw("ter", "evaluate", "out/", "--input-files", file).code == 0
    path = Path("out/part-00001.jsonl")
    path.write_bytes(path.read_bytes().replace(b'"b"', b'"c"', 1))
    done = fw("collect", "out/", "m.json", "u.jsonl")
    assert done.code == 1
    assert "is damaged; delete part-00001.done.json" in done.err
    assert not os.path.exists("u.jsonl")


@pytest.mark.parametrize(
    "change",
    [
        {"metrics": 5},
        {"metrics": [{"name": 3}]},
        {"parts": 3},
        {"parts": [[{"path": 1, "name": "x"}]]},
        {"input_files": [3]},
        {"options": {"confidence": 3}},
        {"options": 3},
        {"options": {"confidence": {"level": 7}}},
        {"plugins": []},
        {"command": "rm"},
        {"more": 1},
        {"unicode": 13},
    ],
    ids=str,
)
def test_a_plan_of_another_form_is_an_error(change: dict[str, Any], fw: Run) -> None:
    file = write_input("jsonl")
    assert fw("ter", "evaluate", "out/", "--input-files", file).code == 0
    plan = Path("out/plan.json")
    plan.write_text(json.dumps({**json.loads(plan.read_text()), **change}))
    done = fw("collect", "out/")
    assert (done.code, done.out) == (1, "")
    assert "fw: error: out/plan.json: is not the plan of a run of fw" in done.err


def test_a_folder_from_elsewhere_does_not_choose_what_is_imported(fw: Run, new_registries: Any) -> None:
    file = write_input("jsonl")
    Path("plugin.py").write_text(
        "from metrics_framework import *\nopen('imported', 'a').close()\n@Metric.register('length')\n"
        "class Length(ReferenceBasedMetric):\n    def score_multi_all(self, summaries_list, references_list):\n"
        "        return [[MetricsDict(length=len(one)) for one in group] for group in summaries_list]\n"
    )
    plugin = ["--include-packages", "plugin.py"]
    with new_registries():
        expected = fw(*plugin, "length", "evaluate", "out/", "--input-files", file, "--cluster", "local:2")
        assert expected.code == 0, expected.err
    os.unlink("imported")
    with new_registries():
        done = fw("collect", "out/")
        assert (done.code, os.path.exists("imported")) == (2, False)
        assert "this run used plug-ins: --include-packages plugin.py" in done.err
        assert fw(*plugin, "collect", "out/").out == expected.out


def test_joined_files_may_be_in_the_folder_but_not_over_its_parts(fw: Run) -> None:
    file = write_input("jsonl")
    assert fw("ter", "evaluate", "out/", "--input-files", file, "--part", "1/1").code == 0
    for _ in range(2):
        assert fw("collect", "out/", "out/macro.json").code == 0
    assert BOTH_INPUT_AND_OUTPUT in refusal(fw, "collect", "out/", "m.json", "out/part-00001.jsonl")


def test_a_run_that_was_replaced_is_resumed_without_force(fw: Run) -> None:
    file = write_input("jsonl")
    words = ["bleu", "evaluate", "out/", "--input-files", file]
    assert fw(*words).code == fw(*words, "--force").code == fw(*words, "--resume").code == 0


def test_parts_of_pythons_with_other_unicode_tables_are_refused(fw: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from metrics_framework.common.errors import ProcessError
    from metrics_framework.evaluation.parts.folder import _prepared, score_part_into

    words = ["sari", "evaluate", "out/", "--input-files", write_input("jsonl")]
    assert fw(*words, "--part", "1/2").code == 0
    known = unicodedata.unidata_version
    assert json.loads(Path("out/plan.json").read_text())["unicode"] == known
    monkeypatch.setattr("unicodedata.unidata_version", "99.1.0")  # another Python
    for more in (["--part", "2/2"], ["--resume"]):
        done = fw(*words, *more)
        assert done.code == 1
        assert f"the run in 'out/' was planned with Unicode {known}, but this Python" in done.err
        assert "has Unicode 99.1.0" in done.err
        assert "use the Python version of the other parts, or start a new run in another folder" in done.err
    _prepared.cache_clear()  # it has the plan of this process
    with pytest.raises(ProcessError, match=r"was planned with Unicode .* has Unicode 99\.1\.0"):
        score_part_into(os.path.abspath("out"), 1)
    assert not Path("out/part-00002.done.json").exists()


def test_any_python_joins_parts_because_it_scores_no_texts(fw: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["--metric", "sari", "--input-files", write_input("jsonl")]
    assert fw("evaluate", "one.json", "one.jsonl", *words).code == 0
    for part in ("1/2", "2/2"):
        assert fw("evaluate", "out/", *words, "--part", part).code == 0
    monkeypatch.setattr("unicodedata.unidata_version", "99.1.0")
    assert fw("collect", "out/", "all.json", "all.jsonl").code == 0
    for name in ("json", "jsonl"):
        assert Path(f"all.{name}").read_bytes() == Path(f"one.{name}").read_bytes()
