"""BLANC-help over a tiny masked language model, against the published package."""

from __future__ import annotations

import math
import random
from pathlib import Path
from types import SimpleNamespace

import pytest
from brute_force.coefficients import Options
from neural_models import masked_lm
from samples import sampled

from metrics_framework.common.errors import UsageError
from metrics_framework.metrics.blanc import Blanc, InputMaker, Masks
from metrics_framework.neural.models import Loaded

pytest.importorskip("torch", reason="BLANC needs the extra neural")

LONG_WORDS = ["milk", "honey", "trees", "green", "bazaar", "mini", "large", "drove"]
WORDS = [*LONG_WORDS, "##van", "the", "to", "a", ".", ":"]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    return masked_lm(tmp_path_factory.mktemp("model"), WORDS, LONG_WORDS, is_fixed=False)


def texts(number: int, seed: int, longest: int = 12) -> list[str]:
    generator = random.Random(seed)
    words = [word for word in WORDS if not word.startswith("##") and word != "."] + ["minivan", "zebra"]
    return [" ".join(generator.choices(words, k=generator.randint(1, longest))) + " ." for _ in range(number)]


# ---- the package -----------------------------------------------------------------------------------------------------

SUMMARIES, DOCUMENTS = [texts(2, seed) for seed in range(40, 46)], [texts(4, seed, 20) for seed in range(50, 56)]
DOCUMENTS[5] = [" ".join(LONG_WORDS * 12)]  # too long for the model
PACKAGE = [  # options, scores of the package blanc 0.3.4 with the model `masked_lm` and the same sentences
    ({"min_sentence_tokens": 30}, [-2 / 35, 1 / 23, 1 / 29, 1 / 29, 1 / 14, 0]),
    ({"min_sentence_tokens": 30, "gap": 6}, [2 / 35, 1 / 23, 1 / 29, -3 / 29, -1 / 14, 0]),
    (
        {"min_sentence_tokens": 30, "gap": 4, "gap_mask": 2, "measure": "improve"},
        [11 / 62, 1 / 41, 2 / 51, 1 / 14, 5 / 52, 1 / 102],
    ),
    (
        {"min_sentence_tokens": 30, "min_token_length_normal": 1, "min_token_length_followup": 3, "separator": "a :"},
        [2 / 31, -1 / 42, 1 / 15, 1 / 23, 3 / 41, 7 / 51],
    ),
]


@pytest.mark.parametrize(("options", "expected"), sampled(PACKAGE, 1), ids=[str(options) for options, _ in PACKAGE])
def test_blanc_equals_the_package(options: Options, expected: list[float], tmp_path: Path) -> None:
    metric = Blanc(masked_lm(tmp_path / "model", WORDS, LONG_WORDS), splitter="none", **options, cache=False)
    scores = metric.score_all(SUMMARIES, [[document] for document in DOCUMENTS])
    assert [score["blanc_help"] for score in scores] == pytest.approx(expected, abs=1e-12)


def test_scores_do_not_depend_on_the_batch_size(model: str) -> None:
    summaries, documents = texts(6, 1), [texts(3, seed) for seed in range(2, 8)]
    scores = [Blanc(model, batch_size=size, cache=False).score_all(summaries, documents) for size in (1, 5, 64)]
    assert scores[0] == scores[1] == scores[2]


def test_an_empty_summary_scores_zero_and_a_document_without_long_words_nothing(model: str) -> None:
    metric = Blanc(model, cache=False)
    assert metric.score("", ["milk honey ."]) == {"blanc_help": 0.0}
    assert math.isnan(metric.score("milk .", ["a : the ."])["blanc_help"])
    assert math.isnan(metric.score("milk .", [""])["blanc_help"])


def test_several_documents_are_scored_as_one(model: str) -> None:
    metric = Blanc(model, cache=False)
    first, second = texts(2, 5)
    assert metric.score("green honey .", [first, second]) == metric.score("green honey .", [[first, second]])


def test_shortened_inputs_are_reported_with_the_number_of_outputs(model: str) -> None:
    metric = Blanc(model, splitter="none", min_sentence_tokens=5, cache=False)
    long, short = " ".join(LONG_WORDS * 10), "milk honey"
    metric.score_all([long, short, short], [[short], [long], [short]])
    assert metric.notes() == [
        "blanc: inputs of 2 outputs are longer than the model allows; sentences or summaries are shortened"
    ]
    metric.score(long, [short])  # the same output again
    assert "inputs of 2 outputs" in metric.notes()[0]


def test_scores_and_notes_come_from_the_cache(model: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FW_CACHE", str(tmp_path))
    long = " ".join(LONG_WORDS * 10)
    first, second = Blanc(model), Blanc(model)
    scores = first.score_all(["green milk", long], [["large trees ."], ["honey"]])
    monkeypatch.setattr(Blanc, "loaded", None)  # to load the model would fail
    assert second.score_all(["green milk", long], [["large trees ."], ["honey"]]) == scores
    assert second.notes() == first.notes() != []
    with pytest.raises(TypeError):
        Blanc(model, gap=6).score("green milk", ["large trees ."])  # other options, other scores
    monkeypatch.setattr("unicodedata.unidata_version", "99.1.0")
    with pytest.raises(TypeError):
        Blanc(model).score("green milk", ["large trees ."])  # another Python, possibly other tokens


def test_a_model_without_a_mask_is_refused() -> None:
    tokenizer = SimpleNamespace(mask_token=None, cls_token="[CLS]", sep_token="[SEP]")
    loaded = Loaded(None, tokenizer, "cpu", 64, "")
    with pytest.raises(UsageError, match="whose tokenizer has a mask_token, such as bert-base-uncased"):
        InputMaker(loaded, Masks(2, 1, 4, 2, 100), ".", "", 100)
