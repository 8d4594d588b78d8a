"""Checks of texts on the command line and in Python: where findings go, what turns them off, and that advice works."""

from __future__ import annotations

import json
import re
import shlex
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from json_files import write_rows

import metrics_framework

Run = Callable[..., Any]
ENTITIES = "fw: warning: HTML entities such as '&amp;': 4 of 40 outputs of 'ours' (first at {}); decode them"
WORDS = ["old", "cat", "dog", "house", "river", "bird", "letter", "garden", "window", "table", "doctor", "school"]
HAN = "他昨天在海边的旧房子里给妹妹写了一封很长的信今天又回来了"


def texts(seed: int) -> list[str]:
    return [" ".join(WORDS[(number * step + seed) % 12] for step in range(1, 9)) for number in range(40)]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Writes outputs with HTML entities, as plain text and rows."""
    monkeypatch.chdir(tmp_path)
    outputs = [text.replace("cat", "cat &amp;", 1) if row % 10 == 3 else text for row, text in enumerate(texts(1))]
    outputs = [f"{text} &amp; so" if row % 10 == 3 and "&" not in text else text for row, text in enumerate(outputs)]
    Path("ours.txt").write_text("\n".join(outputs) + "\n")
    references = [f"{text} now" for text in texts(1)]
    Path("refs.txt").write_text("\n".join(references) + "\n")
    rows = [
        {"instance_id": str(row), "summarizer_id": "ours", "summary": output, "references": [reference]}
        for row, (output, reference) in enumerate(zip(outputs, references, strict=True))
    ]
    write_rows("rows.jsonl", rows)
    return tmp_path


TEXT, ROWS = "--outputs ours.txt --references refs.txt", "--input-files rows.jsonl"
SCORED = [  # a command that scores, its input and the first place
    (f"ter evaluate {TEXT}", "ours.txt:4"),
    (f"evaluate -m ter -m bleu {ROWS}", "rows.jsonl:4"),
    (f"evaluate -m ter {ROWS} --jobs 2", "rows.jsonl:4"),
    (f"evaluate -m ter {TEXT} --jobs 2", "ours.txt:4"),
    (f"ter score out.jsonl {ROWS}", "rows.jsonl:4"),
    (f"compare -m ter {TEXT} --trials 20 --ci jackknife", "ours.txt:4"),
    (f"report page.html --profile translation --metric ter --no-confidence {TEXT}", "ours.txt:4"),
]


@pytest.mark.parametrize(("words", "place"), SCORED, ids=[words for words, _ in SCORED])
def test_every_command_that_scores_reports_findings(words: str, place: str, files: Path, fw: Run) -> None:
    found = fw(*words.split())
    assert (found.code, found.err.count(ENTITIES.format(place))) == (0, 1), found.err
    assert "&amp;" not in fw(*words.split(), "--no-checks").err
    before = sorted(Path().iterdir())
    for path in ("out.jsonl", "page.html"):
        Path(path).unlink(missing_ok=True)
    strict = fw(*words.split(), "--strict")
    assert strict.code == 1
    assert "because of --strict)" in strict.err
    assert set(Path().iterdir()) <= {*before} - {Path("out.jsonl"), Path("page.html")}
    assert strict.out == ""


def test_findings_are_python_warnings_of_one_category_and_in_the_result(files: Path) -> None:
    outputs, references = Path("ours.txt").read_text().splitlines(), Path("refs.txt").read_text().splitlines()
    call: Callable[..., Any] = metrics_framework.evaluate
    with pytest.warns(metrics_framework.TextWarning, match="HTML entities") as caught:
        result = call("ter", outputs, references=references)
    assert [str(one.message) for one in caught] == result.warnings
    assert all(one.filename == __file__ for one in caught)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert call("ter", outputs, references=references, checks=False).warnings == []
    with pytest.raises(metrics_framework.DataError, match="because of strict=True"):
        call("ter", outputs, references=references, strict=True)


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_the_file_of_scores_has_the_warnings(jobs: str, files: Path, fw: Run) -> None:
    found = fw(*f"evaluate macro.json -m ter {ROWS} --jobs {jobs}".split())
    (warning,) = json.loads(Path("macro.json").read_text())["warnings"]
    assert f"fw: warning: {warning}\n" in found.err
    assert json.loads(fw(*f"evaluate -m ter {ROWS} --format json".split()).out)["warnings"] == [warning]
    fw(*f"evaluate macro.json -m ter {ROWS} --no-checks".split())
    assert "warnings" not in json.loads(Path("macro.json").read_text())


CHINESE = [HAN[row % 9 :] for row in range(12)]
KANA = [f"ねこがにわで{HAN[row]}をみつけましたとてもうれしい" for row in range(12)]
ADVISED = [  # outputs, a metric, what the advice sets
    (CHINESE, "bleu", "tokenizer"),
    (CHINESE, "bleu:lowercase=true,label=lc", "tokenizer"),
    (CHINESE, "sent-bleu", "tokenizer"),
    (CHINESE, "ter:case_sensitive=true", "asian"),
    (CHINESE, "token-f1", "tokenizer"),
    (["แมวเก่านั่งอยู่ในบ้านริมแม่น้ำ" * 2] * 12, "bleu", "char"),
    ([f"{row} It rained.<q>Dan left the house." for row in range(12)], "rouge:compute_rouge_l=true", "sentences"),
    ([f"{row} It rained.<q>Dan left the house." for row in range(12)], "google-rouge", "sentences"),
]


@pytest.mark.filterwarnings("ignore::metrics_framework.TextWarning")
@pytest.mark.parametrize(("outputs", "spec", "sets"), ADVISED, ids=[f"{row[1]} {row[2]}" for row in ADVISED])
def test_what_is_advised_is_accepted_where_it_is_printed(
    outputs: list[str], spec: str, sets: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fw: Run
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("o.txt").write_text("\n".join(outputs) + "\n", encoding="utf-8")
    Path("r.txt").write_text("\n".join(text[:-2] for text in outputs) + "\n", encoding="utf-8")
    given = ["--outputs", "o.txt", "--references", "r.txt"]

    def advised(err: str) -> str:
        (line,) = [line for line in err.splitlines() if sets in line]
        return line.rpartition("; use ")[2].partition(", and use")[0]

    metric = advised(fw("evaluate", "--metric", spec, *given).err)
    after = fw("evaluate", *shlex.split(metric), *given)
    assert (after.code, sets in after.err) == (0, False), after.err
    name = spec.partition(":")[0]
    flags = advised(fw(name, "evaluate", *given, *(["--compute-rouge-l"] if name == "rouge" else [])).err)
    after = fw(name, "evaluate", *shlex.split(flags), *given)
    assert (after.code, sets in after.err) == (0, False), after.err
    (line,) = [line for line in metrics_framework.evaluate(spec, outputs, references=outputs).warnings if sets in line]
    (python,) = re.findall(r"; use '(.*?)'(?:, and use|$)", line)
    result = metrics_framework.evaluate(python, outputs, references=outputs)
    assert not any(sets in warning for warning in result.warnings)


@pytest.mark.parametrize(
    ("asked", "depends"),
    [(["rouge1"], False), (["rouge1", "rouge2", "rougeL"], False), (["rouge1", "rougeLsum"], True),
     (["google-rouge"], True), (["rouge_score"], True)],
)  # fmt: skip
def test_sentences_are_noted_only_where_a_score_depends_on_them(
    asked: list[str], depends: bool, tmp_path: Path, fw: Run
) -> None:
    path = tmp_path / "texts.txt"
    path.write_text("".join(f"{row} It rained. Dan left the house.\n" for row in range(12)), encoding="utf-8")
    printed = fw("evaluate", "-m", *asked, "--outputs", str(path), "--references", str(path))
    assert (printed.code, "sentences=auto" in printed.err) == (0, depends), printed.err


def test_a_plugin_adds_a_check(files: Path, fw: Run, new_registries: Callable[[], Any]) -> None:
    Path("plugin.py").write_text(
        "from metrics_framework.inputs.checks import TextCheck\n"
        "@TextCheck.register('dogs')\n"
        "class Dogs(TextCheck):\n"
        "    '''Finds dogs.'''\n"
        "    def of_system(self, system):\n"
        "        found = [row for row, text in enumerate(system.outputs.texts) if 'dog' in text]\n"
        "        yield system.finding('dogs', system.outputs, found, 'remove them')\n"
    )
    with new_registries():
        found = fw("--include-packages", "plugin.py", *f"ter evaluate {TEXT}".split())
    assert re.search(r"warning: dogs: \d+ of 40 outputs of 'ours' \(first at ours.txt:\d+\); remove them", found.err)


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_only_the_first_outputs_of_a_system_are_checked(jobs: str, files: Path, fw: Run) -> None:
    rows = [
        {"instance_id": str(row), "summarizer_id": "s", "summary": "" if row in (7, 2500) else f"cat {row}",
         "references": [f"dog {row}"]}
        for row in range(3000)
    ]  # fmt: skip
    write_rows("rows.jsonl", rows)
    err = fw("evaluate", "-m", "ter", "--input-files", "rows.jsonl", "--jobs", jobs).err
    assert "empty outputs: 1 of the first 2,000 outputs of 's' (first at rows.jsonl:8)" in err
