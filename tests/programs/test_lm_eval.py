"""lm-evaluation-harness with its dummy model, which always answers ``lol``."""

import json
from importlib.util import find_spec

import pytest
from programs.expected import expected
from programs.guides import documents_in, write_files
from real_outputs import published_outputs

import metrics_framework as fw
from metrics_framework.common.errors import InputError, UsageError
from metrics_framework.integrations import lm_eval as adapter

needs_lm_eval = pytest.mark.skipif(find_spec("lm_eval") is None, reason="needs lm-eval: the group 'programs'")
pytestmark = pytest.mark.filterwarnings("ignore")

ONE_REFERENCE = """
task: simplify
dataset_path: json
dataset_kwargs:
  data_files: {test: documents.jsonl}
test_split: test
output_type: generate_until
doc_to_text: "Simplify: {{source}}"
doc_to_target: "{{references[0]}}"
metric_list:
  - metric: ter
    aggregation: !function metrics_framework.integrations.lm_eval.ter
    higher_is_better: false
"""
TASK = f"""{ONE_REFERENCE}  - metric: sari
    aggregation: !function metrics_framework.integrations.lm_eval.sari
    higher_is_better: true
  - metric: sent-bleu
    aggregation: !function metrics_framework.integrations.lm_eval.sent-bleu
    higher_is_better: true
process_results: !function metrics_framework.integrations.lm_eval.process_results+ter+sari+sent-bleu
"""


def run(task, tmp_path, name="simplify"):
    from lm_eval import simple_evaluate
    from lm_eval.tasks import TaskManager

    if isinstance(task, str):
        if task:
            (tmp_path / "simplify.yaml").write_text(task, encoding="utf-8")
        task = name
    manager = TaskManager(include_path=str(tmp_path), include_defaults=False)
    return simple_evaluate(model="dummy", tasks=[task], task_manager=manager)


@needs_lm_eval
def test_a_task_in_yaml_has_the_digits_of_evaluate(documents, tmp_path):
    results = run(TASK, tmp_path)
    for metric in ("ter", "sari", "sent-bleu"):
        assert results["results"]["simplify"][f"{metric},none"] == expected(metric, ["lol"] * 4, documents)[metric]
    assert results["higher_is_better"]["simplify"] == {"ter": False, "sari": True, "sent-bleu": True}


@needs_lm_eval
def test_the_pairs_that_the_harness_keeps_are_scored_with_their_reference(documents, tmp_path):
    results = run(ONE_REFERENCE, tmp_path)
    first = [{**row, "references": row["references"][:1]} for row in documents]
    assert results["results"]["simplify"]["ter,none"] == expected("ter", ["lol"] * 4, first)["ter"]


SUMS = """
task: sums
dataset_path: json
dataset_kwargs:
  data_files: {test: sums.jsonl}
test_split: test
output_type: generate_until
doc_to_text: "{{question}}"
doc_to_target: "{{answer}}"
repeats: 1
metric_list:
  - metric: exact_match
    aggregation: mean
    higher_is_better: true
  - metric: bleu
    aggregation: bleu
    higher_is_better: true
"""
FILTERS = """filter_list:
  - {name: all, filter: [{function: take_first}]}
  - {name: vowels, filter: [{function: regex, regex_pattern: "(o)"}, {function: take_first}]}
"""


@needs_lm_eval
@pytest.mark.parametrize(
    ("filters", "names"), [("", ["exact_match"]), (FILTERS, ["exact_match:all", "exact_match:vowels"])]
)
def test_a_log_is_a_file_of_scores_with_the_accuracy_that_the_harness_reports(filters, names, documents, tmp_path):
    from lm_eval import simple_evaluate
    from lm_eval.loggers import EvaluationTracker
    from lm_eval.tasks import TaskManager

    answers = ["lol", "o", "5", "lol", "lol"]
    rows = [{"question": f"{number}?", "answer": answer} for number, answer in enumerate(answers)]
    (tmp_path / "sums.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    (tmp_path / "sums.yaml").write_text(SUMS + filters, encoding="utf-8")
    manager, tracker = TaskManager(include_path=str(tmp_path), include_defaults=False), EvaluationTracker("logs")
    results = simple_evaluate(
        model="dummy", tasks=["sums"], task_manager=manager, evaluation_tracker=tracker, log_samples=True
    )
    samples = results.pop("samples")
    tracker.save_results_aggregated(results=results, samples=samples)
    tracker.save_results_samples(task_name="sums", samples=samples["sums"])
    (path,) = (tmp_path / "logs").rglob("samples_sums_*.jsonl")
    found = fw.compare(scores=str(path), log=lambda _: None)
    want = {name: results["results"]["sums"][f"exact_match,{name.partition(':')[2] or 'none'}"] for name in names}
    assert {one.score.name: one.systems[0].score for one in found} == want
    assert found.not_counted == {f"{path}: corpus": 5 * len(names)}
    assert fw.compare(scores=str(path), log=lambda _: None, where="doc.answer=lol").num_instances == 3


@needs_lm_eval
def test_several_references_without_process_results_are_an_error(documents, tmp_path):
    with pytest.raises(InputError, match=r"add process_results: !function .*process_results\+NAME"):
        run(ONE_REFERENCE.replace('"{{references[0]}}"', "references"), tmp_path)


@needs_lm_eval
def test_a_task_in_python_has_options_and_other_columns(documents, tmp_path):
    metrics = ("ter", "bleu:label=smooth,smooth_method=add-k")
    task = {
        "task": "simplify",
        "dataset_path": "json",
        "dataset_kwargs": {"data_files": {"test": "documents.jsonl"}},
        "test_split": "test",
        "output_type": "generate_until",
        "doc_to_text": "{{source}}",
        "doc_to_target": "",
        "process_results": adapter.rows_for(*metrics, references="references"),
        "metric_list": adapter.metric_list(*metrics),
    }
    scores = run(task, tmp_path)["results"]["simplify"]
    assert scores["ter,none"] == expected("ter", ["lol"] * 4, documents)["ter"]
    assert scores["smooth,none"] == expected("bleu:smooth_method=add-k", ["lol"] * 4, documents)["bleu"]


@needs_lm_eval
def test_the_tasks_of_the_guide_have_the_digits_of_evaluate(documents, tmp_path):
    write_files("evaluation-harnesses.md", tmp_path)
    rows = documents_in(tmp_path / "data/test.jsonl")
    want = {metric: expected(metric, ["lol"] * 2, rows) for metric in ("sari", "ter", "sari:variant=hf")}
    scores = run("", tmp_path, "simplify")["results"]["simplify"]
    assert (scores["sari,none"], scores["ter,none"]) == (want["sari"]["sari"], want["ter"]["ter"])
    scores = run("", tmp_path, "simplify_options")["results"]["simplify_options"]
    assert scores["sari-hf,none"] == want["sari:variant=hf"]["sari"]
    assert scores["ter,none"] == want["ter"]["ter_num_edits"]


def test_every_metric_is_a_function_of_the_module():
    assert adapter.ter is adapter.ter
    assert getattr(adapter, "sent-bleu")([(["a b c d"], "a b c d")]) == pytest.approx(100)
    with pytest.raises(AttributeError, match=r"'tre'.*did you mean 'ter'"):
        _ = adapter.tre
    with pytest.raises(AttributeError, match=r"as in process_results\+ter\+bleu"):
        _ = adapter.process_results
    with pytest.raises(AttributeError, match="'tre'"):
        getattr(adapter, "process_results+ter+tre")
    with pytest.raises(AttributeError, match="__path__"):
        _ = adapter.__path__


def test_published_outputs_have_the_digits_of_evaluate(shared_path):
    outputs = published_outputs(shared_path)
    documents = [
        {"references": references, "source": source}
        for references, source in zip(outputs["references"], outputs["source"], strict=True)
    ]
    keep = getattr(adapter, "process_results+ter+sari+bleu")
    kept = [keep(document, [text]) for document, text in zip(documents, outputs["summary"], strict=True)]
    for metric in ("ter", "sari", "bleu"):
        aggregated = getattr(adapter, metric)([row[metric] for row in kept])
        assert aggregated == expected(metric, outputs["summary"], documents)[metric]


def test_other_columns_and_scores_can_be_chosen():
    keep = adapter.rows_for("sari", references="answers", source="question")
    kept = keep({"question": "a b", "answers": "a", "source": "another", "reference": "x"}, ["a"])
    assert kept == {"sari": {"summary": "a", "references": ["a"], "source": "a b"}}
    assert adapter.aggregation("ter", score="ter_num_edits")([kept["sari"]]) == 0
    with pytest.raises(UsageError, match=r"the score 'x' of 'ter' is unknown; pass score=, one of ter, ter_num_edits"):
        adapter.aggregation("ter", score="x")([kept["sari"]])


@pytest.mark.parametrize(
    ("document", "results", "message"),
    [
        (
            {"question": "a"},
            ["a"],
            "'ter' needs 'references', but got only 'question'; name its column with references=COLUMN",
        ),
        ({"references": ["a"]}, [["a", "b"]], "an output must be a text, got"),
        ({"references": ["a"], "reference_1": "b"}, ["a"], "numbered"),
    ],
)
def test_mistakes_are_reported(document, results, message):
    with pytest.raises(InputError, match=message):
        adapter.rows_for("ter")(document, results)


def test_a_column_that_was_named_must_exist():
    with pytest.raises(InputError, match="the data set has no column 'answers'; it has 'references'"):
        adapter.rows_for("ter", references="answers")({"references": ["a"]}, ["a"])


def test_numbered_references_and_columns_of_another_meaning_are_no_problem():
    document = {"reference_1": "a", "reference_2": "", "reference_3": "b", "output": "x", "prediction": "y"}
    kept = adapter.rows_for("ter")(document, ["a"])
    assert kept == {"ter": {"summary": "a", "references": ["a", "b"]}}
