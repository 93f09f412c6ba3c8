"""Automata as text, DOT and JSON."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from sa.report.automaton_json import automata_json
from sa.report.automaton_text import show_automata
from sa.report.dot import show_dot
from sa.report.json import builtins
from sa.report.screen import Screen
from tests.golden import assert_golden
from tests.report.samples import goal


def test_text() -> None:
    """Locations with invariants and environments, edges under them."""
    assert_golden("automata.txt", show_automata((goal().abstract, goal().concrete), Screen(80)))


def test_dot() -> None:
    """One cluster each automaton."""
    assert_golden("automata.dot", show_dot((goal().abstract, goal().concrete)))


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
def test_graphviz_reads_the_dot() -> None:
    """No syntax error."""
    subprocess.run(["dot", "-Tsvg"], input=show_dot((goal().abstract,)), text=True, check=True, capture_output=True)


def test_json_lists_every_edge_with_its_place() -> None:
    """Formulas as `.sa` text."""
    (automaton,) = builtins(automata_json((goal().abstract,)))["automata"]
    assert [e["guard"] for e in automaton["edges"]] == ["abs.i < n", "n <= abs.i", "true", "true", "true"]
    assert automaton["edges"][3]["label"] == {"action": "print", "values": ["abs.t"]}
    assert automaton["edges"][3]["span"]["line"] == 8
