"""The base class of profiles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from metrics_framework.common.options import build, parse_spec
from metrics_framework.common.registrable import Registrable
from metrics_framework.evaluation.profiles import REGISTRY

TaskName = Literal["simplification", "summarization", "translation"]


class Profile(Registrable, registry=REGISTRY):
    """A set of metrics that are scored in one pass, and the columns of its table.

    A profile is a subclass that declares both::

        @Profile.register("my-profile")
        class MyProfile(Profile):
            \"\"\"States the purpose of the profile in one sentence.\"\"\"

            metrics = ("sari:variant=easse", "ter")
            columns = {"sari": "SARI", "ter": "TER"}

    A profile with options has a constructor, whose parameters follow the name: ``simplification:bleu=lc``.

    Attributes:
        metrics: The metrics, as for ``--metric``.
        columns: Flat names of the scores in the table, in order, and their headings. Other scores of the metrics are
            only in the files.
        task: The task, by which `fw report` shows outputs: beside their source, with edits, for ``simplification``;
            with the n-grams of references for ``summarization``, whose documents are folded, and ``translation``.
    """

    metrics: Sequence[str] = ()
    columns: Mapping[str, str] = {}
    task: TaskName = "translation"


def load_profile(spec: str | Mapping[str, Any]) -> Profile:
    """Builds a profile by name.

    Args:
        spec: A registered name, ``name:option=value,…`` or ``{"type": name, …}``.

    Raises:
        UnknownNameError: if the profile or an option does not exist.
        UsageError: if an option has an invalid value.

    >>> load_profile("simplification:bleu=lc").columns["bleu"]
    'BLEU (lc)'
    """
    name, options = parse_spec(spec)
    profile: Profile = build(Profile.by_name(name), Profile, options, name)
    return profile
