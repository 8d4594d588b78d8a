"""Mistakes in the classes of plug-ins: messages name the file and line of the author, and what to change."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from json_files import write_json

from metrics_framework.evaluation.external_sort import Run

HEAD = """\
import json
from metrics_framework import CorpusMetric, DatasetReader, EvalInstance, Metric, MetricsDict, ReferenceBasedMetric

"""
ROW = {"instance_id": "1", "summarizer_id": "s", "summarizer_type": "peer", "summary": "a", "references": ["a"]}
METRIC = """\
@Metric.register("own")
class Own(ReferenceBasedMetric):
    def {method}({arguments}):
        return [[MetricsDict({{"{key}": {value}}}) for _ in group] for group in summaries_list]
"""
GROUPS = "self, summaries_list, references_list"


def metric(method: str = "score_multi_all", arguments: str = GROUPS, key: str = "own", value: str = "1.0") -> str:
    return METRIC.format(method=method, arguments=arguments, key=key, value=value)


CORPUS = """\
@Metric.register("own")
class Own(CorpusMetric, ReferenceBasedMetric):
    {statistics}
        return [1, 2]
    def score_statistics(self, statistics):
        return MetricsDict({{"own": 1.0}})
"""
NO_SCORE = CORPUS.format(statistics="def statistics(self, *fields):").replace("def score_stat", "def sums_of_stat")
FIELDS_IN_CONSTRUCTOR = """\
@Metric.register("own")
class Own(Metric):
    def __init__(self):
        super().__init__(["summary"], ["references"])
    def score_multi_all(self, summaries_list):
        return []
"""
READER = """\
@DatasetReader.register("own-reader")
class Reader(DatasetReader):
    def {method}({arguments}):
        yield EvalInstance("1", "s", "peer", {{}})
"""
WRONG = [  # the plug-in, the line that is named, the mistake, what to do
    (metric("score_mult_all"), 4, "method score or score_multi_all", "own.py:6) has another name: rename it"),
    (metric(arguments="self, summaries_list"), 6, "got (self, summaries_list)", "(self, summaries_list, references_"),
    (metric(arguments="summaries_list"), 6, "must accept the arguments", "(self, summaries_list, references_list)"),
    (metric(arguments="self, references_list, summaries_list"), 6, "got (self, references_list, su", "in this order"),
    (
        metric(arguments="self, references, summaries_list"),
        6,
        "got (self, references, summaries_list)",
        "in this order",
    ),
    (
        CORPUS.format(statistics="def statistics(self, references, output):"),
        6,
        "got (self, references, output)",
        "(self, summary, ref",
    ),
    (CORPUS.format(statistics="def statistic(self, summary, references):"), 4, "define the method statistics or", "'"),
    (CORPUS.format(statistics="def statistics(self, summary):"), 6, "got (self, summary)", "(self, summary, refer"),
    (NO_SCORE, 4, "must define the method score_statistics(self, statistics)", ""),
    (READER.format(method="instance", arguments="self, input_files, problems"), 4, "method instances(", "rename it"),
    (
        READER.format(method="instances", arguments="self, problems, input_files"),
        6,
        "got (self, problems",
        "in this order",
    ),
    (READER.format(method="instances", arguments="self, input_files"), 6, "got (self, input_files)", "problems)"),
]


@pytest.fixture
def run(fw, new_registries, monkeypatch) -> None:
    """Runs ``fw`` with the plug-in ``own.py`` and an input."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.delenv("FW_PLUGINS", raising=False)
    write_json("in.jsonl", ROW)

    def run(code, *words):
        Path("own.py").write_text(HEAD + code, encoding="utf-8")
        with new_registries():
            return fw(*words, "--include-packages", "own.py")

    return run


@pytest.fixture
def evaluated(run):
    return lambda code, *flags: run(code, "evaluate", "--metric", "own", "--input-files", "in.jsonl", *flags)


@pytest.mark.parametrize(("code", "line", "mistake", "advice"), WRONG)
def test_a_class_that_cannot_work_is_refused_when_it_is_registered(
    code: str, line: int, mistake: str, advice: str, tmp_path: Path, evaluated: Any
) -> None:
    done = evaluated(code)
    first = done.err.splitlines()[0]
    assert first.startswith(f"fw: warning: the plug-in 'own.py' is unavailable: {tmp_path}/own.py:{line}: "), first
    assert mistake in first
    assert advice in first
    assert done.code != 0


ROW_READER = """\
from metrics_framework import RowReader
@DatasetReader.register("own-reader")
class Reader(RowReader):
    def fields(self, row):
        return [row["summary"]]
"""


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("higher_is_better", "'yes'"),
        *(("score_range", value) for value in ("100", "(0,)", "(0, '1')", "None")),
        *(("component_ranges", value) for value in ("(0, 1)", "{'own_share': 1}")),
        ("citation", "5"),
        ("directions", "['own']"),
        ("ratios", "'own'"),
        ("unsigned_options", "'n'"),
        *(("definition", value) for value in ("0", "'2'", "True")),
    ],
)
def test_an_attribute_of_another_type_is_refused(name: str, value: str, tmp_path: Path, evaluated: Any) -> None:
    done = evaluated(metric().replace("    def", f"    {name} = {value}\n    def", 1))
    assert done.code != 0
    where = f"fw: warning: the plug-in 'own.py' is unavailable: {tmp_path}/own.py:4: "
    assert done.err.startswith(f"{where}'{name}' of the metric 'own' must be "), done.err


def test_attributes_may_be_computed_or_lists(evaluated: Any) -> None:
    lines = ("higher_is_better = property(lambda self: False)", "score_range = [0, None]", "ratios = ['own']")
    done = evaluated(metric().replace("    def", "".join(f"    {line}\n" for line in lines) + "    def", 1))
    assert (done.code, done.err) == (0, "")


def test_a_reader_of_rows_must_return_a_dictionary(tmp_path: Path, run: Run) -> None:
    done = run(ROW_READER, "ter", "evaluate", "--dataset-reader", "own-reader", "--input-files", "in.jsonl")
    assert done.code == 1
    assert done.err.startswith(f"fw: error: {tmp_path}/own.py:7: fields of the dataset reader 'own-reader' must ret")
    assert "got the list ['a']" in done.err


def test_a_metric_whose_fields_are_known_later_is_refused_when_it_is_used(tmp_path: Path, evaluated: Any) -> None:
    done = evaluated(FIELDS_IN_CONSTRUCTOR)
    assert done.code == 1
    assert done.err.startswith(f"fw: error: {tmp_path}/own.py:8: Own.score_multi_all of the metric 'own' must accept")


@pytest.mark.parametrize(("value", "found"), [("'a'", "got the string 'a'"), ("[['a']]", "must return numbers")])
def test_an_invalid_result_names_the_method(value: str, found: str, tmp_path: Path, evaluated: Any) -> None:
    done = evaluated(metric(value=value))
    assert done.code == 1
    assert found in done.err
    assert f"({tmp_path}/own.py:6)" in done.err


def test_an_exception_of_another_package_names_the_line_of_the_author_first(tmp_path: Path, evaluated: Any) -> None:
    done = evaluated(metric(value="json.loads('{')"))
    assert done.code == 1
    assert f"the metric 'own' failed at {tmp_path}/own.py:7 (raised at " in done.err
    assert "json/decoder.py" in done.err
    assert "Traceback" not in done.err


CONSTRUCTOR = "    def __init__(self, {}):\n        super().__init__()\n        self.n = n\n"


def optioned(parameter: str, value: str = "1.0 + self.n") -> str:
    return metric(value=value) + CONSTRUCTOR.format(parameter)


@pytest.mark.parametrize("spec", ["own:n=3", "own:n=true", '{"type": "own", "n": 3}', "own:n=[1]"])
@pytest.mark.parametrize("parameter", ["n", "n=None"])
def test_an_option_without_a_type_is_not_guessed(parameter: str, spec: str, tmp_path: Path, run: Run) -> None:
    done = run(optioned(parameter), "evaluate", "--metric", spec, "--input-files", "in.jsonl")
    assert done.code == 1
    assert done.err.startswith(f"fw: error: {tmp_path}/own.py:8: the option 'n' has no type")
    assert "n: int" in done.err


@pytest.mark.parametrize("parameter", ["n: int", "n: float", "n=2"])
def test_an_option_with_a_type_or_a_default_is_converted(parameter: str, run: Run) -> None:
    done = run(optioned(parameter), "own", "evaluate", "--n", "3", "--input-files", "in.jsonl")
    assert (done.code, done.err) == (0, "")
    assert "4.00" in done.out


def test_a_text_for_an_option_without_a_type_remains_a_text(run: Run) -> None:
    done = run(optioned("n", "1.0 + len(self.n)"), "own", "evaluate", "--n", "en", "--input-files", "in.jsonl")
    assert (done.code, done.err) == (0, "")


def test_scores_of_another_name_are_a_warning(tmp_path: Path, evaluated: Any) -> None:
    done = evaluated(metric(key="other"))
    assert done.code == 0
    assert done.err.count("warning: no score of 'own' has its name (it returns 'other')") == 1
    assert f"{tmp_path}/own.py:4, name the score 'own'" in done.err
    assert evaluated(metric(key="other"), "--strict").code == 1
    for key in ("own", "own_part"):
        assert evaluated(metric(key=key)).err == ""
    undirected = metric(key="other").replace("    def", "    higher_is_better = None\n    def", 1)
    assert evaluated(undirected).err == ""


def test_a_missing_citation_is_a_note(tmp_path: Path, run: Run) -> None:
    done = run(metric(), "cite", "own", "ter")
    assert done.code == 0
    assert done.err.startswith("fw: the metric 'own' has no citation; ")
    assert f"{tmp_path}/own.py:4" in done.err
    assert done.out.startswith("@")
