"""The bases of all metrics: `Metric`, and `CorpusMetric` for those whose corpus score is not a mean."""

from __future__ import annotations

import functools
import inspect
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from overrides import overrides

from metrics_framework.common.construct import build, built_with, parse_spec
from metrics_framework.common.errors import FwError, InputError
from metrics_framework.common.registrable import Registrable
from metrics_framework.data.jackknifers import Jackknifer
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.signature import signature
from metrics_framework.kernels.dispatch import Kernel, Request, native_kernel
from metrics_framework.metrics import REGISTRY
from metrics_framework.metrics.base.batch_scores import BatchScores, Statistics, by_context, in_groups
from metrics_framework.metrics.base.checks import (
    FieldNames,
    as_scores,
    as_vector,
    check_groups,
    check_outputs,
    check_results,
)
from metrics_framework.metrics.base.jackknifing import jackknifed
from metrics_framework.metrics.base.totals import MeanTotal, StatisticsTotal, Total

# Plain numbers: operators of enumerations take longer than a call of a kernel.
SCORES, STATISTICS, JACKKNIFED = int(Request.SCORES), int(Request.STATISTICS), int(Request.JACKKNIFED)
SUM, JSON = int(Request.SUM), int(Request.JSON)
COLUMNS = {SCORES: "scores", STATISTICS: "statistics", JACKKNIFED: "jackknifed", SUM: "sum"}


class Metric(Registrable, registry=REGISTRY):
    """Base of all metrics.

    A metric is a subclass of one of the shapes in `metrics_framework.metrics.base.shapes`, registered under a name::

        @Metric.register("my-metric")
        class MyMetric(ReferenceBasedMetric):
            def score_multi_all(self, summaries_list, references_list):
                ...

    Args:
        required_summary_fields: The fields of an output, which are the first arguments, in this order.
        required_context_fields: The fields that come after them; outputs with equal ones are scored together.
        jackknifer: Makes the leave-one-out variants; `None` for no jackknifing.

    Attributes:
        higher_is_better: The direction of the metric; `None` if its scores describe and do not judge.
        score_range: The lowest and highest possible score; `None` where there is no bound.
        citation: The paper to cite, as BibTeX.
        option_aliases: Other names of options: alias to name.
        card_options: The options under which the scores are those of the metric's Hugging Face card.
        card_names: Our name of a score to that on the metric's Hugging Face card, in the order of the card.
        kernel_name: The name of the native kernel of a metric that defines `native`.
        kernel_requests: What that kernel can be asked for.
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
    kernel_name: ClassVar[str] = ""
    kernel_requests: int = SCORES | STATISTICS | JACKKNIFED | SUM | JSON
    has_kernel: ClassVar[bool] = False

    if TYPE_CHECKING:  # each shape defines these five with its exact arguments; here for the type that `load` returns

        def score(self, *arguments: Any, **named: Any) -> MetricsDict: ...
        def score_all(self, *arguments: Any, **named: Any) -> list[MetricsDict]: ...
        def score_multi(self, *arguments: Any, **named: Any) -> list[MetricsDict]: ...
        def score_multi_all(self, *arguments: Any, **named: Any) -> list[list[MetricsDict]]: ...
        def evaluate(self, *arguments: Any, **named: Any) -> tuple[MetricsDict, list[MetricsDict]]: ...

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
        """Puts the checks of arguments and results around the methods that a subclass defines.

        Args:
            forwards: Whether the class only passes calls on to a method that is checked.
            arguments: For `Registrable`.
        """
        super().__init_subclass__(**arguments)
        cls.has_kernel = "native" in vars(cls)  # not inherited: a subclass may compute something else
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
            observed: What only the data show, such as ``refs=8``; comes after the options.
        """
        return signature(self.name, {**self.signature_options(), **observed})

    def signature_options(self) -> dict[str, Any]:
        """Returns the options as the signature has them: every constructor parameter, by default."""
        return built_with(self, Metric)

    def other_signatures(self, refs: str) -> dict[str, str]:
        """Returns the signatures that other programs print for the same score: program to signature.

        Args:
            refs: The number of references, as in ``8`` or ``1-10``.
        """
        return {}

    def score_batch(self, request: int, *arguments: Any, checked: bool = False) -> BatchScores:
        """Scores groups of outputs; every other method of a metric that scores comes here.

        The arguments are checked once, then the native kernel is called once, if the metric has one that can do what is
        requested; else the metric computes in Python.

        Args:
            request: Flags of `metrics_framework.kernels.dispatch.Request`: ``SCORES``, with ``STATISTICS``, ``SUM`` or
                ``JACKKNIFED`` if they are needed; or ``STATISTICS`` alone. With ``JACKKNIFED``, ``JSON`` returns JSON
                instead of the scores where the kernel writes it.
            arguments: The arguments of ``score_multi_all``.
            checked: Whether they are known to be lists of what the fields hold.

        Raises:
            InputError: if an argument is not of the shape it must have, or the metric returns something else than it
                must.
        """
        request = int(request)
        groups = arguments if checked else check_groups(self.name, self._field_names, arguments)
        found = self._natively(request, groups) if self.has_kernel else None
        if found is not None:
            return found
        if request & JACKKNIFED and self.jackknifer is not None:
            score = functools.partial(self.score_batch, SCORES)
            return jackknifed(self.name, self.jackknifer, self._field_names, lambda *one: score(*one).scores, groups)
        return self._in_python(request, groups)

    def native(self, kernel: Kernel, *groups: Any) -> Any | None:
        """Calls the native kernel; a metric that has one defines this and `kernel_name`.

        Args:
            kernel: The kernel, which is called with the groups and its options; `metrics_framework.kernels.dispatch`
                says what it returns.
            groups: The arguments of ``score_multi_all``, checked.

        Returns:
            What the kernel returns; `None` to compute in Python.
        """
        return None

    def new_total(self) -> Total:
        """Returns an empty total, from which the score of a system or corpus is computed."""
        return MeanTotal()

    @functools.cached_property
    def _field_names(self) -> FieldNames:
        return FieldNames(self.required_summary_fields, self.required_context_fields)

    def _natively(self, request: int, groups: Sequence[Any]) -> BatchScores | None:
        if request & JACKKNIFED and (
            self.jackknifer is None
            or not self.jackknifer.leaves_out_references()
            or not self.kernel_requests & JACKKNIFED
        ):
            return None
        scored = self.kernel_requests & SCORES
        request = request & self.kernel_requests if scored else STATISTICS
        if request & JSON:
            request = JSON | JACKKNIFED
        kernel = native_kernel(self.kernel_name, request)
        columns = None if kernel is None else self.native(kernel, *groups)
        if columns is None:
            return None
        found = BatchScores([])
        for name, column in zip(_columns(request), columns, strict=True):
            setattr(found, name, column)
        if not scored and found.statistics is not None:
            found.scores = self._scores_of(found.statistics)
        return found

    def _scores_of(self, statistics_list: Sequence[Statistics]) -> list[MetricsDict]:
        raise NotImplementedError(f"{type(self).__name__} has a kernel without scores, and no score_statistics")

    def _in_python(self, request: int, groups: Sequence[Any]) -> BatchScores:
        """Scores checked groups with the method that the subclass defines."""
        return BatchScores(_results(self, "score_multi_all", groups, as_scores))

    def _score_each(self, request: int, arguments: Sequence[Any]) -> BatchScores:
        """Scores outputs, given one entry for each output in every list."""
        lists = check_outputs(self.name, self._field_names, arguments)
        groups, members = by_context(len(self.required_summary_fields), lists)
        found = self.score_batch(request, *groups, checked=True)
        return found if members is None else found.in_order(members)

    def _score_multi_all(self, *arguments: Any) -> list[list[MetricsDict]]:
        raise NotImplementedError(f"{type(self).__name__} must define score_multi_all")

    def _evaluate(self, *arguments: Any, request: int = SCORES | STATISTICS) -> tuple[MetricsDict, list[MetricsDict]]:
        """Scores one output for each context; returns the score of all of them and the score of each."""
        batch = self._score_each(request, arguments)
        if not batch.scores:
            raise InputError("there is nothing to evaluate: the lists are empty")
        total = self.new_total()
        total.extend(batch.scores, batch.statistics, batch.sum)
        return total.score(), batch.scores


@functools.cache
def _columns(request: int) -> tuple[str, ...]:
    """Returns the names of the columns that a kernel returns."""
    if request & JSON:
        return ("json",)
    return tuple(name for flag, name in COLUMNS.items() if request & flag)


def _results(metric: Metric, method: str, groups: Sequence[Any], convert: Callable[[str, Any], Any]) -> list[Any]:
    """Calls a method as the subclass defines it, without the checks of arguments, and checks its results."""
    defined = getattr(type(metric), method)
    results = getattr(defined, "__wrapped__", defined)(metric, *groups)
    return check_results(metric.name, method, results, groups[0], convert)


def _checked(method: Callable[..., list[list[Any]]]) -> Callable[..., list[list[Any]]]:
    """Puts checks around a method that takes and returns groups; that of the class itself goes to its kernel first."""
    name = method.__name__
    parameters = list(inspect.signature(method).parameters)[1:]
    request, convert = (SCORES, as_scores) if name == "score_multi_all" else (STATISTICS, as_vector)

    @functools.wraps(method)
    def checked(self: Metric, *arguments: Any, **named: Any) -> list[list[Any]]:
        arguments += tuple(named.pop(parameter) for parameter in parameters[len(arguments) :] if parameter in named)
        if named:
            raise TypeError(f"{name}() got an unexpected keyword argument '{next(iter(named))}'")
        groups = check_groups(self.name, self._field_names, arguments)
        if self.has_kernel and getattr(type(self), name) is checked:
            batch = self.score_batch(request, *groups, checked=True)
            results: Sequence[Any] = batch.statistics or batch.scores
        else:
            results = check_results(self.name, name, method(self, *groups), groups[0], convert)
        return in_groups(results, groups[0])

    return checked


class CorpusMetric(Metric):
    """A metric whose corpus score is not the mean of its segment scores.

    It declares additive statistics: a vector of fixed length for each output, and the score of a vector. The score of
    one output is that of its own vector; the score of a system is that of the *sum* of the vectors of its outputs.
    Everything else (corpus, jackknifed and resampled scores, streaming, splitting the work) follows from sums.

    Put it before the shape: ``class Ter(CorpusMetric, ReferenceBasedMetric)``, and define `statistics_multi_all` (or
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
        count = len(self.required_summary_fields)
        summaries, contexts = arguments[:count], arguments[count:]
        shared = list(zip(*contexts, strict=True)) if contexts else [()] * len(summaries[0])
        return [
            [self.statistics(*summary, *context) for summary in zip(*group, strict=True)]
            for group, context in zip(zip(*summaries, strict=True), shared, strict=True)
        ]

    @overrides
    def new_total(self) -> Total:
        return StatisticsTotal(self.name, self.score_statistics)

    @overrides
    def _scores_of(self, statistics_list: Sequence[Statistics]) -> list[MetricsDict]:
        return [as_scores(self.name, self.score_statistics(statistics)) for statistics in statistics_list]

    @overrides
    def _in_python(self, request: int, groups: Sequence[Any]) -> BatchScores:
        if request == SCORES and hasattr(type(self).score_multi_all, "__wrapped__"):
            return super()._in_python(request, groups)
        vectors = _results(self, "statistics_multi_all", groups, as_vector)
        return BatchScores(self._scores_of(vectors) if request & SCORES else [], vectors)

    @overrides
    def _score_multi_all(self, *arguments: Any) -> list[list[MetricsDict]]:
        groups = check_groups(self.name, self._field_names, arguments)
        scores = self.score_batch(SCORES, *groups, checked=True).scores
        return in_groups(scores, groups[0])

    @overrides
    def _evaluate(self, *arguments: Any, request: int = SCORES | STATISTICS) -> tuple[MetricsDict, list[MetricsDict]]:
        # A kernel may add up in any order only where no sum is rounded.
        if self.statistics_are_whole and self.kernel_requests & SUM:
            request = SCORES | SUM
        return super()._evaluate(*arguments, request=request)


def direction_of(signature: str) -> bool | None:
    """Returns whether higher is better for the main score of the metric that a signature or a name starts with.

    Returns `None` where neither is better, for an unknown metric, and for one of a plug-in that cannot be imported.

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


def load(name: str | Mapping[str, Any], /, **options: Any) -> Metric:
    """Builds a metric by name.

    Args:
        name: A registered name, ``name:option=value,…`` or ``{"type": name, …}``.
        options: The options of its constructor, by name or alias.

    Raises:
        UnknownNameError: if no metric, or no option of it, has that name.
        UsageError: if the value of an option is wrong.

    >>> load("ter", case_sensitive=True).score("a cat", ["a dog"])
    {'ter': 50.0, 'ter_num_edits': 1, 'ter_ref_length': 2.0}
    """
    plain, given = parse_spec(name)
    metric = Metric.by_name(plain)
    built: Metric = build(metric, Metric, {**given, **options}, plain)
    return built
