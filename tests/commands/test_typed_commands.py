"""Commands as people type them who have used other programs: each is accepted, or its message has one that is."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from shlex import split
from typing import Any

import pytest
from messages import ARE_LISTED_BY

from metrics_framework import evaluate, load
from metrics_framework.commands.command import find_command
from metrics_framework.common.errors import UsageError
from metrics_framework.data.metrics_dict import MetricsDict

Run = Callable[..., Any]
JUDGED = "DATA/judging/ratings.csv DATA/judging/judgements.csv --rating helpfulness"
SCORES = "DATA/judging/judgements.csv"
TEXTS = "--outputs out.txt --references ref.txt"
THREE = f"{TEXTS} --sources src.txt"
AGREED = "agreement DATA/simplification/ratings.csv"
PREFERRED = "prefer DATA/preferences/people.csv --strength-scale arena"
AS_IT_IS = "is read as the default: notes, warnings and progress are"
ROUGE = [f"{score}_{part}" for score in ("rouge1", "rougeL") for part in ("precision", "recall", "fmeasure")]
TAKEN: dict[str, list[tuple[str, str]]] = {  # where the habit is from: the words after fw, and how they are taken
    "fw": [
        (f"evaluate -m bleu chrf {TEXTS}", ""),
        (f"evaluate -m bleu,chrf {TEXTS}", ""),
        (f"evaluate -m bleu -m chrf {TEXTS}", ""),
        (f"evaluate -m 'bleu, chrf' ter {TEXTS}", ""),
        (f"evaluate -m bleu, chrf {TEXTS}", ""),
        (f"evaluate -m ter:normalized=true,no_punct=true,bleu {TEXTS}", ""),
        (f"score -m bleu,chrf s.jsonl {TEXTS}", ""),
        (f"evaluate -m ,bleu,, {TEXTS}", ""),
        (f"evaluate -m sari,bleu --scores sari, {THREE}", ""),
        ("evaluate -m ter --columns summary=summary, --input-files rows.jsonl", ""),
        ("list metrics sari,bleu,", ""),
        ("visualize rouge page.html --systems careful,timid, --instances 1,2 --input-files rows.jsonl", ""),
        ("correlate DATA/judging/judgements.csv -m words, --human model,bland, --level global", ""),
        ("agreement DATA/simplification/ratings.csv --rating simplicity,", ""),
        ("agreement -i DATA/simplification/ratings.csv --rating simplicity", ""),
        (f"correlate --metric words --human model -i {SCORES}", ""),
        (f"correlate --metric words --human model --input-files {SCORES}", ""),
        ("prefer --strength-scale arena --input DATA/preferences/people.csv", ""),
        (f"score -m bleu chrf s.jsonl {TEXTS}", ""),
        ("compare -m bleu,ter --outputs out.txt other.txt --references ref.txt", ""),
        ("compare -m bleu ter --outputs out.txt other.txt --references ref.txt", ""),
        ("compare ref.txt -i out.txt other.txt -m bleu", ""),
        ("compare -i out.txt other.txt -r ref.txt -m bleu -lc -tok none -q", ""),
        (f"score --profile translation s.jsonl {TEXTS}", ""),
        ("evaluate -m bleu --outputs a=out.txt b=other.txt --references a=ref.txt b=ref.txt", ""),
        ("compare -m bleu --outputs a,b=out.txt,other.txt --references a,b=ref.txt", ""),
        (
            "compare out.txt other.txt --references ref.txt -m bleu",
            "'out.txt other.txt' is read as --outputs out.txt other.txt",
        ),
        ("report page.html -m bleu,ter --profile translation --outputs out.txt other.txt --references ref.txt", ""),
        (f"evaluate bleu {TEXTS}", "'bleu' is read as --metric bleu"),
        (f"bleu {TEXTS}", "'fw bleu' is read as fw bleu evaluate"),
        ("bleu -i out.txt -r ref.txt", "'fw bleu' is read as fw bleu evaluate"),
        (f"BLEU evaluate {TEXTS}", "'BLEU' is read as fw bleu"),
        (f"Evaluate -m bleu {TEXTS}", "'Evaluate' is read as fw evaluate"),
        (f"evaluate -m BLEU {TEXTS}", "'BLEU' is read as the metric 'bleu'"),
        (f"evaluate -m SARI {THREE}", "'SARI' is read as the metric 'sari'"),
        (f"evaluate -m sent_bleu {TEXTS}", "'sent_bleu' is read as the metric 'sent-bleu'"),
        (f"evaluate -m sari BLEU -lc {THREE}", "'BLEU' is read as the metric 'bleu'"),
        (
            "evaluate -m quality_estimation:splitter=none,lexical_complexity=false -i out.txt --sources src.txt",
            "'quality_estimation' is read as the metric 'quality-estimation'",
        ),
        (
            "evaluate -m compression_ratio:splitter=none,lexical_complexity=false -i out.txt --sources src.txt",
            "'compression_ratio' is read as the metric 'quality-estimation'",
        ),
        (f"sari evaluate --variant EASSE_Paper {THREE}", "'EASSE_Paper' is read as 'easse-paper'"),
        (f"evaluate -m bleu --format CSV {TEXTS}", "'CSV' is read as 'csv'"),
        ("cite sari,ter", ""),
        ("cite BLEU", "'BLEU' is read as the metric 'bleu'"),
        ("cite Pearson", "'Pearson' is read as the coefficient 'pearson'"),
        ("BLEU --help", ""),
        ("list coefficients Pearson", "'Pearson' is read as the coefficient 'pearson'"),
        (f"evaluate -m bleu --out table.csv {TEXTS}", "'--out' is read as --output"),
        (f"evaluate -m bleu {TEXTS} --quiet", ""),
        *(
            (f"correlate DATA/judging/judgements.csv --metric {words} --human model --level input global", "")
            for words in ("words bland", "words,bland", "words --metric bland")
        ),
        ("correlate DATA/judging/judgements.csv -m words bland --human model --level global", ""),
        *(
            (f"agreement DATA/simplification/ratings.csv --rating simplicity --statistic {words}", "")
            for words in ("fleiss gwet", "fleiss,gwet", "fleiss --statistic gwet", "'fleiss, gwet'")
        ),
        *(
            (
                f"test-judge {JUDGED} --judges {words}",
                "",
            )
            for words in ("model words", "model,words", "model --judges words")
        ),
        *((f"evaluate -m sari bleu --scores {words} {THREE}", "") for words in ("sari bleu", "sari,bleu")),
        *(
            (f"compare DATA/judging/judgements.csv --score {words} --resamples 40", "")
            for words in ("model words", "model,words", "model --score words")
        ),
    ],
    "ROUGE-1.5.5": [
        (f"rouge evaluate {TEXTS} -n 2 -w 3", "'-n' is read as --max-ngram"),
        (f"rouge evaluate {TEXTS} --stem", "'--stem' is read as --use-porter-stemmer"),
        (f"google-rouge evaluate {TEXTS} --stem", "'--stem' is read as --use-stemmer"),
        (f"rouge evaluate {TEXTS} --rougeL", "'--rougeL' is read as --compute-rouge-l"),
        (f"rouge evaluate {TEXTS} --rouge-l", "'--rouge-l' is read as --compute-rouge-l"),
    ],
    "sacreBLEU": [
        ("-i out.txt -r ref.txt -m bleu", "'fw -i' is read as fw evaluate -i"),
        ("ref.txt -i out.txt -m bleu --short", ""),
        ("ref.txt -i out.txt -m bleu --num-threads 2", "'--num-threads' is read as --jobs"),
        ("ref.txt -i out.txt -lc --tokenize zh", ""),
        ("ref.txt -i out.txt -m chrf --chrf-lowercase", ""),
        ("ref.txt -i out.txt --confidence-n 40 --confidence", ""),
        ("ref.txt ref2.txt -i out.txt", ""),
        ("ref.txt -i out.txt -m bleu -f text", ""),
        ("ref.txt -i out.txt -b -w 2", ""),
        ("ref.txt -i out.txt -m bleu --confidence --resamples 40", ""),
        ("ref.txt -i out.txt -m ter --ter-case-sensitive", ""),
        ("ref.txt -i out.txt -m chrf --chrf-word-order 2", ""),
        ("ref.txt -i out.txt -m bleu -tok 13a --smooth-method floor -sv 0.1", ""),
        ("ref.txt -i out.txt -m bleu -sl", ""),
        ("ref.txt -i out.txt --tokenize char", ""),
        ("ref.txt -i out.txt other.txt --paired-ar --paired-ar-n 20 -m bleu", ""),
        ("ref.txt -i out.txt -l en-de", ""),
        ("ref.txt -i out.txt -m bleu -nr 1", ""),
        ("ref.txt -i out.txt --metrics bleu chrf ter --format json", ""),
        ("ref.txt -i out.txt -m bleu --width 4", ""),
        ("ref.txt -i out.txt -m TER", "'TER' is read as the metric 'ter'"),
        ("ref.txt -i out.txt -m BLEU CHRF", "'CHRF' is read as the metric 'chrf'"),
        ("-m bleu ref.txt -i out.txt", "'fw -m' is read as fw evaluate -m"),
        ("ref.txt -i out.txt", ""),
        ("ref.txt -i out.txt -m bleu chrf ter", ""),
        ("ref.txt -i out.txt -m chrf++", "'chrf++' is read as the metric 'chrf:word_order=2,label=chrf++'"),
        (
            "ref.txt -i out.txt -m bleu chrf chrf++ ter -f text",
            "'chrf++' is read as the metric 'chrf:word_order=2,label=chrf++'",
        ),
        ("ref.txt -i out.txt -m chrF2", "'chrF2' is read as the metric 'chrf'"),
        ("ref.txt -i out.txt -m chrF2++", "'chrF2++' is read as the metric 'chrf:word_order=2,label=chrf++'"),
        ("ref.txt --input out.txt --metrics bleu -b", ""),
        ("bleu evaluate ref.txt -i out.txt -tok none -lc", ""),
        ("ref.txt -i out.txt --langpair en-de", "'--langpair' is read as --language-pair"),
        ("ref.txt -i out.txt other.txt -m bleu --paired-bs --paired-bs-n 40", ""),
        ("ref.txt -i out.txt --tok intl", "'--tok' is read as --tokenize"),
        ("ref.txt -i out.txt --smooth exp", "'--smooth' is read as --smooth-method"),
        ("ref.txt -i out.txt --metrics bleu,chrf --chrf-word-order 2 --chrf-beta 3", ""),
        ("ref.txt -i out.txt -m ter --ter-normalized --ter-no-punct", ""),
        ("ref.txt -i out.txt --score-only --force", ""),
        ("ref.txt -i out.txt --sentence-level -m chrf", ""),
        ("ref.txt -i out.txt -m bleu --verbose", f"'--verbose' {AS_IT_IS} printed; --silent prints none"),
        ("ref.txt -i out.txt -m bleu -nc", "'-nc' is read as the default: the output has no colors"),
        ("ref.txt -i out.txt -m bleu -l de", ""),
        (f"evaluate -m chrf {TEXTS} --word-order 2", "'--word-order' is read as the option word_order of chrf"),
        (f"evaluate -m ter {TEXTS} --normalized", "'--normalized' is read as the option normalized of ter"),
        (
            f"evaluate -m bleu,sent-bleu {TEXTS} --max-ngram-order 2",
            "'--max-ngram-order' is read as the option max_ngram_order of bleu and sent-bleu",
        ),
    ],
    "mt-metrics-eval, nlpstats and SciPy": [
        *(
            (f"correlate {SCORES} -m words --human model --level global {words}", said)
            for words, said in [
                ("--ci 95", "'--ci 95' is read as --confidence 95"),
                ("--ci bootstrap --resamples 40", ""),
                ("--corr pearson", "'--corr' is read as --coefficients"),
                ("--method kendall", "'--method' is read as --coefficients"),
                ("--coefficient KendallLike", "'KendallLike' is read as 'kendall-like'"),
                ("--coefficients acc23", "'acc23' is read as 'acc-23'"),
                ("--coefficients pearsonr", "'pearsonr' is read as 'pearson'"),
                ("--coefficients spearman_rho", "'spearman_rho' is read as 'spearman'"),
                ("--coefficients spearmanr", "'spearmanr' is read as 'spearman'"),
                ("--coefficients kendalltau", "'kendalltau' is read as 'kendall-b'"),
                ("--coefficients Kendall", "'Kendall' is read as 'kendall-b'"),
                ("--coefficients kendall_tau_b", "'kendall_tau_b' is read as 'kendall-b'"),
                ("-m bland --test permutation-inputs --resamples 40", "'permutation-inputs' is read as 'inputs'"),
                ("-m bland --hypothesis-test inputs --resamples 40", "'--hypothesis-test' is read as --test"),
            ]
        ),
        (f"correlate {SCORES} --cols words model", "'--cols' is read as --metrics"),
        (f"correlate {SCORES} -m words --human model --level summary", "'summary' is read as 'input'"),
        (f"correlate {SCORES} -m words --human model --granularity global", "'--granularity' is read as --levels"),
        (f"correlate {SCORES} words model", "'words model' is read as --metrics words model"),
        (f"correlate {SCORES} --x words --y model --level global", "'--x' is read as --metric"),
        (f"correlate {SCORES} -m words --y model --level global", "'--y' is read as --human"),
        (
            f"correlate {SCORES} -m words --human model --corr_fcn pearson --level global",
            "'--corr_fcn' is read as --coefficients",
        ),
        (
            f"agreement {SCORES} --raters model bland --level ordinal",
            "'--level' is read as --weights",
        ),
        (f"compare {SCORES} --ci 0.9 --resamples 40", "'--ci 0.9' is read as --confidence 0.9"),
        (f"compare {SCORES} --test permutation_test --trials 40", "'permutation_test' is read as 'randomization'"),
        (f"compare {SCORES} --n-resamples 40", "'--n-resamples' is read as --resamples"),
        (f"evaluate -m bleu --ci 95 --resamples 40 {TEXTS}", "'--ci 95' is read as --confidence 95"),
        *(
            (f"agreement DATA/simplification/ratings.csv --rating simplicity {words}", said)
            for words, said in [
                ("--ci 90", "'--ci' is read as --confidence"),
                ("--statistic krippendorff_alpha", "'krippendorff_alpha' is read as 'krippendorff'"),
                ("--statistic fleiss_kappa", "'fleiss_kappa' is read as 'fleiss'"),
                ("--statistic AC1", "'AC1' is read as 'gwet'"),
                ("--level-of-measurement ordinal", "'--level-of-measurement' is read as --weights"),
                ("--annotator rater_id", "'--annotator' is read as --rater-column"),
            ]
        ),
    ],
    "EASSE": [
        ("evaluate -m fkgl -i out.txt", ""),
        (f"evaluate -m f1_token,sari_by_operation {THREE}", "'sari_by_operation' is read as the metric 'sari'"),
        (f"evaluate -m sari --silent {THREE}", ""),
        (
            "evaluate -t custom -m sari --refs_sents_paths ref.txt,ref2.txt --orig_sents_path src.txt -i out.txt",
            "'--test-set custom' is read as your files",
        ),
        (
            "evaluate -m sari --refs_sents_paths ref.txt,ref2.txt --orig_sents_path src.txt -i out.txt",
            "'ref.txt,ref2.txt' is read as ref.txt ref2.txt",
        ),
        ("compare -m bleu -i out.txt,other.txt -r ref.txt", "'out.txt,other.txt' is read as out.txt other.txt"),
        (
            "evaluate -m bleu,sari,fkgl --refs_sents_paths ref.txt ref2.txt --orig_sents_path src.txt -i out.txt",
            "'--refs_sents_paths' is read as --references",
        ),
        (
            "report p.html --sys_sents_path out.txt --refs ref.txt --src src.txt --no-confidence -m sari",
            "'--sys_sents_path' is read as --outputs",
        ),
        (f"evaluate -m bleu,sari {THREE}", ""),
        (
            "evaluate -m sari --sys_sents_path out.txt --refs_sents_paths ref.txt --orig_sents_path src.txt",
            "'--orig_sents_path' is read as --sources",
        ),
        (
            f"evaluate -m sari_legacy {THREE}",
            "'sari_legacy' is read as the metric 'sari:variant=star,label=sari_legacy'",
        ),
        (f"evaluate -m bleu sari_by_operation {THREE}", "'sari_by_operation' is read as the metric 'sari'"),
        (f"evaluate -m f1_token {TEXTS}", "'f1_token' is read as the metric 'token-f1'"),
        (f"evaluate -m bleu,corpus_bleu:label=again {TEXTS}", "'corpus_bleu' is read as the metric 'bleu'"),
        (f"evaluate -m sentence_bleu {TEXTS}", "'sentence_bleu' is read as the metric 'sent-bleu'"),
    ],
    "Hugging Face": [
        (
            "evaluate --metrics bleu chrf --prediction out.txt --reference ref.txt",
            "'--prediction' is read as --outputs",
        ),
        ("evaluate bleu --predictions out.txt --references ref.txt", "'bleu' is read as --metric bleu"),
        (f"evaluate -m wer {TEXTS}", ""),
        (f"evaluate -m rouge {TEXTS}", ""),
        ("evaluate -m bleu --predictions out.txt --ground-truth ref.txt", "'--ground-truth' is read as --references"),
        ("evaluate -m bleu --generated out.txt --reference ref.txt", "'--generated' is read as --outputs"),
        ("evaluate -m ter -i rows.jsonl", "'--outputs rows.jsonl' is read as --input-files rows.jsonl"),
        ("evaluate -m ter --data rows.jsonl", "'--data' is read as --input-files"),
        (f"evaluate -m bleu {TEXTS} --num-proc 1", "'--num-proc' is read as --jobs"),
        (f"evaluate -m bleu {TEXTS} --n_jobs 1", "'--n_jobs' is read as --jobs"),
        (f"evaluate -m bleu {TEXTS} --tokenizer none", "'--tokenizer' is read as --tokenize"),
        ("evaluate -m bleu --predictions out.txt --references ref.txt", "'--predictions' is read as --outputs"),
        (f"evaluate -m bleu {TEXTS} --max_order 4", "'--max_order' is read as the option max_ngram_order of bleu"),
        (f"bleu evaluate {TEXTS} --max_order 4", "'--max_order' is read as --max-ngram-order"),
        (
            f"evaluate -m rougeL {TEXTS} --use_stemmer",
            "'--use_stemmer' is read as the option use_stemmer of google-rouge",
        ),
        (
            f"report p.html -m rougeL {THREE} --no-confidence --use_stemmer=true",
            "'--use_stemmer' is read as the option use_stemmer of google-rouge",
        ),
        (
            f"evaluate -m rougeL {TEXTS} --use_aggregator",
            "'--use_aggregator' is read as the default: means over outputs are printed",
        ),
        (
            "evaluate -m rouge1 --predictions out.txt --reference ref.txt",
            "'rouge1' is read as the metric 'google-rouge'",
        ),
        (f"evaluate -m rougeL {TEXTS}", "'rougeL' is read as the metric 'google-rouge'"),
        (f"evaluate -m rougeLsum {TEXTS}", "'rougeLsum' is read as the metric 'google-rouge'"),
    ],
    "SacreROUGE": [
        ("rouge evaluate macro.json micro.jsonl --dataset-reader reference-based --input-files rows.jsonl", ""),
        ("rouge score s.jsonl --input-files rows.jsonl", ""),
        ("rouge evaluate --input_files rows.jsonl --macro_output_json m.json --micro_output_jsonl m.jsonl", ""),
        (f"rouge evaluate --max-ngram 2 {TEXTS}", ""),
        (f"rouge evaluate --compute_rouge_l true --use_porter_stemmer true {TEXTS}", ""),
        ("setup-metric rouge", ""),
        (
            f"correlate --metrics-jsonl-files {SCORES} --metrics words model --summarizer-type peer",
            "",
        ),
        (f"correlate --metrics-jsonl-files {SCORES} --metrics words model --skip-summary-level", ""),
        (
            f"stat-sig-test --metrics-jsonl-files {SCORES} --dependent-metric model --metric-A words --metric-B bland "
            "--test-method permutation-both --num-samples 20 --random-seed 3",
            "",
        ),
    ],
    "rouge_score": [
        (
            "google-rouge evaluate --target_filepattern=ref.txt --prediction_filepattern=out.txt --use_stemmer=true",
            "'--target_filepattern' is read as --references",
        ),
        (f"google-rouge evaluate --rouge_types rouge1 rougeL {TEXTS}", ""),
        (f"google-rouge evaluate --rouge_types rouge1,rougeL {TEXTS}", ""),
        (f"evaluate -m google-rouge:rouge_types=rouge1+rougeL {TEXTS}", ""),
        (
            "rouge_score --prediction_filepattern=out.txt --target_filepattern=ref.txt",
            "'rouge_score' is read as fw google-rouge",
        ),
        (f"evaluate -m rouge_score {TEXTS}", "'rouge_score' is read as the metric 'google-rouge'"),
        (f"evaluate -m Rouge1 {TEXTS}", "'Rouge1' is read as the metric 'google-rouge'"),
        (f"evaluate -m rougeL_fmeasure {TEXTS}", "'rougeL_fmeasure' is read as the metric 'google-rouge'"),
        (f"evaluate -m rouge {TEXTS}", ""),
        (
            f"evaluate -m rouge --stemmer false {TEXTS}",
            "'--stemmer' is read as the option use_porter_stemmer of rouge",
        ),
    ],
    "COMET, BERTScore and jiwer": [
        (f"evaluate -m bleu {TEXTS} -v", f"'-v' {AS_IT_IS} printed; --silent prints none"),
        (f"evaluate -m bleu {TEXTS} --lang en", "'--lang' is read as --language-pair"),
        ("bleu evaluate -c out.txt -r ref.txt", "'-c' is read as --outputs"),
        ("sari evaluate -i out.txt -r ref.txt -s src.txt", "'-s' is read as --sources"),
        ("wer -r ref.txt --hypothesis out.txt", "'--hypothesis' is read as --outputs"),
        (
            f"evaluate -m bleu {TEXTS} --only_system",
            "'--only_system' is read as the default: scores of systems are printed",
        ),
        (f"evaluate -m bleu {TEXTS} --to_json scores.json", "'--to_json' is read as --output"),
        (f"evaluate -m bleu {TEXTS} --tokenization 13a", "'--tokenization' is read as --tokenize"),
        ("evaluate -m ter --truth ref.txt -i out.txt", "'--truth' is read as --references"),
    ],
    "visualizers and studies": [
        ("visualize rouge page.html --systems x,y --input-files wide.jsonl", ""),
        ("evaluate -m ter --systems x,y --input-files wide.jsonl", ""),
        (f"{AGREED} --column simplicity", "'--column' is read as --rating"),
        (f"{AGREED} --rating simplicity --weights interval ordinal", ""),
        (f"{AGREED} --rating simplicity --data-type ordinal", "'--data-type' is read as --weights"),
        (f"test-judge {JUDGED} --metric model", "'--metric' is read as --judges"),
        (f"test-judge {JUDGED.replace('--rating', '--human')} --judge model", "'--human' is read as --rating"),
        (
            "prefer DATA/preferences/judge.jsonl --human DATA/preferences/people.csv",
            "'--human' is read as --against",
        ),
        ("evaluate -m ter --input-files rows.jsonl --groupby topic", "'--groupby' is read as --by"),
        (f"evaluate -m bleu {TEXTS} --tablefmt latex", "'--tablefmt' is read as --format"),
    ],
    "lm-evaluation-harness": [
        (f"evaluate -m bleu {TEXTS} --output_path scores.csv", "'--output_path' is read as --output"),
    ],
    "other programs": [
        (f"evaluate -m bleu {TEXTS} -n 4", "'-n' is read as the option max_ngram_order of bleu"),
        (f"evaluate -m rouge {TEXTS} -n 2", "'-n' is read as the option max_ngram of rouge"),
        ("evaluate -m bleu --preds-path out.txt --refs-path ref.txt", "'--refs-path' is read as --references"),
        ("evaluate -m bleu --cands out.txt --refs ref.txt", "'--cands' is read as --outputs"),
        ("evaluate -m bleu --hypothesis out.txt --reference ref.txt", "'--hypothesis' is read as --outputs"),
        (f"evaluate -m bleu {TEXTS} --precision 1", "'--precision' is read as --digits"),
        (f"evaluate -m bleu {TEXTS} --round 3", "'--round' is read as --digits"),
        (f"evaluate -m bleu {TEXTS} --threads 1", "'--threads' is read as --jobs"),
        (f"evaluate -m bleu {TEXTS} --bootstrap 100", "'--bootstrap' is read as --resamples"),
        (f"evaluate -m bleu {TEXTS} --output-format json", "'--output-format' is read as --format"),
        (f"evaluate -m bleu {TEXTS} --save scores.csv", "'--save' is read as --output"),
        (f"evaluate -m bleu {TEXTS} --per-sentence", "'--per-sentence' is read as --sentence-level"),
        (f"evaluate -m bleu {TEXTS} --segment_level", "'--segment_level' is read as --sentence-level"),
        (f"evaluate -m bleu {TEXTS} --confidence 0.9 --resamples 40", ""),
        (f"evaluate -m bleu {TEXTS} --seed 1", ""),
        ("compare -m ter -i rows.jsonl --resamples 40", "'--outputs rows.jsonl' is read as --input-files rows.jsonl"),
        (f"bleu evaluate -j1 {TEXTS}", ""),
        (f"evaluate -m bleu {TEXTS} --by-sentence", "'--by-sentence' is read as --sentence-level"),
        (f"evaluate -m bleu {TEXTS} --per-line", "'--per-line' is read as --sentence-level"),
        ("evaluate -m bleu out.txt -r ref.txt", "'out.txt' is read as --outputs out.txt"),
        ("evaluate -m bleu -i out.txt -r 'ref*.txt'", ""),
        ("evaluate --metrics=bleu --outputs=out.txt --references=ref.txt", ""),
        (f"score -m rouge1 -o scores.jsonl {TEXTS}", "'rouge1' is read as the metric 'google-rouge'"),
        ("evaluate -m sari -i a=out.txt b=out.txt -r a=ref.txt b=ref.txt --sources a=s*c.txt b=src.txt", ""),
        ("help evaluate", ""),
        ("version", ""),
        ("bleu --outputs out.txt --references ref.txt --lowercase", "'fw bleu' is read as fw bleu evaluate"),
        ("evaluate -m ter --hyp out.txt --ref ref.txt", "'--ref' is read as --references"),
        ("evaluate -m ter --hypotheses out.txt --gold ref.txt", "'--gold' is read as --references"),
        ("evaluate -m ter --pred out.txt --refs ref.txt", "'--pred' is read as --outputs"),
        ("evaluate -m ter --sys out.txt --refs ref.txt", "'--sys' is read as --outputs"),
        ("sari evaluate --candidates out.txt --refs ref.txt --src src.txt", "'--src' is read as --sources"),
        ("sari evaluate --outputs out.txt --refs ref.txt --source src.txt", "'--source' is read as --sources"),
        (f"evaluate -m bleu_4 {TEXTS}", "'bleu_4' is read as the metric 'bleu'"),
        (f"evaluate -m bleu --workers 1 {TEXTS}", "'--workers' is read as --jobs"),
        (f"evaluate -m bleu --num_workers=1 {TEXTS}", "'--num_workers' is read as --jobs"),
        (f"evaluate -m bleu --decimals 3 {TEXTS}", "'--decimals' is read as --digits"),
        (f"evaluate -m bleu --confidence --n-bootstrap 40 {TEXTS}", "'--n-bootstrap' is read as --resamples"),
    ],
}
ADVISED = [  # refused, with a command that is accepted
    "ref.txt -m bleu out.txt",
    "ref.txt -m chrf++ --format csv out.txt",
    "src.txt ref.txt out.txt",
    "ref.txt out.txt",
    "rows.jsonl",
    "evaluate -m bleu src.txt ref.txt out.txt",
    "evaluate bleu out.txt ref.txt",
    "bleu ref.txt out.txt",
    "bleu evaluate ref.txt out.txt",
    "sari evaluate src.txt ref.txt out.txt",
    "sari src.txt ref.txt out.txt",
    "compare out.txt other.txt ref.txt -m bleu",
    "compare out.txt other.txt ref.txt -m bleu chrf",
    "rouge out.txt ref.txt",
]
ENDPOINT = "--model m --url http://127.0.0.1:9/v1 --retries 0 --sources src.txt --outputs out.txt"
GLOBAL = f"correlate {SCORES} -m words bland --human model --level global"
AGREEMENT = "agreement DATA/simplification/ratings.csv --rating simplicity"
NO_MODEL, NO_SERVER, NO_DATA = "./model", "cannot connect", "is not set up"
Step = (
    str | tuple[str, str]
)  # a command that the advice means; and words of its message if it needs something else, too
TWO_READINGS: list[tuple[str, str, list[Step]]] = [  # words, the readings that the message has, and each of them
    (
        "evaluate -m bleu --outputs out.txt --tgt ref.txt",
        "did you mean --references or --outputs?",
        [f"evaluate -m bleu {TEXTS}", "evaluate -m fkgl:splitter=own --outputs out.txt"],
    ),
    *(
        (
            f"{GLOBAL} --level {level}",
            "did you mean 'input' or 'global'?",
            [f"{GLOBAL} --level input", f"{GLOBAL} --level global"],
        )
        for level in ("seg", "segment")
    ),
    *(
        (
            words,
            "which fw score writes, or a level of fw correlate, 'input' or 'global'",
            ["score -m ter s.jsonl --input-files rows.jsonl", f"{GLOBAL} --level input", GLOBAL],
        )
        for words in (
            "compare -m ter --input-files rows.jsonl --level seg",
            "evaluate -m ter --input-files rows.jsonl --level segment",
            "score -m ter s.jsonl --input-files rows.jsonl --level segment",
        )
    ),
    (
        f"{GLOBAL} --test permutation",
        "did you mean 'inputs' or 'systems' or 'both'?",
        [f"{GLOBAL} --test {test} --resamples 40" for test in ("inputs", "systems", "both")],
    ),
    (
        f"{GLOBAL} --test permutation-both",
        "did you mean 'cells' or 'both'?",
        [f"{GLOBAL} --test {test} --resamples 40" for test in ("cells", "both")],
    ),
    (
        f"{GLOBAL} --coefficient tau",
        "did you mean 'kendall-b' or 'kendall-c' or 'kendall-a'?",
        [f"{GLOBAL} --coefficient kendall-{one}" for one in "bca"],
    ),
    (f"{AGREEMENT} --statistic kappa", "did you mean 'fleiss' or 'cohen'?", [f"{AGREEMENT} --statistic fleiss"]),
    (f"evaluate -m ROUGE-L {TEXTS}", "did you mean 'rouge'?", [f"evaluate -m rouge {TEXTS}"]),
    (f"evaluate -m bleu:label=a,b {TEXTS}", "a list is label=[…,…]", [f"evaluate -m bleu:label=a {TEXTS}"]),
    (
        f"evaluate -m google-rouge:rouge_types=rouge1,rouge2 {TEXTS}",
        "a list is rouge_types=[…,…]",
        [f'evaluate -m \'google-rouge:rouge_types=["rouge1","rouge2"]\' {TEXTS}'],
    ),
    (f"evaluate -m ter:normalized=true,blue {TEXTS}", "did you mean 'bleu'?", [f"evaluate -m ter,bleu {TEXTS}"]),
    (
        "evaluate -m ter --input-files comma.jsonl --columns summary=a,b",
        'as in \'{"summary": "a,b"}\'',
        ['evaluate -m ter --input-files comma.jsonl --columns \'{"summary": "a,b"}\''],
    ),
    (
        "agreement comma.csv --rating a,b",
        "In a command, write '[\"a,b\"]'",
        ["agreement comma.csv --rating '[\"a,b\"]'"],
    ),
    (
        "kappa r.csv",
        f"unknown command or metric 'kappa'. {ARE_LISTED_BY} fw --help and fw list metrics",
        ["--help", "list metrics"],
    ),
]


REFUSED: list[tuple[str, str, list[Step]]] = [  # words that mean nothing here, the step that the message has, and it
    *(
        (
            f"rouge evaluate {flag} {TEXTS}",
            f"ROUGE-1.5.5, not of this command: {said}",
            [f"rouge evaluate {then} {TEXTS}"],
        )
        for flag, said, then in [
            ("-a", "all systems are scored here; leave it out", ""),
            ("-m", "it turns on the stemmer, which is on here", ""),
            ("-x", "ROUGE-L is computed only with --compute-rouge-l here; leave it out", ""),
            ("-s", "use --remove-stopwords", "--remove-stopwords"),
            ("-p 0.5", "use --alpha NUMBER", "--alpha 0.5"),
            ("-l 100", "use --max-words NUMBER", "--max-words 100"),
            ("-b 665", "use --max-bytes NUMBER", "--max-bytes 665"),
            ("-w 1.2", "use --wlcs-weight NUMBER", "--wlcs-weight 1.2"),
            ("-2 4", "use --skip-bigram-gap-length NUMBER", "--skip-bigram-gap-length 4"),
            ("-U", "use --skip-bigram-gap-length NUMBER", "--skip-bigram-gap-length 4"),
            ("-f A", "use --scoring-function average, or max for -f B", "--scoring-function average"),
            ("-r 1000", "for the mean of its resamples, use --official-average", "--official-average"),
            ("-d", "for the scores of outputs, use fw rouge evaluate MACRO.json MICRO.jsonl", "s.json m.jsonl"),
            ("-e", "it needs no data of WordNet or stop words; leave it out", ""),
        ]
    ),
    (
        "rouge score s.jsonl --metric rouge:label=ours --input-files rows.jsonl",
        "or fw score --metric NAME …",
        ["score s.jsonl --metric rouge:label=ours --input-files rows.jsonl"],
    ),
    (f"{GLOBAL} -bland", "use --metric=-bland", [f"{GLOBAL} --metric=-words"]),
    (
        "compare -m bleu -i out.txt other.txt -r ref.txt --format latex --caption X",
        "write the caption in the document that reads the table",
        ["compare -m bleu -i out.txt other.txt -r ref.txt --format latex"],
    ),
    (
        "compare -m bleu -i out.txt other.txt -r ref.txt --digits 3",
        "--output-file OUT.json has all digits",
        ["compare -m bleu -i out.txt other.txt -r ref.txt --output-file OUT.json"],
    ),
    (
        "quality-estimation evaluate --splitter none --lexical-complexity false --sources src.txt -i out.txt -sl",
        "choose one with --scores, as in --scores compression_ratio",
        [
            "quality-estimation evaluate --splitter none --lexical-complexity false --sources src.txt -i out.txt "
            "-sl --scores compression_ratio"
        ],
    ),
    (
        f"rouge evaluate -f text --scores rouge-1_recall rouge-2_recall {TEXTS}",
        "'rouge' has 12 scores, and this output one of each metric; choose one with --scores",
        [f"rouge evaluate -f text --scores rouge-2_f1 {TEXTS}"],
    ),
    (
        "evaluate -m bleu,sari -q -t turkcorpus_test -i out.txt",
        "for EASSE's -q, use --metric quality-estimation",
        [("evaluate -m bleu,sari --metric quality-estimation -t turkcorpus_test -i out.txt", NO_DATA)],
    ),
    (
        "evaluate -m sari -t turkcorpus_tst -i out.txt",
        "did you mean 'turkcorpus-test' or",
        [("evaluate -m sari -t turkcorpus-test -i out.txt", NO_DATA)],
    ),
    (
        "compare -m sari -i out.txt other.txt -t turkcorpus_test,asset_test",
        "score each of them with --dataset turkcorpus-test,asset-test",
        [
            (
                "compare -m sari --dataset turkcorpus-test,asset-test -i turkcorpus-test=out.txt asset-test=out.txt",
                NO_DATA,
            )
        ],
    ),
    (
        f"evaluate -m sari --lowercase {THREE}",
        "for sari, use --metric sari:lowercase=true",
        [f"evaluate -m sari:lowercase=true {THREE}"],
    ),
    (f"evaluate -m bleu --json {TEXTS}", "did you mean --format?", [f"evaluate -m bleu --format json {TEXTS}"]),
    (f"evaluate -m all {THREE}", "as in --metric sari,bleu", [f"evaluate --metric sari,bleu {THREE}"]),
    (f"evaluate -m f1 {TEXTS}", "did you mean 'token-f1'", [f"evaluate -m token-f1 {TEXTS}"]),
    (
        "evaluate -m compression -i out.txt --sources src.txt",
        "did you mean 'quality-estimation'?",
        ["evaluate -m quality-estimation:splitter=none,lexical_complexity=false -i out.txt --sources src.txt"],
    ),
    ("metrics", "did you mean fw list metrics?", ["list metrics"]),
    (
        f"evaluate -m gpt-4 {TEXTS}",
        "as in llm-judge:model=NAME,url=URL?",
        [(f"evaluate -m llm-judge:model=m,url=http://127.0.0.1:9/v1,retries=0 {THREE}", NO_SERVER)],
    ),
    (f"evaluate -m bleu --bibtex {TEXTS}", "did you mean --paper?", [f"evaluate -m bleu {TEXTS} --paper paper.tex"]),
    (
        "evaluate -m bleu --outputs out.txt --references ref.txt --sources src.txt ref2.txt",
        "as in --sources a=src.txt b=ref2.txt",
        [
            "evaluate -m sari --outputs a=out.txt b=out.txt --references a=ref.txt b=ref.txt --sources a=src.txt "
            "b=ref2.txt"
        ],
    ),
    (f"score -o scores.csv -m bleu {TEXTS}", "a .jsonl, .json or .parquet", [f"score -o scores.jsonl -m bleu {TEXTS}"]),
    (f"score scores.tsv -m bleu {TEXTS}", "such as scores.jsonl", [f"score scores.jsonl -m bleu {TEXTS}"]),
    (f"evaluate --micro-output-jsonl m.csv -m bleu {TEXTS}", "a .jsonl", [f"evaluate s.json m.jsonl -m bleu {TEXTS}"]),
    ("jiwer -r ref.txt -i out.txt", "did you mean fw wer evaluate?", ["wer evaluate -r ref.txt -i out.txt"]),
    ("wer -r ref.txt -h out.txt", "use --outputs out.txt", ["wer -r ref.txt --outputs out.txt"]),
    ("wer -r ref.txt -h out.txt -c", "use fw cer evaluate", ["cer evaluate -r ref.txt --outputs out.txt"]),
    ("wer -c -r ref.txt -i out.txt", "use fw cer evaluate", ["cer evaluate -r ref.txt -i out.txt"]),
    ("wer -r ref.txt -i out.txt -c", "use fw cer evaluate", ["cer evaluate -r ref.txt -i out.txt"]),
    ("datasets", "did you mean fw list datasets?", ["list datasets"]),
    ("list-datasets", "did you mean fw list datasets?", ["list datasets"]),
    ("download asset", "did you mean fw setup dataset?", [("setup dataset asset --from-dir .", "must contain")]),
    (f"{AGREEMENT} --kappa", "did you mean --statistics?", [f"{AGREEMENT} --statistics fleiss"]),
    (f"evaluate -m bleu {TEXTS} --output-dir x", "did you mean --output?", [f"evaluate -m bleu {TEXTS} -o x.csv"]),
    ("--list", "fw list test-sets", ["list test-sets"]),
    ("--cite -t wmt18", "fw cite NAME", ["cite wmt18"]),
    (
        "-t wmt17 -l en-de --echo src",
        "fw setup dataset NAME --echo FIELD",
        [("setup dataset wmt17/en-de --echo src --from-dir .", "must contain 'test.tgz'")],
    ),
    ("-t wmt17 -l en-de -i out.txt", NO_DATA, [("setup dataset wmt17/en-de --from-dir .", "must contain 'test.tgz'")]),
    ("evaluate -m sari -t asset_test -i out.txt", NO_DATA, [("setup dataset asset-test --from-dir .", "must contain")]),
    (
        "report p.html -t turkcorpus_valid -i out.txt",
        NO_DATA,
        [("setup dataset turkcorpus-tune --from-dir .", "must contain")],
    ),
    (
        f"evaluate -m sari --no-lowercase {THREE}",
        "use --metric sari:lowercase=false",
        [f"evaluate --metric sari:lowercase=false {THREE}"],
    ),
    (
        f"evaluate -m bleu sari --no-lowercase {THREE}",
        "use --metric bleu:lowercase=false,sari:lowercase=false",
        [f"evaluate --metric bleu:lowercase=false,sari:lowercase=false {THREE}"],
    ),
    (
        "bleu evaluate -i out.txt -r ref.txt -s src.txt",
        "for the sources, use --sources src.txt",
        ["bleu evaluate -i out.txt -r ref.txt --sources src.txt"],
    ),
    (
        f"rouge evaluate -c 95 {TEXTS}",
        "for intervals, use --confidence 95",
        [f"rouge evaluate --confidence 95 --resamples 40 {TEXTS}"],
    ),
    (f"score scores.csv -m ter {TEXTS}", "such as scores.jsonl", [f"score scores.jsonl -m ter {TEXTS}"]),
    (
        f"evaluate -m sari --quality-estimation {THREE}",
        "add --metric quality-estimation",
        [f"evaluate -m sari --metric quality-estimation:splitter=none,lexical_complexity=false {THREE}"],
    ),
    (
        "evaluate -q -m sari --refs_sents_paths ref.txt --orig_sents_path src.txt -i out.txt",
        "for EASSE's -q, use --metric quality-estimation",
        [f"evaluate -m sari --metric quality-estimation:splitter=none,lexical_complexity=false {THREE}"],
    ),
    (f"evaluate -m bertscore {TEXTS}", "set 'model' to", [(f"evaluate -m bertscore:model=./model {TEXTS}", NO_MODEL)]),
    (
        "bert-score evaluate --refs ref.txt --cands out.txt",
        "set --model to",
        [(f"bertscore evaluate {TEXTS} --model ./model", NO_MODEL)],
    ),
    *(
        (
            f"evaluate -m {name} {THREE}",
            "did you mean 'comet'?",
            [(f"evaluate -m comet:model=./model {THREE}", NO_MODEL)],
        )
        for name in ("cometkiwi", "comet22")
    ),
    (f"evaluate -m sacrebleu {TEXTS}", "did you mean 'bleu'?", [f"evaluate -m bleu {TEXTS}"]),
    ("sacrebleu ref.txt -i out.txt", "did you mean 'bleu'?", ["bleu ref.txt -i out.txt"]),
    (f"evaluate -m rouge-1 {TEXTS}", "did you mean 'rouge'?", [f"evaluate -m rouge {TEXTS}"]),
    (f"evaluate -m google_bleu {TEXTS}", "fw report --scores-files read", [GLOBAL]),
    (f"python-rouge evaluate {TEXTS}", "did you mean 'rouge'?", [f"rouge evaluate {TEXTS}"]),
    (
        f"jury eval {TEXTS}",
        "use fw jury evaluate or fw jury score",
        [(f"jury evaluate --judges a+b {ENDPOINT.removeprefix('--model m ')} --references ref.txt", NO_SERVER)],
    ),
    (
        f"rank -m sari {THREE}",
        "did you mean fw compare?",
        ["compare -m sari --outputs out.txt other.txt --references ref.txt --sources src.txt"],
    ),
    (f"mtme -m words {SCORES}", "did you mean fw correlate?", [GLOBAL]),
    ("list-metrics", "did you mean fw list metrics?", ["list metrics"]),
    (
        "visualize-rouge rows.jsonl",
        "did you mean fw visualize rouge?",
        ["visualize rouge page.html --input-files rows.jsonl"],
    ),
    (
        f"evaluate -m bleu {TEXTS} -o scores.xlsx",
        "such as .csv for spreadsheets",
        [f"evaluate -m bleu {TEXTS} -o scores.csv", f"evaluate -m bleu {TEXTS} -o scores.xlsx --format csv"],
    ),
    *(
        (f"evaluate -m bleu {TEXTS} --{name}", "did you mean --format?", [f"evaluate -m bleu {TEXTS} --format {name}"])
        for name in ("latex", "csv")
    ),
    (
        f"evaluate -m bleu {TEXTS} --lang german",
        "SOURCE-TARGET, as in en-de, or one language, as in de",
        [f"evaluate -m bleu {TEXTS} --lang en-de", f"evaluate -m bleu {TEXTS} --lang de"],
    ),
    ("-t wmt17,wmt18 -l de -i out.txt", "--dataset wmt17/SOURCE-TARGET,wmt18/SOURCE-TARGET", []),
    (f"evaluate -m bleu {TEXTS} --average macro", "leave it out", [f"evaluate -m bleu {TEXTS}"]),
    (
        f"evaluate -m exact_match {TEXTS}",
        "did you mean 'token-f1', the overlap of their words?",
        [f"evaluate -m token-f1 {TEXTS}"],
    ),
    (f"evaluate -m bleu {TEXTS} --batch_size 8", "leave it out", [f"evaluate -m bleu {TEXTS}"]),
    (f"evaluate -m bleu {TEXTS} --tasks bleu", "name metrics with --metric", [f"evaluate --metric bleu {TEXTS}"]),
    (f"evaluate -m bleu {TEXTS} --limit 10", "as head -n N FILE prints them", []),
    (f"evaluate -m bleu {TEXTS} --log_samples", "fw score OUT.jsonl", [f"score s.jsonl -m bleu {TEXTS}"]),
    (
        f"evaluate -m bleu {TEXTS} --ignore-case",
        "use --lowercase for BLEU",
        [f"evaluate -m bleu --lowercase {TEXTS}", f"evaluate -m sari:lowercase=true {THREE}"],
    ),
    (
        f"evaluate -m bleu {TEXTS} --names mine",
        "as in --outputs NAME=FILE",
        ["evaluate -m bleu --outputs mine=out.txt --references ref.txt"],
    ),
    (
        f"correlate {SCORES} --hyp out.txt --refs ref.txt -m words --human model",
        "fw score OUT.jsonl --metric NAME --outputs FILE --references FILE",
        ["score s.jsonl --metric bleu --outputs out.txt --references ref.txt"],
    ),
    (f"{GLOBAL} --pearson", "did you mean --coefficients?", [f"{GLOBAL} --coefficients pearson"]),
    (f"{GLOBAL} --sys-level", "did you mean --levels?", [f"{GLOBAL} --levels system"]),
    (f"{GLOBAL} --group-by topic", "did you mean --slices or --data-sets?", [f"{GLOBAL} --slices topic"]),
    ("prefer DATA/preferences/people.csv --elo", "did you mean --strength-scale?", [PREFERRED]),
    (f"evaluate -m bleu {TEXTS} --gpus 0", "leave it out", [f"evaluate -m bleu {TEXTS}"]),
    (f"evaluate -m bleu {TEXTS} --detokenize", "leave it out", [f"evaluate -m bleu {TEXTS}"]),
    (f"evaluate -m bleu {TEXTS} --level corpus", "systems are scored without it", [f"evaluate -m bleu {TEXTS}"]),
    (f"{GLOBAL} --statistic pearson", "did you mean --coefficients?", [f"{GLOBAL} --coefficients pearson"]),
    (
        f"evaluate -m bleu {TEXTS} --cache answers",
        "as in FW_CACHE=FOLDER fw …; leave --cache out",
        [f"FW_CACHE=answers evaluate -m bleu {TEXTS}"],
    ),
    (  # FW_CACHE is the folder of all that is cached: a flag of some metrics would mean less
        f"llm-judge evaluate {ENDPOINT} --cache .answers",
        "as in FW_CACHE=FOLDER fw …; leave --cache out",
        [(f"FW_CACHE=.answers llm-judge evaluate {ENDPOINT}", NO_SERVER)],
    ),
    (
        "evaluate -m ter rows.jsonl",
        "--metric ter --input-files rows.jsonl",
        ["evaluate --metric ter --input-files rows.jsonl"],
    ),
    (
        "ref.txt -i out.txt --paired-ar -m bleu",
        "use -i BASELINE SYSTEM",
        ["ref.txt -i out.txt other.txt --paired-ar --paired-ar-n 20 -m bleu"],
    ),
    (
        "score -m ter --by topic s.jsonl --input-files rows.jsonl",
        "fw evaluate --by or fw compare --by",
        [
            f"{command} -m ter --by topic --input-files rows.jsonl"
            for command in ("evaluate", "compare", "report p.html")
        ],
    ),
    (f"{GLOBAL} --by lp", "did you mean --slices or --data-sets?", [f"{GLOBAL} --slices topic"]),
    (
        "evaluate -m bleu --predictions out.txt --labels ref.txt",
        "did you mean --references?",
        [f"evaluate -m bleu {TEXTS}"],
    ),
    (f"{GLOBAL} --coefficients PCE", "did you mean 'spa'?", [f"{GLOBAL} --level system --coefficients spa"]),
    (f"{GLOBAL} --average item", "did you mean --levels?", [f"{GLOBAL} --level input"]),
    (f"{GLOBAL} --bootstrap-method both", "did you mean --ci?", [f"{GLOBAL} --ci bootstrap-both --resamples 40"]),
    (f"{GLOBAL} --n-permutations 40", "did you mean --resamples?", [f"{GLOBAL} --test both --resamples 40"]),
    (f"{GLOBAL} --variant tau-b", "did you mean --coefficients?", [f"{GLOBAL} --coefficients tau-b"]),
    (f"{GLOBAL} --alternative greater", "did you mean --two-tailed?", [f"{GLOBAL} --two-tailed false"]),
    (f"{GLOBAL} --nan_policy omit", "did you mean --missing?", [f"{GLOBAL} --missing NA"]),
    (
        f"{GLOBAL} --pval 0.1",
        "did you mean --confidence or --alpha?",
        [f"{GLOBAL} --confidence 90", f"{GLOBAL} --test inputs --alpha 0.1 --resamples 40"],
    ),
    *(
        (
            f"compare {SCORES} --test {test}",
            "did you mean 'bootstrap-t' or 'randomization'?",
            [f"compare {SCORES} --test {one} --trials 40 --resamples 40" for one in ("bootstrap-t", "randomization")],
        )
        for test in ("ttest", "t-test", "wilcoxon")
    ),
    (f"compare {SCORES} --method bca", "did you mean --ci?", [f"compare {SCORES} --ci bca --resamples 40"]),
    (f"compare {SCORES} --alpha 0.01", "did you mean --confidence?", [f"compare {SCORES} --confidence 99"]),
    (
        f"compare {SCORES} --permutations 40",
        "did you mean --trials or --resamples?",
        [f"compare {SCORES} --trials 40", f"compare {SCORES} --resamples 40"],
    ),
    (f"{AGREEMENT} --metric fleiss", "did you mean --statistics?", [f"{AGREEMENT} --statistics fleiss"]),
    (
        f"llm-judge evaluate {ENDPOINT} --api-key sk-1",
        "the key is that of the variable OPENAI_API_KEY, or of --key-variable",
        [(f"llm-judge evaluate {ENDPOINT} --key-variable KEY", NO_SERVER)],
    ),
]


CONFIGURED = ("--config", "--overrides")  # an analysis has no configuration


@pytest.fixture(autouse=True)
def _texts(datasets_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    texts = {"sources": "src", "references.0": "ref", "references.1": "ref2", "careful": "out", "clumsy": "other"}
    for name, copy in texts.items():
        shutil.copyfile(datasets_path / "simplification" / f"{name}.txt", f"{copy}.txt")
    lines = (datasets_path / "simplification" / "outputs.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [{**row, "topic": "ab"[int(row["instance_id"]) % 2]} for row in map(json.loads, lines)]
    Path("rows.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    Path("comma.jsonl").write_text('{"instance_id": "1", "system_id": "a", "a,b": "a cat", "reference": "a dog"}\n')
    Path("wide.jsonl").write_text('{"reference": "a cat", "x": "a dog", "y": "a cat"}\n')
    Path("comma.csv").write_text('id,rater,"a,b"\n1,x,2\n1,y,3\n')


@pytest.mark.parametrize(("words", "said"), [row for rows in TAKEN.values() for row in rows])
def test_what_has_one_meaning_is_accepted_and_said_in_one_line(
    words: str, said: str, fw: Run, datasets_path: Path
) -> None:
    result = fw(*split(words.replace("DATA", str(datasets_path))))
    assert result.code == 0, result.err
    notes = [line for line in result.err.splitlines() if " is read as " in line]
    assert (f"fw: {said}" in notes) if said else not notes


@pytest.mark.parametrize(
    ("words", "metrics"),
    [
        ("rouge1,rougeL", f"google-rouge --scores {' '.join(ROUGE)}"),
        ("rougel -m rouge1 --format csv", f"google-rouge --format csv --scores {' '.join(ROUGE)}"),
        ("rouge1 -m google-rouge", "google-rouge"),
        ("google-rouge rougeL", "google-rouge"),
        ("bleu4 corpus_bleu ter -lc", "bleu ter -lc"),
        ("sari_keep sari_add ter", "sari ter --scores sari_keep sari_add ter"),
        ("sari_add:label=x", "sari:label=x --scores x_add"),
        ("sari_keep -m sari", "sari --scores sari sari_keep"),
    ],
)
def test_several_scores_of_a_metric_are_that_metric_once_and_shown_alone(words: str, metrics: str, fw: Run) -> None:
    found, expected = (fw(*split(f"evaluate -m {one} {THREE}")) for one in (words, metrics))
    assert (found.code, found.out) == (0, expected.out), found.err


@pytest.mark.filterwarnings("ignore:.* is read as the metric")
def test_several_scores_of_a_metric_are_that_metric_once_in_python() -> None:
    found, expected = (
        evaluate(metrics, {"a": ["a cat"]}, references=["a dog"])
        for metrics in (["rouge1", "rougeL", "ter"], ["google-rouge", "ter"])
    )
    assert str(found) == expected.table(scores=[*ROUGE, "ter"])
    assert found.systems == expected.systems


def test_scores_that_are_named_are_compared_and_the_main_ones_of_a_page(fw: Run) -> None:
    words = "--outputs out.txt other.txt --references ref.txt --sources src.txt"
    compared = fw(*split(f"compare -m rouge1,sari_keep --trials 40 --resamples 40 --format csv {words}"))
    assert {line.split(",")[0] for line in compared.out.splitlines()[1:]} == {*ROUGE[:3], "sari_keep"}
    assert fw(*split(f"report page.html -m rouge1 --profile translation --no-confidence {words}")).code == 0
    page = Path("page.html").read_text(encoding="utf-8")
    assert re.findall(r'"name": "(\w+)", "title": "\w+", "metric": "google-rouge", "main": true', page) == ROUGE[:3]


@pytest.mark.parametrize(
    ("words", "names"),
    [  # words after fw, and the names of what is printed
        ("rouge evaluate", ["rouge-1_f1"]),
        ("rouge evaluate --scores rouge-2_recall", ["rouge-2_recall"]),
        ("google-rouge evaluate", ["rouge1_fmeasure"]),
        ("evaluate -m rougeL", ["rougeL_fmeasure"]),
        ("evaluate -m bleu --scores bleu_bp", ["bleu_bp"]),
        ("evaluate -m sari --sources src.txt", ["sari"]),
        ("evaluate -m sari_keep --sources src.txt", ["sari_keep"]),
        ("evaluate -m chrf++", ["chrF2++"]),
    ],
)
def test_output_as_in_sacrebleu_names_its_score_of_each_metric(words: str, names: list[str], fw: Run) -> None:
    found = fw(*split(f"{words} {TEXTS} -f text -w 9"))
    assert [line.partition("|")[0].strip() for line in found.out.splitlines()] == names, found.err
    assert (" is printed; choose another with --scores" in found.err) == ("rouge" in words and "recall" not in words)
    lines = fw(*split(f"{words} {TEXTS} -sl -w 9")).out.splitlines()
    fw(*split(f"{words.partition(' --scores')[0]} s.json m.jsonl {TEXTS}"))
    rows = [MetricsDict(json.loads(line)["metrics"]).flatten() for line in Path("m.jsonl").read_text().splitlines()]
    score = {"chrF2++": "chrf++"}.get(names[0], names[0])
    if score != "bleu_bp":  # which is that of effective order
        assert [line.partition(" = ")[2] for line in lines] == [f"{row[score]:.9f}" for row in rows]


@pytest.mark.parametrize("name", ["base_url", "api_base", "endpoint"])
def test_the_endpoint_has_the_names_of_its_clients(name: str, fw: Run) -> None:
    url = "http://127.0.0.1:9/v1"
    flag = "--" + name.replace("_", "-")
    refused = fw(*split(f"llm-judge evaluate --model m {flag} {url} --retries 0 -i out.txt --sources src.txt"))
    assert refused.err.startswith(f"fw: '{flag}' is read as --url\n")
    assert f"cannot connect to {url}" in refused.err
    with pytest.warns(UserWarning, match=f"^'{name}' is read as 'url'$"):
        judge = load("llm-judge", model="m", **{name: url})
    assert judge.signature() == load("llm-judge", model="m", url=url).signature()
    with pytest.raises(UsageError, match="duplicate option 'url'"), pytest.warns(UserWarning, match="is read as"):
        load("llm-judge", model="m", url=url, **{name: url})


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("--max_retries 0", "--retries"),
        ("--timeout 3", "--time-limit"),
        ("--n 2", "--samples"),
        ("--max-completion-tokens 9", "--max-tokens"),
        ("--model_name m", "--model"),
    ],
)
def test_options_of_clients_of_endpoints_are_accepted(given: str, meant: str, fw: Run) -> None:
    words = {flag: f"{flag} {value}" for flag, value in re.findall(r"(--[\w-]+) (\S+)", ENDPOINT)} | {meant: given}
    refused = fw("llm-judge", "evaluate", *split(" ".join(words.values())))
    assert refused.err.startswith(f"fw: '{given.split()[0]}' is read as {meant}\n")
    assert NO_SERVER in refused.err


@pytest.mark.parametrize("word", ["bleu", "BLEU", "ChrF++"])
def test_one_word_has_one_note(word: str, fw: Run) -> None:
    assert fw(*split(f"evaluate {word} {TEXTS}")).err.count("is read as") == 1


def test_notes_on_metrics_are_in_their_order(fw: Run) -> None:
    notes = re.findall("^fw: '(.*)' is read", fw(*split(f"evaluate -m BLEU chrF++ TER {TEXTS}")).err, re.MULTILINE)
    assert notes == ["BLEU", "chrF++", "TER"]


def test_a_file_with_the_name_of_an_action_is_no_reference(fw: Run) -> None:
    shutil.copyfile("ref.txt", "evaluate")
    assert not fw(*split(f"bleu evaluate {TEXTS}")).err


@pytest.mark.parametrize("words", ADVISED)
def test_files_without_flags_are_refused_with_the_complete_command(words: str, fw: Run) -> None:
    refused = fw(*split(words))
    assert (refused.code, refused.out) == (2, "")
    advised = re.search(r"as in: fw (.*)", refused.err)
    assert advised, refused.err
    accepted = fw(*split(advised[1]))
    assert accepted.code == 0, accepted.err


@pytest.mark.parametrize(("words", "said", "steps"), [*TWO_READINGS, *REFUSED])
def test_what_has_no_or_two_readings_is_refused_with_steps_that_work(
    words: str, said: str, steps: list[Step], fw: Run, datasets_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = fw(*split(words.replace("DATA", str(datasets_path))))
    assert result.code == (1 if NO_DATA in said else 2)
    assert said in result.err
    assert result.err.count("\n") - result.err.count(" is read as ") <= 2
    for step in steps:
        command, needs = (step, "") if isinstance(step, str) else step
        variable, is_set, rest = command.partition(" ")[0].partition("=")
        if is_set:
            monkeypatch.setenv(variable, rest)
        followed = fw(*split(command.replace("DATA", str(datasets_path)))[bool(is_set) :])
        assert (needs in followed.err) if needs else (followed.code == 0), f"{command}: {followed.err}"


def test_commands_that_score_outputs_share_the_flags_of_input_and_metrics() -> None:
    shared = ("input", "metrics", "options of bleu, chrf and ter, as in sacreBLEU")
    found = []
    for command in ("evaluate", "score", "compare", "report"):
        groups = {group.title: group for group in find_command([command])[0]._action_groups}
        flags = {title: [action.option_strings for action in groups[title]._group_actions] for title in shared}
        found.append({title: [one for one in flags[title] if one[0] not in CONFIGURED] for title in shared})
    assert all(one == found[0] for one in found[1:])
