"""``fw estimate``: mean ratings of systems from a few ratings and the scores of a judge."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, cast

from metrics_framework.commands.analysis import LOG, PAGE_ENDINGS, REPORT, REPORT_HELP, Analysis, Printable
from metrics_framework.commands.command import Command
from metrics_framework.commands.judgement_files import JUDGEMENTS
from metrics_framework.commands.spellings import Spelling
from metrics_framework.common.errors import UsageError
from metrics_framework.common.overriding import overrides
from metrics_framework.reports.pictures import ENDINGS

if TYPE_CHECKING:
    from metrics_framework.api.estimate import EstimateResult


@Command.register("estimate")
class Estimate(Analysis):
    """Estimates mean ratings of systems from a few ratings and the scores of a judge.

    Reads tables in which a judge has scored all outputs and people have rated a random sample of them. Prints
    prediction-powered means and differences of systems, which are unbiased however bad the judge is, beside the means
    of the ratings only, and how many ratings the judge saves. With --pass-fail, shares are also corrected for the
    errors of the judge.
    """

    usage = "FILE … --rating R --judge J [--judge J …]  [flags]"
    inputs = JUDGEMENTS
    groups: ClassVar[Mapping[str, Sequence[str]]] = {
        "ratings and judgements": ("rating", "judges", "rater_column", "cluster"),
        "estimates": ("baseline", "tuning", "pass_fail", "errors_of", "confidence"),
    }
    spellings: ClassVar[Mapping[str, Spelling]] = {"--judge": "judges"}
    set_otherwise: ClassVar[Mapping[str, str]] = {"ratings": "FILE …", **LOG}

    pictures: ClassVar[Mapping[str, Sequence[str]]] = {
        **dict.fromkeys(("--plot", "--forest-plot"), ENDINGS),
        REPORT: PAGE_ENDINGS,
    }

    @overrides
    def function(self) -> Callable[..., Any]:
        from metrics_framework.api.estimate import estimate

        return estimate

    @overrides
    def examples(self) -> Sequence[str]:
        return (
            "fw estimate ratings.csv judgements.jsonl --rating helpfulness --judge model",
            "fw estimate ratings.csv judgements.jsonl --rating correct \\\n"
            "    --judge model --pass-fail --baseline old",
        )

    @overrides
    def add_picture_arguments(self, group: argparse._ArgumentGroup) -> None:
        pictures = {
            "--plot": "means against the number of ratings, with and without the judge (SVG, PNG or PDF)",
            "--forest-plot": "means and differences with intervals, with and without the judge",
        }
        for flag, what in pictures.items():
            group.add_argument(flag, metavar="OUT.svg", help=f"picture of {what}")
        group.add_argument(REPORT, metavar="OUT.html", help=REPORT_HELP)

    @overrides
    def picture(self, flag: str, result: Printable, path: str) -> str:
        found = cast("EstimateResult", result)
        if flag == REPORT:
            return found.page()
        return found.plot() if flag == "--plot" else found.forest_plot()

    @overrides
    def check(self, arguments: argparse.Namespace) -> None:
        if "errors_of" in arguments.options and not self.value(arguments, "pass_fail"):
            raise UsageError("--errors-of needs --pass-fail")
