"""Draws what a command prints in a terminal, as SVG."""

from __future__ import annotations

import re
from html import escape

CHARACTER, LINE, MARGIN = 7.8, 18, 20  # pixels at FONT_SIZE
FONT_SIZE = 13
FONTS = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', 'Liberation Mono', monospace"
COLOURS = {
    "light": {"paper": "#f6f8fa", "border": "#d1d9e0", "ink": "#1f2328", "quiet": "#59636e", "accent": "#1a7f37"},
    "dark": {"paper": "#151b23", "border": "#3d444d", "ink": "#f0f6fc", "quiet": "#9198a1", "accent": "#3fb950"},
}
STARRED = re.compile(r"(?<!\S)\S*\*(?!\S)")
MATRIX, SIGNATURE = re.compile(r"\S+: p "), re.compile(r"^(?:signature|sacrebleu) ", re.MULTILINE)


def shortened(printed: str) -> list[str]:
    """Returns the lines of a comparison without its matrices of p-values and its signatures, which ``…`` replaces."""
    kept: list[str] = []
    for block in printed.rstrip("\n").split("\n\n"):
        if MATRIX.match(block):
            kept += [] if kept[-2:-1] == ["…"] else ["…", ""]
        else:
            kept += [*(line for line in block.split("\n") if not SIGNATURE.match(line)), ""]
    return kept[:-1] + (["…"] if SIGNATURE.search(printed) else [])


def terminal_svg(command: str, lines: list[str], scheme: str) -> str:
    """Returns a picture of a command and the lines that it printed, in a light or a dark terminal."""
    colours = COLOURS[scheme]
    shown = [f"$ {command}", *lines]
    width = round(2 * MARGIN + CHARACTER * max(map(len, shown)))
    height = 2 * MARGIN + LINE * len(shown)
    drawn = [_line(line, number) for number, line in enumerate(shown) if line]
    style = (
        f"text{{font:{FONT_SIZE}px {FONTS};fill:{colours['ink']};white-space:pre}}"
        f".command{{font-weight:bold}}.quiet{{fill:{colours['quiet']}}}"
        f".star{{fill:{colours['accent']};font-weight:bold}}"
    )
    frame = f'width="{width - 1}" height="{height - 1}" rx="8" fill="{colours["paper"]}" stroke="{colours["border"]}"'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
            ' role="img">',
            f"<title>{escape(command)}</title>",
            f"<style>{style}</style>",
            f'<rect x="0.5" y="0.5" {frame}/>',
            *drawn,
            "</svg>\n",
        ]
    )


def _line(line: str, number: int) -> str:
    """Returns one line, whose length is fixed, so that columns are aligned in every font."""
    y = MARGIN + LINE * number + FONT_SIZE
    length = f"{CHARACTER * len(line):.1f}"
    name = ' class="command"' if line.startswith("$ ") else ' class="quiet"' if set(line) <= set("─ …") else ""
    text = STARRED.sub(lambda match: f'<tspan class="star">{match[0]}</tspan>', escape(line, quote=False))
    return f'<text x="{MARGIN}" y="{y}" textLength="{length}" xml:space="preserve"{name}>{text}</text>'
