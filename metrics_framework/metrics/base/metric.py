"""The bases of all metrics: `Metric`, and `CorpusMetric` for those whose corpus score is not a mean."""

from __future__ import annotations

import functools
import inspect
import operator
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from overrides import overrides

from metrics_framework.common.construct import build, built_with, parse_spec
from metrics_framework.common.errors import FwError, InputError
from metrics_framework.common.registrable import Registrable
from metrics_framework.data.jackknifers import Jackknifer
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.signature import signature
from metrics_framework.kernels.dispatch import Request
from metrics_framework.metrics import REGISTRY
from metrics_framework.metrics.base.checks import as_scores, check_groups, check_results, check_shape
from metrics_framework.metrics.base.contexts import by_context, in_groups, in_order
from metrics_framework.metrics.base.jackknifing import Jackknifed, jackknifed
from metrics_framework.metrics.base.totals import MeanTotal, StatisticsTotal, Total

Statistics = Sequence[float]
Scored = tuple[MetricsDict, Statistics | None]


class Metric(Registrable, registry=REGISTRY):
    """Base of all metrics.

    A metric is a subclass of one of the shapes in `metrics_framework.metrics.base.shapes`, registered under a name::

        @Metric.register("my-metric")
        class MyMetric(ReferenceBasedMetric):
            def score_multi_all(self, summaries_list, references_list):
                ...

    Args:
        required_summary_fields: The fields of an output that are passed first, in this order.
        required_context_fields: The fields that are passed behind them; outputs with equal ones are scored together.
        jackknifer: Makes the leave-one-out variants; `None` for no jackknifing.

    Attributes:
        higher_is_better: The direction of the metric, `None` if its scores describe and do not judge.
        score_range: Least and greatest possible score, `None` where there is no bound.
        citation: The paper to cite, as BibTeX.
        option_aliases: Other names of options: alias to name.
        card_options: The options with which it is the metric of that card.
        card_names: Our name of a score to that on the metric's Hugging Face card, in the order of the card.
    """

    required_summary_fields: Sequence[str] = ("summary",)
    required_context_fields: Sequence[str] = ()
    jackknifer: Jackknifer | None = None
    higher_is_better: ClassVar[bool | None] = True
    score_range: ClassVar[tuple[float | None, float | None]] = (None, None)
    citation: ClassVar[str] = ""
    option_aliases: ClassVar[Mapping[str, str]] = {}
    card_names: ClassVar[Mapping[str, str]] = {}
    card_options: ClassVar[Mapping[str, Any]] = {}

    def __init__(
        self,
        required_summary_fields: Sequence[str] | None = None,
        required_context_fields: Sequence[str] | None = None,
        jackknifer: Jackknifer | None = None,
    ) -> None:
        if required_summary_fields is not None:
            self.required_summary_fields = tuple(required_summary_fields)
        if required_context_fields is not None:
            self.required_context_fields = tuple(required_context_fields)
        if jackknifer is not None:
            self.jackknifer = jackknifer

    def __init_subclass__(cls, forwards: bool = False, **arguments: Any) -> None:
        """Puts the checks of arguments and results around what a subclass defines.

        Args:
            forwards: Whether the class only passes calls on to a method that is checked.
            arguments: For `Registrable`.
        """
        super().__init_subclass__(**arguments)
        if forwards:
            return
        for name in ("score_multi_all", "statistics_multi_all"):
            method = vars(cls).get(name)
            if inspect.isfunction(method):
                setattr(cls, name, _checked(method))

    @property
    def name(self) -> str:
        """The registered name."""
        name: str = vars(type(self)).get("registered_name", "")
        return name or type(self).__name__

    @property
    def fields(self) -> tuple[str, ...]:
        """All fields that a metric needs, in the order of its arguments."""
        return (*self.required_summary_fields, *self.required_context_fields)

    def signature(self, **observed: Any) -> str:
        """Returns the string that says exactly what is computed.

        Args:
            observed: What only the data tell, such as ``refs=8``; stands behind the options.
        """
        return signature(self.name, {**self.signature_options(), **observed})

    def signature_options(self) -> dict[str, Any]:
        """Returns the options in the form the signature has them: every constructor parameter, by default."""
        return built_with(self, Metric)

    def other_signatures(self, refs: str) -> dict[str, str]:
        """Returns the signatures that other programs would print for the same score: program to signature.

        Args:
            refs: The number of references, as in ``8`` or ``1-10``.
        """
        return {}

    def score_with_statistics(self, *arguments: Any) -> list[list[Scored]]:
        """Scores groups of outputs; beside each score stand its additive statistics, where the metric has any."""
        return [[(scores, None) for scores in group] for group in self._scores(*arguments)]

    def score_jackknifed(self, *arguments: Any) -> list[list[Jackknifed]]:
        """Scores groups of outputs; beside each score stands the mean over its leave-one-out variants, if any."""
        if self.jackknifer is None:
            return [[(scores, None) for scores in group] for group in self._scores(*arguments)]
        if self.jackknifer.leaves_out_references():
            found, arguments, sizes = self._natively(Request.SCORES | Request.JACKKNIFED, arguments)
            if found is not None:
                results: list[list[Jackknifed]] = in_groups(zip(*found, strict=True), sizes)
                return results
        return jackknifed(self, self.jackknifer, arguments)

    def score_as_json(self, *arguments: Any) -> list[str] | None:
        """Scores groups of outputs with jackknifing, and gives the scores of each as the members of a JSON object.

        Returns:
            Those of all groups in one list; `None` where no native kernel does so.
        """
        if self.jackknifer is None or not self.jackknifer.leaves_out_references():
            return None
        found, *_ = self._natively(Request.JSON | Request.JACKKNIFED, arguments)
        return None if found is None else found[0]

    def natively(self, wanted: Request, arguments: Sequence[Any]) -> Any | None:
        """Returns what a native kernel makes of groups of outputs.

        Args:
            wanted: What is asked for; `metrics_framework.kernels.dispatch` says what comes back.
            arguments: What `score_multi_all` takes, not checked.

        Returns:
            `None` where there is no kernel for the metric or its options, or where the arguments are not plain lists of
            texts.
        """
        return None

    @property
    def has_kernel(self) -> bool:
        """Whether `natively` may be asked: a subclass may compute something else, and does not inherit it."""
        return "natively" in vars(type(self))

    def _natively(self, wanted: Request, arguments: tuple[Any, ...]) -> tuple[Any | None, tuple[Any, ...], list[int]]:
        """Asks the native kernel; where arguments are not plain, once more when they are checked.

        Returns:
            What `natively` returned; the arguments to go on with, as an iterator can be read only once; the sizes of
            the groups before the call, as another thread may change the lists.
        """
        if not self.has_kernel or len(arguments) != len(self.fields):
            return None, arguments, []
        if _have_lengths(arguments[0]):
            sizes = list(map(len, arguments[0]))
            found = self.natively(wanted, arguments)
            if found is not None:
                return found, arguments, sizes
        arguments = tuple(check_groups(self, arguments))
        sizes = list(map(len, arguments[0]))
        return self.natively(wanted, arguments), arguments, sizes

    def new_total(self) -> Total:
        """Returns an empty total, from which the score of a system or corpus comes."""
        return MeanTotal()

    def _scores(self, *arguments: Any) -> list[list[MetricsDict]]:
        found, arguments, sizes = self._natively(Request.SCORES, arguments)
        results: list[list[MetricsDict]]
        if found is not None:
            results = in_groups(found[0], sizes)
        else:
            results = self.score_multi_all(*arguments)  # type: ignore[attr-defined]
        return results

    def _score_multi_all(self, *arguments: Any) -> list[list[MetricsDict]]:
        raise NotImplementedError(f"{type(self).__name__} must define score_multi_all")

    def _evaluate(self, *arguments: Any) -> tuple[MetricsDict, list[MetricsDict]]:
        """Scores one output a context; returns the score of them all and the score of each."""
        return self._evaluate_groups(*self._one_each(arguments))

    def _evaluate_groups(self, *groups: Any) -> tuple[MetricsDict, list[MetricsDict]]:
        scored = self.score_with_statistics(*groups)
        total = self.new_total()
        for ((scores, statistics),) in scored:
            total.add(scores, statistics)
        if not scored:
            raise InputError("there is nothing to evaluate: the lists are empty")
        return total.score(), [scores for ((scores, _),) in scored]

    def _one_each(self, arguments: Sequence[Any]) -> tuple[Any, ...]:
        """Turns lists with one entry an output into groups of one."""
        of_summaries = len(self.required_summary_fields)
        lists = [check_shape(name, argument) for name, argument in zip(self.fields, arguments, strict=True)]
        return tuple([[value] for value in one] if index < of_summaries else one for index, one in enumerate(lists))


def _have_lengths(summaries_list: Any) -> bool:
    return isinstance(summaries_list, (list, tuple)) and all(
        isinstance(group, (list, tuple)) for group in summaries_list
    )


def _checked(method: Callable[..., list[list[Any]]]) -> Callable[..., list[list[Any]]]:
    parameters = list(inspect.signature(method).parameters)[1:]

    @functools.wraps(method)
    def checked(self: Metric, *arguments: Any, **named: Any) -> list[list[Any]]:
        arguments += tuple(named.pop(name) for name in parameters[len(arguments) :] if name in named)
        if named:
            raise TypeError(f"{method.__name__}() got an unexpected keyword argument '{next(iter(named))}'")
        groups = check_groups(self, arguments)
        return check_results(self, method.__name__, method(self, *groups), [len(group) for group in groups[0]])

    return checked


class CorpusMetric(Metric):
    """A metric whose corpus score is not the mean of its segment scores.

    It declares additive statistics: a vector of fixed length for each output, and the score of a vector. The score of
    one output is that of its own vector; the score of a system is that of the *sum* of the vectors of its outputs.
    Everything else (corpus, jackknifed and resampled scores, streaming, splitting the work) follows from sums.

    Give it before the shape: ``class Ter(CorpusMetric, ReferenceBasedMetric)``, and define `statistics_multi_all` (or
    only `statistics`, for one output) and `score_statistics`.

    Attributes:
        statistics_are_whole: Whether statistics are whole numbers, whose sum does not depend on the order.
    """

    statistics_are_whole: bool = False

    def statistics(self, *arguments: Any) -> Statistics:
        """Returns the statistics of one output, given its fields in the order of the metric's arguments."""
        raise NotImplementedError(f"{type(self).__name__} must define statistics or statistics_multi_all")

    @abstractmethod
    def score_statistics(self, statistics: Statistics) -> MetricsDict:
        """Turns the statistics of one output, or the sum of those of many, into a score."""

    def statistics_multi_all(self, *arguments: Any) -> list[list[Statistics]]:
        """Returns the statistics of groups of outputs; takes what `score_multi_all` takes."""
        of_summaries = len(self.required_summary_fields)
        summaries, contexts = arguments[:of_summaries], arguments[of_summaries:]
        return [
            [self.statistics(*summary, *context) for summary in zip(*group, strict=True)]
            for group, context in zip(zip(*summaries, strict=True), _contexts(contexts, summaries), strict=True)
        ]

    @overrides
    def score_with_statistics(self, *arguments: Any) -> list[list[Scored]]:
        found, arguments, sizes = self._natively(Request.SCORES | Request.STATISTICS, arguments)
        if found is not None:
            results: list[list[Scored]] = in_groups(zip(*found, strict=True), sizes)
            return results
        statistics_list = self.statistics_multi_all(*arguments)
        return [[(self._checked_score(vector), vector) for vector in group] for group in statistics_list]

    def _checked_score(self, statistics: Statistics) -> MetricsDict:
        return as_scores(self, self.score_statistics(statistics))

    @overrides
    def new_total(self) -> Total:
        return StatisticsTotal(self._checked_score)

    @overrides
    def _score_multi_all(self, *arguments: Any) -> list[list[MetricsDict]]:
        found, arguments, sizes = self._natively(Request.SCORES, arguments)
        if found is not None:
            results: list[list[MetricsDict]] = in_groups(found[0], sizes)
            return results
        return [[scores for scores, _ in group] for group in self.score_with_statistics(*arguments)]

    @overrides
    def _scores(self, *arguments: Any) -> list[list[MetricsDict]]:
        return self._score_multi_all(*arguments)

    @overrides
    def _evaluate_groups(self, *groups: Any) -> tuple[MetricsDict, list[MetricsDict]]:
        if not self.has_kernel:
            return super()._evaluate_groups(*groups)
        grouped, members = by_context(len(self.required_summary_fields), groups)
        adds_up = members is None or self.statistics_are_whole
        wanted = Request.SCORES | (Request.SUM if adds_up else Request.STATISTICS)
        found, _, sizes = self._natively(wanted, tuple(grouped))
        if not found or not found[0]:
            return super()._evaluate_groups(*groups)
        if adds_up:
            return self._checked_score(found[1]), in_order(in_groups(found[0], sizes), members)
        scores, statistics = zip(*in_order(in_groups(zip(*found, strict=True), sizes), members), strict=True)
        total = [functools.reduce(operator.add, column) for column in zip(*statistics, strict=True)]  # left to right
        return self._checked_score(total), list(scores)


def _contexts(contexts: Sequence[Any], summaries: Sequence[Any]) -> Sequence[tuple[Any, ...]]:
    return list(zip(*contexts, strict=True)) if contexts else [()] * len(summaries[0])


def direction_of(signature: str) -> bool | None:
    """Returns whether higher is better for the main score of the metric that a signature, or a name, starts with.

    `None` where neither is, where no metric is called so, or where it is of a plug-in that cannot be imported.

    >>> direction_of("ter|case:lc|fw:0.1.0"), direction_of("simplicity")
    (False, None)
    """
    registry, name = Metric.registry(), signature.split("|")[0]
    if name not in registry.names(aliases=True):
        return None
    try:
        higher_is_better: bool | None = registry.get(name).higher_is_better
    except FwError:  # what it scored is in a file all the same
        return None
    return higher_is_better


def load(name: str | Mapping[str, Any], /, **options: Any) -> Any:
    """Builds a metric by name.

    Args:
        name: A registered name, ``name:option=value,…`` or ``{"type": name, …}``.
        options: The options of its constructor, by name or alias.

    Raises:
        UnknownNameError: if there is no metric, or no option, of that name.
        UsageError: if an option has a wrong value.

    >>> load("ter", case_sensitive=True).score("a cat", ["a dog"])
    {'ter': 50.0, 'ter_num_edits': 1, 'ter_ref_length': 2.0}
    """
    plain, given = parse_spec(name)
    metric = Metric.by_name(plain)
    return build(metric, Metric, {**given, **options}, plain)
