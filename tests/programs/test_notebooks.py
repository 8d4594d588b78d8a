"""What a notebook shows, run by a kernel of IPython."""

import re
from importlib.util import find_spec

import pytest

pytestmark = pytest.mark.skipif(
    find_spec("nbclient") is None or find_spec("ipykernel") is None, reason="needs nbclient: the group 'programs'"
)
START = """
import time
import metrics_framework as fw

@fw.metric("slow-length")
def slow(summary):
    time.sleep(0.01)
    return len(summary.split())

systems = {"a": ["x y", "z"] * 60, "b": ["x y z", "z"] * 60}
result = fw.evaluate("slow-length", systems, progress=True, checks=False)
"""
CELLS = [START, "result", "result.plot()", "result.to_latex()", 'fw.evaluate("ter", systems, refs=["b"])']


@pytest.fixture(scope="module")
def outputs():
    """The outputs of each cell."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    NotebookClient(notebook, kernel_name="python3", allow_errors=True, timeout=120).execute()
    return [cell.outputs for cell in notebook.cells]


def test_progress_is_one_line_that_is_updated_and_then_empty(outputs):
    shown = "".join(output.text for output in outputs[0] if output.name == "stderr")
    *lines, erased, rest = shown.split("\r")
    assert re.match(r"fw: scored \d+ outputs \(\d+ per second\)", lines[-1])
    assert "\n" not in shown
    assert (erased.strip(), rest) == ("", "")
    assert all(map(str.isascii, lines))


def test_results_are_tables_and_pictures(outputs):
    (table,), (picture,), (latex,) = outputs[1:4]
    assert table.data["text/html"].startswith("<table>")
    assert picture.data["text/plain"] == "Plot()"
    assert picture.data["image/svg+xml"].startswith("<svg")
    assert "tabular" in latex.data["text/plain"]


def test_a_traceback_ends_at_the_cell(outputs):
    (error,) = outputs[4]
    assert error.ename == "CallError"
    text = re.sub(r"\x1b\[[\d;]*m", "", "\n".join(error.traceback))
    assert "----> 1 fw.evaluate" in text
    assert "calls.py" not in text
    assert text.rstrip().endswith("did you mean 'references'?")
