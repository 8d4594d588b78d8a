"""What all commands that analyse scores and ratings have in common: formats, files, and records of how they ran."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from shlex import split
from typing import Any

import pytest
from samples import sampled

from metrics_framework.reports.formats import REGISTRY as FORMATS

Run = Callable[..., Any]
JUDGED = "DATA/judging/judgements.csv"
JUDGING = f"DATA/judging/ratings.csv {JUDGED}"
VOTES = "DATA/preferences/judge.jsonl"
AGAINST = f"{VOTES} --against DATA/preferences/people.csv"
ANALYSES = [
    "agreement DATA/simplification/ratings.csv --rating simplicity --pairwise",
    "compare DATA/simplification/human.jsonl --trials 50 --resamples 50",
    "compare DATA/simplification/human.jsonl --trials 50 --resamples 50 --baseline timid",
    f"correlate {JUDGED} --metrics model bland --ci none",
    f"correlate {JUDGED} --metric model --metric words --human bland --resamples 20 --test",
    f"judge {JUDGING} --rating helpfulness --judge model",
    f"estimate {JUDGING} --rating helpfulness --judge model",
    f"estimate {JUDGING} --rating solved --judge verdict --pass-fail",
    "plan mean --sd 1.1 --agreement 0.4 --simulations 20 --difference 0.3 --raters 2 3",
    f"prefer {VOTES}",
    *(f"prefer {AGAINST} --show {show} --subset genre" for show in ("pairs", "ranking", "agreement")),
    f"stat-sig-test {JUDGED} --dependent-metric model --metric-A bland --metric-B words --resamples 20",
]
MARKS = {"markdown": "| ", "latex": "\\begin{tabular}", "html": "<table", "csv": ",", "tsv": "\t", "json": "{\n"}


@pytest.fixture
def run(fw: Run, datasets_path: Path) -> Run:
    return lambda words: fw(*split(words.replace("DATA/", f"{datasets_path}/")))


@pytest.mark.parametrize("words", sampled(ANALYSES, 1))
def test_every_format_is_printed_and_written_over_the_result_of_an_earlier_run(words: str, run: Run) -> None:
    for name in [*FORMATS.names(), "json"]:
        printed = run(f"{words} --format {name}")
        assert printed.code == 0, printed.err
        assert MARKS.get(name, "  ") in printed.out, name
        if words.startswith("plan"):  # whose tables are not recognized
            Path("table.out").unlink(missing_ok=True)
        written = run(f"{words} --format {name} -o table.out")
        assert (written.code, written.out) == (0, ""), written.err
        assert Path("table.out").read_text(encoding="utf-8") == printed.out, name


@pytest.mark.parametrize("words", sampled(ANALYSES, 5))
def test_the_json_file_names_its_command_and_is_overwritten_by_the_next_run(words: str, run: Run) -> None:
    written = []
    for _ in range(2):
        done = run(f"{words} --output-file r.json --silent")
        assert (done.code, done.out, done.err) == (0, "", "")
        written.append(Path("r.json").read_text(encoding="utf-8"))
    assert written[0] == written[1]
    found = json.loads(written[0])
    assert found.get("command") == f"fw {words.split()[0]}" or found["metric1"] == "model"
