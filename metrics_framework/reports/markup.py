"""Text inside a table of LaTeX, Markdown or a spreadsheet, as it is and not as markup."""

from __future__ import annotations

import re

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
    "±": r"$\pm$",
    "α": r"$\alpha$",
    "ε": r"$\varepsilon$",
    "κ": r"$\kappa$",
    "λ": r"$\lambda$",
    "ρ": r"$\rho$",
    "Φ": r"$\Phi$",
    "²": r"$^2$",
    "τ": r"$\tau$",
    "ω": r"$\omega$",
    "−": "$-$",
    "≤": r"$\le$",
    "≥": r"$\ge$",
}
_LATEX.update({character: f"\\{character}" for character in "&%$#_{}"})
_MARKDOWN = {"<": "&lt;", ">": "&gt;"}  # some converters keep the HTML of \<b>
_MARKDOWN.update({character: f"\\{character}" for character in "\\`[]|~"})
_FORMULA = re.compile(r"(^|;)(?=\s*[=+\-@＝＋－＠])")  # some locales separate cells with semicolons
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?|[+-]?(inf|nan)", re.IGNORECASE)


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


def markdown_text(text: str) -> str:
    r"""Escapes a printable text for a cell of a table in Markdown; underscores inside words need no escape.

    >>> print(markdown_text("sari_keep <b> [x](y) a|b"))
    sari_keep &lt;b&gt; \[x\](y) a\|b
    """
    text = re.sub(r"&(?=[#\w])", "&amp;", text)
    escaped = "".join(_MARKDOWN.get(character, character) for character in text)
    if text.count("*") > 1:  # a single one, as of a mark, begins no emphasis
        escaped = escaped.replace("*", r"\*")
    return re.sub(r"(?<![^\W_])_|_(?![^\W_])", r"\\_", escaped)


def markdown_code(text: str) -> str:
    """Sets a printable text in a code span, with more backticks around it than inside.

    >>> markdown_code("sari|lc"), markdown_code("a `b`")
    ('`sari|lc`', '`` a `b` ``')
    """
    longest = max(map(len, re.findall("`+", text)), default=0)
    if not longest:
        return f"`{text}`"
    fence = "`" * (longest + 1)
    return f"{fence} {text} {fence}"


def spreadsheet_text(cell: str) -> str:
    """Marks a cell as text that a spreadsheet would run as a formula; numbers are not changed.

    >>> spreadsheet_text("=1+1"), spreadsheet_text("-0.5"), spreadsheet_text("careful")
    ("'=1+1", '-0.5', 'careful')
    """
    return cell if _NUMBER.fullmatch(cell) else _FORMULA.sub(r"\1'", cell)
