"""The notes below a table of scores: the meaning of its marks, and the signatures."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from metrics_framework.evaluation.system_scores import Evaluation
from metrics_framework.reports.formats.output_format import SIGNIFICANT, Note

if TYPE_CHECKING:
    from metrics_framework.significance.systems import Confidence

SCORED = "scored"
"""Follows the name of a score in the heading of the column with the number of outputs that have it."""


def signature_notes(evaluation: Evaluation, scores: Iterable[str] | None = None) -> list[Note]:
    """Returns the signatures of the metrics, then those of other programs.

    Each has the label of its metric if there are several metrics, or if the label is not the name of the metric.

    Args:
        evaluation: The scores.
        scores: The flat names of the scores that are shown, if other metrics are to be left out.
    """
    signatures = evaluation.signature
    shown: Collection[str] = signatures
    if scores is not None and len(signatures) > 1 and evaluation.kinds:
        shown = {evaluation.kinds[name].metric for name in scores}
    is_labelled = len(signatures) > 1 or any(text.split("|")[0] != label for label, text in signatures.items())
    notes = [Note("signature", text, label, is_signature=True) for label, text in signatures.items() if label in shown]
    notes += [
        Note(program, text, label, is_signature=True)
        for label, programs in evaluation.other_signatures.items()
        for program, text in programs.items()
        if label in shown
    ]
    return notes if is_labelled else [note._replace(label="") for note in notes]


def legend(confidence: Confidence) -> Iterator[Note]:
    """Yields the meaning of ± and of the mark of significance."""
    drawn, tested = confidence.resampling, confidence.significance
    yield Note("±", f"half-width of the {100 * drawn.level:g} % confidence interval ({drawn.described_intervals})")
    if tested is None:
        return
    num_tested = len(tested.inputs)
    holm = f", Holm correction for {num_tested} systems" if num_tested > 1 else ""
    yield Note(
        SIGNIFICANT,
        f"differs significantly from '{tested.baseline}' "
        f"(p < {drawn.alpha:g}, {drawn.described_test(tested.numbers_of_inputs)}{holm})",
    )


def scored_notes(evaluation: Evaluation, headings: Mapping[str, str]) -> Iterator[Note]:
    """Yields what scores that some outputs do not have are means of, and on which inputs they were compared.

    Args:
        evaluation: The scores.
        headings: The scores that are shown, and their headings.
    """
    from metrics_framework.significance.systems import described_inputs

    yield Note(SCORED, "the number of outputs with the score, of all; the mean is over these outputs")
    tested = None if evaluation.confidence is None else evaluation.confidence.significance
    if tested is None:
        return
    groups: dict[str, list[str]] = {}
    for name in (name for name in headings if name in tested.names_of_scored):
        groups.setdefault(described_inputs(tested, name), []).append(headings[name])
    for described, names in groups.items():
        yield Note(
            "inputs",
            f"compared with '{tested.baseline}' on the inputs for which both have a score, while means are over all "
            f"scored outputs: {described}",
            ", ".join(names),
        )


def emphasis(ranks: Collection[int]) -> list[Note]:
    """Returns the meaning of bold and underlined scores, given the ranks of all scores."""
    if 1 not in ranks:
        return []
    second = "; the second is underlined" if 2 in ranks else ""
    return [Note("bold", f"the best score of a column{second}")]
