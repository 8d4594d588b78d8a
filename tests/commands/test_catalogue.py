"""``fw setup dataset wmt24 --pair en-de``: the test sets of an installed sacreBLEU, served on this machine."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest
import web_server
from json_files import read_rows
from messages import NOT_THE_EXPECTED_FILE
from web_server import Server
from wmt_archives import ARCHIVES, LANGUAGES, OTHER_REFERENCES, OUTPUTS, REFERENCES, md5

from metrics_framework.evaluation.external_sort import Run

pytest.importorskip("sacrebleu")
from sacrebleu.dataset import DATASETS


@pytest.fixture
def served(web: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Server:
    """Serves small archives at the addresses of the catalogue, with their sums; sacreBLEU's folder is empty."""
    for name, contents in ARCHIVES.items():
        entry = DATASETS[name.rpartition("/")[0]]
        paths = [f"/{number}/{url.rpartition('/')[2]}" for number, url in enumerate(entry.data)]
        paths = [f"/{entry.name}{path}" for path in paths]
        web.files.update(zip(paths, contents, strict=True))
        monkeypatch.setattr(entry, "data", [web.url + path for path in paths])
        monkeypatch.setattr(entry, "md5", [md5(content) for content in contents])
        monkeypatch.setattr(entry, "_outdir", str(tmp_path / "sacrebleu" / entry.name))
        monkeypatch.setattr(entry, "_rawdir", str(tmp_path / "sacrebleu" / entry.name / "raw"))
    return web


@pytest.fixture
def outputs(tmp_path: Path) -> Path:
    path = tmp_path / "out.txt"
    path.write_text("".join(f"{text}\n" for text in OUTPUTS), encoding="utf-8")
    return path


@pytest.mark.filterwarnings("ignore:Python 3.14 will:DeprecationWarning")  # of sacreBLEU, in Python 3.12
@pytest.mark.parametrize("name", ARCHIVES)
def test_a_test_set_is_scored_as_sacrebleu_scores_it(name: str, fw: Run, served: Server, outputs: Path) -> None:
    test_set, _, pair = name.rpartition("/")
    done = fw("setup-dataset", test_set, "--pair", pair)
    assert done.code == 0, done.err
    assert f"{test_set}: {DATASETS[test_set].description}" in done.out
    downloaded = len(served.requests)
    found = fw("evaluate", "--dataset", name, "-i", outputs, "-m", "bleu", "chrf", "ter", "-f", "text", "-w", "8")
    assert found.code == 0, found.err
    chosen = ["-m", "bleu", "chrf", "ter", "-f", "text", "-w", "8"]
    assert fw("evaluate", "-t", test_set, "-l", pair, "-i", outputs, *chosen).out == found.out
    assert len(served.requests) == downloaded, "a test set is downloaded once"
    references = [Path(path).read_text(encoding="utf-8").splitlines() for path in _of_sacrebleu(test_set, pair)]
    for line, metric in zip(found.out.splitlines(), _metrics(), strict=True):
        assert line.strip() == metric.corpus_score(OUTPUTS, references).format(8, False, str(metric.get_signature()))


def _of_sacrebleu(test_set: str, pair: str) -> list[str]:
    """Returns the files of references that sacreBLEU itself makes of the same archives."""
    paths: list[str] = DATASETS[test_set].get_reference_files(pair)
    return paths


def _metrics() -> list[Any]:
    from sacrebleu.metrics import BLEU, CHRF, TER

    return [BLEU(), CHRF(), TER()]


def test_rows_have_the_references_of_sacrebleu_and_everything_else_as_metadata(
    fw: Run, served: Server, tmp_path: Path
) -> None:
    assert fw("setup-dataset", "wmt24/en-de").code == 0
    rows = read_rows(tmp_path / "home/sacrebleu/wmt24/en-de.jsonl")
    assert rows[1] == {
        "instance_id": "2",
        "source": "Two dogs barked & ran.",
        "references": [REFERENCES[1]],
        "metadata": {
            "ref:refB": OTHER_REFERENCES[1],
            "docid": "doc.0",
            "origlang": "en",
            "NiuTrans": OUTPUTS[1],
            "reference_fields": ["ref:refA"],
        },
    }
    assert [row["metadata"]["origlang"] for row in rows] == LANGUAGES


def test_fields_are_printed_as_sacrebleu_echoes_them(fw: Run, served: Server) -> None:
    printed = fw("setup-dataset", "wmt24", "--pair", "en-de", "--echo", "src", "docid", "ref")
    assert printed.code == 0, printed.err
    assert printed.out.splitlines()[2] == f"Nobody came.\tdoc.1\t{REFERENCES[2]}"
    assert fw("setup-dataset", "wmt24/en-de", "--echo", "NiuTrans").out.splitlines() == OUTPUTS
    assert fw("setup-dataset", "wmt24/en-de", "--echo", "ref:refB").out.splitlines() == OTHER_REFERENCES
    every = fw("setup-dataset", "wmt24/en-de", "--echo", "all").out.splitlines()[0].split("\t")
    assert sorted(every) == sorted(
        ["The cat sat on the mat.", REFERENCES[0], OTHER_REFERENCES[0], "doc.0", "en", OUTPUTS[0]]
    )
    wrong = fw("setup-dataset", "wmt24/en-de", "--echo", "asdf")
    assert (wrong.code, wrong.out) == (2, "")
    assert "'asdf'" in wrong.err
    assert "NiuTrans" in wrong.err


def test_sentences_of_one_original_language_are_scored(fw: Run, served: Server, outputs: Path) -> None:
    assert fw("setup-dataset", "wmt17", "--pair", "en-de").code == 0
    words = ["bleu", "evaluate", "--dataset", "wmt17/en-de", "-i", outputs, "-b", "-w", "6", "--origlang"]
    from sacrebleu.metrics import BLEU

    for language, kept in (("de", [2, 3]), ("non-de", [0, 1])):
        expected = BLEU().corpus_score([OUTPUTS[n] for n in kept], [[REFERENCES[n] for n in kept]]).score
        assert fw(*words, language).out == f"{expected:.6f}\n"
    wrong = fw(*words, "fr")
    assert (wrong.code, wrong.out) == (1, "")
    assert "no row with the original language 'fr'" in wrong.err


def test_outputs_come_from_a_pipe_as_in_sacrebleu(
    fw: Run, served: Server, outputs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert fw("setup-dataset", "wmt17/en-de").code == 0
    expected = fw("bleu", "evaluate", "--dataset", "wmt17/en-de", "-i", outputs, "-b").out
    with outputs.open(encoding="utf-8") as stream:
        monkeypatch.setattr("sys.stdin", stream)
        assert fw("bleu", "evaluate", "--dataset", "wmt17/en-de", "-b").out == expected


def test_an_archive_with_another_sum_is_refused(fw: Run, served: Server, tmp_path: Path) -> None:
    (path,) = [path for path in served.files if "wmt17" in path]
    served.script[path] = [web_server.instead(b"something else")]
    refused = fw("setup-dataset", "wmt17", "--pair", "en-de")
    assert refused.code == 1
    assert f"has the MD5 sum {md5(b'something else')}, expected {md5(served.files[path])}" in refused.err
    assert not [file for file in (tmp_path / "home").rglob("*") if file.is_file()]


def test_a_broken_connection_is_tried_again(fw: Run, served: Server) -> None:
    (path,) = [path for path in served.files if "wmt17" in path]
    served.script[path] = [web_server.cut_after(10), web_server.status(503)]
    assert fw("setup-dataset", "wmt17", "--pair", "en-de").code == 0
    assert served.requests == [path] * 3


def test_archives_are_read_from_a_folder_and_from_that_of_sacrebleu(
    fw: Run, served: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (content,) = ARCHIVES["wmt17/en-de"]
    (tmp_path / "here").mkdir()
    missing = fw("setup-dataset", "wmt17/en-de", "--from-dir", "here")
    assert (missing.code, "must contain 'test.tgz'" in missing.err) == (1, True)
    (tmp_path / "here/test.tgz").write_bytes(b"x")
    wrong = fw("setup-dataset", "wmt17/en-de", "--from-dir", "here")
    assert (wrong.code, f"{NOT_THE_EXPECTED_FILE} the MD5 sum" in wrong.err) == (1, True)
    (tmp_path / "here/test.tgz").write_bytes(content)
    assert fw("setup-dataset", "wmt17/en-de", "--from-dir", "here").code == 0
    assert served.requests == []
    monkeypatch.setenv("FW_DATA", str(tmp_path / "second"))
    raw = tmp_path / "sacrebleu/wmt17/raw"
    raw.mkdir(parents=True)
    (raw / "wmt17.test.tgz").write_bytes(content)
    assert fw("setup-dataset", "wmt17/en-de").code == 0
    assert served.requests == []


WRONG = [  # words, code, fragments of the message
    ("setup-dataset wmt99 --pair en-de", 2, ("'wmt99'", "wmt19")),
    ("setup-dataset wmt17 --pair en-dee", 2, ("'en-dee'", "en-de")),
    ("setup-dataset wmt17 --pair en-de --echo src", 1, ("cannot download",)),
    ("bleu evaluate -i out.txt --dataset wmt17/en-de", 1, ("not set up", "fw setup dataset wmt17/en-de")),
    ("bleu evaluate -i out.txt -t wmt99 -l en-de", 2, ("unknown test set of sacreBLEU 'wmt99'", "wmt19")),
    ("bleu evaluate -i out.txt -t wmt17 -l en-xx", 2, ("unknown language pair of 'wmt17' 'en-xx'", "en-de")),
    ("bleu evaluate -i out.txt -t wmt17", 2, ("--test-set wmt17 needs a language pair",)),
    ("bleu evaluate -i out.txt -t wmt17,wmt16 -l en-de", 2, ("several test sets",)),
    ("bleu evaluate -i out.txt -t wmt17 -l ende", 2, ("SOURCE-TARGET", "'ende'")),
    ("bleu evaluate -i out.txt -r out.txt --origlang de", 2, ("--origlang selects rows of a test set",)),
]


@pytest.mark.parametrize(("words", "code", "fragments"), WRONG)
def test_mistakes_are_named(
    words: str, code: int, fragments: tuple[str, ...], fw: Run, served: Server, outputs: Path
) -> None:
    served.files.clear()
    result = fw(*words.split())
    assert (result.code, result.out) == (code, "")
    for fragment in fragments:
        assert fragment in result.err


def test_a_test_set_that_was_set_up_needs_no_sacrebleu(
    fw: Run, served: Server, outputs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert fw("setup-dataset", "wmt17/en-de").code == 0
    find_spec = importlib.util.find_spec
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "sacrebleu" else find_spec(name))
    assert fw("bleu", "evaluate", "--dataset", "wmt17/en-de", "-i", outputs).code == 0
    missing = fw("setup-dataset", "wmt16", "--pair", "en-de")
    assert missing.code == 1
    assert "'wmt16' needs the package 'sacrebleu'" in missing.err
    assert "[wmt]" in missing.err


def test_the_catalogue_is_listed(fw: Run, served: Server) -> None:
    assert fw("setup-dataset", "wmt17/en-de").code == 0
    listed = fw("list", "test-sets", "--format", "tsv")
    assert listed.code == 0, listed.err
    rows = {row.split("\t")[0]: row.split("\t")[1:] for row in listed.out.splitlines()[1:]}
    assert set(rows) == set(DATASETS)
    assert "en-de" in rows["wmt24"][0]
    assert (rows["wmt17"][1], rows["wmt24"][1]) == ("en-de", "")
