"""Rewards are scaled scores, as TRL and verl call them."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from messages import IS_NULL, ONE_ENTRY_FOR_EACH_OUTPUT
from real_outputs import example_outputs, published_outputs

import metrics_framework as fw
from metrics_framework import InputError, ReferenceBasedMetric, UsageError
from metrics_framework.metrics.base.metric import LabelledMetric

METRICS = ("ter", "sent-bleu", "sari", "chrf", "bleu")


@pytest.mark.filterwarnings("ignore:the reward of a completion of fewer than 4 words")
@pytest.mark.parametrize("is_published", [False, True])
@pytest.mark.parametrize("name", METRICS)
def test_rewards_are_scaled_scores(name: str, is_published: bool, shared_path: Callable[[str], Path]) -> None:
    outputs: Any = published_outputs(shared_path) if is_published else example_outputs()
    metric = fw.load(name)
    factor = -0.01 if name == "ter" else 0.01
    rows = zip(*(outputs[field] for field in metric.fields), strict=True)
    alone = [min(1.0, metric.score(*row)[name] * factor) for row in rows]  # BLEU of equal texts is above 100
    columns = {"references": outputs["references"], "source": outputs["source"]}
    assert fw.reward(name)(prompts=outputs["source"], completions=outputs["summary"], **columns) == alone
    extra_infos = [{"source": text, "index": index} for index, text in enumerate(outputs["source"])]
    assert (
        fw.reward(name)(
            data_sources=["x"] * len(alone),
            solution_strs=outputs["summary"],
            ground_truths=outputs["references"],
            extra_infos=extra_infos,
        )
        == alone
    )


@settings(max_examples=40)
@given(
    st.lists(st.tuples(st.text(), st.lists(st.text(), min_size=1, max_size=2), st.integers(1, 4)), min_size=1),
    st.sampled_from(["chrf", "ter"]),
)
def test_groups_have_the_rewards_of_single_completions(rows: Any, name: str) -> None:
    completions = [text * repetition for text, _, count in rows for repetition in range(count)]
    references = [[*texts] for _, texts, count in rows for _ in range(count)]
    function = fw.reward(name)
    alone = [
        function(completions=[text], references=[texts])[0] for text, texts in zip(completions, references, strict=True)
    ]
    assert function(completions=completions, references=references) == alone


def test_completions_may_be_conversations() -> None:
    function = fw.reward("ter")
    conversations = [
        [{"role": "assistant", "content": "a cat"}],
        [{"role": "assistant", "content": None, "tool_calls": []}, {"role": "tool", "content": "7"}],
        [
            {"role": "assistant", "content": "wait"},
            {"role": "user", "content": "?"},
            {"role": "assistant", "content": "a"},
        ],
        [{"role": "assistant", "content": [{"type": "text", "text": "a "}, {"type": "text", "text": "dog"}]}],
    ]
    texts = ["a cat", "", "a", "a dog"]
    references = ["a cat"] * 4
    assert function(completions=conversations, references=references) == function(
        completions=texts, references=references
    )


def test_prompts_may_be_the_sources() -> None:
    given = {"completions": ["a cat sat"], "references": [["the cat sat"]]}
    expected = fw.reward("sari")(**given, source=["the big cat sat"])
    sari = fw.reward("sari", source="prompts")
    assert sari(prompts=["the big cat sat"], **given) == expected
    conversation = [{"role": "system", "content": "Simplify."}, {"role": "user", "content": "the big cat sat"}]
    assert sari(prompts=[conversation], **given) == expected


def test_columns_may_have_other_names() -> None:
    function = fw.reward("sari", "simple", source="complex", scale=1.0, name="simplicity")
    found = function(completions=["a b"], simple=["a c"], complex=["a b c"])
    assert found == [fw.load("sari").score("a b", ["a c"], "a b c")["sari"]]
    assert function.__name__ == "simplicity"
    assert fw.reward({"type": "ter", "label": "loose"}).__name__ == "loose"


def test_sources_are_never_left_out() -> None:
    sari = fw.reward("sari")
    with pytest.raises(InputError, match="the metric 'sari' needs 'source', but got only 'references', 'b'"):
        sari(completions=["a"], references=["a"], b=[1])
    with pytest.raises(InputError, match="'sari' needs 'source'; add it to every entry of 'extra_infos'"):
        sari(solution_strs=["a"], ground_truths=["a"], extra_infos=[None])
    with pytest.raises(InputError, match="the metric 'ter' needs 'references'"):
        fw.reward("ter")(completions=["a"])


@pytest.mark.parametrize(
    ("name", "metric", "score"),
    [
        ("rouge1", "google-rouge", "rouge1_fmeasure"),
        ("rougeL:use_stemmer=true", "google-rouge:use_stemmer=true", "rougeL_fmeasure"),
        ("sari_keep", "sari", "sari_keep"),
        ("bleu4", "bleu", None),
        ("MeMoG", "autosummeng", "MeMoG"),
    ],
)
@pytest.mark.filterwarnings("ignore:.* is read as the metric")
def test_the_name_of_a_score_is_a_reward_of_that_score(name: str, metric: str, score: str | None) -> None:
    assert fw.reward(name).signature == fw.reward(metric, score=score).signature


SHORT = {"completions": ["a cat", "the cat sat down", "a dog"], "references": ["a cat", "the cat sat down", "a dog"]}


def test_rewards_of_short_completions_that_are_zero_are_told_once() -> None:
    bleu = fw.reward("bleu")
    with pytest.warns(fw.TextWarning, match=r"fewer than 4 words, such as the string 'a cat', is 0") as told:
        assert [bleu(**SHORT) for _ in range(2)] == [[0.0, pytest.approx(1), 0.0]] * 2
    assert len(told) == 1


@pytest.mark.parametrize("name", ["bleu:effective_order=true", "sent-bleu", "bleu:smooth_method=add-k"])
def test_metrics_of_short_completions_have_rewards(name: str) -> None:
    assert fw.reward(name)(**SHORT) == pytest.approx([1, 1, 1])


class Undefined(ReferenceBasedMetric):
    """Scores that are undefined for short texts."""

    def score_multi_all(self, summaries_list: Any, references_list: Any) -> Any:
        values = {"z": float("nan"), "a": None}
        return [[{"x": values.get(text, 50.0), "y": [1, 2]} for text in texts] for texts in summaries_list]


def test_undefined_rewards_are_none_unless_a_number_is_chosen() -> None:
    given = {"completions": ["z", "a", "b"], "references": ["a", "a", "b"]}
    assert fw.reward(Undefined(), score="x")(**given) == [None, None, 0.5]
    assert fw.reward(Undefined(), score="x", undefined=-1)(**given) == [-1, -1, 0.5]


SCALES = [  # metric, score, factor, why
    ("sari", None, 0.01, "from 0 to 100"),
    ("google-rouge", "rouge1_fmeasure", 1.0, "from 0 to 1"),
    ("autosummeng", "MeMoG", 1.0, "from 0 to 1"),
    ("bleu", "bleu_bp", 1.0, "a ratio among percentages"),
    ("ter", None, -0.01, "no upper end"),
    ("ibleu", None, 0.01, "from -100 to 100"),
]


@pytest.mark.parametrize(("metric", "score", "factor", "why"), SCALES)
def test_the_scale_follows_the_range_of_the_scores(metric: str, score: str | None, factor: float, why: str) -> None:
    found = fw.reward(metric, score=score)
    columns = {"completions": ["the cat sat"], "references": ["a cat sat"], "source": ["the big cat sat"]}
    values = {"summary": ["the cat sat"], "references": [["a cat sat"]], "source": ["the big cat sat"]}
    scores = found.metric.score_all(*(values[field] for field in found.metric.fields))[0].flatten()
    assert found(**columns) == [scores[score or found.metric.name] * factor]


class Grade(ReferenceBasedMetric):
    """A grade from 0 to 5 with an error of floats."""

    score_range = (0, 5 + 1e-6)

    def score_multi_all(self, summaries_list: Any, references_list: Any) -> Any:
        return [[{"Grade": 4.0} for _ in texts] for texts in summaries_list]


def test_the_upper_end_of_the_range_is_a_reward_of_1() -> None:
    assert fw.reward(Grade())(completions=["a"], references=["a"]) == [4 / 5]


EMPTY = [  # metric, options, reward
    ("sari", {}, 0.0),
    ("ter", {}, -1.0),
    ("wer", {}, -1.0),
    ("ter", {"scale": 1.0}, -100.0),
    ("chrf", {"higher_is_better": False}, -1.0),
    ("sari", {"empty": -0.5}, -0.5),
    (Undefined(), {"score": "x"}, 0.0),
    (Undefined(), {"score": "x", "empty": "score"}, 0.5),
]


@pytest.mark.parametrize("text", ["", " \n"])
@pytest.mark.parametrize(("metric", "options", "expected"), EMPTY)
def test_an_empty_completion_has_a_reward_of_its_own(
    metric: Any, options: dict[str, Any], expected: float, text: str
) -> None:
    found = fw.reward(metric, **options)
    columns: dict[str, Any] = {"references": [["a cat"]] * 2, "source": ["the cat"] * 2}
    assert found(completions=[text, "a"], **columns)[0] == expected
    assert found(solution_strs=[text], ground_truths=[["a cat"]], extra_infos=[{"source": "the cat"}]) == [expected]


def test_an_empty_completion_may_have_its_score() -> None:
    columns: dict[str, Any] = {"completions": [""], "references": ["a cat"], "source": ["the cat"]}
    score = fw.load("sari").score("", ["a cat"], "the cat")["sari"]
    assert fw.reward("sari", empty="score")(**columns) == [score * 0.01]
    assert score > 0
    with pytest.raises(UsageError, match="'empty' must be a number or 'score'"):
        fw.reward("sari", empty="zero")


@pytest.mark.parametrize(
    ("option", "value"),
    [
        *(("scale", value) for value in (0, -1, math.nan, math.inf, "1", True)),
        *(("empty", value) for value in (math.nan, True, [0])),
        *(("undefined", value) for value in (math.nan, "0", False)),
    ],
)
def test_options_of_rewards_must_be_finite_numbers(option: str, value: Any) -> None:
    with pytest.raises(UsageError, match=f"'{option}' must be a number"):
        fw.reward("ter", **{option: value})


def test_options_of_rewards_may_be_numbers_of_numpy() -> None:
    numpy = pytest.importorskip("numpy")
    found = fw.reward("ter", scale=numpy.float32(0.5), empty=numpy.int64(-3), undefined=numpy.float64(0))
    assert found(completions=["a", ""], references=["b", "b"]) == [-50.0, -3]


def test_a_score_is_chosen_by_its_flat_name() -> None:
    found = fw.reward("rouge", score="rouge-1_f1")(completions=["a cat"], references=["a dog"])
    assert found == [fw.load("rouge").score("a cat", ["a dog"])["rouge-1"]["f1"] * 0.01]
    with pytest.raises(UsageError, match="the score 'rouge' of 'rouge' is unknown; pass score=, one of rouge-1_rec"):
        fw.reward("rouge")
    with pytest.raises(UsageError, match="the score 'y' of 'Undefined' is a list; pass score=, one of x"):
        fw.reward(Undefined(), score="y")


def test_a_judge_without_its_package_is_reported_when_the_reward_is_built(monkeypatch: pytest.MonkeyPatch) -> None:
    from metrics_framework.metrics.base.requirements import Package

    monkeypatch.setattr(Package, "is_met", lambda package: False)
    with pytest.raises(UsageError, match="'llm-judge' needs the package 'httpx'"):
        fw.reward("llm-judge:url=http://localhost:1/v1,model=m")


@pytest.mark.parametrize("metric", ["sari", ["sari", "ter"]])
def test_verl_may_pass_one_completion(metric: Any) -> None:
    found = fw.reward(metric)(
        data_source="asset", solution_str="a cat", ground_truth=["a dog"], extra_info={"source": "a big cat"}, other=1
    )
    assert [found] == fw.reward(metric)(completions=["a cat"], references=[["a dog"]], source=["a big cat"])


@pytest.mark.parametrize(
    ("extract", "shown"),
    [("</think>", '"</think>"'), ("<a>(.*?)</a>$", '"<a>(.*?)</a>$"'), (str.upper, '"str.upper"')],
)
def test_a_part_of_a_completion_is_scored(extract: Any, shown: str) -> None:
    completions = ["<think>no</think> <a>THE CAT</a>", "<think>the cat"]
    part = {"</think>": " <a>THE CAT</a>", "<a>(.*?)</a>$": "THE CAT", str.upper: completions[0].upper()}[extract]
    found = fw.reward("ter:case_sensitive=true", extract=extract)
    (alone,) = fw.reward("ter:case_sensitive=true")(completions=[part], references=["THE CAT"])
    rewards = found(completions=completions, references=["THE CAT"] * 2)
    assert rewards[0] == alone
    assert (rewards[1] == -1.0) == isinstance(extract, str)
    assert f"|extract:{shown}|" in found.signature
    assert "of:ter;case:mixed" in found.signature
    with pytest.raises(UsageError, match="'extract' must be a regular expression or a function"):
        fw.reward("ter", extract="(")


def test_several_metrics_are_added_with_weights() -> None:
    ter, chrf = fw.reward("ter"), fw.reward("chrf")
    columns: dict[str, Any] = {"completions": ["a cat", "a dog", ""], "references": ["a cat sat", None, "a"]}
    both = fw.reward([ter, "chrf"], weights=[2, 0.5])
    named = fw.reward({"ter": 2, "chrf": 0.5})
    assert named(completions=["a cat"], references=["a dog"]) == both(completions=["a cat"], references=["a dog"])
    expected = [2 * ter(**columns)[at] + 0.5 * chrf(**columns)[at] for at in (0, 2)]
    assert both(**columns) == [expected[0], None, expected[1]]
    assert (both.__name__, both.signature) == ("ter+chrf", f"2*{ter.signature}+0.5*{chrf.signature}")
    assert pickle.loads(pickle.dumps(both))(**columns) == both(**columns)
    for weights in ([1], [1, math.nan]):
        with pytest.raises(UsageError, match="'weights' must have a number for each of 2 rewards"):
            fw.reward(["ter", "chrf"], weights=weights)


def test_rows_of_another_task_have_no_reward() -> None:
    found = fw.reward("sari", where={"task": ["simplify", "shorten"]})
    rows: dict[str, Any] = {"completions": ["a cat"] * 3, "references": [["a cat"], None, ["a"]]}
    rewards = found(**rows, source=["a big cat", None, "a"], task=["simplify", "solve", "shorten"])
    assert rewards[1] is None
    assert [rewards[0], rewards[2]] == fw.reward("sari")(
        completions=["a cat"] * 2, references=[["a cat"], ["a"]], source=["a big cat", "a"]
    )
    with pytest.raises(InputError, match="'where' names the column 'task', but got only 'references', 'source'"):
        found(**rows, source=["a"] * 3)
    of_verl = {"solution_str": "a", "ground_truth": ["a"], "extra_info": {"task": "solve"}}
    assert fw.reward("sari", where={"task": "simplify"}, undefined=0.5)(data_source="x", **of_verl) == 0.5
    assert fw.reward("ter", where={"data_source": "x"})(data_source="x", **of_verl) == 0.0


def test_the_direction_must_be_known() -> None:
    with pytest.raises(UsageError, match="whether higher scores of 'simetrix' are better; pass higher_is_better="):
        fw.reward("simetrix")
    lower = fw.reward("chrf", higher_is_better=False)
    assert lower(completions=["a"], references=["a"]) == [-1.0]


class Graded(ReferenceBasedMetric):
    """Hits, of which more are better, and errors, of which fewer are."""

    directions: ClassVar[dict[str, bool]] = {"Graded_errors": False}
    score_range = (0, 1)

    def score_multi_all(self, summaries_list: Any, references_list: Any) -> Any:
        return [[{"Graded": {"hits": 0.25, "errors": 0.75}} for _ in texts] for texts in summaries_list]


@pytest.mark.parametrize(
    ("score", "better", "expected"),
    [
        ("Graded_hits", None, [0.25, 0.0]),
        ("Graded_errors", None, [-0.75, -1.0]),
        ("Graded_errors", True, [0.75, 0.0]),
    ],
)
def test_a_chosen_score_has_its_own_direction(score: str, better: bool | None, expected: list[float]) -> None:
    found = fw.reward(Graded(), score=score, higher_is_better=better)
    assert found(completions=["a", ""], references=["a", "a"]) == expected


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "needs 'completions' .* or 'solution_strs'"),
        (
            {"completions": [None], "references": ["a"]},
            rf"'completions\[0\]' {IS_NULL}",
        ),
        ({"completions": [[{"role": "user"}]], "references": ["a"]}, "must be a text or a list of messages, got"),
        ({"completions": "ab", "references": ["a", "b"]}, f"'completions' {ONE_ENTRY_FOR_EACH_OUTPUT}, got the string"),
        ({"completions": ["a", "b"], "references": "ab"}, "'references' is one text for 2 outputs; pass .text. . 2"),
        (
            {"completions": ["a"], "references": ["a", "b"]},
            "got 1 in completions, 2 in references",
        ),
    ],
)
def test_wrong_arguments_are_reported(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        fw.reward("ter")(**arguments)


def test_a_completion_without_a_reference_has_no_reward() -> None:
    found = fw.reward("ter")(completions=["a", "a b", "c"], references=[None, ["a", None], [float("nan")]])
    assert found == [None, -1.0, None]
    assert fw.reward("ter", undefined=0.5)(completions=["a"], references=[None]) == [0.5]


def test_columns_may_be_arrays() -> None:
    numpy = pytest.importorskip("numpy")
    references = numpy.empty(2, dtype=object)
    references[:] = [numpy.array(["a cat", "the cat"], dtype=object), "a dog"]
    found = fw.reward("ter")(solution_strs=numpy.array(["a cat", "a"]), ground_truths=references)
    assert found == [0.0, -0.5]


def test_no_completions_have_no_rewards() -> None:
    assert fw.reward("ter")(completions=[], references=[]) == []


def test_rewards_can_be_pickled() -> None:
    function = pickle.loads(pickle.dumps(fw.reward("ter:case_sensitive=true,label=cased", scale=1.0)))
    assert function.__name__ == "cased"
    assert function(completions=["A cat"], references=["a cat"]) == [-50.0]


def test_a_labelled_metric_names_the_reward() -> None:
    assert fw.reward(LabelledMetric(fw.load("ter"), "edits")).__name__ == "edits"


@pytest.mark.filterwarnings("ignore")
def test_a_trainer_of_trl_calls_rewards(tmp_path: Path) -> None:
    """One step of a model of a few kilobytes; the rewards in the log are means of scores."""
    for package in ("trl", "datasets.arrow_dataset", "tokenizers"):
        pytest.importorskip(package, reason=f"needs the package {package.partition('.')[0]}")
    import tokenizers
    import transformers
    import trl

    from datasets import Dataset

    words = ["[PAD]", "[EOS]", "[UNK]", *["a", "cat", "sat", "down", "the", "dog", "big", "simplify", ":", "on", "mat"]]
    vocabulary = tokenizers.models.WordLevel({word: index for index, word in enumerate(words)}, unk_token="[UNK]")
    splitter = tokenizers.Tokenizer(vocabulary)
    splitter.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=splitter, pad_token="[PAD]", eos_token="[EOS]", unk_token="[UNK]"
    )
    config = transformers.GPT2Config(
        vocab_size=len(words), n_positions=64, n_embd=16, n_layer=1, n_head=2, bos_token_id=1, eos_token_id=1
    )
    calls: list[dict[str, Any]] = []

    class Recorded:
        """Records the arguments of the trainer."""

        __name__ = "recorded"

        def __call__(self, **arguments: Any) -> list[float]:
            calls.append(arguments)
            return [0.0] * len(arguments["completions"])

    sources = ["the big cat sat down on the mat", "a dog sat"]
    rows = {
        "prompt": [f"simplify : {source}" for source in sources],
        "references": [["the cat sat", "a cat sat"], ["a dog"]],
        "source": sources,
    }
    trainer = trl.GRPOTrainer(
        model=transformers.GPT2LMHeadModel(config),
        reward_funcs=[fw.reward("ter"), fw.reward("sari"), Recorded()],
        train_dataset=Dataset.from_dict(rows),
        processing_class=tokenizer,
        args=trl.GRPOConfig(
            output_dir=str(tmp_path), per_device_train_batch_size=4, num_generations=2, max_completion_length=6,
            max_steps=1, logging_steps=1, report_to=[], use_cpu=True, disable_tqdm=True, save_strategy="no",
        ),
    )  # fmt: skip
    trainer.train()
    (given,) = calls
    metrics = {"ter": -0.01, "sari": 0.01}
    for name, factor in metrics.items():
        metric = fw.load(name)
        fields = {"summary": given["completions"], "references": given["references"], "source": given["source"]}
        scores = [metric.score(*row)[name] for row in zip(*(fields[field] for field in metric.fields), strict=True)]
        mean = factor * sum(scores) / len(scores)
        assert trainer.state.log_history[0][f"rewards/{name}/mean"] == pytest.approx(mean, abs=1e-6)


def test_metrics_that_need_all_inputs_are_refused() -> None:
    with pytest.raises(UsageError, match="scores of 'bertscore' depend on all inputs"):
        fw.reward("bertscore:idf=references")
