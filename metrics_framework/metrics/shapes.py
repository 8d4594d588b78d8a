"""The shapes of metrics: which fields they take, and the five methods with exact signatures.

Each shape has the same five methods. ``score`` scores one output, ``score_all`` one output for each context,
``score_multi`` several outputs of one context, ``score_multi_all`` several of each; ``evaluate`` gives the score of all
outputs together, and of each. A metric defines `score_multi_all`, or is a `CorpusMetric`; the rest follows.
"""

from __future__ import annotations

from collections.abc import Sequence

from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.texts import Text
from metrics_framework.metrics.metric import Metric

Evaluated = tuple[MetricsDict, list[MetricsDict]]


class ReferenceBasedMetric(Metric, forwards=True):
    """Compares a summary with references."""

    required_context_fields = ("references",)

    def score(self, summary: Text, references: Sequence[Text]) -> MetricsDict:
        """Scores one summary against its references."""
        return self.score_multi_all([[summary]], [references])[0][0]

    def score_all(self, summaries: Sequence[Text], references_list: Sequence[Sequence[Text]]) -> list[MetricsDict]:
        """Scores each summary against the references at the same place of the other list."""
        return [scores for (scores,) in self.score_multi_all(*self._one_each((summaries, references_list)))]

    def score_multi(self, summaries: Sequence[Text], references: Sequence[Text]) -> list[MetricsDict]:
        """Scores several summaries against the same references."""
        return self.score_multi_all([summaries], [references])[0]

    def score_multi_all(
        self, summaries_list: Sequence[Sequence[Text]], references_list: Sequence[Sequence[Text]]
    ) -> list[list[MetricsDict]]:
        """Scores each group of summaries against its references."""
        return self._score_multi_all(summaries_list, references_list)

    def evaluate(self, summaries: Sequence[Text], references_list: Sequence[Sequence[Text]]) -> Evaluated:
        """Returns the score of all summaries together, and of each."""
        return self._evaluate(summaries, references_list)


class SourceReferenceBasedMetric(Metric, forwards=True):
    """Compares a summary with references and with the source it rewrites."""

    required_context_fields = ("references", "source")

    def score(self, summary: Text, references: Sequence[Text], source: Text) -> MetricsDict:
        """Scores one summary against its references and source."""
        return self.score_multi_all([[summary]], [references], [source])[0][0]

    def score_all(
        self, summaries: Sequence[Text], references_list: Sequence[Sequence[Text]], sources: Sequence[Text]
    ) -> list[MetricsDict]:
        """Scores each summary against the references and source at the same place of the other lists."""
        return [scores for (scores,) in self.score_multi_all(*self._one_each((summaries, references_list, sources)))]

    def score_multi(self, summaries: Sequence[Text], references: Sequence[Text], source: Text) -> list[MetricsDict]:
        """Scores several summaries against the same references and source."""
        return self.score_multi_all([summaries], [references], [source])[0]

    def score_multi_all(
        self,
        summaries_list: Sequence[Sequence[Text]],
        references_list: Sequence[Sequence[Text]],
        sources: Sequence[Text],
    ) -> list[list[MetricsDict]]:
        """Scores each group of summaries against its references and source."""
        return self._score_multi_all(summaries_list, references_list, sources)

    def evaluate(
        self, summaries: Sequence[Text], references_list: Sequence[Sequence[Text]], sources: Sequence[Text]
    ) -> Evaluated:
        """Returns the score of all summaries together, and of each."""
        return self._evaluate(summaries, references_list, sources)


class SourceBasedMetric(Metric, forwards=True):
    """Compares a summary with the source it rewrites."""

    required_context_fields = ("source",)

    def score(self, summary: Text, source: Text) -> MetricsDict:
        """Scores one summary against its source."""
        return self.score_multi_all([[summary]], [source])[0][0]

    def score_all(self, summaries: Sequence[Text], sources: Sequence[Text]) -> list[MetricsDict]:
        """Scores each summary against the source at the same place of the other list."""
        return [scores for (scores,) in self.score_multi_all(*self._one_each((summaries, sources)))]

    def score_multi(self, summaries: Sequence[Text], source: Text) -> list[MetricsDict]:
        """Scores several summaries against the same source."""
        return self.score_multi_all([summaries], [source])[0]

    def score_multi_all(
        self, summaries_list: Sequence[Sequence[Text]], sources: Sequence[Text]
    ) -> list[list[MetricsDict]]:
        """Scores each group of summaries against its source."""
        return self._score_multi_all(summaries_list, sources)

    def evaluate(self, summaries: Sequence[Text], sources: Sequence[Text]) -> Evaluated:
        """Returns the score of all summaries together, and of each."""
        return self._evaluate(summaries, sources)


class DocumentBasedMetric(Metric, forwards=True):
    """Compares a summary with the documents it summarizes."""

    required_context_fields = ("documents",)

    def score(self, summary: Text, documents: Sequence[Text]) -> MetricsDict:
        """Scores one summary against its documents."""
        return self.score_multi_all([[summary]], [documents])[0][0]

    def score_all(self, summaries: Sequence[Text], documents_list: Sequence[Sequence[Text]]) -> list[MetricsDict]:
        """Scores each summary against the documents at the same place of the other list."""
        return [scores for (scores,) in self.score_multi_all(*self._one_each((summaries, documents_list)))]

    def score_multi(self, summaries: Sequence[Text], documents: Sequence[Text]) -> list[MetricsDict]:
        """Scores several summaries against the same documents."""
        return self.score_multi_all([summaries], [documents])[0]

    def score_multi_all(
        self, summaries_list: Sequence[Sequence[Text]], documents_list: Sequence[Sequence[Text]]
    ) -> list[list[MetricsDict]]:
        """Scores each group of summaries against its documents."""
        return self._score_multi_all(summaries_list, documents_list)

    def evaluate(self, summaries: Sequence[Text], documents_list: Sequence[Sequence[Text]]) -> Evaluated:
        """Returns the score of all summaries together, and of each."""
        return self._evaluate(summaries, documents_list)


class ReferenceFreeMetric(Metric, forwards=True):
    """Looks at the summary alone."""

    required_context_fields = ()

    def score(self, summary: Text) -> MetricsDict:
        """Scores one summary."""
        return self.score_multi_all([[summary]])[0][0]

    def score_all(self, summaries: Sequence[Text]) -> list[MetricsDict]:
        """Scores each summary."""
        return self.score_multi_all([summaries])[0]

    def score_multi(self, summaries: Sequence[Text]) -> list[MetricsDict]:
        """Scores each summary: with no context, the same as `score_all`."""
        return self.score_all(summaries)

    def score_multi_all(self, summaries_list: Sequence[Sequence[Text]]) -> list[list[MetricsDict]]:
        """Scores each group of summaries."""
        return self._score_multi_all(summaries_list)

    def evaluate(self, summaries: Sequence[Text]) -> Evaluated:
        """Returns the score of all summaries together, and of each."""
        return self._evaluate(summaries)
