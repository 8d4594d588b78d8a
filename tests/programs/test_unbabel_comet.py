"""COMET against unbabel-comet, which needs NumPy 1 and transformers 4: an environment of its own.

`.ci/run` shows how to install it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from learned_models import tiny_comet

from metrics_framework import load

pytestmark = [pytest.mark.usefixtures("no_network"), pytest.mark.filterwarnings("ignore")]
CLASSES: list[dict[str, Any]] = [
    {"class_identifier": "regression_metric"},
    {"class_identifier": "regression_metric", "pool": "max", "layer": 1, "final_activation": "Sigmoid"},
    {"class_identifier": "regression_metric", "pool": "cls", "layer_norm": True, "layer_transformation": "sparsemax"},
    {"class_identifier": "referenceless_regression_metric", "layer_norm": True},
    {"class_identifier": "unified_metric", "input_segments": ["mt", "src"]},
    {"class_identifier": "unified_metric", "word_level_training": True},
    {"class_identifier": "xcomet_metric", "error_labels": ["minor", "major", "critical"], "word_level_training": True},
]
TEXTS = [
    ("the cat sat on the mat .", "a big dog sat on it .", "the small cat was on a mat ."),
    ("the quick brown fox jumps over the lazy dog", "a fox .", "the fox jumps over a dog"),
    ("it was a cat", "it was the cat and the dog " * 3, "a"),
    ("one two three four " * 12, "one two three", "one two " * 9),
    ("", "the cat", "a cat"),
    ("", "", ""),
    ("the cat sat .\n\nit was a dog", "it was . " * 30, "a"),
]


@pytest.fixture
def program(tiny_models: object, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """A function that scores with unbabel-comet, as its program does."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        comet = pytest.importorskip("comet", reason="needs unbabel-comet, which has an environment of its own")
        import transformers

    def score(paths: dict[str, str], with_references: bool) -> Any:
        original = transformers.XLMRobertaTokenizerFast.from_pretrained
        monkeypatch.setattr(  # MiniLM has the tokenizer of a model on the hub
            transformers.XLMRobertaTokenizerFast,
            "from_pretrained",
            lambda name, **options: original(paths["encoder"] if name == "xlm-roberta-base" else name, **options),
        )
        file = Path(paths["model"]) / "checkpoints" / "model.ckpt"
        model = comet.load_from_checkpoint(str(file), strict=False, local_files_only=True)
        rows = [{"mt": m, "src": s, **({"ref": r} if with_references else {})} for m, s, r in TEXTS]
        return model.predict(rows, batch_size=2, gpus=0, progress_bar=False, num_workers=0)

    return score


@pytest.mark.parametrize("encoder", ["XLM-RoBERTa", "XLM-RoBERTa-XL", "BERT", "MiniLM", "RemBERT"])
@pytest.mark.parametrize("changes", CLASSES, ids=lambda changes: "-".join(map(str, changes.values())))
def test_scores_and_spans_equal_those_of_the_program(
    changes: dict[str, Any], encoder: str, program: Callable[..., Any], tmp_path: Path
) -> None:
    encoder_folder = str(tmp_path / "encoder")
    paths = tiny_comet(tmp_path, encoder_model=encoder, pretrained_model=encoder_folder, **changes)
    can_do_both = changes["class_identifier"] == "xcomet_metric" or changes.get("word_level_training")
    for reference_free in [False, True] if can_do_both else [False]:
        metric = load("comet", **paths, reference_free=reference_free, cache=False)
        with_references = "references" in metric.required_context_fields
        expected = program(paths, with_references)
        columns = {"references": [[r] for *_, r in TEXTS], "source": [s for _, s, _ in TEXTS]}
        fields = {name: columns[name] for name in metric.required_context_fields}
        found = metric.score_all([m for m, *_ in TEXTS], **fields)
        assert [scores["comet"] for scores in found] == pytest.approx(expected["scores"], abs=5e-6)
        spans = expected.get("metadata", {}).get("error_spans")
        if spans is not None:
            shown = [[span for span in one if span["start"] < span["end"]] for one in spans]
            predicted = [scores.annotations["predicted_spans"] for scores in found]
            keys = ("start", "end", "severity", "text")
            assert [[[span[key] for key in keys] for span in one] for one in predicted] == [
                [[span[key] for key in keys] for span in one] for one in shown
            ]
