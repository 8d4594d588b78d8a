"""The profile of machine translation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from metrics_framework.evaluation.profiles.profile import Profile


@Profile.register("translation")
class Translation(Profile):
    """The table of a translation system: BLEU, chrF, chrF++ and TER, with sacreBLEU's definitions and defaults.

    Source: Post, "A Call for Clarity in Reporting BLEU Scores" (WMT 2018).
    """

    metrics: Sequence[str] = ("bleu", "chrf", "chrf:word_order=2,label=chrf++", "ter")
    columns: Mapping[str, str] = {"bleu": "BLEU", "chrf": "chrF", "chrf++": "chrF++", "ter": "TER"}
