"""The results of `report` and of the visualizers: web pages."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any

from metrics_framework.common.overriding import overrides
from metrics_framework.io.writing import open_for_writing

if TYPE_CHECKING:
    from metrics_framework.reports.html.model import ReportData

_HEIGHT = 700  # pixels, in a notebook


class _Page:
    """A page that opens offline in any browser. A notebook shows it."""

    html: str

    def _pieces(self) -> Iterable[str]:
        return [self.html]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the page to a file.

        Raises:
            UsageError: if the file cannot be written.
        """
        with open_for_writing(os.fspath(path)) as stream:
            for piece in self._pieces():
                stream.write(piece)

    def _repr_html_(self) -> str:
        """Returns the page in a frame, for notebooks."""
        style = f"width: 100%; height: {_HEIGHT}px; border: none"
        return f'<iframe sandbox="allow-scripts" style="{style}" srcdoc="{escape(self.html)}"></iframe>'


@dataclass(repr=False)
class Report(_Page):
    """A report on systems: a page that opens offline in any browser. A notebook shows it.

    Attributes:
        data: The scores, systems and sentences on the page.
        warnings: What may make the report misleading.
    """

    data: ReportData
    warnings: list[str] = field(default_factory=list)

    @property
    def html(self) -> str:  # type: ignore[override]
        """The page; `save` writes it without holding all of it in memory."""
        return "".join(self._pieces())

    @overrides
    def _pieces(self) -> Iterable[str]:
        from metrics_framework.reports.html.page import page_pieces

        return page_pieces(self.data)

    def __repr__(self) -> str:
        """Returns the title and the systems."""
        systems = [system.name for system in self.data.systems if system.kind == "system"]
        return f"Report({self.data.title!r}, systems={systems})"


@dataclass(repr=False)
class Visualization(_Page):
    """A score on its texts: a page that opens offline in any browser. A notebook shows it.

    Attributes:
        html: The page.
        data: The data that the page embeds, as plain JSON values.
        warnings: What may make the page misleading.
    """

    html: str
    data: dict[str, Any]
    warnings: list[str] = field(default_factory=list)

    def __repr__(self) -> str:
        """Returns the title."""
        return f"Visualization({self.data['title']!r})"
