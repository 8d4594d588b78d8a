"""One small study in the forms of the programs that people use: every form must give the same numbers.

The study has ratings of two systems by three raters on four inputs, the scores of a judge, eight outputs with sources
and references, and six votes. All texts are written for these tests.
"""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

Content: TypeAlias = "str | bytes | list[Any] | dict[str, Any]"

# ---- the study -------------------------------------------------------------------------------------------------------

RATERS = ("ann", "bob", "cyd")
RATINGS = {  # input and system: the ratings of ann, bob, cyd, and the score of the judge
    ("1", "lark"): ((4, 5, 4), 0.8),
    ("1", "wren"): ((2, 1, 2), 0.3),
    ("2", "lark"): ((5, 5, 4), 0.9),
    ("2", "wren"): ((3, 2, 3), 0.4),
    ("3", "lark"): ((3, 4, 4), 0.5),
    ("3", "wren"): ((1, 2, 1), 0.2),
    ("4", "lark"): ((5, 4, 5), 0.7),
    ("4", "wren"): ((2, 3, 3), 0.6),
}
TEXTS = {  # input: source, reference, outputs of lark and wren
    "1": (
        "the old house was standing over there by the wide river",
        "the house was old",
        "the house was old",
        "the house is old",
    ),
    "2": ("one small bird was heard singing its song", "a bird sang", "a bird sang", "bird sang"),
    "3": (
        "there were two cars of red color that we noticed",
        "we saw two red cars",
        "we saw red cars",
        "we saw two cars there",
    ),
    "4": ("it was raining for the whole day", "rain fell", "rain fell", "snow fell"),
}
EDITS = {"lark": 0 + 0 + 1 + 0, "wren": 1 + 1 + 2 + 1}
"""Edits of words from the outputs of a system to the references, counted by hand."""
WORDS = 4 + 3 + 5 + 2
"""Words of all references."""
VOTES = (("1", "lark"), ("2", "lark"), ("3", "wren"), ("4", ""), ("5", "lark"), ("6", "lark"))
"""Input and preferred system; empty for a tie."""


def _fields(index: int, one: str, system: str, rater: str) -> dict[str, Any]:
    ratings, judge = RATINGS[one, system]
    rating = ratings[RATERS.index(rater)]
    return {
        "index": index,
        "input": one,
        "document": "ab"[int(one) > 2],
        "segment": int(one) % 2,
        "system": system,
        "rater": rater,
        "rating": rating,
        "esa": 20 * rating,
        "word": ("very poor", "poor", "fair", "good", "very good")[rating - 1],
        "judge": judge,
        "comma": str(judge).replace(".", ","),
    }


ALL_RATINGS = [
    _fields(index, *output, rater)
    for index, (output, rater) in enumerate((output, rater) for output in RATINGS for rater in RATERS)
]
"""What the templates of lines may use, for each rating."""
ALL_TEXTS = [
    {
        "index": 2 * number + side,
        "input": one,
        "system": system,
        "source": source,
        "reference": reference,
        "output": output,
    }
    for number, (one, (source, reference, *outputs)) in enumerate(TEXTS.items())
    for side, (system, output) in enumerate(zip(EDITS, outputs, strict=True))
]


# ---- files -----------------------------------------------------------------------------------------------------------


class Table(NamedTuple):
    """A file of ratings as people have it.

    Args:
        name: What it is.
        file: The name of the file.
        content: Its content: text, bytes, or what is written as JSON.
        flags: The flags that a command needs, besides the names of the ratings and the judge.
        rating: The name of the ratings.
        commands: The commands that read it.
        times: The factor of the numbers of ratings to those of the study.
    """

    name: str
    file: str
    content: Content
    flags: Sequence[str] = ()
    rating: str = "quality"
    commands: Sequence[str] = ("agreement", "correlate", "test-judge", "estimate")
    times: float = 1


def write(folder: Path, file: str, content: Content) -> str:
    """Writes a file, and returns its path."""
    path = folder / file
    if isinstance(content, (list, dict)):
        content = json.dumps(content, indent=1)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(path)


def lines(header: str, template: str, rows: Sequence[Mapping[str, Any]] = ALL_RATINGS, end: str = "\n") -> str:
    """Returns a table with a line for each rating."""
    return end.join([*([header] if header else []), *(template.format(**row) for row in rows), ""])


def json_lines(rows: Sequence[Any]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def by_output(make: Callable[[str, str, tuple[int, ...], float], Any]) -> list[Any]:
    """Returns a row for each output."""
    return [make(*output, ratings, judge) for output, (ratings, judge) in RATINGS.items()]


def _cells(row: Mapping[str, Any]) -> list[Any]:
    return list(row.values())


def workbook(rows: Sequence[Sequence[Any]]) -> bytes:
    """Returns a workbook of Excel with one sheet."""

    def cell(value: Any, column: int, row: int) -> str:
        place = f"{chr(65 + column)}{row}"
        if isinstance(value, str):
            return f'<c r="{place}" t="inlineStr"><is><t>{value}</t></is></c>'
        return f'<c r="{place}"><v>{value}</v></c>'

    sheet = "".join(
        f'<row r="{number}">{"".join(cell(value, column, number) for column, value in enumerate(row))}</row>'
        for number, row in enumerate(rows, 1)
    )
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    files = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{kind}.sheet.main+xml"/>'
        f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{kind}.worksheet+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships">'
        f'<Relationship Id="r1" Type="{office}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{office}"><sheets>'
        '<sheet name="Ratings" sheetId="1" r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}/relationships">'
        f'<Relationship Id="r1" Type="{office}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{main}"><sheetData>{sheet}</sheetData></worksheet>',
    }
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, f'<?xml version="1.0" encoding="UTF-8"?>{text}')
    return content.getvalue()


# ---- ratings ---------------------------------------------------------------------------------------------------------

NAMES = "seg_id,system,rater,quality,judge"
LINE = "{input},{system},{rater},{rating},{judge}"
PLAIN = lines(NAMES, LINE)
ROWS = [
    {"item_id": row["input"], **{name: row[name] for name in ("system", "rater", "judge")}, "quality": row["rating"]}
    for row in ALL_RATINGS
]
OUTPUTS = by_output(lambda *output: dict(zip(("input", "system", "ratings", "judge"), output, strict=True)))
WIDE = lines(
    "item_id,system,ann,bob,cyd,judge", "{input},{system},{ratings[0]},{ratings[1]},{ratings[2]},{judge}", OUTPUTS
)


def _label_studio() -> list[Any]:
    def annotation(rater: str, rating: int) -> dict[str, Any]:
        result = {"from_name": "quality", "to_name": "text", "type": "rating", "value": {"rating": rating}}
        return {"completed_by": {"email": f"{rater}@x.org"}, "was_cancelled": False, "result": [result]}

    tasks = by_output(
        lambda one, system, ratings, judge: {
            "id": int(one) * 10 + int(system == "lark"),
            "data": {"item_id": one, "system": system, "judge": judge, "text": TEXTS[one][2]},
            "annotations": [annotation(*rated) for rated in zip(RATERS, ratings, strict=True)],
        }
    )
    tasks[0]["annotations"].append({**annotation("ann", 1), "was_cancelled": True})
    return tasks


def _prodigy() -> str:
    rows = [
        {
            "text": TEXTS[row["input"]][2],
            "_input_hash": int(row["input"]) * 7919,
            "_task_hash": row["index"],
            "system": row["system"],
            "judge": row["judge"],
            "accept": [str(row["rating"])],
            "answer": "accept",
            "_annotator_id": row["rater"],
        }
        for row in ALL_RATINGS
    ]
    return json_lines([*rows, {**rows[0], "_annotator_id": "dee", "accept": [], "answer": "ignore"}])


def _mturk() -> str:
    names = "HITId,AssignmentId,WorkerId,AssignmentStatus,Input.item,Input.system,Input.judge,Input.text,Answer.quality"
    header = ",".join(f'"{name}"' for name in names.split(","))
    line = '"H{input}","A{index}","{rater}","Approved","{input}","{system}","{judge}","by {system}","{rating}"'
    return lines(header, line) + '"H1","A99","dee","Rejected","1","lark","0.8","by lark","1"\n'


def _mturk_answers() -> str:
    content = io.StringIO()
    writer = csv.writer(content)
    writer.writerow(["WorkerId", "AssignmentStatus", "Input.item", "Input.system", "Input.judge", "Answer.taskAnswers"])
    for row in ALL_RATINGS:
        answers = [{"quality": {str(number): number == row["rating"] for number in range(1, 6)}}]
        writer.writerow([row["rater"], "Submitted", row["input"], row["system"], row["judge"], json.dumps(answers)])
    return content.getvalue()


def _mturk_buttons() -> str:
    names = "HITId,AssignmentId,WorkerId,Input.item,Input.system,Input.judge"
    rows = [
        {**row, "buttons": ",".join(str(row["rating"] == number).lower() for number in range(1, 6))}
        for row in ALL_RATINGS
    ]
    header = ",".join([names, *(f"Answer.quality.{number}" for number in range(1, 6))])
    return lines(header, "H{input},A{index},{rater},{input},{system},{judge},{buttons}", rows)


def _appen() -> str:
    line = "{number},{state},0.9,4{rater},{rating},{input},,{system},{judge}"
    rows = [{**row, "number": 9000 + row["index"] // 3, "state": "false,false"} for row in ALL_RATINGS]
    wrong = [{**rows[0], "rater": "dee", "rating": 1, "state": state} for state in ("true,false", "false,true")]
    return lines(
        "_unit_id,_golden,_tainted,_trust,_worker_id,quality,item_id,quality_gold,system,judge", line, [*rows, *wrong]
    )


def _toloka() -> str:
    names = "INPUT:item_id INPUT:system OUTPUT:quality GOLDEN:quality HINT:text ASSIGNMENT:task_id ASSIGNMENT:worker_id"
    names += " ASSIGNMENT:status"
    line = "{input} {system} {rating} {gold}  T{index} {rater} {status}".replace(" ", "\t")
    rows = [{**row, "gold": "", "status": "APPROVED"} for row in ALL_RATINGS]
    wrong = [{**rows[0], "rater": "dee", "rating": 1, **about} for about in ({"gold": 4}, {"status": "REJECTED"})]
    return lines(names.replace(" ", "\t"), line, [*rows, *wrong])


def _form(question: str, names: Sequence[str], first: Callable[[str], Sequence[str]]) -> str:
    content = io.StringIO()
    writer = csv.writer(content, lineterminator="\r\n")
    writer.writerow([*names, *(question.format(*output, number) for number, output in enumerate(RATINGS, 1))])
    for index, rater in enumerate(RATERS):
        writer.writerow([*first(rater), *(ratings[index] for ratings, _ in RATINGS.values())])
    return content.getvalue()


def _qualtrics(question: str, *, has_dates: bool = True) -> str:
    names = ["StartDate", "EndDate", "RecordedDate", "Finished", "ResponseId"]
    questions = [question.format(number) for number in range(1, 1 + len(RATINGS))]
    rows: list[list[Any]] = [
        [*names, *questions],
        [
            "Start Date",
            "End Date",
            "Recorded Date",
            "Finished",
            "Response ID",
            *["How good is this text?"] * len(questions),
        ],
        [json.dumps({"ImportId": name}) for name in [*names, *questions]],
    ]
    for index, rater in enumerate(RATERS):
        day = f"2024-05-0{1 + index}"
        scores = [ratings[index] for ratings, _ in RATINGS.values()]
        rows.append([f"{day} 09:00:00", f"{day} 09:09:00", f"{day} 09:10:00", "True", f"R_{rater}", *scores])
    content = io.StringIO()
    csv.writer(content).writerows(row if has_dates else row[3:] for row in rows)
    return content.getvalue()


def _survey_monkey(question: str, item: str) -> str:
    """Returns an export with two lines of names: questions, and the items of each question."""
    names = ["Respondent ID", "Collector ID", "Start Date", "End Date", "IP Address", "Email Address", "First Name"]
    questions = [question.format(number) for number in range(1, 1 + len(RATINGS))]
    if "{}" not in question:
        questions[1:] = [""] * (len(questions) - 1)
    rows: list[list[Any]] = [[*names, *questions], [""] * len(names) + [item.format(*output) for output in RATINGS]]
    for index, rater in enumerate(RATERS):
        about = [f"11{index}{len(rater)}", 55, "05/01/2024 09:00:00 AM", "05/01/2024 09:09:00 AM", "10.0.0.1", "", ""]
        rows.append([*about, *(ratings[index] for ratings, _ in RATINGS.values())])
    content = io.StringIO()
    csv.writer(content).writerows(rows)
    return content.getvalue()


def _potato_table() -> str:
    names = ["user", "instance_id", "displayed_text", *(f"quality:::scale_{number}" for number in range(1, 6))]
    pages = [f"{rater}\tconsent.html\tDo you agree?{5 * chr(9)}" for rater in RATERS]
    cells = ("\t".join(str(number) * (number == row["rating"]) for number in range(1, 6)) for row in ALL_RATINGS)
    rows = [
        f"{row['rater']}\t{row['input']} {row['system']}\tx\t{labels}"
        for row, labels in zip(ALL_RATINGS, cells, strict=True)
    ]
    return "\n".join(["\t".join(names), *pages, *rows, ""])


POTATO = {
    f"{rater}/annotated_instances.jsonl": json_lines(
        [
            {"id": f"{row['input']} {row['system']}", "displayed_text": "x", "span_annotations": {}}
            | {"label_annotations": {"quality": {"slider": str(row["rating"])}, "kind": {"a summary": "true"}}}
            | {"behavioral_data": {"time_string": "Time spent: 0d 0h 0m 5s "}}
            for row in ALL_RATINGS
            if row["rater"] == rater
        ]
    )
    for rater in RATERS
}


def _pearmut() -> str:
    rows = []
    for index, rater in enumerate(RATERS):
        for one, (source, _, *outputs) in TEXTS.items():
            targets = dict(zip(EDITS, outputs, strict=True))
            scores = {system: {"score": RATINGS[one, system][0][index], "error_spans": []} for system in targets}
            item = {"src": source, "tgt": targets, "item_id": one}
            rows.append({"user_id": rater, "item_i": int(one) - 1, "item": [item], "annotation": [scores]})
    return json_lines(rows)


DOCCANO = {
    f"{rater}.jsonl": json_lines(
        [
            {"id": row["index"], "text": "x", "label": [str(row["rating"])], "Comments": []}
            | {"item_id": row["input"], "system": row["system"]}
            for row in ALL_RATINGS
            if row["rater"] == rater
        ]
    )
    for rater in RATERS
}
PER_RATER = {
    f"{rater}.csv": lines(
        "item,system,quality", "{input},{system},{rating}", [row for row in ALL_RATINGS if row["rater"] == rater]
    )
    for rater in RATERS
}
"""The exports of each rater, in which no row names the rater."""
JUDGED = lines("item,system,judge", "{input},{system},{judge}", ALL_RATINGS[:: len(RATERS)])
SUMMEVAL = by_output(
    lambda one, system, ratings, judge: {
        "id": one,
        "model_id": system,
        "decoded": TEXTS[one][2],
        "expert_annotations": [{"coherence": rating, "fluency": 5} for rating in ratings],
        "judge": judge,
    }
)
LISTS = by_output(
    lambda one, system, ratings, judge: {
        "instance_id": one,
        "summarizer_id": system,
        "raters": RATERS,
        "metrics": {"quality": ratings, "judge": judge},
    }
)
LISTS_IN_CELLS = "id,system,quality,raters,judge\n" + "".join(
    by_output(lambda *one: f'{one[0]},{one[1]},"{[*one[2]]}","{[*RATERS]}",{one[3]}\n')
)
ARGILLA = by_output(
    lambda one, system, ratings, _: {
        "item_id": one,
        "system": system,
        "quality.responses": ratings[:: 1 if system == "lark" else -1],
        "quality.responses.users": RATERS[:: 1 if system == "lark" else -1],
    }
)
ARGILLA_STATES = [*((rater, "submitted") for rater in RATERS), ("dee", "discarded")]
ARGILLA_ANSWERS = by_output(
    lambda one, system, ratings, judge: (
        {"item_id": one, "system": system, "judge": judge},
        [
            {"value": rating, "user_id": user, "status": status}
            for rating, (user, status) in zip([*ratings, 1], ARGILLA_STATES, strict=True)
        ],
    )
)
ARGILLA_2 = [
    {"id": f"r{number}", "fields": {"output": "x"}, "metadata": about, "suggestions": {}, "vectors": {}}
    | {"status": "completed", "responses": {"quality": answers} if number else {}}
    for number, (about, answers) in enumerate([({**ARGILLA_ANSWERS[0][0], "item_id": "9"}, []), *ARGILLA_ANSWERS])
]
ARGILLA_1 = [
    {"output": "x", "quality": answers, "quality-suggestion-metadata": {"type": None}, "metadata": json.dumps(about)}
    for about, answers in ARGILLA_ANSWERS
]
OBJECTS = [{**row, "quality": None, "ratings": {"quality": row["quality"], "ease": 1}} for row in ROWS]
NESTED = [
    {"data": {"item_id": row["item_id"], "judge": row["judge"]}, "system": row["system"], "rater": row["rater"]}
    | {"answer": {"quality": row["quality"]}}
    for row in ROWS
]
PER_SYSTEM = "item,rater,lark,wren\n" + "".join(
    f"{one},{rater},{RATINGS[one, 'lark'][0][index]},{RATINGS[one, 'wren'][0][index]}\n"
    for one in TEXTS
    for index, rater in enumerate(RATERS)
)
STUDIO_NAMES = "annotation_id,annotator,created_at,item_id,judge,lead_time,quality,system"
STUDIO_LINE = '{index},{rater},2024-05-01,{input},{judge},9.5,"[{{""rating"":{rating}}}]",{system}'
AGREEMENT = ("agreement",)
FORM = (["Timestamp", "Email Address"], lambda rater: ["2024-05-01", f"{rater}@x.org"])
MICROSOFT = (["ID", "Start time", "Completion time", "Email", "Name"], lambda rater: [rater, "9:00", "9:09", "", ""])
RATING_TABLES = [
    Table("a table of fw", "ratings.csv", PLAIN),
    Table("tabs", "ratings.tsv", PLAIN.replace(",", "\t")),
    Table("tabs in a file called csv", "ratings.csv", PLAIN.replace(",", "\t")),
    Table(
        "Excel where commas are decimal",
        "ratings.csv",
        "\ufeff" + lines(NAMES.replace(",", ";"), "{input};{system};{rater};{rating};{comma}", end="\r\n"),
    ),
    Table("a line sep=", "ratings.csv", "sep=;\r\n" + PLAIN.replace(",", ";")),
    Table("Unicode text of Excel", "ratings.txt", PLAIN.replace(",", "\t").replace("\n", "\r\n").encode("utf-16")),
    Table("Excel", "ratings.xlsx", workbook([list(ROWS[0]), *map(_cells, ROWS)])),
    Table("a title in Excel", "ratings.xlsx", workbook([["A pilot"], list(ROWS[0]), *map(_cells, ROWS)])),
    Table("a title in a CSV of Excel", "ratings.csv", "A pilot,,,,\r\n,,,,\r\n" + PLAIN.replace("\n", "\r\n")),
    Table("a title of tabs", "ratings.tsv", "A pilot\n\n" + PLAIN.replace(",", "\t")),
    Table("a bracket before all names", "ratings.csv", "[id]," + PLAIN.replace("\n", "\nx,").removesuffix("x,")),
    Table("pandas with its index", "ratings.csv", lines("," + NAMES, "{index}," + LINE)),
    Table("pandas after a join", "ratings.csv", lines(NAMES, "{input}.0,{system},{rater},{rating}.0,{judge}")),
    Table("JSON lines", "ratings.jsonl", json_lines(ROWS)),
    Table("a JSON array", "ratings.json", ROWS),
    Table("JSON columns", "ratings.json", {name: [row[name] for row in ROWS] for name in ROWS[0]}),
    Table("empty cells of a spreadsheet", "ratings.csv", PLAIN.replace("\n", ",\n") + ",,,,,\n,,,,,\n"),
    Table("blanks and capitals in names", "ratings.csv", PLAIN.replace("seg_id,system,rater", "Seg ID, System ,RATER")),
    Table("an id called item", "ratings.csv", PLAIN.replace("seg_id", "item")),
    Table("an id called Instance_ID", "ratings.csv", PLAIN.replace("seg_id", "Instance_ID")),
    Table("other names", "ratings.csv", PLAIN.replace("seg_id,system,rater", "question_id,model_name,annotator_name")),
    Table(
        "names that only the user knows",
        "ratings.csv",
        PLAIN.replace("seg_id,system,rater", "stimulus,condition,subject"),
        ("--columns", "instance_id=stimulus,system_id=condition,rater=subject"),
    ),
    Table(
        "rows of a pilot",
        "ratings.csv",
        lines(NAMES + ",batch", LINE + ",main") + "9,lark,ann,1,0.1,pilot\n",
        ("--where", "batch=main"),
    ),
    Table(
        "ids that restart in each document",
        "ratings.csv",
        lines("doc," + NAMES, "{document},{segment},{system},{rater},{rating},{judge}"),
        ("--columns", "instance_id=doc+seg_id"),
    ),
    Table("out of five", "ratings.csv", lines(NAMES, "{input},{system},{rater},{rating}/5,{judge}")),
    Table("percent", "ratings.csv", lines(NAMES, "{input},{system},{rater},{rating}0 %,{judge}"), times=10),
    Table(
        "numbers with their words", "ratings.csv", lines(NAMES, "{input},{system},{rater},{rating} - {word},{judge}")
    ),
    Table(
        "ordered words",
        "ratings.csv",
        lines(NAMES, "{input},{system},{rater},{word},{judge}").replace(",good", ",Good "),
        ("--scale", "very poor,poor,fair,good,very good"),
    ),
    Table("a code for missing", "ratings.csv", PLAIN + "1,lark,dee,99,0.8\n", ("--missing", "99")),
    Table("cells without a number", "ratings.csv", PLAIN + "1,lark,dee,N/A,0.8\n2,lark,dee,,0.9\n"),
    Table("a matrix of SurveyMonkey", "survey.csv", _survey_monkey("quality", "{0} by {1}"), commands=AGREEMENT),
    Table("SurveyMonkey", "survey.csv", _survey_monkey("Q{}", "Response"), rating="Q", commands=AGREEMENT),
    Table("Potato", "annotated_instances.tsv", _potato_table(), commands=AGREEMENT),
    Table("Appen", "full.csv", _appen()),
    Table("Toloka", "assignments.tsv", _toloka(), commands=AGREEMENT),
    Table("Microsoft Forms", "form.csv", _form("Text {2}", *MICROSOFT), rating="Text", commands=AGREEMENT),
    Table("Label Studio, JSON", "project-1.json", _label_studio()),
    Table("Label Studio, CSV", "export.csv", lines(STUDIO_NAMES, STUDIO_LINE)),
    Table("Prodigy", "quality.jsonl", _prodigy(), rating="accept"),
    Table("MTurk", "batch.csv", _mturk(), rating="Answer.quality", commands=AGREEMENT),
    Table("MTurk with answers as JSON", "batch.csv", _mturk_answers(), rating="Answer.quality", commands=AGREEMENT),
    Table("MTurk with a column per button", "batch.csv", _mturk_buttons(), rating="Answer.quality", commands=AGREEMENT),
    Table("a grid per item of Google", "form.csv", _form("{0} by {1} [quality]", *FORM), commands=AGREEMENT),
    Table("a grid per quality of Google", "form.csv", _form("quality [{0} by {1}]", *FORM), commands=AGREEMENT),
    Table("loops of Qualtrics", "form.csv", _qualtrics("{}_quality"), commands=AGREEMENT),
    Table("a matrix of Qualtrics", "form.csv", _qualtrics("quality_{}"), commands=AGREEMENT),
    Table("questions of Qualtrics", "form.csv", _qualtrics("Q{}"), rating="Q", commands=AGREEMENT),
    Table("Qualtrics without dates", "form.csv", _qualtrics("quality_{}", has_dates=False), commands=AGREEMENT),
    Table("questions of Google", "form.csv", _form("Answer {2}", *FORM), rating="Answer", commands=AGREEMENT),
    Table("Pearmut", "pearmut.jsonl", _pearmut(), rating="score", commands=AGREEMENT),
    Table("SummEval", "summeval.jsonl", json_lines(SUMMEVAL), rating="expert_annotations_coherence"),
    Table("SummEval, written otherwise", "summeval.jsonl", json_lines(SUMMEVAL), rating="Expert_Annotations.coherence"),
    Table("ratings in an object", "ratings.jsonl", json_lines(OBJECTS), rating="ratings.quality"),
    Table("ids in an object", "ratings.jsonl", json_lines(NESTED)),
    Table("one column per rater", "wide.csv", WIDE, ("--raters", *RATERS), rating="raters"),
    Table("the same with ;", "wide.csv", WIDE.replace(",", ";"), ("--raters", *RATERS), rating="raters"),
    Table("one column per system", "wide.csv", PER_SYSTEM, ("--systems", "lark", "wren"), "systems", AGREEMENT),
    Table("lists in cells", "rows.csv", LISTS_IN_CELLS),
    Table("rows of fw with lists", "rows.jsonl", json_lines(LISTS)),
    Table("lists of Argilla", "rows.jsonl", json_lines(ARGILLA), rating="quality.responses", commands=AGREEMENT),
    Table("records of Argilla 2", "records.json", ARGILLA_2),
    Table("records of Argilla 1", "records.jsonl", json_lines(ARGILLA_1)),
]
CONVERTED = [  # format, file, content, name of the score, factor and constant of the ratings of the study
    (
        "mqm",
        "mqm.tsv",
        "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n"
        + "".join(
            f"{row['system']}\td\t1\t{row['input']}\t{row['rater']}\tA\tB\t{error}\n"
            for row in ALL_RATINGS
            for error in ["Style/Awkward\tMinor"] * (5 - row["rating"]) or ["No-error\tNo-error"]
        ),
        "mqm",
        (1, -5),
    ),
    (
        "esa",
        "esa.csv",
        lines("seg_id,system,rater,esa,error_spans", "{input},{system},{rater},{esa},[]"),
        "esa",
        (20, 0),
    ),
    (
        "esa",
        "esa.csv",
        lines("", "{rater},{system},{input},TGT,eng,deu,{esa},d{document},False,[],1.{index},2.{index}"),
        "esa",
        (20, 0),
    ),
    (
        "appraise",
        "export.csv",
        lines("", "{rater},{system},{input},TGT,eng,deu,{esa},d{document},False,1.{index},2.{index}"),
        "esa",
        (20, 0),
    ),
    (
        "appraise",
        "export.csv",
        lines("", "{rater},{system},{input},TGT,eng,deu,{esa},d{document},False,[],1.{index},2.{index}")
        + "ann,lark,1,BAD,eng,deu,3,da#bad,False,[],9.0,9.5\n",
        "esa",
        (20, 0),
    ),
]


# ---- outputs ---------------------------------------------------------------------------------------------------------


class Outputs(NamedTuple):
    """Files of outputs as people have them.

    Args:
        name: What they are.
        files: The name of each file to its content.
        arguments: How they are given to ``fw evaluate``; ``{}`` is the folder.
    """

    name: str
    files: Mapping[str, Content]
    arguments: Sequence[str] = ()


def _texts(header: str, template: str, end: str = "\n") -> str:
    return lines(header, template, ALL_TEXTS, end)


TEXT_ROWS = [
    {
        "id": row["input"],
        "system": row["system"],
        "source": row["source"],
        "prediction": row["output"],
        "reference": row["reference"],
    }
    for row in ALL_TEXTS
]
TEXT_LINE = "{input},{system},{output},{reference}"
ARTICLE_LINE = "{input},{system},{source},{output},{reference}"
PER_SYSTEM_TEXTS = "prompt_id,reference,lark,wren\n" + "".join(
    f"{one},{reference},{','.join(outputs)}\n" for one, (_, reference, *outputs) in TEXTS.items()
)
SACREROUGE = [
    {
        "instance_id": row["input"],
        "summarizer_id": row["system"],
        "summarizer_type": "peer",
        "documents": [{"text": [[row["source"]], [row["source"]]]}],
        "summary": {"text": [row["output"]]},
        "references": [{"summarizer_id": "A", "summarizer_type": "reference", "text": [row["reference"]]}],
    }
    for row in ALL_TEXTS
]


def _samples(system: str) -> str:
    return json_lines(
        [
            {
                "doc_id": int(row["input"]) - 1,
                "doc": {"question": row["source"], "answer": row["reference"]},
                "target": row["reference"],
                "arguments": [[row["source"], {"until": []}]],
                "resps": [[row["output"]]],
                "filtered_resps": [row["output"]],
            }
            for row in ALL_TEXTS
            if row["system"] == system
        ]
    )


def _plain(index: int) -> str:
    return "".join(f"{texts[index]}\n" for texts in TEXTS.values())


PLAIN_FILES = {"lark.txt": _plain(2), "wren.txt": _plain(3), "ref.txt": _plain(1), "orig.txt": _plain(0)}
OUTPUT_FILES = [
    Outputs(
        "rows of fw",
        {
            "rows.jsonl": json_lines(
                [
                    {
                        "instance_id": row["id"],
                        "summarizer_id": row["system"],
                        "summary": row["prediction"],
                        "references": [row["reference"]],
                    }
                    for row in TEXT_ROWS
                ]
            )
        },
    ),
    Outputs("rows of SacreROUGE with nested documents", {"rows.jsonl": json_lines(SACREROUGE)}),
    Outputs("columns of Hugging Face", {"predictions.jsonl": json_lines(TEXT_ROWS)}),
    Outputs("a JSON array", {"predictions.json": TEXT_ROWS}),
    Outputs("JSON columns", {"predictions.json": {name: [row[name] for row in TEXT_ROWS] for name in TEXT_ROWS[0]}}),
    Outputs("CSV", {"outputs.csv": _texts("sample_id,model,generated,ref", TEXT_LINE)}),
    Outputs("CNN/DailyMail", {"outputs.csv": _texts("id,model,article,decoded,highlights", ARTICLE_LINE)}),
    Outputs("pandas with its index", {"outputs.csv": _texts(",id,model_name,mt,ref", "{index}," + TEXT_LINE)}),
    Outputs(
        "Excel where ; separates",
        {"outputs.csv": "sep=;\r\n" + _texts("item;system;output;reference", TEXT_LINE.replace(",", ";"), "\r\n")},
    ),
    Outputs("Excel", {"outputs.xlsx": workbook([list(TEXT_ROWS[0]), *map(_cells, TEXT_ROWS)])}),
    Outputs(
        "WMT's columns",
        {
            "outputs.tsv": _texts(
                "system\tseg_id\tsource\ttarget\treference", "{system}\t{input}\t{source}\t{output}\t{reference}"
            )
        },
    ),
    Outputs(
        "rows without ids, one file per system",
        {
            f"{system}.jsonl": json_lines(
                [
                    {"completion": row["output"], "gold": row["reference"]}
                    for row in ALL_TEXTS
                    if row["system"] == system
                ]
            )
            for system in EDITS
        },
    ),
    Outputs("samples of lm-eval", {f"{system}.jsonl": _samples(system) for system in EDITS}),
    Outputs("MTurk's input", {"batch.csv": _texts("Input.item,Input.system,Input.output,Input.reference", TEXT_LINE)}),
    Outputs("plain files", PLAIN_FILES, ("--outputs", "{}/lark.txt", "{}/wren.txt", "--references", "{}/ref.txt")),
    Outputs(
        "plain files with documents",
        PLAIN_FILES,
        (
            *("--outputs", "{}/lark.txt", "{}/wren.txt"),
            *("--references", "{}/ref.txt", "--documents", "{}/orig.txt"),
        ),
    ),
    Outputs(
        "plain files with sources",
        PLAIN_FILES,
        ("--outputs", "{}/lark.txt", "{}/wren.txt", "--references", "{}/ref.txt", "--sources", "{}/orig.txt"),
    ),
]


# ---- votes -----------------------------------------------------------------------------------------------------------


class Votes(NamedTuple):
    """A file of votes as people have it."""

    name: str
    file: str
    content: Content


def _votes(header: str, template: str, words: Sequence[str]) -> str:
    """Returns a table of votes: words for the first system, the second, and a tie; every second row is turned."""
    rows = []
    for index, (one, winner) in enumerate(VOTES):
        pair = ("lark", "wren") if index % 2 == 0 else ("wren", "lark")
        word = words[pair.index(winner)] if winner else words[2]
        rows.append({"input": one, "a": pair[0], "b": pair[1], "vote": word.format(a=pair[0], b=pair[1])})
    return lines(header, template, rows)


VOTE_LINE = "{input},{a},{b},{vote}"
ALPACA = [
    {
        "instruction": TEXTS["1"][0] + one,
        "generator_1": "wren",
        "output_1": "x",
        "generator_2": "lark",
        "output_2": "y",
        "annotator": "judge-model",
        "preference": {"lark": 2.0, "wren": 1.0, "": 1.5}[winner],
    }
    for one, winner in VOTES
]
MT_BENCH = [
    {
        "question_id": int(one),
        "model_1": "lark",
        "model_2": "wren",
        "judge": ["judge-model", "pair-v2"],
        "turn": 1,
        "g1_winner": {"lark": "model_1", "wren": "model_2", "": "tie"}[winner],
        "g2_winner": {"lark": "model_1", "wren": "model_2", "": "tie"}[winner],
    }
    for one, winner in VOTES
]
ARENA_HARD = [
    {
        "question_id": one,
        "model": "lark",
        "baseline": "wren",
        "judge": "judge-model",
        "games": [
            {"user_prompt": "p", "score": {"lark": "B>A", "wren": "A>>B", "": "A=B"}[winner]},
            {"user_prompt": "p", "score": {"lark": "A>B", "wren": "B>A", "": "A=B"}[winner]},
        ],
    }
    for one, winner in VOTES
]
VOTE_TABLES = [
    Votes("a table of fw", "votes.csv", _votes("input,system_a,system_b,winner", VOTE_LINE, ("a", "b", "tie"))),
    Votes(
        "names of systems",
        "votes.csv",
        _votes("item_id,model_a,model_b,winner", VOTE_LINE, ("{a}", "{b}", "tie")),
    ),
    Votes(
        "Chatbot Arena",
        "votes.csv",
        _votes("question_id,model_a,model_b,winner", VOTE_LINE, ("model_a", "model_b", "tie (bothbad)")),
    ),
    Votes(
        "left and right", "votes.csv", _votes("id,left,right,preference", VOTE_LINE, ("Left", "Right", "Both equal"))
    ),
    Votes(
        "first and second",
        "votes.csv",
        _votes("item,summarizer_a,summarizer_b,choice", VOTE_LINE, ("first", "second", "neither")),
    ),
    Votes("numbers", "votes.csv", _votes("item,model_1,model_2,verdict", VOTE_LINE, ("1", "2", "0"))),
    Votes(
        "verdicts in brackets",
        "votes.csv",
        _votes("id,model_1,model_2,verdict", VOTE_LINE, ("[[A]]", "[[B]]", "[[C]]")),
    ),
    Votes("arrows", "votes.csv", _votes("id,model_1,model_2,verdict", VOTE_LINE, ("[[A>>B]]", "B>A", "A=B"))),
    Votes(
        "MTurk",
        "votes.csv",
        _votes("Input.item,Input.system_a,Input.system_b,Answer.winner", VOTE_LINE, ("A", "B", "Tie")),
    ),
    Votes(
        "rejected work of MTurk",
        "votes.csv",
        _votes(
            "AssignmentStatus,Input.item,Input.system_a,Input.system_b,Answer.winner",
            "Approved," + VOTE_LINE,
            ("A", "B", "Tie"),
        )
        + "Rejected,1,lark,wren,B\n",
    ),
    Votes(
        "LMSYS",
        "votes.csv",
        _votes("id,model_a,model_b,winner_model_a,winner_model_b,winner_tie", VOTE_LINE, ("1,0,0", "0,1,0", "0,0,1")),
    ),
    Votes("AlpacaEval", "annotations.json", ALPACA),
    Votes("MT-Bench", "pair.jsonl", json_lines(MT_BENCH)),
    Votes("Arena-Hard", "judgment.jsonl", json_lines(ARENA_HARD)),
]
