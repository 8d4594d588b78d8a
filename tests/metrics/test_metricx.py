"""MetricX against a plain call of an mT5 of width 8."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from learned_models import tiny_metricx
from recorded_programs import TEXTS
from samples import sampled

from metrics_framework import load
from metrics_framework.common.errors import DataError, UsageError

pytestmark = pytest.mark.usefixtures("no_network")
C, R, S = "the cat sat on the mat .", "a big dog sat on it .", "the small cat was on a mat ."


@pytest.fixture(scope="module")
def paths(tiny_models: object, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return tiny_metricx(tmp_path_factory.mktemp("metricx"))


def by_plain_call(paths: dict[str, str], text: str, max_length: int = 1536) -> float:
    import torch
    import transformers

    model = transformers.MT5ForConditionalGeneration.from_pretrained(paths["model"])
    ids = transformers.AutoTokenizer.from_pretrained(paths["tokenizer"])(text)["input_ids"][:-1][: max_length - 1]
    with torch.inference_mode():
        logits = model(input_ids=torch.tensor([ids]), decoder_input_ids=torch.tensor([[0]])).logits
    return min(25.0, max(0.0, logits[0, 0, 250089].item()))


@pytest.mark.parametrize(
    ("options", "fields", "text"),
    sampled(
        [
            ({}, {"references": [[R]], "source": [S]}, f"source: {S} candidate: {C} reference: {R}"),
            ({"reference_free": True}, {"source": [S]}, f"source: {S} candidate: {C}"),
            ({"version": "23"}, {"references": [[R]]}, f"candidate: {C} reference: {R}"),
            ({"version": "23", "reference_free": True}, {"source": [S]}, f"candidate: {C} source: {S}"),
            ({"max_length": 7}, {"references": [[R]], "source": [S]}, f"source: {S} candidate: {C} reference: {R}"),
        ],
        2,
    ),
)
def test_scores_equal_plain_calls(
    options: dict[str, Any], fields: dict[str, Any], text: str, paths: dict[str, str]
) -> None:
    metric = load("metricx", **paths, **options)
    expected = by_plain_call(paths, text, options.get("max_length", 1536))
    assert metric.fields == ("summary", *fields)
    assert metric.score_all([C], **fields)[0]["metricx"] == pytest.approx(expected, abs=2e-5)
    several = {name: [*values, *values] for name, values in fields.items()}
    assert metric.score_all([C, f"{C} {C}"], **several)[0]["metricx"] == pytest.approx(expected, abs=2e-5)
    assert bool(metric.notes()) == ("max_length" in options)


@pytest.mark.parametrize("kind", sampled(TEXTS, 1))
def test_texts_of_all_kinds_score_as_in_plain_calls(kind: str, paths: dict[str, str]) -> None:
    candidate, text = TEXTS[kind]
    expected = by_plain_call(paths, f"source: {text} candidate: {candidate} reference: {text}")
    found = load("metricx", **paths).score(candidate, references=[text], source=text)["metricx"]
    assert found == pytest.approx(expected, abs=2e-5)


def test_scores_are_limited_to_their_range(paths: dict[str, str]) -> None:
    metric = load("metricx", **paths, version="23")
    found = [scores["metricx"] for scores in metric.score_all([C, R, S, "a", "the fox"], [[R]] * 5)]
    assert all(0 <= score <= 25 for score in found)
    assert not metric.higher_is_better


def test_several_references_are_combined(paths: dict[str, str]) -> None:
    single = [load("metricx", **paths).score(C, [text], S)["metricx"] for text in (R, S)]
    assert load("metricx", **paths).score(C, [R, S], S)["metricx"] == pytest.approx(sum(single) / 2, abs=2e-5)
    lowest = load("metricx", **paths, reference_aggregation="min").score(C, [R, S], S)["metricx"]
    assert lowest == pytest.approx(min(single), abs=2e-5)


def test_the_name_of_the_model_decides_the_version_and_the_fields(paths: dict[str, str], tmp_path: Path) -> None:
    assert "|version:24|reference_free:no|" in load("metricx", **paths).signature()
    folder = tmp_path / "metricx-23-qe-large-v2p0"
    folder.symlink_to(paths["model"])
    quality_estimation = load("metricx", model=str(folder), tokenizer=paths["tokenizer"])
    assert quality_estimation.fields == ("summary", "source")
    assert "|version:23|reference_free:yes|" in quality_estimation.signature()
    assert "|max_length:1024|" in quality_estimation.signature()
    other = tmp_path / "mine"
    other.symlink_to(paths["model"])
    with pytest.raises(UsageError, match="does not contain metricx-23 or metricx-24: set 'version'"):
        load("metricx", model=str(other))
    with pytest.raises(UsageError, match="25"):
        load("metricx", model=str(other), version="25")


def test_a_missing_tokenizer_is_an_error(paths: dict[str, str], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="'google/mt5-xl'"):
        load("metricx", model=paths["model"]).score(C, [R], S)
    with pytest.raises(DataError, match="tokenizer"):
        load("metricx", model=paths["model"], tokenizer=paths["model"]).score(C, [R], S)
