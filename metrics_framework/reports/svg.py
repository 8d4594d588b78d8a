"""SVG: panels with axes for points, lines and bars, and the elements that all charts are drawn with."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from importlib.resources import files
from textwrap import wrap
from unicodedata import bidirectional, category

from metrics_framework.common.errors import InputError, printable
from metrics_framework.reports.numbers import number, significant

WIDTH, HEIGHT = 340.0, 270.0
LEFT, TOP, GAP, BOTTOM = 64.0, 112.0, 84.0, 62.0
MAX_HEADING_LINE, MAX_HEADING = 46, 84
"""The number of characters of a line of the heading of a panel, and of both lines."""
TITLE_CHARACTER, QUIET_CHARACTER = 10.0, 6.6
"""The widths of characters of titles and of the lines below them, in wide fonts."""
ROW_GAP = 118.0
"""Between two rows of panels."""
MARGIN = 24.0
MAX_DRAWN = 1e307
"""The range of an axis and its margins must be a number."""
MIN_RANGE = 1e-300
"""Values closer to each other are drawn as one: a step between the marks of their axis would be 0."""

STYLE = files("metrics_framework.reports.html").joinpath("figure.css").read_text(encoding="utf-8").strip()


@dataclass(frozen=True)
class Axis:
    """The range of an axis.

    Args:
        low: The smallest value shown.
        high: The largest value shown.
        title: The quantity.
        counts: Whether the values are integers.
    """

    low: float
    high: float
    title: str
    counts: bool = False

    @staticmethod
    def around(values: Sequence[float], title: str) -> Axis:
        """Returns an axis with a margin on both sides of the values; a single value is in the middle.

        Raises:
            InputError: if a value is too large to be drawn.
        """
        low, high = min(values), max(values)
        if max(-low, high) > MAX_DRAWN:
            raise InputError(f"a picture shows values up to ±{MAX_DRAWN:g}, got {max(low, high, key=abs):g}")
        if high - low < MIN_RANGE:
            low = high
        margin = 0.06 * (high - low) or 0.5 * abs(high)
        margin = margin if margin > MIN_RANGE else 0.5
        return Axis(low - margin, high + margin, title)

    def share(self, value: float) -> float:
        """Returns the relative position of a value on the axis, from 0 to 1."""
        return (value - self.low) / (self.high - self.low)

    def ticks(self) -> list[tuple[float, str]]:
        """Returns two to seven round values, with their labels.

        >>> [label for _, label in Axis(-1.0, 1.0, "r").ticks()]
        ['-1.0', '-0.5', '0.0', '0.5', '1.0']
        """
        smallest = (self.high - self.low) / 6
        power = 10.0 ** math.floor(math.log10(smallest))
        step = min(power * factor for factor in (1, 2, 5, 10) if power * factor >= smallest * (1 - 1e-9))
        if self.counts:
            step = max(1.0, step)
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        digits = max(0, -math.floor(math.log10(step) + 1e-9))
        are_fixed = max(abs(self.low), abs(self.high)) < 1e6 and digits < 5
        values = [count * step + 0.0 for count in range(first, last + 1)]
        return [(value, number(value, digits) if are_fixed else significant(value, 3)) for value in values]


@dataclass
class Panel:
    """A panel with two axes; its marks are SVG elements.

    Args:
        title: The heading.
        caption: The line below the heading.
        x_axis: The horizontal axis.
        y_axis: The vertical axis.
        marks: The elements drawn inside.
    """

    title: str
    caption: str
    x_axis: Axis
    y_axis: Axis
    marks: list[str] = field(default_factory=list)

    def position(self, x: float, y: float) -> tuple[float, float]:
        """Returns the coordinates of a point in the panel."""
        return self.x_axis.share(x) * WIDTH, (1 - self.y_axis.share(y)) * HEIGHT

    def circle(self, x: float, y: float, radius: float, kind: str, title: str = "") -> str:
        """Draws a point; its title is shown as a tooltip."""
        return dot(*self.position(x, y), radius, kind, title)

    def line(self, start: tuple[float, float], end: tuple[float, float], kind: str) -> str:
        """Draws a line between two points."""
        return line(*self.position(*start), *self.position(*end), kind)

    def bar(self, x: float, width: float, count: int, title: str) -> str:
        """Draws a bar from 0 to a count."""
        left, top = self.position(x, count)
        right, bottom = self.position(x + width, 0)
        return box(left + 0.7, top, (right - left - 1.4, bottom - top), "bar", title=title)

    def svg(self) -> str:
        """Draws the panel with its axes; the upper left corner of its frame is the origin."""
        heading = wrap(shortened(self.title, MAX_HEADING), MAX_HEADING_LINE, max_lines=2, placeholder="…")
        lines = [
            *(text(0, -29 - 15 * up, one, "heading") for up, one in enumerate(reversed(heading))),
            text(0, -12, self.caption, "quiet"),
            f'<rect class="frame" width="{_n(WIDTH)}" height="{_n(HEIGHT)}"/>',
        ]
        for value, label in self.x_axis.ticks():
            left = self.x_axis.share(value) * WIDTH
            lines += [line(left, 0, left, HEIGHT, "grid"), text(left, HEIGHT + 18, label, "quiet middle")]
        for value, label in self.y_axis.ticks():
            top = (1 - self.y_axis.share(value)) * HEIGHT
            lines += [line(0, top, WIDTH, top, "grid"), text(-7, top + 4, label, "quiet end")]
        lines += [line(0, HEIGHT, WIDTH, HEIGHT, "axis"), line(0, 0, 0, HEIGHT, "axis"), *self.marks]
        lines.append(text(WIDTH / 2, HEIGHT + 36, shortened(self.x_axis.title, 50), "middle"))
        upwards = f"rotate(-90 -46 {_n(HEIGHT / 2)})"
        return "\n".join([*lines, text(-46, HEIGHT / 2, shortened(self.y_axis.title, 40), "middle", upwards)])


def document(title: str, subtitle: str, panels: Sequence[Panel], columns: int = 3) -> str:
    """Draws panels below a title.

    Args:
        title: The title.
        subtitle: The line below the title.
        panels: The panels.
        columns: The largest number of panels side by side.
    """
    across, down = min(columns, len(panels)), -(-len(panels) // columns)
    width = LEFT + across * (WIDTH + GAP) - GAP + 24
    body = []
    for index, panel in enumerate(panels):
        left = LEFT + index % columns * (WIDTH + GAP)
        top = TOP + index // columns * (HEIGHT + ROW_GAP)
        body += [f'<g transform="translate({_n(left)} {_n(top)})">', panel.svg(), "</g>"]
    return drawing(title, subtitle, (width, TOP + down * (HEIGHT + ROW_GAP) - ROW_GAP + BOTTOM), body, LEFT)


def drawing(title: str, subtitle: str, size: tuple[float, float], body: Sequence[str], left: float = MARGIN) -> str:
    """Writes an SVG file: a title, a line below it, and marks.

    Args:
        title: The title.
        subtitle: The line below the title.
        size: Width and height; the file is wider if the title or the line below it is.
        body: The SVG elements.
        left: The left edge of the title.
    """
    title = shortened(title, 100)
    titles = max(TITLE_CHARACTER * len(title), QUIET_CHARACTER * len(subtitle))
    width, height = map(_n, (max(size[0], left + titles), size[1]))
    return _file(title, width, height, [text(left, 32, title, "title"), text(left, 52, subtitle, "quiet"), *body])


def _file(title: str, width: str, height: str, body: Sequence[str]) -> str:
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" style="max-width: 100%; height: auto" role="img">',
        _title(title),
        f"<style>\n{STYLE}\n</style>",
    ]
    return "\n".join([*lines, *body, "</svg>"]) + "\n"


_SIZE = re.compile(r' viewBox="0 0 ([\d.]+) ([\d.]+)" width="[\d.]+" height="[\d.]+" style="[^"]*" role="img"')


def stacked(drawings: Sequence[str], title: str, widest: float = 0.0) -> str:
    """Draws several SVG files of this package below each other, in one file.

    Args:
        drawings: The files.
        title: The title of the file.
        widest: The width up to which drawings are placed side by side.
    """
    sizes = [tuple(map(float, match.groups())) for match in map(_SIZE.search, drawings) if match is not None]
    corners: list[tuple[float, float]] = []
    left = top = bottom = width = 0.0
    for own_width, own_height in sizes:
        if corners and left + own_width > widest:
            left, top = 0.0, bottom
        corners.append((left, top))
        left += own_width
        width, bottom = max(width, left), max(bottom, top + own_height)
    lines = []
    for drawing, (x, y), (own_width, own_height) in zip(drawings, corners, sizes, strict=True):
        size = f' x="{x:g}" y="{y:g}" width="{own_width:g}" height="{own_height:g}"'
        content = re.sub(r"<style>.*?</style>\n", "", drawing, count=1, flags=re.DOTALL)
        lines.append(_SIZE.sub(size, content, count=1).rstrip("\n"))
    return _file(title, f"{width:g}", f"{bottom:g}", lines)


def line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    """Draws a line."""
    return f'<line class="{kind}" x1="{_n(x1)}" y1="{_n(y1)}" x2="{_n(x2)}" y2="{_n(y2)}"/>'


def dot(x: float, y: float, radius: float, kind: str, title: str = "") -> str:
    """Draws a circle; its title is shown as a tooltip."""
    inner = f">{_title(title)}</circle>" if title else "/>"
    return f'<circle class="{kind}" cx="{_n(x)}" cy="{_n(y)}" r="{_n(radius)}"{inner}'


def box(x: float, y: float, size: tuple[float, float], kind: str, opacity: float = 1.0, title: str = "") -> str:
    """Draws a rectangle with its upper left corner at (x, y); its title is shown as a tooltip."""
    inner = f">{_title(title)}</rect>" if title else "/>"
    shade = f' fill-opacity="{opacity:.2f}"' if opacity != 1.0 else ""
    return f'<rect class="{kind}" x="{_n(x)}" y="{_n(y)}" width="{_n(size[0])}" height="{_n(size[1])}"{shade}{inner}'


def text(x: float, y: float, content: str, kind: str, transform: str = "") -> str:
    """Draws a line of text, escaped."""
    rotated = f' transform="{transform}"' if transform else ""
    return f'<text class="{kind}" x="{_n(x)}" y="{_n(y)}"{rotated}>{escape(_shown(content))}</text>'


def shortened(content: str, longest: int) -> str:
    """Replaces the middle of a long text with an ellipsis.

    Args:
        content: The text.
        longest: The maximal number of characters.

    >>> shortened("system-of-2024-large", 12)
    'syste…-large'
    """
    if len(content) <= longest:
        return content
    head = (longest - 1) // 2
    return content[:head] + "…" + content[head + 1 - longest :]


def replaced_for_page(text: str) -> str:
    """Replaces the characters that neither HTML nor XML can hold with U+FFFD.

    >>> replaced_for_page("a\\tb \\x00")
    'a\\tb �'
    """
    if text.isprintable():
        return text
    kept = (character in "\t\n\r" or category(character) not in ("Cc", "Cs") for character in text)
    return "".join(one if keeps and one not in "\ufffe\uffff" else "�" for one, keeps in zip(text, kept, strict=True))


_BIDI_CLASSES = frozenset(("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI", "R", "AL", "AN"))
"""The bidirectional classes of characters that change the direction of the text after them: invisible ones, and those
that are written from right to left."""


def isolated(name: str) -> str:
    """Isolates a name that could change the direction of the text around it (with U+2068 and U+2069).

    >>> isolated("plain"), isolated("שלום")
    ('plain', '\\u2068שלום\\u2069')
    """
    classes = set(map(bidirectional, name))
    return name if classes.isdisjoint(_BIDI_CLASSES) else f"\u2068{name}\u2069"


_BIDI_CONTROL = "[\u202a-\u202e\u2066-\u2069]"


def _shown(content: str) -> str:
    """Writes bidirectional controls as escapes, and isolates text that could change the direction of what follows.

    >>> _shown("new"), _shown("a\\u202eb"), _shown("שלום") == "\\u2068שלום\\u2069"
    ('new', 'a\\\\u202eb', True)
    """
    escaped = re.sub(_BIDI_CONTROL, lambda found: printable(found[0]), replaced_for_page(content))
    return isolated(escaped)


def _title(content: str) -> str:
    return f"<title>{escape(_shown(content))}</title>"


def _n(coordinate: float) -> str:
    """Formats a coordinate with at most two decimal places."""
    return f"{coordinate:.2f}".rstrip("0").rstrip(".")
