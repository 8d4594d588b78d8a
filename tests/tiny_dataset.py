"""A data set of our own writing, as a user would add one: a file with a class, and a manifest beside it."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from metrics_framework.io.download import GITHUB

COMMIT = "0123456789abcdef0123456789abcdef01234567"
CODE = '''
from metrics_framework.datasets.dataset import Dataset
from metrics_framework.datasets.dataset import ParallelText, SystemOutputs, outputs_in

@Dataset.register("tiny")
class Tiny(Dataset):
    """Tiny: three sentences about cats."""

    def parts(self):
        references = ["data/test.ref.0", "data/test.ref.1"]
        return [
            ParallelText("tiny-test", "data/test.src", references),
            ParallelText("tiny-tune", "data/tune.src", ["data/tune.ref.0"]),
            SystemOutputs("tiny-outputs", "data/test.src", references, outputs_in(self.manifest, "outputs")),
        ]
'''
FILES = {  # some without an end of their last line, as it is with published ones
    "data/test.src": "The big cat sat down.\nIt was “late”.\nDogs bark, loudly.",
    "data/test.ref.0": "The cat sat.\nIt was late.\nDogs bark.\n",
    "data/test.ref.1": "A cat sat.\nIt was night.\n\n",
    "data/tune.src": "A tiny cat.\n",
    "data/tune.ref.0": "A cat.\n",
    "outputs/Good.tok": "The cat sat.\nIt was late.\nDogs bark.\n",
    "outputs/Bad.tok.low": "cat\nlate\ndogs",
}
SOURCES = ["The big cat sat down.", "It was “late”.", "Dogs bark, loudly."]
REFERENCES = [["The cat sat.", "A cat sat."], ["It was late.", "It was night."], ["Dogs bark.", ""]]
ROWS = [
    {"instance_id": str(number), "source": source, "references": references}
    for number, (source, references) in enumerate(zip(SOURCES, REFERENCES, strict=True), 1)
]


def address(path: str) -> str:
    """Returns where a file is on a server that has what GitHub has."""
    return f"/nobody/tiny/{COMMIT}/{path}"


def manifest(**changes: Any) -> dict[str, Any]:
    """Returns the manifest; ``changes`` are of the entry of the first file."""
    files = [
        {
            "repository": "nobody/tiny",
            "commit": COMMIT,
            "path": path,
            "url": f"{GITHUB}{address(path)}",
            "bytes": len(text.encode()),
            "sha256": hashlib.sha256(text.encode()).hexdigest(),
            "lines": len(text.removesuffix("\n").split("\n")),
        }
        for path, text in FILES.items()
    ]
    files[0].update(changes)
    return {
        "name": "tiny",
        "licence": "Apache-2.0",
        "homepage": "https://example.org/tiny",
        "description": "Three sentences.",
        "citation": "@misc{tiny}",
        "files": files,
    }


def write_plugin(folder: Path, **changes: Any) -> Path:
    """Writes the module and its manifest; returns the path of the module."""
    (folder / "manifests").mkdir(parents=True, exist_ok=True)
    (folder / "manifests" / "tiny.json").write_text(json.dumps(manifest(**changes)), encoding="utf-8")
    (folder / "tiny.py").write_text(CODE, encoding="utf-8")
    return folder / "tiny.py"


def write_files(folder: Path, flat: bool = False) -> Path:
    """Writes the files as a repository has them, or all into one folder; returns the folder."""
    for path, text in FILES.items():
        place = folder / (Path(path).name if flat else path)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text.encode())
    return folder
