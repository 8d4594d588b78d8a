"""``--missing``, ``--scale`` and ``--labels`` of the commands on ratings, and the same arguments in Python."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import metrics_framework as metrics
from metrics_framework.common.errors import DataError, InputError
from metrics_framework.evaluation.external_sort import Run

Write = Callable[..., str]
WORDS = {1: "Bad", 2: "Fair", 3: "Good", 4: "Very good", 5: "Best"}


def rating(unit: int, rater: int) -> int:
    return 1 + (unit * unit + (unit + rater) % 3 // 2) % 5


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write_table(name: str, text: Callable[[int], str] = str, more: str = "", comma: str = ",") -> str:
        rows = [
            comma.join([str(unit), "ab"[unit % 2], str(rater), text(rating(unit, rater)), str(unit % 7)])
            for unit in range(40)
            for rater in (1, 2, 3)
        ]
        path = tmp_path / name
        header = comma.join(["id", "system", "rater", "q", "model"])
        path.write_text("\n".join([header, *rows]) + f"\n{more}", encoding="utf-8")
        return str(path)

    return write_table


def alpha(fw: Run, path: str, *flags: str) -> float:
    done = fw("agreement", path, "--rating", "q", "--format", "json", *flags)
    assert done.code == 0, done.err
    value: float = json.loads(done.out)["ratings"][0]["agreement"][0]["value"]
    return value


FORMS: list[tuple[Callable[[int], str], str, tuple[str, ...]]] = [  # how a rating is written, the file, flags
    (lambda value: f"{value}/5", "x.csv", ()),
    (lambda value: f"{value} - {WORDS[value]}", "x.csv", ()),
    (lambda value: f"{20 * value} %", "x.csv", ()),
    (lambda value: WORDS[value].upper(), "x.csv", ("--scale", "bad,fair,good,very good,best")),
    (lambda value: f"{value},5", "x.tsv", ()),
    (lambda value: f"{value},5", "x;.csv", ()),
    (lambda value: "٠١٢٣٤٥"[value], "x.csv", ()),
    (str, "x.csv", ("--scale", "1-5")),
]


@pytest.mark.parametrize(("text", "name", "flags"), FORMS)
def test_every_form_of_ratings_has_the_same_agreement(
    fw: Run, write: Write, text: Callable[[int], str], name: str, flags: tuple[str, ...]
) -> None:
    expected = alpha(fw, write("plain.csv"))
    comma = "\t" if name == "x.tsv" else ";" if ";" in name else ","
    assert alpha(fw, write(name, text, comma=comma), *flags) == pytest.approx(expected)


COMMANDS: dict[str, Callable[..., Any]] = {
    "agreement --rating q": lambda rows, **options: metrics.agreement(rows, "q", **options),
    "test-judge --rating q --judge model": lambda rows, **options: metrics.judge(rows, "q", "model", **options),
    "estimate --rating q --judge model": lambda rows, **options: metrics.estimate(rows, "q", "model", **options),
    "correlate --metric model --human q --ci none": lambda rows, **options: metrics.correlate(
        rows, "model", "q", ci="none", **options
    ),
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.filterwarnings("ignore")
def test_every_command_has_the_same_missing_values_and_scales(fw: Run, write: Write, command: str) -> None:
    name, *flags = command.split()
    path = write("x.csv", more="41,a,1,99,3\n41,a,2,NA,3\n")
    outside = fw(name, path, *flags, "--scale", "1-5")
    assert outside.code == 1
    assert f"{path}:122: 'q' must be a number from 1 to 5, got '99'" in outside.err
    assert "--missing NA,99" in outside.err
    read = fw(name, path, *flags, "--scale", "1-5", "--missing", "NA,99")
    assert read.code == 0, read.err
    assert "1 '99', 1 'NA'" in " ".join((read.out + read.err).split())
    far = fw(name, path, *flags).err
    assert "q: 99 " in far
    assert "--missing NA,99" in far
    run = COMMANDS[command]
    rows = [dict(zip(("id", "system", "rater", "q", "model"), (7, "a", 9, "x", 3), strict=True))]
    with pytest.raises(DataError, match="'q'"):
        run([path, rows], scale="1-5", missing=["NA", 99, "y"])
    assert run([path, rows], scale="1-5", missing=["NA", 99, "x"])


WIDE = [  # ratings of two raters, options, the column of the error; none
    ([("4/5", "80 %"), ("2/5", "40 %"), ("1/5", "60 %")], {}, ""),
    ([("Good", "good"), ("bad", "Bad"), ("Good", "BAD")], {"scale": "Bad,Good"}, ""),
    ([("4", "5"), ("2", "99"), ("1", "3")], {"scale": "1-5"}, "b"),
    ([("4", "5"), ("2", "many"), ("1", "3")], {}, "b"),
    ([("4", "5"), ("2", "many"), ("1", "3")], {"missing": "many"}, ""),
]


@pytest.mark.parametrize(("ratings", "options", "column"), WIDE)
@pytest.mark.filterwarnings("ignore")
def test_each_column_of_a_rater_is_read_like_a_column_of_ratings(
    ratings: list[tuple[str, str]], options: dict[str, Any], column: str
) -> None:
    rows = [
        {"id": str(unit), "system": system, "model": unit, "a": first, "b": second}
        for unit, (first, second) in enumerate(ratings * 4)
        for system in "xy"
    ]
    runs = [
        lambda: metrics.agreement(rows, raters=["a", "b"], **options),
        lambda: metrics.correlate(rows, "model", "raters", raters=["a", "b"], ci="none", levels="global", **options),
    ]
    for run in runs:
        if not column:
            assert run()
            continue
        with pytest.raises(DataError, match=f"'{column}' must be a"):
            run()


def test_a_scale_states_the_categories_of_gwet(fw: Run, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    pairs = zip((1, 2, 5, 5, 1, 1, 5), (1, 2, 5, 1, 2, 1, 5), strict=True)
    rows = [f"{unit},{rater},{value}" for unit, both in enumerate(pairs) for rater, value in enumerate(both)]
    path.write_text("\n".join(["id,rater,q", *rows]) + "\n")
    flags = "--rating", "q", "--statistic", "gwet"
    table = fw("agreement", str(path), *flags)
    assert "0.579" in table.out
    assert "among the 3 categories that occur" in table.out
    stated = fw("agreement", str(path), *flags, "--scale", "1-5", "--format", "json")
    found = json.loads(stated.out)
    assert found["scale"] == "1-5"
    assert found["ratings"][0]["categories"] == [1, 2, 3, 4, 5]
    assert found["ratings"][0]["agreement"][0]["value"] == pytest.approx(0.659574468, abs=5e-10)
    words = [{"id": row.split(",")[0], "r": row.split(",")[1], "q": WORDS[int(row[-1])]} for row in rows]
    result = metrics.agreement(words, "q", "gwet", weights="quadratic", scale=list(WORDS.values()), rater_column="r")
    assert result["q"].agreements[""][0].value == pytest.approx(0.617977528, abs=5e-10)


@pytest.mark.filterwarnings("ignore")
def test_judges_of_ratings_in_words_use_the_same_words_or_numbers() -> None:
    rows = [{"id": unit, "rater": rater, "q": WORDS[rating(unit, rater)]} for unit in range(40) for rater in (1, 2, 3)]
    scores: list[Callable[[int], Any]] = [lambda unit: rating(unit, 1), lambda unit: WORDS[rating(unit, 1)].lower()]
    found = [
        metrics.estimate([rows, [{"id": unit, "model": score(unit)} for unit in range(40)]], "q", "model", scale=words)
        for score in scores
        for words in (",".join(WORDS.values()), [*WORDS.values()])
    ]
    assert len({result.to_json() for result in found}) == 1
    with pytest.raises(DataError, match="'model' must be one of Bad, Fair, Good, Very good, Best, got 'poor'"):
        metrics.estimate([rows, [{"id": 1, "model": "poor"}]], "q", "model", scale=",".join(WORDS.values()))


def labelled(rater: int, unit: int) -> str:
    return ("Omission", "None", "Addition")[(unit + (unit % 5 == rater)) % 3]


LABELS = [{"id": unit, "rater": rater, "type": labelled(rater, unit)} for unit in range(30) for rater in (1, 2, 3)]


def test_a_label_that_is_spelt_like_a_missing_number_counts_with_a_warning() -> None:
    with pytest.warns(UserWarning, match=r"^\d+ .* 'None'.* missing='None'$"):
        counted = metrics.agreement(LABELS, "type", labels=True)["type"]
    assert counted.ratings.labels == ["Addition", "None", "Omission"]
    left_out = metrics.agreement(LABELS, "type", labels=True, missing="none")["type"]
    assert left_out.ratings.labels == ["Addition", "Omission"]
    assert left_out.ratings.missing["None"] == sum(row["type"] == "None" for row in LABELS)


def test_labels_that_differ_in_case_are_one_for_raters_and_judges(fw: Run, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    rows = [
        f"{unit},{rater},{('good', 'Good', 'GOOD')[rater] if unit % 3 else 'bad'},{'gOOd' if unit % 4 else 'Bad'}"
        for unit in range(40)
        for rater in range(3)
    ]
    path.write_text("\n".join(["id,rater,q,model", *rows]) + "\n")
    done = fw("agreement", str(path), "--rating", "q", "--labels", "--format", "json")
    [found] = json.loads(done.out)["ratings"]
    assert (len(found["categories"]), found["agreement"][0]["value"]) == (2, 1)
    assert all(f"'{label}'" in done.err for label in ("good", "Good", "GOOD"))
    judged = fw("test-judge", str(path), "--rating", "q", "--judge", "model")
    equal = sum((unit % 3 == 0) == (unit % 4 == 0) for unit in range(40)) / 40
    assert f"from agreement {equal:.3f}" in judged.out


@pytest.mark.parametrize("words", [tuple("12345"), ("no", "rather no", "unsure", "rather yes", "yes")])
def test_a_scale_states_labels_that_do_not_occur(words: Sequence[str], fw: Run, tmp_path: Path) -> None:
    ratings = {rater: [words[int(one) - 1] for one in row] for rater, row in {"a": "1255115", "b": "1251215"}.items()}
    rows = [{"id": unit, "rater": rater, "q": word} for rater, row in ratings.items() for unit, word in enumerate(row)]
    options = {"labels": True, "statistics": "gwet"}
    found = [metrics.agreement(rows, "q", **options, scale=scale)["q"] for scale in (None, words, ",".join(words))]
    values = [round(one.agreements[""][0].value, 9) for one in found]
    assert values == [0.578947368, 0.659574468, 0.659574468]  # of irrCAC with the argument categ.labels
    assert [[*one.ratings.labels] for one in found] == [sorted({words[0], words[1], words[4]}), [*words], [*words]]
    path = tmp_path / "x.csv"
    path.write_text("\n".join(["id,rater,q", *(f"{row['id']},{row['rater']},{str(row['q']).upper()}" for row in rows)]))
    flags = ["--labels", "--statistic", "gwet", "--scale", ",".join(words), "--format", "json"]
    (study,) = json.loads(fw("agreement", str(path), "--rating", "q", *flags).out)["ratings"]
    assert (study["categories"], study["agreement"][0]["value"]) == ([*words], found[1].agreements[""][0].value)


def test_a_label_that_the_scale_does_not_have_is_an_error_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("id,rater,q\n1,a,yes\n1,b,No\n2,a,maybe\n2,b,no\n")
    with pytest.raises(DataError, match=r"'q' must be one of yes, no, unsure, got 'maybe'; .*maybe") as error:
        metrics.agreement(str(path), "q", labels=True, scale="yes,no,unsure")
    assert error.value.line == 4
    found = metrics.agreement(str(path), "q", labels=True, scale="yes,no,unsure", missing="maybe")["q"]
    assert ([*found.ratings.labels], found.ratings.missing) == (["yes", "no", "unsure"], {"maybe": 1})
    with pytest.raises(InputError, match="'scale' must name all categories with 'labels'"):
        metrics.agreement(str(path), "q", labels=True, scale="0.5-4")


def test_a_scale_states_labels_for_kappa_adjusted_for_prevalence_and_bias() -> None:
    rows = [
        {"id": unit, "rater": rater, "q": "no" if (unit + rater) % 4 else "yes", "judge": "no" if unit % 3 else "yes"}
        for unit in range(102)
        for rater in range(3)
    ]
    for scale, count in ((None, 2), ("yes,no,unsure", 3)):
        with pytest.warns(UserWarning, match="constant"):
            found = metrics.judge(rows, "q", "judge", labels=True, scale=scale).as_json()
        for of in (found["judges"][0]["agreement"], found["raters"]):
            agreement, adjusted = of["kappa_parts"]["agreement"], of["kappa_parts"]["adjusted"]
            assert adjusted == pytest.approx((count * agreement - 1) / (count - 1), rel=1e-12)
        assert found.get("scale") == scale


def test_a_judge_far_from_all_others_or_on_another_scale_is_reported() -> None:
    rows = [{"id": unit, "rater": rater, "q": rating(unit, rater)} for unit in range(40) for rater in (1, 2, 3)]
    judges: dict[str, tuple[Callable[[int], float], str]] = {
        "failed": (
            lambda unit: -99 if unit == 7 else rating(unit, 1),
            "failed: -99 ",
        ),
        "percent": (lambda unit: 20 * rating(unit, 1), "'percent' is from 20 to 100, but ratings are from 1 to 5"),
        "narrow": (lambda unit: 3 + rating(unit, 1) / 10, "'narrow' is from 3.1 to 3.5, but ratings are from 1 to 5"),
        "opposite": (lambda unit: 6 - rating(unit, 1), "'opposite' is high where ratings are low"),
        "fine": (lambda unit: rating(unit, 1), ""),
    }
    for name, (score, warning) in judges.items():
        judged = [{"id": unit, name: score(unit)} for unit in range(40)]
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            metrics.judge([rows, judged], "q", name)
        found = [str(one.message) for one in caught if name in str(one.message)]
        assert any(text.startswith(warning) for text in found) if warning else not found
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            metrics.judge([rows, judged], "q", name, scoring="ranks")
        assert not any("ratings are from" in str(one.message) for one in caught)
