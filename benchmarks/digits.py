"""Compares the digits of scores, intervals and tests between versions of Python.

Run it with every Python and one folder: ``python benchmarks/digits.py --folder DIGITS``. It scores generated text with
every metric that needs no model, with native kernels and their Python twins, and runs the commands that compute
intervals, tests and correlations on the example data. It prints a hash of all digits of each, keeps the hashes in the
folder, and ends with an error if they differ from those of another Python there that ran the same code.

The texts have no characters newer than Unicode 13.0, the version of Python 3.10: for such texts, scores are equal for
every Python from 3.10 on (decision 0013). The last lines show scores of newer characters, which differ where Python's
Unicode tables do. Digits of commands are compared between equal versions of NumPy and SciPy.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.metadata
import json
import os
import platform
import random
import sys
import tempfile
import unicodedata
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

from metrics_framework.commands.app import main as fw
from metrics_framework.common.errors import MissingExtraError, TextWarning
from metrics_framework.kernels import dispatch
from metrics_framework.kernels.dispatch import Request
from metrics_framework.metrics.base.metric import Metric, load
from metrics_framework.metrics.sari import VARIANTS

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "datasets"
METRICS = [
    *("autosummeng", "autosummeng:min_n=1,max_n=2,window=5,mode=corrected"),
    *("bleu", "bleu:smooth_method=floor,effective_order=true,tokenizer=intl,lowercase=true", "bleu:max_ngram_order=9"),
    *("bleu:smooth_method=add-k,tokenizer=zh", "sent-bleu", "sent-bleu:tokenizer=char,smooth_method=none"),
    *("chrf", "chrf:word_order=2,lowercase=true", "chrf:eps_smoothing=true,whitespace=true"),
    *("cer:lowercase=true", "wer:lowercase=true"),
    *("fkbleu:splitter=none,lowercase=true", "fkgl:splitter=none", "ibleu:lowercase=true,tokenizer=intl"),
    *("google-rouge:use_stemmer=true", "token-f1", "token-f1:tokenizer=char,lowercase=false"),
    "rouge:compute_rouge_l=true,skip_bigram_gap_length=4,wlcs_weight=1.2",
    "rouge:max_words=9,remove_stopwords=true,scoring_function=max",
    *(f"sari:variant={name}" for name in VARIANTS),
    *("simetrix", "ter", "ter:normalized=true,asian_support=true", "ter:no_punct=true,case_sensitive=true"),
    *("quality-estimation:splitter=none", "transformations", "transformations:tokenizer=none,tagger=none"),
]
"""Metrics that need no model; those that need a package that is not installed are left out."""
SIMPLIFICATION, HUMAN = DATA / "simplification" / "outputs.jsonl", DATA / "simplification" / "human.jsonl"
RATINGS, JUDGEMENTS = DATA / "judging" / "ratings.csv", DATA / "judging" / "judgements.csv"
VOTES, PEOPLE = DATA / "preferences" / "judge.jsonl", DATA / "preferences" / "people.csv"
RAW = DATA / "simplification" / "ratings.csv"
INPUT = f"--metric sari --metric chrf --metric bleu --input-files {SIMPLIFICATION}"
SCORES = f"scores.jsonl {HUMAN} --metric sari --metric ter --metric bleu --human simplicity --resamples 200"
COMMANDS = {
    "evaluate --confidence": f"evaluate out.json out.jsonl {INPUT} --confidence --resamples 200",
    "summarization": f"evaluate out.json --profile summarization --input-files {DATA}/summarization/outputs.jsonl",
    "samsa": f"samsa evaluate out.json out.jsonl --passages {DATA}/ucca --splitter none "
    f"--input-files {DATA}/ucca/outputs.jsonl",
    "error-spans": f"error-spans evaluate out.json --dataset-reader error-spans "
    f"--input-files {DATA}/translation/spans.jsonl",
    "pyramid-score": f"pyramid-score evaluate out.json out.jsonl --dataset-reader pyramid-based "
    f"--input-files {DATA}/pyramids/pyramids.jsonl {DATA}/pyramids/annotations.jsonl",
    "compare": f"compare {INPUT} --output-file out.json",
    "compare ratings": f"compare {RAW} --higher-is-better simplicity --output-file out.json",
    "scores": f"score scores.jsonl --metric sari --metric ter --metric bleu --input-files {SIMPLIFICATION}",
    "correlate": f"correlate {SCORES} --test both --detectable --partial sentinel-length --texts {SIMPLIFICATION} "
    "--output-file out.json --plot out.svg --report out.html",
    "correlate --coefficient": f"correlate {SCORES} --coefficient spearman,kendall-c,acc-eq,spa --level input,system "
    "--ci bca --output-file out.json",
    "correlate ratings": f"correlate scores.jsonl {RAW} --metrics sari simplicity --sentinels "
    f"--texts {SIMPLIFICATION} --output-file out.json",
    "stat-sig-test": f"stat-sig-test scores.jsonl {HUMAN} --dependent-metric simplicity --metric-A sari --metric-B ter "
    "--method williams --output-file out.json",
    "agreement": f"agreement {RAW} --rating simplicity --weights ordinal,interval --plan 1,48 --output-file out.json",
    "estimate": f"estimate {RATINGS} {JUDGEMENTS} --rating helpfulness --judge model --output-file out.json",
    "judge": f"judge {RATINGS} {JUDGEMENTS} --rating helpfulness --judge model --output-file out.json",
    "prefer": f"prefer {VOTES} --covariate length --against {PEOPLE} --output-file out.json",
    "prefer best-worst": f"prefer {DATA}/preferences/best_worst.csv --output-file out.json",
    "report": f"report out.html --profile summarization --input-files {DATA}/summarization/outputs.jsonl",
    "visualize pyramid": f"visualize pyramid out.html --input-files {DATA}/pyramids/pyramids.jsonl "
    f"{DATA}/pyramids/annotations.jsonl",
}
"""Commands, which run in this order in one folder; results are what they write to files named ``out`` or ``scores``."""

PIECES = [  # of Unicode 13.0 and earlier
    *("the", "The", "cat", "cat's", "a", "b", "walking", "walked", "don't", "can not", "x" * 40, "of", "and"),
    *(
        "-\n",
        "\n",
        "-",
        "<skipped>",
        "&quot;",
        "&amp;lt;",
        "1",
        "3.5",
        "1,000",
        "2-3",
        "..",
        ".",
        ",",
        "5.",
        "(x)",
        "$",
    ),
    *("İ", "i̇", "ẞ", "ß", "ΣΑΣ", "σας", "ſ", "\u212a", "É", "漢字", "かな、", "。", "５．", "😀", "\U0010ffff"),
    *("\ud800", "\udfff", "\0", "\x7f", "\u180e", "\u200b", "\u2010", "\ufeff", "e\u0301", "\xad", "١٢٣", "x²", "½"),
    *("ᲐᲑᲒ", "აბგ", "Ꭰ", "ꭰ", "𐐀", "𐐨", "𞤀", "𞤢", "Ա", "ա", "Ǆ", "ǅ", "שלום", "मानक", "𐌰", "ꟃ", "Ɥ", "Ⅷ", "Ⓐ"),
]
SEPARATORS = [" ", " ", " ", " ", "  ", "", "\t", "\x1c", "\x85", "\xa0", "\u2003", "\u2028", "\u3000"]
NEWER = {  # by version of Unicode: a metric and two words, equal or not depending on the version
    "14.0": ("sari", "\U00010570\U00010571", "\U00010597\U00010598"),  # capital and small letters of Vithkuqi
    "15.0": ("transformations", "\U00011f04", "word"),  # a letter of Kawi, or else a punctuation mark
    "15.1": ("transformations", "\U0002ebf0", "word"),  # an ideograph, or else a punctuation mark
    "16.0": ("sari", "\U00010d50\U00010d51", "\U00010d70\U00010d71"),  # capital and small letters of Garay
}


# ---- texts ----------------------------------------------------------------------------------------------------------


def generated_text(generator: random.Random, most: int = 16) -> str:
    """Returns words, among them texts that break careless code."""
    return "".join(generator.choice(PIECES) + generator.choice(SEPARATORS) for _ in range(generator.randint(0, most)))


def rewritten(generator: random.Random, text: str) -> str:
    """Returns a text that has much in common with another."""
    words = text.split(" ")
    for _ in range(generator.randint(0, 4)):
        index = generator.randint(0, len(words))
        words[index : index + generator.randint(0, 2)] = [generator.choice(PIECES)]
    return " ".join(words)


def generated_groups(seed: int, count: int) -> list[tuple[list[str], list[str], str]]:
    """Returns groups of summaries, their references and their source."""
    generator = random.Random(seed)
    groups = []
    for _ in range(count):
        source = generated_text(generator)
        texts = [rewritten(generator, source) for _ in range(generator.randint(2, 8))]
        summaries = texts[: generator.randint(1, min(4, len(texts) - 1))]
        groups.append((summaries, texts[len(summaries) :], source))
    return groups


# ---- digits ---------------------------------------------------------------------------------------------------------


def digits_of_scores(metric: Metric, seed: int, count: int) -> dict[str, str]:
    """Returns all that a metric computes for generated texts, with all digits."""
    groups = generated_groups(seed, count)
    of_field = {"summary": 0, "references": 1, "source": 2}
    columns: list[Any] = [
        [[group[2]] if name == "documents" else group[of_field[name]] for group in groups] for name in metric.fields
    ]
    request = Request.SCORES | Request.STATISTICS | (Request.JACKKNIFED if metric.jackknifer else Request.SCORES)
    batch = metric.score_batch(request, *columns)
    outputs = [[summaries[0] for summaries in columns[0]], *columns[1:]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TextWarning)  # of characters that are generated on purpose
        evaluated = metric.evaluate(*outputs)
    return {
        "scores": repr(list(batch.scores)),
        "statistics": repr(batch.statistics and list(batch.statistics)),
        "jackknifed": repr(batch.jackknifed and list(batch.jackknifed)),
        "evaluate": repr(evaluated),
    }


def digits_of_metrics(count: int) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Yields the digits of each metric and implementation of its kernel.

    Args:
        count: The number of groups of outputs.
    """
    for seed, name in enumerate(METRICS):
        try:
            metric = load(name)
        except MissingExtraError:
            continue
        for kernels in ("native", "python") if metric.kernel_name and dispatch.native_module else ("python",):
            with environment(dispatch.VARIABLE, kernels):
                yield f"{name} ({kernels})", digits_of_scores(metric, seed, count)


def digits_of_commands() -> Iterator[tuple[str, Mapping[str, str]]]:
    """Yields what each command writes to files."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            for name, command in COMMANDS.items():
                yield name, digits_of_command(command, Path(folder))
        finally:
            os.chdir(before)


def digits_of_command(command: str, folder: Path) -> dict[str, str]:
    """Runs a command, and returns the content of the files that it writes.

    Raises:
        SystemExit: if it fails.
    """
    for path in folder.glob("out.*"):
        path.unlink()
    printed = StringIO()
    with redirect_stdout(printed), redirect_stderr(printed):
        status = fw([*command.split(), "--force"])
    if status:
        raise SystemExit(f"fw {command}\n{printed.getvalue()}")
    names = ("scores.*",) if command.startswith("score ") else ("out.*",)
    return {path.name: path.read_text(encoding="utf-8") for name in names for path in sorted(folder.glob(name))}


@contextmanager
def environment(name: str, value: str) -> Iterator[None]:
    """Sets an environment variable."""
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


def hashed(found: Mapping[str, str]) -> str:
    """Returns a hash of all digits."""
    return hashlib.blake2b(json.dumps(found, sort_keys=True).encode(), digest_size=8).hexdigest()


# ---- versions of Python ---------------------------------------------------------------------------------------------


def this_python(count: int) -> dict[str, Any]:
    """Returns the hashes of this Python, and the versions that they depend on."""
    return {
        "python": platform.python_version(),
        "unicode": unicodedata.unidata_version,
        "libraries": {name: importlib.metadata.version(name) for name in ("numpy", "scipy")},
        "code": code_hash(count),
        "metrics": {name: hashed(found) for name, found in digits_of_metrics(count)},
        "commands": {name: hashed(found) for name, found in digits_of_commands()},
        "newer": {name: newer_score(*case) for name, case in NEWER.items()},
    }


def newer_score(name: str, one: str, other: str) -> float:
    """Returns the score of an output with a word that older Unicode tables do not have."""
    metric = load(name)
    fields = {"summary": f"the {one} here", "references": [f"the {other} there"], "source": f"a {one} was here {one}"}
    return float(metric.score(*(fields[field] for field in metric.fields))[metric.name])


def code_hash(count: int) -> str:
    """Returns a hash of the package, of this program and of the number of groups."""
    digest = hashlib.blake2b(str(count).encode(), digest_size=8)
    sources = (path for ending in ("py", "c", "h") for path in (ROOT / "metrics_framework").rglob(f"*.{ending}"))
    for path in sorted([*sources, Path(__file__)]):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def differences(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    """Returns what differs between two versions of Python, of what must be equal."""
    kinds = ["metrics"] + ["commands"] * (one["libraries"] == other["libraries"])
    return [
        f"{name}: {digits} with Python {one['python']}, {other[kind][name]} with Python {other['python']}"
        for kind in kinds
        for name, digits in one[kind].items()
        if other[kind].get(name, digits) != digits
    ]


def others_in(folder: Path, found: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Returns the results of other versions of Python that ran the same code."""
    results = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))]
    return [result for result in results if result["code"] == found["code"] and result["python"] != found["python"]]


def show(found: Mapping[str, Any], write: Callable[[str], object]) -> None:
    """Prints the hashes of a version of Python."""
    libraries = ", ".join(f"{name} {version}" for name, version in found["libraries"].items())
    write(f"Python {found['python']}, Unicode {found['unicode']}, {libraries}")
    for kind in ("metrics", "commands"):
        for name, digits in found[kind].items():
            write(f"  {digits}  {name}")
        write(f"  {hashed(found[kind])}  all {kind}, {len(found[kind])}")
    for name, score in found["newer"].items():
        write(f"  {NEWER[name][0]} of characters of Unicode {name}: {score!r}")


def main() -> None:
    """Prints the digits of this Python, and compares them with those of others."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--folder", type=Path, help="results of all versions, which are compared")
    parser.add_argument("--groups", type=int, default=200, help="groups of outputs per metric (%(default)s)")
    arguments = parser.parse_args()
    found = this_python(arguments.groups)
    show(found, print)
    if arguments.folder is None:
        return
    arguments.folder.mkdir(parents=True, exist_ok=True)
    (arguments.folder / f"{found['python']}.json").write_text(json.dumps(found, indent=1), encoding="utf-8")
    problems = []
    for other in others_in(arguments.folder, found):
        differing = differences(found, other)
        both = "metrics and commands" if found["libraries"] == other["libraries"] else "metrics"
        print(f"{both}: {'different from' if differing else 'equal to'} Python {other['python']}")
        problems += differing
    if problems:
        sys.exit("\n".join(["digits differ:", *problems]))


if __name__ == "__main__":
    main()
