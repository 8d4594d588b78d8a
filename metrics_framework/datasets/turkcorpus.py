"""TurkCorpus."""

from __future__ import annotations

from metrics_framework.common.overriding import overrides
from metrics_framework.datasets.dataset import Dataset
from metrics_framework.datasets.parts import ParallelText, Part, SystemOutputs, outputs_in

_ORIGINAL = "data/turkcorpus"
_EASSE = "easse/resources/data"
_OUTPUTS = f"{_EASSE}/system_outputs/turkcorpus/test"
_OUTPUTS_OF_XU_ET_AL = "data/systemoutputs"
_NUMBER_OF_REFERENCES = 8


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
            self._outputs("turkcorpus-outputs", detokenized[0], _OUTPUTS),
            self._outputs("turkcorpus-outputs-tok", tokenized[0], f"{_OUTPUTS}/tok.low"),
            self._outputs("turkcorpus-outputs-xu2016", tokenized[0], _OUTPUTS_OF_XU_ET_AL),
        ]

    def _outputs(self, name: str, test: ParallelText, folder: str) -> SystemOutputs:
        return SystemOutputs(name, test.source, test.references, outputs_in(self.manifest, folder))


def _detokenized(split: str) -> ParallelText:
    stem = f"{_EASSE}/test_sets/turkcorpus/{split}.truecase.detok"
    return ParallelText(
        f"turkcorpus-{split}", f"{stem}.orig", [f"{stem}.simp.{n}" for n in range(_NUMBER_OF_REFERENCES)]
    )


def _tokenized(split: str, folder: str, form: str) -> ParallelText:
    stem = f"{folder}/{split}.8turkers.tok"
    return ParallelText(
        f"turkcorpus-{split}-{form}", f"{stem}.norm", [f"{stem}.turk.{n}" for n in range(_NUMBER_OF_REFERENCES)]
    )
