"""Language pairs: test sets by ``--test-set`` and ``--language-pair``, and tokenizers for the target language."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from metrics_framework.commands.easse_habits import explain_test_set
from metrics_framework.common.errors import UsageError
from metrics_framework.common.options import parse_spec
from metrics_framework.datasets.catalogue import language_pair_of
from metrics_framework.metrics.base.metric import Metric


def choose_test_set(arguments: argparse.Namespace, has_test_set: bool) -> None:
    """Replaces ``--test-set wmt24 --language-pair en-de`` by ``--dataset wmt24/en-de``.

    Args:
        arguments: The arguments.
        has_test_set: Whether a configuration names a test set.

    Raises:
        UsageError: if the flags are incomplete or contradict each other.
    """
    name, pair = arguments.test_set, arguments.language_pair
    if pair is not None:
        check_language_pair(pair)
    if arguments.origlang is not None and not (has_test_set or name or arguments.dataset):
        raise UsageError("--origlang selects rows of a test set; name it with --dataset")
    if name is None:
        return
    if arguments.dataset is not None:
        raise UsageError(f"--dataset {arguments.dataset} and --test-set {name} both name a test set; use only one")
    if "," in name:
        raise UsageError(f"--test-set {name} names several test sets; score one at a time")
    if pair is None:
        explain_test_set(name)
        raise UsageError(f"--test-set {name} needs a language pair: --language-pair SOURCE-TARGET, as in en-de")
    arguments.dataset = f"{name}/{pair}"


def check_language_pair(pair: str) -> None:
    """Checks the form of a language pair.

    Raises:
        UsageError: if it is not ``SOURCE-TARGET``.
    """
    source, hyphen, target = pair.partition("-")
    if not (source and hyphen and target):
        raise UsageError(f"a language pair must be SOURCE-TARGET, as in en-de, got '{pair}'")


def target_language(pair: str | None, test_set: str) -> str | None:
    """Returns the target language that ``--language-pair`` or the name of a test set says, if either does."""
    pair = pair or language_pair_of(test_set)
    return None if pair is None else str(pair.partition("-")[2])


def with_tokenizer(specs: Sequence[Any], language: str | None, notes: list[str]) -> Sequence[Any]:
    """Returns the metrics with the tokenizer that sacreBLEU uses for a language, where they have no tokenizer.

    Args:
        specs: The metrics.
        language: The language.
        notes: Receives what was chosen.
    """
    if language is None:
        return specs
    chosen = []
    for spec in specs:
        name, options = parse_spec(spec)
        tokenizer = Metric.by_name(name).language_tokenizers.get(language)
        if tokenizer is not None and not {"tokenizer", "tokenize"} & options.keys():
            options["tokenizer"] = tokenizer
            notes.append(f"{name} uses the tokenizer '{tokenizer}' for the target language '{language}'")
        chosen.append({"type": name, **options})
    return chosen
