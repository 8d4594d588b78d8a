"""Checks of texts: what they share, and the first texts of each system, in which a run looks for mistakes.

A run collects a `TextSample` and reports what all registered checks find in it, one line for each check. ``texts`` has
the checks.
"""

from __future__ import annotations

import json
import re
import shlex
import unicodedata
import warnings
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, repeat, zip_longest
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeAlias, cast

from metrics_framework.common.errors import ListName, TextWarning, location_of, printable
from metrics_framework.common.logs import OptionForm
from metrics_framework.common.registrable import Registrable, Registry
from metrics_framework.data.texts import Text, as_string

if TYPE_CHECKING:
    from metrics_framework.data.eval_instance import ColumnBatch

REGISTRY = Registry("check of texts", home="metrics_framework.inputs.checks")
OUTPUTS_CHECKED = 2000
"""The number of outputs of each system that are checked."""
MAX_CHARACTERS = 1 << 22
"""The largest number of characters of outputs, references and sources of a system that a sample keeps."""
CHARACTERS_COUNTED = 100_000
"""The number of characters of a side whose letters are counted."""
MAX_SYSTEMS = 100
"""The number of systems that a sample keeps."""
SYSTEMS_NAMED = 5
"""The largest number of systems that a finding names."""
LEAST_LINES = 5
"""The least number of outputs that are judged as a whole."""


class MetricNeeds(NamedTuple):
    """What a metric needs of texts.

    Attributes:
        label: The label of the metric in a run.
        name: The registered name.
        splits_at_spaces: Whether words are found at spaces, so that texts without spaces have no words.
        spaceless_options: Maps languages that are written without spaces, and an empty string for all others, to the
            options with which the metric scores them, such as ``tokenizer=zh``.
        reads_only_ascii: Whether only ASCII letters and digits make up words.
        reads_lines: Whether lines are sentences, or could be.
        heeds_case: Whether upper and lower case are different.
        order: The order of the n-grams without which an output has the score 0; 0 for none.
        given: The options that the metric was built with.
    """

    label: str
    name: str
    splits_at_spaces: bool = False
    spaceless_options: Mapping[str, str] = {}
    reads_only_ascii: bool = False
    reads_lines: bool = False
    heeds_case: bool = False
    order: int = 0
    given: Mapping[str, Any] = {}

    def with_options(self, options: str, form: OptionForm) -> str:
        """Returns how options are set beside those that the metric has, given them as ``name=value,…``.

        >>> needs = MetricNeeds("bleu", "bleu", given={"lowercase": True})
        >>> needs.with_options("tokenizer=zh", "flags"), needs.with_options("tokenizer=zh", "spec")
        ('--tokenizer zh', '--metric bleu:lowercase=true,tokenizer=zh')
        """
        new: dict[str, Any] = dict(option.split("=", 1) for option in options.split(","))
        new = {name: True if value == "true" else value for name, value in new.items()}
        every = {**self.given, **new}
        if form == "object":
            return f"load({', '.join([repr(self.name), *(f'{name}={value!r}' for name, value in every.items())])})"
        if form == "flags":
            words = [
                [f"--{name.replace('_', '-')}", *([] if value is True else [value])] for name, value in new.items()
            ]
            return shlex.join(word for of_option in words for word in of_option)
        every |= {} if self.label == self.name else {"label": self.label}
        texts = {name: value if isinstance(value, str) else json.dumps(value) for name, value in every.items()}
        spec = f"{self.name}:{','.join(f'{name}={text}' for name, text in texts.items())}"
        return repr(spec) if form == "python" else f"--metric {shlex.quote(spec)}"


_ALPHANUMERIC = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 "
_NO_LETTERS = bytes(code for code in range(256) if not (code < 128 and chr(code).isalpha()))
_ASCII = bytes(range(128))
_SCRIPTS = {
    "CJK": "HAN",
    "IDEOGRAPHIC": "HAN",
    "HIRAGANA": "KANA",
    "KATAKANA": "KANA",
    "KATAKANA-HIRAGANA": "KANA",
    "HALFWIDTH": "KANA",
    "FULLWIDTH": "LATIN",
    "MODIFIER": "LATIN",
}
"""The scripts of letters whose names in Unicode do not begin with that of their script."""


class Texts:
    """The texts of one side: outputs, references or sources.

    Args:
        side: The side, in the plural.
        texts: The texts.
        rows: For each text the index of its output; by default, there is one for each.

    Attributes:
        joined: All texts in one string, in which characters are searched for once.
        characters: All characters but ASCII letters, digits and spaces; few checks need more to find nothing.
        found: For each check the indices of the texts in which it found something.
    """

    def __init__(self, side: str, texts: Sequence[Text], rows: Sequence[int] | None = None) -> None:
        self.side = side
        self.texts: Sequence[str] = (
            list(map(as_string, texts)) if {*map(type, texts)} - {str} else cast("Sequence[str]", texts)
        )
        self.rows: Sequence[int] = range(len(texts)) if rows is None else rows
        self.joined = "\n".join(self.texts)
        rest = self.joined.encode("utf-8", "surrogatepass").translate(None, _ALPHANUMERIC)
        self.characters = frozenset(rest.decode("utf-8", "surrogatepass"))
        self.found: dict[str, list[int]] = {}

    @cached_property
    def letters(self) -> Mapping[str, float]:
        """The share of each script among the letters of the first texts, and under ``ASCII`` that of ASCII letters.

        >>> Texts("outputs", ["a cat", "\u732b"]).letters
        {'LATIN': 0.8, 'HAN': 0.2, 'ASCII': 0.8}
        """
        encoded = self.joined[:CHARACTERS_COUNTED].encode("utf-8", "surrogatepass")
        ascii_letters = len(encoded.translate(None, _NO_LETTERS))
        scripts = Counter({"LATIN": ascii_letters} if ascii_letters else {})
        others = "" if self.joined.isascii() else encoded.translate(None, _ASCII).decode("utf-8", "surrogatepass")
        for character, count in Counter(others).items():
            if character.isalpha():
                script = unicodedata.name(character, "").partition(" ")[0]
                scripts[_SCRIPTS.get(script, script)] += count
        total = sum(scripts.values())
        return {**{name: count / total for name, count in scripts.items()}, "ASCII": ascii_letters / max(1, total)}


@dataclass
class SystemTexts:
    """The first outputs of a system, with their references and sources.

    Args:
        name: The system.
        type: The type of its outputs.
        outputs: The outputs.
        references: All references.
        sources: The sources.
        references_list: The references of each output.
        reference_sets: For each position of references the reference of each output, `None` if it has fewer.
        places: The file and line of each output.
        is_complete: Whether these are all outputs of the system.
        metrics: The metrics that score them.
        form: How findings say to set an option of a metric.
        earlier: The systems before it.
    """

    name: str
    type: str
    outputs: Texts
    references: Texts
    sources: Texts
    references_list: Sequence[Sequence[str]]
    reference_sets: Sequence[Sequence[str | None]]
    places: Sequence[tuple[str | None, int | None]]
    is_complete: bool
    metrics: Sequence[MetricNeeds]
    form: OptionForm
    earlier: Sequence[SystemTexts]

    def finding(self, what: str, side: Texts, found: Sequence[int], remedy: str) -> Finding:
        """Returns a finding in some texts of a side.

        Args:
            what: What was found.
            side: The side.
            found: The indices of the texts in which it was found.
            remedy: What to do.
        """
        row = side.rows[found[0]]
        path, line = self.places[row]
        first = f"output {row + 1}" if path is None else location_of(path, line)
        share = f"{len(found):,} of {'' if self.is_complete else 'the first '}{len(side.texts):,} {side.side}"
        is_output = side is self.outputs and bool(self.name)
        return Finding(what, side.side, share, self.name if is_output else "", first, remedy)


class Finding(NamedTuple):
    """What a check found in the texts of a system.

    Attributes:
        what: What was found.
        side: The texts in which it was found: ``outputs``, ``references`` or ``sources``.
        share: How many of how many.
        system: The system; empty if it was not found in its outputs.
        place: The output of the first text in which it was found.
        remedy: What to do.
    """

    what: str
    side: str
    share: str
    system: str
    place: str
    remedy: str


def as_line(findings: Sequence[Finding]) -> str:
    """Returns findings with the same remedy as one line.

    >>> as_line([Finding("empty texts", "outputs", "1 of 9 outputs", "a", "a.txt:4", "remove them")])
    "empty texts: 1 of 9 outputs of 'a' (first at a.txt:4); remove them"
    """
    first = findings[0]
    shares = list(dict.fromkeys((one.share, one.system) for one in findings))
    named = [f"{share} of '{system}'" if system else share for share, system in shares[:SYSTEMS_NAMED]]
    further = [f"{len(shares) - SYSTEMS_NAMED} others"] if len(shares) > SYSTEMS_NAMED else []
    listing = ", ".join([f"{named[0]} (first at {first.place})", *named[1:], *further])
    return f"{first.what}: {listing}; {first.remedy}"


class TextCheck(Registrable, registry=REGISTRY):
    """Looks for one mistake in the texts of a system; each check is a registered subclass.

    Attributes:
        fewest: The least number of outputs that are checked.
        sets: The least number of references that an output must have.
        sides: The sides that must be there.
        present: An expression of characters that are not ASCII; the outputs or references must have one of them, unless
            it is empty.
        concerns: The attribute of `MetricNeeds` that is true of the metrics that the check is for; empty for all.
    """

    fewest: ClassVar[int] = 1
    sets: ClassVar[int] = 0
    sides: ClassVar[Sequence[str]] = ()
    present: ClassVar[str] = ""
    concerns: ClassVar[str] = ""

    def concerned(self, system: SystemTexts) -> list[MetricNeeds]:
        """Returns the metrics that the check is for."""
        return [one for one in system.metrics if getattr(one, self.concerns)]

    @abstractmethod
    def of_system(self, system: SystemTexts) -> Iterator[Finding]:
        """Yields what is found in the texts of a system."""


_Row: TypeAlias = tuple[Any, ...]
"""An output, its references, its source, and its file and line."""


@dataclass
class _Rows:
    """The first outputs of a system, and whether it has more."""

    type: str
    rows: list[_Row] = field(default_factory=list)
    characters: int = 0
    is_full: bool = False

    def add(self, rows: Iterable[_Row]) -> None:
        """Adds rows, as far as there are fewer than are checked."""
        for row in rows:
            if len(self.rows) == OUTPUTS_CHECKED or self.characters > MAX_CHARACTERS:
                self.is_full = True
                break
            self.rows.append(row)
            self.characters += len(row[0] or "") + len(row[2] or "") + sum(map(len, row[1] or ()))


@dataclass
class TextSample:
    """The first outputs of each system of a run, with their references and sources.

    Attributes:
        is_reported: Whether findings were reported.
    """

    is_reported: bool = False
    _systems: dict[str, _Rows] = field(default_factory=dict)

    def add(self, batch: ColumnBatch) -> None:
        """Adds the outputs of a batch, as far as their systems have fewer than are checked."""
        for name, indices in batch.by_system.items():
            known = self._rows_of(name, batch.types[indices[0]])
            if known is not None and not known.is_full:
                columns = [*map(batch.column, ("summary", "references", "source")), batch.paths, batch.lines]
                known.add(zip(*([column[index] for index in indices] for column in columns), strict=True))

    def merge(self, other: TextSample, starts: Mapping[str, int]) -> None:
        """Adds the sample of later input.

        Args:
            other: The sample.
            starts: The number of lines of each file before its first line in the other sample.
        """
        for name, later in other._systems.items():
            known = self._rows_of(name, later.type)
            if known is not None:
                known.add(
                    (*texts, path, line and line + starts.get(path or "", 0)) for *texts, path, line in later.rows
                )
                known.is_full = known.is_full or later.is_full

    def _rows_of(self, name: str, kind: str) -> _Rows | None:
        """Returns the rows of a system; `None` for one that is too many."""
        if name not in self._systems and len(self._systems) < MAX_SYSTEMS:
            self._systems[name] = _Rows(kind)
        return self._systems.get(name)

    def lines(self, metrics: Sequence[MetricNeeds], form: OptionForm) -> list[str]:
        """Returns what the registered checks find: one line for each check, side and remedy.

        Args:
            metrics: The metrics that score the outputs.
            form: How findings say to set an option of a metric.
        """
        systems, lists, sets, references = list[SystemTexts](), list[Any](), list[Any](), Texts("references", ())
        source_of, of_sources = tuple[Any, ...](), Texts("sources", ())
        for name, known in self._systems.items():
            outputs, contexts, sources, paths, numbers = zip(*known.rows, strict=True)
            mine: list[Any] = [texts if isinstance(texts, (list, tuple)) else [] for texts in contexts]
            if not {*map(type, chain.from_iterable(mine))} <= {str}:
                mine = [list(map(as_string, texts)) for texts in mine]
            if sources != source_of:  # systems with equal sources or references share them, and what is found in them
                source_of, of_sources = sources, Texts("sources", () if None in sources else sources)
            if mine != lists:
                lists, sets = mine, list(zip_longest(*mine))
                rows = list(chain.from_iterable(map(repeat, range(len(mine)), map(len, mine))))
                references = Texts("references", list(chain.from_iterable(mine)), rows)
            system = SystemTexts(
                name,
                known.type,
                Texts("outputs", outputs),
                references,
                of_sources,
                lists,
                sets,
                list(zip(paths, numbers, strict=True)),
                not known.is_full,
                metrics,
                form,
                list(systems),
            )
            systems.append(system)
        lines: list[str] = []
        entries = REGISTRY.entries
        characters = ["".join(one.outputs.characters | one.references.characters) for one in systems]
        for name in sorted(REGISTRY.names(), key=lambda name: (entries[name].module, name)):
            check: TextCheck = REGISTRY.get(name)()
            if check.concerns and not any(getattr(one, check.concerns) for one in metrics):
                continue
            by_remedy: dict[tuple[str, str], list[Finding]] = {}
            for system, present in zip(systems, characters, strict=True):
                is_enough = len(system.places) >= check.fewest and len(system.reference_sets) >= check.sets
                has_sides = is_enough and all(getattr(system, side).texts for side in check.sides)
                is_present = not check.present or (not present.isascii() and re.search(check.present, present))
                if has_sides and is_present:
                    for finding in check.of_system(system):
                        by_remedy.setdefault((finding.side, finding.remedy), []).append(finding)
            lines += map(as_line, by_remedy.values())
        return lines


def warn_of_texts(
    outputs: Sequence[Text],
    references_list: Sequence[Sequence[Text]] | None = None,
    sources: Sequence[Text] | None = None,
    metrics: Sequence[MetricNeeds] = (),
    form: OptionForm = "object",
) -> list[str]:
    """Checks parallel lists of texts, issues what is found as Python warnings (`TextWarning`), and returns it.

    This is for functions without a log that score lists of texts; a loop calls it for its first batch only.

    Args:
        outputs: The outputs; the first ones are checked.
        references_list: The references of each output.
        sources: The source of each output.
        metrics: What the metrics need, as `LabelledMetric.needs` returns it.
        form: How findings say to set an option of a metric.
    """
    from metrics_framework.common.stability import frames_of_package  # which a command does not need

    count, missing = min(len(outputs), OUTPUTS_CHECKED), [None] * len(outputs)
    places = [ListName("outputs")] * count, range(1, count + 1)
    columns = outputs, references_list or missing, sources or missing, *places
    rows = list(zip(*(column[:count] for column in columns), strict=True))
    sample = TextSample(_systems={"": _Rows("peer", rows, is_full=count < len(outputs))} if rows else {})
    lines = sample.lines(metrics, form)
    for line in lines:
        warnings.warn(printable(line), TextWarning, stacklevel=frames_of_package())
    return lines
