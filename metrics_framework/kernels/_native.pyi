"""The native kernels; each has a twin in `metrics_framework.kernels.python`, which defines it."""

from collections.abc import Sequence

def ter_statistics(
    summaries_list: Sequence[Sequence[Sequence[str]]], references_list: Sequence[Sequence[Sequence[str]]]
) -> list[list[tuple[int, int, int]]]: ...
def ter_text_statistics(
    summaries_list: Sequence[Sequence[str | Sequence[str]]],
    references_list: Sequence[Sequence[str | Sequence[str]]],
    case_sensitive: bool = False,
    no_punct: bool = False,
) -> list[list[tuple[int, int, int]]]: ...
def edit_distances(
    summaries: Sequence[str | Sequence[str]], references: Sequence[str | Sequence[str]]
) -> list[int]: ...
