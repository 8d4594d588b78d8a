"""Data sets of text simplification, from the repositories of their authors and of EASSE."""

from __future__ import annotations

from metrics_framework.common.overriding import overrides
from metrics_framework.datasets.dataset import Dataset, ParallelText, Part, SystemOutputs, declared_in, outputs_in


class Simplifications(Dataset):
    """A data set of parallel text files, which ``simplification.json`` names for each of its parts."""

    @overrides
    def parts(self) -> list[Part]:
        parts: list[Part] = []
        for name, files in declared_in("simplification.json")[self.registered_name].items():
            if isinstance(outputs := files.get("outputs"), str):  # a folder
                files = {**files, "outputs": outputs_in(self.manifest, outputs)}
            parts.append((SystemOutputs if outputs else ParallelText)(name, **files))
        return parts


@Dataset.register("asset")
class Asset(Simplifications):
    """ASSET: the sentences of TurkCorpus with ten references that split, drop and reword."""


@Dataset.register("hsplit")
class HSplit(Simplifications):
    """HSplit: the test sentences of TurkCorpus with four references that only split."""


@Dataset.register("pwkp")
class Pwkp(Simplifications):
    """PWKP (WikiSmall): sentences of Wikipedia paired with sentences of Simple English Wikipedia."""


@Dataset.register("qats")
class Qats(Simplifications):
    """QATS: sentences paired with outputs of simplification systems, without references."""


@Dataset.register("turkcorpus")
class TurkCorpus(Simplifications):
    """TurkCorpus: sentences of Wikipedia with eight references that do not split sentences.

    De-tokenized, tokenized and lower-case (``-tok``, the original release), and tokenized with case (``-tok-cased``).
    """


@Dataset.register("wikisplit")
class WikiSplit(Simplifications):
    """WikiSplit: sentences that an edit of Wikipedia split into two."""
