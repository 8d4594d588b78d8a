"""WER and CER: by hand, and jiwer as an oracle."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import texts

from metrics_framework.metrics.base.metric import load

COUNTS = ("substitutions", "deletions", "insertions", "ref_length")

CASES = [  # metric, summary, references, options, score, counts in the order of COUNTS, why
    ("wer", "The cat", ["the cat"], {"lowercase": True}, 0.0, (0, 0, 0, 2), "unless lower-cased"),
    ("wer", "a b", ["a b c d", "a x"], {}, 50.0, (1, 0, 0, 2), "the closest: one edit, not two"),
    ("wer", "a b", ["a b c d e f", "x y"], {}, 100.0, (2, 0, 0, 2), "the fewest edits, not the lowest rate"),
    ("wer", "a b", ["a b c", "a"], {}, 100 * (1 / 3), (0, 1, 0, 3), "the first of two that are equally close"),
    ("wer", "a b", ["a", "a b c"], {}, 100.0, (0, 0, 1, 1), "the first, though its rate is higher"),
    ("wer", ["a b", "c"], [["a", "b c"]], {}, 0.0, (0, 0, 0, 3), "lists of sentences"),
    ("cer", "ÄB", ["äb"], {"lowercase": True}, 0.0, (0, 0, 0, 2), "lower-cased"),
    ("cer", "👩‍🚀", ["👩"], {}, 200.0, (0, 0, 2, 1), "code points: the joiner and the rocket are inserted"),
    ("cer", "ab", ["", "abcd"], {}, 200.0, (0, 0, 2, 0), "an empty reference is the first of two equally close"),
]


def test_scores_by_hand() -> None:
    for name, summary, references, options, expected, counts, why in CASES:
        scores = load(name, **options).score(summary, references)
        assert scores[name] == expected, why
        assert tuple(scores[f"{name}_{count}"] for count in COUNTS) == counts, why


def of_jiwer(name: str, summaries: list[str], references: list[str]) -> dict[str, float]:
    """Returns what jiwer makes of a corpus, under our names."""
    jiwer = pytest.importorskip("jiwer")
    process = {"wer": jiwer.process_words, "cer": jiwer.process_characters}[name]
    found = process(references, summaries)
    counts = (found.substitutions, found.deletions, found.insertions)
    length = found.hits + found.substitutions + found.deletions
    return {
        name: 100 * getattr(found, name),
        **{f"{name}_{count}": number for count, number in zip(COUNTS, (*counts, length), strict=True)},
    }


PAIRS = st.lists(st.tuples(texts(), texts()), min_size=1, max_size=5)
SPACED = st.text(st.sampled_from("ab \t\n\u00a0\u2028"), max_size=12)


@pytest.mark.parametrize("name", ["wer", "cer"])
@settings(max_examples=25)
@given(PAIRS | st.lists(st.tuples(SPACED, SPACED), min_size=1, max_size=3))
def test_scores_and_counts_of_outputs_and_of_the_corpus_equal_those_of_jiwer(
    name: str, pairs: list[tuple[str, str]]
) -> None:
    summaries, references = map(list, zip(*pairs, strict=True))
    macro, micro = load(name).evaluate(summaries, [[reference] for reference in references])
    assert macro == of_jiwer(name, summaries, references)
    assert micro == [of_jiwer(name, [one], [other]) for one, other in pairs]


@pytest.mark.parametrize("name", ["wer", "cer"])
@settings(max_examples=25)
@given(texts(), st.lists(texts(), min_size=1, max_size=4))
def test_the_closest_reference_is_the_first_with_the_fewest_edits(
    name: str, summary: str, references: list[str]
) -> None:
    metric = load(name)
    scores = [metric.score(summary, [reference]) for reference in references]
    edits = [sum(one[f"{name}_{count}"] for count in COUNTS[:3]) for one in scores]
    assert metric.score(summary, references) == scores[edits.index(min(edits))]


def test_the_score_of_a_corpus_is_not_the_mean_of_its_outputs() -> None:
    macro, micro = load("wer").evaluate(["a", "a b c d"], [["b"], ["a b c d"]])
    assert (macro["wer"], [scores["wer"] for scores in micro]) == (20.0, [100.0, 0.0])  # 1 edit, 5 words
