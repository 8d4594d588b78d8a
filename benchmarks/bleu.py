"""Times BLEU and chrF: sacreBLEU and this package, alternately on the same texts.

Run it with ``python benchmarks/bleu.py``. Every comparison first checks that the scores of each output and of all
together are equal, and prints how many times as long sacreBLEU takes to compute them all. The text is TurkCorpus in
``FW_SHARED``; if it is missing, text with the same statistics is generated. Segments of about 200 words are consecutive
lines.
"""

from __future__ import annotations

import argparse

from contenders import CHRFPP, Work, our_scores, sacrebleu_scores
from corpora import documents, stacked, texts, with_references
from speed import compare
from tables import show

REPETITIONS = 7
WORKS = (
    Work("bleu", our_scores("bleu"), (sacrebleu_scores("bleu", force=True),)),
    Work("chrf", our_scores("chrf"), (sacrebleu_scores("chrf"),)),
    Work("chrf++", our_scores("chrf", **CHRFPP), (sacrebleu_scores("chrf", **CHRFPP),)),
)


def main() -> None:
    """Runs the comparisons."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--repetitions", type=int, default=REPETITIONS, help="how often each is timed (%(default)s)")
    repetitions = parser.parse_args().repetitions
    test_set, text = texts()
    print(f"text: {text}")
    lines = stacked(test_set)
    alone = with_references(lines, 1)
    corpora = [alone, lines, documents(alone, 200, len(alone))]
    show(line for work in WORKS for line in compare(work, corpora, repetitions))


if __name__ == "__main__":
    main()
