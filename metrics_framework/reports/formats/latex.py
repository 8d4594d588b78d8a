"""The output format ``latex``."""

from __future__ import annotations

from collections.abc import Sequence

from overrides import overrides

from metrics_framework.common.printable import printable
from metrics_framework.reports.formats.output_format import OutputFormat, Rows
from metrics_framework.reports.markup import latex_row, latex_text


@OutputFormat.register("latex")
class Latex(OutputFormat):
    """Writes a LaTeX table for the package booktabs, with its notes as comments."""

    @overrides
    def table(self, columns: Sequence[str], rows: Rows, left: int) -> str:
        head, *body = (latex_row(list(map(latex_text, row))) for row in [columns, *rows])
        begin = rf"\begin{{tabular}}{{{'l' * left}{'r' * (len(columns) - left)}}}"
        return "\n".join([begin, r"\toprule", head, r"\midrule", *body, r"\bottomrule", r"\end{tabular}"])

    @overrides
    def with_notes(self, table: str, notes: Sequence[str], *, verbatim: bool = False) -> str:
        return "\n".join([table, *(f"% {printable(note)}" for note in notes)])
