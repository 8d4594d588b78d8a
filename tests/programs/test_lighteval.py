"""lighteval with its dummy model, which always answers ``random baseline``."""

from importlib.util import find_spec
from types import SimpleNamespace

import pytest
from programs.expected import expected
from programs.guides import documents_in, write_files

from metrics_framework.common.errors import InputError
from metrics_framework.integrations.lighteval import corpus_level_metric

pytestmark = [
    pytest.mark.skipif(find_spec("lighteval") is None, reason="needs lighteval: the group 'programs'"),
    pytest.mark.filterwarnings("ignore"),
]


def run(tmp_path, monkeypatch):
    from lighteval.logging.evaluation_tracker import EvaluationTracker
    from lighteval.models.dummy.dummy_model import DummyModelConfig
    from lighteval.pipeline import ParallelismManager, Pipeline, PipelineParameters
    from lighteval.tasks.registry import Registry

    # Loading lighteval's own tasks downloads files, and fails with huggingface_hub 1.
    for own_tasks in ("_load_from_files", "_load_from_subdirs"):
        monkeypatch.setattr(Registry, own_tasks, staticmethod(lambda *_: {}))

    pipeline = Pipeline(
        tasks="simplify|0",
        pipeline_parameters=PipelineParameters(
            launcher_type=ParallelismManager.NONE,
            custom_tasks_directory=str(tmp_path / "simplify_task.py"),
            bootstrap_iters=20,
        ),
        evaluation_tracker=EvaluationTracker(output_dir=str(tmp_path / "results"), save_details=True),
        model_config=DummyModelConfig(cache_dir=str(tmp_path / "model_cache")),
    )
    pipeline.evaluate()
    pipeline.save_and_push_results()
    return pipeline.get_results()


@pytest.mark.parametrize("of_guide", [True, False], ids=["documents of the guide", "hostile documents"])
def test_the_task_of_the_guide_has_the_digits_of_evaluate(documents, tmp_path, monkeypatch, of_guide):
    write_files("evaluation-harnesses.md", tmp_path)
    path = tmp_path / "data" / "test.jsonl"
    if of_guide:
        documents = documents_in(path)
    else:
        (tmp_path / "documents.jsonl").replace(path)
    results = run(tmp_path, monkeypatch)["results"]
    scores = results["simplify:0"]
    for metric in ("sari", "ter"):
        assert scores[metric] == expected(metric, ["random baseline"] * len(documents), documents)[metric]
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
