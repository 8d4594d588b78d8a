"""The base of all profiles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from metrics_framework.common.registrable import Registrable
from metrics_framework.evaluation.profiles import REGISTRY


class Profile(Registrable, registry=REGISTRY):
    """Metrics that are scored in one pass, and the table of their scores.

    A profile is a subclass that declares both::

        @Profile.register("my-profile")
        class MyProfile(Profile):
            \"\"\"Says in one sentence what it is for.\"\"\"

            metrics = ("sari:variant=easse", "ter")
            columns = {"sari": "SARI", "ter": "TER"}

    Attributes:
        metrics: The metrics, as ``--metric`` takes them.
        columns: Flat names of the scores in the table, in order, and their headings. Other scores of the metrics stand
            in the files only.
    """

    metrics: ClassVar[Sequence[str]] = ()
    columns: ClassVar[Mapping[str, str]] = {}
