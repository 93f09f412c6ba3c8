"""The reference shows every construct that the parser knows: its examples use all rules, words and signs."""

from __future__ import annotations

import re

from lark import Lark, Token

from sa.language.reading.keywords import grammar_path
from tests.language.test_reference import EXAMPLES

#: What stands between words.
LAYOUT = {"SPACE", "LINE_COMMENT", "BLOCK_COMMENT"}


def test_the_examples_use_all_of_the_grammar() -> None:
    # With every rule as a node, those too that the parser leaves out of its trees.
    grammar = re.sub(r"^\?", "", grammar_path().read_text(encoding="utf-8"), flags=re.MULTILINE)
    parser = Lark(grammar, parser="lalr", keep_all_tokens=True, maybe_placeholders=False)
    nodes = [node for text in EXAMPLES for node in parser.parse(text).iter_subtrees()]
    rules = {name for rule in parser.rules if not (name := rule.alias or str(rule.origin.name)).startswith("_")}
    assert rules - {str(node.data) for node in nodes} == set()
    tokens = {child.type for node in nodes for child in node.children if isinstance(child, Token)}
    assert {terminal.name for terminal in parser.terminals} - tokens - LAYOUT == set()
