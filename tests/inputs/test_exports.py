"""Exports of annotation tools, each as small as it can be, and the rows that they are read as."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from metrics_framework.common.errors import Problems
from metrics_framework.inputs.tables import read_rows

SPAN = {"start": 0, "end": 3, "text": "The", "labels": ["minor"]}
LABEL_STUDIO = [
    {
        "id": 7,
        "data": {"instance_id": "s1", "text": "The cat."},
        "annotations": [
            {
                "id": 70 + number,
                "completed_by": author,
                "was_cancelled": False,
                "lead_time": 4.5,
                "result": [
                    {"from_name": "quality", "to_name": "text", "type": "rating", "value": {"rating": rating}},
                    {"from_name": "verdict", "type": "choices", "value": {"choices": ["Good"]}},
                    {"from_name": "topics", "type": "choices", "value": {"choices": ["a", "b"]}},
                    {"from_name": "error", "type": "labels", "value": SPAN},
                    {"type": "relation", "from_id": "x", "to_id": "y"},
                ],
            }
            for number, (author, rating) in enumerate([(3, 4), ({"id": 4, "email": "b@x.org"}, 2)])
        ],
    },
    {"id": 8, "data": {"instance_id": "s2"}, "annotations": []},
]
OF_LABEL_STUDIO = {
    "id": 7,
    "data.instance_id": "s1",
    "data.text": "The cat.",
    "was_cancelled": False,
    "lead_time": 4.5,
    "verdict": "Good",
    "topics": ["a", "b"],
    "error": SPAN,
}
EXPORTS: list[tuple[str, str, list[dict[str, Any]]]] = [  # tool, content, rows
    (
        "Label Studio",
        json.dumps(LABEL_STUDIO),
        [
            {**OF_LABEL_STUDIO, "completed_by": 3, "quality": 4},
            {**OF_LABEL_STUDIO, "completed_by": "b@x.org", "quality": 2},
        ],
    ),
    ("no tool", "id,score [0-100],note\n1,5,x\n", [{"id": "1", "score [0-100]": "5", "note": "x"}]),
]


@pytest.mark.parametrize(("content", "expected"), [pytest.param(*rest, id=tool) for tool, *rest in EXPORTS])
def test_exports_have_a_row_for_each_rating(tmp_path: Path, content: str, expected: list[dict[str, Any]]):
    (tmp_path / "x").write_text(content)
    problems = Problems()
    assert [row for _, row in read_rows(str(tmp_path / "x"), problems)] == expected
    assert not problems
