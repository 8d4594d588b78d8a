"""The registries that ``fw list`` shows, with the columns of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from metrics_framework.alignment.aligner import Aligner
from metrics_framework.common.options import Option, options_of
from metrics_framework.common.registrable import Registry
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.evaluation.profiles.profile import Profile
from metrics_framework.meta_evaluation.coefficients import REGISTRY as COEFFICIENTS
from metrics_framework.meta_evaluation.differences import REGISTRY as TESTS
from metrics_framework.metrics.base.metric import Metric
from metrics_framework.metrics.base.requirements import missing


class Listing(NamedTuple):
    """The columns in which a registry is listed.

    Attributes:
        registry: The registry.
        columns: The headings of the names and of the details.
        details_of: Returns the details of a registered class.
        options_of: Returns the options of a registered class.
        shown: The details that a table on a terminal has; other formats have all.
    """

    registry: Registry
    columns: Sequence[str]
    details_of: Callable[[type[Any]], Sequence[str]]
    options_of: Callable[[type[Any]], Sequence[Option]] = lambda registered: options_of(
        registered, registered.registry().base
    )
    shown: Sequence[str] = ()


def _with_choices(option: Option) -> str:
    return f"{option.name}={'|'.join(map(str, option.choices))}" if option.choices else option.name


def _metric_details(metric: type[Metric]) -> list[str]:
    better = {True: "higher", False: "lower", None: "neither"}[metric.higher_is_better]
    needed = [requirement.name for requirement in missing(metric.requirements)]
    option = metric.example_flags.partition(" ")[0]
    ready = f"needs {', '.join(needed)}" if needed else f"with {option}" if option else "yes"
    return [", ".join((*metric.required_summary_fields, *metric.required_context_fields)), better, ready]


def _coefficient_details(coefficient: type[Any]) -> list[str]:
    from metrics_framework.meta_evaluation.coefficients.lookup import load_coefficient  # which imports NumPy

    found = load_coefficient(coefficient.registered_name)
    least, largest = found.range
    return [found.title, ", ".join(found.levels), f"[{least:g}, {largest:g}]", ", ".join(sorted(found.uses))]


def _coefficient_options(coefficient: type[Any]) -> list[Option]:
    from metrics_framework.meta_evaluation.choices import CoefficientOptions

    return [option for option in options_of(CoefficientOptions, object) if option.name in coefficient.uses]


LISTINGS = {
    "coefficients": Listing(
        COEFFICIENTS,
        ["coefficient", "title", "levels", "range", "options"],
        _coefficient_details,
        _coefficient_options,
        shown=("title",),
    ),
    "metrics": Listing(Metric.registry(), ["metric", "takes", "better", "ready"], _metric_details, shown=("ready",)),
    "readers": Listing(DatasetReader.registry(), ["reader", "files"], lambda reader: [reader.files_meaning]),
    "aligners": Listing(
        Aligner.registry(),
        ["aligner", "options"],
        lambda aligner: [", ".join(option.name for option in options_of(aligner, Aligner))],
    ),
    "profiles": Listing(
        Profile.registry(),
        ["profile", "options", "metrics"],
        lambda profile: [", ".join(map(_with_choices, options_of(profile, Profile))), " ".join(profile.metrics)],
    ),
    "tests": Listing(TESTS, ["test", "keeps clusters"], lambda test: ["yes" if test.keeps_clusters else "no"]),
}
