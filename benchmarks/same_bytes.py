"""Runs the same commands with two checkouts and compares all bytes that they print and write.

``python benchmarks/same_bytes.py --before ../before`` compares this checkout with another one: standard output,
standard error, exit code and all files. Both need the native kernels, built in place. Each command runs in a new, empty
folder with the same path, so nothing is normalized but the path of the checkout. A command that differs is printed with
the first lines of the difference; the program fails if there is one. ``--only correlate`` runs the commands that
contain a text.

The texts are the example data of this checkout and, if the folder that ``FW_SHARED`` names exists (default
``../shared``), TurkCorpus, ASSET and Simplicity-DA.
"""

from __future__ import annotations

import argparse
import difflib
import functools
import gzip
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("FW_SHARED", ROOT.parent / "shared")).resolve() / "data"
WIDTH, LINES = 200, 6
"""How much of a difference is printed."""

VARIABLES = {
    "IN": "in",
    "S": "in/simplification",
    "T": "in/translation",
    "Z": "in/summarization",
    "J": "in/judging",
    "P": "in/preferences",
    "OUTPUTS": "--input-files in/simplification/outputs.jsonl",
    "TEXTS": "-i in/simplification/careful.txt in/simplification/timid.txt -r in/simplification/references.0.txt",
    "TWO": "in/scores.jsonl in/simplification/human.jsonl --metric sari --metric ter --human simplicity",
    "TOK": "in/shared/turkcorpus/tokenized/test.8turkers.tok",
    "DETOK": "in/shared/turkcorpus/detok/test.truecase.detok",
    "ASSET": "in/shared/asset/asset.test",
    "DA": "in/shared/simplicity_da",
}
"""What commands have in common. Their input is in the folder ``in``."""

COMMANDS = r"""
fw --version
fw --help
fw evaluate --help
fw evaluate --help-all
fw score --help-all
fw correlate --help-all
fw compare --help-all
fw agreement --help-all
fw test-judge --help-all
fw estimate --help-all
fw prefer --help-all
fw plan --help-all
fw report --help-all
fw ter --help
fw sari evaluate --help-all
fw ter score --help
fw list metrics
fw list metrics sari bleu --format csv
fw list readers; fw list readers default
fw list coefficients; fw list tests --format markdown
fw list datasets; fw list profiles; fw list aligners; fw list test-sets
fw cite sari bleu; fw cite ter rouge comet
fw completion bash; fw completion zsh; fw completion fish
fw setup metric sari; fw setup metric quality-estimation --dry-run

fw ter evaluate $TEXTS
fw ter evaluate m.json m.jsonl $TEXTS $S/references.1.txt
fw sari evaluate m.json -i $S/careful.txt -r $S/references.?.txt --sources $S/sources.txt --components
fw bleu evaluate $S/references.0.txt -i $S/careful.txt -f text; \
  fw bleu evaluate $S/references.0.txt -i $S/timid.txt -f json
fw evaluate $S/references.0.txt -i $S/careful.txt -m bleu chrf ter -b -w 4
fw evaluate $TEXTS -m bleu chrf --paired-bs
fw evaluate $TEXTS -m bleu ter --paired-ar --confidence
fw bleu evaluate $T/references.0.txt -i $T/good.txt --sentence-level
fw evaluate -m ter -m sari -m bleu -m chrf m.json m.jsonl $OUTPUTS --confidence
fw evaluate -m ter -m bleu $OUTPUTS --ci bca --format csv
fw evaluate -m ter -m chrf $OUTPUTS --ci studentized --resamples 100 --baseline timid
fw evaluate -m wer -m cer $OUTPUTS --ci jackknife --sort wer
fw evaluate -m sari -m ter -o table.tex --caption Results --label t --confidence $OUTPUTS
fw evaluate -m sari -m bleu -o table.md --digits 1 --pooled --no-counts $OUTPUTS
fw evaluate -m sari -m bleu -o table.html $OUTPUTS; fw bleu evaluate --format json $OUTPUTS
fw evaluate --profile simplification m.json m.jsonl $OUTPUTS
fw evaluate --profile translation -i $T/good.txt $T/literal.txt -r $T/references.0.txt $T/references.1.txt
fw evaluate --profile summarization:rouge=google m.json --no-confidence --input-files $Z/outputs.jsonl
fw evaluate --config $IN/run.json m.json
fw evaluate m.json -m wer -m cer -m token-f1 -m sent-bleu -m fkgl:splitter=none -m ibleu \
  -m fkbleu:splitter=none $OUTPUTS
fw evaluate m.json m.jsonl -m transformations -m quality-estimation:splitter=none $OUTPUTS
fw evaluate m.json m.jsonl -m autosummeng -m simetrix --input-files $Z/outputs.jsonl
fw evaluate m.json -m sari:variant=hf,label=hf -m sari:variant=star,label=star \
  -m bleu:lowercase=true,tokenizer=intl $OUTPUTS
fw rouge evaluate m.json m.jsonl --input-files $Z/outputs.jsonl; \
  fw google-rouge evaluate --use-stemmer --input-files $Z/outputs.jsonl
fw samsa evaluate m.json m.jsonl --passages $IN/ucca --splitter none --input-files $IN/ucca/outputs.jsonl
fw error-spans evaluate m.json m.jsonl --dataset-reader error-spans --input-files $T/spans.jsonl
fw pyramid-score evaluate m.json m.jsonl --dataset-reader pyramid-based \
  --input-files $IN/pyramids/pyramids.jsonl $IN/pyramids/annotations.jsonl
fw length-ratio evaluate m.json --include-packages $IN/length_ratio.py --lowest 3 $OUTPUTS
fw precomputed evaluate m.json --file $IN/scores.csv --score quality --better higher $OUTPUTS
fw ter evaluate m.json m.jsonl $OUTPUTS --log-file log.txt --silent
fw evaluate -m ter --where summarizer_id=careful --columns summary=summary,references=references $OUTPUTS
fw evaluate -m ter --by summarizer_type $OUTPUTS
FW_KERNELS=python fw evaluate m.json m.jsonl -m sari -m ter -m bleu -m chrf $OUTPUTS

fw ter evaluate new/m.json $OUTPUTS
fw sari score s.jsonl $OUTPUTS
fw score s.jsonl -m sari -m ter -m bleu -m chrf $OUTPUTS
fw rouge score s.jsonl --input-files $Z/outputs.jsonl $Z/references.jsonl
fw ter score - --input-files $S/outputs.jsonl.gz | tail -n 3
fw ter score s.jsonl.gz --input-files - < $S/outputs.jsonl; gzip -dc s.jsonl.gz | head -n 2; rm s.jsonl.gz
cat $S/outputs.jsonl | fw evaluate - m.jsonl -m ter -m sari --input-files -
fw evaluate m.json -m ter -m bleu --input-files $IN/twice.jsonl --duplicates first
fw evaluate m.json -m ter -m bleu --input-files $IN/twice.jsonl --duplicates last --jobs 2
fw evaluate m.json m.jsonl -m ter -m bleu --input-files $IN/large.jsonl --jobs 2 --confidence
fw evaluate m.json m.jsonl -m ter -m bleu --input-files $IN/large.jsonl --jobs 3 --confidence
fw evaluate m.json m.jsonl -m ter -m bleu --input-files $IN/large.jsonl --confidence
fw score s.jsonl -m sari -m chrf --input-files $IN/large.jsonl.gz --jobs 3

fw compare -m sari -m bleu $OUTPUTS --output-file c.json
fw compare $S/ratings.csv --baseline timid --plot c.svg -o c.tex --output-file c.json
fw compare -m ter -m chrf -i $S/careful.txt $S/timid.txt $S/clumsy.txt -r $S/references.0.txt --test bootstrap \
  --trials 200 --correct by
fw compare $S/human.jsonl --ci jackknife --format markdown
fw compare -m bleu --paired-bs -i $T/good.txt $T/literal.txt -r $T/references.0.txt --jobs 2

fw score s.jsonl -m sari -m ter -m bleu $OUTPUTS --silent; fw correlate s.jsonl $S/human.jsonl --metrics sari simplicity
fw correlate $TWO --test inputs --output-file c.json
fw correlate $TWO --metric bleu --test both --detectable --report c.html --plot c.svg
fw correlate $TWO --test cells --correct by --rank-plot r.svg --p-value-plot p.svg
fw correlate $TWO --test bootstrap-inputs --resamples 200
fw correlate $TWO --test systems
fw correlate $TWO --test williams --level system --coefficient pearson --one-tailed
fw correlate $TWO --coefficient spearman,kendall-c,acc-eq,spa --level input,system --ci bca
fw correlate $IN/scores.jsonl $S/ratings.csv --metrics sari simplicity --sentinels --texts $S/outputs.jsonl \
  --partial sentinel-length
fw correlate $IN/scores.jsonl $S/ratings.csv --metric sari --metric ter --human simplicity \
  --aggregate zscore-mean --humans-as-metrics --forest-plot f.svg
fw correlate $IN/scores.jsonl $S/human.jsonl --metric sari --metric bleu --human simplicity --ci fisher \
  --format latex --min-group 3
fw stat-sig-test $IN/scores.jsonl $S/human.jsonl --dependent-metric simplicity --metric-A sari --metric-B ter \
  --output-file a.json; fw partial-conjunction-test a.json a.json --names one two
fw agreement $S/ratings.csv --rating simplicity --weights ordinal,interval --plan 1,48 4,48 --output-file a.json
fw agreement $J/ratings.csv --rating helpfulness --format csv
fw test-judge $J/ratings.csv $J/judgements.csv --rating helpfulness --judge model --judge bland --text words \
  --report j.html --forest-plot j.svg
fw test-judge $J/ratings.csv $J/judgements.csv $J/confidence.csv --rating solved --judge verdict \
  --stated-confidence confidence --output-file j.json
fw estimate $J/ratings.csv $J/judgements.csv --rating helpfulness --judge model --report e.html --plot e.svg \
  --output-file e.json
fw estimate $J/ratings.csv $J/judgements.csv --rating solved --judge verdict --pass-fail
fw prefer $P/people.csv --strength-scale arena --output-file p.json
fw prefer $P/judge.jsonl --covariate length --against $P/people.csv --plot p.svg
fw prefer $P/judge.jsonl --silent --show agreement --subset genre --against $P/people.csv
fw prefer $P/best_worst.csv
fw plan mean --half-width 0.1 --sd 1.1 --agreement 0.4 --output-file p.json
fw plan difference $J/ratings.csv --rating helpfulness --difference 0.2 --raters 1 3
fw plan estimate --half-width 0.1 --sd 1.1 --agreement 0.4 --judge-agreement 0.5 --judged 2000
fw convert-ratings mqm $IN/mqm.tsv r.jsonl
fw write pairs pairs.txt $OUTPUTS
fw report r.html $OUTPUTS -m sari -m chrf
fw report r.html --profile summarization --no-confidence --input-files $Z/outputs.jsonl
fw report r.html --title Three --baseline timid --outputs $S/careful.txt $S/timid.txt --sources $S/sources.txt \
  --references $S/references.?.txt
fw report r.html $OUTPUTS -m ter --worst 10 --sample 10
fw visualize pyramid v.html --input-files $IN/pyramids/pyramids.jsonl $IN/pyramids/annotations.jsonl
fw visualize rouge v.html --input-files $T/outputs.jsonl
"""
"""Shell commands, which succeed. A backslash at the end continues a line."""

ERRORS = r"""
fw
fw evalute
fw convert-ratings error-annotation $IN/mqm.tsv
fw agreement $J/ratings.csv --rating solved
fw cite ter --silent
fw ter evaluate --outputs missing.txt --references $S/references.0.txt
fw ter evaluate --outputs $S/careful.txt --references $IN/short.txt
fw ter evaluate --input-files $IN/bad.jsonl
fw ter evaluate --input-files $IN/fields.jsonl
fw ter evaluate --input-files $IN/empty.jsonl
fw ter evaluate --input-files $IN/latin1.jsonl
fw ter evaluate --input-files $IN/cut.jsonl.gz
fw ter evaluate m.json --input-files $IN/twice.jsonl
fw ter evaluate --input-files $IN/bad.jsonl --jobs 2
fw evaluate -m terr $OUTPUTS
fw evaluate -m ter:normalised=true $OUTPUTS
fw evaluate -m bleu:max_ngram_order=x $OUTPUTS
fw ter evaluate --case-sensitiv $OUTPUTS
fw ter evaluate m.txt $OUTPUTS
cp $S/sources.txt m.json; fw ter evaluate m.json $OUTPUTS
fw evaluate -m ter --strict --input-files $IN/twice.jsonl
fw evaluate -m ter --where summarizer_id=carefull $OUTPUTS
fw sari evaluate --outputs $S/careful.txt --references $S/references.0.txt
fw length-ratio evaluate --include-packages $IN/broken.py $OUTPUTS
fw evaluate --config $IN/bad.jsonl
fw correlate $IN/scores.jsonl $S/human.jsonl --metrics sari simplicty
fw correlate $IN/scores.jsonl $S/human.jsonl --metric sari --human simplicity --test bootstrap-both
fw correlate $TWO --test williams --level input
fw correlate $IN/scores.jsonl $S/human.jsonl --metrics sari simplicity --coefficient kendal
fw correlate $IN/scores.jsonl --metrics sari simplicity
fw compare $S/ratings.csv --baseline nobody
fw agreement $S/ratings.csv --rating nothing
fw prefer $S/ratings.csv
fw plan mean --half-width 0
fw report r.txt $OUTPUTS
fw cite nothing
fw list nothing
"""
"""Shell commands, which fail."""

ON_SHARED = r"""
fw evaluate m.json m.jsonl -m ter -m bleu -m chrf -i $TOK.simp -r $TOK.turk.? --confidence
fw sari score s.jsonl -i $TOK.simp -r $TOK.turk.? --sources $TOK.norm
fw evaluate m.json --profile simplification --no-confidence -i $DETOK.simp.0 -r $DETOK.simp.[1-7] \
  --sources $DETOK.orig --jobs 2
fw compare -m sari -m bleu -i $ASSET.simp.0 $ASSET.simp.1 -r $ASSET.simp.[2-9] --sources $ASSET.orig \
  --output-file c.json
fw correlate $DA/published_metrics_asset.csv --metrics bleu sari
fw agreement $DA/simplicity_DA_ratings.csv --rating simplicity
fw compare $DA/simplicity_DA.csv --names simplicity
"""
ON_PARQUET = r"""
fw evaluate m.json m.jsonl -m ter -m bleu --input-files $IN/outputs.parquet
fw score s.parquet -m sari -m ter $OUTPUTS; fw correlate s.parquet $S/human.jsonl --metrics sari simplicity
fw ter score s.parquet --input-files $IN/outputs.parquet --jobs 2
"""


def write_input(folder: Path) -> None:
    """Writes the input of all commands into a folder: the example data, and files made of them."""
    shutil.copytree(ROOT / "datasets", folder)
    outputs = (folder / "simplification" / "outputs.jsonl").read_bytes()
    rows = [json.loads(line) for line in outputs.splitlines()]
    keys = ("instance_id", "summarizer_id", "summarizer_type")
    ids = [{key: row[key] for key in keys} for row in rows]
    scores = [{"sari": n * 7 % 31, "ter": n * 11 % 23 / 3, "bleu": n * n % 17} for n in range(len(rows))]
    many = [{**row, "instance_id": f"{turn}-{row['instance_id']}"} for turn in range(60) for row in rows]
    texts = {
        "large.jsonl": lines(many),
        "twice.jsonl": lines([*rows, {**rows[0], "summary": {"text": "Another one."}}]),
        "scores.jsonl": lines([{**key, "metrics": score} for key, score in zip(ids, scores, strict=True)]),
        "scores.csv": "instance_id,summarizer_id,quality\n"
        + "".join(f"{key['instance_id']},{key['summarizer_id']},{n % 7}\n" for n, key in enumerate(ids)),
        "run.json": '{"metrics": ["sari", "ter"], "input_files": ["in/twice.jsonl"], "where": ["summarizer_id=timid"]}',
        "length_ratio.py": LENGTH_RATIO,
        "mqm.tsv": MQM,
        "short.txt": "one\ntwo\n",
        "bad.jsonl": lines(rows[:1]) + '{"instance_id": "2", "summary": \n',
        "fields.jsonl": '{"instance_id": "1", "summarizer_id": "a", "summary": 7, "references": "x"}\n',
        "empty.jsonl": "",
        "broken.py": "import nothing_that_exists\n",
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "latin1.jsonl").write_bytes(lines(rows[:1]).replace("a", "é").encode("latin-1"))
    (folder / "simplification" / "outputs.jsonl.gz").write_bytes(gzip.compress(outputs, mtime=0))
    (folder / "large.jsonl.gz").write_bytes(gzip.compress(lines(many).encode(), mtime=0))
    (folder / "cut.jsonl.gz").write_bytes(gzip.compress(outputs, mtime=0)[:1000])
    if SHARED.exists():
        (folder / "shared").symlink_to(SHARED)
    if importlib.util.find_spec("pyarrow"):
        from pyarrow import Table, parquet

        references = [[text["text"] for text in row["references"]] for row in rows]
        columns = {key: [row[key] for row in rows] for key in keys}
        columns |= {"summary": [row["summary"]["text"] for row in rows], "references": references}
        parquet.write_table(Table.from_pydict(columns), folder / "outputs.parquet")


def lines(rows: list[dict[str, Any]]) -> str:
    """Returns rows as lines of JSON."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


LENGTH_RATIO = '''
from metrics_framework import Metric, MetricsDict, SourceBasedMetric


@Metric.register("length-ratio")
class LengthRatio(SourceBasedMetric):
    """Divides the number of words of the summary by that of the source.

    Args:
        lowest: The least number of words a source counts as.
    """

    def __init__(self, lowest: int = 1) -> None:
        super().__init__(["summary"], ["source"])
        self.lowest = lowest

    def score_multi_all(self, summaries_list, sources):
        return [
            [MetricsDict({"length-ratio": len(s.split()) / max(self.lowest, len(source.split()))}) for s in summaries]
            for summaries, source in zip(summaries_list, sources)
        ]
'''
MQM = """\
system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity
a\td\t1\t1\tr1\tEin Satz.\tA <v>sentense</v>.\tFluency/Spelling\tMinor
a\td\t1\t1\tr2\tEin Satz.\tA sentense.\tNo-error\tNo-error
b\td\t1\t1\tr1\tEin Satz.\t<v>Words</v>.\tAccuracy/Mistranslation\tMajor
b\td\t1\t1\tr2\tEin Satz.\tWords<v>.</v>\tFluency/Punctuation\tMinor
"""


def run(command: str, checkout: Path, folder: Path, inputs: Path) -> dict[str, bytes]:
    """Runs a shell command with a checkout in an empty folder; returns what it prints and writes, by names."""
    folder.mkdir()
    (folder / "in").symlink_to(inputs)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("FW_")}
    environment |= VARIABLES | {
        "FW_KERNELS": "native",
        "PYTHONPATH": str(checkout),
        "HOME": str(folder),
        "COLUMNS": "120",
    }
    script = f'fw() {{ "{sys.executable}" -m metrics_framework "$@"; }}\n{command}\n'
    done = subprocess.run(["sh", "-c", script], cwd=folder, env=environment, capture_output=True, timeout=600)
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    found = {"standard output": done.stdout, "standard error": done.stderr, "exit code": b"%d" % done.returncode}
    found |= {f"file {path.relative_to(folder)}": path.read_bytes() for path in files}
    shutil.rmtree(folder)
    return {name: content.replace(bytes(checkout), b"CHECKOUT") for name, content in found.items()}


def differences(before: dict[str, bytes], after: dict[str, bytes]) -> list[str]:
    """Returns lines that describe how two results differ; none if they are the same."""
    found = []
    for name in sorted({*before, *after}):
        if name not in before or name not in after:
            found.append(f"  {name}: only {'before' if name in before else 'after'}")
        elif before[name] != after[name]:
            pair = (content.decode("utf-8", "backslashreplace").splitlines() for content in (before[name], after[name]))
            changed = [
                line for line in difflib.unified_diff(*pair, n=0, lineterm="") if line[:2] not in ("--", "++", "@@")
            ]
            found += [f"  {name}: {len(before[name]):,} bytes before, {len(after[name]):,} after"]
            found += [f"    {line[:WIDTH]}" for line in changed[:LINES]]
    return found


def commands(only: str) -> list[tuple[str, bool]]:
    """Returns the commands that contain a text, and whether they succeed; reports those whose input is missing."""
    groups = [(COMMANDS, True), (ERRORS, False)]
    if SHARED.exists():
        groups.append((ON_SHARED, True))
    else:
        print(f"left out commands that need the folder {SHARED}")
    if importlib.util.find_spec("pyarrow"):
        groups.append((ON_PARQUET, True))
    else:
        print("left out commands that need the package pyarrow")
    found = [(command, succeeds) for group, succeeds in groups for command in group.replace(" \\\n ", "").splitlines()]
    return [(command, succeeds) for command, succeeds in found if command and only in command]


def main() -> None:
    """Prints the commands that differ and how many do not."""
    parser = argparse.ArgumentParser(description="Compares the output of two checkouts.", allow_abbrev=False)
    parser.add_argument("--before", required=True, type=Path, metavar="CHECKOUT", help="Checkout to compare with.")
    parser.add_argument("--after", default=ROOT, type=Path, metavar="CHECKOUT", help="By default, this one.")
    parser.add_argument("--only", default="", metavar="TEXT", help="Run the commands that contain a text.")
    chosen = parser.parse_args()
    chosen_commands = commands(chosen.only)
    with tempfile.TemporaryDirectory() as temporary:
        inputs = Path(temporary) / "input"
        write_input(inputs)
        runs = [
            functools.partial(run, checkout=checkout.resolve(), folder=Path(temporary) / "run", inputs=inputs)
            for checkout in (chosen.before, chosen.after)
        ]
        for start in runs:
            if (version := start("fw --version"))["exit code"] != b"0":
                raise SystemExit(version["standard error"].decode())
        same = sum(is_same(command, succeeds, *runs) for command, succeeds in chosen_commands)
    print(f"{same} of {len(chosen_commands)} commands print and write the same bytes")
    raise SystemExit(same < len(chosen_commands))


def is_same(command: str, succeeds: bool, *runs: Callable[[str], dict[str, bytes]]) -> bool:
    """Runs a command with both checkouts; prints how they differ, and returns whether they do not."""
    before, after = (start(command) for start in runs)
    found = differences(before, after)
    if (before["exit code"] == b"0") != succeeds:
        found += [f"  exit code {before['exit code'].decode()} before: the command does not do what it is to show"]
    if found:
        print(command, *found, sep="\n", flush=True)
    return not found


if __name__ == "__main__":
    main()
