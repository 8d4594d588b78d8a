"""The profile of text simplification."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from metrics_framework.evaluation.profiles.profile import Profile, TaskName


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
