"""Learned metrics against their programs, for each option and kind of text, on tiny models that are built in code."""

from __future__ import annotations

import json
import math
import sys
import warnings
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from learned_models import tiny_nli
from neural_models import VOCABULARY, masked_lm
from recorded_programs import CASES, DOCUMENTS, RECORD, SUMMARIES, TEXTS, models
from samples import sampled

from metrics_framework import load
from metrics_framework.text.sentences import own_sentences

pytestmark = pytest.mark.usefixtures("no_network", "tiny_models")
TOLERANCE = 2e-6


def imported(name: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip(name, reason=f"needs the package {name.partition('.')[0]}, which .ci/run installs")


def scores_of(name: str, paths: dict[str, str], **options: Any) -> list[float]:
    """The score of each text; what is not a summary is its documents, its reference and its source."""
    metric = load(name, **paths, **options)
    if name == "bartscore":
        metric.loaded().model.double()  # as the program was run
    others = [[text] for text in DOCUMENTS]
    fields = {"documents": others, "references": others, "source": DOCUMENTS}
    found = metric.score_all(SUMMARIES, **{field: fields[field] for field in metric.required_context_fields})
    return [next(iter(scores.values())) for scores in found]


def assert_equal(found: list[float], expected: list[float | None]) -> None:
    """Compares scores of all texts for which the program has one, so that an error names their kinds."""
    by_kind = {kind: score for kind, score in zip(TEXTS, expected, strict=True) if score is not None}
    shown = {kind: score for kind, score in zip(TEXTS, found, strict=True) if kind in by_kind}
    assert shown == pytest.approx(by_kind, rel=TOLERANCE, abs=TOLERANCE)
    assert all(map(math.isfinite, found))


# ---- programs that are not on an index: saved scores -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "number"),
    sampled([(name, number) for name, cases in CASES.items() for number in range(len(cases))], 6),
)
def test_scores_equal_those_of_the_program(name: str, number: int, tmp_path: Path) -> None:
    expected = json.loads(RECORD.read_text(encoding="utf-8"))[name][number]
    found = scores_of(name, models(name, tmp_path / "model"), **CASES[name][number])
    assert_equal(found, expected)


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
    found = scores_of("summac", {"model": model}, granularity=granularity, **options)
    assert_equal(found, expected.score(DOCUMENTS, SUMMARIES)["scores"])


# ---- BLANC -----------------------------------------------------------------------------------------------------------

MASKS: list[dict[str, Any]] = [
    *({}, {"gap": 6}, {"gap": 4, "gap_mask": 2}, {"gap": 3, "gap_mask": 3}, {"gap": 1}, {"measure": "improve"}),
    *({"min_token_length_normal": 4}, {"min_token_length_lead": 1}, {"min_token_length_followup": 1}),
    *({"filler_token": "and"}, {"separator": "and :"}, {"min_sentence_tokens": 9}),
]


@pytest.mark.filterwarnings("ignore")  # of the package
@pytest.mark.parametrize("options", sampled(MASKS), ids=str)
def test_blanc_equals_the_package(options: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import transformers

    monkeypatch.setattr(transformers, "AdamW", object, raising=False)  # for BLANC-tune, in older versions
    monkeypatch.setitem(sys.modules, "blanc.shannon", SimpleNamespace(Shannon=None))  # needs models of older versions
    program = imported("blanc.blanc")
    folder = masked_lm(tmp_path / "model", VOCABULARY.split(), ["the", "cat", "dog", "big", "sat"])
    monkeypatch.setattr(program, "sent_tokenize", lambda text: list(own_sentences(text)))
    monkeypatch.setattr(sys.modules["blanc.utils"], "BERT_MAX_TOKENS", 64)
    monkeypatch.setattr(program, "BERT_MAX_TOKENS", 64)
    options = {"min_token_length_normal": 2, **options}
    names = {"separator": "help_sep", "min_sentence_tokens": "len_sent_allow_cut"}
    named = {names.get(name, name): value for name, value in options.items()}
    scorer = program.BlancHelp(model_name=folder, show_progress_bar=False, **named)
    found = scores_of("blanc", {"model": folder}, splitter="own", **options)
    assert [0 if math.isnan(score) else score for score in found] == scorer.eval_pairs(DOCUMENTS, SUMMARIES)
