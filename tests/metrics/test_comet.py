"""COMET against scores and spans of unbabel-comet 2.2.7, and against a computation from its definition."""

from __future__ import annotations

import json
import math
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from json_files import read_rows
from learned_models import tiny_comet
from messages import TEXT_TOO_LONG
from samples import sampled

from metrics_framework import load
from metrics_framework.commands.app import main
from metrics_framework.common.errors import DataError, UsageError
from metrics_framework.neural import models

Shared = Callable[[str], Path]
pytestmark = pytest.mark.usefixtures("no_network")
GOLDEN = ["comet-da", "comet-softmax", "comet-layer", "comet-qe", "kiwi", "kiwi-words", "unite", "unite-ref", "xcomet"]
RUNS = [
    *((name, run) for name in GOLDEN for run in ("batch 1", "batch 8")),
    *((name, "without references") for name in ("kiwi", "kiwi-words", "unite", "xcomet")),
]
TOLERANCE = 2e-6
M, S, R = "the cat sat on the mat .", "a big dog sat on it .", "the small cat was on a mat ."


@pytest.fixture(autouse=True)
def _needs_torch(tiny_models: object) -> None:
    """Skips the tests without torch and transformers."""


def golden_metric(shared_path: Shared, name: str, **options: Any) -> Any:
    folder = shared_path("golden/learned")
    encoder = folder / ("encoder-xl" if name == "xcomet" else "encoder")
    return load("comet", model=str(folder / name), encoder=str(encoder), **options)


def fields_of(metric: Any, samples: list[dict[str, str]]) -> dict[str, Any]:
    columns = {"references": [[one["ref"]] for one in samples], "source": [one["src"] for one in samples]}
    return {field: columns[field] for field in metric.required_context_fields}


@pytest.mark.parametrize(("name", "run"), sampled(RUNS, 2))
def test_scores_and_spans_equal_those_of_the_program(name: str, run: str, shared_path: Shared) -> None:
    saved = json.loads(shared_path("golden/learned/comet.json").read_text())
    expected = saved["models"][name][run]
    metric = golden_metric(
        shared_path, name, batch_size=1 if run == "batch 1" else 8, reference_free=run == "without references"
    )
    summaries = [one["mt"] for one in saved["samples"]]
    found = metric.score_all(summaries, **fields_of(metric, saved["samples"]))
    assert [scores["comet"] for scores in found] == pytest.approx(expected["scores"], abs=TOLERANCE)
    spans = expected.get("metadata", {}).pop("error_spans", None)
    for part, values in expected.get("metadata", {}).items():
        names = "comet_" + part.removesuffix("_scores")
        assert [scores[names] for scores in found] == pytest.approx(values, abs=TOLERANCE)
    if spans is not None:
        predicted = [scores.annotations["predicted_spans"] for scores in found]
        shown = [[span for span in of_output if span["start"] < span["end"]] for of_output in spans]
        keys = ("start", "end", "severity", "text")
        assert [[[span[key] for key in keys] for span in one] for one in predicted] == [
            [[span[key] for key in keys] for span in one] for one in shown
        ]
        confidences = [[[span["confidence"] for one in spans for span in one]] for spans in (predicted, shown)]
        assert confidences[0][0] == pytest.approx(confidences[1][0], abs=TOLERANCE)


def test_the_score_of_a_system_is_that_of_the_program(shared_path: Shared) -> None:
    saved = json.loads(shared_path("golden/learned/comet.json").read_text())
    metric = golden_metric(shared_path, "unite", precision="float32")
    samples = saved["samples"]
    macro, _ = metric.evaluate([one["mt"] for one in samples], **fields_of(metric, samples))
    expected = saved["models"]["unite"]["batch 8"]["system_score"]
    assert macro["comet"] == pytest.approx(expected, abs=TOLERANCE)


# ---- encoders that are not in the golden data, against a computation for one text at a time --------------------------


def mixture(paths: dict[str, str], *texts: str) -> tuple[Any, Any]:
    """The mixture of layers for one text or a pair that the tokenizer joins, and the weights of the checkpoint."""
    import torch
    import transformers

    content = torch.load(Path(paths["model"]) / "checkpoints" / "model.ckpt", weights_only=True)["state_dict"]
    config = transformers.AutoConfig.from_pretrained(paths["encoder"])
    tokenizer = transformers.AutoTokenizer.from_pretrained(paths["encoder"])
    model = transformers.AutoModel.from_config(config)
    prefix = "encoder.model."
    model.load_state_dict({key[len(prefix) :]: value for key, value in content.items() if key.startswith(prefix)})
    inputs = tokenizer(*texts, return_tensors="pt", return_token_type_ids=True)
    if config.model_type != "bert" or tokenizer.cls_token == "<s>":
        inputs.pop("token_type_ids")
    with torch.inference_mode():
        layers = model.eval()(**inputs, output_hidden_states=True).hidden_states
    scalars = [content[f"layerwise_attention.scalar_parameters.{index}"].item() for index in range(len(layers))]
    total = math.fsum(map(math.exp, scalars))
    mixed = sum(math.exp(scalar) / total * layer[0].numpy() for scalar, layer in zip(scalars, layers, strict=True))
    return content["layerwise_attention.gamma"].item() * mixed, content


def estimate(vector: Any, content: Any) -> float:
    import numpy as np

    for index in (0, 3, 6):
        vector = (
            content[f"estimator.ff.{index}.weight"].numpy() @ vector + content[f"estimator.ff.{index}.bias"].numpy()
        )
        vector = np.tanh(vector) if index < 6 else vector
    return float(vector[0])


@pytest.mark.parametrize("encoder", sampled(["BERT", "MiniLM", "RemBERT", "XLM-RoBERTa"], 1))
def test_regression_models_follow_their_definition(encoder: str, tmp_path: Path) -> None:
    import numpy as np

    paths = tiny_comet(tmp_path, encoder_model=encoder)
    m, s, r = (mixture(paths, text)[0].mean(axis=0) for text in (M, S, R))
    vector = np.concatenate([m, r, m * r, abs(m - r), m * s, abs(m - s)])
    expected = estimate(vector, mixture(paths, M)[1])
    for batch_size in (1, 3):
        found = load("comet", **paths, batch_size=batch_size, cache=False).score_all([M, "a"], [[R], [R]], [S, S])
        assert found[0]["comet"] == pytest.approx(expected, abs=TOLERANCE)


@pytest.mark.parametrize("encoder", sampled(["BERT", "MiniLM", "RemBERT", "XLM-RoBERTa"], 1))
def test_unified_models_join_texts_as_pairs_of_their_tokenizer(encoder: str, tmp_path: Path) -> None:
    paths = tiny_comet(tmp_path, encoder_model=encoder, class_identifier="unified_metric", input_segments=["mt", "src"])
    states, content = mixture(paths, M, S)
    metric = load("comet", **paths, cache=False)
    assert metric.fields == ("summary", "source")
    alone = metric.score(M, S)["comet"]
    assert alone == pytest.approx(estimate(states[0], content), abs=TOLERANCE)
    with_longer = metric.score_all([M, f"{M} {M}"], [S, S])[0]["comet"]
    if encoder in ("BERT", "RemBERT"):  # the program pads with token type 1, which is masked
        assert with_longer == pytest.approx(alone, abs=TOLERANCE)
    assert with_longer == pytest.approx(alone, abs=TOLERANCE)


# ---- what surrounds the models ---------------------------------------------------------------------------------------


def test_several_references_are_combined(tmp_path: Path) -> None:
    paths = tiny_comet(tmp_path)
    single = [load("comet", **paths).score(M, [text], S)["comet"] for text in (R, S)]
    assert load("comet", **paths).score(M, [R, S], S)["comet"] == pytest.approx(sum(single) / 2, abs=TOLERANCE)
    metric = load("comet", **paths, reference_aggregation="max")
    assert metric.score(M, [R, S], S)["comet"] == pytest.approx(max(single), abs=TOLERANCE)
    assert "|reference_aggregation:max|" in metric.signature()


def test_each_distinct_sentence_is_encoded_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from metrics_framework.neural import comet as sentences

    encoded: list[int] = []
    real = sentences.sentence_vectors
    monkeypatch.setattr(
        sentences, "sentence_vectors", lambda model, batch: encoded.append(len(batch)) or real(model, batch)
    )
    metric = load("comet", **tiny_comet(tmp_path), cache=False)
    metric.score_multi([M, S, M], [R, R], S)
    metric.score(R, [M], S)
    assert math.fsum(encoded) == 3


def test_the_signature_states_the_class_the_checkpoint_and_the_encoder(tmp_path: Path) -> None:
    first, second = (load("comet", **tiny_comet(tmp_path / str(seed), seed=seed)).signature() for seed in (1, 2))
    assert "|class:regression|" in first
    assert first != second
    assert first.split("|")[2].startswith("encoder:")
    assert first.split("|")[2] == second.split("|")[2]


def test_rows_have_the_spans_that_error_spans_compares(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = tiny_comet(tmp_path, class_identifier="xcomet_metric", error_labels=["minor", "major", "critical"])
    texts = [M, S, R, "the lazy dog .", "one two three four it was a cat"]
    outputs, rows, human = (tmp_path / name for name in ("outputs.jsonl", "rows.jsonl", "human.jsonl"))
    ids = [{"instance_id": str(index), "summarizer_id": "a"} for index in range(len(texts))]
    outputs.write_text("".join(
        json.dumps({**one, "summary": text, "references": [R], "source": S}) + "\n"
        for one, text in zip(ids, texts, strict=True)
    ))  # fmt: skip
    human.write_text("".join(json.dumps({**one, "spans": [{"start": 0, "end": 5}]}) + "\n" for one in ids))
    options = ["--model", paths["model"], "--encoder", paths["encoder"]]
    assert main(["comet", "score", str(rows), "--input-files", str(outputs), *options]) == 0
    written = read_rows(rows)
    spans = [span for row in written for span in row["predicted_spans"]]
    assert spans
    assert {"start", "end", "severity", "confidence", "text"} == set(spans[0])
    macro, micro = str(tmp_path / "macro.json"), str(tmp_path / "micro.jsonl")
    files = ["--dataset-reader", "error-spans", "--input-files", str(human), str(rows)]
    assert main(["error-spans", "evaluate", macro, micro, *files]) == 0
    assert json.loads(Path(macro).read_text())["num_instances"] == len(texts)
    capsys.readouterr()
    twice = ["--metric", "comet:label=x", "--metric", "comet:label=y", "--input-files", str(outputs)]
    twice = [part.replace("comet:", f"comet:model={paths['model']},encoder={paths['encoder']},") for part in twice]
    assert main(["score", str(tmp_path / "two.jsonl"), *twice]) == 2
    assert "'x' and 'y' both write 'predicted_spans'" in capsys.readouterr().err


def test_texts_that_are_too_long_are_counted(tmp_path: Path) -> None:
    metric = load("comet", **tiny_comet(tmp_path))
    for _ in range(2):  # the second time from the cache
        metric.score_all([f"{M} " * 9, M], [[R], [R]], [S, S])
        assert metric.notes() == [f"comet: 1 text {TEXT_TOO_LONG}"]


def test_a_model_that_needs_references_cannot_do_without(tmp_path: Path) -> None:
    paths = tiny_comet(tmp_path)
    with pytest.raises(UsageError, match="cannot score without references: it is a regression model"):
        load("comet", **paths, reference_free=True)
    free = tiny_comet(tmp_path / "free", class_identifier="referenceless_regression_metric")
    assert load("comet", **free).fields == ("summary", "source")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"class_identifier": "ranking_metric"}, "'ranking_metric'"),
        ({"class_identifier": None}, "'class_identifier' is missing"),
        ({"encoder_model": "GPT"}, "'GPT'"),
        ({"pool": "default"}, "'default'"),
        ({"layer": "last"}, "'layer' must be the number of a layer, or mix, got 'last'"),
        ({"layer": 3}, "has no layer 3: its encoder has the layers 0 to 2"),
        ({"activations": "eval"}, "'activations' must be one of"),
        ({"layer_transformation": "entmax"}, "'entmax'"),
        ({"class_identifier": "unified_metric", "input_segments": ["src"]}, "'input_segments' must be"),
        ({"class_identifier": "xcomet_metric", "error_labels": ["a"]}, "predicts 3 labels of words"),
    ],
)
def test_what_the_hyperparameters_must_not_be(changes: dict[str, Any], message: str, tmp_path: Path) -> None:
    paths = tiny_comet(tmp_path)
    file = Path(paths["model"]) / "hparams.yaml"
    file.write_text(json.dumps({**json.loads(file.read_text()), **changes}))
    with pytest.raises(DataError, match=message):
        load("comet", **paths).score(M, [R], S)


def test_a_folder_without_a_checkpoint_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="is not the folder of a checkpoint: it has no hparams"):
        load("comet", model=str(tmp_path))
    with pytest.raises(UsageError, match="does not exist; a checkpoint is a folder"):
        load("comet", model=str(tmp_path / "none"))


def test_half_a_download_is_an_error_with_its_size(tmp_path: Path) -> None:
    paths = tiny_comet(tmp_path)
    file = Path(paths["model"]) / "checkpoints" / "model.ckpt"
    file.write_bytes(file.read_bytes()[:5000])
    with pytest.raises(DataError, match="has 5,000 bytes") as caught:
        load("comet", **paths).score(M, [R], S)
    assert caught.value.path == str(file)


class Trap:
    """An object whose unpickling runs a program."""

    def __init__(self, marker: str) -> None:
        self.marker = marker

    def __reduce__(self) -> tuple[Any, ...]:
        return open, (self.marker, "w")


@pytest.mark.parametrize("is_zip", [True, False])
def test_a_checkpoint_that_is_more_than_weights_is_refused_by_name(is_zip: bool, tmp_path: Path) -> None:
    import torch

    paths = tiny_comet(tmp_path)
    file, marker = Path(paths["model"]) / "checkpoints" / "model.ckpt", tmp_path / "marker"
    content = {"state_dict": {}, "hyper_parameters": Trap(str(marker))}
    torch.save(content, file) if is_zip else file.write_bytes(pickle.dumps(content, protocol=2))
    with pytest.raises(DataError, match=r"open.*convert it: c = torch\.load"):
        load("comet", **paths).score(M, [R], S)
    assert not marker.exists()


def test_missing_weights_and_another_encoder_are_errors(tmp_path: Path) -> None:
    import torch

    paths = tiny_comet(tmp_path)
    file = Path(paths["model"]) / "checkpoints" / "model.ckpt"
    content = torch.load(file, weights_only=True)
    removed = content["state_dict"].pop("encoder.model.encoder.layer.0.output.dense.bias")
    torch.save(content, file)
    with pytest.raises(DataError, match=r"no weights for encoder\.model\.encoder\.layer\.0\.output\.dense\.bias"):
        load("comet", **paths).score(M, [R], S)
    content["state_dict"]["encoder.model.encoder.layer.0.output.dense.bias"] = removed[:3]
    torch.save(content, file)
    with pytest.raises(DataError, match="does not fit the configuration of its encoder"):
        load("comet", **paths, cache=False).score(M, [R], S)
    other = tiny_comet(tmp_path / "bert", encoder_model="BERT")
    with pytest.raises(DataError, match="is of the type 'bert'"):
        load("comet", model=paths["model"], encoder=other["encoder"]).score(M, [R], S)


def test_a_missing_encoder_is_named(tmp_path: Path) -> None:
    paths = tiny_comet(tmp_path)
    with pytest.raises(UsageError, match=r"the configuration and the tokenizer of its encoder, an-encoder: set 'encod"):
        load("comet", model=paths["model"]).score(M, [R], S)
    shutil.rmtree(paths["encoder"])
    with pytest.raises(UsageError, match="set 'encoder' to a folder with both"):
        load("comet", **paths).score(M, [R], S)


def test_a_model_is_loaded_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from metrics_framework.neural import comet as model

    paths = tiny_comet(tmp_path)
    load("comet", **paths, cache=False).score(M, [R], S)
    monkeypatch.setattr(model, "read_weights", lambda path: pytest.fail("the checkpoint was read again"))
    load("comet", **paths, cache=False).score(S, [R], S)
    models.clear()


def test_the_folders_of_model_and_encoder_are_files_of_the_run(tmp_path: Path) -> None:
    folders = tiny_comet(tmp_path)
    assert load("comet", **folders).files_read() == [folders["model"], folders["encoder"]]
