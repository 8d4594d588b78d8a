"""Base classes of metrics with a neural model.

All derive from `NeuralMetric`: metrics that compute scores from values of single inputs of a model from
`ModelInputsMetric`, and BERTScore and MoverScore from `EmbeddedPairsMetric`.
"""

from __future__ import annotations

import functools
import hashlib
import math
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Literal

from metrics_framework.common.errors import UsageError, counted
from metrics_framework.common.overriding import overrides
from metrics_framework.common.stability import deprecated
from metrics_framework.data.jackknifers import ReferencesJackknifer
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.texts import Text, TextGroups, as_string
from metrics_framework.io.disk_cache import DiskCache, all_of, any_value, cache_key, list_of
from metrics_framework.metrics.base.batch_scores import BatchScores, in_groups, outputs_in
from metrics_framework.metrics.base.metric import Metric
from metrics_framework.metrics.base.requirements import HubModel, Package, Requirement
from metrics_framework.metrics.base.shapes import ChosenFieldsMetric, DocumentBasedMetric, ReferenceBasedMetric
from metrics_framework.neural.embeddings import Embedding
from metrics_framework.neural.encoding import Batches, texts_without_tokens
from metrics_framework.neural.models import Loaded, Precision, Task, check_device, load
from metrics_framework.neural.sources import find_model
from metrics_framework.text.sentences import (
    SentenceSplitter,
    SplitterName,
    resolve_splitter,
    sentences_of,
    splitter_signature,
)

_BATCHES_PER_STORE = 16
Item = list[Any]
"""The texts that a model reads for a value, as JSON values."""
Value = list[Any]
"""The values of an item, as JSON values; the last one lists for each of `texts_of` whether it was truncated."""
Context = Mapping[str, Any]
ReferenceAggregation = Literal["mean", "max"]
SourceField = Literal["documents", "source"]
_CONTEXT_FIELDS = ("references", "source", "documents")
"""The fields besides the output, in the order of the arguments of a metric."""
_FLAGS = 4
"""The number of flags after the values of a pair, see `EmbeddedPairsMetric.with_flags`."""


@dataclass(eq=False, repr=False)
class NeuralMetric(Metric, ABC):
    """Base class of metrics with a neural model; list it before the shape, as `CorpusMetric`.

    The model is loaded when the first output is scored that is not in the cache. A cached score depends on the texts,
    the options in the signature (with the fingerprint of the files of the model), `definition`, and the versions of
    transformers and of Python's Unicode tables, which tokenizers in Python use.

    Args:
        model: The folder of a model in the format of Hugging Face's transformers, or its name on the hub, optionally
            with a revision (``name@revision``).
        device: The device that runs the model: ``cpu``, ``cuda``, ``cuda:1``, ``mps``, or ``auto`` for CUDA if it is
            available, else the CPU.
        batch_size: The number of texts per batch; it changes scores only by rounding.
        precision: The type of the weights of the model.
        cache: Whether to keep scores on disk.

    Raises:
        UsageError: if there can be no such device.

    Attributes:
        task: The task of the model.
        usual_model: A model to recommend if none is given.
        items_per_store: The number of items whose values are computed and stored together: a killed run loses no more;
            by default the number of texts in 16 batches.
        cached_by: The options that cached values depend on, besides the model; by default those in the signature.
    """

    task: ClassVar[Task] = "encoder"
    usual_model: ClassVar[str] = ""
    items_per_store: ClassVar[int | None] = None
    cached_by: ClassVar[Sequence[str]] = ()
    in_one_process = True
    requirements: ClassVar[Sequence[Requirement]] = (Package("torch", "neural"), Package("transformers", "neural"))
    unsigned_options = ("batch_size", "cache", "device")
    example_flags = "--model models/my-model"

    model: str | None = None
    _: KW_ONLY
    device: str = "auto"
    batch_size: int = 32
    precision: Precision = "float32"
    cache: bool = True

    def __init_subclass__(cls, **arguments: Any) -> None:
        super().__init_subclass__(**arguments)
        if "scores_version" in vars(cls):
            deprecated("the attribute 'scores_version' of a metric", "'definition'", removed_in="1.2")
            cls.definition = vars(cls)["scores_version"]

    def __post_init__(self) -> None:
        check_device(self.device)
        self.keeps_scores = self.cache
        self.batches = Batches(self.batch_size)
        self._cut: set[bytes] = set()

    @classmethod
    def files_of(cls, model: str) -> Sequence[Requirement]:
        """Returns what must be downloaded to use a model."""
        return [HubModel(model)]

    @overrides
    def signature_options(self) -> dict[str, Any]:
        return {**super().signature_options(), "model": self.fingerprint() if self.model else None}

    def fingerprint(self) -> str:
        """Returns what identifies the files of the model.

        Raises:
            UsageError: if no model was given or there is no such model.
        """
        return find_model(self.required_model).fingerprint

    @overrides
    def notes(self) -> Sequence[str]:
        notes = [f"{self.name}: {note}" for note in [*self.batches.notes(), *self._disk_cache.notes()]]
        if self._cut:
            texts = counted(len(self._cut), "text")
            notes.append(f"{self.name}: {texts} longer than the model allows; the end of such a text is ignored")
        return notes

    def loaded(self, task: Task | None = None, **options: Any) -> Loaded:
        """Returns the model; loads it in the first call.

        Args:
            task: Its task; by default `task`.
            options: Further options of `metrics_framework.neural.models.load`.

        Raises:
            UsageError: if no model was given, or there is no such model, device or layer.
            DataError: if the model cannot be loaded, or is not one for the task.
            MissingExtraError: if torch or transformers is not installed.
        """
        return load(task or self.task, self.required_model, device=self.device, precision=self.precision, **options)

    @property
    def required_model(self) -> str:
        """The folder or name of the model.

        Raises:
            UsageError: if no model was given.
        """
        if not self.model:
            example = f", as in {self.name}:model={self.usual_model}" if self.usual_model else ""
            raise UsageError(
                f"'{self.name}' needs a model: set 'model' to a local folder, or to a name on the Hugging Face "
                f"hub{example}; no model is downloaded unless it is named"
            )
        return self.model

    def cached_scores(
        self, items: Sequence[Any], compute: Callable[[list[Any]], Sequence[Any]], form: Sequence[Any] | None = None
    ) -> list[Any]:
        """Returns the values of items from the cache on disk, or computes them and stores them at once.

        Args:
            items: What the values depend on besides the options, as JSON values.
            compute: Returns the values of distinct items, as JSON values. It is called with several batches of items,
                and only with items that are not in the cache.
            form: The types of the values of an item if they are a list, such as ``(float, bool)``: a value in the cache
                that has another form is computed again.
        """
        versions = transformers_version(), unicodedata.unidata_version
        options = self.name, self.definition, self.fingerprint(), self.cache_options()
        keys = [cache_key(*options, *versions, item) for item in items]
        read = any_value if form is None else list_of(*form)
        known = self._disk_cache.get(keys, read) if self.cache else {}
        missing = list({key: item for key, item in zip(keys, items, strict=True) if key not in known}.items())
        step = self.items_per_store or self.batches.batch_size * _BATCHES_PER_STORE
        for start in range(0, len(missing), step):
            some = missing[start : start + step]
            values = compute([item for _, item in some])
            new = {key: value for (key, _), value in zip(some, values, strict=True)}
            known.update(new)
            if self.cache:
                self._disk_cache.put(new)
        return [known[key] for key in keys]

    def cache_options(self) -> dict[str, Any]:
        """Returns the options that cached values depend on, besides the model: those of `cached_by`."""
        return {name: getattr(self, name) for name in self.cached_by} or self.signature_options()

    def record_cut(self, texts: Iterable[str]) -> None:
        """Records texts that are longer than the model allows; `notes` reports the number of distinct texts."""
        encoded = (text.encode("utf-8", "surrogatepass") for text in texts)
        self._cut.update(hashlib.blake2b(text, digest_size=8).digest() for text in encoded)

    @functools.cached_property
    def _disk_cache(self) -> DiskCache:
        return DiskCache(self.name)


def transformers_version() -> str:
    """Returns the version of transformers without importing it; an empty string if it is not installed."""
    from importlib import metadata

    try:
        return metadata.version("transformers")
    except metadata.PackageNotFoundError:
        return ""


class ModelInputsMetric(NeuralMetric, ChosenFieldsMetric, ABC):
    """Base class of metrics with a model that reads one or several inputs for each output.

    Attributes:
        value_form: The types of the values of an item, as for `NeuralMetric.cached_scores`, without the last one.
    """

    value_form: ClassVar[Sequence[Any]] = (float,)

    def read_fields(self, fields: Collection[str]) -> None:
        """Sets the fields besides the output that the metric needs."""
        self.required_context_fields = tuple(field for field in _CONTEXT_FIELDS if field in fields)
        self.jackknifer = ReferencesJackknifer() if "references" in fields else None

    @abstractmethod
    def items_of(self, summary: Text, context: Context) -> Sequence[Sequence[Any]]:
        """Returns groups of what the model reads for an output, such as an item for each reference; groups may nest."""

    @abstractmethod
    def compute(self, items: Sequence[Item]) -> Sequence[Value]:
        """Returns the values of distinct items that are not in the cache."""

    @abstractmethod
    def combined(self, values: Sequence[Sequence[Value]]) -> MetricsDict:
        """Returns the scores of an output, from the values of its items, in the same groups."""

    def texts_of(self, item: Item) -> list[str]:
        """Returns the texts of an item that may be truncated, for notes; by default all together are one."""
        return ["\0".join(item)]

    @overrides
    def score_multi_all(self, *groups: Any) -> list[list[MetricsDict]]:
        outputs = [
            list(self.items_of(summary, dict(zip(self.required_context_fields, context, strict=True))))
            for group in outputs_in(groups, 1)
            for summary, *context in group
        ]
        values = iter(self._values_of(list(_items_in(outputs))))
        scores = iter([self.combined(_with_values(items, values)) for items in outputs])
        return in_groups(scores, groups[0])

    def _values_of(self, items: Sequence[Item]) -> list[Value]:
        values = self.cached_scores(items, lambda some: list(self.compute(some)), (*self.value_form, all_of(bool)))
        for item, value in zip(items, values, strict=True):
            if any(value[-1]):
                self.record_cut(text for text, is_cut in zip(self.texts_of(item), value[-1], strict=False) if is_cut)
        return values


def _items_in(groups: Sequence[Any]) -> Iterator[Item]:
    """Yields the items of nested groups; an item is a list of texts."""
    for group in groups:
        if group and isinstance(group[0], str):
            yield group
        else:
            yield from _items_in(group)


def _with_values(groups: Sequence[Any], values: Iterator[Value]) -> list[Any]:
    """Returns the values of the items of nested groups, in the same groups."""
    return [next(values) if group and isinstance(group[0], str) else _with_values(group, values) for group in groups]


def reference_texts(context: Context) -> Iterator[list[str]]:
    """Yields a list with each reference; an empty list if the metric reads no references."""
    for reference in context.get("references", [None]):
        yield [] if reference is None else [as_string(reference)]


def source_text(context: Context) -> str:
    """Returns the source, or the documents joined by spaces, whichever the metric reads."""
    if "source" in context:
        return as_string(context["source"])
    return " ".join(map(as_string, context["documents"]))


def source_sentences(context: Context, split: SentenceSplitter) -> list[str]:
    """Returns the sentences of the source, or of the documents joined by spaces, whichever the metric reads.

    If a document is a list of several sentences, each document is split on its own.
    """
    texts = [context["source"]] if "source" in context else context["documents"]
    if all(isinstance(text, str) or len(text) < 2 for text in texts):
        texts = [source_text(context)]
    return [sentence for text in texts for sentence in sentences_of(text, split)]


def aggregated(scores: Sequence[float], aggregation: ReferenceAggregation) -> float:
    """Combines the scores for several references.

    >>> aggregated([1.0, 2.0], "mean"), aggregated([1.0, 2.0], "max")
    (1.5, 2.0)
    """
    return max(scores) if aggregation == "max" else math.fsum(scores) / len(scores)


def check_positive(**values: int) -> None:
    """Checks options that must be at least 1.

    Raises:
        UsageError: if one is not.
    """
    for name, value in values.items():
        if value < 1:
            raise UsageError(f"'{name}' must be at least 1, got {value}")


@dataclass(eq=False, repr=False)
class DocumentSentencesMetric(NeuralMetric, DocumentBasedMetric, ABC):
    """Base class of BLANC and SUPERT, whose model reads single sentences of summaries and their documents.

    Args:
        splitter: The sentence splitter; a list of several sentences is not split further.

    Attributes:
        note_of_cut: What a run reports of the number of outputs whose sentences are too long for the model.
    """

    note_of_cut: ClassVar[str]

    _: KW_ONLY
    splitter: SplitterName = "auto"

    def __post_init__(self) -> None:
        super().__post_init__()
        self.splitter = resolve_splitter(self.splitter)
        self._cut_outputs: set[str] = set()

    @overrides
    def signature_options(self) -> dict[str, Any]:
        options = {**super().signature_options(), "split": splitter_signature(self.splitter)}
        del options["splitter"]
        return options

    @overrides
    def notes(self) -> Sequence[str]:
        outputs = counted(len(self._cut_outputs), "output")
        cut = [f"{self.name}: {self.note_of_cut.format(outputs=outputs)}"] if self._cut_outputs else []
        return [*super().notes(), *cut]

    @overrides
    def cached_scores(
        self, items: Sequence[Any], compute: Callable[[list[Any]], Sequence[Any]], form: Sequence[Any] | None = None
    ) -> list[Any]:
        """Returns the values of items, without the last one: whether sentences were cut."""
        values = super().cached_scores(items, compute, form)
        self._cut_outputs.update(cache_key(item) for item, (*_, cut) in zip(items, values, strict=True) if cut)
        return [own for *own, _ in values]


class EmbeddedPairsMetric(NeuralMetric, ReferenceBasedMetric, ABC):
    """Base class of metrics that compare the token embeddings of a summary with those of each reference.

    The values of a pair of texts depend on these texts, the options and the weights of tokens. A metric with
    `needs_all_inputs` computes the weights from all texts of a run, or of a call. If a text has no tokens, because it
    is empty or the tokenizer drops all its characters, the values of its pairs are 0.

    Attributes:
        score_of_empty: The score of texts without tokens, in a note.
        values_per_pair: The number of values that `compute` returns for a pair, besides the flags.
    """

    score_of_empty = "0"
    values_per_pair: ClassVar[int] = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        self._weights: Any = None
        self._has_empty = False
        self._dropped: set[str] = set()

    @abstractmethod
    def weights_of(self, summaries_list: TextGroups, references_list: TextGroups) -> Any | None:
        """Returns the weights of tokens for the texts of a call: an object with ``fingerprint()``; `None` for none."""

    @abstractmethod
    def compute(self, pairs: Sequence[tuple[str, str]], weights: Any | None) -> list[list[Any]]:
        """Returns for each pair of a summary and a reference its values and flags, see `with_flags`."""

    @abstractmethod
    def combined(self, values: Sequence[Sequence[float]]) -> Any:
        """Returns the score of a summary, given the values of its pairs with each reference."""

    @overrides
    def notes(self) -> Sequence[str]:
        notes = [*super().notes()]
        if self._has_empty:
            notes.append(f"{self.name}: the scores of empty texts are {self.score_of_empty}")
        if self._dropped:
            texts = counted(len(self._dropped), "text")
            notes.append(
                f"{self.name}: the tokenizer of the model drops all characters of {texts}; like those of empty texts, "
                f"the scores are {self.score_of_empty}"
            )
        return notes

    @overrides
    def score_batch(self, request: int, *arguments: Any, checked: bool = False) -> BatchScores:
        if not self.needs_all_inputs or self._weights is not None:
            return super().score_batch(request, *arguments, checked=checked)
        with self.weighted_by(self.weights_of(*arguments)):  # one for the scores and the leave-one-out scores
            return super().score_batch(request, *arguments, checked=checked)

    @overrides
    def score_multi_all(self, summaries_list: TextGroups, references_list: TextGroups) -> list[list[MetricsDict]]:
        pairs = [
            (as_string(summary).strip(), as_string(reference).strip())
            for summaries, references in zip(summaries_list, references_list, strict=True)
            for summary in summaries
            for reference in references
        ]
        weights = self._weights
        if weights is None:
            weights = self.weights_of(summaries_list, references_list)
        values = iter(self._values_of(pairs, weights))
        return [
            [MetricsDict({self.name: self.combined([next(values) for _ in references])}) for _ in summaries]
            for summaries, references in zip(summaries_list, references_list, strict=True)
        ]

    def with_flags(
        self,
        loaded: Loaded,
        embeddings: Mapping[str, Embedding],
        pairs: Sequence[tuple[str, str]],
        values_of: Callable[[str, str], Sequence[float]],
    ) -> list[list[Any]]:
        """Returns the values of each pair, 0 if a text has no tokens, and the flags: whether each text has no tokens,
        and whether each is truncated.
        """
        encoded = {text: embedding.encoded for text, embedding in embeddings.items()}
        empty, none = texts_without_tokens(loaded, encoded), [0.0] * self.values_per_pair
        flags = ([*(text in empty for text in pair), *(encoded[text].is_cut for text in pair)] for pair in pairs)
        values = (values_of(*pair) if empty.isdisjoint(pair) else none for pair in pairs)
        return [[*some, *of_pair] for some, of_pair in zip(values, flags, strict=True)]

    @contextmanager
    def weighted_by(self, weights: Any) -> Iterator[None]:
        """Scores texts with weights that are known, while the context lasts."""
        self._weights = weights
        try:
            yield
        finally:
            self._weights = None

    def _values_of(self, pairs: Sequence[tuple[str, str]], weights: Any | None) -> list[list[float]]:
        key = "" if weights is None else weights.fingerprint()
        found = self.cached_scores(
            [[*pair, key] for pair in pairs],
            lambda items: self.compute([(item[0], item[1]) for item in items], weights),
            (*[float] * self.values_per_pair, *[bool] * _FLAGS),
        )
        for pair, values in zip(pairs, found, strict=True):
            flags = values[-_FLAGS:]
            self.record_cut(text for text, cut in zip(pair, flags[2:], strict=True) if cut)
            self._dropped.update(text for text, is_empty in zip(pair, flags, strict=False) if text and is_empty)
            self._has_empty = self._has_empty or not all(pair)
        return [values[:-_FLAGS] for values in found]
