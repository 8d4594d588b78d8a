"""Plug-ins that fail or end the program anywhere: the message names them, and nothing is written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from json_files import write_json

from metrics_framework.evaluation.external_sort import Run

PLUGIN = '''
import sys
from metrics_framework import CorpusMetric, DatasetReader, EvalInstance, Metric, MetricsDict, ReferenceBasedMetric
from metrics_framework.data.jackknifers import Jackknifer
from metrics_framework.reports.formats.output_format import OutputFormat

class Leaver(Jackknifer):
    def variants(self, context):
        {jackknifer}
        return []

@Metric.register("own")
class Own(CorpusMetric, ReferenceBasedMetric):
    """Counts words."""

    def __init__(self):
        super().__init__(jackknifer=Leaver())
        {constructor}

    def statistics(self, summary, references):
        {statistics}
        return [1, 2]

    def score_statistics(self, statistics):
        if statistics[0] > 1:
            {total}
        return MetricsDict({{"own": statistics[0] / statistics[1]}})

    def signature(self, **observed):
        {signature}
        return "own"

@DatasetReader.register("own-reader")
class Reader(DatasetReader):
    """Reads nothing."""

    def instances(self, input_files, problems):
        {reader}
        for number in "12":
            yield EvalInstance(number, "s", "peer", {{"summary": "a", "references": ["a"]}})

@OutputFormat.register("own-format")
class Format(OutputFormat):
    """Writes nothing."""

    def table(self, columns, rows, left):
        {format}
        return ""
'''
WHERE = [  # where, the plug-in as it is named, command
    ("jackknifer", "Leaver cannot jackknife 'own' at ", "score o.jsonl"),
    ("constructor", "the metric 'own' failed at ", "score o.jsonl"),
    ("statistics", "the metric 'own' failed at ", "score o.jsonl"),
    ("statistics", "the metric 'own' failed at ", "evaluate m.json"),
    ("total", "the metric 'own' failed at ", "evaluate m.json"),
    ("signature", "the metric 'own' failed at ", "evaluate m.json o.jsonl"),
    ("reader", "the dataset reader 'own-reader' failed at ", "evaluate m.json o.jsonl"),
    ("format", "the output format 'own-format' failed at ", "evaluate"),
]
RAISED = [("sys.exit('bye')", "SystemExit: bye"), ("sys.exit(0)", "SystemExit: 0"), ("1 / 0", "ZeroDivisionError")]


@pytest.mark.parametrize(("statement", "message"), RAISED)
@pytest.mark.parametrize(("where", "named", "words"), WHERE)
def test_a_plug_in_that_fails_is_named(
    fw: Run, where: str, named: str, words: str, statement: str, message: str
) -> None:
    places = dict.fromkeys([place for place, *_ in WHERE], "pass")
    Path("plugin.py").write_text(PLUGIN.format(**{**places, where: statement}), encoding="utf-8")
    Path("in.jsonl").write_text("{}", encoding="utf-8")
    flags = ["--dataset-reader", "own-reader", "--input-files", "in.jsonl", "--include-packages", "plugin.py"]
    flags += ["--format", "own-format"] if where == "format" else []
    action, *outputs = words.split()
    for command in (["own", action, *outputs], [action, *outputs, "--metric", "own"]):
        done = fw(*command, *flags)
        assert done.code == 1, done
        assert done.err.startswith(f"fw: error: {named}"), done.err
        assert f"plugin.py:{line_of(statement)}: {message}" in done.err
        assert not [name for name in outputs if Path(name).exists()]


def line_of(statement: str) -> int:
    lines = Path("plugin.py").read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if line.strip() == statement)


def test_sys_exit_outside_a_registered_class_is_an_error(fw: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    write_json("in.jsonl", {"instance_id": "1", "summary": "a", "references": ["a"]})

    def leaves(*arguments: Any) -> None:
        raise SystemExit(3)

    monkeypatch.setattr("metrics_framework.commands.scoring_command.labelled", leaves)
    done = fw("ter", "evaluate", "--input-files", "in.jsonl")
    assert (done.code, done.err.startswith("fw: error: the run was ended at ")) == (1, True)
    assert done.err.endswith(": SystemExit: 3\n")


def test_an_error_of_this_package_keeps_its_traceback(fw: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*arguments: Any) -> None:
        raise ZeroDivisionError("a mistake of ours")

    monkeypatch.setattr("metrics_framework.commands.scoring_command.labelled", fails)
    Path("in.jsonl").write_text("{}", encoding="utf-8")
    with pytest.raises(ZeroDivisionError, match="a mistake of ours"):
        fw("ter", "evaluate", "--input-files", "in.jsonl")
