"""``--resampling poisson``: intervals and tests that depend neither on the order of outputs nor on how they are cut."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import sampled

import metrics_framework as fw
from metrics_framework.commands.app import main
from metrics_framework.common.errors import UsageError
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.metrics.base.batch_scores import BatchScores
from metrics_framework.metrics.base.metric import labelled
from metrics_framework.significance.poisson import (
    LARGEST,
    PoissonCollector,
    PoissonSums,
    input_words,
    poisson_weights,
    swaps,
)
from metrics_framework.significance.resampling import Resampling

POISSON = Resampling(resamples=200, scheme="poisson")
NUMBERS = st.floats(-1e6, 1e6) | st.sampled_from([math.nan, 0.1, 1 / 3, 1e-9])


def test_weights_are_those_of_a_poisson_distribution() -> None:
    weights = poisson_weights(input_words([str(number) for number in range(3000)], 1), 500)
    assert weights.shape == (3000, 500)
    for value in range(6):
        assert (weights == value).mean() == pytest.approx(math.exp(-1) / math.factorial(value), abs=1e-3)
    assert (weights.mean(), weights.var()) == (pytest.approx(1, abs=3e-3), pytest.approx(1, abs=5e-3))
    assert abs(np.corrcoef(weights[:100]) - np.eye(100)).max() < 0.25  # of inputs
    assert abs(np.corrcoef(weights.T[:100]) - np.eye(100)).max() < 0.1  # of resamples
    swapped = swaps(input_words([str(number) for number in range(3000)], 1), 500)
    assert swapped.mean() == pytest.approx(0.5, abs=2e-3)
    assert abs(np.corrcoef(swapped.T[:100], weights.T[:100]) - np.eye(200)).max() < 0.1


def test_weights_are_a_function_of_id_and_seed() -> None:
    one, other = input_words(["a", "b", "\ud800"], 1), input_words(["b"], 1)
    assert one[1] == other[0]
    assert set(one).isdisjoint(input_words(["a", "b"], 2))
    assert (poisson_weights(one, 1001)[1] == poisson_weights(other, 1001)[0]).all()
    assert (poisson_weights(one, 1001)[:, :10] == poisson_weights(one, 10)).all()
    assert input_words(["1"], 12345).tolist() == [17333452628786608344]  # the same on every machine and version


@settings(deadline=None, max_examples=50)
@given(st.lists(st.lists(NUMBERS, min_size=2, max_size=2), min_size=1, max_size=30), st.randoms())
def test_sums_depend_neither_on_the_order_nor_on_the_cut(rows: list[list[float]], rng: random.Random) -> None:
    ids = [str(number) for number in range(len(rows))]
    order = list(range(len(rows)))
    rng.shuffle(order)
    whole, parts = PoissonSums(2, 50, 30), [PoissonSums(2, 50, 30) for _ in range(3)]
    _add(whole, ids, rows, range(len(rows)))
    for index in order:
        _add(parts[rng.randrange(3)], ids, rows, [index])
    parts[2].merge(parts[0])
    parts[2].merge(parts[1])
    for name in ("drawn", "moved", "totals"):
        np.testing.assert_array_equal(getattr(parts[2], name), getattr(whole, name))
    assert (parts[2].checksum, parts[2].outputs) == (whole.checksum, whole.outputs)
    numbers = np.array(rows)
    defined = np.where(np.isnan(numbers), 0, numbers)
    assert whole.totals[0, :2] == pytest.approx(defined.sum(axis=0), abs=1e-8 * len(rows))
    weights = poisson_weights(input_words(ids, 0), 50)
    assert whole.drawn[:, :2] == pytest.approx(weights.T @ defined, rel=1e-9, abs=1e-6)
    assert whole.drawn[:, 2:] == pytest.approx(weights.T @ ~np.isnan(numbers))


def _add(sums: PoissonSums, ids: Sequence[str], rows: Sequence[Sequence[float]], members: Sequence[int]) -> None:
    words = input_words([ids[index] for index in members], 0)
    numbers = np.array([rows[index] for index in members])
    sums.add(numbers, poisson_weights(words, 50), swaps(words, 30), words.tolist())


def test_infinite_and_huge_numbers() -> None:
    sums = PoissonSums(2, 50, 30)
    _add(sums, ["a", "b"], [[1.0, math.inf], [2.0, 1.0]], range(2))
    assert np.isnan(sums.drawn[:, 1]).all()
    assert not np.isnan(sums.drawn[:, 0]).any()
    with pytest.raises(ValueError, match="smaller than 2³⁸"):
        _add(sums, ["c"], [[float(LARGEST), 0.0]], [0])


Data = tuple[dict[str, list[str]], list[list[str]]]


@pytest.fixture(scope="module")
def systems() -> Data:
    """Three systems of 600 sentences, of which two are close."""
    rng = random.Random(3)
    words = ["the", "cat", "sat", "on", "a", "mat", "and", "the", "dog", "saw", "it", "run"]
    references = [[" ".join(rng.choices(words, k=12)) for _ in range(2)] for _ in range(600)]

    def output(share: float) -> list[str]:
        return [
            " ".join(word if rng.random() < share else rng.choice(words) for word in first.split())
            for first, _ in references
        ]

    return {"good": output(0.8), "close": output(0.79), "bad": output(0.5)}, references


def assert_close(metrics: list[str], outputs: Any, references: Any, kinds: dict[str, Any], ends: Any, p: float) -> None:
    """Compares intervals and p-values of both schemes.

    Args:
        metrics: The metrics, whose main scores have their names.
        outputs: System to outputs.
        references: The references.
        kinds: Other arguments of `Resampling`.
        ends: The largest difference of ends, as a function of the width of the interval.
        p: The largest difference of p-values.
    """
    found = []
    for scheme in ("draws", "poisson"):
        resampling = Resampling(scheme=scheme, **kinds)
        confidence = fw.evaluate(metrics, outputs, references=references, confidence=resampling).confidence
        assert confidence is not None
        assert confidence.significance is not None
        found.append((confidence.systems, confidence.significance.p_values))
    (drawn, expected), (poisson, p_values) = found
    for system in outputs:
        for name in metrics:
            one: Any = drawn[system][name]
            other: Any = poisson[system][name]
            assert (other.low, other.high) == pytest.approx((one.low, one.high), abs=ends(one.high - one.low))
    for system, of_system in expected.items():
        for name in metrics:
            assert p_values[system][name] == pytest.approx(of_system[name], abs=p)


@pytest.mark.parametrize("test", sampled(["randomization", "bootstrap", "paired-ar", "paired-bs"], 1))
def test_intervals_and_p_values_are_close_to_those_of_draws(systems: Data, test: Any) -> None:
    metrics, kinds = ["ter", "bleu", "sent-bleu", "chrf"], {"resamples": 2000, "test": test}
    assert_close(metrics, *systems, kinds, lambda width: 0.12 * width, 0.06)


@pytest.mark.slow
def test_ends_and_p_values_are_close_to_those_of_draws_on_turkcorpus(shared_path: Callable[[str], Path]) -> None:
    folder = shared_path("data/turkcorpus")

    def lines(name: str) -> list[str]:
        return (folder / name).read_text(encoding="utf-8").removesuffix("\n").split("\n")

    references = list(map(list, zip(*(lines(f"detok/test.truecase.detok.simp.{n}") for n in range(8)), strict=True)))
    outputs = {name: lines(f"outputs/detok/{name}.txt") for name in ("SBMT-SARI", "PBMT-R")}
    kinds = {"resamples": 20_000}
    assert_close(["bleu", "ter", "sent-bleu"], outputs, references, kinds, lambda width: 0.05 * width, 0.025)


def _written(path: Path, systems: Data, order: Callable[[list[Any]], None] = lambda rows: None) -> str:
    outputs, references = systems
    rows = [
        {"instance_id": number, "summarizer_id": system, "summary": text, "references": references[number]}
        for system, texts in outputs.items()
        for number, text in enumerate(texts)
        if system != "bad" or number % 7
    ]
    order(rows)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


@pytest.mark.filterwarnings("ignore:.*different inputs:UserWarning")
def test_any_order_and_number_of_processes_has_the_same_digits(tmp_path: Path, systems: Data) -> None:
    metrics = ["ter", "bleu", "sent-bleu"]
    files = [_written(tmp_path / "a.jsonl", systems), _written(tmp_path / "b.jsonl", systems, random.Random(1).shuffle)]
    results = [
        fw.evaluate(metrics, files=file, confidence=POISSON, jobs=jobs, baseline="good")
        for file in files
        for jobs in (1, 3)
    ]
    first, *others = (result.confidence.as_json() for result in results if result.confidence)
    for other in others:
        other["intervals"]["systems"] = {name: other["intervals"]["systems"][name] for name in systems[0]}
        other["significance"]["systems"] = {name: other["significance"]["systems"][name] for name in ("close", "bad")}
        assert other == first
    assert first["intervals"]["resampling"] == "poisson"
    assert any("outputs for different inputs" in warning for warning in results[0].warnings)
    assert "|draw:poisson" in results[0].signature["ter"]


def test_methods_that_need_all_inputs_are_refused() -> None:
    collector = PoissonCollector(labelled(["sent-bleu:label=large"]), POISSON)
    with pytest.raises(UsageError, match="cannot resample 'large' with --resampling poisson"):
        collector.add(["1"], ["a"], [BatchScores([MetricsDict({"sent-bleu": 1e15})])])


def test_the_flag(tmp_path: Path, systems: Data, capsys: pytest.CaptureFixture[str]) -> None:
    path = _written(tmp_path / "in.jsonl", systems)
    words = ["ter", "evaluate", str(tmp_path / "m.json"), "--input-files", path, "--resampling", "poisson"]
    assert main([*words, "--resamples", "200", "--seed", "7"]) == 0
    printed = capsys.readouterr().out
    assert "|draw:poisson" in printed
    assert "200 Poisson bootstrap resamples" in printed
    assert json.loads((tmp_path / "m.json").read_text())["intervals"]["resampling"] == "poisson"
    assert main([*words, "--ci", "bca"]) == 2
    assert "'poisson'" in capsys.readouterr().err


@pytest.mark.parametrize(("scheme", "resamples"), [("draws", "|bs:1000|"), ("poisson", "nrefs:1|case:lc|")])
def test_the_signature_of_sacrebleu_names_its_own_resamples_only(
    scheme: str, resamples: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "texts").write_text("a cat\nthe dog\n" * 12)
    path = str(tmp_path / "texts")
    main(["ter", "evaluate", "--outputs", path, "--references", path, "--resampling", scheme])
    (line,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("sacrebleu")]
    assert resamples in line
