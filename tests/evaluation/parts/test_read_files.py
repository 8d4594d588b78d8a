"""Every option that names a file or a folder: the plan of a run in parts sees that its content has changed."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from registries import ALIGNERS, METRICS, READERS

from metrics_framework.common.errors import DataError, UsageError
from metrics_framework.common.options import Option, options_of
from metrics_framework.common.registrable import Registry
from metrics_framework.evaluation.parts.read_files import change_of, identities_of_input, identities_of_others
from metrics_framework.io import content

ENDPOINT = {"model", "url", "key_variable", "extra_body", "answers", "write_batch"}
CRITERION = {"criterion", "scale", "shown_fields"}
NO_FILES = {
    "alignscore": {"device"},
    "bartscore": {"device"},
    "comet": {"device", "model"},  # reads the folder when it is built; its own test has a model
    "metricx": {"device"},
    "summac": {"device", "granularity"},
    "unieval": {"device", "dimensions", "template"},  # the name of a template ends in .json
    "bertscore": {"lang", "device"},
    "blanc": {"filler_token", "separator", "device"},
    "cross-encoder": {"template", "device"},
    "external": {"fields", "version"},
    "google-rouge": {"rouge_types"},
    "jury": {*ENDPOINT, *CRITERION, "judges", "read_batch"},
    "faithfulness": {*ENDPOINT, "evidence"},
    "llm-judge": {*ENDPOINT, *CRITERION},
    "meteor": {"memory"},
    "moverscore": {"device"},
    "precomputed": {"score"},
    "question-answering": {"prompt", "device"},
    "supert": {"device"},
    "error-spans": {"rater"},
    "plain-text": {"systems"},
    "test-set": {"systems", "origlang"},
}
"""The options that are texts, but name no files that are read."""
COMMANDS = {"command": "program --config=PATH", "parser": "program --model PATH"}
WITH_ALIGNMENTS = "pharaoh:pairs=PATH,alignments=links.txt"
"""How options name a file if their value is not its path."""
CONTENTS = {
    "frequencies": "a\t10\nb\t20\n",
    "alignments": "0-0\n",
    "questions": '{"reference": "a"}\n',
    "examples": '{"summary": "a", "score": 1}\n',
}
"""What options read when an instance is built; `PAIRS` by default."""
PAIRS = "a ||| b\n"
TEMPLATES = {
    "template of llm-judge": "direct-assessment",
    "template of jury": "direct-assessment",
    "claims_template of faithfulness": "claims",
    "support_template of faithfulness": "claim-support",
}
"""The shipped templates that files of options are like."""
TOGETHER: dict[str, dict[str, Any]] = {
    f"{option} of {name}": {"criterion": "x"} for option in ("steps", "examples") for name in ("llm-judge", "jury")
} | {"weights of summac": {"variant": "conv"}, "model of metricx": {"version": "24"}}
"""Other options without which an option has no effect."""
ONLY_FOLDERS = {"model of simalign"}
ONLY_FILES = {
    "command of external",
    *TEMPLATES,
    "read_batch of llm-judge",
    "read_batch of faithfulness",
    *TOGETHER,
    "pairs of pharaoh",
    "alignments of pharaoh",
    "frequencies of quality-estimation",
    "questions of question-answering",
    "aligner of transformations",
    "aligner of samsa",
    "aligner of samsa-abl",
}


def cases(without: Collection[str]) -> list[Any]:
    """Returns the options that are texts or lists of texts, of all registered classes, except some."""
    found = []
    for registry in (METRICS, READERS, ALIGNERS):
        registry.search()
        for name in sorted(name for name, entry in registry.entries.items() if entry.alias_of is None):
            for option in options_of(registry.get(name), registry.base):
                case = f"{option.name} of {name}"
                is_text = option.kind == "str" or (option.kind, option.item, option.choices) == ("list", "str", ())
                if is_text and option.name not in NO_FILES.get(name, ()) and case not in without:
                    found.append(pytest.param(registry, name, option, id=case))
    return found


def value_of(name: str, option: Option, path: str) -> Any:
    """Returns the value of an option that names a file or folder."""
    if option.name == "aligner":
        return WITH_ALIGNMENTS.replace("PATH", path)
    if option.kind == "list":
        return [path]
    return COMMANDS[option.name].replace("PATH", path) if option.name in COMMANDS else path


def built(registry: Registry, name: str, option: Option, path: str) -> Any:
    """Returns an instance with an option that names a file or folder, and with its required options."""
    required = {one.name: "other.txt" for one in options_of(registry.get(name), registry.base) if one.required}
    required |= {"judges": ["a+b"]} if name == "jury" else {}
    required |= TOGETHER.get(f"{option.name} of {name}", {})
    return registry.get(name)(**{**required, option.name: value_of(name, option, path)})


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A working folder with a file, a folder and other files for required options."""
    monkeypatch.chdir(tmp_path)
    Path("other.txt").write_text("0-0\n")
    Path("links.txt").write_text("0-0\n")
    Path("read/inner").mkdir(parents=True)


def rewrite(path: Path) -> None:
    """Writes a file of the same size and time of modification."""
    status = path.stat()
    path.write_bytes(path.read_bytes()[::-1])
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def test_there_are_options_that_name_files() -> None:
    found = {case.id for case in cases(without=())}
    assert found > {*ONLY_FILES, *ONLY_FOLDERS, "passages of samsa", "references of default", "test_set of test-set"}


@pytest.mark.parametrize(("registry", "name", "option"), cases(ONLY_FOLDERS))
def test_a_file_that_an_option_names_is_in_the_plan(registry: Registry, name: str, option: Option) -> None:
    shipped = TEMPLATES.get(f"{option.name} of {name}")
    path = Path("read.md" if shipped else "read.txt")
    path.write_text(template_text(shipped) if shipped else CONTENTS.get(option.name, PAIRS))
    if option.name == "alignments":
        Path("other.txt").write_text(PAIRS)
    planned = {
        file["path"]: file for file in identities_of_others(built(registry, name, option, str(path)).files_read())
    }
    assert change_of(planned[str(path)]) == ""
    os.utime(path, ns=(1, 1))
    assert change_of(planned[str(path)]) == ""
    rewrite(path)
    assert re.fullmatch(r'hash "\w{12}" instead of "\w{12}"', change_of(planned[str(path)]))


@pytest.mark.parametrize(("registry", "name", "option"), cases(ONLY_FILES))
def test_the_files_of_a_folder_that_an_option_names_are_in_the_plan(
    registry: Registry, name: str, option: Option
) -> None:
    files = [Path("read/x"), Path("read/inner/y")]
    for file in files:
        file.write_text("first content")
    planned = {file["path"]: file for file in identities_of_others(built(registry, name, option, "read").files_read())}
    assert change_of(planned["read"]) == ""
    for file in files:
        rewrite(file)
    changes = r'inner/y has other content \(hash "\w+" .*\), x has other content \(hash .*'
    assert re.fullmatch(changes, change_of(planned["read"]))
    files[0].unlink()
    Path("read/z").touch()
    assert re.fullmatch(r"inner/y has .*, x is missing, z is new", change_of(planned["read"]))


def template_text(name: str) -> str:
    """Returns the text of a template of this package."""
    return (resources.files("metrics_framework.language_models") / "prompts" / f"{name}.md").read_text()


# ---- the limit, and what cannot be compared --------------------------------------------------------------------------


def test_large_files_and_folders_are_compared_by_size_and_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(content, "LIMIT", 5)
    Path("small").write_text("12345")
    Path("large").write_text("123456")
    for name in ("read/x", "read/inner/y"):
        Path(name).write_text("123")
    for others, is_small in ((["small"], True), (["large"], False), (["read"], False)):
        (planned,) = identities_of_others(others)
        assert ("hash" in json.dumps(planned)) == is_small
        assert ("modified" in json.dumps(planned)) == (not is_small)
        assert change_of(planned) == ""
        os.utime("read/x" if others == ["read"] else others[0], ns=(1, 1))
        assert change_of(planned).count("modified") == (not is_small)
    together = identities_of_input(["small", "read/x"])
    assert [list(file) for file in together] == [["path", "size", "modified"]] * 2
    assert [list(file) for file in identities_of_input(["small"])] == [["path", "size", "hash"]]


def test_a_folder_that_becomes_a_file_has_changed() -> None:
    Path("read/x").touch()
    (planned,) = identities_of_others(["read"])
    Path("read/x").unlink()
    Path("read/inner").rmdir()
    Path("read").rmdir()
    assert "x is missing" in change_of(planned) or "a file instead of a folder" in change_of(planned)
    Path("read").touch()
    assert "a file instead of a folder" in change_of(planned)


def test_a_missing_file_is_left_to_its_part_and_a_pipe_is_refused() -> None:
    assert identities_of_others(["missing"]) == [{"path": "missing"}]
    os.mkfifo("pipe")
    with pytest.raises(UsageError, match="'pipe' can be read only once"):
        identities_of_others(["pipe"])


def test_a_file_that_cannot_be_read_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(path: str, mode: str) -> None:
        raise OSError(5, "Input/output error")

    Path("read/inner/y").touch()
    monkeypatch.setattr(content, "open", fail, raising=False)
    with pytest.raises(DataError, match="cannot be read: Input/output error") as caught:
        identities_of_others(["read"])
    assert caught.value.path == os.path.join("read", "inner", "y")
