"""What is typed, or is in a file, and the message about it: one table for all commands."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from shlex import split
from typing import Any

import pytest
from messages import (
    ARE_LISTED_BY,
    DATA_SET_OR_TEST_SET,
    EXPECTED_CONFIDENCE,
    EXPECTED_OPTION,
    NEEDS_RESAMPLES,
    NEEDS_TWO_RATERS,
    NO_OUTPUT_HAS_THE_FIELD,
)

Run = Callable[..., Any]
REFS = "references.0.txt references.1.txt -i careful.txt"
JUDGING = "DATA/judging/ratings.csv DATA/judging/judgements.csv"
HELPFUL = "--rating helpfulness --judge model"
PAIR = "--metrics sari simplicity --resamples 20"
MEAN = "--sd 1.1 --agreement 0.4"
TEST = "alt-test --agreement 0.4 --judge-agreement 0.5"
OUTPUTS = "DATA/simplification/outputs.jsonl"
HUMAN = "DATA/simplification/human.jsonl"
EASSE = "--sources src.txt --references ref.txt"
TURNED_OFF = "needs intervals, but --no-confidence turns them off"
WRONG: dict[str, list[tuple[Any, ...]]] = {  # a command: its arguments, the exit code, parts of the message
    "": [
        ("bleurt evaluate", 2, "unknown command or metric 'bleurt': "),
        ("sarri evaluate --outputs careful.txt", 2, "did you mean 'sari'?"),
        ("ter evaluate --reference-file", 2, "unknown flag --reference-file; did you mean --reference-files?"),
        ("ter evaluate --Case-Sensitive", 2, "unknown flag --Case-Sensitive; did you mean --case-sensitive?"),
        ("sari evaluate --profile simplification", 2, "unknown flag --profile"),
        *((f"ter evaluate {words} --input-files in.jsonl", 2,
           "a number is not a file name; a confidence level follows its flag, as in --confidence")
          for words in ("0.99 --confidence", "ter.json 95 --confidence", "--seed 3 99.9%")),
        ("list metric", 2, "did you mean 'metrics'?"),
        ("list coefficients person", 2, "did you mean 'pearson'?"),
        ("list metrics sarri", 2, "did you mean 'sari'?"),
        ("list datasets asset", 2, "test sets have no options"),
        ("cite sarri", 2, "did you mean 'sari'?"),
        ("setup", 2, "use fw setup dataset or fw setup metric"),
        ("setup metric sarri", 2, "did you mean 'sari'?"),
        ("setup metric sari --from-dir no-such", 2, "--from-dir must be a folder, got 'no-such'"),
        ("setup metric sari --model x", 2, "--model is for neural metrics, and 'sari' has no model"),
        ("setup metric supert --model x --from-dir folder", 2, "--from-dir has no models of the hub"),
        *((f"setup metric supert --model {name}", 2, f"there is no folder '{name}'; a model is a local folder or a")
          for name in ("/no/such/model", "./model")),
        ("setup dataset turkcorpsu", 2, f"unknown {DATA_SET_OR_TEST_SET} 'turkcorpsu'; did you mean 'turkcorpus'?"),
        ("setup dataset turkcorpus-tets", 2, "unknown test set 'turkcorpus-tets'; did you mean 'turkcorpus-test'?"),
        ("setup dataset xyz", 2, f"unknown {DATA_SET_OR_TEST_SET} 'xyz'. {ARE_LISTED_BY} fw list datasets"),
        ("references.0.txt -m bleu", 2, "is a file, not a command; as in: fw evaluate -m bleu"),
        ("nothing.txt -i careful.txt -m bleu", 2,
         "'nothing.txt' is neither a command, nor a metric, nor a file of references that exists"),
        # names of EASSE, and near misses
        (f"evaluate -m sari -i out.txt {EASSE} -a", 2, "-a is a flag of EASSE", "--metric transformations"),
        (f"evaluate -m sari -i out.txt {EASSE} --quality_estimation", 2, "--metric quality-estimation"),
        (f"report -p page.html -i out.txt {EASSE}", 2, "-p is a flag of EASSE", "fw report FILE.html"),
        ("evaluate -m sari -i out.txt -t turkcorpus_test", 1, "--dataset turkcorpus-test\n", "fw setup dataset"),
        ("evaluate -m sari -i out.txt -t asset-valid", 1, "--dataset asset-valid\n", "fw setup dataset"),
        ("evaluate -m sari -i out.txt -t turkcorpus_valid_legacy", 1, "--dataset turkcorpus-tune-tok\n"),
        (f"evaluate -m sari --significance -i out.txt {EASSE}", 2, "did you mean --confidence?"),
        (f"evaluate -m sari --compare-to out -i out.txt {EASSE}", 2, "did you mean --baseline?"),
        (f"evaluate -m sari --latex -i out.txt {EASSE}", 2, "did you mean --format?"),
        (f"evaluate -m sari -o table.xlsx -i out.txt {EASSE}", 2, "cannot be written as 'table.xlsx'", ".csv"),
        (f"evaluate -m sari -i out.txt {EASSE} scores.json", 2,
         "got 'scores.json'; a file to write comes before the flags"),
        ("evaluate -m bleu -r ref.txt -i out.txt scores.json", 2, "--input-files", "a file to write comes before"),
        (f"evaluate -m sari -i folder {EASSE}", 2, "'folder' cannot be read: it is a folder", "as in folder/*.txt"),
        (f"evaluate -m sari --output out.txt {EASSE}", 2, "no input", "--output out.txt names the file for the table"),
        ("ratings mqn x.tsv", 2, "unknown rating format 'mqn'; did you mean 'mqm'?",
         f"{ARE_LISTED_BY} fw convert-ratings --help"),
    ],
    "ter evaluate --input-files in.jsonl": [
        ("--engine ray:auto --jobs 2", 2, "--engine", "--jobs"),
        ("--engine-timeout 5", 2, "--engine-timeout", "--engine"),
        ("--engine ray:auto --engine-timeout 0", 2, "--engine-timeout", "above 0"),
        ("--engine=", 2, "--engine", "ray:auto"),
        ("--engine dask", 2, "ray:auto, ray://HOST:10001, tcp://HOST:8786", "--jobs"),
        *((f"--jobs={value}", 2, f"argument --jobs: must be an integer, 0 or more, got '{value}'")
          for value in ("-1", "two", "1.5", "", "٣", "1_0")),
        ("--confidence high", 2, f"--confidence: must be {EXPECTED_CONFIDENCE}, got 'high'"),
        *((f"--case-sensitive {word}", 2, f"--case-sensitive: must be true or false, got '{word}'")
          for word in ("maybe", "ja", "2")),
    ],
    "evaluate --input-files in.jsonl": [
        ("--profile simplification:bleu=lower", 2, "'bleu' must be one of mixed, lc, got 'lower'"),
        ("--profile simplification:blue=lc", 2, "unknown option 'blue' of 'simplification'; did you mean 'bleu'?"),
        ("--profile simplification:lc", 2, f"{EXPECTED_OPTION}, got 'lc'"),
        ("--profile translation:bleu=lc", 2, "unknown option 'bleu' of 'translation'"),
        ("--profile summarization:rouge=perl", 2, "'rouge' must be one of official, google, got 'perl'"),
        ("--profile simplificaton", 2, "unknown profile 'simplificaton'; did you mean 'simplification'?"),
    ],
    "evaluate macro.json -o new.out -m sari bleu -i careful.txt timid.txt -r references.0.txt --sources sources.txt": [
        ("--scores sarri", 2, "unknown score 'sarri'; did you mean 'sari'?"),
        ("--scores sari,blue", 2, "unknown score 'blue'; did you mean 'bleu'?"),
        ("--sort sarri", 2, "unknown score 'sarri'; did you mean 'sari'?"),
        ("--sort bleu_precisions", 2, "--sort: 'bleu_precisions' must be a number to sort by, not a list"),
        ("--caption x", 2, "--caption needs --format latex, got the format 'table'"),
        ("--label x --format csv", 2, "--label needs --format latex, got the format 'csv'"),
        ("--sources timid.txt", 2, "--sources is given twice, as 'sources.txt' and 'timid.txt'; use only one"),
        ("--confidence --baseline AA", 2, "unknown system 'AA'"),
        ("--resamples 39", 2, f"a 95 % {NEEDS_RESAMPLES} 40 resamples, got 39 (--confidence, --resamples, --seed)"),
        ("--confidence-level 1", 2, f"--confidence-level: must be {EXPECTED_CONFIDENCE}, got '1'"),
        ("--confidence 100", 2, f"--confidence: must be {EXPECTED_CONFIDENCE}, got '100'"),
        ("--confidence nan", 2, f"must be {EXPECTED_CONFIDENCE}, got 'nan'"),
        ("--confidence 90 --confidence-level 0.99", 2,
         "--confidence 0.9 and --confidence-level 0.99 are different levels"),
        ("--seed -3", 2, "the seed must be a non-negative integer, got -3"),
        ("--confidence 0.99 --no-confidence", 2, f"--confidence {TURNED_OFF}"),
        ("--no-confidence --confidence", 2, f"--confidence {TURNED_OFF}"),
        ("--no-confidence --seed 3", 2, f"--seed {TURNED_OFF}"),
        ("--no-confidence --baseline A", 2, f"--baseline {TURNED_OFF}"),
    ],
    f"bleu evaluate {REFS}": [  # habits of users of sacreBLEU
        ("--echo src", 2, "--echo is a flag of sacreBLEU", "fw setup dataset NAME --echo"),
        ("-m chrf", 2, "-m is a flag of commands for several metrics", "use fw evaluate --metric"),
        ("-b --format csv", 2, "need -f text or -f json", "'csv'"),
        ("-f text --format csv", 2, "-f text and --format csv choose different formats"),
        ("-f yaml", 2, "'yaml'"),
        ("--paired-bs", 2, "a paired test needs the outputs of two systems"),
        ("timid.txt --paired-bs --paired-ar", 2, "use only one"),
        ("timid.txt --paired-ar-n 7", 2, "--paired-ar-n needs --paired-ar"),
        ("timid.txt --paired-bs --paired-bs-n 7", 2, "--paired-bs-n"),
        ("timid.txt --paired-ar --no-confidence", 2, "--no-confidence"),
        ("timid.txt --sentence-level", 2, "one system, got 2"),
        ("--sentence-level --confidence", 2, "no intervals or tests"),
        ("-nr 2", 2, "--num-refs needs a single file"),
    ],
    "bleu evaluate": [
        ("-i careful.txt references.0.txt", 2, "add --references FILE, or the file before -i"),
        ("reference -i careful.txt", 2, "got 'reference'", "or files of references that exist"),
        ("refs.tsv -i careful.txt", 2, "got 'refs.tsv'", "add --num-refs N"),
        ("refs.tsv -i careful.txt -nr 3", 1, "refs.tsv:1", "expected 3 references", "got 2"),
        ("refs.tsv -i careful.txt -nr 0", 2, "--num-refs must be a positive integer"),
        ("references.0.txt -i careful.txt -r references.1.txt", 2, "both name references"),
        ("careful.txt references.0.txt -i clumsy.txt timid.txt -l german", 2, "SOURCE-TARGET"),
    ],
    f"evaluate {REFS}": [
        ("", 2, "no metric", "-m bleu"),
        ("-m bleu --list", 2, "--list is a flag of sacreBLEU", "fw list test-sets"),
        ("-m bleu -e latin1", 2, "-e is a flag of sacreBLEU", "iconv"),
        ("-m bleu --chrf-word-order 2", 2, "--chrf-word-order sets an option of chrf", "--metric chrf"),
        ("-m bleu ter --sentence-level", 2, "one metric, got 2"),
    ],
    "agreement DATA/simplification/ratings.csv": [
        ("", 2, "no rating; name the column of the ratings with --rating", "; its columns are 'sent_id', 'sys_name',"),
        ("--rating simplcity", 2, "unknown rating 'simplcity'; did you mean 'simplicity'?"),
        ("--rating simplicity --statistic kappa", 2, "--statistics: must be one of krippendorff, gwet"),
        ("--rating simplicity --weights linear", 1, "must be one of nominal, ordinal, interval, ratio, got 'linear'"),
        ("--rating simplicity --weights ordnal", 1, "got 'ordnal'; did you mean 'ordinal'?\n"),
        ("--rating simplicity --statistic cohen", 1, f"Cohen's kappa {NEEDS_TWO_RATERS} 4"),
        ("--rating simplicity --by sysname", 2, "unknown column 'sysname'; did you mean 'sys_name'?"),
        ("--rating simplicity --plan 3", 2, "must be numbers of raters and inputs, such as 3,100, got '3'"),
        ("--rating simplicity --rater-column rater", 2, "unknown column 'rater'; did you mean 'rater_id'?"),
        ("--rating sys_name", 1, "ratings.csv:2: 'sys_name' must be a finite", "categories, use --labels"),
        ("--rating simplicity --raters bob", 2, "use either --rating, or --raters"),
    ],
    "agreement": [
        ("--rating q", 2, "no files of ratings"),
        (f"{HUMAN} --rating q --where a", 2, "argument --where: a condition must be COLUMN=VALUE or COLUMN!=VALUE"),
        ("human.csv --raters simplicity simplcity", 2, "unknown column 'simplcity'; did you mean 'simplicity'?"),
    ],
    "compare": [
        ("", 2, "no input; name files of scores, or use --input-files or --outputs with --metric"),
        (OUTPUTS, 2, "no metric to score outputs with; use --metric NAME"),
        (f"{HUMAN} --metric simplicty", 2, "unknown score 'simplicty'; did you mean 'simplicity'?"),
        (f"{HUMAN} --baseline timd", 2, "unknown system 'timd'; did you mean 'timid'?"),
        (f"{HUMAN} --baseline timid --all-pairs", 2, "--baseline and --all-pairs contradict each other"),
        (f"{HUMAN} --cluster doc", 1, f"{NO_OUTPUT_HAS_THE_FIELD} 'doc'"),
        (f"{OUTPUTS} -m sari --cluster document", 1, "'document', the cluster of the input, is missing"),
        (f"{HUMAN} --cluster-file {HUMAN}", 2, "--cluster-file needs --outputs"),
        (f"{HUMAN} --input-files {OUTPUTS} -m sari", 2, "unexpected argument"),
        (f"-m sari bleu:order=2 --input-files {OUTPUTS}", 2,
         "unknown option 'order' of 'bleu'; did you mean 'effective_order'"),
        ("none.jsonl", 1, "cannot be read: No such file"),
        (f"{HUMAN} --resamples 10", 1, f"a 95 % {NEEDS_RESAMPLES} 40 resamples, got 10"),
        (f"{HUMAN} --profile simplification", 2, "--profile scores outputs; choose scores of files with --score NAME"),
    ],
    "correlate scores.jsonl human.csv": [
        ("", 2, "nothing to correlate"),
        ("--metrics a", 2, "expected 2 arguments"),
        ("--metric a", 2, "nothing to correlate"),
        ("--metrics a b --human c", 2, "use either"),
        ("--human c --metric a --seed 1 b", 2, "'b' is not a file; to correlate several"),
        (f"{PAIR} --confidence 1", 2, f"must be {EXPECTED_CONFIDENCE}, got '1'"),
        (f"{PAIR} --confidence high", 2, f"--confidence: must be {EXPECTED_CONFIDENCE}, got 'high'"),
        (f"{PAIR} --confidence-level x", 2, f"must be {EXPECTED_CONFIDENCE}, got 'x'"),
        (f"{PAIR} --resamples 0", 2, "must be an integer, 1 or more"),
        (f"{PAIR} --seed 1.5", 2, "must be an integer, 0 or more"),
        (f"{PAIR} --summarizer-type human", 2, "must be one of peer, reference, all"),
        (f"{PAIR} --skip-input-level --skip-system-level --skip-global", 2, "all levels are skipped"),
        (f"{PAIR} --plot - --output-file -", 2, "two outputs would be written to '-'"),
        (f"{PAIR} --confidence-interval-kwargs '{{\"samples\": 7}}'", 2, "num_samples"),
        ("text.csv --metrics sari grade", 2, "unknown metric 'grade'", "text.csv:3: 'grade' must be a finite number"),
    ],
    "correlate": [(PAIR, 2, "no score files")],
    f"judge {JUDGING}": [
        ("--judge model", 2, "no rating; name the column of the ratings with --rating", "; its columns are"),
        ("--rating helpfulness", 2, "--judges is missing: column of a judge's scores"),
        ("--rating helpfulnes --judge model", 2, "did you mean 'helpfulness'?"),
        ("--rating helpfulness --judge modell", 2, "unknown judge 'modell'; did you mean 'model'?"),
        ("--rating helpfulness --judge helpfulness", 1, "both the rating and a judge"),
        ("--rating helpfulness --judge median", 1, "'median' is the name of a sentinel; rename the column"),
        ("--rating helpfulness --judge topic", 1, "must be a finite number"),
        (f"{HELPFUL} --epsilon expert", 1, "experts, skilled, crowd"),
        (f"{HELPFUL} --epsilon 2", 1, "between 0 and 1"),
        (f"{HELPFUL} --cluster topics", 2, "did you mean 'topic'?"),
        (f"{HELPFUL} --rater-column x", 2, "unknown column 'x'"),
        (f"{HELPFUL} --forest-plot table.csv", 2, "table.csv"),
        (f"{HELPFUL} --report table.csv", 2, "table.csv"),
        (f"{HELPFUL} --reliability-plot p.svg", 1,
         "needs the column of --stated-confidence"),
    ],
    f"judge {JUDGING} --rating solved --judge verdict": [
        ("--stated-confidence words", 1, "from 0 to 1, got 79; write 85 % as 0.85"),
        ("--stated-confidence word", 2, "unknown column 'word'; did you mean 'words'?"),
        ("--stated-confidence words --stated-confidence model", 1, "one for each of 1 judges, got 2"),
        ("--bins 5", 2, "--bins acts only on confidence that judges state"),
        ("--binning equal", 2, "must be one of width, mass, got 'equal'"),
        ("--judge topic --stated-confidence words", 2, "each needs its own column of stated confidence"),
        ("other.csv --stated-confidence sure", 1, "no rated output has a stated confidence of 'verdict'"),
    ],
    "judge DATA/judging/judgements.csv": [
        ("--rating bland --judge model", 1, "name the raters in a column 'rater_id'"),
    ],
    f"estimate {JUDGING}": [
        ("--judge model", 2, "no rating; name the column of the ratings with --rating", "; its columns are"),
        ("--rating helpfulness", 2, "--judges is missing: column of a judge's scores"),
        ("--rating helpfulness --judge modl", 2, "unknown judge 'modl'; did you mean 'model'?"),
        (f"{HELPFUL} --baseline nw", 2, "unknown system 'nw'; did you mean 'new'?"),
        (f"{HELPFUL} --tuning best", 1, "free, clipped or a number, got 'best'"),
        (f"{HELPFUL} --tuning fre", 1, "got 'fre'; did you mean 'free'?\n"),
        (f"{HELPFUL} --pass-fail", 1, "'helpfulness' must be a verdict"),
        (f"{HELPFUL} --confidence 195", 2, "195"),
        *((f"{HELPFUL} {flag} table.csv", 2, "table.csv") for flag in ("--report", "--plot", "--forest-plot")),
    ],
    "plan": [
        ("", 2, "no goal; use fw plan mean|difference|estimate|alt-test"),
        ("meen", 2, "did you mean 'mean'?"),
        ("mean --half-width .1", 1, "--sd is missing: the goal 'mean' needs it"),
        ("mean --half-width .1 --sd 1", 1, "--agreement is missing"),
        (f"{TEST} --raters 1", 1, "--raters must be 2 or more for the goal 'alt-test', got 1"),
        (f"{TEST} --inputs 20", 1, "--inputs must be 30 or more for the goal 'alt-test'"),
        (f"{TEST} --confidence 90", 2, "--confidence acts only for the goals mean"),
        (f"{TEST} --epsilon expert", 1, "experts, skilled, crowd"),
        ("alt-test --agreement 0.4 --judge-agreement .9", 1, "--judge-agreement must be 0.6"),
        (f"{TEST} --judge model", 2, "--judge acts only for the goals estimate and alt-test, with a pilot"),
        (f"estimate {MEAN} --judge-agreement .5 --half-width 1", 1, "--judged is missing"),
        (f"estimate {MEAN} --judge-agreement .9 --judged 99 --half-width 1", 1,
         "--judge-agreement must be 0.632 or less"),
        (f"estimate {MEAN} --judge-agreement .5 --judged 99 --inputs 100", 1, "--inputs must be 99 or less, got 100"),
        (f"difference {MEAN} --difference .2 --systems 1", 1, "--systems must be 2 or more for the goal 'difference'"),
    ],
    f"plan mean {MEAN}": [
        ("", 1, "what should the study achieve?"),
        ("--half-width .1 --difference .2", 1, "use either --half-width, or --difference"),
        ("--half-width .1 --power .9", 2, "--power acts only with a difference"),
        ("--half-width .1 --inputs 50", 1, "leave out --half-width and --power"),
        ("--half-width 0", 1, "--half-width must be a number above 0, and 1e+100 at most, got 0"),
        ("--half-width 1e200", 1, "--half-width must be a number above 0, and 1e+100 at most"),
        ("--inputs 2000000", 1, "--inputs must be 1000000 or less, got 2000000"),
        ("--inputs 1", 1, "--inputs must be 2 or more for the goal 'mean', got 1"),
        ("--difference 0", 1, "--difference must be a number other than 0"),
        ("--half-width .1 --epsilon .1", 2, "--epsilon acts only for the goal alt-test"),
        ("--half-width .1 --judged 5", 2, "--judged acts only for the goal estimate"),
        ("--half-width .1 --rating x", 2, "--rating acts only with the ratings of a pilot"),
    ],
    f"plan mean {JUDGING} --half-width .1": [
        ("", 1, "--rating must name the column of the ratings of the pilot"),
        ("--rating helpful", 2, "did you mean 'helpfulness'?"),
        ("--rating helpfulness --sd 1", 2, "--sd acts only for the goals mean, difference and estimate"),
        ("--rating solved", 1, "ratings.csv:2"),
    ],
    f"plan estimate {JUDGING} --half-width .1": [("--rating helpfulness --judged 300", 1, "--judge must name")],
    "prefer votes.csv": [
        ("--strength-scale elo", 2, "depend on the order"),
        ("--strength-scale logit", 2, "--strength-scale: must be one of natural, arena"),
        ("--covariate length", 1, "no columns 'length_a' and 'length_b'"),
        ("--cluster genre", 1, "the column 'genre' is missing"),
        ("--cluster rater", 1, "missing or empty in 6 votes"),
        ("--ridge -1", 1, "not negative"),
        ("--resamples 0", 2, "must be an integer, 1 or more"),
        ("--plot x.txt", 2, ".svg"),
    ],
    "report --input-files in.jsonl --metric ter": [
        ("", 2, "expected one page to write, as in fw report OUT.html …; got none"),
        ("a.html b.html", 2, "got a.html, b.html"),
        ("out.json", 2, "expected a .html or .htm file for the page, got 'out.json'"),
        ("out.html --digits 20", 2, "--digits"),
    ],
    "report out.html --metric quality-estimation": [
        (f"--input-files {OUTPUTS} --baseline timd", 2, "did you mean 'timid'"),
        (f"--input-files {OUTPUTS} --resamples 5", 2, f"a 95 % {NEEDS_RESAMPLES} 40 resamples, got 5"),
        ("--outputs timid.txt", 2, "needs 'source'", "--sources FILE"),
    ],
    "stat-sig-test": [
        ("--dependent-metric human --metric-A good --metric-B bad", 2, "no score files"),
        ("table.csv --dependent-metric human --metric-A good", 2, "--metric-b is missing"),
        ("table.csv --dependent-metric human --metric-A good --metric-B god", 2, "did you mean 'good'"),
        ("table.csv --dependent-metric human --metric-A good --metric-B good", 1, "three different scores"),
        ("table.csv --dependent-metric human --metric-A good --metric-B bad --alpha 5", 1,
         "--alpha must be between 0 and 1"),
    ],
    "partial-conjunction-test": [
        ("", 2, "no results"),
        ("table.csv", 1, "expected the JSON of fw stat-sig-test"),
        ("table.csv --names a b", 2, "must name each of the 1 files"),
    ],
    "visualize pyramid": [
        ("out.json --input-files DATA/pyramids/pyramids.jsonl DATA/pyramids/annotations.jsonl", 2,
         "expected a .html or .htm file for the page, got 'out.json'"),
        (f"out.html --input-files {OUTPUTS}", 2, "'pyramid-based'", "needs 2 files", "got 1"),
    ],
    "visualize pyramid out.html --input-files DATA/pyramids/pyramids.jsonl DATA/pyramids/annotations.jsonl": [
        ("--instances stork", 2, "fw: error: unknown input 'stork'; did you mean 'storks'? Known: bridge, storks.\n"),
        (
            "--systems abstact",
            2,
            "fw: error: unknown system 'abstact'; did you mean 'abstract'? "
            "Known: A, B, C, D, abstract, extract, headline.\n",
        ),
        ("--instances x", 2, "fw: error: unknown input 'x'. Known: bridge, storks.\n"),
    ],
}  # fmt: skip
MQM = [
    "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity",
    "online\td1\t1\t7\tr1\tA.\tB.\tAccuracy/Mistranslation\tMajor",
]
ESA = "seg_id\tsystem\trater\tscore\tspans\n"
VOTES = "input,system_a,system_b,winner\n"
PAIRS = '{{"instance_id": "1", "summarizer_id": "a", "summary": "A.", "references": ["A."]{}}}\n'
TABLES: dict[str, list[tuple[str, ...]]] = {  # a command: the content of the file ``x``, parts of the message
    "prefer x.csv": [
        (VOTES + "1,x,y,up\n", "x.csv:2: the winner must be"),
        (VOTES + "1,x,y,1\n2,x,y,-1\n3,x,y,0\n", "x.csv:3: the winner the string '-1' does not say"),
        (VOTES + "1,x,x,a\n", "x.csv:2: a vote must be between two systems"),
        (VOTES + "1,x,y,a\n", "never lost to any other system"),
        (VOTES + "1,x,y,tie\n2,z,w,tie\n", "no votes between w, z and the other systems"),
        (VOTES, "contains no votes"),
        (VOTES + "1,,y,a\n", "x.csv:2: 'system_a' is empty: rows need an id"),
        (VOTES + "1,b,c,b\n", "write model_a, model_b or tie"),
    ],
    "agreement x.csv --rating winner --labels": [
        ("input,rater,system_a,system_b,winner\n1,u,x,y,1\n1,v,x,y,0\n", "x.csv:3: winners that are 0 and 1"),
        ("input,rater,system_a,system_b,winner\n1,u,x,y,1\n1,v,y,x,-1\n", "x.csv:3: the winner", "does not say"),
    ],
    "judge x.csv --rating winner --judge model --labels": [
        ("input,rater,system_a,system_b,winner,model\n1,u,x,y,1,x\n1,v,x,y,0,x\n", "x.csv:3: winners that are 0 and 1"),
    ],
    "ratings mqm x.tsv out.jsonl": [
        (f"{MQM[0]}\n{MQM[1].replace('Major', 'Huge')}\n", "x.tsv:2: no weight for severity 'huge'",
         "known severities: minor, critical, major"),
        (f"{MQM[0]}\nonline\td1\t1\n", "x.tsv:2: must have 9 fields, as in the header, got 3"),
        (f"{MQM[0]}\n{MQM[1]}\n".replace("\t7\t", "\t\t"), "x.tsv:2: 'seg_id' is empty"),
        (f"{MQM[0]}\n{MQM[1]}\n".replace("severity", "level"), "x.tsv:1: the column 'severity' is missing"),
        (f"{MQM[0]}\n{MQM[1]}\n".replace("rater", "level"), "x.tsv:1: has no column for the rater; "),
        (f"{MQM[0]}\n", "x.tsv: contains no ratings"),
        ("", "x.tsv: is empty"),
    ],
    "ratings mqm mqm.tsv out.jsonl --weights x.csv": [
        ("category,severity\nx,y\n", "has no column 'weight'"),
        ("category,severity,weight\n,minor,one\n", "x.csv:2: 'weight' must be a number, got 'one'"),
        ("category,severity,weight\n", "contains no weights"),
    ],
    "ratings esa x.tsv": [
        (ESA + "1\ts\ta\t101\t\n", "x.tsv:2: 'score' must be from 0 to 100, got 101"),
        (ESA + "1\ts\ta\tgood\t\n", "x.tsv:2: 'score' must be a finite number"),
        (ESA + "1\ts\ta\t50\t[1]\n", "x.tsv:2: 'spans' must be a JSON list of error spans"),
        (ESA + '1\ts\ta\t50\t[{"start": 1, "end": 2}]\n', "x.tsv:2: an error span of 'spans' needs a 'severity'"),
        (ESA + '1\ts\ta\t50\t[{"start": -1, "end": 2, "severity": "minor"}]\n',
         "x.tsv:2: 'start' of an error span must be an index"),
        (ESA + '1\ts\ta\t50\t[{"start": "missing", "end": 2, "severity": "minor"}]\n',
         "x.tsv:2: both ends of an error span must be"),
        (ESA + "1\ts\ta\t50\t\n1\ts\ta\t60\t\n", "x.tsv:3: rater 'a' rates instance '1' of summarizer 's' twice"),
    ],
    "agreement x.csv --rating q": [
        ("id,who,q\n1,a,2\n1,b,3\n", "x.csv:3: second 'q' of instance '1' (first at",
         "several systems or raters, name them with --columns summarizer_id=COLUMN or"),
    ],
    "write-pairs pairs.txt --tokenizer none --input-files x.jsonl": [
        (PAIRS.format(', "source": "a ||| b"'),
         "x.jsonl:1: the string 'a ||| b' contains |||, which separates the texts of a pair"),
        (PAIRS.format(', "source": "a \\ud800 b"'),
         "x.jsonl:1: the string 'a \\ud800 b' contains a lone surrogate, which UTF-8 cannot encode"),
        (PAIRS.format(""), "needs 'source'"),
    ],
}  # fmt: skip


@pytest.fixture
def files(fw: Run, datasets_path: Path) -> None:
    """Writes the files that the commands name."""
    Path("folder").mkdir()
    for path in (datasets_path / "simplification").glob("*.txt"):
        shutil.copy(path, path.name)
    references = [Path(f"references.{number}.txt").read_text(encoding="utf-8").splitlines() for number in range(2)]
    rows = [
        {"instance_id": str(n), "summarizer_id": system, "metrics": {"sari": n * k % 5}}
        for n in range(5)
        for k, system in enumerate("abcd")
    ]
    row = {"instance_id": "1", "summarizer_id": "s", "summary": "a", "references": ["a"], "split": "dev"}
    ids = [f"{row['instance_id']},{row['summarizer_id']}" for row in rows]
    for name, text in {
        "refs.tsv": "".join("\t".join(pair) + "\n" for pair in zip(*references, strict=True)),
        "in.jsonl": json.dumps(row),
        "scores.jsonl": "\n".join(map(json.dumps, rows)),
        "human.csv": "\n".join(["sent_id,sys_name,simplicity", *(f"{one},{len(one)}" for one in ids)]),
        "table.csv": "\n".join(["instance_id,summarizer_id,good,bad,human", *(f"{one},1,2,3" for one in ids)]),
        "text.csv": "id,system,grade\n0,a,3\n0,b,good\n",
        "other.csv": "id,system,sure\nx,new,0.9\n",
        "votes.csv": VOTES + "1,x,y,a\n1,y,x,b\n2,x,z,a\n2,y,z,tie\n3,z,x,x\n3,z,y,tie\n4,y,x,a\n",
        "mqm.tsv": "\n".join(MQM),
        **dict.fromkeys(("src.txt", "ref.txt", "out.txt"), "A cat sat.\nIt was late.\n"),
    }.items():
        Path(name).write_text(text + "\n" * (not text.endswith("\n")), encoding="utf-8")


def check(done: Any, code: int, fragments: tuple[str, ...], before: list[Path]) -> None:
    assert (done.code, done.out) == (code, ""), done.err
    assert [fragment for fragment in fragments if fragment not in done.err] == [], done.err
    assert sorted(Path().iterdir()) == before


@pytest.mark.parametrize("command", WRONG)
def test_wrong_usage_is_explained_and_writes_nothing(
    command: str, fw: Run, files: Callable[[str], str], datasets_path: Path
) -> None:
    before = sorted(Path().iterdir())
    for words, code, *fragments in WRONG[command]:
        done = fw(*split(f"{command} {words}".replace("DATA/", f"{datasets_path}/")))
        check(done, code, tuple(fragments), before)


@pytest.mark.parametrize("command", TABLES)
def test_a_wrong_table_is_named_with_its_line_and_writes_nothing(
    command: str, fw: Run, files: Callable[[str], str]
) -> None:
    path = next(Path(word) for word in command.split() if word.startswith("x."))
    for text, *fragments in TABLES[command]:
        path.write_text(text, encoding="utf-8")
        check(fw(*split(command)), 1, tuple(fragments), sorted(Path().iterdir()))
