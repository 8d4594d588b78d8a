"""When options of analyses act: one table, and the check that refuses an option that would be ignored."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

from metrics_framework.api.arguments import Reading
from metrics_framework.common.errors import IdleOptionError
from metrics_framework.common.options import is_default


class Acts(NamedTuple):
    """When an option acts.

    Args:
        only: The condition, for the message: the option acts only …
        holds: Returns whether it acts, given the values of all options, and what is known about the data. What is not
            yet known may make it act.
        step: What to do about it, apart from leaving the option out; empty if there is nothing else.
    """

    only: str
    holds: Callable[[Mapping[str, Any]], bool]
    step: str = ""


def _is_averaged(given: Mapping[str, Any]) -> bool:
    return bool(given["data_sets"] or given["preset"])


def _has(option: str) -> Callable[[Mapping[str, Any]], bool]:
    """Returns whether an option of `correlate` is not turned off."""
    return lambda given: bool(given[option] != "none")


def _is_tested(given: Mapping[str, Any]) -> bool:
    return _has("test")(given) or _is_averaged(given)


def _is_drawn(given: Mapping[str, Any]) -> bool:
    """Returns whether a test or an interval is of draws."""
    is_drawn_test = _has("test")(given) and given["test"] != "williams"
    return is_drawn_test or _is_averaged(given) or given["ci"].startswith(("bootstrap", "bca"))


def _uses_seed(given: Mapping[str, Any]) -> bool:
    """Returns whether anything is drawn: resamples, permutations, the sign flips of SPA, or halves of the raters."""
    from metrics_framework.meta_evaluation.coefficients.lookup import load_coefficient

    has_flips = any({"sign_flips", "folds"} & load_coefficient(name).uses for name in given["coefficients"])
    return _is_drawn(given) or has_flips or given.get("has_raters", True)


def _reads_labels(given: Mapping[str, Any]) -> bool:
    """Returns whether anything needs texts of outputs, or labels of them or of inputs."""
    return any(given[name] for name in ("sentinels", "slices", "partial", "cluster", "data_sets"))


def _keeps_clusters(given: Mapping[str, Any]) -> bool:
    """Returns whether inputs are drawn, swapped, left out or split into folds, or outputs counted as independent."""
    from metrics_framework.meta_evaluation.coefficients.lookup import load_coefficient

    has_folds = any("folds" in load_coefficient(name).uses for name in given["coefficients"])
    has_all = bool({"default", "global"} & {*given["levels"]})
    return has_folds or has_all or _is_tested(given) or given["ci"].endswith(("inputs", "both", "bootstrap"))


_TESTED = Acts("with a test of metrics or averages over data sets", _is_tested, "add 'test' or 'data_sets'")
_AVERAGED = Acts("with averages over data sets", _is_averaged, "add 'data_sets' or 'preset'")
_WITH_INTERVALS = Acts("with intervals", _has("ci"), "choose another 'ci'")
_OF_TEXTS = Acts("with texts, not with scores of outputs", lambda given: given["scores"] is None)
_AGAINST = Acts("with the votes of people", lambda given: given["against"] is not None, "add 'against'")
_OF_FILES = Acts("with files, rows or tables, not with arrays", lambda given: not given["is_array"])
_OF_DRAWS = Acts("with a test that draws, not with that of Williams", lambda given: given["method"] != "williams")


def _of_goals(*goals: str, when: str = "", holds: Callable[[Mapping[str, Any]], bool] = bool) -> Acts:
    """Returns when an option of `plan` acts: for goals, perhaps on a further condition."""
    named = f"for the goal{'s' * (len(goals) > 1)} {' and '.join(filter(None, [', '.join(goals[:-1]), goals[-1]]))}"
    return Acts(named + when, lambda given: given["goal"] in goals and holds(given))


def _has_no_pilot(given: Mapping[str, Any]) -> bool:
    return given["pilot"] is None


def _assumptions() -> dict[str, Acts]:
    """Returns when the assumptions of `plan` act."""
    from metrics_framework.meta_evaluation.plan.request import ASSUMED

    goals: dict[str, list[str]] = {}
    for goal, options in ASSUMED.items():
        for option in options:
            goals.setdefault(option, []).append(goal)
    without = dict.fromkeys(goals, (", without a pilot, which shows it", _has_no_pilot))
    without |= dict.fromkeys(
        ("sd", "agreement"),
        (", without a pilot or a share", lambda given: _has_no_pilot(given) and given["share"] is None),
    )
    return {name: _of_goals(*of, when=without[name][0], holds=without[name][1]) for name, of in goals.items()}


_OF_MEANS = _of_goals("mean", "difference", "estimate")
_WITH_PILOT = Acts("with the ratings of a pilot", lambda given: not _has_no_pilot(given), "name its files")

_ACTS: Mapping[str, Mapping[str, Acts]] = {
    "agreement": {
        "seed": Acts(
            "if something is drawn: random halves of the raters, or groups of more than 1,000 outputs or clusters",
            lambda given: given.get("is_drawn", True),
        )
    },
    "challenge": dict.fromkeys(
        ("correct", "alpha"), Acts("with two metrics or more", lambda given: len(given["metrics"]) != 1)
    ),
    "compare": {
        **dict.fromkeys(
            ("references", "sources", "documents", "reader", "systems", "jobs", "checks", "force"), _OF_TEXTS
        ),
        "pair_by": Acts("with scores of outputs, not with texts", lambda given: given["scores"] is not None),
        "ranking": Acts("with all pairs, not against a baseline", lambda given: given["baseline"] is None),
        "resamples": Acts("with intervals by a bootstrap", lambda given: given["ci"] not in ("jackknife", "none")),
    },
    "correlate": {
        **dict.fromkeys(("alpha", "correct", "ranking"), _TESTED),
        **dict.fromkeys(("confidence", "two_tailed"), _WITH_INTERVALS),
        "average_test": _AVERAGED,
        "texts": Acts("with sentinels, slices, covariates, clusters or data sets", _reads_labels, "add 'sentinels'"),
        "cluster": Acts(
            "at the global level, and with intervals over inputs, tests of metrics or averages over data sets",
            _keeps_clusters,
            "choose jackknife-inputs as 'ci', or add 'test'",
        ),
        "detectable": Acts("with a test of metrics", _has("test"), "add 'test'"),
        "resamples": Acts(
            "with a bootstrap, a test of metrics that draws or averages over data sets",
            _is_drawn,
            "add 'test', or choose a bootstrap as 'ci'",
        ),
        "seed": Acts(
            "if something is drawn: by a bootstrap, a test, averages over data sets, SPA or ratings of several people",
            _uses_seed,
        ),
        "folds": Acts(
            "if thresholds are cross-fitted",
            lambda given: given["threshold"] is None and not len(given["threshold_from"]),
            "leave 'threshold' and 'threshold_from' out",
        ),
        "min_group": Acts(
            "at the levels input and within-system",
            lambda given: bool(given["preset"] or {"default", "input", "within-system"} & {*given["levels"]}),
            "add one to 'levels'",
        ),
    },
    "estimate": {"errors_of": Acts("with verdicts", lambda given: given["pass_fail"], "add 'pass_fail'")},
    "gate": {
        **dict.fromkeys(("system", "baseline", "columns", "where", "duplicates", "pair_by"), _OF_FILES),
        "lower_is_better": _OF_FILES._replace(step="use 'higher_is_better'"),
        "higher_is_better": Acts("with arrays", lambda given: given["is_array"], "use 'lower_is_better'"),
    },
    "judge": {
        "resamples": Acts("with a jury", lambda given: given["jury"] is not None, "add 'jury'"),
        "variance": Acts("by the scorings accuracy and neg_rmse", lambda given: given["scoring"] != "ranks"),
        **dict.fromkeys(
            ("bins", "binning"),
            Acts(
                "on confidence that judges state, or probabilities between 0 and 1 of ratings of 0 and 1",
                lambda given: given.get("has_probabilities", True),
                "add 'stated_confidence'",
            ),
        ),
    },
    "plan": {
        **dict.fromkeys(("rating", "cluster", *Reading.__annotations__), _WITH_PILOT),
        **dict.fromkeys(("half_width", "difference", "systems", "cluster_size", "confidence"), _OF_MEANS),
        **dict.fromkeys(("scoring", "epsilon", "q"), _of_goals("alt-test")),
        "judge": _of_goals("estimate", "alt-test", when=", with a pilot", holds=lambda given: not _has_no_pilot(given)),
        "judged": _of_goals("estimate"),
        "comparisons": _of_goals(
            "difference", when=", with three systems or more", holds=lambda given: (given["systems"] or 2) > 2
        ),
        "power": Acts(
            "with a difference that is to be detected, or for the goal alt-test",
            lambda given: given["difference"] is not None or given["goal"] == "alt-test",
            "add 'difference'",
        ),
        "assurance": Acts(
            "for half-widths, or with the ratings of a pilot",
            lambda given: not _has_no_pilot(given) or (given["goal"] != "alt-test" and given["difference"] is None),
        ),
    },
    "prefer": {
        **dict.fromkeys(("resamples", "subset"), _AGAINST),
        "seed": Acts(
            "with the votes of people, or choices of a best and a worst item",
            lambda given: given["against"] is not None or given.get("has_choices", True),
            "add 'against'",
        ),
        "baseline": Acts(
            "with 'games' of Arena-Hard that do not name it", lambda given: given.get("needs_baseline", True)
        ),
        "show": Acts(
            "for rankings and agreement with the votes of people",
            lambda given: given["against"] is not None or given["show"] not in ("ranking", "agreement"),
            "add 'against'",
        ),
    },
    "stat_sig_test": {
        **dict.fromkeys(("resamples", "seed"), _OF_DRAWS),
        "definition": Acts(
            "with a bootstrap, or the test of Williams", lambda given: not given["method"].startswith("permutation")
        ),
    },
}
FUNCTIONS = tuple(_ACTS)
"""The public functions with options that do not always act."""


def acts_of(function: str) -> Mapping[str, Acts]:
    """Returns the options of a public function that do not always act."""
    return {**_ACTS[function], **(_assumptions() if function == "plan" else {})}


_flags: ContextVar[tuple[str, Collection[str]]] = ContextVar("flags of a command", default=("", ()))


@contextmanager
def given_as_flags(function: str, names: Collection[str]) -> Iterator[None]:
    """Makes calls of a function within this context refuse idle options that have their default, too.

    Args:
        function: The name of the public function that a command calls.
        names: The options that the flags of the command set.
    """
    token = _flags.set((function, names))
    try:
        yield
    finally:
        _flags.reset(token)


def is_given(function: Callable[..., Any], name: str, value: Any) -> bool:
    """Returns whether an option of a public function was given: as a flag, or as an argument that is not its default.

    Args:
        function: The public function.
        name: The option.
        value: Its value.
    """
    command, flags = _flags.get()
    return (command == function.__name__ and name in flags) or not is_default(function, name, value)


def refuse_idle(function: Callable[..., Any], given: Mapping[str, Any], **known: Any) -> None:
    """Refuses an option that was given, but has no effect.

    Args:
        function: The public function.
        given: The value of each of its parameters.
        known: What is known about the data.

    Raises:
        IdleOptionError: if there is one.
    """
    values = {**given, **known}
    for name, acts in acts_of(function.__name__).items():
        if is_given(function, name, given[name]) and not acts.holds(values):
            steps = f"{acts.step}, or leave '{name}' out" if acts.step else "leave it out"
            raise IdleOptionError(f"'{name}' acts only {acts.only}; {steps}")
