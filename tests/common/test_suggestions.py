"""What is suggested for names that do not exist."""

from __future__ import annotations

import pytest
from messages import NAME_ONE_AT_A_TIME

from metrics_framework import load
from metrics_framework.common.errors import UnknownChoiceError, UnknownNameError
from metrics_framework.common.suggestions import advice
from metrics_framework.metrics import REGISTRY
from metrics_framework.metrics.base.other_metrics import answer

NAMES = ["bleu", "chrf", "sari", "sent-bleu", "ter", "token-f1"]
ADVICE = [  # name, advice, why
    ("BLEU", "; did you mean 'bleu'?", "another case"),
    ("Sent_Bleu", "; did you mean 'sent-bleu'?", "another case and an underscore"),
    ("sent bleu", f"; {NAME_ONE_AT_A_TIME}: 'sent-bleu', 'bleu'", "several names, as a list with a space"),
    ("sari,bleu", f"; {NAME_ONE_AT_A_TIME}: 'sari', 'bleu'", "a list"),
    ("SARI, ter;chrF", f"; {NAME_ONE_AT_A_TIME}: 'sari', 'ter', 'chrf'", "a list with other separators"),
    ("tok", "; did you mean 'token-f1'?", "the beginning of a name"),
    ("sarri", "; did you mean 'sari'?", "a letter too many"),
    ("qqq", "", "nothing is similar"),
    ("sari,qqq", "; did you mean 'sari'?", "one part is unknown"),
    ("", "", "nothing"),
]


@pytest.mark.parametrize(("name", "expected", "why"), ADVICE)
def test_advice_ignores_case_and_splits_lists(name: str, expected: str, why: str) -> None:
    assert advice(name, NAMES) == expected, why


def test_choices_are_suggested_regardless_of_case() -> None:
    with pytest.raises(UnknownChoiceError, match=r"got 'EASSE_Paper'; did you mean 'easse-paper'\?"):
        load("sari", variant="EASSE_Paper")


ELSEWHERE = ["lens", "bleurt", "cider", "gleu", "LENS"]


@pytest.mark.parametrize("name", ELSEWHERE)
def test_a_metric_of_other_programs_is_answered_with_what_is_true_of_it(name: str) -> None:
    with pytest.raises(UnknownNameError) as caught:
        load(name)
    message = str(caught.value)
    assert message.startswith(f"unknown metric '{name}': ")
    assert "fw does not include" in message or "is not part of fw" in message
    assert "fw correlate and fw report --scores-files read the scores of other programs" in message
    assert "did you mean" not in message
    assert message.endswith("wer.")


HERE = [  # name, metric
    ("sacrebleu", "bleu"),
    ("chrF++", "chrf"),
    ("sentence_bleu", "sent-bleu"),
    ("BLEU-4", "bleu"),
    ("spBLEU", "bleu"),
    ("Flesch", "fkgl"),
    ("rouge1", "google-rouge"),
    ("rougeL", "google-rouge"),
    ("rougeLsum", "google-rouge"),
    ("rouge-score", "google-rouge"),
    ("python-rouge", "rouge"),
    ("MeMoG", "autosummeng"),
    ("NPowER", "autosummeng"),
    ("pyramid", "pyramid-score"),
    ("JSD", "simetrix"),
    ("xCOMET", "comet"),
    ("CometKiwi", "comet"),
]


@pytest.mark.parametrize(("name", "metric"), HERE)
def test_another_name_of_a_metric_suggests_the_metric(name: str, metric: str) -> None:
    with pytest.raises(UnknownNameError, match=rf"unknown metric '.*': did you mean '{metric}'"):
        load(name)
    assert metric in REGISTRY.names()


def test_no_metric_of_this_package_is_said_to_be_elsewhere() -> None:
    assert not [name for name in REGISTRY.names(aliases=True) if answer(name)]


@pytest.mark.parametrize("name", ["APES", "BEwT-E", "PyrEval", "s3", "Sum-QE"])
def test_a_program_of_its_authors_is_answered_with_the_metrics_that_use_programs(name: str) -> None:
    with pytest.raises(UnknownNameError, match="'external' runs it, 'precomputed' reads its scores"):
        load(name)
