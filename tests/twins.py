"""What the tests that compare native kernels with their twins have in common."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import strategies as st

from metrics_framework.kernels import dispatch
from metrics_framework.kernels.dispatch import Request
from metrics_framework.metrics.base.metric import CorpusMetric

BLANKS = [chr(code) for code in range(0x3001) if chr(code).isspace()]
# What breaks careless code: what looks like a blank and is none, what 13a replaces before it cuts, marks between digits
# and in a row, letters that lower case makes longer or shorter, half of a character, one beyond 16 bits.
PIECES = [
    *("the", "The", "cat", "cat's", "a", "b", "c", "longer-than-8-bytes", "longer-than-8-bites", "x" * 40),
    *("-\n", "\n", "-", "<skipped>", "<skip", "&quot;", "&amp;", "&lt;", "&gt;", "&amp;lt;", "&amp", "\n<skipped>-"),
    *("1", "3.5", "1,000", "2-3", "1.,2", "..", ",,", ".", ",", "...", "5.", ",5", "(x)", "?!", "$", "'", '"', "[_]"),
    *("İ", "i̇", "ẞ", "ß", "ΣΑΣ", "σας", "ſ", "\u212a", "É", "漢字", "かな、", "。", "５．", "😀", "\U0010ffff"),
    *("\ud800", "\udfff", "\0", "\0\0", "\x7f", "\u180e", "\u200b", "\u2010", "\u2060", "\ufeff", "e\u0301"),
]
SEPARATORS = ["", " ", " ", " ", "  ", *BLANKS]

requires_native = pytest.mark.skipif(
    dispatch.native_module is None and os.environ.get("FW_REQUIRE_NATIVE") != "1",
    reason="needs the native kernels, which are not built",
)


class Subclassed(str):
    """A text that is not exactly a string."""


# ---- both implementations -------------------------------------------------------------------------------------------


@contextmanager
def kernels(name: str) -> Iterator[None]:
    """Has one implementation of the kernels in use."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(dispatch.VARIABLE, name)
        yield


def under(name: str, call: Callable[..., Any], *arguments: Any) -> Any:
    """Calls with one implementation of the kernels."""
    with kernels(name):
        return call(*arguments)


def with_statistics(metric: Any) -> Callable[..., list[tuple[Any, Any]]]:
    """Returns what scores groups: the scores of each output, with its statistics where the metric has them."""

    def call(*groups: Any) -> list[tuple[Any, Any]]:
        found = metric.score_batch(Request.SCORES | Request.STATISTICS, *groups)
        return list(zip(found.scores, found.statistics or [None] * len(found.scores), strict=True))

    return call


def jackknifed(metric: Any) -> Callable[..., list[tuple[Any, Any]]]:
    """Returns what scores groups: the scores of each output, with the mean over its variants, if there are any."""

    def call(*groups: Any) -> list[tuple[Any, Any]]:
        found = metric.score_batch(Request.SCORES | Request.JACKKNIFED, *groups)
        return list(zip(found.scores, found.jackknifed or [None] * len(found.scores), strict=True))

    return call


def everything(metric: Any, groups: Sequence[Any]) -> dict[str, str]:
    """Returns all that a metric makes of groups of outputs, written so that whole numbers differ from others."""
    first_of_each = [[summaries[0] for summaries in groups[0] if len(summaries)]]
    first_of_each += [[one for one, own in zip(field, groups[0], strict=True) if len(own)] for field in groups[1:]]
    found = {
        "score_multi_all": metric.score_multi_all(*groups),
        "with_statistics": with_statistics(metric)(*groups),
        "jackknifed": jackknifed(metric)(*groups),
    }
    if first_of_each[0]:
        found["evaluate"] = metric.evaluate(*first_of_each)
    if isinstance(metric, CorpusMetric):
        found["statistics_multi_all"] = metric.statistics_multi_all(*groups)
    return {name: repr(result) for name, result in found.items()}


def differences(metric: Any, groups: Sequence[Any]) -> dict[str, tuple[str, str]]:
    """Returns what the native kernel and its twin do not agree on: that of the one and of the other."""
    native, twin = (under(name, everything, metric, groups) for name in ("native", "python"))
    return {name: (native[name], twin[name]) for name in twin if native[name] != twin[name]}


# ---- texts ----------------------------------------------------------------------------------------------------------

WRITTEN = st.lists(st.tuples(st.sampled_from(PIECES), st.sampled_from(SEPARATORS)), max_size=10).map(
    lambda pairs: "".join(piece + separator for piece, separator in pairs)
)
STRINGS = WRITTEN | st.text(st.sampled_from("aAbB .,-'1\x1d\u2029漢、\ud800"), max_size=20) | st.sampled_from(BLANKS)
TEXTS = STRINGS | STRINGS | STRINGS.map(Subclassed) | st.lists(STRINGS, max_size=3) | st.lists(STRINGS, max_size=3)


def groups_of(fields: int, most_references: int = 4) -> st.SearchStrategy[list[Any]]:
    """Groups of outputs: summaries, references and, for metrics of three fields, sources."""
    group = st.tuples(
        st.lists(TEXTS, max_size=4), st.lists(TEXTS, min_size=1, max_size=most_references), *[TEXTS] * (fields - 2)
    )
    return st.lists(group, min_size=1, max_size=3).map(
        lambda groups: [list(field) for field in zip(*groups, strict=True)]
    )


def random_text(generator: random.Random, most: int = 14) -> str:
    """A text of few words, so that they meet again, among anything."""
    words = []
    for _ in range(generator.randint(0, most)):
        piece = generator.choice(PIECES) if generator.random() < 0.4 else generator.choice("abcde")
        words.append(piece + (" " if generator.random() < 0.8 else generator.choice(SEPARATORS)))
    return "".join(words)


def random_rewriting(generator: random.Random, text: str) -> str:
    """A text that has much in common with another."""
    cut = generator.randint(0, len(text))
    kept = text[cut:] + text[:cut] if generator.random() < 0.3 else text
    start = generator.randint(0, len(kept))
    return kept[:start] + random_text(generator, 3) + kept[start + generator.randint(0, 6) :]


def random_groups(seed: int, count: int, fields: int, most_references: int = 4) -> list[Any]:
    """As many groups, whose texts resemble each other."""
    generator = random.Random(seed)
    groups: list[Any] = []
    for _ in range(count):
        first = random_text(generator)
        texts = [random_rewriting(generator, first) for _ in range(generator.randint(1, 4 + most_references))]
        summaries = texts[: generator.randint(0, min(4, len(texts) - 1))]
        references = texts[len(summaries) :][:most_references]
        groups.append((summaries, references, first)[:fields])
    return [list(field) for field in zip(*groups, strict=True)]
