"""lighteval with its dummy model, which always answers ``random baseline``."""

from importlib.util import find_spec
from types import SimpleNamespace

import pytest
from programs.expected import expected

from metrics_framework.common.errors import InputError
from metrics_framework.integrations.lighteval import corpus_level_metric

pytestmark = [
    pytest.mark.skipif(find_spec("lighteval") is None, reason="needs lighteval: the extra 'programs'"),
    pytest.mark.filterwarnings("ignore"),
]

TASKS = '''
"""Tasks of the test."""

from lighteval.tasks.lighteval_task import LightevalTaskConfig
from lighteval.tasks.requests import Doc

from metrics_framework.integrations.lighteval import corpus_level_metric


def simplify(line, task_name):
    return Doc(
        query=f"Simplify: {line['source']}",
        choices=line["references"],
        gold_index=list(range(len(line["references"]))),
        specific={"source": line["source"]},
        task_name=task_name,
    )


TASKS_TABLE = [
    LightevalTaskConfig(
        name="simplify",
        prompt_function=simplify,
        hf_repo="data",
        hf_subset="default",
        hf_avail_splits=["test"],
        evaluation_splits=["test"],
        generation_size=20,
        metrics=[corpus_level_metric("ter"), corpus_level_metric("sari"), corpus_level_metric("bleu")],
    )
]
'''


def run(tmp_path, monkeypatch):
    from lighteval.logging.evaluation_tracker import EvaluationTracker
    from lighteval.models.dummy.dummy_model import DummyModelConfig
    from lighteval.pipeline import ParallelismManager, Pipeline, PipelineParameters
    from lighteval.tasks.registry import Registry

    # Loading lighteval's own tasks downloads files, and fails with huggingface_hub 1.
    for own_tasks in ("_load_from_files", "_load_from_subdirs"):
        monkeypatch.setattr(Registry, own_tasks, staticmethod(lambda *_: {}))

    (tmp_path / "data").mkdir()
    (tmp_path / "documents.jsonl").rename(tmp_path / "data" / "test.jsonl")
    (tmp_path / "tasks.py").write_text(TASKS, encoding="utf-8")
    pipeline = Pipeline(
        tasks="simplify|0",
        pipeline_parameters=PipelineParameters(
            launcher_type=ParallelismManager.NONE,
            custom_tasks_directory=str(tmp_path / "tasks.py"),
            bootstrap_iters=20,
        ),
        evaluation_tracker=EvaluationTracker(output_dir=str(tmp_path / "results"), save_details=True),
        model_config=DummyModelConfig(cache_dir=str(tmp_path / "model_cache")),
    )
    pipeline.evaluate()
    pipeline.save_and_push_results()
    return pipeline.get_results()


def test_a_task_has_the_digits_of_evaluate(documents, tmp_path, monkeypatch):
    results = run(tmp_path, monkeypatch)["results"]
    scores = results["simplify:0"]
    for metric in ("ter", "sari", "bleu"):
        assert scores[metric] == expected(metric, ["random baseline"] * 4, documents)[metric]
        assert scores[f"{metric}_stderr"] >= 0


def test_the_metric_states_what_is_better():
    assert not corpus_level_metric("ter").higher_is_better
    metric = corpus_level_metric("sari", score="sari_keep")
    assert metric.higher_is_better
    assert metric.metric_name == "sari_keep"


def test_mistakes_are_reported():
    from lighteval.tasks.requests import Doc

    doc = Doc(query="a", choices=["a"], gold_index=0)
    with pytest.raises(InputError, match=r"'sari' needs 'source'; add it to Doc\(specific=\{'source': …\}\)"):
        corpus_level_metric("sari").compute_sample(model_response=SimpleNamespace(final_text=["a"]), doc=doc)
    with pytest.raises(InputError, match=r"one output for each document, got 2; set num_samples=\[1\]"):
        corpus_level_metric("ter").compute_sample(model_response=SimpleNamespace(final_text=["a", "b"]), doc=doc)
