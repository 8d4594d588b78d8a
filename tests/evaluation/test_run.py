import json
from collections.abc import Sequence
from contextlib import closing

from metrics_framework import MetricsDict, ReferenceBasedMetric
from metrics_framework.common.logs import Log
from metrics_framework.dataset_readers.default import DefaultReader
from metrics_framework.evaluation.checked_input import BATCH_SIZE
from metrics_framework.evaluation.input_summary import InputSummary
from metrics_framework.evaluation.run import scored_batches
from metrics_framework.evaluation.scoring import PlainScorer, Scoring
from metrics_framework.evaluation.system_scores import evaluate
from metrics_framework.metrics.base.metric import LabelledMetric, labelled


class InOneProcess(ReferenceBasedMetric):
    in_one_process = True

    def score_multi_all(self, summaries_list, references_list: Sequence[Sequence[str]]):
        return [[MetricsDict({"InOneProcess": len(text)}) for text in texts] for texts in summaries_list]


def test_a_metric_in_one_process_is_not_sent_to_workers(tmp_path, capsys):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"instance_id": "1", "summarizer_id": "a", "summary": "abc", "references": ["abd"]}\n')
    # It is not registered, so worker processes could not build it.
    metrics = [LabelledMetric(InOneProcess(), "InOneProcess")]
    result = evaluate(DefaultReader(), [str(path)], metrics, None, Log(), jobs=2)
    assert result.metrics == {"InOneProcess": 3}
    assert "--jobs has no effect with 'InOneProcess'" in capsys.readouterr().err


def test_one_process_scores_a_batch_only_when_its_results_are_needed(tmp_path):
    path = tmp_path / "rows.jsonl"
    row = {"summarizer_id": "a", "summary": "a cat", "references": ["a dog"]}
    lines = [json.dumps({"instance_id": str(number), **row}) + "\n" for number in range(2 * BATCH_SIZE + 1)]
    path.write_text("".join(lines))
    metrics = labelled(["ter"])
    summary, scoring = InputSummary(), Scoring(metrics, PlainScorer(metrics), has_rows=True)
    with Log() as log, closing(scored_batches(DefaultReader(), [str(path)], scoring, summary, log)) as batches:
        read = [(len(scored.batch.ids), scored.rows.count("\n"), summary.outputs["a"]) for scored in batches]
    assert read == [(BATCH_SIZE, BATCH_SIZE, BATCH_SIZE), (BATCH_SIZE, BATCH_SIZE, 2 * BATCH_SIZE), (1, 1, len(lines))]
