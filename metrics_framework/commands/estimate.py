"""``fw estimate``: mean ratings of systems from a few ratings and the scores of a judge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from metrics_framework.commands.analysis import JUDGEMENTS, PAGE, REPORT, Analysis, Picture
from metrics_framework.commands.arguments import Spelling
from metrics_framework.commands.command import Command


@Command.register("estimate")
class Estimate(Analysis):
    """Estimates mean ratings from a few, and from a judge.

    Combines a few ratings of each system with the scores of a judge for all its outputs. Reads tables in which a judge
    has scored all outputs and people have rated a random sample of them. Prints prediction-powered means and
    differences of systems, which are unbiased however bad the judge is, beside the means of the ratings only, and how
    many ratings the judge saves. With --pass-fail, shares are also corrected for the errors of the judge.
    """

    function_name = "estimate"
    example_lines = (
        "fw estimate ratings.csv judgements.jsonl --rating helpfulness --judge model",
        "fw estimate ratings.csv judgements.jsonl --rating correct \\\n    --judge model --pass-fail --baseline old",
    )
    usage = "FILE … --rating R --judge J [--judge J …]  [flags]"
    inputs = JUDGEMENTS
    groups: ClassVar[Mapping[str, Sequence[str]]] = {
        "ratings and judgements": ("rating", "judges", "cluster"),
        "estimates": ("baseline", "tuning", "pass_fail", "errors_of", "confidence"),
    }
    spellings: ClassVar[Mapping[str, Spelling]] = {"--judge": "judges"}
    set_otherwise = ("ratings", "log")
    pictures: ClassVar[Mapping[str, Picture]] = {
        "--plot": Picture(
            "picture of means against the number of ratings, with and without the judge (SVG, PNG or PDF)"
        ),
        "--forest-plot": Picture(
            "picture of means and differences with intervals, with and without the judge", "forest"
        ),
        REPORT: PAGE,
    }
