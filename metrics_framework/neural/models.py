"""Loads neural models with Hugging Face's transformers: once per process, quietly, for inference only."""

from __future__ import annotations

import functools
import os
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from metrics_framework.common.errors import DataError, MissingExtraError, UnknownChoiceError, UsageError
from metrics_framework.common.process import available_cpus
from metrics_framework.io.model_files import not_loaded
from metrics_framework.neural.sources import ModelSource, find_model, folder_of

Task = Literal["encoder", "masked-lm", "sequence-classification", "question-answering", "text-to-text"]
Precision = Literal["float32", "float16", "bfloat16"]

NO_LIMIT = 1 << 20
"""The length of texts in tokens that no model reaches; of models without a limit."""
_CLASSES = {
    "encoder": "AutoModel",
    "masked-lm": "AutoModelForMaskedLM",
    "sequence-classification": "AutoModelForSequenceClassification",
    "question-answering": "AutoModelForQuestionAnswering",
    "text-to-text": "AutoModelForSeq2SeqLM",
}
_DEVICE = re.compile(r"auto|cpu|mps|cuda(:\d{1,3})?")
_WITH_PREFIX_SPACE = ("roberta", "gpt2")  # a space belongs to the token of the word after it
_MAX_MODELS = 4
_MAX_NAMES = 3  # of missing weights, in an error


@dataclass(frozen=True, eq=False)
class Loaded:
    """A model that is ready for inference.

    Attributes:
        model: The model of transformers, in evaluation mode, on its device.
        tokenizer: Its tokenizer.
        device: The device, such as ``cpu`` or ``cuda``.
        max_length: The largest number of tokens in an input, including special tokens.
        fingerprint: Identifies the files of the model, see `metrics_framework.neural.sources`.
    """

    model: Any = field(repr=False)
    tokenizer: Any = field(repr=False)
    device: str
    max_length: int
    fingerprint: str


def load(
    task: Task,
    model: str,
    *,
    device: str = "auto",
    precision: Precision = "float32",
    layers: int | None = None,
    prefix_space: bool = False,
    tokenizer: str | None = None,
) -> Loaded:
    """Loads a model and its tokenizer; a model that was loaded before is the same object.

    Args:
        task: The task of the model. Except for encoders, the checkpoint must contain all weights for it: transformers
            would fill missing ones with random numbers.
        model: A local folder or a name on the Hugging Face hub, optionally with a revision.
        device: ``cpu``, ``cuda``, ``cuda:1``, ``mps``, or ``auto`` for CUDA if it is available, else the CPU.
        precision: The type of the weights.
        layers: The number of layers to keep, from the first one; `None` for all.
        prefix_space: Whether RoBERTa and GPT-2 tokenize the first word of a text like later words.
        tokenizer: The folder or name of the tokenizer, for checkpoints that have none.

    Raises:
        MissingExtraError: if torch or transformers is not installed.
        UsageError: if there is no such model, device or layer.
        DataError: if the model cannot be loaded, or lacks weights for the task.
    """
    if precision not in get_args(Precision):
        raise UnknownChoiceError("precision", precision, get_args(Precision))
    source = find_model(model)
    check_packages(model)
    other = None if tokenizer is None else find_model(tokenizer)
    return _loaded(task, source, resolved_device(device), precision, layers, prefix_space, other)


def clear() -> None:
    """Forgets all loaded models."""
    _loaded.cache_clear()


@contextmanager
def quiet() -> Iterator[None]:
    """Silences warnings, log messages and progress bars of transformers; its settings are restored afterwards."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from huggingface_hub.utils import are_progress_bars_disabled, disable_progress_bars, enable_progress_bars
        from transformers.utils import logging

        verbosity, has_bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
        hub_has_bars = not are_progress_bars_disabled()
        logging.set_verbosity(logging.CRITICAL)
        logging.disable_progress_bar()
        disable_progress_bars()
        try:
            yield
        finally:
            logging.set_verbosity(verbosity)
            if has_bars:
                logging.enable_progress_bar()
            if hub_has_bars:
                enable_progress_bars()


def check_packages(model: str) -> None:
    """Imports torch and transformers.

    Args:
        model: The model that needs them, for the error.

    Raises:
        MissingExtraError: if one of them is not installed.
    """
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")  # read when it is imported; avoids a warning after a fork
    for package in ("torch", "transformers"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                __import__(package)
            except ImportError as error:
                raise MissingExtraError(f"the model '{model}'", package, "neural") from error


def check_device(name: str) -> None:
    """Checks the form of the name of a device, without torch.

    Raises:
        UsageError: if it is not a device that a model can run on.
    """
    if not _DEVICE.fullmatch(name):
        raise UsageError(f"'device' must be auto, cpu, cuda, cuda:NUMBER or mps, got '{name}'")


def resolved_device(name: str) -> str:
    """Returns the device that runs a model, as torch names it.

    Raises:
        UsageError: if there is no such device.
    """
    check_device(name)
    import torch

    if name == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    kind = name.partition(":")[0]
    if kind == "cuda" and not torch.cuda.is_available():
        raise UsageError(
            f"the device '{name}' is not available: torch finds no CUDA device; use the device auto or cpu"
        )
    if kind == "cuda" and int(name.partition(":")[2] or 0) >= torch.cuda.device_count():
        raise UsageError(f"the device '{name}' is not available: there are {torch.cuda.device_count()} CUDA devices")
    if kind == "mps" and not torch.backends.mps.is_available():
        raise UsageError("the device 'mps' is not available on this computer; use the device auto or cpu")
    return name


@functools.lru_cache(maxsize=_MAX_MODELS)
def _loaded(
    task: Task,
    source: ModelSource,
    device: str,
    precision: Precision,
    layers: int | None,
    prefix_space: bool,
    other: ModelSource | None,
) -> Loaded:
    limit_threads()
    with quiet():
        model, missing = _from_files(task, source, precision, layers)
        _check_weights(task, source, missing)
        tokenizer = tokenizer_of(other or source, prefix_space and model.config.model_type in _WITH_PREFIX_SPACE)
    if task == "encoder" and hasattr(model, "encoder") and hasattr(model, "decoder"):
        model = model.get_encoder()
    model = model.eval().to(device)
    return Loaded(model, tokenizer, device, max_length_of(model, tokenizer), source.fingerprint)


def limit_threads() -> None:
    """Uses at most as many threads as there are CPUs for this process."""
    import torch

    if torch.get_num_threads() > available_cpus():
        torch.set_num_threads(available_cpus())


def configuration_of(source: ModelSource) -> Any:
    """Loads the configuration of a model, without its weights.

    Raises:
        DataError: if it cannot be loaded.
    """
    from transformers import AutoConfig

    try:
        return AutoConfig.from_pretrained(source.name, **_where(source))
    except Exception as error:  # as for the weights
        raise not_loaded("configuration", source.name, folder_of(source), error) from error


def _from_files(task: Task, source: ModelSource, precision: Precision, layers: int | None) -> tuple[Any, Sequence[str]]:
    """Loads the weights; returns the model and the names of weights that the checkpoint does not contain."""
    import torch
    import transformers

    where = _where(source)
    try:
        config = transformers.AutoConfig.from_pretrained(source.name, **where)
        if layers is not None:
            _keep_layers(config, layers, source.name)
        model_class = getattr(transformers, _CLASSES[task])
        model, info = model_class.from_pretrained(
            source.name,
            config=config,
            dtype=getattr(torch, precision),
            output_loading_info=True,
            weights_only=True,
            **where,
        )
    except UsageError:
        raise
    except Exception as error:  # of transformers, safetensors or torch, each with its own classes
        raise not_loaded("model", source.name, folder_of(source), error) from error
    return model, sorted(info["missing_keys"])


def _where(source: ModelSource) -> dict[str, Any]:
    """Returns the options that all parts of a model are loaded with.

    Without ``trust_remote_code=False``, transformers asks on standard output whether to run the code of a model, and
    reads the answer from standard input.
    """
    return {"trust_remote_code": False, **({"revision": source.revision} if source.revision else {})}


def _keep_layers(config: Any, layers: int, name: str) -> None:
    available = getattr(config, "num_hidden_layers", 0)
    if not 1 <= layers <= available:
        raise UsageError(f"the model '{name}' has the layers 1 to {available}; there is no layer {layers}")
    config.num_hidden_layers = layers


def _check_weights(task: Task, source: ModelSource, missing: Sequence[str]) -> None:
    """Raises an error for missing weights; those of the pooler, which no metric uses, are missing in many encoders."""
    if task == "encoder":
        missing = [name for name in missing if "pooler" not in name]
    if missing:
        raise DataError(
            f"is not a checkpoint for the task '{task}': it has no weights for {first_names(missing)}, which would be "
            "random",
            source.name,
        )


def first_names(names: Sequence[str]) -> str:
    """Returns the first names of missing weights.

    >>> first_names(["a", "b", "c", "d"])
    'a, b, c, …'
    """
    return ", ".join(names[:_MAX_NAMES]) + (", …" if len(names) > _MAX_NAMES else "")


def tokenizer_of(source: ModelSource, prefix_space: bool = False) -> Any:
    """Loads the tokenizer of a model.

    Raises:
        DataError: if it cannot be loaded.
    """
    from transformers import AutoTokenizer

    options = _where(source)
    if prefix_space:
        options["add_prefix_space"] = True
    try:
        tokenizer = AutoTokenizer.from_pretrained(source.name, **options)
    except Exception as error:
        raise not_loaded("tokenizer", source.name, folder_of(source), error) from error
    # what transformers makes up if there are no files: special tokens only, and for T5 the beginning of a word
    if len(tokenizer) <= len(tokenizer.all_special_tokens) + 1:
        raise DataError("the tokenizer cannot be loaded: its files are missing, such as tokenizer.json", source.name)
    return tokenizer


def max_length_of(model: Any, tokenizer: Any) -> int:
    """Returns the smaller one of the limits of the tokenizer and of the position embeddings."""
    positions = getattr(model.config, "max_position_embeddings", None) or NO_LIMIT
    if positions <= 0:
        positions = NO_LIMIT
    for name, module in model.named_modules():
        if name.endswith("position_embeddings") and getattr(module, "padding_idx", None) is not None:
            positions = module.num_embeddings - module.padding_idx - 1  # RoBERTa counts positions from the padding
    return int(min(positions, getattr(tokenizer, "model_max_length", None) or NO_LIMIT, NO_LIMIT))
