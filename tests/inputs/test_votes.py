"""Votes as programs and people write them: words for the winner, soft votes, both orders in a row, turns."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import metrics_framework as fw
from metrics_framework.common.errors import DataError, FwError
from metrics_framework.data.fields import turn_note
from metrics_framework.inputs.rating_rows import RatingsInMemory
from metrics_framework.meta_evaluation.prefer.votes import Vote, VoteReader, side_of_word, winner_of

Write = Callable[[str, Any], str]
pytestmark = pytest.mark.filterwarnings("ignore:the ridge pulls", "ignore:an interval from")


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write_file(name: str, content: Any) -> str:
        path = tmp_path / name
        if name.endswith(".jsonl"):
            content = "".join(json.dumps(row) + "\n" for row in content)
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return str(path)

    return write_file


WORDS = {
    "a": "a | A |  Model_A  | model a | model_1 | left | First | 1 | [[A]] | A>B | A>>B | [[a >> b]] | B<A",
    "b": "b | system_b | assistant B | generator_2 | right | second | 2 | [[B]] | B>A | b>>a | A<<B",
    "tie": "tie | Draw | equal | 0 | C | [[C]] | both | both_bad | Both good | neither | tie (bothbad) | A=B",
    None: "up | | 3 | a=a | A>A | ab | [a] | gpt_1 | tied",
}


@pytest.mark.parametrize(
    ("word", "side"), [(word, side) for side, words in WORDS.items() for word in words.split(" | ")]
)
def test_words_for_the_winner(word: str, side: str | None) -> None:
    assert side_of_word(word) == side


WINNERS = [  # word, first, second, winner, share of the first system
    ("y", "x", "y", "b", None),
    ("a", "a", "b", "a", None),
    (1, "x", "y", "a", None),
    (2.0, "x", "y", "b", None),
    ("1.5", "x", "y", "tie", None),
    (0, "x", "y", "tie", None),
    ("1.25", "x", "y", "a", 0.75),
    (1.9, "x", "y", "b", pytest.approx(0.1)),
    ("1.25", "1.25", "y", "a", None),  # the name of a system
]


@pytest.mark.parametrize(("word", "first", "second", "winner", "share"), WINNERS)
def test_a_winner_is_a_side_a_system_or_a_number(word: Any, first: str, second: str, winner: str, share: Any) -> None:
    assert winner_of(word, first, second) == (winner, share)


UNREADABLE = [  # word, first, second, in the message
    ("up", "x", "y", ["'up'", "the name of one of both systems"]),
    (3, "x", "y", ["the number 3"]),
    (0.5, "x", "y", ["0.5"]),
    (-1, "x", "y", ["-1"]),
    (True, "x", "y", ["the boolean True", "does not say which system won"]),
    ("b", "b", "c", ["'b'", "the first system", "the second system"]),
    ("1", "gpt", "1", ["'1'", "the first system", "the second system"]),
    ("C", "C", "D", ["'C'", "the first system", "a tie"]),
]


@pytest.mark.parametrize(("word", "first", "second", "parts"), UNREADABLE)
def test_other_winners_are_errors_that_name_what_they_may_mean(
    word: Any, first: str, second: str, parts: list[str]
) -> None:
    with pytest.raises(DataError, match="the winner") as caught:
        winner_of(word, first, second)
    assert all(part in str(caught.value) for part in parts)


ALPACA = [
    {"instruction": text, "output_1": "A b c.", "generator_1": "gpt4", "output_2": long, "generator_2": "ours",
     "annotator": "weighted_gpt4", "preference": preference, "dataset": "koala"}
    for text, long, preference in [("Why?", "A.", 1.75), ("How?", "A b.", 1.125), ("Who?", "A b c d.", 1.5),
                                   ("When?", "A b c d e.", 2), ("Where?", "", None), ("What?", "A", 1.25)]
]  # fmt: skip


def test_preferences_of_alpaca_eval_are_soft_votes(write: Write) -> None:
    result = fw.prefer(write("annotations.json", ALPACA))
    [ours, baseline] = result.to_records()
    assert (ours["system"], ours["wins"], ours["ties"], ours["losses"]) == ("ours", 2, 1, 2)
    assert ours["win_rate"] == pytest.approx((0.75 + 0.125 + 0.5 + 1 + 0.25) / 5)
    assert ours["win_rate"] + baseline["win_rate"] == 1
    assert (result.preferences.votes, result.preferences.inputs, result.preferences.raters) == (5, 5, 1)
    assert result.preferences.left_out == {"without a winner": 1}
    assert json.loads(result.to_json())["soft_votes"] == 3
    assert "3 soft votes, divided between both systems" in " ".join(str(result).split())
    difference = ours["strength"] - baseline["strength"]
    assert 1 / (1 + 2.718281828459045**-difference) == pytest.approx(ours["win_rate"])


def test_lengths_are_those_of_the_outputs_of_alpaca_eval(write: Write) -> None:
    [found] = json.loads(fw.prefer(write("annotations.json", ALPACA), covariates="length").to_json())["coefficients"]
    assert found["covariate"] == "length"


MT_BENCH = [
    {"question_id": 81, "model_1": "alpaca", "model_2": "vicuna", "g1_winner": g1, "g2_winner": g2,
     "judge": ["gpt-4", "pair-v2"], "turn": turn, "tstamp": 1687.5}
    for g1, g2, turn in [("model_2", "model_2", 1), ("model_1", "model_2", 2), ("tie", "error", 3)]
]  # fmt: skip


def test_both_games_of_mt_bench_name_systems_and_turns_are_separate(write: Write) -> None:
    tables = VoteReader().read([write("gpt-4_pair.jsonl", MT_BENCH)])
    assert [vote[:3] for vote in tables.votes] == [
        ("alpaca", "vicuna", "b"),
        ("vicuna", "alpaca", "a"),
        ("alpaca", "vicuna", "a"),
        ("vicuna", "alpaca", "a"),
        ("alpaca", "vicuna", "tie"),
    ]
    assert {vote.rater for vote in tables.votes} == {"gpt-4, pair-v2"}
    assert tables.notes == [turn_note("turn")]
    assert len({vote.input for vote in tables.votes}) == 3
    assert tables.left_out == {"with an error of the judge instead of a winner": 1}
    result = fw.prefer(write("gpt-4_pair.jsonl", MT_BENCH), ridge=1)
    assert (result.preferences.position.pairs, result.preferences.position.consistent) == (2, 1)
    assert result.preferences.systems["vicuna"].outcomes == [1, 0.5, 0.5]


WINNERS_AND_LOSERS = [
    ("chosen", "rejected"),
    ("better", "worse"),
    ("winner", "loser"),
    ("chosen-model", "rejected_model"),
]


@pytest.mark.parametrize(("better", "worse"), WINNERS_AND_LOSERS)
def test_the_winner_and_the_loser_may_have_a_column_each(write: Write, better: str, worse: str) -> None:
    rows = [("1", "lark", "wren"), ("2", "lark", "wren"), ("3", "wren", "lark")]
    lines = [f"prompt_id,annotator,{better},{worse},note", *(f"{one},ann,{won},{lost},x" for one, won, lost in rows)]
    tables = VoteReader().read([write("votes.csv", "\n".join(lines))])
    assert [vote[:4] for vote in tables.votes] == [
        ("lark", "wren", winner, one) for one, winner in (("1", "a"), ("2", "a"), ("3", "b"))
    ]
    assert json.loads(fw.prefer(write("votes.csv", "\n".join(lines))).to_json())["position"] is None
    with pytest.raises(DataError, match="second vote of rater 'ann' on 'lark' and 'wren' for input '1'"):
        fw.prefer(write("votes.csv", "\n".join([*lines, "1,ann,wren,lark,x"])))


TEXTS_THAT_WON: list[Any] = ["It is a very good and long answer.", [{"role": "user", "content": "Why?"}]]


@pytest.mark.parametrize("text", TEXTS_THAT_WON)
def test_texts_are_no_systems_that_won(write: Write, text: Any) -> None:
    row = {"prompt": "Why?", "chosen": text, "rejected": "No."}
    with pytest.raises(
        DataError, match=r"must name systems, got .*; call the columns of their systems chosen_model and"
    ):
        fw.prefer(write("votes.jsonl", [row]))
    systems = {"chosen_model": "lark", "rejected_model": "wren"}
    assert len(fw.prefer(write("votes.jsonl", [{**row, **systems}]), ridge=1).preferences.systems) == 2


def test_two_turns_of_a_dialogue_are_not_both_orders_of_one_vote() -> None:
    rows = [
        {"question_id": "1", "turn": turn, "model_a": first, "model_b": second, "winner": "a", "judge": "ann"}
        for turn, first, second in ((1, "x", "y"), (2, "y", "x"))
    ]
    found = fw.prefer(rows).preferences
    assert (found.votes, found.ties, found.position.pairs) == (2, 0, 0)


ARENA = [
    {"uid": "1", "category": "hard", "judge": "gpt-4.1", "model": "qwq", "baseline": "o3",
     "games": [{"score": "A>>B", "judgment": {}}, {"score": "A=B"}]},
    {"uid": "2", "category": "hard", "judge": "gpt-4.1", "model": "qwq", "baseline": "o3",
     "games": [{"score": "B>A"}, {"score": "A>>B"}]},
    {"uid": "3", "category": "easy", "judge": "gpt-4.1", "model": "qwq", "baseline": "o3",
     "games": [None, {"score": None}]},
]  # fmt: skip


def test_the_baseline_of_arena_hard_is_first_in_the_first_game_and_second_in_the_second(write: Write) -> None:
    tables = VoteReader().read([write("qwq.jsonl", ARENA)])
    assert [vote[:5] for vote in tables.votes] == [
        ("o3", "qwq", "a", "1", "gpt-4.1"),
        ("qwq", "o3", "tie", "1", "gpt-4.1"),
        ("o3", "qwq", "b", "2", "gpt-4.1"),
        ("qwq", "o3", "a", "2", "gpt-4.1"),
    ]
    assert tables.left_out == {"without a winner": 2}


def test_arena_hard_without_a_baseline_asks_for_it(write: Write) -> None:
    path = write("qwq.jsonl", [{"question_id": row["uid"], **row, "baseline": None} for row in ARENA[:2]])
    rows = [{name: cell for name, cell in row.items() if name not in ("baseline", "uid")} for row in ARENA[:2]]
    path = write("old.jsonl", [{"question_id": str(index), **row} for index, row in enumerate(rows)])
    with pytest.raises(FwError, match="baseline=NAME"):
        fw.prefer(path)
    with pytest.raises(FwError, match="baseline='NAME'"):
        fw.prefer([{"question_id": str(index), **row} for index, row in enumerate(rows)])
    assert set(fw.prefer(path, baseline="o3", ridge=1).preferences.systems) == {"o3", "qwq"}


def test_columns_and_conditions_choose_votes(write: Write) -> None:
    path = write("votes.csv", "Item,Coder,One,Two,Best,lang\n1,ann,x,y,x,de\n2,ann,x,y,y,de\n3,ann,x,y,x,fr\n")
    with pytest.raises(DataError, match=r"name it with columns=\{'first': COLUMN\}"):
        fw.prefer(path)
    found = fw.prefer(path, columns="first=One,second=Two,vote=Best", where="lang=de").preferences
    assert (found.votes, found.inputs, found.raters) == (2, 2, 1)
    assert found.left_out == {"that do not meet the conditions": 1}


def test_texts_for_a_missing_number_are_no_missing_winner(write: Write) -> None:
    path = write("votes.csv", "input,system_a,system_b,winner\n1,x,y,a\n2,x,y,None\n3,x,y,b\n4,x,y,\n")
    with pytest.raises(DataError, match="got the string 'None'") as caught:
        fw.prefer(path)
    assert caught.value.location == f"{path}:3"
    assert fw.prefer(path, missing="none").preferences.left_out == {"without a winner": 2}


def test_a_rater_votes_once_on_outputs_in_one_order(write: Write) -> None:
    path = write("votes.csv", "input,rater,system_a,system_b,winner\n1,ann,x,y,a\n1,ann,x,y,b\n1,ben,x,y,tie\n")
    with pytest.raises(DataError, match=r"second vote of rater 'ann'.*:2.*duplicates='first' or 'last'") as caught:
        fw.prefer(path)
    assert caught.value.location == f"{path}:3"
    found = {kept: VoteReader(duplicates=kept).read([path]) for kept in ("first", "last")}
    assert [[vote.winner for vote in tables.votes] for tables in found.values()] == [["a", "tie"], ["b", "tie"]]
    assert found["last"].left_out == {"with another vote by the same rater on the same outputs": 1}


CODES_OF_TWO_READINGS = [  # winners, the winner in the message, the line of it, options
    ("1 0", "winners that are 0 and 1, but never 2, do not say", 3, {}),
    ("1 tie 0", "winners that are 0 and 1, but never 2, do not say", 4, {}),
    ("1 -1 0", "the winner the string '-1' does not say", 3, {}),
    ("1 -1 0", "winners that are 0 and 1, but never 2, do not say", 4, {"missing": "-1"}),
    ("tie True False", "the winner the string 'True' does not say", 3, {}),
    ("1 0.5 0", "the winner the string '0.5' does not say", 3, {}),
    ("2 no", "the winner the string 'no' does not say", 3, {}),
]


@pytest.mark.parametrize(("words", "message", "line", "options"), CODES_OF_TWO_READINGS)
def test_codes_that_may_mean_either_system_are_refused(
    write: Write, words: str, message: str, line: int, options: dict[str, str]
) -> None:
    path = write("votes.csv", "system_a,system_b,winner\n" + "".join(f"x,y,{word}\n" for word in words.split()))
    with pytest.raises(FwError, match=message) as caught:
        fw.prefer(path, **options)
    assert f"{path}:{line}: " in str(caught.value)
    assert "which system won; write its name, A or B, or left or right, and tie for a tie" in str(caught.value)
    assert "missing" not in str(caught.value)


@pytest.mark.parametrize("words", ["1 0 2", "1 2", "0 a b", "x y 0", "A B tie", "left right tie", "1 2 1.5"])
def test_codes_of_one_reading_are_read(write: Write, words: str) -> None:
    path = write("votes.csv", "system_a,system_b,winner\n" + "".join(f"x,y,{word}\n" for word in words.split()))
    tables = VoteReader().read([path])
    assert {vote.winner for vote in tables.votes} >= {"a", "b"}
    assert not tables.warnings


def test_names_that_differ_in_spelling_only_are_reported() -> None:
    rows = [("Sys1", "x", "ann"), ("sys1", "x", "Ann "), ("x", "sys1", "bob")]
    votes = [{"input": "1", "model_a": a, "model_b": b, "winner": "a", "judge": judge} for a, b, judge in rows]
    warnings = VoteReader().read([RatingsInMemory("votes", votes)]).warnings
    assert [warning.partition(" (")[0] for warning in warnings] == ["systems 'Sys1'", "raters 'ann'"]


def test_soft_votes_in_both_orders_are_averaged() -> None:
    from metrics_framework.meta_evaluation.prefer.study import merged

    votes = [Vote("x", "y", "a", "1", share=0.75), Vote("y", "x", "b", "1", share=0.125)]
    assert merged(votes) == [Vote("x", "y", "a", "1", share=0.8125)]
    assert merged([votes[0], votes[1]._replace(winner="a", share=0.9)])[0].outcome == 0.5


def test_votes_of_label_studio_are_read_as_exported(tmp_path: Path) -> None:
    tasks = [
        {
            "id": number,
            "data": {"item": f"q{number}", "system_a": "x", "system_b": "y"},
            "annotations": [
                {"completed_by": name, "result": [{"from_name": "winner", "value": {"choices": [side]}}]}
                for name, side in (("ann", "left"), ("bob", "tie"))
            ],
        }
        for number in (1, 2)
    ]
    path = tmp_path / "export.json"
    path.write_text(json.dumps(tasks), encoding="utf-8")
    votes = VoteReader().read([str(path)]).votes
    assert [(vote.first, vote.second, vote.winner, vote.rater) for vote in votes] == [
        ("x", "y", winner, rater) for _ in tasks for winner, rater in (("a", "ann"), ("tie", "bob"))
    ]


def test_agreement_of_votes_does_not_depend_on_the_order_in_which_outputs_were_shown() -> None:
    names = ("input", "system_a", "system_b", "rater", "winner")
    votes = [
        *((1, "x", "y", "ann", "a"), (1, "y", "x", "bob", "b"), (1, "x", "z", "ann", "b"), (1, "z", "x", "bob", "a")),
        *(
            (2, "x", "y", "ann", "y"),
            (2, "y", "x", "bob", "left"),
            (3, "x", "y", "ann", "tie"),
            (3, "y", "x", "bob", 0),
        ),
    ]
    rows = [dict(zip(names, vote, strict=True)) for vote in votes]
    (found,) = fw.agreement(rows, "winner", labels=True).to_records()
    assert (found["units"], found["value"]) == (4, 1)
    with pytest.raises(DataError, match="labels=True"):
        fw.agreement([{**row, "winner": 1} for row in rows], "winner")


def test_a_covariate_of_the_second_order_has_the_other_sign() -> None:
    row = {"question_id": 1, "model_1": "x", "model_2": "y", "length_a": 3, "length_b": 1}
    games = {"baseline": "x", "model": "y", "games": [{"score": "A>B"}, {"score": "B>A"}], "length": 0.5}
    for source in ({**row, "g1_winner": "model_1", "g2_winner": "model_1"}, {"question_id": 1, **games}):
        votes = VoteReader(numbers=["length"]).read([RatingsInMemory("votes", [source])]).votes
        assert [(vote.first, vote.winner, vote.values["length"]) for vote in votes] == [
            ("x", "a", 0.5),
            ("y", "b", -0.5),
        ]


def test_votes_that_do_not_count_are_kept_by_name(write: Write) -> None:
    path = write("votes.csv", "input,system_a,system_b,winner,status\n1,x,y,a,Approved\n2,x,y,b,Rejected\n")
    assert len(VoteReader().read([path]).votes) == 1
    assert fw.prefer(path, keep=["rejected"]).preferences.votes == 2


@pytest.mark.parametrize("column", ["winner", "better"])
def test_judges_of_votes_do_not_depend_on_the_order_in_which_outputs_were_shown(column: str) -> None:
    names, other = ("input", "system_a", "system_b", "rater", column), {"A>>B": "B>A", "B>A": "A>>B", "tie": "A=B"}
    words = ("A>>B", "B>A", "tie")
    votes = [
        (str(number), "x", "y", rater, words[(number + (number % shift == 0)) % 3])
        for number in range(100)
        for rater, shift in (("ann", 9), ("bob", 11), ("eve", 13), ("gpt", 12))
    ]
    turned = [
        (one, b, a, rater, other[word]) if rater == "bob" else (one, a, b, rater, word)
        for one, a, b, rater, word in votes
    ]
    found = [
        fw.judge([dict(zip(names, vote, strict=True)) for vote in table], column, judges="gpt")
        for table in (votes, turned)
    ]
    assert found[0].to_records() == found[1].to_records()
    assert found[0].to_records()[0]["units"] == 100
