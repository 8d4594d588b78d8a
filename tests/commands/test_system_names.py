"""Names and order of systems, from the flags to the table, the macro file and the rows."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from shlex import split
from typing import Any

import pytest
from json_files import read_json, read_rows, write_json, write_rows

Run = Callable[..., Any]
TEXTS = {
    "zebra/out.txt": "a cat sat\nthe dog\n",
    "ape/out.txt": "a dog sat\nthe cat\n",
    "ref.txt": "a cat sat\na dog\n",
}


@pytest.fixture
def texts(fw: Run) -> None:
    """Outputs of two systems in files of the same name, and references."""
    for name, text in TEXTS.items():
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(text, encoding="utf-8")


def systems_of(found: Any) -> list[str]:
    """Returns the systems of the macro file, of the rows and of the table, after checking that they agree."""
    assert found.code == 0, found.err
    macro = read_json("macro.json")
    rows = read_rows("micro.jsonl")
    systems = list(macro["systems"])
    assert list(macro["num_outputs"]) == systems
    assert list(dict.fromkeys(row["summarizer_id"] for row in rows)) == systems
    assert [line.split()[0] for line in found.out.splitlines()[2 : 2 + len(systems)]] == systems
    return systems


RUN = "ter evaluate macro.json micro.jsonl --references ref.txt --outputs"
NAMES = [
    ("zebra/out.txt ape/out.txt", ["zebra", "ape"], "the folders, in the order given"),
    ("ape/out.txt zebra/out.txt", ["ape", "zebra"], "the order given"),
    ("theirs=zebra/out.txt ours=ape/out.txt", ["theirs", "ours"], "names"),
    ("zebra/out.txt 猫のシステム=ape/out.txt", ["out", "猫のシステム"], "one name"),
]


@pytest.mark.parametrize(("words", "names", "why"), NAMES, ids=[why for *_, why in NAMES])
def test_systems_have_their_names_in_the_order_given(
    words: str, names: list[str], why: str, fw: Run, texts: None
) -> None:
    assert systems_of(fw(*split(f"{RUN} {words}"))) == names


@pytest.mark.parametrize("jobs", [1, 2])
def test_systems_of_rows_are_in_the_order_of_their_first_rows(jobs: int, fw: Run, datasets_path: Path) -> None:
    rows = (datasets_path / "simplification" / "outputs.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    random.Random(3).shuffle(rows)
    Path("in.jsonl").write_text("".join(rows), encoding="utf-8")
    first = list(dict.fromkeys(json.loads(row)["summarizer_id"] for row in rows))
    assert first != sorted(first)
    found = fw(*split(f"sari evaluate macro.json micro.jsonl --input-files in.jsonl --confidence --jobs {jobs}"))
    macro = read_json("macro.json")
    assert list(macro["systems"]) == list(macro["num_outputs"]) == list(macro["intervals"]["systems"]) == first
    assert [macro["significance"]["baseline"], *macro["significance"]["systems"]] == first
    assert found.code == 0


def test_a_configuration_names_systems(fw: Run, texts: None) -> None:
    config = {"metrics": "ter", "outputs": ["b=zebra/out.txt", "a=ape/out.txt"], "references": "ref.txt"}
    write_json("config.json", config)
    assert systems_of(fw(*split("evaluate macro.json micro.jsonl --config config.json"))) == ["b", "a"]


def test_a_file_may_have_an_equals_sign_in_its_name(fw: Run, texts: None) -> None:
    for name in ("lr=1.txt", "lr=2.txt"):
        Path(name).write_text(TEXTS["ape/out.txt"], encoding="utf-8")
    assert systems_of(fw(*split(f"{RUN} lr=1.txt lr=2.txt"))) == ["lr=1", "lr=2"]
    assert systems_of(fw(*split(f"{RUN} ./lr=1.txt ours=lr=2.txt"))) == ["lr=1", "ours"]
    Path("1.txt").write_text("", encoding="utf-8")
    both = fw(*split(f"{RUN} lr=1.txt"))
    assert both.code == 2
    assert "'lr=1.txt' is a file, and '1.txt' is too; use './lr=1.txt'" in both.err
    assert "'lr=./1.txt'" in both.err
    missing = fw(*split(f"{RUN} ours=nowhere.txt"))
    assert (missing.code, "nowhere.txt: cannot be read" in missing.err) == (1, True)


def test_score_and_report_name_systems(fw: Run, texts: None) -> None:
    words = "--references ref.txt --outputs b=zebra/out.txt a=ape/out.txt"
    assert fw(*split(f"ter score scores.jsonl {words}")).code == 0
    rows = read_rows("scores.jsonl")
    assert {row["summarizer_id"] for row in rows} == {"a", "b"}
    report = fw(*split(f"report page.html {words} --sources ref.txt --metric ter --no-confidence"))
    assert report.code == 0, report.err
    page = Path("page.html").read_text(encoding="utf-8")
    assert '"b"' in page or ">b<" in page


def test_outputs_against_a_test_set_have_names(fw: Run, texts: None) -> None:
    rows = [{"instance_id": str(number), "references": ["a cat"], "source": "the cat"} for number in (1, 2)]
    write_rows("set.jsonl", rows)
    words = "ter evaluate macro.json micro.jsonl --dataset set.jsonl --outputs"
    assert systems_of(fw(*split(f"{words} zebra/out.txt ape/out.txt"))) == ["zebra", "ape"]
    assert systems_of(fw(*split(f"{words} b=zebra/out.txt a=ape/out.txt"))) == ["b", "a"]


def test_rows_without_a_system_are_named_like_files(fw: Run) -> None:
    for folder in ("zebra", "ape"):
        Path(folder).mkdir()
        rows = [{"instance_id": number, "summary": f"a {folder}", "references": ["a cat"]} for number in (1, 2)]
        write_rows(Path(folder, "out.jsonl"), rows)
    words = "ter evaluate macro.json micro.jsonl --input-files zebra/out.jsonl ape/out.jsonl"
    assert systems_of(fw(*split(words))) == ["zebra", "ape"]
