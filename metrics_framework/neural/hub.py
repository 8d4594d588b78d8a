"""Models of the Hugging Face hub: whether they are in its local cache, and how to download them."""

from __future__ import annotations

import os

from metrics_framework.common.errors import DownloadError, MissingExtraError, message_of
from metrics_framework.neural.sources import CONFIGURATION

_UNUSED = ["*.h5", "*.msgpack", "*.onnx", "*.ot", "*.tflite", "onnx/*", "openvino/*", "coreml/*"]
"""Copies of the weights for other libraries than torch."""


def is_local(model: str) -> bool:
    """Returns whether a model is a folder, or in the local cache of the hub."""
    if os.path.isdir(os.path.expanduser(model)):
        return True
    try:
        from huggingface_hub import try_to_load_from_cache
    except ImportError:
        return False
    name, _, revision = model.partition("@")
    return isinstance(try_to_load_from_cache(name, CONFIGURATION, revision=revision or None), str)


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
        snapshot_download(name, revision=revision or None, ignore_patterns=_UNUSED)
    except Exception as error:  # of the network, the hub or the local cache, each with its own classes
        first_line = message_of(error).strip().split("\n")[0]
        raise DownloadError(f"cannot download the model '{model}': {first_line}") from error
