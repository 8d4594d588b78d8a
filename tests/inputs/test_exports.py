"""Exports of annotation tools, each as small as it can be, and the rows that they are read as."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from metrics_framework.commands.app import main
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
PEARMUT = {
    "annotation": [{"A": {"score": 70, "error_spans": []}, "B": {"score": 90, "error_spans": [{"start_i": 8}]}}, None],
    "actions": [{"time": 1, "action": "load"}],
    "item": [{"item_id": "en-es-0", "src": "I", "tgt": {"A": "Yo", "B": "Io"}}, {"src": "you", "tgt": {"A": "tu"}}],
    "user_id": "hit-488",
    "item_i": 0,
}
OF_PEARMUT = {"user_id": "hit-488", "item_i": 0, "item_id": "en-es-0", "src": "I", "item_type": "TGT"}
OF_WELCOME = {**OF_PEARMUT, "item_i": "welcome_0", "item_type": "welcome"}
PRODIGY = {"text": "a", "_input_hash": 5, "_task_hash": 6, "options": [{"id": 1}], "answer": "accept"}
ANSWERS = json.dumps([{"fluent": {"1": False, "2": True}, "type": {"label": "Omission"}, "note": "ok"}])
QUALTRICS = (
    "StartDate,EndDate,RecordedDate,ResponseId,1_Q1,1_Q2,2_Q1,2_Q2\n"
    "Start Date,End Date,Recorded Date,Response ID,How fluent?,How good?,How fluent?,How good?\n"
    + ",".join('"{""ImportId"":""x""}"' for _ in range(8))
    + "\n2024-05-01,,,R_1,4,5,,\n2024-05-02,,,R_2,3,2,1,2\n"
)
EXPORTS: list[tuple[str, str, list[dict[str, Any]]]] = [  # tool, content, rows
    (
        "Label Studio",
        json.dumps(LABEL_STUDIO),
        [
            {**OF_LABEL_STUDIO, "completed_by": 3, "quality": 4},
            {**OF_LABEL_STUDIO, "completed_by": "b@x.org", "quality": 2},
        ],
    ),
    (
        "Label Studio, JSON-MIN",
        json.dumps([{"id": 1, "text": "a", "annotator": 2, "annotation_id": 3, "lead_time": 4, "q": [{"rating": 5}]}]),
        [{"id": 1, "text": "a", "annotator": 2, "annotation_id": 3, "lead_time": 4, "q": 5}],
    ),
    (
        "Label Studio, CSV",
        'annotation_id,annotator,id,lead_time,quality,spans,verdict\n3,2,1,4.5,"[{""rating"":5}]",'
        '"[{""start"":0,""end"":3,""labels"":[""a""]}]","{""choices"":[""a"",""b""]}"\n',
        [
            {
                "annotation_id": "3",
                "annotator": "2",
                "id": "1",
                "lead_time": "4.5",
                "quality": "5",
                "spans": '[{"start":0,"end":3,"labels":["a"]}]',
                "verdict": '["a", "b"]',
            }
        ],
    ),
    (
        "Pearmut",
        f"{json.dumps(PEARMUT)}\n{json.dumps({**PEARMUT, 'item_i': 'welcome_0'})}\n",
        [
            {**OF_PEARMUT, "model": "A", "tgt": "Yo", "score": 70, "error_spans": []},
            {**OF_PEARMUT, "model": "B", "tgt": "Io", "score": 90, "error_spans": [{"start_i": 8}]},
            {**OF_WELCOME, "model": "A", "tgt": "Yo", "score": 70, "error_spans": []},
            {**OF_WELCOME, "model": "B", "tgt": "Io", "score": 90, "error_spans": [{"start_i": 8}]},
        ],
    ),
    (
        "Prodigy",
        "".join(json.dumps({**PRODIGY, "accept": chosen}) + "\n" for chosen in (["good"], [], ["a", "b"])),
        [{**PRODIGY, "accept": chosen} for chosen in ("good", [], ["a", "b"])],
    ),
    (
        "MTurk",
        'WorkerId,Input.doc_id,Answer.taskAnswers\nw1,d1,"' + ANSWERS.replace('"', '""') + '"\n',
        [
            {
                "WorkerId": "w1",
                "Input.doc_id": "d1",
                "Answer.fluent": "2",
                "Answer.type": "Omission",
                "Answer.note": "ok",
            }
        ],
    ),
    (
        "Google Forms",
        "Timestamp,Text 1 [Fluency],Text 1 [Meaning],Text 2 [Fluency],Text 2 [Meaning]\nt1,4,5,3,2\nt2,1,,,\n",
        [
            {"Timestamp": "t1", "rater_id": "1", "item_id": "Text 1", "Fluency": "4", "Meaning": "5"},
            {"Timestamp": "t1", "rater_id": "1", "item_id": "Text 2", "Fluency": "3", "Meaning": "2"},
            {"Timestamp": "t2", "rater_id": "2", "item_id": "Text 1", "Fluency": "1", "Meaning": ""},
        ],
    ),
    (
        "Google Forms, with addresses",
        "Email Address,Text 1 [Fluency],Text 2 [Fluency]\na@x.org,4,5\n",
        [
            {"Email Address": "a@x.org", "item_id": "Text 1", "Fluency": "4"},
            {"Email Address": "a@x.org", "item_id": "Text 2", "Fluency": "5"},
        ],
    ),
    (
        "Qualtrics",
        QUALTRICS,
        [
            {
                **about,
                "EndDate": "",
                "RecordedDate": "",
                "rater_id": about["ResponseId"],
                "item_id": item,
                "Q1": first,
                "Q2": second,
            }
            for about, item, first, second in [
                ({"StartDate": "2024-05-01", "ResponseId": "R_1"}, "1", "4", "5"),
                ({"StartDate": "2024-05-02", "ResponseId": "R_2"}, "1", "3", "2"),
                ({"StartDate": "2024-05-02", "ResponseId": "R_2"}, "2", "1", "2"),
            ]
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


GRID = "Timestamp,Email Address,{}\n2024-05-01,ann@x.org,4,5,3,2\n2024-05-01,bob@x.org,4,5,3,1\n"
GRIDS = [  # names of columns, the name of the rating, what settles it
    ("Fluent? [A],Fluent? [B],Good? [A],Good? [B]", "fluency", ["--rating A", "--rating 'Fluent?'"]),
    ("Fluent? [A],Fluent? [B],Fluent? [C],Fluent? [D]", "fluency", ["--rating 'Fluent?'"]),
]


@pytest.mark.parametrize(("names", "rating", "flags"), GRIDS)
def test_a_grid_whose_rating_is_not_named_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], names: str, rating: str, flags: list[str]
) -> None:
    path = tmp_path / "form.csv"
    path.write_text(GRID.format(names))
    assert main(["agreement", str(path), "--rating", rating]) == 1
    message = capsys.readouterr().err
    for flag in flags:
        assert flag in message
        assert main(["agreement", str(path), *shlex.split(flag)]) == 0


ANSWERS = "ann@x.org,4,5,3,2\nbob@x.org,3,5,3,1\n"
QUESTIONNAIRES = [  # names of columns besides the address, flags, a part of the error; "" if it is read
    ("Q1,Q2,Q3,Q4", "--raters Q1 Q2 Q3 Q4", "use --rating Q"),
    ("Answer 1,Answer 2,Answer 3,Answer 4", "--raters 'Answer 1' 'Answer 2'", "use --rating Answer"),
    ("Is it good?,Is this?,And this?,This?", "--raters 'Is it good?' This?", "call those of answers Q1, Q2, …"),
    ("text,Q1,Q2,Q3", "--raters Q1 Q2 Q3", ""),
    ("stimulus,Q1,Q2,Q3", "--raters Q1 Q2 Q3 --columns instance_id=stimulus", ""),
]


@pytest.mark.parametrize(("names", "flags", "words"), QUESTIONNAIRES)
def test_questions_of_a_form_are_no_raters(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], names: str, flags: str, words: str
) -> None:
    path = tmp_path / "form.csv"
    path.write_text(f"Email Address,{names}\n{ANSWERS}", encoding="utf-8")
    assert main(["agreement", str(path), *shlex.split(flags)]) == bool(words)
    assert words in capsys.readouterr().err


def test_columns_that_are_named_are_no_grid(tmp_path: Path) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text("rater,fluency [1-5],fluency [text],good [1-5],good [text]\nann,4,a,5,b\n")
    rows = [*read_rows(str(path), Problems(), ratings=("rating", ["Fluency [1-5]"]))]
    assert [list(row) for _, row in rows] == [path.read_text().splitlines()[0].split(",")]


def _study(column: str, first: int, names: str = "312") -> tuple[list[Any], list[dict[str, Any]]]:
    """Returns an export of Label Studio of texts of a system, and their scores, which rank them in reverse."""
    tasks, scores = [], []
    for number, name in enumerate(names, first):
        result = {"from_name": "quality", "type": "rating", "value": {"rating": int(name)}}
        about = {"annotations": [{"completed_by": 1, "lead_time": 1.5, "result": [result]}]}
        tasks.append({"id": number, "data": {"system": "a", column: name}, **about})
        scores.append({"instance_id": name, "summarizer_id": "a", "metrics": {"length": -int(name)}})
    return tasks, scores


OTHER_IDS = [  # the column of ids in the data, the number of the first task, the flags or the words of the error, why
    ("item_id", 1, [], "a known name"),
    ("id", 1, [], "an id in the data, and the number of the task"),
    ("text_id", 1, "3 of 3 ids, from 'id', are in", "numbers of tasks that are ids of other texts, too"),
    ("text_id", 3, "1 of 3 ids, from 'id', are in", "numbers of tasks of which some are ids of other texts"),
    ("text_id", 3, ["--columns", "instance_id=data.text_id"], "the advice"),
    ("text_id", 1, ["--columns", "instance_id=id"], "the numbers of tasks are meant"),
]


@pytest.mark.parametrize(("column", "first", "expected", "why"), OTHER_IDS)
def test_the_number_of_a_task_is_no_id_if_another_column_has_those_of_the_scores(
    column: str, first: int, expected: Any, why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for path, content in zip(("tasks.json", "scores.json"), _study(column, first), strict=True):
        (tmp_path / path).write_text(json.dumps(content), encoding="utf-8")
    files = [str(tmp_path / "scores.json"), str(tmp_path / "tasks.json")]
    flags = ["--metric", "length", "--human", "quality", "--levels", "global", "--coefficients", "pearson"]
    is_refused = isinstance(expected, str)
    code = main(["correlate", *files, *flags, "--output-file", "-", *([] if is_refused else expected)])
    printed = capsys.readouterr()
    assert code == is_refused, why
    if is_refused:
        assert expected in printed.err
        assert "use --columns instance_id=data.text_id" in printed.err
    else:
        by_id = json.loads(printed.out)["global"]["pearson"]["value"]
        assert by_id == pytest.approx(0.5 if "instance_id=id" in expected else -1), why


def test_the_column_of_ids_is_named_if_few_texts_of_an_export_of_label_studio_have_scores(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tasks, scores = _study("text_id", 1, "654312")
    for path, content in (("tasks.json", tasks), ("scores.json", scores[-2:])):
        (tmp_path / path).write_text(json.dumps(content), encoding="utf-8")
    files = [str(tmp_path / "scores.json"), str(tmp_path / "tasks.json")]
    assert main(["correlate", *files, "--metric", "length", "--human", "quality"]) == 1
    advice = "use --columns instance_id=data.text_id, or --columns instance_id=id for the numbers of tasks"
    assert f"but 2 of 6 values of 'data.text_id'; {advice}" in capsys.readouterr().err


def test_a_column_of_scores_is_not_advised_as_that_of_the_ids(
    datasets_path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    header, *rows = (datasets_path / "judging/judgements.csv").read_text(encoding="utf-8").splitlines()
    path = tmp_path / "scores.csv"
    path.write_text("\n".join([header, *(f"q{row}" for row in rows)]), encoding="utf-8")
    ratings = str(datasets_path / "judging/ratings.csv")
    assert main(["test-judge", ratings, str(path), "--rating", "helpfulness", "--judge", "model"]) == 1
    printed = capsys.readouterr().err
    assert "do the tables have the same ids of inputs and systems" in printed
    assert "instance_id=" not in printed
