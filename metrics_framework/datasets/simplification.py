"""Data sets of text simplification, from the repositories of their authors and of EASSE."""

from __future__ import annotations

from metrics_framework.common.overriding import overrides
from metrics_framework.datasets.dataset import Dataset, ParallelText, Part, SystemOutputs, outputs_in

_ASSET_REFERENCES = 10


@Dataset.register("asset")
class Asset(Dataset):
    """ASSET: the sentences of TurkCorpus with ten references that split, drop and reword."""

    @overrides
    def parts(self) -> list[Part]:
        return [_split_asset("test"), _split_asset("valid")]


def _split_asset(split: str) -> ParallelText:
    stem = f"dataset/asset.{split}"
    return ParallelText(
        f"asset-{split}", f"{stem}.orig", [f"{stem}.simp.{number}" for number in range(_ASSET_REFERENCES)]
    )


_HSPLIT = "easse/resources/data/test_sets/hsplit/hsplit.tok"


@Dataset.register("hsplit")
class HSplit(Dataset):
    """HSplit: the test sentences of TurkCorpus with four references that only split."""

    @overrides
    def parts(self) -> list[Part]:
        return [ParallelText("hsplit-test", f"{_HSPLIT}.src", [f"{_HSPLIT}.{number}" for number in range(1, 5)])]


_EASSE = "easse/resources/data"
_PWKP_OUTPUTS = f"{_EASSE}/system_outputs/pwkp/test"


@Dataset.register("pwkp")
class Pwkp(Dataset):
    """PWKP (WikiSmall): sentences of Wikipedia paired with sentences of Simple English Wikipedia."""

    @overrides
    def parts(self) -> list[Part]:
        test = _split_pwkp("test")
        outputs = outputs_in(self.manifest, _PWKP_OUTPUTS)
        return [test, _split_pwkp("valid"), SystemOutputs("pwkp-outputs", test.source, test.references, outputs)]


def _split_pwkp(split: str) -> ParallelText:
    stem = f"{_EASSE}/test_sets/pwkp/pwkp.{split}"
    return ParallelText(f"pwkp-{split}", f"{stem}.orig", [f"{stem}.simp"])


_QATS = "easse/resources/data/test_sets/qats/qats.test"


@Dataset.register("qats")
class Qats(Dataset):
    """QATS: sentences paired with outputs of simplification systems, without references."""

    @overrides
    def parts(self) -> list[Part]:
        return [SystemOutputs("qats-test", f"{_QATS}.orig", [], {"qats": f"{_QATS}.simp"})]


_ORIGINAL = "data/turkcorpus"
_TURKCORPUS_OUTPUTS = f"{_EASSE}/system_outputs/turkcorpus/test"
_OUTPUTS_OF_XU_ET_AL = "data/systemoutputs"
_TURKCORPUS_REFERENCES = 8


@Dataset.register("turkcorpus")
class TurkCorpus(Dataset):
    """TurkCorpus: sentences of Wikipedia with eight references that do not split sentences.

    De-tokenized, tokenized and lower-case (``-tok``, the original release), and tokenized with case (``-tok-cased``).
    """

    @overrides
    def parts(self) -> list[Part]:
        detokenized = [_detokenized(split) for split in ("test", "tune")]
        tokenized = [_tokenized(split, _ORIGINAL, "tok") for split in ("test", "tune")]
        with_case = [_tokenized(split, f"{_ORIGINAL}/GEM", "tok-cased") for split in ("test", "tune")]
        return [
            *(*detokenized, *tokenized, *with_case),
            self._outputs("turkcorpus-outputs", detokenized[0], _TURKCORPUS_OUTPUTS),
            self._outputs("turkcorpus-outputs-tok", tokenized[0], f"{_TURKCORPUS_OUTPUTS}/tok.low"),
            self._outputs("turkcorpus-outputs-xu2016", tokenized[0], _OUTPUTS_OF_XU_ET_AL),
        ]

    def _outputs(self, name: str, test: ParallelText, folder: str) -> SystemOutputs:
        return SystemOutputs(name, test.source, test.references, outputs_in(self.manifest, folder))


def _detokenized(split: str) -> ParallelText:
    stem = f"{_EASSE}/test_sets/turkcorpus/{split}.truecase.detok"
    return ParallelText(
        f"turkcorpus-{split}", f"{stem}.orig", [f"{stem}.simp.{n}" for n in range(_TURKCORPUS_REFERENCES)]
    )


def _tokenized(split: str, folder: str, form: str) -> ParallelText:
    stem = f"{folder}/{split}.8turkers.tok"
    return ParallelText(
        f"turkcorpus-{split}-{form}", f"{stem}.norm", [f"{stem}.turk.{n}" for n in range(_TURKCORPUS_REFERENCES)]
    )


_WIKISPLIT = "easse/resources/data/test_sets/wikisplit"


@Dataset.register("wikisplit")
class WikiSplit(Dataset):
    """WikiSplit: sentences that an edit of Wikipedia split into two."""

    @overrides
    def parts(self) -> list[Part]:
        return [_split_wikisplit("test"), _split_wikisplit("valid")]


def _split_wikisplit(split: str) -> ParallelText:
    stem = f"{_WIKISPLIT}/wikisplit.{split}.untok"
    return ParallelText(f"wikisplit-{split}", f"{stem}.orig", [f"{stem}.split"])
