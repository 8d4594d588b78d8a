"""The base classes of metrics: `Metric`, and `CorpusMetric` for metrics whose corpus score is not a mean.

In each class, what authors of metrics define and what users call comes first, then how outputs are scored: a batch is
checked once, and scored by the native kernel or in Python (decision 0022). `load` and `labelled` build metrics. The
functions after them score leave-one-out variants and all pairs of texts.
"""

from __future__ import annotations

import functools
import inspect
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from types import FunctionType
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from metrics_framework.common.definitions import failed_at, is_built_in
from metrics_framework.common.errors import (
    PLUGIN_FAILURES,
    InputError,
    OutputError,
    PluginError,
    UsageError,
    message_of,
    missing_attribute,
    say_taken,
    spelled,
)
from metrics_framework.common.options import arguments_of, build, built_with, options_of, parse_spec
from metrics_framework.common.overriding import overrides
from metrics_framework.common.registrable import Registrable
from metrics_framework.data.fields import PLAIN_KINDS
from metrics_framework.data.jackknifers import Jackknifer
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.signature import signature
from metrics_framework.data.texts import as_list, as_plain, as_string, check_text, is_list, shown
from metrics_framework.inputs.texts import NO_OUTPUTS, listed, parallel
from metrics_framework.kernels.dispatch import MAX_NATIVE_ORDER, Kernel, Request, native_kernel
from metrics_framework.metrics import REGISTRY
from metrics_framework.metrics.base.batch_scores import (
    BatchScores,
    Groups,
    Statistics,
    Vectors,
    argument_of,
    as_scores,
    as_vector,
    check_results,
    column_names,
    groups_of,
    identity_keys,
    in_groups,
    neighbour_keys,
    outputs_in,
)
from metrics_framework.metrics.base.checks import (
    SCORING_METHODS,
    FieldNames,
    any_keywords,
    check_attributes,
    check_groups,
    check_number,
    check_scoring_methods,
    renamed,
)
from metrics_framework.metrics.base.totals import MeanTotal, StatisticsTotal, Total

if TYPE_CHECKING:
    from metrics_framework.common.arrays import Floats
    from metrics_framework.inputs.checks import MetricNeeds
    from metrics_framework.metrics.base.requirements import Requirement

# Integers, because operations on enum flags take longer than a kernel call.
SCORES, STATISTICS, JACKKNIFED, SUM, JSON, _TEXTS, PAIRS, VECTORS = map(int, Request)

InputBatches: TypeAlias = Iterable[tuple[Sequence[str], Sequence[Sequence[Any]]]]
"""For each batch of outputs the ids of their inputs, and the values of each field of the metric."""
MAX_ORDER = 1000
"""The longest n-grams that an option may request; every output has statistics for each order up to it."""
SLOW_ABOVE = (*[None] * 21, *[30_000] * (MAX_NATIVE_ORDER - 20), *[1000] * (MAX_ORDER - MAX_NATIVE_ORDER))
"""`Metric.slow_above`, as measured, of metrics that count n-grams of all orders up to the index."""
CACHED_TEXTS = 2**14
"""The number of tokenized texts that a metric caches while it scores a batch. Groups share texts: the leave-one-out
variants of an output differ only in the reference left out."""
CELLS_AT_ONCE = 4096
"""The number of scores of pairs that are dictionaries at the same time, if Python computes them."""


class Metric(Registrable, registry=REGISTRY):
    """Base class of all metrics.

    A metric is a subclass of one of the classes in `metrics_framework.metrics.base.shapes`, registered under a name::

        @Metric.register("my-metric")
        class MyMetric(ReferenceBasedMetric):
            def score_multi_all(self, summaries_list, references_list):
                ...

    A metric of this package that keeps its options as they are given is a dataclass with ``eq=False, repr=False``; one
    that replaces an option by a value of another type has a constructor.

    Args:
        required_summary_fields: The fields of an output: the first arguments of the metric, in this order.
        required_context_fields: The fields of the following arguments. Outputs with an equal context are scored
            together.
        jackknifer: Returns the leave-one-out variants of a context; `None` for no jackknifing.

    Attributes:
        higher_is_better: Whether higher scores are better; `None` if the scores describe outputs without judging them.
        directions: The scores whose direction is another one, and whether higher values of them are better.
        score_range: The lowest and highest possible score; `None` for unbounded.
        component_ranges: The other scores that have a range, such as ``bleu_bp``, and their ranges.
        expects_detokenized: Whether the metric tokenizes texts itself, so that tokenized outputs have wrong scores. A
            run reports texts that this and the next eight attributes concern.
        reads_only_ascii: Whether only ASCII letters and digits make up words, so that other scripts have no words.
        compares_lines: Whether scores depend on sentences, which are the lines of a text.
        line_scores: The starts of the names of those scores; none for all.
        scores_separator: Whether PreSumm's separator ``<q>`` is a word, although the metric can split texts at it.
        splits_at_spaces: Whether words are found at spaces, so that texts in languages without spaces have no words.
        spaceless_options: Maps such languages, and an empty string for any, to the options with which the metric scores
            them, such as ``tokenizer=zh``.
        slow_above: The number of characters of two texts above which comparing them takes about a second or more,
            because the time grows with the product of their lengths, or an option makes it expensive; else `None`.
        slow_with: The field that the summary is compared with in this time.
        ratios: The scores that are ratios, with values around or below 1; tables print them with two more digits.
        citation: The papers to cite, as BibTeX; in this package also keys of ``citations.bib``.
        example_flags: The flags without which the metric cannot score, for the examples in its help.
        option_aliases: Maps each alias of an option to the name of the option.
        language_tokenizers: Maps languages to the tokenizer that replaces the default for texts in them.
        optional_scores: Maps scores that the metric does not compute by default to the options that add them.
        card_options: The options that reproduce the metric of the same name on Hugging Face.
        card_names: Maps each score to its name in the metric card on Hugging Face, in the order of the card.
        kernel_name: The name of the native kernel, for metrics that define `native` or call the kernel themselves.
        kernel_requests: The requests that the native kernel supports.
        kernel_adds_scores: Whether the kernel adds scores, of which the score of a system is the mean.
        has_kernel: Whether the class itself defines `native`; set automatically.
        requirements: What the metric needs besides this package.
        in_one_process: Whether one process scores all outputs, due to a large model or another program.
        unsigned_options: The options that change no score, such as ``cache``; signatures leave them out.
        needs_all_inputs: Whether a run must read all its inputs before it scores the first output (decision 0043).
        checks_all_inputs: Whether a run should check all its inputs before it scores the first output, because scores
            are expensive. Input that can be read only once is checked in batches.
        wants_sentences: Whether a class that defines `score` alone scores texts as they are given, such as lists of
            sentences; by default it scores strings.
        definition: The version of the definition, raised when a score or statistic can change (decision 0068).
    """

    required_summary_fields: Sequence[str] = ("summary",)
    required_context_fields: Sequence[str] = ()
    jackknifer: Jackknifer | None = None
    higher_is_better: ClassVar[bool | None] = True
    directions: ClassVar[Mapping[str, bool]] = {}
    score_range: ClassVar[tuple[float | None, float | None]] = (None, None)
    component_ranges: ClassVar[Mapping[str, tuple[float | None, float | None]]] = {}
    expects_detokenized: bool = False
    reads_only_ascii: ClassVar[bool] = False
    compares_lines: bool = False
    line_scores: ClassVar[tuple[str, ...]] = ()
    scores_separator: bool = False
    splits_at_spaces: bool = False
    spaceless_options: ClassVar[Mapping[str, str]] = {}
    slow_above: int | None = None
    slow_with: ClassVar[str] = "references"
    ratios: ClassVar[Sequence[str]] = ()
    citation: ClassVar[str] = ""
    example_flags: ClassVar[str] = ""
    option_aliases: ClassVar[Mapping[str, str]] = {}
    language_tokenizers: ClassVar[Mapping[str, str]] = {}
    card_names: ClassVar[Mapping[str, str]] = {}
    optional_scores: ClassVar[Mapping[str, str]] = {}
    card_options: ClassVar[Mapping[str, Any]] = {}
    kernel_name: ClassVar[str] = ""
    kernel_requests: int = SCORES | STATISTICS | JACKKNIFED | SUM | JSON | VECTORS
    kernel_adds_scores: bool = False
    has_kernel: ClassVar[bool] = False
    statistics_are_whole: bool = False
    requirements: ClassVar[Sequence[Requirement]] = ()
    in_one_process: ClassVar[bool] = False
    needs_all_inputs: bool = False
    checks_all_inputs: bool = False
    unsigned_options: ClassVar[Sequence[str]] = ()
    wants_sentences: ClassVar[bool] = False
    score_text: ClassVar[Callable[..., Any]]
    """How a class that defines `score` alone scores one output."""
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

    @property
    def name(self) -> str:
        """The registered name."""
        return str(vars(type(self)).get("registered_name", "") or type(self).__name__)

    @property
    def needs(self) -> MetricNeeds:
        """What the metric needs of texts, for the checks of texts."""
        return LabelledMetric(self, self.default_label).needs

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

    def check_inputs(self, columns: Sequence[Sequence[Any]]) -> None:
        """Checks outputs before the first one is scored; metrics with `checks_all_inputs` define it.

        Args:
            columns: The values of each field of the metric.

        Raises:
            OutputError: if an output cannot be scored.
        """

    def prepared(self, inputs: InputBatches) -> AbstractContextManager[None]:
        """Reads all inputs of a run; metrics with `needs_all_inputs` define it.

        Args:
            inputs: The inputs.

        Returns:
            A context in which the outputs of the run are scored.
        """
        return nullcontext()

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

    def pairwise(
        self,
        hypotheses: Sequence[str],
        references: Sequence[str] | None = None,
        *,
        source: str | None = None,
        score: str | None = None,
    ) -> Floats:
        """Scores every hypothesis against every reference alone, for minimum Bayes risk decoding or self-BLEU.

        Each cell equals ``score(hypothesis, [reference])`` to the last bit; but neural networks compute slightly
        different numbers in batches of other texts. Texts are prepared once, and equal texts compared once.

        Args:
            hypotheses: The texts to score: the rows of the matrix. They are strings: a list of lists is an error,
                because it may be the hypotheses of several inputs.
            references: The texts to compare them with: the columns; by default, the hypotheses.
            source: The source that all hypotheses simplify or translate, for metrics that need it.
            score: The flat name of the score, such as ``rouge1_fmeasure``; by default, the score with the name of the
                metric, or its only one.

        Returns:
            A matrix of 64-bit floats with a row for each hypothesis and a column for each reference; NaN where the
            score is undefined.

        Raises:
            InputError: if a list contains something else than texts, the source is missing or superfluous, or the
                metric does not compare outputs with references.
            UsageError: if the metric has no such score.

        >>> from metrics_framework import load
        >>> load("ter").pairwise(["a cat sat", "a cat", "the cat sat"]).round(1).tolist()
        [[0.0, 50.0, 33.3], [33.3, 0.0, 66.7], [33.3, 100.0, 0.0]]
        """
        import numpy as np

        _check_pairs(self, source)
        rows, row_of = _distinct("hypotheses", hypotheses)
        columns, column_of = (rows, row_of) if references is None else _distinct("references", references)
        if not rows or not columns:
            return np.empty((len(row_of), len(column_of)))
        matrix = _matrix(self, rows, columns, source, score)
        if len(row_of) == len(rows) and len(column_of) == len(columns):
            return matrix
        return matrix[np.ix_(row_of, column_of)]

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
        groups = arguments if checked else check_groups(self, arguments)
        batch = self._score_natively(request, groups) if self.has_kernel else None
        if batch is not None:
            return batch
        if request & JACKKNIFED and self.jackknifer is not None:
            return _jackknifed(self, self.jackknifer, groups)
        return self._score_in_python(request, groups)

    def score_each(self, request: int, arguments: Sequence[Any], checked: bool = False) -> BatchScores:
        """Scores outputs, given lists with one entry per output; see `score_batch`."""
        names, count, lists = self._field_names, len(self.required_summary_fields), arguments
        if not checked:
            check_number(self, arguments)
            given = dict(zip(names.names, arguments, strict=True))
            lists = list(parallel(given, None, [self], "object").values())
        are_texts = names.context_is_text and not self.needs_all_inputs  # which counts each context
        grouping: Groups = [], True
        if len(lists[0]) > 1:
            grouping = groups_of(lists[count:], neighbour_keys if are_texts else identity_keys)
        groups, is_in_order = grouping
        if request & SUM and not is_in_order and not self.statistics_are_whole:
            request ^= SUM | STATISTICS  # rounded sums depend on the order
        arguments = [argument_of(values, grouping, i >= count, self.has_kernel) for i, values in enumerate(lists)]
        batch = self.score_batch(request, *arguments, checked=True)
        return batch if is_in_order else batch.in_order(groups)

    def _evaluate(self, *arguments: Any, request: int = SCORES | STATISTICS) -> tuple[MetricsDict, list[MetricsDict]]:
        """Scores lists of outputs; returns the scores of the whole corpus and of each output."""
        if self.kernel_adds_scores:
            request = SCORES | SUM
        batch = self.score_each(request, arguments)
        if not batch.scores:
            raise InputError(NO_OUTPUTS)
        total = self.new_total()
        total.add_batch(batch, None, len(batch.scores))
        return total.score(), batch.scores

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
            named["vectors"] = Vectors(*named["vectors"])
        if wants_scores and not returns_scores and "statistics" in named:
            named["scores"] = self._scores_of(named["statistics"])
        return BatchScores(named.pop("scores", []), **named)

    def _score_in_python(self, request: int, groups: Sequence[Any]) -> BatchScores:
        """Scores checked groups with the Python method that the subclass defines."""
        return BatchScores(_results(self, type(self).score_multi_all, groups, as_scores))

    def _scores_of(self, statistics_list: Sequence[Statistics]) -> list[MetricsDict]:
        raise NotImplementedError(f"{type(self).__name__} has a kernel without scores, so it must be a CorpusMetric")

    def _score_multi_all(self, *arguments: Any) -> list[list[MetricsDict]]:
        raise NotImplementedError(f"{type(self).__name__} must define score_multi_all")

    @functools.cached_property
    def _field_names(self) -> FieldNames:
        return FieldNames(self.required_summary_fields, self.required_context_fields)

    @classmethod
    @overrides
    def check_definition(cls, name: str) -> None:
        super().check_definition(name)
        if not is_built_in(cls):
            check_attributes(cls, name)
            check_scoring_methods(cls, name)

    def __init_subclass__(cls, forwards: bool = False, **arguments: Any) -> None:
        """Adds checks of arguments and results to the methods that a subclass defines.

        Args:
            forwards: Whether the methods of the class only call other methods, which are checked; then they accept
                their arguments under any of the names that these have.
            arguments: Passed on to `Registrable`.
        """
        super().__init_subclass__(**arguments)
        cls.has_kernel = "native" in vars(cls)  # not inherited: a subclass may compute different scores (decision 0015)
        if forwards:
            for name in SCORING_METHODS:
                if not inspect.getfullargspec(vars(cls)[name]).varargs:  # which `ChosenFieldsMetric` has
                    setattr(cls, name, any_keywords(vars(cls)[name]))
            return
        own = vars(cls).get("score")
        of_groups = getattr(cls, "score_multi_all", None)
        defines_groups = "score_multi_all" in vars(cls) or hasattr(of_groups, "is_defined")
        defines_groups = defines_groups or hasattr(cls, "score_statistics")
        if isinstance(own, FunctionType) and of_groups is not None and not defines_groups:
            cls.score_text = own
            del cls.score  # that of the shape checks arguments, and leads here
            setattr(cls, "score_multi_all", _one_at_a_time(of_groups, vars(cls).get("__wrapped__", own)))  # noqa: B010 - no method for type checkers
        for name in ("score_multi_all", "statistics_multi_all"):
            method = vars(cls).get(name)
            if isinstance(method, FunctionType):
                setattr(cls, name, _checked(method))

    if not TYPE_CHECKING:  # or type checkers would accept every name

        def __getattr__(self, name: str) -> Any:
            raise missing_attribute(self, name, "attributes of metrics")


def _one_at_a_time(of_shape: Callable[..., Any], of_one: Callable[..., Any]) -> Callable[..., list[list[Any]]]:
    """Returns the method on groups of a class that defines how one output is scored.

    Args:
        of_shape: The method of the shape, which has the arguments.
        of_one: The method or function that scores one output, whose line errors name.
    """

    def score_multi_all(self: Metric, *arguments: Any) -> list[list[Any]]:
        groups = outputs_in(arguments, len(self.required_summary_fields))
        return [[_score_of_one(self, values) for values in group] for group in groups]

    score_multi_all.__signature__ = inspect.signature(of_shape)  # type: ignore[attr-defined]
    score_multi_all.__wrapped__ = of_one  # type: ignore[attr-defined]
    return score_multi_all


def _score_of_one(metric: Metric, values: Sequence[Any]) -> Any:
    if not metric.wants_sentences:
        kinds = (PLAIN_KINDS.get(field) for field in metric.fields)
        values = [
            as_string(value) if kind == "t" else list(map(as_string, value)) if kind == "l" else value
            for kind, value in zip(kinds, values, strict=True)
        ]
    found = metric.score_text(*values)
    return found if isinstance(found, Mapping) else {metric.name: found}


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
        groups = check_groups(self, arguments)
        if self.has_kernel and getattr(type(self), name) is checked:
            batch = self.score_batch(request, *groups, checked=True)
            results: Sequence[Any] = batch.statistics or batch.scores
        else:
            results = check_results(self.name, method, method(self, *groups), groups[0], convert)
        return in_groups(results, groups[0])

    checked.is_defined = True  # type: ignore[attr-defined]
    return checked


def _results(
    metric: Metric, method: Callable[..., Any], groups: Sequence[Any], convert: Callable[[str, Any], Any]
) -> list[Any]:
    """Calls a method as the subclass defines it, without the checks that `_checked` adds, and checks its results."""
    defined = getattr(method, "__wrapped__", method)
    return check_results(metric.name, defined, defined(metric, *groups), groups[0], convert)


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
        groups = outputs_in(arguments, len(self.required_summary_fields))
        return [[self.statistics(*values) for values in group] for group in groups]

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
        vectors = _results(self, type(self).statistics_multi_all, groups, as_vector)
        return BatchScores(self._scores_of(vectors) if request & SCORES else [], vectors)

    @overrides
    def _score_multi_all(self, *arguments: Any) -> list[list[MetricsDict]]:
        groups = check_groups(self, arguments)
        return in_groups(self.score_batch(SCORES, *groups, checked=True).scores, groups[0])

    @overrides
    def _evaluate(self, *arguments: Any, request: int = SCORES | STATISTICS) -> tuple[MetricsDict, list[MetricsDict]]:
        return super()._evaluate(*arguments, request=SCORES | SUM if self.kernel_requests & SUM else request)


def load(name: str | Mapping[str, Any], /, **options: Any) -> Metric:
    """Builds a metric by name.

    Args:
        name: A registered name, ``name:option=value,…`` or ``{"type": name, …}``; or that of one of its scores, such as
            ``rouge1``, which alone is computed if an option names the scores.
        options: Arguments of its constructor, by name or alias.

    Raises:
        UnknownNameError: if the metric or an option is unknown.
        UsageError: if an option has an invalid value.

    >>> load("ter", case_sensitive=True).score("a cat", ["a dog"])
    {'ter': 50.0, 'ter_num_edits': 1, 'ter_ref_length': 2.0}
    """
    registered_name, spec_options = parse_metric(name)
    found = Metric.by_name(registered_name)
    if isinstance(name, str) and not REGISTRY.spelled(parse_spec(name)[0]):
        spec_options.pop("label", None)  # of a name of another program
        lists = {one.name: as_list(one.default) for one in options_of(found, Metric) if is_list(one.default)}
        chosen = {option: spelled(parse_spec(name)[0], scores) for option, scores in lists.items()}
        spec_options = {**{option: [score] for option, score in chosen.items() if score}, **spec_options}
    metric: Metric = build(found, Metric, {**spec_options, **options}, registered_name)
    return metric


def list_metrics() -> list[str]:
    """Returns the names of all metrics, also of those of plug-ins, in alphabetical order.

    >>> [name for name in list_metrics() if name.startswith("s")]
    ['samsa', 'samsa-abl', 'sari', 'sent-bleu', 'simetrix', 'summac', 'supert']
    """
    return REGISTRY.names()


def parse_metric(spec: str | Mapping[str, Any] | LabelledMetric) -> tuple[str, dict[str, Any]]:
    """Returns the registered name of a metric and its options, as `parse_spec` does, or those it was built with.

    Another spelling of a name, or one with one meaning that other programs use, is said and replaced.

    Raises:
        UsageError: if it is no specification.
    """
    if isinstance(spec, LabelledMetric):
        own = {"label": spec.label, "scores": spec.scores, "profile": spec.profile}
        return spec.metric.name, {**arguments_of(spec.metric)[1], **own}
    name, options = parse_spec(spec)
    if name in REGISTRY.entries or name in REGISTRY.names(aliases=True):
        return name, options
    known = REGISTRY.spelled(name)
    if not known:
        from metrics_framework.metrics.base.other_metrics import meant  # only for other names

        known = meant(name)
    if not known:
        return name, options
    say_taken(name, f"the metric '{known}'")
    known, further = parse_spec(known)
    return known, {**further, **options}


def each_once(specs: Sequence[Any]) -> list[Any]:
    """Returns specifications with each metric once that is named by several of its scores, or by its name and these.

    Names of scores become the additional option ``scores``, among which the name of the metric means its main scores.
    """
    registry, kept = Metric.registry(), list[Any]()
    for spec in specs:
        if isinstance(spec, str):
            name, options = parse_metric(spec)
            written = parse_spec(spec)[0]
            spec = {"type": name, **options}
            named = name if registry.spelled(written) else written
            same = [one for one in kept if isinstance(one, dict) and {**one, "scores": 0} == {**spec, "scores": 0}]
            if same and (named != name or "scores" in same[0]):
                same[0].setdefault("scores", [name]).append(named)
                continue
            spec |= {} if named == name else {"scores": [named]}
        kept.append(spec)
    return kept


@dataclass(eq=False)
class LabelledMetric:
    """A metric and the label that names its scores in this run: they are renamed if it is not the name of the metric.

    Args:
        metric: The metric.
        label: The label; the default label of the metric unless the user chose another.
        scores: The scores that the user named in place of the metric; its own name means its main scores.
        profile: The name of the profile that the metric is of, and all options of the profile with the values given.
    """

    metric: Metric
    label: str
    scores: Sequence[str] = ()
    profile: tuple[str, Mapping[str, Any]] = ("", {})

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles the name and options of the metric; its other attributes need not be picklable.

        Raises:
            UsageError: if the metric is not registered under its name.
        """
        name = self.metric.name
        if name not in REGISTRY.names(aliases=True) or REGISTRY.get(name) is not type(self.metric):
            raise UsageError(
                f"the metric '{name}' is not registered, so worker processes cannot build it; use --jobs 1"
            )
        return _rebuilt, (name, *arguments_of(self.metric), self.label)

    @property
    def needs(self) -> MetricNeeds:
        """What the metric needs of texts, for the checks of texts."""
        from metrics_framework.inputs.checks import MetricNeeds

        metric, options = self.metric, vars(self.metric)
        starts = metric.line_scores
        compares_lines = not starts or any(name.startswith(starts) for name in self.main_scores(metric.ratios))
        return MetricNeeds(
            self.label,
            metric.name,
            metric.splits_at_spaces and not metric.reads_only_ascii,
            metric.spaceless_options,
            metric.reads_only_ascii,
            metric.scores_separator,
            metric.compares_lines and compares_lines,
            metric.expects_detokenized,
            heeds_case=options.get("lowercase") is False or options.get("case_sensitive") is True,
            order=0
            if options.get("effective_order", True)
            or options.get("smooth_method") == "add-k"  # which adds to the n-grams of a short output, too
            or not metric.splits_at_spaces
            else options["max_ngram_order"],
            given=options.get("_built_with", ((), {}))[1],
            profile=self.profile,
        )

    def main_scores(self, names: Sequence[str]) -> list[str]:
        """Returns the main scores among flat names: those that the user named, else that of the label, else all."""
        main = [name for name in names if name == self.label] or list(names)
        asked = [self.renamed_score(name).casefold() for name in self.scores if name != self.metric.name]
        found = [name for name in names if any(f"{name}_".casefold().startswith(f"{one}_") for one in asked)]
        found += main if self.metric.name in self.scores or not found else []
        return [name for name in names if name in found]

    def renamed(self, scores: MetricsDict) -> MetricsDict:
        """Renames scores: with label ``x``, ``sari_keep`` becomes ``x_keep`` and ``other`` becomes ``x_other``."""
        if self.label == self.metric.name:
            return scores
        return MetricsDict({self.renamed_score(name): value for name, value in scores.items()})

    def renamed_score(self, name: str) -> str:
        """Returns the name of a score in this run."""
        metric = self.metric.name
        if self.label == metric:
            return name
        if name == metric or name.startswith(f"{metric}_"):
            return self.label + name[len(metric) :]
        return f"{self.label}_{name}"


def _rebuilt(name: str, arguments: tuple[Any, ...], options: dict[str, Any], label: str) -> LabelledMetric:
    return LabelledMetric(Metric.by_name(name)(*arguments, **options), label)


def labelled(specs: Sequence[str | Mapping[str, Any] | Metric | LabelledMetric | type[Metric]]) -> list[LabelledMetric]:
    """Builds the metrics of a run.

    Args:
        specs: Metrics, with or without labels, or names with options as `load` accepts them; ``label`` is an additional
            option.

    Raises:
        UsageError: if two metrics have the same label, or a metric cannot be built.
    """
    metrics: dict[str, LabelledMetric] = {}
    for spec in specs:
        if isinstance(spec, type) and issubclass(spec, Metric):
            spec = spec.registered_name
        if isinstance(spec, LabelledMetric):
            labelled_metric = spec
        elif isinstance(spec, Metric):
            labelled_metric = LabelledMetric(spec, spec.default_label)
        else:
            name, options = parse_metric(spec)
            label, scores = options.pop("label", None), options.pop("scores", ())
            profile = options.pop("profile", ("", {}))
            metric = build(REGISTRY.get(name), Metric, options, name)
            labelled_metric = LabelledMetric(metric, str(label or metric.default_label), scores, profile)
        if labelled_metric.label in metrics:
            raise UsageError(
                f"two metrics of this run are labelled '{labelled_metric.label}', so their scores would have the same "
                f"names; set another label, as in {labelled_metric.metric.name}:label=other-name"
            )
        metrics[labelled_metric.label] = labelled_metric
    return list(metrics.values())


def _jackknifed(metric: Metric, jackknifer: Jackknifer, groups: Sequence[Sequence[Any]]) -> BatchScores:
    """Scores groups of outputs and all leave-one-out variants of their contexts in one call.

    Returns:
        The scores of all outputs and, as jackknifed scores, the means over the variants.

    Raises:
        PluginError: if the jackknifer fails.
    """
    fields = metric._field_names
    summaries, contexts = groups[: len(fields.summary)], groups[len(fields.summary) :]
    expanded: list[list[Any]] = [[] for _ in groups]
    variants_list = []
    for index, values in enumerate(zip(*contexts, strict=True)):
        context = dict(zip(fields.context, values, strict=True))
        variants_list.append(_variants(metric.name, jackknifer, context))
        for variant in (context, *variants_list[-1]):
            changed = {**context, **variant}
            row = (*(group[index] for group in summaries), *(changed[name] for name in fields.context))
            for column, value in zip(expanded, row, strict=True):
                column.append(value)
    try:
        scored = iter(in_groups(metric.score_batch(SCORES, *expanded).scores, expanded[0]))
    except OutputError as error:
        error.index = _original_index(error.index, [len(variants) for variants in variants_list], summaries[0])
        raise
    scores: list[MetricsDict] = []
    means: list[MetricsDict | None] = []
    for variants in variants_list:
        plain, *of_variants = (next(scored) for _ in range(1 + len(variants)))
        scores += plain
        means += map(MetricsDict.mean, zip(*of_variants, strict=True)) if of_variants else [None] * len(plain)
    return BatchScores(scores, jackknifed=means)


def _original_index(index: int, variants: Sequence[int], groups: Sequence[Sequence[Any]]) -> int:
    """Returns the index of an output without variants, given its index among outputs and variants.

    >>> [_original_index(index, [1, 0], ["ab", "c"]) for index in range(5)]
    [0, 1, 0, 1, 2]
    """
    start = 0
    for count, group in zip(variants, groups, strict=True):
        if index < len(group) * (1 + count):
            return start + index % len(group)
        index -= len(group) * (1 + count)
        start += len(group)
    return start


def _variants(metric: str, jackknifer: Jackknifer, context: Mapping[str, Any]) -> list[dict[str, Any]]:
    try:
        return jackknifer.variants(context)
    except PLUGIN_FAILURES as error:
        where = failed_at(error, type(jackknifer))
        class_name = type(jackknifer).__name__
        raise PluginError(f"{class_name} cannot jackknife '{metric}'{where}: {message_of(error)}") from error


def _distinct(name: str, values: Any) -> tuple[list[str], list[int]]:
    """Returns each different text of a list once, and for each text of the list its index among them.

    Args:
        name: The name of the argument, for error messages.
        values: The list.

    Raises:
        InputError: if something in the list is not a text.
    """
    known: dict[str, int] = {}
    places = [
        known.setdefault(_check_string(value, f"{name}[{index}]"), len(known))
        for index, value in enumerate(listed("", values, name))
    ]
    return list(known), places


def _check_string(value: Any, name: str) -> str:
    """Returns a text that is a string, without objects of other libraries.

    Raises:
        InputError: if it is a list, or no text.
    """
    text = as_plain(value)
    if isinstance(text, (list, tuple)):
        raise InputError(
            f"'{name}' must be a string, got {shown(text)}; call pairwise() once for each input, or join the sentences "
            'of a text with " ".join(…)'
        )
    check_text(text, name)
    return str(text)


def _check_pairs(metric: Metric, source: Any) -> None:
    """Checks that a metric can compare single texts, with or without a source.

    Raises:
        InputError: if it cannot, or a source is missing or superfluous.
    """
    others = {*metric.fields} - {"summary", "references", "source"}
    if others or "references" not in metric.fields:
        raise InputError(
            "pairwise() needs a metric that compares the summary with references, and at most with a source; the "
            f"fields of '{metric.name}' are: {', '.join(metric.fields)}"
        )
    if ("source" in metric.fields) != (source is not None):
        problem = "needs the source of the hypotheses; pass source="
        raise InputError(f"'{metric.name}' {problem if source is None else 'does not use a source; leave it out'}")
    if source is not None:
        _check_string(source, "source")


def _matrix(metric: Metric, rows: list[Any], columns: list[Any], source: Any, score: str | None) -> Floats:
    import numpy as np

    if metric.has_kernel and metric.kernel_requests & SCORES:
        kernel = native_kernel(metric.kernel_name, PAIRS)
        if kernel is not None:
            name = _name_of(metric, _scores_of_pairs(metric, rows[:1], columns[:1], source)[0], score)
            groups = _groups_of_pairs(metric, rows, [columns], source)
            found = metric.native(functools.partial(kernel, cell=name), *groups)
            if found is not None:
                return np.frombuffer(found[0][0]).reshape(len(rows), len(columns))
    matrix = np.empty((len(rows), len(columns)))
    width = max(1, CELLS_AT_ONCE // len(rows))
    for start in range(0, len(columns), width):
        block = columns[start : start + width]
        scores = _scores_of_pairs(metric, rows, block, source)
        name = _name_of(metric, scores[0], score)
        numbers = [one[name] if name in one else one.flatten()[name] for one in scores]
        matrix[:, start : start + width] = np.array(numbers, dtype=float).reshape(len(block), len(rows)).T
    return matrix


def _scores_of_pairs(metric: Metric, rows: list[Any], columns: list[Any], source: Any) -> list[MetricsDict]:
    """Returns the scores of all rows with the first column, with the second, and so on."""
    groups = _groups_of_pairs(metric, rows, [[column] for column in columns], source)
    return metric.score_batch(SCORES, *groups, checked=True).scores


def _groups_of_pairs(metric: Metric, rows: list[Any], references_list: list[list[Any]], source: Any) -> list[list[Any]]:
    """Returns the arguments of ``score_multi_all``: all rows with each list of references."""
    count = len(references_list)
    values: Mapping[str, list[Any]] = {
        "summary": [rows] * count,
        "references": references_list,
        "source": [as_plain(source)] * count,
    }
    return [values[field] for field in metric.fields]


def _name_of(metric: Metric, scores: MetricsDict, score: str | None) -> str:
    """Returns the flat name of the score of a pair."""
    flat = scores.flatten()
    names = [name for name, value in flat.items() if not is_list(value)]
    name = score or (names[0] if len(names) == 1 else metric.name)
    if name in names:
        return name
    if score is None:
        raise UsageError(f"'{metric.name}' has several scores; pass score=, one of {', '.join(names)}")
    raise no_number(name, metric.name, flat)


def no_number(score: str, metric: str, flat: Mapping[str, Any]) -> UsageError:
    """Returns the error of a score that is unknown, or a list.

    Args:
        score: The score.
        metric: The metric.
        flat: The scores of the metric.
    """
    names = ", ".join(name for name, value in flat.items() if not is_list(value))
    how = "a list" if score in flat else "unknown"
    return UsageError(f"the score '{score}' of '{metric}' is {how}; pass score=, one of {names}")
