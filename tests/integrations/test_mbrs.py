"""The metric for mbrs, in the library itself."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import MagicMock

import pytest

from metrics_framework import UsageError, load

torch = pytest.importorskip("torch", reason="mbrs computes with it")
for package in ("mbrs", "simple_parsing", "tabulate"):
    pytest.importorskip(package, reason="needs mbrs")

SOURCE = "About 95 species are currently accepted ."
HYPOTHESES = ["About 95 species are accepted .", "95 species are accepted .", "About 95 you now get in .", "A cat ."]
NEURAL = ("bertscore", "bleurt", "comet", "cometkiwi", "metricx", "xcomet")
"""The neural metrics of mbrs, which it imports with all others; they need further packages, and older transformers."""


@pytest.fixture(scope="module")
def mbrs() -> Iterator[SimpleNamespace]:
    """The modules of mbrs, with stand-ins for its neural metrics."""
    with pytest.MonkeyPatch.context() as patch:
        for name in NEURAL:
            patch.setitem(sys.modules, f"mbrs.metrics.{name}", MagicMock())
        from mbrs.decoders import DecoderMBR

        from metrics_framework.integrations.mbrs import MetricFw

        yield SimpleNamespace(metric=MetricFw, decoder=DecoderMBR)


@pytest.mark.parametrize("name", ["chrf", "chrf:word_order=2", "sent-bleu", "ter"])
def test_scores_are_those_of_the_metric(mbrs: SimpleNamespace, name: str) -> None:
    metric, own = mbrs.metric(mbrs.metric.Config(name=name)), load(name)
    matrix = metric.pairwise_scores(HYPOTHESES, HYPOTHESES[1:], SOURCE)
    assert matrix.tolist() == own.pairwise(HYPOTHESES, HYPOTHESES[1:]).tolist()
    wanted = own.score(HYPOTHESES[0], [HYPOTHESES[1]])[own.name]
    assert metric.score(HYPOTHESES[0], HYPOTHESES[1], SOURCE) == wanted
    assert metric.scores(HYPOTHESES[:1], HYPOTHESES[1:2]).tolist() == [pytest.approx(wanted)]  # 32-bit floats of mbrs
    references_lists = [HYPOTHESES[::-1], HYPOTHESES[1:] + HYPOTHESES[:1]]
    corpus = own.evaluate(HYPOTHESES, list(zip(*references_lists, strict=True)))[0][own.name]
    assert metric.corpus_score(HYPOTHESES, references_lists) == corpus


@pytest.mark.parametrize(("name", "score"), [("ter", ""), ("sari", ""), ("google-rouge", "rougeL_fmeasure")])
def test_the_decoder_chooses_the_hypothesis_with_the_best_mean(mbrs: SimpleNamespace, name: str, score: str) -> None:
    metric, own = mbrs.metric(mbrs.metric.Config(name=name, score=score)), load(name)
    decoder = mbrs.decoder(mbrs.decoder.Config(), metric)
    output = decoder.decode(HYPOTHESES, HYPOTHESES, SOURCE, nbest=2)
    source = SOURCE if "source" in own.fields else None
    means = own.pairwise(HYPOTHESES, source=source, score=score or None).mean(axis=1)
    order = sorted(range(len(means)), key=lambda index: -means[index] if own.higher_is_better else means[index])
    assert output.idx == order[:2]
    assert output.score == pytest.approx([means[index] for index in order[:2]], rel=1e-12)


def test_a_metric_without_a_better_direction(mbrs: SimpleNamespace) -> None:
    with pytest.raises(UsageError, match="neither higher nor lower scores of 'simetrix' are better"):
        mbrs.metric(mbrs.metric.Config(name="simetrix"))
    with pytest.raises(UsageError, match="'bluu'"):
        mbrs.metric(mbrs.metric.Config(name="bluu"))


PROGRAM = f"""
import sys
from unittest.mock import MagicMock

sys.modules.update({{"mbrs.metrics." + name: MagicMock() for name in {NEURAL}}})
from mbrs.cli.decode import cli_main

cli_main()
"""


def test_the_command_line_of_mbrs(tmp_path: Path) -> None:
    (tmp_path / "fw_in_mbrs").mkdir()
    (tmp_path / "fw_in_mbrs/__init__.py").write_text("import metrics_framework.integrations.mbrs\n", encoding="utf-8")
    (tmp_path / "hypotheses.txt").write_text("\n".join(HYPOTHESES) + "\n", encoding="utf-8")
    configuration = "common:\n  metric: fw\n  nbest: 2\nmetric:\n  name: chrf:word_order=2\n"
    (tmp_path / "mbr.yaml").write_text(configuration, encoding="utf-8")
    flags = ["hypotheses.txt", "-n", "4", "--plugin_dir", "fw_in_mbrs", "--format", "json", "--quiet"]
    means = load("chrf:word_order=2").pairwise(HYPOTHESES).mean(axis=1)
    by_flags = ["--metric", "fw", "--metric.name", "chrf:word_order=2", "--nbest", "2"]
    for options in (by_flags, ["--config_path", "mbr.yaml"]):
        run = subprocess.run(
            [sys.executable, "-c", PROGRAM, *flags, *options], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert run.returncode == 0, run.stderr
        rows = [json.loads(line) for line in run.stdout.splitlines()]
        assert [row["sentence"] for row in rows] == [HYPOTHESES[index] for index in (-means).argsort()[:2]]
