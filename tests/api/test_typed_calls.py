"""Python calls as people type them who have used other programs: each is accepted, or its message has advice."""

from __future__ import annotations

import pickle
import re
import traceback
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

import metrics_framework as fw
from metrics_framework.common.errors import CallError, FwError

OUTPUTS = ["the cat sat", "a dog"]
REFERENCES = ["the cat sat down", "a dog"]
TEXTS = {"references": REFERENCES, "sources": ["the big cat sat", "a dog ran"]}
SYSTEMS = {"a": OUTPUTS, "b": [*REFERENCES]}
ROWS = [
    {"instance_id": i, "summarizer_id": system, "m": (i * 3 + at) % 7, "q": (i * 2 + at * 3) % 5}
    for i in range(20)
    for at, system in enumerate("abc")
]


def pandas() -> Any:
    return pytest.importorskip("pandas", reason="calls with tables of pandas need it")


def frame() -> Any:
    return pandas().DataFrame(ROWS)


ACCEPTED: dict[str, list[Callable[[], Any]]] = {  # where the habit is from: calls
    "fw": [
        lambda: fw.evaluate("bleu", OUTPUTS, references=REFERENCES),
        lambda: fw.evaluate(["bleu", "chrf"], SYSTEMS, references=REFERENCES, confidence=True),
        lambda: fw.evaluate("sari", OUTPUTS, **TEXTS, log=print),
        lambda: fw.compare("bleu", SYSTEMS, references=REFERENCES, log=print),
        lambda: fw.correlate(ROWS, "m", "q", log=print),
        lambda: fw.correlate(frame(), "m", "q", ci="none"),
        lambda: fw.agreement(ROWS, "q"),
        lambda: fw.load("bleu").score("the cat", "the cat sat"),
        lambda: fw.load("sari").score("a", ["b"], "c"),
        lambda: fw.load("bleu").score_all(OUTPUTS, REFERENCES),
        lambda: fw.load("bleu").score_multi(OUTPUTS, REFERENCES[0]),
        lambda: fw.load("bleu").score_multi_all([OUTPUTS], [REFERENCES[0]]),
        lambda: fw.columns("ter", OUTPUTS, REFERENCES),
        lambda: fw.evaluate(metrics="bleu", outputs=OUTPUTS, references=[[one] for one in REFERENCES]),
        lambda: fw.evaluate("bleu", OUTPUTS, references=REFERENCES, confidence=95),
        lambda: fw.reward("rougeL")(prompts=OUTPUTS, completions=OUTPUTS, references=REFERENCES),
        lambda: fw.load("rougeL").score("a cat", "a dog"),
        lambda: fw.cite("sari"),
    ],
    "sacreBLEU": [
        lambda: fw.evaluate(["BLEU", "chrF2"], OUTPUTS, references=REFERENCES),
        lambda: fw.evaluate("chrf++", OUTPUTS, references=REFERENCES),
        lambda: fw.load("BLEU", tokenize="13a").evaluate(OUTPUTS, REFERENCES),
    ],
    "rouge_score": [
        lambda: fw.load("google-rouge", rouge_types=["rouge1"], use_stemmer=True).score("a cat", "a dog"),
        lambda: fw.evaluate("rougeL", OUTPUTS, references=REFERENCES),
    ],
    "torchmetrics": [lambda: fw.Accumulator("bleu").update(preds=OUTPUTS, target=[[one] for one in REFERENCES])],
    "nlpstats": [lambda: fw.correlate([[1, 2, 4], [3, 1, 2]], [[1, 2, 3], [3, 1, 1]], ci="none")],
    "mt-metrics-eval": [
        lambda: fw.correlate(ROWS, "m", "q", levels="sys", ci="none"),
        lambda: fw.correlate({"x": [1, 2, 4], "y": [3, 1, 2]}, human={"x": [1, 2, None], "y": [3, 1, 1]}, ci="none"),
        lambda: fw.correlate(ROWS, "m", "q", coefficients="acc23", ci="none"),
    ],
    "SciPy": [
        lambda: fw.correlate(ROWS, "m", "q", coefficients=["pearsonr", "kendalltau"], ci="none"),
        lambda: fw.compare(scores=ROWS, test="permutation_test", trials=40),
    ],
    "pandas": [
        lambda: fw.evaluate("ter", pandas().Series(OUTPUTS), references=pandas().Series(REFERENCES)),
        lambda: fw.evaluate("bleu", SYSTEMS, references=pandas().Series(REFERENCES)).to_pandas(),
        lambda: fw.load("bleu").score_all(pandas().Series(OUTPUTS), pandas().Series(REFERENCES)),
        lambda: fw.evaluate("bleu", SYSTEMS, references=REFERENCES).to_latex(caption="Scores.", label="tab:scores"),
        lambda: fw.evaluate("bleu", SYSTEMS, references=REFERENCES).plot(),
    ],
    "EASSE": [lambda: fw.evaluate(["bleu", "SARI", "f1_token"], OUTPUTS, **TEXTS)],
}
REFUSED: dict[str, list[tuple[Callable[[], Any], str]]] = {  # where the habit is from: calls, and what they are told
    "fw": [
        (lambda: fw.evaluate("bleu", OUTPUTS, REFERENCES), "name the others, as in references=…"),
        (lambda: fw.compare("bleu", SYSTEMS, REFERENCES), "name the others, as in references=…"),
        (
            lambda: fw.compare(fw.evaluate("ter", SYSTEMS, references=REFERENCES)),
            "fw.compare(scores=RESULT) compares its systems",
        ),
        (
            lambda: fw.evaluate("ter", {"a": OUTPUTS, "b": OUTPUTS[:1]}, references=REFERENCES),
            "got 1 in outputs['b'], 2 in references",
        ),
        (
            lambda: fw.columns("sari", OUTPUTS[:1], [["a"]] * 2, OUTPUTS),
            "got 1 in summary, 2 in references, 2 in source",
        ),
        (lambda: fw.load("bleu", "chrf"), "takes 1 argument without a name (name), got 2"),
        (lambda: fw.evaluate("bleu", OUTPUTS, references=REFERENCES, sourcs=[]), "did you mean 'sources'?"),
        (lambda: fw.evaluate("bleu,chrf", OUTPUTS, references=REFERENCES), "one at a time: 'bleu', 'chrf'"),
        (lambda: fw.evaluate("sari", OUTPUTS, references=REFERENCES), "pass sources="),
        (lambda: fw.evaluate("ter", OUTPUTS, references=REFERENCES, duplicates="keep"), "one of error, first, last"),
        (lambda: fw.evaluate("ter", OUTPUTS, references=REFERENCES, write="x"), "'write' must be a function"),
        (lambda: fw.evaluate("ter", OUTPUTS, references=REFERENCES, log="x"), "'log' must be an fw.Log or a function"),
        (lambda: fw.evaluate("ter", OUTPUTS, references=REFERENCES, where=3), "'where': a condition"),
        (lambda: fw.evaluate("ter", [{"out": "a"}], columns="out"), "'columns': columns must be FIELD=COLUMN"),
        (lambda: fw.evaluate("ter", files=3), "'files' must be a file"),
        (lambda: fw.report(SYSTEMS, **TEXTS, digits=-1), "'digits' must be an integer, 0 or more"),
        (lambda: fw.correlate(ROWS, "m", "q", test=True), "'test' must be one of none, default"),
        (lambda: fw.correlate(ROWS, 3, "q"), "'metrics' must name scores"),
        (lambda: fw.correlate(ROWS), "'human' must name the ratings"),
        (lambda: fw.plan("estimate", half_width=0.1), "'sd' is missing"),
        (lambda: fw.report(SYSTEMS, output="r.html"), "fw.report(…).save(PATH) writes the page; 'outputs'"),
        (lambda: fw.correlate(ROWS, "m", "q", sentinels=True), "name the scored outputs with 'texts'"),
        (lambda: fw.plan("mean", effect=0.1), "help(fw.plan) lists its arguments"),
        (lambda: fw.evaluate("bleu", OUTPUTS, references=REFERENCES, bootstrap=100), "did you mean 'confidence'?"),
        (lambda: fw.evaluate("rouge", OUTPUTS, references=REFERENCES, use_stemmer=True), "'METRIC:use_stemmer=VALUE'"),
        (lambda: fw.evaluate(metric="bleu", outputs=OUTPUTS, references=REFERENCES), "did you mean 'metrics'?"),
        (lambda: fw.list_metrics("sari"), "takes 0 arguments without a name"),
        (lambda: fw.report(OUTPUTS, **TEXTS, path="p.html"), "fw.report(…).save(PATH) writes the page"),
    ],
    "Hugging Face": [
        (lambda: fw.evaluate("bleu", predictions=OUTPUTS, references=REFERENCES), "did you mean 'outputs'?"),
        (lambda: fw.load("bleu").evaluate(predictions=OUTPUTS, references=REFERENCES), "did you mean 'summaries'?"),
        (lambda: fw.load("bleu").score(prediction="a", references=["a"]), "did you mean 'summary'?"),
    ],
    "sacreBLEU": [
        (lambda: fw.evaluate("bleu", hypotheses=OUTPUTS, references=REFERENCES), "did you mean 'outputs'?"),
        (lambda: fw.evaluate("bleu", OUTPUTS, references=[REFERENCES]), "the same number of entries"),
        (lambda: fw.evaluate("bleu", OUTPUTS, references=REFERENCES, lowercase=True), "as in 'METRIC:lowercase=VALUE'"),
        (lambda: fw.compare("bleu", SYSTEMS, references=REFERENCES, paired_bs=True), "did you mean 'test'?"),
    ],
    "rouge_score": [(lambda: fw.load("bleu").score("a cat", target="a dog"), "did you mean 'references' or")],
    "EASSE": [
        (lambda: fw.evaluate("bleu", sys_sents=OUTPUTS, refs_sents=[REFERENCES]), "did you mean"),
        (lambda: fw.evaluate("sari", OUTPUTS, orig=[], refs=[]), "did you mean 'sources'?"),
    ],
    "BERTScore and COMET": [
        (lambda: fw.evaluate("bleu", OUTPUTS, references=REFERENCES, verbose=True), "'log' receives them"),
        (lambda: fw.evaluate("bleu", OUTPUTS, references=REFERENCES, lang="en"), "as in 'bleu:tokenizer=zh'"),
    ],
    "scikit-learn": [
        (lambda: fw.evaluate("bleu", OUTPUTS, references=REFERENCES, average="macro"), "defines its mean over outputs"),
    ],
    "jury": [
        (lambda: fw.evaluate("ter", OUTPUTS, references=REFERENCES, sentence_level=True), "fw.columns(METRIC, OUTPUTS"),
        (lambda: fw.list_metrics(type="neural"), "it has none"),
    ],
    "SacreROUGE": [(lambda: fw.correlate(ROWS, metric="m", human="q"), "did you mean 'metrics'?")],
    "mt-metrics-eval": [
        (lambda: fw.correlate(ROWS, "m", "q", levels="seg"), "did you mean 'input' or 'global'?"),
        (lambda: fw.correlate(ROWS, "m", "q", level="system"), "did you mean 'levels'?"),
    ],
    "SciPy": [
        (lambda: fw.correlate([1, 2, 3], [3, 1, 2]), "meta_evaluation.coefficient(human, metric, 'pearson')"),
        (lambda: fw.correlate(ROWS, "m", "q", n_resamples=9), "did you mean 'resamples'?"),
        (lambda: fw.correlate(ROWS, "m", "q", random_state=9), "did you mean 'seed'?"),
        (lambda: fw.correlate(ROWS, "m", "q", alternative="less"), "did you mean 'two_tailed'?"),
        (lambda: fw.compare(scores=ROWS, test="ttest"), "did you mean 'bootstrap-t' or 'randomization'?"),
        (lambda: fw.correlate(ROWS, "m", "q", by="lp"), "did you mean 'slices' or 'data_sets'?"),
        (lambda: fw.agreement(ROWS, "q", ci=95), "did you mean 'confidence'?"),
        (lambda: fw.agreement(ROWS, "q", metric="fleiss"), "did you mean 'statistics'?"),
    ],
    "krippendorff": [
        (lambda: fw.agreement([[1, 2, 3], [1, 2, 2]]), "meta_evaluation.agreement(ratings, 'krippendorff')")
    ],
    "pandas": [
        (lambda: fw.correlate(frame(), "m", "q", method="spearman"), "did you mean 'coefficients'?"),
        (lambda: fw.evaluate("bleu", pandas().DataFrame({"reference": ["a"], "gpt": ["a"]})), "systems=[COLUMN, …]"),
        (lambda: fw.evaluate("bleu", frame()[["m", "q"]], references=REFERENCES), "'B': table['B']}"),
        (lambda: fw.columns("ter", [{"text": "a"}], ["a"]), "pass its 'text', as in column.str['text']"),
        (lambda: fw.correlate(frame().assign(metrics=[{"z": 1}] * 60), "m", "z"), "give it in a separate table"),
    ],
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", [call for calls in ACCEPTED.values() for call in calls])
def test_what_has_one_meaning_is_accepted(call: Callable[[], Any]) -> None:
    call()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("call", "told"), [row for rows in REFUSED.values() for row in rows])
def test_what_is_refused_is_an_error_of_this_package_in_one_line(call: Callable[[], Any], told: str) -> None:
    with pytest.raises(FwError) as caught:
        call()
    message = str(caught.value)
    assert told in message
    assert "\n" not in message
    assert "--" not in message


def test_tracebacks_end_at_the_call_and_unknown_arguments_are_type_errors() -> None:
    with pytest.raises(TypeError) as caught:
        fw.evaluate("bleu", OUTPUTS, refs=REFERENCES)
    assert isinstance(caught.value, CallError)
    with pytest.raises(FwError) as caught_later:
        fw.evaluate("blue", OUTPUTS, references=REFERENCES)
    *_, caller, shown = traceback.walk_tb(caught_later.value.__traceback__)
    assert caller[0].f_code.co_filename == __file__
    assert shown[0].f_locals["__tracebackhide__"]


def test_errors_within_a_call_are_as_they_are() -> None:
    def fails(line: str) -> None:
        raise TypeError(line)

    with pytest.raises(TypeError) as caught:
        fw.evaluate("ter", OUTPUTS, references=REFERENCES, write=fails)
    assert not isinstance(caught.value, FwError)


def test_a_function_receives_notes_and_warnings() -> None:
    told = list[str]()
    with warnings.catch_warnings(action="error"):
        fw.evaluate("bleu", ["", "a"], references=["b", "a"], log=told.append)
    assert told
    assert told[0].startswith("warning: ")


def test_public_functions_are_pickled_by_their_public_names() -> None:
    assert pickle.loads(pickle.dumps(fw.evaluate)) is fw.evaluate


def test_a_log_is_public_and_serves_several_calls() -> None:
    """Each warning is told once, and a strict log names the parameter of Python."""
    told: list[str] = []
    log = fw.Log(told.append)
    for _ in range(2):
        fw.evaluate("bleu", ["", "a dog"], references=REFERENCES, log=log)
    assert len(told) == len(log.warnings) == 1
    assert "empty" in told[0]
    with pytest.raises(fw.DataError, match="because of strict=True"):
        fw.evaluate("bleu", ["", "a dog"], references=REFERENCES, log=fw.Log(strict=True))


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("to_dict", "to_records()"),
        ("to_dataframe", "to_pandas()"),
        ("df", "to_pandas()"),
        ("score", "to_records()"),
        ("pvalue", "to_records()"),
        ("print", "table()"),
        ("to_csv", "table('csv')"),
        ("save", "table('json')"),
    ],
)
def test_methods_of_other_libraries_have_advice_that_works(name: str, told: str) -> None:
    if told == "to_pandas()":
        pytest.importorskip("pandas")
    for result in (
        fw.evaluate("ter", OUTPUTS, references=REFERENCES),
        fw.compare(scores=ROWS, trials=40, log=print),
        fw.correlate(ROWS, "m", "q", ci="none", log=print),
    ):
        with pytest.raises(AttributeError, match=re.escape(f"; use {told}")):
            getattr(result, name)
        assert eval(f"result.{told}", {"result": result}) is not None
    with pytest.raises(KeyError, match=r"it is a score; \.metrics\['ter'\] has it"):
        fw.evaluate("ter", OUTPUTS, references=REFERENCES)["ter"]
    with pytest.raises(KeyError, match="has it for the outputs of all systems together"):
        fw.evaluate("ter", SYSTEMS, references=REFERENCES)["ter"]


@pytest.mark.parametrize(
    ("name", "advised"),
    [
        ("score", "fw.evaluate(METRIC, OUTPUTS, references=REFERENCES)"),  # bert_score, jury
        ("compute", "fw.load(METRIC).score(OUTPUT, REFERENCES)"),  # Hugging Face
        ("corpus_bleu", "fw.evaluate(METRIC, OUTPUTS, references=REFERENCES)"),  # sacreBLEU, EASSE
        ("corpus_sari", "fw.evaluate(METRIC, OUTPUTS, references=REFERENCES)"),  # EASSE
        ("wer", "fw.evaluate(METRIC, OUTPUTS, references=REFERENCES)"),  # jiwer
        ("simple_evaluate", "fw.evaluate(METRIC, OUTPUTS, references=REFERENCES)"),  # lm-evaluation-harness
        ("load_metric", "fw.load(METRIC)"),  # Hugging Face
        ("BLEU", "fw.load(METRIC)"),  # sacreBLEU
        ("RougeScorer", "fw.load(METRIC)"),  # rouge_score
        ("list_evaluation_modules", "fw.list_metrics()"),  # Hugging Face
        ("pearsonr", "fw.correlate(SCORES, METRIC, HUMAN)"),  # SciPy
        ("permutation_test", "fw.compare(METRIC, SYSTEMS, references=REFERENCES)"),  # SciPy, nlpstats
        ("EvalSet", "fw.load_test_set(NAME)"),  # mt-metrics-eval
        ("krippendorff_alpha", "fw.agreement(RATINGS, RATING)"),  # krippendorff
        ("get_reference_files", "fw.load_test_set(NAME)"),  # sacreBLEU
    ],
)
def test_functions_of_other_libraries_have_advice_that_works(name: str, advised: str) -> None:
    with pytest.raises(AttributeError, match=f"has no attribute '{name}'; use ") as caught:
        getattr(fw, name)
    assert advised in str(caught.value)
    names = {"METRIC": "ter", "OUTPUTS": OUTPUTS, "REFERENCES": REFERENCES, "OUTPUT": OUTPUTS[0], "SYSTEMS": SYSTEMS}
    names |= {"SCORES": ROWS, "HUMAN": "q", "RATINGS": ROWS, "RATING": "q", "NAME": "asset-test", "fw": fw}
    with warnings.catch_warnings(action="ignore"), suppress(FwError if "test_set" in advised else ()):
        if "SCORES" in advised:
            names["METRIC"] = "m"
        assert eval(advised, names) is not None


def test_tokenizers_are_public_functions() -> None:
    tokenizer = fw.load_tokenizer("13a")
    assert isinstance(tokenizer, fw.Tokenizer)
    assert tokenizer("Yes, it is.") == ["Yes", ",", "it", "is", "."]
    with pytest.raises(fw.UsageError, match="'13a'"):
        fw.load_tokenizer("13b")


@pytest.mark.filterwarnings("ignore:.* is read as the metric")
@pytest.mark.parametrize("name", ["rouge1", "rouge2", "rougeL", "rougelsum"])
def test_a_metric_loaded_by_the_name_of_a_score_computes_this_score_alone(name: str) -> None:
    (score,) = fw.load(name).score("a cat", ["a dog"])
    assert score.lower() == name.lower()
    assert [*fw.load(name, rouge_types=["rouge9"]).score("a", ["b"])] == ["rouge9"]
    assert len(fw.load("google-rouge").score("a cat", ["a dog"])) == 4
