"""Texts in memory: outputs, references and sources in every form, as plain lists with one entry for each output.

`parallel` reads lists of the fields of outputs; every function that scores texts in memory passes them through it, so
that a mistake has the same message everywhere. `plain_value` reads one entry.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from itertools import chain, combinations, pairwise
from operator import methodcaller
from typing import Any

from metrics_framework.common.errors import InputError, TextWarning, counted
from metrics_framework.common.logs import OptionForm
from metrics_framework.data.fields import PLAIN_KINDS, SINGULARS
from metrics_framework.data.sums import plain_sum
from metrics_framework.data.texts import (
    as_list,
    as_plain,
    as_string,
    check_text,
    index_of,
    is_list,
    is_text,
    is_written_list,
    shown,
    without_paragraphs,
    written_as_text,
)
from metrics_framework.kernels.dispatch import are_plain

MAX_LISTS = 16
"""The number of outputs, and of references of each, that are compared."""
MAX_CHARACTERS = 200
"""The number of characters of a reference that are compared."""
LEAST_TRIGRAMS = 16
"""The mean number of different trigrams of references that are compared, about four words."""
LEAST_RATIO = 2
"""How many times more similar references of different outputs must be."""
LEAST_LINES = 5
"""The least number of outputs that are judged as a whole, and of outputs of a model in training that are checked."""
_IS_CHECKED: ContextVar[bool] = ContextVar("_IS_CHECKED", default=False)
SINGLE_WORDS, WRAP = "references that are single words", "one text was split; wrap it in a list"
_SPLIT = "(?:.?|[^\\s\u0e00-\U0010ffff]+)(?:\n(?:.?|[^\\s\u0e00-\U0010ffff]+))+"
"""Matches lines that are characters, or words in scripts with spaces; scripts from Thai on have none."""
NO_OUTPUTS = "there are no outputs to evaluate: the lists are empty"
_ends_in_bracket = methodcaller("endswith", ("]", ")"))


def parallel(
    given: Mapping[str, Any],
    words: Mapping[str, str] | None = None,
    metrics: Sequence[Any] = (),
    form: OptionForm = "python",
    is_generated: bool = False,
) -> dict[str, Sequence[Any]]:
    """Returns the values of fields as plain lists with one entry for each output.

    Lists may be arrays, columns of any library, or iterators, which are read once. References may be one text for each
    output, or a table or a dictionary of lists whose columns are sets of references; missing references are left out.

    Args:
        given: Maps each field, such as ``summary`` or ``references``, to its values; the outputs are first.
        words: Maps fields to what the caller calls them; by default, they are called by their names.
        metrics: The metrics that score them, with the attribute ``needs``, to warn of lists that are probably not what
            the user means to score; by default, there are no warnings.
        form: How warnings say to set an option of a metric.
        is_generated: Whether a program passes on what a model has just generated: any text may be an output.

    Raises:
        InputError: if a value is no list, lists differ in length, an entry is no text, an output has no reference, or
            an entry is a list written as a text. The message has the index of the entry.

    >>> parallel({"summary": iter(["a", "b"]), "references": ["c", ["d", None]]})
    {'summary': ['a', 'b'], 'references': [['c'], ['d']]}
    """
    lists: Mapping[str, Sequence[Any]] = given
    kinds, clean_kinds = kinds_of(tuple(given))
    if not are_plain(tuple(given.values()), clean_kinds):
        names = {field: (words or {}).get(field, field) for field in given}
        lists = _plain_lists(given, names, kinds)
        for field, values in lists.items():
            if not (_IS_CHECKED.get() or (field == "summary" and is_generated)):
                check_written(field, values, names[field])
    if metrics and not _IS_CHECKED.get():
        _warn_of_lists(lists, metrics, form, is_generated=is_generated)
        warn_of_references([given.get("summary")], given.get("references"))
    return dict(lists)


@lru_cache(64)
def kinds_of(fields: Sequence[str]) -> tuple[str, str]:
    """Returns the codes of fields for `are_plain`, and those of fields without texts that may be written lists."""
    kinds = "".join(PLAIN_KINDS.get(field, "?") for field in fields)
    return kinds, kinds.upper()


def _plain_lists(given: Mapping[str, Any], names: Mapping[str, str], kinds: str) -> dict[str, Sequence[Any]]:
    check_same_index({names[field]: values for field, values in given.items()})
    lists: dict[str, Sequence[Any]] = {}
    for field, values in given.items():
        lists[field] = listed(field, values, names[field], len(next(iter(lists.values()))) if lists else None)
    check_lengths({names[field]: values for field, values in lists.items()})
    for field in lists.keys() & SINGULARS.keys():
        if set(map(type, lists[field])) == {str}:
            lists[field] = [[text] for text in lists[field]]
    if are_plain(tuple(lists.values()), kinds):
        return lists
    return {field: _plain_values(field, values, names[field]) for field, values in lists.items()}


def _plain_values(field: str, values: Sequence[Any], name: str) -> list[Any]:
    plain: list[Any] = []
    problems: list[InputError] = []
    for index, value in enumerate(values):
        try:
            plain.append(plain_value(field, value, name, [index]))
        except InputError as error:
            problems.append(error)
    if problems:
        more = f" (and {len(problems) - 1} more entries)" if len(problems) > 1 else ""
        raise InputError(f"{problems[0]}{more}")
    return plain


def listed(field: str, values: Any, name: str, outputs: int | None = None) -> Sequence[Any]:
    """Returns the values of a field as a list or tuple, whose entries are still as they were given.

    Args:
        field: The field.
        values: Its values.
        name: What the caller calls them.
        outputs: The number of outputs, if it is known.

    Raises:
        InputError: if the values are no list, or the outputs are tuples.
    """
    if not isinstance(values, (list, tuple)):
        values = _as_list(field, values, name, outputs)
    if field == "summary" and values and set(map(type, values)) == {tuple} and len(values[0]) > 1:
        kind = "pairs" if len(values[0]) == 2 else "tuples"
        raise InputError(f"the entries of '{name}' are {kind}; pass outputs and references separately")
    return values  # type: ignore[no-any-return]


def _as_list(field: str, values: Any, name: str, outputs: int | None) -> Sequence[Any]:
    if isinstance(values, str) and outputs is not None:
        raise InputError(
            f"'{name}' is one text for {counted(outputs, 'output')}; pass [text] * {outputs} if all have the same"
        )
    from metrics_framework.inputs.frames import frame_of, lists_of  # only for what is no list

    frame = frame_of(values, name) if not isinstance(values, str) else None
    if field in SINGULARS and isinstance(values, Mapping):
        frame = lists_of(values, name)
    if frame is not None and field in SINGULARS:
        return [list(row) for row in zip(*map(frame.column, frame.names), strict=True)]
    if frame is not None:
        raise InputError(
            f"'{name}' must be a list of texts, got a table; pass one of its columns, as in {name}['{frame.names[0]}']"
        )
    if field == "summary" and getattr(values, "ndim", 1) > 1:
        raise InputError(matrix_of_texts(name))
    if not is_list(values):
        raise InputError(f"'{name}' must be a list with one entry for each output, got {shown(values)}")
    return as_list(values)


def matrix_of_texts(name: str) -> str:
    """Returns the message that outputs are a matrix."""
    return (
        f"'{name}' must be a list of texts, got a matrix; pass one of its columns, as in {name}[:, 0], or the frame "
        "instead of frame.values"
    )


def check_lengths(lists: Mapping[str, Sequence[Any]]) -> None:
    """Checks that lists have the same number of entries.

    Args:
        lists: What the caller calls them, to each list; the outputs are first, references are called ``references``.

    Raises:
        InputError: if not; the message has all numbers.
    """
    if len(set(map(len, lists.values()))) <= 1:
        return
    count, *_ = map(len, lists.values())
    hint = ""
    for name, values in lists.items():
        if len(values) == 1 and count > 1 and name.startswith(("reference", "source", "document")):
            hint = f"; pass {name} * {count} if all outputs have the same"
        elif (
            name.startswith("references")
            and [*map(len, lists.values())].count(len(values)) == 1  # else the outputs are too few or too many
            and not (count == 1 and next(iter(lists)).startswith("outputs["))  # of one system, which lacks outputs
            and all(is_list(one) and len(as_list(one)) == count for one in values)
        ):
            hint = f"; '{name}' has one list for each set, not one for each output: use list(zip(*{name}))"
    listing = ", ".join(f"{len(values)} in {name}" for name, values in lists.items())
    raise InputError(f"the lists must have the same number of entries, got {listing}{hint}")


def plain_value(field: str, value: Any, name: str, position: Sequence[int] = ()) -> Any:
    """Returns an entry of a field as a plain Python value: a text, or a list of texts without missing ones.

    Args:
        field: The field; the values of fields that are no texts are not checked.
        value: The entry.
        name: What the caller calls the list of entries.
        position: The index of the entry, if it is in a list.

    Raises:
        InputError: if the entry is no text, or no list of texts.
    """
    kind = PLAIN_KINDS.get(field)
    if type(value) is str:
        return [value] if kind == "l" else value
    plain = as_plain(value)
    if kind == "t":
        check_text(plain, entry_name(name, position))
    if kind == "l":
        plain = [] if plain is None else [plain] if isinstance(plain, str) else plain
        if not isinstance(plain, (list, tuple)) and is_list(plain):
            plain = as_plain(list(plain))
        return _plain_texts(field, plain, name, position, isinstance(value, tuple))
    return plain


def _plain_texts(field: str, texts: Any, name: str, position: Sequence[int], is_tuple: bool) -> list[Any]:
    """Returns the texts of a list that are not missing; see `plain_value`."""
    if not isinstance(texts, (list, tuple)):
        check_text(texts, entry_name(name, position))
    if is_tuple and len(texts) == 2 and is_text(texts[0]) and texts[1] is not None and not is_text(texts[1]):
        raise InputError(f"the entries of '{name}' are pairs; pass outputs and references separately")
    if field == "documents":
        texts = list(map(without_paragraphs, texts))
    for index, text in enumerate(texts):
        if text is not None:
            check_text(text, entry_name(name, [*position, index]))
    present = [text for text in texts if text is not None]
    if not present:
        output = f"output {position[0]}" if position else "the output"
        raise InputError(f"{output} has no {SINGULARS[field]}")
    return present


def entry_name(name: str, position: Sequence[int]) -> str:
    """Returns what the caller calls an entry.

    >>> entry_name("references", [3, 1])
    'references[3][1]'
    """
    return name + "".join(f"[{index}]" for index in position)


def without_references(field: str, values: Sequence[Any]) -> list[int]:
    """Returns the indices of the outputs that have no text in a list of lists of texts.

    >>> without_references("references", ["a", None, ["b", None], [float("nan")], []])
    [1, 3, 4]
    """
    if PLAIN_KINDS.get(field) != "l" or set(map(type, values)) <= {str}:
        return []
    plain = enumerate(map(as_plain, values))
    return [at for at, value in plain if value is None or (is_list(value) and all(text is None for text in value))]


def check_written(field: str, values: Sequence[Any], name: str, is_one: bool = False) -> None:
    """Rejects a list that was written as a text, as in a table of pandas that was stored as CSV.

    Args:
        field: The field.
        values: Its checked values.
        name: What the caller calls them.
        is_one: Whether they are the value of one row, so that the message has no index.

    Raises:
        InputError: if there is one; the message has the index of its entry.
    """
    kind = PLAIN_KINDS.get(field)
    if kind is None:
        return
    try:
        if not any(map(_ends_in_bracket, chain.from_iterable(values) if kind == "l" else values)):
            return
    except AttributeError:  # a text that is a list of sentences
        pass
    for index, value in enumerate(values):
        for text in [value] if isinstance(value, str) else value:
            if isinstance(text, str) and is_written_list(text):
                where = "" if is_one else f" (entry {index})"
                raise InputError(written_as_text(name, where))


# ---- lists that are paired by position -------------------------------------------------------------------------------

MAX_LABELS = 5
"""The number of labels of an index that a message shows."""


def check_same_index(lists: Mapping[str, Any]) -> None:
    """Rejects columns of pandas whose index has the labels of another column in another order, or some of them.

    Columns with different labels are accepted: they may come from two tables, and their order is all there is.

    Args:
        lists: What the caller calls them, to each list.

    Raises:
        InputError: if there are such columns.
    """
    columns = {name: index for name, values in lists.items() if (index := index_of(values)) is not None}
    for (first_name, first), (name, index) in combinations(columns.items(), 2):
        if index.equals(first) or len(index) != len(first) or set(index).isdisjoint(first):
            continue
        if set(index) == set(first):
            raise InputError(
                f"'{name}' and '{first_name}' have the same index in different orders, but texts are paired by "
                "position; call sort_index() on both, or reset_index(drop=True) if their positions match"
            )
        raise InputError(
            f"the indexes of '{name}' ({_labels(index)}) and '{first_name}' ({_labels(first)}) overlap only in part, "
            "but texts are paired by position; select the same rows of both with .loc[], or call "
            "reset_index(drop=True) on both if their positions match"
        )


def _labels(index: Any) -> str:
    """Returns the first labels of an index."""
    listed = ", ".join(repr(label) for label in index[:MAX_LABELS].tolist())
    return f"{listed}, …" if len(index) > MAX_LABELS else listed


# ---- warnings about references in a wrong shape ----------------------------------------------------------------------


def transposed_similarities(references_list: Sequence[Any]) -> tuple[float, float] | None:
    """Returns the similarities within and across lists of references if these seem to be transposed, else `None`.

    Only as many references for each output as there are outputs can be transposed without an error. References of one
    output have the same content, those of different outputs do not. So the references are transposed if neighbours in
    the same position of different lists are on average more than twice as similar as neighbours in one list, and the
    least similar position more than the most similar list. The similarity of two texts is the number of character
    trigrams that both have, divided by the number that one of them has (Jaccard). At most 16 lists of 16 references are
    compared, of each reference 200 characters. Not compared are equal lists, such as those of several outputs for one
    input, and references that have on average fewer than 16 trigrams, which resemble each other by chance.

    Of 1,298 disjoint slices of ASSET and detokenized TurkCorpus, of n outputs with n references for n from 2 to 10, it
    returns `None` for all, and similarities for all transposed ones; on tokenized TurkCorpus, it misses up to 2 % of
    those with two outputs.

    Args:
        references_list: The list of references of each output.

    >>> cats = ["The cat sat on the mat.", "A cat sat down on the mat."]
    >>> dogs = ["All dogs bark loudly.", "The dogs bark very loudly."]
    >>> transposed_similarities([cats, dogs]) is None, transposed_similarities(list(zip(cats, dogs))) is None
    (True, False)
    """
    count = len(references_list)
    if count < 2 or not all(isinstance(texts, (list, tuple)) and len(texts) == count for texts in references_list):
        return None
    lists = [texts[:MAX_LISTS] for texts in references_list[:MAX_LISTS]]
    if not all(is_text(text) for texts in lists for text in texts):
        return None
    grams = [[_trigrams(as_string(text)) for text in texts] for texts in lists]
    sizes = [len(text) for texts in grams for text in texts]
    if len(set(map(tuple, grams))) < len(grams) or sum(sizes) < LEAST_TRIGRAMS * len(sizes):
        return None
    within = [_similarity(texts) for texts in grams]
    across = [_similarity(texts) for texts in zip(*grams, strict=True)]
    if plain_sum(across) <= LEAST_RATIO * plain_sum(within) or min(across) <= max(within):
        return None
    return plain_sum(within) / len(within), plain_sum(across) / len(across)


def are_single_words(outputs: Sequence[Any], references_list: Sequence[Sequence[Any]]) -> bool:
    """Returns whether references seem to be the words or characters of one reference.

    This is so if at least half of the outputs have several words, and at least three different references that are
    single words or characters; or if the references of a tenth of the outputs, joined, are the output. Of scripts
    without spaces only single characters count.

    Args:
        outputs: The outputs.
        references_list: The references of each output.

    >>> are_single_words(["a cat sat"], [["a", "dog", "sat"]]), are_single_words(["Rome"], [["Rome", "Roma", "Rom"]])
    (True, False)
    """
    pairs = [
        (output, texts)
        for output, texts in zip(outputs, references_list, strict=True)
        if len(texts) > 1 and " " not in texts[0][1:]  # which is quick
        if " " in output and {*map(type, texts)} == {str} and re.fullmatch(_SPLIT, "\n".join(texts))
    ]
    if not pairs:
        return False
    joined = sum(output in ("".join(texts), " ".join(texts)) for output, texts in pairs)
    return 2 * sum(len({*texts}) > 2 for _, texts in pairs) >= len(outputs) or 10 * joined >= len(outputs)


def _warn_of_lists(
    lists: Mapping[str, Sequence[Any]], metrics: Sequence[Any], form: OptionForm, *, is_generated: bool
) -> None:
    outputs, references = lists.get("summary"), lists.get("references")
    fewest = LEAST_LINES if is_generated else 2
    if outputs is not None and (len(outputs) >= fewest or not (is_generated or all(outputs))):
        from metrics_framework.inputs.checks import warn_of_texts

        warn_if_transposed(references or ())
        warn_of_texts(outputs, references, lists.get("source"), [metric.needs for metric in metrics], form)
    elif outputs is not None and references is not None:
        _warn_of_shapes(outputs, references)


def check_grouped_texts(names: Sequence[str], groups: Sequence[Sequence[Any]], summaries: int, is_clean: bool) -> None:
    """Rejects lists that were written as texts, and warns of references in a wrong shape.

    Args:
        names: The fields; first those of outputs, whose values are in groups.
        groups: The checked values of each field.
        summaries: The number of fields of outputs.
        is_clean: Whether no text may be a written list.

    Raises:
        InputError: if a text is a written list.
    """
    if _IS_CHECKED.get():
        return
    for index, (field, values) in enumerate(zip(names, groups, strict=True) if not is_clean else ()):
        for group in values if index < summaries else (values,):
            check_written(field, group, field)
    references = groups[names.index("references")] if "references" in names else ()
    if len(references) > 1 or (references and " " not in references[0][0][1:]):  # else one that has several words
        _warn_of_shapes([group[0] if group else "" for group in groups[0]], references)


def _warn_of_shapes(outputs: Sequence[Any], references_list: Sequence[Any]) -> None:
    """Warns if references seem to be transposed, or one text that was split."""
    if not warn_if_transposed(references_list) and are_single_words(outputs, references_list):
        _warn(f"{SINGLE_WORDS}: {WRAP}")


def warn_if_transposed(references_list: Sequence[Any]) -> bool:
    """Warns if references seem to be transposed, and returns whether it does.

    Args:
        references_list: The references of each output.
    """
    similarities = transposed_similarities(references_list)
    if similarities is None:
        return False
    _warn(
        "'references' seems to have a list for each set of references, as in sacreBLEU and EASSE, instead of a list "
        "for each output: references in one list are less similar ({:.2f}) than those in the same position of "
        "different lists ({:.2f}); if so, pass list(zip(*references))".format(*similarities)
    )
    return True


def warn_of_references(outputs: Iterable[Any], references: Any, references_list: Sequence[Any] = ()) -> None:
    """Warns if references seem to be transposed, or are the very list of outputs: fewer than five may equal by chance.

    Args:
        outputs: The outputs of each system, as they are given.
        references: The references, as they are given.
        references_list: The references of each output.
    """
    warn_if_transposed(references_list)
    if any(one is references and hasattr(one, "__len__") and 0 < len(one) < LEAST_LINES for one in outputs):
        _warn("outputs equal to reference 1: both are the same list; check which list is given as outputs")


def warn_of_sentences(summary: Any, references: Any) -> None:
    """Warns if the arguments of ``score`` are lists of several outputs and of as many references.

    Args:
        summary: The output; a list of texts is one output of several sentences.
        references: Its references.
    """
    if isinstance(summary, list) and isinstance(references, list):
        count, alone = len(summary), [is_text(text) and (type(text) is str or len(text) == 1) for text in references]
        if count > 1 and alone == [True] * count:
            _warn(f"one output of {count} sentences; for {count} outputs use evaluate or score_all")


def _warn(message: str) -> None:
    from metrics_framework.common.stability import frames_of_package  # which a command does not need

    warnings.warn(message, TextWarning, stacklevel=frames_of_package())


@contextmanager
def without_checks() -> Iterator[None]:
    """Within this context metrics do not check texts, since their caller has checked them for all metrics."""
    token = _IS_CHECKED.set(True)
    try:
        yield
    finally:
        _IS_CHECKED.reset(token)


def _trigrams(text: str) -> frozenset[str]:
    start = text[:MAX_CHARACTERS].lower()
    return frozenset(start[index : index + 3] for index in range(max(1, len(start) - 2)))


def _similarity(texts: Sequence[frozenset[str]]) -> float:
    """Returns the mean similarity of neighbours."""
    shares = (len(first & second) / len(first | second) for first, second in pairwise(texts))
    return plain_sum(shares) / (len(texts) - 1)
