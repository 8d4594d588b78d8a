"""``fw write votes``."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import combinations
from typing import Any

from metrics_framework.commands.arguments import Parser, add_log_arguments
from metrics_framework.commands.command import Command
from metrics_framework.commands.output_paths import FORCE_HELP, refuse_overwriting
from metrics_framework.commands.run_arguments import INPUT_USAGE, add_input_arguments, reader_and_files, take_systems
from metrics_framework.common.errors import DataError, OutputError, UnknownNameError, UsageError, counted, location_of
from metrics_framework.common.logs import Log, progress
from metrics_framework.common.options import options_of
from metrics_framework.common.overriding import overrides
from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.data.texts import as_string
from metrics_framework.evaluation.checked_input import InputSummary, checked_batches
from metrics_framework.inputs.checks import TextSample
from metrics_framework.inputs.tables import is_table
from metrics_framework.io.jsonl import to_line
from metrics_framework.io.reading import STANDARD
from metrics_framework.io.writing import open_for_writing, output_path
from metrics_framework.language_models.answer_file import COMPARED_WITH
from metrics_framework.language_models.judge import PairSample
from metrics_framework.language_models.templates import PAIR_FIELDS, PAIRWISE_CRITERION
from metrics_framework.metrics.base.metric import Metric, labelled
from metrics_framework.metrics.llm_judge import LlmJudge

TEMPLATE = "pairwise"
PAIRS_AT_ONCE = 512
_WITHOUT_EFFECT = ("weighting", "probe_injection")
_SIDES = {"first": "model_a", "second": "model_b", "tie": "tie"}
_SWAPPED = {**_SIDES, "first": "model_b", "second": "model_a"}

Pair = tuple[EvalInstance, EvalInstance]


@Command.register("write votes", "write-votes")
class WriteVotes(Command):
    """Asks a language model for votes between outputs.

    The votes are for fw prefer. For each input, every pair of systems is judged in both orders by the template
    pairwise, or on --criterion with the --shown-fields of the rows. Each verdict is one line of JSON: input, system_a
    (shown first), system_b, winner, rater (the model) and the lengths in words. fw prefer makes one vote of both
    orders, and reports how often the order decides:

      fw write votes votes.jsonl --input-files outputs.jsonl \\
        --url http://localhost:8000/v1 --model NAME
      fw prefer votes.jsonl --covariate length

    An answer without a verdict is counted and left out. Answers are kept in the cache of llm-judge, so that a run can
    be repeated and continued without paying twice. --write-batch and --read-batch have the requests answered later, at
    a lower price; --answers keeps the answers with their reasoning.
    """

    usage = f"VOTES.jsonl --model NAME {INPUT_USAGE}"
    when_interrupted = "nothing was written; answers that have arrived are in the cache"

    @overrides
    def add_arguments(self, parser: Parser) -> None:
        add_input_arguments(parser)
        group = parser.add_argument_group("output")
        group.add_argument("votes", metavar="VOTES", help="file of JSON lines for the votes; - is standard output")
        group.add_argument("--force", action="store_true", help=FORCE_HELP)
        group = parser.add_argument_group("pairs")
        group.add_argument("--baseline", metavar="SYSTEM", help="compare every other system with this one only")
        group = parser.add_argument_group("options of llm-judge")
        run = parser.add_argument_group("run")
        add_log_arguments(run, has_log_file=False)
        options = [
            option._replace(default=TEMPLATE) if option.name == "template" else option
            for option in options_of(LlmJudge, Metric)
            if option.name not in _WITHOUT_EFFECT
        ]
        parser.add_options(group, options, "llm-judge")

    @overrides
    def run(self, arguments: argparse.Namespace) -> int:
        take_systems(arguments)
        reader, files, others = reader_and_files(arguments, {})
        path = output_path(arguments.votes)
        if is_table(path):
            raise UsageError(f"votes are JSON lines: use a name that ends in .jsonl, got '{path}'")
        metric = _metric(arguments.options)
        read = [*files, *others, *reader.files_read(), *metric.files_read()]
        refuse_overwriting([path], read, force=arguments.force)
        new_log = Log(arguments.strict, arguments.silent, checks=not arguments.no_checks)
        with new_log as log, open_for_writing(path) as stream:
            summary = InputSummary(texts=TextSample() if log.checks else None)
            inputs: dict[str, dict[str, EvalInstance]] = {}
            for batch in checked_batches(reader, files, labelled([metric]), summary, arguments.duplicates):
                for instance in batch.instances:
                    inputs.setdefault(instance.instance_id, {})[instance.summarizer_id] = instance
            pairs = _pairs(inputs, _chosen(list(summary.outputs), arguments.systems, arguments.baseline))
            texts = _texts(metric, pairs)
            summary.warn(log, compared=True)
            try:
                votes = alone = 0
                for rows in _rows(metric, pairs, texts, log):
                    alone += len(rows) == 1
                    for row in rows:
                        signature = {} if votes else {"signature": metric.signature()}  # decision 0002
                        stream.write(to_line({**row, **signature}))
                        votes += 1
                metric.end_if_unanswered()
            finally:
                for note in metric.notes():
                    log.note(note)
            if not votes:
                raise DataError("no votes: no answer has a verdict", path)
        if path != STANDARD:
            orders = f"; {counted(alone, 'pair')} in one order only" if alone else ""
            log.note(f"wrote {counted(votes, 'vote')} about {counted(len(pairs), 'pair')} of outputs to {path}{orders}")
        return 0


def _metric(options: Mapping[str, Any]) -> LlmJudge:
    """Returns the judge; it needs the fields of its template, but no references that the template does not show."""
    template = TEMPLATE if options.get("criterion") is None else PAIRWISE_CRITERION
    metric = LlmJudge(**{"template": template, **options})
    if not metric.template.is_pairwise:
        raise UsageError(
            f"the template '{metric.template.name}' scores single outputs; votes need one that compares two texts, "
            f"such as '{TEMPLATE}'"
        )
    metric.required_context_fields = tuple(name for name in metric.template.fields if name not in PAIR_FIELDS)
    return metric


def _chosen(systems: Sequence[str], wanted: Sequence[str], baseline: str | None) -> list[tuple[str, str]]:
    """Returns the pairs of systems to compare.

    Raises:
        UnknownNameError: if there is no system of a name.
        UsageError: if there are fewer than two systems.
    """
    for name in (*wanted, *([baseline] if baseline is not None else [])):
        if name not in systems:
            raise UnknownNameError("system", name, systems)
    chosen = [name for name in systems if not wanted or name in wanted or name == baseline]
    if len(chosen) < 2:
        raise UsageError(f"votes need the outputs of two systems or more, got {counted(len(chosen), 'system')}")
    if baseline is not None:
        return [(baseline, name) for name in chosen if name != baseline]
    return list(combinations(chosen, 2))


def _pairs(inputs: Mapping[str, Mapping[str, EvalInstance]], systems: Sequence[tuple[str, str]]) -> list[Pair]:
    """Returns the pairs of outputs for the same input.

    Raises:
        DataError: if there are none.
    """
    pairs = [
        (outputs[first], outputs[second])
        for outputs in inputs.values()
        for first, second in systems
        if first in outputs and second in outputs
    ]
    if not pairs:
        raise DataError("no input has outputs of two of the systems")
    return pairs


def _texts(metric: LlmJudge, pairs: Sequence[Pair]) -> list[dict[str, Any]]:
    """Returns the fields of pairs, checked before the first request.

    Raises:
        DataError: if the outputs of an input differ in a field.
        OutputError: if a field cannot be part of a prompt.
    """
    names = metric.required_context_fields
    texts = [
        {
            "first": first.fields["summary"],
            "second": second.fields["summary"],
            "instance_id": first.instance_id,
            "summarizer_id": first.summarizer_id,
            COMPARED_WITH: second.summarizer_id,
            **{name: _shared(name, first, second) for name in names},
        }
        for first, second in pairs
    ]
    with _located(pairs):
        metric.check(texts)
    return texts


def _rows(
    metric: LlmJudge, pairs: Sequence[Pair], texts: Sequence[Mapping[str, Any]], log: Log
) -> Iterator[list[dict[str, Any]]]:
    """Yields the votes about pairs of outputs: for each pair, those of one sample in both orders."""
    with progress("judged", "pairs", log) as advance:
        for start in range(0, len(pairs), PAIRS_AT_ONCE):
            some = pairs[start : start + PAIRS_AT_ONCE]
            try:
                with _located(some):
                    verdicts = metric.judge().verdicts(texts[start : start + PAIRS_AT_ONCE])
            finally:
                metric.write_answers()
            for pair, samples in zip(some, verdicts, strict=True):
                for number, sample in enumerate(samples, 1):
                    rater = metric.sampling.model + (f" (sample {number})" if len(samples) > 1 else "")
                    yield [*_votes(pair, sample, rater)]
            advance(len(some))


@contextmanager
def _located(pairs: Sequence[Pair]) -> Iterator[None]:
    """Lets an error name the first output of its pair."""
    try:
        yield
    except OutputError as error:
        first, second = pairs[error.index]
        error.location = (
            f"{location_of(first.path or '', first.line)}: instance '{first.instance_id}' of systems "
            f"'{first.summarizer_id}' and '{second.summarizer_id}'"
        )
        raise


def _shared(name: str, first: EvalInstance, second: EvalInstance) -> Any:
    """Returns a field of the input.

    Raises:
        DataError: if the outputs of an input differ in it.
    """
    value, other = first.fields[name], second.fields[name]
    if value != other:
        raise DataError(
            f"'{name}' differs between the outputs of '{first.summarizer_id}' and '{second.summarizer_id}' for input "
            f"'{first.instance_id}', so the judge cannot compare them",
            second.path,
            second.line,
        )
    return value


def _votes(pair: Pair, sample: PairSample, rater: str) -> Iterator[dict[str, Any]]:
    """Yields the verdicts of one sample, in both orders; an answer without a verdict yields none."""
    first, second = pair
    for (a, b), outcome, words in zip((pair, (second, first)), sample.outcomes, (_SIDES, _SWAPPED), strict=True):
        if outcome is not None:
            yield {
                "input": first.instance_id,
                "system_a": a.summarizer_id,
                "system_b": b.summarizer_id,
                "winner": words[outcome],
                "rater": rater,
                "length_a": _words(a),
                "length_b": _words(b),
            }


def _words(instance: EvalInstance) -> int:
    return len(as_string(instance.fields["summary"]).split())
