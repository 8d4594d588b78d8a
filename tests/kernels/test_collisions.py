"""Texts whose words or n-grams would all collide in a table with a known hash do not slow the kernels down."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from twins import kernels, requires_native

from metrics_framework.metrics.base.metric import load

pytestmark = requires_native

FACTORS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F)
"""Multiply-add with these factors and the highest bits of the sum is the hash that the texts below attack."""
COUNT = 6_000
MOST = 8
"""A text that collides takes at most this many times as long as a random one; without a seed, hundreds of times."""


def random_words(generator: np.random.Generator, count: int) -> Any:
    """Returns words of eight ASCII letters and digits as integers."""
    characters = np.frombuffer(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", dtype=np.uint8)
    return np.unique(generator.choice(characters, size=(count, 8)).copy().view(np.uint64).ravel())


def colliding_words() -> list[str]:
    """Returns words of sixteen bytes, whose halves are chosen so that the highest 14 bits of the sum are 0."""
    generator = np.random.default_rng(0)
    heads, tails = random_words(generator, COUNT), random_words(generator, 1 << 17)
    first, second = (np.uint64(factor) for factor in FACTORS)
    products = tails * second
    order = np.argsort(products)
    wanted = np.uint64(0) - heads * first
    nearest = order[np.searchsorted(products[order], wanted) % len(order)]
    return [np.array(pair).tobytes().decode("ascii") for pair in zip(heads, tails[nearest], strict=True)]


def colliding_pairs(words: int, count: int) -> list[tuple[int, int]]:
    """Returns pairs of word ids whose product with the first factor has the highest 9 bits 0."""
    ids = np.arange(words, dtype=np.uint64)
    keys = (ids[:, None] << np.uint64(32)) + ids[None, :]
    found = np.argwhere(keys * np.uint64(FACTORS[0]) >> np.uint64(55) == 0)
    chosen = np.random.default_rng(0).permutation(found)[:count]
    return [(int(first), int(second)) for first, second in chosen]


def seconds(call: Callable[[], object]) -> float:
    """Returns the CPU time of a call: the least of several."""
    times = []
    for _ in range(5):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times)


@pytest.mark.timing
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("ter", {"case_sensitive": True}),
        ("bleu", {"tokenizer": "none", "max_ngram_order": 1}),
        ("chrf", {"char_order": 1, "word_order": 1}),
    ],
)
def test_words_that_collide_on_purpose_cost_no_more_than_others(name: str, options: dict[str, Any]) -> None:
    colliding = colliding_words()
    shuffled = ["".join(random.Random(number).sample(word, 16)) for number, word in enumerate(colliding)]
    metric = load(name, **options)

    def score(words: list[str]) -> Any:
        text = " ".join(words)
        return metric.score_all([text], [[text]])

    with kernels("native"):
        assert seconds(lambda: score(colliding)) < MOST * seconds(lambda: score(shuffled)) + 0.002


@pytest.mark.slow
@pytest.mark.parametrize("name", ["bleu", "sari"])
def test_ngrams_that_collide_on_purpose_cost_no_more_than_others(name: str) -> None:
    words = [f"w{number}" for number in range(4_000)]
    generator = random.Random(0)
    pairs = colliding_pairs(len(words), 12_000)
    others = [(generator.randrange(len(words)), generator.randrange(len(words))) for _ in pairs]
    metric = load(name, tokenizer="none")

    def score(chosen: list[tuple[int, int]]) -> Any:
        text = " ".join([*words, *(f"{words[first]} {words[second]}" for first, second in chosen)])
        return metric.score_all([text], [[text]], [text]) if name == "sari" else metric.score_all([text], [[text]])

    with kernels("native"):
        assert seconds(lambda: score(pairs)) < MOST * seconds(lambda: score(others)) + 0.005


SCORE = """
import json
from metrics_framework import load
texts = [f"a b c{n} {'d' * n} e{n % 7} long-word-{'é' * (n % 30)} f" for n in range(300)]
METRICS = [("ter", {}), ("bleu", {}), ("chrf", {"word_order": 2}), ("sari", {}), ("sari", {"variant": "hf"})]
for name, options in METRICS:
    rows = [texts[:1] + texts, [[text, "a b"] for text in texts[1:] + texts[:2]], texts[2:] + texts[:3]]
    print(json.dumps(load(name, **options).evaluate(*rows[: 3 if name == "sari" else 2])))
"""


def test_scores_do_not_depend_on_the_seed() -> None:
    def scores(seed: str) -> str:
        environment = {**os.environ, "PYTHONHASHSEED": seed, "FW_KERNELS": "native"}
        return subprocess.run(
            [sys.executable, "-c", SCORE], env=environment, capture_output=True, check=True, encoding="utf-8"
        ).stdout

    assert len({scores(seed) for seed in ("0", "1")}) == 1
