"""The native kernels; each has a twin in `metrics_framework.kernels.python`, which defines it.

All take groups of summaries, the references of each group and a request. They return a tuple of columns, which
`metrics_framework.kernels.dispatch.Request` describes, or `None` if something in the lists is not plain.
"""

from collections.abc import Mapping, Sequence
from typing import Any

def ter(
    summaries_list: Sequence[Any],
    references_list: Sequence[Any],
    /,
    *,
    request: int,
    dictionary: type[dict[str, Any]],
    suffix: str,
    cell: str,
    case_sensitive: bool,
    no_punct: bool,
) -> tuple[Any, ...] | None: ...
def sari(
    summaries_list: Sequence[Any],
    references_list: Sequence[Any],
    sources: Sequence[Any],
    cased_sources: Sequence[Any] | None,
    /,
    *,
    request: int,
    dictionary: type[dict[str, Any]],
    suffix: str,
    cell: str,
    formula: int,
    lowercase: bool,
    tokenization: int,
    source_tokenization: int,
    single_spaces: bool,
    f1_of_means: bool,
    precision_of_deletion: bool,
    intersection: bool,
    beta_for_deletion: float,
) -> tuple[Any, ...] | None: ...
def bleu(
    summaries_list: Sequence[Any],
    references_list: Sequence[Any],
    /,
    *,
    request: int,
    dictionary: type[dict[str, Any]],
    suffix: str,
    cell: str,
    lowercase: bool,
    tokenization: int,
    max_order: int,
    smoothing: int,
    smooth_value: float,
    effective_order: bool,
    of_sentence: bool,
) -> tuple[Any, ...] | None: ...
def chrf(
    summaries_list: Sequence[Any],
    references_list: Sequence[Any],
    /,
    *,
    request: int,
    dictionary: type[dict[str, Any]],
    suffix: str,
    cell: str,
    char_order: int,
    word_order: int,
    squared_beta: float,
    lowercase: bool,
    whitespace: bool,
    eps_smoothing: bool,
) -> tuple[Any, ...] | None: ...
def quality(
    summaries_list: Sequence[Any],
    sources_list: Sequence[Any],
    /,
    *,
    request: int,
    dictionary: type[dict[str, Any]],
    suffix: str,
    cell: str,
    lowercase: bool,
    tokenization: int,
) -> tuple[Any, ...] | None: ...
def error_rates(
    summaries_list: Sequence[Any],
    references_list: Sequence[Any],
    /,
    *,
    request: int,
    dictionary: type[dict[str, Any]],
    suffix: str,
    cell: str,
    characters: bool,
    lowercase: bool,
) -> tuple[Any, ...] | None: ...
def google_rouge(
    summaries_list: Sequence[Any],
    references_list: Sequence[Any],
    /,
    *,
    request: int,
    dictionary: type[dict[str, Any]],
    suffix: str,
    cell: str,
    kinds: int,
    use_stemmer: bool,
) -> tuple[Any, ...] | None: ...
def autosummeng(
    summaries_list: Sequence[Any],
    references_list: Sequence[Any],
    /,
    *,
    request: int,
    dictionary: type[dict[str, Any]],
    suffix: str,
    cell: str,
    min_n: int,
    max_n: int,
    window: int,
    published: bool,
) -> tuple[Any, ...] | None: ...
def rouge(
    summaries_list: Sequence[Any],
    references_list: Sequence[Any],
    /,
    *,
    request: int,
    dictionary: type[dict[str, Any]],
    suffix: str,
    cell: str,
    max_ngram: int,
    use_porter_stemmer: bool,
    remove_stopwords: bool,
    max_bytes: int,
    max_words: int,
    compute_rouge_l: bool,
    wlcs_weight: float,
    skip_reach: int,
    best_reference: bool,
    alpha: float,
    exceptions: Any,
    stop_words: Any,
    wlcs_name: str,
    skip_name: str,
    skip_unigram_name: str,
) -> tuple[Any, ...] | None: ...
def word_list(lines: str, /) -> Any: ...
def json_columns(block: str, start: int, size: int, /) -> tuple[tuple[str, ...], tuple[list[Any], ...], int] | None: ...
def rows_as_json(ids: list[str], heads: list[str], columns: tuple[list[str], ...], /) -> list[str] | None: ...
def are_plain(arguments: tuple[Any, ...], kinds: str, /) -> bool: ...
def count_objects(values: Sequence[Any], /) -> int: ...
def vector_sums(data: bytearray, width: int, rows: list[int] | None, start: list[float] | None, /) -> list[float]: ...
def scores_as_json(dictionaries: Sequence[Mapping[str, Any]], /) -> str | None: ...
def weighted_points(
    codes: Any,
    groups: Any,
    limits: Any,
    row_of: Any,
    column_of: Any,
    row_weights: Any,
    column_weights: Any,
    sums: Any,
    resamples: int,
    wanted: int,
    /,
) -> bool: ...
