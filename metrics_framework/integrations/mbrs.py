"""A metric for mbrs, the library for minimum Bayes risk decoding: ``fw``, any metric of this package.

Importing this module registers it. A folder with an ``__init__.py`` that imports it is a plug-in of ``mbrs-decode``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mbrs import timer
from mbrs.metrics import Metric, register

from metrics_framework.common.errors import UsageError
from metrics_framework.metrics.base.metric import load

if TYPE_CHECKING:
    import torch


@register("fw")
class MetricFw(Metric):  # type: ignore[misc]  # mbrs need not be installed, so its classes have no types
    """A metric of this package; the scores are its own, to the last bit.

    Args:
        cfg: The configuration.

    Raises:
        UsageError: if there is no such metric, or neither direction of its scores is better.
    """

    @dataclass
    class Config(Metric.Config):  # type: ignore[misc]  # as above
        """Configuration.

        - name (str): The metric, as for `metrics_framework.load`: ``chrf`` or ``name:option=value,…``.
        - score (str): The flat name of the score; by default, the score with the name of the metric.
        """

        name: str = "chrf"
        score: str = ""

    def __init__(self, cfg: MetricFw.Config) -> None:
        super().__init__(cfg)
        self.metric = load(cfg.name)
        if self.metric.higher_is_better is None:
            raise UsageError(
                f"neither higher nor lower scores of '{self.metric.name}' are better, so it cannot choose a hypothesis"
            )
        self.HIGHER_IS_BETTER = self.metric.higher_is_better

    def score(self, hypothesis: str, reference: str, source: str | None = None) -> float:
        """Scores one hypothesis."""
        return float(self._matrix([hypothesis], [reference], source)[0, 0])

    def pairwise_scores(self, hypotheses: list[str], references: list[str], source: str | None = None) -> torch.Tensor:
        """Scores each hypothesis against each reference, with all digits of 64-bit floats."""
        with timer.measure("score") as measured:
            measured.set_delta_ncalls(len(hypotheses) * len(references))
            return self._matrix(hypotheses, references, source)

    def corpus_score(
        self, hypotheses: list[str], references_lists: list[list[str]], sources: list[str] | None = None
    ) -> float:
        """Scores a corpus as ``evaluate`` does, given a list of first references, a list of second ones, …."""
        columns = {"summary": hypotheses, "references": list(zip(*references_lists, strict=True)), "source": sources}
        macro = self.metric.evaluate(*(columns[field] for field in self.metric.fields))[0]
        return float(macro.flatten()[self.cfg.score or self.metric.name])

    def _matrix(self, hypotheses: list[str], references: list[str], source: str | None) -> torch.Tensor:
        import torch

        own_source = source if "source" in self.metric.fields else None
        score = self.cfg.score or None
        return torch.from_numpy(self.metric.pairwise(hypotheses, references, source=own_source, score=score))
