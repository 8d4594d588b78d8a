"""The job of judging SARI against the ratings of Simplicity-DA, from the public files to the correlations.

Expected: Alva-Manchego, Scarton and Specia (Computational Linguistics, 2021) publish r = .359 over all outputs; the
other figures follow from the same scores and ratings, with Fisher's intervals.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from metrics_framework.commands.app import main

AS_PUBLISHED = ["--variant", "easse", "--tokenizer", "moses", "--no-lowercase", "--deletion", "precision"]
VALUES = {  # level in the JSON: r, rho, tau
    "summary_level": (0.3813, 0.3674, 0.3514),
    "system_level": (0.6627, 0.3714, 0.3333),
    "global": (0.3587, 0.3269, 0.2224),
}


@pytest.fixture(scope="module")
def files(shared_path: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """Scores the 600 outputs against ASSET's ten references; gives the scores and the ratings."""
    pytest.importorskip("sacremoses")
    ratings = str(shared_path("data/simplicity_da/simplicity_DA.csv"))
    references = [str(shared_path(f"data/asset/asset.test.simp.{number}")) for number in range(10)]
    scores = str(tmp_path_factory.mktemp("da") / "sari.jsonl")
    assert main(["sari", "score", scores, "--input-files", ratings, "--references", *references, *AS_PUBLISHED]) == 0
    return scores, ratings


@pytest.fixture(scope="module")
def correlation(files: tuple[str, str], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    out = tmp_path_factory.mktemp("da") / "correlation.json"
    words = ["correlate", "--metrics-jsonl-files", *files, "--metrics", "sari", "simplicity_zscore"]
    assert main([*words, "--summarizer-type", "peer", "--ci", "fisher", "--output-file", str(out), "--silent"]) == 0
    found: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    return found


def test_every_score_is_the_published_one(files: tuple[str, str], shared_path: Callable[[str], Path]) -> None:
    with open(shared_path("data/simplicity_da/published_metrics_asset.csv"), encoding="utf-8") as stream:
        published = {(row["sent_id"], row["sys_name"]): row for row in csv.DictReader(stream)}
    rows = [json.loads(line) for line in Path(files[0]).read_text(encoding="utf-8").splitlines()]
    assert len(rows) == len(published) == 600
    for row in rows:
        expected = published[row["instance_id"], row["summarizer_id"]]
        for name in ("sari", "sari_keep", "sari_del", "sari_add"):
            assert row["metrics"][name] == pytest.approx(float(expected[name]), abs=1e-9)


@pytest.mark.parametrize("level", VALUES)
def test_the_correlations_are_those_of_the_paper(correlation: dict[str, Any], level: str) -> None:
    found = correlation[level]
    values = (found["pearson"]["r"], found["spearman"]["rho"], found["kendall"]["tau"])
    assert values == pytest.approx(VALUES[level], abs=5e-5)


def test_fishers_intervals(correlation: dict[str, Any]) -> None:
    expected = {"pearson": (0.2869, 0.4265), "spearman": (0.2515, 0.3983), "kendall": (0.1714, 0.2722)}
    for name, ends in expected.items():
        found = correlation["global"][name]
        assert (found["lower"], found["upper"]) == pytest.approx(ends, abs=5e-5)
    system = correlation["system_level"]["pearson"]
    assert (system["lower"], system["upper"]) == pytest.approx((-0.322, 0.959), abs=5e-4)


def test_every_input_is_accounted_for(correlation: dict[str, Any]) -> None:
    level = correlation["summary_level"]
    assert level["num_summary_groups"] == 195
    assert (level["num_groups_one_system"], level["num_groups_constant"]) == (105, 2)
    assert correlation["system_level"]["num_instances"] == 302 == 195 + 105 + 2
    assert sum(correlation["dropped"].values()) == 0
    assert correlation["global"]["num_summaries"] == 600


STUDY = [  # name, as --metric
    ("sari-paper", "sari:tokenizer=moses,lowercase=false,deletion=precision,label=sari-paper"),
    ("sari", "sari"),
    ("sari-hf", "sari:variant=hf,label=sari-hf"),
    ("bleu", "bleu"),
    ("chrf", "chrf"),
    ("-ter", "ter"),
]


@pytest.fixture(scope="module")
def study_files(shared_path: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The scores of all metrics, and the ratings of single people."""
    pytest.importorskip("sacremoses")
    scores = str(tmp_path_factory.mktemp("study") / "scores.jsonl")
    outputs = str(shared_path("data/simplicity_da/simplicity_DA.csv"))
    references = [str(shared_path(f"data/asset/asset.test.simp.{number}")) for number in range(10)]
    metrics = [word for _, metric in STUDY for word in ("--metric", metric)]
    assert main(["score", scores, "--input-files", outputs, "--references", *references, *metrics, "--silent"]) == 0
    return [scores, str(shared_path("data/simplicity_da/simplicity_DA_ratings.csv"))]


def run(files: list[str], folder: Path, *words: str) -> dict[str, Any]:
    """Correlates all metrics and sentinels with the standardized ratings."""
    out = folder / "out.json"
    metrics = [f"--metric={name}" for name, _ in STUDY]
    human = ["--human", "simplicity", "--aggregate", "zscore-mean", "--sentinels"]
    assert main(["correlate", *files, *human, *metrics, *words, "--silent", "--output-file", str(out)]) == 0
    found: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    return found


@pytest.fixture(scope="module")
def study(study_files: list[str], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    words = ["--partial", "sentinel-length", "--ci", "fisher", "--level", "input,global"]
    return run(study_files, tmp_path_factory.mktemp("study"), *words, "--coefficient", "pearson,spearman")


@pytest.fixture(scope="module")
def comparisons(study_files: list[str], tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    words = ["--test", "--ci", "none", "--level", "input,global", "--coefficient", "pearson"]
    found: list[dict[str, Any]] = run(study_files, tmp_path_factory.mktemp("study"), *words)["comparisons"]
    return found


def of_study(study: dict[str, Any], name: str) -> dict[str, Any]:
    return next(found for found in study["correlations"] if found["metric1"] == name)


def test_standardized_ratings_have_the_published_correlation(study: dict[str, Any]) -> None:
    level = of_study(study, "sari-paper")["global"]
    assert level["pearson"]["value"] == pytest.approx(0.358707993, abs=1e-9)
    assert level["spearman"]["value"] == pytest.approx(0.326886676, abs=1e-9)


def test_negated_ter_correlates_as_published(study: dict[str, Any]) -> None:
    found = of_study(study, "-ter")
    assert found["global"]["pearson"]["value"] == pytest.approx(0.3582, abs=5e-5)
    assert found["global"]["spearman"]["value"] == pytest.approx(0.3410, abs=5e-5)
    assert found["orientation"] == "-ter is ter negated; -ter: higher is better"
    assert found["signatures"]["ter"].startswith("ter|")


def test_the_ceiling_is_that_of_one_rater_and_of_halves(study: dict[str, Any]) -> None:
    ceiling = study["ceilings"]["simplicity"]
    found = next(one for one in ceiling["coefficients"] if (one["coefficient"], one["level"]) == ("pearson", "global"))
    assert (ceiling["num_raters"], ceiling["num_outputs"]) == (67, 600)
    assert found["one_vs_rest"] == pytest.approx(0.592, abs=5e-4)
    assert found["split_half"] == pytest.approx(0.825, abs=2e-3)  # random halves


def test_partial_correlations_are_those_of_pingouin(study: dict[str, Any]) -> None:
    found = {
        one["coefficient"]: one["value"]
        for one in study["partial_correlations"]
        if (one["metric1"], one["level"]) == ("sari-paper", "global")
    }
    assert found["pearson"] == pytest.approx(0.374742672, abs=1e-9)
    assert found["spearman"] == pytest.approx(0.337245751, abs=1e-9)


def test_clusters_put_metrics_above_sentinels(comparisons: list[dict[str, Any]]) -> None:
    found = next(one for one in comparisons if one["level"] == "global")
    ranks = {one["name"]: one["rank"] for one in found["metrics"]}
    assert ranks["bleu"] == 1
    assert ranks["bleu"] < ranks["chrf"] < ranks["sari"] < ranks["sentinel-length"]
    assert (found["test"], found["population"]) == ("inputs", "for other inputs, these 6 systems")
    assert found["cells"] == 600


def test_a_constant_per_input_is_undefined_at_the_input_level(
    study: dict[str, Any], comparisons: list[dict[str, Any]]
) -> None:
    assert of_study(study, "sentinel-constant")["summary_level"]["pearson"]["value"] is None
    assert next(one for one in comparisons if one["level"] == "input")["undefined"] == ["sentinel-constant"]
