"""`challenge`: how often metrics score the good output of a challenge set above the bad one."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from metrics_framework.api.acting import refuse_idle
from metrics_framework.api.arguments import (
    Column,
    Columns,
    ConfidenceLevel,
    CorrectionName,
    LogSpec,
    ScoreName,
    Scores,
    Share,
    Where,
    log_of,
)
from metrics_framework.api.settings import Metrics
from metrics_framework.api.tables import Tabular
from metrics_framework.common.errors import DataError, ListName, Problems, UsageError, counted
from metrics_framework.common.options import Files, checked_arguments
from metrics_framework.common.overriding import overrides
from metrics_framework.data.fields import Duplicates
from metrics_framework.data.file_formats import head_of
from metrics_framework.data.texts import as_list, is_list
from metrics_framework.reports.charts import Group, Row, forest
from metrics_framework.reports.formats.output_format import Note, OutputFormat
from metrics_framework.reports.numbers import interval, number, p_value, percent

if TYPE_CHECKING:
    from metrics_framework.common.logs import Log
    from metrics_framework.evaluation.score_comparison import ScoredSystems
    from metrics_framework.inputs.rating_rows import RatingRules, RatingsInMemory, Source
    from metrics_framework.inputs.ratings import LongTables
    from metrics_framework.meta_evaluation.challenge import Accuracy, AccuracyTest

KINDS = (("good", "bad"), ("good-translation", "incorrect-translation"))
"""The columns of good and bad outputs, or the systems that scores of them have; the second are those of ACES."""
PHENOMENON, CATEGORY = ("phenomenon", "phenomena"), "category"


def challenge(
    scores: Scores,
    metrics: Metrics = (),
    *,
    by: Column | Sequence[Column] = (),
    categories: Annotated[Any, Files()] = (),
    cluster: Column | None = None,
    lower_is_better: ScoreName | Sequence[ScoreName] = (),
    confidence: ConfidenceLevel = 95,
    correct: CorrectionName = "holm",
    alpha: Share = 0.05,
    columns: Columns | None = None,
    where: Where | None = None,
    duplicates: Duplicates = "error",
    log: LogSpec = None,
) -> ChallengeResult:
    """Computes how often metrics score the good output of a challenge set above the bad one, as ``fw challenge`` does.

    Args:
        scores: Rows with a ``good`` and a ``bad`` output, ``source``, ``reference``, ``phenomenon`` and ``category``,
            which are scored with ``metrics``; or scores of the systems ``good`` and ``bad``, with these rows for the
            phenomena.
        metrics: The metrics to score outputs with, or the scores of files; by default all scores.
        by: Columns of groups; by default ``phenomenon`` and ``category``.
        categories: The category of each phenomenon: a dictionary, or files with it as JSON, or with the columns
            ``phenomenon`` and ``category``.
        cluster: A column of clusters, such as ``source``: pairs with one value of it are not independent.
        lower_is_better: A score for which lower is better; it is known for the metrics of ``fw``.
        confidence: The confidence level of the intervals, as a fraction (0.95) or in percent (95).
        correct: The correction of the p-values of two metrics for the groups of a column.
        alpha: The level of significance.
        columns: The columns that fields are read from, as for `evaluate`.
        where: The values of columns that a row must have, as for `evaluate`.
        duplicates: What to do with a second output for the same input: ``error``, or keep the ``first`` or ``last``.
        log: A function, such as `print`, or a log that receives notes and warnings; by default Python warnings.

    Raises:
        InputError: if an argument is invalid.
        DataError: if there are no scores of good and bad outputs.
        UnknownNameError: if there is no score or column of a name.

    >>> import metrics_framework as fw
    >>> texts = {"good": "It is not new.", "bad": "It is new.", "reference": "It is not a new one."}
    >>> result = fw.challenge([{"phenomenon": "negation", **texts}], "chrf")
    >>> result.to_records()[1]["group"], result.to_records()[1]["tau"]
    ('negation', 1.0)
    """
    from metrics_framework.inputs.rating_rows import sources_of
    from metrics_framework.meta_evaluation import challenge as computed

    given = checked_arguments(challenge, locals(), ("metrics",))
    given["metrics"] = [*as_list(metrics)] if is_list(metrics) else [metrics]
    refuse_idle(challenge, given)
    log = log_of(log)
    sources, library = sources_of(scores)
    found, table = _scored(sources, given, log)
    kind = next((kind for kind in KINDS if any({*kind} <= {*one.counts()} for one in found)), None)
    if kind is None:
        raise DataError(f"no score is one of a good and of a bad output: systems must be {' and '.join(KINDS[0])}")
    runs = {one.name: [one.numbers(system) for system in kind] for one in found}
    inputs = list(dict.fromkeys(name for of_score in runs.values() for run in of_score for name in run))
    advantages = {one.name: _advantage(runs[one.name], inputs, one.higher_is_better) for one in found}
    groups, phenomena, categories = _groups(table, given, inputs)
    of_inputs = {} if cluster is None else table.texts_of_inputs(given["cluster"])
    clusters = None if cluster is None else [(of_inputs.get(name, name), name in of_inputs) for name in inputs]
    accuracies = computed.accuracies(advantages, groups, clusters, given["confidence"])
    for one in accuracies:
        if not one.by and one.missing:
            log.warn(f"'{one.metric}': {counted(one.missing, 'pair')} without a score of both outputs left out")
    for name, of_pairs in groups.items():
        if without := [*of_pairs].count(None):
            log.warn(f"{counted(without, 'pair')} without '{name}' in no group of it")
    tests = computed.accuracy_tests(advantages, groups, clusters, given["correct"])
    taus = computed.category_taus(advantages, phenomena, categories)
    signatures = {one.name: one.signature for one in found if one.signature}
    options = {name: given[name] for name in ("confidence", "cluster", "correct", "alpha")}
    return ChallengeResult(accuracies, tests, taus, signatures, options, log.warnings, library)


def _scored(sources: Sequence[Source], given: Mapping[str, Any], log: Log) -> tuple[list[ScoredSystems], LongTables]:
    """Returns the scores of good and bad outputs, which are computed unless there are files of them, and all labels.

    Raises:
        UsageError: if outputs are to be scored, but no metric is named.
    """
    from metrics_framework.api.comparisons import directed, score_files_of, score_rules, scores_of
    from metrics_framework.api.evaluate import evaluate
    from metrics_framework.inputs.ratings import read_long_tables

    def rules() -> RatingRules:
        found = score_rules(given["columns"], given["where"], given["duplicates"], of_outputs=True)
        found.needs_system = False
        return found

    sources = [one if isinstance(one, str) else one._replace(rows=[*one.rows]) for one in sources]  # to read again
    read = [read_long_tables([source], rules()) for source in sources]
    kind = next((kind for kind in KINDS if any({*kind} <= {*one.columns} for one in read)), ())
    are_texts = [bool(kind) and {*kind} <= {*one.columns} for one in read]
    texts = [source for source, is_text in zip(sources, are_texts, strict=True) if is_text]
    scored: Any = [source for source, is_text in zip(sources, are_texts, strict=True) if not is_text]
    table = read_long_tables(texts or scored, rules())  # together, because their inputs may contradict each other
    names = given["metrics"]
    scored += _scores_beside(table, kind, names) if texts else []
    if texts and not scored:
        if not names:
            raise UsageError("no metric to score the outputs with; name one with --metric, such as chrf")
        outputs: dict[str, Any] = {"files": texts}
        if not all(isinstance(one, str) for one in texts):
            outputs = {"outputs": [{**row.cells, "instance_id": row.instance_id} for row in table.rows]}
        outputs |= {name: given[name] for name in ("columns", "where", "duplicates")}
        scored = evaluate(names, **outputs, systems=kind, confidence=False, keep_outputs=True, log=log)
        names = []
    files = score_files_of(scored, rules(), log)
    lower = dict.fromkeys(given["lower_is_better"], False)
    return directed(next(iter(scores_of(files, names, lower).values()))[0], log), table


def _scores_beside(table: LongTables, kind: Sequence[str], metrics: Sequence[Any]) -> list[RatingsInMemory]:
    """Returns the scores METRIC-good and METRIC-bad beside texts, as ACES writes them, if all metrics have them."""
    from metrics_framework.inputs.rating_rows import RatingsInMemory

    columns = table.columns
    names = [column.removesuffix("-good") for column in columns if column.endswith("-good")]
    names = [name for name in names if f"{name}-bad" in columns]
    if not names or not all(metric in names for metric in metrics):
        return []
    rows = [
        {"instance_id": row.instance_id, "summarizer_id": system}
        | {name: row.cells.get(f"{name}-{end}") for name in names}
        for row in table.rows
        for system, end in zip(kind, ("good", "bad"), strict=True)
    ]
    return [RatingsInMemory(ListName(table.rows[0].path), rows)]


def _advantage(runs: Sequence[Mapping[str, float]], inputs: Sequence[str], higher_is_better: bool | None) -> Any:
    """Returns 1 for each input whose good output scores better, −1 if the bad one does, 0 for ties, NaN if unknown."""
    import numpy as np

    good, bad = (np.array([run.get(name, math.nan) for name in inputs], dtype=np.float64) for run in runs)
    signs = np.where(np.isnan(good) | np.isnan(bad), np.nan, (good > bad) * 1.0 - (good < bad))
    return -signs if higher_is_better is False else signs


def _groups(
    table: LongTables, given: Mapping[str, Any], inputs: Sequence[str]
) -> tuple[dict[str, list[str | None]], list[str | None], dict[str, str]]:
    """Returns the group of each input in each column, its phenomenon, and the category of each phenomenon.

    Raises:
        DataError: if a phenomenon has two categories.
    """
    from metrics_framework.meta_evaluation.challenge import aces_categories

    phenomena = next((name for name in PHENOMENON if name in table.columns), "")
    known: dict[str, Any] = {
        name: table.texts_of_inputs(name) for name in (phenomena, CATEGORY) if name in table.columns
    }
    of_phenomena, stated = known.get(phenomena, {}), _categories(given["categories"])
    if not stated and CATEGORY not in known:
        stated = aces_categories({*of_phenomena.values()})
    if stated and of_phenomena:
        known[CATEGORY] = {one: stated.get(name) for one, name in of_phenomena.items()}
    labels = {name: known[name] if name in known else table.texts_of_inputs(name) for name in given["by"] or known}
    categories: dict[str, str] = {}
    for one, name in of_phenomena.items():
        category = known.get(CATEGORY, {}).get(one)
        if category and categories.setdefault(name, category) != category:
            raise DataError(f"'{name}' has two categories: '{categories[name]}' and '{category}'")
    groups = {name: [*map(of_inputs.get, inputs)] for name, of_inputs in labels.items()}
    return groups, [*map(of_phenomena.get, inputs)], categories


def _categories(given: Any) -> dict[str, str]:
    """Returns the category of each phenomenon, of a dictionary or of files.

    Raises:
        DataError: if a file has neither JSON nor the two columns.
    """
    from metrics_framework.inputs.tables import read_rows

    if isinstance(given, Mapping):
        return {str(name): str(category) for name, category in given.items()}
    found, problems = dict[str, str](), Problems()
    for path in [given] if isinstance(given, str) else given:
        for line, row in read_rows(path, problems):
            if row.keys() >= {PHENOMENON[0], CATEGORY}:
                row = {str(row[PHENOMENON[0]]): row[CATEGORY]}
            if not all(isinstance(cell, str) for cell in row.values()):
                problems.add(DataError(f"expected '{PHENOMENON[0]}' and '{CATEGORY}', got {list(row)}", path, line))
            found.update(row)
    problems.raise_any()
    return found


@dataclass(repr=False)
class ChallengeResult(Tabular[Literal["accuracies", "tests"]]):
    """How often metrics score good outputs above bad ones; ``print(result)`` shows the table.

    Attributes:
        accuracies: The accuracy of each metric on all pairs and in each group.
        tests: Whether two metrics differ, on all pairs and in each group.
        taus: Metric to category to the mean of τ over its phenomena.
        signatures: Metric to its signature.
        options: How it was computed.
    """

    tables: ClassVar[tuple[str, ...]] = ("accuracies", "tests")
    accuracies: list[Accuracy]
    tests: list[AccuracyTest]
    taus: Mapping[str, Mapping[str, float]]
    signatures: Mapping[str, str]
    options: Mapping[str, Any]
    warnings: list[str]
    library: str | None = None

    @property
    def aces(self) -> dict[str, float]:
        """Metric to its ACES score; NaN without one of the ten categories."""
        from metrics_framework.meta_evaluation.challenge import aces_score

        return {metric: aces_score(taus) for metric, taus in self.taus.items()}

    def to_records(self, of: str = "accuracies") -> list[dict[str, Any]]:
        """Returns a dictionary for each metric and group, or for each two metrics and group.

        Args:
            of: ``accuracies`` or ``tests``.
        """
        self._check(of)
        if of == "tests":
            return [asdict(one) for one in self.tests]
        ends = ("accuracy", "lower", "upper")
        return [
            asdict(one) | dict(zip(ends, one.accuracy.numbers, strict=True)) | {"tau": one.tau}
            for one in self.accuracies
        ]

    @overrides
    def _pictures(self) -> Mapping[str, Callable[[], str]]:
        return {"accuracies": self._forest}

    def _forest(self) -> str:
        groups: dict[str, list[Row]] = {}
        for one in self.accuracies:
            groups.setdefault(one.group, []).append(Row(one.metric, *one.accuracy.numbers))
        level = f"{percent(self.options['confidence'])} score intervals"
        rows = [Group(name, of_group, 0.5, "chance") for name, of_group in groups.items()]
        return forest("Good outputs scored above bad ones", level, rows, "accuracy", 2)

    def as_json(self) -> dict[str, Any]:
        """Returns all results as they appear in the JSON file."""
        found = {"accuracies": self.to_records(), "tests": self.to_records("tests")}
        aces = {"category_taus": self.taus, "aces": self.aces, "signatures": self.signatures}
        return {**head_of("fw challenge"), **self.options, **found, **aces, "warnings": list(self.warnings)}

    @overrides
    def _text(self, output: OutputFormat) -> str:
        metrics = list(dict.fromkeys(one.metric for one in self.accuracies))
        cells: dict[tuple[str, str], list[Accuracy]] = {}
        for one in self.accuracies:
            cells.setdefault((one.by, one.group), []).append(one)
        rows = [
            [*key, str(max(one.pairs for one in of_group)), *(interval(*one.accuracy.numbers) for one in of_group)]
            for key, of_group in cells.items()
        ]
        if self.taus:
            rows.append(["", "ACES score", "", *(number(score, 2) for score in self.aces.values())])
        level = percent(self.options["confidence"])
        parts = [output.render(["by", "group", "pairs", *(f"{name} [{level}]" for name in metrics)], rows, left=2)]
        differ = [one for one in self.tests if one.adjusted <= self.options["alpha"]]
        if differ:
            heading = ["by", "group", "better", "worse", "only better", "only worse", "p"]
            parts.append(output.render(heading, [*map(_tested, differ)], left=4))
        return output.with_notes("\n\n".join(parts), self._notes(len(differ)))

    def _notes(self, differ: int) -> list[Note]:
        from metrics_framework.meta_evaluation.challenge import aces_taus

        whole = [one for one in self.accuracies if not one.by]
        ties = ", ".join(f"{one.metric} {one.ties}" for one in whole if one.ties)
        test = "an exact test of McNemar" if self.options["cluster"] is None else "Student's t over clusters"
        notes = [Note("accuracy", "share of pairs whose good output scores higher; τ is 2 · accuracy − 1")]
        if ties:
            notes.append(Note("ties", f"equal scores, which are wrong: {ties}"))
        if self.tests:
            text = f"{test}, corrected for the groups of a column ({self.options['correct']}), not for pairs of metrics"
            notes.append(Note("p", f"{text}; {differ} of {len(self.tests)} differ (p ≤ {self.options['alpha']:g})"))
        if self.taus:
            all_taus = [one for taus in self.taus.values() for one in aces_taus(taus).items()]
            gone = dict.fromkeys(name for name, tau in all_taus if math.isnan(tau))
            undefined = f"; undefined without {', '.join(gone)}" if gone else ""
            notes.append(Note("ACES", f"weighted sum of the mean τ over the phenomena of ten categories{undefined}"))
        return [*notes, *(Note("signature", text, name, True) for name, text in self.signatures.items())]


def _tested(one: AccuracyTest) -> list[str]:
    """Returns the row of two metrics, the better one first."""
    names, counts = (one.first, one.second), (one.only_first, one.only_second)
    step = 1 if counts[0] >= counts[1] else -1
    return [one.by, one.group, *names[::step], *map(str, counts[::step]), p_value(one.adjusted)]
