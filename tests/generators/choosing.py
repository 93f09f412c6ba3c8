"""Random pairs of small threads over all integers, with choices and silent loops; the concrete one may be a variant."""

from __future__ import annotations

from random import Random

_LOCALS = ("i", "j")
_ORDERS = ("<", "<=", "==", "!=", ">", ">=")


def random_pair(seed: int) -> tuple[str, str]:
    """The bodies of an abstract and a concrete thread, over the shared variable x."""
    random = Random(seed)
    abstract = _body(random)
    return abstract, _body(random) if random.random() < 0.25 else _variant(random, abstract)


def _body(random: Random) -> str:
    return " ".join(("local i, j : int = 0;", *(_statement(random, 2) for _ in range(random.randint(2, 4)))))


def _block(random: Random, depth: int) -> str:
    return " ".join(_statement(random, depth) for _ in range(random.randint(1, 3)))


def _statement(random: Random, depth: int) -> str:
    kind, var = random.random(), random.choice(_LOCALS)
    if kind < 0.18:
        return f"havoc {var};"
    if kind < 0.28:
        return f"assume {_test(random)};"
    if kind < 0.45:
        return f"{var} := {_value(random)};"
    if kind < 0.6:
        return f"x := {_value(random)};"
    if kind < 0.8 or not depth:
        return f"@a({_value(random)}) skip;"
    if kind < 0.88:
        return f"if ({_test(random)}) {{ {_block(random, depth - 1)} }} else {{ {_block(random, depth - 1)} }}"
    if kind < 0.95:
        return f"while (*) {{ {var} := {var} + {random.randint(1, 2)}; }}"
    return f"choose {{ {_block(random, depth - 1)} }} or {{ {_block(random, depth - 1)} }}"


def _value(random: Random) -> str:
    var = random.choice(_LOCALS)
    return random.choice((var, f"{var} + {random.randint(1, 3)}", f"2 * {var}", str(random.randint(-2, 4)), "i + j"))


def _test(random: Random) -> str:
    other = random.choice((str(random.randint(-1, 4)), *_LOCALS))
    return f"{random.choice(_LOCALS)} {random.choice(_ORDERS)} {other}"


def _variant(random: Random, text: str) -> str:
    """The text with up to two numbers or comparisons changed."""
    parts = text.split(" ")
    for _ in range(random.randint(0, 2)):
        numbers = [i for i, p in enumerate(parts) if p.rstrip(";").isdigit()]
        orders = [i for i, p in enumerate(parts) if p in _ORDERS]
        if numbers and random.random() < 0.6:
            place = random.choice(numbers)
            value = int(parts[place].rstrip(";")) + random.choice((-1, 1))
            parts[place] = f"{value}{';' if parts[place].endswith(';') else ''}"
        elif orders:
            parts[random.choice(orders)] = random.choice(_ORDERS)
    return " ".join(parts)
