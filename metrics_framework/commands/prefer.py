"""``fw prefer``: strengths and ranks of systems from votes between two outputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from metrics_framework.commands.analysis import OUTPUT, Analysis, InputFiles, Picture, Printable
from metrics_framework.commands.arguments import Spelling
from metrics_framework.commands.command import Command
from metrics_framework.common.errors import UsageError
from metrics_framework.common.overriding import overrides


@Command.register("prefer")
class Prefer(Analysis):
    """Ranks systems by votes between two of their outputs.

    Also compares rankings and votes of judges and of people. Reads tables with the columns input, system_a, system_b
    and winner (a, b, tie or the name of a system), and votes of AlpacaEval, MT-Bench and Arena-Hard. Estimates
    strengths by the Bradley–Terry model with sandwich errors, ranks with intervals, and the influence of the order in
    which outputs are shown. A table with the columns best, worst and items is read as best–worst scaling.
    """

    function_name = "prefer"
    example_lines = (
        "fw prefer votes.csv --strength-scale arena --plot strengths.svg",
        "fw prefer judge.jsonl --covariate length --against people.csv \\\n    --output-file preferences.json",
    )
    usage = "VOTES … [--against PEOPLE …]  [flags]"
    inputs = InputFiles(
        "VOTES", "tables of votes (.csv, .tsv, JSON lines); - is standard input", missing="votes", distinct=False
    )
    groups: ClassVar[Mapping[str, Sequence[str]]] = {
        "votes": (
            *("columns", "where", "missing", "baseline", "duplicates", "keep"),
            *("against", "subset", "inconsistent"),
        ),
        "strengths and ranks": (
            *("strength_scale", "covariates", "cluster", "ridge", "correct", "confidence", "resamples", "seed"),
        ),
        OUTPUT: ("show",),
    }
    spellings: ClassVar[Mapping[str, Spelling]] = {"--covariate": "covariates"}
    set_otherwise = ("votes", "log")
    pictures: ClassVar[Mapping[str, Picture]] = {
        "--plot": Picture("picture (.svg, .png, .pdf) of the strengths, with intervals"),
        "--rank-plot": Picture("picture of the ranks, with intervals", "ranks"),
    }

    @overrides
    def picture(self, flag: str, result: Printable) -> str:
        from metrics_framework.api.analysis_results import PreferenceResult

        if not isinstance(result, PreferenceResult) or result.preferences.model is None:
            raise UsageError(f"{flag} shows strengths, which these votes do not determine; leave it out")
        return super().picture(flag, result)
