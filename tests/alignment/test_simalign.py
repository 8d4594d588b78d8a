"""The adapter of simalign, with a stand-in of the shape of simalign 0.4: no model can be downloaded in tests."""

from __future__ import annotations

import json
import pickle
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from metrics_framework.alignment import simalign
from metrics_framework.alignment.aligner import load_aligner
from metrics_framework.common.errors import DataError, MissingExtraError, UnknownNameError, UsageError

METHODS = {"a": "inter", "m": "mwmf", "i": "itermax", "f": "fwd", "r": "rev"}


class SentenceAligner:
    """Aligns equal words; what it was built with goes into `built`."""

    built: list[dict[str, Any]] = []

    def __init__(
        self,
        model: str = "bert",
        token_type: str = "bpe",
        distortion: float = 0.0,
        matching_methods: str = "mai",
        device: str = "cpu",
        layer: int = 8,
    ) -> None:
        self.matching_methods = [METHODS[letter] for letter in matching_methods]
        self.built.append({"model": model, "token_type": token_type, "methods": self.matching_methods, "layer": layer})

    def get_word_aligns(self, src_sent: list[str], trg_sent: list[str]) -> dict[str, list[tuple[int, int]]]:
        if len(src_sent) > 512:
            raise IndexError("index out of range in self")
        found = [(i, j) for j, two in enumerate(trg_sent) for i, one in enumerate(src_sent) if one == two]
        return dict.fromkeys(self.matching_methods, found)


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A folder that stands for a model, beside a package that stands for simalign."""
    module = ModuleType("simalign")
    module.SentenceAligner = SentenceAligner
    monkeypatch.setitem(sys.modules, "simalign", module)
    monkeypatch.setattr(SentenceAligner, "built", [])
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    simalign._loaded.cache_clear()
    yield str(tmp_path)
    simalign._loaded.cache_clear()


def test_pairs_come_sorted_from_the_matching_asked_for(model: str) -> None:
    aligner = load_aligner({"type": "simalign", "model": model, "matching": "itermax", "layer": 6})
    assert aligner.align(["a", "cat"], ["cat", "a"]) == [(0, 1), (1, 0)]
    assert aligner.align(["a"], ["b"]) == []
    assert SentenceAligner.built == [{"model": model, "token_type": "bpe", "methods": ["itermax"], "layer": 6}]


def test_texts_without_words_are_not_given_to_it(model: str) -> None:
    aligner = load_aligner(f"simalign:model={model}")
    assert aligner.align([], ["a"]) == aligner.align(["a"], []) == []
    assert SentenceAligner.built == []


def test_what_simalign_fails_with_is_an_error_of_ours(model: str) -> None:
    with pytest.raises(DataError, match="cannot align texts of 600 and 1 words: IndexError: index out of range"):
        load_aligner(f"simalign:model={model}").align(["a"] * 600, ["a"])


def test_a_model_with_code_of_its_own_is_not_given_to_it(model: str) -> None:
    configuration = {"model_type": "own", "auto_map": {"AutoConfig": "configuration_own.Own"}}
    (Path(model) / "config.json").write_text(json.dumps(configuration), encoding="utf-8")
    with pytest.raises(DataError, match=r"configuration_own\.py \(see 'auto_map'") as caught:
        load_aligner(f"simalign:model={model}").align(["a"], ["a"])
    assert caught.value.path == model
    assert SentenceAligner.built == []


def test_pickles_are_not_given_to_versions_of_transformers_that_would_run_them(
    model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    transformers = pytest.importorskip("transformers", reason="needs the extra 'neural'")
    aligner = load_aligner(f"simalign:model={model}")
    (Path(model) / "model.safetensors").rename(Path(model) / "pytorch_model.bin")
    aligner.align(["a"], ["a"])
    assert len(SentenceAligner.built) == 1
    simalign._loaded.cache_clear()
    monkeypatch.setattr(transformers.PreTrainedModel, "from_pretrained", lambda name: None)
    with pytest.raises(DataError, match=r"pytorch_model\.bin .*as tensors") as caught:
        aligner.align(["a"], ["a"])
    assert caught.value.path == model
    assert len(SentenceAligner.built) == 1


def test_a_model_that_simalign_cannot_load_is_an_error_with_its_folder(
    model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: SentenceAligner, **options: Any) -> None:
        raise pickle.UnpicklingError("Weights only load failed: GLOBAL posix.system")

    monkeypatch.setattr(SentenceAligner, "__init__", fail)
    with pytest.raises(DataError, match=r"tensors only .*posix\.system") as caught:
        load_aligner(f"simalign:model={model}").align(["a"], ["a"])
    assert caught.value.path == model


def test_the_signature_has_matching_layer_and_the_contents_of_the_model(model: str) -> None:
    signature = load_aligner(f"simalign:model={model}").signature()
    assert signature.startswith("simalign.inter.8.")
    assert load_aligner(f"simalign:model={model},layer=9").signature().startswith("simalign.inter.9.")
    (Path(model) / "model.safetensors").write_bytes(b"other weights")
    assert load_aligner(f"simalign:model={model}").signature() != signature


def test_it_goes_to_other_processes_without_the_model(model: str) -> None:
    aligner = load_aligner(f"simalign:model={model}")
    aligner.align(["a"], ["a"])
    assert pickle.loads(pickle.dumps(aligner)).align(["a"], ["a"]) == [(0, 0)]


def test_a_model_must_be_a_folder(model: str) -> None:
    with pytest.raises(UsageError, match=r"must be the folder of a model, got 'bert'; nothing is downloaded"):
        load_aligner("simalign:model=bert")


def test_an_unknown_matching_is_refused(model: str) -> None:
    with pytest.raises(UnknownNameError, match="'matching' must be one of inter, itermax, mwmf, got 'argmax'"):
        simalign.SimalignAligner(model, matching="argmax")
    with pytest.raises(UsageError, match="must be one of inter, itermax, mwmf"):
        load_aligner(f"simalign:model={model},matching=argmax")


def test_without_the_package_the_extra_is_named(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "simalign", None)
    with pytest.raises(MissingExtraError, match=r"metrics-framework\[simalign\]"):
        load_aligner(f"simalign:model={model}").align(["a"], ["a"])
