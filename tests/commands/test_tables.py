"""The table of ``fw evaluate``: its systems, scores, width, emphasis, notes and file."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from shlex import split
from typing import Any

import pytest
from json_files import read_json
from messages import NOT_A_RESULT_OF_FW
from samples import sampled

from metrics_framework.reports.formats.text_table import display_width

Run = Callable[..., Any]
SYSTEMS = ("timid", "careful", "clumsy")


@pytest.fixture
def plain(fw: Run, datasets_path: Path) -> Run:
    """Runs ``fw`` with the example texts."""
    folder = datasets_path / "simplification"
    texts = f"--references {folder / 'references.0.txt'} --sources {folder / 'sources.txt'}"
    outputs = f"--outputs {' '.join(str(folder / f'{name}.txt') for name in SYSTEMS)}"

    def run(words: str) -> Any:
        return fw(*split(f"{words} {texts} {'' if '--outputs' in words else outputs}"))

    return run


def header(found: Any) -> list[str]:
    assert found.code == 0, found.err
    return list(found.out.splitlines()[0].split())


def systems(found: Any) -> list[str]:
    """Returns the first column of a table, up to the empty line after it."""
    lines = found.out.split("\n\n")[0].splitlines()
    return [line.split("  ")[0] for line in lines[2:]]


# ---- scores ----------------------------------------------------------------------------------------------------------

TERMS = "evaluate --metric sari --metric bleu --metric quality-estimation:splitter=none,lexical_complexity=false"
PROFILE = "evaluate --profile simplification --no-confidence"
FEATURES = "compression_ratio sentence_splits levenshtein_similarity exact_copies additions_proportion"
CHOICES = [  # flags or words, columns, why
    ("", f"sari bleu {FEATURES} deletions_proportion", "main scores; all scores of a metric without a main score"),
    ("--scores bleu sari", "bleu sari", "chosen scores in the order given"),
    ("--scores bleu --scores sari_add", "bleu sari_add", "a repeated flag adds up"),
    ("--scores sari,bleu_bp", "sari bleu_bp", "names with commas"),
    ("--scores sari sari", "sari", "a score twice"),
    ("sari evaluate", "sari", "no components"),
    ("sari evaluate --components", "sari sari_keep sari_del sari_add", "components on request"),
    ("evaluate --metric sari:label=x --metric ter:label=ter_y", "x ter_y", "labels rename the main scores"),
    (f"{PROFILE} --scores bleu sari fkgl_words", "BLEU SARI fkgl_words", "scores of a profile keep their headings"),
]


@pytest.mark.parametrize(("words", "columns", "why"), CHOICES, ids=[why for *_, why in CHOICES])
def test_a_table_has_the_main_scores_or_the_chosen_scores(words: str, columns: str, why: str, plain: Run) -> None:
    found = plain(f"{words if 'evaluate' in words else f'{TERMS} {words}'} --format markdown")
    cells = [cell.strip() for cell in found.out.splitlines()[0].strip("|").split("|")]
    assert cells == ["system", "outputs", *columns.split()]


def test_tables_for_programs_have_all_scores(plain: Run) -> None:
    table = list(csv.DictReader(io.StringIO(plain("sari evaluate --format csv").out)))
    assert list(table[0]) == ["system", "outputs", "sari", "sari_keep", "sari_del", "sari_add"]
    chosen = list(csv.DictReader(io.StringIO(plain("sari evaluate --format csv --scores sari_add").out)))
    assert list(chosen[0]) == ["system", "outputs", "sari_add"]


def test_scores_of_a_profile_are_chosen_and_sorted_by_heading(plain: Run) -> None:
    assert "bleu_precisions" in plain(f"{PROFILE} --components").out
    found = plain(f"{PROFILE} --scores SARI add,bleu 'compression ratio' --sort SARI --format markdown")
    cells = [cell.strip() for cell in found.out.splitlines()[0].strip("|").split("|")]
    assert cells == ["system", "outputs", "SARI", "add", "BLEU", "Compression ratio"]
    assert plain(f"{PROFILE} --sort FKGL").out == plain(f"{PROFILE} --sort fkgl").out
    unknown = plain(f"{PROFILE} --scores sentences")
    assert (unknown.code, "unknown score 'sentences'; did you mean 'sentence_splits'?" in unknown.err) == (2, True)


# ---- systems ---------------------------------------------------------------------------------------------------------


def test_systems_are_in_the_order_given_and_the_baseline_is_first_and_marked(plain: Run) -> None:
    assert systems(plain("sari evaluate")) == ["timid", "careful", "clumsy"]
    assert systems(plain("sari evaluate --confidence")) == ["timid (baseline)", "careful", "clumsy"]
    assert systems(plain("sari evaluate --baseline clumsy")) == ["clumsy (baseline)", "timid", "careful"]
    for form in ("markdown", "latex"):
        assert "clumsy (baseline)" in plain(f"sari evaluate --baseline clumsy --format {form}").out
    table = list(csv.DictReader(io.StringIO(plain("sari evaluate --baseline clumsy --format csv").out)))
    assert [(row["system"], row["baseline"]) for row in table] == [
        ("clumsy", ""),
        ("timid", "clumsy"),
        ("careful", "clumsy"),
    ]


def test_systems_are_sorted_by_a_score_on_request(plain: Run) -> None:
    assert systems(plain("sari evaluate --sort sari")) == ["careful", "clumsy", "timid"]
    assert systems(plain("ter evaluate --sort ter")) == ["timid", "careful", "clumsy"], "lower is better"
    found = systems(plain("sari evaluate macro.json --sort sari_add"))
    added = {name: one["sari_add"] for name, one in read_json("macro.json")["systems"].items()}
    assert found == sorted(added, key=lambda name: -added[name]), "a component, which is not shown"
    assert systems(plain("sari evaluate --sort system")) == ["careful", "clumsy", "timid"]
    assert systems(plain("sari evaluate --confidence --sort sari")) == ["careful", "clumsy", "timid (baseline)"]


def test_undefined_scores_are_last(fw: Run) -> None:
    Path("plugin.py").write_text(
        "from metrics_framework import Metric, MetricsDict, ReferenceFreeMetric\n\n\n"
        '@Metric.register("length")\nclass Length(ReferenceFreeMetric):\n    """Is undefined for x."""\n\n'
        "    def score_multi_all(self, summaries_list):\n"
        "        return [[MetricsDict({'length': len(text) if text != 'x' else float('nan')}) for text in texts]"
        " for texts in summaries_list]\n",
        encoding="utf-8",
    )
    for name, text in {"a": "x", "b": "yy", "c": "zzz"}.items():
        Path(f"{name}.txt").write_text(f"{text}\n", encoding="utf-8")
    found = fw(*split("length evaluate --outputs a.txt b.txt c.txt --sort length --include-packages plugin.py"))
    assert systems(found) == ["c", "b", "a"]


def test_the_outputs_of_all_systems_together_are_a_row_on_request(plain: Run) -> None:
    for form in ("table", "markdown", "csv"):
        assert "(all)" not in plain(f"sari evaluate --format {form}").out
        assert plain(f"sari evaluate --pooled --format {form}").out.count("(all)") == 1
    assert systems(plain("sari evaluate --pooled --sort sari"))[-1] == "(all)"
    assert "(all)" in plain("evaluate --profile simplification --no-confidence --scores sari --pooled").out


def test_a_system_may_have_the_name_of_the_row(plain: Run, datasets_path: Path) -> None:
    folder = datasets_path / "simplification"
    outputs = f"--outputs '(all)={folder / 'timid.txt'}' {folder / 'careful.txt'} {folder / 'clumsy.txt'}"
    same = plain(f"sari evaluate --confidence --format markdown {outputs}").out.replace("(all)", "timid")
    assert same.split() == plain("sari evaluate --confidence --format markdown").out.split()
    found = plain(f"sari evaluate --pooled {outputs}")
    assert found.code == 2
    assert "a system is called '(all)', as is the row of --pooled" in found.err


# ---- width -----------------------------------------------------------------------------------------------------------


def widest(table: str) -> int:
    """Returns the width of a printed table without its signatures."""
    lines = [line for line in table.splitlines() if not line.startswith(("signature", "sacrebleu"))]
    return max(map(display_width, lines))


WIDE = [
    "evaluate --profile simplification",
    "evaluate --profile simplification --no-confidence",
    "evaluate --metric sari --metric bleu --metric ter --metric chrf --confidence",
    "evaluate --metric sari --metric bleu --metric ter --metric chrf --components --confidence",
]


@pytest.mark.parametrize("words", sampled(WIDE, 1))
def test_twelve_systems_fit_100_columns(words: str, plain: Run, datasets_path: Path) -> None:
    names = [f"newstest2017.online-{number}.0.en-de" for number in range(11)]
    for index, name in enumerate([*names, "猫のシステム"]):
        shutil.copy(datasets_path / "simplification" / f"{SYSTEMS[index % 3]}.txt", f"{name}.txt")
    outputs = "--outputs 猫のシステム.txt " + " ".join(f"{name}.txt" for name in names)
    found = plain(f"{words} --resamples 40 {outputs}" if "no-conf" not in words else f"{words} {outputs}")
    assert found.code == 0, found.err
    assert widest(found.out) <= 100
    for name in names:
        assert any(line.startswith(name) for line in found.out.splitlines()), "a row for each system"


def test_few_systems_with_many_scores_are_side_by_side(plain: Run) -> None:
    found = plain("evaluate --profile simplification --resamples 40")
    assert header(found) == ["score", "timid", "(baseline)", "careful", "clumsy"]
    assert widest(found.out) <= 100


def test_columns_are_aligned_under_wide_names(plain: Run, datasets_path: Path) -> None:
    folder = datasets_path / "simplification"
    names = ["猫のシステム", "cafe\u0301", "한국어", "\u1112\u1161\u11ab", "❤\ufe0f", "plain"]
    for name in names:
        shutil.copy(folder / "timid.txt", f"{name}.txt")
    outputs = " ".join(f"'{name}.txt'" for name in names)
    lines = plain(f"evaluate --metric sari --metric bleu --outputs {outputs}").out.split("\n\n")[0].splitlines()
    assert len({display_width(line) for line in lines}) == 1
    assert lines[2].startswith("猫のシステム       48")


# ---- emphasis and digits ---------------------------------------------------------------------------------------------


def rows_of(latex: str) -> dict[str, Sequence[str]]:
    lines = latex.split(r"\midrule")[1].split(r"\bottomrule")[0].strip().splitlines()
    cells = [[cell.strip() for cell in line.removesuffix(r"\\").split("&")] for line in lines]
    return {name: scores for name, _, *scores in cells}


def test_the_best_score_is_bold_and_the_second_underlined(plain: Run) -> None:
    words = "evaluate --metric sari --metric ter --components --scores sari ter ter_num_edits --pooled"
    rows = rows_of(plain(f"{words} --format latex").out)
    assert [rows["careful"][0], rows["clumsy"][0], rows["timid"][0]] == [
        r"\textbf{53.78}",
        r"\underline{41.99}",
        "34.27",
    ]
    assert rows["timid"][1].startswith(r"\textbf{"), "lower is better for TER"
    assert all(row[2].isdigit() for row in rows.values()), "no direction is known for a component"
    assert "{" not in "".join(rows["(all)"]), "the row for all systems takes no part"
    markdown = plain(f"{words} --format markdown").out
    assert "**53.78**" in markdown
    assert "<ins>41.99</ins>" in markdown
    assert "- bold: the best score of a column; the second is underlined" in markdown


def test_scores_that_are_printed_alike_have_one_rank(fw: Run, plain: Run, datasets_path: Path) -> None:
    folder = datasets_path / "simplification"
    same = f"--outputs a={folder / 'timid.txt'} b={folder / 'clumsy.txt'}"
    shutil.copy(folder / "timid.txt", "c.txt")
    rows = rows_of(plain(f"sari evaluate --format latex {same} c.txt").out)
    assert [cells[0] for cells in rows.values()] == ["34.27", r"\textbf{41.99}", "34.27"], "two values: no second"
    alone = plain("sari evaluate --format latex --outputs c.txt").out
    assert "textbf" not in alone
    assert "bold" not in alone


def test_ratios_have_two_digits_more_than_percentages(plain: Run) -> None:
    words = "evaluate --profile simplification --no-confidence --scores sari fkgl lexical_complexity compression_ratio"
    for digits, numbers in ((2, ["34.27", "14.58", "8.91", "0.9833"]), (0, ["34", "15", "9", "0.98"])):
        found = plain(f"{words} --digits {digits}")
        assert found.out.splitlines()[2].split()[2:] == numbers


# ---- LaTeX -----------------------------------------------------------------------------------------------------------


def test_a_latex_table_floats_with_caption_and_label(plain: Run) -> None:
    found = plain(r"sari evaluate --confidence --format latex --caption 'Scores (\%).' --label tab:main")
    lines = found.out.splitlines()
    assert (lines[0], lines[-1]) == (r"\begin{table}[t]", r"\end{table}")
    assert r"\caption{Scores (\%).}" in lines
    assert r"\label{tab:main}" in lines
    assert lines.index(r"\end{tabular}") < lines.index(r"\caption{Scores (\%).}") < lines.index(r"\label{tab:main}")
    assert {r"\toprule", r"\midrule", r"\bottomrule"} <= set(lines)
    note = next(line for line in lines if line.startswith(r"{\footnotesize"))
    assert "$^{*}$: differs significantly from 'timid'" in note
    assert "[ ]: 95 \\% confidence interval" in note
    assert "best score" in note
    assert plain("sari evaluate --format latex").out.startswith(r"\begin{tabular}"), "no float without them"


def test_latex_compiles(plain: Run, tmp_path: Path) -> None:
    if shutil.which("pdflatex") is None:
        pytest.skip("pdflatex is not installed")
    table = plain(r"evaluate --profile simplification --format latex --caption 'A % of <b> [c].'.".replace("%", r"\%"))
    document = (
        "\\documentclass{article}\n\\usepackage{booktabs}\n\\begin{document}\n" + table.out + "\n\\end{document}\n"
    )
    Path("table.tex").write_text(document, encoding="utf-8")
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "table.tex"], capture_output=True, check=False
    )
    assert done.returncode == 0, done.stdout.decode(errors="replace")[-2000:]


# ---- signatures ------------------------------------------------------------------------------------------------------


def signature_lines(printed: str) -> list[list[str]]:
    return [line.split() for line in printed.splitlines() if line.startswith(("signature", "sacrebleu"))]


def test_signatures_have_the_label_of_their_metric(plain: Run) -> None:
    words = "evaluate --metric bleu --metric bleu:lowercase=true,label=bleu-lc --metric ter"
    found = signature_lines(plain(words).out)
    assert [line[:2] for line in found] == [
        *(["signature", label] for label in ("bleu", "bleu-lc", "ter")),
        *(["sacrebleu", label] for label in ("bleu", "bleu-lc", "ter")),
    ]
    assert "case:lc" in found[1][2]
    assert "case:lc" in found[4][2]
    markdown = plain(f"{words} --format markdown").out
    assert "- signature bleu-lc: `bleu|case:lc" in markdown
    assert "- sacrebleu bleu-lc: `nrefs:1|case:lc" in markdown
    assert "% sacrebleu bleu-lc: nrefs:1|case:lc" in plain(f"{words} --format latex").out
    assert "fw: sacrebleu bleu-lc nrefs:1|case:lc" in plain(f"{words} --format csv").err


def test_chosen_scores_leave_out_the_signatures_of_other_metrics(plain: Run) -> None:
    found = plain(
        "evaluate --metric sari --metric bleu --metric ter --scores ter sari_add --macro-output-json macro.json"
    )
    assert [line[:2] for line in signature_lines(found.out)] == [
        ["signature", "sari"],
        ["signature", "ter"],
        ["sacrebleu", "ter"],
    ]
    assert list(read_json("macro.json")["signature"]) == ["sari", "bleu", "ter"]
    for words, label in (("evaluate -m sari bleu --scores sari", "sari"), ("evaluate -m sari:label=x", "x")):
        assert [line[1] for line in signature_lines(plain(words).out)] == [label]
    assert signature_lines(plain("sari evaluate").out)[0][1].startswith("sari|variant:easse|"), "no label"


# ---- output file -----------------------------------------------------------------------------------------------------

FILES = [  # file, flags, beginning
    ("t.tex", "", r"\begin{tabular}"),
    ("t.md", "", "| system"),
    ("t.csv", "", "system,outputs,"),
    ("t.tsv", "", "system\toutputs\t"),
    ("t.txt", "", "system   outputs"),
    ("t.json", "", "{\n"),
    ("t.html", "", "<table>"),
    ("t.dat", "", "system   outputs"),
    ("t.dat", "--format markdown", "| system"),
    ("t.csv", "--format latex", r"\begin{tabular}"),
]


@pytest.mark.parametrize("file", ["t.tex", "t.md", "t.txt", "t.html"])
def test_the_number_of_outputs_is_left_out_on_request(file: str, plain: Run) -> None:
    for _ in range(2):  # the second run replaces the table of the first
        found = plain(f"evaluate --metric sari --metric ter --confidence --no-counts -o {file}")
        assert found.code == 0, found.err
    head, *_ = [line for line in Path(file).read_text(encoding="utf-8").splitlines() if "system" in line]
    assert ("outputs" in head, "sari" in head, "ter" in head) == (False, True, True)
    Path(file).write_text(Path(file).read_text(encoding="utf-8").replace("signature", ""), encoding="utf-8")
    if file != "t.txt":
        assert NOT_A_RESULT_OF_FW in plain(f"sari evaluate --no-counts -o {file}").err, "a table of someone else"


@pytest.mark.parametrize(("file", "flags", "beginning"), FILES)
def test_the_ending_of_the_file_is_the_format_of_the_table(file: str, flags: str, beginning: str, plain: Run) -> None:
    for _ in range(2):  # the second run replaces the table of the first
        found = plain(f"sari evaluate -o {file} {flags}")
        assert (found.code, found.out) == (0, "")
    assert f"fw: wrote the table to {file}\n" in found.err
    written = Path(file).read_text(encoding="utf-8")
    assert written.startswith(beginning)
    assert written.endswith("\n")
    assert not written.endswith("\n\n")


def test_the_file_has_what_would_be_printed(plain: Run) -> None:
    printed = plain("sari evaluate --confidence")
    assert plain("sari evaluate --confidence --output sub/table.txt macro.json").code == 0
    assert Path("sub/table.txt").read_text(encoding="utf-8") == printed.out
    assert "systems" in read_json("macro.json")
    assert plain("sari evaluate --confidence -o -").out == printed.out


def test_the_ending_counts_with_flags_of_sacrebleu_too(plain: Run, datasets_path: Path) -> None:
    assert plain("evaluate --metric bleu -o t.md --paired-ar --paired-ar-n 100").code == 0
    assert Path("t.md").read_text(encoding="utf-8").startswith("| system")
    for outputs in ("", f"--outputs {datasets_path / 'simplification' / 'timid.txt'}"):
        for _ in range(2):
            assert plain(f"bleu evaluate -f text -o t.txt {outputs}").code == 0
    assert plain("bleu evaluate -f latex -o t.tex").code == 0
    assert Path("t.tex").read_text(encoding="utf-8").startswith(r"\begin{tabular}")


@pytest.mark.slow
def test_every_command_with_results_has_the_flag(fw: Run, plain: Run, datasets_path: Path) -> None:
    folder = datasets_path / "simplification"
    assert plain("score -o scores.jsonl --metric sari --metric sari:variant=hf,label=hf").code == 0
    assert len(Path("scores.jsonl").read_text(encoding="utf-8").splitlines()) == 144
    words = f"correlate scores.jsonl {folder / 'human.jsonl'} --metric sari --metric hf --human simplicity --ci none"
    printed = fw(*split(words)).out
    assert "\nsignature: sari|variant:easse|" in printed
    assert "\nsignature hf: sari|variant:hf|" in printed
    assert printed.startswith("Best metric for simplicity: sari")
    assert json.loads(fw(*split(f"{words} -o -  --format json")).out)["correlations"][1]["metric1"] == "hf"
    assert plain("report -o page.html --metric sari --no-confidence").code == 0
    assert Path("page.html").read_text(encoding="utf-8").startswith("<!")


@pytest.mark.slow
def test_a_table_on_a_pipe_does_not_depend_on_the_terminal(datasets_path: Path) -> None:
    words = f"evaluate --profile simplification --input-files {datasets_path / 'simplification' / 'outputs.jsonl'}"
    printed = {
        subprocess.run(
            [sys.executable, "-m", "metrics_framework", *split(words), "--no-confidence"],
            env={"COLUMNS": columns, "PATH": ""},
            capture_output=True,
            check=True,
        ).stdout
        for columns in ("40", "300")
    }
    assert len(printed) == 1
    assert re.search(rb"^score +careful", printed.pop())
