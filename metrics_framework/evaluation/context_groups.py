"""Scores outputs in groups with equal context, so that references shared by systems are processed once."""

from __future__ import annotations

from itertools import chain

from metrics_framework.common.definitions import failed_at
from metrics_framework.common.errors import (
    PLUGIN_FAILURES,
    FwError,
    OutputError,
    PluginError,
    message_of,
)
from metrics_framework.evaluation.input.column_batch import ColumnBatch
from metrics_framework.kernels.dispatch import Request
from metrics_framework.metrics.base.batch_scores import BatchScores, OutputsByContext, equal_keys
from metrics_framework.metrics.base.checks import wrong_scoring_arguments
from metrics_framework.metrics.base.metric import Metric


class ContextGroups:
    """A batch of outputs, grouped by equal context; metrics with the same context fields share the groups.

    Args:
        batch: The outputs, checked.
    """

    def __init__(self, batch: ColumnBatch) -> None:
        self.batch = batch
        self._outputs = OutputsByContext(batch.column, equal_keys)

    def score(self, metric: Metric, request: Request) -> BatchScores:
        """Scores the outputs with `Metric.score_batch`; the results are in the order of the outputs.

        Raises:
            PluginError: if the metric fails with an error that is not an `FwError`.
        """
        if not self.batch.ids:
            return BatchScores([])
        summary, context = metric.required_summary_fields, metric.required_context_fields
        arguments, members = self._outputs.arguments_of(summary, context, metric.has_kernel)
        try:
            return metric.score_batch(request, *arguments, checked=True).in_order(members)
        except OutputError as error:
            index = error.index if members is None else list(chain.from_iterable(members))[error.index]
            raise located_in(self.batch, error, index) from None
        except (FwError, KeyboardInterrupt, MemoryError):
            raise
        except PLUGIN_FAILURES as error:
            wrong = wrong_scoring_arguments(type(metric), metric.name, metric.fields)
            if wrong is not None and isinstance(error, TypeError):
                raise wrong from None
            got_list = "'list' object has no attribute" in str(error)
            advice = (
                "; a text may be a list of sentences, which as_string of metrics_framework joins" if got_list else ""
            )
            raise PluginError(
                f"the metric '{metric.name}' failed{failed_at(error, type(metric))}: {message_of(error)}{advice}"
            ) from error


def located_in(batch: ColumnBatch, error: OutputError, index: int) -> OutputError:
    """Returns an error about an output of a batch, given its index, with its file and line."""
    row = batch.instances[index]
    located = OutputError(*error.args, index=index)
    located.place(row.path, row.line, f"instance '{row.instance_id}' of system '{row.summarizer_id}'")
    return located
