from collections.abc import Sequence

from metrics_framework import MetricsDict, ReferenceBasedMetric
from metrics_framework.common.logs import Log
from metrics_framework.dataset_readers.default import DefaultReader
from metrics_framework.evaluation.evaluate import evaluate
from metrics_framework.metrics.base.labelled_metric import LabelledMetric


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
