"""The notes below tables of correlations: what was correlated, what was left out, and how intervals were computed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from metrics_framework.common.errors import counted
from metrics_framework.meta_evaluation.choices import AVERAGED, FORMULAS
from metrics_framework.meta_evaluation.coefficients.lookup import load_coefficient
from metrics_framework.meta_evaluation.correlate.correlation import Correlation, LevelResult
from metrics_framework.meta_evaluation.correlate.request import NONE, CorrelateRequest
from metrics_framework.reports.numbers import number, percent

Lines: TypeAlias = "list[str]"

RESAMPLED = {"both": "systems and inputs", "inputs": "inputs", "systems": "systems"}
"""The end of the name of a bootstrap to what it resamples."""


def correlation_notes(results: Sequence[Correlation]) -> Lines:
    """Returns the notes on correlations, one per line.

    A note that holds for all correlations is written once; otherwise it starts with the name of its correlation.
    """
    named = [*zip(results, names_among(results), strict=True)]
    lines: Lines = []
    for kind in _KINDS:
        of_each = [(name, kind(result)) for result, name in named]
        if all(notes == of_each[0][1] for _, notes in of_each):
            lines += of_each[0][1]
        else:
            lines += with_names([(name, note.removeprefix("data: ")) for name, notes in of_each for note in notes])
    directions = list(dict.fromkeys(part for result in results for part in result.orientation.split("; ")))
    if any(part.endswith(" negated") and " is " in part for part in directions):
        directions = [part.removesuffix(", no score was negated") for part in directions]
    signatures = dict.fromkeys(line for result in results for line in _signatures(result))
    return [*lines, f"sign: {'; '.join(directions)}", *signatures]


def with_names(lines: Iterable[tuple[str, str]]) -> Lines:
    """Puts its name before each line; a line of several names is written once, after all of them.

    >>> with_names([("sari", "2 constant"), ("bleu", "2 constant"), ("ter", "17 constant")])
    ['sari, bleu: 2 constant', 'ter: 17 constant']
    >>> with_names([("sari", "'sari': 3 missing"), ("bleu against fluency", "'bleu': 3 missing")])
    ['sari: 3 missing', "bleu against fluency: 'bleu': 3 missing"]
    """
    names: dict[str, list[str]] = {}
    for name, line in lines:
        names.setdefault(line.removeprefix(f"'{name}': "), []).append(name)
    return [f"{', '.join(dict.fromkeys(of_line))}: {line}" for line, of_line in names.items()]


def names_among(results: Sequence[Correlation]) -> list[str]:
    """Returns for each correlation the name that tells it from the others: nothing if it is the only one.

    The name is that of the metric, with that of the rating if there are several.
    """
    if len(results) == 1:
        return [""]
    names = [result.metric1 for result in results]
    if len({result.metric2 for result in results}) > 1:
        names = [f"{result.metric1} against {result.metric2}" for result in results]
    data_sets = [result.data_set for result in results]
    return [f"{name} on {data_set}" if data_set else name for name, data_set in zip(names, data_sets, strict=True)]


def _signatures(result: Correlation) -> Lines:
    return [
        f"signature: {signature}" if signature.split("|")[0] == label else f"signature {label}: {signature}"
        for label, signature in result.signatures.items()
    ]


def outputs_of(result: Correlation) -> str:
    """Describes the outputs that a correlation is computed on, and those left out."""
    matrix = result.matrix
    causes = {
        "summarizer_type": f"not of type {result.summarizer_type}",
        "metric1_missing": f"{result.metric1} missing",
        "metric2_missing": f"{result.metric2} missing",
        "both_missing": "both missing",
    }
    dropped = [f"{count} {causes[cause]}" for cause, count in result.dropped.items() if count]
    whose = {"all": "peers and references", "peer": "peers", "reference": "references"}[result.summarizer_type]
    outputs, systems = counted(matrix.num_cells, "output"), counted(len(matrix.systems), "system")
    outputs = f"{outputs} of {systems} ({whose}) on {counted(len(matrix.inputs), 'input')}"
    return f"{outputs}; left out: {', '.join(dropped) or 'none'}"


def _data(result: Correlation) -> Lines:
    return [f"data: {outputs_of(result)}"]


def _groups(result: Correlation) -> Lines:
    return [_groups_of(found) for level, found in result.levels.items() if level in AVERAGED]


def _groups_of(level: LevelResult) -> str:
    """Describes the groups averaged at a level, and those skipped."""
    group, member = ("input", "system") if level.level == "input" else ("system", "input")
    reasons = {
        f"num_groups_one_{member}": f"with one {member}",
        "num_groups_too_small": "with too few outputs",
        "num_groups_constant": "constant in a metric",
    }
    skipped = [f"{level.details[key]} {why}" for key, why in reasons.items() if level.details.get(key)]
    sizes = ", ".join(
        f"{count} of {counted(int(size), member)}" for size, count in level.details["group_sizes"].items()
    )
    used = f"{counted(level.points, group)} used{f' ({sizes})' if sizes else ''}"
    return f"{level.level} level: {used}; skipped: {', '.join(skipped) or 'none'}"


def _ties(result: Correlation) -> Lines:
    parts = []
    for level, level_result in result.levels.items():
        tied = level_result.ties["metric1"], level_result.ties["metric2"], level_result.ties["both"]
        if any(tied):
            parts.append(
                f"{level} {tied[0]} in {result.metric1}, {tied[1]} in {result.metric2}, {tied[2]} in both, "
                f"of {level_result.ties['pairs']} pairs"
            )
    corrected = " (τ-b corrects for them)" if "kendall-b" in result.request.coefficients else ""
    return [f"ties: {'; '.join(parts)}{corrected}"] if parts else ["ties: none"]


def _intervals(result: Correlation) -> Lines:
    """Describes the interval methods of all levels."""
    methods: dict[str, dict[str, None]] = {}
    without: dict[str, None] = {}
    for name, level in result.levels.items():
        several = len({one.interval_method for one in level.estimates.values()} - {NONE}) > 1
        for coefficient, estimate in level.estimates.items():
            if estimate.interval_method == NONE and result.request.ci != NONE:
                without[coefficient] = None
            else:
                where = f"{name} {coefficient}" if several else name
                methods.setdefault(estimate.interval_method, {})[where] = None
    lines = [
        f"intervals{_at(levels) if len(methods) > 1 else ''}: {_interval(method, result.request)}"
        for method, levels in methods.items()
    ]
    if without:
        lines.append(f"without intervals, for which the method is undefined: {', '.join(without)}")
    return [*lines, *_too_few_systems(result)]


def _too_few_systems(result: Correlation) -> Lines:
    """Says why coefficients of few systems have no interval by a formula."""
    if "system" not in result.levels:
        return []
    found = result.levels["system"]
    names = [
        name
        for name, estimate in found.estimates.items()
        if estimate.interval_method in FORMULAS and estimate.defined and estimate.lower is None
    ]
    if not names:
        return []
    return [f"no interval at the system level with {counted(found.points, 'system')}: {', '.join(names)}"]


def _at(levels: Iterable[str]) -> str:
    return f" ({', '.join(levels)})"


def _interval(method: str, request: CorrelateRequest) -> str:
    if method == NONE:
        return "none"
    level = f"{percent(request.confidence / 100)} {'two-tailed' if request.two_tailed else 'one-tailed'}"
    kind, _, resampled = method.partition("-")
    if method == "fisher-shrunken":
        return (
            f"{level}, Fisher's transformation of the shrunken coefficient, which is nearer to 0 than the printed one "
            "(Bonett and Wright; Fieller and others)"
        )
    if kind == "fisher":
        return f"{level}, Fisher's transformation"
    if kind == "jackknife":
        return f"{level}, jackknife over {resampled} of the transformed coefficient"
    kind = "percentile bootstrap" if kind == "bootstrap" else "BCa bootstrap"
    return f"{level}, {kind} over {RESAMPLED[resampled]}, {request.resamples} resamples, seed {request.seed}"


def _undefined(result: Correlation) -> Lines:
    """Counts undefined resamples, of each coefficient if their numbers differ."""
    parts = []
    for level, of_level in result.levels.items():
        counts = {name: estimate.undefined_resamples or 0 for name, estimate in of_level.estimates.items()}
        if len({*counts.values()}) == 1:
            counts = {"": max(counts.values())}
        parts += [f"{n}{f' of {name}' if name else ''} at the {level} level" for name, n in counts.items() if n]
    return [f"undefined resamples, skipped: {', '.join(parts)}"] if parts else []


def _details(result: Correlation) -> Lines:
    """Describes the ε of accuracies, the threshold of Kendall-like, and the Monte-Carlo error of SPA."""
    lines = []
    for level in result.levels.values():
        for name, estimate in level.estimates.items():
            details = estimate.details
            if "epsilon_source" in details:
                epsilon = "" if load_coefficient(name).calibrates_epsilon else f"{details['epsilon']:g}, "
                lines.append(f"ε of {name}: {epsilon}{details['epsilon_source']}")
            elif "threshold" in details:
                lines.append(f"{name}: human scores that differ by at least {details['threshold']:g}")
            elif "monte_carlo_error" in details:
                left_out = details["num_instances_left_out"]
                error = details["monte_carlo_error"]
                lines.append(
                    f"{name}: Monte-Carlo error {number(error, 4)} with "
                    f"{details['sign_flips']} sign "
                    f"flips; {counted(details['num_instances'], 'input')} used"
                    + (f", {left_out} left out because a system has no output" if left_out else "")
                )
    return [*dict.fromkeys(lines)]


_KINDS: Sequence[Callable[[Correlation], Lines]] = (_data, _groups, _ties, _details, _intervals, _undefined)
