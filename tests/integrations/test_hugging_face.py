"""Metrics with the methods of Hugging Face's ``evaluate``: the examples of the published cards, to the last digit."""

from __future__ import annotations

from typing import Any

import pytest
from messages import IS_NULL, NOT_TEXT

from metrics_framework import DocumentBasedMetric, InputError, Metric, UsageError
from metrics_framework.integrations import hugging_face

SOURCE = "About 95 species are currently accepted."
REFERENCES = [
    "About 95 species are currently known.",
    "About 95 species are now accepted.",
    "95 species are now accepted.",
]
PREDICTIONS = [
    "does this sentence match??",
    "what about this sentence?",
    "What did the TER metric user say to the developer?",
]
REFERENCES_LIST = [
    ["does this sentence match", "does this sentence match!?!"],
    ["wHaT aBoUt ThIs SeNtEnCe?", "wHaT aBoUt ThIs SeNtEnCe?"],
    ["Your jokes are...", "...TERrible"],
]

TER_CARD = [  # outputs, options, the dictionary of the card
    (3, {"case_sensitive": True}, {"score": 150.0, "num_edits": 15, "ref_length": 10.0}),
    (2, {"case_sensitive": True}, {"score": 62.5, "num_edits": 5, "ref_length": 8.0}),
    (2, {"normalized": True, "case_sensitive": True}, {"score": 57.14285714285714, "num_edits": 6, "ref_length": 10.5}),
    (2, {"ignore_punct": True, "case_sensitive": False}, {"score": 0.0, "num_edits": 0, "ref_length": 8.0}),
    (3, {"ignore_punct": True, "case_sensitive": False}, {"score": 100.0, "num_edits": 10, "ref_length": 10.0}),
]


@pytest.mark.parametrize(("outputs", "options", "card"), TER_CARD)
def test_ter_returns_the_dictionaries_of_its_card(outputs: int, options: dict[str, Any], card: dict[str, Any]) -> None:
    given = {"predictions": PREDICTIONS[:outputs], "references": REFERENCES_LIST[:outputs]}
    for found in (
        hugging_face.load("ter").compute(**given, **options),
        hugging_face.load("ter", **options).compute(**given),
    ):
        assert list(found.items()) == list(card.items())
        assert type(found) is dict
        assert [type(value) for value in found.values()] == [float, int, float]


def test_the_other_name_of_asian_support_is_known() -> None:
    ter = hugging_face.load("ter")
    given = {"predictions": ["你好 吗"], "references": [["你好吗"]]}
    alias = ter.compute(**given, normalized=True, support_zh_ja_chars=True)
    assert alias == ter.compute(**given, normalized=True, asian_support=True)
    assert alias != ter.compute(**given, normalized=True)


@pytest.mark.parametrize("name", ["sari", "ter", "google-rouge"])
def test_the_metrics_with_a_published_card_name_its_scores(name: str) -> None:
    assert Metric.by_name(name).card_names


ROUGE = {  # the example of the card
    "predictions": ["hello goodbye", "ankh morpork"],
    "references": ["goodbye", "general kenobi"],
}


def test_rouge_returns_the_lists_of_its_card() -> None:
    rouge = hugging_face.load("rouge")
    lists = rouge.compute(**ROUGE, rouge_types=["rouge1", "rougeL"], use_aggregator=False)
    assert lists == {"rouge1": [2 / 3, 0.0], "rougeL": [2 / 3, 0.0]}
    means = rouge.compute(**ROUGE)
    assert means == {"rouge1": 1 / 3, "rouge2": 0.0, "rougeL": 1 / 3, "rougeLsum": 1 / 3}
    assert hugging_face.load("google-rouge").compute(**ROUGE) == means


def test_rouge_of_several_references_is_that_of_the_best() -> None:
    rouge = hugging_face.load("rouge", use_stemmer=True)
    references = [["Hi", "hello there, goodbyes"], ["x"]]
    assert rouge.compute(predictions=ROUGE["predictions"], references=references, rouge_types=["rouge1"]) == {
        "rouge1": 2 * (2 / 2) * (2 / 3) / (2 / 2 + 2 / 3) / 2
    }


def test_options_of_a_call_join_those_of_the_metric() -> None:
    ter = hugging_face.load("ter", case_sensitive=True)
    given = {"predictions": PREDICTIONS[:2], "references": REFERENCES_LIST[:2]}
    assert ter.compute(**given, normalized=True)["score"] == 57.14285714285714
    assert ter.compute(**given)["score"] == 62.5, "the options of one call are of that call only"


def test_a_metric_without_card_gives_its_flat_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Metric.by_name("ter"), "card_names", {})
    found = hugging_face.load("ter").compute(predictions=["a b"], references=[["a c"]])
    assert found == {"ter": 50.0, "ter_num_edits": 1, "ter_ref_length": 2.0}


def test_outputs_can_be_added_one_by_one_and_in_batches() -> None:
    ter = hugging_face.load("ter", case_sensitive=True)
    expected = ter.compute(predictions=PREDICTIONS, references=REFERENCES_LIST)
    for prediction, references in zip(PREDICTIONS, REFERENCES_LIST, strict=True):
        ter.add(prediction=prediction, references=references)
    assert ter.compute() == expected
    ter.add(prediction=PREDICTIONS[0], reference=REFERENCES_LIST[0])
    ter.add_batch(predictions=PREDICTIONS[1:], references=REFERENCES_LIST[1:])
    assert ter.compute() == expected


def test_what_was_added_is_scored_once_with_given_outputs_and_not_lost_by_a_wrong_call() -> None:
    ter = hugging_face.load("ter")
    ter.add(prediction="a", reference="b")
    with pytest.raises(UsageError, match="did you mean 'normalized'"):
        ter.compute(normalised=True)
    assert ter.compute(predictions=["c"], references=[["c"]]) == {"score": 50.0, "num_edits": 1, "ref_length": 2.0}
    with pytest.raises(InputError):
        ter.compute()


WRONG = [  # metric, arguments, what the error says
    ("ter", {"predictions": ["a"]}, "needs references"),
    ("ter", {"references": [["a"]]}, "needs predictions"),
    ("ter", {}, "got nothing"),
    ("sari", {"predictions": ["a"], "references": [["a"]]}, "needs sources"),
    ("ter", {"predictions": ["a", "b"], "references": [["a"]]}, "same number of entries"),
    ("ter", {"predictions": [], "references": []}, "no outputs to evaluate"),
    ("ter", {"predictions": "a", "references": ["a"]}, "must be a list"),
    ("ter", {"predictions": ["a"], "references": [[]]}, "output 0 has no reference"),
    ("ter", {"predictions": [None], "references": [["a"]]}, rf"'predictions\[0\]' {IS_NULL}"),
    ("ter", {"predictions": ["a"], "references": [[5]]}, rf"'references\[0\]\[0\]' is the number 5, {NOT_TEXT}"),
]


@pytest.mark.parametrize(("name", "arguments", "message"), WRONG)
def test_arguments_that_do_not_fit_are_refused(name: str, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        hugging_face.load(name).compute(**arguments)


def test_arguments_are_not_changed() -> None:
    references = ["a c"]
    hugging_face.load("ter").compute(predictions=["a b"], references=references)
    assert references == ["a c"]


def test_sari_without_options_is_the_variant_of_its_card() -> None:
    given = {"sources": [SOURCE], "predictions": ["About 95 you now get in."], "references": [REFERENCES]}
    assert hugging_face.load("sari").compute(**given)["sari"] == 26.953601953601954
    assert hugging_face.load("sari").metric.signature() == hugging_face.load("sari", variant="hf").metric.signature()


@pytest.mark.parametrize(
    "loaded",
    [
        lambda: hugging_face.load("sari", variant="easse"),
        lambda: hugging_face.load("sari:variant=easse"),
        lambda: hugging_face.load({"type": "sari", "variant": "easse"}),
    ],
)
def test_an_option_that_is_given_counts_however_it_is_given(loaded: Any) -> None:
    assert "|variant:easse|" in loaded().metric.signature()


def test_documents_are_accepted() -> None:
    class Lengths(DocumentBasedMetric):
        def score_multi_all(self, summaries_list: Any, documents_list: Any) -> Any:
            return [
                [{"length": float(len(summary) + sum(map(len, documents)))} for summary in summaries]
                for summaries, documents in zip(summaries_list, documents_list, strict=True)
            ]

    lengths = hugging_face.HuggingFaceMetric(Lengths())
    given: dict[str, Any] = {"predictions": ["a", "bc"], "documents": [["def"], ["g", "hi"]]}
    assert lengths.compute(**given) == {"length": 4.5}
    lengths.add_batch(**given)
    assert lengths.compute(predictions=["j"], documents=[["k"]]) == {"length": 11 / 3}
    with pytest.raises(InputError, match="documents"):
        lengths.compute(predictions=["a"])


def test_add_accepts_the_names_of_evaluate() -> None:
    """Hugging Face's ``add`` takes ``prediction``, ``reference`` and, by the names of its features, ``sources``."""
    added, expected = hugging_face.load("sari"), hugging_face.load("sari")
    added.add(prediction="a b", reference=["a c"], sources="a d")
    added.add(prediction="a", references=["a"], source="a b")
    arguments: dict[str, Any] = {"predictions": ["a b", "a"], "references": [["a c"], ["a"]], "sources": ["a d", "a b"]}
    assert added.compute() == expected.compute(**arguments)
    added.add_batch(**arguments)
    assert added.compute() == expected.compute(**arguments)
    with pytest.raises(InputError, match="'source' and 'sources' mean the same"):
        added.add(prediction="a", source="b", sources="b")
