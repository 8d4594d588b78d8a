"""Learned metrics against their programs, for each option and kind of text, on tiny models that are built in code."""

from __future__ import annotations

import warnings
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from learned_models import tiny_nli
from samples import sampled

from metrics_framework import load
from metrics_framework.text.sentences import own_sentences

pytestmark = pytest.mark.usefixtures("no_network", "tiny_models")
TOLERANCE = 2e-6
ANIMALS, SIZES = ("cat", "dog", "fox", "mat"), ("big", "small", "quick", "lazy")
LONG = " ".join(f"The {size} {animal} sat on it." for size, animal in product(SIZES, ANIMALS))
SHORT = "The big dog sat on it. It was. The small cat was on a mat."
TEXTS = {  # kind: summary, document
    "one sentence": ("the cat sat on the mat.", "the big dog sat on it."),
    "short sentences": ("A cat. The dog sat on a mat. It was. the quick brown fox jumps.", SHORT),
    "more than ten sentences": (LONG, SHORT),
    "more than a hundred sentences": (SHORT, " ".join([SHORT] * 5 + [LONG] * 7)),
    "paragraphs": ("The cat sat on it.\n\nThe dog sat.\nA mat. It was.", "The dog was on it.\nA fox.\nIt was the cat."),
    "a short text": ("A cat.", "A dog."),
    "an empty summary": ("", SHORT),
    "an empty document": (SHORT, ""),
    "two empty texts": ("", ""),
}


def imported(name: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip(name, reason=f"needs the package {name.partition('.')[0]}, which .ci/run installs")


def assert_equal(found: list[float], expected: list[float]) -> None:
    """Compares scores of all texts, so that an error names their kinds."""
    assert dict(zip(TEXTS, found, strict=True)) == pytest.approx(dict(zip(TEXTS, expected, strict=True)), abs=TOLERANCE)


# ---- SummaC ----------------------------------------------------------------------------------------------------------

GRANULARITIES = ("sentence", "document", "paragraph", "2sents", "paragraph-sentence", "document-2sents")
OPERATIONS = [
    {"op1": first, "op2": second, "use_con": use_con}
    for (first, second), use_con in product([("max", "mean"), ("mean", "min"), ("min", "max")], (True, False))
]
CONVOLUTIONS = [{"variant": "conv"}, {"variant": "conv", "bins": [0, 0.25, 0.5, 0.75, 1]}]


@pytest.mark.filterwarnings("ignore")  # of the package
@pytest.mark.parametrize("options", sampled([*OPERATIONS, *CONVOLUTIONS]), ids=lambda one: str([*one.values()]))
@pytest.mark.parametrize("granularity", sampled(GRANULARITIES, 4))
def test_summac_equals_the_package(
    granularity: str, options: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch
    import transformers

    program = imported("summac.model_summac")
    model = tiny_nli(tmp_path / "nli", max_position_embeddings=512)["model"]
    known = {"model_card": model, "entailment_idx": 2, "contradiction_idx": 0}
    monkeypatch.setitem(program.model_map, "tiny", known)
    monkeypatch.setattr(program.nltk.tokenize, "sent_tokenize", lambda text: list(own_sentences(text)))
    monkeypatch.setattr(  # a method that newer versions of transformers have no longer
        transformers.PreTrainedTokenizerBase,
        "batch_encode_plus",
        lambda self, pairs, truncation_strategy, **others: self(*map(list, zip(*pairs, strict=True)), **others),
        raising=False,
    )
    others = {"granularity": granularity, "device": "cpu", "imager_load_cache": False}
    if options.get("variant") == "conv":
        torch.manual_seed(4)
        expected = program.SummaCConv(models=["tiny"], bins="even4" if "bins" in options else "percentile", **others)
        options = {**options, "weights": str(tmp_path / "weights.bin")}
        torch.save(expected.state_dict(), options["weights"])
    else:
        expected = program.SummaCZS(model_name="tiny", **others, **options)
    summaries, documents = map(list, zip(*TEXTS.values(), strict=True))
    metric = load("summac", model=model, granularity=granularity, **options)
    found = [scores["summac"] for scores in metric.score_all(summaries, [[text] for text in documents])]
    assert_equal(found, expected.score(documents, summaries)["scores"])
