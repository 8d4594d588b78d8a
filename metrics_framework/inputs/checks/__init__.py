"""Checks of texts: what they share, and the first texts of each system, in which a run looks for mistakes.

A run collects a `TextSample` and reports what all registered checks find in it, one line for each check. ``texts`` has
the checks.
"""

from __future__ import annotations

import json
import shlex
import unicodedata
import warnings
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import accumulate, chain, zip_longest
from operator import add, itemgetter
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeAlias, cast

from metrics_framework.common.errors import ListName, TextWarning, location_of, printable
from metrics_framework.common.logs import OptionForm
from metrics_framework.common.registrable import Registrable, Registry
from metrics_framework.data.texts import Text, as_string

if TYPE_CHECKING:
    from metrics_framework.data.eval_instance import ColumnBatch

REGISTRY = Registry("check of texts", home="metrics_framework.inputs.checks")
OUTPUTS_CHECKED = 2000
"""The largest number of outputs of a system that are checked."""
OUTPUTS_OF_ALL, OUTPUTS_OF_EACH = 4000, 400
"""The number of outputs of all systems that are checked, and the number of each that are checked anyway."""
MAX_CHARACTERS = 1 << 22
"""The number of characters of outputs and sources of a system after which a sample is full."""
CHARACTERS_COUNTED = 50_000
"""The number of characters of a side whose letters are counted."""
CHARACTERS_COMPARED = 1000
"""The number of characters of a text whose words are compared with those of another."""
SEARCHED_FIRST = 1500
"""The number of texts of a side of all systems in which a share is searched for, before it is in all texts."""
LEAST_SEARCHED = 100
"""The least number of these texts of each system."""
MAX_SYSTEMS = 100
"""The number of systems that a sample keeps."""
SYSTEMS_NAMED = 5
"""The largest number of systems that a finding names."""
MAX_REFERENCES = 1000
"""The number of references of a system in which marks are searched for: those of every second, third, … output."""


class MetricNeeds(NamedTuple):
    """What a metric needs of texts.

    Attributes:
        label: The label of the metric in a run.
        name: The registered name.
        splits_at_spaces: Whether words are found at spaces, so that texts without spaces have no words.
        spaceless_options: Maps languages that are written without spaces, and an empty string for all others, to the
            options with which the metric scores them, such as ``tokenizer=zh``.
        reads_only_ascii: Whether only ASCII letters and digits make up words.
        scores_separator: Whether PreSumm's separator of sentences is a word, although lines could be sentences.
        compares_lines: Whether lines are sentences.
        expects_detokenized: Whether the metric tokenizes texts itself.
        heeds_case: Whether upper and lower case are different.
        order: The order of the n-grams without which an output has the score 0; 0 for none.
        given: The options that the metric was built with.
        profile: The profile that the metric is of, and all options of the profile with the values given.
    """

    label: str
    name: str
    splits_at_spaces: bool = False
    spaceless_options: Mapping[str, str] = {}
    reads_only_ascii: bool = False
    scores_separator: bool = False
    compares_lines: bool = False
    expects_detokenized: bool = False
    heeds_case: bool = False
    order: int = 0
    given: Mapping[str, Any] = {}
    profile: tuple[str, Mapping[str, Any]] = ("", {})

    def with_options(self, options: str, form: OptionForm) -> str:
        """Returns how options are set beside those that the metric has, given them as ``name=value,…``.

        >>> needs = MetricNeeds("bleu", "bleu", given={"lowercase": True})
        >>> needs.with_options("tokenizer=zh", "flags"), needs.with_options("tokenizer=zh", "spec")
        ('--tokenizer zh', '--metric bleu:lowercase=true,tokenizer=zh')
        >>> needs._replace(profile=("translation", {})).with_options("tokenizer=zh", "spec")
        '--metric bleu:lowercase=true,tokenizer=zh,label=bleu-2'
        """
        new: dict[str, Any] = dict(option.split("=", 1) for option in options.split(","))
        new = {name: True if value == "true" else value for name, value in new.items()}
        every, (profile, of_profile) = {**self.given, **new}, self.profile
        if form == "object":
            return f"load({', '.join([repr(self.name), *(f'{name}={value!r}' for name, value in every.items())])})"
        if form == "flags":
            words = [
                [f"--{name.replace('_', '-')}", *([] if value is True else [value])] for name, value in new.items()
            ]
            return shlex.join(word for of_option in words for word in of_option)
        is_of_profile = new.keys() <= of_profile.keys()
        if is_of_profile:
            every = {name: value for name, value in {**of_profile, **new}.items() if value is not None}
        elif profile or self.label != self.name:  # beside a profile, the metric is another one
            every["label"] = f"{self.label}-2" if profile else self.label
        texts = {name: value if isinstance(value, str) else json.dumps(value) for name, value in every.items()}
        name = profile if is_of_profile else self.name
        spec = f"{name}:{','.join(f'{name}={text}' for name, text in texts.items())}"
        if form == "python":
            return f"profile={spec!r}" if is_of_profile else repr(spec)
        return f"--{'profile' if is_of_profile else 'metric'} {shlex.quote(spec)}"


_USUAL = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 \n,;:!?'\"()-/"
"""Characters that nearly all texts have, so that it tells little if a text has them."""
_NO_LETTERS = bytes(code for code in range(256) if not (code < 128 and chr(code).isalpha()))
_ASCII = bytes(range(128))
_NEUTRAL = frozenset(map(chr, [*range(0x1E00, 0x1F00), *range(0x2010, 0x20D0)]))
"""Characters beyond the first Latin ones that are neither accents nor letters of another script."""
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


SPACELESS = ("HAN", "KANA", "THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN", "JAVANESE")
"""Scripts that are written without spaces between words."""


class Texts:
    """The texts of one side: outputs, references or sources.

    Args:
        side: The side, in the plural.
        texts: The texts.
        rows: For each text the index of its output; by default, there is one for each.
        most: The number of texts in which a share is searched for first.

    Attributes:
        given: The texts, of which some may be lists of sentences.
        texts: The texts as strings.
        position: If there is one for each output, its index among the references of the output.
        found: For each check the indices of the texts in which it found something.
    """

    def __init__(
        self, side: str, texts: Sequence[Text], rows: Sequence[int] | None = None, most: int = OUTPUTS_CHECKED
    ) -> None:
        self.side, self.given, self.most, self.position = side, texts, most, 0
        self.texts: Sequence[str] = _strings(texts)
        self.rows: Sequence[int] = range(len(texts)) if rows is None else rows
        self.found: dict[str, Sequence[int]] = {}
        self._words = defaultdict[bool, dict[int, set[str]]](dict)

    @cached_property
    def joined(self) -> str:
        """All texts in one string, in which characters are searched for once."""
        return "\n".join(self.texts)

    @cached_property
    def some(self) -> Texts:
        """Some of the texts, of which at least one has what a larger share of all texts has."""
        step = -(-len(self.texts) // self.most)
        return self if step < 2 else Texts(self.side, self.given[::step], self.rows[::step])

    @cached_property
    def characters(self) -> frozenset[str]:
        """All characters but ASCII letters, digits, spaces and usual punctuation; few checks need more."""
        rest = self.joined.encode("utf-8", "surrogatepass").translate(None, _USUAL)
        return frozenset(rest.decode("utf-8", "surrogatepass"))

    def words(self, indices: Iterable[int], has_spaces: bool) -> Mapping[int, set[str]]:
        """Returns the words of texts, or their character bigrams if they have no spaces."""
        known = self._words[has_spaces]
        for index in indices:
            if index not in known:
                text = self.texts[index][:CHARACTERS_COMPARED]
                known[index] = {*text.split()} if has_spaces else {*map(str.__add__, text, text[1:])}
        return known

    @cached_property
    def letters(self) -> Mapping[str, float]:
        """The share of each script among the letters of the first texts, besides ``ASCII`` and all without spaces.

        >>> Texts("outputs", ["a cat", "\u732b"]).letters
        {'LATIN': 0.8, 'HAN': 0.2, 'ASCII': 0.8, 'SPACELESS': 0.2}
        """
        encoded = self.joined[:CHARACTERS_COUNTED].encode("utf-8", "surrogatepass")
        ascii_letters = len(encoded.translate(None, _NO_LETTERS))
        scripts = Counter({"LATIN": ascii_letters} if ascii_letters else {})
        others = "" if self.joined.isascii() else encoded.translate(None, _ASCII).decode("utf-8", "surrogatepass")
        for character, count in Counter(others).items():
            if character.isalpha():
                script = unicodedata.name(character, "").partition(" ")[0]
                scripts[_SCRIPTS.get(script, script)] += count
        total, spaceless = sum(scripts.values()), sum([scripts[name] for name in SPACELESS])
        return {
            name: count / max(1, total)
            for name, count in {**scripts, "ASCII": ascii_letters, "SPACELESS": spaceless}.items()
        }


_FIELDS = {"references": "references", "lists of references": "references", "sources": "source"}
"""The sides whose texts may have separate files, and their fields."""
_References: TypeAlias = tuple[Sequence[Sequence[str]], Sequence[Sequence[str | None]], Texts, Texts]


class SystemTexts:
    """The first outputs of a system, with their references and sources.

    Args:
        name: The system.
        metrics: The metrics that score them.
        form: How findings say to set an option of a metric.
        earlier: The systems before it, with which it shares equal references and sources, and what is found in them.
        run: The samples of all systems.

    Attributes:
        type: The type of the outputs.
        ids: The input of each output.
        outputs: The outputs.
        sources: The sources.
        references_list: The references of each output.
        reference_sets: For each position of references the reference of each output, `None` if it has fewer.
        references: The references, or some of them if there are many.
        lists: For each output the first reference that is not empty.
        is_first: Whether the references are not those of the system before it.
    """

    def __init__(
        self,
        name: str,
        metrics: Sequence[MetricNeeds],
        form: OptionForm,
        earlier: Sequence[SystemTexts],
        run: TextSample,
    ) -> None:
        sample, most = run.systems[name], max(LEAST_SEARCHED, SEARCHED_FIRST // len(run.systems))
        checked = slice(run.most)
        columns = [column[checked] for column in sample.columns]
        self.is_complete = not sample.is_full and len(columns[0]) == len(sample.columns[0])
        self.name, self.type, self.metrics, self.form, self.earlier = name, sample.type, metrics, form, earlier
        self.are_files, self._files = run.are_files, run.files
        self.ids, outputs, self._contexts, sources, self._paths, self._lines = columns
        self.outputs = Texts("outputs", outputs, most=most)
        known = () if None in sources else sources
        last = earlier[-1] if earlier else None
        is_shared = last is not None and last.sources.texts == known
        self.sources: Texts = last.sources if last and is_shared else Texts("sources", known, most=most)
        self.is_first = last is None or last._contexts != self._contexts
        self._references: _References = (
            last._references if last and not self.is_first else _references(self._contexts, most)
        )
        self.references_list, self.reference_sets, self.references, self.lists = self._references

    def finding(self, what: str, side: Texts, found: Sequence[int], remedy: str) -> Finding:
        """Returns a finding in some texts of a side.

        Args:
            what: What was found.
            side: The side.
            found: The indices of the texts in which it was found.
            remedy: What to do.
        """
        row = side.rows[found[0]]
        path, line = self._paths[row], self._lines[row]
        if files := self._files.get(_FIELDS.get(side.side, ""), ()):
            number = side.position + found[0] - bisect_left(side.rows, row)
            path = files[number * len(files) // max(1, len(self.reference_sets))]
        first = f"output {row + 1}" if path is None else location_of(path, line)
        share = f"{len(found):,} of {'' if self.is_complete else 'the first '}{len(side.texts):,} {side.side}"
        is_output = side is self.outputs and bool(self.name)
        return Finding(what, side.side, share, self.name if is_output else "", first, remedy)


def _strings(texts: Sequence[Text]) -> Sequence[str]:
    """Returns texts, of which some may be lists of sentences, as strings."""
    return cast("Sequence[str]", texts) if {*map(type, texts)} <= {str} else [*map(as_string, texts)]


def _references(contexts: Sequence[Any], most: int) -> _References:
    """Returns the references of each output, those of each position, all or some of them, and the first ones."""
    given: Sequence[Sequence[Any]] = [texts if isinstance(texts, (list, tuple)) else [] for texts in contexts]
    lists = given if {*map(type, chain.from_iterable(given))} <= {str} else [*map(_strings, given)]
    sets = list(zip_longest(*lists))
    every = max(1, -(-sum(map(len, lists)) // MAX_REFERENCES))
    rows = [row for row in range(0, len(lists), every) for _ in lists[row]]
    some = Texts("references", list(chain.from_iterable(given[::every])), rows, most)
    first: Sequence[Any] = sets[0] if sets else []
    if None in first or not all(map(str.strip, first)):
        first = [next(filter(str.strip, texts), "") for texts in lists]
    return lists, sets, some, Texts("lists of references", first, most=most)


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
    """Looks for one mistake in the texts of a system; each check is a registered subclass, most of which define `find`.

    Attributes:
        what: What is looked for.
        remedy: What to do.
        sides: The sides in which it is looked for. If `concerns` is stated, the first one is enough.
        characters: Every text that has it has one of these characters; empty for any.
        above: Every text that has it has a character above this one, besides Latin letters and punctuation.
        concerns: The attribute of `MetricNeeds` that is true of the metrics that the check is for; empty for all.
        fewest_outputs: The least number of outputs that are checked.
        fewest_references: The largest number of references of an output must be this at least.
        fewest: The least number of texts of a side.
        least: The least share of the texts of a side.
        is_one_sided: Whether it is a mistake only if the other side does not have it. The other side of outputs are
            the references, or else the sources; that of references are the outputs.
        heeds_sources: Whether sources are another side besides references, because a task may keep what they have.
        other_side: The largest share of the other side, relative to this one.
        by_difference: Whether the share of the other side is smaller by `least` instead.
        is_note: Whether findings are notes, because scores may be meant as they are.
    """

    what: ClassVar[str] = ""
    remedy: ClassVar[str] = ""
    sides: ClassVar[Sequence[str]] = ("outputs",)
    characters: ClassVar[str] = ""
    above: ClassVar[str] = ""
    concerns: ClassVar[str] = ""
    fewest_outputs: ClassVar[int] = 1
    fewest_references: ClassVar[int] = 0
    fewest: ClassVar[int] = 1
    least: ClassVar[float] = 0.0
    is_one_sided: ClassVar[bool] = False
    heeds_sources: ClassVar[bool] = False
    other_side: ClassVar[float] = 0.25
    by_difference: ClassVar[bool] = False
    is_note: ClassVar[bool] = False

    def __init__(self) -> None:
        marks = frozenset(self.characters)
        self.marks = marks if marks.isdisjoint(_USUAL.decode()) else frozenset[str]()

    def find(self, side: Texts, system: SystemTexts) -> Sequence[int]:
        """Returns the indices of the texts of a side that have it."""
        raise NotImplementedError

    def may_be_in(self, characters: Set[str]) -> bool:
        """Returns whether texts may have it, given their `Texts.characters`."""
        if self.marks:
            return not self.marks.isdisjoint(characters)
        return not self.above or max(characters - _NEUTRAL, default=" ") > self.above

    def described(self, side: Texts, found: Sequence[int], system: SystemTexts) -> tuple[str, str]:
        """Returns what was found, and what to do."""
        return self.what, self.remedy

    def concerned(self, system: SystemTexts) -> list[MetricNeeds]:
        """Returns the metrics that the check is for."""
        return [one for one in system.metrics if getattr(one, self.concerns)]

    def of_system(self, system: SystemTexts) -> Iterator[Finding]:
        """Yields what is found in the texts of a system."""
        for side in self.sides:
            mine: Texts = getattr(system, side)
            found = self._found(mine, system)
            if not found or (share := len(found) / len(mine.texts)) < self.least or len(found) < self.fewest:
                continue
            beside = system.outputs if mine is system.references else system.references
            others = [beside if beside.texts else system.sources] * self.is_one_sided
            others += [system.sources] * self.heeds_sources
            most = share - self.least if self.by_difference else share * self.other_side
            if all(len(self._found(texts, system)) <= most * max(1, len(texts.texts)) for texts in others):
                what, remedy = self.described(mine, found, system)
                yield system.finding(what, mine, found, remedy)
                if self.concerns:
                    return

    def _found(self, texts: Texts, system: SystemTexts) -> Sequence[int]:
        """Returns the indices of the texts of a side that have it; systems share references and sources."""
        found = texts.found.get(self.registered_name)
        if found is None:
            may_have = not (self.marks or self.above) or self.may_be_in(texts.characters)
            if may_have and self.least and not self.characters and len(texts.texts) > texts.most:
                may_have = bool(self.find(texts.some, system))
            found = texts.found[self.registered_name] = self.find(texts, system) if may_have else []
        return found


@dataclass
class SystemSample:
    """The first outputs of a system.

    Attributes:
        type: The type of the outputs.
        columns: The input, output, references, source, file and line of each output.
        characters: The number of characters of the outputs and sources.
        is_full: Whether the system has more outputs.
    """

    type: str
    columns: Sequence[list[Any]] = field(default_factory=lambda: [[] for _ in range(6)])
    characters: int = 0
    is_full: bool = False

    def add(self, columns: Sequence[Sequence[Any]], most: int = OUTPUTS_CHECKED) -> None:
        """Adds outputs, as far as there are fewer than are checked."""
        _, outputs, _, sources, *_ = (column[: max(0, most - len(self.columns[0]))] for column in columns)
        sizes = map(add, map(len, outputs), [len(text or "") for text in sources])
        before = [*accumulate(sizes, initial=self.characters)]
        count = bisect_right(before, MAX_CHARACTERS, hi=len(outputs))
        self.characters = before[count]
        self.is_full = self.is_full or len(columns[0]) > count
        for known, new in zip(self.columns, columns, strict=True):
            known += new[:count]


@dataclass
class TextSample:
    """The first outputs of each system of a run, with their references and sources.

    Attributes:
        systems: The sample of each system.
        are_files: Whether outputs, references and sources are text files, so that few equal lines are one file.
        files: Maps fields to their files or lists, if these are parallel to the outputs.
        is_reported: Whether findings were reported.
    """

    systems: dict[str, SystemSample] = field(default_factory=dict)
    are_files: bool = False
    files: Mapping[str, Sequence[str]] = field(default_factory=dict)
    is_reported: bool = False

    @property
    def most(self) -> int:
        """The number of outputs of each system that are checked."""
        return min(OUTPUTS_CHECKED, max(OUTPUTS_OF_EACH, OUTPUTS_OF_ALL // max(1, len(self.systems))))

    def add(self, batch: ColumnBatch) -> None:
        """Adds the outputs of a batch, as far as their systems have fewer than are checked."""
        for name, indices in batch.by_system.items():
            known = self._of(name, batch.types[indices[0]])
            if known is not None and not known.is_full:
                columns = [batch.ids, *map(batch.column, ("summary", "references", "source")), batch.paths, batch.lines]
                some = itemgetter(*indices) if len(indices) > 1 else itemgetter(slice(indices[0], indices[0] + 1))
                known.add([*map(some, columns)], self.most)

    def _of(self, name: str, output_type: str) -> SystemSample | None:
        """Returns the sample of a system; `None` if there are too many systems."""
        if name not in self.systems and len(self.systems) < MAX_SYSTEMS:
            self.systems[name] = SystemSample(output_type)
        return self.systems.get(name)

    def merge(self, other: TextSample, starts: Mapping[str, int]) -> None:
        """Adds the sample of later input.

        Args:
            other: The sample.
            starts: The number of lines of each file before its first line in the other sample.
        """
        for name, later in other.systems.items():
            known = self._of(name, later.type)
            if known is not None:
                *columns, paths, lines = later.columns
                lines = [line and line + starts.get(path or "", 0) for path, line in zip(paths, lines, strict=True)]
                known.add([*columns, paths, lines], self.most)
                known.is_full = known.is_full or later.is_full

    def lines(self, metrics: Sequence[MetricNeeds], form: OptionForm) -> tuple[list[str], list[str]]:
        """Returns what the registered checks find: warnings and notes, one line for each check, side and remedy.

        Args:
            metrics: The metrics that score the outputs.
            form: How findings say to set an option of a metric.
        """
        checks = [
            check
            for check in _checks(tuple(REGISTRY.names()))
            if not check.concerns or any(getattr(one, check.concerns) for one in metrics)
        ]
        systems: list[SystemTexts] = []
        possible: dict[Set[str], list[tuple[int, TextCheck]]] = {}  # by the characters of a system
        found: dict[tuple[int, str, str], list[Finding]] = {}
        for name in self.systems:  # system by system, so that texts stay in the cache of the CPU
            system = SystemTexts(name, metrics, form, list(systems), self)
            systems.append(system)
            seen = system.outputs.characters | system.references.characters | system.sources.characters
            if seen not in possible:
                possible[seen] = [(number, check) for number, check in enumerate(checks) if check.may_be_in(seen)]
            outputs, references = len(system.ids), len(system.reference_sets)
            for number, check in possible[seen]:
                if check.fewest_outputs <= outputs and check.fewest_references <= references:
                    for finding in check.of_system(system):
                        found.setdefault((number, finding.side, finding.remedy), []).append(finding)
        lines: tuple[list[str], list[str]] = ([], [])
        for key in sorted(found, key=itemgetter(0)):
            lines[checks[key[0]].is_note].append(as_line(found[key]))
        return lines


@lru_cache(1)
def _checks(names: Sequence[str]) -> list[TextCheck]:
    """Returns the checks with the given names, which may be called for each of many short lists."""
    return [REGISTRY.get(name)() for name in names]


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

    count, missing = len(outputs), [None] * len(outputs)
    sample = SystemSample("peer")
    texts = outputs, references_list or missing, sources or missing
    sample.add([range(count), *texts, [ListName("outputs")] * count, range(1, count + 1)])
    files = {"references": [ListName("references")], "source": [ListName("sources")]}
    found = TextSample({"": sample} if count else {}, files=files).lines(metrics, form)
    lines = [*chain.from_iterable(found)]
    for line in lines:
        warnings.warn(printable(line), TextWarning, stacklevel=frames_of_package())
    return lines
