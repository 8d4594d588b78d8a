"""The base class of profiles, and those of text simplification, summarization and translation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from metrics_framework.common.options import build, options_of, parse_spec
from metrics_framework.common.registrable import Registrable
from metrics_framework.evaluation.profiles import REGISTRY
from metrics_framework.text.sentences import SentencesOption

TaskName = Literal["simplification", "summarization", "translation"]


class Profile(Registrable, registry=REGISTRY):
    """A set of metrics that are scored in one pass, and the columns of its table.

    A profile is a subclass that declares both::

        @Profile.register("my-profile")
        class MyProfile(Profile):
            \"\"\"States the purpose of the profile in one sentence.\"\"\"

            metrics = ("sari:variant=easse", "ter")
            columns = {"sari": "SARI", "ter": "TER"}

    A profile with options has a constructor, whose parameters follow the name: ``simplification:bleu=lc``.

    Attributes:
        metrics: The metrics, as for ``--metric``.
        columns: Flat names of the scores in the table, in order, and their headings. Other scores of the metrics are
            only in the files.
        task: The task, by which `fw report` shows outputs: beside their source, with edits, for ``simplification``;
            with the n-grams of references for ``summarization``, whose documents are folded, and ``translation``.
    """

    metrics: Sequence[str] = ()
    columns: Mapping[str, str] = {}
    task: TaskName = "translation"

    @property
    def specs(self) -> list[Mapping[str, Any]]:
        """The metrics of a run, which know the profile, to say how its options are set."""
        given = vars(self).get("_built_with", ((), {}))[1]
        options = {option.name: given.get(option.name) for option in options_of(type(self), Profile)}
        specs = [parse_spec(metric) for metric in self.metrics]
        return [{"type": name, **own, "profile": (self.registered_name, options)} for name, own in specs]


def load_profile(spec: str | Mapping[str, Any]) -> Profile:
    """Builds a profile by name.

    Args:
        spec: A registered name, ``name:option=value,…`` or ``{"type": name, …}``.

    Raises:
        UnknownNameError: if the profile or an option does not exist.
        UsageError: if an option has an invalid value.

    >>> load_profile("simplification:bleu=lc").columns["bleu"]
    'BLEU (lc)'
    """
    name, options = parse_spec(spec)
    profile: Profile = build(Profile.by_name(name), Profile, options, name)
    return profile


@Profile.register("simplification")
class Simplification(Profile):
    """EASSE's table of a simplification system: SARI with its operations, BLEU, FKGL and the quality features.

    SARI is EASSE's, on lower-cased text; BLEU is sacreBLEU's, by default case-sensitive as in Table 2 of the paper.

    Args:
        bleu: The case of BLEU: mixed keeps the case, as in the paper; lc lowercases, as the command of EASSE does by
            default.

    Source: Alva-Manchego, Martin, Scarton and Specia, "EASSE: Easier Automatic Sentence Simplification Evaluation"
    (EMNLP 2019).
    """

    metrics: Sequence[str] = ("sari:variant=easse", "bleu", "fkgl", "quality-estimation")
    task: TaskName = "simplification"
    columns: Mapping[str, str] = {
        "sari": "SARI",
        "sari_add": "add",
        "sari_keep": "keep",
        "sari_del": "del",
        "bleu": "BLEU",
        "fkgl": "FKGL",
        "compression_ratio": "Compression ratio",
        "sentence_splits": "Sentence splits",
        "levenshtein_similarity": "Levenshtein similarity",
        "exact_copies": "Exact copies",
        "additions_proportion": "Additions proportion",
        "deletions_proportion": "Deletions proportion",
        "lexical_complexity": "Lexical complexity",
    }

    def __init__(self, bleu: Literal["mixed", "lc"] = "mixed") -> None:
        if bleu == "lc":
            self.metrics = [f"{spec}:lowercase=true" if spec == "bleu" else spec for spec in type(self).metrics]
            self.columns = {**type(self).columns, "bleu": "BLEU (lc)"}


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


@Profile.register("translation")
class Translation(Profile):
    """The table of a translation system: BLEU, chrF, chrF++ and TER, with sacreBLEU's definitions and defaults.

    Source: Post, "A Call for Clarity in Reporting BLEU Scores" (WMT 2018).
    """

    metrics: Sequence[str] = ("bleu", "chrf", "chrf:word_order=2,label=chrf++", "ter")
    columns: Mapping[str, str] = {"bleu": "BLEU", "chrf": "chrF", "chrf++": "chrF++", "ter": "TER"}
