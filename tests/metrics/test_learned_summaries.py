"""BARTScore, UniEval, AlignScore and SummaC against scores of the published programs, on tiny models."""

from __future__ import annotations

import ast
import json
import math
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from learned_models import tiny_alignscore, tiny_nli
from messages import TEXT_TOO_LONG
from samples import sampled

from metrics_framework import load
from metrics_framework.common.errors import DataError, UnknownNameError, UsageError

Shared = Callable[[str], Path]
pytestmark = pytest.mark.usefixtures("no_network")
TOLERANCE = 2e-6


@pytest.fixture(autouse=True)
def _needs_torch(tiny_models: object) -> None:
    """Skips the tests without torch and transformers."""


@pytest.fixture(scope="module")
def folder(shared_path: Shared) -> Path:
    return shared_path("golden/learned/summaries.json").parent


@pytest.fixture(scope="module")
def saved(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "summaries.json").read_text())
    return found


def sentences(text: str) -> list[str]:
    """The sentences of the golden texts."""
    return re.split(r"(?<=[.!?]) ", text)


def listed(values: Iterable[Any]) -> list[list[Any]]:
    return [[value] for value in values]


# ---- BARTScore -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("batch_size", sampled([1, 5], 1))
@pytest.mark.parametrize(
    ("run", "options"),
    sampled(
        [
            ("document to summary", {}),
            ("reference to summary", {"direction": "reference-to-summary"}),
            ("summary to reference", {"direction": "summary-to-reference"}),
            ("several references, mean", {"direction": "summary-to-reference"}),
            ("max", {"direction": "summary-to-reference", "reference_aggregation": "max"}),
        ],
        2,
    ),
)
def test_bartscore_equals_its_program(
    run: str, options: dict[str, Any], batch_size: int, folder: Path, saved: dict[str, Any]
) -> None:
    metric = load("bartscore", model=str(folder / "seq2seq"), batch_size=batch_size, **options)
    references = listed(saved["references"])
    if run in ("several references, mean", "max"):
        references = [[*one, document] for one, document in zip(references, saved["documents"], strict=True)]
    fields = {"documents": listed(saved["documents"]), "references": references}
    found = metric.score_all(saved["summaries"], **{name: fields[name] for name in metric.required_context_fields})
    assert [scores["bartscore"] for scores in found] == pytest.approx(saved["bartscore"][run], abs=TOLERANCE)


def test_bartscore_f_is_the_mean_of_both_directions(tiny_models: Callable[..., str]) -> None:
    model = tiny_models("text-to-text")
    one, other, both = (
        load("bartscore", model=model, direction=direction).score("a cat sat", references=["the dog", "it was a fox"])
        for direction in ("reference-to-summary", "summary-to-reference", "f")
    )
    assert both["bartscore"] == pytest.approx((one["bartscore"] + other["bartscore"]) / 2, abs=TOLERANCE)
    by_source = load("bartscore", model=model, against="source")
    assert by_source.fields == ("summary", "source")
    documents = load("bartscore", model=model).score("a cat", documents=["the dog", "it was"])["bartscore"]
    assert by_source.score("a cat", "the dog it was")["bartscore"] == documents


def test_bartscore_counts_truncated_texts(tiny_models: Callable[..., str]) -> None:
    metric = load("bartscore", model=tiny_models("text-to-text"), max_length=5)
    metric.score("a cat", documents=["the dog sat on the mat and it was a cat"])
    assert metric.notes() == [f"bartscore: 1 text {TEXT_TOO_LONG}"]
    with pytest.raises(UsageError, match="'max_length' must be at least 1, got 0"):
        load("bartscore", max_length=0)
    with pytest.raises(UsageError, match="direction"):
        load("bartscore", direction="sideways")


# ---- UniEval ---------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("batch_size", [1, 5])
def test_unieval_equals_its_program(batch_size: int, folder: Path, saved: dict[str, Any]) -> None:
    metric = load("unieval", model=str(folder / "t5"), batch_size=batch_size)
    summaries = list(map(sentences, saved["summaries"]))
    found = metric.score_all(summaries, listed(saved["references"]), listed(saved["documents"]))
    for name in ("coherence", "consistency", "fluency", "relevance", "overall"):
        score = "unieval" if name == "overall" else f"unieval_{name}"
        expected = [scores[name] for scores in saved["unieval"]["summarization"]]
        assert [scores[score] for scores in found] == pytest.approx(expected, abs=TOLERANCE)


def test_unieval_needs_only_the_fields_of_its_dimensions() -> None:
    assert load("unieval").fields == ("summary", "references", "documents")
    assert load("unieval", dimensions=["fluency"]).fields == ("summary",)
    assert load("unieval", template="dialogue").fields == ("summary", "source", "documents")
    assert load("unieval", template="data-to-text").fields == ("summary", "references")
    with pytest.raises(UnknownNameError, match="'beauty'"):
        load("unieval", dimensions=["beauty"])
    with pytest.raises(UnknownNameError, match="'haiku'"):
        load("unieval", template="haiku")


def test_unieval_reads_the_templates_of_other_tasks(tiny_models: Callable[..., str], tmp_path: Path) -> None:
    model = tiny_models("text-to-text")
    asked = {"question": "Is it short?", "parts": {"text": "summary", "reference": "references"}, "sentences": "sum"}
    path = tmp_path / "own.json"
    path.write_text(json.dumps({"brevity": asked, "fluency": {"question": "Is it?", "parts": {"text": "summary"}}}))
    metric = load("unieval", model=model, template=str(path))
    both = metric.score("A cat. The dog.", ["it", "the mat"])
    single = [
        metric.score(text, [reference])["unieval_brevity"]
        for text in ("A cat.", "The dog.")
        for reference in ("it", "the mat")
    ]
    assert both["unieval_brevity"] == pytest.approx(math.fsum(single) / 2, abs=TOLERANCE)
    assert both["unieval"] == pytest.approx((both["unieval_brevity"] + both["unieval_fluency"]) / 2)
    assert "|template:sha256-" in metric.signature()
    dialogue = load("unieval", model=model, template="dialogue").score("Yes. It was.", "is it a cat?", ["the cat"])
    assert set(dialogue) == {"unieval", *(f"unieval_{name}" for name in (
        "naturalness", "coherence", "engagingness", "groundedness", "understandability"))}  # fmt: skip
    assert dialogue["unieval_engagingness"] > 0


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[", "must contain a JSON object"),
        ("[]", "an object for each dimension"),
        ('{"a": {"parts": {}}}', "the dimension 'a' must be an object with a 'question'"),
        ('{"a": {"question": "?", "parts": {"x": "reference"}}}', "'parts' of the dimension 'a'"),
        ('{"a": {"question": "?", "parts": {"x": "summary"}, "sentences": "all"}}', "must be mean or sum, got 'all'"),
        ('{"a": {"question": "?", "parts": {"x": "summary"}, "part": 1}}', "the unknown names part"),
    ],
)
def test_what_a_template_must_not_be(content: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "template.json"
    path.write_text(content)
    with pytest.raises(DataError, match=message) as caught:
        load("unieval", template=str(path))
    assert caught.value.path == str(path)


# ---- AlignScore ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("batch_size", sampled([1, 7], 1))
@pytest.mark.parametrize(
    "run", sampled(["nli_sp", "bin_sp", "reg_sp", "nli", "bin", "reg", "nli_sp, long documents"], 1)
)
def test_alignscore_equals_its_program(run: str, batch_size: int, folder: Path, saved: dict[str, Any]) -> None:
    documents = saved["long documents" if "long" in run else "documents"]
    metric = load(
        "alignscore",
        model=str(folder / "alignscore"),
        encoder=str(folder / "roberta-encoder"),
        mode=run.split(",")[0],
        batch_size=batch_size,
    )
    found = metric.score_all(list(map(sentences, saved["summaries"])), [[sentences(text)] for text in documents])
    tolerance = 5e-6 if "reg" in run else TOLERANCE  # unlike probabilities, not between 0 and 1
    assert [scores["alignscore"] for scores in found] == pytest.approx(saved["alignscore"][run], abs=tolerance)


def test_alignscore_counts_equal_sentences_twice(tmp_path: Path) -> None:
    metric = load("alignscore", **tiny_alignscore(tmp_path), mode="reg_sp")
    document = ["the cat sat on the mat and it was big."]
    one, other, three = (
        metric.score(text, document)["alignscore"] for text in ("a cat.", "one dog.", "a cat. A cat. one dog.")
    )
    found = metric.score(["a cat.", "a cat.", "one dog."], document)["alignscore"]
    assert found == pytest.approx((2 * one + other) / 3, abs=TOLERANCE)
    assert math.isfinite(three)
    assert math.isfinite(metric.score("", document)["alignscore"])
    assert math.isfinite(metric.score("a cat.", [""])["alignscore"])


def test_alignscore_truncates_the_context_unless_the_claim_is_too_long(tmp_path: Path) -> None:
    paths = tiny_alignscore(tmp_path)
    tokenizer_config = Path(paths["encoder"]) / "tokenizer_config.json"
    content = json.loads(tokenizer_config.read_text())
    tokenizer_config.write_text(json.dumps({**content, "model_max_length": 12}))
    metric = load("alignscore", **paths, mode="reg", cache=False)
    assert (
        metric.score("a cat", ["the dog sat on a mat"])["alignscore"]
        == (metric.score("a cat", ["the dog sat on a mat and it was big"])["alignscore"])
    )
    assert metric.notes() == [f"alignscore: 1 text {TEXT_TOO_LONG}"]
    assert math.isfinite(metric.score("a big cat " * 5, ["the dog"])["alignscore"])


def test_alignscore_names_what_is_missing(tmp_path: Path) -> None:
    paths = tiny_alignscore(tmp_path)
    with pytest.raises(UsageError, match=r"alignscore.* an-encoder"):
        load("alignscore", model=paths["model"]).score("a", ["b"])
    file = Path(paths["model"]) / "m.ckpt"
    assert load("alignscore", model=str(file), encoder=paths["encoder"]).score("a cat.", ["it"])
    file.with_name("n.ckpt").write_bytes(file.read_bytes()[:9000])
    with pytest.raises(DataError, match=r"must have one file that ends in \.ckpt, found m\.ckpt, n\.ckpt"):
        load("alignscore", **paths).score("a", ["b"])
    with pytest.raises(DataError, match="has 9,000 bytes"):
        load("alignscore", model=str(file.with_name("n.ckpt")), encoder=paths["encoder"]).score("a", ["b"])
    with pytest.raises(UsageError, match="there is no file or folder 'x/y'"):
        load("alignscore", model="x/y").signature()
    with pytest.raises(UsageError, match="mode"):
        load("alignscore", mode="sp")


# ---- SummaC ----------------------------------------------------------------------------------------------------------

ZERO_SHOT = [
    f"zs {granularity} {options}"
    for granularity in ("sentence", "document", "2sents", "paragraph-sentence", "document-sentence")
    for options in ({}, {"use_con": False}, {"op1": "mean", "op2": "min"})
]


@pytest.mark.parametrize("run", sampled(ZERO_SHOT, 1))
def test_summac_equals_its_program(run: str, folder: Path, saved: dict[str, Any]) -> None:
    _, granularity, options = run.split(" ", 2)
    metric = load("summac", model=str(folder / "nli"), granularity=granularity, **ast.literal_eval(options))
    found = metric.score_all(
        list(map(sentences, saved["summaries"])), [[sentences(text)] for text in saved["documents"]]
    )
    assert [scores["summac"] for scores in found] == pytest.approx(saved["summac"][run], abs=TOLERANCE)


@pytest.mark.slow
def test_summac_conv_equals_its_program(folder: Path, saved: dict[str, Any], tmp_path: Path) -> None:
    import torch

    golden = saved["summac"]
    weights = tmp_path / "weights.bin"
    torch.save({name: torch.tensor(values) for name, values in golden["conv weights"].items()}, weights)
    for bins in (None, golden["conv bins"]):
        metric = load("summac", model=str(folder / "nli"), variant="conv", weights=str(weights), bins=bins)
        found = metric.score_all(
            list(map(sentences, saved["summaries"])), [[sentences(text)] for text in saved["documents"]]
        )
        expected = golden["conv percentile sentence e mean"]
        assert [scores["summac"] for scores in found] == pytest.approx(expected, abs=TOLERANCE)


def test_summac_of_texts_without_pieces_is_zero(tmp_path: Path) -> None:
    metric = load("summac", **tiny_nli(tmp_path))
    assert metric.score("", ["the cat sat on the mat."])["summac"] == 0
    assert metric.score("the cat sat on the mat.", ["A cat. A dog."])["summac"] == 0  # at most 10 characters
    assert metric.score("the cat sat on the mat.", ["the big dog sat on it."])["summac"] != 0


def test_summac_subtracts_contradiction(tmp_path: Path) -> None:
    import torch

    from metrics_framework.neural.models import load as load_model

    paths = tiny_nli(tmp_path)
    document, summary = "the big dog sat on it.", "the cat sat on the mat."
    loaded = load_model("sequence-classification", paths["model"])
    with torch.inference_mode():
        logits = loaded.model(**loaded.tokenizer(document, summary, return_tensors="pt")).logits[0]
    contradiction, _, entailment = logits.softmax(dim=0).tolist()
    found = load("summac", **paths).score(summary, [document])["summac"]
    assert found == pytest.approx(entailment - contradiction, abs=TOLERANCE)


def test_summac_refuses_options_of_the_other_variant_and_other_models(tmp_path: Path) -> None:
    for options, message in (
        ({"variant": "conv"}, "needs 'weights'"),
        ({"weights": "w"}, "options of the variant conv"),
        ({"variant": "conv", "weights": "w", "op2": "max"}, "options of the variant zs"),
        ({"granularity": "word"}, "granularity"),
        ({"op1": "sum"}, "op1"),
    ):
        with pytest.raises(UsageError, match=message):
            load("summac", **options)
    model = tiny_nli(tmp_path / "two", labels=("entailment", "other"))
    texts = ("the cat sat on the mat.", ["the big dog sat on it."])
    with pytest.raises(DataError, match="has entailment, other, but not contradiction, neutral"):
        load("summac", **model).score(*texts)
    bad = tmp_path / "w.bin"
    bad.write_bytes(b"nothing")
    with pytest.raises(DataError, match="cannot be read as"):
        load("summac", **tiny_nli(tmp_path / "nli"), variant="conv", weights=str(bad)).score(*texts)


def test_a_template_is_a_file_of_the_run(tmp_path: Path) -> None:
    path = tmp_path / "brevity.json"
    path.write_text('{"brevity": {"question": "Is it short?", "parts": {"summary": "summary"}}}')
    assert load("unieval", template=str(path)).files_read() == [str(path)]
