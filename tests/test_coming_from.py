"""What the guide "coming from" says of other programs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from metrics_framework.text.tokenizers.tokenizer import tokenizer_names

ROOT = Path(__file__).resolve().parent.parent
GUIDE = (ROOT / "docs" / "guides" / "coming-from.md").read_text(encoding="utf-8")
CORRELATE_OF_SACREROUGE = {  # sacrerouge/commands/correlate.py at its last commit
    *("--metrics-jsonl-files", "--metrics", "--summarizer-type", "--confidence-interval-method", "--confidence"),
    *("--num-tails", "--confidence-interval-kwargs", "--output-file", "--log-file", "--silent", "--include-packages"),
    *("--skip-summary-level", "--skip-system-level", "--skip-global"),
    *("--system-level-output-plot", "--global-output-plot"),
}
SCORE_OF_SACREROUGE = {"--dataset-reader", "--overrides", "--disable-peer-jackknifing", "--input-files"}


def section(name: str) -> str:
    return GUIDE.partition(f"\n## {name}\n")[2].partition("\n## ")[0]


def test_the_flags_of_sacrerouge_are_its_flags() -> None:
    cells = [line.split("|")[1] for line in section("SacreROUGE").splitlines() if line.startswith("| `--")]
    flags = {flag for cell in cells for flag in re.findall(r"--[\w-]+", cell)}
    assert flags
    assert flags <= CORRELATE_OF_SACREROUGE | SCORE_OF_SACREROUGE


def test_every_tokenizer_of_sacrebleu_is_named_and_available() -> None:
    metrics = pytest.importorskip("sacrebleu.metrics")
    names = tokenizer_names("word", "character", "model")
    page = (ROOT / "docs" / "explanation" / "bleu-and-chrf.md").read_text(encoding="utf-8")
    for name in metrics.BLEU.TOKENIZERS:
        assert name in names
        assert f"`{name}`" in page
    assert all(f"`{name}`" in section("sacreBLEU") for name in ("spBLEU-1K", "zh", "ja-mecab", "ko-mecab"))


def test_the_languages_with_a_tokenizer_are_those_of_sacrebleu() -> None:
    from metrics_framework.metrics.base.bleu_family import NgramPrecision

    metrics = pytest.importorskip("sacrebleu.metrics")
    assert NgramPrecision.language_tokenizers == metrics.BLEU._TOKENIZER_MAP
