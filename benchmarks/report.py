"""The page of ``fw report``: its size, and the time that Chromium takes to open, sort, filter and search it.

Run it with ``python benchmarks/report.py [SYSTEMS …]`` (default: 4 and 20 systems on 359 sentences), or with
``--large`` for 200,000 outputs (four systems on 50,000 random sentences), of which it also measures the memory of
building, and its CPU time as a ratio to that of ``fw evaluate`` with the same metrics. Other times are elapsed
milliseconds, as median and range over several repetitions. Actions are timed in the page, from the event to the end of
the layout. Opening is timed from the start of the navigation to the first frame after the load event. The program
needs Chromium (``FW_CHROMIUM`` names one that is not on the path).
"""

from __future__ import annotations

import json
import random
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from corpora import texts
from turkcorpus import TurkCorpus

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from chromium import Page, chromium_path  # noqa: E402

REPETITIONS = 7
LARGE_SENTENCES, LARGE_SYSTEMS = 50_000, 4
FEATURES = "quality-estimation:splitter=none,lexical_complexity=false"
LARGE_METRICS = ("--metric", "sari", "--metric", "bleu", "--metric", FEATURES)
AT_ONCE = """(() => {{ const start = performance.now(); {action}; document.body.offsetHeight;
return performance.now() - start; }})()"""
SET = "const one = document.getElementById('{name}'); one.value = {value!r}; one.dispatchEvent(new Event('input'))"
OPENED = "performance.now()"
ALL_SYSTEMS = "document.getElementById('every').click()"
ACTIONS = {
    "sort by score, highest first": SET.format(name="order", value="high"),
    "sort by score, lowest first": SET.format(name="order", value="low"),
    "filter: most different": SET.format(name="filter", value="different"),
    "filter: all": SET.format(name="filter", value="all"),
    "sort by regressions": SET.format(name="order", value="regressions"),
    "sort by input": SET.format(name="order", value="input"),
    "list a bar": "document.querySelector('.histogram-bar:enabled').click()",
    "list a bucket": "document.querySelector('#buckets-body button').click()",
    "search: the": SET.format(name="query", value="the"),
    "search: nothing": SET.format(name="query", value=""),
    "next page": "document.getElementById('next').click()",
    "sort the table": "document.querySelector('#scores thead th:nth-child(2)').click()",
}


def write_systems(test_set: TurkCorpus, count: int, folder: Path) -> list[str]:
    """Writes the outputs of the systems and, if more systems are requested, of random mixtures of them."""
    generator = random.Random(0)
    known = list(test_set.outputs.values())
    systems = dict(list(test_set.outputs.items())[:count])
    while len(systems) < count:
        mixed = [generator.choice(outputs).split() for outputs in zip(*known, strict=True)]
        words = [[word for word in text if generator.random() > 0.05] for text in mixed]
        systems[f"mixture-{len(systems) + 1:02}"] = [" ".join(text) for text in words]
    written = []
    for name, outputs in systems.items():
        written.append(str(folder / f"{name}.txt"))
        Path(written[-1]).write_text("\n".join(outputs) + "\n", encoding="utf-8")
    return written


def write_report(test_set: TurkCorpus, systems: int, folder: Path) -> Path:
    """Writes a page about ``systems`` systems."""
    outputs = write_systems(test_set, systems, folder)
    columns = {"sources": [test_set.sources], "references": list(zip(*test_set.references_list, strict=True))}
    files: dict[str, list[str]] = {}
    for name, lines in columns.items():
        files[name] = [str(folder / f"{name}.{number}") for number in range(len(lines))]
        for path, column in zip(files[name], lines, strict=True):
            Path(path).write_text("\n".join(column) + "\n", encoding="utf-8")
    page = folder / "report.html"
    words = ["report", str(page), "--silent", "--outputs", *outputs, "--references", *files["references"]]
    words += ["--sources", *files["sources"], "--metric", "sari", "--metric", "bleu", "--no-confidence"]
    subprocess.run([sys.executable, "-m", "metrics_framework", *words], check=True, cwd=ROOT)
    return page


def write_large(folder: Path) -> Path:
    """Writes the rows of 200,000 outputs: random changes of random sentences of 8 to 30 words."""
    generator = random.Random(0)
    words = [f"w{number}" for number in range(5000)]

    def changed(text: list[str]) -> list[str]:
        return [word if generator.random() > 0.1 else generator.choice(words) for word in text]

    path = folder / "outputs.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for number in range(LARGE_SENTENCES):
            source = generator.choices(words, k=generator.randint(8, 30))
            shared = {"source": " ".join(source), "references": [" ".join(changed(source)) for _ in range(3)]}
            for system in range(LARGE_SYSTEMS):
                ids = {"instance_id": str(number), "summarizer_id": f"system-{system}"}
                file.write(json.dumps({**ids, **shared, "summary": " ".join(changed(source))}) + "\n")
    return path


def built_large(folder: Path) -> Path:
    """Builds the page of 200,000 outputs, and prints the memory of building, and its CPU time over ``evaluate``."""
    rows, page = write_large(folder), folder / "report.html"
    common = ["--silent", "--input-files", str(rows), "--no-confidence", *LARGE_METRICS]
    used = {}
    for command, output in (("evaluate", folder / "macro.json"), ("report", page)):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-m", "metrics_framework", command, str(output), *common], check=True, cwd=ROOT)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used[command] = after.ru_utime - before.ru_utime
    print(f"  memory of building: {after.ru_maxrss / 1000:.0f} MB")
    print(f"  CPU time of building / evaluate: {used['report'] / used['evaluate']:.2f}")
    return page


def repeated(measure: Callable[[], float]) -> str:
    """Measures several times and formats median and range."""
    times = [measure() for _ in range(REPETITIONS)]
    return f"{statistics.median(times):7.0f} ms  ({min(times):.0f}–{max(times):.0f})"


def measured(path: Path) -> None:
    """Opens a page and prints the times of all actions."""
    with Page() as page, page.like():

        def opened() -> float:
            page.open(path)
            return float(page.run(OPENED))

        print(f"  {'open':32}{repeated(opened)}")
        for shown in ("systems shown at first", "all systems shown"):
            if shown.startswith("all"):
                first = float(page.run(AT_ONCE.format(action=ALL_SYSTEMS)))
                print(f"  {'show all systems':32}{first:7.0f} ms")
            print(f"  {shown}:")
            for name, action in ACTIONS.items():
                measure = AT_ONCE.format(action=action)
                print(f"    {name:30}{repeated(lambda measure=measure: float(page.run(measure)))}")  # type: ignore[misc]
        print(f"  console: {page.console or 'nothing'}; requests: {page.requests or 'none'}")


def measure_large() -> None:
    """Measures a page of 200,000 outputs."""
    with tempfile.TemporaryDirectory() as folder:
        path = built_large(Path(folder))
        print(f"{LARGE_SENTENCES * LARGE_SYSTEMS} outputs: {path.stat().st_size / 1e6:.2f} MB")
        if chromium_path() is None:
            print("  Chromium not found: page not opened")
        else:
            measured(path)


def main(counts: Sequence[int]) -> None:
    """Measures one page for each number of systems."""
    test_set, kind = texts()
    print(f"{len(test_set.sources)} sentences ({kind}), {len(test_set.references_list[0])} references")
    for count in counts:
        with tempfile.TemporaryDirectory() as folder:
            path = write_report(test_set, count, Path(folder))
            print(f"{count} systems: {path.stat().st_size / 1e6:.2f} MB")
            if chromium_path() is None:
                print("  Chromium not found: page not opened")
            else:
                measured(path)


if __name__ == "__main__":
    if "--large" in sys.argv[1:]:
        measure_large()
    else:
        main([int(word) for word in sys.argv[1:]] or [4, 20])
