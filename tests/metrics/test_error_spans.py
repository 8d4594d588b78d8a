"""Error spans: numbers worked by hand, edge cases, laws, the reader and the command."""

from __future__ import annotations

import itertools
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from json_files import read_rows, write_rows

from metrics_framework import DataError, InputError, load, load_reader
from metrics_framework.commands.app import main
from metrics_framework.data.error_spans import ErrorSpan

MAJOR, MINOR = "major", "minor"
PREDICTED = [[ErrorSpan(0, 5, MAJOR), ErrorSpan(10, 14, MINOR), ErrorSpan(12, 20, MAJOR)], [], [ErrorSpan(2, 6, MINOR)]]
HUMAN = [[ErrorSpan(2, 7, MAJOR), ErrorSpan(11, 18, MINOR)], [ErrorSpan(0, 3, MAJOR)], []]
NUMBERS = [  # measure, matching, severity credit, precision, recall, F1 over the three outputs
    ("MP", "one-to-one", 1, 0.5, 0.666666667, 0.571428571),
    ("MP", "many-to-many", 1, 0.75, 0.666666667, 0.705882353),
    ("MPP", "one-to-one", 1, 0.3375, 0.485714286, 0.398264642),
    ("MPP", "many-to-many", 1, 0.4625, 0.533333333, 0.495397490),
    ("characters", "one-to-one", 1, 0.428571429, 0.6, 0.5),
    ("characters", "many-to-many", 1, 0.476190476, 0.666666667, 0.555555556),
    ("characters", "many-to-many", 0.5, 0.380952381, 0.533333333, 0.444444444),
    # by hand: no span is exact
    ("EM", "one-to-one", 1, 0, 0, 0),
    # by hand: (0, 5) and (10, 14) match at their severity; (12, 20) has half the credit
    ("MP", "many-to-many", 0.5, 2.5 / 4, 2 / 3, 2 * 2.5 / 4 * 2 / 3 / (2.5 / 4 + 2 / 3)),
]


@pytest.mark.parametrize(("measure", "matching", "credit", "precision", "recall", "f1"), NUMBERS)
def test_numbers_over_three_outputs(
    measure: str, matching: str, credit: float, precision: float, recall: float, f1: float
) -> None:
    macro, _ = load("error-spans", measure=measure, matching=matching, severity_credit=credit).evaluate(
        PREDICTED, HUMAN
    )
    assert list(macro.values()) == pytest.approx([f1, precision, recall], abs=5e-10)


EDGES = [  # predicted, human, precision, recall, F1, why
    ([], [], 1, 1, 1, "nothing to find, nothing found"),
    ([], [ErrorSpan(0, 1)], 1, 0, 0, "nothing found: precision has the denominator 0"),
    ([ErrorSpan(0, 1)], [], 0, 1, 0, "nothing to find: recall has the denominator 0"),
    ([ErrorSpan(0, 1)], [ErrorSpan(1, 2)], 0, 0, 0, "adjacent spans do not overlap"),
    ([ErrorSpan(0, 9, "", "source")], [ErrorSpan(0, 9)], 0, 0, 0, "spans of source and target never match"),
    ([ErrorSpan(0, 9)], [ErrorSpan(0, 9)], 1, 1, 1, "equal spans"),
]


@pytest.mark.parametrize("measure", ["EM", "MP", "MPP", "characters"])
@pytest.mark.parametrize("matching", ["one-to-one", "many-to-many"])
@pytest.mark.parametrize(("predicted", "human", "precision", "recall", "f1", "why"), EDGES)
def test_edges(
    measure: str, matching: str, predicted: Any, human: Any, precision: float, recall: float, f1: float, why: str
) -> None:
    scores = load("error-spans", measure=measure, matching=matching).score(predicted, human)
    assert list(scores.values()) == [f1, precision, recall]


def test_an_exact_span_that_is_predicted_twice_matches_once_or_twice() -> None:
    predicted, human = [ErrorSpan(0, 4), ErrorSpan(0, 4)], [ErrorSpan(0, 4)]
    once = load("error-spans", measure="EM").score(predicted, human)
    twice = load("error-spans", measure="EM", matching="many-to-many").score(predicted, human)
    assert (once["error-spans_precision"], twice["error-spans_precision"]) == (0.5, 1)


def spans() -> st.SearchStrategy[list[ErrorSpan]]:
    span = st.builds(
        lambda start, length, severity, side: ErrorSpan(start, start + length, severity, side),
        st.integers(0, 12),
        st.integers(1, 8),
        st.sampled_from([MAJOR, MINOR]),
        st.sampled_from(["target", "target", "source"]),
    )
    return st.lists(span, max_size=4)


@given(spans(), spans(), st.sampled_from([0, 0.5, 1]), st.sampled_from(["EM", "MP", "MPP", "characters"]))
def test_assignments_have_the_highest_credit_of_all(
    predicted: list[ErrorSpan], human: list[ErrorSpan], credit: float, measure: Any
) -> None:
    metric: Any = load("error-spans", measure=measure, severity_credit=credit)
    statistics = metric.statistics(predicted, human)
    predicted, human = sorted(predicted), sorted(human)
    few, many = sorted([predicted, human], key=len)
    best = max(
        sum(
            sum(metric._pair(*((one, other) if few is predicted else (other, one))))
            for one, other in zip(few, chosen, strict=True)
        )
        for chosen in itertools.permutations(many, len(few))
    )
    assert statistics[0] + statistics[2] == pytest.approx(best)


@given(spans(), spans(), st.sampled_from(["EM", "MP", "MPP", "characters"]), st.sampled_from([0.0, 0.5, 1.0]))
def test_swapping_both_sides_swaps_precision_and_recall(
    predicted: list[ErrorSpan], human: list[ErrorSpan], measure: str, credit: float
) -> None:
    metric: Any = load("error-spans", measure=measure, matching="many-to-many", severity_credit=credit)
    one, other = metric.statistics(predicted, human), metric.statistics(human, predicted)
    assert one == pytest.approx([*other[2:], *other[:2]])
    assert metric.statistics(predicted[::-1], human[::-1]) == one
    assert all(0 <= part <= whole + 1e-9 for part, whole in (one[:2], one[2:]))


@given(spans(), spans(), st.sampled_from([0.0, 0.5, 1.0]))
def test_characters_equal_a_count_of_each_position(
    predicted: list[ErrorSpan], human: list[ErrorSpan], credit: float
) -> None:
    metric: Any = load("error-spans", measure="characters", matching="many-to-many", severity_credit=credit)
    expected = 0.0
    for side in ("target", "source"):
        for position in range(20):
            ours, theirs = (
                [s.severity for s in spans if s.side == side and s.start <= position < s.end]
                for spans in (predicted, human)
            )
            same = sum(min(ours.count(severity), theirs.count(severity)) for severity in (MAJOR, MINOR))
            expected += same + credit * (min(len(ours), len(theirs)) - same)
    assert metric.statistics(predicted, human)[0] == pytest.approx(expected)
    assert metric.statistics(predicted, human)[2] == pytest.approx(expected)


BAD = [
    ("spans", "list of spans"),
    ([{"start": 0}], "'start' and 'end'"),
    ([{"start": 3, "end": 3}], "0 ≤ 'start' < 'end'"),
    ([{"start": 0, "end": 2.5}], "0 ≤ 'start' < 'end'"),
    ([{"start": 0, "end": 2, "side": "left"}], "'target' or 'source'"),
    ([{"start": 0, "end": 2, "severity": 3}], "must be a string"),
]


@pytest.mark.parametrize(("value", "message"), BAD)
def test_invalid_spans_are_errors_with_a_location(value: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        load("error-spans").score(value, [])
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps({"instance_id": "1", "summarizer_id": "s", "spans": value, "predicted_spans": []}))
    with pytest.raises(DataError, match=message) as error:
        list(load_reader("error-spans").read(str(path)))
    assert "x.jsonl:1" in str(error.value)


def test_an_invalid_factor_is_an_error() -> None:
    with pytest.raises(InputError, match="between 0 and 1"):
        load("error-spans", severity_credit=2)


def _write(path: Path, name: str, spans: list[list[ErrorSpan]]) -> str:
    rows = [
        {"instance_id": str(index), "summarizer_id": "s", name: [asdict(span) for span in of_output]}
        for index, of_output in enumerate(spans)
    ]
    write_rows(path, rows)
    return str(path)


def test_rows_of_people_and_predictions_are_joined(tmp_path: Path) -> None:
    human = _write(tmp_path / "human.jsonl", "spans", HUMAN)
    predicted = _write(tmp_path / "predicted.jsonl", "predicted_spans", PREDICTED)
    same_name = _write(tmp_path / "metric.jsonl", "spans", PREDICTED)
    joined = list(load_reader("error-spans").read(human, predicted))
    assert [instance.fields["predicted_spans"] for instance in joined] == [tuple(spans) for spans in PREDICTED]
    named = list(load_reader("error-spans", predictions=[same_name]).read(human))
    assert [instance.fields for instance in named] == [instance.fields for instance in joined]


def test_outputs_without_predictions_and_duplicates_are_errors(tmp_path: Path) -> None:
    human = _write(tmp_path / "human.jsonl", "spans", HUMAN)
    predicted = _write(tmp_path / "predicted.jsonl", "predicted_spans", PREDICTED[:2])
    with pytest.raises(DataError, match=r"human.jsonl:3.*no 'predicted_spans'"):
        list(load_reader("error-spans").read(human, predicted))
    with pytest.raises(DataError, match="duplicate 'spans'"):
        list(load_reader("error-spans").read(human, human, predicted))
    nothing = tmp_path / "nothing.jsonl"
    nothing.write_text('{"instance_id": "1", "summarizer_id": "s"}\n')
    with pytest.raises(DataError, match="are missing; the row has 'instance_id'"):
        list(load_reader("error-spans").read(str(nothing)))


def test_spans_of_one_of_several_raters_are_read(tmp_path: Path) -> None:
    human, predicted = tmp_path / "human.jsonl", tmp_path / "predicted.jsonl"
    span = {"start": 0, "end": 2, "severity": "minor"}
    rows = [("1", ["ann", "ben"], [[span], []]), ("2", ["ben"], [[span]])]
    write_rows(human, ({"instance_id": i, "raters": r, "spans": s} for i, r, s in rows))
    write_rows(predicted, ({"instance_id": i, "predicted_spans": []} for i in "12"))
    rows_of = {"human": human, "predicted": predicted}
    for path in rows_of.values():  # one system
        lines = read_rows(path)
        write_rows(path, ({**line, "summarizer_id": "s"} for line in lines))
    with pytest.raises(DataError, match=r"human.jsonl:1.*several raters \(ann, ben\)"):
        list(load_reader("error-spans").read(str(human), str(predicted)))
    for order in ([human, predicted], [predicted, human]):
        of_ann = list(load_reader("error-spans", rater="ann").read(*map(str, order)))
        assert [instance.fields["spans"] for instance in of_ann] == [(ErrorSpan(0, 2, "minor"),)]
        of_ben = list(load_reader("error-spans", rater="ben").read(*map(str, order)))
        assert [instance.fields["spans"] for instance in of_ben] == [(), (ErrorSpan(0, 2, "minor"),)]


def test_omissions_are_rejected_or_left_out(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    spans = [{"start": "missing", "end": "missing", "severity": "major"}, {"start": 5, "end": 6}]
    path.write_text(json.dumps({"instance_id": "1", "spans": spans, "predicted_spans": []}))
    with pytest.raises(DataError, match=r"x.jsonl:1.*marks an omission.*drop_omissions"):
        list(load_reader("error-spans").read(str(path)))
    (instance,) = load_reader("error-spans", drop_omissions=True).read(str(path))
    assert instance.fields["spans"] == (ErrorSpan(5, 6),)


def test_spans_written_by_ratings_esa_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    span = json.dumps([{"start": 0, "end": 4, "severity": "Minor"}])
    Path("esa.jsonl").write_text(
        "".join(
            json.dumps({"seg_id": "1", "system": "s", "rater": rater, "esa": 50, "spans": json.loads(span)}) + "\n"
            for rater in ("ann", "ben")
        )
    )
    assert main(["ratings", "esa", "esa.jsonl", "human.jsonl"]) == 0
    predicted = _write(Path("predicted.jsonl"), "predicted_spans", [[], [ErrorSpan(0, 4, MINOR)]])
    Path("one.jsonl").write_text(Path(predicted).read_text().splitlines()[1] + "\n")
    (instance,) = load_reader("error-spans", rater="ben").read("human.jsonl", "one.jsonl")
    assert instance.fields["spans"] == instance.fields["predicted_spans"] == (ErrorSpan(0, 4, MINOR),)
