"""BERTScore against the package bert-score, on models built in code."""

from __future__ import annotations

import json
import math
import pickle
import random
import subprocess
import sys
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from messages import (
    DROPS_ALL_CHARACTERS,
    HAS_LAYERS_FROM_1_TO,
    LIKE_EMPTY_TEXTS,
    NEEDS_A_MODEL,
    NO_LAYER,
    SCORES_OF_EMPTY_TEXTS,
    TEXT_TOO_LONG,
)
from neural_models import VOCABULARY
from recorded_programs import DOCUMENTS
from recorded_programs import SUMMARIES as KINDS
from samples import sampled

from metrics_framework import evaluate, load
from metrics_framework.common.errors import DataError, UsageError
from metrics_framework.evaluation import run
from metrics_framework.kernels.dispatch import Request
from metrics_framework.metrics.bertscore import known_layers
from metrics_framework.neural import models

Models = Callable[..., str]

pytestmark = pytest.mark.usefixtures("no_network")
NAMES = ("precision", "recall", "f1")
WORDS = VOCABULARY.split()[:40]


def texts(count: int, seed: int) -> list[str]:
    draw = random.Random(seed)
    return [" ".join(draw.choices(WORDS, k=draw.randint(1, 20))) for _ in range(count)]


SUMMARIES = texts(30, 1)
REFERENCES = [texts(1 + index % 3, 2 + index) for index in range(30)]


def by_the_package(summaries: Sequence[str], references: Any, **options: Any) -> list[tuple[float, ...]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        package = pytest.importorskip(
            "bert_score", reason="needs the package bert-score of the dependency group 'neural-oracles'"
        )
        columns = package.score(list(summaries), references, nthreads=0, batch_size=8, device="cpu", **options)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def rows(scores: Sequence[Any]) -> list[tuple[float, ...]]:
    return [tuple(one["bertscore"][name] for name in NAMES) for one in scores]


def assert_close(found: Sequence[Sequence[float]], expected: Sequence[Sequence[float]], within: float = 1e-5) -> None:
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        assert one == pytest.approx(other, abs=within, nan_ok=True)


@pytest.fixture
def baseline(tmp_path: Path) -> str:
    path = tmp_path / "baseline.tsv"
    path.write_text("LAYER,P,R,F\n0,0.1,0.2,0.3\n1,0.11,0.21,0.31\n2,0.37,0.38,0.36\n3,0.4,0.4,0.4\n")
    return str(path)


@pytest.mark.slow
@pytest.mark.parametrize("rescaled", [False, True], ids=["plain", "rescaled"])
@pytest.mark.parametrize("idf", [False, True], ids=["no-idf", "idf"])
@pytest.mark.parametrize("layer", [1, 2, 3])
def test_scores_equal_those_of_the_package(
    tiny_models: Models, baseline: str, layer: int, idf: bool, rescaled: bool
) -> None:
    options: dict[str, Any] = {"num_layers": layer}
    if rescaled:
        options |= {"rescale_with_baseline": True, "baseline_path": baseline, "lang": "en"}
    expected = by_the_package(SUMMARIES, REFERENCES, model_type=tiny_models(), idf=idf, **options)
    metric = load("bertscore", model=tiny_models(), idf="references" if idf else None, batch_size=7, **options)
    assert_close(rows(metric.score_all(SUMMARIES, REFERENCES)), expected)
    macro, micro = metric.evaluate(SUMMARIES, REFERENCES)
    assert_close(rows(micro), expected)
    assert_close(rows([macro]), [[sum(column) / len(expected) for column in zip(*expected, strict=True)]])


@pytest.fixture
def empty_texts_in_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    """For empty texts, the package calls a method that newer versions of transformers have no longer."""
    transformers = pytest.importorskip("transformers")
    monkeypatch.setattr(
        transformers.BertTokenizer, "build_inputs_with_special_tokens", lambda self, ids: self("")["input_ids"], False
    )


@pytest.mark.usefixtures("empty_texts_in_the_package")
def test_empty_texts_score_0_as_in_the_package(tiny_models: Models) -> None:
    summaries, references = ["", "the cat", " ", "a dog"], [["the cat"], [""], [""], ["a dog"]]
    metric = load("bertscore", model=tiny_models(), num_layers=2)
    found = rows(metric.score_all(summaries, references))
    assert_close(found, by_the_package(summaries, references, model_type=tiny_models(), num_layers=2))
    assert found[:3] == [(0.0, 0.0, 0.0)] * 3
    assert f"bertscore: {SCORES_OF_EMPTY_TEXTS} 0" in metric.notes()


@pytest.mark.usefixtures("empty_texts_in_the_package")
@pytest.mark.parametrize("idf", sampled(["", "references", "file"], 1), ids=["no-idf", "idf", "idf-of-a-file"])
def test_texts_of_all_kinds_score_as_in_the_package(tiny_models: Models, tmp_path: Path, idf: str) -> None:
    lines = [*REFERENCES[2], "the cat sat"]
    path = tmp_path / "references.txt"
    path.write_text("\n".join(lines), encoding="utf-8")
    utilities = pytest.importorskip("bert_score.utils", reason="needs the package bert-score")
    of_file = utilities.get_idf_dict(lines, utilities.get_tokenizer(tiny_models()), nthreads=0)
    own, of_package = {"": (None, False), "references": ("references", True), "file": (str(path), of_file)}[idf]
    references = [[text] for text in DOCUMENTS]
    metric = load("bertscore", model=tiny_models(), num_layers=3, idf=own)
    expected = by_the_package(KINDS, references, model_type=tiny_models(), num_layers=3, idf=of_package)
    assert_close(rows(metric.score_all(KINDS, references)), expected)


DROPPED = [  # summary, references, why
    ("\u200b", ["the cat"], "a summary without tokens"),
    ("\ufffd \u200b", ["a dog", "the cat sat"], "several references"),
    ("the cat", ["\u200b"], "a reference without tokens"),
    ("the cat", ["\ufffd", "a cat sat"], "one of two references without tokens"),
    ("\ufffd", ["\u200b"], "neither has tokens"),
    ("\u200b", [""], "beside an empty text"),
    ("\u200b the cat \ufffd", ["the cat"], "only some characters are dropped"),
    ("[SEP]", ["the big cat"], "a special token has weight 0, but is a token"),
    ("the", ["[SEP]", "the dog"], "also in a reference"),
    ("a dog", ["the", "the dog"], "an ordinary pair"),
]


@pytest.mark.usefixtures("empty_texts_in_the_package")
@pytest.mark.parametrize("rescaled", sampled([False, True], 1), ids=["plain", "rescaled"])
@pytest.mark.parametrize("idf", [False, True], ids=["no-idf", "idf"])
def test_texts_that_the_tokenizer_drops_score_as_in_the_package(
    tiny_models: Models, baseline: str, idf: bool, rescaled: bool
) -> None:
    options: dict[str, Any] = {"num_layers": 2}
    if rescaled:
        options |= {"rescale_with_baseline": True, "baseline_path": baseline, "lang": "en"}
    summaries, references = [case[0] for case in DROPPED], [case[1] for case in DROPPED]
    expected = by_the_package(summaries, references, model_type=tiny_models(), idf=idf, **options)
    for _ in range(2):  # computed, and from the cache
        metric = load("bertscore", model=tiny_models(), idf="references" if idf else None, **options)
        assert_close(rows(metric.score_all(summaries, references)), expected)
        assert_close(rows(metric.evaluate(summaries, references)[1]), expected)
        zero = "0 before they are rescaled" if rescaled else "0"
        assert metric.notes() == [
            f"bertscore: {SCORES_OF_EMPTY_TEXTS} {zero}",
            f"bertscore: the tokenizer of the model {DROPS_ALL_CHARACTERS} 3 texts; {LIKE_EMPTY_TEXTS} {zero}",
        ]


def test_jackknifed_scores_of_a_text_without_tokens_are_0(tiny_models: Models) -> None:
    metric = load("bertscore", model=tiny_models(), num_layers=2)
    references = ["a cat", "the dog", "\u200b"]
    batch = metric.score_batch(Request.SCORES | Request.JACKKNIFED, [["\ufffd", "a cat"]], [references])
    assert batch.jackknifed is not None
    assert rows([batch.jackknifed[0]]) == [(0.0, 0.0, 0.0)]
    alone = rows([metric.score("a cat", ["the dog"])])[0]
    expected = [(1 + 1 + one) / 3 for one in alone]  # without "the dog", "\u200b", "a cat"
    assert_close(rows([batch.jackknifed[1]]), [expected])


def test_jackknifed_scores_are_means_over_references_and_embed_nothing_again(
    tiny_models: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    metric = load("bertscore", model=tiny_models(), num_layers=2, idf="references", cache=False)
    batch = metric.score_batch(Request.SCORES | Request.JACKKNIFED, [["the cat"]], [["a cat", "the dog", "it sat"]])
    assert batch.jackknifed is not None
    weights_of_all = load("bertscore", model=tiny_models(), num_layers=2, idf="references", cache=False)
    with weights_of_all.weighted_by(weights_of_all.weights_of([["x"]], [["a cat", "the dog", "it sat"]])):
        pairs = [["the dog", "it sat"], ["a cat", "it sat"], ["a cat", "the dog"]]
        variants = rows([weights_of_all.score("the cat", pair) for pair in pairs])
    mean = tuple(sum(column) / 3 for column in zip(*variants, strict=True))
    assert_close(rows([batch.jackknifed[0]]), [mean], 1e-6)


def test_each_distinct_text_is_embedded_once(tiny_models: Models, monkeypatch: pytest.MonkeyPatch) -> None:
    from metrics_framework.neural import embeddings

    embedded: list[Any] = []
    encode = embeddings.encode
    monkeypatch.setattr(embeddings, "encode", lambda model, new: embedded.extend(new) or encode(model, new))
    metric = load("bertscore", model=tiny_models(), num_layers=2, cache=False)
    for _ in range(2):
        metric.score_all(["the cat", "a dog", "the cat"], [["it", "a dog"]] * 3)
    assert sorted(embedded) == ["a dog", "it", "the cat"]


def test_scores_come_from_the_cache_without_a_model(tiny_models: Models, monkeypatch: pytest.MonkeyPatch) -> None:
    long_text = "the cat " * 100
    first = load("bertscore", model=tiny_models(), num_layers=2)
    expected = first.score_all([*SUMMARIES, long_text], [*REFERENCES, ["a"]])
    monkeypatch.setattr(models, "_loaded", lambda *options: pytest.fail("the model was loaded"))
    again = load("bertscore", model=tiny_models(), num_layers=2, device="cpu", batch_size=3)
    assert again.score_all([*SUMMARIES, long_text], [*REFERENCES, ["a"]]) == expected
    assert again.notes() == first.notes()
    assert f"bertscore: 1 text {TEXT_TOO_LONG}" in again.notes()


def test_other_options_have_other_cached_scores(tiny_models: Models) -> None:
    scores = [
        rows([load("bertscore", model=tiny_models(), **options).score("the cat", ["a dog", "it"])])
        for options in ({"num_layers": 1}, {"num_layers": 2}, {"num_layers": 2, "precision": "bfloat16"})
    ]
    assert len(set(map(str, scores))) == 3


def test_weights_of_a_file_are_those_of_its_lines(tiny_models: Models, tmp_path: Path) -> None:
    path = tmp_path / "references.txt"
    path.write_text("\n".join(reference for references in REFERENCES for reference in references) + "\n")
    by_file = load("bertscore", model=tiny_models(), num_layers=2, idf=str(path))
    of_call = load("bertscore", model=tiny_models(), num_layers=2, idf="references")
    assert by_file.score_all(SUMMARIES, REFERENCES) == of_call.score_all(SUMMARIES, REFERENCES)
    assert by_file.score_all(SUMMARIES[:2], REFERENCES[:2]) == by_file.score_all(SUMMARIES, REFERENCES)[:2]


def test_a_text_whose_tokens_are_in_all_references_has_no_recall_with_idf(tiny_models: Models) -> None:
    scores = load("bertscore", model=tiny_models(), num_layers=2, idf="references").score("a dog", ["the cat"])
    precision, recall, f1 = rows([scores])[0]
    assert -1 <= precision <= 1
    assert math.isnan(recall)
    assert f1 == 0
    assert_close([(precision, recall, f1)], by_the_package(["a dog"], [["the cat"]], model_type=tiny_models(),
                                                           num_layers=2, idf=True))  # fmt: skip


def write_rows(path: Path, systems: int) -> str:
    lines = []
    for system in range(systems):
        for index, (summary, references) in enumerate(zip(texts(30, 50 + system), REFERENCES, strict=True)):
            row = {"instance_id": index, "summarizer_id": f"s{system}", "summary": summary, "references": references}
            lines.append(json.dumps(row))
    path.write_text("\n".join(lines) + "\n")
    return str(path)


@pytest.mark.slow
def test_a_run_weights_by_the_references_of_all_its_inputs(
    tiny_models: Models, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "checked_batches", partial(run.checked_batches, size=7))
    path = write_rows(tmp_path / "rows.jsonl", systems=2)
    metric = f"bertscore:num_layers=2,idf=references,model={tiny_models()}"
    found = evaluate(metric, files=path)
    outputs = {f"s{system}": texts(30, 50 + system) for system in range(2)}
    assert evaluate(metric, outputs, references=REFERENCES).systems == found.systems
    for system in range(2):
        expected = by_the_package(texts(30, 50 + system), REFERENCES, model_type=tiny_models(), num_layers=2, idf=True)
        means = [sum(column) / 30 for column in zip(*expected, strict=True)]
        assert_close([[found.systems[f"s{system}"]["bertscore"][name] for name in NAMES]], [means])


def test_standard_input_cannot_be_read_twice(tiny_models: Models, tmp_path: Path) -> None:
    path = write_rows(tmp_path / "rows.jsonl", systems=1)
    command = [sys.executable, "-m", "metrics_framework", "bertscore", "evaluate", "--input-files", "-"]
    command += ["--model", tiny_models(), "--num-layers", "2", "--idf", "references"]
    with open(path, "rb") as stream:
        done = subprocess.run(command, stdin=stream, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    message = "'bertscore' reads the input twice with these options; standard input and pipes can be read only once"
    assert message in done.stderr


@pytest.mark.slow
def test_the_command_prints_a_table_and_says_what_was_cut(tiny_models: Models, tmp_path: Path) -> None:
    row = {"instance_id": 1, "summary": "the cat " * 100, "references": ["the cat", ""]}
    (tmp_path / "rows.jsonl").write_text(json.dumps(row) + "\n")
    command = [sys.executable, "-W", "error", "-m", "metrics_framework", "bertscore", "evaluate", "--input-files"]
    command += [str(tmp_path / "rows.jsonl"), "--model", tiny_models(), "--num-layers", "2"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "bertscore" in done.stdout
    assert "1 text longer than the model allows" in done.stderr
    assert f"{SCORES_OF_EMPTY_TEXTS} 0" in done.stderr


def test_the_signature_has_model_layer_weights_and_baseline(tiny_models: Models, baseline: str) -> None:
    metric = load("bertscore", model=tiny_models(), num_layers=2, rescale_with_baseline=True, baseline_path=baseline)
    fingerprint = models.find_model(tiny_models()).fingerprint
    assert metric.signature().startswith(f"bertscore|model:{fingerprint}|layer:2|prefix:no|idf:none|baseline:")
    assert metric.other_signatures("1") == {}
    assert metric.files_read()


def test_the_hash_code_of_the_package_is_given_for_known_models(monkeypatch: pytest.MonkeyPatch) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        of_package = pytest.importorskip("bert_score.utils").get_hash
    for idf in (False, True):
        for rescaled in (False, True):
            expected = of_package("roberta-large", 17, idf, rescaled, False, False)
            metric = load("bertscore", model="roberta-large", idf="references" if idf else None,
                          rescale_with_baseline=rescaled, lang="en")  # fmt: skip
            assert metric.other_signatures("1") == {"bert-score": expected}


def test_layers_are_those_of_the_package() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert known_layers() == pytest.importorskip("bert_score.utils").model2layers


def test_the_baselines_of_the_package_are_found(tmp_path: Path) -> None:
    pytest.importorskip("bert_score", exc_type=ImportError)
    metric = load("bertscore", model="roberta-large", rescale_with_baseline=True, lang="en")
    assert metric._baselines == pytest.approx((0.8315, 0.8315, 0.8312), abs=1e-3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, f"'bertscore' {NEEDS_A_MODEL}"),
        ({"model": "tiny"}, "does not know which layer of the model 'tiny' to use: set 'num_layers'"),
        ({"model": "tiny", "num_layers": 9}, f"{HAS_LAYERS_FROM_1_TO} 3; {NO_LAYER} 9"),
        ({"model": "tiny", "num_layers": 2, "rescale_with_baseline": True}, "rescaling needs a baseline: set 'lang'"),
        (
            {"model": "tiny", "num_layers": 2, "rescale_with_baseline": True, "lang": "en"},
            "there is no baseline for 'tiny' and 'en'",
        ),
    ],
)
def test_wrong_options_are_errors(tiny_models: Models, options: Any, message: str) -> None:
    if "model" in options:
        options = {**options, "model": tiny_models()}
    with pytest.raises(UsageError, match=message):
        load("bertscore", **options).score("a", ["b"])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("LAYER,P,R,F\n0,0.1,0.1,0.1\n", "has no baseline of layer 2"),
        ("2,0.1,0.1\n", "must be LAYER,P,R,F with numbers below 1, got '2,0.1,0.1'"),
        ("2,0.1,0.1,1\n", "with numbers below 1"),
        ("2,0.1,x,0.1\n", "with numbers below 1"),
    ],
)
def test_wrong_baselines_are_errors(tiny_models: Models, tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "b.tsv").write_text(content)
    metric = load("bertscore", model=tiny_models(), num_layers=2, rescale_with_baseline=True,
                  baseline_path=str(tmp_path / "b.tsv"))  # fmt: skip
    with pytest.raises(DataError, match=message):
        metric.score("a", ["b"])


def test_an_empty_file_of_references_is_an_error(tiny_models: Models, tmp_path: Path) -> None:
    (tmp_path / "empty.txt").touch()
    metric = load("bertscore", model=tiny_models(), num_layers=2, idf=str(tmp_path / "empty.txt"))
    with pytest.raises(DataError, match="has no references, one per line"):
        metric.score("a", ["b"])


def test_a_pickled_metric_leaves_its_embeddings_behind(tiny_models: Models) -> None:
    metric = load("bertscore", model=tiny_models(), num_layers=2, cache=False)
    expected = metric.score_all(SUMMARIES, REFERENCES)
    assert len(pickle.dumps(metric)) < 5000
    assert_close(rows(pickle.loads(pickle.dumps(metric)).score_all(SUMMARIES, REFERENCES)), rows(expected), 1e-6)
