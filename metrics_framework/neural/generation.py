"""Text-to-text models: probabilities of texts, the questions of UniEval, and the scores of MetricX.

A template of UniEval is a JSON object with an object for each dimension of quality. Its ``question`` is a text, and its
``parts`` map the names of texts to fields of an output. If ``sentences`` is ``mean`` or ``sum``, the question is asked
about each sentence of the summary, and the scores are combined so; otherwise it is asked about the whole summary.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import resources
from math import exp
from typing import TYPE_CHECKING, Any, Literal

from metrics_framework.common.errors import DataError, UnknownChoiceError, UnknownNameError, UsageError, message_of
from metrics_framework.io.content import hash_of
from metrics_framework.neural.encoding import Batches, Encoded, encode, padded
from metrics_framework.neural.models import Loaded

if TYPE_CHECKING:
    import torch

_MAX_EXPONENT = 700.0  # beyond it, numbers are infinite
_IGNORED = -100
"""The id of padding in labels, which transformers ignores."""


def shortened(loaded: Loaded, max_length: int) -> Loaded:
    """Returns the model with another limit of the number of tokens.

    It is not higher than that of the model, except for models with relative positions, such as T5: the limit of their
    tokenizers is only that of their training.
    """
    if hasattr(loaded.model.config, "relative_attention_num_buckets"):
        return replace(loaded, max_length=max_length)
    return replace(loaded, max_length=min(max_length, loaded.max_length))


def mean_log_probabilities(loaded: Loaded, pairs: Sequence[Sequence[str]], batches: Batches) -> list[list[Any]]:
    """Returns the mean log probability of the tokens of a text given another text, and which texts are truncated.

    Args:
        loaded: An encoder–decoder.
        pairs: For each value the text that the encoder reads, and that whose tokens are predicted.
        batches: Runs the batches.
    """
    texts = list(dict.fromkeys(text for pair in pairs for text in pair))
    encoded = dict(zip(texts, encode(loaded, texts), strict=True))
    inputs = [(encoded[given], encoded[target]) for given, target in pairs]
    values = batches.run(
        [len(given.ids) + len(target.ids) for given, target in inputs],
        lambda batch: _means(loaded, [inputs[index] for index in batch]),
    )
    return [[value, [given.is_cut, target.is_cut]] for value, (given, target) in zip(values, inputs, strict=True)]


def _means(loaded: Loaded, batch: Sequence[tuple[Encoded, Encoded]]) -> list[float]:
    import torch

    length = max(len(target.ids) for _, target in batch)
    labels = torch.tensor(
        [target.ids + [_IGNORED] * (length - len(target.ids)) for _, target in batch], device=loaded.device
    )
    with torch.inference_mode():
        logits = loaded.model(**_inputs(loaded, [given for given, _ in batch]), labels=labels).logits.float()
        known = labels != _IGNORED
        chosen = logits.log_softmax(dim=-1).gather(-1, labels.clamp(min=0).unsqueeze(-1)).squeeze(-1)
        means: list[float] = ((chosen * known).sum(dim=1) / known.sum(dim=1)).tolist()
    return means


def answer_probabilities(
    loaded: Loaded, texts: Sequence[str], answers: tuple[str, str], batches: Batches
) -> list[list[Any]]:
    """Returns for each text the probability of the first of two answers, and in a list whether it is truncated.

    Args:
        loaded: An encoder–decoder.
        texts: The texts that the encoder reads.
        answers: The answers; each counts by its first token.
        batches: Runs the batches.
    """
    encoded = encode(loaded, texts)
    ids = [one.ids[0] for one in encode(loaded, answers)]
    logits = first_logits(loaded, encoded, loaded.model.config.decoder_start_token_id, ids, batches)
    return [
        [1 / (1 + exp(min(other - first, _MAX_EXPONENT))), [one.is_cut]]
        for (first, other), one in zip(logits, encoded, strict=True)
    ]


def first_logits(
    loaded: Loaded, encoded: Sequence[Encoded], start: int, ids: Sequence[int], batches: Batches
) -> list[list[float]]:
    """Returns the logits of some tokens as the first token that the decoder generates, for each input.

    Args:
        loaded: An encoder–decoder.
        encoded: The inputs.
        start: The id of the token that the decoder starts with.
        ids: The ids of the tokens.
        batches: Runs the batches.
    """
    import torch

    def logits_of(batch: Sequence[Encoded]) -> list[list[float]]:
        starts = torch.full((len(batch), 1), start, device=loaded.device)
        with torch.inference_mode():
            logits = loaded.model(**_inputs(loaded, batch), decoder_input_ids=starts).logits[:, 0].float()
            chosen: list[list[float]] = logits[:, list(ids)].tolist()
        return chosen

    return batches.of_encoded(encoded, logits_of)


def _inputs(loaded: Loaded, batch: Sequence[Encoded]) -> dict[str, torch.Tensor]:
    """Returns the inputs of the encoder; encoder–decoders have no token types."""
    inputs = padded(loaded, batch)
    inputs.pop("token_type_ids", None)
    return inputs


TEMPLATES = ("data-to-text", "dialogue", "summarization")
FIELDS = ("summary", "references", "source", "documents")
_SEPARATOR = " </s> "


@dataclass(frozen=True)
class Dimension:
    """A dimension of quality.

    Attributes:
        question: The question.
        parts: The fields of the texts that it is about, by the names of the texts.
        sentences: How the scores of sentences are combined, ``mean`` or ``sum``; empty for the whole summary.
    """

    question: str
    parts: Mapping[str, str]
    sentences: str = ""

    @property
    def has_reference(self) -> bool:
        """Whether the question is about a reference, too."""
        return "references" in self.parts.values()

    def combined(self, scores: Sequence[float]) -> float:
        """Returns the score of a summary, from those of its sentences or of the whole."""
        return math.fsum(scores) / (1 if self.sentences == "sum" else len(scores))

    def text(self, fields: Mapping[str, str]) -> str:
        """Returns what the model reads.

        >>> Dimension("Is it short?", {"text": "summary"}).text({"summary": "A cat."})
        'question: Is it short? </s> text: A cat.'
        """
        parts = [f"{name}: {fields[field]}" for name, field in self.parts.items()]
        return _SEPARATOR.join([f"question: {self.question}", *parts])


def load_dimensions(template: str) -> tuple[dict[str, Dimension], str]:
    """Returns the dimensions of a template, and what names it in signatures.

    Args:
        template: The name of a shipped template, or the path of a file.

    Raises:
        UnknownNameError: if there is no template of this name.
        DataError: if the file is no template.
    """
    if template in TEMPLATES:
        text = resources.files("metrics_framework.neural").joinpath(f"unieval_{template}.json").read_text("utf-8")
        return _parsed(text, template), template
    if not template.endswith(".json"):
        raise UnknownNameError("template", template, (*TEMPLATES, "the path of a JSON file"))
    try:
        with open(template, encoding="utf-8") as stream:
            text = stream.read()
    except (OSError, ValueError) as error:
        raise DataError(f"cannot be read: {message_of(error)}", template) from error
    return _parsed(text, template), f"sha256-{hash_of(template)[:8]}"


def _parsed(text: str, path: str) -> dict[str, Dimension]:
    try:
        content = json.loads(text)
    except ValueError as error:
        raise DataError(f"must contain a JSON object: {message_of(error)}", path) from error
    if not isinstance(content, dict) or not content:
        raise DataError("must contain a JSON object with an object for each dimension", path)
    return {name: _dimension(name, value, path) for name, value in content.items()}


def _dimension(name: str, value: Any, path: str) -> Dimension:
    if not isinstance(value, dict) or not isinstance(value.get("question"), str):
        raise DataError(f"the dimension '{name}' must be an object with a 'question' and 'parts'", path)
    parts, sentences = value.get("parts"), value.get("sentences", "")
    if not isinstance(parts, dict) or "summary" not in parts.values() or not set(parts.values()) <= set(FIELDS):
        raise DataError(
            f"the 'parts' of the dimension '{name}' must map names of texts to fields ({', '.join(FIELDS)}), one of "
            "which is summary",
            path,
        )
    if sentences not in ("", "mean", "sum"):
        raise DataError(f"'sentences' of the dimension '{name}' must be mean or sum, got {sentences!r}", path)
    if unknown := value.keys() - {"question", "parts", "sentences"}:
        raise DataError(f"the dimension '{name}' has the unknown names {', '.join(sorted(unknown))}", path)
    return Dimension(value["question"], parts, sentences)


Version = Literal["23", "24"]
MAX_LENGTHS: Mapping[Version, int] = {"23": 1024, "24": 1536}
SCORE_ID, START_ID = 250089, 0
"""The token whose logit is the score (``<extra_id_10>``), and the token that the decoder starts with."""
MAX_SCORE = 25.0


def version_of(version: Version | None, model: str | None, name: str) -> Version:
    """Returns a given version, or the one that the name of a model contains; the newest one without a model.

    Args:
        version: The given version.
        model: The model as it is given, for messages.
        name: Its name, in lower case.

    Raises:
        UnknownChoiceError: if the given version is unknown.
        UsageError: if the name contains none.

    >>> version_of(None, "google/metricx-23-qe-xl-v2p0", "google/metricx-23-qe-xl-v2p0")
    '23'
    """
    if version is not None and version not in MAX_LENGTHS:
        raise UnknownChoiceError("version", version, MAX_LENGTHS)
    if version is not None or model is None:
        return version or "24"
    found = [known for known in MAX_LENGTHS if f"metricx-{known}" in name]
    if not found:
        raise UsageError(f"the name '{model}' does not contain metricx-23 or metricx-24: set 'version' to 23 or 24")
    return found[0]


def text_of(version: Version, candidate: str, source: str | None, reference: Sequence[str]) -> str:
    """Returns what a model reads.

    Args:
        version: The version.
        candidate: The output.
        source: The source; `None` if the model does not read it.
        reference: The reference; empty if the model does not read it.

    >>> text_of("24", "C", "S", ["R"]), text_of("23", "C", None, ["R"])
    ('source: S candidate: C reference: R', 'candidate: C reference: R')
    """
    parts = [f"candidate: {candidate}"]
    if source is not None:
        parts.insert(0 if version == "24" else 1, f"source: {source}")
    return " ".join([*parts, *(f"reference: {text}" for text in reference)])


def scores_of(loaded: Loaded, texts: Sequence[str], max_length: int, batches: Batches) -> list[list[Any]]:
    """Returns for each text its score, and in a list whether it is truncated.

    Args:
        loaded: The model.
        texts: The texts.
        max_length: The largest number of tokens, with the end token, which the model does not read.
        batches: Runs the batches.
    """
    loaded = shortened(loaded, max_length)
    encoded = encode(loaded, texts)
    without_end = [one._replace(ids=one.ids[:-1]) for one in encoded]
    logits = first_logits(loaded, without_end, START_ID, [SCORE_ID], batches)
    return [[min(MAX_SCORE, max(0.0, logit)), [one.is_cut]] for (logit,), one in zip(logits, encoded, strict=True)]
