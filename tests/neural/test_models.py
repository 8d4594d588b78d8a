"""Loading of models: tasks, limits, devices and errors."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from messages import HAS_LAYERS_FROM_1_TO, NO_LAYER

from metrics_framework import load as load_metric
from metrics_framework.common.errors import DataError, MissingExtraError, UnknownChoiceError, UsageError
from metrics_framework.neural.encoding import encode, hidden_states
from metrics_framework.neural.models import load
from metrics_framework.neural.sources import base_name, find_model

TASKS = ["encoder", "masked-lm", "sequence-classification", "question-answering", "text-to-text"]
Models = Callable[..., str]
pytestmark = pytest.mark.usefixtures("no_network")


@pytest.mark.parametrize("task", TASKS)
def test_a_model_is_loaded_once_for_inference(tiny_models: Models, task: Any) -> None:
    loaded = load(task, tiny_models(task), device="cpu")
    assert loaded is load(task, tiny_models(task))
    assert not loaded.model.training
    assert (loaded.device, str(loaded.model.dtype), loaded.max_length) == ("cpu", "torch.float32", 64)
    assert loaded.fingerprint == find_model(tiny_models(task)).fingerprint


@pytest.mark.parametrize(
    ("task", "kind", "message"),
    [
        ("sequence-classification", "encoder", "has no weights for classifier.bias, classifier.weight"),
        ("masked-lm", "encoder", "has no weights for cls.predictions.bias"),
        ("question-answering", "masked-lm", "has no weights for qa_outputs.bias"),
        ("text-to-text", "encoder", "ValueError: Unrecognized configuration"),
    ],
)
def test_a_checkpoint_of_another_task_is_an_error(tiny_models: Models, task: Any, kind: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        load(task, tiny_models(kind))


def test_an_encoder_of_another_checkpoint_is_fine(tiny_models: Models) -> None:
    assert load("encoder", tiny_models("masked-lm")).model.config.num_hidden_layers == 3


def test_precision_and_layers_can_be_chosen(tiny_models: Models) -> None:
    loaded = load("encoder", tiny_models(), precision="bfloat16", layers=2)
    assert str(loaded.model.dtype) == "torch.bfloat16"
    assert len(loaded.model.encoder.layer) == 2


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"precision": "int8"}, UnknownChoiceError, "'precision' must be one of float32, float16, bfloat16"),
        ({"device": "gpu"}, UsageError, "'device' must be auto, cpu, cuda, cuda:NUMBER or mps, got 'gpu'"),
        ({"layers": 4}, UsageError, f"{HAS_LAYERS_FROM_1_TO} 3; {NO_LAYER} 4"),
        ({"layers": 0}, UsageError, f"{NO_LAYER} 0"),
    ],
)
def test_wrong_options_are_errors(tiny_models: Models, options: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        load("encoder", tiny_models(), **options)


def test_a_device_is_checked_before_cached_scores_are_used() -> None:
    with pytest.raises(UsageError, match="'device' must be auto, cpu, cuda, cuda:NUMBER or mps, got 'cuda:x'"):
        load_metric("moverscore", model="any", device="cuda:x")


def test_a_missing_graphics_card_is_an_error(tiny_models: Models, monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(UsageError, match="'cuda:1' is not available: torch finds no CUDA device"):
        load("encoder", tiny_models(), device="cuda:1")


def test_a_missing_package_is_an_error(tiny_models: Models, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tiny_models()
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtraError, match=r"needs the package 'torch'.*metrics-framework\[neural\]"):
        load("encoder", folder)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ("./nothing", "there is no folder './nothing'"),
        ("/a/b/c", "there is no folder '/a/b/c'"),
        ("organization/name", "neither in the local cache of the Hugging Face hub nor can be downloaded"),
        ("name@revision", "cannot find the model 'name@revision'"),
        ("two words", "cannot find the model 'two words'"),
    ],
)
def test_a_model_that_does_not_exist_is_an_error(model: str, message: str) -> None:
    pytest.importorskip("huggingface_hub", reason="needs the extra 'neural'")
    with pytest.raises(UsageError, match=message):
        find_model(model)


def test_a_file_or_a_folder_without_a_model_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="is a file; a model is a folder"):
        find_model(str(tmp_path / "file"))
    with pytest.raises(DataError, match=r"is not the folder of a model: it has no config\.json"):
        find_model(str(tmp_path))
    (tmp_path / "config.json").write_text("{")
    with pytest.raises(DataError, match="cannot be read: JSONDecodeError"):
        find_model(str(tmp_path))
    (tmp_path / "config.json").write_text("[]")
    with pytest.raises(DataError, match="must contain a JSON object"):
        find_model(str(tmp_path))


@pytest.mark.parametrize("broken", ["weights", "no weights", "kind", "tokenizer"])
def test_a_broken_model_is_an_error(tiny_models: Models, tmp_path: Path, broken: str) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(tiny_models(), folder)
    weights = folder / "model.safetensors"
    if broken == "weights":
        weights.write_bytes(weights.read_bytes()[:5000])
    elif broken == "no weights":
        weights.unlink()
    elif broken == "kind":
        (folder / "config.json").write_text(json.dumps({"model_type": "unheard-of"}))
    else:
        (folder / "tokenizer.json").write_text("{}")
    with pytest.raises(DataError, match=f"the {'tokenizer' if broken == 'tokenizer' else 'model'} cannot be loaded"):
        load("encoder", str(folder))


def test_a_model_without_a_tokenizer_is_an_error(tiny_models: Models, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(tiny_models(), folder, ignore=shutil.ignore_patterns("tokenizer*"))
    with pytest.raises(DataError, match=r"the tokenizer cannot be loaded: its files are missing"):
        load("encoder", str(folder))


@pytest.mark.slow
def test_the_hub_is_asked_quietly_and_not_again_and_again() -> None:
    """Without a network, the client of the hub repeats a download for half a minute, and logs each time."""
    pytest.importorskip("huggingface_hub", reason="needs the extra 'neural'")
    program = """
import socket, time
tried = []
def refuse(*arguments, **options):
    tried.append(arguments[0])
    raise socket.gaierror(-2, "Name or service not known")
socket.getaddrinfo = refuse
from metrics_framework.common.errors import UsageError
from metrics_framework.neural.sources import find_model
start = time.monotonic()
try:
    find_model("organization/name")
except UsageError as error:
    print("cannot find the model" in str(error), len(tried) < 4, time.monotonic() - start < 20)
"""
    environment = {**os.environ, "HF_HUB_OFFLINE": "0", "HF_ENDPOINT": "http://hub.invalid"}
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment)
    assert (ended.stdout, ended.stderr) == ("True True True\n", "")


def test_the_fingerprint_is_of_the_contents(tiny_models: Models, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(tiny_models(), folder)
    before = find_model(str(folder)).fingerprint
    assert before == find_model(tiny_models()).fingerprint
    (folder / "config.json").write_text((folder / "config.json").read_text() + " ")
    assert find_model(str(folder)).fingerprint != before


def test_the_base_name_of_a_model_is_that_of_its_folder(tiny_models: Models) -> None:
    assert base_name(tiny_models()) == "tiny"
    assert base_name("./models/roberta-large/") == "roberta-large"
    assert base_name("a/b@main") == "a/b"


def test_long_and_hostile_texts_are_encoded(tiny_models: Models) -> None:
    loaded = load("encoder", tiny_models())
    texts = ["", " ", "\ud800", "\x00", "👩‍🚀 שלום", "a " * 500, "the cat"]
    encoded = encode(loaded, texts)
    assert [len(one.ids) for one in encoded][:2] == [2, 2]
    assert [one.is_cut for one in encoded] == [False] * 5 + [True, False]
    assert len(encoded[5].ids) == 64
    assert encode(loaded, []) == []
    assert [states.shape[1] for states in hidden_states(loaded, encoded)] == [len(one.ids) for one in encoded]


def test_hidden_states_do_not_depend_on_the_batch(tiny_models: Models) -> None:
    import torch

    loaded = load("encoder", tiny_models())
    encoded = encode(loaded, ["the cat sat on the mat", "a dog", "", "one two three ."])
    together = hidden_states(loaded, encoded, layers=2)
    for one, states in zip(encoded, together, strict=True):
        (alone,) = hidden_states(loaded, [one], layers=2)
        assert alone.shape == (2, len(one.ids), 32)
        assert torch.allclose(alone, states, atol=1e-5)
        inputs = {name: torch.tensor([values]) for name, values in (("input_ids", one.ids),)}
        with torch.inference_mode():
            plain = loaded.model(**inputs).last_hidden_state[0]
        assert torch.allclose(plain, states[-1], atol=1e-5)


@pytest.mark.slow
def test_loading_prints_nothing_even_if_warnings_are_errors(tiny_models: Models) -> None:
    code = f"from metrics_framework.neural.models import load; load('masked-lm', {tiny_models('masked-lm')!r})"
    run = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
