"""Prints what the checks of texts find in corpora, and their time per output.

A corpus is a folder with plain-text files, one text per line: outputs in ``outputs/*`` or in ``outputs.*``, references
in ``references.*``, sources in ``sources``; or a JSONL file of outputs. The examples of the project are added and, with
`FW_SHARED`, the corpora there.

    python benchmarks/text_checks.py FOLDER…

The last lines are the share of the checks in the CPU time of `evaluate` with BLEU and TER on rows of random words, for
different numbers of systems, references, rows and words.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import time
from collections.abc import Callable, Iterator, Sequence
from glob import glob
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from unittest.mock import patch

from metrics_framework.common.logs import Log
from metrics_framework.dataset_readers.dataset_reader import load_reader
from metrics_framework.evaluation.checked_input import InputSummary, checked_batches
from metrics_framework.evaluation.system_scores import evaluate
from metrics_framework.inputs.checks import SystemSample, TextSample
from metrics_framework.metrics.base.metric import labelled


class Corpus(NamedTuple):
    """The files of a corpus.

    Attributes:
        name: What is printed.
        outputs: Files of outputs, of plain text or JSONL.
        references: Files of references.
        sources: Files of sources, of which the first is read.
    """

    name: str
    outputs: Sequence[str]
    references: Sequence[str] = ()
    sources: Sequence[str] = ()


def examples() -> Iterator[Corpus]:
    """Yields the examples of the project, as plain text and rows."""
    folder = Path(__file__).resolve().parents[1] / "datasets"
    for name, systems in (("simplification", ("careful", "clumsy", "timid")), ("translation", ("good", "literal"))):
        references = sorted(glob(f"{folder}/{name}/references.*"))
        sources = [f"{folder}/{name}/sources.txt"]
        yield Corpus(f"{name} texts", [f"{folder}/{name}/{system}.txt" for system in systems], references, sources)
    for name in ("simplification", "translation", "summarization", "ucca"):
        yield Corpus(f"{name} rows", [f"{folder}/{name}/outputs.jsonl"])
    yield Corpus("summarization references", [f"{folder}/summarization/references.jsonl"])


def shared() -> Iterator[Corpus]:
    """Yields the corpora of `FW_SHARED`; references without outputs are outputs beside the others."""
    folder = f"{os.environ.get('FW_SHARED', '')}/data"
    turk = f"{folder}/turkcorpus"
    for form, stem in (("detok", "test.truecase.detok"), ("tokenized", "test.8turkers.tok")):
        simp = "turk" if form == "tokenized" else "simp"
        source = f"{turk}/{form}/{stem}.{'norm' if form == 'tokenized' else 'orig'}"
        references = sorted(glob(f"{turk}/{form}/{stem}.{simp}.?"))
        yield Corpus(f"turkcorpus {form}", sorted(glob(f"{turk}/outputs/{form}/*")), references, [source])
        yield Corpus(f"turkcorpus {form} reference 0", references[:1], references[1:], [source])
    asset = sorted(glob(f"{folder}/asset/*.simp.*"))
    yield Corpus("asset reference 0", asset[:1], asset[1:], [f"{folder}/asset/asset.test.orig"])
    yield Corpus("pwkp", glob(f"{folder}/pwkp/*.simp"), (), [f"{folder}/pwkp/pwkp.test.orig"])
    yield Corpus("simplicity-da", [f"{folder}/simplicity_da/simplicity_DA.csv"])
    yield Corpus("multiling2011", [f"{folder}/multiling2011/summaries.jsonl"])


def corpora(folders: Sequence[str]) -> Iterator[Corpus]:
    """Yields the corpora of folders."""
    for folder in folders:
        if folder.endswith(".jsonl"):
            yield Corpus(Path(folder).stem, [folder])
            continue
        outputs = sorted(glob(f"{folder}/outputs/*") or glob(f"{folder}/outputs.*"))
        references = sorted(glob(f"{folder}/references.*"))
        if not outputs and not references:
            raise SystemExit(f"{folder}: found neither outputs/*, outputs.* nor references.*")
        yield Corpus(
            Path(folder).name,
            outputs or references[:1],
            references if outputs else references[1:],
            sorted(glob(f"{folder}/sources*")),
        )


def checked(corpus: Corpus, metrics: Sequence[str]) -> tuple[int, float, list[str]]:
    """Returns the number of outputs, the seconds of the checks, and what they find."""
    is_text = not corpus.outputs[0].endswith((".jsonl", ".csv"))
    given = {"references": corpus.references, "sources": next(iter(corpus.sources), None)}
    options = {name: value for name, value in given.items() if value}
    reader = load_reader("plain-text" if is_text else "default", **(options if is_text else {}))
    log = Log(silent=True)
    texts = TextSample()
    summary = InputSummary(texts=texts)
    fields = {"summary", *(["references"] if corpus.references else []), *(["source"] if corpus.sources else [])}
    fields |= {*next(reader.read(*corpus.outputs)).fields}
    chosen = [one for one in labelled(list(metrics)) if fields >= {*one.metric.fields}]
    for _ in checked_batches(reader, corpus.outputs, chosen or labelled(["fkgl:splitter=own"]), summary):
        pass
    start = time.process_time()
    summary.check_texts(log)
    seconds = time.process_time() - start
    return sum(min(texts.most, count) for count in summary.outputs.values()), seconds, log.warnings


def write_rows(path: str, systems: int, references: int, rows: int = 100_000, length: int = 20) -> None:
    """Writes rows of random words and some that differ from them; systems share references."""
    draw, words = random.Random(1), [f"w{number:x}" for number in range(5000)]
    with open(path, "w", encoding="utf-8") as file:
        for number in range(rows // systems):
            text = draw.choices(words, k=length)
            texts = [
                " ".join([text[0].upper(), *text[1:10], *draw.choices(words, k=3), *text[13:]])
                for _ in range(references)
            ]
            for system in range(systems):
                output = " ".join([text[0].upper(), *text[1:5], *draw.choices(words, k=3), *text[8:]])
                row = {"instance_id": str(number), "system_id": str(system), "summary": output, "references": texts}
                file.write(json.dumps(row) + "\n")


def share_of_run(path: str) -> tuple[float, float]:
    """Returns the CPU time of the checks in a run of BLEU and TER, and that of the run."""
    seconds = 0.0

    def timed(method: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            nonlocal seconds
            start = time.process_time()
            try:
                return method(*arguments)
            finally:
                seconds += time.process_time() - start

        return call

    start = time.process_time()
    with (
        patch.object(TextSample, "add", timed(TextSample.add)),
        patch.object(InputSummary, "check_texts", timed(InputSummary.check_texts)),
    ):
        evaluate(load_reader("default"), [path], labelled(["bleu", "ter"]), None, Log(silent=True))
    return seconds, time.process_time() - start


def main() -> None:
    """Prints a line for each corpus, and what is found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", nargs="*", metavar="CORPUS", help="a folder, or a JSONL file of outputs")
    folders = parser.parse_args().corpora
    metrics = ("bleu", "ter", "sari", "fkgl:splitter=own", "chrf")
    given = [*examples(), *(shared() if "FW_SHARED" in os.environ else ()), *corpora(folders)]
    for corpus in given:
        checked(corpus, metrics)  # which imports the checks and compiles what they look for
        outputs, seconds, warnings = checked(corpus, metrics)
        print(f"{corpus.name}: {outputs} outputs, {seconds / outputs * 1e6:.1f} µs each, {len(warnings)} findings")
        for warning in warnings:
            print(f"    {warning}")
    runs = [(systems, references, 100_000, 20) for systems in (1, 10) for references in (1, 10)]
    for systems, references, rows, length in [*runs, (4, 3, 1600, 300)]:
        with TemporaryDirectory() as folder:
            write_rows(f"{folder}/rows.jsonl", systems, references, rows, length)
            checks, run = share_of_run(f"{folder}/rows.jsonl")
        sample = TextSample({str(system): SystemSample("peer") for system in range(systems)})
        most = min(sample.most, rows // systems)
        print(
            f"{systems} systems with {rows:,} outputs of {length} words and {references} references each: "
            f"{checks / run:.1%} of {run:.1f} s, {checks / (most * systems) * 1e6:.1f} µs for each of the first "
            f"{most:,} outputs of a system"
        )


if __name__ == "__main__":
    main()
