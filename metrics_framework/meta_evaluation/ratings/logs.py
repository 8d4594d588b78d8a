"""Logs of evaluation harnesses, whose scores of outputs become rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from metrics_framework.common.errors import DataError, Problems
from metrics_framework.common.overriding import overrides
from metrics_framework.inputs.logs import Log, log_at
from metrics_framework.meta_evaluation.ratings.rating_format import RatingFormat


class _OfLogs(RatingFormat):
    _log: Log | None = None

    @overrides
    def rows(self, path: str, problems: Problems) -> Iterator[dict[str, Any]]:
        self._log = log_at(path)
        if self._log is None or self._log.kind != self.registered_name:
            other = f", but of {self._log.kind}" if self._log else ""
            raise DataError(f"is no log of {self.registered_name}{other}", path)
        yield from (row for _, row in self._log.rows(problems))
        self.dropped.update(self._log.left_out)

    @overrides
    def notes(self) -> Sequence[str]:
        return [*self._log.notes(), *self._log.warnings()] if self._log else []


@RatingFormat.register("inspect")
class Inspect(_OfLogs):
    """Reads logs of Inspect: archives (``.eval``), of which those in Zstandard need the extra ``zst``, and JSON.

    C is 1, P is 0.5, I and N are 0, yes and true are 1, no and false are 0; other texts are labels, which are left out.
    An object has one score per member. The scores of epochs are averaged.
    """


@RatingFormat.register("lm-eval")
class LmEval(_OfLogs):
    """Reads logs of lm-evaluation-harness: ``samples_TASK_DATE.jsonl``, with ``results_DATE.json`` beside it.

    Scores are called METRIC, or METRIC:FILTER if there are several filters. Metrics of the whole corpus, such as BLEU,
    have no scores of outputs.
    """


@RatingFormat.register("every-eval-ever")
class EveryEvalEver(_OfLogs):
    """Reads logs in the format of Every Eval Ever: ``NAME_samples.jsonl``, with ``NAME.json`` beside it.

    Scores are called as in ``evaluation_result_id``.
    """
