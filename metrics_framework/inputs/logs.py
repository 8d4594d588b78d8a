"""Logs of evaluation harnesses as rows of scores: Inspect, lm-evaluation-harness and Every Eval Ever.

`log_at` recognizes a log by its first bytes. Its rows have the fields ``instance_id``, ``summarizer_id``, ``data_set``,
``summary``, ``references``, ``source`` and ``metrics``, and each field of the metadata in a column such as
``metadata.topic``. The scores of repeats are averaged; texts are those of the first repeat.
"""

from __future__ import annotations

import copy
import math
import os
import re
import shlex
from abc import ABC, abstractmethod
from codecs import getincrementaldecoder
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from glob import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeAlias

from metrics_framework.common.errors import PARQUET, DataError, FwError, Problems, counted
from metrics_framework.common.overriding import overrides
from metrics_framework.data.texts import shown
from metrics_framework.inputs.row_view import flattened
from metrics_framework.io.jsonl import JsonScanner, read_jsonl
from metrics_framework.io.locations import exists, file_name, open_binary
from metrics_framework.io.reading import MAX_LINE, Expansion, is_read_once, start_of, stem, zst_frames, zstandard

if TYPE_CHECKING:
    from zipfile import ZipFile, ZipInfo

Sample: TypeAlias = tuple[int, Mapping[str, Any], str]
"""The line or number of a sample, the sample, and the member of an archive that has it, after a slash."""
Name: TypeAlias = tuple[str, str]
"""The short name of a score, and the one that tells it apart from others, with its filter or its scorer."""
_ZST, _BYTES_READ = 93, 1 << 16
_MEMBER = re.compile(r"samples/.+_epoch_\d+\.json", re.DOTALL)
_TASK = re.compile(r"samples_(.+?)(?:_(\d{4}-\d\d-\d\dT[\d.-]+))?\.jsonl", re.DOTALL)
_NUMBERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
"""The numbers of grades and answers of Inspect."""
_LEFT_OUT = {"missing": "missing value", "repeat": "repeat without a score", "corpus": "corpus value"}
"""Why a sample or a value has no score, and what it is called unless it is an error or a label."""


class Log(ABC):
    """A log, which is read once; all but the path is known after that.

    Args:
        path: The file.

    Attributes:
        kind: The name of the format.
        start: What the first bytes of such a log match.
        id_name: The member of a sample with the id of the input.
        columns: The columns of texts, to the members of a sample, of its members, … that have them.
        metadata: The member of a sample with further fields of the input.
        has_repeats: Whether an input may have several values of a score, whose mean counts.
        path: The file.
        system: The evaluated model.
        data_set: The task.
        status: How the evaluation ended.
        left_out: Why samples or values have no score, to their number.
        directions: Score to whether higher is better, if the log says so.
        ranges: Score to its least and greatest value, if the log says so.
    """

    kind: ClassVar[str]
    start: ClassVar[re.Pattern[bytes]]
    id_name: ClassVar[str]
    columns: ClassVar[Mapping[str, Sequence[str]]]
    metadata: ClassVar[str] = "metadata"
    has_repeats: ClassVar[bool] = False

    def __init__(self, path: str) -> None:
        self.path = path
        self.system, self.data_set, self.status = "", "", "success"
        self.left_out: Counter[str] = Counter()
        self.directions: dict[str, bool] = {}
        self.ranges: dict[str, tuple[float, float]] = {}
        self._outputs: dict[str, _Output] = {}
        self._names: dict[Name, None] = {}
        self._filters: dict[str, None] = {}

    def read_head(self) -> None:
        """Reads only the evaluated model and the task, which are known before the first sample."""
        next(iter(self._samples(Problems())), None)

    @abstractmethod
    def _add_scores(self, output: _Output, sample: Mapping[str, Any]) -> None:
        """Adds the scores of a sample."""

    @abstractmethod
    def _describe(self, names: Mapping[Name, str]) -> None:
        """Finds the directions and ranges of scores, after all samples."""

    def _samples(self, problems: Problems) -> Iterable[Sample]:
        return ((line, row, "") for line, row in read_jsonl(self.path, problems))

    def rows(self, problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yields the row of each input, with the line or number of its first sample.

        Args:
            problems: Collects invalid samples.

        Raises:
            DataError: if the file cannot be read.
            MissingExtraError: if its compression needs a package that is not installed.
        """
        for line, sample, member in self._samples(problems):
            with problems.at(self.path + member, None if member else line):
                self._add_sample(line, sample)
        times = Counter(name for name, _ in self._names)
        names = {name: name[len(self._filters) > 1 or times[name[0]] > 1] for name in self._names}
        self._describe(names)
        for instance, output in self._outputs.items():
            scores = {names[name]: self._mean(output.values.get(name, ())) for name in names}
            ids = {"instance_id": instance, "summarizer_id": self.system, "data_set": self.data_set}
            yield output.line, {**ids, **output.cells, "metrics": scores}

    def _mean(self, values: Collection[float]) -> float | None:
        """Returns the mean of the repeats that have a score, and counts the others."""
        scores = [value for value in values if not math.isnan(value)]
        if len(scores) < len(values):
            self.left_out["repeat" if scores else "missing"] += len(values) - len(scores)
        return math.fsum(scores) / len(scores) if scores else None

    def _add_sample(self, line: int, sample: Mapping[str, Any]) -> None:
        """Adds a sample, whose output is new unless it is a repeat.

        Args:
            line: The line or number of the sample.
            sample: The sample.

        Raises:
            DataError: if the id is invalid, another sample of this id has another source, or a score is there twice.
        """
        instance = sample.get(self.id_name)
        if isinstance(instance, bool) or not isinstance(instance, (int, str)):
            raise DataError(f"the id of a sample must be a text or a whole number, got {shown(instance)}")
        texts = {name: _part(sample, *members) for name, members in self.columns.items()}
        texts |= {"summary": _first(texts["summary"]), "references": _texts(texts["references"])}
        about = sample.get(self.metadata)
        fields = flattened({self.metadata: about} if isinstance(about, dict) else {}, keeps_texts=False)
        texts |= {name: cell for name, cell in fields.items() if not isinstance(cell, list)}
        texts |= {"source": _source(texts["source"])}
        cells = {name: cell for name, cell in texts.items() if cell not in (None, "", [])}
        output = self._outputs.setdefault(str(instance), _Output(line, cells, {}))
        if output.cells.get("source") != cells.get("source"):
            raise DataError(f"sample '{instance}' has another source than its first one, at {self.path}:{output.line}")
        self._add_scores(output, sample)

    def _score(self, output: _Output, name: Name, value: Any) -> None:
        """Adds a value of a sample, or counts that it is a label.

        Raises:
            DataError: if the sample has a value of this score, and is no repeat.
        """
        number = _number(value)
        if name in output.values and not self.has_repeats:
            first = f"{self.path}:{output.line}"
            raise DataError(f"the sample has '{name[0]}' twice (first sample: {first}); keep one run of it in the log")
        if number is None:
            self.left_out["label"] += 1
        else:
            self._names[name] = None
            output.values.setdefault(name, []).append(number)

    def notes(self) -> list[str]:
        """Returns what was left out."""
        left_out = [counted(count, _LEFT_OUT.get(reason, reason)) for reason, count in self.left_out.items()]
        return [f"{self.path}: left out: {', '.join(left_out)}"] if left_out else []

    def warnings(self) -> list[str]:
        """Returns what may make results misleading."""
        unfinished = f"{self.path}: the status of the evaluation is '{self.status}', not 'success'"
        return [] if self.status == "success" else [unfinished]


class _Output(NamedTuple):
    """The samples of an input.

    Args:
        line: The line or number of the first one.
        cells: The columns of the row besides ids and scores.
        values: The values of each score.
    """

    line: int
    cells: Mapping[str, Any]
    values: dict[Name, list[float]]


def _number(value: Any) -> float | None:
    """Returns the score that a value is, NaN if it is missing; `None` if it is a label.

    >>> [_number(value) for value in ("C", "Yes", True, "0.5", None, "good", [1])]
    [1.0, 1.0, 1.0, 0.5, nan, None, None]
    """
    value = _grade(value)
    try:
        number = math.nan if value is None else float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else math.nan


def _grade(value: Any) -> Any:
    """Returns the number of a grade or an answer, and another value as it is."""
    return _NUMBERS.get(value if len(value) == 1 else value.lower(), value) if isinstance(value, str) else value


def _texts(value: Any) -> list[str]:
    """Returns a text, or the texts of a list."""
    return [text for text in (value if isinstance(value, list) else [value]) if isinstance(text, str)]


def _first(value: Any) -> Any:
    """Returns the first entry or member, of it the first, and so on; `None` if there is none."""
    while isinstance(value, (dict, list)):
        value = next(iter(value.values() if isinstance(value, dict) else value), None)
    return value


def _source(value: Any) -> Any:
    """Returns the texts of the user of a list of messages, else the first entry."""
    messages = [one for one in value if _part(one, "role")] if isinstance(value, list) else []
    if not messages:
        return _first(value)
    return "\n".join(filter(None, (_text_of(one) for one in messages if one["role"] == "user")))


def _text_of(message: Mapping[str, Any]) -> str:
    """Returns the text of a message, or of its parts."""
    content = message.get("content")
    parts = content if isinstance(content, list) else [content]
    return "\n".join(_texts([_part(part, "text") if isinstance(part, dict) else part for part in parts]))


def _part(value: Any, *keys: str) -> Any:
    """Returns a member of a member, …; `None` if there is none."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _members(scanner: JsonScanner, wanted: Collection[str], **parts: Collection[str]) -> dict[str, Any]:
    """Returns some members of the next object, and parts of others; the rest, most of a log, is skipped."""
    found: dict[str, Any] = {}
    for key in scanner.read_keys():
        if key in wanted:
            found[key] = scanner.value()[0]
        elif key in parts and scanner.next_character() == "{":
            found[key] = _members(scanner, parts[key])
        else:
            scanner.skip_value()
    return found


# ---- Inspect ---------------------------------------------------------------------------------------------------------


class _Inspect(Log):
    kind, id_name, has_repeats = "inspect", "id", True
    columns: ClassVar = {"summary": ["output", "completion"], "references": ["target"], "source": ["input"]}
    start = re.compile(rb'PK\x03\x04|\{\s*"version":\s*\d+,\s*"status":\s*"\w+",\s*"eval":')

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self._graded: dict[Name, bool] = {}
        self._repeats: set[tuple[str, str]] = set()

    @overrides
    def _samples(self, problems: Problems) -> Iterator[Sample]:
        if not start_of(self.path).startswith(b"PK"):
            yield from self._samples_of_log(JsonScanner(self.path, longest=MAX_LINE))
            return
        if is_read_once(self.path):
            raise DataError("is an archive, which cannot be read from a pipe; name the file", self.path)
        import zipfile

        with open_binary(self.path) as file:
            try:
                archive = zipfile.ZipFile(file)
            except (zipfile.BadZipFile, OSError, ValueError) as error:
                raise DataError(f"is not a complete zip archive: {error}", self.path) from None
            members = {info.filename: info for info in archive.infolist()}  # the last one of each name
            header = members.get("header.json", members.get("_journal/start.json"))
            if header is None:
                raise DataError("is not a log of Inspect: header.json is missing", self.path)
            self.status = "started"
            yield from self._samples_of_log(_member(archive, header, self.path))
            samples = (info for name, info in members.items() if _MEMBER.fullmatch(name))
            for number, info in enumerate(samples, 1):
                with problems.at(f"{self.path}/{info.filename}"):
                    yield number, _sample(_member(archive, info, self.path)), f"/{info.filename}"

    def _samples_of_log(self, scanner: JsonScanner) -> Iterator[Sample]:
        """Yields the samples of a log in JSON, after its header, which is all that an archive has in one member."""
        for key in scanner.read_keys():
            if key == "status":
                self.status = str(scanner.value()[0])
            elif key == "eval":
                found = _members(scanner, ("model", "task"))
                self.system, self.data_set = str(found.get("model")), str(found.get("task"))
            elif key == "samples" and scanner.next_character() == "[":
                yield from ((scanner.line, _sample(scanner), "") for _ in scanner.entries())
            else:
                scanner.skip_value()

    @overrides
    def _add_scores(self, output: _Output, sample: Mapping[str, Any]) -> None:
        repeat, scores = (str(sample["id"]), str(sample.get("epoch"))), sample.get("scores")
        if "epoch" in sample and repeat in self._repeats:
            first = f"{self.path}:{output.line}"
            raise DataError(f"epoch {repeat[1]} of sample '{repeat[0]}' is there twice (first sample: {first})")
        self._repeats.add(repeat)
        if not scores:
            self.left_out["error" if sample.get("error") else "missing"] += 1
        for scorer, score in scores.items() if isinstance(scores, dict) else ():
            value = _part(score, "value")
            for member, part in value.items() if isinstance(value, dict) else [("", value)]:
                name = (member, f"{scorer}.{member}") if member else (scorer, scorer)
                self._score(output, name, part)
                is_grade = isinstance(part, (bool, str)) and not isinstance(_grade(part), str)
                self._graded[name] = self._graded.get(name, True) and (part is None or is_grade)

    @overrides
    def _describe(self, names: Mapping[Name, str]) -> None:
        self.ranges = {shown: (0.0, 1.0) for name, shown in names.items() if self._graded[name]}


def _sample(scanner: JsonScanner) -> dict[str, Any]:
    return _members(scanner, ("id", "epoch", "input", "target", "scores", "metadata", "error"), output=("completion",))


def _member(archive: ZipFile, info: ZipInfo, path: str) -> JsonScanner:
    """Returns what reads a member of a zip archive."""
    path = f"{path}/{info.filename}"
    return JsonScanner(path, _text_of_member(archive, info, path), MAX_LINE)


def _text_of_member(archive: ZipFile, info: ZipInfo, path: str) -> Iterator[str]:
    decoder, expansion = getincrementaldecoder("utf-8")(), Expansion(path, info.compress_size)
    is_zst = info.compress_type == _ZST
    if is_zst:
        info = copy.copy(info)  # as which zipfile returns the compressed bytes
        info.compress_type, info.file_size = 0, info.compress_size
        del info.CRC
    try:
        with archive.open(info) as stream:
            parts = zst_frames(stream, zstandard(path)) if is_zst else iter(partial(stream.read, _BYTES_READ), b"")
            for part in parts:
                expansion.add(len(part))
                yield decoder.decode(part)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        raise DataError(f"is not UTF-8 text: {error.reason}", path) from None
    except FwError:
        raise
    except Exception as error:  # what zipfile and the decompressors raise
        raise DataError(f"cannot be read: {error}", path) from None


# ---- lm-evaluation-harness -------------------------------------------------------------------------------------------


class _LmEval(Log):
    kind, id_name, metadata = "lm-eval", "doc_id", "doc"
    columns: ClassVar = {"summary": ["filtered_resps"], "references": ["target"], "source": ["arguments"]}
    start = re.compile(rb'\{"doc_id": ?(?:\d+|"[^"]*"), ?"doc":')

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self._corpus: dict[str, None] = {}
        self._higher_is_better: Mapping[str, Any] | None = None

    @overrides
    def read_head(self) -> None:
        name = file_name(self.path)
        folder = file_name(os.path.dirname(os.path.abspath(self.path)))
        self.system = folder if "__" in folder else stem(self.path)
        found = _TASK.search(name)
        self.data_set = found[1] if found else ""
        beside = f"{self.path.removesuffix(name)}results_{found[2]}.json" if found and found[2] else ""
        if beside and exists(beside):
            results = _members(JsonScanner(beside), ("model_name", "higher_is_better"))
            self.system = str(results.get("model_name") or self.system)
            self._higher_is_better = _part(results, "higher_is_better", self.data_set) or {}

    @overrides
    def _samples(self, problems: Problems) -> Iterable[Sample]:
        self.read_head()
        return super()._samples(problems)

    @overrides
    def _add_scores(self, output: _Output, sample: Mapping[str, Any]) -> None:
        by = str(sample.get("filter") or "none")
        self._filters[by] = None
        for name in _texts(sample.get("metrics")):
            value = sample.get(name)
            if isinstance(value, list):  # the target and the output, of which the score of all is computed
                self.left_out["corpus"] += 1
                self._corpus[name] = None
            else:
                self._score(output, (name, f"{name}:{by}"), value)

    @overrides
    def _describe(self, names: Mapping[Name, str]) -> None:
        if (better := self._higher_is_better) is not None:
            self.directions = {shown: better.get(name[0]) is not False for name, shown in names.items()}

    @overrides
    def notes(self) -> list[str]:
        where = f" --where filter={next(iter(self._filters))}" if len(self._filters) > 1 else ""
        advice = f"to score the outputs: fw compare --metric chrf{where} --input-files {self.path}"
        of_corpus = f"; corpus values are of {', '.join(map(repr, self._corpus))}, {advice}" * bool(self._corpus)
        return [note + of_corpus for note in super().notes()]


# ---- Every Eval Ever -------------------------------------------------------------------------------------------------


class _EveryEvalEver(Log):
    kind, id_name = "every-eval-ever", "sample_id"
    columns: ClassVar = {"summary": ["output", "raw"], "references": ["input", "reference"], "source": ["input", "raw"]}
    start = re.compile(rb'\{"schema_version": ?"[^"]*", ?"evaluation_id": ?"(?:[^"\\]|\\.)*", ?"model_id":')

    @overrides
    def read_head(self) -> None:
        _, row = next(read_jsonl(self.path, Problems()), (0, {}))
        self.system, self.data_set = str(row.get("model_id")), str(row.get("evaluation_name"))

    @overrides
    def _add_scores(self, output: _Output, sample: Mapping[str, Any]) -> None:
        model = str(sample.get("model_id") or "")
        if self.system not in ("", model):
            raise DataError(f"the model is '{model}', but '{self.system}' before; write one log for each model")
        self.system = model
        self.data_set = self.data_set or str(sample.get("evaluation_name") or "")
        if sample.get("error"):
            self.left_out["error"] += 1
        else:
            name = str(sample.get("evaluation_result_id") or self.data_set)
            self._score(output, (name, name), _part(sample, "evaluation", "score"))

    @overrides
    def _describe(self, names: Mapping[Name, str]) -> None:
        beside = self.path.removesuffix("_samples.jsonl") + ".json"
        if beside == f"{self.path}.json" or not exists(beside):
            return
        results = _members(JsonScanner(beside), ("evaluation_results",)).get("evaluation_results")
        for result in results if isinstance(results, list) else ():
            name, about = str(_part(result, "evaluation_result_id")), _part(result, "metric_config")
            lower_is_better = _part(about, "lower_is_better")
            if isinstance(lower_is_better, bool):
                self.directions[name] = not lower_is_better
            least, greatest = _number(_part(about, "min_score")), _number(_part(about, "max_score"))
            if least is not None and greatest is not None and least < greatest:
                self.ranges[name] = least, greatest


_RESULTS = re.compile(
    rb'\{\s*"schema_version":\s*"[^"]*",\s*"evaluation_id":\s*"[^"]*",\s*"evaluation_timestamp":'
    rb'|(?P<lm_eval>\{\s*"results":\s*\{\s*"(?:[^"\\]|\\.)*":\s*\{\s*"(?:alias|[^",]+,[^"]+)":)'
)
"""The start of results of all samples, of Every Eval Ever and of lm-evaluation-harness."""
_KINDS: tuple[type[Log], ...] = (_Inspect, _LmEval, _EveryEvalEver)


def log_at(path: str) -> Log | None:
    """Returns the log that a file is; `None` if it is none, or cannot be read.

    Raises:
        DataError: if it has the results of all samples, instead of the samples.
    """
    try:
        start = start_of(path).lstrip()
    except FwError:
        return None
    if (found := _RESULTS.match(start)) is not None:
        samples = f"{path.removesuffix('.json')}_samples.jsonl"
        if found["lm_eval"]:
            time = stem(path).removeprefix("results")
            beside = sorted(map(str, Path(path).parent.glob(f"samples_*{escape(time)}.jsonl")))
            samples = " or ".join(beside) or "samples_TASK_TIME.jsonl, which lm_eval writes with --log_samples"
        raise DataError(f"has results of all samples; give the samples of the log, in {samples}", path)
    return next((kind(path) for kind in _KINDS if kind.start.match(start)), None)


def logs_in(folder: str) -> list[str]:
    """Returns the logs in a folder and its subfolders, sorted; that of Parquet files itself if it has none.

    Raises:
        DataError: if there are none, or several are of one task and model.
    """
    found: dict[tuple[str, str], list[str]] = {}
    paths = (os.path.join(where, name) for where, _, names in os.walk(folder) for name in names)
    for path in sorted(paths):
        try:
            log = log_at(path)
        except DataError:  # the results beside samples
            continue
        if log is not None:
            log.read_head()
            found.setdefault((log.data_set, log.system), []).append(path)
    several = [
        f"{len(logs)} logs of the task '{task}' and the model '{model}': {', '.join(logs)}"
        for (task, model), logs in found.items()
        if len(logs) > 1
    ]
    if several:
        chosen = shlex.join(sorted(logs[-1] for logs in found.values()))
        raise DataError(f"has {'; '.join(several)}; name one of each instead of the folder, such as {chosen}", folder)
    if not found and not folder.rstrip(os.sep).endswith(PARQUET):
        raise DataError(f"is a folder without logs; name its files, as in {os.path.join(folder, '*.jsonl')}", folder)
    return [path for logs in found.values() for path in logs] or [folder]


def direction_in(logs: Iterable[Log], name: str, *, agreed: bool = True) -> bool | None:
    """Returns whether higher is better for a score in logs; `None` if none says so.

    Args:
        logs: The logs.
        name: The score.
        agreed: Whether it is an error that logs disagree.

    Raises:
        DataError: if they do.
    """
    found = {log.directions[name]: log.path for log in logs if name in log.directions}
    if len(found) > 1 and agreed:
        ways = f"higher is better in {found[True]}, and lower in {found[False]}"
        raise DataError(f"'{name}': {ways}; if lower is better, use --lower-is-better {name}")
    return next(iter(found)) if len(found) == 1 else None


def range_in(logs: Iterable[Log], name: str) -> tuple[float, float] | None:
    """Returns the least and the greatest value of a score; `None` unless all logs say so, and agree."""
    found = {log.ranges.get(name) for log in logs}
    return found.pop() if len(found) == 1 else None
