"""Checkpoints of PyTorch Lightning, as several learned metrics are published: their files, and the weights in them."""

from __future__ import annotations

import glob
import os
import pickle
import warnings
from collections.abc import Mapping
from typing import Any, NamedTuple

from metrics_framework.common.errors import DataError, MissingExtraError, UsageError, message_of
from metrics_framework.io.content import hash_of
from metrics_framework.neural.sources import is_path, quiet_hub

ENDING = ".ckpt"
_CONVERSION = (
    "c = torch.load(FILE, weights_only=False); "
    "torch.save({'state_dict': c['state_dict'], 'hyper_parameters': {}}, FILE)"
)
_MAX_REASON = 200


class Checkpoint(NamedTuple):
    """The files of a checkpoint.

    Attributes:
        name: The folder or file, or the name on the hub.
        paths: The path of each file, by the name of the file.
        fingerprint: Identifies the files: the first digits of a SHA-256, or ``name@commit``.
    """

    name: str
    paths: Mapping[str, str]
    fingerprint: str


def find_checkpoint(model: str, files: tuple[str, ...]) -> Checkpoint:
    """Finds the files of a checkpoint; those of the hub are downloaded if they are not in the local cache.

    Args:
        model: A folder, or a name on the Hugging Face hub, optionally with a revision (``name@revision``).
        files: The paths of the files in it.

    Raises:
        UsageError: if there is no such folder, or the hub cannot be reached.
        DataError: if the folder lacks a file.
    """
    folder = os.path.expanduser(model)
    if os.path.isdir(folder):
        paths = {name: os.path.join(folder, *name.split("/")) for name in files}
        for name, path in paths.items():
            if not os.path.isfile(path):
                raise DataError(f"is not the folder of a checkpoint: it has no {name}", model)
        return Checkpoint(folder, paths, hash_of(*paths.values()))
    if os.path.exists(folder) or is_path(model):
        found = "is a file" if os.path.exists(folder) else "does not exist"
        raise UsageError(
            f"'{model}' {found}; a checkpoint is a folder with {' and '.join(files)}, or a name on the Hugging Face hub"
        )
    return _on_hub(model, files)


def find_weights(model: str) -> Checkpoint:
    """Finds a checkpoint that is one file.

    Args:
        model: The file, a folder with one file that ends in ``.ckpt``, or a file on the Hugging Face hub as
            ``owner/name/file.ckpt``.

    Raises:
        UsageError: if there is no such file or folder, or the hub cannot be reached.
        DataError: if the folder has no such file, or several.
    """
    path = os.path.expanduser(model)
    if os.path.isdir(path):
        files = sorted(glob.glob(os.path.join(glob.escape(path), f"*{ENDING}")))
        if len(files) != 1:
            found = ", ".join(map(os.path.basename, files)) or "none"
            raise DataError(f"must have one file that ends in {ENDING}, found {found}", model)
        path = files[0]
    if os.path.isfile(path):
        return Checkpoint(model, {"": path}, hash_of(path))
    owner, _, rest = model.partition("/")
    name, _, file = rest.partition("/")
    if not file.endswith(ENDING) or not owner or owner.startswith((".", "~")):
        raise UsageError(
            f"there is no file or folder '{model}'; a checkpoint is a file that ends in {ENDING}, a folder with one, "
            f"or a file on the Hugging Face hub: OWNER/NAME/FILE{ENDING}"
        )
    found_on_hub = _on_hub(f"{owner}/{name}", (file,))
    return Checkpoint(model, {"": found_on_hub.paths[file]}, f"{found_on_hub.fingerprint}/{file}")


def _on_hub(model: str, files: tuple[str, ...]) -> Checkpoint:
    try:
        from huggingface_hub import HfApi, hf_hub_download, try_to_load_from_cache
    except ImportError as error:
        raise MissingExtraError(f"the model '{model}'", "transformers", "neural") from error
    name, _, revision = model.partition("@")
    try:
        with quiet_hub():
            if not isinstance(try_to_load_from_cache(name, files[0], revision=revision or None), str):
                HfApi().model_info(name, revision=revision or None, timeout=20.0)  # a download is tried for minutes
            first = hf_hub_download(name, files[0], revision=revision or None)
            commit = first[: -len(files[0]) - 1].rpartition(os.sep)[2]
            paths = {file: hf_hub_download(name, file, revision=commit) for file in files}
    except Exception as error:  # of the network, the hub or the local cache, each with its own classes
        first_line = message_of(error).strip().split("\n")[0]
        raise UsageError(
            f"cannot find the checkpoint '{model}': there is no such folder, and it is neither in the local cache of "
            f"the Hugging Face hub nor can be downloaded ({first_line}); give the folder of a checkpoint, with "
            f"{' and '.join(files)}, or download it first: hf download {name}"
        ) from error
    return Checkpoint(name, paths, f"{name}@{commit[:12]}")


def read_weights(path: str) -> dict[str, Any]:
    """Reads a checkpoint of Lightning, as tensors and plain values only.

    Args:
        path: The file.

    Returns:
        The content: a ``state_dict``, and usually ``hyper_parameters``.

    Raises:
        DataError: if the file is incomplete, is not such a checkpoint, or holds other objects.
    """
    import torch

    try:
        content = _loaded(torch, path)
    except pickle.UnpicklingError as error:
        raise DataError(
            f"cannot be read as tensors and plain values only ({_shortened(error)}), and anything else in such a "
            f"file can run programs; if you trust its source, convert it: {_CONVERSION}",
            path,
        ) from error
    except (RuntimeError, EOFError, OSError, ValueError, KeyError) as error:
        size = os.path.getsize(path)
        raise DataError(
            f"cannot be read ({_shortened(error)}); it has {size:,} bytes: compare this with the published file, whose "
            "download may be incomplete",
            path,
        ) from error
    if not isinstance(content, dict) or not isinstance(content.get("state_dict"), dict):
        raise DataError("is not a checkpoint of PyTorch Lightning: it has no 'state_dict'", path)
    return content


def _loaded(torch: Any, path: str) -> Any:
    """Reads a file without copying its tensors to memory, where its format allows it."""
    import zipfile

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about old formats of pickles
        return torch.load(path, map_location="cpu", weights_only=True, mmap=zipfile.is_zipfile(path))


def _shortened(error: BaseException) -> str:
    """Returns the part of a message of torch that names the object or the problem."""
    lines = message_of(error).replace("WeightsUnpickler error: ", "\n").splitlines()
    named = [line.strip() for line in lines if line.strip().startswith(("Unsupported", "Can only", "Trying"))]
    first = (named or [line.strip() for line in lines if line.strip()] or [type(error).__name__])[0]
    return first[:_MAX_REASON].split(". Please")[0].rstrip(".")
