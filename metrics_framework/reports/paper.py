r"""What a paper says about a run: a paragraph for the methods section, tables and BibTeX, as LaTeX.

Every clause follows from the signatures and the options of the run. What these do not contain is a visible ``\TODO{}``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain, compress, pairwise
from types import MappingProxyType
from typing import Any, TypeAlias

from metrics_framework.common.errors import FwError, counted
from metrics_framework.evaluation.autorank import AUTORANK
from metrics_framework.evaluation.gate import GateStudy
from metrics_framework.evaluation.profiles.profile import Profile
from metrics_framework.evaluation.score_comparison import ComparedPair, CompareSettings, ScoreComparison, ScoredSystems
from metrics_framework.evaluation.system_scores import Evaluation, ScoreKind
from metrics_framework.meta_evaluation.choices import AVERAGED, Level
from metrics_framework.meta_evaluation.coefficients.lookup import load_coefficient
from metrics_framework.meta_evaluation.correlate import answers
from metrics_framework.meta_evaluation.correlate.correlation import Correlation
from metrics_framework.meta_evaluation.correlate.data import SENTINELS
from metrics_framework.meta_evaluation.correlate.request import MEAN, NONE
from metrics_framework.meta_evaluation.correlate.study import CorrelationStudy
from metrics_framework.metrics import REGISTRY as METRICS
from metrics_framework.metrics.base.metric import Metric
from metrics_framework.reports import citations
from metrics_framework.reports.comparison import coverage
from metrics_framework.reports.correlation_notes import CORRECTIONS, RESAMPLED, units_resampled
from metrics_framework.reports.formats.latex import Latex
from metrics_framework.reports.gate import cells_of, level_of, sentence, unpaired_of
from metrics_framework.reports.numbers import NONE as NO_NUMBER
from metrics_framework.reports.numbers import (
    bounds,
    described_ranks,
    interval,
    number,
    p_equation,
    p_value,
    percent,
    rank_text,
    span,
)
from metrics_framework.reports.score_table import TableLayout, headings_of, places
from metrics_framework.significance.multiple_testing import SEPARATED, is_significant
from metrics_framework.significance.resampling import METHOD_NAMES, TEST_NAMES
from metrics_framework.version import __version__

START = "% Methods of a paper, tables and BibTeX: needs the packages booktabs, natbib and url"
"""The first line of the file."""
MAX_PAIRS = 10
"""With more pairs of systems, the text counts the significant differences instead of listing all."""
MAX_NUMBERS = 4
"""The number of scores or coefficients of a table beside its column of systems or metrics."""
DIGITS = 2
_BOLD = "; bold: significantly better than the next"
_FIELDS = {
    "variant": "{} variant",
    "tok": "{} tokens",
    "deletion": "deletion {}",
    "smooth": "{} smoothing",
    "metrics": "of {}",
    "intervals": "{} intervals",
    "order": "n-grams up to {}",
    "nc": "character n-grams up to {}",
    "nw": "word n-grams up to {}",
    "beta": "β {}",
    "alpha": "α {}",
    "measures": "ROUGE-{}",
    "types": "{}",
    "refs-by": "{} over references",
    "mean": "{} mean",
}
"""Field of signatures to the words for its value; other fields are written as they are."""
_SWITCHES = {
    "eff": "effective order",
    "space": "whitespace",
    "stem": "stemming",
    "stop": "removal of stop words",
    "norm": "normalization",
    "punct": "punctuation",
    "asian": "segmentation of Asian scripts",
}
"""Field of signatures that is yes or no to the noun for it."""
_VALUES = {
    **{f"{field}:yes": f"with {noun}" for field, noun in _SWITCHES.items()},
    **{f"{field}:no": f"without {noun}" for field, noun in _SWITCHES.items()},
    "case:lc": "lower-cased",
    "case:mixed": "case-sensitive",
    "tok:none": "not tokenized",
    "nw:0": "no word n-grams",
}
_NAMES = {"easse": "EASSE", "f1": "F1", "hf": "Hugging Face", "t2t": "Tensor2Tensor"}
_SAID_ELSEWHERE = {"refs", "fw", "def", "bs", "ar", "par", "pbs", "bootstrap", "seed", "draw", "level", "ci", "macro"}
"""The fields that other clauses are about."""
_COMPARED_BY = {
    **{name: f"permuting {units}" for name, units in RESAMPLED.items()},
    **{f"bootstrap-{name}": f"resampling {units}" for name, units in RESAMPLED.items()},
    "cells": "permuting single outputs",
    "williams": "Williams' test",
}
_Methods: TypeAlias = "tuple[Mapping[str, str], int, Sequence[str], Sequence[str]]"
"""Metric to its signature, the number of inputs, and sentences on methods and on what was found."""
_text = Latex().text


def _todo(what: str) -> str:
    return rf"\TODO{{{_text(what)}}}"


def _joined(parts: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(parts[:-1]), *parts[-1:]]))


def _cell(text: str, is_best: bool = False) -> str:
    """Returns a number with what follows it as LaTeX, the number in bold if it is the best."""
    value, space, rest = (re.sub(r"(?<![\w-])-(?=\d)", "$-$", _text(part)) for part in text.partition(" "))
    return (rf"\textbf{{{value}}}" if is_best else value) + space + rest


class _Paper:
    """The parts of the file: sentences and tables, as LaTeX, and the entries of what the sentences cite."""

    def __init__(self) -> None:
        self.sentences: list[str] = []
        self.tables: list[str] = []
        self.scores: dict[tuple[str, str], dict[str, tuple[str, str, str, str]]] = {}
        self.entries: dict[str, str] = {}

    def cite(self, name: str, command: str = "citealp") -> str:
        """Returns the citation of what has a name; ``nocite`` for an entry that the text does not mention."""
        try:
            bibtex = citations.citation_of(name)
        except FwError:  # a file has no citation
            bibtex = ""
        found = citations.entries_of(bibtex)
        self.entries |= found
        if not found:
            problem = ", whose BibTeX has no author" * bool(bibtex)
            return "" if command == "nocite" else _todo(f"citation of {name}{problem}")
        return rf"\{command}{{{','.join(found)}}}"

    def add_table(self, header: Sequence[str], rows: Sequence[Sequence[str]], caption: str, label: str) -> None:
        """Adds a floating table of cells that are LaTeX."""
        table = Latex().table([*map(_text, header)], rows, left=1)
        self.tables.append(Latex().floating(table, f"{caption}.", "tab:" + re.sub(r"\W+", "-", label).strip("-")))

    def written(self) -> str:
        """Returns the file."""
        todo = r"\providecommand{\TODO}[1]{\textbf{[TODO: #1]}}"
        parts = [START, todo, " ".join(self.sentences), *self.tables, citations.ENTRIES, *self.entries.values()]
        return citations.sealed("\n\n".join(parts))

    def metrics(self, signatures: Mapping[str, str]) -> tuple[str, str]:
        """Returns metrics with their references, and the clause on the program, given their signatures."""
        fields = [_fields(signature) for signature in signatures.values()]
        counts = [of.get("refs", "") for of in fields]
        listed = [_joined(n.replace("-", "--").split("/")) for n in counts]
        refs = [f" against {n} reference{'s' * (n != '1')}" * bool(n) for n in listed]
        parts = [
            self.metric(label, signature) + (own if own != after else "")
            for (label, signature), own, after in zip(signatures.items(), refs, [*refs[1:], ""], strict=True)
        ]
        versions = _joined([*dict.fromkeys(of["fw"] for of in fields if "fw" in of)]) or __version__
        known = dict.fromkeys(filter(None, signatures.values()))
        written = "; ".join(_text(one).replace(r"\textbar{}", r"|\allowbreak{}") for one in known)
        stated = rf" (signature{'s' * (len(known) > 1)}: \texttt{{{written}}})" if known else ""
        return _joined(parts), f"by fw {_text(versions)}{self.cite('fw', 'nocite')}{stated}"

    def metric(self, label: str, signature: str) -> str:
        """Returns a metric with its citation and what its signature says of it."""
        name = signature.partition("|")[0]
        if name not in (*METRICS.names(), AUTORANK):
            return f"{_text(label)} ({_todo(f'what {label} measures, and its citation')})"
        said = [
            _VALUES.get(f"{key}:{value}") or _FIELDS.get(key, f"{key}: {{}}").format(_NAMES.get(value, value))
            for key, value in _fields(signature).items()
            if key not in _SAID_ELSEWHERE
        ]
        return f"{_title(name)} ({'; '.join([self.cite(name), *([_text(', '.join(said))] if said else [])])})"

    def report(self, signatures: Mapping[str, str], settings: CompareSettings | None) -> tuple[str, str]:
        """Returns which metrics are reported, and with which intervals, by which program."""
        described, program = self.metrics(signatures)
        intervals = ""
        if settings is not None and settings.resampling.method != "none":
            drawn = settings.resampling
            kind = f"{METHOD_NAMES[drawn.method]} intervals"
            how = f" {_draws(drawn.resamples, drawn.seed)}" if drawn.draws_intervals else ""
            intervals = f", with {_text(percent(drawn.level))} {kind} over {_inputs(settings)}{how}"
        return described, f"{intervals}, {program}"

    def add_sets(self, sets: Mapping[str, _Methods], settings: CompareSettings | None) -> None:
        """Adds the methods of test sets, once for all with the same metrics, what was found on each, and the tables.

        A table has all test sets, and up to four scores if there are no rules between systems.

        Args:
            sets: Test set to its signatures, the number of its inputs, sentences on methods and on what was found.
            settings: How intervals were computed; `None` without them.
        """
        groups: dict[str, list[str]] = {}
        for test_set, (signatures, *_) in sets.items():
            parts = {label: [part.partition(":")[0] for part in of.split("|")] for label, of in signatures.items()}
            groups.setdefault(str(parts), []).append(test_set)
        for names in groups.values():
            listed = {label: _either([sets[name][0][label] for name in names]) for label in sets[names[0]][0]}
            described, how = self.report(listed, settings)
            counts = [sets[name][1] for name in names]
            inputs = f"{_joined([*map(str, counts)])} input{'s' * (counts != [1])}"
            self.sentences.append(f"We report {described} on {inputs}{how}.")
            self.add_data(*names)
            for said in ({name: sets[name][2] for name in names}, {name: sets[name][3] for name in names}):
                shared = [one for one in said[names[0]] if all(one in of for of in said.values())]
                self.sentences += shared
                own = {name: " ".join(one for one in of if one not in shared) for name, of in said.items()}
                self.sentences += [f"On {_text(name)}: {text}" for name, text in own.items() if text]
        drawn, shown = settings and settings.resampling, [*dict.fromkeys(name for name, _ in self.scores)]
        intervals = f"{percent(drawn.level)} interval" if drawn and drawn.method != "none" else ""
        last = "rank" if settings is None or settings.baseline is None else "p"
        size = 1 if settings is not None and settings.ranking == SEPARATED else MAX_NUMBERS
        for start in range(0, len(shown), size):
            self._add_scores_of(shown[start : start + size], intervals, last)

    def add_data(self, *test_sets: str) -> None:
        """Adds what is known about the data."""
        named = [
            f"{_text(one)} ({self.cite(one)})" if one else _todo("name and citation of the data") for one in test_sets
        ]
        self.sentences.append(f"The data are {_joined(named)}.")

    def test(self, pairs: int, inputs: Collection[int], settings: CompareSettings) -> str:
        """Returns how differences of systems were tested.

        Args:
            pairs: The number of pairs of a score.
            inputs: The numbers of inputs, or clusters, on which they were tested.
            settings: The test, its correction, and the system that others were compared with.
        """
        drawn, is_exact = settings.resampling, all(settings.resampling.enumerates(count) for count in inputs)
        name = TEST_NAMES[drawn.test]
        test = f"{'' if name.startswith('sacre') else 'an exact ' if is_exact else 'a '}{name}"
        test += self.cite(drawn.test, "nocite")
        test += "" if is_exact else f" {_draws(drawn.number_of_trials, drawn.seed, 'trials')}"
        which = f"for {'all ' * (pairs > 1)}{counted(pairs, 'pair')}"
        if settings.baseline is not None:
            which = f"between {_text(settings.baseline)} and {counted(pairs, 'other system')}"
        said = (
            f"Differences were tested {which} with {test}, which speaks of other {_inputs(settings)} for these systems"
        )
        if pairs > 1:
            is_corrected = settings.correction != NONE
            how = f"corrected by {self.cite(settings.correction, 'citet')}" if is_corrected else "not corrected"
            said += f"; p-values are {how}{' for the tests of each score' * is_corrected}"
        return f"{said}."

    def add_scores(
        self,
        name: str,
        score: ScoreKind | ScoredSystems,
        rows: Mapping[str, tuple[str, float, Any, str]],
        better: Collection[tuple[str, str]],
        test_set: str,
        names: Mapping[str, str] = MappingProxyType({}),
        rules: Collection[str] = (),
    ) -> None:
        """Adds the scores of systems on a test set, for the tables.

        Args:
            name: The score.
            score: Its direction, and whether it is a ratio.
            rows: System to outputs, score, interval, and rank or p-value, which may be empty.
            better: Pairs of a system and one that differs significantly from it.
            test_set: The test set; empty if it is unknown.
            names: System to its name in the table, if it is another one.
            rules: The systems after a rule.
        """
        digits, sign = places(score), -1 if score.higher_is_better else 1
        ranked = sorted((one for one in rows if not math.isnan(rows[one][1])), key=lambda one: sign * rows[one][1])
        best = ranked[0] if score.higher_is_better is not None and tuple(ranked[:2]) in better else None
        self.scores[name, test_set] = {
            r"\midrule " * (system in rules) + _text(names.get(system, system)): (
                outputs,
                _cell(number(value, digits), system == best),
                _cell(bounds(ends.lower, ends.upper, digits).removesuffix(NO_NUMBER)) if ends else "",
                _cell(end),
            )
            for system, (outputs, value, ends, end) in rows.items()
        }

    def _add_scores_of(self, names: Sequence[str], intervals: str, last: str) -> None:
        """Adds the table of scores on all test sets.

        Args:
            names: One score, whose outputs, interval, and rank or p-value have columns, or several.
            intervals: What intervals are called; empty without them.
            last: What ranks or p-values are called.
        """
        found = {where: cells for where, cells in self.scores.items() if where[0] in names}
        sets, titles = [*dict.fromkeys(test_set for _, test_set in found)], [*map(_title, names)]
        last *= any(end for cells in found.values() for *_, end in cells.values())
        details = ["outputs", titles[0], intervals, last]
        header = ["system", *(titles if len(names) > 1 else filter(None, details))]
        rows: list[list[str]] = []
        for test_set in sets:
            columns = [found.get((name, test_set), {}) for name in names]
            above = rf"\multicolumn{{{len(header)}}}{{l}}{{\emph{{{_text(test_set)}}}}} \\"
            above = r"\midrule " * bool(rows) + f"{above}\n" if len(sets) > 1 else ""
            for system in dict.fromkeys(chain.from_iterable(columns)):
                values = [cells.get(system, ("", _text(NO_NUMBER), "", "")) for cells in columns]
                alone = [value or _text(NO_NUMBER) for value in compress(values[0], details)]
                rows.append(
                    [above + system, *([_together(*value[1:]) for value in values] if len(names) > 1 else alone)]
                )
                above = ""
        where = _joined([_text(test_set) or _todo("test set") for test_set in sets])
        marks = f" with {intervals}s" * bool(intervals) + f"; superscript: {last}" * bool(last)
        caption = f"{_text(_joined(titles))} on {where}{_text(marks) * (len(names) > 1)}"
        caption += _BOLD * (r"\textbf" in str(rows))
        self.add_table(header, rows, caption, "-".join([*names, *sets]))


def _together(score: str, ends: str, last: str) -> str:
    """Returns a score with its interval, and its rank or p-value as a superscript."""
    ends = rf" {{\footnotesize {ends}}}" * bool(ends)
    return score + ends + rf"\textsuperscript{{{last}}}" * last[-1:].isdigit()


def _title(name: str) -> str:
    """Returns the name of a metric as its documentation spells it, and that of another score as it is.

    >>> [_title(name) for name in ("sari", "chrf", "ter", "bertscore", "sari_add")]
    ['SARI', 'chrF', 'TER', 'BERTScore', 'sari_add']
    """
    if name not in METRICS.names():
        return "AutoRank" if name == AUTORANK else name
    first = (Metric.by_name(name).__doc__ or "").partition("\n")[0]
    spelled = (word for word in re.findall(r"\w+", first) if word.casefold() == name)
    return next(spelled, name.upper() if len(name) <= 4 else name)


def _either(signatures: Sequence[str]) -> str:
    """Returns the signatures of a metric for several data as one; values that differ are listed in order.

    >>> _either(["ter|refs:3|fw:1", "ter|refs:2|fw:1"])
    'ter|refs:3/2|fw:1'
    """
    found = []
    for values in zip(*(signature.split("|") for signature in signatures), strict=True):
        several = f"{values[0].partition(':')[0]}:{'/'.join(value.partition(':')[2] for value in values)}"
        found.append(several if len({*values}) > 1 else values[0])
    return "|".join(found)


def _fields(signature: str) -> dict[str, str]:
    return dict(field.split(":", 1) for field in signature.split("|")[1:] if ":" in field)


def _inputs(settings: CompareSettings) -> str:
    return "inputs" if settings.cluster is None else f"inputs in clusters ({_text(settings.cluster)})"


def _undefined(name: str, count: int) -> list[str]:
    """Returns the sentence that a score is undefined for some outputs, if it is for any."""
    return [f"{_text(name)} is undefined for {counted(count, 'output')}, which means leave out."] * bool(count)


def _draws(count: int, seed: int, what: str = "resamples") -> str:
    return f"({count:,} {what}, seed {seed})"


def evaluation_paper(sets: Mapping[str, Evaluation], scores: Sequence[str] = (), profile: Profile | None = None) -> str:
    """Writes what a paper says about the scores of systems.

    Args:
        sets: Test set to the scores of systems on it; an empty name is unknown.
        scores: The scores that have a table, by flat names or headings of the profile; by default the main scores.
        profile: The profile, if there is one.

    Raises:
        UnknownNameError: if there is no score of a name.
    """
    paper, said, settings = _Paper(), dict[str, _Methods](), None
    conditions = [{*(found.rows.get("where") or [])} for found in sets.values()]
    for test_set, found in sets.items():
        confidence = found.confidence
        tested = None if confidence is None else confidence.significance
        if confidence is not None:
            settings = CompareSettings(confidence.resampling, baseline=None if tested is None else tested.baseline)
        values = found.metrics.flatten()
        headings = headings_of(found, profile if scores else None, TableLayout(scores))
        shown = [name for name in headings if not isinstance(values[name], (list, str))]
        metrics = {found.kinds[name].metric for name in shown}
        signatures = {name: of for name, of in found.signature.items() if name in metrics}
        methods = []
        if tested is not None and settings is not None and tested.inputs:
            methods.append(paper.test(len(tested.inputs), tested.numbers_of_inputs, settings))
        where = [one for one in found.rows.get("where") or [] if all(one in others for others in conditions)]
        own = [f"Only rows with {_text(', '.join(where))} are used."] * bool(where)
        own += [sentence for name in shown for sentence in _undefined(name, found.undefined.get(name, 0))]
        said[test_set] = signatures or found.signature, found.num_instances, methods, own
        for name in shown:
            _add_evaluation(paper, found, name, test_set)
    paper.add_sets(said, settings)
    return paper.written()


def _add_evaluation(paper: _Paper, found: Evaluation, name: str, test_set: str) -> None:
    confidence, p_values = found.confidence, dict[str, Any]()
    better: set[tuple[str, str]] = set()
    if confidence is not None and (tested := confidence.significance) is not None:
        p_values = {system: of.get(name, math.nan) for system, of in tested.adjusted.items()}
        different = [one for one, p in p_values.items() if is_significant(p, confidence.resampling.alpha)]
        better = {pair for one in different for pair in ((one, tested.baseline), (tested.baseline, one))}
    rows = {}
    for system, scores in found.systems.items():
        ends = None if confidence is None else confidence.systems[system].get(name)
        p = p_value(p_values[system]) if system in p_values else "baseline" * bool(p_values)
        rows[system] = str(found.num_outputs[system]), scores.flatten()[name], ends, p
    paper.add_scores(name, found.kinds[name], rows, better, test_set)


def comparison_paper(sets: Mapping[str, tuple[Sequence[ScoreComparison], int]], settings: CompareSettings) -> str:
    """Writes what a paper says about compared systems.

    Args:
        sets: Test set to one comparison per score, and the number of inputs; an empty name is unknown.
        settings: How the systems were compared.
    """
    paper, said = _Paper(), dict[str, _Methods]()
    for test_set, (comparisons, inputs) in sets.items():
        pairs = [pair for one in comparisons for pair in one.pairs]
        first = {one.score.signature or one.score.name: one.score for one in reversed(comparisons)}
        signatures = {score.name: score.signature or "" for score in reversed(first.values())}
        methods = [*_averages(comparisons, settings)]
        if pairs:
            most = max(len(one.pairs) for one in comparisons)
            methods += [paper.test(most, {pair.clusters for pair in pairs}, settings), *_ranks(comparisons, settings)]
        said[test_set] = signatures, inputs, methods, [text for one in comparisons for text in _outcomes(one)]
        for one in comparisons:
            _add_comparison(paper, one, settings, test_set)
    paper.add_sets(said, settings)
    return paper.written()


def _averages(comparisons: Sequence[ScoreComparison], settings: CompareSettings) -> Iterator[str]:
    """Yields sentences on what the scores of systems are means of, and which systems are people."""
    if settings.macro is not None:
        column = _text(settings.macro)
        yield f"The score of a system is the mean over the values of {column} of its scores on their inputs."
    for one in comparisons:
        if covered := coverage(one):
            score = _text(_title(one.score.name))
            yield f"Systems have {score} for {_text(covered)}; pairs are compared on the inputs of both."
    if humans := sorted(set[str]().union(*(one.score.humans for one in comparisons))):
        yield f"The outputs of {_joined([*map(_text, humans)])} are by people."


def _ranks(comparisons: Sequence[ScoreComparison], settings: CompareSettings) -> Iterator[str]:
    """Yields what ranges of ranks and rules of tables mean."""
    if settings.ranking == SEPARATED and settings.baseline is None:
        yield f"Ranks are ranges: {described_ranks(settings.ranking, 'system')}."
        ranks = [one.rank for comparison in comparisons for one in comparison.systems]
        if any(rank is not None and rank.cluster > 1 for rank in ranks):
            yield "Each system above a rule is significantly better than all systems below it."


def gate_paper(study: GateStudy, test_set: str) -> str:
    """Writes what a paper says about the verdicts on a new run.

    Args:
        study: The verdicts.
        test_set: The test set; empty if it is unknown.
    """
    from metrics_framework.significance.non_inferiority import CITATIONS, FLIPS

    paper, scores, request = _Paper(), study.scores, study.request
    described, program = paper.metrics({one.metric: one.signature or "" for one in scores})
    named = zip(request.runs, ("new", "old"), strict=True)
    runs = [f"the {run} run" if name == run else f"{_text(name)} ({run})" for name, run in named]
    counts = [one.inputs for one in scores]
    units = f"{span(min(counts), max(counts))} inputs"
    units += "" if request.clusters is None else f" in clusters ({_text(request.clusters)})"
    paper.sentences.append(f"We compare {' with '.join(runs)} by {described} on {units}, {program}.")
    for one in scores:
        for label, lacking in unpaired_of(one, study):
            how = "have the worst score" if label == "worst score" else "are left out"
            paper.sentences.append(f"Inputs that lack {_text(_title(one.metric))} {how}: {lacking}.")
    paper.add_data(test_set)
    tests = []
    for method in dict.fromkeys(one.method for one in scores):
        cited = "; ".join(paper.cite(name) for name in CITATIONS if name in method.casefold())
        tests.append(f"{_text(method)}{f' ({cited})' if cited else ''}")
    said = rf"Differences were tested one-sided at $\alpha$ = {request.alpha:g} by {_joined(tests)}"
    if any("flips" in one.method for one in scores):
        said += f" (signs are flipped in at most {FLIPS:,} ways, seed {request.seed})"
    if len(scores) > 1:
        said += f"; p-values of gains and of losses are corrected by {paper.cite('holm', 'citet')}"
    paper.sentences += [f"{said}.", *(f"{_text(_title(one.metric))} is {_cell(sentence(one))}." for one in scores)]
    rows = [[_text(one.metric), *map(_cell, cells_of(one))] for one in scores]
    header = ["metric", "old", "new", f"difference [{level_of(study)} interval]", "verdict"]
    paper.add_table(header, rows, f"New and old run on {_text(test_set) or _todo('test set')}", f"gate-{test_set}")
    return paper.written()


def _add_comparison(paper: _Paper, comparison: ScoreComparison, settings: CompareSettings, test_set: str) -> None:
    """Adds a score, with ranks or p-values if systems were compared and its direction is known."""
    score = comparison.score
    is_tested = bool(comparison.pairs) and (settings.baseline is not None or score.higher_is_better is not None)
    p_values = {pair.first: p_value(pair.adjusted) for pair in comparison.pairs}
    rows = {}
    for each in comparison.systems:
        untested = "baseline" if each.system == settings.baseline else NO_NUMBER
        end = rank_text(each.rank, settings.ranking) if each.rank else p_values.get(each.system, untested)
        rows[each.system] = each.count, each.score, each.interval, end if is_tested else ""
    rules = [
        after.system
        for before, after in pairwise(comparison.systems)
        if settings.ranking == SEPARATED and before.rank and after.rank and before.rank.cluster < after.rank.cluster
    ]
    names = {name: f"{name} (human)" for name in score.humans}
    pairs = comparison.pairs
    better = {(pair.winner, ({pair.first, pair.second} - {pair.winner}).pop()) for pair in pairs if pair.winner}
    paper.add_scores(score.name, score, rows, better, test_set, names, rules)


def _outcomes(comparison: ScoreComparison) -> list[str]:
    """Returns where a score is undefined, and a sentence for each pair of systems, or one for all if there are many."""
    score, pairs = comparison.score, comparison.pairs
    undefined = _undefined(score.name, sum(map(len, score.unscored.values())))
    unit = _text(_title(score.name))
    if len(pairs) > MAX_PAIRS:
        different = sum(pair.differs for pair in pairs)
        return [*undefined, f"Of {len(pairs)} pairs of systems, {different} differ significantly in {unit}."]
    return [*undefined, *(_outcome(pair, unit, places(score)) for pair in pairs)]


def _outcome(pair: ComparedPair, unit: str, digits: int) -> str:
    """Returns a sentence on a pair of systems; the difference is positive if one is better."""
    first, second = _text(pair.first), _text(pair.second)
    if math.isnan(pair.difference):
        return f"The difference of {first} and {second} in {unit} is undefined."
    ends = pair.difference, pair.interval.lower, pair.interval.upper
    if pair.winner is not None and pair.difference < 0:
        ends = -ends[0], -ends[2], -ends[1]
    p = _text(p_equation(pair.adjusted).replace("= 0.", "= ."))
    found = f"{_cell(number(ends[0], digits))} {unit} {_cell(bounds(*ends[1:], digits))}".removesuffix(" --")
    if pair.winner is None:
        return f"{first} and {second} {'' if pair.differs else 'do not '}differ significantly ({found}, {p})."
    better, worse = (first, second) if pair.winner == pair.first else (second, first)
    return f"{better} outperforms {worse} by {found}, {p}."


def correlation_paper(study: CorrelationStudy, test_set: str = "") -> str:
    """Writes what a paper says about the agreement of metrics with people.

    Args:
        study: The study.
        test_set: The data; empty if they are unknown.
    """
    paper, shown = _Paper(), answers.as_shown(study)
    signatures = {one.metric1: [*one.signatures.values(), ""][0] for one in shown.correlations}
    described, program = paper.metrics({name: of for name, of in signatures.items() if name not in SENTINELS})
    paper.sentences.append(f"We compare {described} with people, {program}.")
    paper.add_data(test_set)
    groups: dict[tuple[str, str, Level], list[answers.TaskColumn]] = {}
    for column in answers.task_columns(shown):
        groups.setdefault((column.human, column.data_set, column.level), []).append(column)
    for where, columns in groups.items():
        paper.sentences.append(_agreement(paper, shown, columns))
        paper.sentences += [one for one in _thresholds(shown, columns) if one not in paper.sentences]
        for start in range(0, len(columns), MAX_NUMBERS):
            _add_agreement(paper, columns[start : start + MAX_NUMBERS], f"{'-'.join(where)}-{start or ''}")
    return paper.written()


def _on(column: answers.TaskColumn) -> str:
    human = column.human if column.human.startswith("human") else f"human {column.human}"
    return _text(f"{human} on {column.data_set}" if column.data_set else human)


def _add_agreement(paper: _Paper, columns: Sequence[answers.TaskColumn], label: str) -> None:
    """Adds the table of metrics by some coefficients."""
    pairs = [column.metrics[:2] for column in columns]
    best = [pair[0].metric if len(pair) == 2 and pair[1].is_worse else None for pair in pairs]
    names = [one.metric for one in columns[0].metrics]
    names += [name for column in columns for name in column.estimates if name not in SENTINELS]
    rows = []
    for name in dict.fromkeys(names):
        found = [column.by_name.get(name) for column in columns]
        cells = [
            "--" if one is None else _cell(interval(one.value, one.lower, one.upper), name == of_column)
            for one, of_column in zip(found, best, strict=True)
        ]
        rows.append([_cell(next((one.label for one in found if one is not None), name)), *cells])
    caption = f"Agreement with {_on(columns[0])}, {columns[0].level} level{_BOLD * any(best)}"
    header = ["metric", *(load_coefficient(column.coefficient).title for column in columns)]
    paper.add_table(header, rows, caption, label)


def _agreement(paper: _Paper, study: CorrelationStudy, columns: Sequence[answers.TaskColumn]) -> str:
    """Returns the sentence on a rating at a level: raters, coefficients, what they count, intervals and test."""
    column = columns[0]
    results = answers.correlations_of(study, column.human, column.data_set)
    titles = [_text(load_coefficient(one.coefficient).title) for one in columns]
    named = [re.sub(r"^([A-Z][a-z]+) ", r"\1's ", title) for title in titles]
    coefficients = [title + paper.cite(one.coefficient, "nocite") for title, one in zip(named, columns, strict=True)]
    sentence = f"Agreement with {_on(column)} ({_raters(paper, study, column)}) is {_joined(coefficients)}"
    sentence += f" at the {column.level} level ({_points(results, column.level)}){_intervals(study, columns)}"
    compared = next((one.comparison for one in columns if one.comparison is not None), None)
    if compared is not None:
        test = answers.AnswerTest.of(compared.found)
        by = f"{_COMPARED_BY.get(test.test, _text(test.test))}{', one-sided' * (test.sides == 1)}"
        sentence += f"; metrics were compared by {by}{paper.cite(test.test, 'nocite')}"
        if test.correction == NONE:
            sentence += ", not corrected"
        elif test.pairs > 1:
            corrected = f"{CORRECTIONS[test.correction]}-corrected{paper.cite(test.correction, 'nocite')}"
            sentence += f", {corrected} over {test.pairs} pairs"
    return f"{sentence}."


def _thresholds(study: CorrelationStudy, columns: Sequence[answers.TaskColumn]) -> Iterator[str]:
    """Yields sentences on which outputs are good, and how thresholds and ε were chosen."""
    request, human = study.request, columns[0].human
    chosen: dict[tuple[str, str], list[str]] = {}
    has_good_outputs = False
    for column in columns:
        details = next((dict(one.details) for one in column.estimates.values()), {})
        has_good_outputs |= "always_good" in details
        what, how = "threshold of {}, from which on a metric calls outputs good", ""
        if fitted := details.get("score_thresholds"):
            how = f"cross-fitted over {len(fitted)} folds of {units_resampled('inputs', request)}"
        elif "score_threshold" in details:
            how = "fitted on other data" if request.threshold is None else f"{request.threshold:g}, as given"
        elif "epsilon_source" in details:
            what, how = "ε of {}, up to which scores of a metric are ties", details["epsilon_source"]
        elif "threshold" in details:
            what, how = "threshold of {}, from which on human scores differ", f"{details['threshold']:g}"
        if how:
            chosen.setdefault((what, how), []).append(load_coefficient(column.coefficient).title)
    results = answers.correlations_of(study, human, columns[0].data_set)
    least = _fields(next((one.signatures[human] for one in results if human in one.signatures), "")).get("error-free")
    if has_good_outputs and least is not None:
        marked = "and at most half of their raters mark an error"
        yield f"Outputs are good, or free of errors, if their mean score is at least {float(least):g} {marked}."
    elif has_good_outputs:
        yield f"Outputs are good if {_text(human)} is above {request.good_above:g}."
    for (what, how), titles in chosen.items():
        yield _text(f"The {what.format(_joined(titles))}, is {how}.")


def _raters(paper: _Paper, study: CorrelationStudy, column: answers.TaskColumn) -> str:
    """Returns whose ratings a human score is the mean of, and how well they agree."""
    from metrics_framework.meta_evaluation.rater_agreement.agreement_coefficients import coefficient_of

    where = column.data_set, column.human
    ceiling = next((one for one in study.ceilings if (one.data_set, one.human) == where), None)
    if ceiling is None:
        return _todo("raters per output, and their agreement, as of fw agreement")
    counts = sorted({int(count) for count in ceiling.ratings.counts if count})
    alpha = coefficient_of(ceiling.ratings.values, "krippendorff").value()
    raters = f"{span(counts[0], counts[-1])}{f' of {ceiling.num_raters}' * (counts != [ceiling.num_raters])} raters"
    raters = raters if study.request.aggregate == MEAN else f"z-scores of {raters}"
    return _text(f"mean of {raters}, Krippendorff's α = {number(alpha, DIGITS)}") + paper.cite("krippendorff", "nocite")


def _points(results: Sequence[Correlation], level: Level) -> str:
    """Returns what a level counts, and why some of it is left out."""
    used = sorted(one.levels[level].points for one in results)
    systems = max(len(one.matrix.systems) for one in results)
    unit, member, total = "system", "input", systems
    if level not in AVERAGED:
        return _text(
            f"{span(used[0], used[-1])} " + ("systems" * (level == "system") or f"outputs of {systems} systems")
        )
    if level == "input":
        unit, member, total = "input", "system", max(len(one.matrix.inputs) for one in results)
    if used[0] == total:
        return counted(total, unit)
    reasons = {f"one_{member}": f"have one {member}", "too_small": "have too few outputs", "constant": "are constant"}
    details = [one.levels[level].details for one in results]
    why = [text for key, text in reasons.items() if any(of.get(f"num_groups_{key}") for of in details)]
    left_out = span(total - used[-1], total - used[0])
    return _text(f"{span(used[0], used[-1])} of {total} {unit}s; {left_out} {' or '.join(why)}")


def _intervals(study: CorrelationStudy, columns: Sequence[answers.TaskColumn]) -> str:
    """Returns the clause on intervals; empty without any."""
    request, clauses = study.request, []
    estimates = [one for column in columns for one in column.estimates.values() if one.lower is not None]
    for method in dict.fromkeys(one.interval_method for one in estimates):
        kind, _, resampled = method.partition("-")
        name = {"bootstrap": "percentile bootstrap", "bca": "BCa bootstrap"}.get(kind, kind)
        drawn = "" if kind == "jackknife" else f" {_draws(request.drawn, request.seed)}"
        over = f"{name} interval over {_text(units_resampled(resampled, request))}{drawn}"
        clauses.append("interval by Fisher's transformation" if kind == "fisher" else over)
    tails = "" if request.two_tailed else " one-tailed"
    return (
        f", {_text(percent(request.confidence / 100))}{tails} {_joined([*dict.fromkeys(clauses)])}" if clauses else ""
    )
