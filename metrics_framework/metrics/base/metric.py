"""The base classes of metrics: `Metric`, and `CorpusMetric` for metrics whose corpus score is not a mean."""

from __future__ import annotations

import functools
import inspect
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType
from typing import TYPE_CHECKING, Any, ClassVar

from metrics_framework.common.construct import build, built_with, parse_spec
from metrics_framework.common.errors import InputError
from metrics_framework.common.overriding import overrides
from metrics_framework.data.jackknifers import Jackknifer
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.signature import signature
from metrics_framework.kernels.dispatch import Kernel, Request, native_kernel
from metrics_framework.metrics import REGISTRY
from metrics_framework.metrics.base.batch_scores import (
    BatchScores,
    OutputsByContext,
    Statistics,
    column_names,
    identity_keys,
    in_groups,
    neighbour_keys,
)
from metrics_framework.metrics.base.checks import (
    FieldNames,
    as_scores,
    as_vector,
    check_groups,
    check_outputs,
    check_results,
)
from metrics_framework.metrics.base.definition import CheckedScoring
from metrics_framework.metrics.base.first_pass import FirstPass
from metrics_framework.metrics.base.jackknifing import jackknifed
from metrics_framework.metrics.base.keywords import renamed
from metrics_framework.metrics.base.other_method_names import OtherMethodNames
from metrics_framework.metrics.base.pairwise import PairwiseScores
from metrics_framework.metrics.base.text_forms import TextForms
from metrics_framework.metrics.base.totals import MeanTotal, StatisticsTotal, Total

if TYPE_CHECKING:
    from metrics_framework.metrics.base.requirements import Requirement

# Integers, because operations on enum flags take longer than a kernel call.
SCORES, STATISTICS, JACKKNIFED, SUM, JSON, _TEXTS, _PAIRS, VECTORS = map(int, Request)


class Metric(OtherMethodNames, FirstPass, PairwiseScores, TextForms, CheckedScoring, registry=REGISTRY):
    """Base class of all metrics.

    A metric is a subclass of one of the classes in `metrics_framework.metrics.base.shapes`, registered under a name::

        @Metric.register("my-metric")
        class MyMetric(ReferenceBasedMetric):
            def score_multi_all(self, summaries_list, references_list):
                ...

    Args:
        required_summary_fields: The fields of an output: the first arguments of the metric, in this order.
        required_context_fields: The fields of the following arguments. Outputs with an equal context are scored
            together.
        jackknifer: Returns the leave-one-out variants of a context; `None` for no jackknifing.

    Attributes:
        higher_is_better: Whether higher scores are better; `None` if the scores describe outputs without judging them.
        directions: The scores whose direction is another one, and whether higher values of them are better.
        score_range: The lowest and highest possible score; `None` for unbounded.
        expects_detokenized: Whether the metric tokenizes texts itself, so that tokenized outputs have wrong scores.
        reads_only_ascii: Whether only ASCII letters and digits make up words, so that other scripts have no words.
        compares_lines: As slow_above and slow_with, a form of texts that a run reports; see `TextForms`.
        ratios: The scores that are ratios, with values around or below 1; tables print them with two more digits.
        citation: The papers to cite, as BibTeX.
        example_flags: The flags without which the metric cannot score, for the examples in its help.
        option_aliases: Maps each alias of an option to the name of the option.
        language_tokenizers: Maps languages to the tokenizer that replaces the default for texts in them.
        card_options: The options that reproduce the metric of the same name on Hugging Face.
        card_names: Maps each score to its name in the metric card on Hugging Face, in the order of the card.
        kernel_name: The name of the native kernel, for metrics that define `native` or call the kernel themselves.
        kernel_requests: The requests that the native kernel supports.
        kernel_adds_scores: Whether the kernel adds scores, of which the score of a system is the mean.
        has_kernel: Whether the class itself defines `native`; set automatically.
        requirements: What the metric needs besides this package.
        in_one_process: Whether one process scores all outputs, due to a large model or another program.
        unsigned_options: The options that change no score, such as ``cache``; signatures leave them out.
        definition: The version of the definition, raised when a score or statistic can change (decision 0108).
    """

    required_summary_fields: Sequence[str] = ("summary",)
    required_context_fields: Sequence[str] = ()
    jackknifer: Jackknifer | None = None
    higher_is_better: ClassVar[bool | None] = True
    directions: ClassVar[Mapping[str, bool]] = {}
    score_range: ClassVar[tuple[float | None, float | None]] = (None, None)
    ratios: ClassVar[Sequence[str]] = ()
    citation: ClassVar[str] = ""
    example_flags: ClassVar[str] = ""
    option_aliases: ClassVar[Mapping[str, str]] = {}
    language_tokenizers: ClassVar[Mapping[str, str]] = {}
    card_names: ClassVar[Mapping[str, str]] = {}
    card_options: ClassVar[Mapping[str, Any]] = {}
    kernel_name: ClassVar[str] = ""
    kernel_requests: int = SCORES | STATISTICS | JACKKNIFED | SUM | JSON | VECTORS
    kernel_adds_scores: ClassVar[bool] = False
    has_kernel: ClassVar[bool] = False
    statistics_are_whole: bool = False
    requirements: ClassVar[Sequence[Requirement]] = ()
    in_one_process: ClassVar[bool] = False
    unsigned_options: ClassVar[Sequence[str]] = ()
    definition: ClassVar[int] = 1

    if TYPE_CHECKING:  # for the type that `load` returns; each shape defines these methods with its exact arguments

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
        """Adds checks of arguments and results to the methods that a subclass defines.

        Args:
            forwards: Whether the methods of the class only call other methods, which are checked.
            arguments: Passed on to `Registrable`.
        """
        super().__init_subclass__(**arguments)
        cls.has_kernel = "native" in vars(cls)  # not inherited: a subclass may compute different scores (decision 0016)
        if forwards:
            return
        for name in ("score_multi_all", "statistics_multi_all"):
            method = vars(cls).get(name)
            if isinstance(method, FunctionType):
                setattr(cls, name, _checked(method))

    @property
    def name(self) -> str:
        """The registered name."""
        return str(vars(type(self)).get("registered_name", "") or type(self).__name__)

    @property
    def default_label(self) -> str:
        """What a run calls the metric if the user chooses no label; by default, its name."""
        return self.name

    @property
    def fields(self) -> tuple[str, ...]:
        """All fields that the metric requires, in the order of its arguments."""
        return (*self.required_summary_fields, *self.required_context_fields)

    def signature(self, **observed: Any) -> str:
        """Returns the signature: the name, the options, and the versions of the definition and the package.

        Args:
            observed: Properties of the data, such as ``refs=8``; they follow the options.
        """
        return signature(self.name, {**self.signature_options(), **observed}, self.definition)

    def signature_options(self) -> dict[str, Any]:
        """Returns the options in the signature; by default, all constructor parameters but `unsigned_options`."""
        return {name: value for name, value in built_with(self, Metric).items() if name not in self.unsigned_options}

    def notes(self) -> Sequence[str]:
        """Returns what a run reports when it ends, also by an error or a signal; each begins with the metric's name."""
        return ()

    def other_signatures(self, refs: str) -> dict[str, str]:
        """Returns the signatures that other programs print for the same score, by program.

        Args:
            refs: The number of references, such as ``8`` or ``1-10``.
        """
        return {}

    def score_batch(self, request: int, *arguments: Any, checked: bool = False) -> BatchScores:
        """Scores groups of outputs; all other scoring methods call this one.

        It checks the arguments once and then calls the native kernel once. If the metric has no native kernel, or one
        that does not support the request, it computes in Python.

        Args:
            request: Flags of `metrics_framework.kernels.dispatch.Request`: ``SCORES``, optionally with ``STATISTICS``,
                ``SUM`` or ``JACKKNIFED``; or ``STATISTICS`` alone. If kernels can, they return scores as JSON for
                ``JSON`` with ``JACKKNIFED`` or ``VECTORS``, and what is added up as a table for ``VECTORS``.
            arguments: The arguments of ``score_multi_all``.
            checked: Whether the arguments have been checked.

        Raises:
            InputError: if an argument has a wrong shape, or the metric returns an invalid result.
        """
        request = int(request)
        groups = arguments if checked else check_groups(self.name, self._field_names, arguments)
        batch = self._score_natively(request, groups) if self.has_kernel else None
        if batch is not None:
            return batch
        if request & JACKKNIFED and self.jackknifer is not None:
            return jackknifed(
                self.name,
                self.jackknifer,
                self._field_names,
                lambda *expanded: self.score_batch(SCORES, *expanded).scores,
                groups,
            )
        return self._score_in_python(request, groups)

    def native(self, kernel: Kernel, *groups: Any) -> Any | None:
        """Calls the native kernel; metrics that have one define this method and `kernel_name`.

        Args:
            kernel: The kernel. Its arguments are the groups and, by name, its options.
            groups: The checked arguments of ``score_multi_all``.

        Returns:
            The result of the kernel, see `metrics_framework.kernels.dispatch`; `None` to compute in Python.
        """
        return None

    def new_total(self) -> Total:
        """Returns an empty total, which accumulates outputs and computes the score of a system or corpus."""
        return MeanTotal()

    @functools.cached_property
    def _field_names(self) -> FieldNames:
        return FieldNames(self.required_summary_fields, self.required_context_fields)

    def _score_natively(self, request: int, groups: Sequence[Any]) -> BatchScores | None:
        supported, jackknifer = int(self.kernel_requests), self.jackknifer
        if request & JACKKNIFED and not (supported & JACKKNIFED and jackknifer and jackknifer.leaves_out_references()):
            return None
        wants_scores, returns_scores = request & SCORES, supported & SCORES
        table = request & VECTORS & supported
        if request & JSON & supported:
            request = JSON | (table or JACKKNIFED)
        elif table and not wants_scores:
            request = table
        else:
            request = request & supported & ~VECTORS if returns_scores else STATISTICS
        kernel = native_kernel(self.kernel_name, request)
        columns = None if kernel is None else self.native(kernel, *groups)
        if columns is None:
            return None
        named = dict(zip(column_names(request), columns, strict=True))
        if "vectors" in named:
            from metrics_framework.metrics.base.vectors import Vectors

            named["vectors"] = Vectors(*named["vectors"])
        if wants_scores and not returns_scores and "statistics" in named:
            named["scores"] = self._scores_of(named["statistics"])
        return BatchScores(named.pop("scores", []), **named)

    def _scores_of(self, statistics_list: Sequence[Statistics]) -> list[MetricsDict]:
        raise NotImplementedError(f"{type(self).__name__} has a kernel without scores, so it must be a CorpusMetric")

    def _score_in_python(self, request: int, groups: Sequence[Any]) -> BatchScores:
        """Scores checked groups with the Python method that the subclass defines."""
        return BatchScores(_results(self, "score_multi_all", groups, as_scores))

    def score_each(self, request: int, arguments: Sequence[Any]) -> BatchScores:
        """Scores outputs, given lists with one entry per output; see `score_batch`."""
        lists = check_outputs(self.name, self._field_names, arguments)
        names = self._field_names
        if len(lists[0]) == 1:
            count = len(names.summary)
            return self.score_batch(request, *([values] for values in lists[:count]), *lists[count:], checked=True)
        are_texts = names.context_is_text and not self.needs_all_inputs  # which counts each context
        columns = dict(zip(self.fields, lists, strict=True))
        outputs = OutputsByContext(columns.__getitem__, neighbour_keys if are_texts else identity_keys)
        groups, members = outputs.arguments_of(names.summary, names.context, self.has_kernel)
        if request & SUM and members is not None and not self.statistics_are_whole:
            request ^= SUM | STATISTICS  # rounded sums depend on the order, and groups are not in order
        return self.score_batch(request, *groups, checked=True).in_order(members)

    def _score_multi_all(self, *arguments: Any) -> list[list[MetricsDict]]:
        raise NotImplementedError(f"{type(self).__name__} must define score_multi_all")

    def _evaluate(self, *arguments: Any, request: int = SCORES | STATISTICS) -> tuple[MetricsDict, list[MetricsDict]]:
        """Scores lists of outputs; returns the scores of the whole corpus and of each output."""
        if self.kernel_adds_scores:
            request = SCORES | SUM
        batch = self.score_each(request, arguments)
        if not batch.scores:
            raise InputError("there are no outputs to evaluate: the lists are empty")
        total = self.new_total()
        total.extend(batch.scores, batch.statistics, batch.sum)
        return total.score(), batch.scores


def _results(metric: Metric, method: str, groups: Sequence[Any], convert: Callable[[str, Any], Any]) -> list[Any]:
    """Calls a method as the subclass defines it, without argument checks, and checks its results."""
    defined = getattr(type(metric), method)
    function = getattr(defined, "__wrapped__", defined)
    return check_results(metric.name, function, function(metric, *groups), groups[0], convert)


def _checked(method: Callable[..., list[list[Any]]]) -> Callable[..., list[list[Any]]]:
    """Adds checks to a method on groups, which also tries the native kernel if the class that defines it has one."""
    name = method.__name__
    parameters = list(inspect.signature(method).parameters)[1:]
    request, convert = (SCORES, as_scores) if name == "score_multi_all" else (STATISTICS, as_vector)

    @functools.wraps(method)
    def checked(self: Metric, *arguments: Any, **named: Any) -> list[list[Any]]:
        named = renamed(named, parameters)
        arguments += tuple(named.pop(parameter) for parameter in parameters[len(arguments) :] if parameter in named)
        if named:
            raise TypeError(f"{name}() got an unexpected keyword argument '{next(iter(named))}'")
        groups = check_groups(self.name, self._field_names, arguments)
        if self.has_kernel and getattr(type(self), name) is checked:
            batch = self.score_batch(request, *groups, checked=True)
            results: Sequence[Any] = batch.statistics or batch.scores
        else:
            results = check_results(self.name, method, method(self, *groups), groups[0], convert)
        return in_groups(results, groups[0])

    checked.is_defined = True  # type: ignore[attr-defined]
    return checked


class CorpusMetric(Metric):
    """A metric whose corpus score is not the mean of its segment scores.

    Such a metric defines additive statistics, a vector of fixed length for each output, and a function from a vector to
    scores. The score of an output is computed from its vector, the score of a system from the *sum* of the vectors of
    its outputs. Corpus, jackknifed and resampled scores, streaming and parallel scoring all follow from sums.

    List it before the shape, as in ``class Ter(CorpusMetric, ReferenceBasedMetric)``. Define `score_statistics`, and
    either `statistics` for one output or `statistics_multi_all` for groups.

    Attributes:
        statistics_are_whole: Whether the statistics are integers, whose sum does not depend on the order.
    """

    def statistics(self, *arguments: Any) -> Statistics:
        """Returns the statistics of one output, given its fields in the order of the arguments of ``score``."""
        if type(self).statistics_multi_all is CorpusMetric.statistics_multi_all:
            raise NotImplementedError(f"{type(self).__name__} must define statistics or statistics_multi_all")
        count = len(self.required_summary_fields)
        groups = [*([[value]] for value in arguments[:count]), *([value] for value in arguments[count:])]
        return self.statistics_multi_all(*groups)[0][0]

    @abstractmethod
    def score_statistics(self, statistics: Statistics) -> MetricsDict:
        """Computes the scores from the statistics of one output or from the summed statistics of several."""

    def statistics_multi_all(self, *arguments: Any) -> list[list[Statistics]]:
        """Returns the statistics of groups of outputs, given the arguments of ``score_multi_all``."""
        count = len(self.required_summary_fields)
        groups, columns = arguments[:count], arguments[count:]
        contexts = list(zip(*columns, strict=True)) if columns else [()] * len(groups[0])
        return [
            [self.statistics(*summary, *context) for summary in zip(*group, strict=True)]
            for group, context in zip(zip(*groups, strict=True), contexts, strict=True)
        ]

    @overrides
    def new_total(self) -> Total:
        return StatisticsTotal(self.name, self.score_statistics)

    @overrides
    def _scores_of(self, statistics_list: Sequence[Statistics]) -> list[MetricsDict]:
        return [as_scores(self.name, self.score_statistics(statistics)) for statistics in statistics_list]

    @overrides
    def _score_in_python(self, request: int, groups: Sequence[Any]) -> BatchScores:
        if request == SCORES and hasattr(type(self).score_multi_all, "is_defined"):
            return super()._score_in_python(request, groups)
        vectors = _results(self, "statistics_multi_all", groups, as_vector)
        return BatchScores(self._scores_of(vectors) if request & SCORES else [], vectors)

    @overrides
    def _score_multi_all(self, *arguments: Any) -> list[list[MetricsDict]]:
        groups = check_groups(self.name, self._field_names, arguments)
        return in_groups(self.score_batch(SCORES, *groups, checked=True).scores, groups[0])

    @overrides
    def _evaluate(self, *arguments: Any, request: int = SCORES | STATISTICS) -> tuple[MetricsDict, list[MetricsDict]]:
        return super()._evaluate(*arguments, request=SCORES | SUM if self.kernel_requests & SUM else request)


def load(name: str | Mapping[str, Any], /, **options: Any) -> Metric:
    """Builds a metric by name.

    Args:
        name: A registered name, ``name:option=value,…`` or ``{"type": name, …}``.
        options: Arguments of its constructor, by name or alias.

    Raises:
        UnknownNameError: if the metric or an option is unknown.
        UsageError: if an option has an invalid value.

    >>> load("ter", case_sensitive=True).score("a cat", ["a dog"])
    {'ter': 50.0, 'ter_num_edits': 1, 'ter_ref_length': 2.0}
    """
    registered_name, spec_options = parse_spec(name)
    metric: Metric = build(Metric.by_name(registered_name), Metric, {**spec_options, **options}, registered_name)
    return metric
