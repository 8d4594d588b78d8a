"""Where intervals and tests need care, every command says so: below its table or beside its answer, and in JSON."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

FEW = "an interval from fewer than 5"
LEAST = "is the least that the test can have"
APART = "interval and test disagree: the interval excludes 0, but p is not below 0.05 after the correction"
SAID = [  # a command, and what it says
    ("compare few.csv --score x --higher-is-better x --trials 20", f"{FEW} inputs is unreliable: b (4), a (4)"),
    ("compare many.csv --score x --higher-is-better x --trials 20", f"0.048 before the correction {LEAST}"),
    ("compare many.csv --score x --higher-is-better x --trials 20", f"{APART}: a − d"),
    (
        "compare few.csv --score x --higher-is-better x --ci percentile",
        "interval and test disagree: the interval excludes 0, but p is not below 0.05: b − a",
    ),
    ("compare few.csv --score x --higher-is-better x --cluster half", f"{FEW} clusters is unreliable: b (2), a (2)"),
    ("evaluate -m ter --input-files texts.jsonl --confidence", f"{FEW} inputs is unreliable: a (3), b (3)"),
    (
        "evaluate -m bleu --input-files varied.jsonl --confidence",
        "outside the range of the score are cut to it: bleu of c",
    ),
    ("compare -m bleu --input-files varied.jsonl", "outside the range of the score are cut to it: "),
    ("evaluate -m ter --input-files texts.jsonl --confidence --baseline a", f"0.25 {LEAST}"),
    (
        "correlate many.csv --metric x y --human rating --level global --test inputs --resamples 39",
        LEAST,
    ),
    ("agreement few.csv --raters x y z --cluster half", f"{FEW} clusters is unreliable: ratings Krippendorff α"),
    ("estimate few.csv --rating rating --judge x", f"{FEW} ratings is unreliable: "),
    ("estimate close.csv --rating rating --judge noise", f"{APART}: a − b"),
    ("test-judge rated.csv --rating rating --judge noise --cluster half", f"{FEW} clusters is unreliable: all judges"),
    ("prefer votes.csv", f"{FEW} clusters is unreliable: strengths (4)"),  # a warning
]


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    draw = random.Random(5)
    few, many, votes = (
        ["id,system,half,x,y,z,rating"],
        ["id,system,x,y,noise,rating"],
        ["input,system_a,system_b,winner"],
    )
    for number in range(40):
        for index, system in enumerate("abcd"):
            x = round(draw.gauss(-index / 3, 1), 3)
            many.append(f"{number},{system},{x},{draw.random():.3f},{draw.random():.3f},{x + draw.gauss(0, 0.2):.3f}")
    for number in range(4):
        for index, system in enumerate("ab"):
            scores = ",".join(str(draw.randrange(5) + index) for _ in range(4))
            few.append(f"{number},{system},{number % 2},{scores}")
        votes += [f"{number},a,b,{'ab'[index % 3 == 0]}" for index in range(5)]
    close, rated = ["id,system,noise,rating"], ["id,system,half,rater,rating,noise"]
    for number in range(40):
        for system, rating in (("a", 0.35 + (-1) ** number), ("b", 0), ("c", number % 4 / 5 - 0.3)):
            close.append(f"{number},{system},{draw.random():.3f},{rating:.2f}")
        rated += [f"{number},a,{number % 2},{rater},{draw.randrange(5)},{number % 5}" for rater in "xyz"]
    texts = [
        {"instance_id": str(number), "summarizer_id": system, "summary": text, "reference": "a cat sat on the mat"}
        for number in range(3)
        for system, text in (("a", "a cat sat on the mat"), ("b", "no dog"))
    ]
    varied = [
        {"instance_id": str(number), "summarizer_id": system, "summary": text, "reference": "a cat sat on the mat"}
        for system, outputs in (
            ("c", ["a cat", "a cat sat on the mat", "mat"]),
            ("d", ["a cat sat on", "a dog", "mat"]),
        )
        for number, text in enumerate(outputs)
    ]
    Path("varied.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in varied))
    for name, lines in {"few": few, "many": many, "votes": votes, "close": close, "rated": rated}.items():
        Path(f"{name}.csv").write_text("\n".join(lines) + "\n")
    Path("texts.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in texts))


@pytest.mark.parametrize(("words", "said"), SAID)
def test_a_command_says_in_text_and_in_json_where_care_is_needed(words: str, said: str, fw: Callable[..., Any]) -> None:
    command = words.partition(" ")[0]
    flags = ["--macro-output-json"] if command == "evaluate" else ["--output-file"]
    done = fw(*words.split(), *flags, "out.json")
    assert done.code == 0, done.err
    printed = re.sub(r"\s+", " ", done.out + done.err)
    assert said in printed, done.out
    assert printed.count(LEAST) < 2
    assert not re.search(f"caution[^\n]*{LEAST}", done.out)  # a note about p
    assert said in re.sub(r"\s+", " ", Path("out.json").read_text(encoding="utf-8").replace("\\u2212", "−"))


def test_a_page_has_the_cautions_of_a_table(fw: Callable[..., Any]) -> None:
    words = "--input-files texts.jsonl -m ter --profile translation"
    assert fw(*f"report page.html {words}".split()).code == 0
    page = Path("page.html").read_text(encoding="utf-8")
    for said in (f"Caution: p = 0.25 {LEAST}.", f"Caution: {FEW} inputs is unreliable: a (3), b (3)."):
        assert page.count(f'<p class="legend">{said}</p>') == 1
    assert fw(*f"report page.html {words} --no-confidence".split()).code == 0
    assert "Caution" not in Path("page.html").read_text(encoding="utf-8")
