"""`MetricsDict`, a nested dictionary of scores with arithmetic; and how many outputs have a score (decision 0069)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

from metrics_framework.common.errors import FwError, InputError
from metrics_framework.data.sums import plain_sum


class MissingScore:
    """A key that a dictionary of scores does not have (decision 0069).

    ``scores["a"]["b"] = 1`` creates the key ``a``, as in SacreROUGE. Any other use raises `KeyError`, and reading alone
    creates nothing.

    Args:
        owner: The dictionary, or the missing key of a dictionary.
        key: The missing key.
    """

    __slots__ = ("_key", "_owner")

    def __init__(self, owner: Any, key: object) -> None:
        self._owner = owner
        self._key = key

    def __getitem__(self, key: object) -> MissingScore:
        return MissingScore(self, key)

    def __setitem__(self, key: str, value: Any) -> None:
        self.created()[key] = value

    def update(self, *others: Any, **more: Any) -> None:
        """Creates the key with a dictionary, and updates the dictionary."""
        values = dict(*others, **more)
        self.created().update(values)

    def created(self) -> Any:
        """Creates the key with an empty dictionary unless it exists now, and returns its value."""
        owner = self._owner.created() if type(self._owner) is MissingScore else self._owner
        if self._key not in owner:
            owner[self._key] = type(owner)()
        return owner[self._key]

    def fail(self, *_: object) -> NoReturn:
        """Raises the error of a key that is read."""
        keys: list[object] = [self._key]
        owner = self._owner
        while type(owner) is MissingScore:
            keys.insert(0, owner._key)
            owner = owner._owner
        found = ", ".join(map(repr, owner)) or "none"
        raise KeyError(f"there is no score {''.join(f'[{key!r}]' for key in keys)}; the keys are {found}")

    def __getattr__(self, name: str) -> NoReturn:
        self.fail()

    __hash__ = fail
    __repr__ = __str__ = __format__ = __reduce_ex__ = fail


_OPERATORS = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "or", "and", "xor", "matmul", "divmod")
_OTHERS = ("bool", "float", "int", "complex", "index", "round", "trunc", "floor", "ceil", "neg", "pos", "abs", "invert")
_CONTAINER = ("len", "iter", "contains", "reversed", "delitem", "eq", "ne", "lt", "le", "gt", "ge", "call", "copy")
for _name in (*_OPERATORS, *(f"{side}{name}" for side in "ri" for name in _OPERATORS), *_OTHERS, *_CONTAINER):
    setattr(MissingScore, f"__{_name}__", MissingScore.fail)


PREDICTED_SPANS = "predicted_spans"
"""The annotation of metrics that predict error spans."""
RELATIVE_TOLERANCE = 1e-12
"""Scores of one name that differ by this share, in their last digits, are equal."""


class MetricsDict(dict[str, Any]):
    """The scores of one output or of one system, nested or flat.

    Values are numbers, lists of numbers (such as one per rater) or nested `MetricsDict`. Sums and means are computed
    key by key, and need the same keys on both sides. The constructor copies nested dictionaries and lists.

    Assigning to a key of a missing key creates nested dictionaries, as in SacreROUGE: ``scores["a"]["b"] = 1``. Reading
    creates nothing: the value of a missing key raises `KeyError` wherever it is used (decision 0069).

    >>> scores = MetricsDict({"rouge-1": {"precision": 40.0, "recall": 20.0}})
    >>> scores.flatten()
    {'rouge-1_precision': 40.0, 'rouge-1_recall': 20.0}
    >>> (scores + scores) / 4
    {'rouge-1': {'precision': 20.0, 'recall': 10.0}}
    """

    __slots__ = ()  # smaller, and without attributes that could refer to the dictionary itself

    def __init__(self, values: Mapping[str, Any] | None = None, /, **more: Any) -> None:
        super().__init__(values or {}, **more)
        for key, value in self.items():
            if type(value) is float or type(value) is int:  # nearly always, and isinstance is slow
                continue
            if isinstance(value, Mapping):
                super().__setitem__(key, MetricsDict(value))
            elif isinstance(value, list):
                super().__setitem__(key, [*value])
            elif type(value) is MissingScore:
                value.fail()

    def __missing__(self, key: str) -> MissingScore:
        return MissingScore(self, key)

    def __setitem__(self, key: str, value: Any) -> None:
        cls = type(value)
        if cls is not float and cls is not int and isinstance(value, Mapping) and cls is not MetricsDict:
            value = MetricsDict(value)
        elif cls is MissingScore:
            value.fail()
        super().__setitem__(key, value)

    def update(self, *others: Any, **more: Any) -> None:
        """Sets keys as ``dict.update`` does; nested mappings become `MetricsDict`.

        As in SacreROUGE, a `MetricsDict` updates the nested one that the key has, instead of replacing it.
        """
        for key, value in dict(*others, **more).items():
            known = self.get(key)
            if isinstance(known, MetricsDict) and isinstance(value, MetricsDict):
                known.update(value)
            else:
                self[key] = value

    def setdefault(self, key: str, default: Any = None) -> Any:
        """Returns the value of a key, and sets it to the default first if it is missing."""
        if key not in self:
            self[key] = default
        return self[key]

    def __ior__(self, other: Any) -> MetricsDict:  # type: ignore[override]
        self.update(other)
        return self

    def __or__(self, other: Any) -> MetricsDict:  # type: ignore[override]
        return MetricsDict({**self, **other}) if isinstance(other, Mapping) else NotImplemented

    def __add__(self, other: Any) -> MetricsDict:
        if not isinstance(other, Mapping):
            return NotImplemented
        return self._combined(other, lambda a, b: a + b)

    def __radd__(self, other: Any) -> MetricsDict:
        """Allows ``sum()``, which starts with 0."""
        if other == 0:
            return self.copy()
        return NotImplemented

    def __truediv__(self, divisor: float) -> MetricsDict:
        return self.map(lambda value: value / divisor)

    def copy(self) -> MetricsDict:
        """Returns a deep copy."""
        return self.map(lambda value: value)

    def map(self, function: Callable[[float], float]) -> MetricsDict:
        """Applies a function to every number; `None` remains `None`."""
        return MetricsDict({key: _mapped(value, function) for key, value in self.items()})

    def flatten(self, separator: str = "_") -> MetricsDict:
        """Joins nested keys to one level: ``{"k2": {"k3": 4}}`` becomes ``{"k2_k3": 4}``.

        Raises:
            InputError: if two scores get the same name.
        """
        flat: dict[str, Any] = {}
        for key, value in self.items():
            inner = value.flatten(separator) if isinstance(value, MetricsDict) else None
            items = [(key, value)] if inner is None else [(f"{key}{separator}{k}", v) for k, v in inner.items()]
            for name, number in items:
                if name in flat:
                    raise InputError(f"two scores have the same flat name '{name}'")
                flat[name] = number
        return MetricsDict(flat)

    def flatten_keys(self) -> MetricsDict:
        """Does the same as `flatten`, under the name of SacreROUGE."""
        return self.flatten()

    def select_metrics(self, metrics: Iterable[str]) -> MetricsDict:
        """Returns the scores of some keys, which are not flattened, as in SacreROUGE.

        Raises:
            KeyError: if a key is missing.
        """
        return MetricsDict({key: dict.__getitem__(self, key) for key in metrics})

    def select(self, names: Iterable[str]) -> MetricsDict:
        """Returns the scores with the given flat names, in this order.

        Raises:
            KeyError: if a name is missing.
        """
        flat = self.flatten()
        return MetricsDict({name: dict.__getitem__(flat, name) for name in names})

    def average_values(self) -> MetricsDict:
        """Replaces every list of numbers by the mean of those that are not `None`; without any, by NaN."""
        averaged = MetricsDict()
        for key, value in self.items():
            if isinstance(value, MetricsDict):
                averaged[key] = value.average_values()
            elif isinstance(value, (list, tuple)):
                known = [number for number in value if number is not None]
                averaged[key] = plain_sum(known) / len(known) if known else math.nan
            else:
                averaged[key] = value
        return averaged

    def merge(self, other: Mapping[str, Any]) -> MetricsDict:
        """Merges two dictionaries at every depth.

        Numbers that differ only in their last digits count as equal; the first is kept.

        Raises:
            InputError: if a key has different values in the two.
        """
        merged = self.copy()
        for key, value in other.items():
            left = merged.get(key)
            if key not in merged:
                merged[key] = MetricsDict({key: value}).copy()[key]
            elif isinstance(left, MetricsDict) and isinstance(value, Mapping):
                try:
                    merged[key] = left.merge(value)
                except InputError as error:
                    raise InputError(str(error).replace("score '", f"score '{key}_", 1)) from None
            elif not _same(left, value):
                raise InputError(f"score '{key}' has two values, {left!r} and {value!r}")
        return merged

    def approx_equal(self, other: Mapping[str, Any], abs: float = 1e-6) -> bool:
        """Returns whether both have the same keys and numbers that differ by at most ``abs``; NaN equals NaN."""
        left, right = self.flatten(), MetricsDict(other).flatten()
        return left.keys() == right.keys() and all(_close(left[key], right[key], abs) for key in left)

    @staticmethod
    def mean(dictionaries: Iterable[MetricsDict]) -> MetricsDict:
        """Averages dictionaries that have the same keys.

        Raises:
            InputError: if there are no dictionaries, or their keys differ.
        """
        everything = list(dictionaries)
        if not everything:
            raise InputError("the mean of no scores is undefined")
        total = everything[0]
        for scores in everything[1:]:
            total = total + scores
        return total / len(everything)

    def _combined(self, other: Mapping[str, Any], function: Callable[[Any, Any], Any]) -> MetricsDict:
        if self.keys() != other.keys():
            differing = sorted(self.keys() ^ other.keys())
            raise InputError(f"scores to add must have the same keys; only one side has {', '.join(differing)}")
        combined = MetricsDict()
        for key, value in self.items():
            combined[key] = _combine(key, value, other[key], function)
        return combined


def _combine(key: str, left: Any, right: Any, function: Callable[[Any, Any], Any]) -> Any:
    if left is None or right is None:
        return None
    if isinstance(left, MetricsDict) != isinstance(right, Mapping):
        raise InputError(f"score '{key}' is nested only on one side")
    if isinstance(left, MetricsDict):
        return left._combined(right, function)
    if isinstance(left, (list, tuple)) != isinstance(right, (list, tuple)):
        raise InputError(f"score '{key}' is a list only on one side")
    if isinstance(left, (list, tuple)):
        if len(left) != len(right):
            raise InputError(f"score '{key}' has lists of different lengths, {len(left)} and {len(right)}")
        return [function(a, b) for a, b in zip(left, right, strict=True)]
    return function(left, right)


def _mapped(value: Any, function: Callable[[float], float]) -> Any:
    if isinstance(value, MetricsDict):
        return value.map(function)
    if isinstance(value, (list, tuple)):
        return [function(number) for number in value]
    return None if value is None else function(value)


def _same(left: Any, right: Any) -> bool:
    if isinstance(left, float) and isinstance(right, float):
        return (math.isnan(left) and math.isnan(right)) or math.isclose(left, right, rel_tol=RELATIVE_TOLERANCE)
    return bool(left == right)


def _close(left: Any, right: Any, tolerance: float) -> bool:
    if isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)):
        return len(left) == len(right) and all(_close(a, b, tolerance) for a, b in zip(left, right, strict=True))
    if left == right or (left != left and right != right):
        return True
    try:
        return bool(abs(left - right) <= tolerance)
    except TypeError:
        return False


class AnnotatedScores(MetricsDict):
    """The scores of one output, and further members of its row; sums and means have none.

    Args:
        values: The scores.
        annotations: The members of the row besides its scores, as JSON values: ``predicted_spans``.
    """

    def __init__(self, values: Mapping[str, Any] | None = None, annotations: Mapping[str, Any] | None = None) -> None:
        super().__init__(values)
        self.annotations = dict(annotations or {})


def annotations_of(scores: Any) -> dict[str, Any]:
    """Returns the further members of the row of an output; none for plain scores.

    >>> annotations_of(AnnotatedScores({"a": 1}, {"predicted_spans": []})), annotations_of({"a": 1})
    ({'predicted_spans': []}, {})
    """
    return scores.annotations if isinstance(scores, AnnotatedScores) else {}


# ---- scores that some outputs do not have ----------------------------------------------------------------------------


class ScoredCount(NamedTuple):
    """How many outputs have a score.

    Attributes:
        scored: The number of outputs with the score.
        outputs: The number of all outputs.

    >>> str(ScoredCount(40, 48))
    '40/48'
    """

    scored: int
    outputs: int

    def __str__(self) -> str:
        return f"{self.scored}/{self.outputs}"

    @property
    def missing(self) -> int:
        """The number of outputs without the score."""
        return self.outputs - self.scored

    @property
    def share_missing(self) -> float:
        """The share of outputs without the score. Equal shares are equal floats: division is correctly rounded."""
        return self.missing / self.outputs if self.outputs else 0.0


def unequal_shares(name: str, systems: Mapping[str, ScoredCount]) -> str | None:
    """Returns a warning if the share of outputs without a score differs between systems, otherwise `None`.

    Every difference counts: the means are then over different inputs, however small the difference is, and no test
    can show that the missing scores are not the low ones.

    Args:
        name: The name of the score.
        systems: System to its counts.

    >>> unequal_shares("judge", {"a": ScoredCount(8, 10), "b": ScoredCount(4, 5)})
    >>> print(unequal_shares("judge", {"a": ScoredCount(8, 10), "b": ScoredCount(9, 10)}))
    'judge': the share of outputs without a score differs between systems, from 1 of 10 of 'b' to 2 of 10 of 'a'; \
their means are over different inputs
    """
    least, most = (choose(systems, key=lambda system: systems[system].share_missing) for choose in (min, max))
    if systems[least].share_missing == systems[most].share_missing:
        return None
    ends = [f"{systems[system].missing} of {systems[system].outputs} of '{system}'" for system in (least, most)]
    return (
        f"'{name}': the share of outputs without a score differs between systems, from {ends[0]} to {ends[1]}; "
        "their means are over different inputs"
    )


def put(scores: dict[Any, Any], path: Sequence[Any], value: Any) -> None:
    """Stores a score under nested keys.

    >>> scores = {}
    >>> put(scores, ["rouge-1", "recall"], 40.0)
    >>> scores
    {'rouge-1': {'recall': 40.0}}
    """
    for key in path[:-1]:
        scores = scores.setdefault(key, {})
    scores[path[-1]] = value


def quoted(names: Iterable[str]) -> str:
    """Returns a list of names in quotation marks.

    >>> quoted(["a", "b"])
    "'a', 'b'"
    """
    return ", ".join(f"'{name}'" for name in names)


def is_defined(value: Any) -> bool:
    """Returns whether a score is defined; for a list or several scores, whether one of them is.

    >>> is_defined(0.0), is_defined(None), is_defined([float("nan")])
    (True, False, False)
    """
    if isinstance(value, (list, tuple)):
        return any(map(is_defined, value))
    if isinstance(value, Mapping):
        return any(map(is_defined, value.values()))
    return value is not None and value == value


class UndefinedScoresError(FwError):
    """All scores of a run are undefined; its files are written, and say so.

    Args:
        names: The names of the scores.
        outputs: The number of outputs.

    >>> print(UndefinedScoresError(["judge"], 2))
    no output has a score: 'judge' is undefined for all outputs (2), and null in the results; see the notes of the \
metric, and check its options and the input
    """

    def __init__(self, names: Sequence[str], outputs: int) -> None:
        listing = ", ".join(f"'{name}'" for name in names)
        verb = "is" if len(names) == 1 else "are"
        super().__init__(
            f"no output has a score: {listing} {verb} undefined for all outputs ({outputs}), and null in the results; "
            "see the notes of the metric, and check its options and the input"
        )


def numbers_of(name: str, value: Any) -> dict[str, float]:
    """Returns a score as numbers by name: a list as several, an undefined score as NaN.

    >>> numbers_of("ter", 40.0), numbers_of("bleu_precisions", [50.0, None])
    ({'ter': 40.0}, {'bleu_precisions_1': 50.0, 'bleu_precisions_2': nan})
    """
    if isinstance(value, (list, tuple)):
        return {f"{name}_{index}": math.nan if one is None else one for index, one in enumerate(value, 1)}
    return {name: math.nan if value is None else value}
