"""Metrics of one output: functions that `fw.metric` registers, classes that define `score`, and those of docs."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import pytest
from pages import DOCS, ROOT, blocks_of

import metrics_framework as fw
from metrics_framework.common.errors import PluginError, RegistrationError
from metrics_framework.metrics import REGISTRY
from metrics_framework.testing.contracts import CHECKS, example_of

CLASSES = """
import metrics_framework as fw

@fw.metric("all-fields", higher_is_better=None)
def all_fields(text, sources, references):
    return {"all-fields": len(text), "all-fields_given": len(sources) + sum(map(len, references))}

@fw.metric("alone")
def alone(text):
    return len(text.split())

@fw.Metric.register("own-score")
class OwnScore(fw.ReferenceBasedMetric):
    def score(self, summary, references):
        return max(len({*summary.split()} & {*reference.split()}) for reference in references)
"""
OF_DOCS = [
    block.text
    for page in (ROOT / "README.md", DOCS / "guides" / "add-a-metric.md")
    for block in blocks_of(page)
    if "@fw.metric(" in block.text or '@Metric.register("' in block.text
]


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    REGISTRY.search()
    monkeypatch.setattr(REGISTRY, "entries", dict(REGISTRY.entries))
    made = ModuleType("metrics_of_a_user")
    monkeypatch.setitem(sys.modules, made.__name__, made)
    return made


def metrics_in(module: ModuleType, code: str) -> list[Any]:
    known = {*REGISTRY.entries}
    exec(code, vars(module))
    return [fw.load(name) for name in REGISTRY.entries if name not in known]


@pytest.mark.filterwarnings("ignore::metrics_framework.TextWarning")
@pytest.mark.parametrize("code", [CLASSES, *OF_DOCS])
def test_metrics_of_users_and_of_the_docs_keep_the_contract(code: str, module: ModuleType) -> None:
    metrics = metrics_in(module, code)
    assert metrics
    for metric in metrics:
        for check in CHECKS if not metric.in_one_process else ():
            check(metric, example_of(metric))


def test_fields_have_the_names_of_parameters_and_texts_are_strings(module: ModuleType) -> None:
    both, alone, _ = metrics_in(module, CLASSES)
    assert both.score(["a", "b"], [["c", "d"], "e"], ["f"]) == {"all-fields": 3, "all-fields_given": 5}
    assert both.score("a", references=["c"], source="f") == {"all-fields": 1, "all-fields_given": 2}
    assert alone.evaluate(["a b", "c"])[0] == {"alone": 1.5}


@pytest.mark.parametrize(
    ("parameters", "fields"),
    [
        ("source, summary", ["summary", "source"]),
        ("source, output", ["summary", "source"]),
        ("references, prediction", ["summary", "references"]),
        ("source, references, hypothesis", ["summary", "references", "source"]),
        ("question, output", ["summary", "question"]),
        ("text, question", ["summary", "question"]),
        ("x, references=None", ["summary", "references"]),
        ("output, /, *, source", ["summary", "source"]),
    ],
)
def test_the_output_is_found_by_its_name_and_else_is_first(
    parameters: str, fields: list[str], module: ModuleType
) -> None:
    names = [one.split("=")[0] for one in parameters.replace(" ", "").split(",") if one not in "/*"]
    received = "{" + ", ".join(f"'m_{name}': len({name}[0])" for name in names) + "}"
    code = f"import metrics_framework as fw\n@fw.metric('m')\ndef m({parameters}): return {received}"
    (metric,) = metrics_in(module, code)
    assert list(metric.fields) == fields
    values = {"summary": "s", "source": "s", "question": ["four"], "references": ["seven"]}
    output = next((name for name in names if name in ("summary", "output", "prediction", "hypothesis")), names[0])
    lengths = {"question": 4, "references": 5}
    expected = {f"m_{name}": 1 if name == output else lengths.get(name, 1) for name in names}
    assert metric.score(*(values[field] for field in fields)) == expected


def test_a_class_may_ask_for_sentences(module: ModuleType) -> None:
    code = CLASSES + "    wants_sentences = True\n"
    code = code.replace(
        "max(len({*summary.split()} & {*reference.split()}) for reference in references)", "len(summary)"
    )
    *_, own = metrics_in(module, code)
    assert own.score_all([["a b", "c"]], [["d"]]) == [{"own-score": 2}]


WRONG: list[tuple[str, type[Exception], str]] = [
    ("@fw.metric('x')\ndef f(): return 1", PluginError, "must have a parameter for the output"),
    ("@fw.metric('x', score_range=3)\ndef f(text): return 1", PluginError, "'score_range' of the metric 'x' must be"),
    ("@fw.metric\ndef f(text): return 1", RegistrationError, r':1: the metric needs a name: @fw.metric\("NAME"\)'),
    (
        "@fw.metric('x')\ndef f(source): return 1",
        PluginError,
        ":1: f must .* the output, such as 'output'; 'source' is",
    ),
    ("@fw.metric('x')\ndef f(references, source): return 1", PluginError, "'references' is another field"),
    ("@fw.metric('x')\ndef f(reference, output): return 1", PluginError, "rename 'reference' to 'references'"),
    ("@fw.metric('x')\ndef f(output, summary): return 1", PluginError, "2 parameters for the output: output, summary"),
    ("@fw.metric('x')\ndef f(text, source, sources): return 1", PluginError, "2 parameters for 'source'"),
    ("@fw.metric('x', higher_better=False)\ndef f(text): return 1", PluginError, "did you mean 'higher_is_better'"),
    ("@fw.metric('x', lower_is_better=True)\ndef f(text): return 1", PluginError, "write higher_is_better=False"),
    ("@fw.metric('x', evaluate=3)\ndef f(text): return 1", PluginError, "has no attribute 'evaluate'; it has higher_"),
    ("@fw.metric('x')\ndef f(text, lower=True): return 1", PluginError, "'lower=True', which is no field; .* a class"),
    ("@fw.metric('x')\ndef f(text, **options): return 1", PluginError, r"'\*\*options', which is no field"),
    ("@fw.metric('x')\nclass X(fw.ReferenceFreeMetric): pass", PluginError, r'by @fw.Metric.register\("x"\)'),
    ("@fw.metric('ter')\ndef f(text): return 1", RegistrationError, "registered twice"),
]


@pytest.mark.parametrize(("code", "error", "told"), WRONG)
def test_wrong_functions_are_refused(code: str, error: type[Exception], told: str, module: ModuleType) -> None:
    given: dict[str, Any] = vars(module)
    given["fw"] = fw
    with pytest.raises(error, match=told):
        exec(code, given)
