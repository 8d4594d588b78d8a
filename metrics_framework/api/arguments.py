"""The types of options that several public functions have, from which flags follow, and the log of Python warnings."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, TypedDict

from metrics_framework.common.calls import PARAMETERS, in_python
from metrics_framework.common.errors import InputError, ListName, printable
from metrics_framework.common.logs import Log as AnyLog
from metrics_framework.common.options import AtLeast, Between, Form, NamesFrom
from metrics_framework.common.overriding import overrides
from metrics_framework.common.stability import frames_of_package
from metrics_framework.data.fields import Duplicates, PairBy
from metrics_framework.data.texts import shown
from metrics_framework.significance.confidence_level import EXPECTED_LEVEL, parse_level
from metrics_framework.significance.multiple_testing import CORRECTIONS

if TYPE_CHECKING:
    from metrics_framework.inputs.rating_rows import RatingRules, Source

ERROR_FREE, LEAST_ERROR_FREE = "error_free", 85.0
"""Whether an output has no errors, and the least mean score of such outputs of WMT's metrics task."""
Scores: TypeAlias = str | os.PathLike[str] | Iterable[Any] | Any
"""A file, the result of `evaluate`, rows or a table of ids and scores; or a list of these, which are joined by id."""
Column: TypeAlias = Annotated[str | int, Form("COLUMN")]
"""The name of a column of the data; those of a DataFrame may be integers."""
ScoreName: TypeAlias = Annotated[str, Form("SCORE")]
"""The name of a score."""
System: TypeAlias = Annotated[str, Form("SYSTEM")]
"""The name of a system."""
ConfidenceLevel: TypeAlias = Annotated[float, Form("LEVEL", parse_level, EXPECTED_LEVEL)]
"""A confidence level: a fraction or in percent."""
Count: TypeAlias = Annotated[int, AtLeast(1)]
Seed: TypeAlias = Annotated[int, AtLeast(0)]
Jobs: TypeAlias = Annotated[int, AtLeast(0)]
"""A number of processes or threads; 0 for all available CPUs."""
Share: TypeAlias = Annotated[float, Between(0, 1)]


def _lazily(name: str) -> Callable[[Any], Any]:
    """Returns a function of a module, which is imported when it is called."""
    return lambda given: resolve_name(f"metrics_framework.{name}")(given)


AggregateSpec: TypeAlias = Annotated[
    str,
    Form("autorank[:metrics=A+B]", _lazily("evaluation.autorank:parsed_aggregate"), "autorank or autorank:metrics=A+B"),
]
"""What to make of the scores of several metrics."""
Columns: TypeAlias = Annotated[
    Mapping[str, str | Sequence[str]] | str | Sequence[str],
    Form("ROLE=COLUMN,…", _lazily("inputs.row_view:parsed_roles")),
]
"""The columns of roles: ``{"rater": "Coder"}``, or pairs; ``a+b`` joins two columns."""
Where: TypeAlias = Annotated[
    Mapping[str, str | int | float | bool] | str | Sequence[str],
    Form("COLUMN=VALUE", _lazily("inputs.row_view:parsed_conditions")),
]
"""Conditions that rows must meet: ``{"lang": "de"}``, or texts such as ``lang=de`` and ``lang!=de``."""
RowKind: TypeAlias = Annotated[str, Form("KIND")]
"""A kind of row, such as an attention check, or the status of work."""
MissingWords: TypeAlias = Annotated[str | Sequence[str], Form("WORD,…", _lazily("inputs.values:missing_words"))]
"""The words that mean a missing value, in place of the usual ones."""
RatingScale: TypeAlias = Annotated[Sequence[str] | str, Form("LOW-HIGH|WORD,…", _lazily("inputs.values:Scale.of"))]
"""The values that ratings may have: a range, or words, the lowest first."""


class Reading(TypedDict, total=False):
    """How ratings are read: the options of all functions on ratings.

    Args:
        rater_column: The column of the raters; by default ``rater_id``, ``rater``, …. ``FILE`` if each file is by one
            rater, who is called like it, or as ``NAME=FILE`` or the key of a dictionary of tables says.
        columns: The columns of ``instance_id``, ``summarizer_id``, ``rater``, ``document``, ``source``, ``output`` and
            other roles, where they have other names, as in ``rater=Coder``; ``instance_id=doc+seg`` joins two columns.
        where: The values of columns that rows must have.
        column_names: The names of the columns of tables without a header.
        keep: The kinds of rows that count although they are attention checks or rejected work, such as ``BAD``.
        duplicates: Which of several rows of a file for one output, or one output and rater, is kept: none (``error``),
            the ``first`` or the ``last``.
        pair_by: What an input is known by: its ``id``, or its ``source`` if ids differ between files.
        missing: The words that mean a missing value, such as ``99``, in place of ``NA``, ``None`` and the like.
        scale: The values that ratings may have: a range, such as 1-5, or words, the lowest first, such as
            Bad,Fair,Good. Metrics and judges may have other numbers. If ratings are labels, all possible ones.
    """

    rater_column: Column | None
    columns: Columns | None
    where: Where | None
    column_names: Sequence[Column]
    keep: Sequence[RowKind]
    duplicates: Duplicates
    pair_by: PairBy
    missing: MissingWords | None
    scale: RatingScale | None


class WideReading(Reading, total=False):
    """How ratings are read, also those of wide tables.

    Args:
        raters: The columns of a table with one column per rater; their ratings are named 'raters'.
        systems: The columns of a table with one column per system; their ratings are named 'systems'.
    """

    raters: Sequence[Column]
    systems: Sequence[Column]


CorrectionName: TypeAlias = Annotated[str, NamesFrom(lambda: tuple(CORRECTIONS))]
"""A correction of p-values for several tests."""


NAME_OR_NUMBER = Form("NAME|NUMBER", lambda value: value)
"""The form of an option with several names or a number, which its request tells apart."""


class Log(AnyLog):
    """Issues warnings as Python warnings, and keeps them in ``warnings``; notes are not printed.

    One log may be the ``log`` of several calls; each of its warnings is issued once.

    Args:
        tell: Receives notes and warnings instead, as texts.
        silent: Whether to show no progress in a terminal or notebook.
        strict: Whether a warning is an error.
        checks: Whether to check texts for mistakes.
    """

    def __init__(
        self,
        tell: Callable[[str], object] | None = None,
        *,
        silent: bool = True,
        strict: bool = False,
        checks: bool = True,
    ) -> None:
        super().__init__(strict, silent, checks=checks)
        self.tell = tell
        self.option_form = "python"
        self.strict_option = "strict=True"

    @overrides
    def note(self, message: str, category: type[Warning] | None = None) -> None:
        """Passes a message on to the function that receives it; otherwise, one with a category is a Python warning."""
        message = printable(in_python(message, PARAMETERS.get()))
        if self.tell is not None:
            self.tell(message)
        elif category is not None and message not in self._noted:
            self._noted.add(message)
            warnings.warn(message, category, stacklevel=frames_of_package())

    @overrides
    def warn(self, message: str, category: type[Warning] = UserWarning) -> None:
        message = in_python(message, PARAMETERS.get())
        is_new = message not in self.warnings
        super().warn(message, category)
        if is_new and self.tell is None:
            warnings.warn(printable(message), category, stacklevel=frames_of_package())


LogSpec: TypeAlias = AnyLog | Callable[[str], object] | None
"""What receives notes and warnings: a log, or a function of a text, such as `print`; `None` for Python warnings."""


def log_of(log: LogSpec, *, strict: bool = False, checks: bool = True, silent: bool = True) -> AnyLog:
    """Returns the log of a call: a new one, or a given one, which then decides what else is an error.

    Args:
        log: What the caller gives.
        strict: Whether warnings are errors.
        checks: Whether to check texts for mistakes.
        silent: Whether a new log shows no progress.

    Raises:
        InputError: if it is neither a log nor a function.
    """
    if not isinstance(log, AnyLog):
        if log is not None and not callable(log):
            raise InputError(f"'log' must be an fw.Log or a function of a message, such as print, got {shown(log)}")
        return Log(log, silent=silent, strict=strict, checks=checks)
    log.strict, log.checks = log.strict or strict, log.checks and checks
    return log


def with_campaigns(
    sources: Sequence[Source], ratings: Collection[str], rules: RatingRules, log: AnyLog
) -> list[Source]:
    """Returns sources with the rows of campaigns as ``fw convert-ratings`` writes them, if these have a rating.

    Args:
        sources: Files and rows in memory.
        ratings: The ratings that are read.
        rules: Which kinds of ratings are kept, and which raters are left out.
        log: Receives notes on what is left out.

    Raises:
        InputError: if raters are to be left out, but there is no campaign.
    """
    from metrics_framework.inputs.rating_rows import RatingsInMemory, campaign_in

    found, is_asked = [*sources], not {ERROR_FREE, "esa"}.isdisjoint(ratings)
    exports = {at: path for at, path in enumerate(sources) if is_asked and isinstance(path, str) and campaign_in(path)}
    if rules.drop_raters and not exports:
        raise InputError("'drop_raters' needs an export of Appraise or Pearmut, and the rating 'esa'")
    error_free = LEAST_ERROR_FREE if ERROR_FREE in ratings else None
    for index, path in exports.items():
        from metrics_framework.meta_evaluation.ratings.campaign import campaign_of  # only for campaigns

        campaign = campaign_of(path, keep=rules.keep, drop_raters=rules.drop_raters, error_free=error_free)
        assert campaign is not None
        found[index] = RatingsInMemory(ListName(path), campaign.read(path))
        how = f"a mean score of {LEAST_ERROR_FREE:g} on, if at most half of the raters mark an error"
        for note in (*campaign.notes(), *[f"outputs are error-free from {how}"] * (ERROR_FREE in ratings)):
            log.note(f"{path}: {note}")
    return found
