from __future__ import annotations

import copy
import pickle
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest
from messages import ARE_LISTED_BY

from metrics_framework.common.errors import (
    CallError,
    DataError,
    DataErrors,
    DownloadError,
    EndpointError,
    FwError,
    GateError,
    IdleOptionError,
    InputError,
    ListName,
    MissingExtraError,
    OutputError,
    PluginError,
    Problems,
    ProcessError,
    ProgramError,
    RegistrationError,
    UnknownChoiceError,
    UnknownNameError,
    UnreachableError,
    UsageError,
    advice,
)
from metrics_framework.common.installation import install_extra
from metrics_framework.data.metrics_dict import UndefinedScoresError
from metrics_framework.language_models.language_model import UnansweredRequestsError
from metrics_framework.meta_evaluation.prefer.strengths import UndeterminedError
from metrics_framework.meta_evaluation.prefer.votes import UnclearWinnerError
from metrics_framework.metrics import REGISTRY
from metrics_framework.metrics.base.metric import load
from metrics_framework.metrics.base.other_metrics import answer
from metrics_framework.text.sentences import NoPunktData

HOSTILE = "a\x1b[2J\nfw: wrote scores\u202e \ud800"
ESCAPED = "a\\x1b[2J\\nfw: wrote scores\\u202e \\ud800"
KNOWN_METRICS = ["ter", "sari", "bleu"]
MESSAGES = [  # error, message, why
    (UsageError(HOSTILE), ESCAPED, "a line of a message stays a line"),
    (UsageError(HOSTILE, "fw: see fw --help"), f"{ESCAPED}\nfw: see fw --help", "a message may have several"),
    (UnknownNameError("metric", HOSTILE, ["a"]), f"unknown metric '{ESCAPED}'. Known: a.", "a name"),
    (DataError("is odd", HOSTILE, 3), f"{ESCAPED}:3: is odd", "a file name"),
    (DataErrors([DataError(HOSTILE), DataError("is odd")]), f"{ESCAPED}\nis odd", "one line per problem"),
    (InputError(HOSTILE), ESCAPED, "from Python too"),
    (DataError("is odd", "x.jsonl", 3), "x.jsonl:3: is odd", "the place as far as it is known"),
    (DataError("is odd", "x.jsonl", None), "x.jsonl: is odd", "without a line"),
    (DataError("is odd", None, None), "is odd", "without a path"),
    (
        UnknownNameError("metric", "sarri", KNOWN_METRICS),
        "unknown metric 'sarri'; did you mean 'sari'? Known: bleu, sari, ter.",
        "one letter too many",
    ),
    (UnknownNameError("metric", "xyz", KNOWN_METRICS), "unknown metric 'xyz'. Known: bleu, sari, ter.", "not near"),
    (UnknownNameError("metric", "x", [], "Install one."), "unknown metric 'x'. Install one.", "none is known"),
    (
        MissingExtraError("reading 'x'", "zstandard", "zst"),
        f"reading 'x' needs the package 'zstandard', which is not installed; install it with: {install_extra('zst')}",
        "how to install it",
    ),
]


@pytest.mark.parametrize(("error", "message", "why"), MESSAGES)
def test_a_message_controls_no_terminal_and_has_no_lines_of_others(error: FwError, message: str, why: str):
    assert str(error) == message, why
    assert str(pickle.loads(pickle.dumps(error))) == message, why


def test_no_problem_raises_nothing_and_one_problem_is_raised_as_it_is():
    problem = DataError("is odd", "x", 1)
    problems = Problems()
    problems.raise_any()
    assert len(problems) == 0
    problems.add(problem)
    with pytest.raises(DataError) as caught:
        problems.raise_any()
    assert caught.value is problem
    problems.add(DataErrors([DataError("second"), DataError("third")]))
    assert len(problems) == 3


COUNTS = [  # number of problems, lines of the message, last line
    (20, 20, "x:20: is odd in 20"),
    (21, 21, "… and 1 more problem"),
    (45, 21, "… and 25 more problems"),
]


@pytest.mark.parametrize(("count", "lines", "last"), COUNTS)
def test_twenty_problems_are_shown_and_the_rest_counted(count: int, lines: int, last: str):
    problems = Problems()
    for line in range(1, count + 1):
        problems.add(DataError(f"is odd in {line}", "x", line))
    shown = str(caught_of(problems)).split("\n")
    assert len(shown) == lines
    assert (shown[0], shown[-1]) == ("x:1: is odd in 1", last)


REPEATED = [  # file, lines with the same problem, message
    ("x.jsonl", [1, 2, 3], "x.jsonl:1: is odd\nx.jsonl:2: is odd\nx.jsonl:3: is odd"),
    ("x.jsonl", [1, 2, 3, 4], "x.jsonl:1, 2, 3 and 1 more line: is odd"),
    ("x2", range(7, 2007), "x2:7, 8, 9 and 1,997 more lines: is odd"),
    ("x.parquet", range(1, 6), "x.parquet:row 1, 2, 3 and 2 more rows: is odd"),
    (ListName("rows"), range(1, 6), "rows[0], 1, 2 and 2 more entries: is odd"),
]


@pytest.mark.parametrize(("path", "lines", "message"), REPEATED)
def test_a_problem_that_repeats_is_listed_once_with_its_first_lines(path: str, lines: Sequence[int], message: str):
    problems, again = Problems(), Problems()
    for line in lines:
        problems.add(DataError("is odd", path, line))
        again.add(DataError("is odd", path, line))
    assert len(problems) == len(lines)
    again.add(caught_of(problems))
    for raised in map(caught_of, (problems, again)):
        assert (str(raised), raised.count) == (message, len(lines))
        assert [problem.line for problem in raised.problems] == list(lines)[:3]
        assert str(pickle.loads(pickle.dumps(raised))) == message


def test_other_problems_are_listed_separately_among_one_that_repeats():
    problems = Problems()
    for line in range(1, 101):
        problems.add(DataError("is odd", "x", line))
        if line % 40 == 0:
            problems.add(DataError("is even", "x", line))
            problems.add(DataError("is odd", "y", line))
    lines = ["x:1, 2, 3 and 97 more lines: is odd", "x:40: is even", "x:80: is even", "y:40: is odd", "y:80: is odd"]
    assert str(caught_of(problems)) == "\n".join(lines)
    assert len(problems) == 104


def test_more_than_twenty_different_problems_are_counted_with_their_repetitions():
    problems = Problems()
    for line in range(1, 201):
        problems.add(DataError(f"is odd in {line % 25}", "x", line))
    shown = str(caught_of(problems)).split("\n")
    assert len(problems) == 200
    assert shown[0] == "x:1, 26, 51 and 5 more lines: is odd in 1"
    assert len(shown) == 21
    assert shown[-1] == "… and 40 more problems"


def caught_of(problems: Problems) -> DataErrors:
    with pytest.raises(DataErrors) as caught:
        problems.raise_any()
    return caught.value


def every_kind(kind: type[FwError] = FwError) -> list[type[FwError]]:
    return [kind, *(one for below in kind.__subclasses__() for one in every_kind(below))]


BUILT: list[tuple[FwError, tuple[type, ...], int]] = [  # an error of each kind, its other bases, its exit code
    (FwError("is odd"), (), 1),
    (UsageError("is odd"), (), 2),
    (UnknownNameError("metric", "sarii", ["sari", "ter"], "Look again."), (UsageError,), 2),
    (UnknownChoiceError("variant", "eassy", ["easse", "hf"]), (UsageError,), 2),
    (IdleOptionError("'seed' acts only with a bootstrap"), (UsageError, InputError), 2),
    (UndeterminedError("is odd"), (), 1),
    (UnansweredRequestsError("wrote requests"), (), 0),
    (DataError("is odd", "x.jsonl", 3), (), 1),
    (UnclearWinnerError("is odd", "x.jsonl", 3), (DataError,), 1),
    (DataErrors([DataError("is odd", "x.jsonl", n) for n in range(25)], 40), (DataError,), 1),
    (InputError("is odd"), (ValueError,), 1),
    (CallError("is odd"), (InputError, TypeError), 1),
    (DownloadError("is odd"), (), 1),
    (UnreachableError("is odd"), (DownloadError,), 1),
    (RegistrationError("is odd"), (), 1),
    (PluginError("is odd"), (), 1),
    (EndpointError("is odd"), (), 1),
    (ProcessError("is odd"), (), 1),
    (ProgramError("is odd", "  as it says", reason="end"), (), 1),
    (OutputError("is odd", index=3), (), 1),
    (UndefinedScoresError(["odd"], 3), (), 1),
    (GateError(4, "a: undecided", "b: worse"), (), 4),
    (MissingExtraError("this", "zstandard", "zst"), (), 1),
    (NoPunktData(["a/nltk_data"]), (), 2),
]


def state(error: FwError) -> dict[str, object]:
    return {name: list(map(str, one)) if name == "problems" else one for name, one in vars(error).items()}


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_every_error_has_its_bases_and_exit_code_and_survives_pickling(protocol: int):
    ours = {kind for kind in every_kind() if kind.__module__.startswith("metrics_framework.")}
    assert ours == {type(error) for error, *_ in BUILT}
    for error, bases, exit_code in BUILT:
        kind = type(error)
        assert all(issubclass(kind, base) for base in (FwError, *bases))
        assert error.exit_code == exit_code
        for found in (pickle.loads(pickle.dumps(error, protocol)), copy.copy(error), copy.deepcopy(error)):
            assert type(found) is kind
            assert (str(found), found.args, state(found)) == (str(error), error.args, state(error))
            assert found.exit_code == exit_code
            with pytest.raises(kind):
                raise found


def test_an_error_with_a_constructor_of_its_own_comes_back_from_another_process():
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        error = pool.submit(load, "sarii").exception()
    assert type(error) is UnknownNameError
    assert str(error).startswith("unknown metric 'sarii'; did you mean 'sari'?")


KNOWN = ["bleu", "chrf", "sari", "sent-bleu", "ter", "token-f1"]
ADVICE = [  # name, advice, why
    ("BLEU", "; did you mean 'bleu'?", "another case"),
    ("Sent_Bleu", "; did you mean 'sent-bleu'?", "another case and an underscore"),
    ("sent bleu", "; name them one at a time: 'sent-bleu', 'bleu'", "several names, as a list with a space"),
    ("sari,bleu", "; name them one at a time: 'sari', 'bleu'", "a list"),
    ("SARI, ter;chrF", "; name them one at a time: 'sari', 'ter', 'chrf'", "a list with other separators"),
    ("tok", "; did you mean 'token-f1'?", "the beginning of a name"),
    ("sarri", "; did you mean 'sari'?", "a letter too many"),
    ("qqq", "", "nothing is similar"),
    ("sari,qqq", "; did you mean 'sari'?", "one part is unknown"),
    ("tre", "; did you mean 'ter'?", "two letters in another order"),
    ("seg", "", "no reading of it is known"),
    ("", "", "nothing"),
]


@pytest.mark.parametrize(("name", "expected", "why"), ADVICE)
def test_advice_ignores_case_and_splits_lists(name: str, expected: str, why: str) -> None:
    assert advice(name, KNOWN) == expected, why


def test_an_empty_name_is_not_among_the_listed_choices() -> None:
    assert str(UnknownChoiceError("preset", "x", ["", "wmt"])) == "'preset' must be one of wmt, got 'x'"


def test_a_name_that_differs_in_case_or_underscores_is_taken_with_a_warning():
    with pytest.warns(UserWarning, match="'EASSE_Paper' is read as 'easse-paper'") as caught:
        assert load("sari", variant="EASSE_Paper").variant == "easse-paper"
    assert caught[0].filename == __file__
    with pytest.raises(UnknownChoiceError, match=r"got 'easse-papr'; did you mean 'easse-paper'\?"):
        load("sari", variant="easse-papr")


ELSEWHERE = ["lens", "bleurt", "cider", "gleu", "LENS"]


@pytest.mark.parametrize("name", ELSEWHERE)
def test_a_metric_of_other_programs_is_answered_with_what_is_true_of_it(name: str) -> None:
    with pytest.raises(UnknownNameError) as caught:
        load(name)
    message = str(caught.value)
    assert message.startswith(f"unknown metric '{name}': ")
    assert "fw does not include" in message or "is not part of fw" in message
    assert "fw correlate and fw report --scores-files read the scores of other programs" in message
    assert "did you mean" not in message
    assert message.endswith(f"{ARE_LISTED_BY} fw list metrics")
    for program in ("APES", "BEwT-E", "PyrEval", "s3", "Sum-QE"):
        with pytest.raises(UnknownNameError, match="'external' runs it, 'precomputed' reads its scores"):
            load(program)


HERE = {  # other names of each metric
    "bleu": ["sacrebleu"],
    "fkgl": ["Flesch"],
    "rouge": ["python-rouge"],
    "simetrix": ["JSD"],
    "comet": ["xCOMET", "CometKiwi"],
}


@pytest.mark.parametrize("metric", HERE)
def test_another_name_of_a_metric_suggests_the_metric(metric: str) -> None:
    for name in HERE[metric]:
        with pytest.raises(UnknownNameError, match=rf"unknown metric '.*': did you mean '{metric}'"):
            load(name)
    assert metric in REGISTRY.names()
    assert not [name for name in REGISTRY.names(aliases=True) if answer(name)], "said to be elsewhere"


def test_a_problem_that_differs_in_ids_and_values_only_is_one_line() -> None:
    values = [
        DataError(f"'x' must be a number, got {value}; use --labels", "f", line)
        for line, value in enumerate("abcde", 2)
    ]
    assert str(DataErrors(values)) == "f:2, 3, 4 and 2 more lines: 'x' must be a number, got a; use --labels"
    missing = [DataError(f"has no row for instance '{number}' of system 'a'", "f") for number in range(9)]
    assert str(DataErrors(missing)) == "f: has no row for instance '0' of system 'a' (and 8 more)"
    fields = [DataError(f"'{name}' is missing", "f", 1) for name in "abcde"]
    assert len(str(DataErrors(fields)).splitlines()) == 5
