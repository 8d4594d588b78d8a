"""The base class of profiles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from metrics_framework.common.registrable import Registrable
from metrics_framework.evaluation.profiles import REGISTRY


class Profile(Registrable, registry=REGISTRY):
    """A set of metrics that are scored in one pass, and the columns of its table.

    A profile is a subclass that declares both::

        @Profile.register("my-profile")
        class MyProfile(Profile):
            \"\"\"States the purpose of the profile in one sentence.\"\"\"

            metrics = ("sari:variant=easse", "ter")
            columns = {"sari": "SARI", "ter": "TER"}

    Attributes:
        metrics: The metrics, as for ``--metric``.
        columns: Flat names of the scores in the table, in order, and their headings. Other scores of the metrics are
            only in the files.
    """

    metrics: ClassVar[Sequence[str]] = ()
    columns: ClassVar[Mapping[str, str]] = {}
