"""Data sets of text simplification, from the repositories of their authors and of EASSE."""

from __future__ import annotations

from collections.abc import Sequence

from metrics_framework.common.overriding import overrides
from metrics_framework.datasets.dataset import Dataset, ParallelText, Part, SystemOutputs, outputs_in

_TEST_SETS = "easse/resources/data/test_sets"
_OUTPUTS = "easse/resources/data/system_outputs"


def _parallel(name: str, stem: str, references: Sequence[str], source: str = "orig") -> ParallelText:
    """Returns a test set of files whose names begin alike, given the ends of the names."""
    return ParallelText(name, f"{stem}.{source}", [f"{stem}.{reference}" for reference in references])


@Dataset.register("asset")
class Asset(Dataset):
    """ASSET: the sentences of TurkCorpus with ten references that split, drop and reword."""

    @overrides
    def parts(self) -> list[Part]:
        references = [f"simp.{number}" for number in range(10)]
        return [_parallel(f"asset-{split}", f"dataset/asset.{split}", references) for split in ("test", "valid")]


@Dataset.register("hsplit")
class HSplit(Dataset):
    """HSplit: the test sentences of TurkCorpus with four references that only split."""

    @overrides
    def parts(self) -> list[Part]:
        return [_parallel("hsplit-test", f"{_TEST_SETS}/hsplit/hsplit.tok", "1234", "src")]


@Dataset.register("pwkp")
class Pwkp(Dataset):
    """PWKP (WikiSmall): sentences of Wikipedia paired with sentences of Simple English Wikipedia."""

    @overrides
    def parts(self) -> list[Part]:
        test, valid = (
            _parallel(f"pwkp-{split}", f"{_TEST_SETS}/pwkp/pwkp.{split}", ["simp"]) for split in ("test", "valid")
        )
        outputs = outputs_in(self.manifest, f"{_OUTPUTS}/pwkp/test")
        return [test, valid, SystemOutputs("pwkp-outputs", test.source, test.references, outputs)]


@Dataset.register("qats")
class Qats(Dataset):
    """QATS: sentences paired with outputs of simplification systems, without references."""

    @overrides
    def parts(self) -> list[Part]:
        stem = f"{_TEST_SETS}/qats/qats.test"
        return [SystemOutputs("qats-test", f"{stem}.orig", [], {"qats": f"{stem}.simp"})]


@Dataset.register("turkcorpus")
class TurkCorpus(Dataset):
    """TurkCorpus: sentences of Wikipedia with eight references that do not split sentences.

    De-tokenized, tokenized and lower-case (``-tok``, the original release), and tokenized with case (``-tok-cased``).
    """

    @overrides
    def parts(self) -> list[Part]:
        splits, folder = ("test", "tune"), f"{_TEST_SETS}/turkcorpus"
        simplified, turkers = ([f"{kind}.{number}" for number in range(8)] for kind in ("simp", "turk"))
        detokenized = [
            _parallel(f"turkcorpus-{split}", f"{folder}/{split}.truecase.detok", simplified) for split in splits
        ]
        tokenized = [
            _parallel(f"turkcorpus-{split}-{form}", f"data/turkcorpus{folder}/{split}.8turkers.tok", turkers, "norm")
            for form, folder in (("tok", ""), ("tok-cased", "/GEM"))
            for split in splits
        ]
        return [
            *(*detokenized, *tokenized),
            self._outputs("turkcorpus-outputs", detokenized[0], f"{_OUTPUTS}/turkcorpus/test"),
            self._outputs("turkcorpus-outputs-tok", tokenized[0], f"{_OUTPUTS}/turkcorpus/test/tok.low"),
            self._outputs("turkcorpus-outputs-xu2016", tokenized[0], "data/systemoutputs"),
        ]

    def _outputs(self, name: str, test: ParallelText, folder: str) -> SystemOutputs:
        return SystemOutputs(name, test.source, test.references, outputs_in(self.manifest, folder))


@Dataset.register("wikisplit")
class WikiSplit(Dataset):
    """WikiSplit: sentences that an edit of Wikipedia split into two."""

    @overrides
    def parts(self) -> list[Part]:
        stem = f"{_TEST_SETS}/wikisplit/wikisplit"
        return [_parallel(f"wikisplit-{split}", f"{stem}.{split}.untok", ["split"]) for split in ("test", "valid")]
