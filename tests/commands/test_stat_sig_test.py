"""``fw stat-sig-test`` and ``fw partial-conjunction-test``."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from json_files import read_json

from metrics_framework.evaluation.external_sort import Run


@pytest.fixture
def table(tmp_path):
    generator = random.Random(1)
    lines = ["instance_id,summarizer_id,good,bad,human"]
    for instance in range(20):
        for system in "abcd":
            human = generator.gauss(0, 1)
            scores = human + generator.gauss(0, 0.5), human + generator.gauss(0, 2), human
            lines.append(f"{instance},{system},{','.join(map(str, scores))}")
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    return str(path)


METRICS = ("--dependent-metric", "human", "--metric-A", "good", "--metric-B", "bad")


def test_results_of_data_sets_are_combined(fw: Run, table: str, tmp_path: Path) -> None:
    paths = [str(tmp_path / name) for name in ("one.json", "two.json")]
    for path, method in zip(paths, ("permutation-both", "williams --definition sacrerouge"), strict=True):
        words = ("--test-method", *method.split(), "--output-file", path, "--silent")
        done = fw("stat-sig-test", table, *METRICS, *words)
        assert done.code == 0
    found = read_json(tmp_path / "one.json")
    assert found["H1"] == "r(good, human) > r(bad, human)"
    assert found["global"]["pearson"]["is_significant"]
    combined = fw("partial-conjunction-test", *paths, "--names", "X", "Y", "--output-file", tmp_path / "k.json")
    assert combined.code == 0
    both = read_json(tmp_path / "k.json")
    assert both["global"]["pearson"]["k"] == 2
    assert "X, Y" in combined.out


def test_levels_can_be_skipped(fw: Run, table: str) -> None:
    done = fw("stat-sig-test", table, *METRICS, "--skip-summary-level", "--skip-global", "--format", "csv")
    assert [line.split(",")[0] for line in done.out.splitlines()] == ["level", *["system_level"] * 3]
