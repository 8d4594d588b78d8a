"""Advice in messages: each flag, command and option that one prints is accepted by the command that printed it."""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from shlex import split
from string import Template
from typing import Any, NamedTuple

import pytest
from samples import sampled

import metrics_framework

Run = Callable[..., Any]
VARIABLES = {
    "OUT": "--outputs out.txt --references ref.txt",
    "TWO": "--outputs out.txt other.txt --references ref.txt",
    "THREE": "--outputs out.txt --references ref.txt --sources src.txt",
    "SENTENCES": "--outputs sentences.txt --references sentences.txt",
    "MANY": f"--outputs {' '.join(f's{number}.txt' for number in range(12))} --references ref.txt",
    "SCORES": "judging/judgements.csv",
    "JUDGED": "judging/ratings.csv judging/judgements.csv",
    "LOGS": " ".join(f"logs/acme__{name}/samples_capitals_2026-11-20T09-30-00.000000.jsonl" for name in ("old", "new")),
    "JUDGE": "--sources src.txt --outputs out.txt",
}


class Case(NamedTuple):
    """A command whose message has advice.

    Attributes:
        words: The words after ``fw``.
        said: Words of its message.
        then: The commands that follow the advice.
        again: Words of the message of the last one, if it needs something else, too; otherwise it succeeds.
    """

    words: str
    said: str
    then: list[str]
    again: str


STARTS = ("$ ", ">>> ")


def _case(block: str) -> Case:
    first, said, *rest = block.splitlines()
    commands = [
        Template(line.removeprefix("$ ")).substitute(VARIABLES) for line in (first, *rest) if line.startswith(STARTS)
    ]
    return Case(commands[0], said, commands[1:], "" if rest[-1].startswith(STARTS) else rest[-1])


TEXT = Path(__file__).with_name("advice.txt").read_text(encoding="utf-8")
CASES = [_case(block) for block in TEXT.strip().split("\n\n") if block.startswith(STARTS)]


@pytest.fixture(autouse=True)
def _files(datasets_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Writes the files of the commands to the current folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    for folder in ("challenge", "judging", "logs", "preferences", "simplification", "translation"):
        shutil.copytree(datasets_path / folder, folder)
    names = {"sources": "src", "references.0": "ref", "references.1": "ref2", "careful": "out", "clumsy": "other"}
    texts = {name: Path(f"simplification/{file}.txt").read_text(encoding="utf-8") for file, name in names.items()}
    pairs = [*zip(texts["ref"].splitlines(), texts["ref2"].splitlines(), strict=True)]
    rows = [json.loads(line) for line in Path("simplification/outputs.jsonl").read_text(encoding="utf-8").splitlines()]
    sources = [{name: row[name] for name in ("instance_id", "source", "references")} for row in rows[::3]]
    unnamed = [{"number": number, "made_by": "a", "summary": "a cat", "reference": "a cat"} for number in range(12)]
    tables = {
        "rows.jsonl": rows,
        "one.jsonl": rows[:1],
        "twice.jsonl": [*rows, rows[0]],
        "sources.jsonl": sources,
        "languages.jsonl": [{**row, "metadata": {"origlang": "en"}} for row in sources],
        "unnamed.jsonl": unnamed,
        "two-outputs.jsonl": [{**row, "prediction": row["summary"]} for row in rows],
        "few.jsonl": [row for row in rows if int(row["instance_id"]) < 9],
        "uneven.jsonl": rows[1:-1],
        "metrics.json": [{"metrics": ["bleu"]}],
    }
    written = {
        **{f"{name}.txt": text for name, text in texts.items()},
        **{f"s{number}.txt": texts["out"] for number in range(12)},
        "reversed.csv": "instance_id,system_id,errors,rating\n"
        + "".join(
            f"{row['instance_id']},{row['summarizer_id']},{number % 3},{(number % 5 == 0) - number % 3}\n"
            for number, row in enumerate(rows)
        ),
        "b=out.txt": texts["out"],
        **dict.fromkeys(["sentences.txt", "again.txt"], "A cat sat. It ran off.\n" * 6),
        "codes.csv": "id,system,rater,ok\n"
        + "".join(f"{i},a,{r},{(i * k) % 2}\n" for i in range(9) for k, r in [(1, "u"), (3, "v")]),
        "form.csv": "Timestamp,Q1,Q2,Q3\nMonday,1,4,5\nTuesday,2,4,5\n",
        "t.csv": "output,reference,ref2\na b,a c d,b\n",
        "wide.csv": "reference,x,y\na b,a b,a\n",
        **{
            f"{file}.csv": f"id,system,{name}\n1,new,5\n1,old,6\n2,new,7\n2,old,8\n"
            for file, name in (("changed", "words"), ("renamed", "other"))
        },
        "headless.csv": Path("judging/judgements.csv").read_text(encoding="utf-8").partition("\n")[2],
        "score.jsonl": '{"instance_id": "1", "summarizer_id": "timid", "metrics": {"x": 1}}\n',
        **dict.fromkeys(["tabs.txt", "tabs.tsv"], "".join(f"{first}\t{second}\n" for first, second in pairs)),
        **{name: "".join(f"{json.dumps(row)}\n" for row in table) for name, table in tables.items()},
        "metric.py": PLUGIN,
        "zh.txt": "猫坐在垫子上。\n" * 9,
        "judge-votes.jsonl": "".join(
            f"{json.dumps({**json.loads(line), 'judge': 'ab'[number % 2]})}\n"
            for number, line in enumerate(Path("preferences/judge.jsonl").read_text(encoding="utf-8").splitlines())
        ),
    }
    for name, system, moved, lower in [
        ("high", "a", 0, 0),
        ("low", "b", 0, 1),
        ("moved", "b", 1, 0),
        ("again", "a", 0, 0),
    ]:
        head = {"schema_version": "0.3.0", "evaluation_id": name, "model_id": system, "evaluation_result_id": "m"}
        log = [
            {
                **head,
                "sample_id": str(number),
                "input": {"raw": f"in {(number + moved) % 8}"},
                "evaluation": {"score": number * len(name) % 5},
            }
            for number in range(8)
        ]
        about = {"evaluation_result_id": "m", "metric_config": {"lower_is_better": bool(lower)}}
        written[f"{name}_samples.jsonl"] = "".join(f"{json.dumps(row)}\n" for row in log)
        written[f"{name}.json"] = json.dumps({"evaluation_results": [about]})
    for name, text in written.items():
        Path(name).write_text(text, encoding="utf-8")
    Path("utf32.txt").write_text(texts["out"], encoding="utf-32")


PLUGIN = """
import metrics_framework as fw

@fw.metric("length-in-words")
def length_in_words(output: str) -> float:
    return len(output.split())
"""


def run(words: str, fw: Run) -> Any:
    """Returns code and messages of a command, of ``iconv``, or of an expression of Python."""
    if words.startswith("iconv"):
        return subprocess.run(words, shell=True, check=True)
    if not words.startswith(">>> "):
        result = fw(*split(words))
        return result.code, re.sub(r"\n *", " ", result.err), re.sub(r"\n *", " ", result.err + result.out)
    rows = [json.loads(line) for line in Path("rows.jsonl").read_text(encoding="utf-8").splitlines()]
    spans = [json.loads(line) for line in Path("translation/spans.jsonl").read_text(encoding="utf-8").splitlines()]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            code, said = 0, str(eval(words[4:], {"fw": metrics_framework, "ROWS": rows, "SPANS": spans}))
        except metrics_framework.FwError as error:
            code, said = 1, str(error)
    said = " ".join([*(str(one.message) for one in caught), said])
    assert not re.search(r"(?<![\w-])--[a-z]", re.sub(r"\bfw [^;]*|[^;]* in Python", "", said)), said
    return code, said, said


@pytest.mark.parametrize(
    "case", sampled([pytest.param(case, id=f"{case.words} → {case.said}") for case in CASES], quick=20)
)
def test_advice_is_accepted_where_it_is_printed(case: Case, fw: Run) -> None:
    _, _, printed = run(case.words, fw)
    if case.said not in printed:
        pytest.fail(f"not printed: {printed}")
    *before, last = case.then
    for words in before:
        run(words, fw)
    code, err, _ = run(last, fw)
    if case.said in err or not (case.again in err if case.again else code == 0):
        pytest.fail(f"not accepted: {last}: {err}")


# ---- no advice is left out -------------------------------------------------------------------------------------------

PACKAGE = Path(metrics_framework.__file__).parent
GAP = "\0"
ADVICE = re.compile(
    r"(?<![\w-])--[a-z][\w-]+|\bfw [a-z][\w-]+(?: [a-z]+-?\w*)?|(?<![.\w\"])[a-z_]+=(?![\"\0= ])|\biconv\b"
)
HELP = {"help", "description", "epilog", "usage", "metavar", "example_lines", "example_flags", "citation", "SPELLINGS"}
"""What texts of help are passed as or assigned to; other tests run their examples."""
FILES_OF_HELP = {"commands/completion.py", "data/file_formats.py", "integrations/dask.py", "integrations/ray.py"}


def _strings(node: ast.AST) -> Iterator[tuple[int, str]]:
    """Yields line and text of each string but docstrings and help; the values in an f-string are gaps."""
    for child in ast.iter_child_nodes(node):
        targets = [ast.unparse(one) for one in getattr(child, "targets", [getattr(child, "target", None)]) if one]
        is_text = isinstance(child, ast.Constant) and isinstance(child.value, str)
        if HELP & {getattr(child, "arg", None), *targets} or (is_text and isinstance(node, ast.Expr | ast.JoinedStr)):
            continue
        if isinstance(child, ast.JoinedStr):
            yield (
                child.lineno,
                "".join(part.value if isinstance(part, ast.Constant) else GAP for part in child.values),
            )
        elif is_text:
            yield child.lineno, child.value
        yield from _strings(child)


def advice_of_package() -> list[tuple[str, str]]:
    """Returns place and text of each message of the package with a flag, a command or an option in a sentence."""
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        place = path.relative_to(PACKAGE).as_posix()
        tree = ast.parse(path.read_text(encoding="utf-8"))
        strings = [] if place in FILES_OF_HELP else _strings(tree)
        found += [(f"{place}:{line}", text) for line, text in strings if is_advice(text)]
    return found


def is_advice(text: str) -> bool:
    """Returns whether a text is a sentence, or a part of one, about a flag, a command or an option."""
    others = re.findall(r"(?<!\S)[(\'\"]*[a-z]{2,}[.,;:)]*(?!\S)", ADVICE.sub(" ", text))
    return bool(ADVICE.search(text)) and len(others) > 1 and text[0] not in "<\\" and not text.startswith("import ")


def is_said(said: str, text: str) -> bool:
    """Returns whether words with a flag, a command or an option are part of a message, whose gaps are any words.

    >>> is_said("use --by b", "use --by \0; or not"), is_said("use --to b", "use --by \0"), is_said("use", "use --by")
    (True, False, False)
    """
    words, given = text.split(), said.split()
    parts = [words[start : start + len(given)] for start in range(len(words) - len(given) + 1)]
    return any(
        all(one in word or GAP in word for one, word in zip(given, part, strict=True))
        and sum(GAP not in word for word in part) > len(part) // 2
        and ADVICE.search(" ".join(part))
        for part in parts
    )


def is_covered(text: str) -> bool:
    """Returns whether a case executes the advice in a message."""
    return any(is_said(case.said, text) for case in CASES)


NOT_EXECUTED = [
    line.replace("\\0", GAP)
    for block in TEXT.split("\n\n")
    if block.startswith("Not executed")
    for line in block.strip().splitlines()[1:]
]


def test_every_advice_is_executed_or_listed_with_a_reason() -> None:
    left = [(place, text) for place, text in advice_of_package() if not is_covered(text)]
    missing = [place for place, text in left if not any(words in text for words in NOT_EXECUTED)]
    assert not missing, "add a case to advice.txt"
    assert not [words for words in NOT_EXECUTED if not any(words in text for _, text in left)], "no longer needed"
