"""What the tool asks of a step is what the fuzzer looks at: side conditions and rules `in scripts`, name by name."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import sa
from tests.scripts.rules import RULES

ROOT = Path(sa.__file__).parent
#: Where side conditions of the rules are made.
FILES = (
    *sorted((ROOT / "rules").glob("*.py")),
    *(ROOT / "checker" / f"{name}.py" for name in ("composition", "coverage", "threads", "written", "environments")),
)
#: The conditions of the fuzzer with another name than in the tool, or with several.
CALLED: dict[str, tuple[str, ...]] = {
    "initially": ("initiation",),
    "component step": ("consecution",),
    "environment step": ("stability",),
    "it implies the invariant": ("implication",),
    "written invariant": ("written invariant", "written invariants cut nothing"),
    # θ is within ι, so this asks for more.
    "the abstract invariant and ι imply the concrete one": ("the abstract invariant and θ imply the concrete one",),
    # Definition 6, 2.a: the relation of a pair, and how sequences of environment steps are closed for it.
    "environment": ("simulations",),
    "closed": ("simulations",),
    "closure contains the environment": ("simulations",),
    "closure is reflexive": ("simulations",),
    "closure is transitive": ("simulations",),
}
#: Of evidence: meanings that make axioms true; starts of some threads that are starts of their program (not fuzzed).
OF_EVIDENCE = {"axiom", "the others can start"}
#: What a rule takes from earlier steps or sees of its claim, without an obligation of its own.
OF_FACTS = {
    "simulations",
    "simulation",
    "first simulation",
    "second simulation",
    "coverage",
    "first closed",
    "second closed",
    "third closed",
    "closed",
    "abstract invariant",
    "local invariants",
    "matching of environments",
}


def titles(path: Path) -> Iterator[str]:
    """The names of the obligations that a file makes."""
    tree = ast.parse(path.read_text())
    constants = dict(_constants(tree))
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Obligation":
            match node.args[0]:
                case ast.Constant(str(title)):
                    yield title
                case ast.Name(name):
                    yield constants[name]
                case ast.JoinedStr():
                    pass
                case other:
                    raise AssertionError(ast.dump(other))


def _constants(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Names that are given a text."""
    for node in ast.walk(tree):
        match node:
            case ast.Assign([ast.Name(name)], ast.Constant(str(text))):
                yield name, text
            case ast.Assign([ast.Tuple(names)], ast.Tuple(texts)):
                for there, given in zip(names, texts, strict=False):
                    if isinstance(there, ast.Name) and isinstance(given, ast.Constant) and isinstance(given.value, str):
                        yield there.id, given.value


TITLES = {title for path in FILES for title in titles(path) if title}
FUZZED = {name for rule in RULES for name in rule.conditions}


def test_every_side_condition_is_fuzzed() -> None:
    wanted = {name for title in TITLES - OF_EVIDENCE for name in CALLED.get(title, (title,))}
    assert wanted <= FUZZED, wanted - FUZZED


def test_every_condition_that_is_fuzzed_for_scripts_is_asked_for() -> None:
    asked = {name for title in TITLES for name in CALLED.get(title, (title,))} | OF_FACTS
    assert {name for rule in RULES if "in scripts" in rule.name for name in rule.conditions} <= asked


def test_nothing_is_mapped_that_there_is_not() -> None:
    assert CALLED.keys() | OF_EVIDENCE <= TITLES
