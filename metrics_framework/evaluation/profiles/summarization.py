"""The profile of summarization."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from metrics_framework.evaluation.profiles.profile import Profile, TaskName
from metrics_framework.text.sentences import SentencesOption

_OFFICIAL: Mapping[str, str] = {
    "rouge-1_f1": "ROUGE-1",
    "rouge-2_f1": "ROUGE-2",
    "rouge-l_f1": "ROUGE-L",
    "rouge-1_recall": "ROUGE-1 recall",
    "rouge-1_precision": "ROUGE-1 precision",
}
_GOOGLE: Mapping[str, str] = {
    "rouge1_fmeasure": "ROUGE-1",
    "rouge2_fmeasure": "ROUGE-2",
    "rougeLsum_fmeasure": "ROUGE-L",
    "rouge1_recall": "ROUGE-1 recall",
    "rouge1_precision": "ROUGE-1 precision",
}


@Profile.register("summarization")
class Summarization(Profile):
    """The table of a summarization system: F1 of ROUGE-1, ROUGE-2 and ROUGE-L, and recall and precision of ROUGE-1.

    Words are stemmed. ROUGE-L is that of summaries, line by line. Recall above precision means that a summary is longer
    than its references, which F1 does not show.

    Args:
        rouge: The definition of ROUGE: official equals the program ROUGE-1.5.5, from 0 to 100; google equals the
            package rouge-score, from 0 to 1.
        sentences: How texts are split into sentences for ROUGE-L: at line breaks (lines), also at a separator such as
            ``<q>`` or ``|||``, by rules that need no package (own), by nltk's Punkt, by pysbd, or not at all (none);
            auto uses Punkt if nltk and its data are installed, otherwise pysbd.

    Source: Lin, "ROUGE: A Package for Automatic Evaluation of Summaries" (2004).
    """

    metrics: Sequence[str] = ("rouge:compute_rouge_l=true,max_ngram=2",)
    task: TaskName = "summarization"
    columns: Mapping[str, str] = _OFFICIAL

    def __init__(self, rouge: Literal["official", "google"] = "official", sentences: SentencesOption = "lines") -> None:
        if rouge == "google":
            self.metrics = ['google-rouge:use_stemmer=true,rouge_types=["rouge1","rouge2","rougeLsum"]']
            self.columns = _GOOGLE
        if sentences != "lines":
            self.metrics = [f"{metric},sentences={sentences}" for metric in self.metrics]
