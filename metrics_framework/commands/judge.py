"""``fw test-judge``: tests whether automatic judges may replace raters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from metrics_framework.commands.analysis import JUDGEMENTS, PAGE, REPORT, Analysis, Picture
from metrics_framework.commands.arguments import Spelling
from metrics_framework.commands.command import Command


@Command.register("test-judge", "judge")
class Judge(Analysis):
    """Tests whether automatic judges may replace raters.

    Reads tables with one row per rating, and the scores of judges from the same or other files. Runs the alternative
    annotator test (Calderon, Reichart and Dror, 2025) for each judge, and for sentinels that know nothing of quality: a
    constant, the length of the output, and the judge's scores in random order. Prints how closely judges agree with
    raters, how harsh and how varied they are, beside the agreement of the raters with each other.
    """

    function_name = "judge"
    example_lines = (
        "fw test-judge ratings.csv judgements.jsonl --rating helpfulness --judge model",
        "fw test-judge ratings.csv --rating simplicity --judge gpt --judge llama \\\n"
        "    --scoring ranks --epsilon crowd --cluster instance_id",
    )
    usage = "FILE … --rating R --judge J [--judge J …]  [flags]"
    inputs = JUDGEMENTS
    groups: ClassVar[Mapping[str, Sequence[str]]] = {
        "ratings and judgements": (*("rating", "judges", "jury", "repeated", "labels", "cluster", "text"),),
        "test": ("scoring", "epsilon", "q", "min_raters", "min_units", "variance"),
        "calibration": ("stated_confidence", "bins", "binning"),
        "confidence intervals": ("confidence", "resamples", "seed"),
    }
    spellings: ClassVar[Mapping[str, Spelling]] = {"--judge": "judges"}
    set_otherwise = ("ratings", "log")
    pictures: ClassVar[Mapping[str, Picture]] = {
        "--forest-plot": Picture(
            "picture of judges and sentinels with intervals, beside the range of raters (SVG, PNG or PDF)", "forest"
        ),
        "--reliability-plot": Picture(
            "picture of stated confidence against the share of judgements that raters share", "reliability"
        ),
        REPORT: PAGE,
    }
