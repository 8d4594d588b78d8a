"""Sparse and degenerate data through every command of a study: a defined answer or a clear error, in every format."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest
from samples import sampled

from metrics_framework.commands import analysis
from metrics_framework.reports.formats import REGISTRY as FORMATS

Run = Callable[..., Any]
Cells = tuple[Any, Any, Any]

HEADER = "instance_id,summarizer_id,rater,human,m1,m2"


def table(rows: Iterable[Sequence[object]], header: str = HEADER) -> str:
    return "\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n"


def usual(system: int, instance: int, rater: int) -> Cells:
    return (system * 7 + instance * 3 + rater) % 5, (system * 5 + instance * 2) % 7, (system * 3 + instance * 5) % 11


def grid(cells: Callable[[int, int, int], Cells], systems: int = 4, inputs: int = 5, raters: int = 2) -> str:
    return table(
        (f"i{n}", f"s{s}", f"r{r}", *cells(s, n, r))
        for s, n, r in itertools.product(range(systems), range(inputs), range(raters))
    )


def scaled(transform: Callable[[Any], object]) -> str:
    def cells(system: int, instance: int, rater: int) -> Cells:
        first, second, third = map(transform, usual(system, instance, rater))
        return first, second, third

    return grid(cells)


def row(*cells: object) -> str:
    return grid(usual) + ",".join(map(str, cells)) + "\n"


STUDIES = {  # what is degenerate: the table
    "nothing": grid(usual, inputs=6),
    "one system an input": table((f"i{n}", f"s{n % 3}", f"r{r}", *usual(1, n, r)) for n in range(8) for r in range(2)),
    "disjoint inputs": table(
        (f"i{s}{n}", f"s{s}", f"r{r}", *usual(s, n, r)) for s in range(3) for n in range(4) for r in range(2)
    ),
    "constants": grid(lambda s, n, r: (3, 3, 3)),
    "constant human": grid(lambda s, n, r: (3, *usual(s, n, r)[1:])),
    "constant metrics": grid(lambda s, n, r: (usual(s, n, r)[0], 0.1, 0.1)),
    "ties in each input": grid(lambda s, n, r: (n, n, n)),
    "ties in each system": grid(lambda s, n, r: (s, s, s)),
    "a single input": grid(usual, inputs=1),
    "a single system": grid(usual, systems=1),
    "a single output": grid(usual, systems=1, inputs=1),
    "a single row": grid(usual, systems=1, inputs=1, raters=1),
    "two systems": grid(usual, systems=2),
    "one rater": grid(usual, raters=1),
    "no human score": grid(lambda s, n, r: ("", *usual(s, n, r)[1:])),
    "NaN for human scores": grid(lambda s, n, r: ("NaN", *usual(s, n, r)[1:])),
    "NA for scores": grid(lambda s, n, r: (usual(s, n, r)[0], "NA", "None")),
    "one human score": grid(lambda s, n, r: (2 if s + n + r == 0 else "", *usual(s, n, r)[1:])),
    "never both scores": grid(lambda s, n, r: ("", 1, 2) if n % 2 else (usual(s, n, r)[0], "", "")),
    "1e300": scaled(lambda value: 1e300 * value),
    "1e-300": scaled(lambda value: 1e-300 * value),
    "1.7e308": scaled(lambda value: (-1) ** value * 1.7e308 * (1 - value / 100)),
    "1e300 and 1e-300": scaled(lambda value: 10.0 ** ((-1) ** value * 300) * (value + 1)),
    "the smallest floats": scaled(lambda value: 5e-324 * value),
    "nearly constant": scaled(lambda value: 1 + value * 2.3e-16),
    "raters who share nothing": table(
        (f"i{n}", f"s{s}", f"r{n % 2}", *usual(s, n, 0)) for s in range(4) for n in range(6)
    ),
    "a rater for each output": table(
        (f"i{n}", f"s{s}", f"r{s}{n}", *usual(s, n, 0)) for s in range(4) for n in range(6)
    ),
    "verdicts": scaled(lambda value: value % 2),
    "equal verdicts": grid(lambda s, n, r: (1, 1, 1)),
    "verdicts opposite to the judge": grid(lambda s, n, r: ((s + n) % 2, (s + n + 1) % 2, 0)),
    "few rated verdicts": grid(lambda s, n, r: ("" if n else s % 2, (s + n) % 2, 0)),
}
FAULTY = {  # what is wrong: the table, and what the message of most commands contains
    "a duplicate": (row("i0", "s0", "r0", 1, 2, 3), "in.csv:42: .*(twice|duplicate)"),
    "an empty file": ("", "in.csv: is empty"),
    "blank lines": ("\n\n", "in.csv: is empty"),
    "a header only": (HEADER + "\n", "in.csv: contains no"),
    "a header without a line end": (HEADER, "in.csv: contains no"),
    "a text for a number": (row("i9", "s0", "r0", "high", 2, 3), "in.csv.*'high'|line 42 has 'high'"),
    "an infinite number": (row("i9", "s0", "r0", "inf", 2, 3), "in.csv.*'inf'|line 42 has 'inf'"),
    "a number out of range": (row("i9", "s0", "r0", "1e999", 2, 3), "in.csv.*'1e999'|line 42 has '1e999'"),
    "a short row": (row("i9", "s0"), "in.csv:42: .* 6 fields"),
    "a long row": (row("i9", "s0", "r0", 1, 2, 3, 4), "in.csv:42: .* 6 fields"),
    "a misspelled column": (grid(usual).replace("human", "humann", 1), "did you mean 'humann'"),
    "no ids": (grid(usual).replace("instance_id", "x", 1), "in.csv:1: .*instance_id"),
    "an empty id": (row("", "s0", "r0", 1, 2, 3), "in.csv:42: .*instance_id"),
    "two columns of one name": (grid(usual).replace("m2", "m1", 1), "in.csv:1: .*'m1'"),
}
COEFFICIENTS = (
    "pearson,spearman,kendall-a,kendall-b,kendall-c,tau-23,acc-23,acc-eq,kendall-like,pairwise-accuracy,"
    "spa,spa:normal,pdp"
)
LEVELS = "--level input,system,global,within-system"
JSON = "--output-file r.json"
DRAWS = f"--resamples 60 {JSON}"
PICTURES = (
    "--plot p.svg --system-level-output-plot s.svg --global-output-plot g.svg --forest-plot f.svg "
    "--p-value-plot v.svg --rank-plot r.svg --epsilon-plot e.svg --report p.html"
)
METHODS = "bootstrap-inputs bootstrap-systems bootstrap-both bca-systems jackknife-inputs jackknife-systems"
TESTS = "inputs systems both cells bootstrap-inputs bootstrap-systems"
SIMPLE = f"correlate in.csv --metric m1 --human human {LEVELS} --coefficient pearson,kendall-b,acc-eq"
TESTED = "correlate in.csv --metric m1 --metric m2 --human human --ci none"
STAT_SIG = f"stat-sig-test in.csv --dependent-metric human --metric-A m1 --metric-B m2 {JSON} --test-method"
JUDGE = f"judge in.csv --rating human --judge m1 {JSON}"
ESTIMATE = f"estimate in.csv --rating human --judge m1 {JSON}"
COMPARE = f"compare in.csv --score human --trials 50 {DRAWS}"
COMMANDS = [
    f"correlate in.csv --metrics m1 human {JSON}",
    f"correlate in.csv --metric m1 --metric m2 --human human --coefficient {COEFFICIENTS} {LEVELS} --test {DRAWS}",
    f"correlate in.csv --metric m1 --metric m2 --human human --coefficient pearson,acc-eq --test {DRAWS} {PICTURES}",
    f"correlate in.csv --metric m1 --human human --humans-as-metrics --aggregate zscore-mean --partial m2 {JSON}",
    f"correlate in.csv --metric m1 --human human --slice summarizer_id --cluster instance_id {JSON}",
    f"correlate in.csv --metric m1 --human human --epsilon 0.5 --coefficient acc-eq {JSON}",
    f"correlate in.csv --metric m1 --human human --ci fisher {JSON}",
    *(f"{SIMPLE} --ci {method} {JSON if 'jackknife' in method else DRAWS}" for method in METHODS.split()),
    f"{SIMPLE.replace('system,', '', 1)} --ci bca-inputs {DRAWS}",
    *(
        f"{TESTED} {DRAWS} {LEVELS} --coefficient pearson,spearman,kendall-b,acc-eq --test {test}"
        for test in TESTS.split()
    ),
    f"{TESTED} {JSON} --level system --coefficient pearson --test williams",
    *(f"{STAT_SIG} {test} --resamples 60" for test in ("permutation-both", "permutation-input", "bootstrap-both")),
    *(f"{STAT_SIG} {test}" for test in ("williams", "williams --definition sacrerouge")),
    f"{STAT_SIG} bootstrap-both --resamples 60 --definition sacrerouge",
    f"agreement in.csv --rating human --statistic all --pairwise --by summarizer_id --plan 3,10 {JSON}",
    f"agreement in.csv --rating human --weights nominal,ordinal,interval --cluster instance_id {JSON}",
    f"agreement in.csv --rating human --labels --statistic krippendorff,gwet,fleiss,cohen {JSON}",
    JUDGE,
    *(f"{JUDGE} --judge m2 --min-units 2 --scoring {scoring}" for scoring in ("accuracy", "neg_rmse", "ranks")),
    f"{JUDGE} --cluster instance_id --min-units 1 --text m2",
    f"{JUDGE} --min-units 1 --jury m2 --forest-plot f.svg --report p.html",
    f"{ESTIMATE} --judge m2",
    f"{ESTIMATE} --tuning clipped --cluster instance_id",
    f"{ESTIMATE} --tuning 1 --baseline s0",
    f"{ESTIMATE} --pass-fail",
    f"{ESTIMATE} --judge m2 --cluster instance_id --forest-plot f.svg --report p.html",
    f"plan mean in.csv --rating human --half-width 0.5 --simulations 5 {JSON} --plot p.svg",
    f"plan difference in.csv --rating human --inputs 5 20 --raters 1 --difference 1 --simulations 5 {JSON}",
    f"plan estimate in.csv --rating human --judge m1 --judged 30 --half-width 0.5 --simulations 5 {JSON}",
    f"plan alt-test in.csv --rating human --judge m1 --inputs 30 --raters 2 --simulations 5 {JSON}",
    f"{COMPARE} --score m1",
    f"{COMPARE} --ci bca --test bootstrap --plot p.svg",
    f"{COMPARE} --ci studentized --test paired-ar --baseline s0",
    f"compare in.csv --score human --trials 50 {JSON} --ci jackknife --test paired-bs --baseline s0",
    f"{COMPARE} --cluster instance_id",
]
PAIRS = (("x", "y"), ("x", "z"), ("y", "z"))
VOTE_HEADER = "input,system_a,system_b,winner,rater,length_a,length_b,subset"


def votes(*rows: Sequence[object]) -> str:
    return table([(*one, "all") for one in rows], VOTE_HEADER)


def ballots(winner: Callable[[int], str], lengths: Callable[[int], tuple[object, object]], pairs: Any = PAIRS) -> str:
    return votes(
        *((f"i{n}", *pair, winner(n + k), f"r{n % 2}", *lengths(n)) for n in range(6) for k, pair in enumerate(pairs))
    )


def in_turn(number: int) -> str:
    return ("model_a", "model_b", "tie")[number % 3]


VOTES = {
    "nothing": ballots(in_turn, lambda n: (10 + n, 12)),
    "two groups": ballots(in_turn, lambda n: (10 + n, 12), (("x", "y"), ("z", "w"))),
    "ties only": ballots(lambda number: "tie", lambda n: (10 + n, 12)),
    "the first always wins": ballots(lambda number: "model_a", lambda n: (10 + n, 12)),
    "one vote": votes(("i", "x", "y", "model_a", "r", 1, 2)),
    "one tie": votes(("i", "x", "y", "tie", "r", 1, 2)),
    "a vote for neither": votes(("i", "x", "y", "w", "r", 1, 2)),
    "a vote on one system": votes(("i", "x", "x", "model_a", "r", 1, 2)),
    "no winner": votes(("i", "x", "y", "", "r", 1, 2)),
    "NA for a winner": votes(("i", "x", "y", "NA", "r", 1, 2)),
    "an empty name": votes(("i", "", "y", "model_b", "r", 1, 2)),
    "equal lengths": ballots(in_turn, lambda n: (10, 10)),
    "lengths of 0": ballots(in_turn, lambda n: (0, 0)),
    "lengths near the largest float": ballots(in_turn, lambda n: (1.7e308 * (1 - n / 10), 1.6e308)),
    "negative lengths": ballots(in_turn, lambda n: (-n, n)),
    "text for lengths": ballots(in_turn, lambda n: ("long", n)),
    "NaN for lengths": ballots(in_turn, lambda n: ("NaN", n)),
    "an empty file": "",
    "a header only": VOTE_HEADER + "\n",
    "a short row": VOTE_HEADER + "\ni,x,y\n",
    "a misspelled column": ballots(in_turn, lambda n: (1, 2)).replace("winner", "winer"),
}
PREFER = [
    f"prefer in.csv {JSON} --plot p.svg --rank-plot r.svg",
    f"prefer in.csv {JSON} --covariate length --strength-scale arena --plot p.svg",
    f"prefer in.csv {JSON} --ridge 1 --cluster rater --show pairs --rank-plot r.svg",
    f"prefer in.csv {JSON} --cluster none --inconsistent drop",
    f"prefer in.csv {JSON} --against in.csv --subset subset",
    f"prefer in.csv {JSON} --against in.csv --show agreement --inconsistent keep",
]
UNDEFINED = re.compile(r"(?<![\w-])nan(?![\w-])")
MARKUP_VALUE = re.compile(r'(?:points|d|x|y|cx|cy|r|width|height|x1|x2|y1|y2)="[^"]*\b(?:nan|inf)\b')


def check_run(fw: Run, command: str, text: str) -> Any:
    """Runs a command on a table, and checks all that it writes."""
    for path in Path().iterdir():
        if path.is_file():
            path.unlink()
    Path("in.csv").write_text(text, encoding="utf-8")
    done = fw(*command.split())
    assert not re.search("Traceback|Warning:", done.err), done.err
    if done.code:
        assert re.search("^fw: error: ", done.err, re.MULTILINE), done.err
        assert not done.out
        return done
    result = json.loads(Path("r.json").read_text(encoding="utf-8"), parse_constant=lambda name: pytest.fail(name))
    assert result
    assert not UNDEFINED.search(done.out), done.out
    for path in (*Path().glob("*.svg"), *Path().glob("*.html")):
        found = MARKUP_VALUE.search(path.read_text(encoding="utf-8"))
        assert not found, (path, found)
    return done


def check_studies(fw: Run, command: str, kinds: Iterable[str]) -> None:
    for why in kinds:
        done = check_run(fw, command, STUDIES[why])
        if why == "nothing" and "--pass-fail" not in command:
            assert done.code == 0 or "30 units" in done.err, done.err


@pytest.mark.parametrize("number", sampled(range(len(COMMANDS)), 12))
def test_one_degenerate_study_has_a_defined_result_or_a_clear_error(number: int, fw: Run) -> None:
    kinds = list(STUDIES)
    check_studies(fw, COMMANDS[number], [kinds[number % len(kinds)]])


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_all_degenerate_studies_have_defined_results_or_clear_errors(command: str, fw: Run) -> None:
    check_studies(fw, command, STUDIES)


@pytest.mark.parametrize("why", FAULTY)
def test_faulty_tables_are_named_with_file_and_line(why: str, fw: Run) -> None:
    text, message = FAULTY[why]
    for command in (COMMANDS[0], f"agreement in.csv --rating human {JSON}", JUDGE):
        done = check_run(fw, command, text)
        assert done.code in (1, 2), command
        assert re.search(message, done.err), done.err


@pytest.mark.parametrize("command", sampled(PREFER))
def test_degenerate_votes_have_defined_strengths_or_clear_errors(command: str, fw: Run) -> None:
    for why, text in VOTES.items():
        done = check_run(fw, command, text)
        if why == "nothing":
            assert done.code == 0, done.err


@pytest.fixture
def printed(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The results that commands print."""
    results: list[Any] = []
    print_as_usual = analysis._print

    def print_and_keep(arguments: Any, result: Any, has_data: bool) -> None:
        results.append(result)
        print_as_usual(arguments, result, has_data)

    monkeypatch.setattr(analysis, "_print", print_and_keep)
    return results


FORMATTED = {
    **dict.fromkeys((COMMANDS[6], f"{JUDGE} --min-units 1", ESTIMATE, COMPARE, COMMANDS[1]), STUDIES),
    **{command: STUDIES for command in COMMANDS if command.startswith(("agreement", "stat-sig"))},
    **dict.fromkeys(PREFER, VOTES),
}
UNDEFINED_IN = {
    "correlate": ("constants", "a single system", "a single input", "raters who share nothing", "two systems"),
    "prefer": ("two groups", "ties only", "one tie"),
}


@pytest.mark.parametrize("command", sampled(FORMATTED, 2))
def test_undefined_values_are_words_in_every_format(command: str, fw: Run, printed: list[Any]) -> None:
    for why in UNDEFINED_IN["prefer" if FORMATTED[command] is VOTES else "correlate"]:
        check_run(fw, command, FORMATTED[command][why])
    assert printed
    for result, name in itertools.product(printed, FORMATS.names()):
        text = result.table(name)
        assert text
        assert not UNDEFINED.search(text), (name, text)
