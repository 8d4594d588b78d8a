"""``fw agreement``: tables, formats and wrong input."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from json_files import read_json
from messages import FORMS_NEED_TWO_OUTPUTS

import metrics_framework as fw
from metrics_framework.commands.app import main

Run = Callable[..., str]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def run_command(*arguments: str, code: int = 0) -> str:
        assert main(["agreement", *arguments]) == code
        captured = capsys.readouterr()
        return captured.err if code else captured.out

    return run_command


@pytest.fixture
def ratings(datasets_path: Path) -> str:
    return str(datasets_path / "simplification" / "ratings.csv")


@pytest.fixture
def labels(tmp_path: Path) -> str:
    path = tmp_path / "labels.csv"
    rows = [
        f"{i},{rater},{'good' if (i * 7 + rater * (i % 4)) % 3 else 'bad'}" for i in range(20) for rater in (1, 2, 3)
    ]
    path.write_text("\n".join(["id,rater,label", *rows, "20,1,NA"]) + "\n", encoding="utf-8")
    return str(path)


def test_the_table_has_agreement_plans_and_ceiling(run: Run, ratings: str) -> None:
    table = run(ratings, "--rating", "simplicity", "--weights", "ordinal,interval", "--plan", "3,100")
    assert "simplicity  Krippendorff α, ordinal   0.678 [0.622, 0.734]      144       4" in table
    assert "3 raters, 100 inputs" in table
    assert "global level, z-scores" in table
    assert "for other outputs and these raters; jackknife-t over outputs, on the scale artanh" in table.replace(
        "\n           ", " "
    )
    assert "negative ones count as 0" in table.replace("\n           ", " ")


def test_json_has_all_results(run: Run, ratings: str, tmp_path: Path) -> None:
    output = tmp_path / "agreement.json"
    run(ratings, "--rating", "simplicity", "--statistic", "all", "--pairwise", "--output-file", str(output), "--silent")
    result = read_json(output)
    (study,) = result["ratings"]
    assert {(one["name"], one["weights"]) for one in study["agreement"]} >= {("gwet", "linear"), ("icc", "2,k")}
    assert [pair["outputs"] for pair in study["pairs"]] == [144] * 6
    assert study["variance_components"]["components"]["error"] > 0
    assert {one["level"] for one in study["ceilings"]["z-scores"]} == {"global", "input", "system"}


def test_groups_of_outputs_are_analysed_by_themselves(run: Run, ratings: str) -> None:
    table = run(ratings, "--rating", "simplicity", "--by", "sys_name")
    assert [line.split()[3:5] for line in table.splitlines()[2:6]] == [
        ["interval", "all"],
        ["interval", "careful"],
        ["interval", "clumsy"],
        ["interval", "timid"],
    ]


def test_categories_may_be_text(run: Run, labels: str) -> None:
    table = run(labels, "--rating", "label", "--labels", "--missing", "NA", "--statistic", "all")
    assert [line.split("  ")[1].strip() for line in table.splitlines()[2:5]] == [
        "Krippendorff α, nominal",
        "Gwet AC1",
        "Fleiss κ",
    ]
    assert "missing: 1 'NA'; categories: bad, good" in table


def test_clusters_are_left_out_together(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    rows = [f"{i},{rater},{(i * i + rater * (i % 3)) % 5},d{i // 4}" for i in range(24) for rater in (1, 2)]
    path.write_text("\n".join(["id,rater,q,doc", *rows]) + "\n", encoding="utf-8")
    table = run(str(path), "--rating", "q", "--cluster", "doc")
    assert "jackknife-t over 6 clusters of outputs" in " ".join(table.split())


@pytest.mark.slow
def test_raters_nested_in_outputs_have_plans_by_the_intraclass_correlation(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    rows = [f"{i},s{i % 2},{rater + i % 3},{(i * i + rater * (i % 3)) % 5}" for i in range(24) for rater in (1, 2)]
    path.write_text("\n".join(["id,system,rater,q", *rows]) + "\n", encoding="utf-8")
    table = run(str(path), "--rating", "q", "--statistic", "icc", "--weights", "1,1,2,1")
    assert "ratings per output  reliability" in table
    assert "0 inputs have ratings of all systems by all raters, 48 of" in " ".join(table.split())
    assert "undefined   simplicity" not in table
    assert f"{FORMS_NEED_TWO_OUTPUTS}, got 0" in table


@pytest.mark.slow
def test_a_table_may_have_one_column_per_rater(run: Run, tmp_path: Path) -> None:
    wide, long = tmp_path / "wide.csv", tmp_path / "long.csv"
    values = [(i % 5, (i + i % 2) % 5, "NA" if i == 3 else i % 4) for i in range(20)]
    wide.write_text("\n".join(["id,ann,bob,eve", *(f"{i},{a},{b},{c}" for i, (a, b, c) in enumerate(values))]) + "\n")
    rows = [
        f"{i},{name},{x}" for i, row in enumerate(values) for name, x in zip(("ann", "bob", "eve"), row, strict=True)
    ]
    long.write_text("\n".join(["id,rater,ratings", *rows]) + "\n")
    assert run(str(wide), "--raters", "ann", "bob", "eve") == run(str(long), "--rating", "ratings")


def test_the_function_returns_records(ratings: str) -> None:
    result = fw.agreement(ratings, "simplicity", ["krippendorff", "gwet"], weights=["ordinal", "quadratic"])
    records = result.to_records()
    assert [(record["statistic"], record["weights"]) for record in records] == [
        ("krippendorff", "ordinal"),
        ("gwet", "quadratic"),
    ]
    assert records[0]["value"] == pytest.approx(0.678, abs=5e-4)
    assert repr(result) == "AgreementResult(['simplicity'])"
    pytest.importorskip("pandas")
    assert result.to_pandas().shape == (2, len(records[0]))


def test_few_outputs_with_another_rating_are_a_warning(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "few.csv"
    rows = [f"{i},{rater},{int(i < 3 - rater)}" for i in range(20) for rater in (1, 2)]
    path.write_text("\n".join(["id,rater,q", *rows]) + "\n", encoding="utf-8")
    assert main(["agreement", str(path), "--rating", "q"]) == 0
    assert "warning: q: few outputs have another rating than the commonest one" in capsys.readouterr().err
    assert main(["agreement", str(path), "--rating", "q", "--strict"]) == 1


def test_a_file_without_the_rating_is_a_warning(
    ratings: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "other.csv"
    path.write_text("id,quality\n1,2\n", encoding="utf-8")
    assert main(["agreement", ratings, str(path), "--rating", "simplicity"]) == 0
    assert f"warning: {path} has no column 'simplicity', so it is not used" in capsys.readouterr().err
    assert main(["agreement", ratings, str(path), "--rating", "simplicity", "--by", "quality"]) == 0
    assert "not used" not in capsys.readouterr().err


def test_values_may_begin_with_a_minus(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "in.csv"
    rows = [(1, "x", -999), (1, "y", 3), (2, "x", 2), (2, "y", 2), (3, "x", 1), (3, "y", -1), (4, "x", 4), (4, "y", 5)]
    path.write_text("id,rater,q\n" + "".join(f"{name},{rater},{value}\n" for name, rater, value in rows))
    shown = []
    for flags in (["--missing", "-999,-1"], ["--missing=-999,-1"], ["--scale", "-5-5", "--missing", "-999,-1"]):
        assert main(["agreement", str(path), "--rating", "q", *flags]) == 0
        shown.append(capsys.readouterr().out.split("\n")[2])
    assert shown[0] == shown[1] == shown[2]
