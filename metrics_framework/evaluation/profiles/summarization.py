"""The profile of summarization."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from metrics_framework.evaluation.profiles.profile import Profile


@Profile.register("summarization")
class Summarization(Profile):
    """The table of a summarization system: F1 of ROUGE-1, ROUGE-2 and ROUGE-L, with stemming.

    Source: Lin, "ROUGE: A Package for Automatic Evaluation of Summaries" (2004).
    """

    metrics: Sequence[str] = ("google-rouge:use_stemmer=true",)
    columns: Mapping[str, str] = {
        "rouge1_fmeasure": "ROUGE-1",
        "rouge2_fmeasure": "ROUGE-2",
        "rougeLsum_fmeasure": "ROUGE-L",
    }
