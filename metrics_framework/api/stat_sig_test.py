"""`stat_sig_test` and `partial_conjunction_test`: SacreROUGE's hypothesis tests, without its faults."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from metrics_framework.api.acting import refuse_idle
from metrics_framework.api.arguments import Count, LogSpec, Reading, ScoreName, Scores, Seed, log_of
from metrics_framework.api.tables import Tabular
from metrics_framework.common.errors import InputError
from metrics_framework.common.options import Form, NamesFrom, checked_arguments, with_options
from metrics_framework.common.overriding import overrides
from metrics_framework.data.fields import SummarizerFilter
from metrics_framework.data.file_formats import head_of
from metrics_framework.meta_evaluation.choices import SACREROUGE_LEVELS, SACREROUGE_TESTS, Definition
from metrics_framework.reports.formats.output_format import JSON, OutputFormat
from metrics_framework.reports.numbers import significant

if TYPE_CHECKING:
    from typing_extensions import Unpack

MethodName: TypeAlias = Annotated[str, NamesFrom(lambda: SACREROUGE_TESTS)]
DataSet: TypeAlias = Annotated[str, Form("NAME")]
LevelName: TypeAlias = Annotated[str, NamesFrom(lambda: tuple(SACREROUGE_LEVELS))]


@dataclass(repr=False)
class StatSigResult(Tabular[Literal["all"]]):
    """The tests of two metrics, or of several data sets.

    Attributes:
        results: What the JSON file has.
        warnings: What may make the results misleading.
    """

    results: dict[str, Any]
    warnings: list[str] = field(default_factory=list)

    def __getitem__(self, key: str) -> Any:
        """Returns a result by its name in the JSON file."""
        return self.results[key]

    def as_json(self) -> dict[str, Any]:
        """Returns all results as they appear in the JSON file."""
        return self.results

    def to_records(self) -> list[dict[str, Any]]:
        """Returns one record per level and coefficient."""
        return [
            {"level": level, "coefficient": key, **numbers}
            for level, coefficients in self.results.items()
            if isinstance(coefficients, dict)
            for key, numbers in coefficients.items()
        ]

    @overrides
    def table(self, format: str = "table") -> str:
        if format == JSON:
            return self.to_json()
        output: OutputFormat = OutputFormat.by_name(format)()
        records = self.to_records()
        header = list(records[0]) if records else ["level", "coefficient"]
        written = output.render(header, [[_text(value) for value in record.values()] for record in records], left=2)
        return output.with_notes(written, self._notes()) if output.for_people else written

    @overrides
    def _pictures(self) -> Mapping[str, Callable[[], str]]:
        from metrics_framework.reports.charts import Group, Row, forest

        key, quantity = ("pvalue", "p-value") if "H0" in self.results else ("k", "number of data sets")
        mark = (self.results["alpha"], "alpha") if key == "pvalue" else ()
        rows = [Row(f"{one['level']}, {one['coefficient']}", one[key]) for one in self.to_records()]
        groups = [Group("level, coefficient", rows, *mark)]
        return {"results": partial(forest, "Tests of two metrics", self._notes()[0], groups, quantity)}

    def _notes(self) -> list[str]:
        if "H0" not in self.results:
            return [f"alpha {self.results['alpha']:g}, over {', '.join(self.results['names'])}"]
        return [
            f"H0: {self.results['H0']}; H1: {self.results['H1']}; alpha {self.results['alpha']:g}",
            f"{self.results['test_method']} {self.results['population']}",
        ]


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(value)
    return significant(value) if isinstance(value, float) else str(value)


@with_options(Reading)
def stat_sig_test(
    scores: Scores,
    dependent_metric: ScoreName,
    metric_a: ScoreName,
    metric_b: ScoreName,
    *,
    method: MethodName = "permutation-both",
    alpha: float = 0.05,
    two_tailed: bool = False,
    definition: Definition = "corrected",
    levels: Sequence[LevelName] = tuple(SACREROUGE_LEVELS),
    summarizer_type: SummarizerFilter = "peer",
    resamples: Count = 1000,
    seed: Seed = 0,
    log: LogSpec = None,
    **reading: Unpack[Reading],
) -> StatSigResult:
    """Tests whether one metric correlates better with a third score than another, as ``fw stat-sig-test`` does.

    Args:
        scores: As in `correlate`.
        dependent_metric: The score that both metrics are correlated with, such as a human rating.
        metric_a: The first metric.
        metric_b: The second metric.
        method: The hypothesis test; ``permutation-both`` swaps single outputs.
        alpha: The level of significance.
        two_tailed: Whether to test for any difference, not only for the first metric being better.
        definition: The definition of the p-values of bootstrap and Williams' test; the bootstrap of ``sacrerouge``
            counts one tail only, and its Williams' test compares absolute correlations.
        levels: The levels at which the metrics are tested.
        summarizer_type: Whose outputs are used: those of systems (``peer``), human references, or all.
        resamples: The number of resamples or random swaps.
        seed: The random seed.
        log: A function, such as `print`, or a log that receives warnings; by default Python warnings.
        reading: How ratings are read, see `Reading`.

    Raises:
        InputError: if an argument is invalid, or no output has all three scores.
        UnknownNameError: if there is no score of a name.
    """
    import numpy as np

    from metrics_framework.common.logs import long_work
    from metrics_framework.inputs.rating_rows import RatingRules, sources_of
    from metrics_framework.inputs.score_files import read_score_files
    from metrics_framework.meta_evaluation.choices import SACREROUGE_COEFFICIENTS
    from metrics_framework.meta_evaluation.coefficients.lookup import load_coefficient
    from metrics_framework.meta_evaluation.differences import stat_sig
    from metrics_framework.metrics.base.direction import known_metrics

    given = checked_arguments(stat_sig_test, locals(), declared=reading)
    refuse_idle(stat_sig_test, given)
    levels, alpha, resamples, seed = (given[name] for name in ("levels", "alpha", "resamples", "seed"))
    method, two_tailed, definition = given["method"], given["two_tailed"], given["definition"]
    if not 0 < alpha < 1:
        raise InputError(f"'alpha' must be between 0 and 1, got {alpha}")
    test = stat_sig.sacrerouge_test(method, definition)
    names = (dependent_metric, metric_a, metric_b)
    if len(set(names)) < 3:
        raise InputError(
            f"the dependent metric and both metrics must be three different scores, got {', '.join(names)}"
        )
    rules = RatingRules.of(given, names, {dependent_metric})
    files = read_score_files(sources_of(scores)[0], rules=rules, metrics=known_metrics())
    selected = files.columns(names, summarizer_type)
    selected = selected.restricted(selected.cells(names))
    if not selected.present.any():
        raise InputError(f"no output of type '{summarizer_type}' has all of {', '.join(names)}")
    human, first, second = (selected.scores[name] for name in names)
    log = log_of(log)
    rules.tell(log)
    total = len(levels) * len(SACREROUGE_COEFFICIENTS)
    what, cheaper = f"testing {total} correlations", "fewer resamples or levels take less"
    with long_work(what, total, cheaper, "tested", "correlations", log) as work:
        tests: dict[str, dict[str, float]] = {level: {} for level in levels}
        warnings = [*files.warnings]
        for level, (key, name) in product(levels, SACREROUGE_COEFFICIENTS.items()):
            refusal = test.refusal(load_coefficient(name), SACREROUGE_LEVELS[level])
            p_value = math.nan
            if refusal is None:
                options: dict[str, Any] = {"method": method, "definition": definition}
                options |= {"resamples": resamples, "seed": seed, "level": SACREROUGE_LEVELS[level]}
                found = stat_sig.stat_sig_test(human, first, second, name, **options)
                p_value = found.p_value if two_tailed else found.p_greater
                warnings += found.notes if method.startswith("permutation") else ()
            tests[level][key] = p_value
            work.advance()
    if method == "williams":
        warnings.append(stat_sig.ONLY_PEARSON)
    for warning in dict.fromkeys(warnings):
        log.warn(warning)
    null, alternative = stat_sig.hypotheses(*names, two_tailed)
    result = {**head_of("fw stat-sig-test"), "dependent_metric": dependent_metric}
    result |= {"metric_A": metric_a, "metric_B": metric_b, "summarizer_type": summarizer_type}
    result |= {"test_method": method, "alpha": alpha, "two_tailed": two_tailed, "H0": null, "H1": alternative}
    result |= {"population": test.population(selected.present.shape, "global"), "definition": definition}
    result |= {"resamples": resamples, "seed": seed, "num_outputs": int(np.count_nonzero(selected.present))}
    for level, p_values in tests.items():
        result[level] = {key: {"pvalue": p, "is_significant": p <= alpha} for key, p in p_values.items()}
    return StatSigResult(result, log.warnings)


def partial_conjunction_test(
    tests: Sequence[Mapping[str, Any]], names: Sequence[DataSet] | None = None, *, alpha: float = 0.05
) -> StatSigResult:
    """Counts the data sets on which one metric is better, as ``fw partial-conjunction-test`` does.

    Args:
        tests: The results of `stat_sig_test` or ``fw stat-sig-test`` on each data set.
        names: The names of the data sets, one for each result; by default, the files or numbers.
        alpha: The level of significance of the count.

    Returns:
        For each level and coefficient, the number of data sets ``k`` and those that are ``significant``.

    Raises:
        InputError: if there are no results, or they have no level and coefficient in common.
    """
    from metrics_framework.meta_evaluation.differences.stat_sig import combined

    names = [str(number) for number in range(1, len(tests) + 1)] if names is None else list(names)
    if not tests or len(names) != len(tests):
        raise InputError(f"'names' must name each of the results, got {len(names)} names for {len(tests)} results")
    if not 0 < alpha < 1:
        raise InputError(f"'alpha' must be between 0 and 1, got {alpha}")
    results = combined([getattr(test, "results", test) for test in tests], names, alpha)
    start = {**head_of("fw partial-conjunction-test"), "method": "bonferroni", "names": names, "alpha": alpha}
    return StatSigResult({**start, **results})
