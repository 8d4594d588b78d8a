"""MetricX: what its versions read, and the score that the decoder of a model gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from metrics_framework.common.errors import UnknownChoiceError, UsageError
from metrics_framework.neural.batches import Batches
from metrics_framework.neural.encoding import encode
from metrics_framework.neural.generation import first_logits, shortened
from metrics_framework.neural.models import Loaded

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


def scores_of(loaded: Loaded, texts: Sequence[str], max_length: int, batches: Batches) -> list[tuple[float, bool]]:
    """Returns the score of each text, and whether it was truncated.

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
    scores = [min(MAX_SCORE, max(0.0, logit)) for (logit,) in logits]
    return [(score, one.is_cut) for score, one in zip(scores, encoded, strict=True)]
