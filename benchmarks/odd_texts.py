"""Unusual texts for which peers compute other scores than this package."""

from __future__ import annotations

from collections.abc import Iterator

from contenders import ROUNDING, Work, bleuscore_compute, fastchrf_pairwise, our_corpus_score, our_sentence_scores
from corpora import Corpus
from settings import Settings
from speed import present
from tables import Line, Table

ODD = Table(
    "Unusual texts, scored one by one: number of scores that differ by more than rounding",
    ("scores", "peer", "texts", "which of them differ"),
    (16, 32, 28, 0),
)
TEXTS = {  # description: summary and reference
    "no-break space": ("The cat sat on the\u00a0mat.", "The cat sat on the mat."),
    "ideographic space": ("a\u3000b c d e f", "a b c d e f"),
    "zero-width space": ("a\u200bb c d e f", "ab c d e f"),
    "information separator": ("a\x1cb c d e f", "a b c d e f"),
    "tab and spaces": ("one\ttwo  three four ", "one two three four"),
    "hyphen at the end of a line": ("A well-\nknown man of the town", "A wellknown man of the town"),
    "entities": ("A &quot;quoted&quot; word &amp; more of it", 'A "quoted" word & more of it'),
    "<skipped>": ("x <skipped> y z w", "x y z w"),
    "numbers": ("5-4 and 3.5, of $7.00 or 1,000", "5 - 4 and 3.5 , of $ 7.00 or 1,000"),
    "full width": ("３ Ａｐｐｌｅｓ are here now", "3 Apples are here now"),
    "Japanese": ("猫が座った 。 とても 長い 一日", "猫が座った 。 とても 長い"),
    "combining accent": ("cafe\u0301 is open all day", "café is open all day"),
    "beyond 16 bits": ("😀 one two three four", "😀 one two three"),
    "one character": ("a", "a"),
    "empty summary": ("", "a b c d"),
    "whitespace": (" ", " "),
}
WORKS = (
    Work("bleu", our_corpus_score("bleu", smooth_method="none"), (bleuscore_compute(),)),
    Work("chrf-sentences", our_sentence_scores("chrf"), (fastchrf_pairwise(),)),
)


def differences(_: Settings) -> Iterator[Line]:
    """Lists the texts for which peers compute other scores."""
    for work in WORKS:
        peers, missing = present(work, ODD)
        yield from missing
        for peer in peers:
            different = []
            for name, (summary, reference) in TEXTS.items():
                corpus = Corpus([summary], [[reference]], [reference], "odd text")
                (ours,), (theirs,) = work.ours.prepare(corpus)(), peer.prepare(corpus)()
                if abs(ours - theirs) > ROUNDING:
                    different.append(f"{name} ({theirs:.1f}, not {ours:.1f})")
            cells = (work.name, str(peer), f"{len(different)} of {len(TEXTS)} differ", "; ".join(different))
            yield Line(ODD, cells, {"what": work.name, "peer": str(peer), "different": different})
