"""The arguments that the public functions share: metrics, confidence, progress, and where warnings go."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from operator import index
from typing import Any, Protocol, SupportsIndex, TypeAlias

from metrics_framework.common.errors import InputError
from metrics_framework.common.process import available_cpus
from metrics_framework.data.texts import as_list, is_list, shown
from metrics_framework.evaluation.profiles.profile import Profile, load_profile
from metrics_framework.metrics.base.metric import LabelledMetric, Metric, each_once, labelled
from metrics_framework.significance.confidence_level import as_fraction
from metrics_framework.significance.resampling import CONFIDENCE_OPTIONS, Resampling, resampling_arguments

MetricSpec: TypeAlias = str | Mapping[str, Any] | Metric | LabelledMetric
"""A metric: a name, ``name:option=value,…``, a dictionary with ``type`` and options, or an object."""
Metrics: TypeAlias = MetricSpec | Sequence[MetricSpec]
"""A metric, several, or a dictionary from labels to metrics."""
Confidence: TypeAlias = bool | float | Mapping[str, Any] | Resampling
"""Whether to compute intervals, their level (0.95 or 95), or the options of `Resampling`."""

ProfileSpec: TypeAlias = str | Mapping[str, Any] | Profile
"""A profile: a name, ``name:option=value,…``, a dictionary with ``type`` and options, or an object."""


class ProgressBar(Protocol):
    """An object with ``update``, such as a bar of tqdm."""

    def update(self, count: int, /) -> object:
        """Adds to the number of outputs scored."""


Progress: TypeAlias = bool | ProgressBar | Callable[[int], object]
"""What shows progress: `True` for a line in a terminal or notebook, a function or a `ProgressBar`."""


def metrics_of(metrics: Metrics, profile: Profile | None = None) -> list[LabelledMetric]:
    """Builds the metrics of a profile, and those given.

    Raises:
        InputError: if there are none.
        UsageError: if one cannot be built, or two have the same label.
    """
    specs: Sequence[Any]
    if isinstance(metrics, (str, Metric, LabelledMetric)) or getattr(metrics, "registered_name", None):  # a class, too
        specs = [metrics]
    elif hasattr(metrics, "scored_rows"):
        raise InputError("'metrics' must name metrics, got a result; fw.compare(scores=RESULT) compares its systems")
    elif isinstance(metrics, Mapping):
        is_spec = bool({"type", "name"} & metrics.keys())
        specs = [metrics] if is_spec else [replace(labelled([spec])[0], label=label) for label, spec in metrics.items()]
    elif is_list(metrics):
        specs = as_list(metrics)
    else:
        raise InputError(f"'metrics' must be a metric or a list of metrics, such as 'sari', got {shown(metrics)}")
    built = labelled([*(() if profile is None else profile.specs), *each_once(specs)])
    if not built:
        raise InputError("'metrics' must name at least one metric, such as 'sari' (fw list metrics shows all)")
    return built


def metric_of(metric: MetricSpec) -> LabelledMetric:
    """Builds a single metric.

    Raises:
        InputError: if there are several.
        UsageError: if it cannot be built.
    """
    built = metrics_of(metric)
    if len(built) > 1:
        names = ", ".join(f"'{one.label}'" for one in built)
        raise InputError(f"a single metric is needed, got {names}; make one object for each")
    return built[0]


def profile_of(profile: ProfileSpec) -> Profile:
    """Returns a profile, given its name with options; see `load_profile`."""
    return profile if isinstance(profile, Profile) else load_profile(profile)


def resampling_of(confidence: Confidence | None, by_default: bool) -> Resampling | None:
    """Returns how to resample, `None` for no intervals.

    Args:
        confidence: The argument of the caller.
        by_default: Whether to compute intervals if it is `None`.

    Raises:
        InputError: if it is invalid.
    """
    if confidence is None:
        confidence = by_default
    if isinstance(confidence, bool):
        return Resampling() if confidence else None
    if isinstance(confidence, Resampling):
        return confidence
    if isinstance(confidence, (int, float)):
        return Resampling(level=as_fraction(confidence))
    if isinstance(confidence, Mapping) and confidence.keys() <= set(CONFIDENCE_OPTIONS):
        return Resampling(**resampling_arguments(confidence))
    raise InputError(
        "'confidence' must be True, False, a level such as 0.95 or 95, or a dictionary with any of "
        f"{', '.join(CONFIDENCE_OPTIONS)}, got {confidence!r}"
    )


def jobs_of(jobs: int) -> int:
    """Returns the number of processes; 0 means one for each available CPU, as with ``--jobs``.

    Raises:
        InputError: if it is not an integer, or negative.
    """
    if isinstance(jobs, bool) or not isinstance(jobs, SupportsIndex) or index(jobs) < 0:
        raise InputError(f"'jobs' must be an integer, 0 or more (0 uses all available CPUs), got {jobs!r}")
    return index(jobs) or available_cpus()


def advance_of(progress: ProgressBar | Callable[[int], object]) -> Callable[[int], object]:
    """Returns the function to call with the number of outputs scored since the last call.

    Raises:
        InputError: if progress can be shown neither by a call nor by ``update``.
    """
    update = getattr(progress, "update", progress)
    if isinstance(progress, type) or not callable(update):
        raise InputError(
            f"'progress' must be a function or an object with 'update', such as tqdm.tqdm(), got {progress!r}"
        )
    return update
