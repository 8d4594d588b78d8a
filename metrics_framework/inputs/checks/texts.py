"""The checks: texts beside other texts, what tools and models leave in texts, and what metrics need of texts."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence, Set
from functools import cached_property
from itertools import compress, product
from math import fsum
from operator import attrgetter, eq, itemgetter
from typing import Any, ClassVar, TypeAlias

from metrics_framework.common.overriding import overrides
from metrics_framework.inputs.checks import (
    CHARACTERS_COUNTED,
    Finding,
    MetricNeeds,
    SystemTexts,
    TextCheck,
    Texts,
)
from metrics_framework.inputs.texts import LEAST_LINES, SINGLE_WORDS, WRAP, are_single_words

# ---- texts beside other texts: which are equal, shifted, empty, or begin alike ---------------------------------------

Lines: TypeAlias = tuple[str, Sequence[str | None]]
"""What a list of texts is called, and the texts."""


@TextCheck.register("equal-lines")
class EqualLines(TextCheck):
    """Finds lists of texts of which nearly all lines equal those of another: one file or content in two roles.

    A few equal lines are a mistake only if they are all lines of text files. The text of an output of type
    ``reference`` may be among the references of other systems, but not of this output.
    """

    least = 0.9

    @overrides
    def of_system(self, system: SystemTexts) -> Iterator[Finding]:
        outputs = system.outputs
        ours: Lines = ("outputs", outputs.texts)
        sources: list[Lines] = [("the sources", system.sources.texts)] if system.sources.texts else []
        named: list[Lines] = [(f"reference {number}", texts) for number, texts in enumerate(system.reference_sets, 1)]
        others = sources if system.type == "reference" else sources + named
        pairs = [(ours, other, "check which file is given as outputs") for other in others]
        for before, one in enumerate(named if system.is_first else ()):
            pairs += [(one, other, "leave one of them out of the references") for other in sources + named[:before]]
        for earlier in system.earlier:
            if earlier.outputs.texts == outputs.texts:
                other = f"those of '{earlier.name}'", earlier.outputs.texts
                pairs.append((ours, other, "check whether one file has two names"))
        least = max(1 if system.are_files else LEAST_LINES, self.least * len(outputs.texts))
        for (name, texts), (other_name, lines), remedy in pairs:
            step = 1 + len(lines) // 100  # some lines are enough to see that lines differ
            if 2 * sum(map(eq, texts[::step], lines[::step])) < len(lines[::step]):
                continue
            equal = [row for row, text in enumerate(texts) if text is not None and text == lines[row]]
            if len(equal) >= least:
                side = outputs
                if name != "outputs":
                    side = Texts("references", [text or "" for text in texts])
                    side.position = named.index((name, texts))
                yield system.finding(f"{name} equal to {other_name}", side, equal, remedy)
        lists = zip(outputs.texts, system.references_list, strict=True) if system.type == "reference" else ()
        own = [row for row, (text, references) in enumerate(lists) if text in references]
        if own:
            what = "outputs of type 'reference' with their own text among their references, which inflates scores"
            yield system.finding(what, outputs, own, "remove it from these references")


@TextCheck.register("changing-inputs")
class ChangingInputs(TextCheck):
    """Finds references and sources that are not those of the same input of an earlier system."""

    remedy = "check that ids of inputs are unique over documents and data sets"

    @overrides
    def of_system(self, system: SystemTexts) -> Iterator[Finding]:
        peers = [one for one in system.earlier if one.type == system.type == "peer"]
        for side, of_inputs in (
            (system.lists, attrgetter("references_list")),
            (system.sources, attrgetter("sources.texts")),
        ):
            known: dict[str, Any] = {}
            if peers and peers[0].ids == system.ids and of_inputs(peers[0]) == of_inputs(system):
                continue
            for other in (*peers[-1:], *peers[:1]):
                known.update(zip(other.ids, of_inputs(other), strict=False))
            mine = enumerate(zip(system.ids, of_inputs(system), strict=False)) if known else ()
            found = [row for row, (key, value) in mine if value and (known.get(key) or value) != value]
            if found:
                what = (
                    f"{side.side.removeprefix('lists of ')} that differ from those of another system for the same input"
                )
                yield system.finding(what, side, found, self.remedy)


@TextCheck.register("single-words")
class SingleWords(TextCheck):
    """Finds a reference that was split, so that its words or characters are the references of an output."""

    fewest_references = 2

    @overrides
    def of_system(self, system: SystemTexts) -> Iterator[Finding]:
        texts, lists = system.outputs.texts, system.references_list
        for rows in (system.outputs.some.rows, system.outputs.rows):
            if not are_single_words([texts[row] for row in rows], [lists[row] for row in rows]):
                return
        yield system.finding(SINGLE_WORDS, system.references, range(len(system.references.texts)), WRAP)


@TextCheck.register("begins-with-source")
class BeginsWithSource(TextCheck):
    """Finds outputs of models that repeat their prompt."""

    what = "outputs that begin with their source"
    remedy = "remove the source from the start of each output"
    fewest = 2
    least = 0.1

    @overrides
    def find(self, side: Texts, system: SystemTexts) -> Sequence[int]:
        sources = system.sources.texts
        if not sources:
            return []
        pairs = [(at, text, sources[row]) for at, (row, text) in enumerate(zip(side.rows, side.texts, strict=True))]
        begin = [pair for pair in pairs if pair[1].startswith(pair[2])]
        return [at for at, text, source in begin if len(text) >= 1.2 * len(source) and len(source.split()) >= 3]


@TextCheck.register("begins-with-number")
class BeginsWithNumber(TextCheck):
    """Finds outputs that begin with the number of their line, or with ``H-`` and a number, as fairseq writes them."""

    what = "outputs that begin with the number of their line"
    remedy = "remove it, and check that the outputs are in the order of their inputs"
    fewest_outputs = fewest = LEAST_LINES
    least = 0.3

    @overrides
    def find(self, side: Texts, system: SystemTexts) -> Sequence[int]:
        matches = enumerate(map(re.compile(r"(H-)?\W{0,2}(\d+)(?!\d)").match, side.texts))
        found = ((at, side.rows[at], match) for at, match in matches if match)
        return [at for at, row, match in found if match[1] or match[2] in (str(row), str(row + 1))]


@TextCheck.register("shifted")
class Shifted(TextCheck):
    """Finds outputs that are more similar to the references, or else sources, of other lines than to their own.

    The similarity of two texts is the Dice coefficient of their words, or of their character bigrams if they have no
    spaces. Its mean over all lines, the second half and the last quarter is compared with that of the lines one or two
    before or after. A line that is missing shifts all lines after it, so the last lines are enough.
    """

    remedy = "look for a line that is missing or extra"
    fewest_outputs = 8
    most = 600
    sampled = 16
    least = 0.05

    @overrides
    def of_system(self, system: SystemTexts) -> Iterator[Finding]:
        outputs, others = system.outputs, system.lists if system.lists.texts else system.sources
        has_spaces = outputs.some.joined.count(" ") * 20 > len(outputs.some.joined)
        end, start = len(outputs.texts) if others.texts else 0, max(0, len(outputs.texts) - self.most)
        parts = [*product((start, (start + end) // 2, end - (end - start) // 4), (-2, -1, 1, 2))]
        for step in (max(1, (end - start) // self.sampled), 1):  # some lines are enough to see that lines are aligned
            rows = range(min(parts)[0], end, step)
            shifts = {0, *map(itemgetter(1), parts)}
            pairs = [(row, row + by) for by in shifts for row in rows if start <= row + by < end]
            ours = outputs.words(rows, has_spaces)
            theirs = others.words(map(itemgetter(1), pairs), has_spaces)
            dice = {
                (row, other): 2 * len(ours[row] & theirs[other]) / max(1, len(ours[row]) + len(theirs[other]))
                for row, other in pairs
            }
            found = {}
            for first, by in parts:
                of_part = (row for row in rows if row >= first and (row, row + by) in dice)
                gains = {row: dice[row, row + by] - dice[row, row] for row in of_part}
                better = [row for row, gain in gains.items() if gain > 0]
                least = self.least * len(gains) if step == 1 else 0
                gain = fsum(gains.values())
                if better and gain >= least:
                    found[first, by] = gain, by, better
            parts = list(found)
            if not parts:
                return
        _, by, better = max(found.values(), key=itemgetter(0))
        side = "references" if others is system.lists else "sources"
        where = f"{abs(by)} line{'s' * (abs(by) > 1)} {'later' if by > 0 else 'before'}"
        what = f"outputs more similar to the {side} {where} than to their own"
        yield system.finding(what, outputs, better, self.remedy)


@TextCheck.register("one-text")
class OneText(TextCheck):
    """Finds a text that many outputs share, but not the references and sources."""

    remedy = "check these outputs, or remove it from each"
    fewest_outputs: ClassVar[int] = LEAST_LINES
    least: ClassVar[float] = 0.3
    is_one_sided = True
    heeds_sources: ClassVar[bool] = True
    by_difference: ClassVar[bool] = True
    part: ClassVar[slice] = slice(None)
    length: ClassVar[int] = 1
    where: ClassVar[str] = "are all"

    @overrides
    def find(self, side: Texts, system: SystemTexts) -> Sequence[int]:
        share = self.least * (1 if side is system.outputs else self.other_side)
        different = len({*map(itemgetter(self.part), side.texts)})
        if len(side.texts) - different < share * max(self.fewest_outputs, different) - 1:
            return []
        texts = side.texts if self.part == slice(None) else {*side.texts}
        part, count = Counter(map(itemgetter(self.part), texts)).most_common(1)[0] if texts else ("", 0)
        least = share * max(self.fewest_outputs, len(texts))
        is_common = part.strip() and len(part) >= self.length and count >= least
        return [row for row, text in enumerate(side.texts) if text[self.part] == part] if is_common else []

    @overrides
    def described(self, side: Texts, found: Sequence[int], system: SystemTexts) -> tuple[str, str]:
        part = side.texts[found[0]][self.part]
        return f"outputs that {self.where} {part[:40]!r}, unlike what they are compared with", self.remedy


@TextCheck.register("common-beginning")
class CommonBeginning(OneText):
    """Finds outputs with the same first characters; equal texts count once."""

    fewest_outputs = 10
    least = 0.2
    heeds_sources = by_difference = False
    length = 12
    part = slice(length)
    where = "begin with"


@TextCheck.register("common-ending")
class CommonEnding(CommonBeginning):
    """Finds outputs with the same last characters; equal texts count once."""

    part = slice(-CommonBeginning.length, None)
    where = "end with"


# ---- what tools and models leave in texts, and damaged characters ----------------------------------------------------


class PatternCheck(TextCheck):
    """Base class of checks for something that a share of the texts of one side has, and few of the other side.

    Attributes:
        what: What is looked for; ``{}`` is replaced by an example.
        pattern: What is looked for, as a regular expression; without characters, at the start of a text only.
        certain: The characters that need no expression, since every text with one of them has it.
        has: Returns whether a text has it, if there is no expression; by default, it is enough to have a character.
    """

    sides: ClassVar[Sequence[str]] = ("outputs", "references")
    is_one_sided: ClassVar[bool] = True
    fewest: ClassVar[int] = 2
    least: ClassVar[float] = 0.01
    pattern: ClassVar[str] = ""
    certain: ClassVar[Set[str]] = frozenset()
    has: Callable[[str], object] = staticmethod(bool)

    @overrides
    def find(self, side: Texts, system: SystemTexts) -> Sequence[int]:
        present, texts = side.characters & self.marks, side.texts
        rows: Sequence[int] = range(len(texts))
        if 0 < len(present) < 8:
            rows = sorted({at for mark in present for at, text in enumerate(texts) if mark in text})
        is_certain = not self.pattern or (0 < len(present) < 8 and self.certain >= present)
        has = self.has if is_certain else self._search
        return [*compress(rows, map(has, map(texts.__getitem__, rows)))]

    @cached_property
    def _search(self) -> Callable[[str], re.Match[str] | None]:
        expression = re.compile(self.pattern)
        return expression.search if self.characters else expression.match

    @overrides
    def described(self, side: Texts, found: Sequence[int], system: SystemTexts) -> tuple[str, str]:
        match = self._search(side.texts[found[0]])
        example = match[0].strip(" ")[:40] if match else ""
        shown = f"'{example}'" if example.isprintable() else f"U+{ord(example[-1]):04X}"
        return self.what.format(shown), self.remedy


@TextCheck.register("empty")
class Empty(PatternCheck):
    """Finds empty outputs and sources, and outputs whose references are all empty."""

    remedy = "they are scored as texts without words"
    sides: ClassVar[Sequence[str]] = ("outputs", "sources", "lists")
    fewest = 1
    least = 0.0
    is_one_sided = False

    @overrides
    def find(self, side: Texts, system: SystemTexts) -> Sequence[int]:
        texts = [*map(str.strip, side.texts)]
        return [] if all(texts) else [at for at, text in enumerate(texts) if not text]

    @overrides
    def described(self, side: Texts, found: Sequence[int], system: SystemTexts) -> tuple[str, str]:
        return f"empty {side.side.removeprefix('lists of ')}", self.remedy


def _span(first: str, last: str) -> str:
    """Returns the characters from one to another."""
    return "".join(map(chr, range(ord(first), ord(last) + 1)))


@TextCheck.register("tokens-in-brackets")
class TokensInBrackets(PatternCheck):
    """Finds tags and special tokens, such as ``<unk>``, ``</s>``, ``<|im_end|>``, ``<think>`` and ``[SEP]``."""

    what = "tags or special tokens such as {}"
    remedy = "remove them, as with skip_special_tokens=True of a tokenizer"
    heeds_sources = True
    characters = ">]"
    pattern = (
        r"<[/|]{0,2}[A-Za-z][A-Za-z0-9_.:-]{0,24}[|/]?>|"
        r"\[/?(?:CLS|SEP|PAD|UNK|MASK|BOS|EOS|INST|BLANK|unk|sep|eos|bos|pad)\]"
    )


@TextCheck.register("subwords")
class Subwords(PatternCheck):
    """Finds the marks of subword tokenizers: BPE, SentencePiece, WordPiece, byte-level BPE, pyonmttok."""

    what = "marks of subwords such as {}"
    remedy = "decode the outputs with the tokenizer of the model"
    characters = "@\u2581#\u0120\u010a\uffed>"
    pattern = r"@@(?= |$)|\u2581|(?:^| )##\w+(?![\w#])|\w ?\u0120\w|\u010a|\uffed|</w>|@-@"


@TextCheck.register("n-best")
class NBest(PatternCheck):
    """Finds the fields of n-best lists of Moses."""

    what = "fields of an n-best list, which {} separates"
    remedy = "keep the best text of each input"
    characters = "|"
    pattern = r"\|\|\|"


@TextCheck.register("escapes")
class Escapes(PatternCheck):
    r"""Finds escape sequences in place of characters, such as ``\n`` and ``\u00e9``."""

    what = "escape sequences such as {}"
    remedy = "read the texts as JSON, which decodes them"
    characters = "\\"
    pattern = r"\\(?:[nrt](?![a-z]{2})|\"|'|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2})"


@TextCheck.register("values-as-texts")
class ValuesAsTexts(PatternCheck):
    """Finds objects and missing values that were written as texts, such as ``{'text': …}`` and ``nan``."""

    what = "values written as texts such as {}"
    remedy = "write the text itself, and nothing for a missing value"
    pattern = (
        r"(?s)(?:None|nan|NaN|NAN|null|NULL|<NA>|undefined)\Z|<(?:generator )?[\w. ]+ at 0x|"
        r"""\s*(?:\{\s*["']\w+["']\s*:|[{\[(]\s*["'].*["'\]})]\s*[}\])]\s*\Z)"""
    )


@TextCheck.register("carriage-returns")
class CarriageReturns(PatternCheck):
    """Finds carriage returns, of files of another system."""

    what = "carriage returns"
    remedy = "convert the line ends of the file, as with dos2unix"
    characters = "\r"


@TextCheck.register("preamble")
class Preamble(PatternCheck):
    """Finds what language models say before or instead of an answer."""

    what = "preambles such as {}"
    remedy = "remove them, or ask the model for the text alone"
    least = 0.05
    heeds_sources = True
    pattern = (
        r"(?:Sure|Certainly|Of course|Absolutely|Okay)[!,.:]|(?:Here(?: is| are|['\u2019]s)|Below is|Simplified|"
        r"The (?:simplified|translat))[^:\n]{0,80}:|I(?:['\u2019]m sorry| am sorry|['\u2019]m unable| cannot| can't)|"
        r"As an AI|(?:Translation|Summary|Answer|Output):"
    )


@TextCheck.register("markup")
class Markup(PatternCheck):
    """Finds Markdown."""

    what = "Markdown such as {}"
    remedy = "remove it, or ask the model for plain text"
    least = 0.1
    heeds_sources = True
    characters = "*#`]"
    pattern = r"\*\*(?=\S)|(?:^|\n) {0,3}#{1,6} (?=\S)|(?:^|\n)```|\]\((?=http)|(?:^|\n)[*] (?=\S)"


@TextCheck.register("quoted")
class Quoted(PatternCheck):
    """Finds texts that are wholly in quotes, as JSON and Python write them; also bytes."""

    what = "texts in quotes such as {}"
    remedy = "remove the quotes around each text"
    least = 0.2
    heeds_sources = True
    pattern = (
        r"""(?s)b?".+"\Z|b?'.+'\Z|\u201c[^\u201d]+\u201d\Z|\u00ab[^\u00bb]+\u00bb\Z|\u300c[^\u300d]+\u300d\Z|`.+`\Z"""
    )


@TextCheck.register("html-entities")
class HtmlEntities(PatternCheck):
    """Finds characters that are escaped as in HTML or by Moses."""

    what = "HTML entities such as {}"
    remedy = "decode them, as with html.unescape of Python"
    characters = "&"
    pattern = r"&(?:[a-zA-Z]{2,8}|#\d{2,6}|#x[0-9a-fA-F]{2,5});"


@TextCheck.register("invisible-characters")
class InvisibleCharacters(PatternCheck):
    """Finds control characters and characters without width, except joiners in scripts that need them."""

    what = "invisible characters such as {}"
    remedy = "remove them"
    characters = (
        _span("\x00", "\x08")
        + _span("\x0e", "\x1f")
        + _span("\x7f", "\x9f")
        + _span("\u200b", "\u200f")
        + _span("\u2028", "\u202e")
        + _span("\u2060", "\u2064")
        + "\u00ad\ufeff\ufff9\ufffa\ufffb"
    )
    _ALWAYS = "\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u2028\u2029\u2060-\u2064\ufeff\ufff9-\ufffb"
    certain = frozenset(characters) - {"\x85", *_span("\u200b", "\u200f"), *_span("\u202a", "\u202e")}
    pattern = (  # begins with a set of characters, for which `re` searches fast; what is around them follows
        f"[{_ALWAYS}\u200b-\u200f\u202a-\u202e](?:(?<=[{_ALWAYS}])|"
        "(?<=\u200b)(?<![\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]\u200b)|"
        "(?<=[ -\u024f][\u200c\u200d])(?![\u0590-\u1fff])|"
        "(?<=[ -\u024f][\u200e\u200f\u202a-\u202e])(?![\u0590-\u08ff]))"
    )


@TextCheck.register("replacement-characters")
class ReplacementCharacters(PatternCheck):
    """Finds what decoders write for bytes that they cannot decode."""

    what = "characters lost in decoding (U+FFFD)"
    remedy = "read the original file in its own encoding"
    fewest = 1
    least = other_side = 0.0
    characters = "\ufffd"


@TextCheck.register("not-nfc")
class NotNFC(PatternCheck):
    """Finds accents apart from their letters, which the other side has in one character."""

    what = "texts that are not in Unicode's form NFC"
    remedy = "normalize both sides, as with unicodedata.normalize('NFC', text) of Python"
    least = 0.05
    above = "\u02ff"

    @overrides
    def find(self, side: Texts, system: SystemTexts) -> Sequence[int]:
        return [at for at, text in enumerate(side.texts) if not unicodedata.is_normalized("NFC", text)]


@TextCheck.register("mojibake")
class Mojibake(PatternCheck):
    """Finds UTF-8 that was decoded as Windows-1252."""

    what = "UTF-8 decoded as Windows-1252 such as {}"
    remedy = "read the original file as UTF-8"
    least = 0.05
    characters = _span("\u00c2", "\u00f4")
    pattern = "[\u00c2-\u00f4][^\x00-\x7f\u00c0-\u00ff]+"

    @overrides
    def find(self, side: Texts, system: SystemTexts) -> Sequence[int]:
        rows = super().find(side, system)
        return [at for at in rows if any(map(_is_utf8, re.findall(self.pattern, side.texts[at])))]


def _is_utf8(text: str) -> bool:
    """Returns whether the bytes of a text in Windows-1252 are UTF-8."""
    try:
        return bool(text.encode("cp1252").decode("utf-8"))
    except UnicodeError:
        return False


@TextCheck.register("full-width")
class FullWidth(PatternCheck):
    """Finds letters and digits of full width, and punctuation of full width outside of Han, kana and Hangul."""

    what = "characters of full width such as {}"
    remedy = "normalize both sides, as with unicodedata.normalize('NFKC', text) of Python"
    least = 0.2
    characters = _span("\uff01", "\uff5e")
    pattern = (
        "[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a]|^[^\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]*"
        "[\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff5e](?=[^\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]*$)"
    )


@TextCheck.register("no-capitals")
class NoCapitals(PatternCheck):
    """Finds texts that are lowercased on one side only, for metrics that heed case."""

    what = "texts without capitals on one side only"
    remedy = "lowercase both sides, or neither"
    concerns = "heeds_case"
    fewest_outputs = LEAST_LINES
    least = 0.4
    by_difference = True
    has = staticmethod(str.islower)


@TextCheck.register("all-capitals")
class AllCapitals(NoCapitals):
    """Finds texts that are in capitals on one side only, for metrics that heed case."""

    what = "texts in capitals on one side only"
    has = staticmethod(str.isupper)


# ---- what metrics need of letters, words and sentences ---------------------------------------------------------------


def _names(metrics: Sequence[MetricNeeds], singular: str = "", plural: str = "") -> str:
    """Returns the names of metrics, before a verb in the right number."""
    names = " and ".join(f"'{one.label}'" for one in metrics)
    return f"{names} {singular if len(metrics) == 1 else plural}".rstrip()


@TextCheck.register("script")
class Script(TextCheck):
    """Finds outputs in other scripts than their references."""

    what = "outputs in another script than the references"
    remedy = "check the language of the outputs"
    farthest = 0.4
    above = "\u02ff"

    @overrides
    def find(self, side: Texts, system: SystemTexts) -> Sequence[int]:
        ours, theirs = Counter(side.letters), Counter(system.references.letters)
        del ours["ASCII"], theirs["ASCII"], ours["SPACELESS"], theirs["SPACELESS"]
        distance = fsum([abs(ours[name] - theirs[name]) for name in sorted({*ours, *theirs})]) / 2
        if not ours or not theirs or distance < self.farthest:
            return []
        most = max(theirs, key=lambda name: theirs[name])
        letters = [Texts("outputs", [text]).letters for text in side.texts]
        return [row for row, scripts in enumerate(letters) if scripts.get(most, 0.0) < 0.5] or [0]


@TextCheck.register("no-spaces")
class NoSpaces(TextCheck):
    """Finds texts without spaces for metrics that find words at spaces."""

    concerns = "splits_at_spaces"
    sides = ("outputs", "references")
    pattern = "[\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\ua980-\ua9df]"
    above = "\u0dff"
    least_letters = 0.3
    longest = 6
    """The largest mean number of characters of the words of texts that were divided into words."""

    @overrides
    def find(self, side: Texts, system: SystemTexts) -> Sequence[int]:
        words = side.joined[:CHARACTERS_COUNTED].split() if side.letters["SPACELESS"] >= self.least_letters else []
        is_divided = sum(map(len, words)) <= self.longest * len(words)
        return [] if is_divided else [at for at, text in enumerate(side.texts) if re.search(self.pattern, text)]

    @overrides
    def described(self, side: Texts, found: Sequence[int], system: SystemTexts) -> tuple[str, str]:
        """Returns as remedies the options with which metrics score texts without spaces, or another metric."""
        metrics = self.concerned(system)
        language = "ja" if side.letters.get("KANA", 0) > 0.1 else "zh" if side.letters.get("HAN", 0) > 0.1 else ""
        options = [(one, one.spaceless_options.get(language) or one.spaceless_options.get("")) for one in metrics]
        use = " and ".join(one.with_options(option, system.form) for one, option in options if option)
        others = [one for one, option in options if not option]
        remedies = [f"use {use}"] if use else []
        remedies += [f"use 'chrf' instead of {_names(others)}"] if others else []
        return f"texts without spaces, which are one word each for {_names(metrics)}", ", and ".join(remedies)


@TextCheck.register("ascii-words")
class AsciiWords(TextCheck):
    """Finds letters that metrics ignore whose words are of ASCII letters and digits."""

    remedy = "use 'chrf' or 'autosummeng', which compare characters of any script"
    concerns = "reads_only_ascii"
    sides = ("outputs", "references")
    least_letters = 0.05

    @overrides
    def find(self, side: Texts, system: SystemTexts) -> Sequence[int]:
        if len(side.letters) == 2 or 1 - side.letters["ASCII"] < self.least_letters:
            return []
        return [at for at, text in enumerate(side.texts) if re.search(r"[^\x00-\x7f\W\d_]", text)]

    @overrides
    def described(self, side: Texts, found: Sequence[int], system: SystemTexts) -> tuple[str, str]:
        share, ignored = 1 - side.letters["ASCII"], _names(self.concerned(system), "ignores", "ignore")
        return f"letters that are not ASCII ({share:.0%} of all), which {ignored}", self.remedy


@TextCheck.register("separators")
class Separators(TextCheck):
    """Finds separators of sentences other than line breaks, for metrics whose sentences are lines."""

    concerns = "scores_separator"
    sides = ("outputs", "references")
    least = 0.1
    characters = "<[\\#|*~=_$@\u2016\u00b6\u2022"
    pattern = (
        r"""<q>|[.!?]["'\u201d\u2019)\]]*\s*((?:</?\|?[A-Za-z_]{1,12}\|?>\s*){1,2}|\[[A-Za-z_]{1,12}\]|\\n|"""
        r"""(?:[#|*~=_$@]{2,8}(?:[A-Z]{1,12}[#|*~=_$@]{2,8})?|[|\u2016\u00b6\u2022]))(?=\s*\S)"""
    )

    def _separator(self, side: Texts) -> str:
        """Returns the text that most often separates sentences; empty if few texts can have one."""
        present = side.characters & self.marks
        is_possible = sum(map(side.joined.count, present)) >= self.least * len(side.texts)
        found = re.findall(self.pattern, side.joined) if is_possible else []
        return Counter(token.strip() or "<q>" for token in found).most_common(1)[0][0] if found else ""

    @overrides
    def find(self, side: Texts, system: SystemTexts) -> Sequence[int]:
        separator = self._separator(side)
        return [at for at, text in enumerate(side.texts) if separator in text] if separator else []

    @overrides
    def described(self, side: Texts, found: Sequence[int], system: SystemTexts) -> tuple[str, str]:
        metrics, separator = self.concerned(system), self._separator(side)
        are = "is a word" if len(metrics) == 1 else "are words"
        options = " and ".join(one.with_options(f"sentences={separator}", system.form) for one in metrics)
        return f"sentences separated by '{separator}', which {are} for {_names(metrics)}", f"use {options}"


@TextCheck.register("unsplit")
class Unsplit(TextCheck):
    """Finds texts of several sentences without line breaks, for metrics whose sentences are lines."""

    concerns = "compares_lines"
    sides = ("outputs", "references")
    least = 0.5
    is_note = True
    pattern = r"[.!?][\"'\u201d\u2019)\]]*\s+[^\s<#|*~=_$@]"

    @overrides
    def find(self, side: Texts, system: SystemTexts) -> Sequence[int]:
        lines = [text if isinstance(text, str) else "\n".join(text) for text in side.given]
        has_lines = any("\n" in text.strip() for text in lines if "\n" in text)
        search = re.compile(self.pattern).search
        return [] if has_lines else [at for at, text in enumerate(side.texts) if search(text)]

    @overrides
    def described(self, side: Texts, found: Sequence[int], system: SystemTexts) -> tuple[str, str]:
        metrics = self.concerned(system)
        options = " and ".join(one.with_options("sentences=auto", system.form) for one in metrics)
        compare = _names(metrics, "compares", "compare")
        what = f"{side.side} of several sentences without line breaks, which {compare} as one sentence each"
        return what, f"to split them, use {options}; scores of texts with one sentence per line differ"


@TextCheck.register("tokenized")
class Tokenized(PatternCheck):
    """Finds outputs that look tokenized, for metrics that tokenize texts themselves; the rule is that of sacreBLEU."""

    remedy = "detokenize them, since metrics tokenize texts"
    concerns = "expects_detokenized"
    sides = ("outputs",)
    is_one_sided = False
    fewest = 100
    least = 0.0
    characters = "."
    pattern = r" \.\s*\Z"

    @overrides
    def described(self, side: Texts, found: Sequence[int], system: SystemTexts) -> tuple[str, str]:
        score = _names(self.concerned(system), "scores", "score")
        return f"outputs that end in a tokenized period (' .'), which {score} wrongly", self.remedy


@TextCheck.register("short")
class Short(TextCheck):
    """Finds outputs with fewer words than the n-grams that a metric needs."""

    remedy = "use 'chrf', or 'sent-bleu', for short outputs"
    concerns = "order"
    fewest_outputs = LEAST_LINES
    least = 0.6

    @overrides
    def find(self, side: Texts, system: SystemTexts) -> Sequence[int]:
        order = max(one.order for one in system.metrics)
        few = [at for at, text in enumerate(side.texts) if text.count(" ") < order]
        found = [at for at in few if len(side.texts[at].split()) < order]
        return [] if found and side.letters["SPACELESS"] else found

    @overrides
    def described(self, side: Texts, found: Sequence[int], system: SystemTexts) -> tuple[str, str]:
        order, need = max(one.order for one in system.metrics), _names(self.concerned(system), "needs", "need")
        return f"outputs of fewer than {order} words, without the {order}-grams that {need}", self.remedy
