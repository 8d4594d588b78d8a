"""`NeuralMetric`: what metrics with a neural model share."""

from __future__ import annotations

import functools
import hashlib
import unicodedata
from abc import ABC
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar

from metrics_framework.common.errors import UsageError, counted
from metrics_framework.common.overriding import overrides
from metrics_framework.common.stability import deprecated
from metrics_framework.io.disk_cache import DiskCache, any_value, cache_key, list_of
from metrics_framework.metrics.base.metric import Metric
from metrics_framework.metrics.base.model_files import HubModel
from metrics_framework.metrics.base.requirements import Package, Requirement
from metrics_framework.neural.batches import Batches
from metrics_framework.neural.models import Loaded, Precision, Task, check_device, load
from metrics_framework.neural.sources import find_model

_BATCHES_PER_STORE = 16


class NeuralMetric(Metric, ABC):
    """Base class of metrics with a neural model; list it before the shape, as `CorpusMetric`.

    The model is loaded when the first output is scored that is not in the cache. A cached score depends on the texts,
    the options in the signature (with the fingerprint of the files of the model), `definition`, and the versions of
    transformers and of Python's Unicode tables, which tokenizers in Python use.

    Args:
        model: The folder of a model in the format of Hugging Face's transformers, or its name on the hub, optionally
            with a revision (``name@revision``).
        device: The device that runs the model.
        batch_size: The number of texts per batch; it changes scores only by rounding.
        precision: The type of the weights of the model.
        cache: Whether to keep scores on disk.
        fields: Passed on to the next base class.

    Raises:
        UsageError: if there can be no such device.

    Attributes:
        task: The task of the model.
        usual_model: A model to recommend if none is given.
        items_per_store: The number of items whose values are computed and stored together: a killed run loses no more;
            by default the number of texts in 16 batches.
    """

    task: ClassVar[Task] = "encoder"
    usual_model: ClassVar[str] = ""
    items_per_store: ClassVar[int | None] = None
    in_one_process = True
    requirements: ClassVar[Sequence[Requirement]] = (Package("torch", "neural"), Package("transformers", "neural"))
    unsigned_options = ("batch_size", "cache", "device")
    example_flags = "--model models/my-model"

    def __init_subclass__(cls, **arguments: Any) -> None:
        super().__init_subclass__(**arguments)
        if "scores_version" in vars(cls):
            deprecated("the attribute 'scores_version' of a metric", "'definition'", removed_in="1.2")
            cls.definition = vars(cls)["scores_version"]

    def __init__(
        self,
        model: str | None = None,
        device: str = "auto",
        batch_size: int = 32,
        precision: Precision = "float32",
        cache: bool = True,
        **fields: Any,
    ) -> None:
        super().__init__(**fields)
        check_device(device)
        self.model = model
        self.device = device
        self.precision: Precision = precision
        self.cache = self.keeps_scores = cache
        self.batches = Batches(batch_size)
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
            example = f", such as {self.usual_model}" if self.usual_model else ""
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
        key_of = self._key_of()
        keys = list(map(key_of, items))
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
        """Returns the options that cached values depend on, besides the model; by default those in the signature."""
        return self.signature_options()

    def record_cut(self, texts: Iterable[str]) -> None:
        """Records texts that are longer than the model allows; `notes` reports the number of distinct texts."""
        self._cut.update(_digest(text) for text in texts)

    @functools.cached_property
    def _disk_cache(self) -> DiskCache:
        return DiskCache(self.name)

    def _key_of(self) -> Callable[[Any], str]:
        """Returns the function that computes the key of an item.

        Raises:
            UsageError: if no model was given or there is no such model.
        """
        versions = transformers_version(), unicodedata.unidata_version
        options = self.definition, self.fingerprint(), self.cache_options()
        return functools.partial(cache_key, self.name, *options, *versions)


def transformers_version() -> str:
    """Returns the version of transformers without importing it; an empty string if it is not installed."""
    from importlib import metadata

    try:
        return metadata.version("transformers")
    except metadata.PackageNotFoundError:
        return ""


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
