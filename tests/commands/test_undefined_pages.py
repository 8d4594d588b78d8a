"""Outputs without a score on pages, in correlations, and in the results of public functions."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from messages import UNDEFINED_FOR_ALL, UNEQUAL_SHARES
from undefined_outputs import INPUTS, MISSING, common_with, counts, expected_p_values, made, written

from metrics_framework.common.logs import Log
from metrics_framework.common.plugins import import_packages
from metrics_framework.data.metrics_dict import UndefinedScoresError
from metrics_framework.significance.resampling import Resampling

Run = Callable[..., Any]
PLUGIN = ["--include-packages", "plugin.py"]
REPORT = ["report", "page.html", "--profile", "summarization"]


@pytest.fixture
def some(tmp_path: Path) -> str:
    return written(tmp_path)


@pytest.mark.parametrize("source", ["texts", "scores"])
def test_a_page_has_the_counts_and_compares_on_common_inputs(source: str, fw: Run, some: str) -> None:
    words = [*REPORT, "--metric", "patchy", *PLUGIN, "--input-files", some]
    if source == "scores":
        assert fw("score", "scores.jsonl", "--metric", "patchy", *PLUGIN, "--input-files", some).code == 0
        words = [*REPORT, "--input-files", some, "--scores-files", "scores.jsonl"]
    done = fw(*words)
    assert done.code == 0, done.err
    page = Path("page.html").read_text(encoding="utf-8")
    assert all(f">{count}</span>" in page for count in counts().values())
    found = re.search(r'id="data">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    systems = {one["name"]: one for one in json.loads(found[1])["systems"]}
    assert {name: f"{systems[name]['scored']['patchy']}/{INPUTS}" for name in MISSING} == counts()
    compared = {name: systems[name]["scores"]["patchy"]["compared"] for name in ("b", "c")}
    assert compared == common_with("a")
    p_values = {name: systems[name]["scores"]["patchy"]["p"] for name in ("b", "c")}
    assert p_values == expected_p_values("randomization", Resampling())
    assert "from 1 of 24 of 'b' to 14 of 24 of 'c'" in done.err


def test_a_page_without_missing_scores_has_no_counts(fw: Run, tmp_path: Path) -> None:
    assert fw(*REPORT, "--metric", "patchy", *PLUGIN, "--input-files", written(tmp_path, "none")).code == 0
    assert "scored" not in Path("page.html").read_text(encoding="utf-8")


def test_correlate_warns_of_unequal_shares(fw: Run, some: str) -> None:
    fw("score", "scores.jsonl", "--metric", "patchy", *PLUGIN, "--input-files", some)
    ratings = [
        {"instance_id": row["instance_id"], "summarizer_id": row["summarizer_id"], "summarizer_type": "peer",
         "metrics": {"good": len(row["summary"]) % 7}} for row in made()
    ]  # fmt: skip
    Path("ratings.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in ratings), encoding="utf-8")
    levels = ["--level", "input,system,global"]
    done = fw("correlate", "scores.jsonl", "ratings.jsonl", "--metrics", "patchy", "good", *levels)
    assert done.code == 0, done.err
    assert f"'patchy': {UNEQUAL_SHARES} 1 of 24 of 'b'" in done.err
    words = ["--metric", "patchy", "--metric", "patchy_words", "--human", "good", *levels]
    several = fw("correlate", "scores.jsonl", "ratings.jsonl", *words)
    assert f"warning: patchy: {UNEQUAL_SHARES} 1 of 24 of 'b'" in several.err


# ---- public functions ------------------------------------------------------------------------------------------------


@pytest.fixture
def library(fw: Run, some: str) -> Any:
    """Returns the package, with the metric of the plug-in."""
    import metrics_framework

    import_packages(["plugin.py"])
    return metrics_framework


def test_records_and_frames_have_the_number_of_scored_outputs(library: Any) -> None:
    result = library.evaluate("patchy", made(), confidence={"resamples": 1000}, log=Log(silent=True))
    whole = library.evaluate("patchy", made("none"), confidence={"resamples": 50})
    records = {record["system"]: record for record in result.to_records()}
    assert {system: f"{record['patchy_scored']}/{record['outputs']}" for system, record in records.items()} == counts()
    assert {name: record["patchy_inputs"] for name, record in records.items()} == {"a": None, **common_with("a")}
    assert {name: records[name]["patchy_p"] for name in ("b", "c")} == expected_p_values("randomization", Resampling())
    assert result.flat("c")["patchy_scored"] == INPUTS - MISSING["c"]
    assert all("_scored" not in name for record in whole.to_records() for name in record)
    assert any("share of outputs" in warning for warning in result.warnings)
    assert not whole.warnings


def test_a_function_returns_results_without_any_score(library: Any) -> None:
    result = library.evaluate("patchy", made("all"), log=Log(silent=True))
    assert result.table().count("0/24") == 3
    assert f"'patchy' {UNDEFINED_FOR_ALL} {3 * INPUTS} outputs" in result.warnings
    with pytest.raises(UndefinedScoresError):
        result.check_scores()
    compared = library.compare("patchy", made("all"), log=Log(silent=True))
    with pytest.raises(UndefinedScoresError):
        compared.check_scores()
