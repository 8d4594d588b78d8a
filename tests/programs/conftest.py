"""Runs other programs with mock models and data of the test, without a network."""

import json
import sys

import pytest

DOCUMENTS = [
    {
        "id": 1,
        "source": "About 95 species are currently accepted.",
        "references": ["About 95 species are currently known.", "95 species are now accepted."],
    },
    {"id": 2, "source": "A dog barked loudly.", "references": ["A dog barked.", "lol, a random dog barked"]},
    {"id": 3, "source": "It rained.", "references": ["It rained a baseline"]},
    {"id": 4, "source": "Ärger über 'Straße' 🙂", "references": ["lol", "Ärger 🙂", "random"]},
]


@pytest.fixture(autouse=True, scope="session")
def _without_network():
    offline = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in offline.items():
            patch.setenv(name, value)
        yield


@pytest.fixture(autouse=True)
def _gradients():
    """Turns gradients on again, which some programs turn off for the whole process."""
    yield
    if "torch" in sys.modules:
        sys.modules["torch"].set_grad_enabled(True)


@pytest.fixture
def documents(tmp_path, monkeypatch):
    """Returns documents that are also the rows of the file ``documents.jsonl`` in the working directory."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_DATASETS_CACHE", str(tmp_path / "cache"))
    with open(tmp_path / "documents.jsonl", "w", encoding="utf-8") as file:
        file.writelines(json.dumps(document) + "\n" for document in DOCUMENTS)
    return DOCUMENTS
