"""Notebooks of the documentation, executed without Jupyter: `python -m tests.specs.notebook` writes their outputs."""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import tempfile
from pathlib import Path
from typing import Any

from tests.specs.tutorial import ROOT

NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


def executed(notebook: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The notebook with the outputs of its cells, which run one after the other in a folder."""
    names: dict[str, Any] = {}
    before = Path.cwd()
    os.chdir(folder)
    try:
        return {**notebook, "cells": [_cell(cell, names) for cell in notebook["cells"]]}
    finally:
        os.chdir(before)


def _cell(cell: dict[str, Any], names: dict[str, Any]) -> dict[str, Any]:
    if cell["cell_type"] != "code":
        return cell
    count = names["count"] = names.get("count", 0) + 1
    body = ast.parse("".join(cell["source"])).body
    last = body.pop().value if body and isinstance(body[-1], ast.Expr) else None
    written = io.StringIO()
    with contextlib.redirect_stdout(written):
        exec(compile(ast.Module(body, []), "cell", "exec"), names)
        value = None if last is None else eval(compile(ast.Expression(last), "cell", "eval"), names)
    outputs: list[dict[str, Any]] = []
    if written.getvalue():
        outputs.append({"output_type": "stream", "name": "stdout", "text": _lines(written.getvalue())})
    if value is not None:
        data = {"text/plain": _lines(repr(value))}
        if hasattr(value, "_repr_html_"):
            data["text/html"] = _lines(value._repr_html_())
        outputs.append({"output_type": "execute_result", "execution_count": count, "data": data, "metadata": {}})
    return {**cell, "execution_count": count, "outputs": outputs}


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def main() -> None:
    """Write the outputs of all notebooks again."""
    for path in NOTEBOOKS:
        with tempfile.TemporaryDirectory() as folder:
            made = executed(json.loads(path.read_text()), Path(folder))
        path.write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
