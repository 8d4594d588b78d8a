"""Metrics of one output: functions that `fw.metric` registers, and classes that define `score`."""

from __future__ import annotations

import functools
import sys
from types import ModuleType
from typing import Any

import pytest

import metrics_framework as fw
from metrics_framework.common.errors import InputError, PluginError, RegistrationError
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
def test_metrics_of_users_keep_the_contract(module: ModuleType) -> None:
    for metric in metrics_in(module, CLASSES):
        for check in CHECKS:
            check(metric, example_of(metric))


def test_fields_have_the_names_of_parameters_and_texts_are_strings(module: ModuleType) -> None:
    both, alone, _ = metrics_in(module, CLASSES)
    assert both.score(["a", "b"], [["c", "d"], "e"], ["f"]) == {"all-fields": 3, "all-fields_given": 5}
    assert both.score("a", references=["c"], source="f") == {"all-fields": 1, "all-fields_given": 2}
    assert alone.evaluate(["a b", "c"])[0] == {"alone": 1.5}


def test_a_decorated_function_can_be_called_as_before_and_scores_as_a_metric(module: ModuleType) -> None:
    metrics_in(module, CLASSES)
    count = module.alone
    assert count("a b c") == count(text="a b c") == 3
    assert count().score("a b c") == {"alone": 3}
    for given in (count, [count, "bleu"], {"alone": count}):
        assert fw.evaluate(given, ["a b c"], references=["a"]).systems["system"]["alone"] == 3
    with pytest.raises(TypeError, match="takes 1 positional argument but 2 were given"):
        count("a", "b")


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
    (
        "@fw.metric('x', score_range=3)\ndef f(text): return 1",
        PluginError,
        ":1: 'score_range' of the metric 'x' must be",
    ),
    *(
        (
            f"\n@fw.metric{name}\ndef f(text): return 1",
            RegistrationError,
            r":2: the metric needs a name: @fw.metric\(\"N",
        )
        for name in ("", "()", "(3)", "('')")
    ),
    (
        "\n@fw.Metric.register\nclass X(fw.ReferenceFreeMetric): pass",
        RegistrationError,
        ":2: register needs a metric n",
    ),
    (
        "\nfw.metric('x')(functools.partial(max, 3))",
        PluginError,
        ":2: the metric 'x' must be a function, got functools",
    ),
    (
        "@fw.metric('x')\ndef f(source): return 1",
        PluginError,
        ":1: f must .* the output, such as 'output'; 'source' is",
    ),
    ("@fw.metric('x')\ndef f(references, source): return 1", PluginError, "'references' is another field"),
    ("@fw.metric('x')\ndef f(reference, output): return 1", PluginError, "rename 'reference' to 'references'"),
    (
        "@fw.metric('x')\ndef f(output: str, references: str): return 1",
        PluginError,
        r"gets the list of all references: annotate it as 'references: list\[str\]'",
    ),
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
    given |= {"fw": fw, "functools": functools}
    with pytest.raises(error, match=told):
        exec(code, given)


RESULTS = [  # what a function returns for the first output and for another, the error
    ("{1: 2}", "1", r"got the number 1 \(<string>:3\)"),
    ("{}", "1", r"got the object {} \(<string>:3\)"),
    ("10**400", "1", r"got the number 10{58}… for 'x' \(<string>:3\)"),
    ("[[1]]", "1", r"score 'x' must be a number or a list of numbers, got the list \[\[1\]\]"),
    ("1", "{'y': 1}", "the same scores for every output; only some outputs have x, y"),
    ("1", "[1]", r"score 'x' must be of one kind for every output; one output has the list \[1\]"),
    ("{'x': 1}", "{'x': {'y': 1}}", "score 'x' must be of one kind for every output; one output has {'y': 1}"),
    ("{'x': {'y': 1}}", "{'x': {'z': 1}}", "only some outputs have x_y, x_z"),
]


@pytest.mark.parametrize(("first", "other", "told"), RESULTS)
def test_odd_results_are_errors_with_the_line_of_the_function(
    first: str, other: str, told: str, module: ModuleType
) -> None:
    code = f"import metrics_framework as fw\n\n@fw.metric('x')\ndef x(text): return {first} if text == 'a' else {other}"
    (metric,) = metrics_in(module, code)
    with pytest.raises(InputError, match=told):
        metric.evaluate(["a", "b"])
