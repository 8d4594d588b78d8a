"""MoverScore against plain loops and SciPy's linear program, on models built in code."""

from __future__ import annotations

import math
import random
import string
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from messages import DROPS_ALL_CHARACTERS, LIKE_EMPTY_TEXTS, NEEDS_A_MODEL, SCORES_OF_EMPTY_TEXTS
from neural_models import VOCABULARY
from recorded_programs import TEXTS
from samples import sampled
from scipy.optimize import linprog

from metrics_framework import evaluate, load
from metrics_framework.common.errors import DataError, UsageError
from metrics_framework.neural import models

Models = Callable[..., str]

pytestmark = pytest.mark.usefixtures("no_network")
WORDS = [*VOCABULARY.split()[:40], "catty", "foxes", "."]


def texts(count: int, seed: int) -> list[str]:
    draw = random.Random(seed)
    return [" ".join(draw.choices(WORDS, k=draw.randint(3, 12))) for _ in range(count)]


NOT_EMPTY = [pair for pair in TEXTS.values() if all(map(str.strip, pair))]
SUMMARIES, REFERENCES = ([*texts(8, seed), *column] for seed, column in enumerate(zip(*NOT_EMPTY, strict=True), 1))


def tokens_of(loaded: models.Loaded, text: str) -> tuple[list[int], list[str], Any]:
    """The ids and tokens of a text and all its hidden states but the input embeddings, computed alone."""
    import torch

    ids = loaded.tokenizer(text, truncation=True, max_length=64)["input_ids"]
    with torch.inference_mode():
        states = loaded.model(input_ids=torch.tensor([ids]), output_hidden_states=True).hidden_states[1:]
    return ids, loaded.tokenizer.convert_ids_to_tokens(ids), np.stack([one[0].double().numpy() for one in states])


def unit(vectors: Any) -> Any:
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return vectors / np.where(lengths > 0, lengths, 1)


def by_plain_loops(
    loaded: models.Loaded,
    pair: tuple[str, str],
    variant: str = "v2-2021",
    ngram: int = 1,
    stop_words: Sequence[str] = (),
    idf: tuple[dict[int, float], dict[int, float]] | None = None,
) -> float:
    """The definition of the published versions, one n-gram at a time."""
    sides = []
    for number, text in enumerate(pair):
        ids, tokens, states = tokens_of(loaded, text)
        left_out = {*string.punctuation, *stop_words}
        kept = [index for index, token in enumerate(tokens) if token not in left_out and "##" not in token]
        weights = np.array([idf[number][ids[index]] if idf else 1.0 for index in kept])
        vectors = states[-1][kept]
        if variant == "v1":
            layers = unit(states[-5:])
            vectors = np.concatenate([layers.min(0), layers.mean(0), layers.max(0)], axis=-1)[kept]
        grams = [range(start, start + ngram) for start in range(len(kept) - ngram + 1)] or [range(len(kept))]
        sums = np.array([sum(weights[index] for index in gram) for gram in grams])
        means = [sum(weights[index] * vectors[index] for index in gram) for gram in grams]
        sides.append((sums / sums.sum(), unit(np.stack(means))))
    (supplies, left), (demands, right) = sides
    costs = np.array([[np.sum((one - other) ** 2) for other in right] for one in left])
    costs = costs if variant == "v1" else np.sqrt(costs)
    constraints = np.vstack(
        [np.kron(np.eye(len(left)), np.ones(len(right))), np.kron(np.ones(len(left)), np.eye(len(right)))]
    )
    found = linprog(costs.ravel(), A_eq=constraints, b_eq=np.concatenate([supplies, demands]), method="highs")
    return float(1 / (1 + found.fun) if variant == "v2-2021" else 1 - found.fun)


@pytest.mark.parametrize("stop_words", [[], ["the", "cat", "on"]], ids=["all", "stopped"])
@pytest.mark.parametrize(("variant", "ngram"), sampled([("v2-2021", 1), ("v2", 1), ("v1", 1), ("v1", 2), ("v1", 3)], 1))
def test_scores_equal_plain_loops(
    tiny_models: Models, tmp_path: Path, variant: str, ngram: int, stop_words: list[str]
) -> None:
    options: dict[str, Any] = {"variant": variant, "ngram": ngram}
    if stop_words:
        (tmp_path / "stop.txt").write_text(" ".join(stop_words))
        options["stop_words"] = str(tmp_path / "stop.txt")
    metric = load("moverscore", model=tiny_models(), batch_size=3, **options)
    found = [scores["moverscore"] for scores in metric.score_all(SUMMARIES, [[text] for text in REFERENCES])]
    loaded = models.load("encoder", tiny_models())
    pairs = zip(SUMMARIES, REFERENCES, strict=True)
    expected = [by_plain_loops(loaded, pair, variant, ngram, stop_words) for pair in pairs]
    assert found == pytest.approx(expected, abs=1e-5)


def test_version_2_is_the_inverse_of_the_distance_since_2021_and_1_minus_it_before(
    tiny_models: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A distance of 1.2482: 1 / 2.2482 = 0.44480 in the authors' repository, 1 − 1.2482 = −0.2482 in package 1.0.3."""
    monkeypatch.setattr("metrics_framework.metrics.moverscore.transport_cost", lambda *arguments: 1.2482)
    found = {}
    for options in ({}, {"variant": "v2-2021"}, {"variant": "v2"}, {"variant": "v1"}):  # with one cache
        metric = load("moverscore", model=tiny_models(), **options)
        found[metric.signature().split("|")[2]] = round(metric.score("the cat", ["a dog"])["moverscore"], 5)
    assert found == {"variant:v2-2021": 0.4448, "variant:v2": -0.2482, "variant:v1": -0.2482}


def frequencies(loaded: models.Loaded, all_texts: Sequence[str]) -> dict[int, float]:
    documents = [set(tokens_of(loaded, text)[0]) for text in dict.fromkeys(all_texts)]
    number = len(documents)
    ids = set().union(*documents)
    return {one: math.log((number + 1) / (sum(one in document for document in documents) + 1)) for one in ids}


def test_weights_are_those_of_distinct_summaries_and_references(tiny_models: Models) -> None:
    loaded = models.load("encoder", tiny_models())
    summaries, references = [*SUMMARIES, SUMMARIES[0]], [*REFERENCES, REFERENCES[0]]
    idf = frequencies(loaded, summaries), frequencies(loaded, references)
    expected = [by_plain_loops(loaded, pair, idf=idf) for pair in zip(summaries, references, strict=True)]
    metric = load("moverscore", model=tiny_models(), idf=True)
    scored = metric.score_all(summaries, [[text] for text in references])
    assert [scores["moverscore"] for scores in scored] == pytest.approx(expected, abs=1e-5)
    run = evaluate(metric, summaries, references=references)
    assert run.metrics["moverscore"] == pytest.approx(sum(expected) / len(expected), abs=1e-5)


def test_several_references_count_by_their_mean(tiny_models: Models) -> None:
    metric = load("moverscore", model=tiny_models())
    each = [metric.score("the cat", [reference])["moverscore"] for reference in REFERENCES[:3]]
    assert metric.score("the cat", REFERENCES[:3])["moverscore"] == pytest.approx(sum(each) / 3, abs=1e-6)


def test_equal_texts_have_the_score_1(tiny_models: Models) -> None:
    metric = load("moverscore", model=tiny_models())
    assert metric.score("the quick fox", ["the quick fox"])["moverscore"] == pytest.approx(1, abs=1e-3)


def test_empty_texts_score_0_and_texts_without_weight_are_undefined(tiny_models: Models) -> None:
    metric = load("moverscore", model=tiny_models())
    assert [metric.score(*pair)["moverscore"] for pair in (("", ["a"]), ("a", [" "]))] == [0, 0]
    assert metric.notes() == [f"moverscore: {SCORES_OF_EMPTY_TEXTS} 0"]
    assert math.isnan(load("moverscore", model=tiny_models(), idf=True).score("a", ["the cat"])["moverscore"])


@pytest.mark.parametrize("idf", [False, True], ids=["no-idf", "idf"])
@pytest.mark.parametrize("variant", ["v1", "v2", "v2-2021"])
def test_texts_that_the_tokenizer_drops_score_0(tiny_models: Models, variant: str, idf: bool) -> None:
    summaries = ["the cat", "\u200b", "\ufffd", "the cat"]
    references = [["the cat"], ["a dog sat"], ["it was big"], ["\u200b"]]
    for _ in range(2):  # computed, and from the cache
        metric = load("moverscore", model=tiny_models(), variant=variant, idf=idf)
        found = [scores["moverscore"] for scores in metric.score_all(summaries, references)]
        assert found == [pytest.approx(1, abs=1e-3), 0, 0, 0]
        assert f"{DROPS_ALL_CHARACTERS} 2 texts; {LIKE_EMPTY_TEXTS} 0" in metric.notes()[-1]


def test_an_output_whose_tokens_have_no_weight_lowers_the_score_of_a_system(tiny_models: Models) -> None:
    """The special tokens are in all summaries, and punctuation has no weight: nothing of the second output is left."""
    metric = load("moverscore", model=tiny_models(), idf=True)
    macro, micro = metric.evaluate(["the cat", "."], [["the cat"], ["a dog sat"]])
    assert [scores["moverscore"] for scores in micro] == [pytest.approx(1, abs=1e-3), 0]
    assert macro["moverscore"] == pytest.approx(0.5, abs=1e-3)
    _, micro = metric.evaluate(["the cat", "a dog"], [["the cat"], ["."]])
    assert math.isnan(micro[1]["moverscore"])  # for every system


def test_scores_come_from_the_cache_without_a_model(tiny_models: Models, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = load("moverscore", model=tiny_models()).score_all(SUMMARIES, [[text] for text in REFERENCES])
    monkeypatch.setattr(models, "_loaded", lambda *options: pytest.fail("the model was loaded"))
    again = load("moverscore", model=tiny_models())
    assert again.score_all(SUMMARIES, [[text] for text in REFERENCES]) == expected


def test_a_model_is_needed() -> None:
    with pytest.raises(UsageError, match=f"'moverscore' {NEEDS_A_MODEL}"):
        load("moverscore").score("a", ["b"])


def test_a_file_without_stop_words_is_an_error(tiny_models: Models, tmp_path: Path) -> None:
    (tmp_path / "stop.txt").write_text("\n")
    with pytest.raises(DataError, match="has no words"):
        load("moverscore", model=tiny_models(), stop_words=str(tmp_path / "stop.txt")).score("a", ["b"])
