"""The words of a sacreBLEU command after ``fw evaluate`` and ``fw bleu evaluate``: same meaning, same digits."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from json_files import read_json
from messages import TOKENIZED_PERIOD
from samples import sampled

sacrebleu = pytest.importorskip("sacrebleu.metrics")

Run = Callable[..., Any]
EXAMPLES = Path(__file__).resolve().parents[2] / "datasets" / "simplification"
NAMES = ("careful.txt", "clumsy.txt", "timid.txt", "references.0.txt", "references.1.txt", "sources.txt")


def lines(name: str) -> list[str]:
    return (EXAMPLES / name).read_text(encoding="utf-8").splitlines()


REFERENCES = [lines("references.0.txt"), lines("references.1.txt")]


@pytest.fixture
def here(fw: Run, tmp_path: Path) -> Run:
    """Runs ``fw`` in a folder with the example data."""
    for name in NAMES:
        (tmp_path / name).write_bytes((EXAMPLES / name).read_bytes())
    joined = zip(*REFERENCES, strict=True)
    (tmp_path / "refs.tsv").write_text("".join("\t".join(pair) + "\n" for pair in joined), encoding="utf-8")
    return fw


def expected(metric: Any, width: int = 1, short: bool = False, json: bool = False, **options: Any) -> str:
    """Returns what sacreBLEU prints for the first system."""
    score = metric.corpus_score(lines("careful.txt"), REFERENCES, **options)
    printed: str = score.format(width, False, metric.get_signature().format(short), json)
    return printed


BLEU, CHRF, TER = sacrebleu.BLEU, sacrebleu.CHRF, sacrebleu.TER
REFS = "references.0.txt references.1.txt -i careful.txt"
SHAPES = [  # words after fw, what sacreBLEU prints, why
    (f"bleu evaluate {REFS} -f text", lambda: expected(BLEU()), "references without a flag, -i, -f text"),
    (f"evaluate {REFS} -m bleu -f text", lambda: expected(BLEU()), "-m"),
    (f"evaluate {REFS} --metrics chrf -f text", lambda: expected(CHRF()), "--metrics"),
    ("ter evaluate -i careful.txt -r references.0.txt references.1.txt -f text", lambda: expected(TER()), "-r"),
    ("bleu evaluate refs.tsv -nr 2 -i careful.txt -f text", lambda: expected(BLEU()), "--num-refs"),
    (f"bleu evaluate {REFS} -f json", lambda: expected(BLEU(), json=True), "-f json"),
    (f"bleu evaluate {REFS} --format sacrebleu-json", lambda: expected(BLEU(), json=True), "the long form"),
    (f"{REFS} --format json", lambda: expected(BLEU(), json=True), "the long form of -f in the command of sacreBLEU"),
    (f"{REFS} --format=text", lambda: expected(BLEU()), "the long form, with its value"),
    (f"bleu evaluate {REFS} -sh -w 3", lambda: expected(BLEU(), 3, True), "--short, --width"),
    (
        f"bleu evaluate {REFS} --input careful.txt -f text".replace("-i careful.txt ", ""),
        lambda: expected(BLEU()),
        "--input",
    ),
    (
        f"bleu evaluate {REFS} -lc -tok intl -s floor -sv 0.3 -f text",
        lambda: expected(BLEU(lowercase=True, tokenize="intl", smooth_method="floor", smooth_value=0.3)),
        "options of BLEU",
    ),
    (
        f"evaluate {REFS} -m bleu -lc -tok intl -s floor -sv 0.3 -f text",
        lambda: expected(BLEU(lowercase=True, tokenize="intl", smooth_method="floor", smooth_value=0.3)),
        "options of BLEU, beside other metrics",
    ),
    (
        f"chrf evaluate {REFS} -cc 5 -cw 2 --chrf-beta 3 --chrf-whitespace --chrf-lowercase -f text",
        lambda: expected(CHRF(char_order=5, word_order=2, beta=3, whitespace=True, lowercase=True)),
        "options of chrF",
    ),
    (
        f"evaluate {REFS} -m chrf --chrf-eps-smoothing -f text",
        lambda: expected(CHRF(eps_smoothing=True)),
        "options of chrF, beside other metrics",
    ),
    (
        f"ter evaluate {REFS} --ter-normalized --ter-no-punct --ter-asian-support --ter-case-sensitive -f text",
        lambda: expected(TER(normalized=True, no_punct=True, asian_support=True, case_sensitive=True)),
        "options of TER",
    ),
    (
        f"bleu evaluate {REFS} -ci -cin 200 -f text -w 3",
        lambda: expected(BLEU(), 3, n_bootstrap=200),
        "intervals and the mean of the resamples",
    ),
    (
        f"chrf evaluate {REFS} --confidence --confidence-n 200 -f json -w 3",
        lambda: expected(CHRF(), 3, json=True, n_bootstrap=200),
        "intervals in JSON",
    ),
]


@pytest.mark.parametrize(("words", "theirs", "why"), sampled(SHAPES, 4))
def test_the_shapes_are_those_of_sacrebleu(words: str, theirs: Callable[[], str], why: str, here: Run) -> None:
    found = here(*words.split(), "-q")
    assert (found.code, found.err) == (0, "")
    assert found.out == f"{theirs()}\n", why


@pytest.mark.parametrize(
    ("words", "notes"),
    [
        (REFS, ["SACREBLEU_FORMAT is not read; use -f text"]),
        (f"{REFS} -ci -cin 40 --format text", ["SACREBLEU_SEED is not read; use --seed 42"]),
        (f"{REFS} -ci -cin 40 -f text --seed 42", []),
        (f"evaluate {REFS} -m bleu", []),
    ],
)
def test_variables_of_sacrebleu_are_not_read_and_a_note_has_the_flag(
    words: str, notes: list[str], here: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SACREBLEU_SEED", "42")
    monkeypatch.setenv("SACREBLEU_FORMAT", "text")
    assert here(*words.split()).err.splitlines() == [f"fw: {note}" for note in notes]


@pytest.mark.slow
def test_several_metrics_are_sorted_and_aligned(here: Run) -> None:
    found = here("evaluate", *REFS.split(), "-m", "ter", "chrf", "bleu", "-f", "text").out.splitlines()
    theirs = [expected(metric()) for metric in (BLEU, CHRF, TER)]
    assert [line.strip() for line in found] == theirs
    assert len({line.index(" = ") for line in found}) == 1
    objects = json.loads(here("evaluate", *REFS.split(), "-m", "ter", "bleu", "-f", "json").out)
    assert objects == [json.loads(expected(metric(), json=True)) for metric in (BLEU, TER)]
    scores = here("evaluate", *REFS.split(), "-m", "bleu", "ter", "-b", "-w", "2").out
    assert scores == "".join(f"{m().corpus_score(lines('careful.txt'), REFERENCES).score:.2f}\n" for m in (BLEU, TER))


@pytest.mark.parametrize("metric", ["bleu", "chrf", pytest.param("ter", marks=pytest.mark.slow)])
def test_scores_of_sentences_are_printed_one_per_line(metric: str, here: Run) -> None:
    theirs = {"bleu": BLEU(effective_order=True), "chrf": CHRF(), "ter": TER()}[metric]
    scores = [
        theirs.sentence_score(output, list(references))
        for output, *references in zip(lines("careful.txt"), *REFERENCES, strict=True)
    ]
    signature = str(theirs.get_signature())
    words = [metric, "evaluate", *REFS.split(), "--sentence-level"]
    assert here(*words).out == "".join(f"{score.format(1, False, signature)}\n" for score in scores)
    assert here(*words, "-b", "-w", "4").out == "".join(f"{score.score:.4f}\n" for score in scores)
    both = here(*words, "-b", "macro.json", "micro.jsonl")
    assert both.out.count("\n") == len(scores)
    assert Path("micro.jsonl").read_text(encoding="utf-8").count("\n") == len(scores)


def test_outputs_come_from_a_pipe(here: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    with Path("careful.txt").open(encoding="utf-8") as stream:
        monkeypatch.setattr(sys, "stdin", stream)
        found = here("bleu", "evaluate", "references.0.txt", "references.1.txt", "-f", "text")
    assert (found.out, found.err) == (f"{expected(BLEU())}\n", "fw: reading outputs from standard input\n")
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    refused = here("bleu", "evaluate", "references.0.txt")
    assert (refused.code, "or pipe outputs to fw" in refused.err) == (2, True)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["ar", "bs"])
def test_paired_tests_have_the_p_values_of_sacrebleu(kind: str, here: Run) -> None:
    from sacrebleu.significance import PairedTest

    systems = [(name, lines(f"{name}.txt")) for name in ("careful", "clumsy", "timid")]
    test = PairedTest(systems, {"BLEU": BLEU(), "TER": TER()}, REFERENCES, kind, 300)
    signatures, scores = test()
    words = "evaluate references.0.txt references.1.txt -i careful.txt careful.txt clumsy.txt timid.txt -m bleu ter"
    found = here(*words.split(), f"--paired-{kind}", f"-p{kind}n", "300", "-f", "json")
    assert found.code == 0, found.err
    printed = json.loads(found.out)
    assert [row["system"] for row in printed] == ["Baseline: careful", "clumsy", "timid"]
    for name in ("BLEU", "TER"):
        for row, theirs in zip(printed, scores[name], strict=True):
            values = {key: value for key, value in vars(theirs).items() if value is not None}
            assert {key: value for key, value in row[name].items() if value is not None} == pytest.approx(
                values, rel=1e-5
            )
    drawn = here(*words.split(), f"--paired-{kind}", f"-p{kind}n", "300", "-f", "text").out
    assert f" - BLEU       {signatures['BLEU']}" in drawn
    assert f"(p = {scores['TER'][2].p_value:.4f})" in drawn
    in_table = here(*words.split(), f"--paired-{kind}", f"--paired-{kind}-n", "300")
    assert "300 trials" in in_table.out
    assert f"|p{kind}:300|" in in_table.out


def test_a_score_that_sacrebleu_does_not_have_is_printed_in_its_shape(here: Run) -> None:
    found = here("sari", "evaluate", *REFS.split(), "--sources", "sources.txt", "-f", "text").out
    assert found.startswith("sari|variant:easse|tok:13a|")
    assert found.rstrip().endswith(" = 55.7")
    as_json = json.loads(here("sari", "evaluate", *REFS.split(), "--sources", "sources.txt", "-f", "json").out)
    assert (as_json["name"], as_json["variant"]) == ("sari", "easse")


def tokenized(path: str, count: int) -> None:
    texts = [f"The cat {number} sat on the mat{' .' if number < count else '.'}" for number in range(150)]
    Path(path).write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")


def test_tokenized_outputs_are_named_as_in_sacrebleu(here: Run) -> None:
    for name, count in (("a.txt", 100), ("b.txt", 99), ("ref.txt", 0)):
        tokenized(name, count)
    words = ["ref.txt", "-i", "a.txt", "b.txt"]
    warned = here("bleu", "evaluate", *words)
    assert warned.code == 0
    assert f"warning: {TOKENIZED_PERIOD} (' .'), which 'bleu' scores wrongly: 100 of" in warned.err
    assert "'b'" not in warned.err
    assert here("bleu", "evaluate", *words, "--strict").code == 1
    for quiet in (["bleu", "evaluate", *words, "--force"], ["bleu", "evaluate", *words, "-tok", "none"]):
        assert "tokenized" not in here(*quiet).err
    assert "tokenized" not in here("ter", "evaluate", *words).err


@pytest.mark.parametrize(("pair", "tokenizer"), [("en-zh", "zh"), ("zh-en", "13a"), ("en-de", "13a")])
def test_the_target_language_chooses_the_tokenizer(pair: str, tokenizer: str, here: Run) -> None:
    found = here("evaluate", *REFS.split(), "-m", "bleu", "ter", "-l", pair)
    assert f"|tok:{tokenizer}|" in found.out
    assert ("uses the tokenizer 'zh'" in found.err) == (tokenizer == "zh")
    assert "|tok:none|" in here("bleu", "evaluate", *REFS.split(), "-l", pair, "--tokenizer", "none").out
    assert "|tok:none|" in here("evaluate", *REFS.split(), "-m", "bleu:tokenize=none", "-l", pair).out


def test_a_metric_may_be_named_after_its_own_command(here: Run) -> None:
    words = ("bleu", "evaluate", *REFS.split(), "-b")
    assert here(*words, "-m", "bleu").out == here(*words, "--metrics", "bleu").out == here(*words).out
    assert "'chrf' is a metric, not a file" in here(*words, "-m", "bleu", "chrf").err


def test_outputs_of_several_systems_in_a_pipe_are_rejected(here: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """sacreBLEU reads the columns of standard input as systems; scored as one text, they have a wrong BLEU."""
    with Path("refs.tsv").open(encoding="utf-8") as stream:
        monkeypatch.setattr(sys, "stdin", stream)
        found = here("bleu", "evaluate", "references.0.txt", "-b")
    assert (found.code, found.out) == (1, "")
    assert "expected the output of one system, got 2 texts separated by tabs" in found.err
    assert here("bleu", "evaluate", "references.0.txt", "--outputs", "refs.tsv", "-b").code == 2
    Path("refs").write_bytes(Path("refs.tsv").read_bytes())
    assert here("bleu", "evaluate", "references.0.txt", "-i", "refs", "-b").code == 0


def test_files_that_are_outputs_stay_outputs(here: Run) -> None:
    done = here("bleu", "evaluate", "macro.json", "references.0.txt", "micro.jsonl", "-i", "careful.txt")
    assert done.code == 0, done.err
    assert read_json("macro.json")["num_instances"] == len(REFERENCES[0])
    assert Path("references.0.txt").read_text(encoding="utf-8").splitlines() == REFERENCES[0]
    assert here("bleu", "score", "scores.jsonl", "references.0.txt", "-i", "careful.txt").code == 0
    assert Path("scores.jsonl").read_text(encoding="utf-8").count("\n") == len(REFERENCES[0])


ENDINGS = ("", " ", "\t", " \r", "\r\r", "\u3000 ", "\x0b", "\x85")


@pytest.mark.parametrize("words", ["refs0.txt refs1.txt --chrf-word-order 2", "refs.tsv -nr 2"])
def test_whitespace_at_the_end_of_lines_counts_as_in_the_command_of_sacrebleu(words: str, here: Run) -> None:
    outputs, *both = [lines("careful.txt"), *REFERENCES]
    outputs[3], both[0][5] = "", "  a  b"
    for name, texts in (("out.txt", outputs), ("refs0.txt", both[0]), ("refs1.txt", both[1])):
        texts[:] = [text + ENDINGS[(index + len(name)) % len(ENDINGS)] for index, text in enumerate(texts)]
        Path(name).write_text("".join(f"{text}\n" for text in texts), encoding="utf-8", newline="")
    joined = [f"{first.rstrip()}\t{second}\n" for first, second in zip(*both, strict=True)]
    Path("refs.tsv").write_text("".join(joined), encoding="utf-8", newline="")
    options = f"{words} -i out.txt -m chrf --chrf-whitespace -f text -w 9".split()
    expected = subprocess.run(
        [sys.executable, "-m", "sacrebleu", *options], capture_output=True, stdin=subprocess.DEVNULL, encoding="utf-8"
    )
    assert here("evaluate", *options).out == expected.stdout != ""
