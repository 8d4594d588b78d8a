"""The native module, with its Python layer, built with address and undefined-behaviour sanitizers."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent.parent
SOURCES = TESTS.parent / "metrics_framework/kernels/src"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="preloads a library of the sanitizer"),
]

CALLS = """
import random
import sys
from array import array
from importlib.machinery import ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_loader

NAME = "metrics_framework.kernels._native"
spec = spec_from_loader(NAME, ExtensionFileLoader(NAME, sys.argv[1]))
native = sys.modules[NAME] = module_from_spec(spec)
spec.loader.exec_module(native)
sys.path.insert(0, sys.argv[2])
from twins import everything, random_groups

from metrics_framework.kernels import dispatch
from metrics_framework.kernels.dispatch import Tokenization, Request, native_kernel
from metrics_framework.metrics.base.metric import load

assert dispatch.native_module is native
NAMES = [
    "autosummeng",
    "bleu",
    "cer:lowercase=true",
    "chrf:word_order=2",
    "google-rouge:use_stemmer=true",
    "rouge:max_bytes=9,compute_rouge_l=true,skip_bigram_gap_length=4,wlcs_weight=1.2",
    "rouge:max_words=9,remove_stopwords=true,skip_bigram_gap_length=-1,scoring_function=max",
    "sari",
    "sari:variant=modified",
    "sent-bleu",
    "ter",
    "wer",
]
for seed, name in enumerate(NAMES):
    metric = load(name)
    groups = random_groups(seed, 20, len(metric.fields), most_references=9)
    for request in (Request.JSON, Request.JSON | Request.JACKKNIFED, Request.JSON | Request.VECTORS):
        assert metric.native(native_kernel(metric.kernel_name, request), *groups) is not None
    everything(metric, groups)
    assert metric.native(native_kernel(metric.kernel_name, Request.PAIRS), *groups) is not None
groups = random_groups(6, 20, 2, most_references=1)
for wanted in (Request.STATISTICS, Request.STATISTICS | Request.TEXTS):
    for tokenization in (Tokenization.TOKENIZER_13A, Tokenization.WHITESPACE):
        assert native_kernel("quality", wanted)(*groups, lowercase=True, tokenization=tokenization) is not None
assert dispatch.native_function("scores_as_json")([{"a": 0.5}, {"b": [1, 2.5]}]) == '{"a": 0.5, "b": [1, 2.5]}'

# JSON lines: usual ones, with characters of every width, and all their beginnings and small changes.
for odd in ("", "é", "猫", "\\U0001f600"):
    line = f'{{"a{odd}": "b{odd}", "c": ["d", "{odd}"], "e": -1.5e3, "f": null, "g": "\\\\ud83d\\\\ude00"}}'
    assert native.json_columns(f"{line}\\n{line}", 0, 9)[2] == 2 * len(line) + 2
    for end in range(len(line)):
        assert native.json_columns(line[:end], 0, 9) is None
        for other in '"\\\\[{,:0\\n':
            native.json_columns(f"{line}\\n{line[:end]}{other}{line[end:]}", 0, 9)

# Weighted points: groups of resamples, and each resample alone.
values, count, resamples = random.Random(0), 700, 40
codes = values.sample(range(count), count)
rows, columns = ([values.randrange(size) for _ in range(count)] for size in (5, 30))
arrays = [array("i", one) for one in (codes, range(count), range(count), rows, columns)]
for most_row, most_column in [(1, 2), (2, 1), (4, 9)]:
    weights = [
        array("i", [1 if most == 1 else values.randrange(most) for _ in range(resamples * size)])
        for most, size in ((most_row, 5), (most_column, 30))
    ]
    for wanted in range(8):
        sums = array("q", bytes(80 * resamples))
        assert native.weighted_points(*arrays, *weights, sums, resamples, wanted)
        for one in (0, 31, 32, 39):
            alone = array("q", bytes(80))
            of_one = [weights[0][5 * one : 5 * one + 5], weights[1][30 * one : 30 * one + 30]]
            assert native.weighted_points(*arrays, *of_one, alone, 1, wanted)
            assert alone == sums[10 * one : 10 * one + 10]
print("done")
"""


def runtime(compiler: list[str]) -> str:
    """Returns the path of the address sanitizer's library; skips the test without it or without a compiler."""
    try:
        call = [*compiler, "-print-file-name=libasan.so"]
        path = subprocess.run(call, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        path = ""
    if not os.path.isabs(path):
        pytest.skip("needs a C compiler with the library libasan.so of the address sanitizer")
    return path


def test_all_requests_of_all_kernels(tmp_path: Path) -> None:
    compiler = shlex.split(sysconfig.get_config_var("CC") or "cc")
    library = runtime(compiler)
    flags = ["-std=c11", "-g", "-fPIC", "-shared", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    module = str(tmp_path / "_native.so")
    sources = [str(path) for path in sorted(SOURCES.rglob("*.c"))]
    subprocess.run(
        [*compiler, *flags, "-I", str(SOURCES), "-I", sysconfig.get_path("include"), "-o", module, *sources], check=True
    )
    environment = {
        **os.environ,
        "LD_PRELOAD": library,
        "ASAN_OPTIONS": "detect_leaks=0",  # Python does not free everything at exit
        "PYTHONMALLOC": "malloc",  # Python's allocator hides the ends of objects from the sanitizer
        "FW_KERNELS": "native",
    }
    call = [sys.executable, "-c", CALLS, module, str(TESTS)]
    done = subprocess.run(call, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "done\n"
