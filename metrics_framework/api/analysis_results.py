"""The results of the functions on scores, ratings and votes, as records, tables, text, HTML and pictures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Literal, cast, get_args

from metrics_framework.api.arguments import LogSpec, log_of, with_campaigns
from metrics_framework.api.tables import Of, Tabular, entry_of
from metrics_framework.common.errors import GateError, InputError, missing_attribute
from metrics_framework.common.logs import steps_of
from metrics_framework.common.overriding import overrides
from metrics_framework.data.file_formats import head_of
from metrics_framework.inputs.rating_rows import RatingRules, sources_of
from metrics_framework.inputs.ratings import read_long_tables
from metrics_framework.meta_evaluation.choices import LEVELS, PreferenceTable
from metrics_framework.reports.formats.output_format import OutputFormat

if TYPE_CHECKING:
    from typing_extensions import Self

    from metrics_framework.evaluation.gate import GatedScore, GateRequest, Verdict
    from metrics_framework.meta_evaluation.correlate.answers import Answer
    from metrics_framework.meta_evaluation.correlate.comparisons import Comparison
    from metrics_framework.meta_evaluation.correlate.correlation import Correlation
    from metrics_framework.meta_evaluation.estimate.request import Tuning
    from metrics_framework.meta_evaluation.estimate.study import JudgeEstimates, SystemMean
    from metrics_framework.meta_evaluation.judge.judge_agreement import RepeatedRuns
    from metrics_framework.meta_evaluation.judge.study import JudgeReport, Judging
    from metrics_framework.meta_evaluation.plan.precision import Assumptions
    from metrics_framework.meta_evaluation.plan.request import PlanRequest
    from metrics_framework.meta_evaluation.plan.study import Curve, Design
    from metrics_framework.meta_evaluation.prefer.study import PreferenceStudy
    from metrics_framework.meta_evaluation.rater_agreement.request import AgreementRequest
    from metrics_framework.meta_evaluation.rater_agreement.study import RatingStudy
    from metrics_framework.meta_evaluation.study import Study


OfCorrelation = Literal["metrics", "correlations", "differences"]


@dataclass(repr=False)
class AnalysisResult(Tabular[Of]):
    """The result of an analysis; the attributes of its study and of its request are attributes of the result.

    Attributes:
        study: All findings.
        warnings: What may make the findings misleading.
        library: The library of the first table.
        not_counted: Why rows were left out, such as their kind, to their number.
        report: The module that has the tables and notes.
        drawn: The kinds of pictures, the default first, to the functions of this module that draw them.
    """

    report: ClassVar[str]
    drawn: ClassVar[Mapping[str, str]] = {}
    study: Any
    warnings: list[str]
    library: str | None = None
    not_counted: Mapping[str, int] = field(default_factory=dict)

    if not TYPE_CHECKING:  # or type checkers would accept every name

        def __getattr__(self, name: str) -> Any:
            """Returns an attribute of the study or of its request."""
            if name != "study" and not name.startswith("_"):  # which are looked up while it is copied
                for owner in (self.study, self.study.request):
                    found = getattr(owner, name, self)
                    if found is not self:
                        return found
            raise missing_attribute(self, name, "attributes of results")

    def __dir__(self) -> list[str]:
        """Returns the names of all attributes, with those of the study and of its request."""
        return sorted({*super().__dir__(), *vars(self.study), *vars(self.study.request)})

    @classmethod
    def on_ratings(
        cls,
        study: type[Study],
        request: Any,
        ratings: Any,
        rules: RatingRules,
        log: LogSpec,
        check: Callable[..., None] = lambda: None,
        is_pilot: bool = False,
    ) -> Self:
        """Analyses ratings, and logs warnings.

        Args:
            study: The analysis.
            request: What to compute.
            ratings: The ratings; `None` for none.
            rules: How the ratings are read.
            log: What receives notes and warnings.
            check: Refuses options that have no effect, given what the study knows about the data.
            is_pilot: Whether they are the ratings of a pilot, which may be missing.
        """
        tables, library, log = None, None, log_of(log)
        if ratings is not None or not is_pilot:
            sources, library = sources_of(ratings, "pilot" if is_pilot else "ratings")
            tables = read_long_tables(with_campaigns(sources, rules.ratings, rules, log), rules)
        with steps_of(log):
            found = study.of(tables, request)
        check(**found.known())
        rules.tell(log)
        return cls.of(found, log, library, not_counted=rules.left_out)

    @classmethod
    def of(cls, study: Any, log: LogSpec, library: str | None, **fields: Any) -> Self:
        """Returns a result whose warnings are logged.

        Args:
            study: The findings.
            log: What receives notes and warnings.
            library: The library of the first table.
            fields: Further fields of the result.
        """
        log = log_of(log)
        for warning in study.warnings:
            log.warn(warning)
        return cls(study, log.warnings, library, **fields)

    def as_json(self) -> Any:
        """Returns all results as they appear in the JSON file; undefined numbers are NaN here and ``null`` there."""
        found = self.study.as_json()
        return {**found, "left_out": dict(self.not_counted)} if self.not_counted else found

    @overrides
    def _text(self, output: OutputFormat) -> str:
        report = self._report()
        return output.with_notes("\n\n".join(report.tables_of(self.study, output)), [*report.notes_of(self.study)])

    def _report(self) -> Any:
        return import_module(f"metrics_framework.reports.{self.report}")

    @overrides
    def _pictures(self) -> Mapping[str, Callable[[], str]]:
        return {kind: partial(getattr(self._report(), name), self.study) for kind, name in self.drawn.items()}

    def to_records(self) -> list[dict[str, Any]]:
        """Returns the findings as dictionaries."""
        return cast("list[dict[str, Any]]", self.study.to_records())


class AgreementResult(AnalysisResult[Literal["all"]]):
    """How well raters agree.

    ``print(result)`` shows the tables that ``fw agreement`` prints, and a notebook shows them as HTML.

    Attributes:
        studies: What is found about each rated quality.
        request: What was computed.
        warnings: What may make the result misleading.
    """

    report = "agreement_table"
    drawn: ClassVar[Mapping[str, str]] = {"coefficients": "agreement_forest"}
    studies: Sequence[RatingStudy]
    request: AgreementRequest

    def __getitem__(self, rating: str) -> RatingStudy:
        """Returns what is found about a rated quality.

        Raises:
            KeyError: if there is none of this name.
        """
        return entry_of(self.studies, "ratings.name", rating)

    def __iter__(self) -> Iterator[RatingStudy]:
        """Yields the studies of the rated qualities."""
        return iter(self.studies)

    def __repr__(self) -> str:
        """Returns the rated qualities."""
        return f"AgreementResult({[study.ratings.name for study in self.studies]})"


class CorrelationResult(AnalysisResult[OfCorrelation]):
    """The correlations of metrics with human ratings.

    ``print(result)`` shows the table that ``fw correlate`` prints, and a notebook shows it as HTML. ``plot`` draws the
    ``scores``, those of a level (``input``, ``system``, …), coefficients with their intervals (``forest``), the
    ``p-values`` of all pairs of metrics, ``ranks`` of metrics with their intervals, or accuracy against ε
    (``epsilon``).

    Attributes:
        study: All results: correlations, comparisons of metrics, slices.
        warnings: What may make the correlations misleading.
        correlations: One correlation for each pair of a metric and a rating, with its levels and intervals.
        comparisons: The comparisons of the metrics, for each rating, level and coefficient; empty without a test.
        has_sacrerouge_form: Whether the JSON has the names of SacreROUGE, as for pairs of scores.
    """

    tables: ClassVar[tuple[str, ...]] = get_args(OfCorrelation)
    correlations: Sequence[Correlation]
    comparisons: Sequence[Comparison]
    has_sacrerouge_form: bool

    @classmethod
    @overrides
    def of(cls, study: Any, log: LogSpec, library: str | None, **fields: Any) -> Self:
        from metrics_framework.meta_evaluation.correlate.answers import as_shown
        from metrics_framework.reports.correlation_notes import names_among, with_names

        log = log_of(log)
        results = as_shown(study).correlations
        names = names_among(results)
        first = {result.data_set: result for result in reversed(results)}
        if any(not result.matrix.has_outputs_of(first[result.data_set].matrix) for result in results):
            log.warn("the metrics have scores for different outputs, so their correlations are not comparable")
        for note in dict.fromkeys([*study.notes, *(note for result in results for note in result.notes)]):
            log.note(note)
        named = [(name, warning) for result, name in zip(results, names, strict=True) for warning in result.warnings]
        shared = [warning for warning in results[0].warnings if all(warning in other.warnings for other in results)]
        for warning in [*shared, *with_names((name, warning) for name, warning in named if warning not in shared)]:
            log.warn(warning)
        return cls(study, log.warnings, library, **fields)

    def __getitem__(self, metric: str) -> Correlation:
        """Returns the first correlation of a metric."""
        return entry_of(self.correlations, "metric1", metric)

    def __len__(self) -> int:
        """Returns the number of correlations."""
        return len(self.correlations)

    def __iter__(self) -> Iterator[Correlation]:
        """Yields the correlations."""
        return iter(self.correlations)

    def __repr__(self) -> str:
        """Returns the names of the pairs."""
        return f"CorrelationResult({[(result.metric1, result.metric2) for result in self.correlations]})"

    @property
    def answers(self) -> list[Answer]:
        """For each rating, the best metric, those not distinguishable from it, and what to mind."""
        from metrics_framework.meta_evaluation.correlate.answers import answers_of

        return answers_of(self.study)

    def summary(self) -> str:
        """Returns the answers in words, one paragraph for each rating."""
        from metrics_framework.reports.correlation_notes import answer_text

        return "\n\n".join(map(answer_text, self.answers))

    @overrides
    def _text(self, output: OutputFormat) -> str:
        from metrics_framework.reports.correlation_tables import study_text

        return study_text(self.study, output)

    @overrides
    def _data(self) -> list[dict[str, Any]]:
        has_sets = any(result.data_set for result in self.correlations)
        return [
            {**({"data_set": result.data_set} if has_sets else {}), **record}
            for result in self.correlations
            for record in result.to_records()
        ]

    @overrides
    def as_json(self) -> Any:
        """Returns the results as ``fw correlate --output-file`` writes them.

        Pairs of scores are one object each, with the names that SacreROUGE gave to coefficients; several are a list.
        A study of metrics against ratings is one object: with one pair, it has the keys of the pair.
        """
        from metrics_framework.reports.correlation_notes import answer_text

        rows = [result.as_json(self.has_sacrerouge_form) for result in self.correlations]
        if self.has_sacrerouge_form:
            return rows[0] if len(rows) == 1 else rows
        found = rows[0] if len(rows) == 1 else {"correlations": rows}
        answers = [{**answer.as_json(), "text": answer_text(answer)} for answer in self.answers]
        return {**head_of(self.study.command), "answers": answers, **found, **super().as_json()}

    @overrides
    def _pictures(self) -> Mapping[str, Callable[[], str]]:
        from metrics_framework.reports import correlation_page as page
        from metrics_framework.reports.correlation_plot import correlation_plot

        return {
            "scores": partial(correlation_plot, self.correlations),
            **{level: partial(correlation_plot, self.correlations, level) for level in LEVELS},
            "forest": partial(page.forest_chart, self.study),
            "p-values": partial(page.matrix_chart, self.comparisons),
            "ranks": partial(page.chart_of_ranks, self.comparisons),
            "epsilon": partial(page.epsilon_chart, self.correlations),
        }

    def task_table(self) -> str:
        """Returns the table of metrics and tasks that ``fw correlate --task-table`` writes, as LaTeX.

        The best metric of a column is bold; a dagger marks those that the test does not distinguish from it.
        """
        from metrics_framework.reports.correlation_tables import task_table

        return task_table(self.study)

    def paper(self, test_set: str = "") -> str:
        """Returns what ``fw correlate --paper`` writes: a paragraph for the methods section, tables and BibTeX.

        Args:
            test_set: The name of the data, such as ``simplicity-da``.
        """
        from metrics_framework.reports.paper import correlation_paper

        return correlation_paper(self.study, test_set)

    def page(self) -> str:
        """Returns the page that ``fw correlate --report`` writes, as HTML."""
        from metrics_framework.reports.correlation_page import correlation_page

        return correlation_page(self.study, self.warnings)

    @overrides
    def to_records(self, of: OfCorrelation = "correlations") -> list[dict[str, Any]]:
        """Returns a dictionary for each coefficient at each level, with its interval and p-value.

        Args:
            of: ``correlations``; ``metrics`` for a dictionary for each metric, at the level that the data support best
                or at those that were chosen; or ``differences`` for one for each pair of compared metrics.

        Raises:
            UnknownChoiceError: if it is another word.
        """
        from metrics_framework.meta_evaluation.correlate.answers import as_shown

        self._check(of)
        if of != "metrics":
            return cast("list[dict[str, Any]]", self.study.to_records(of))
        records = []
        for result in as_shown(self.study).correlations:
            pair = {"metric1": result.metric1, "metric2": result.metric2}
            names = {"data_set": result.data_set, **pair} if result.data_set else pair
            for level, found in result.levels.items():
                values = {name: estimate.value for name, estimate in found.estimates.items()}
                records.append({**names, "level": level, "n": found.points, **values})
        return records


class EstimateResult(AnalysisResult[Literal["all"]]):
    """Mean ratings of systems, and their differences.

    ``print(result)`` shows the tables that ``fw estimate`` prints, and a notebook shows them as HTML. ``plot`` draws
    means against the number of ``ratings``, or means with and without the judge (``forest``).

    Attributes:
        estimates: The estimates with the scores of each judge.
        rating: The rated quality.
        baseline: The system that others are compared with; `None` for all pairs.
        tuning: How λ is chosen.
        confidence: The level of the intervals, in percent.
        cluster: The column of clusters.
        warnings: What may make the estimates misleading.
    """

    report = "estimate"
    drawn: ClassVar[Mapping[str, str]] = {"ratings": "rating_chart", "forest": "estimate_forest"}
    estimates: Sequence[JudgeEstimates]
    rating: str
    baseline: str | None
    tuning: Tuning
    confidence: float
    cluster: str | None

    def __getitem__(self, system: str) -> SystemMean:
        """Returns the mean of a system with the scores of the first judge.

        Raises:
            KeyError: if there is no system of this name.
        """
        return entry_of(self.estimates[0].means, "system", system)

    def __iter__(self) -> Iterator[JudgeEstimates]:
        """Yields the estimates with the scores of each judge."""
        return iter(self.estimates)

    def __repr__(self) -> str:
        """Returns the names of the judges."""
        return f"EstimateResult({[found.judge for found in self.estimates]})"

    def page(self) -> str:
        """Returns the page that ``fw estimate --report`` writes, as HTML."""
        from metrics_framework.reports.estimate import estimate_page

        return estimate_page(self.study, self.warnings)


class GateResult(AnalysisResult[Literal["all"]]):
    """The verdicts on a new run.

    ``print(result)`` shows the table that ``fw gate`` prints, and a notebook shows it as HTML. With one score, all that
    is found about it is an attribute of the result; `result[name]` has it for each of several scores.

    Attributes:
        scores: What is found about each score.
        request: What was asked.
        verdict: ``better``, ``no worse``, ``worse`` or ``undecided``; with several scores, the worst.
        exit_code: That of ``fw gate``: 0 if all scores pass.
        warnings: What may make the verdicts misleading.
    """

    report = "gate"
    scores: Sequence[GatedScore]
    request: GateRequest
    verdict: Verdict
    exit_code: int

    def __getitem__(self, score: str) -> GatedScore:
        """Returns what is found about a score.

        Raises:
            KeyError: if there is none of this name.
        """
        return entry_of(self.scores, "metric", score)

    def __iter__(self) -> Iterator[GatedScore]:
        """Yields what is found about each score."""
        return iter(self.scores)

    def __repr__(self) -> str:
        """Returns the verdicts."""
        return f"GateResult({ {one.metric: one.verdict for one in self.scores} })"

    @property
    def sentences(self) -> list[str]:
        """A sentence for each score."""
        from metrics_framework.reports.gate import sentence

        return [f"{one.metric}: {sentence(one)}" for one in self.scores]

    def check(self) -> None:
        """Checks that the gate passes.

        Raises:
            GateError: if a score fails.
        """
        failed = [text for text, one in zip(self.sentences, self.scores, strict=True) if one.fails]
        if failed:
            raise GateError(self.exit_code, *failed)

    @overrides
    def as_json(self) -> dict[str, Any]:
        return {**super().as_json(), "warnings": list(self.warnings)}

    @overrides
    def _pictures(self) -> Mapping[str, Callable[[], str]]:
        raise InputError("a gate has no picture; fw.compare(…).plot() shows the scores of systems")

    def paper(self, test_set: str = "") -> str:
        """Returns what ``fw gate --paper`` writes: a paragraph for the methods section, a table and BibTeX.

        Args:
            test_set: The name of the data, such as ``asset-test``.
        """
        from metrics_framework.reports.paper import gate_paper

        return gate_paper(self.study, test_set)

    def junit(self) -> str:
        """Returns what ``fw gate --junit`` writes: a report with a test case for each score, as XML."""
        from metrics_framework.reports.gate import junit

        return junit(self.study)


class JudgeResult(AnalysisResult[Literal["all"]]):
    """Whether judges may replace raters.

    ``print(result)`` shows the tables that ``fw test-judge`` prints, and a notebook shows them as HTML. ``plot`` draws
    judges beside the range of raters (``forest``), or reliability diagrams (``reliability``).

    Attributes:
        judging: All results.
        rating: The rated quality.
        names: The judges.
        confidence: The level of the intervals.
        resamples: The number of resamples.
        seed: The random seed.
        warnings: What may make the results misleading.
        repeated: The agreement of repeated runs, if they were named.
    """

    report = "judge"
    drawn: ClassVar[Mapping[str, str]] = {"forest": "judge_forest", "reliability": "reliability_chart"}
    judging: Judging
    rating: str
    confidence: float
    resamples: int
    seed: int
    repeated: RepeatedRuns | None

    @property
    def names(self) -> Sequence[str]:
        """The judges."""
        return cast("Sequence[str]", self.study.request.judges)

    def __getitem__(self, name: str) -> JudgeReport:
        """Returns what is found about a judge or a sentinel.

        Raises:
            KeyError: if there is none of this name.
        """
        return entry_of(self.judging.judges, "name", name)

    def __iter__(self) -> Iterator[JudgeReport]:
        """Yields judges, followed by sentinels."""
        return iter(self.judging.judges)

    def __repr__(self) -> str:
        """Returns the names of the judges."""
        return f"JudgeResult({list(self.names)})"

    def page(self) -> str:
        """Returns the page that ``fw test-judge --report`` writes, as HTML."""
        from metrics_framework.reports.judge import judge_page

        return judge_page(self.study, self.warnings)


class PlanResult(AnalysisResult[Literal["all"]]):
    """How many raters and inputs a study needs.

    ``print(result)`` shows the table that ``fw plan`` prints, and a notebook shows it as HTML.

    Attributes:
        request: What is planned.
        assumptions: What is assumed about ratings; `None` for the alternative annotator test.
        pilot_outputs: The number of outputs of the pilot; 0 without one.
        designs: A design for each number of raters, or of raters and inputs.
        curves: What other numbers of inputs achieve, for each number of raters.
        most_inputs: The largest number of inputs that is tried.
        warnings: What may make the plan misleading.
    """

    report = "plan"
    drawn: ClassVar[Mapping[str, str]] = {"curves": "plan_chart"}
    request: PlanRequest
    assumptions: Assumptions | None
    pilot_outputs: int
    designs: Sequence[Design]
    curves: Sequence[Curve]
    most_inputs: int

    def __getitem__(self, raters: int) -> Design:
        """Returns the first design with a number of raters.

        Raises:
            KeyError: if there is none.
        """
        return entry_of(self.designs, "raters", raters)

    def __repr__(self) -> str:
        """Returns the goal and the designs."""
        return f"PlanResult({self.request.goal!r}, {[(one.raters, one.inputs) for one in self.designs]})"


class PreferenceResult(AnalysisResult[PreferenceTable]):
    """Strengths and ranks of systems from votes.

    ``print(result)`` shows the table that ``fw prefer`` prints, and a notebook shows it as HTML. ``plot`` draws
    ``strengths`` or ``ranks`` with their intervals.

    Attributes:
        preferences: Strengths, ranks, wins, position bias, and agreement with people in ranking and votes.
        warnings: What may make the results misleading.
        show: The table that is printed: ``systems``, ``pairs``, ``ranking`` or ``agreement``.
    """

    report = "preference"
    drawn: ClassVar[Mapping[str, str]] = {"strengths": "strength_chart", "ranks": "rank_chart_of"}
    tables: ClassVar[tuple[str, ...]] = get_args(PreferenceTable)
    show: PreferenceTable | None

    @property
    def preferences(self) -> PreferenceStudy:
        """All findings."""
        return cast("PreferenceStudy", self.study)

    def __repr__(self) -> str:
        """Returns the systems, the strongest first."""
        return f"PreferenceResult({list(self.preferences.systems)})"

    @property
    def notes(self) -> list[str]:
        """What the results are based on."""
        from metrics_framework.reports.preference import notes_on

        return [note.line for note in notes_on(self.preferences)]

    @overrides
    def _data(self) -> list[dict[str, Any]]:
        from metrics_framework.reports.preference import shown_tables

        return self.to_records(self.show or ("systems" if "systems" in shown_tables(self.study) else "agreement"))

    @overrides
    def as_json(self) -> dict[str, Any]:
        return {**super().as_json(), "notes": self.notes, "warnings": list(self.warnings)}

    @overrides
    def to_records(self, of: PreferenceTable = "systems") -> list[dict[str, Any]]:
        """Returns a dictionary for each system, pair of systems, ranking, or agreement.

        Args:
            of: ``systems``, ``pairs``, ``ranking`` or ``agreement``.

        Raises:
            UnknownChoiceError: if it is another word.
        """
        return cast("list[dict[str, Any]]", self.study.to_records(of))
