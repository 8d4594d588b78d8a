"""Data sets of plug-ins that fail: out of use by name, told in one line, while the others go on."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
import tiny_dataset
from json_files import write_json
from messages import DATA_SET_OR_TEST_SET
from tiny_dataset import write_files, write_plugin

from metrics_framework.evaluation.external_sort import Run

FAULTS = [  # text of the plug-in, what is there instead, fragment of the message, why
    ("return [", "return [][0], [", "the data set 'tiny' failed at ", "parts() raises"),
    ("return [", "return None and [", "TypeError: 'NoneType' object is not iterable", "parts() gives no list"),
    ("def parts", "def __init__(self):\n        1 / 0\n\n    def parts", "ZeroDivisionError", "it cannot be built"),
    (
        '"data/test.src"',
        '"data/tset.src"',
        "needs the file 'data/tset.src', but it is missing from the manifest of 'tiny'",
        "a slip",
    ),
    ('"tiny-tune"', '"teeny-tune"', "must start with 'tiny-', got 'teeny-tune'", "a name of another"),
    ('"outputs"', '"twice"', "'twice/A.one' and 'twice/A.two' both belong to system 'A'", "one name for two systems"),
]


def spoilt(folder: Path, text: str, instead: str) -> Path:
    """Writes the data set of our own with a fault in its class."""
    module = write_plugin(folder)
    described = tiny_dataset.manifest()
    described["files"] += [{**described["files"][-1], "path": f"twice/A.{end}"} for end in ("one", "two")]
    write_json(folder / "manifests" / "tiny.json", described)
    module.write_text(module.read_text(encoding="utf-8").replace(text, instead), encoding="utf-8")
    return module


@pytest.mark.parametrize(("text", "instead", "fragment", "why"), FAULTS)
def test_a_data_set_of_a_plug_in_that_fails_is_out_of_use_and_told_without_a_trace(
    text: str, instead: str, fragment: str, why: str, fw: Run, tmp_path: Path
) -> None:
    plugin = ["--include-packages", spoilt(tmp_path / "plugin", text, instead)]
    for words in (["setup-dataset", "tiny-test"], ["sari", "evaluate", "--outputs", "x", "--dataset", "tiny-test"]):
        result = fw(*words, *plugin)
        assert (result.code, result.out) == (1, ""), why
        assert result.err.startswith("fw: error: "), why
        assert fragment in result.err, why
    listed = fw("list", "datasets", "--format", "csv", *plugin)
    rows = {row["data set"]: row for row in csv.DictReader(io.StringIO(listed.out))}
    assert fragment in rows["tiny"]["set up"], why
    assert rows["hsplit"]["set up"] == "no", why
    assert f"unknown {DATA_SET_OR_TEST_SET} 'xyz'" in fw("setup-dataset", "xyz", *plugin).err, why


@pytest.mark.parametrize("method", ["rows(self, places)", "size(self, manifest)"])
def test_a_part_of_a_plug_in_that_fails_is_told_without_a_trace(method: str, fw: Run, tmp_path: Path) -> None:
    module = spoilt(
        tmp_path / "plugin", "@Dataset", f"class Odd(ParallelText):\n    def {method}:\n        1 / 0\n\n@Dataset"
    )
    module.write_text(
        module.read_text("utf-8").replace('ParallelText("tiny-tune"', 'Odd("tiny-tune"'), encoding="utf-8"
    )
    files = write_files(tmp_path / "files")
    result = fw("setup-dataset", "tiny-tune", "--from-dir", files, "--include-packages", module)
    assert result.code == 1
    assert f"fw: error: the data set 'tiny' failed at {module}:" in result.err
    assert "ZeroDivisionError" in result.err
    assert (tmp_path / "home" / "tiny" / "tiny-tune.jsonl").exists() is method.startswith("size")
