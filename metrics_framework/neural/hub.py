"""Models of the Hugging Face hub: whether they are in its local cache, and how to download them."""

from __future__ import annotations

import os

from metrics_framework.common.errors import DownloadError, MissingExtraError, UsageError, message_of
from metrics_framework.neural.sources import CONFIGURATION, is_path, quiet_hub

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


def download_model(model: str) -> None:
    """Downloads a model to the local cache of the hub.

    Args:
        model: Its name, optionally with a revision (``name@revision``).

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
            snapshot_download(name, revision=revision or None, ignore_patterns=_UNUSED)
    except Exception as error:  # of the network, the hub or the local cache, each with its own classes
        first_line = message_of(error).strip().split("\n")[0]
        raise DownloadError(f"cannot download the model '{model}': {first_line}") from error
