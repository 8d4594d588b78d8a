"""The folders of mt-metrics-eval, with the human and metric scores of WMT's metrics tasks."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Literal, TypeAlias

from metrics_framework.common.errors import DataError, Problems, UnknownChoiceError, UsageError, counted
from metrics_framework.common.overriding import overrides
from metrics_framework.data.texts import shown
from metrics_framework.datasets.dataset import declared_in
from metrics_framework.inputs.exports import decoded
from metrics_framework.inputs.values import USUAL
from metrics_framework.io.reading import read_lines
from metrics_framework.meta_evaluation.ratings.rating_format import RatingFormat

Level = Literal["seg", "doc", "sys"]
_ENDING = ".score"
_TEXT_ENDINGS = (".txt", ".jsonl")
"""The endings of sources and references."""
_Scores: TypeAlias = "dict[str, list[float | None]]"
"""System to its scores, in the order of the segments or documents."""

_Span: TypeAlias = "dict[str, Any]"


@RatingFormat.register("mt-metrics-eval")
class MtMetricsEval(RatingFormat):
    """Reads the human and metric scores of a test set and language pair from a folder of mt-metrics-eval.

    The folder has a folder for each test set, with human-scores, metric-scores, references and documents. Rows have all
    scores: those of people with their names, such as mqm, and those of metrics with their reference, such as BLEU-refA,
    or -src without one, and, from .rating files, spans: the errors of each segment with their raters, which the reader
    error-spans reads. None is a missing score. Human translations, which are also references, and outliers are left
    out unless they are named with --include.

    Args:
        test_set: The test set: a folder, such as wmt23.
        pair: The language pair, such as en-de.
        level: seg for scores of segments, doc of documents, sys of systems.
        include: Human translations and outliers to keep.
    """

    are_higher_better: ClassVar[bool] = True

    def __init__(self, test_set: str = "", pair: str = "", level: Level = "seg", include: Sequence[str] = ()) -> None:
        self.test_set = test_set
        self.pair = pair
        self.level = level
        self.include = tuple(include)
        self._notes: list[str] = []

    @overrides
    def rows(self, path: str, problems: Problems) -> Iterator[dict[str, Any]]:
        folder = self._folder(path)
        path = os.path.join(folder, "documents", f"{self.pair}.docs")
        documents = [*_pairs_in(path, "a domain and a document", problems)] if os.path.isfile(path) else []
        inputs = self._inputs(folder, documents)
        files = self._files(folder)
        scores = {name: _read_scores(file, problems) for name, file in files.items()}
        if not inputs:  # neither documents nor sources: the files must agree
            most = max((len(of_system) for of_file in scores.values() for of_system in of_file.values()), default=0)
            inputs = [str(number) for number in range(1, 1 + most)]
        spans = self._spans(folder, len(inputs), problems)
        for name, of_scores in scores.items():
            _check_lengths(of_scores, len(inputs), files[name], problems)
        if problems:
            return
        humans, outliers = (
            self._humans(folder),
            declared_in("wmt.json")["outliers"].get(self.test_set, {}).get(self.pair, []),
        )
        systems = list(dict.fromkeys(system for of_file in scores.values() for system in of_file))
        unknown = [name for name in self.include if name not in systems]
        if unknown:
            raise UsageError(f"no system '{unknown[0]}' to include; the systems are {', '.join(sorted(systems))}")
        kept = [name for name in systems if name in self.include or name not in humans.union(outliers)]
        self.dropped["human translation"] = len(inputs) * len(humans.intersection(systems).difference(kept))
        self._notes = [
            f"{counted(len(kept), 'system')}, {counted(len(inputs), 'input')}, {counted(len(scores), 'score')}",
            *_left_out("human translation", [name for name in systems if name in humans and name not in kept]),
            *_left_out("outlier", [name for name in systems if name in {*outliers} - humans and name not in kept]),
        ]
        for system in kept:
            for index, instance in enumerate(inputs):
                found = {name: of_file[system][index] for name, of_file in scores.items() if system in of_file}
                about: dict[str, Any] = {"language_pair": self.pair}
                about |= {"spans": spans[system, index]} if (system, index) in spans else {}
                if self.level == "seg" and documents:
                    about |= zip(("domain", "document"), documents[index], strict=True)
                ids = {"instance_id": instance, "summarizer_id": system}
                kind = "reference" if system in humans else "peer"
                metrics = {name: found.get(name) for name in scores}
                yield {**ids, "summarizer_type": kind, **about, "metrics": metrics}

    def _spans(self, folder: str, inputs: int, problems: Problems) -> dict[tuple[str, int], list[_Span]]:
        """Returns the errors that raters marked, by system and number of the input."""
        spans: dict[tuple[str, int], list[_Span]] = {}
        for path in _files_in(os.path.join(folder, "human-scores"), f"{self.pair}.", f".{self.level}.rating").values():
            read = _read_spans(path, problems)
            _check_lengths(read, inputs, path, problems)
            for system, of_system in read.items():
                for index, found in enumerate(of_system):
                    if found is not None:
                        spans.setdefault((system, index), []).extend(found)
        return spans

    @overrides
    def input_files(self, path: str) -> Sequence[str]:
        return [os.path.join(path, self.test_set), *self.files_read()]

    @overrides
    def signature(self) -> str:
        return f"{super().signature()}|{self.test_set}|{self.pair}|level:{self.level}"

    @overrides
    def notes(self) -> Sequence[str]:
        return self._notes

    def _folder(self, path: str) -> str:
        """Returns the folder of the test set.

        Raises:
            UsageError: if the test set or pair is missing.
            DataError: if there is no such folder.
        """
        if not self.test_set or not self.pair:
            raise UsageError("mt-metrics-eval needs --test-set and --pair, such as --test-set wmt23 --pair en-de")
        if not os.path.isdir(path):
            raise DataError("is not a folder", path)
        folder = os.path.join(path, self.test_set)
        if not os.path.isdir(os.path.join(folder, "human-scores")):
            sets = [
                name for name in sorted(os.listdir(path)) if os.path.isdir(os.path.join(path, name, "human-scores"))
            ]
            if not sets:
                is_test_set = os.path.isdir(os.path.join(path, "human-scores"))
                advice = "; it is a test set itself, so pass the folder that contains it" if is_test_set else ""
                raise DataError(f"has no test set: no folder in it contains human-scores{advice}", path)
            raise UnknownChoiceError("test-set", self.test_set, sets)
        return folder

    def _files(self, folder: str) -> dict[str, str]:
        """Returns score name to file: human scores, then metrics.

        Raises:
            UnknownChoiceError: if there are no scores of the pair.
            DataError: if there are none at all or at the level, or a metric has the name of a human score.
        """
        human, metric = os.path.join(folder, "human-scores"), os.path.join(folder, "metric-scores", self.pair)
        ending = f".{self.level}{_ENDING}"
        files = _files_in(human, f"{self.pair}.", ending)
        if not _files_in(human, f"{self.pair}.", ""):
            if not (pairs := sorted({name.split(".")[0] for name in os.listdir(human)} - {""})):
                raise DataError("has no human scores", human)
            raise UnknownChoiceError("pair", self.pair, pairs)
        for score, path in _files_in(metric, "", ending).items():
            if score in files:
                raise DataError(f"is named like the human score {files[score]}; rename one of them", path)
            files[score] = path
        if not files:
            raise DataError(f"has no scores of '{self.pair}' at level '{self.level}'", human)
        return files

    def _inputs(self, folder: str, documents: Sequence[tuple[str, str]]) -> list[str]:
        """Returns the ids of the inputs: line numbers, documents, or the language pair."""
        if self.level == "sys":
            return [self.pair]
        if self.level == "doc":
            return list(dict.fromkeys(name for _, name in documents))
        for source in (os.path.join(folder, "sources", f"{self.pair}{ending}") for ending in _TEXT_ENDINGS):
            if not documents and os.path.isfile(source):
                lines = [*read_lines(source)]
                return [str(number) for number in range(1, 1 + len(lines) - (not lines[-1]))]
        return [str(number) for number in range(1, 1 + len(documents))]

    def _humans(self, folder: str) -> frozenset[str]:
        """Returns the names of the references of the pair: the human translations."""
        references, prefix = os.path.join(folder, "references"), f"{self.pair}."
        names = os.listdir(references) if os.path.isdir(references) else []
        return frozenset(
            name.split(".")[-2] for name in names if name.startswith(prefix) and name.endswith(_TEXT_ENDINGS)
        )


def _files_in(folder: str, start: str, end: str) -> dict[str, str]:
    """Returns the files whose names have a start and an end, sorted, by what is between these."""
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    found = (name for name in names if name.startswith(start) and name.endswith(end))
    return {name[len(start) : len(name) - len(end)]: os.path.join(folder, name) for name in found}


def _pairs_in(
    path: str, what: str, problems: Problems, read: Callable[[str], Any] = lambda cell: cell
) -> Iterator[tuple[str, Any]]:
    """Yields the two fields of each line that is not blank, the second one as it is read."""
    for number, line in enumerate(read_lines(path), 1):
        fields = line.split()
        with problems.at(path, number):
            if fields and len(fields) != 2:
                raise DataError(f"must be {what}, got '{line}'")
            yield from [(fields[0], read(fields[1]))] if fields else []


def _read_scores(path: str, problems: Problems) -> _Scores:
    scores: _Scores = {}
    for system, score in _pairs_in(path, "a system and a score", problems, lambda cell: USUAL.number_of(cell, "score")):
        scores.setdefault(system, []).append(None if math.isnan(score) else score)
    if not scores and not problems:
        problems.add(DataError("contains no scores", path))
    return scores


def _read_spans(path: str, problems: Problems) -> dict[str, list[list[_Span] | None]]:
    """Returns system to the errors of each of its segments; `None` for a segment without a rating."""
    spans: dict[str, list[list[_Span] | None]] = {}
    for number, line in enumerate(read_lines(path), 1):
        system, rating, rater, *_ = [*line.split("\t"), "", ""]
        with problems.at(path, number):
            found = decoded(rating)
            errors = found.get("errors") if isinstance(found, dict) else None
            are_errors = isinstance(errors, list) and all(isinstance(error, dict) for error in errors)
            if rating != "None" and not are_errors:
                raise DataError(f"must be a system, a rating with 'errors' or None, and a rater, got {shown(line)}")
            spans.setdefault(system, []).append(None if errors is None else [_span(error, rater) for error in errors])
    return spans


def _span(error: _Span, rater: str) -> _Span:
    severity, side = str(error.get("severity") or "").casefold(), "source" if error.get("is_source_error") else "target"
    kept = {name: error.get(name) for name in ("start", "end", "category")}
    return {**kept, "severity": severity, "side": side, "rater": rater}


def _check_lengths(scores: Mapping[str, Sequence[Any]], expected: int, path: str, problems: Problems) -> None:
    for system, of_system in scores.items():
        if len(of_system) != expected:
            problems.add(DataError(f"'{system}' must have {counted(expected, 'score')}, got {len(of_system)}", path))


def _left_out(kind: str, names: Sequence[str]) -> list[str]:
    if not names:
        return []
    return [f"left out: {counted(len(names), kind)}, {', '.join(names)}; --include keeps the named ones"]
