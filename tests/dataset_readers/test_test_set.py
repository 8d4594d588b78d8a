"""The reader ``test-set``; ``tests/commands/test_dataset_flag.py`` has what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tiny_dataset import FILES, REFERENCES, ROWS, SOURCES

from metrics_framework.common.errors import DataErrors
from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.dataset_readers.dataset_reader import load_reader

OUTPUTS = {"Good": FILES["outputs/Good.tok"], "Bad": FILES["outputs/Bad.tok.low"]}


@pytest.fixture
def paths(tmp_path: Path) -> dict[str, str]:
    """Writes a test set and the outputs of two systems; returns their paths."""
    (tmp_path / "set.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    for system, text in OUTPUTS.items():
        (tmp_path / f"{system}.txt").write_text(text, encoding="utf-8")
    return {
        name: str(tmp_path / f"{name}{end}") for name, end in (("set", ".jsonl"), ("Good", ".txt"), ("Bad", ".txt"))
    }


def test_line_n_of_every_file_is_joined_with_row_n_of_the_test_set(paths: dict[str, str]) -> None:
    instances = list(load_reader("test-set", test_set=paths["set"]).read(paths["Good"], paths["Bad"]))
    assert instances == [
        EvalInstance(
            str(number),
            system,
            "peer",
            {"summary": summary, "source": SOURCES[number - 1], "references": REFERENCES[number - 1]},
            paths[system],
            number,
        )
        for system, text in OUTPUTS.items()
        for number, summary in enumerate(text.removesuffix("\n").split("\n"), 1)
    ]
    for one, other in zip(instances[:3], instances[3:], strict=True):
        assert one.fields["references"] is other.fields["references"], "metrics prepare those of an object once"


def test_other_fields_of_the_test_set_come_along(paths: dict[str, str]) -> None:
    rows = [{"sent_id": 5, "orig_sent": "a", "grade": 3}]
    Path(paths["set"]).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    Path(paths["Good"]).write_text("b\n", encoding="utf-8")
    [instance] = load_reader("test-set", test_set=paths["set"]).read(paths["Good"])
    assert (instance.instance_id, instance.fields) == ("5", {"summary": "b", "source": "a", "grade": 3})


def test_all_bad_rows_of_a_test_set_are_told_together_before_any_output_is_read(paths: dict[str, str]) -> None:
    Path(paths["set"]).write_text('{"source": "a"}\n{"instance_id": "2"}\n{\n', encoding="utf-8")
    with pytest.raises(DataErrors) as caught:
        list(load_reader("test-set", test_set=paths["set"]).read(paths["Good"]))
    assert [(problem.path, problem.line) for problem in caught.value.problems] == [(paths["set"], 1), (paths["set"], 3)]
