"""``fw compare``: compares systems."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, cast

from metrics_framework.commands.analysis import PAPER, Analysis, InputFiles, Picture, Printable
from metrics_framework.commands.arguments import Constant, Flag, Parser, Spelling
from metrics_framework.commands.command import Command
from metrics_framework.commands.data_sets import data_sets_of, note_on_systems
from metrics_framework.commands.run_arguments import (
    RESULT_ENDINGS,
    TABLE_ENDINGS,
    add_input_arguments,
    command_of_files,
    reader_and_files,
    take_metrics,
    take_references,
    with_tokenizers,
)
from metrics_framework.commands.scoring_command import BY, add_metric_arguments, with_metric_flags
from metrics_framework.common.errors import Problems, UsageError
from metrics_framework.common.logs import Log
from metrics_framework.common.overriding import overrides
from metrics_framework.inputs.rows import read_rows
from metrics_framework.io.locations import is_remote
from metrics_framework.io.reading import read_lines, uncompressed_name

if TYPE_CHECKING:
    from metrics_framework.api.comparisons import ComparisonResult
    from metrics_framework.dataset_readers.dataset_reader import DatasetReader


class ClusterFlags:
    """Flags of the clusters of inputs.

    Args:
        cluster: The field or column with the cluster of an input, such as document; clusters are drawn and swapped as a
            whole.
        cluster_file: A text file with the cluster of each input of --outputs, one per line, instead of --cluster.
    """

    cluster = Flag(metavar="FIELD")
    cluster_file = Flag(metavar="FILE")


@Command.register("compare")
class Compare(Analysis):
    """Compares systems: intervals, paired tests, clusters.

    Tests all pairs, or all systems against a baseline. Reads outputs, and scores them with metrics; or reads files of
    scores and tables of ratings, and compares the mean of each score.
    """

    function_name = "compare"
    example_lines = (
        "fw compare --metric bleu --metric ter --outputs a.txt b.txt \\\n    --references refs.txt",
        "fw compare --profile simplification --input-files outputs.jsonl \\\n    --plot systems.svg",
        "fw compare scores.jsonl human.csv --baseline a --ci bca",
    )
    usage = (
        "FILE … [flags]\n"
        "       fw compare --metric NAME … --input-files FILE … [flags]\n"
        "       fw compare --metric NAME … --outputs FILE … --references FILE … [--sources FILE] [flags]"
    )
    everyday = (
        *("--metric", "--profile", "--score", "--input-files", "--outputs", "--dataset", "--references", "--sources"),
        *("--columns", "--where", "--by", "--baseline", "--test", "--ci", "--cluster", "--jobs", "--output"),
        *("--plot", "--paper", "--output-file"),
    )
    inputs = InputFiles(
        "FILE",
        "files of scores (JSONL, from fw evaluate or fw score), tables of ratings (.csv, .tsv), or files of outputs",
        missing="input",
        flags=(),  # those of files of texts
        distinct=False,
    )
    groups: ClassVar[Mapping[str, Sequence[str]]] = {
        "scores": ("names", "higher_is_better", "lower_is_better", "aggregate"),
        "intervals and tests": (
            *("baseline", "test", "trials", "correct", "ranking", "ci", "confidence", "resamples", "seed"),
        ),
        "run": ("jobs",),
    }
    spellings: ClassVar[Mapping[str, Spelling]] = {
        "--score": "names",
        "--scores": "names",
        "--all-pairs": Constant("baseline", None),
        "-pbs": Constant("test", "paired-bs"),
        "--paired-bs": Constant("test", "paired-bs"),
        "-par": Constant("test", "paired-ar"),
        "--paired-ar": Constant("test", "paired-ar"),
        "-j": "jobs",
    }
    set_otherwise = (
        *("metrics", "profile", "outputs", "references", "sources", "documents", "files", "reader", "columns", "where"),
        *("systems", "scores", "clusters", "duplicates", "force", "checks", "strict", "by", "log"),
    )
    pictures: ClassVar[Mapping[str, Picture]] = {
        "--plot": Picture("picture of scores, intervals and the p-values of all pairs by rank"),
        "--paper": PAPER,
    }

    def __init__(self) -> None:
        self._sets: dict[str, tuple[argparse.Namespace, DatasetReader, list[str]]] = {}
        self._test_set = ""

    @overrides
    def add_input_arguments(self, parser: Parser, group: argparse._ArgumentGroup) -> None:
        super().add_input_arguments(parser, group)
        parser.add_flags(group, ClusterFlags)
        add_metric_arguments(
            parser, "metrics to score outputs with (fw list metrics shows all), or scores of the files to compare"
        )
        add_input_arguments(parser).add_argument("--by", **BY)

    @overrides
    def input_files(self, arguments: argparse.Namespace) -> Sequence[str]:
        of_texts = ("input_files", "outputs", "dataset", "references", "sources", "documents", "test_set")
        is_text = any(getattr(arguments, flag) for flag in (*of_texts, "language_pair"))
        self._test_set = arguments.dataset or ""
        arguments.files = take_metrics(arguments, arguments.files)
        if is_text and arguments.files:
            arguments.files = take_references(arguments, arguments.files)
        if is_text and arguments.files:
            raise UsageError(f"unexpected argument '{arguments.files[0]}': outputs follow --input-files or --outputs")
        has_metrics = bool(arguments.metric or arguments.profile)
        is_named = bool(self.value(arguments, "names")) and not has_metrics  # a table of ratings may have texts
        if not is_text and not is_named and arguments.files and _has_texts(arguments):
            arguments.input_files, arguments.files = arguments.files, []
            is_text = True
        if not is_text:
            _check_scores(arguments)
            return [*arguments.files]
        if not has_metrics:
            advice = (
                "use --metric NAME (fw list metrics shows all), --profile NAME, or --score NAME to compare a column of "
                "ratings"
            )
            raise UsageError(f"no metric to score outputs with; {advice}")
        paths: list[str] = []
        for name, (of_set, _) in data_sets_of(arguments, {}).items():
            reader, files, others = reader_and_files(of_set, {})
            self._sets[name] = of_set, reader, files
            paths += [*files, *others, *filter(None, [of_set.cluster_file])]
        return paths

    @overrides
    def picture(self, flag: str, result: Printable) -> str:
        if flag == "--paper":
            return cast("ComparisonResult", result).paper(self._test_set)
        return super().picture(flag, result)

    @overrides
    def check_result(self, result: Printable) -> None:
        cast("ComparisonResult", result).check_scores()

    @overrides
    def result(self, arguments: argparse.Namespace, log: Log) -> Printable:
        from metrics_framework.api.comparisons import ComparisonResult
        from metrics_framework.evaluation.sets import SetLog

        options = {
            **arguments.options,
            "duplicates": arguments.duplicates,
            "log": log,
            "checks": not arguments.no_checks,
            "by": arguments.by,
        }
        compare = cast("Callable[..., ComparisonResult]", self.function())
        if arguments.files:
            names = list(dict.fromkeys([*arguments.metric, *self.value(arguments, "names")]))
            return compare(
                scores=arguments.files,
                profile=arguments.profile,
                columns=arguments.columns,
                where=arguments.where,
                **{**options, "names": names, "clusters": _clusters(arguments)},
            )
        options |= {"profile": arguments.profile, "force": arguments.force}
        for note in note_on_systems({name: of_set for name, (of_set, _, _) in self._sets.items()}):
            log.note(note)
        found: dict[str, ComparisonResult] = {}
        for name, (of_set, reader, files) in self._sets.items():
            if name:
                options["log"] = SetLog(log, name, set())
            options["clusters"] = _clusters(of_set)
            metrics = with_tokenizers(with_metric_flags(of_set.metric, of_set), of_set, of_set.dataset or "", log.note)
            found[name] = compare(metrics, files=files, reader=reader, **options)
        return ComparisonResult.of_sets(found) if len(found) > 1 else found[""]


def _clusters(arguments: argparse.Namespace) -> str | list[str] | None:
    """Returns the field with the cluster of an input, or the clusters of all inputs.

    Raises:
        UsageError: if both are given, or the outputs are not plain text.
    """
    if arguments.cluster_file is None:
        return cast("str | None", arguments.cluster)
    if arguments.cluster is not None or not arguments.outputs:
        raise UsageError(
            "--cluster-file needs --outputs, whose inputs it lists line by line; rows have --cluster FIELD"
        )
    return list(read_lines(arguments.cluster_file))


def _check_scores(arguments: argparse.Namespace) -> None:
    """Refuses flags and files that no comparison of scores has.

    Raises:
        UsageError: if there are any, or no files.
    """
    if arguments.metric and arguments.files and _is_plain(arguments.files[0]):
        command = " ".join(["fw compare", *(f"--metric {spec}" for spec in arguments.metric)])
        raise UsageError(f"which of these files are outputs? {command_of_files(command, arguments.files)}")
    if arguments.profile:
        raise UsageError("--profile scores outputs; choose scores of files with --score NAME")
    if arguments.no_checks:
        raise UsageError("--no-checks acts only with texts, not with scores of outputs; leave it out")
    if not arguments.files:
        raise UsageError("no input; name files of scores, or use --input-files or --outputs with --metric")


def _is_plain(path: str) -> bool:
    """Returns whether a file has lines of text instead of rows."""
    is_table = uncompressed_name(path).endswith((*RESULT_ENDINGS, *TABLE_ENDINGS))
    return not is_table and os.path.isfile(path) and not any(read_rows(path, Problems()))


def _has_texts(arguments: argparse.Namespace) -> bool:
    """Returns whether files have outputs instead of scores: a flag for their columns or the first row says so.

    Raises:
        DataError: if the first file cannot be read; a stream is not read.
    """
    from metrics_framework.inputs.rating_rows import campaign_in
    from metrics_framework.inputs.roles import role_named
    from metrics_framework.inputs.row_view import FIELDS, parsed_columns

    named = [role_named(name, FIELDS) for name in parsed_columns(arguments.columns or {})]
    if arguments.output_columns or "summary" in named:
        return True
    path = arguments.files[0]
    if not (os.path.isfile(path) or is_remote(path)) or (not arguments.metric and campaign_in(path)):
        return False
    _, row = next(read_rows(path, Problems()), (0, {}))
    return "metrics" not in row and "summary" in row
