"""The result of `compare`, as records, tables of other libraries, text, HTML and a plot."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

from metrics_framework.api.tables import Tabular, entry_of
from metrics_framework.common.errors import DataError, Problems, UnknownNameError
from metrics_framework.common.logs import Log
from metrics_framework.common.overriding import overrides
from metrics_framework.data.metrics_dict import UndefinedScoresError, is_defined
from metrics_framework.evaluation.score_comparison import (
    CompareSettings,
    ScoreComparison,
    ScoredSystems,
    as_json,
    scored_systems,
)
from metrics_framework.metrics.base.direction import ScoreFacts, facts_of
from metrics_framework.reports.comparison import comparison_table
from metrics_framework.reports.formats.output_format import JSON
from metrics_framework.significance.score_vectors import ScoreVectors

if TYPE_CHECKING:
    from metrics_framework.inputs.rating_rows import RatingRules
    from metrics_framework.inputs.ratings import DataSets
    from metrics_framework.inputs.score_files import ScoreFiles


Of = Literal["pairs", "systems"]


@dataclass(repr=False)
class ComparisonResult(Tabular[Of]):
    """The comparison of systems under one or several scores.

    ``print(result)`` shows the tables that ``fw compare`` prints, and a notebook shows them as HTML.

    Attributes:
        comparisons: One comparison per score, with its systems and pairs.
        settings: How the systems were compared.
        num_instances: The number of inputs.
        warnings: What may make the comparison misleading.
        sets: Data set to its comparison, if outputs for several were compared, each separately.
        not_counted: Why scores of the files are left out, to their number.
    """

    tables: ClassVar[tuple[str, ...]] = get_args(Of)
    comparisons: list[ScoreComparison]
    settings: CompareSettings
    num_instances: int
    warnings: list[str] = field(default_factory=list)
    library: str | None = None
    sets: dict[str, ComparisonResult] = field(default_factory=dict)
    not_counted: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of_sets(cls, sets: Mapping[str, ComparisonResult]) -> ComparisonResult:
        """Returns the comparisons of several data sets as one result."""
        every = [*sets.values()]
        comparisons = [
            replace(comparison, score=replace(comparison.score, data_set=name))
            for name, one in sets.items()
            for comparison in one.comparisons
        ]
        warnings = [f"{name}: {warning}" for name, one in sets.items() for warning in one.warnings]
        inputs = sum(one.num_instances for one in every)
        return cls(comparisons, every[0].settings, inputs, warnings, every[0].library, {**sets})

    def __getitem__(self, score: str) -> ScoreComparison:
        """Returns the comparison under a score; with several data sets, the first one's, whose others are in `sets`."""
        return entry_of(self.comparisons, "score.name", score)

    def __len__(self) -> int:
        """Returns the number of scores."""
        return len(self.comparisons)

    def __iter__(self) -> Iterator[ScoreComparison]:
        """Yields the comparisons."""
        return iter(self.comparisons)

    def __repr__(self) -> str:
        """Returns the names of the scores and of the systems."""
        systems = list(dict.fromkeys(system.system for one in self.comparisons for system in one.systems))
        return f"ComparisonResult(scores={[one.score.name for one in self.comparisons]}, systems={systems})"

    def check_scores(self) -> None:
        """Checks that a system has a score.

        Raises:
            UndefinedScoresError: if all scores of all systems are undefined.
        """
        systems = [one.systems for one in self.comparisons]
        if systems and not any(is_defined(system.score) for each in systems for system in each):
            outputs = max(sum(system.inputs + system.undefined for system in each) for each in systems)
            raise UndefinedScoresError([one.score.name for one in self.comparisons], outputs)

    @overrides
    def table(self, format: str = "table", digits: int = 2) -> str:
        """Returns the result as text.

        Args:
            format: An output format of ``fw compare --format``, such as ``markdown``, ``latex``, ``csv`` or ``json``.
            digits: The number of decimal places; ratios have two more.
        """
        if format == JSON:
            return self.to_json()
        return comparison_table(self.comparisons, self.settings, format, digits)

    def as_json(self) -> dict[str, Any]:
        """Returns all results as they appear in the JSON file."""
        written = as_json([] if self.sets else self.comparisons, self.settings, self.num_instances)
        if self.not_counted:
            written["not_counted"] = dict(self.not_counted)
        if self.sets:
            del written["scores"]
            written |= {"by": self.settings.by, "sets": {name: one.as_json() for name, one in self.sets.items()}}
        return written

    def paper(self, test_set: str = "") -> str:
        """Returns what ``fw compare --paper`` writes: a paragraph for the methods section, tables and BibTeX.

        Args:
            test_set: The name of the test set, such as ``asset-test``; `sets` have their names.
        """
        from metrics_framework.reports.paper import comparison_paper

        sets = {name: (one.comparisons, one.num_instances) for name, one in self.sets.items()}
        return comparison_paper(sets or {test_set: (self.comparisons, self.num_instances)}, self.settings)

    @overrides
    def _pictures(self) -> Mapping[str, Callable[[], str]]:
        from metrics_framework.reports.comparison import comparison_plot

        return {"scores": partial(comparison_plot, self.comparisons, self.settings)}

    def to_records(self, of: Of = "pairs") -> list[dict[str, Any]]:
        """Returns a dictionary for each pair, or for each system, under each score.

        Args:
            of: ``pairs`` or ``systems``.
        """
        self._check(of)
        if self.sets:
            by = self.settings.by
            return [{by: name, **record} for name, one in self.sets.items() for record in one.to_records(of)]
        written = self.as_json()["scores"]
        records = {
            name: one["pairs"] if of == "pairs" else [{"system": name, **it} for name, it in one["systems"].items()]
            for name, one in written.items()
        }
        return [{"score": name, **record} for name, listed in records.items() for record in listed]


def scores_of(
    parts: DataSets, names: Sequence[str], directions: Mapping[str, bool], fields: Collection[str] = ()
) -> dict[str, tuple[list[ScoredSystems], dict[str, dict[str, str]]]]:
    """Returns scores of outputs, and fields of inputs; the score of a system is the mean over its outputs.

    Returns them for each data set.

    Args:
        parts: What `score_files_of` read.
        names: The flat names of the scores; by default the main scores of metrics, and all ratings.
        directions: Score to whether higher is better, besides those of registered metrics.
        fields: Columns such as that of the clusters, which are no scores unless they are named.

    Raises:
        DataError: if an input has two values of a field.
        UnknownNameError: if there is no score of a name.
    """
    from metrics_framework.inputs.logs import direction_in, range_in
    from metrics_framework.inputs.ratings import LongTables

    files = parts.files
    known = files.scores.known
    for name in (*names, *directions):
        if name not in known:
            raise UnknownNameError("score", name, known, files.hints.get(name, ""))
    mains = [label for label in files.labels if label in known]  # `sari_add` is no main score if `sari` is a score
    chosen = list(names) or [
        name for name in known if name not in fields and not any(name.startswith(f"{label}_") for label in mains)
    ]
    files.scores.check_lists(chosen)
    facts = {}
    for name in dict.fromkeys(chosen):
        facts[name] = facts_of(name, files.signatures, known)
        better = directions[name] if name in directions else direction_in(files.logs, name)
        better = facts[name].higher_is_better if better is None else better
        bounds = range_in(files.logs, name) or facts[name].score_range
        facts[name] = ScoreFacts(better, bounds, facts[name].is_ratio)
    found = {}
    for part, of_part in parts.parts.items():
        every = [_scored(name, of_part, of_score) for name, of_score in facts.items()]
        tables = parts.tables_of_parts[part] if fields else LongTables([])
        labels = {field: tables.texts_of_inputs(field) if field in tables.columns else {} for field in fields}
        found[part] = [one for one in every if one.counts()], labels
    return found


def directed(scores: Sequence[ScoredSystems], log: Log) -> list[ScoredSystems]:
    """Returns scores with a direction: if it is unknown, higher is taken as better, which a note reports."""
    for one in scores:
        if one.higher_is_better is None:
            log.note(f"'{one.name}': higher is taken as better; use --lower-is-better {one.name} if it is not")
    return [replace(one, higher_is_better=one.higher_is_better is not False) for one in scores]


def _scored(name: str, files: ScoreFiles, facts: ScoreFacts) -> ScoredSystems:
    scores = files.scores
    has = scores.having(name) | scores.having(name.rpartition("_")[0])
    values = scores.numbers(name)
    types, humans = scores.types(), set[str]()
    outputs: dict[str, list[int]] = {}
    for output in has.nonzero()[0].tolist():
        outputs.setdefault(scores.units[output][1], []).append(output)
        if types[output] == "reference":
            humans.add(scores.units[output][1])
    systems = {
        system: ScoreVectors.of_columns([scores.units[output][0] for output in of], {name: values[of]})
        for system, of in outputs.items()
    }
    signature = files.signatures.get(name.removesuffix("_jk"))
    return scored_systems(name, systems, name, **facts._asdict(), signature=signature, humans=frozenset(humans))


def score_rules(
    columns: Any,
    where: Any,
    duplicates: str,
    named: Iterable[str] = (),
    *,
    of_outputs: bool = False,
    pair_by: str = "id",
    clusters: Collection[str] = (),
) -> RatingRules:
    """Returns how scores are read.

    Args:
        columns: The columns of roles, as in `correlate`.
        where: The conditions that rows must meet, as in `correlate`.
        duplicates: Which of several rows of an output is kept.
        named: Columns with scores.
        of_outputs: Whether outputs are read by the same options, so that they may concern these alone.
        pair_by: What an input is known by, as in `correlate`.
        clusters: Columns such as that of the clusters.
    """
    from metrics_framework.inputs.rating_rows import ROLES_OF_RATINGS, RatingRules
    from metrics_framework.inputs.roles import role_named
    from metrics_framework.inputs.row_view import parsed_columns, parsed_conditions

    read, conditions = parsed_columns(columns or {}), parsed_conditions(where or ())
    if of_outputs:
        read = {name: read[name] for name in read if role_named(name, ROLES_OF_RATINGS) in ROLES_OF_RATINGS}
    given = {"columns": read, "where": conditions, "duplicates": duplicates, "pair_by": pair_by, "cluster": clusters}
    rules = RatingRules.of(given, named)
    if of_outputs:
        rules.found.used.update(*read.values(), [condition.column for condition in conditions])
    return rules


def score_files_of(scores: Any, rules: RatingRules, log: Log, by: str | None = None) -> DataSets:
    """Reads scores of outputs, and warns of dropped columns.

    Args:
        scores: Files, rows, tables or results.
        rules: How the rows are read.
        log: Receives the warnings.
        by: The column of data sets.

    Raises:
        DataError: if a file is invalid or has no scores.
    """
    from metrics_framework.api.arguments import with_campaigns
    from metrics_framework.inputs.rating_rows import sources_of
    from metrics_framework.inputs.ratings import DataSets
    from metrics_framework.metrics.base.direction import known_metrics

    sources = with_campaigns(sources_of(scores)[0], rules.named or ["esa"], rules, log)
    parts = DataSets(sources, by, rules=rules, metrics=known_metrics())
    files = parts.files
    problems = Problems()
    for path, why in files.without_scores.items():
        problems.add(DataError(f"contains no scores. {why}", path))
    problems.raise_any()
    rules.tell(log)
    for warning in (*files.warnings, *(column.warning(column.path) for column in files.dropped)):
        log.warn(warning)
    return parts
