"""The tasks of reports: what a page compares outputs with, and what it calls an input."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from metrics_framework.evaluation.profiles.profile import TaskName

Marks = Literal["edits", "matches"]


@dataclass(frozen=True)
class Task:
    """How a report shows the outputs of a task.

    Args:
        name: The name.
        marks: What is marked in outputs: ``edits`` of the source, or ``matches`` with references.
        unit: What the page calls an input.
        title: The heading of a report without a title.
    """

    name: TaskName
    marks: Marks
    unit: str
    title: str


TASKS: dict[TaskName, Task] = {
    task.name: task
    for task in (
        Task("simplification", "edits", "sentence", "Simplification report"),
        Task("summarization", "matches", "input", "Summarization report"),
        Task("translation", "matches", "sentence", "Translation report"),
    )
}
SIMPLIFICATION = TASKS["simplification"]
