"""Tables in memory: the same rows from every library and form, and one sentence for what is no table."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from dataclasses import make_dataclass
from typing import Any

import numpy as np
import pytest
from library_tables import LIBRARIES, table
from messages import LAZY_FRAME, TABLE_OR_ROWS

import metrics_framework as fw
from metrics_framework.common.errors import InputError
from metrics_framework.inputs.frames import rows_of

COLUMNS = {"id": [1, 2], "text": ["a", None], "scores": [[1], [2, 3]]}
ROWS = [dict(zip(COLUMNS, values, strict=True)) for values in zip(*COLUMNS.values(), strict=True)]
NAMED = namedtuple("NAMED", list(COLUMNS))
RECORD = make_dataclass("RECORD", list(COLUMNS))


def pandas_table(content: Any, **options: Any) -> Any:
    return pytest.importorskip("pandas").DataFrame(content, **options)


FORMS: dict[str, Callable[[], Any]] = {
    **{library: lambda library=library: table(library, COLUMNS) for library in LIBRARIES},
    "a dictionary of lists": lambda: COLUMNS,
    "dictionaries": lambda: ROWS,
    "named tuples": lambda: [NAMED(**row) for row in ROWS],
    "a generator of dataclasses": lambda: (RECORD(**row) for row in ROWS),
    "Series": lambda: [row for _, row in pandas_table(COLUMNS).iterrows()],
    "an index": lambda: pandas_table(COLUMNS).set_index("id"),
    "datasets": lambda: pytest.importorskip("datasets.arrow_dataset").Dataset.from_dict(COLUMNS),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_a_table_has_the_same_rows(form: str) -> None:
    assert list(rows_of(FORMS[form](), "scores", ["id"])) == ROWS


def test_integers_are_names_of_columns() -> None:
    assert list(rows_of(pandas_table([["a", 1]], columns=[1, 0]), "outputs")) == [{"1": "a", "0": 1}]
    assert list(rows_of([{0: "a"}], "outputs")) == [{"0": "a"}]


WRONG: dict[str, tuple[Callable[[], Any], str]] = {
    "equal names": (lambda: pandas_table([[1, 2]], columns=["a", "a"]), "^repeated column 'a'; rename or drop one$"),
    "a number and its text": (lambda: [{1: 2, "1": 3}], "^repeated column '1'"),
    "two levels": (
        lambda: pandas_table({("mt", "en"): [1]}),
        r"of 'scores' have 2 levels, such as \('mt', 'en'\); join them: frame.columns = frame.columns.map\('_'.join\)",
    ),
    "groups": (lambda: pandas_table(COLUMNS).groupby("id"), "'scores' is a grouped frame; pass the frame before"),
    "a lazy frame": (lambda: table("polars", COLUMNS).lazy(), rf"'scores' {LAZY_FRAME} polars; call collect\(\)"),
    "Dask": (
        lambda: pytest.importorskip("dask.dataframe").from_pandas(pandas_table({"a": [1]}), npartitions=1),
        rf"{LAZY_FRAME} dask; call compute\(\) first",
    ),
    "tuples": (lambda: [(1, "a")], r"'scores\[0\]' must be a row .*; pass \[dict\(zip\(NAMES, row\)\) for row in"),
    "values": (lambda: pandas_table(COLUMNS).values, "pass the frame instead of frame.values"),
    "lengths": (lambda: {"a": [1], "b": [1, 2]}, "must have the same number of entries, got 1 in 'a', 2 in 'b'"),
    "a text": (lambda: "a", f"^'scores' {TABLE_OR_ROWS}, got the string 'a'$"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_no_table_is_explained(case: str) -> None:
    given, message = WRONG[case]
    with pytest.raises(InputError, match=message):
        list(rows_of(given(), "scores"))


NO_RATINGS = [  # what is given, a pattern of the message
    (5, "^'ratings' must be .*, got the number 5$"),
    (None, "^'ratings' must be .*, got null$"),
    ([("1", "a", 3)], r"^'ratings\[0\]' must be a row .*; pass \[dict\(zip\(NAMES, row\)\).*\]$"),
    (np.array([[1, 2]]), r"^'ratings\[0\]' must be .*instead of frame.values$"),
]


@pytest.mark.parametrize(("given", "message"), NO_RATINGS)
@pytest.mark.parametrize("judges", [None, ["judge"]])
def test_what_is_no_table_of_ratings_is_called_by_the_argument(given: Any, message: str, judges: Any) -> None:
    with pytest.raises(InputError, match=message):
        fw.agreement(given, "quality") if judges is None else fw.judge(given, rating="quality", judges=judges)


def test_the_values_of_a_frame_are_no_outputs() -> None:
    with pytest.raises(InputError, match=r"^'outputs' must be .* the frame instead of frame.values$"):
        fw.evaluate(outputs=pandas_table({"summary": ["a"], "reference": ["b"]}).values, metrics=["bleu"])


def test_columns_whose_names_are_integers_are_named_by_options() -> None:
    rows = [(one, rater, rating) for one, rating in enumerate((1, 2, 3, 5)) for rater in "ab"]
    long = table("pandas", rows)
    wide = table("pandas", [(2, 2), (3, 4), (5, 5)])
    columns = {"instance_id": 0, "rater": 1}
    assert fw.agreement(long, 2, columns=columns).as_json()["ratings"][0]["agreement"][0]["value"] == 1
    assert fw.agreement(wide, raters=[0, 1]).as_json()["ratings"][0]["raters"] == ["0", "1"]
    with pytest.raises(fw.InputError, match="'rater_column' must be"):
        fw.agreement(long, 2, rater_column=True)
    judged = table("pandas", [(one, rater, one % 5, one % 4, one // 9) for one in range(90) for rater in "abc"])
    ids: dict[str, Any] = {"columns": columns, "log": lambda text: None}
    assert fw.judge(judged, 2, 3, cluster=4, **ids).names == ["3"]
    assert fw.plan("mean", judged, rating=2, half_width=0.5, simulations=10, **ids).pilot_outputs == 90
    assert [one["rater"] for one in fw.raters_report(judged, 2, **ids).to_records()] == ["a", "b", "c"]
    pairs = table("pandas", [(one // 2, f"good {one}", f"bad {one}", f"a good {one}") for one in range(6)])
    pairs = pairs.rename(columns={1: "good", 2: "bad", 3: "reference"})
    assert fw.challenge(pairs, "chrf", cluster=0).to_records()[0]["accuracy"] == 1
