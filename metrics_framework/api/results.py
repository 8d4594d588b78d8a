"""The results of the public functions, as records, tables of other libraries, text and HTML."""

from __future__ import annotations

from collections.abc import Callable, Iterator, KeysView, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, ClassVar, Literal, get_args

from metrics_framework.api.tables import Tabular
from metrics_framework.common.errors import InputError, UnknownNameError, UsageError
from metrics_framework.common.overriding import overrides
from metrics_framework.data.metrics_dict import MetricsDict, numbers_of
from metrics_framework.data.scored_output import MetricsRow
from metrics_framework.evaluation.profiles.profile import Profile
from metrics_framework.evaluation.sets import DATA_SETS, SetEvaluations
from metrics_framework.evaluation.system_scores import Evaluation
from metrics_framework.reports.formats.latex import Latex
from metrics_framework.reports.score_table import TableLayout, score_table

Of = Literal["scores", "systems", "outputs"]


@dataclass
class EvaluationResult(Evaluation, Tabular[Of]):
    """The scores of systems and outputs.

    ``print(result)`` shows the table that ``fw evaluate`` prints, and a notebook shows it as HTML.

    Attributes:
        metrics: The scores over all outputs of all systems.
        systems: System to its scores.
        num_instances: The number of inputs.
        num_outputs: System to its number of outputs.
        signature: Metric to its signature, which states exactly what was computed.
        outputs: The scores of each output, in the order of the input; empty if they were not kept.
        confidence: Intervals and significance tests, if they were requested.
        labels: The label of each output in the index of pandas that its text or row has, if it has one.
        has_integer_ids: Whether the ids of the scored rows are integers, as they then are in tables of outputs.
        by: The column whose values are the sets, if outputs were scored separately for each.
        sets: Set to its result. The scores of ``metrics`` and ``systems`` are then means over the sets, and
            ``systems`` has the systems with outputs in all sets.

    >>> import metrics_framework as fw
    >>> result = fw.evaluate("ter", {"ours": ["a cat"], "theirs": ["a dog"]}, references=["a dog"])
    >>> result.systems["ours"]["ter"], result["theirs"]["ter"]
    (50.0, 0.0)
    >>> result.to_records()[0]
    {'system': 'ours', 'outputs': 1, 'ter': 50.0, 'ter_num_edits': 1, 'ter_ref_length': 2.0}
    """

    tables: ClassVar[tuple[str, ...]] = get_args(Of)
    outputs: list[MetricsRow] = field(default_factory=list)
    profile: Profile | None = None
    library: str | None = None
    labels: Any = field(default=None, compare=False)
    has_integer_ids: bool = False
    by: str | None = None
    sets: dict[str, EvaluationResult] = field(default_factory=dict)

    @classmethod
    def of_sets(cls, sets: Mapping[str, EvaluationResult]) -> EvaluationResult:
        """Returns the results of several data sets as one, with the means over them."""
        mean = SetEvaluations(DATA_SETS, {**sets}).mean
        mean.warnings = [f"{name}: {warning}" for name, one in sets.items() for warning in one.warnings]
        first = next(iter(sets.values()))
        return replace(first, **vars(mean), outputs=[], by=DATA_SETS, sets={**sets})

    def scored_rows(self) -> list[MetricsRow]:
        """Returns the scores of each output.

        Raises:
            InputError: if there are none, or those of several sets.
        """
        if self.by is not None:
            first = next(iter(self.sets))
            raise InputError(
                f"the result has several sets, whose ids may be the same; use one, as in result.sets['{first}']"
            )
        if not self.outputs:
            raise InputError("the result has no scores of outputs; call evaluate() with keep_outputs=True")
        return self.outputs

    def __getitem__(self, system: str) -> MetricsDict:
        """Returns the scores of a system.

        Raises:
            KeyError: if there is no system of this name.
        """
        if system not in self.systems:
            of_all = " for the outputs of all systems together" * (len(self.systems) > 1)
            answer = f"it is a score; .metrics['{system}'] has it{of_all}" if system in self.metrics else ""
            raise KeyError(str(UnknownNameError("system", str(system), self.systems, answer=answer)))
        return self.systems[system]

    def __iter__(self) -> Iterator[str]:
        """Yields the names of the systems."""
        return iter(self.systems)

    def __len__(self) -> int:
        """Returns the number of systems."""
        return len(self.systems)

    def __contains__(self, system: object) -> bool:
        """Returns whether there is a system of this name."""
        return system in self.systems

    def keys(self) -> KeysView[str]:
        """Returns the names of the systems, so that ``dict(result)`` has the scores of each."""
        return self.systems.keys()

    def __repr__(self) -> str:
        """Returns the names of metrics and systems."""
        of_sets = "" if self.by is None else f", by={self.by!r}, sets={list(self.sets)}"
        return f"EvaluationResult(metrics={list(self.names)}, systems={list(self.systems)}{of_sets})"

    @overrides
    def as_json(self) -> dict[str, Any]:
        """Returns the content of the macro file."""
        return super().as_json() if self.by is None else self._of_sets().as_json()

    def _of_sets(self) -> SetEvaluations:
        return SetEvaluations(self.by or "", {**self.sets})

    @overrides
    def table(
        self,
        format: str = "table",
        digits: int = 2,
        *,
        scores: Sequence[str] = (),
        components: bool = False,
        pooled: bool = False,
        sort: str = "",
        counts: bool = True,
        caption: str = "",
        label: str = "",
    ) -> str:
        """Returns the scores of the systems as text, as ``fw evaluate`` prints them.

        Args:
            format: An output format of ``fw evaluate --format``, such as ``markdown``, ``latex``, ``csv`` or ``json``.
            digits: The number of decimal places; ratios have two more.
            scores: The flat names of the scores, or their headings in the profile, in order; by default the main
                scores, or the columns of the profile.
            components: Whether to show all scores of each metric.
            pooled: Whether to add a row for the outputs of all systems together.
            sort: The score to sort the systems by, the best first, or ``system``.
            counts: Whether a table for people has a column with the number of outputs.
            caption: The caption of a floating LaTeX table.
            label: Its label.

        Raises:
            UnknownNameError: if there is no format or score of a name.
            InputError: if there is a caption or a label, and the format is not ``latex``.
        """
        if (caption or label) and format != Latex.registered_name:
            raise InputError(f"'caption' and 'label' need the format 'latex', got '{format}'")
        layout = TableLayout(scores, components, pooled, sort, counts=counts, caption=caption, label=label)
        return score_table(self if self.by is None else self._of_sets(), format, digits, self.profile, layout=layout)

    def to_records(self, of: Of = "systems") -> list[dict[str, Any]]:
        """Returns a dictionary for each system or output, with flat score names.

        With intervals, a system has ``sari_low`` and ``sari_high`` beside ``sari`` and, unless it is the baseline, the
        p-values of its difference from the baseline: ``sari_p``, and ``sari_p_holm`` with Holm's correction. If some
        outputs do not have a score, ``sari_scored`` is the number of outputs of the system that have it, and
        ``sari_inputs`` the number of inputs on which the system was compared with the baseline.

        With ``by``, there is a record for each system and set, whose column has the name of the set; the last set is
        ``mean``, which has no outputs.

        Args:
            of: ``systems``; ``scores`` for the main scores of systems, or those of the profile, alone; or ``outputs``
                for the scores of single outputs.

        Raises:
            InputError: if the scores of outputs were not kept.
        """
        self._check(of)
        if self.by is not None:
            ids = {"scores": 1, "systems": 2, "outputs": 3}[of]  # which precede the name of the set
            return [
                {**dict([*record.items()][:ids]), self.by: name, **record}
                for name, result in (self.sets if of == "outputs" else self._blocks()).items()
                for record in result.to_records(of)
            ]
        if of == "systems":
            from metrics_framework.reports.score_table import score_records

            records_of_systems = score_records(self, self.systems, list(self.metrics.flatten()))
            return [{name: value for name, value in one.items() if name != "baseline"} for one in records_of_systems]
        if of == "scores":
            names, flat = self._headings(), {system: scores.flatten() for system, scores in self.systems.items()}
            return [{"system": system, **{name: flat[system][name] for name in names}} for system in flat]
        return [
            {
                "instance_id": int(row.instance_id) if self.has_integer_ids else row.instance_id,
                "summarizer_id": row.summarizer_id,
                "summarizer_type": row.summarizer_type,
                **row.metrics.flatten(),
            }
            for row in self.scored_rows()
        ]

    def _headings(self) -> dict[str, str]:
        """Returns the scores that tables have by default, and their headings."""
        from metrics_framework.reports.score_table import headings_of

        return headings_of(self, self.profile, TableLayout())

    @overrides
    def _pictures(self) -> Mapping[str, Callable[[], str]]:
        from metrics_framework.reports.comparison import score_plot

        return {"scores": partial(score_plot, {"system": self} if self.by is None else self.sets, self._headings())}

    def paper(self, test_set: str = "", scores: Sequence[str] = ()) -> str:
        """Returns what ``fw evaluate --paper`` writes: a paragraph for the methods section, tables and BibTeX.

        Args:
            test_set: The name of the test set, such as ``asset-test``; with ``by``, sets have their names.
            scores: The flat names of the scores that have a table; by default the main scores.

        Raises:
            UnknownNameError: if there is no score of a name.
        """
        from metrics_framework.reports.paper import evaluation_paper

        return evaluation_paper({test_set: self} if self.by is None else {**self.sets}, scores, self.profile)

    def flat(self, system: str | None = None) -> dict[str, float]:
        """Returns the numbers of `to_records` by name, for programs that record experiments.

        Lists become several numbers, such as ``bleu_precisions_1``; undefined values are NaN. With ``by``, names begin
        with that of the set, as in ``asset/ours/ter``; the last set is ``mean``.

        Args:
            system: The system; by default all, and each name begins with that of its system, as in ``ours/ter``.

        Raises:
            UnknownNameError: if there is no system of this name.

        >>> import metrics_framework as fw
        >>> result = fw.evaluate("ter", {"ours": ["a cat"], "theirs": ["a dog"]}, references=["a dog"])
        >>> result.flat("ours")
        {'outputs': 1, 'ter': 50.0, 'ter_num_edits': 1, 'ter_ref_length': 2.0}
        >>> result.flat()["theirs/ter"]
        0.0
        """
        if system is not None and system not in self.num_outputs:
            raise UnknownNameError("system", system, self.num_outputs)
        numbers: dict[str, float] = {}
        if self.by is not None:
            for block, result in self._blocks().items():
                if system is None or system in result.systems:
                    numbers.update({f"{block}/{key}": value for key, value in result.flat(system).items()})
            return numbers
        known = self.metrics.flatten()
        for record in self.to_records():
            name = record.pop("system")
            for key, value in record.items() if system in (None, name) else ():
                if value is not None or key in known:  # the baseline has no p-values
                    numbers.update(numbers_of(key if system is not None else f"{name}/{key}", value))
        return numbers

    def _blocks(self) -> dict[str, EvaluationResult]:
        """Returns the result of each set, and that of the means.

        Raises:
            UsageError: if a set has the name of the means.
        """
        from metrics_framework.reports.score_table import MEAN

        if MEAN in self.sets:
            raise UsageError(f"a set is called '{MEAN}', as are the means over the sets; use the results in 'sets'")
        return {**self.sets, MEAN: replace(self, by=None, sets={})}
