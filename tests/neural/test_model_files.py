"""Files of a model that can run code: Python files named in a configuration, and weights that are pickles."""

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

from metrics_framework import load as load_metric
from metrics_framework.common.errors import DataError
from metrics_framework.io.model_files import code_files, not_loaded, pickles
from metrics_framework.neural import models
from metrics_framework.neural.models import load
from metrics_framework.neural.sources import ModelSource, folder_of

Models = Callable[..., str]
pytestmark = pytest.mark.usefixtures("no_network")


def with_own_code(model: str, folder: Path, file: str, **changes: dict[str, Any]) -> Path:
    """Copies a model, changes its configurations, and adds a Python file; returns the file that this would write."""
    shutil.copytree(model, folder)
    for name, values in changes.items():
        path = folder / f"{name}.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), **values}))
    marker = folder.parent / "marker"
    (folder / file).write_text(f"open({str(marker)!r}, 'w').close()\n\nclass Own:\n    pass\n")
    return marker


def answering_yes(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs a program in Python that finds the answer "y" on its standard input, again and again."""
    program = (
        f"from metrics_framework.common.errors import FwError\ntry:\n    {program}\nexcept FwError as error:\n    "
    )
    program += "sys.exit(f'{type(error).__name__}: {error}')"
    return subprocess.run(
        [sys.executable, "-c", f"import sys\n{program}", *arguments], input="y\n" * 20, capture_output=True, text=True
    )


LOADED = "from metrics_framework.neural import models; models.load(sys.argv[2], sys.argv[1])"
TOKENIZER = "from metrics_framework.neural import models; models.tokenizer_of(models.find_model(sys.argv[1]), False)"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("task", "program", "file", "changes"),
    [
        (
            "encoder", LOADED, "configuration_own.py",
            {"config": {"model_type": "own", "auto_map": {"AutoConfig": "configuration_own.Own"}}},
        ),
        (
            "sequence-classification", LOADED, "modeling_own.py",  # transformers has no classifier of texts with CLIP
            {"config": {"model_type": "clip", "auto_map": {"AutoModelForSequenceClassification": "modeling_own.Own"}}},
        ),
        (
            "encoder", TOKENIZER, "tokenization_own.py",  # transformers has no tokenizer for ViT
            {
                "config": {"model_type": "vit"},
                "tokenizer_config": {
                    "tokenizer_class": "Own", "auto_map": {"AutoTokenizer": ["tokenization_own.Own", None]},
                },
            },
        ),
    ],
    ids=["configuration", "model", "tokenizer"],
)  # fmt: skip
def test_code_of_a_model_is_never_run_and_no_question_is_asked(
    tiny_models: Models, tmp_path: Path, task: str, program: str, file: str, changes: Any
) -> None:
    marker = with_own_code(tiny_models(task), tmp_path / "own", file, **changes)
    done = answering_yes(program, str(tmp_path / "own"), task)
    assert not marker.exists()
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"DataError: {tmp_path / 'own'}: the ")
    assert f"needs its own code, {file} (see 'auto_map' in its configuration)" in done.stderr
    assert "'fw external' or 'fw precomputed'" in done.stderr


@pytest.mark.slow
def test_an_architecture_of_transformers_is_loaded_without_the_code_in_its_folder(
    tiny_models: Models, tmp_path: Path
) -> None:
    changes = {"auto_map": {"AutoConfig": "configuration_own.Own", "AutoModel": "modeling_own.Own"}}
    marker = with_own_code(tiny_models(), tmp_path / "own", "configuration_own.py", config=changes)
    done = answering_yes(LOADED, str(tmp_path / "own"), "encoder")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert not marker.exists()


def test_every_part_of_a_model_is_loaded_without_its_code(tiny_models: Models, monkeypatch: pytest.MonkeyPatch) -> None:
    import transformers

    options: dict[str, dict[str, Any]] = {}
    for name in ("AutoConfig", "AutoModel", "AutoTokenizer"):
        original = getattr(transformers, name).from_pretrained

        def record(*arguments: Any, name: str = name, original: Any = original, **given: Any) -> Any:
            options[name] = given
            return original(*arguments, **given)

        monkeypatch.setattr(getattr(transformers, name), "from_pretrained", record)
    models.clear()
    load("encoder", tiny_models())
    assert [given["trust_remote_code"] for given in options.values()] == [False] * 3
    assert options["AutoModel"]["weights_only"] is True


def with_pickled_weights(model: str, folder: Path, **more: Any) -> dict[str, Any]:
    """Copies a model with its weights as a pickle; returns the weights."""
    import torch
    from safetensors.torch import load_file

    shutil.copytree(model, folder)
    weights: dict[str, Any] = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    torch.save({**weights, **more}, folder / "pytorch_model.bin")
    return weights


class Attack:
    """Runs a command when a pickle of it is loaded."""

    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self) -> Any:
        return os.system, (f"touch '{self.marker}'",)


def test_a_pickle_that_would_run_a_program_is_refused(tiny_models: Models, tmp_path: Path) -> None:
    with_pickled_weights(tiny_models(), tmp_path / "pickled", attack=Attack(tmp_path / "marker"))
    with pytest.raises(DataError) as caught:
        load("encoder", str(tmp_path / "pickled"))
    assert not (tmp_path / "marker").exists()
    assert caught.value.path == str(tmp_path / "pickled")
    for part in ("pytorch_model.bin cannot be read as tensors only", "system", "safetensors.torch.save_file("):
        assert part in caught.value.message


def test_pickled_tensors_are_loaded_and_score_as_in_safetensors(tiny_models: Models, tmp_path: Path) -> None:
    with_pickled_weights(tiny_models(), tmp_path / "pickled")
    scores = [
        load_metric("bertscore", model=model, num_layers=2).score("the cat", ["a dog sat"])
        for model in (str(tmp_path / "pickled"), tiny_models())
    ]
    assert scores[0] == scores[1]


def test_a_damaged_pickle_is_an_error_that_names_it(tiny_models: Models, tmp_path: Path) -> None:
    with_pickled_weights(tiny_models(), tmp_path / "pickled")
    (tmp_path / "pickled" / "pytorch_model.bin").write_text("version https://git-lfs.github.com/spec/v1\n")
    with pytest.raises(DataError, match="the model cannot be loaded"):
        load("encoder", str(tmp_path / "pickled"))


def test_the_conversion_that_the_error_advises_works(
    tiny_models: Models, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import safetensors.torch
    import torch

    folder = tmp_path / "pickled"
    with_pickled_weights(tiny_models(), folder, trained_in=tmp_path)
    with pytest.raises(DataError) as caught:
        load("encoder", str(folder))
    monkeypatch.chdir(folder)
    conversion = caught.value.message.partition("convert it: ")[2].replace("FILE", "'pytorch_model.bin'")
    exec(conversion, {"torch": torch, "safetensors": safetensors})
    assert pickles(str(folder)) == []
    assert load("encoder", str(folder)).model.config.num_hidden_layers == 3


@pytest.mark.parametrize(
    ("config", "tokenizer", "expected"),
    [
        ("{}", "{}", []),
        ('{"auto_map": {"AutoConfig": "a.A", "AutoModel": "b.B"}}', "{}", ["a.py", "b.py"]),
        ('{"auto_map": {"AutoModel": "owner/name--b.B"}}', '{"auto_map": ["t.T", null]}', ["owner/name/b.py", "t.py"]),
        ('{"auto_map": {"AutoConfig": "a.A"}}', '{"auto_map": {"AutoTokenizer": [null, "a.T"]}}', ["a.py"]),
        ("[", "[1]", []),
        ('{"auto_map": 3}', '{"auto_map": null}', []),
    ],
)
def test_code_files_are_those_that_the_configurations_name(
    tmp_path: Path, config: str, tokenizer: str, expected: list[str]
) -> None:
    (tmp_path / "config.json").write_text(config)
    (tmp_path / "tokenizer_config.json").write_text(tokenizer)
    assert code_files(str(tmp_path)) == expected
    assert code_files(str(tmp_path / "nothing")) == []


def test_code_of_a_model_of_the_hub_is_named_from_the_local_cache(
    tiny_models: Models, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import huggingface_hub

    changes = {"auto_map": {"AutoConfig": "configuration_own.Own"}}
    with_own_code(tiny_models(), tmp_path / "own", "configuration_own.py", config=changes)
    cached = str(tmp_path / "own" / "config.json")
    monkeypatch.setattr(huggingface_hub, "try_to_load_from_cache", lambda name, file, revision: cached)
    source = ModelSource("owner/name", "1234", "owner/name@1234")
    assert folder_of(source) == str(tmp_path / "own")
    error = not_loaded("model", source.name, folder_of(source), ValueError("set trust_remote_code=True"))
    assert (error.path, "configuration_own.py" in error.message) == ("owner/name", True)
