"""Several data sets in one command: which of its files belong to which, and results for each of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from json_files import read_json, write_rows

import metrics_framework as fw_python

Run = Callable[..., Any]
LINES = {"news": 6, "wiki": 5}
WORDS = ["the", "cat", "sat", "on", "mats", "and", "old", "dogs", "ran", "far", "away", "from", "red", "houses"]


def text(seed: int, size: int = 5) -> str:
    return " ".join(WORDS[(seed * 3 + position * (1 + seed % 2)) % len(WORDS)] for position in range(size))


def texts(name: str, seed: int) -> list[str]:
    return [text(seed + number + len(name)) for number in range(LINES[name])]


OUTPUTS = {name: {"ours": texts(name, 1), "theirs": texts(name, 4)} for name in LINES}
REFERENCES = {name: texts(name, 2) for name in LINES}
SOURCES = {name: texts(name, 3) for name in LINES}


@pytest.fixture
def run(fw: Run) -> Run:
    """Runs ``fw`` with the words of a text, in a folder with outputs of two systems for two data sets."""
    for name in LINES:
        Path(name).mkdir()
        for system, outputs in OUTPUTS[name].items():
            Path(name, f"{system}.txt").write_text("\n".join(outputs) + "\n", encoding="utf-8")
        Path(f"{name}.ref").write_text("\n".join(REFERENCES[name]) + "\n", encoding="utf-8")
        Path(f"{name}.src").write_text("\n".join(SOURCES[name]) + "\n", encoding="utf-8")
        rows: list[dict[str, Any]] = [
            {"instance_id": number, "source": source, "references": [reference]}
            for number, (source, reference) in enumerate(zip(SOURCES[name], REFERENCES[name], strict=True))
        ]
        write_rows(f"{name}.jsonl", rows)
        scored = [
            {**row, "system": one, "output": of[row["instance_id"]]}
            for one, of in OUTPUTS[name].items()
            for row in rows
        ]
        write_rows(f"{name}-rows.jsonl", scored)
    write_rows("again.jsonl", rows)
    Path("none.txt").write_text("a\n", encoding="utf-8")
    return lambda words: fw(*words.split())


TEST_SETS = "--dataset news.jsonl,wiki.jsonl"
NAMED = "--outputs news=news/ours.txt news=news/theirs.txt wiki=wiki/ours.txt wiki=wiki/theirs.txt"
TEXTS = "--references news=news.ref wiki=wiki.ref --sources news=news.src wiki=wiki.src"
WAYS = [  # words, why
    (f"{TEST_SETS} {NAMED}", "test sets, each file with the name of its data set"),
    (f"--dataset news.jsonl --dataset wiki.jsonl {NAMED}", "the flag repeated"),
    (f"--dataset news=news.jsonl,wiki=wiki.jsonl {NAMED}", "test sets with names"),
    (f"{TEST_SETS} --outputs news=news/ours.txt,news/theirs.txt wiki=wiki/ours.txt,wiki/theirs.txt", "commas"),
    (f"{TEST_SETS} --outputs news=news/*.txt wiki=wiki/*.txt", "patterns"),
    (f"{TEST_SETS}, --outputs news=news/ours.txt,,news/theirs.txt, wiki=wiki/*.txt,", "empty names"),
    (f"{NAMED} {TEXTS}", "texts of one's own"),
    (f"{NAMED} --references news=news.ref,wiki=wiki.ref --sources news=news.src --sources wiki=wiki.src", "lists"),
    ("--input-files news=news-rows.jsonl wiki=wiki-rows.jsonl", "rows"),
    ("--config config.json", "a configuration"),
]


@pytest.mark.parametrize(("words", "why"), WAYS)
def test_each_data_set_has_the_scores_of_a_run_on_it_alone(words: str, why: str, run: Run) -> None:
    config = {"dataset": "news.jsonl,wiki.jsonl", "outputs": NAMED.split()[1:]}
    Path("config.json").write_text(json.dumps(config), encoding="utf-8")
    found = run(f"evaluate both.json -m sari -m ter --confidence {words}")
    assert found.code == 0, found.err
    both = read_json("both.json")
    assert list(both["sets"]) == ["news", "wiki"]
    assert both["by"] == "dataset"
    for name, scores in both["sets"].items():
        alone = f"--dataset {name}.jsonl --outputs {name}/ours.txt {name}/theirs.txt"
        assert run(f"evaluate {name}.json -m sari -m ter --confidence {alone}").code == 0
        assert {**scores, "num_instances": LINES[name]} == read_json(f"{name}.json"), why


def test_a_system_has_one_name_in_data_sets_whose_files_have_others(run: Run) -> None:
    words = "news=ours=news/theirs.txt wiki=ours=wiki/ours.txt"
    assert run(f"evaluate both.json -m ter {TEST_SETS} --outputs {words} --baseline ours").code == 0
    assert list(read_json("both.json")["systems"]) == ["ours"]


def test_a_file_belongs_to_several_data_sets_that_are_named(run: Run) -> None:
    words = "--dataset again.jsonl,wiki.jsonl --outputs again,wiki=wiki/ours.txt,wiki/theirs.txt"
    assert run(f"evaluate both.json -m ter {words}").code == 0
    sets = read_json("both.json")["sets"]
    assert sets["again"] == sets["wiki"]


WRONG = [  # words after fw evaluate -m ter, what the message names
    (f"{TEST_SETS} --outputs news=wiki/ours.txt wiki=wiki/ours.txt", ["wiki/ours.txt", "6", "5"], "other lines"),
    (
        f"{TEST_SETS} --outputs news/ours.txt wiki=wiki/ours.txt",
        ["'news/ours.txt'", "--outputs news=news/ours.txt", "news,wiki=news/ours.txt"],
        "no data set",
    ),
    (f"{TEST_SETS} --outputs news=news/ours.txt", ["'wiki'", "--outputs wiki=FILE"], "a data set without outputs"),
    (f"{TEST_SETS} --outputs new=news/ours.txt", ["'new'", "'news'"], "a misspelled data set"),
    (f"--dataset news.jsonl,wiki=missing.jsonl {NAMED}", ["missing.jsonl"], "a missing test set"),
    (f"{TEST_SETS} --outputs news=news/ours.txt wiki=wiki/mine.txt", ["wiki/mine.txt"], "missing outputs"),
    ("--dataset news.jsonl,news.jsonl --outputs news=news/ours.txt", ["'news'"], "a data set twice"),
    (
        f"{NAMED} --references news=news.ref wiki=wiki.ref none.txt",
        ["'none.txt'", "--references news=none.txt"],
        "whose",
    ),
    (f"{NAMED} --references news=news.ref wiki=wiki.ref --sources news=a,news=b", ["'news'", "'a'", "'b'"], "sources"),
    ("-t wmt22,wmt23 -l en-de -i news/ours.txt", ["--dataset wmt22/en-de,wmt23/en-de"], "test sets as in sacreBLEU"),
    (f"{TEST_SETS} {NAMED} --by domain", ["--by domain", "news and wiki"], "sets of sets"),
    (f"m.json o.jsonl {TEST_SETS} {NAMED}", ["news and wiki"], "scores of outputs, whose ids repeat"),
    (f"{TEST_SETS} {NAMED} -b", ["sacreBLEU"], "output of sacreBLEU"),
]


@pytest.mark.parametrize(("words", "named", "why"), WRONG)
def test_a_message_names_the_file_and_the_data_sets(words: str, named: list[str], why: str, run: Run) -> None:
    found = run(f"evaluate -m ter {words}")
    assert found.code in (1, 2), why
    assert all(name in found.err for name in named), (why, found.err)


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (f"score -m ter {TEST_SETS} {NAMED}", "news and wiki"),
        (f"visualize rouge v.html {TEST_SETS} -i news/ours.txt", "news.jsonl and wiki.jsonl"),
    ],
)
def test_some_commands_read_one_data_set(words: str, named: str, run: Run) -> None:
    found = run(words)
    assert (found.code, named in found.err) == (2, True)


@pytest.mark.parametrize("command", ["evaluate", "compare", "report page.html --profile translation"])
@pytest.mark.parametrize("more", ["", " --silent"])
def test_a_note_says_how_to_name_systems_that_no_two_data_sets_share(command: str, more: str, run: Run) -> None:
    words = f"{command} -m wer {TEST_SETS}{more}"
    found = run(f"{words} --outputs news=news/ours.txt wiki=wiki/theirs.txt")
    named = "--outputs news=ours=news/ours.txt wiki=ours=wiki/theirs.txt"
    note = "news and wiki have no system in common: each file is a separate system unless it is given a name, as in "
    assert (found.code, f"fw: {note}{named}\n" in found.err) == (0, not more)
    assert (followed := run(f"{words} {named}")).code == 0
    assert "in common" not in followed.err


def test_systems_are_compared_separately_on_each_data_set(run: Run) -> None:
    found = run(f"compare -m ter {TEST_SETS} {NAMED} --output-file both.json --paper p.tex --plot p.svg --silent")
    assert found.code == 0, found.err
    both = read_json("both.json")
    for name in LINES:
        alone = f"--dataset {name}.jsonl --outputs {name}/ours.txt {name}/theirs.txt"
        assert run(f"compare -m ter {alone} --output-file {name}.json --silent").code == 0
        assert both["sets"][name] == read_json(f"{name}.json")
        assert rf"\emph{{{name}}}" in Path("p.tex").read_text(encoding="utf-8")
        assert f"{name}: ter" in Path("p.svg").read_text(encoding="utf-8")
    table = run(f"compare -m ter {TEST_SETS} {NAMED} --silent").out
    assert [
        line
        for name in LINES
        for line in table.splitlines()
        if line.startswith((f"{name}: ter", f"signature  ter {name}"))
    ]
    rows = run(f"compare -m ter {TEST_SETS} {NAMED} --format csv --silent").out.splitlines()
    assert [row.split(",")[:2] for row in rows] == [
        ["dataset", "metric"],
        *[[name, "ter"] for name in LINES for _ in range(3)],
    ]


def test_a_page_has_a_table_of_all_data_sets_and_a_report_of_each(run: Run) -> None:
    found = run(f"report page.html -m ter {TEST_SETS} {NAMED}")
    assert found.code == 0, found.err
    page = Path("page.html").read_text(encoding="utf-8")
    assert [page.count(f'<iframe class="panel" title="{name}"') for name in LINES] == [1, 1]
    assert page.index(">news</th>") < page.index(">wiki</th>") < page.index("<iframe")
    assert run(f"report page.html -m ter {TEST_SETS} {NAMED} --scores-files both.jsonl").code == 2


def test_python_takes_texts_by_data_set_and_system(run: Run) -> None:
    run(f"evaluate both.json -m ter {TEST_SETS} {NAMED}")
    by_set: dict[str, Any] = {"references": REFERENCES, "sources": SOURCES}
    result = fw_python.evaluate("ter", OUTPUTS, **by_set)
    assert {name: one["ours"]["ter"] for name, one in result.sets.items()} == {
        name: one["systems"]["ours"]["ter"] for name, one in read_json("both.json")["sets"].items()
    }
    assert result.as_json()["by"] == "dataset"
    files = {name: {system: f"{name}/{system}.txt" for system in OUTPUTS[name]} for name in LINES}
    of_files = fw_python.evaluate("ter", files=files, references={name: f"{name}.ref" for name in LINES})
    assert of_files.systems == result.systems
    with pytest.warns(UserWarning, match="inputs"):
        compared = fw_python.compare("ter", OUTPUTS, **by_set, checks=False)
    assert list(compared.sets) == [*dict.fromkeys(record["dataset"] for record in compared.to_records())] == [*LINES]
    page = fw_python.report(OUTPUTS, **by_set, metrics="ter", confidence=False)
    assert [one.data.title for one in page.sets.values()] == [*LINES]


@pytest.mark.parametrize("wrong", [REFERENCES["news"], {"news": REFERENCES["news"]}])
def test_python_names_the_data_set_whose_texts_are_missing(wrong: Any) -> None:
    with pytest.raises(fw_python.InputError, match=r"'references'.*'(news|wiki)'"):
        fw_python.evaluate("ter", OUTPUTS, references=wrong)
