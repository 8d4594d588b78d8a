"""The native kernels; each has a twin in `metrics_framework.kernels.python`, which defines it.

All take groups of summaries, the references of each group and a request. They return a tuple of columns, which
`metrics_framework.kernels.dispatch.Request` describes, or `None` if something in the lists is not plain.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

class _Kernel(Protocol):
    """The kernel of a metric, with its options. That of SARI also takes sources, and sources before lowercasing."""

    def __call__(
        self,
        summaries_list: Sequence[Any],
        references_list: Sequence[Any],
        /,
        *sources: Sequence[Any] | None,
        request: int,
        dictionary: type[dict[str, Any]],
        suffix: str,
        cell: str,
        **options: bool | float,
    ) -> tuple[Any, ...] | None: ...

ter: _Kernel
sari: _Kernel
bleu: _Kernel
chrf: _Kernel
quality: _Kernel
error_rates: _Kernel
google_rouge: _Kernel
autosummeng: _Kernel
rouge: _Kernel

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
