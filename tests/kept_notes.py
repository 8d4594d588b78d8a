"""A log that keeps its notes."""

from __future__ import annotations

from overrides import overrides

from metrics_framework.common.logs import Log


class Notes(Log):
    """Keeps notes."""

    def __init__(self) -> None:
        super().__init__()
        self.notes: list[str] = []

    @overrides
    def note(self, message: str, category: type[Warning] | None = None) -> None:
        self.notes.append(message)
