"""What users of EASSE type: names that differ here are explained, and near misses have a suggestion."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from shlex import split
from typing import Any

import pytest

Run = Callable[..., Any]
TEXTS = "--sources src.txt --references ref.txt"

WRONG = [  # words, fragments of the message
    (f"evaluate -m sari -i out.txt {TEXTS} --orig_sents_path src.txt", ("is a flag of EASSE", "use --sources FILE")),
    (
        "sari evaluate -i out.txt --refs_sents_paths=a,b",
        ("--refs_sents_paths is a flag of EASSE", "--references FILE …"),
    ),
    ("sari score --sys-sents-path out.txt", ("--sys-sents-path is a flag of EASSE", "--outputs FILE")),
    (f"evaluate -m sari -i out.txt {TEXTS} -a", ("-a is a flag of EASSE", "--metric transformations")),
    (f"evaluate -m sari -i out.txt {TEXTS} --quality_estimation", ("--metric quality-estimation",)),
    (f"report -p page.html -i out.txt {TEXTS}", ("-p is a flag of EASSE", "fw report FILE.html")),
    ("evaluate -m sari -i out.txt -t turkcorpus_test", ("no language pairs", "--dataset turkcorpus-test\n")),
    ("evaluate -m sari -i out.txt -t asset-valid", ("--dataset asset-valid\n",)),
    ("evaluate -m sari -i out.txt -t turkcorpus_valid_legacy", ("--dataset turkcorpus-tune-tok\n",)),
    (f"evaluate -m sari -i out.txt -t custom {TEXTS}", ("leave it out", "--sources")),
    (f"evaluate -m sari_legacy -i out.txt {TEXTS}", ("did you mean 'sari:variant=star'?",)),
    (f"evaluate -m bleu sari_by_operation -i out.txt {TEXTS}", ("did you mean 'sari'?", "--components")),
    (f"evaluate -m bleu f1_token -i out.txt {TEXTS}", ("unknown metric 'f1_token': did you mean 'token-f1'?",)),
    (f"evaluate -m sari BLEU -i out.txt {TEXTS}", ("unknown metric 'BLEU'; did you mean 'bleu'?",)),
    (f"evaluate -m sari BLEU -lc -i out.txt {TEXTS}", ("unknown metric 'BLEU'; did you mean 'bleu'?",)),
    (f"evaluate -m sari --significance -i out.txt {TEXTS}", ("did you mean --confidence?",)),
    (f"evaluate -m sari --compare-to out -i out.txt {TEXTS}", ("did you mean --baseline?",)),
    (f"evaluate -m sari --latex -i out.txt {TEXTS}", ("did you mean --format?",)),
    (f"evaluate -m sari -o table.xlsx -i out.txt {TEXTS}", ("cannot be written as 'table.xlsx'", ".csv")),
    (
        f"evaluate -m sari -i out.txt {TEXTS} scores.json",
        ("got 'scores.json'; a file to write comes before the flags",),
    ),
    ("evaluate -m bleu -r ref.txt -i out.txt scores.json", ("--input-files", "a file to write comes before")),
    (f"evaluate -m sari -i folder {TEXTS}", ("'folder' cannot be read: it is a folder", "as in folder/*.txt")),
    (f"evaluate -m sari --output out.txt {TEXTS}", ("no input", "--output out.txt names the file for the table")),
]


@pytest.fixture
def here(fw: Run) -> Run:
    for name in ("src", "ref", "out"):
        Path(f"{name}.txt").write_text("A cat sat.\nIt was late.\n", encoding="utf-8")
    Path("folder").mkdir()
    return fw


@pytest.mark.parametrize(("words", "fragments"), WRONG, ids=[words for words, _ in WRONG])
def test_names_of_easse_and_near_misses_are_explained(words, fragments, here):
    before = sorted(Path().iterdir())
    found = here(*split(words))
    assert (found.code, found.out) == (2, ""), found.err
    for fragment in fragments:
        assert fragment in found.err
    assert sorted(Path().iterdir()) == before


def test_a_word_that_resembles_no_metric_is_still_an_output_file(here):
    assert here(*split(f"evaluate scores.json -m sari -i out.txt {TEXTS}")).code == 0
    assert "a file that ends in .json for system scores" in here(*split(f"evaluate x -m sari -i out.txt {TEXTS}")).err
    assert here(*split(f"evaluate -m sari -i out.txt {TEXTS} -o x.pdf --format csv")).code == 0, "a chosen format"
