"""Models of the Hugging Face hub: whether they are in its local cache, and how to download them."""

from __future__ import annotations

import os
from collections.abc import Sequence

from metrics_framework.common.errors import DownloadError, MissingExtraError, UsageError, message_of
from metrics_framework.neural.sources import CONFIGURATION, is_path, quiet_hub

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
    try:
        from huggingface_hub import try_to_load_from_cache
        from huggingface_hub.errors import HFValidationError
    except ImportError:
        return False
    name, _, revision = model.partition("@")
    try:
        return isinstance(try_to_load_from_cache(name, CONFIGURATION, revision=revision or None), str)
    except HFValidationError:  # not a name that the hub allows
        return False


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
    except HFValidationError:
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
    try:
        from huggingface_hub import snapshot_download
    except ImportError as error:
        raise MissingExtraError(f"the model '{model}'", "transformers", "neural") from error
    name, _, revision = model.partition("@")
    try:
        with quiet_hub():
            patterns = None if files is None else list(files)
            snapshot_download(name, revision=revision or None, allow_patterns=patterns, ignore_patterns=_UNUSED)
    except Exception as error:  # of the network, the hub or the local cache, each with its own classes
        first_line = message_of(error).strip().split("\n")[0]
        raise DownloadError(f"cannot download the model '{model}': {first_line}") from error
