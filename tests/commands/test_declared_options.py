"""The flags of analyses are the options that their public functions declare, and nothing else."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal

import pytest
from overrides import overrides

import metrics_framework
from metrics_framework.commands import REGISTRY as COMMANDS
from metrics_framework.commands.analysis import OTHER_OPTIONS, Analysis, InputFiles, Printable
from metrics_framework.commands.arguments import (
    NO_VALUE,
    Constant,
    Converted,
    Parser,
    Spelling,
    Without,
    default_of,
    flag_of,
    help_of,
)
from metrics_framework.commands.command import find_command
from metrics_framework.commands.scoring_command import METRIC_FLAGS
from metrics_framework.common.errors import UsageError
from metrics_framework.common.logs import Log
from metrics_framework.common.options import REQUIRED, AtLeast, Between, Form, NamesFrom, Option
from metrics_framework.meta_evaluation.judge.request import EPSILONS, MIN_UNITS

ANALYSES = [name for name in COMMANDS.names() if issubclass(COMMANDS.get(name), Analysis)]
OF_THE_RUN = {  # what every analysis does with its files and results, which a function in memory does not
    *("files", "other_files", "output_file", "format", "output", "force", "strict", "silent", "log_file"),
    *("include_packages", "help"),
}
OF_ONE_COMMAND = {  # command to its arguments that are no options, each with the parameters that it sets
    "agreement": {"raters_report": ()},
    "challenge": {"metric": ("metrics",)},
    "correlate": {"metrics": ("metrics",), "metric": ("metrics",)},
    "gate": {"against": ("old",), "cluster": ("clusters",), "github": ()},
    "plan": {"goal": ("goal",)},
    "compare": {
        "metric": ("metrics", "names"),
        **dict.fromkeys((flag.flags[-1].strip("-").replace("-", "_") for flag in METRIC_FLAGS), ("metrics",)),
        "profile": ("profile",),
        "by": ("by",),
        "cluster": ("clusters",),
        "cluster_file": ("clusters",),
        "duplicates": ("duplicates",),
        "no_checks": ("checks",),
        **dict.fromkeys(("input_files", "outputs", "dataset"), ("files", "reader")),
        **dict.fromkeys(
            (
                *("references", "dataset_reader", "sources", "documents", "num_refs", "origlang", "columns"),
                *("where", "output_columns", "column_names"),
            ),
            ("reader",),
        ),
        **dict.fromkeys(("test_set", "language_pair"), ("files", "metrics")),
    },
}


def analysis(name: str) -> tuple[Analysis, Parser]:
    """Returns a command and its parser, with all texts of the help."""
    parser, command, _ = find_command([name])
    assert isinstance(command, Analysis)
    parser.complete_help()
    return command, parser


def flags_of(parser: Parser) -> Iterator[tuple[Any, Option]]:
    yield from parser._options


def test_every_analysis_is_known() -> None:
    assert {
        "agreement",
        "challenge",
        "compare",
        "correlate",
        "estimate",
        "gate",
        "plan",
        "prefer",
        "stat-sig-test",
        "test-judge",
    } < set(ANALYSES)


@pytest.mark.parametrize("name", ANALYSES)
def test_the_declaration_is_the_public_function_of_the_same_name(name: str) -> None:
    function = "judge" if name == "test-judge" else name.replace("-", "_")  # pytest would take test_judge for a test
    assert analysis(name)[0].function() is inspect.unwrap(getattr(metrics_framework, function))


@pytest.mark.parametrize("name", ANALYSES)
def test_each_parameter_is_a_flag_or_is_set_otherwise_for_a_reason(name: str) -> None:
    command, parser = analysis(name)
    parameters = list(inspect.signature(command.function()).parameters)
    options = [option.name for _, option in flags_of(parser)]
    assert sorted([*options, *command.set_otherwise]) == sorted(parameters)
    for option in options:
        assert any(flag_of(option) in action.option_strings for action, _ in flags_of(parser))


@pytest.mark.parametrize("name", ANALYSES)
def test_the_help_of_a_flag_is_the_sentence_of_the_docstring(name: str) -> None:
    command, parser = analysis(name)
    names = {option.name for _, option in flags_of(parser)}
    for action, option in flags_of(parser):
        assert option.help, option.name
        assert action.help == help_of(option, names, command.without_value.get(option.name, NO_VALUE))
        assert "`" not in action.help
        assert option.name not in action.help.split() or "_" not in option.name, action.help


@pytest.mark.parametrize("name", ANALYSES)
def test_the_default_is_that_of_the_function_because_only_given_flags_are_passed_on(name: str) -> None:
    command, parser = analysis(name)
    parameters = inspect.signature(command.function()).parameters
    for action, option in flags_of(parser):
        assert action.default == "==SUPPRESS=="
        default = parameters[option.name].default
        assert option.default == (REQUIRED if default is inspect.Parameter.empty else default)
        stated = str(action.help).rpartition("default: ")[2].rstrip(")") if default_of(option) else ""
        assert stated == default_of(option), option.name


@pytest.mark.parametrize("name", ANALYSES)
def test_no_flag_reaches_nothing(name: str) -> None:
    command, parser = analysis(name)
    declared = {option.name for _, option in flags_of(parser)}
    own = {flag.lstrip("-").replace("-", "_") for flag in command.pictures} | set(OF_ONE_COMMAND.get(name, {}))
    for action in parser._actions:
        _, colon, option = action.dest.rpartition(":")
        reached = option in declared if colon else action.dest in OF_THE_RUN | own
        assert reached, action.option_strings
    for parameters in OF_ONE_COMMAND.get(name, {}).values():
        assert set(parameters) <= {*command.set_otherwise, *declared}


@pytest.mark.parametrize("name", ANALYSES)
def test_groups_and_spellings_name_declared_options(name: str) -> None:
    command, parser = analysis(name)
    declared = [option.name for _, option in flags_of(parser)]
    grouped = [option for options in command.groups.values() for option in options]
    assert len(set(grouped)) == len(grouped)
    assert set(grouped) <= set(declared)
    spelled = {spelling if isinstance(spelling, str) else spelling.option for spelling in command.spellings.values()}
    assert spelled <= set(declared)
    known = {flag for action in parser._actions for flag in action.option_strings}
    assert set(command.spellings) <= known


def test_the_numbers_that_a_docstring_repeats_are_those_of_the_code() -> None:
    options = {option.name: option.help for _, option in flags_of(analysis("judge")[1])}
    for kind, value in EPSILONS.items():
        assert f"``{kind}`` ({value:g})" in options["epsilon"]
    assert f"Below {MIN_UNITS}," in options["min_units"]


# ---- the mechanism, on a function that has every kind of option ------------------------------------------------------


def _known(word: str) -> str:
    names = {"one": "one", "two": "two", "zwei": "two"}
    if word not in names:
        raise UsageError(f"'kinds' must be one or two, got '{word}'")
    return names[word]


def _point(word: str) -> tuple[int, int]:
    x, y = map(int, word.split(","))
    return x, y


Kind = Annotated[str, NamesFrom(lambda: ("one", "two"), _known)]
Point = Annotated[tuple[int, int], Form("X,Y", _point, "two numbers")]


def measured(
    data: Any,
    width: int,
    *,
    kinds: Kind | Sequence[Kind] = ("one", "two"),
    points: Sequence[Point] = (),
    columns: str | Sequence[str] = (),
    shade: Literal["light", "dark"] | None = None,
    count: Annotated[int, AtLeast(2)] = 2,
    share: Annotated[float, Between(0, 1)] = 0.5,
    is_round: bool = True,
    log: Log | None = None,
) -> None:
    """Measures something.

    Args:
        data: The data.
        width: The width of ``columns``; and no more.
        kinds: The kinds.
        points: Points.
        columns: A column.
        shade: How light it is.
        count: The smallest number.
        share: The share of all.
        is_round: Whether to round off.
        log: Receives warnings.
    """


class Measure(Analysis):
    """Measures something."""

    registered_name = "measure"
    function_name = "measured"
    usage = "FILE …"
    inputs = InputFiles("FILE", "data", missing="data", flags=("--more",))
    groups: ClassVar[Mapping[str, Sequence[str]]] = {"main": ("width", "kinds")}
    spellings: ClassVar[Mapping[str, Spelling]] = {
        "--kind": "kinds",
        "-s": "share",
        "--square": Constant("is_round", False),
        "--edge": Constant("is_round", False),
        "--percent": Converted("share", "P", lambda word: float(word) / 100, "percent"),
        "--skip-one": Without("kinds", "one"),
        "--skip-two": Without("kinds", "two"),
    }
    without_value: ClassVar[Mapping[str, Any]] = {"shade": "dark", "count": NO_VALUE}
    set_otherwise = ("data", "log")

    @overrides
    def function(self) -> Callable[..., Any]:
        return measured

    @overrides
    def result(self, arguments: Any, log: Log) -> Printable:
        raise NotImplementedError


def parsed(*words: str) -> dict[str, Any]:
    """Returns the options that flags set, besides the width."""
    command = Measure()
    parser = Parser("fw measure", "fw measure FILE …", command.__doc__)
    command.add_arguments(parser)
    options = parser.parse(["--width", "3", *words]).options
    assert options.pop("width") == 3
    return dict(options)


PARSED = [  # words, options, why
    ("", {}, "nothing is passed on, so that the defaults are those of the function"),
    ("--kinds one,two --kind zwei", {"kinds": ["one", "two", "two"]}, "names, other spellings, repeated flags"),
    ("--points 1,2 3,4 --points 5,6", {"points": [(1, 2), (3, 4), (5, 6)]}, "several words, each in a form"),
    ("--columns a,b --columns c", {"columns": ["a,b", "c"]}, "names of columns may contain a comma"),
    ('--columns ["a","b"]', {"columns": ["a", "b"]}, "a JSON list"),
    ("--shade light", {"shade": "light"}, "a choice"),
    ("--shade x.csv", {"shade": "dark"}, "a flag without a value before a file"),
    ("--shade", {"shade": "dark"}, "a flag without a value"),
    ("--count", {}, "a flag without a value that keeps the default"),
    ("--count --count 5", {"count": 5}, "a flag without a value does not contradict one with a value"),
    ("--count=3", {"count": 3}, "an equals sign"),
    ("-s .25", {"share": 0.25}, "a short flag"),
    ("--percent 40", {"share": 0.4}, "another form"),
    ("--is-round", {"is_round": True}, "a Boolean flag without a value"),
    ("--is-round no", {"is_round": False}, "a Boolean value"),
    ("--is_round false", {"is_round": False}, "underscores"),
    ("--no-is-round", {"is_round": False}, "the opposite"),
    ("--square --edge", {"is_round": False}, "two names of a constant"),
    ("--skip-one", {"kinds": ["two"]}, "an item removed from the default"),
    ("--skip-one --skip-two", {"kinds": []}, "all items removed"),
    ("--kind two,one --skip-two", {"kinds": ["one"]}, "an item removed from those given"),
]


@pytest.mark.parametrize(("words", "expected", "why"), PARSED)
def test_words_become_the_values_of_options(words: str, expected: dict[str, Any], why: str) -> None:
    assert parsed(*words.split()) == expected, why


REFUSED = [  # words, part of the message
    ("--count 1", "--count: must be an integer, 2 or more, got '1'"),
    ("--share 1", "must be a number between 0 and 1, got '1'"),
    ("--share nan", "must be a number between 0 and 1, got 'nan'"),
    ("--kind three", "must be one or two, got 'three'"),
    ("--shade=lihgt", "must be one of light, dark, got 'lihgt'; did you mean 'light'?"),
    ("--points 1", "--points: must be two numbers, got '1'"),
    ("--is-round maybe", "must be true or false, got 'maybe'"),
    ("--is-round true --square", "--is-round and --square contradict each other"),
    ("--share .5 --percent 40", "--share and --percent contradict each other"),
    ("--share .5 --share .6", "--share is given twice, as '0.5' and '0.6'"),
    ("--shaer .5", "unknown flag --shaer; did you mean --share?"),
]


@pytest.mark.parametrize(("words", "message"), REFUSED)
def test_other_words_are_refused(words: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        parsed(*words.split())
    assert message in str(caught.value)


def test_an_option_without_default_is_needed() -> None:
    command, parser = Measure(), Parser("fw measure")
    command.add_arguments(parser)
    with pytest.raises(UsageError, match="--width is missing: width of columns; and no more"):
        parser.parse([])


def test_the_help_follows_from_the_declaration() -> None:
    command, parser = Measure(), Parser("fw measure", "fw measure FILE …", Measure.__doc__)
    command.add_arguments(parser)
    parser.complete_help()
    found = {action.option_strings[0]: action.help for action in parser._actions if action.option_strings}
    expected = {
        "--width": "width of --columns; and no more",
        "--kinds": "kinds (choices: one, two; default: one,two)",
        "--points": "points",
        "--columns": "column; several with spaces or commas",
        "--shade": "how light it is (without a value: dark)",
        "--count": "smallest number (default: 2)",
        "--is-round": "round off (default: true)",
        "--square": "the same as --is-round false",
        "--skip-one": "remove one from --kinds",
    }
    assert {flag: found[flag] for flag in expected} == expected
    titles = {group.title: [action.dest for action in group._group_actions] for group in parser._action_groups}
    assert "option:width" in titles["main"]
    assert "option:share" in titles[OTHER_OPTIONS], "an option in no group of the command is a flag, too"
