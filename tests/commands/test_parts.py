"""Runs over parts into an output folder: the same bytes as one process, and resuming."""

from __future__ import annotations

import gzip
import json
import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from messages import CHANGED_SINCE_THE_PLAN
from part_folders import assert_no_strays, refusal, rows, texts_of, write, write_input

from metrics_framework.evaluation.parts.stored_run import StoredRun

Run = Callable[..., Any]
RUNS = {
    "ter": "evaluate --metric ter",
    "sari-hf": "evaluate --metric sari:variant=hf",
    "bleu": "evaluate --metric bleu",
    "sent-bleu": "evaluate --metric sent-bleu",
    "several": "evaluate --metric chrf --metric bleu --metric sari --confidence --resamples 50",
    "score": "score --metric ter --metric bleu:label=again",
}
SIZES = ["900", "4KB", "1MB"]
COUNTS = [1, 3, 7]


def expected_files(fw: Run, words: str, file: str, *more: str) -> list[bytes]:
    """Returns the files that one process writes."""
    names = ["expected.jsonl"] if words.startswith("score") else ["expected.json", "expected.jsonl"]
    done = fw(*words.split(), *names, "--input-files", file, *more)
    assert done.code == 0, done.err
    return [Path(name).read_bytes() for name in names]


def collected_files(fw: Run, folder: str, words: str) -> list[bytes]:
    """Returns the files that ``fw collect`` writes, and checks that nothing stray is in the folder."""
    names = ["joined.jsonl"] if words.startswith("score") else ["joined.json", "joined.jsonl"]
    done = fw("collect", folder, *names)
    assert done.code == 0, done.err
    assert_no_strays(folder)
    return [Path(name).read_bytes() for name in names]


def parts_of(fw: Run, words: str, file: str, count: int, folder: str = "out") -> None:
    """Scores the parts of a run as the tasks of an array do, in any order."""
    for number in random.Random(count).sample(range(1, count + 1), count):
        command, *flags = words.split()
        done = fw(command, folder, *flags, "--input-files", file, "--part", f"{number}/{count}")
        assert done.code == 0, done.err


# ---- the same bytes --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
@pytest.mark.parametrize("name", RUNS)
def test_parts_give_the_files_of_one_process(name: str, kind: str, fw: Run) -> None:
    words, file = RUNS[name], write_input(kind)
    expected = expected_files(fw, words, file)
    assert expected_files(fw, words, file, "--jobs", "2", "--force") == expected
    for size in SIZES:
        for engine in ([], ["--cluster", "local:2"]):
            folder = f"out-{size}{len(engine)}/"
            done = fw(*words.split(), folder, "--input-files", file, "--part-size", size, *engine)
            assert done.code == 0, done.err
            assert collected_files(fw, folder, words) == expected
            if words.startswith("evaluate"):
                assert Path(folder, "macro.json").read_bytes() == expected[0]
    for count in COUNTS:
        parts_of(fw, words, file, count, f"parts-{count}/")
        assert collected_files(fw, f"parts-{count}/", words) == expected
    assert len(json.loads(Path("out-9000/plan.json").read_bytes())["parts"]) > 3


@pytest.mark.parametrize(
    "words", ["evaluate --metric ter --metric sari --confidence --resamples 50", "score --metric ter"]
)
def test_local_processes_give_the_files_of_one_process(words: str, fw: Run) -> None:
    file = write_input("jsonl")
    expected = expected_files(fw, words, file)
    command, *flags = words.split()
    names = ["whole.jsonl"] if command == "score" else ["whole.json", "whole.jsonl"]
    engine = ["--cluster", "local:2", "--part-size", "4KB"]
    done = fw(command, "out", *names, *flags, "--input-files", file, *engine)
    assert done.code == 0, done.err
    assert [Path(name).read_bytes() for name in names] == expected
    assert collected_files(fw, "out", words) == expected


def test_the_table_is_that_of_one_process(fw: Run) -> None:
    file = write_input("jsonl")
    words = ["evaluate", "--profile", "simplification", "--input-files", file, "--resamples", "50"]
    expected = fw(*words)
    assert fw(*words, "out/", "--part-size", "4KB").out == expected.out
    assert fw("collect", "out/").out == expected.out


def test_a_metric_has_its_own_commands_with_parts(fw: Run) -> None:
    file = write_input("jsonl")
    expected = fw("sari", "evaluate", "--input-files", file).out
    assert fw("sari", "evaluate", "out/", "--input-files", file).out == expected


def test_plain_texts_are_parts(fw: Run) -> None:
    for name in ("one.txt", "two.txt", "refs.txt"):
        Path(name).write_text("\n".join(texts_of(len(name), 40)) + "\n", encoding="utf-8")
    words = ["bleu", "evaluate", "--outputs", "one.txt", "two.txt", "--references", "refs.txt"]
    assert fw("bleu", "evaluate", "out/", *words[2:], "--part-size", "100").out == fw(*words).out
    assert_no_strays("out")


def test_a_compressed_file_is_one_part_and_said_so(fw: Run) -> None:
    file = write_input("jsonl")
    Path("in.jsonl.gz").write_bytes(gzip.compress(Path(file).read_bytes()))
    done = fw("ter", "evaluate", "out/", "--input-files", "in.jsonl.gz", "--cluster", "local:2", "--part-size", "4KB")
    assert done.out == fw("ter", "evaluate", "--input-files", file).out
    assert done.err.count("in.jsonl.gz cannot be read in parts (it is compressed or not a file)") == 1
    assert "cannot" not in fw("ter", "evaluate", "new/", "--input-files", file, "--cluster", "local:2").err


def test_rows_are_joined_as_parquet(fw: Run) -> None:
    pytest.importorskip("pyarrow", reason="writes Parquet")
    file = write_input("jsonl")
    assert fw("ter", "evaluate", "m.json", "expected.parquet", "--input-files", file).code == 0
    assert fw("ter", "evaluate", "out/", "--input-files", file, "--part-size", "4KB").code == 0
    done = fw("collect", "out/", "n.json", "joined.parquet")
    assert done.code == 0, done.err
    assert Path("joined.parquet").read_bytes() == Path("expected.parquet").read_bytes()


@pytest.mark.parametrize("is_sorted", [True, False])
def test_sorted_rows_are_copied_if_those_of_parts_follow_one_another_else_merged(is_sorted: bool, fw: Run) -> None:
    lines = [
        json.dumps(row) for row in sorted(rows(60), key=lambda row: (int(row["instance_id"]), row["summarizer_id"]))
    ]
    if not is_sorted:
        random.Random(1).shuffle(lines)
    Path("rows.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    assert fw(*["score", "out/", "--metric", "ter", "--part-size", "4kB", "--input-files", "rows.jsonl"]).code == 0
    run = StoredRun("out")
    assert len(run.plan.parts) > 3
    assert (run._order() is not None) == is_sorted
    assert collected_files(fw, "out", "score") == expected_files(fw, "score --metric ter", "rows.jsonl")


def test_the_output_folder_may_be_remote(fw: Run) -> None:
    pytest.importorskip("fsspec", reason="writes remote files")
    file = write_input("jsonl")
    words = ["ter", "evaluate", "memory://bucket/out/", "--input-files", file, "--part-size", "4KB"]
    expected = expected_files(fw, "ter evaluate", file)
    assert fw(*words, "--force").code == 0
    assert "has a run already" in fw(*words).err
    assert "were complete" in fw(*words, "--resume").err
    assert fw("collect", "memory://bucket/out/", "joined.json", "joined.jsonl").code == 0
    assert [Path(name).read_bytes() for name in ("joined.json", "joined.jsonl")] == expected


# ---- the words of one process ----------------------------------------------------------------------------------------


def test_problems_in_several_parts_are_reported_with_the_lines_of_the_file(fw: Run) -> None:
    lines = [json.dumps(row) for row in rows()]
    lines[3] = '{"broken'
    lines[90] = lines[90].replace('"references"', '"nothing"')
    lines[170] = lines[2]
    Path("in.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    expected = fw("ter", "evaluate", "--input-files", "in.jsonl")
    assert expected.code == 1
    assert all(f"in.jsonl:{line}:" in expected.err for line in (4, 91, 171))
    parts_of(fw, "evaluate --metric ter", "in.jsonl", 5)
    for done in (
        fw("ter", "evaluate", "other/", "--input-files", "in.jsonl", "--part-size", "4KB"),
        fw("collect", "out/"),
        fw("collect", "out/", "joined.json", "joined.jsonl"),
    ):
        assert (done.code, done.out, done.err) == (1, "", expected.err)
    assert not os.path.exists("joined.json")


def test_a_problem_of_many_rows_is_listed_once_for_all_parts(fw: Run) -> None:
    made = rows()
    for number, row in enumerate(made):
        row.pop("references" if number % 2 else "summary")
    lines = [json.dumps(row) for row in made]
    lines[100] = '{"broken'
    Path("in.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    expected = fw("ter", "evaluate", "--input-files", "in.jsonl")
    first, second, third = expected.err.splitlines()
    each = [len(range(start, len(made), 2)) - 3 for start in (0, 1)]
    assert f"in.jsonl:1, 3, 5 and {each[0] - 1} more lines: 'summary' is missing" in first
    assert second.startswith(f"in.jsonl:2, 4, 6 and {each[1]} more lines: 'references' is missing")
    assert third.startswith("in.jsonl:101: ")
    for flags in (["--part-size", "4KB"], ["--jobs", "2"]):
        folder = ["other/"] if "--part-size" in flags else []
        done = fw("ter", "evaluate", *folder, "--input-files", "in.jsonl", *flags)
        assert (done.code, done.err) == (1, expected.err)


def test_warnings_are_those_of_one_process(fw: Run) -> None:
    made = rows()
    made[70]["summary"] = " "
    write("in.jsonl", made[:-1])
    expected = fw("ter", "evaluate", "m.json", "--input-files", "in.jsonl").err.splitlines()
    assert len(expected) > 1
    done = fw("ter", "evaluate", "out/", "--input-files", "in.jsonl", "--part-size", "4KB").err.splitlines()
    assert done[:-1] == expected[:-1]


# ---- resuming --------------------------------------------------------------------------------------------------------


def damage(folder: str, *names: str) -> None:
    """Removes files, as if a process had been killed before it wrote them."""
    for name in names:
        Path(folder, name).unlink()


def test_a_run_is_resumed(fw: Run) -> None:
    file = write_input("jsonl")
    words = ["ter", "evaluate", "out/", "--input-files", file, "--part-size", "4KB"]
    expected = fw(*words)
    damage("out", "part-00002.done.json", "part-00004.jsonl", "part-00005.results", "macro.json")
    Path("out/part-00003.results").write_bytes(b"half")
    Path("out/.fw-abc.part").write_bytes(b"of a killed process")
    before = Path("out/part-00001.results").stat().st_mtime_ns
    incomplete = fw("collect", "out/")
    assert (incomplete.code, incomplete.out) == (1, "")
    assert "4 of " in incomplete.err
    assert "(parts 2, 3, 4, 5)" in incomplete.err
    assert "--resume" in incomplete.err
    done = fw(*words[:-2], "--resume")  # with the part size of the plan
    assert (done.code, done.out) == (0, expected.out)
    assert "were complete" in done.err
    assert Path("out/part-00001.results").stat().st_mtime_ns == before
    assert_no_strays("out")


def test_an_array_is_completed_by_one_process(fw: Run) -> None:
    file = write_input("jsonl")
    words = ["ter", "evaluate", "out/", "--input-files", file]
    assert fw(*words, "--part", "2/3").code == 0
    done = fw(*words, "--resume")
    assert (done.code, done.out) == (0, fw("ter", "evaluate", "--input-files", file).out)
    again = fw(*words, "--part", "2/3")
    assert "part 2 of 3 was complete already" in again.err


def test_another_run_is_refused_with_what_differs(fw: Run) -> None:
    file = write_input("jsonl")
    words = ["evaluate", "out/", "--input-files", file]
    assert fw(*words, "--metric", "ter").code == 0
    assert "has a run already; use --resume" in refusal(fw, *words, "--metric", "ter")
    found = refusal(fw, *words, "--metric", "ter:case_sensitive=true", "--resume")
    assert "metrics: ter options case_sensitive true instead of none" in found
    assert "metrics: 2 instead of 1" in refusal(fw, *words, "--metric", "ter", "--metric", "bleu", "--resume")
    assert 'command: "score" instead of "evaluate"' in refusal(fw, "score", *words[1:], "--metric", "ter", "--resume")
    os.utime(file, ns=(1, 1))
    assert fw(*words, "--metric", "ter", "--resume").code == 0, "a time is no content"
    Path(file).write_bytes(Path(file).read_bytes().replace(b"cat", b"dog"))
    os.utime(file, ns=(1, 1))
    assert f'input files: {file} hash "' in refusal(fw, *words, "--metric", "ter", "--resume")
    with open(file, "a", encoding="utf-8") as stream:
        stream.write("\n")
    assert "size" in refusal(fw, *words, "--metric", "ter", "--part", "1/1")
    assert fw(*words, "--metric", "ter", "--force").code == 0


def test_a_changed_input_is_not_scored_with_the_plan_of_another(fw: Run) -> None:
    from metrics_framework.common.errors import ProcessError
    from metrics_framework.evaluation.parts.folder import score_part_into

    file = write_input("jsonl")
    assert fw("ter", "evaluate", "out/", "--input-files", file, "--part", "1/2").code == 0
    status = os.stat(file)
    Path(file).write_bytes(Path(file).read_bytes().replace(b"cat", b"dog"))
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    with pytest.raises(ProcessError, match=rf"'{file}' {CHANGED_SINCE_THE_PLAN}.*\(hash "):
        score_part_into(os.path.abspath("out"), 1)


def test_large_input_is_compared_by_its_time(fw: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("metrics_framework.io.content.LIMIT", 1000)
    file = write_input("jsonl")
    words = ["evaluate", "out/", "--input-files", file, "--metric", "ter"]
    assert fw(*words).code == 0
    os.utime(file, ns=(1, 1))
    assert f'input files: {file} modified "19' in refusal(fw, *words, "--resume")


def test_missing_files_are_reported_before_the_folder_is_made(fw: Run) -> None:
    files = ["--input-files", "no.jsonl", "none.jsonl"]
    assert fw("ter", "evaluate", *files).err == fw("ter", "evaluate", "out/", *files).err
    assert not os.path.exists("out")


def test_a_plan_of_another_version_is_refused(fw: Run) -> None:
    file = write_input("jsonl")
    assert fw("ter", "evaluate", "out/", "--input-files", file).code == 0
    plan = Path("out/plan.json")
    plan.write_text(plan.read_text().replace('"fw": "', '"fw": "9.'))
    for words in (["collect", "out/"], ["ter", "evaluate", "out/", "--input-files", file, "--resume"]):
        done = fw(*words)
        assert done.code == 1
        assert "is the plan of a run of fw 9." in done.err


def test_a_part_of_another_plan_is_incomplete(fw: Run) -> None:
    file = write_input("jsonl")
    for folder, metric in (("a/", "ter"), ("b/", "bleu")):
        assert fw("evaluate", folder, "--metric", metric, "--input-files", file, "--part-size", "4KB").code == 0
    for end in (".done.json", ".jsonl", ".results"):
        os.replace(f"b/part-00002{end}", f"a/part-00002{end}")
    assert "(part 2)" in fw("collect", "a/").err
