"""BERTScore: similarity of the contextual embeddings of the tokens of summary and references."""

from __future__ import annotations

import functools
import importlib.util
import json
import math
import os
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from importlib import resources
from typing import Any

from metrics_framework.common.errors import DataError, UsageError
from metrics_framework.common.overriding import overrides
from metrics_framework.data.texts import Text, TextGroups, as_string
from metrics_framework.io.content import hash_of
from metrics_framework.io.reading import read_lines
from metrics_framework.metrics.base.metric import InputBatches, Metric
from metrics_framework.metrics.base.neural_metric import EmbeddedPairsMetric, transformers_version
from metrics_framework.neural.embeddings import (
    DocumentFrequencies,
    Embedder,
    Embedding,
    f1_of,
    greedy_matching,
    normalized,
    one_thread,
)
from metrics_framework.neural.encoding import encode
from metrics_framework.neural.models import Loaded
from metrics_framework.neural.sources import base_name

REFERENCES = "references"
"""The value of ``idf`` for the references of the call or of the run."""
FIRST_WITHOUT_PREFIX_SPACE = 5  # of transformers; it ignores the option that the package bert-score sets
PACKAGE_VERSION = "0.3.12"  # as release 0.3.13 of the package calls itself
NAMES = ("precision", "recall", "f1")


@Metric.register("bertscore")
@dataclass(eq=False, repr=False)
class BertScore(EmbeddedPairsMetric):
    """BERTScore: precision, recall and F1 of the most similar token embeddings of summary and reference.

    Each token of the summary is matched with the token of the reference whose contextual embedding has the highest
    cosine similarity. Precision is the mean similarity over the tokens of the summary, recall that over the tokens of
    the reference, F1 their harmonic mean. Special tokens can be matched, but have weight 0. With several references,
    each of the three scores is the highest one over the references.

    With ``idf``, means are weighted with log((N + 1) / (c + 1)) for a token in c of N references. With a baseline b,
    each score x becomes (x − b) / (1 − b).

    Range: −1 to 1, and usually 0.8 to 1; higher is better; with a baseline up to 1. Before they are rescaled, all
    scores are 0 if the summary or the reference is empty, or consists of characters that the tokenizer drops, such as
    U+200B or U+FFFD. Precision is NaN if all tokens of the summary have the weight 0, as with ``idf`` if all are in all
    references; so is recall, for the tokens of the reference. F1 is 0 then.

    Source: Zhang, Kishore, Wu, Weinberger and Artzi (ICLR 2020). Equal to the package bert-score 0.3.13 except for
    rounding.

    Args:
        model: The folder of an encoder in the format of Hugging Face's transformers, or its name on the hub; usually
            ``roberta-large`` for English texts.
        num_layers: The layer whose embeddings are compared; by default the one that the package bert-score chooses for
            a model of this name.
        idf: The references to compute idf weights from: ``references`` for those of the call or of the whole run, or a
            text file with one reference per line; no weights by default.
        add_prefix_space: Whether RoBERTa and GPT-2 tokenize the first word of a text like later words; by default as
            in the package bert-score, where they do with versions of transformers below 5.
        rescale_with_baseline: Whether to rescale the scores with a baseline: the mean scores of unrelated texts.
        baseline_path: The file of baselines, with the columns LAYER, P, R and F; by default a file of the installed
            package bert-score for the model and ``lang``.
        lang: The language of the baseline, such as ``en``.

    Raises:
        UsageError: if there is no such model, layer or device, or no baseline for it.
        DataError: if the model or a file cannot be loaded.
        MissingExtraError: if torch or transformers is not installed.
    """

    score_range = (None, 1 + 1e-6)
    ratios = ("bertscore_precision", "bertscore_recall", "bertscore_f1")
    definition = 2  # texts without tokens are scored as 0
    usual_model = "roberta-large"
    option_aliases = {"layer": "num_layers", "model_type": "model"}
    example_flags = "--model models/bert-base-uncased"
    citation = "zhang-etal-2020-bertscore"

    values_per_pair = 2

    num_layers: int | None = None
    idf: str | None = None
    add_prefix_space: bool | None = None
    rescale_with_baseline: bool = False
    baseline_path: str | None = None
    lang: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._embedder = Embedder(self.batches)
        self.needs_all_inputs = self.idf == REFERENCES
        if self.rescale_with_baseline:
            self.score_of_empty = "0 before they are rescaled"

    @overrides
    def signature_options(self) -> dict[str, Any]:
        return {
            "model": super().signature_options()["model"],
            "layer": self.layer() if self.model else self.num_layers,
            "prefix": self._prefix_space,
            "idf": self.idf if self.idf in (None, REFERENCES) else hash_of(self.idf),
            "baseline": self._baseline_signature(),
            "precision": self.precision,
        }

    @overrides
    def cache_options(self) -> dict[str, Any]:
        """Returns the options that precision and recall without a baseline depend on."""
        return {"layer": self.layer(), "prefix": self._prefix_space, "precision": self.precision}

    @overrides
    def other_signatures(self, refs: str) -> dict[str, str]:
        """Returns the hash code of the package bert-score, for the models that it knows by name."""
        if self.model not in known_layers() or self.idf not in (None, REFERENCES) or self.precision != "float32":
            return {}
        baseline = "custom-rescaled" if self.baseline_path else "rescaled"
        idf = "idf" if self.idf else "no-idf"
        code = f"{self.model}_L{self.layer()}_{idf}_version={PACKAGE_VERSION}"
        code += f"(hug_trans={transformers_version()})"
        return {"bert-score": f"{code}-{baseline}" if self.rescale_with_baseline else code}

    @overrides
    def files_read(self) -> list[str]:
        baselines = [self._baseline_file()] if self.rescale_with_baseline and self.model else []
        return [*super().files_read(), *baselines]

    def layer(self) -> int:
        """Returns the number of the layer whose embeddings are compared.

        Raises:
            UsageError: if none was given, and the package bert-score has none for the model.
        """
        if self.num_layers is not None:
            return self.num_layers
        name = base_name(self.required_model)
        if name not in known_layers():
            raise UsageError(
                f"'bertscore' does not know which layer of the model '{name}' to use: set 'num_layers'; it is known "
                f"for {len(known_layers())} models, such as roberta-large (17) and bert-base-uncased (9)"
            )
        return known_layers()[name]

    @overrides
    def prepared(self, inputs: InputBatches) -> AbstractContextManager[None]:
        """Counts the tokens of the references of each input once, however many systems have an output for it."""
        frequencies, known = DocumentFrequencies(), set[str]()
        for ids, (_, references_list) in inputs:
            new = {instance_id: index for index, instance_id in enumerate(ids) if instance_id not in known}
            known.update(new)
            self._count(frequencies, (text for index in new.values() for text in references_list[index]))
        return self.weighted_by(frequencies)

    @overrides
    def combined(self, values: Sequence[Sequence[float]]) -> dict[str, float]:
        """Returns the highest precision, recall and F1 over the references, rescaled."""
        scores = [(precision, recall, f1_of(precision, recall)) for precision, recall in values]
        baselines = self._baselines if self.rescale_with_baseline else (0.0, 0.0, 0.0)
        columns = zip(NAMES, zip(*scores, strict=True), baselines, strict=True)
        return {name: (_highest(column) - baseline) / (1 - baseline) for name, column, baseline in columns}

    @overrides
    def compute(self, pairs: Sequence[tuple[str, str]], weights: Any | None) -> list[list[Any]]:
        loaded = self._model()
        embeddings = self._embedder.embed(loaded, (text for pair in pairs for text in pair))
        with one_thread():
            vectors = {text: normalized(embedding.states[-1]) for text, embedding in embeddings.items()}
            of_tokens = {text: _weights(embedding, loaded, weights) for text, embedding in embeddings.items()}
            return self.with_flags(
                *(loaded, embeddings, pairs),
                lambda *pair: greedy_matching(*(vectors[text] for text in pair), *(of_tokens[text] for text in pair)),
            )

    def _model(self) -> Loaded:
        return self.loaded(layers=self.layer(), prefix_space=self._prefix_space)

    @property
    def _prefix_space(self) -> bool:
        if self.add_prefix_space is not None:
            return self.add_prefix_space
        return int(transformers_version().partition(".")[0] or FIRST_WITHOUT_PREFIX_SPACE) < FIRST_WITHOUT_PREFIX_SPACE

    # ---- idf weights ----

    @overrides
    def weights_of(self, summaries_list: TextGroups, references_list: TextGroups) -> Any | None:
        """Returns the frequencies in the file, or in the references of a call: each counts once per summary."""
        if self.idf is None:
            return None
        if self.idf != REFERENCES:
            return self._frequencies_in_file
        frequencies = DocumentFrequencies()
        for summaries, references in zip(summaries_list, references_list, strict=True):
            self._count(frequencies, references, len(summaries))
        return frequencies

    @functools.cached_property
    def _frequencies_in_file(self) -> DocumentFrequencies:
        frequencies, lines = DocumentFrequencies(), list(read_lines(str(self.idf)))
        if not lines:
            raise DataError("has no references, one per line", self.idf)
        self._count(frequencies, lines)
        return frequencies

    def _count(self, frequencies: DocumentFrequencies, references: Iterable[Text], times: int = 1) -> None:
        for encoded in encode(self._model(), [as_string(reference).strip() for reference in references]):
            frequencies.add(encoded.ids, times)

    # ---- baselines ----

    @functools.cached_property
    def _baselines(self) -> tuple[float, ...]:
        """The baselines of precision, recall and F1."""
        path, layer = self._baseline_file(), self.layer()
        for number, line in enumerate(read_lines(path), 1):
            values = line.split(",")
            if values[0].strip() == str(layer):
                try:
                    _, *baselines = map(float, values)
                except ValueError:
                    baselines = []
                if len(baselines) != len(NAMES) or any(not baseline < 1 for baseline in baselines):
                    raise DataError(f"must be LAYER,P,R,F with numbers below 1, got '{line}'", path, number)
                return tuple(baselines)
        raise DataError(f"has no baseline of layer {layer}", path)

    def _baseline_file(self) -> str:
        if self.baseline_path is not None:
            return self.baseline_path
        if self.lang is None:
            raise UsageError("rescaling needs a baseline: set 'lang', such as en, or 'baseline_path'")
        package = importlib.util.find_spec("bert_score")
        folders = package.submodule_search_locations if package is not None else None
        name = f"{base_name(self.required_model)}.tsv"
        for folder in folders or ():
            path = os.path.join(folder, "rescale_baseline", self.lang, name)
            if os.path.isfile(path):
                return path
        advice = "has no such baseline" if folders else "which has baselines, is not installed"
        raise UsageError(
            f"there is no baseline for '{base_name(self.required_model)}' and '{self.lang}': the package bert-score"
            f"{' ' if folders else ', '}{advice}; set 'baseline_path' to a file with the columns LAYER,P,R,F"
        )

    def _baseline_signature(self) -> str | None:
        if not self.rescale_with_baseline:
            return None
        if self.baseline_path is not None:
            return hash_of(self.baseline_path)
        return self.lang or "unknown"


def _highest(values: Sequence[float]) -> float:
    """Returns the highest value; NaN if one is NaN."""
    return math.nan if any(map(math.isnan, values)) else max(values)


def _weights(embedding: Embedding, loaded: Loaded, frequencies: DocumentFrequencies | None) -> list[float]:
    """Returns the weight of each token: its inverse document frequency, or 1 unless it is a special token."""
    ids = embedding.encoded.ids
    if frequencies is not None:
        return list(map(frequencies.inverse, ids))
    special = (loaded.tokenizer.cls_token_id, loaded.tokenizer.sep_token_id)
    return [float(token not in special) for token in ids]


@functools.cache
def known_layers() -> dict[str, int]:
    """Returns the layer that the package bert-score uses, for each model that it knows."""
    path = resources.files("metrics_framework.neural") / "bertscore_layers.json"
    layers: dict[str, int] = json.loads(path.read_text(encoding="utf-8"))
    return layers
