"""The output format ``latex``."""

from __future__ import annotations

from collections.abc import Sequence

from overrides import overrides

from metrics_framework.reports.formats.output_format import OutputFormat, Rows

_ESCAPED = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
_ESCAPED.update({character: f"\\{character}" for character in "&%$#_{}"})
_ESCAPED.update({"–": "--", "±": r"$\pm$", "ρ": r"$\rho$", "τ": r"$\tau$"})


@OutputFormat.register("latex")
class Latex(OutputFormat):
    """Writes a LaTeX table for the package booktabs, with its notes as comments."""

    @overrides
    def table(self, columns: Sequence[str], rows: Rows, left: int) -> str:
        head, *body = (
            " & ".join("".join(_ESCAPED.get(character, character) for character in cell) for cell in row) + r" \\"
            for row in [columns, *rows]
        )
        begin = rf"\begin{{tabular}}{{{'l' * left}{'r' * (len(columns) - left)}}}"
        return "\n".join([begin, r"\toprule", head, r"\midrule", *body, r"\bottomrule", r"\end{tabular}"])

    @overrides
    def with_notes(self, table: str, notes: Sequence[str], *, verbatim: bool = False) -> str:
        return "\n".join([table, *(f"% {note}" for note in notes)])
