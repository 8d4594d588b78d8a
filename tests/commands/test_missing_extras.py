"""Optional packages that are not installed: the message names what needs them, and the command that installs them."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from shlex import split

import pytest
from samples import sampled

from metrics_framework import load
from metrics_framework.common.errors import MissingExtraError
from metrics_framework.common.installation import install_extra
from metrics_framework.evaluation.external_sort import Run

FEATURES = "quality-estimation:splitter=none"
NEEDED = [  # package, extra, words, what needs it
    ("sacremoses", "moses", "bleu evaluate --tokenizer moses",
     "the metric 'bleu' needs the package 'sacremoses' for the tokenizer 'moses'"),
    ("sacremoses", "moses", "score --metric ter --metric sari:tokenizer=moses",
     "the metric 'sari' needs the package 'sacremoses' for the tokenizer 'moses'"),
    ("wordfreq", "simplification", f"evaluate --metric sari --metric {FEATURES}",
     "the metric 'quality-estimation' needs the package 'wordfreq' for lexical complexity"),
    ("wordfreq", "simplification", "evaluate --profile simplification", "needs the package 'wordfreq' for lexical"),
    ("wordfreq", "simplification", f"report r.html --metric {FEATURES}", "needs the package 'wordfreq' for lexical"),
]  # fmt: skip


@pytest.mark.parametrize(("package", "extra", "words", "needs"), sampled(NEEDED, 2))
def test_a_missing_package_is_reported_with_the_metric_that_needs_it(
    package: str, extra: str, words: str, needs: str, fw: Run, datasets_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    found = fw(*split(words), "--input-files", datasets_path / "simplification" / "outputs.jsonl")
    assert (found.code, found.out) == (1, "")
    assert needs in found.err
    assert f"which is not installed; install it with: {install_extra(extra)}" in found.err
    assert not list(Path.cwd().glob("*.html"))


@pytest.mark.slow
def test_a_report_leaves_out_features_whose_packages_are_missing(
    fw: Run, datasets_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for package in ("wordfreq", "pysbd", "nltk"):
        monkeypatch.setitem(sys.modules, package, None)
    found = fw("report", "r.html", "-m", "ter", "--input-files", datasets_path / "simplification" / "outputs.jsonl")
    assert found.code == 0, found.err
    assert install_extra("simplification") in found.err
    assert "compression_ratio" not in Path("r.html").read_text(encoding="utf-8")


def test_a_list_of_lists_leaves_out_what_needs_a_missing_package(fw: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    complete, find_spec = fw("list").out.splitlines(), importlib.util.find_spec
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "sacrebleu" else find_spec(name))
    found = fw("list")
    assert (found.code, found.err.count("\n")) == (0, 1)
    assert found.err.startswith("fw: 'the list of test sets' needs the package 'sacrebleu', which is not installed")
    assert found.out.splitlines() == [line for line in complete if not line.startswith("test-sets ")]


def test_the_error_from_python_names_the_metric_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sacremoses", None)
    with pytest.raises(MissingExtraError, match=r"^the metric 'fkgl' needs .* 'moses', which"):
        load("fkgl", tokenizer="moses", splitter="none")
