"""AutoSummENG, MeMoG and NPowER: the numbers of the published Java program, and cases worked by hand."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from metrics_framework.metrics.base.metric import load

pytestmark = pytest.mark.usefixtures("kernels")

HALF_A_DIGIT = 5.01e-7  # the program prints six decimal places


def test_the_published_program_on_all_cases(shared_path: Callable[[str], Path]) -> None:
    cases = json.loads(shared_path("golden/ngram_graphs.json").read_text(encoding="utf-8"))["cases"]
    assert len(cases) == 120
    for case in cases:
        metric = load("autosummeng", min_n=case["min_n"], max_n=case["max_n"], window=case["dwin"])
        scores = metric.score(case["peer"], case["models"])
        assert scores == pytest.approx({name: case[name] for name in scores}, abs=HALF_A_DIGIT), case


SUMMARY, SHARED, OTHER = "abcd", "abcd", "wxyz"


def test_the_faults_of_the_published_program_by_hand() -> None:
    """With line feeds, both texts have three 3-grams and so six directed edges of weight 1; none is shared.

    The merged graph has all twelve, so the similarity to it is 6/12.
    """
    npower = [(5.2905 * a + 3.0053 * m + 0.5866) / 10 for a, m in ((0.25, 0.0), (0.75, 1.0), (0.5, 0.5))]
    cases = [  # mode, references, AutoSummENG, MeMoG
        ("published", [SHARED, OTHER], (0.5 + 0) / 2, 0.0, npower[0]),  # the last reference shares nothing
        ("published", [OTHER, SHARED], (0.5 + 1) / 2, 1.0, npower[1]),  # the order of the references matters
        ("corrected", [SHARED, OTHER], (1 + 0) / 2, 0.5, npower[2]),
        ("corrected", [OTHER, SHARED], (0 + 1) / 2, 0.5, npower[2]),
    ]
    for mode, references, *expected in cases:
        scores = load("autosummeng", mode=mode).score(SUMMARY, references)
        assert list(scores.values()) == pytest.approx(expected, abs=1e-15)


def test_one_reference_has_no_faults() -> None:
    texts = ("the cat sat", ["the cat ran\nhome"])
    assert load("autosummeng").score(*texts) == load("autosummeng", mode="corrected").score(*texts)


EDGES = [  # summary, references, AutoSummENG, MeMoG, why
    ("", [""], 0, 0, "no graph at all"),
    ("", ["abcd"], 0, 0, "nothing against something"),
    ("ab", ["ab"], 0, 0, "one n-gram with the line feed, so no edge, even for equal texts"),
    ("abc", ["abc"], 1, 1, "two n-grams, one edge"),
    ("ab😀", ["ab😀"], 1, 1, "characters beyond 16 bits"),
    ("ab\ud83d\ude00", ["ab😀"], 1, 1, "two halves are the character"),
    ("ab\ud83d", ["ab\ude00"], 0, 0, "different halves are different"),
    ("abc\r\ndef", ["abc\ndef\n"], 1, 1, "line ends do not differ"),
    (["abc", "def"], ["abc\ndef"], 1, 1, "one line for each sentence"),
]


@pytest.mark.parametrize(("summary", "references", "autosummeng", "memog", "why"), EDGES)
def test_unusual_texts(summary: str, references: list[str], autosummeng: float, memog: float, why: str) -> None:
    scores = load("autosummeng").score(summary, references)
    assert (scores["AutoSummENG"], scores["MeMoG"]) == (autosummeng, memog)


def test_many_summaries_of_references_that_repeat_pairs_are_scored_as_by_the_twin(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The kernel compares summaries in chunks, and adds the references again for each."""
    references = ["\nbab\n", "\n", "\nb\na\nb\n\na\n"]
    summaries = [*("xyz" * 100 for _ in range(100)), "aa\n\na\na\nb\na", references[0]]
    native = load("autosummeng").score_multi(summaries, references)
    monkeypatch.setenv("FW_KERNELS", "python")
    assert native == load("autosummeng").score_multi(summaries, references)
