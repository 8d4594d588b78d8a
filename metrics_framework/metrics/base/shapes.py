"""The shapes of metrics: one base class for each combination of input fields.

Every shape has the same five methods with exact signatures: ``score`` scores one output, ``score_all`` one output per
context, ``score_multi`` several outputs of one context, and ``score_multi_all`` several outputs per context;
``evaluate`` returns corpus scores and the scores of each output. A metric defines ``score_multi_all`` or is a
`CorpusMetric`; the other methods follow. `ChosenFieldsMetric` is the shape of metrics whose fields are options.

All five accept the same keywords, as ``forwards=True`` says of a shape: each argument may be named as in any of them,
such as ``references`` or, as in SacreROUGE, ``references_list``.

`ReferenceBasedMetric` documents return values and errors; the other shapes differ only in their arguments. A text is a
string or a list of sentences.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Sequence
from typing import Any

from metrics_framework.common.definitions import called_at, defined_at
from metrics_framework.common.errors import PluginError, RegistrationError, advice
from metrics_framework.data.fields import SINGULARS
from metrics_framework.data.jackknifers import ReferencesJackknifer
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.texts import Text, TextGroups, shown
from metrics_framework.inputs.texts import warn_of_sentences
from metrics_framework.metrics.base.checks import FIELDS, OF_FUNCTIONS, renamed
from metrics_framework.metrics.base.metric import SCORES, Metric

Evaluated = tuple[MetricsDict, list[MetricsDict]]


class ReferenceBasedMetric(Metric, forwards=True):
    """Base class of metrics that compare a summary with references."""

    required_context_fields = ("references",)
    jackknifer = ReferencesJackknifer()

    def score(self, summary: Text, references: Sequence[Text]) -> MetricsDict:
        """Scores one summary against its references.

        Args:
            summary: The text to score.
            references: The references of the summary, at least one; or one text.

        Returns:
            The scores by name; NaN if a score is undefined.

        Raises:
            InputError: if an argument has a wrong shape, such as lists in place of texts.
        """
        warn_of_sentences(summary, references)
        return self.score_batch(SCORES, [[summary]], [references]).scores[0]

    def score_all(self, summaries: Sequence[Text], references: Sequence[Sequence[Text]]) -> list[MetricsDict]:
        """Scores each summary against its references.

        Args:
            summaries: The texts to score.
            references: The references of each summary: a list, or one text.

        Returns:
            The scores of each summary, in the given order.

        Raises:
            InputError: if the lists differ in length or an argument has a wrong shape.
        """
        return self.score_each(SCORES, (summaries, references)).scores

    def score_multi(self, summaries: Sequence[Text], references: Sequence[Text]) -> list[MetricsDict]:
        """Scores several summaries against the same references.

        Args:
            summaries: The texts to score.
            references: The references shared by all summaries, at least one; or one text.

        Returns:
            The scores of each summary, in the given order.

        Raises:
            InputError: if an argument has a wrong shape.
        """
        return self.score_batch(SCORES, [summaries], [references]).scores

    def score_multi_all(self, summaries_list: TextGroups, references_list: TextGroups) -> list[list[MetricsDict]]:
        """Scores each group of summaries against its references; metrics define this method.

        Args:
            summaries_list: Groups of texts to score; the texts of a group share references.
            references_list: The references of each group: a list, or one text.

        Returns:
            For each group, a list with the scores of each summary, in the given order.

        Raises:
            InputError: if the lists differ in length or an argument has a wrong shape.
        """
        return self._score_multi_all(summaries_list, references_list)

    def evaluate(self, summaries: Sequence[Text], references: Sequence[Sequence[Text]]) -> Evaluated:
        """Returns the corpus scores and the scores of each summary.

        Args:
            summaries: The texts to score, at least one.
            references: The references of each summary: a list, or one text.

        Returns:
            The corpus scores, which are the means of the scores of all summaries or, for a `CorpusMetric`, are computed
            from summed statistics; and a list with the scores of each summary, as `score_all` returns it.

        Raises:
            InputError: if the lists are empty or differ in length, or an argument has a wrong shape.
        """
        return self._evaluate(summaries, references)


class SourceReferenceBasedMetric(Metric, forwards=True):
    """Base class of metrics that compare a summary with references and with its source."""

    required_context_fields = ("references", "source")
    jackknifer = ReferencesJackknifer()

    def score(self, summary: Text, references: Sequence[Text], source: Text) -> MetricsDict:
        """Scores one summary against its references and source.

        Returns and raises the same as `ReferenceBasedMetric.score`.

        Args:
            summary: The text to score.
            references: The references of the summary, at least one; or one text.
            source: The text that the summary simplifies or translates.
        """
        warn_of_sentences(summary, references)
        return self.score_batch(SCORES, [[summary]], [references], [source]).scores[0]

    def score_all(
        self, summaries: Sequence[Text], references: Sequence[Sequence[Text]], sources: Sequence[Text]
    ) -> list[MetricsDict]:
        """Scores each summary against its references and source.

        Returns and raises the same as `ReferenceBasedMetric.score_all`.

        Args:
            summaries: The texts to score.
            references: The references of each summary: a list, or one text.
            sources: The source of each summary.
        """
        return self.score_each(SCORES, (summaries, references, sources)).scores

    def score_multi(self, summaries: Sequence[Text], references: Sequence[Text], source: Text) -> list[MetricsDict]:
        """Scores several summaries against the same references and source.

        Returns and raises the same as `ReferenceBasedMetric.score_multi`.

        Args:
            summaries: The texts to score.
            references: The references shared by all summaries, at least one; or one text.
            source: The text that all summaries simplify or translate.
        """
        return self.score_batch(SCORES, [summaries], [references], [source]).scores

    def score_multi_all(
        self, summaries_list: TextGroups, references_list: TextGroups, sources: Sequence[Text]
    ) -> list[list[MetricsDict]]:
        """Scores each group of summaries against its references and source.

        Returns and raises the same as `ReferenceBasedMetric.score_multi_all`.

        Args:
            summaries_list: Groups of texts to score; the texts of a group share references and source.
            references_list: The references of each group: a list, or one text.
            sources: The source of each group.
        """
        return self._score_multi_all(summaries_list, references_list, sources)

    def evaluate(
        self, summaries: Sequence[Text], references: Sequence[Sequence[Text]], sources: Sequence[Text]
    ) -> Evaluated:
        """Returns the corpus scores and the scores of each summary.

        Returns and raises the same as `ReferenceBasedMetric.evaluate`.

        Args:
            summaries: The texts to score.
            references: The references of each summary: a list, or one text.
            sources: The source of each summary.
        """
        return self._evaluate(summaries, references, sources)


class SourceBasedMetric(Metric, forwards=True):
    """Base class of metrics that compare a summary with its source."""

    required_context_fields = ("source",)

    def score(self, summary: Text, source: Text) -> MetricsDict:
        """Scores one summary against its source.

        Returns and raises the same as `ReferenceBasedMetric.score`.

        Args:
            summary: The text to score.
            source: The text that the summary simplifies or translates.
        """
        return self.score_batch(SCORES, [[summary]], [source]).scores[0]

    def score_all(self, summaries: Sequence[Text], sources: Sequence[Text]) -> list[MetricsDict]:
        """Scores each summary against its source.

        Returns and raises the same as `ReferenceBasedMetric.score_all`.

        Args:
            summaries: The texts to score.
            sources: The source of each summary.
        """
        return self.score_each(SCORES, (summaries, sources)).scores

    def score_multi(self, summaries: Sequence[Text], source: Text) -> list[MetricsDict]:
        """Scores several summaries against the same source.

        Returns and raises the same as `ReferenceBasedMetric.score_multi`.

        Args:
            summaries: The texts to score.
            source: The text that all summaries simplify or translate.
        """
        return self.score_batch(SCORES, [summaries], [source]).scores

    def score_multi_all(self, summaries_list: TextGroups, sources: Sequence[Text]) -> list[list[MetricsDict]]:
        """Scores each group of summaries against its source.

        Returns and raises the same as `ReferenceBasedMetric.score_multi_all`.

        Args:
            summaries_list: Groups of texts to score; the texts of a group share a source.
            sources: The source of each group.
        """
        return self._score_multi_all(summaries_list, sources)

    def evaluate(self, summaries: Sequence[Text], sources: Sequence[Text]) -> Evaluated:
        """Returns the corpus scores and the scores of each summary.

        Returns and raises the same as `ReferenceBasedMetric.evaluate`.

        Args:
            summaries: The texts to score.
            sources: The source of each summary.
        """
        return self._evaluate(summaries, sources)


class DocumentBasedMetric(Metric, forwards=True):
    """Base class of metrics that compare a summary with the documents it summarizes."""

    required_context_fields = ("documents",)

    def score(self, summary: Text, documents: Sequence[Text]) -> MetricsDict:
        """Scores one summary against its documents.

        Returns and raises the same as `ReferenceBasedMetric.score`.

        Args:
            summary: The text to score.
            documents: The documents that the summary summarizes, at least one; or one text.
        """
        return self.score_batch(SCORES, [[summary]], [documents]).scores[0]

    def score_all(self, summaries: Sequence[Text], documents: Sequence[Sequence[Text]]) -> list[MetricsDict]:
        """Scores each summary against its documents.

        Returns and raises the same as `ReferenceBasedMetric.score_all`.

        Args:
            summaries: The texts to score.
            documents: The documents of each summary: a list, or one text.
        """
        return self.score_each(SCORES, (summaries, documents)).scores

    def score_multi(self, summaries: Sequence[Text], documents: Sequence[Text]) -> list[MetricsDict]:
        """Scores several summaries against the same documents.

        Returns and raises the same as `ReferenceBasedMetric.score_multi`.

        Args:
            summaries: The texts to score.
            documents: The documents that all summaries summarize, at least one; or one text.
        """
        return self.score_batch(SCORES, [summaries], [documents]).scores

    def score_multi_all(self, summaries_list: TextGroups, documents_list: TextGroups) -> list[list[MetricsDict]]:
        """Scores each group of summaries against its documents.

        Returns and raises the same as `ReferenceBasedMetric.score_multi_all`.

        Args:
            summaries_list: Groups of texts to score; the texts of a group share documents.
            documents_list: The documents of each group: a list, or one text.
        """
        return self._score_multi_all(summaries_list, documents_list)

    def evaluate(self, summaries: Sequence[Text], documents: Sequence[Sequence[Text]]) -> Evaluated:
        """Returns the corpus scores and the scores of each summary.

        Returns and raises the same as `ReferenceBasedMetric.evaluate`.

        Args:
            summaries: The texts to score.
            documents: The documents of each summary: a list, or one text.
        """
        return self._evaluate(summaries, documents)


class ReferenceFreeMetric(Metric, forwards=True):
    """Base class of metrics that need only the summary."""

    required_context_fields = ()

    def score(self, summary: Text) -> MetricsDict:
        """Scores one summary.

        Returns and raises the same as `ReferenceBasedMetric.score`.

        Args:
            summary: The text to score.
        """
        return self.score_batch(SCORES, [[summary]]).scores[0]

    def score_all(self, summaries: Sequence[Text]) -> list[MetricsDict]:
        """Scores each summary.

        Returns and raises the same as `ReferenceBasedMetric.score_all`.

        Args:
            summaries: The texts to score.
        """
        return self.score_batch(SCORES, [summaries]).scores

    def score_multi(self, summaries: Sequence[Text]) -> list[MetricsDict]:
        """Scores each summary; the same as `score_all`, since there is no context.

        Returns and raises the same as `ReferenceBasedMetric.score_multi`.

        Args:
            summaries: The texts to score.
        """
        return self.score_all(summaries)

    def score_multi_all(self, summaries_list: TextGroups) -> list[list[MetricsDict]]:
        """Scores each group of summaries.

        Returns and raises the same as `ReferenceBasedMetric.score_multi_all`.

        Args:
            summaries_list: Groups of texts to score.
        """
        return self._score_multi_all(summaries_list)

    def evaluate(self, summaries: Sequence[Text]) -> Evaluated:
        """Returns the corpus scores and the scores of each summary.

        Returns and raises the same as `ReferenceBasedMetric.evaluate`.

        Args:
            summaries: The texts to score.
        """
        return self._evaluate(summaries)


class ChosenFieldsMetric(Metric, forwards=True):
    """Base class of metrics whose fields depend on their options.

    The methods take one argument for each field, in the order of `fields`, or by name.
    """

    def score(self, *values: Any, **named: Any) -> MetricsDict:
        """Scores one output, given the values of its fields."""
        count = len(self.required_summary_fields)
        ordered = self._in_order(values, named)
        groups = [*([[value]] for value in ordered[:count]), *([value] for value in ordered[count:])]
        return self.score_batch(SCORES, *groups).scores[0]

    def score_all(self, *lists: Any, **named: Any) -> list[MetricsDict]:
        """Scores outputs, given a list for each field."""
        return self.score_each(SCORES, self._in_order(lists, named)).scores

    def score_multi(self, *values: Any, **named: Any) -> list[MetricsDict]:
        """Scores outputs of one context, given lists of the fields of outputs and the values of the other fields."""
        return self.score_batch(SCORES, *([value] for value in self._in_order(values, named))).scores

    def score_multi_all(self, *groups: Any) -> list[list[MetricsDict]]:
        """Scores groups of outputs, given groups of the fields of outputs and a list for each other field."""
        return self._score_multi_all(*groups)

    def evaluate(self, *lists: Any, **named: Any) -> tuple[MetricsDict, list[MetricsDict]]:
        """Returns the scores of all outputs together and of each, given a list for each field."""
        return self._evaluate(*self._in_order(lists, named))

    def _in_order(self, values: Sequence[Any], named: dict[str, Any]) -> list[Any]:
        """Returns arguments in the order of the fields.

        Raises:
            TypeError: if an argument is unknown.
        """
        by_field = renamed(named, self.fields)
        ordered = [*values, *(by_field.pop(name) for name in self.fields[len(values) :] if name in by_field)]
        if by_field:
            raise TypeError(f"'{self.name}' has no field '{next(iter(by_field))}'; it has {', '.join(self.fields)}")
        return ordered


SHAPES = (ReferenceBasedMetric, SourceReferenceBasedMetric, SourceBasedMetric, DocumentBasedMetric, ReferenceFreeMetric)


def metric(name: str = "", *aliases: str, **attributes: Any) -> Callable[[Callable[..., Any]], Any]:
    """Registers a function that scores one output as a metric; the decorated name is its class.

    A call of the class with the arguments of the function is a call of the function; without any, it builds the metric.

    The parameter named ``output``, ``summary``, ``prediction`` or ``hypothesis`` is the output, or else the first one.
    The others are fields by their names: ``references``, ``source``, ``documents``, or another field. The function
    returns a number, or a dictionary from names to numbers. Texts are strings.

    Args:
        name: The name of the metric, in lower case, with hyphens.
        aliases: Other names of it.
        attributes: Attributes of the class, such as ``higher_is_better=False`` or ``score_range=(0, 1)``.

    Raises:
        RegistrationError: if a name is missing, taken or has invalid characters.
        PluginError: if it is a class, has no parameter for the output, or one that is no field, or an attribute is
            unknown or invalid.
    """
    if not name or not isinstance(name, str):  # but the function, without parentheses
        raise RegistrationError(f'{called_at()}: the metric needs a name: @fw.metric("NAME")')
    register = Metric.register(name, *aliases)

    def decorate(function: Callable[..., Any]) -> Any:
        if not inspect.isroutine(function):
            how = f'a class is registered by @fw.Metric.register("{name}")'
            how = (
                how if isinstance(function, type) else f"the metric '{name}' must be a function, got {shown(function)}"
            )
            raise PluginError(f"{called_at()}: {how}")
        for attribute, value in attributes.items():
            if attribute not in OF_FUNCTIONS:
                hint = advice(attribute, OF_FUNCTIONS) or f"; it has {', '.join(OF_FUNCTIONS)}"
                if attribute.startswith("lower"):
                    hint = f"; write higher_is_better={not value}"
                raise PluginError(f"{defined_at(function)}: a metric has no attribute '{attribute}'{hint}")
        field_of = _fields_of(function)
        others = [field for field in field_of.values() if field != "summary"]
        shape = next((one for one in SHAPES if {*one.required_context_fields} == {*others}), ChosenFieldsMetric)
        fields = tuple(shape.required_context_fields) or tuple(others)
        kinds = inspect.signature(function).parameters
        named = [one for one in field_of if kinds[one].kind is inspect.Parameter.KEYWORD_ONLY]

        def score(self: Metric, summary: Any, *context: Any) -> Any:
            values = {"summary": summary, **dict(zip(fields, context, strict=True))}
            by_position = [values[field] for one, field in field_of.items() if one not in named]
            return function(*by_position, **{one: values[field_of[one]] for one in named})

        own = {name: getattr(function, name) for name in ("__doc__", "__module__", "__qualname__")}
        members = {**own, "__wrapped__": function, "score": score, "required_context_fields": fields, **attributes}
        defined: type[Metric] = types.new_class(function.__name__, (shape,), {}, lambda body: body.update(members))
        return register(defined)

    return decorate


def _fields_of(function: Callable[..., Any]) -> dict[str, str]:
    """Returns the field of each parameter of a function that scores one output.

    Raises:
        PluginError: if no parameter is the output, two are one field, or one is no field.
    """
    from metrics_framework.inputs.roles import ROLES, roles_of_name  # only for metrics that are functions

    outputs = {name for group in ROLES["summary"].groups[:3] for name in group}  # the others may be other fields
    parameters = inspect.signature(function).parameters.values()
    field_of = {one.name: "summary" if one.name in outputs else FIELDS.get(one.name, one.name) for one in parameters}
    where = f"{defined_at(function)}: {function.__name__}"
    for name, field in field_of.items():
        listed = next((many for many, one in SINGULARS.items() if one == name), "")
        if listed:
            raise PluginError(f"{where} gets the list of all {listed}: rename '{name}' to '{listed}'")
        if field in SINGULARS and inspect.signature(function).parameters[name].annotation in (str, "str"):
            raise PluginError(f"{where} gets the list of all {field}: annotate it as '{name}: list[str]'")
        same = [other for other in field_of if field_of[other] == field]
        if len(same) > 1:
            what = "the output" if field == "summary" else f"'{field}'"
            raise PluginError(f"{where} has {len(same)} parameters for {what}: {', '.join(same)}")
    for one in parameters:
        is_field = one.default is one.empty and one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)
        if not is_field and field_of[one.name] not in FIELDS:
            raise PluginError(
                f"{where} has the parameter '{one}', which is no field; a metric with options is a class, see "
                "docs/guides/add-a-metric.md"
            )
    if "summary" not in field_of.values():
        first = next(iter(field_of), "")
        if not first or roles_of_name(first) & FIELDS.keys():
            hint = f"; '{first}' is another field" if first else ""
            raise PluginError(f"{where} must have a parameter for the output, such as 'output'{hint}")
        field_of[first] = "summary"
    return field_of
