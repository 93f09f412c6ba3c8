"""Random pairs of small programs of which the second is the first one with a change."""

from __future__ import annotations

from random import Random

from tests.ranking.programs import statement

_SHOWN = ("@p skip;", "@q(x) skip;", "@r y := 1;")
_HEAD = "global x, y : 0..2 = 0;\nglobal b : bool = false;\nglobal m : 0..2 = 0;\n"


def pair(seed: int) -> tuple[str, str]:
    """The abstract and the concrete program."""
    dice = Random(seed)
    names = "ABC"[: dice.choice((1, 1, 2))]
    bodies = {n: [_statement(dice) for _ in range(dice.randint(2, 4))] for n in names}
    changed = {n: list(body) for n, body in bodies.items()}
    for _ in range(dice.choice((1, 1, 2))):
        body = changed[dice.choice(names)]
        place = dice.randrange(len(body))
        match dice.randrange(4):
            case 0:
                body[place] = _statement(dice)
            case 1:
                body.insert(place, statement(dice, 1))
            case 2:
                del body[place]
                body.append("skip;")
            case _:
                body.insert(dice.randrange(len(body)), body.pop(place))
    return _text(bodies), _text(changed)


def _statement(dice: Random) -> str:
    return dice.choice(_SHOWN) if dice.random() < 0.35 else statement(dice, 1)


def _text(bodies: dict[str, list[str]]) -> str:
    threads = (f"thread {n} {{ local i : 0..2 = 0; {' '.join(body)} }}" for n, body in bodies.items())
    return _HEAD + "\n".join(threads)
