"""Where a model comes from: a local folder, or a name on the Hugging Face hub; without importing torch."""

from __future__ import annotations

import functools
import json
import logging
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from metrics_framework.common.errors import DataError, DownloadError, FwError, MissingExtraError, UsageError, message_of
from metrics_framework.io.content import hash_of

CONFIGURATION = "config.json"
_MAX_CHECK = 20.0
"""The seconds in which the hub must say whether it has a model."""


class ModelSource(NamedTuple):
    """A model whose files are known.

    Attributes:
        name: The folder, or the name on the hub.
        revision: The commit on the hub; `None` for a folder.
        fingerprint: Identifies the files: the first digits of a SHA-256 of a folder, or ``name@commit``.
    """

    name: str
    revision: str | None
    fingerprint: str


def find_model(model: str) -> ModelSource:
    """Finds a model.

    Args:
        model: The folder of a model in the format of Hugging Face's transformers, or its name on the hub, optionally
            with a revision (``name@revision``). A model of the hub is downloaded if it is not in the local cache.

    Raises:
        UsageError: if there is no such model, or the hub cannot be reached.
        DataError: if the folder is not one of a model.
    """
    folder = os.path.expanduser(model)
    if os.path.isdir(folder):
        _check_configuration(os.path.join(folder, CONFIGURATION), model)
        return ModelSource(folder, None, hash_of(folder, is_flat=True))
    if os.path.exists(folder):
        raise UsageError(f"'{model}' is a file; a model is a folder with a {CONFIGURATION}, or a name on the hub")
    if is_path(model):
        raise UsageError(f"there is no folder '{model}'; a model is a local folder or a name on the Hugging Face hub")
    name, _, revision = model.partition("@")
    return _on_hub(name, revision or None)


def folder_of(source: ModelSource) -> str:
    """Returns the folder of a model; that of the hub's local cache for a model of the hub."""
    if source.revision is None:
        return source.name
    from huggingface_hub import try_to_load_from_cache

    path = try_to_load_from_cache(source.name, CONFIGURATION, revision=source.revision)
    return os.path.dirname(path) if isinstance(path, str) else source.name


def base_name(model: str) -> str:
    """Returns the name of a model without its folder or revision, as it is customary in tables of models.

    >>> base_name("/models/roberta-large/"), base_name("microsoft/deberta-base@main")
    ('roberta-large', 'microsoft/deberta-base')
    """
    folder = os.path.expanduser(model)
    if os.path.isdir(folder) or is_path(model):
        return os.path.basename(os.path.normpath(os.path.abspath(folder)))
    return model.partition("@")[0]


@contextmanager
def hub_client(model: str, problem: Callable[[str], FwError]) -> Iterator[Any]:
    """Yields the client of the hub, without its messages, such as one for each time that it tries a connection again.

    Args:
        model: What is searched for.
        problem: Returns the error to raise if the client fails, given the first line of the reason.

    Raises:
        MissingExtraError: if transformers, which installs the client, is not installed.
    """
    try:
        import huggingface_hub
    except ImportError as error:
        raise MissingExtraError(f"the model '{model}'", "transformers", "neural") from error
    logger = logging.getLogger("huggingface_hub")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield huggingface_hub
    except Exception as error:  # of the network, the hub or the local cache, each with its own classes
        reason = message_of(error).strip().split("\n")[0]
        raise problem(reason) from error
    finally:
        logger.setLevel(level)


def found_file(hub: Any, name: str, file: str, revision: str | None) -> str:
    """Returns the path of a file of the hub, and downloads it if it is not in the local cache."""
    if not isinstance(hub.try_to_load_from_cache(name, file, revision=revision), str):
        hub.HfApi().model_info(name, revision=revision, timeout=_MAX_CHECK)  # a download is tried for minutes
    return str(hub.hf_hub_download(name, file, revision=revision))


def is_path(model: str) -> bool:
    """Returns whether a name can only be a path: names on the hub have at most one slash."""
    return model.startswith((".", "~", os.sep)) or model.count("/") > 1 or model.endswith("/") or "\\" in model


def _check_configuration(path: str, model: str) -> None:
    if not os.path.exists(path):
        raise DataError(f"is not the folder of a model: it has no {CONFIGURATION}", model)
    try:
        with open(path, encoding="utf-8") as stream:
            is_object = isinstance(json.load(stream), dict)
    except (ValueError, OSError) as error:
        raise DataError(f"cannot be read: {message_of(error)}", path) from error
    if not is_object:
        raise DataError("must contain a JSON object", path)


@functools.lru_cache(maxsize=8)
def _on_hub(name: str, revision: str | None) -> ModelSource:
    def problem(reason: str) -> UsageError:
        return UsageError(
            f"cannot find the model '{name}{f'@{revision}' if revision else ''}': there is no such folder, and it is "
            f"neither in the local cache of the Hugging Face hub nor can be downloaded ({reason}); "
            "give the folder of a model, or download the model first: hf download NAME"
        )

    with hub_client(name, problem) as hub:
        path = found_file(hub, name, CONFIGURATION, revision)
    commit = os.path.basename(os.path.dirname(path))
    return ModelSource(name, commit, f"{name}@{commit[:12]}")


WITHOUT_WEIGHTS = ("*.json", "*.model", "*.txt")
"""The configuration and the tokenizer of a model."""
_UNUSED = ["*.h5", "*.msgpack", "*.onnx", "*.ot", "*.tflite", "onnx/*", "openvino/*", "coreml/*"]
"""Copies of the weights for other libraries than torch."""


def is_local(model: str) -> bool:
    """Returns whether a model is a folder, or in the local cache of the hub.

    Raises:
        UsageError: if the name can only be a path, and there is no such folder.
    """
    if os.path.isdir(os.path.expanduser(model)):
        return True
    if is_path(model):
        raise UsageError(f"there is no folder '{model}'; a model is a local folder or a name on the Hugging Face hub")
    return local_file(model, CONFIGURATION) is not None


def local_file(model: str, file: str) -> str | None:
    """Returns the path of a file of a model, if it is in a folder or in the local cache of the hub.

    Args:
        model: The folder, or the name on the hub, optionally with a revision.
        file: The path of the file in it.
    """
    folder = os.path.expanduser(model)
    if os.path.isdir(folder) or is_path(model):
        path = os.path.join(folder, *file.split("/"))
        return path if os.path.isfile(path) else None
    try:
        from huggingface_hub import try_to_load_from_cache
        from huggingface_hub.errors import HFValidationError
    except ImportError:
        return None
    name, _, revision = model.partition("@")
    try:
        found = try_to_load_from_cache(name, file, revision=revision or None)
    except HFValidationError:  # not a name that the hub allows
        return None
    return found if isinstance(found, str) else None


def download_model(model: str, files: Sequence[str] | None = None) -> None:
    """Downloads a model, or some of its files, to the local cache of the hub.

    Args:
        model: Its name, optionally with a revision (``name@revision``).
        files: Patterns of the files; by default all but copies of the weights for other libraries.

    Raises:
        MissingExtraError: if transformers, which installs the client of the hub, is not installed.
        DownloadError: if the model cannot be downloaded.
    """
    name, _, revision = model.partition("@")
    patterns = None if files is None else list(files)
    with hub_client(model, lambda reason: DownloadError(f"cannot download the model '{model}': {reason}")) as hub:
        hub.snapshot_download(name, revision=revision or None, allow_patterns=patterns, ignore_patterns=_UNUSED)
