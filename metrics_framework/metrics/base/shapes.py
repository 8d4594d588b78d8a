"""The shapes of metrics: which fields they take, and the five methods with exact signatures.

Each shape has the same five methods. ``score`` scores one output, ``score_all`` one output for each context,
``score_multi`` several outputs of one context, ``score_multi_all`` several of each; ``evaluate`` gives the score of all
outputs together, and of each. A metric defines `score_multi_all`, or is a `CorpusMetric`; the rest follows.

What the methods return and raise is said at `ReferenceBasedMetric`; the other shapes differ only in what
they take. A text is a string or the list of its sentences.
"""

from __future__ import annotations

from collections.abc import Sequence

from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.texts import Text
from metrics_framework.metrics.base.metric import SCORES, Metric

Evaluated = tuple[MetricsDict, list[MetricsDict]]


class ReferenceBasedMetric(Metric, forwards=True):
    """Compares a summary with references."""

    required_context_fields = ("references",)

    def score(self, summary: Text, references: Sequence[Text]) -> MetricsDict:
        """Scores one summary against its references.

        Args:
            summary: The text to score.
            references: The references of that summary, at least one.

        Returns:
            The scores by name; NaN where one is not defined.

        Raises:
            InputError: if an argument is not of the shape it must have, say one string for the list of references.
        """
        return self.score_batch(SCORES, [[summary]], [references]).scores[0]

    def score_all(self, summaries: Sequence[Text], references_list: Sequence[Sequence[Text]]) -> list[MetricsDict]:
        """Scores each summary against the references at the same place of the other list.

        Args:
            summaries: The texts to score.
            references_list: For each summary the list of its references.

        Returns:
            The scores of each summary, in the order given.

        Raises:
            InputError: if the lists differ in length, or an argument is not of the shape it must have.
        """
        return self._score_each(SCORES, (summaries, references_list)).scores

    def score_multi(self, summaries: Sequence[Text], references: Sequence[Text]) -> list[MetricsDict]:
        """Scores several summaries against the same references.

        Args:
            summaries: The texts to score.
            references: The references that all of them share, at least one.

        Returns:
            The scores of each summary, in the order given.

        Raises:
            InputError: if an argument is not of the shape it must have.
        """
        return self.score_batch(SCORES, [summaries], [references]).scores

    def score_multi_all(
        self, summaries_list: Sequence[Sequence[Text]], references_list: Sequence[Sequence[Text]]
    ) -> list[list[MetricsDict]]:
        """Scores each group of summaries against its references; this is what a metric defines.

        Args:
            summaries_list: Groups of texts to score; those of a group share their references.
            references_list: For each group the list of its references.

        Returns:
            For each group the list of the scores of its summaries, in the order given.

        Raises:
            InputError: if the lists differ in length, or an argument is not of the shape it must have.
        """
        return self._score_multi_all(summaries_list, references_list)

    def evaluate(self, summaries: Sequence[Text], references_list: Sequence[Sequence[Text]]) -> Evaluated:
        """Returns the score of all summaries together, and of each.

        Args:
            summaries: The texts to score, at least one.
            references_list: For each summary the list of its references.

        Returns:
            The scores of all: the mean, or what the summed statistics of a `CorpusMetric` give. Then the list of the
            scores of each, as `score_all` returns it.

        Raises:
            InputError: if the lists are empty or differ in length, or an argument is not of the shape it must have.
        """
        return self._evaluate(summaries, references_list)


class SourceReferenceBasedMetric(Metric, forwards=True):
    """Compares a summary with references and with the source it rewrites."""

    required_context_fields = ("references", "source")

    def score(self, summary: Text, references: Sequence[Text], source: Text) -> MetricsDict:
        """Scores one summary against its references and source.

        Returns and raises what `ReferenceBasedMetric.score` does.

        Args:
            summary: The text to score.
            references: The references of that summary, at least one.
            source: The text that the summary rewrites.
        """
        return self.score_batch(SCORES, [[summary]], [references], [source]).scores[0]

    def score_all(
        self, summaries: Sequence[Text], references_list: Sequence[Sequence[Text]], sources: Sequence[Text]
    ) -> list[MetricsDict]:
        """Scores each summary against the references and source at the same place of the other lists.

        Returns and raises what `ReferenceBasedMetric.score_all` does.

        Args:
            summaries: The texts to score.
            references_list: For each summary the list of its references.
            sources: For each summary the text that it rewrites.
        """
        return self._score_each(SCORES, (summaries, references_list, sources)).scores

    def score_multi(self, summaries: Sequence[Text], references: Sequence[Text], source: Text) -> list[MetricsDict]:
        """Scores several summaries against the same references and source.

        Returns and raises what `ReferenceBasedMetric.score_multi` does.

        Args:
            summaries: The texts to score.
            references: The references that all of them share, at least one.
            source: The text that all of them rewrite.
        """
        return self.score_batch(SCORES, [summaries], [references], [source]).scores

    def score_multi_all(
        self,
        summaries_list: Sequence[Sequence[Text]],
        references_list: Sequence[Sequence[Text]],
        sources: Sequence[Text],
    ) -> list[list[MetricsDict]]:
        """Scores each group of summaries against its references and source.

        Returns and raises what `ReferenceBasedMetric.score_multi_all` does.

        Args:
            summaries_list: Groups of texts to score; those of a group share references and source.
            references_list: For each group the list of its references.
            sources: For each group the text that its summaries rewrite.
        """
        return self._score_multi_all(summaries_list, references_list, sources)

    def evaluate(
        self, summaries: Sequence[Text], references_list: Sequence[Sequence[Text]], sources: Sequence[Text]
    ) -> Evaluated:
        """Returns the score of all summaries together, and of each.

        Returns and raises what `ReferenceBasedMetric.evaluate` does.

        Args:
            summaries: The texts to score.
            references_list: For each summary the list of its references.
            sources: For each summary the text that it rewrites.
        """
        return self._evaluate(summaries, references_list, sources)


class SourceBasedMetric(Metric, forwards=True):
    """Compares a summary with the source it rewrites."""

    required_context_fields = ("source",)

    def score(self, summary: Text, source: Text) -> MetricsDict:
        """Scores one summary against its source.

        Returns and raises what `ReferenceBasedMetric.score` does.

        Args:
            summary: The text to score.
            source: The text that it rewrites.
        """
        return self.score_batch(SCORES, [[summary]], [source]).scores[0]

    def score_all(self, summaries: Sequence[Text], sources: Sequence[Text]) -> list[MetricsDict]:
        """Scores each summary against the source at the same place of the other list.

        Returns and raises what `ReferenceBasedMetric.score_all` does.

        Args:
            summaries: The texts to score.
            sources: For each summary the text that it rewrites.
        """
        return self._score_each(SCORES, (summaries, sources)).scores

    def score_multi(self, summaries: Sequence[Text], source: Text) -> list[MetricsDict]:
        """Scores several summaries against the same source.

        Returns and raises what `ReferenceBasedMetric.score_multi` does.

        Args:
            summaries: The texts to score.
            source: The text that all of them rewrite.
        """
        return self.score_batch(SCORES, [summaries], [source]).scores

    def score_multi_all(
        self, summaries_list: Sequence[Sequence[Text]], sources: Sequence[Text]
    ) -> list[list[MetricsDict]]:
        """Scores each group of summaries against its source.

        Returns and raises what `ReferenceBasedMetric.score_multi_all` does.

        Args:
            summaries_list: Groups of texts to score; those of a group share their source.
            sources: For each group the text that its summaries rewrite.
        """
        return self._score_multi_all(summaries_list, sources)

    def evaluate(self, summaries: Sequence[Text], sources: Sequence[Text]) -> Evaluated:
        """Returns the score of all summaries together, and of each.

        Returns and raises what `ReferenceBasedMetric.evaluate` does.

        Args:
            summaries: The texts to score.
            sources: For each summary the text that it rewrites.
        """
        return self._evaluate(summaries, sources)


class DocumentBasedMetric(Metric, forwards=True):
    """Compares a summary with the documents it summarizes."""

    required_context_fields = ("documents",)

    def score(self, summary: Text, documents: Sequence[Text]) -> MetricsDict:
        """Scores one summary against its documents.

        Returns and raises what `ReferenceBasedMetric.score` does.

        Args:
            summary: The text to score.
            documents: The documents that it summarizes, at least one.
        """
        return self.score_batch(SCORES, [[summary]], [documents]).scores[0]

    def score_all(self, summaries: Sequence[Text], documents_list: Sequence[Sequence[Text]]) -> list[MetricsDict]:
        """Scores each summary against the documents at the same place of the other list.

        Returns and raises what `ReferenceBasedMetric.score_all` does.

        Args:
            summaries: The texts to score.
            documents_list: For each summary the list of its documents.
        """
        return self._score_each(SCORES, (summaries, documents_list)).scores

    def score_multi(self, summaries: Sequence[Text], documents: Sequence[Text]) -> list[MetricsDict]:
        """Scores several summaries against the same documents.

        Returns and raises what `ReferenceBasedMetric.score_multi` does.

        Args:
            summaries: The texts to score.
            documents: The documents that all of them summarize, at least one.
        """
        return self.score_batch(SCORES, [summaries], [documents]).scores

    def score_multi_all(
        self, summaries_list: Sequence[Sequence[Text]], documents_list: Sequence[Sequence[Text]]
    ) -> list[list[MetricsDict]]:
        """Scores each group of summaries against its documents.

        Returns and raises what `ReferenceBasedMetric.score_multi_all` does.

        Args:
            summaries_list: Groups of texts to score; those of a group share their documents.
            documents_list: For each group the list of its documents.
        """
        return self._score_multi_all(summaries_list, documents_list)

    def evaluate(self, summaries: Sequence[Text], documents_list: Sequence[Sequence[Text]]) -> Evaluated:
        """Returns the score of all summaries together, and of each.

        Returns and raises what `ReferenceBasedMetric.evaluate` does.

        Args:
            summaries: The texts to score.
            documents_list: For each summary the list of its documents.
        """
        return self._evaluate(summaries, documents_list)


class ReferenceFreeMetric(Metric, forwards=True):
    """Looks at the summary alone."""

    required_context_fields = ()

    def score(self, summary: Text) -> MetricsDict:
        """Scores one summary.

        Returns and raises what `ReferenceBasedMetric.score` does.

        Args:
            summary: The text to score.
        """
        return self.score_batch(SCORES, [[summary]]).scores[0]

    def score_all(self, summaries: Sequence[Text]) -> list[MetricsDict]:
        """Scores each summary.

        Returns and raises what `ReferenceBasedMetric.score_all` does.

        Args:
            summaries: The texts to score.
        """
        return self.score_batch(SCORES, [summaries]).scores

    def score_multi(self, summaries: Sequence[Text]) -> list[MetricsDict]:
        """Scores each summary: with no context, the same as `score_all`.

        Returns and raises what `ReferenceBasedMetric.score_multi` does.

        Args:
            summaries: The texts to score.
        """
        return self.score_all(summaries)

    def score_multi_all(self, summaries_list: Sequence[Sequence[Text]]) -> list[list[MetricsDict]]:
        """Scores each group of summaries.

        Returns and raises what `ReferenceBasedMetric.score_multi_all` does.

        Args:
            summaries_list: Groups of texts to score.
        """
        return self._score_multi_all(summaries_list)

    def evaluate(self, summaries: Sequence[Text]) -> Evaluated:
        """Returns the score of all summaries together, and of each.

        Returns and raises what `ReferenceBasedMetric.evaluate` does.

        Args:
            summaries: The texts to score.
        """
        return self._evaluate(summaries)
