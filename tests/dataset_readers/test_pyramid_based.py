from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from messages import NOT_A_JSON_OBJECT, UNITS_OF_THE_PYRAMID

from metrics_framework.common.errors import DataError, DataErrors
from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.data.pyramid import Pyramid
from metrics_framework.dataset_readers.dataset_reader import load_reader


def pyramid_row(instance_id: str, names: str = "AB") -> dict[str, Any]:
    """Makes a pyramid in which all summaries express unit 1, and the last one unit 2."""
    everyone = [{"summary_index": index, "label": "cat", "parts": []} for index in range(len(names))]
    return {
        "instance_id": instance_id,
        "summarizer_ids": list(names),
        "summarizer_types": ["reference"] * len(names),
        "summaries": [{"text": f"summary {name}"} for name in names],
        "scus": [
            {"scu_id": 1, "label": "cat", "contributors": everyone},
            {"scu_id": 2, "label": "mat", "contributors": everyone[-1:]},
        ],
    }


def annotation_row(instance_id: str, summarizer_id: str, *scus: int, **more: Any) -> dict[str, Any]:
    return {
        "instance_id": instance_id,
        "summarizer_id": summarizer_id,
        "summarizer_type": "peer",
        "summary": {"text": "a cat"},
        "scus": [{"scu_id": scu, "label": "cat", "contributors": []} for scu in scus],
        **more,
    }


class Files:
    """Writes the two files of a test and reads them."""

    def __init__(self, folder: Path) -> None:
        self.pyramids = str(folder / "pyramids.jsonl")
        self.annotations = str(folder / "annotations.jsonl")

    def read(self, pyramids: list[Any], annotations: list[Any], **options: Any) -> list[EvalInstance]:
        for path, rows in ((self.pyramids, pyramids), (self.annotations, annotations)):
            Path(path).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return list(load_reader("pyramid-based", **options).read(self.pyramids, self.annotations))


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path)


def identities(instances: list[EvalInstance]) -> list[tuple[str, str, str]]:
    return [(one.instance_id, one.summarizer_id, one.summarizer_type) for one in instances]


def test_annotations_meet_the_pyramid_of_their_input(files: Files):
    instances = files.read(
        [pyramid_row("d1"), pyramid_row("d2", "ABC")],
        [annotation_row("d2", "7", 1), annotation_row("d1", "7", 2)],
        include_reference_annotations=False,
    )
    assert identities(instances) == [("d2", "7", "peer"), ("d1", "7", "peer")]
    assert [one.fields["pyramid"].summarizer_ids for one in instances] == [("A", "B", "C"), ("A", "B")]
    assert [one.fields["annotation"].scus for one in instances] == [(1,), (2,)]
    assert [(one.path, one.line) for one in instances] == [(files.annotations, 1), (files.annotations, 2)]


def test_model_summaries_of_observed_inputs_meet_the_pyramid_without_them(files: Files):
    instances = files.read([pyramid_row("d1"), pyramid_row("d2")], [annotation_row("d2", "7", 1)])
    assert identities(instances) == [("d2", "7", "peer"), ("d2", "A", "reference"), ("d2", "B", "reference")]
    full = Pyramid.from_json(pyramid_row("d2"))
    for index, instance in enumerate(instances[1:]):
        assert instance.fields == {"annotation": full.annotation(index), "pyramid": full.remove_summary(index)}
        assert (instance.path, instance.line) == (files.pyramids, 2)


def test_a_given_annotation_of_a_model_summary_takes_the_place_of_the_made_one(files: Files):
    given = annotation_row("d1", "B", 1, summarizer_type="reference")
    instances = files.read([pyramid_row("d1")], [given])
    assert identities(instances) == [("d1", "B", "reference"), ("d1", "A", "reference")]
    assert instances[0].fields["annotation"].scus == (1,)
    assert instances[0].fields["pyramid"].summarizer_ids == ("A",)


def test_other_names_and_absent_names_are_known(files: Files):
    row = {"sent_id": "d1", "system_type": "peer", "output": "a cat", "scus": []}
    (instance,) = files.read([pyramid_row("d1")], [row], include_reference_annotations=False)
    assert identities([instance]) == [("d1", "annotations", "peer")]
    assert instance.fields["annotation"].summary == "a cat"


PROBLEMS = [  # pyramids, annotations, file, line, message
    ([pyramid_row("d1")], [annotation_row("d2", "7", 1)], "annotations", 1, "no pyramid of 'd2' in "),
    ([pyramid_row("d1")] * 2, [], "pyramids", 2, "duplicate pyramid of 'd1' (first on line 1)"),
    ([pyramid_row("d1")], [annotation_row("d1", "7", 1, 5)], "annotations", 1, f"'scus' {UNITS_OF_THE_PYRAMID}"),
    (
        [pyramid_row("d1")],
        [annotation_row("d1", "A", 1)],
        "annotations",
        1,
        "'A' must be of type 'reference', got 'peer'",
    ),
    ([pyramid_row("d1")], [{"instance_id": "d1"}], "annotations", 1, "'scus' is missing; the row has 'instance_id'"),
    ([{"instance_id": "d1"}], [], "pyramids", 1, "'summarizer_ids' is missing; the row has 'instance_id'"),
    ([pyramid_row("d1")], [[]], "annotations", 1, f"{NOT_A_JSON_OBJECT} the list []"),
]


@pytest.mark.parametrize(("pyramids", "annotations", "file", "line", "message"), PROBLEMS)
def test_problems_say_where_they_are(
    files: Files, pyramids: list[Any], annotations: list[Any], file: str, line: int, message: str
):
    with pytest.raises(DataError) as caught:
        files.read(pyramids, annotations)
    assert str(caught.value).startswith(f"{getattr(files, file)}:{line}: {message}")


def test_the_problems_of_both_files_are_reported_together_and_up_to_five_units(files: Files):
    with pytest.raises(DataErrors) as caught:
        files.read([pyramid_row("d1"), {}], [annotation_row("d2", "7"), annotation_row("d1", "7", 9)])
    places = [(problem.path, problem.line) for problem in caught.value.problems]
    assert places == [(files.pyramids, 2), (files.annotations, 1), (files.annotations, 2)]
    with pytest.raises(DataError) as caught:
        files.read([pyramid_row("d1")], [annotation_row("d1", "7", 1, *range(11, 20))])
    assert str(caught.value).endswith(f"the pyramid at {files.pyramids}:1, got 11, 12, 13, 14, 15, …")


def test_pyramids_and_annotations_without_ids_are_joined_by_position(files: Files):
    pyramids = [pyramid_row("x"), pyramid_row("x", "ABC")]
    annotations = [annotation_row("x", "7", 1), annotation_row("x", "7", 2)]
    for row in (*pyramids, *annotations):
        del row["instance_id"]
    instances = files.read(pyramids, annotations, include_reference_annotations=False)
    assert identities(instances) == [("1", "7", "peer"), ("2", "7", "peer")]
    assert [one.fields["pyramid"].summarizer_ids for one in instances] == [("A", "B"), ("A", "B", "C")]
    with pytest.raises(DataError, match=r"pyramids\.jsonl has 2, .*annotations\.jsonl has 1"):
        files.read(pyramids, annotations[:1])
