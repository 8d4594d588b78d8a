from __future__ import annotations

import base64
import hashlib
import shlex
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from learned_models import tiny_alignscore, tiny_comet
from web_server import Server

from metrics_framework.commands.app import main
from metrics_framework.common.installation import install_extra
from metrics_framework.io.child_process import module_command
from metrics_framework.metrics import REGISTRY
from metrics_framework.metrics.base.requirements import Package, Program, Resource, missing, specs_of

CONTENT = b"cat 3\ndog 2\n"
PLUGIN = '''
from metrics_framework import Metric, MetricsDict, ReferenceFreeMetric
from metrics_framework.metrics import REGISTRY
from metrics_framework.metrics.base.requirements import Package, Program, Resource

WORDS = Resource("words.txt", {url!r}, {size}, {sha256!r})


@Metric.register({name!r})
class Counted(ReferenceFreeMetric):
    """Counts words."""

    requirements = {requirements}

    def score_multi_all(self, summaries_list):
        return [[MetricsDict({{self.name: 1}}) for _ in summaries] for summaries in summaries_list]
'''


@pytest.fixture(autouse=True)
def cache_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("FW_CACHE", str(tmp_path / "cache"))


@pytest.fixture(autouse=True)
def registered_metrics(monkeypatch):
    """Forgets the metrics of a test."""
    REGISTRY.search()
    monkeypatch.setattr(REGISTRY, "entries", {**REGISTRY.entries})


def plugin(folder, name, requirements, url="http://127.0.0.1:9/words.txt", sha256=None):
    path = folder / f"{name.replace('-', '_')}.py"
    sha256 = sha256 or hashlib.sha256(CONTENT).hexdigest()
    path.write_text(
        PLUGIN.format(name=name, url=url, size=len(CONTENT), sha256=sha256, requirements=requirements), encoding="utf-8"
    )
    return ["--include-packages", str(path)]


def wheel(folder, name):
    """Writes a wheel of a package with one empty module."""
    record = []
    with zipfile.ZipFile(folder / f"{name}-1.0-py3-none-any.whl", "w") as archive:
        for file, text in (
            (f"{name}.py", ""),
            (f"{name}-1.0.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n"),
            (f"{name}-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"),
        ):
            archive.writestr(file, text)
            digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode().rstrip("=")
            record.append(f"{file},sha256={digest},{len(text)}")
        archive.writestr(f"{name}-1.0.dist-info/RECORD", "\n".join([*record, f"{name}-1.0.dist-info/RECORD,,\n"]))


# ---- requirements ----------------------------------------------------------------------------------------------------


def test_packages_and_programs_are_found_without_importing_them() -> None:
    assert Package("json").is_met()
    assert not Package("fw_no_such_package").is_met()
    assert Package("fw_no_such_package", alternative="json").is_met()
    assert Program("sh", "").is_met()
    assert missing([Package("json"), Program("fw-no-such-program", "get it")]) == [
        Program("fw-no-such-program", "get it")
    ]


def test_an_extra_is_what_the_project_declares() -> None:
    assert specs_of("simplification") == ["pysbd>=0.3.4", "wordfreq>=3"]
    assert specs_of("no-such-extra") == []


def test_how_to_get_it() -> None:
    assert Package("wordfreq", "simplification").how_to_get_it() == (
        f"needs the package 'wordfreq': {install_extra('simplification')}"
    )
    assert Package("a", specs=("a>=1",)).how_to_get_it() == "needs the package 'a': pip install 'a>=1'"
    assert Program("java", "install Java").how_to_get_it() == "needs the program 'java': install Java"


# ---- fw list metrics -------------------------------------------------------------------------------------------------


def test_the_list_says_what_is_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flags = plugin(tmp_path, "needy", '[Package("json"), Package("fw_none"), Program("fw-none", "get it"), WORDS]')
    assert main(["list", "metrics", "--format", "tsv", *flags]) == 0
    ready = {row.split("\t")[0]: row.split("\t")[3] for row in capsys.readouterr().out.splitlines()}
    assert ready["needy"] == "needs fw_none, fw-none, words.txt"
    assert ready["sari"] == "yes"
    assert ready["external"] == "with --command"


# ---- fw setup metric -------------------------------------------------------------------------------------------------


def test_a_metric_that_needs_nothing_is_ready(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["setup-metric", "sari"]) == 0
    assert capsys.readouterr().out == "'sari' is ready\n"


@pytest.mark.slow
def test_a_wheel_is_installed_from_a_folder(tmp_path: Path, capfd: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "wheels").mkdir()
    (tmp_path / "target").mkdir()
    wheel(tmp_path / "wheels", "fw_tiny_package")
    monkeypatch.setenv("PIP_TARGET", str(tmp_path / "target"))  # not into the environment of the tests
    monkeypatch.setenv("PIP_DISABLE_PIP_VERSION_CHECK", "1")
    monkeypatch.syspath_prepend(str(tmp_path / "target"))
    flags = plugin(tmp_path, "with-package", '[Package("fw_tiny_package", specs=("fw_tiny_package>=1",))]')
    words = ["setup-metric", "with-package", "--from-dir", str(tmp_path / "wheels"), *flags]
    assert main([*words, "--dry-run"]) == 0
    planned = capfd.readouterr().out
    assert not list((tmp_path / "target").iterdir())
    assert main(words) == 0
    assert (tmp_path / "target" / "fw_tiny_package.py").exists()
    output = capfd.readouterr().out
    command = (
        f"{shlex.join(module_command('pip', 'install'))} --no-index --find-links {tmp_path}/wheels 'fw_tiny_package>=1'"
    )
    assert planned == f"'with-package' needs:\n  the package fw_tiny_package: missing\nwill run: {command}\n"
    assert output == f"{planned}'with-package' is ready\n"
    assert main(words) == 0
    assert "the package fw_tiny_package: found\n'with-package' is ready\n" in capfd.readouterr().out


@pytest.mark.slow
def test_a_package_that_pip_does_not_find_fails(tmp_path: Path, capfd: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_TARGET", str(tmp_path / "target"))
    flags = plugin(tmp_path, "without-package", '[Package("fw_none", specs=("fw_none",))]')
    assert main(["setup-metric", "without-package", "--from-dir", str(tmp_path), *flags]) == 1
    assert "fw: error: pip ended with exit code 1: " in capfd.readouterr().err


def test_a_file_is_downloaded_and_verified(tmp_path: Path, web: Server, capsys: pytest.CaptureFixture[str]) -> None:
    web.files["/words.txt"] = CONTENT
    flags = plugin(tmp_path, "with-file", "[WORDS]", f"{web.url}/words.txt")
    assert main(["setup-metric", "with-file", *flags]) == 0
    path = tmp_path / "cache" / "resources" / "words.txt"
    assert path.read_bytes() == CONTENT
    assert capsys.readouterr().out == (
        f"'with-file' needs:\n  the file words.txt: missing\nwill download {web.url}/words.txt (12 bytes) to {path}\n"
        "'with-file' is ready\n"
    )
    path.unlink()
    web.files["/words.txt"] = b"x" * len(CONTENT)
    assert main(["setup-metric", "with-file", *flags]) == 1
    assert "the file has the SHA-256" in capsys.readouterr().err
    assert not path.exists()


def test_a_file_is_copied_from_a_folder_and_verified(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flags = plugin(tmp_path, "file-from-folder", "[WORDS]")
    words = ["setup-metric", "file-from-folder", "--from-dir", str(tmp_path), *flags]
    assert main(words) == 1
    assert capsys.readouterr().err == (
        f"fw: error: {tmp_path}/words.txt: does not exist; it is the file of http://127.0.0.1:9/words.txt\n"
    )
    (tmp_path / "words.txt").write_bytes(b"x" * 12)
    assert main(words) == 1
    assert f"fw: error: {tmp_path}/words.txt: has the SHA-256" in capsys.readouterr().err
    (tmp_path / "words.txt").write_bytes(CONTENT)
    assert main(words) == 0
    assert (tmp_path / "cache" / "resources" / "words.txt").read_bytes() == CONTENT
    assert Resource("words.txt", "", 12, "").is_met()


def test_a_program_is_only_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flags = plugin(tmp_path, "with-program", '[Program("fw-none", "install it"), Package("json")]')
    assert main(["setup-metric", "with-program", *flags]) == 1
    result = capsys.readouterr()
    assert result.out == (
        "'with-program' needs:\n  the program fw-none: missing\n  the package json: found\n"
        "cannot be set up here: needs the program 'fw-none': install it\n"
    )
    assert result.err == "fw: error: 'with-program' needs the program 'fw-none': install it\n"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["no/such-model", "two words"])
def test_a_model_that_cannot_be_downloaded(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch", reason="needs the extra 'neural'")
    assert main(["setup-metric", "supert", "--model", name]) == 1
    result = capsys.readouterr()
    assert f"will download the model {name} to the cache of the Hugging Face hub" in result.out
    assert f"fw: error: cannot download the model '{name}': " in result.err


@pytest.mark.slow
def test_a_local_model_is_ready(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch", reason="needs the extra 'neural'")
    assert main(["setup-metric", "supert", "--model", str(tmp_path)]) == 0
    assert capsys.readouterr().out.endswith("'supert' is ready\n")


# ---- checkpoints and their encoders ----------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_checkpoint_needs_its_encoder_too(
    tiny_models: Callable[..., str], no_network: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = Path(tiny_comet(tmp_path)["model"])
    assert main(["setup-metric", "comet", "--model", str(folder), "--dry-run"]) == 0
    out = capsys.readouterr().out
    assert f"the checkpoint {folder}: found" in out
    assert "the encoder an-encoder: missing" in out
    assert "will download the configuration and the tokenizer of the encoder an-encoder, without weights" in out
    assert main(["setup-metric", "comet", "--model", str(folder)]) == 1
    err = capsys.readouterr().err
    assert "needs the encoder an-encoder: bring its folder, with config.json" in err
    assert "give it as --encoder" in err


@pytest.mark.slow
def test_without_a_network_two_folders_are_named(
    tiny_models: Callable[..., str], no_network: None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["setup-metric", "comet", "--model", "Unbabel/none"]) == 1
    result = capsys.readouterr()
    assert "will download hparams.yaml and checkpoints/model.ckpt of Unbabel/none" in result.out
    assert "bring two folders: that of the checkpoint, with hparams.yaml and checkpoints/model.ckpt, as" in result.err


@pytest.mark.slow
def test_a_checkpoint_of_a_file_names_its_encoder(
    tiny_models: Callable[..., str], no_network: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tiny_alignscore(tmp_path)["model"]
    assert main(["setup-metric", "alignscore", "--model", model, "--dry-run"]) == 0
    assert "the encoder an-encoder: missing" in capsys.readouterr().out
    assert main(["setup-metric", "alignscore", "--model", "no/such/model.ckpt", "--dry-run"]) == 0
    out = capsys.readouterr().out
    assert "will download model.ckpt of no/such" in out
    assert "the encoder that the checkpoint names: missing" in out


@pytest.mark.slow
def test_metricx_needs_the_tokenizer_of_mt5(
    tiny_models: Callable[..., str], no_network: None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["setup-metric", "metricx", "--model", "google/metricx-24-none", "--dry-run"]) == 0
    out = capsys.readouterr().out
    assert "the model google/metricx-24-none: missing" in out
    assert "the tokenizer google/mt5-xl: missing" in out
