"""``fw setup metric``."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from metrics_framework.commands.arguments import Flag, Parser
from metrics_framework.commands.command import Command
from metrics_framework.common.errors import FwError, UsageError, printable
from metrics_framework.common.overriding import overrides
from metrics_framework.metrics.base.metric import Metric
from metrics_framework.metrics.base.requirements import Requirement, missing


class SetupFlags:
    """Flags of what is set up, and from where.

    Args:
        model: Also download this model of the Hugging Face hub, for a neural metric.
        from_dir: Get wheels and files from this folder, without a network.
        dry_run: Only print what would be done.
    """

    model = Flag(metavar="MODEL")
    from_dir = Flag(metavar="DIR")
    dry_run = Flag(action="store_true")


@Command.register("setup metric", "setup-metric")
class SetupMetric(Command):
    """Installs or downloads what a metric needs.

    It prints what it will do before it does it. Packages are installed for the Python that runs fw; downloaded files
    are verified by their checksums. Programs such as Java are not installed, only reported. The exit code is 0 only if
    the metric is ready.
    """

    example_lines = "fw setup metric meteor --dry-run", "fw setup metric wer --from-dir wheels"
    usage = "NAME [flags]"
    when_interrupted = "what was installed or downloaded completely is kept; run the same command again to continue"
    keeps_files = True

    @overrides
    def add_arguments(self, parser: Parser) -> None:
        parser.add_argument("name", metavar="NAME", help="metric (fw list metrics shows all, and which are ready)")
        parser.add_flags(parser, SetupFlags)

    @overrides
    def run(self, arguments: argparse.Namespace) -> int:
        metric: type[Metric] = Metric.by_name(arguments.name)
        folder: str | None = arguments.from_dir
        if folder is not None and not os.path.isdir(folder):
            raise UsageError(f"--from-dir must be a folder, got '{folder}'")
        requirements = [*metric.requirements, *_models(arguments.name, metric, arguments.model, folder)]
        unmet = missing(requirements)
        _print(_described(arguments.name, requirements, unmet, folder))
        if arguments.dry_run:
            return 0
        for requirement in unmet:
            if requirement.plan(folder) is not None and not requirement.is_met():  # one run of pip may install several
                requirement.set_up(folder)
        if left := missing(requirements):
            raise FwError(*(f"'{arguments.name}' {requirement.how_to_get_it()}" for requirement in left))
        _print(_ready(arguments.name, metric, arguments.model))
        return 0


def _models(name: str, metric: type[Metric], model: str | None, folder: str | None) -> list[Requirement]:
    if model is None:
        return []
    from metrics_framework.metrics.base.neural_metric import NeuralMetric

    if not issubclass(metric, NeuralMetric):
        raise UsageError(f"--model is for neural metrics, and '{name}' has no model")
    if folder is not None and not os.path.isdir(os.path.expanduser(model)):
        raise UsageError(
            f"--from-dir has no models of the hub; copy the folder of '{model}', and use the folder as --model"
        )
    return list(metric.files_of(model))


def _described(
    name: str, requirements: Sequence[Requirement], unmet: Sequence[Requirement], folder: str | None
) -> list[str]:
    """Describes what a metric needs, what is missing, and what will be done."""
    if not requirements:
        return []
    lines = [f"'{name}' needs:"]
    lines += [
        f"  the {requirement.kind} {requirement.name}: {'missing' if requirement in unmet else 'found'}"
        for requirement in requirements
    ]
    plans = [requirement.plan(folder) for requirement in unmet]
    steps = list(dict.fromkeys(plan for plan in plans if plan is not None))
    lines += [f"will {step}" for step in steps]
    own = [requirement for requirement, plan in zip(unmet, plans, strict=True) if plan is None]
    return lines + [f"cannot be set up here: {requirement.how_to_get_it()}" for requirement in own]


def _ready(name: str, metric: type[Metric], model: str | None) -> list[str]:
    if model is not None or not hasattr(metric, "usual_model"):
        return [f"'{name}' is ready"]
    example = f", such as {metric.usual_model}" if metric.usual_model else ""
    return [f"the packages of '{name}' are ready; its --model is a folder or a name on the hub{example}"]


def _print(lines: Sequence[str]) -> None:
    for line in lines:
        print(printable(line))
    sys.stdout.flush()  # before pip prints anything
