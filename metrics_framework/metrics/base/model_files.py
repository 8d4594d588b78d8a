"""What a neural metric needs of the Hugging Face hub: models, checkpoints, and encoders without weights."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from metrics_framework.common.errors import DownloadError
from metrics_framework.common.overriding import overrides
from metrics_framework.metrics.base.requirements import Requirement


@dataclass(frozen=True)
class HubModel(Requirement):
    """A model of the Hugging Face hub.

    Args:
        model: Its name, optionally with a revision.
    """

    kind = "model"
    model: str

    @property
    @overrides
    def name(self) -> str:
        return self.model

    @overrides
    def is_met(self) -> bool:
        from metrics_framework.neural.hub import is_local

        return is_local(self.model)

    @overrides
    def how_to_get_it(self) -> str:
        return (
            f"needs the model '{self.model}': give its folder as --model, or download it with hf download {self.model}"
        )

    @overrides
    def plan(self, from_folder: str | None) -> str | None:
        return f"download the model {self.model} to the cache of the Hugging Face hub"

    @overrides
    def set_up(self, from_folder: str | None) -> None:
        from metrics_framework.neural.hub import download_model

        download_model(self.model)


@dataclass(frozen=True)
class CheckpointFiles(Requirement):
    """The files of a checkpoint of another program than transformers.

    Args:
        model: The folder, or the name on the hub, optionally with a revision.
        files: The paths of the files in it.
    """

    kind = "checkpoint"
    model: str
    files: tuple[str, ...]

    @property
    @overrides
    def name(self) -> str:
        return self.model

    @overrides
    def is_met(self) -> bool:
        from metrics_framework.neural.hub import local_file

        return all(local_file(self.model, file) is not None for file in self.files)

    @overrides
    def how_to_get_it(self) -> str:
        return f"needs the checkpoint '{self.model}': a folder with {' and '.join(self.files)}, given as --model"

    @overrides
    def plan(self, from_folder: str | None) -> str | None:
        if os.path.isdir(os.path.expanduser(self.model)):
            return None
        return f"download {' and '.join(self.files)} of {self.model} to the cache of the Hugging Face hub"

    @overrides
    def set_up(self, from_folder: str | None) -> None:
        from metrics_framework.neural.hub import download_model

        try:
            download_model(self.model, self.files)
        except DownloadError as error:
            raise DownloadError(
                f"{error}",
                "fw: without a network, bring two folders: that of the checkpoint, with "
                f"{' and '.join(self.files)}, as --model, and that of its encoder, with config.json and the "
                "files of the tokenizer but without its weights, as --encoder",
            ) from error


@dataclass(frozen=True)
class FilesWithoutWeights(Requirement):
    """The configuration and the tokenizer of a model, whose weights are in a checkpoint.

    Args:
        kind_of_model: What the model is, and the name of the option: ``encoder`` or ``tokenizer``.
        find: Returns the names of the models; nothing before the checkpoint is known that names them.
    """

    kind_of_model: str
    find: Callable[[], Sequence[str]]

    @property
    def kind(self) -> str:  # type: ignore[override]
        """What kind of thing it is."""
        return self.kind_of_model

    @property
    @overrides
    def name(self) -> str:
        return " and ".join(self.find()) or "that the checkpoint names"

    @overrides
    def is_met(self) -> bool:
        from metrics_framework.neural.hub import is_local

        names = self.find()
        return bool(names) and all(map(is_local, names))

    @overrides
    def how_to_get_it(self) -> str:
        return (
            f"needs the {self.kind} {self.name}: bring its folder, with config.json and the files of the tokenizer but "
            f"without weights, and give it as --{self.kind_of_model}"
        )

    @overrides
    def plan(self, from_folder: str | None) -> str | None:
        return f"download the configuration and the tokenizer of the {self.kind} {self.name}, without weights"

    @overrides
    def set_up(self, from_folder: str | None) -> None:
        from metrics_framework.neural.hub import WITHOUT_WEIGHTS, download_model, is_local

        for name in self.find():
            if is_local(name):
                continue
            try:
                download_model(name, WITHOUT_WEIGHTS)
            except DownloadError as error:
                raise DownloadError(f"{error}", f"fw: {self.how_to_get_it()}") from error
