"""The public names: what they are, that each is there, and that importing the package costs nothing."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, get_args, get_origin

import pytest

import metrics_framework as fw

NAMES = {
    "Accumulator",
    "Coefficient",
    "CoefficientOptions",
    "DifferenceTest",
    "PermutationTest",
    "WeightedCoefficient",
    "columns",
    "compute_metrics",
    "reward",
    "AgreementResult",
    "agreement",
    "autorank",
    "RatersReport",
    "raters_report",
    "ChallengeResult",
    "challenge",
    "Text",
    "as_string",
    "PluginError",
    "Problems",
    "ProvisionalWarning",
    "ComparisonResult",
    "CorpusMetric",
    "CorrelationResult",
    "DataError",
    "DatasetReader",
    "DocumentBasedMetric",
    "EstimateResult",
    "EvalInstance",
    "EvaluationResult",
    "FwError",
    "InputError",
    "Jackknifer",
    "JudgeResult",
    "Metric",
    "MetricsDict",
    "MetricsRow",
    "Log",
    "Tokenizer",
    "cite",
    "GateResult",
    "list_metrics",
    "load_tokenizer",
    "PlanResult",
    "Plot",
    "PreferenceResult",
    "PyramidJackknifer",
    "ReferenceBasedMetric",
    "ReferenceFreeMetric",
    "ReferencesJackknifer",
    "Report",
    "RowReader",
    "SourceBasedMetric",
    "SourceReferenceBasedMetric",
    "TextWarning",
    "UsageError",
    "Visualization",
    "__version__",
    "compare",
    "correlate",
    "estimate",
    "evaluate",
    "gate",
    "judge",
    "StatSigResult",
    "partial_conjunction_test",
    "stat_sig_test",
    "load",
    "load_reader",
    "load_test_set",
    "metric",
    "plan",
    "prefer",
    "report",
    "visualize_pyramid",
    "visualize_rouge",
}


def test_the_public_names_are_these() -> None:
    """A name that leaves this list breaks somebody's code: say so in the change log."""
    assert set(fw.__all__) == NAMES
    assert len(fw.__all__) == len(NAMES)


@pytest.mark.parametrize("name", sorted(NAMES))
def test_every_public_name_can_be_imported_and_is_documented(name: str) -> None:
    value = getattr(fw, name)
    if name not in ("__version__", "Text"):
        assert value.__doc__
        assert value.__name__ == name
        assert value.__module__.split(".")[0] == "metrics_framework"
    assert getattr(fw, name) is value


def test_provisional_names_are_public_and_in_the_page_on_stability() -> None:
    page = (Path(__file__).resolve().parent.parent / "docs" / "reference" / "stability.md").read_text(encoding="utf-8")
    assert set(fw.PROVISIONAL) <= NAMES
    assert [name for name in fw.PROVISIONAL if f"`fw.{name}`" not in page] == []


def test_dir_lists_the_public_names() -> None:
    assert set(dir(fw)) >= NAMES


def test_every_public_name_comes_with_a_star_import() -> None:
    names: dict[str, object] = {}
    exec("from metrics_framework import *", names)
    assert set(names) - {"__builtins__"} == NAMES


def test_type_checkers_see_the_names_that_are_loaded_lazily() -> None:
    source = Path(fw.__file__).read_text(encoding="utf-8")
    declared = re.findall(r"^    from \S+ import (\w+) as \1$", source, re.MULTILINE)
    assert {*declared, "__version__"} == NAMES
    assert len(declared) == len(set(declared))


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="'metrics_framework' has no attribute 'Sari'"):
        fw.Sari  # noqa: B018
    assert not hasattr(fw, "__wrapped__")


def test_the_version_is_that_of_the_installed_package() -> None:
    from importlib.metadata import version

    assert fw.__version__ == version("metrics-framework")


def modules_after(statement: str) -> set[str]:
    """Returns the modules that a statement imports in a fresh interpreter."""
    script = f"import sys; before = set(sys.modules); {statement}; print(*set(sys.modules) - before)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_importing_the_package_imports_nothing_else() -> None:
    ours = {"metrics_framework", "metrics_framework.version"}
    others = {name for name in modules_after("import metrics_framework") if name not in ours}
    assert not {name for name in others if not name.startswith(("__future__", "typing", "collections", "re", "_"))} - {
        "abc", "contextlib", "copyreg", "enum", "functools", "itertools", "keyword", "operator", "reprlib",
        "sre_compile", "sre_constants", "sre_parse", "types", "warnings",
    }  # fmt: skip


@pytest.mark.parametrize("name", ["Metric", "load", "MetricsDict", "DatasetReader"])
def test_a_public_name_imports_no_numerical_library_and_no_metric(name: str) -> None:
    imported = modules_after(f"from metrics_framework import {name}")
    assert not imported & {"numpy", "scipy", "pandas", "matplotlib", "metrics_framework.metrics.sari", "argparse"}


def test_types_in_signatures_of_overriding_methods_hold_no_strings() -> None:
    """In Python 3.10 `overrides` fails on an alias such as ``"str | Sequence[str]"`` within another type.

    An alias by itself, such as ``Floats``, is resolved or ignored.
    """
    broken = []
    for module in pkgutil.walk_packages(fw.__path__, "metrics_framework."):
        if module.name.endswith(("__main__", "_native", "integrations.mbrs")):  # the last needs mbrs itself
            continue
        loaded = importlib.import_module(module.name)
        for kind in [value for value in vars(loaded).values() if isinstance(value, type)]:
            if kind.__module__ != module.name:
                continue
            for name, method in vars(kind).items():
                if getattr(method, "__override__", False) and inspect.isfunction(method):
                    hints = [_evaluated(hint, loaded) for hint in method.__annotations__.values()]
                    parts = [part for hint in hints for part in get_args(hint) if get_origin(hint) is not Literal]
                    broken += [f"{module.name}: {kind.__name__}.{name}" for part in parts if _holds_a_string(part)]
    assert broken == []


def _evaluated(hint: str, module: ModuleType) -> Any:
    try:
        return eval(hint, vars(module))
    except (
        NameError,
        TypeError,
    ):  # imported for type checking only, or joined with such a name; `overrides` ignores both
        return None


def _holds_a_string(hint: Any) -> bool:
    return isinstance(hint, str) or (get_origin(hint) is not Literal and any(map(_holds_a_string, get_args(hint))))
