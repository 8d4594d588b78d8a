"""What the file ``hparams.yaml`` of a COMET checkpoint says about its model."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from metrics_framework.common.errors import DataError, MissingExtraError, UnknownNameError, UsageError, message_of
from metrics_framework.io.content import hash_of
from metrics_framework.neural.checkpoints import Checkpoint, find_checkpoint
from metrics_framework.neural.hub import local_file

HYPERPARAMETERS, WEIGHTS = "hparams.yaml", "checkpoints/model.ckpt"
FIELDS = {"src": "source", "ref": "references"}
"""The segments besides the output, and the fields that they are in."""
ACTIVATIONS = ("Hardtanh", "Hardsigmoid", "Hardswish", "Identity", "Mish", "Sigmoid", "Softplus", "Softsign", "Tanh")
"""The functions of torch.nn that an estimator may use."""


class EncoderFamily(NamedTuple):
    """A family of encoders.

    Attributes:
        architecture: The ``model_type`` in the configurations of transformers.
        separators: The number of separators between two segments of a joined input.
        has_types: Whether token types distinguish the first segment from later ones. The published program computes
            them for RemBERT, too, but does not pass them on to the model.
        tokenizer: The tokenizer of all its models; that of the encoder if empty.
    """

    architecture: str
    separators: int
    has_types: bool = False
    tokenizer: str = ""


ENCODERS = {
    "BERT": EncoderFamily("bert", 1, has_types=True),
    "MiniLM": EncoderFamily("bert", 2, tokenizer="xlm-roberta-base"),
    "RemBERT": EncoderFamily("rembert", 1),
    "XLM-RoBERTa": EncoderFamily("xlm-roberta", 2),
    "XLM-RoBERTa-XL": EncoderFamily("xlm-roberta-xl", 2),
}


@dataclass(frozen=True)
class Hyperparameters:
    """The hyperparameters that scores depend on.

    Attributes:
        kind: The class of the model, without ``_metric``.
        encoder: The family of its encoder.
        pretrained_model: The encoder whose configuration and tokenizer the model has.
        layer: The index of a layer of the encoder, or ``mix`` for a weighted sum of all.
        layer_norm: Whether layers are normalized before they are mixed.
        layer_weights: ``softmax`` or ``sparsemax``.
        pool: How the vectors of tokens become one: ``avg``, ``max`` or ``cls``.
        activations: The activation between the layers of the estimator.
        final_activation: The activation after its last layer; empty for none.
        segments: What the model reads: ``mt``, and ``src``, ``ref`` or both.
        word_layer: The layer from which errors in words are predicted; `None` for models that do not.
        severities: The severities of errors, from the second label on.
    """

    kind: str
    encoder: str
    pretrained_model: str
    layer: int | str
    layer_norm: bool
    layer_weights: str
    pool: str
    activations: str
    final_activation: str
    segments: tuple[str, ...]
    word_layer: int | None
    severities: tuple[str, ...]

    @property
    def family(self) -> EncoderFamily:
        """The family of the encoder."""
        return ENCODERS[self.encoder]

    @property
    def encoders(self) -> tuple[str, str]:
        """The models that have the configuration and the tokenizer of the encoder."""
        return self.pretrained_model, self.family.tokenizer or self.pretrained_model

    @property
    def is_joined(self) -> bool:
        """Whether the model reads all segments as one input."""
        return self.kind in ("unified", "xcomet")

    @property
    def may_lack_references(self) -> bool:
        """Whether the model scores outputs with or without references."""
        return {"src", "ref"} <= set(self.segments) and self.is_joined


def find_comet(model: str) -> tuple[Checkpoint, Hyperparameters]:
    """Finds a COMET checkpoint, and reads its hyperparameters.

    Raises:
        UsageError: if there is no such folder or model.
        DataError: if a file is missing, or the model is of another class.
        MissingExtraError: if PyYAML is not installed.
    """
    checkpoint = find_checkpoint(model, (HYPERPARAMETERS, WEIGHTS))
    return checkpoint, _read(checkpoint.paths[HYPERPARAMETERS], checkpoint.fingerprint)


def encoders_of(model: str) -> list[str]:
    """Returns the models that have the configuration and the tokenizer of the encoder, if the checkpoint is local."""
    path = local_file(model, HYPERPARAMETERS)
    return [] if path is None else list(dict.fromkeys(_read(path, hash_of(path)).encoders))


def fields_of(model: str | None, reference_free: bool) -> list[str]:
    """Returns the fields besides the output that a model reads.

    Raises:
        UsageError: if it needs references, but is to score without.
    """
    if model is None:
        return ["source"] if reference_free else ["source", "references"]
    parameters = find_comet(model)[1]
    fields = [FIELDS[segment] for segment in parameters.segments if segment in FIELDS]
    if reference_free and "references" in fields and not parameters.may_lack_references:
        raise UsageError(f"the model '{model}' cannot score without references: it is a {parameters.kind} model")
    return [field for field in fields if field != "references"] if reference_free else fields


@functools.lru_cache(maxsize=16)
def _read(path: str, fingerprint: str) -> Hyperparameters:
    try:
        import yaml
    except ImportError as error:
        raise MissingExtraError("COMET", "PyYAML", "neural") from error
    try:
        with open(path, encoding="utf-8") as stream:
            values = yaml.safe_load(stream)
    except (yaml.YAMLError, OSError, ValueError) as error:
        raise DataError(f"cannot be read: {' '.join(message_of(error).split())}", path) from error
    if not isinstance(values, dict):
        raise DataError("must contain names with values, as the hyperparameters of a COMET model", path)
    return _parsed(values, path)


def _parsed(values: Mapping[str, Any], path: str) -> Hyperparameters:
    kind = str(_choice(values, "class_identifier", [f"{kind}_metric" for kind in _KINDS], path))[: -len("_metric")]
    is_joined = kind in ("unified", "xcomet")
    segments = ["mt", "src", "ref"] if kind == "xcomet" else values.get("input_segments", ["mt", "src", "ref"])
    has_words = kind == "xcomet" or (is_joined and bool(values.get("word_level_training")))
    transformation = {"layer_transformation": "sparsemax" if is_joined else "softmax", **values}
    layer_weights = str(_choice(transformation, "layer_transformation", _LAYER_WEIGHTS, path))
    return Hyperparameters(
        kind,
        str(_choice(values, "encoder_model", list(ENCODERS), path)),
        str(values.get("pretrained_model") or ""),
        _layer(values, "sent_layer" if is_joined else "layer", path),
        bool(values.get("layer_norm", kind != "xcomet")),
        layer_weights.replace("sparsemax_patch", "softmax"),  # as in the published program, whatever its name says
        "cls" if is_joined else str(_choice(values, "pool", ["avg", "max", "cls"], path)),
        _activation(values, "activations", path),
        _activation(values, "final_activation", path),
        _KINDS[kind] if not is_joined else _segments(segments, path),
        int(_layer(values, "word_layer", path)) if has_words else None,
        tuple(map(str, values.get("error_labels") or ("minor", "major", "critical")[: 3 if kind == "xcomet" else 2])),
    )


_LAYER_WEIGHTS = ("softmax", "sparsemax", "sparsemax_patch")
_KINDS = {
    "regression": ("mt", "src", "ref"),
    "referenceless_regression": ("mt", "src"),
    "unified": (),
    "xcomet": (),
}


def _choice(values: Mapping[str, Any], name: str, known: Sequence[str], path: str) -> Any:
    value = values.get(name)
    if value not in known:
        problem = f"'{name}' is missing" if value is None else UnknownNameError(name, str(value), known)
        raise DataError(f"{problem}; fw runs COMET models whose '{name}' is {', '.join(known)}", path)
    return value


def _layer(values: Mapping[str, Any], name: str, path: str) -> int | str:
    value = values.get(name)
    if value == "mix" and name != "word_layer":
        return "mix"
    if not isinstance(value, int | str) or isinstance(value, bool) or not str(value).isdecimal():
        raise DataError(
            f"'{name}' must be the number of a layer{', or mix' * (name != 'word_layer')}, got {value!r}", path
        )
    return int(value)


def _activation(values: Mapping[str, Any], name: str, path: str) -> str:
    value = values.get(name, "Tanh")
    if (values.get(name) is None) and name == "final_activation":
        return ""
    if str(value).title() not in ACTIVATIONS:
        raise DataError(f"'{name}' must be one of {', '.join(ACTIVATIONS)}, got {value!r}", path)
    return str(value).title()


def _segments(value: Any, path: str) -> tuple[str, ...]:
    if not isinstance(value, list) or "mt" not in value or not {"src", "ref"} & set(map(str, value)):
        raise DataError(f"'input_segments' must be a list of mt, and of src, ref or both, got {value!r}", path)
    return tuple(name for name in ("mt", "src", "ref") if name in value)
