"""The file of a part's results: a header of JSON in the first line, then raw arrays (decision 0057).

No pickle: a file from elsewhere cannot run code when it is opened. Numbers are as in memory, little-endian on all
processors that this package is built for.
"""

from __future__ import annotations

import builtins
import json
import marshal
from array import array
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from itertools import accumulate
from typing import Any, BinaryIO

from metrics_framework.common import errors
from metrics_framework.common.errors import DataError, FwError, UsageError
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.evaluation.input.summary import InputSummary
from metrics_framework.evaluation.parts.part import Failure, PartResult, ReadPiece
from metrics_framework.evaluation.parts.part_totals import PartTotals
from metrics_framework.metrics.base.batch_scores import BatchScores

FORMAT = 1
_KEYS_PER_LINE = 2048
_MAX_HEADER = 1 << 28


class _Arrays:
    """The arrays of a file, in their order."""

    def __init__(self) -> None:
        self.arrays: list[bytes] = []

    def add(self, data: bytes) -> int:
        """Appends an array and returns its number."""
        self.arrays.append(data)
        return len(self.arrays) - 1


# ---- writing ---------------------------------------------------------------------------------------------------------


def encoded(part: PartResult) -> Iterator[bytes]:
    """Yields the file of a part.

    Args:
        part: The results, without rows.

    Raises:
        UsageError: if a metric returns results that have no form in JSON.
    """
    arrays, keys = _Arrays(), [key for key, _ in part.sorted_rows]
    header = {
        "format": FORMAT,
        "number": part.number,
        "pieces": [_piece(piece) for piece in part.pieces],
        "summary": asdict(part.summary),
        "tokenized": part.tokenized,
        "unscored": part.unscored,
        "failure": None if part.failure is None else [_error(part.failure.error), *part.failure[1:]],
        "names": [[sorted(names) for names in new] for new in part.names],
        "warnings": [[message, kind.__name__, path, line] for message, kind, path, line in part.warnings],
        "has_contradictory_types": part.has_contradictory_types,
        "systems": part.systems,
        "system_numbers": arrays.add(part.system_numbers),
        "input_hashes": arrays.add(part.input_hashes),
        "totals": [_totals(totals, arrays) for totals in part.totals],
        "collected": None if part.collected is None else part.collected.state(arrays.add),
        "ids": arrays.add(_ids(part.ids)),
        "key_range": [keys[0], keys[-1]] if keys else None,
        "keys": arrays.add(_lines_of(keys)),
    }
    header["arrays"] = [len(data) for data in arrays.arrays]
    try:
        yield json.dumps(header).encode() + b"\n"
    except (TypeError, ValueError) as error:
        raise UsageError(
            f"the results of a metric cannot be stored in an output folder ({error}); use --jobs without a folder"
        ) from None
    yield from arrays.arrays


def _piece(piece: ReadPiece) -> list[Any]:
    kept = [
        [[problem.message, problem.path, problem.line, problem.more] for problem in kind]
        for kind in (piece.unread, piece.invalid)
    ]
    return [piece.path, piece.lines, piece.stopped, kept[0], piece.num_unread, kept[1], piece.num_invalid]


def _error(error: FwError) -> dict[str, Any]:
    state = {name: value for name, value in vars(error).items() if isinstance(value, (str, int, type(None)))}
    return {"type": type(error).__name__, "lines": list(map(str, error.args)), "state": state}


def _totals(totals: PartTotals, arrays: _Arrays) -> dict[str, Any]:
    results = totals.results
    return {
        "counts": list(totals.counts.items()),
        "columns": totals.columns,
        "sums": list(totals.sums.items()),
        "values": [[number, arrays.add(values)] for number, values in totals.values.items()],
        "whole": sorted(totals.whole),
        "results": None
        if results is None
        else [[list(members.items()), batch.scores, batch.statistics_of_outputs()] for members, batch in results],
    }


def _ids(ids: bytes) -> bytes:
    """Returns the ids of a part as lines of JSON; of consecutive lines, only the first one."""
    lines = []
    for names, numbers, types, piece, numbers_of_lines in marshal.loads(ids) if ids else ():
        first = numbers_of_lines[0] if numbers_of_lines else None
        if first is not None and numbers_of_lines == list(range(first, first + len(numbers_of_lines))):
            numbers_of_lines = first
        lines.append(json.dumps([names, list(array("I", numbers)), types, piece, numbers_of_lines]))
    return "\n".join(lines).encode()


def _lines_of(keys: list[str]) -> bytes:
    """Returns sort keys as lines of JSON, with many keys in each."""
    lists = (keys[start : start + _KEYS_PER_LINE] for start in range(0, len(keys), _KEYS_PER_LINE))
    return "\n".join(map(json.dumps, lists)).encode()


# ---- reading ---------------------------------------------------------------------------------------------------------


class StoredPart:
    """The file of a part's results, opened for reading.

    Args:
        stream: The file, which can be positioned.
        path: Its name, for messages.

    Raises:
        DataError: if it is not the file of a part, or is damaged.
    """

    def __init__(self, stream: BinaryIO, path: str) -> None:
        self._stream = stream
        self._path = path
        with self._checked():
            line = stream.readline(_MAX_HEADER)
            self._header = json.loads(line)
            lengths = self._header["arrays"]
            if self._header["format"] != FORMAT or min([0, *lengths]) < 0:
                raise ValueError
            self._starts = list(accumulate([len(line), *lengths]))

    def result(self, new_collector: Callable[[], Any] | None) -> PartResult:
        """Returns the results, without rows, ids and sort keys.

        Args:
            new_collector: Returns an object for what intervals need; `None` for none.
        """
        with self._checked():
            return self._result(new_collector)

    @contextmanager
    def _checked(self) -> Iterator[None]:
        """Replaces Python's errors for content of another form than this version writes.

        Raises:
            DataError: for each of them.
        """
        try:
            yield
        except (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError, RecursionError):
            message = "is not the file of a part of this version of fw, or is damaged"
            raise DataError(message, self._path) from None

    def _result(self, new_collector: Callable[[], Any] | None) -> PartResult:
        header = self._header
        summary = InputSummary(**header["summary"])
        summary.references = summary.references and (summary.references[0], summary.references[1])
        result = PartResult(
            header["number"],
            pieces=[_read_piece(*piece) for piece in header["pieces"]],
            summary=summary,
            tokenized=header["tokenized"],
            unscored=header["unscored"],
            failure=None
            if header["failure"] is None
            else Failure(_rebuilt(header["failure"][0]), *header["failure"][1:]),
            names=[[set(map(tuple, names)) for names in new] for new in header["names"]],
            warnings=[(message, _warning(kind), path, line) for message, kind, path, line in header["warnings"]],
            has_contradictory_types=header["has_contradictory_types"],
            systems=header["systems"],
            system_numbers=self._array(header["system_numbers"]),
            input_hashes=self._array(header["input_hashes"]),
            totals=[self._totals(totals) for totals in header["totals"]],
        )
        if new_collector is not None:
            result.collected = new_collector()
            result.collected.restore(header["collected"], self._array)
        return result

    def ids(self) -> bytes:
        """Returns the ids of the outputs as `PartResult` has them."""
        decoded = []
        with self._checked():
            for line in self._array(self._header["ids"]).splitlines():
                names, numbers, types, piece, lines = json.loads(line)
                if isinstance(lines, int):
                    lines = list(range(lines, lines + len(names)))
                decoded.append((names, array("I", numbers).tobytes(), types, piece, lines))
            return marshal.dumps(decoded)

    def key_range(self) -> tuple[str, str] | None:
        """Returns the first and the last sort key of the rows; `None` if there are none."""
        with self._checked():
            found = self._header["key_range"]
            return None if found is None else (str(found[0]), str(found[1]))

    def keys(self) -> Iterator[str]:
        """Yields the sort keys of the rows."""
        with self._checked():
            position, end = self._starts[self._header["keys"] :][:2]
            while position < end:
                self._stream.seek(position)
                line = self._stream.readline(end - position)
                position += len(line)
                yield from json.loads(line)

    def _totals(self, stored: dict[str, Any]) -> PartTotals:
        results = stored["results"]
        return PartTotals(
            dict(map(tuple, stored["counts"])),
            list(map(tuple, stored["columns"])),
            dict(map(tuple, stored["sums"])),
            {number: self._array(index) for number, index in stored["values"]},
            set(stored["whole"]),
            None if results is None else [_stored_results(*batch) for batch in results],
        )

    def _array(self, number: int) -> bytes:
        start, end = self._starts[number : number + 2]
        self._stream.seek(start)
        data = self._stream.read(end - start)
        if len(data) < end - start:
            raise ValueError
        return data


def _read_piece(
    path: str, lines: int, stopped: bool, unread: list[Any], num_unread: int, invalid: list[Any], num_invalid: int
) -> ReadPiece:
    problems = [[DataError(*problem) for problem in kind] for kind in (unread, invalid)]
    return ReadPiece(path, lines, stopped, problems[0], num_unread, problems[1], num_invalid)


def _stored_results(members: list[Any], scores: list[Any], statistics: Any) -> tuple[dict[int, list[int]], BatchScores]:
    return dict(map(tuple, members)), BatchScores([MetricsDict(of_output) for of_output in scores], statistics)


def _rebuilt(stored: dict[str, Any]) -> FwError:
    """Returns an error; if its class is unknown, as an error of the base class."""
    kind = getattr(errors, stored["type"], FwError)
    if not (isinstance(kind, type) and issubclass(kind, FwError)):
        kind = FwError
    error = kind.__new__(kind)
    error.args = tuple(stored["lines"])
    error.__dict__.update(stored["state"])
    return error


def _warning(name: str) -> type[Warning]:
    kind = getattr(builtins, name, None)
    return kind if isinstance(kind, type) and issubclass(kind, Warning) else UserWarning
