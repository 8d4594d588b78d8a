"""Text as a page, a markup language and columns of a terminal can show it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from unicodedata import bidirectional, category, east_asian_width, normalize

BIDI_CONTROLS = frozenset(("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"))
"""The bidirectional classes of the invisible characters that change the direction of the text after them."""
_RIGHT_TO_LEFT = frozenset(("R", "AL", "AN"))
_ZERO_WIDTH = frozenset(("Mn", "Me", "Cf"))  # combining marks and format characters
_JOINER = "\u200d"
_EMOJI = re.compile(".(?=\ufe0f)")


def replaced_for_page(text: str) -> str:
    """Replaces the characters that neither HTML nor XML can hold with U+FFFD.

    >>> replaced_for_page("a\\tb \\x00")
    'a\\tb �'
    """
    if text.isprintable():
        return text
    return "".join("�" if _is_not_for_pages(character) else character for character in text)


def _is_not_for_pages(character: str) -> bool:
    return (category(character) in ("Cc", "Cs") and character not in "\t\n\r") or character in "\ufffe\uffff"


def isolated(name: str) -> str:
    """Isolates a name that could change the direction of the text around it (with U+2068 and U+2069).

    >>> isolated("plain"), isolated("שלום")
    ('plain', '\\u2068שלום\\u2069')
    """
    classes = set(map(bidirectional, name))
    return name if classes.isdisjoint(BIDI_CONTROLS | _RIGHT_TO_LEFT) else f"\u2068{name}\u2069"


def display_width(text: str) -> int:
    """Returns the number of terminal columns that a text takes: two for a wide character, none for a combining mark.

    An emoji of several characters (joined by U+200D, or selected by U+FE0F) takes two columns.

    >>> display_width("cat"), display_width("猫"), display_width("cafe\\u0301"), display_width("\\u2764\\ufe0f")
    (3, 2, 4, 2)
    """
    if text.isascii():
        return len(text)
    text = re.sub(f"{_JOINER}.", "", normalize("NFC", text))  # composes Hangul, whose parts are not combining marks
    shown = [character for character in text if category(character) not in _ZERO_WIDTH]
    wide = sum(east_asian_width(character) in "WF" for character in shown)
    return len(shown) + wide + sum(east_asian_width(found[0]) not in "WF" for found in _EMOJI.finditer(text))


def aligned(cells: Sequence[str], widths: Sequence[int], left: int) -> list[str]:
    """Pads the cells of a row to the display widths of their columns.

    Args:
        cells: The cells.
        widths: The width of each column.
        left: The number of columns that are left-aligned; the columns after them are right-aligned.
    """
    padding = [" " * (width - display_width(cell)) for cell, width in zip(cells, widths, strict=True)]
    return [
        cell + spaces if index < left else spaces + cell
        for index, (cell, spaces) in enumerate(zip(cells, padding, strict=True))
    ]


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
