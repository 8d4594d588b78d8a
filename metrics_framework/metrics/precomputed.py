"""Scores that were computed before, read from a file."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, Literal, NamedTuple

from metrics_framework.common.errors import DataError, InputError, Problems, UnknownNameError, counted
from metrics_framework.common.overriding import overrides
from metrics_framework.data.fields import SimilarNames
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.sums import plain_sum
from metrics_framework.data.texts import shown
from metrics_framework.inputs.keys import LongRow
from metrics_framework.inputs.rating_rows import RatingRows, RatingRules
from metrics_framework.metrics.base.batch_scores import in_groups
from metrics_framework.metrics.base.direction import ScoreFacts, facts_of, label_of
from metrics_framework.metrics.base.metric import Metric
from metrics_framework.metrics.base.shapes import ChosenFieldsMetric

_Key = tuple[str, str]


class _OfScores:
    """A class variable of metrics that depends on the scores of the file, which are read when it is needed.

    Args:
        default: The value of the class.
        of_metric: Returns the value of a metric.
    """

    def __init__(self, default: Any, of_metric: Callable[[Precomputed], Any]) -> None:
        self._default, self._of_metric = default, of_metric

    def __get__(self, metric: Precomputed | None, owner: type[Precomputed]) -> Any:
        return self._default if metric is None else self._of_metric(metric)


@Metric.register("precomputed")
class Precomputed(ChosenFieldsMetric):
    """Reads scores from a file, and joins them with the outputs by input and system.

    The file is a score file of this package or of SacreROUGE (JSON lines), or a table (CSV, TSV) with a column for the
    input, one for the system, and one for each score. Its scores are then used like those of any other metric. A list
    of scores counts as its mean, and so do the rows of several raters. There is no jackknifing: a score with the suffix
    ``_jk`` is a score of the file like any other.

    If the file has signatures, as score files of this package do, or a score has the name of a metric, then direction
    and range of the score are those of this metric: lower scores of ``ter`` are better.

    Args:
        file: The file; ``.gz`` and ``.zst`` also work.
        score: The score to use, by its flat name (``rouge-1_f1``); it names the metric in the run. By default all
            scores, with their names in the file.
        missing: What to do with an output that has no score in the file: raise an error, or leave the score undefined
            (nan), as ``null`` and empty cells in the file are.
        better: Whether higher or lower scores are better; by default, what the metric states that the signature in the
            file names, and higher if it is unknown, which a note reports.

    Range: any, as in the file; that of the metric that the signature names.

    Raises:
        DataError: if the file cannot be read, has two rows for an output, or lacks a score of an output.
        UnknownNameError: if no row has the score.
    """

    required_summary_fields = ("instance_id", "summarizer_id")
    example_flags = "--file scores.jsonl"
    in_one_process = True  # it counts the scores that no output has
    higher_is_better: ClassVar[Any] = _OfScores(True, lambda metric: metric._direction())
    directions: ClassVar[Any] = _OfScores({}, lambda metric: metric._directions())
    score_range: ClassVar[Any] = _OfScores((None, None), lambda metric: metric._range())
    ratios: ClassVar[Any] = _OfScores((), lambda metric: metric._ratios())
    citation = "precomputed-scores"

    def __init__(
        self,
        file: str,
        score: str | None = None,
        missing: Literal["error", "nan"] = "error",
        better: Literal["higher", "lower"] | None = None,
    ) -> None:
        super().__init__()
        self.file, self.selected, self.missing, self.better = file, score, missing, better
        self._used: set[_Key] = set()

    @property
    @overrides
    def default_label(self) -> str:
        return self.selected or self.name

    @overrides
    def files_read(self) -> list[str]:
        return [*super().files_read(), self.file]

    @overrides
    def signature_options(self) -> dict[str, Any]:
        own = self._scores.signatures.get(label_of(self.selected or "", self._scores.signatures), "")
        of = {"of": own.replace("|", ";")} if own else {}
        better = "lower" if self.higher_is_better is False else "higher"
        return {**super().signature_options(), "better": better, "rows": self._scores.digest, **of}

    @overrides
    def notes(self) -> Sequence[str]:
        unused = len(self._scores.by_output) - len(self._used) if self._used else 0
        more = f"{self.file} also has the scores of {counted(unused, 'output')} that this run did not score"
        notes = [*self._scores.dropped, *([more] if unused else [])]
        name = self.selected
        if name and self._used and self.better is None and self._facts[name].higher_is_better is None:
            notes.append(f"'{name}': higher is taken as better; set better=lower if it is not")
        return notes

    @overrides
    def score_multi_all(self, *groups: Any) -> list[list[MetricsDict]]:
        keys = [key for ids in zip(*groups, strict=True) for key in zip(*ids, strict=True)]
        problems = Problems()
        scores = [self._score(key, problems) for key in keys]
        problems.raise_any()
        self._used.update(self._scores.by_output.keys() & keys)
        return in_groups(scores, groups[0])

    def _score(self, key: _Key, problems: Problems) -> MetricsDict:
        for name, value in zip(self.fields, key, strict=True):
            if not isinstance(value, str):
                raise InputError(f"'{name}' must be a string, got {shown(value)}")
        found = self._scores.by_output.get(key, {})
        lacking = [name for name in self._names if name not in found]
        if lacking and self.missing == "error":
            output = f"instance '{key[0]}' of system '{key[1]}'"
            what = f"the score {', '.join(map(repr, lacking))}" if found else "a score"
            hint = self._scores.hint(key) if not found else ""
            problems.add(
                DataError(f"has no row with {what} for {output}{hint}; missing=nan leaves it undefined", self.file)
            )
        values = {name: _number(found.get(name)) for name in self._names}
        return MetricsDict({self.name: values[self.selected]} if self.selected else values)

    @cached_property
    def _facts(self) -> Mapping[str, ScoreFacts]:
        """What is known of each score to return."""
        names = self._scores.names
        return {name: facts_of(name, self._scores.signatures, names) for name in self._names}

    def _direction(self) -> bool | None:
        """Returns the direction of the selected score; `None` if there are several scores, see `_directions`."""
        if self.better is not None:
            is_known = self.selected is not None or self.better == "lower"  # several scores have several directions
            return self.better == "higher" if is_known else None
        return self._facts[self.selected].higher_is_better is not False if self.selected else None

    def _directions(self) -> Mapping[str, bool]:
        if self.better is not None or self.selected:
            return {}
        known = {name: facts.higher_is_better for name, facts in self._facts.items()}
        return {name: direction for name, direction in known.items() if direction is not None}

    def _range(self) -> tuple[float | None, float | None]:
        return self._facts[self.selected].score_range if self.selected else (None, None)

    def _ratios(self) -> Sequence[str]:
        return [self.name if self.selected else name for name, facts in self._facts.items() if facts.is_ratio]

    @cached_property
    def _scores(self) -> _Scores:
        problems = Problems()
        from metrics_framework.inputs.score_files import ScoreFiles  # imports NumPy

        files = ScoreFiles()
        outputs: dict[_Key, LongRow] = {}
        with problems.at(self.file):
            for output in files.read(RatingRows(self.file, RatingRules(), problems), problems):
                first = outputs.setdefault(output.unit, output)
                if first is not output:
                    message = f"duplicate row for {output.output_name} (first on line {first.line}); remove one of them"
                    problems.add(DataError(message, self.file, output.line))
        scores = dict[_Key, MetricsDict]()
        for key, output in outputs.items():
            with problems.at(self.file, output.line):
                scores[key] = MetricsDict(output.metrics).flatten()
        problems.raise_any()
        dropped = [column.warning(self.file) for column in files.dropped]
        if not any(scores.values()):
            raise DataError(" ".join(["contains no scores.", *dropped]) if dropped else "contains no scores", self.file)
        lines = sorted(repr((*key, sorted(of_output.items()))) for key, of_output in scores.items())
        digest = hashlib.sha256("\n".join(lines).encode("utf-8", "replace")).hexdigest()[:12]
        return _Scores(scores, files.signatures, digest, dropped)

    @cached_property
    def _names(self) -> list[str]:
        """The scores to return."""
        names = self._scores.names
        if self.selected is None:
            return names
        if self.selected not in names:
            hint = " ".join(self._scores.dropped)
            raise UnknownNameError("score", self.selected, names, hint, owner=f"{self.file}")
        return [self.selected]


class _Scores(NamedTuple):
    """The scores of a file.

    Attributes:
        by_output: Maps input and system to flat scores.
        signatures: Maps metrics to their signatures.
        digest: The start of a SHA-256 of all scores, whatever the order of the rows.
        dropped: For each column that is left out although it contains numbers, why.
    """

    by_output: Mapping[_Key, Mapping[str, Any]]
    signatures: Mapping[str, str]
    digest: str
    dropped: Sequence[str]

    @property
    def names(self) -> list[str]:
        """The flat names of all scores."""
        return list(dict.fromkeys(name for scores in self.by_output.values() for name in scores))

    def hint(self, key: _Key) -> str:
        """Returns the end of a message that an output is missing: an id that differs only in case or spaces."""
        inputs, systems = ({ids[part] for ids in self.by_output} for part in (0, 1))
        for names, name in ((inputs, key[0]), (systems, key[1])):
            if name not in names:
                return SimilarNames(names).hint(name)
        return ""


def _number(value: Any) -> float:
    """Returns a score, the mean of a list of scores without the missing ones, or NaN for a missing score."""
    if isinstance(value, list):
        numbers = [number for number in value if number is not None]
        return plain_sum(numbers) / len(numbers) if numbers else math.nan
    return math.nan if value is None else value
