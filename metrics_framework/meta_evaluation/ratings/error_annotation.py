"""Errors that language models marked: answers of ``llm-judge`` with the template ``error-annotation``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from metrics_framework.common.errors import DataError, Problems
from metrics_framework.common.overriding import overrides
from metrics_framework.inputs.rows import identity
from metrics_framework.io.jsonl import read_jsonl
from metrics_framework.meta_evaluation.ratings.rating_format import RatingFormat

SPANS, SCORE = "spans", "score"


@RatingFormat.register("error-annotation")
class ErrorAnnotation(RatingFormat):
    """Reads the answers of a language model that marked errors, as llm-judge --answers writes them.

    Raters are the models; several samples of a model are the raters MODEL#1, MODEL#2, …. Rows have
    ``error-annotation``, a list with one score per rater, and ``spans``, each with its rater, which the reader
    error-spans reads. Answers without a score, and about outputs with a claimed score, are left out.
    """

    @overrides
    def rows(self, path: str, problems: Problems) -> Iterator[dict[str, Any]]:
        self.dropped.clear()
        outputs: dict[tuple[str, str], dict[str, Mapping[str, Any]]] = {}
        for line, row in read_jsonl(path, problems):
            with problems.at(path, line):
                instance, system, _ = identity(row, "")
                if "model" not in row or "sample" not in row or SCORE not in row:
                    raise DataError("is no answer of a language model, as llm-judge --answers writes it")
                if row.get("probe_injection") or row[SCORE] is None:
                    self.dropped["probe" if row.get("probe_injection") else "no score"] += 1
                    continue
                if not isinstance(row.get(SPANS), list):
                    raise DataError(f"'{SPANS}' is missing; the template error-annotation asks for errors")
                rater = f"{row['model']}#{row['sample'] + 1}"
                if rater in outputs.setdefault((instance, system), {}):
                    raise DataError(f"has a second answer of {rater} about the output of '{system}' for '{instance}'")
                outputs[instance, system][rater] = row
        yield from _rows(outputs)


def _rows(outputs: Mapping[tuple[str, str], Mapping[str, Mapping[str, Any]]]) -> Iterator[dict[str, Any]]:
    has_samples = any(not rater.endswith("#1") for by_rater in outputs.values() for rater in by_rater)
    for (instance, system), by_rater in outputs.items():
        named = {name if has_samples else name[: -len("#1")]: row for name, row in sorted(by_rater.items())}
        yield {
            "instance_id": instance,
            "summarizer_id": system,
            "raters": list(named),
            SPANS: [{**span, "rater": rater} for rater, row in named.items() for span in row[SPANS]],
            "metrics": {"error-annotation": [row[SCORE] for row in named.values()]},
        }
