"""The files in the folder of a model that can run code, and errors about them."""

from __future__ import annotations

import glob
import json
import os
import pickle
from collections.abc import Iterator
from typing import Any

from metrics_framework.common.errors import DataError, causes, message_of

_CONFIGURATIONS = ("config.json", "tokenizer_config.json")
_PICKLES = "pytorch_model*.bin"
_SAFE = "model*.safetensors"
_MAX_MESSAGE = 300
_MAX_REASON = 120
_OTHER_MODEL = (
    "choose a model whose architecture is part of transformers, possibly of a newer version, or run the model in "
    "your own program and score with 'fw external' or 'fw precomputed'"
)
_CONVERSION = (
    "weights = torch.load(FILE, weights_only=False); "
    "tensors = {name: value.clone() for name, value in weights.items() if torch.is_tensor(value)}; "
    "safetensors.torch.save_file(tensors, 'model.safetensors', metadata={'format': 'pt'})"
)


def code_files(folder: str) -> list[str]:
    """Returns the files of Python code that the configurations of a model name under ``auto_map``.

    A file of another repository has the name of the repository before it.

    Args:
        folder: The folder of a model in the format of Hugging Face's transformers.
    """
    found = (name for configuration in _CONFIGURATIONS for name in _classes(os.path.join(folder, configuration)))
    return list(dict.fromkeys(map(_file_of, found)))


def pickles(folder: str) -> list[str]:
    """Returns the files of weights that are pickles, which torch reads if the folder has no safetensors files."""
    if glob.glob(os.path.join(glob.escape(folder), _SAFE)):
        return []
    return sorted(map(os.path.basename, glob.glob(os.path.join(glob.escape(folder), _PICKLES))))


def needs_code(what: str, name: str, folder: str) -> DataError:
    """Returns the error for a part of a model that cannot be loaded without its own code."""
    files = ", ".join(code_files(folder)) or "a Python file"
    return DataError(
        f"the {what} cannot be loaded: it needs its own code, {files} (see 'auto_map' in its configuration), which fw "
        f"never runs; {_OTHER_MODEL}",
        name,
    )


def needs_safe_weights(name: str, folder: str, reason: str) -> DataError:
    """Returns the error for weights that are not only tensors, or cannot be read as such."""
    files = ", ".join(pickles(folder)) or "a file of weights"
    return DataError(
        f"the model cannot be loaded: {files} cannot be read as tensors only ({reason}), and anything else in such a "
        f"pickle can run programs; if you trust its source, convert it: {_CONVERSION}",
        name,
    )


def not_loaded(what: str, name: str, folder: str, error: Exception) -> DataError:
    """Returns the error for a part of a model that cannot be loaded.

    Args:
        what: The part: ``model`` or ``tokenizer``.
        name: The name of the model.
        folder: Its folder, or that of the hub's local cache.
        error: The error of transformers, safetensors or torch.
    """
    chain = list(causes(error))
    if any("trust_remote_code" in str(one) for one in chain):
        return needs_code(what, name, folder)
    if any(isinstance(one, pickle.UnpicklingError) for one in chain):
        return needs_safe_weights(name, folder, _shortened(chain[-1], _MAX_REASON))
    return DataError(f"the {what} cannot be loaded: {_shortened(error, _MAX_MESSAGE)}", name)


def _classes(path: str) -> Iterator[str]:
    """Yields the names of classes in a configuration, such as ``configuration_x.XConfig``."""
    try:
        with open(path, encoding="utf-8") as stream:
            configuration = json.load(stream)
    except (OSError, ValueError):  # transformers reports it
        return
    if isinstance(configuration, dict):
        yield from _strings(configuration.get("auto_map"))


def _strings(value: Any) -> Iterator[str]:
    """Yields the texts in a value of JSON: a class, or a list or an object of classes."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _strings(part)


def _file_of(name: str) -> str:
    """Returns the file of a class.

    >>> _file_of("configuration_x.XConfig"), _file_of("owner/name--modeling_x.XModel")
    ('configuration_x.py', 'owner/name/modeling_x.py')
    """
    return f"{name.rpartition('.')[0].replace('--', '/')}.py"


def _shortened(error: BaseException, most: int) -> str:
    message = " ".join(message_of(error).split())
    if len(message) > most:  # some list all architectures
        message = f"{message[:most].rpartition(' ')[0]} …"
    return message
