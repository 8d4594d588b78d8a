"""inspect-ai with its mock model, which gives the answers of the test."""

from importlib.util import find_spec

import pytest
from programs.expected import expected
from programs.guides import write_files

import metrics_framework as fw
from metrics_framework.common.errors import UsageError
from metrics_framework.integrations.inspect_ai import fw_scorer

pytestmark = [
    pytest.mark.skipif(find_spec("inspect_ai") is None, reason="needs inspect-ai: the group 'programs'"),
    pytest.mark.filterwarnings("ignore"),
]
ANSWERS = ["About 95 species are accepted.", "lol", "It rained a lot", ""]


def run(documents, scorer, answers=ANSWERS, **options):
    import inspect_ai
    from inspect_ai.dataset import Sample
    from inspect_ai.solver import generate

    samples = [
        Sample(input=row["source"], target=row.get("references", ""), id=row["id"], metadata={"doc": row["source"]})
        for row in documents
    ]
    task = inspect_ai.Task(dataset=samples, solver=generate(), scorer=scorer, **options)
    return run_task(task, answers)


def run_task(task, answers, **options):
    import inspect_ai
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    outputs = [ModelOutput.from_content("mockllm/model", answer) for answer in answers]
    for output in outputs:
        output.usage = ModelUsage()  # or the mock model counts tokens with a vocabulary that it downloads
    model = get_model("mockllm/model", custom_outputs=outputs)
    (log,) = inspect_ai.eval(
        task, model=model, log_dir="logs", display="none", max_connections=1, max_samples=1, **options
    )
    return log


def test_samples_and_corpus_have_the_digits_of_evaluate(documents):
    log = run(documents, fw_scorer(["ter", "sari"]))
    assert log.status == "success", log.error
    want = {**expected("ter", ANSWERS, documents), **expected("sari", ANSWERS, documents)}
    assert {name: metric.value for name, metric in log.results.scores[0].metrics.items()} == want
    for sample, answer, document in zip(log.samples, ANSWERS, documents, strict=True):
        score = sample.scores["fw_scorer"]
        assert score.answer == answer
        assert score.value["ter"] == expected("ter", [answer], [document])["ter"]


def test_every_epoch_is_part_of_the_corpus(documents):
    answers = [*ANSWERS, *reversed(ANSWERS)]
    log = run(documents, fw_scorer("ter"), answers, epochs=2)
    outputs = [sample.output.completion for sample in log.samples]
    rows = [documents[sample.id - 1] for sample in log.samples]
    assert sorted(outputs) == sorted(answers)
    assert log.results.scores[0].metrics["ter"].value == expected("ter", outputs, rows)["ter"]


def test_a_log_can_be_scored_again_with_another_metric(documents):
    from inspect_ai import score

    log = score(run(documents, fw_scorer("ter")), fw_scorer("sari", source="doc"), action="overwrite", display="none")
    assert log.results.scores[0].metrics["sari"].value == expected("sari", ANSWERS, documents)["sari"]


def test_a_saved_log_has_the_scores(documents):
    from inspect_ai.log import read_eval_log

    log = run(documents, fw_scorer("bleu"))
    again = read_eval_log(log.location)
    assert again.results.scores[0].metrics["bleu"].value == expected("bleu", ANSWERS, documents)["bleu"]


@pytest.mark.parametrize("log_format", ["eval", "json"])
def test_a_log_is_a_file_of_scores_with_the_accuracy_that_inspect_reports(log_format, documents):
    """The grades C and I, texts, numbers of several names, of which some are missing, and a sample with an error."""
    import inspect_ai
    from inspect_ai.dataset import Sample
    from inspect_ai.scorer import Score, match, mean, scorer
    from inspect_ai.solver import generate, solver

    @scorer(metrics={"length": [mean()], "half": [mean()]})
    def aspects():
        async def score(state, target):
            number = len(state.output.completion)
            return Score(value={"length": number, "half": 0.5 if number % 2 else 1.0})

        return score

    @solver
    def fails_once():
        async def solve(state, generate):
            if state.sample_id == 3:
                raise RuntimeError("no answer")
            return state

        return solve

    samples = [
        Sample(input=f"{number} + 1?", target=str(number + 1), id=number, metadata={"kind": {"even": number % 2 == 0}})
        for number in range(1, 6)
    ]
    task = inspect_ai.Task(
        dataset=samples,
        solver=[fails_once(), generate()],
        scorer=[match(), aspects()],
        epochs=2,
        fail_on_error=False,
    )
    log = run_task(task, ["2", "2."] * 5, log_format=log_format)
    assert log.status == "success", log.error
    want = {one.name: next(iter(one.metrics.values())).value for one in log.results.scores}
    found = fw.compare(scores=log.location)
    assert {one.score.name: one.systems[0].score for one in found} == pytest.approx(want)
    assert 0 < want["match"] < 1
    assert found.not_counted == {f"{log.location}: error": 2}
    assert fw.compare(scores=log.location, where="metadata.kind.even=true").num_instances == 2


def test_a_sample_without_target_is_an_error(documents):
    log = run([{"id": 1, "source": "a"}], fw_scorer("ter"))
    assert log.status == "error"
    assert "sample 1 has no references; set target= in Sample()" in log.error.message


def test_metrics_are_names_or_dictionaries():
    import metrics_framework as fw

    with pytest.raises(UsageError, match="metrics must be names"):
        fw_scorer(fw.load("ter"))
    with pytest.raises(UsageError, match="'tre'"):
        fw_scorer("tre")
    assert fw_scorer({"type": "ter", "label": "other"})


def test_the_task_of_the_guide_has_the_digits_of_evaluate(documents, tmp_path):
    write_files("evaluation-harnesses.md", tmp_path)
    names = {"__name__": "simplify"}
    exec((tmp_path / "simplify.py").read_text(encoding="utf-8"), names)
    log = run_task(names["simplify"](), ANSWERS[:2])
    rows = [{"source": sample.input, "references": sample.target} for sample in names["SAMPLES"]]
    metrics = log.results.scores[0].metrics
    assert metrics["sari"].value == expected("sari", ANSWERS[:2], rows)["sari"]
    assert metrics["ter"].value == expected("ter", ANSWERS[:2], rows)["ter"]
