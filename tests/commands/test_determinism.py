"""The same study and seed yield the same bytes, in any order of rows and files, blocks and threads."""

from __future__ import annotations

import importlib
import itertools
import json
import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from samples import sampled

Run = Callable[..., Any]

SEED = "--seed 3 --output-file r.json"
DRAWS = f"--resamples 100 {SEED}"
COEFFICIENTS = "pearson,spearman,kendall-b,kendall-c,tau-23,acc-23,acc-eq,pairwise-accuracy,spa,spa:normal,pdp"
LEVELS = "--level input,system,global,within-system"
PICTURES = "--plot p.svg --forest-plot f.svg --p-value-plot v.svg --rank-plot k.svg --epsilon-plot e.svg"
CORRELATE = f"correlate in.csv more.csv --metric m1 --metric m2 --human human {DRAWS}"
COMMANDS = [
    f"compare more.csv --score m1 --trials 200 --test bootstrap --cluster document {DRAWS} --format markdown",
    f"{CORRELATE} --ci bootstrap-inputs --humans-as-metrics --partial m2 --slice summarizer_id --cluster document",
    f"{CORRELATE} --coefficient {COEFFICIENTS} {LEVELS} --ci bootstrap-both --test both",
    f"{CORRELATE} --coefficient pearson,acc-eq --level input,global --ci bca-inputs --test cells",
    f"{CORRELATE} --coefficient {COEFFICIENTS} {LEVELS} --test --format html {PICTURES} --report p.html",
    f"stat-sig-test in.csv more.csv --dependent-metric human --metric-A m1 --metric-B m2 {DRAWS}",
    f"agreement in.csv --rating human --statistic all --pairwise --by summarizer_id --plan 3,10 {SEED}",
    f"judge in.csv more.csv --rating human --judge m1 --judge m2 --min-units 5 {SEED}",
    f"judge in.csv more.csv --rating human --judge m1 --min-units 5 --scoring ranks --cluster document {SEED}",
    f"judge in.csv more.csv --rating human --judge m1 --jury m2 --min-units 5 {DRAWS} --report p.html",
    "estimate in.csv more.csv --rating human --judge m1 --output-file r.json --report p.html",
    "plan mean in.csv --rating human --half-width 0.5 --seed 3 --simulations 50 --output-file r.json --plot p.svg",
    f"compare more.csv --score m1 --score m2 --trials 200 --ci bca {DRAWS} --plot p.svg",
    "prefer votes.csv --output-file r.json --plot p.svg --rank-plot k.svg --covariate length",
    "prefer choices.jsonl --output-file r.json --seed 3",
]
BLOCKS = [
    "significance.resampling.BLOCK_WEIGHTS",
    "meta_evaluation.rater_agreement.rated_units._BLOCK",
    "reports.correlation_plot._BLOCK",
    "meta_evaluation.coefficients.rank_swaps.BLOCK_PAIRS",
    "meta_evaluation.coefficients.spa.BLOCK_NUMBERS",
    "meta_evaluation.groups.weighted_groups.BLOCK_WEIGHTS",
    "meta_evaluation.groups.moments.BLOCK_BYTES",
    "meta_evaluation.coefficients.calibration.BLOCK_PAIRS",
    "meta_evaluation.groups.swaps.BLOCK_CELLS",
]


def write(name: str, header: str, rows: list[str], shuffle: int | None) -> None:
    if shuffle is not None:
        random.Random(shuffle).shuffle(rows)
    Path(name).write_text("\n".join([*([header] if header else []), *rows]) + "\n", encoding="utf-8")


def write_study(shuffle: int | None = None) -> None:
    """Writes ratings, scores of metrics, votes and choices, in some order of rows."""
    values = random.Random(1)
    outputs = list(itertools.product(range(6), range(9)))
    people = [
        f"i{n},s{s},r{r},d{n // 2},{values.randint(1, 5) + s * 0.1:.1f}"
        for s, n in outputs
        for r in range(3)
        if values.random() < 0.9
    ]
    scores = [f"i{n},s{s},d{n // 2},{values.gauss(s, 2)!r},{values.randint(0, 6) / 7!r}" for s, n in outputs]
    votes = [
        f"i{n},s{a},s{b},{values.choice(['model_a', 'model_b', 'tie'])},{values.randint(5, 9)},{values.randint(5, 9)}"
        for a, b in itertools.combinations(range(4), 2)
        for n in range(6)
    ]
    choices = []
    for n in range(12):
        items = values.sample("abcdef", 4)
        listed = ", ".join(f'"{item}"' for item in sorted(items))
        choices.append(f'{{"input": "i{n}", "items": [{listed}], "best": "{items[0]}", "worst": "{items[1]}"}}')
    write("in.csv", "instance_id,summarizer_id,rater,document,human", people, shuffle)
    write("more.csv", "instance_id,summarizer_id,document,m1,m2", scores, shuffle)
    write("votes.csv", "input,system_a,system_b,winner,length_a,length_b", votes, shuffle)
    write("choices.jsonl", "", choices, shuffle)


def outputs_of(fw: Run, command: str) -> dict[str, str]:
    """Runs a command, and returns and removes what it wrote."""
    done = fw(*command.split())
    assert done.code == 0, done.err
    files = sorted(path for path in Path().iterdir() if path.suffix in (".json", ".svg", ".html"))
    found = {path.name: path.read_text(encoding="utf-8") for path in files}
    for path in files:
        path.unlink()
    return {"out": done.out, **found}


@pytest.mark.parametrize("command", sampled(COMMANDS, 2))
def test_results_are_the_same_for_any_order_of_rows_and_files_and_blocks(
    command: str, fw: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_study()
    first = outputs_of(fw, command)
    write_study(1)
    assert outputs_of(fw, command) == first, "rows in another order"
    write_study(2)
    swapped = outputs_of(fw, command.replace("in.csv more.csv", "more.csv in.csv"))
    assert without_second_file(swapped) == without_second_file(first), "rows and files in another order"
    for block in BLOCKS:
        module, _, name = block.rpartition(".")
        monkeypatch.setattr(importlib.import_module(f"metrics_framework.{module}"), name, 7)
    write_study()
    check_blocks(outputs_of(fw, command), first)


def without_second_file(written: dict[str, str]) -> dict[str, str]:
    """Names both files alike."""
    return {name: text.replace("more.csv", "in.csv") for name, text in written.items()}


def check_blocks(found: dict[str, str], expected: dict[str, str]) -> None:
    """Checks the outputs of a run with blocks of another size: matrix products round sums by their shapes."""
    assert found.keys() == expected.keys()
    for name, text in found.items():
        if name.endswith(".json"):
            check_close(json.loads(text), json.loads(expected[name]))
        else:
            assert text == expected[name]


def check_close(found: Any, expected: Any) -> None:
    """Checks that numbers of a JSON document are equal up to rounding, and all else is equal."""
    if isinstance(expected, dict):
        assert list(found) == list(expected)
        found, expected = list(found.values()), list(expected.values())
    if isinstance(expected, list):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            check_close(one, other)
    elif isinstance(expected, float):
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-12)
    else:
        assert found == expected


@pytest.mark.slow
def test_results_are_the_same_for_any_number_of_threads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_study()
    code = (
        "import sys\nfrom metrics_framework.commands.app import main\nfor line in sys.stdin:\n    main(line.split())\n"
    )
    commands = [one.replace("r.json", f"{number}.json") for number, one in enumerate(COMMANDS)]
    found = []
    for threads in ("1", "4"):
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": threads, "OMP_NUM_THREADS": threads}
        done = subprocess.run(
            [sys.executable, "-c", code],
            input="\n".join(commands),
            capture_output=True,
            encoding="utf-8",
            env=environment,
            check=True,
        )
        files = [Path(f"{number}.json").read_text(encoding="utf-8") for number in range(len(commands))]
        found.append((done.stdout, files))
    assert found[0] == found[1]
