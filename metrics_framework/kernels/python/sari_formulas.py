"""The formulas of SARI for one sentence, for the variants whose corpus score is a mean of sentence scores.

The notation is that of `metrics_framework.kernels.python.sari`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from metrics_framework.data.sums import plain_sum
from metrics_framework.kernels.python.sari import (
    ORDERS,
    Context,
    Groups,
    Ngram,
    Tokens,
    TypeShares,
    added_types,
    contexts_of,
    ngrams,
    type_shares,
)

Parts: TypeAlias = tuple[float, float, float]
Formula: TypeAlias = Callable[[Context, Mapping[Ngram, int]], Parts]


def sentence_scores(
    formula: Formula,
    sources: Sequence[Tokens],
    summaries_list: Groups,
    references_list: Groups,
    cased_sources: Sequence[Tokens] | None = None,
) -> list[list[list[float]]]:
    """Scores single sentences, for the variants whose corpus score is the mean of sentence scores.

    Args:
        formula: `xu2016`, `modified`, `t2t`, `hf` or `set_based`.
        sources: As in `sari.token_sums`.
        summaries_list: As in `sari.token_sums`.
        references_list: As in `sari.token_sums`.
        cased_sources: The words of the sources without lower-casing, split at whitespace, for `modified`; by default
            ``sources``.

    Returns:
        For each summary of each group ``[add, keep, delete, 1.0]``: scores between 0 and 1, averaged over the four
        orders, and a 1 that counts the outputs.
    """
    return [
        [_mean_of_orders(formula, contexts, summary) for summary in summaries]
        for contexts, summaries in contexts_of(sources, summaries_list, references_list, cased_sources)
    ]


def _mean_of_orders(formula: Formula, contexts: Sequence[Context], summary: Tokens) -> list[float]:
    parts = [formula(context, Counter(ngrams(summary, context.order))) for context in contexts]
    return [*(plain_sum(scores) / len(ORDERS) for scores in zip(*parts, strict=True)), 1.0]


# ---- formulas of one sentence and order -----------------------------------------------------------------------------


def ratio(part: float, whole: float, empty: float = 0.0) -> float:
    """Divides; 0 / 0 is ``empty``."""
    return part / whole if whole else empty


def f_score(precision: float, recall: float, beta: float = 1.0) -> float:
    """Returns the F-score; 0 if precision or recall is 0. With ``beta`` 0 it is the precision."""
    if beta == 0:
        return precision
    if not precision or not recall:
        return 0.0
    return (1 + beta * beta) * precision * recall / (beta * beta * precision + recall)


def xu2016(context: Context, summary: Mapping[Ngram, int]) -> Parts:
    """Scores as the authors' script: shares averaged over types, precision for DELETE."""
    shares = type_shares(context, summary)
    added = added_types(context, summary)
    return (
        _added_score(context, sum(map(context.references.__contains__, added)), len(added)),
        _kept_score(context, shares),
        ratio(shares.deleted_of_summary, shares.deleted_types),
    )


def modified(context: Context, summary: Mapping[Ngram, int], deletion: str = "precision") -> Parts:
    """Scores as the authors' later script: an added n-gram is wrong if deleting words of the source can produce it.

    The script searches for the lower-cased n-gram in the source before lower-casing, and splits both with
    ``str.split()`` for this: an empty token can always be produced, and a token that contains a tab is two words.

    Args:
        context: Source and references.
        summary: P.
        deletion: ``precision`` or ``f1``.
    """
    shares = type_shares(context, summary)
    added = added_types(context, summary)
    right = sum(ngram in context.references and not _is_in_cased_source(ngram, context) for ngram in added)
    deleted = ratio(shares.deleted_of_summary, shares.deleted_types)
    if deletion == "f1":
        deleted = f_score(deleted, ratio(shares.deleted_of_summary, context.type_totals[1]))
    return _added_score(context, right, len(added)), _kept_score(context, shares), deleted


def hf(context: Context, summary: Mapping[Ngram, int]) -> Parts:
    """Scores as the Hugging Face metric: recall of KEEP over tokens, and 0 / 0 is 1."""
    shares = type_shares(context, summary)
    added = added_types(context, summary)
    recall = ratio(shares.both_keep, context.totals[0], 1.0)
    return (
        _added_score(context, sum(map(context.references.__contains__, added)), len(added), 1.0),
        f_score(ratio(shares.kept_of_summary, shares.kept_types, 1.0), recall),
        ratio(shares.deleted_of_summary, shares.deleted_types, 1.0),
    )


def t2t(context: Context, summary: Mapping[Ngram, int], beta: float = 0.0) -> Parts:
    """Scores as the hook of tensor2tensor: sets, weighted by the share of references, and 0 / 0 is 1.

    Args:
        context: Source and references.
        summary: P.
        beta: The weight of recall for DELETE.
    """
    weights = context.weights
    added = added_types(context, summary)
    kept = [weights.get(ngram, 0.0) for ngram in context.source if ngram in summary]
    deleted = [1.0 - weights.get(ngram, 0.0) for ngram in context.source if ngram not in summary]
    to_keep = plain_sum(weights.get(ngram, 0.0) for ngram in context.source)
    to_delete = plain_sum(1.0 - weights.get(ngram, 0.0) for ngram in context.source)
    keep, delete = plain_sum(kept), plain_sum(deleted)
    return (
        _added_score(context, sum(map(context.references.__contains__, added)), len(added), 1.0),
        f_score(ratio(keep, len(kept), 1.0), ratio(keep, to_keep, 1.0)),
        f_score(ratio(delete, len(deleted), 1.0), ratio(delete, to_delete, 1.0), beta),
    )


def set_based(context: Context, summary: Mapping[Ngram, int], keep_recall: str = "union") -> Parts:
    """Scores sets of n-grams, the references pooled: precision for ADD, F1 for KEEP and DELETE.

    Args:
        context: Source and references.
        summary: P.
        keep_recall: What the recall of KEEP divides by: the ``union`` or the ``intersection`` of source and references.
    """
    source, references = context.source, context.references
    added = added_types(context, summary)
    kept = [ngram for ngram in source if ngram in summary]
    deleted = [ngram for ngram in source if ngram not in summary]
    both_keep = sum(map(references.__contains__, kept))
    both_delete = len(deleted) - sum(map(references.__contains__, deleted))
    to_keep = len(source) + context.new if keep_recall == "union" else context.type_totals[0]
    to_delete = len(source) - context.type_totals[0]
    return (
        ratio(sum(map(references.__contains__, added)), len(added)),
        f_score(ratio(both_keep, len(kept)), ratio(both_keep, to_keep)),
        f_score(ratio(both_delete, len(deleted)), ratio(both_delete, to_delete)),
    )


def _added_score(context: Context, right: int, added: int, empty: float = 0.0) -> float:
    return f_score(ratio(right, added, empty), ratio(right, context.new, empty))


def _kept_score(context: Context, shares: TypeShares) -> float:
    precision = ratio(shares.kept_of_summary, shares.kept_types)
    return f_score(precision, ratio(shares.kept_of_references, context.type_totals[0]))


def _is_in_cased_source(ngram: Ngram, context: Context) -> bool:
    """Returns whether the tokens of an n-gram, split at whitespace, are a subsequence of the cased source."""
    words = (ngram if isinstance(ngram, str) else " ".join(ngram)).split()
    rest = iter(context.cased_source)
    return all(word in rest for word in words)
