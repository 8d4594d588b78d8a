"""``fw compare``: compares systems."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, cast, get_args

from overrides import overrides

from metrics_framework.commands.analysis import Analysis, Printable, add_resampling_arguments, whole_number
from metrics_framework.commands.arguments import Parser, number_of_jobs
from metrics_framework.commands.command import Command
from metrics_framework.commands.input_arguments import add_input_arguments, reader_and_files
from metrics_framework.common.errors import Problems, UsageError
from metrics_framework.common.logs import Log
from metrics_framework.data.field_names import with_standard_names
from metrics_framework.dataset_readers.rows import read_rows
from metrics_framework.io.locations import is_remote
from metrics_framework.io.streams import STANDARD
from metrics_framework.io.text_lines import read_lines
from metrics_framework.reports.pictures import ENDINGS
from metrics_framework.significance.multiple_testing import CORRECTIONS
from metrics_framework.significance.resampling import INTERVAL_METHODS, METHOD, SEED, Test

if TYPE_CHECKING:
    from metrics_framework.api.comparisons import ComparisonResult
    from metrics_framework.dataset_readers.dataset_reader import DatasetReader


@Command.register("compare")
class Compare(Analysis):
    """Compares systems: scores with intervals, paired tests of all pairs or against a baseline, and clusters.

    Reads outputs, and scores them with metrics; or reads files of scores and tables of ratings, and compares the mean
    of each score.
    """

    usage = (
        "FILE … [flags]\n"
        "       fw compare --metric NAME … --input-files FILE … [flags]\n"
        "       fw compare --metric NAME … --outputs FILE … --references FILE … [--sources FILE] [flags]"
    )
    pictures: ClassVar[Mapping[str, Sequence[str]]] = {"--plot": ENDINGS}

    def __init__(self) -> None:
        self._reader: DatasetReader
        self._files: list[str] = []

    @overrides
    def examples(self) -> Sequence[str]:
        return (
            "fw compare --metric bleu --metric ter --outputs a.txt b.txt \\\n    --references refs.txt",
            "fw compare scores.jsonl human.csv --baseline a --ci bca",
        )

    @overrides
    def add_input_arguments(self, parser: Parser) -> None:
        group = parser.add_argument_group("scores")
        group.add_argument(
            "files",
            nargs="*",
            metavar="FILE",
            help="files of scores (JSONL, from fw evaluate or fw score), tables of ratings (.csv, .tsv), or files of "
            "outputs",
        )
        group.add_argument(
            "-m",
            "--metric",
            "--metrics",
            action="append",
            default=[],
            metavar="NAME[:OPTION=VALUE,…]",
            help="metric to score outputs with (fw list metrics shows all), or score of the files to compare; repeat "
            "for several",
        )
        group.add_argument(
            "--score",
            action="append",
            default=[],
            metavar="NAME",
            help="score to compare, such as sari_add (default: the main score of each metric); repeat for several",
        )
        group.add_argument(
            "--lower-is-better",
            action="append",
            default=[],
            metavar="NAME",
            help="score of the files for which lower is better; known for the metrics of fw",
        )
        add_input_arguments(parser)
        _add_test_arguments(parser)
        run = parser.add_argument_group("run")
        run.add_argument(
            "-j",
            "--jobs",
            type=number_of_jobs,
            default=1,
            metavar="N",
            help="number of processes that score; 0 uses all available CPUs (default: 1)",
        )

    @overrides
    def input_files(self, arguments: argparse.Namespace) -> Sequence[str]:
        is_text = _has_text_flags(arguments)
        if is_text and arguments.files:
            raise UsageError(f"unexpected argument '{arguments.files[0]}': outputs follow --input-files or --outputs")
        if arguments.all_pairs and arguments.baseline is not None:
            raise UsageError("--all-pairs and --baseline choose different pairs; use only one of them")
        if not is_text and arguments.files and _has_texts(arguments.files[0]):
            arguments.input_files, arguments.files = arguments.files, []
            is_text = True
        if not is_text:
            if not arguments.files:
                raise UsageError("no input; name files of scores, or use --input-files or --outputs with --metric")
            if arguments.cluster is not None and not all(map(_can_be_read_twice, arguments.files)):
                raise UsageError("--cluster reads files of scores twice, which a stream does not allow; use a file")
            return [*arguments.files]
        if not arguments.metric:
            raise UsageError("no metric to score outputs with; use --metric NAME (fw list metrics shows all)")
        self._reader, self._files, others = reader_and_files(arguments, {})
        return [*self._files, *others, *filter(None, [arguments.cluster_file])]

    @overrides
    def add_picture_arguments(self, group: argparse._ArgumentGroup) -> None:
        group.add_argument(
            "--plot", metavar="OUT.svg", help="picture of scores, intervals and the p-values of all pairs by rank"
        )

    @overrides
    def picture(self, flag: str, result: Printable, path: str) -> str:
        return cast("ComparisonResult", result).plot()

    @overrides
    def result(self, arguments: argparse.Namespace, log: Log) -> Printable:
        from metrics_framework.api.compare import compare

        options = {
            "names": arguments.score,
            "baseline": arguments.baseline,
            "test": arguments.test,
            "trials": arguments.trials,
            "correct": arguments.correct,
            "ci": arguments.ci,
            "confidence": arguments.confidence,
            "resamples": arguments.resamples,
            "seed": arguments.seed,
            "clusters": _clusters(arguments),
            "duplicates": arguments.duplicates,
            "log": log,
        }
        if arguments.files:
            names = [*dict.fromkeys([*arguments.metric, *arguments.score])]
            return compare(
                scores=arguments.files, **{**options, "names": names}, lower_is_better=arguments.lower_is_better
            )
        return compare(
            _metrics(arguments, log),
            files=self._files,
            reader=self._reader,
            jobs=arguments.jobs,
            force=arguments.force,
            **options,
        )


def _add_test_arguments(parser: Parser) -> None:
    group = parser.add_argument_group("intervals and tests")
    group.add_argument("--baseline", metavar="SYSTEM", help="compare all other systems with this one only")
    group.add_argument("--all-pairs", action="store_true", help="compare all pairs of systems (the default)")
    group.add_argument(
        "--test",
        choices=get_args(Test),
        default="randomization",
        help="paired test: randomization, bootstrap, or those of sacreBLEU (default: randomization)",
    )
    for test, flags in (("paired-bs", ("-pbs", "--paired-bs")), ("paired-ar", ("-par", "--paired-ar"))):
        help_text = f"the same as --test {test}, as in sacreBLEU"
        group.add_argument(*flags, dest="test", action="store_const", const=test, help=help_text)
    group.add_argument(
        "--trials",
        type=whole_number(1),
        metavar="N",
        help="number of trials of the test (default: 10000; 1000 for a bootstrap); for few inputs, all swaps are "
        "enumerated",
    )
    group.add_argument(
        "--correct",
        choices=tuple(CORRECTIONS),
        default="holm",
        help="correction for the number of pairs: Holm, Benjamini-Hochberg (bh), Benjamini-Yekutieli (by) or none "
        "(default: holm)",
    )
    group.add_argument(
        "--ci",
        choices=INTERVAL_METHODS,
        default=METHOD,
        help=f"interval method; studentized and jackknife are wide enough for few inputs (default: {METHOD})",
    )
    add_resampling_arguments(group, seed=SEED)
    group.add_argument(
        "--cluster",
        metavar="FIELD",
        help="field or column with the cluster of an input, such as document; clusters are drawn and swapped as a "
        "whole",
    )
    group.add_argument(
        "--cluster-file",
        metavar="FILE",
        help="text file with the cluster of each input of --outputs, one per line, instead of --cluster",
    )


def _metrics(arguments: argparse.Namespace, log: Log) -> Sequence[Any]:
    """Returns the metrics, with the tokenizer of the target language if there is a language pair."""
    test_set = arguments.dataset or ""
    if not (arguments.language_pair or "/" in test_set):
        return cast("list[str]", arguments.metric)
    from metrics_framework.commands.language_pairs import target_language, with_tokenizer

    notes: list[str] = []
    metrics = with_tokenizer(arguments.metric, target_language(arguments.language_pair, test_set), notes)
    for note in notes:
        log.note(note)
    return metrics


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


def _has_text_flags(arguments: argparse.Namespace) -> bool:
    flags = ("input_files", "outputs", "dataset", "references", "sources", "test_set", "language_pair")
    return any(getattr(arguments, flag) for flag in flags)


def _can_be_read_twice(path: str) -> bool:
    return path != STANDARD and (os.path.isfile(path) or not os.path.exists(path))


def _has_texts(path: str) -> bool:
    """Returns whether the first row of a file has an output instead of scores; a stream is not read.

    Raises:
        DataError: if the file cannot be read.
    """
    if not (os.path.isfile(path) or is_remote(path)):
        return False
    _, row = next(read_rows(path, Problems()), (0, {}))
    return "metrics" not in row and "summary" in with_standard_names(row)
