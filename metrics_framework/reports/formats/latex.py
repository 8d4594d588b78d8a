"""The output format ``latex``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from metrics_framework.common.errors import printable
from metrics_framework.common.overriding import overrides
from metrics_framework.reports.formats.output_format import Blocks, Note, OutputFormat, Rows, ScoreCell

_EMPHASIS = ("{}", r"\textbf{{{}}}", r"\underline{{{}}}")  # by rank
_MARK = r"\rlap{$^{*}$}"  # takes no width, so that the digits of a column are aligned


@OutputFormat.register("latex")
class Latex(OutputFormat):
    """Writes a LaTeX table for the package booktabs, with the best scores in bold and the second underlined.

    The meaning of marks follows the table; signatures are comments.
    """

    emphasizes = True
    endings: ClassVar[Sequence[str]] = (".tex",)

    @overrides
    def table(self, columns: Sequence[str], rows: Rows, left: int) -> str:
        head, *body = (latex_row(list(row)) for row in [columns, *rows])
        begin = rf"\begin{{tabular}}{{{'l' * left}{'r' * (len(columns) - left)}}}"
        return "\n".join([begin, r"\toprule", head, r"\midrule", *body, r"\bottomrule", r"\end{tabular}"])

    @overrides
    def table_of_blocks(self, first: Sequence[str], blocks: Blocks, rows: Rows) -> str:
        """Writes the names of blocks over their columns."""
        top, lines, start = list(first), [], len(first) + 1
        for name, columns in blocks.items():
            top.append(rf"\multicolumn{{{len(columns)}}}{{c}}{{{name}}}")
            lines.append(rf"\cmidrule(lr){{{start}-{start + len(columns) - 1}}}")
            start += len(columns)
        names = [*[""] * len(first), *(column for columns in blocks.values() for column in columns)]
        head = "\n".join([r"\toprule", latex_row(top), "".join(lines)])
        return self.table(names, rows, 1).replace(r"\toprule", head, 1)

    @overrides
    def text(self, text: str) -> str:
        return latex_text(super().text(text))

    @overrides
    def score(self, cell: ScoreCell) -> str:
        value = re.sub(r"^-(?=\d)", "$-$", self.text(cell.value))
        interval = re.sub(r"(?<=[\[ ])-(?=\d)", "$-$", self.text(cell.interval))
        interval = rf" {{\footnotesize {interval}}}" if interval else ""
        return _EMPHASIS[cell.rank].format(value) + interval + (_MARK if cell.is_significant else "")

    @overrides
    def note(self, note: Note) -> str:
        mark = "$^{*}$" if note.kind == "*" else self.text(note.kind)
        return f"{mark} {self.text(note.label)}".rstrip() + f": {self.text(note.text)}."

    @overrides
    def with_notes(self, table: str, notes: Sequence[str | Note]) -> str:
        """Appends the meaning of marks as a paragraph, and other notes as comments."""
        comments = [f"% {_comment(note)}" for note in notes if isinstance(note, str) or note.is_signature]
        shown = [self.note(note) for note in notes if isinstance(note, Note) and not note.is_signature]
        paragraph = [r"\par\smallskip", rf"{{\footnotesize {' '.join(shown)}\par}}"] if shown else []
        return "\n".join([table, *paragraph, *comments])

    @overrides
    def paragraph(self, text: str) -> str:
        """Returns a text as a comment, so that a document with the table shows the table alone."""
        return f"% {_comment(text)}"

    def floating(self, table: str, caption: str, label: str) -> str:
        """Returns a table with its notes as a floating table, with a caption and a label to refer to it.

        Args:
            table: The table.
            caption: The caption, in LaTeX; an empty string for none.
            label: The label; an empty string for none.
        """
        below = [rf"\caption{{{caption}}}"] * bool(caption) + [rf"\label{{{label}}}"] * bool(label)
        return "\n".join([r"\begin{table}[t]", r"\centering", table, *below, r"\end{table}"])


def _comment(note: str | Note) -> str:
    """Returns a note as plain text without line breaks."""
    return printable(note if isinstance(note, str) else note.line)


_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\symbol{34}",  # a shorthand of some languages of babel
    "`": r"\textasciigrave{}",
    "–": "--",
    "²": r"$^2$",
    "−": "$-$",
}
_SYMBOLS = (
    *(("±", "pm"), ("≤", "le"), ("≥", "ge"), ("α", "alpha"), ("β", "beta"), ("ε", "varepsilon"), ("κ", "kappa")),
    *(("λ", "lambda"), ("ρ", "rho"), ("τ", "tau"), ("ω", "omega"), ("Φ", "Phi")),
)
_LATEX.update({symbol: rf"$\{command}$" for symbol, command in _SYMBOLS})
_LATEX.update({character: f"\\{character}" for character in "&%$#_{}"})


def latex_text(text: str) -> str:
    """Escapes a printable text for LaTeX.

    >>> print(latex_text("a_b & 5 %"))
    a\\_b \\& 5 \\%
    """
    return "".join(_LATEX.get(character, character) for character in text)


def latex_row(cells: list[str]) -> str:
    r"""Joins the cells of a row, which are LaTeX.

    A row that starts with ``[`` or ``*`` would be read as the argument of the ``\\`` or ``\midrule`` before it.

    >>> print(latex_row(["[b]", "1.00"]))
    {}[b] & 1.00 \\
    """
    row = " & ".join(cells) + r" \\"
    return f"{{}}{row}" if row.startswith(("[", "*")) else row
