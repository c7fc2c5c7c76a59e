"""Executes the notebooks of this folder; a cell that raises an exception fails the run."""

from importlib.util import find_spec
from pathlib import Path

import nbclient
import nbformat

for path in sorted(Path(__file__).parent.glob("*.ipynb")):
    notebook = nbformat.read(path, as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), f"{path.name} has outputs: clear them"
    if find_spec("provstream.arrow") is None:
        print(f"SKIPPED: the package was built without provstream.arrow, so {path.name} ran without its archive")
        notebook.cells = [cell for cell in notebook.cells if "archive" not in cell.metadata.get("tags", [])]
    nbclient.NotebookClient(notebook, timeout=60, kernel_name="python3").execute()
    html = [output for cell in notebook.cells for output in cell.get("outputs", []) if "text/html" in output.get("data", {})]
    shown = [output["data"]["text/html"] for output in html]
    # The page of the cell itself, and the text.
    assert any("srcdoc" in page and "Below the floor" in page for page in shown), "no cell shows its page"
    assert any("names an observation" in page for page in shown), "no cell shows the text"
    print(f"{path.name}: {len(notebook.cells)} cells")
