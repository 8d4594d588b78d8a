"""The checks: texts beside other texts, what tools and models leave in texts, and what metrics need of texts."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from math import fsum
from operator import eq, itemgetter
from typing import ClassVar, TypeAlias

from metrics_framework.common.overriding import overrides
from metrics_framework.inputs.checks import (
    CHARACTERS_COUNTED,
    LEAST_LINES,
    Finding,
    MetricNeeds,
    SystemTexts,
    TextCheck,
    Texts,
)
from metrics_framework.inputs.texts import SINGLE_WORDS, WRAP, are_single_words

# ---- texts beside other texts: which are equal, shifted, empty, or begin alike ---------------------------------------

Lines: TypeAlias = Sequence[str | None]


@TextCheck.register("equal-lines")
class EqualLines(TextCheck):
    """Finds lists of texts of which nearly all lines equal those of another: one file or content in two roles.

    The text of an output of type ``reference`` may be among the references of other systems, but not of this output.
    """

    least = 0.9

    @overrides
    def of_system(self, system: SystemTexts) -> Iterator[Finding]:
        outputs = system.outputs
        sources: list[tuple[str, Lines]] = [("the sources", system.sources.texts)] if system.sources.texts else []
        named: list[tuple[str, Lines]] = [
            (f"reference {number}", texts) for number, texts in enumerate(system.reference_sets, 1)
        ]
        others = sources if system.type == "reference" else sources + named
        pairs: list[tuple[str, Lines, str, Lines, str]] = [
            ("outputs", outputs.texts, *other, "check which file is given as outputs") for other in others
        ]
        for before, one in enumerate(named):
            pairs += [(*one, *other, "leave one of them out of the references") for other in sources + named[:before]]
        for earlier in system.earlier:
            if earlier.outputs.texts == outputs.texts:
                other = f"those of '{earlier.name}'", earlier.outputs.texts
                pairs.append(("outputs", outputs.texts, *other, "check whether one file has two names"))
        least = max(LEAST_LINES, self.least * len(outputs.texts))
        for name, texts, other_name, lines, remedy in pairs:
            if sum(map(eq, texts, lines)) < least:
                continue
            equal = [row for row, text in enumerate(texts) if text is not None and text == lines[row]]
            if len(equal) >= least:
                side = outputs if name == "outputs" else Texts("references", [text or "" for text in texts])
                yield system.finding(f"{name} equal to {other_name}", side, equal, remedy)
        lists = zip(outputs.texts, system.references_list, strict=True) if system.type == "reference" else ()
        own = [row for row, (text, references) in enumerate(lists) if text in references]
        if own:
            what = "outputs of type 'reference' with their own text among their references, which inflates scores"
            yield system.finding(what, outputs, own, "remove it from these references")


@TextCheck.register("single-words")
class SingleWords(TextCheck):
    """Finds a reference that was split, so that its words or characters are the references of an output."""

    sets: ClassVar[int] = 2

    @overrides
    def of_system(self, system: SystemTexts) -> Iterator[Finding]:
        if are_single_words(system.outputs.texts, system.references_list):
            yield system.finding(SINGLE_WORDS, system.references, range(len(system.references.texts)), WRAP)


@TextCheck.register("begins-with-source")
class BeginsWithSource(TextCheck):
    """Finds outputs of models that repeat their prompt."""

    sides = ("sources",)
    fewest = 2
    least = 0.1
    longer = 1.2
    least_words = 3

    @overrides
    def of_system(self, system: SystemTexts) -> Iterator[Finding]:
        found = [
            row
            for row, (output, source) in enumerate(zip(system.outputs.texts, system.sources.texts, strict=True))
            if output.startswith(source)
            and len(output) >= self.longer * len(source)
            and len(source.split(None, self.least_words)) >= self.least_words
        ]
        if len(found) >= max(self.fewest, self.least * len(system.places)):
            remedy = "remove the source from the start of each output"
            yield system.finding("outputs that begin with their source", system.outputs, found, remedy)


@TextCheck.register("begins-with-number")
class BeginsWithNumber(TextCheck):
    """Finds outputs that begin with the number of their line, or with ``H-`` and a number, as fairseq writes them."""

    fewest = LEAST_LINES
    least = 0.3

    @overrides
    def of_system(self, system: SystemTexts) -> Iterator[Finding]:
        number = re.compile(r"(H-)?\W{0,2}(\d+)(?!\d)").match
        matches = enumerate(map(number, system.outputs.texts))
        found = [row for row, match in matches if match and (match[1] or match[2] in (str(row), str(row + 1)))]
        if len(found) >= max(self.fewest, self.least * len(system.places)):
            remedy = "remove it, and check that the outputs are in the order of their inputs"
            yield system.finding("outputs that begin with the number of their line", system.outputs, found, remedy)


@TextCheck.register("shifted")
class Shifted(TextCheck):
    """Finds outputs that are more similar to the references, or else sources, of other lines than to their own.

    The similarity of two texts is the Dice coefficient of their words, or of their character bigrams if they have no
    spaces. Its mean over all lines, the second half and the last quarter is compared with that of the lines one or two
    before or after. A line that is missing shifts all lines after it, so the last lines are enough.
    """

    fewest = 8
    most = 600
    least = 0.05
    similar = 0.5
    """The mean similarity from which lines are certain not to be shifted."""

    @overrides
    def of_system(self, system: SystemTexts) -> Iterator[Finding]:
        outputs = system.outputs.texts[-self.most :]
        others = (system.reference_sets[0] if system.reference_sets else system.sources.texts)[-self.most :]
        if not others:
            return
        has_spaces = system.outputs.joined.count(" ") * 20 > len(system.outputs.joined)
        length = len(outputs)
        for step in (4, 1):  # some lines are enough to see that lines are similar
            ours, theirs = (
                [{*text.split()} if has_spaces else {*map(str.__add__, text, text[1:])} for text in map(str, texts)]
                for texts in (outputs[::-step], others[::-step])
            )
            of_lines = zip(ours, theirs, strict=True)
            aligned = [2 * len(one & other) / max(1, len(one) + len(other)) for one, other in of_lines]
            parts = [aligned[: max(1, len(aligned) // part)] for part in (1, 2, 4)]
            if all(fsum(part) >= self.similar * len(part) for part in parts):
                return
        ours, theirs = ours[::-1], theirs[::-1]
        similarities: dict[int, list[float]] = {}
        for first in (0, length // 2, length - length // 4):
            for by in (0, -2, -1, 1, 2):
                if by not in similarities:
                    pairs = ((ours[row], theirs[row + by]) for row in range(max(0, -by), min(length, length - by)))
                    dice = [2 * len(one & other) / max(1, len(one) + len(other)) for one, other in pairs]
                    similarities[by] = [0.0] * max(0, -by) + dice + [0.0] * max(0, by)
                aligned, rows = similarities[0], range(max(first, -by), min(length, length - by))
                better = [row for row in rows if similarities[by][row] > aligned[row]]
                gain = fsum(similarities[by][row] - aligned[row] for row in rows)
                if better and gain >= self.least * len(rows):
                    side = "references" if system.reference_sets else "sources"
                    where = f"{abs(by)} line{'s' * (abs(by) > 1)} {'later' if by > 0 else 'before'}"
                    what = f"outputs more similar to the {side} {where} than to their own"
                    shifted = [len(system.places) - length + row for row in better]
                    yield system.finding(what, system.outputs, shifted, "look for a line that is missing or extra")
                    return


class _CommonPart(TextCheck):
    """Base class of checks for a part that many outputs share, but not the references, or else the sources."""

    fewest: ClassVar[int] = 10
    least: ClassVar[float] = 0.2
    characters: ClassVar[int] = 12
    part: ClassVar[slice]
    where: ClassVar[str]

    @overrides
    def of_system(self, system: SystemTexts) -> Iterator[Finding]:
        outputs, references, sources = system.outputs, system.references, system.sources
        is_whole = self.part == slice(None)
        found: list[tuple[float, str]] = []
        for one in (
            (outputs, references, sources) if is_whole else (outputs, references if references.texts else sources)
        ):
            texts = one.texts if is_whole else set(one.texts)
            part, count = Counter(map(itemgetter(self.part), texts)).most_common(1)[0] if texts else ("", 0)
            is_long = part.strip() if is_whole else len(part) == self.characters
            found.append((count / max(self.fewest, len(texts)) if is_long else 0.0, part))
            if found[0][0] < self.least:
                return
        (share, part), *of_others = found
        if max(share for share, _ in of_others) <= (share - self.least if is_whole else share / 4):
            rows = [row for row, text in enumerate(outputs.texts) if text[self.part] == part]
            what = f"outputs that {self.where} {part[:40]!r}, unlike what they are compared with"
            yield system.finding(what, outputs, rows, "check these outputs, or remove it from each")


@TextCheck.register("one-text")
class OneText(_CommonPart):
    """Finds a text that many outputs share."""

    fewest = LEAST_LINES
    least = 0.3
    part = slice(None)
    where = "are all"


@TextCheck.register("common-beginning")
class CommonBeginning(_CommonPart):
    """Finds outputs with the same first characters."""

    part = slice(12)
    where = "begin with"


@TextCheck.register("common-ending")
class CommonEnding(_CommonPart):
    """Finds outputs with the same last characters."""

    part = slice(-12, None)
    where = "end with"


@TextCheck.register("empty")
class Empty(TextCheck):
    """Finds empty outputs and sources, and outputs whose references are all empty."""

    @overrides
    def of_system(self, system: SystemTexts) -> Iterator[Finding]:
        for side in (system.outputs, system.sources, system.references):
            if all(map(str.strip, side.texts)):
                continue
            if side is system.references:
                side = Texts("lists of references", ["".join(texts) for texts in system.references_list])
            found = [row for row, text in enumerate(side.texts) if not text.strip()]
            if found:
                what = f"empty {side.side.removeprefix('lists of ')}"
                yield system.finding(what, side, found, "they are scored as texts without words")


# ---- what tools and models leave in texts, and damaged characters ----------------------------------------------------


class OneSidedCheck(TextCheck):
    """Base class of checks for something that a share of the texts of one side has, and few of the other side.

    The other side of outputs are the references, or else the sources; that of references are the outputs.

    Attributes:
        what: What is looked for; ``{}`` is replaced by an example.
        remedy: What to do.
        pattern: What is looked for, as a regular expression.
        characters: Every text that the expression matches has one of these characters. If it is empty, the expression
            matches a character that is not ASCII, or `at_start`.
        at_start: Whether the expression matches at the start of a text only.
        confirms: Functions that return whether a text that matches has it.
        least: The least share of the texts of a side.
        fewest_texts: The least number of texts of a side.
        heeds_sources: Whether sources count as well as references, because a task may keep what they have.
        other_side: The largest share of the other side, relative to this one.
        by_difference: Whether the share of the other side is smaller by `least` instead.
    """

    what: ClassVar[str]
    remedy: ClassVar[str]
    pattern: ClassVar[str]
    characters: ClassVar[str] = ""
    at_start: ClassVar[bool] = False
    confirms: ClassVar[Sequence[Callable[[str], bool]]] = ()
    least: ClassVar[float] = 0.01
    fewest_texts: ClassVar[int] = 2
    heeds_sources: ClassVar[bool] = False
    other_side: ClassVar[float] = 0.25
    by_difference: ClassVar[bool] = False

    @overrides
    def of_system(self, system: SystemTexts) -> Iterator[Finding]:
        name = self.registered_name
        compared = system.references if system.references.texts else system.sources
        shares: dict[str, float] = {}
        for side in (system.outputs, compared, *([system.sources] if self.heeds_sources else ())):
            if side is system.sources and not any(shares.values()):
                break
            present = side.characters.intersection(self.characters)
            if self.characters and not present:
                side.found[name] = []
            elif name not in side.found:  # which systems with equal references share
                rows: Sequence[int] = range(len(side.texts))
                if 0 < len(present) < 4:
                    rows = sorted({at for mark in present for at, text in enumerate(side.texts) if mark in text})
                elif not self.at_start and all(mark > "\x7f" for mark in present):
                    rows = [at for at, text in enumerate(side.texts) if not text.isascii()]
                expression = re.compile(self.pattern)
                search: Callable[[str], object] = expression.match if self.at_start else expression.search
                for has_it in (search, *self.confirms) if self.pattern else self.confirms:
                    texts = side.texts if len(rows) == len(side.texts) else [side.texts[at] for at in rows]
                    rows = [at for at, found in zip(rows, map(has_it, texts), strict=True) if found]
                side.found[name] = list(rows)
            shares[side.side] = len(side.found[name]) / max(1, len(side.texts))
        for side in (system.outputs, system.references) if any(shares.values()) else ():
            mine, share = side.found.get(name, []), shares.get(side.side, 0.0)
            other = max((share for of_side, share in shares.items() if of_side != side.side), default=0.0)
            most = share - self.least if self.by_difference else share * self.other_side
            if len(mine) >= self.fewest_texts and share >= self.least and other <= most:
                match = re.search(self.pattern, side.texts[mine[0]])
                example = match[0].strip(" ")[:40] if match else ""
                shown = f"'{example}'" if example.isprintable() else f"U+{ord(example[-1]):04X}"
                yield system.finding(self.what.format(shown), side, mine, self.remedy)


@TextCheck.register("tokens-in-brackets")
class TokensInBrackets(OneSidedCheck):
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
class Subwords(OneSidedCheck):
    """Finds the marks of subword tokenizers: BPE, SentencePiece, WordPiece, byte-level BPE, pyonmttok."""

    what = "marks of subwords such as {}"
    remedy = "decode the outputs with the tokenizer of the model"
    characters = "@\u2581#\u0120\u010a\uffed>"
    pattern = r"@@(?= |$)|\u2581|(?:^| )##\w|\w ?\u0120\w|\u010a|\uffed|</w>|@-@"


@TextCheck.register("n-best")
class NBest(OneSidedCheck):
    """Finds the fields of n-best lists of Moses."""

    what = "fields of an n-best list, which {} separates"
    remedy = "keep the best text of each input"
    characters = "|"
    pattern = r"\|\|\|"


@TextCheck.register("escapes")
class Escapes(OneSidedCheck):
    r"""Finds escape sequences in place of characters, such as ``\n`` and ``\u00e9``."""

    what = "escape sequences such as {}"
    remedy = "read the texts as JSON, which decodes them"
    characters = "\\"
    pattern = r"\\(?:[nrt](?![a-z]{2})|\"|'|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2})"


@TextCheck.register("values-as-texts")
class ValuesAsTexts(OneSidedCheck):
    """Finds objects and missing values that were written as texts, such as ``{'text': …}`` and ``nan``."""

    what = "values written as texts such as {}"
    remedy = "write the text itself, and nothing for a missing value"
    at_start = True
    pattern = (
        r"(?s)(?:None|nan|NaN|NAN|null|NULL|<NA>|undefined)\Z|<(?:generator )?[\w. ]+ at 0x|"
        r"""\s*(?:\{\s*["']\w+["']\s*:|[{\[(]\s*["'].*["'\]})]\s*[}\])]\s*\Z)"""
    )


@TextCheck.register("carriage-returns")
class CarriageReturns(OneSidedCheck):
    """Finds carriage returns, of files of another system."""

    what = "carriage returns"
    remedy = "convert the line ends of the file, as with dos2unix"
    characters = "\r"
    pattern = "\r"


@TextCheck.register("preamble")
class Preamble(OneSidedCheck):
    """Finds what language models say before or instead of an answer."""

    what = "preambles such as {}"
    remedy = "remove them, or ask the model for the text alone"
    least = 0.05
    heeds_sources = True
    at_start = True
    pattern = (
        r"(?:Sure|Certainly|Of course|Absolutely|Okay)[!,.:]|(?:Here(?: is| are|['\u2019]s)|Below is|Simplified|"
        r"The (?:simplified|translat))[^:\n]{0,80}:|I(?:['\u2019]m sorry| am sorry|['\u2019]m unable| cannot| can't)|"
        r"As an AI|(?:Translation|Summary|Answer|Output):"
    )


@TextCheck.register("markup")
class Markup(OneSidedCheck):
    """Finds Markdown."""

    what = "Markdown such as {}"
    remedy = "remove it, or ask the model for plain text"
    least = 0.1
    heeds_sources = True
    characters = "*#`]"
    pattern = r"\*\*(?=\S)|(?:^|\n) {0,3}#{1,6} (?=\S)|(?:^|\n)```|\]\((?=http)|(?:^|\n)[*] (?=\S)"


@TextCheck.register("quoted")
class Quoted(OneSidedCheck):
    """Finds texts that are wholly in quotes, as JSON and Python write them; also bytes."""

    what = "texts in quotes such as {}"
    remedy = "remove the quotes around each text"
    least = 0.2
    heeds_sources = True
    at_start = True
    characters = "\"'\u201d\u00bb\u300d`"
    pattern = (
        r"""(?s)b?".+"\Z|b?'.+'\Z|\u201c[^\u201d]+\u201d\Z|\u00ab[^\u00bb]+\u00bb\Z|\u300c[^\u300d]+\u300d\Z|`.+`\Z"""
    )


@TextCheck.register("html-entities")
class HtmlEntities(OneSidedCheck):
    """Finds characters that are escaped as in HTML or by Moses."""

    what = "HTML entities such as {}"
    remedy = "decode them, as with html.unescape of Python"
    characters = "&"
    pattern = r"&(?:[a-zA-Z]{2,8}|#\d{2,6}|#x[0-9a-fA-F]{2,5});"


@TextCheck.register("invisible-characters")
class InvisibleCharacters(OneSidedCheck):
    """Finds control characters and characters without width, except joiners in scripts that need them."""

    what = "invisible characters such as {}"
    remedy = "remove them"
    characters = (
        "".join(
            map(
                chr, [*range(9), *range(14, 32), *range(127, 160), 0xAD, *range(0x200B, 0x2010), *range(0x2028, 0x202F)]
            )
        )
        + "\u2060\u2061\u2062\u2063\u2064\ufeff\ufff9\ufffa\ufffb"
    )
    pattern = (
        "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u2028\u2029\u2060-\u2064\ufeff\ufff9-\ufffb]|"
        "(?<![\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff])\u200b|"
        "(?<=[ -\u024f])[\u200c\u200d](?![\u0590-\u1fff])|(?<=[ -\u024f])[\u200e\u200f\u202a-\u202e](?![\u0590-\u08ff])"
    )


@TextCheck.register("replacement-characters")
class ReplacementCharacters(OneSidedCheck):
    """Finds what decoders write for bytes that they cannot decode."""

    what = "characters lost in decoding (U+FFFD)"
    remedy = "read the original file in its own encoding"
    least = 0.0
    fewest_texts = 1
    other_side = 0.0
    characters = "\ufffd"
    pattern = "\ufffd"


@TextCheck.register("not-nfc")
class NotNFC(OneSidedCheck):
    """Finds accents apart from their letters, which the other side has in one character."""

    what = "texts that are not in Unicode's form NFC"
    remedy = "normalize both sides, as with unicodedata.normalize('NFC', text) of Python"
    least = 0.05
    present = "[^\x00-\u02ff\u2010-\u2027]"
    pattern = present
    confirms = (lambda text: not unicodedata.is_normalized("NFC", text),)


_BYTES_OF_UTF8 = "[\u00c2-\u00f4][^\x00-\x7f\u00c0-\u00ff]+"


def _is_utf8(text: str) -> bool:
    """Returns whether some characters of a text are the bytes of another character in UTF-8."""
    for run in re.findall(_BYTES_OF_UTF8, text):
        try:
            run.encode("cp1252").decode("utf-8")
        except UnicodeError:
            continue
        return True
    return False


@TextCheck.register("mojibake")
class Mojibake(OneSidedCheck):
    """Finds UTF-8 that was decoded as Windows-1252."""

    what = "UTF-8 decoded as Windows-1252 such as {}"
    remedy = "read the original file as UTF-8"
    least = 0.05
    characters = "".join(map(chr, range(0xC2, 0xF5)))
    pattern = _BYTES_OF_UTF8
    confirms = (_is_utf8,)


@TextCheck.register("full-width")
class FullWidth(OneSidedCheck):
    """Finds letters and digits of full width, and punctuation of full width outside of Han, kana and Hangul."""

    what = "characters of full width such as {}"
    remedy = "normalize both sides, as with unicodedata.normalize('NFKC', text) of Python"
    least = 0.2
    characters = "".join(map(chr, range(0xFF01, 0xFF5F)))
    pattern = (
        "[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a]|^[^\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]*"
        "[\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff5e](?=[^\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]*$)"
    )


# ---- what metrics need of letters, words and sentences ---------------------------------------------------------------

SPACELESS = ("HAN", "KANA", "THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN", "JAVANESE")
"""Scripts that are written without spaces between words."""


def _names(metrics: Sequence[MetricNeeds]) -> str:
    return " and ".join(f"'{one.label}'" for one in metrics)


@TextCheck.register("script")
class Script(TextCheck):
    """Finds outputs in other scripts than their references."""

    sides = ("references",)
    present = r"[^\W\d_\x00-\u02ff\u1e00-\u1eff]"  # other letters than Latin ones
    least = 0.4

    @overrides
    def of_system(self, system: SystemTexts) -> Iterator[Finding]:
        ours, theirs = (
            {name: share for name, share in side.letters.items() if name != "ASCII"}
            for side in (system.outputs, system.references)
        )
        names = sorted({*ours, *theirs})
        distance = fsum(abs(ours.get(name, 0.0) - theirs.get(name, 0.0)) for name in names) / 2
        if ours and theirs and distance >= self.least:
            most = max(theirs, key=lambda name: theirs[name])
            letters = [Texts("outputs", [text]).letters for text in system.outputs.texts]
            found = [row for row, scripts in enumerate(letters) if scripts.get(most, 0.0) < 0.5]
            what = "outputs in another script than the references"
            yield system.finding(what, system.outputs, found or [0], "check the language of the outputs")


@TextCheck.register("no-capitals")
class NoCapitals(OneSidedCheck):
    """Finds texts that are lowercased on one side only, for metrics that heed case."""

    concerns = "heeds_case"
    fewest = LEAST_LINES
    what = "texts without capitals on one side only"
    remedy = "lowercase both sides, or neither"
    least = 0.4
    by_difference = True
    at_start = True
    pattern = ""
    confirms = (str.islower,)


@TextCheck.register("all-capitals")
class AllCapitals(NoCapitals):
    """Finds texts that are in capitals on one side only, for metrics that heed case."""

    what = "texts in capitals on one side only"
    confirms = (str.isupper,)


@TextCheck.register("no-spaces")
class NoSpaces(TextCheck):
    """Finds texts without spaces for metrics that find words at spaces."""

    concerns = "splits_at_spaces"
    present = "[\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\ua980-\ua9df]"
    least = 0.3
    longest = 6
    """The largest mean number of characters of the words of texts that were divided into words."""

    @overrides
    def of_system(self, system: SystemTexts) -> Iterator[Finding]:
        for side in (system.outputs, system.references):
            if fsum(side.letters.get(name, 0.0) for name in SPACELESS) < self.least:
                continue
            words = side.joined[:CHARACTERS_COUNTED].split()
            if sum(map(len, words)) <= self.longest * len(words):
                continue
            language = "ja" if side.letters.get("KANA", 0) > 0.1 else "zh" if side.letters.get("HAN", 0) > 0.1 else ""
            found = [at for at, text in enumerate(side.texts) if re.search(self.present, text)]
            concerned = self.concerned(system)
            what = f"texts without spaces, which are one word each for {_names(concerned)}"
            yield system.finding(what, side, found, _remedies(concerned, language, system))
            return


def _remedies(metrics: Sequence[MetricNeeds], language: str, system: SystemTexts) -> str:
    """Returns the options with which metrics score texts without spaces, or another metric."""
    found = [(one, one.spaceless_options.get(language) or one.spaceless_options.get("")) for one in metrics]
    options = [one.with_options(options, system.form) for one, options in found if options]
    others = [one for one, options in found if not options]
    parts = [f"use {' and '.join(options)}"] if options else []
    if others:
        parts.append(f"use 'chrf' instead of {_names(others)}")
    return ", and ".join(parts)


@TextCheck.register("ascii-words")
class AsciiWords(TextCheck):
    """Finds letters that metrics ignore whose words are of ASCII letters and digits."""

    concerns = "reads_only_ascii"
    present = r"[^\W\d_\x00-\x7f]"
    least = 0.05

    @overrides
    def of_system(self, system: SystemTexts) -> Iterator[Finding]:
        for side in (system.outputs, system.references):
            others = 1 - side.letters["ASCII"] if len(side.letters) > 1 else 0.0
            if others >= self.least:
                concerned = self.concerned(system)
                found = [at for at, text in enumerate(side.texts) if re.search(r"[^\x00-\x7f\W\d_]", text)]
                ignore = "ignores" if len(concerned) == 1 else "ignore"
                what = f"letters that are not ASCII ({others:.0%} of all), which {_names(concerned)} {ignore}"
                remedy = "use 'chrf' or 'autosummeng', which compare characters of any script"
                yield system.finding(what, side, found, remedy)
                return


@TextCheck.register("separators")
class Separators(TextCheck):
    """Finds separators of sentences other than line breaks, for metrics whose sentences are lines."""

    concerns = "reads_lines"
    least = 0.1
    characters = "<[\\#|*~=_$@\u2016\u00b6\u2022"
    pattern = (
        r"""<q>|[.!?]["'\u201d\u2019)\]]*\s*((?:</?\|?[A-Za-z_]{1,12}\|?>\s*){1,2}|\[[A-Za-z_]{1,12}\]|\\n|"""
        r"""(?:[#|*~=_$@]{2,8}|[|\u2016\u00b6\u2022]))(?=\s*\S)"""
    )

    @overrides
    def of_system(self, system: SystemTexts) -> Iterator[Finding]:
        for side in (system.outputs, system.references):
            present = side.characters.intersection(self.characters)
            if sum(map(side.joined.count, present)) < self.least * len(side.texts):
                continue
            tokens = Counter(match.strip() or "<q>" for match in re.findall(self.pattern, side.joined))
            separator = tokens.most_common(1)[0][0] if tokens else ""
            found = [at for at, text in enumerate(side.texts) if separator and separator in text]
            if found and len(found) >= self.least * len(side.texts):
                concerned = self.concerned(system)
                are = "is a word" if len(concerned) == 1 else "are words"
                what = f"sentences separated by '{separator}', which {are} for {_names(concerned)}"
                options = " and ".join(one.with_options(f"sentences={separator}", system.form) for one in concerned)
                yield system.finding(what, side, found, f"use {options}")
                return


@TextCheck.register("short")
class Short(TextCheck):
    """Finds outputs with fewer words than the n-grams that a metric needs."""

    concerns = "order"
    fewest = LEAST_LINES
    least = 0.6

    @overrides
    def of_system(self, system: SystemTexts) -> Iterator[Finding]:
        order = max(one.order for one in system.metrics)
        found = [at for at, text in enumerate(system.outputs.texts) if len(text.split(None, order)) < order]
        if len(found) < self.least * len(system.places):
            return
        if not any(map(re.compile(NoSpaces.present).match, system.outputs.characters)):
            concerned = self.concerned(system)
            needs = "needs" if len(concerned) == 1 else "need"
            what = f"outputs of fewer than {order} words, without the {order}-grams that {_names(concerned)} {needs}"
            yield system.finding(what, system.outputs, found, "use 'chrf', or 'sent-bleu', for short outputs")
