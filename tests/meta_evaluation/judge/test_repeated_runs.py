"""The agreement of repeated runs of a judge, by hand and in ``fw test-judge``."""

from __future__ import annotations

import math

import numpy as np
import pytest

import metrics_framework as fw
from metrics_framework.common.errors import InputError
from metrics_framework.meta_evaluation.judge.judge_agreement import repeated_runs

pytestmark = pytest.mark.filterwarnings("ignore")
RUNS = np.array([[1.0, 2, 3, 4, 5], [1, 2, 3, 3, math.nan], [1, 2, math.nan, 4, math.nan]])


def test_alpha_flips_and_pairs_by_hand() -> None:
    # One output has one run. Of the others, the last has 4 3 4: two of its three pairs differ. Coincidences of
    # different scores: 4 ordered pairs of 1/(3 - 1). Margins 3 3 3 2: 2 · (9 + 36 + 54 + 9 + 24 + 6) = 276.
    found = repeated_runs(RUNS, ["a", "b", "c"])
    assert found.alpha.value == pytest.approx(1 - 10 * 2 / 276)
    assert (found.outputs, found.left_out, found.flips.value) == (4, 1, 0.25)
    assert found.differing_pairs == pytest.approx((2 / 3) / 4)
    labels = repeated_runs(RUNS, ["a", "b", "c"], as_labels=True)
    # the same without squares: all 110 ordered pairs, without 3 · 6 + 2 of the same label
    assert (labels.level, labels.alpha.value) == ("nominal", pytest.approx(1 - 10 * 2 / (110 - 20)))


def test_runs_that_always_agree_have_no_flips() -> None:
    found = repeated_runs(np.array([[1.0, 2], [1, 2]]), ["a", "b"])
    assert (found.flips.value, found.differing_pairs, found.alpha.value) == (0, 0, 1)
    assert found.flips.upper > 0.5, "two outputs show little"


def rows() -> list[dict[str, object]]:
    return [
        {"id": number, "rater": rater, "good": (number * number + shift) % 5}
        for number in range(60)
        for shift, rater in enumerate(("ann", "bob"))
    ]


def test_runs_are_columns_of_the_table() -> None:
    judged = [{"id": number, "run1": number % 5, "run2": (number if number % 4 else 0) % 5} for number in range(60)]
    changed = sum(row["run1"] != row["run2"] for row in judged) / 60
    result = fw.judge([rows(), judged], "good", "run1", repeated=["run1", "run2"], scoring="ranks")
    assert result.repeated is not None
    assert result.repeated.flips.value == pytest.approx(changed)
    assert result.as_json()["repeated"]["runs"] == ["run1", "run2"]
    assert "% of scores flip" in " ".join(str(result).split())
    assert "repeated" not in fw.judge([rows(), judged], "good", "run1", scoring="ranks").as_json()
    texts = [{"id": row["id"], "run1": "ab"[row["run1"] % 2], "run2": "ab"[row["run2"] % 2]} for row in judged]
    labelled = [{**row, "good": "ab"[int(str(row["good"])) % 2]} for row in rows()]
    of_labels = fw.judge([labelled, texts], "good", "run1", repeated=["run1", "run2"])
    assert of_labels.repeated is not None
    assert of_labels.repeated.level == "nominal"


def test_one_run_or_no_output_in_common_is_an_error() -> None:
    with pytest.raises(InputError, match="two runs or more"):
        fw.judge(rows(), "good", "ann", repeated=["good"])
    with pytest.raises(InputError, match="no output has the scores of two runs"):
        repeated_runs(np.array([[1.0, math.nan], [math.nan, 2]]), ["a", "b"])
