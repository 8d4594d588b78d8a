"""REALSumm: outputs of 25 summarization systems, with the scores that people gave by content units."""

from __future__ import annotations

import io
import os
import pickle
import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from metrics_framework.common.errors import DataError
from metrics_framework.common.overriding import overrides
from metrics_framework.datasets.dataset import Dataset, FolderPart, LicensedDataset, Part
from metrics_framework.datasets.shared_task_files import find_file
from metrics_framework.io.reading import content_of, read_parallel

_KINDS = {"abs": ("abs.pkl",), "ext": ("ext.pkl",), "": ("abs.pkl", "ext.pkl")}
_IN_BOTH = {"abs.pkl": "bart_out"}  # its ratings are those of the extractive systems
_SENTENCE = re.compile(r"<t>(.*?)</t>", re.DOTALL)
_SCORES = {  # the names in the files, by the names that other metrics of this package have
    "rouge-1": {"precision": "rouge_1_precision", "recall": "rouge_1_recall", "f1": "rouge_1_f_score"},
    "rouge-2": {"precision": "rouge_2_precision", "recall": "rouge_2_recall", "f1": "rouge_2_f_score"},
    "rouge-l": {"precision": "rouge_l_precision", "recall": "rouge_l_recall", "f1": "rouge_l_f_score"},
    "bertscore": {"precision": "bert_precision_score", "recall": "bert_recall_score", "f1": "bert_f_score"},
    "litepyramid": {"recall": "litepyramid_recall"},
}
_NUMBERS = {"js-2": "js-2", "moverscore": "mover_score"}


class _DataOnly(pickle.Unpickler):
    """Reads pickles of built-in values and NumPy numbers; a pickle can otherwise run any program."""

    @overrides
    def find_class(self, module_name: str, global_name: str, /) -> Any:
        import numpy

        if (module_name, global_name) == ("numpy", "dtype"):
            return numpy.dtype
        if global_name == "scalar" and module_name in ("numpy.core.multiarray", "numpy._core.multiarray"):
            return _number
        raise pickle.UnpicklingError(f"it contains '{module_name}.{global_name}', expected only data")


def _number(kind: Any, content: bytes) -> Any:
    import numpy

    return numpy.frombuffer(content, kind)[0].item()


def _inputs(folder: str, file: str) -> dict[str, Mapping[str, Any]]:
    path = find_file(folder, file)
    try:
        content = _DataOnly(io.BytesIO(content_of(path))).load()
        return {str(entry["doc_id"]): entry for entry in content.values()}
    except (pickle.UnpicklingError, EOFError, AttributeError, KeyError, TypeError, IndexError, ValueError) as error:
        raise DataError(f"is not a file of scores of REALSumm: {error}", path) from None


def _outputs(folder: str, files: tuple[str, ...]) -> Iterator[tuple[dict[str, Any], Mapping[str, Any], str, str]]:
    """Yields the ids, the entry and the reference of each output, and the file."""
    for file in files:
        for instance_id, entry in _inputs(folder, file).items():
            for name, output in entry["system_summaries"].items():
                system = name.removesuffix(".txt")
                if _IN_BOTH.get(file) != system:
                    ids = {"instance_id": instance_id, "summarizer_id": system, "summarizer_type": "peer"}
                    yield ids, output, entry["ref_summ"], file


def _summaries(folder: str, files: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    for ids, output, reference, _ in _outputs(folder, files):
        yield {**ids, "summary": sentences(output["system_summary"]), "references": [sentences(reference)]}


def _metrics(folder: str, files: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """Yields the scores; those of people are ``litepyramid_recall``."""
    for ids, output, _, file in _outputs(folder, files):
        given = output["scores"]
        try:
            scores: dict[str, Any] = {
                name: {part: float(given[key]) for part, key in parts.items() if key in given}
                for name, parts in _SCORES.items()
            }
            scores |= {name: float(given[key]) for name, key in _NUMBERS.items() if key in given}
        except (TypeError, ValueError):
            raise DataError(f"has a score that is no number, of '{ids['summarizer_id']}'", file) from None
        yield {**ids, "metrics": {name: score for name, score in scores.items() if score != {}}}


def _documents(folder: str, files: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """Yields the articles: line n of ``SYSTEM/src.txt``, for the summary on line n of ``SYSTEM/out.txt``."""
    known = set()
    articles: dict[str, dict[str, str]] = {}
    for ids, output, _, file in _outputs(folder, files):
        instance_id, system = ids["instance_id"], ids["summarizer_id"]
        if instance_id in known:
            continue
        if system not in articles:
            paths = [find_file(folder, f"{system}/{name}.txt") for name in ("out", "src")]
            articles[system] = {summary.strip(): source for summary, source in read_parallel(paths)}
        article = articles[system].get(output["system_summary"].strip())
        if article is None:
            raise DataError(f"has a summary of '{instance_id}' that is not in {os.path.join(system, 'out.txt')}", file)
        known.add(instance_id)
        yield {"instance_id": instance_id, "documents": [sentences(article)]}


def sentences(text: str) -> list[str]:
    """Returns the sentences of a text that marks them, else the text.

    >>> sentences("<t> It rained . </t> <t> A lot . </t>"), sentences("It rained .")
    (['It rained .', 'A lot .'], ['It rained .'])
    """
    return [sentence.strip() for sentence in _SENTENCE.findall(text)] or [text.strip()]


@Dataset.register("realsumm")
class RealSumm(LicensedDataset):
    """REALSumm: outputs of 25 systems for 100 articles of CNN/DailyMail, with content units found by people."""

    reason = "is not downloaded, because no checksum of its files is known"
    steps = (
        "Download abs.pkl and ext.pkl from github.com/neulab/REALSumm (scores_dicts)",
        "For the articles, download the system outputs (src.txt and out.txt), each system into a folder of its name",
    )
    archives = ("abs.pkl", "ext.pkl")

    @overrides
    def parts(self) -> list[Part]:
        contents = {"summaries": _summaries, "metrics": _metrics, "documents": _documents}
        return [
            FolderPart("-".join(filter(None, ["realsumm", kind, content])), self, content, partial(read, files=files))
            for kind, files in _KINDS.items()
            for content, read in contents.items()
        ]
