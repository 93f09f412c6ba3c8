"""Certificates that nobody would write: those of some specs, changed as JSON, as terms, as text and as bytes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

from msgspec import Struct

from tests.certificates.subjects import Subject, proved

#: Questions with evidence of every kind: relations, plays that begin in every way, compositions, boxes, joint proofs,
#: runs, proof trees.
SUBJECTS = (
    ("refine", "tutorial/02-a-rely"),
    ("refine", "tutorial/02-a-rely/too-weak"),
    ("refine", "tutorial/04-a-relation"),
    ("refine", "tutorial/03-a-visible-action/wrong-order"),
    ("refine", "tutorial/05-a-lock"),
    ("refine", "closed/gcd"),
    ("refine", "paper/constant-folding/broken-sum"),
    ("verify", "mutex/peterson.sa"),
    ("verify", "mutex/ticket.sa"),
    ("verify", "mutex/peterson-broken.sa"),
    ("prove", "proofs/helping.sa"),
    ("prove", "proofs/retry.sa"),
    ("prove", "proofs/rejected/theorem-5-implication.sa"),
    ("prove", "proofs/rejected/theorem-1-parts-imply.sa"),
)


class Base(Struct, frozen=True):
    """The certificate of a question, and the spec in whose place it stands."""

    place: Path
    text: str


def bases(specs: Path) -> tuple[Base, ...]:
    """The certificates to begin with, about a copy of the specs."""
    return tuple(_base(specs, command, name) for command, name in SUBJECTS)


def _base(specs: Path, command: str, name: str) -> Base:
    files = (f"{name}/abs.sa", f"{name}/conc.sa") if command == "refine" else (name,)
    place = Path(files[-1])
    path = specs / place.parent / "certificate.json"
    proved(Subject(command, tuple(str(specs / f) for f in files)), path)
    text = path.read_text(encoding="utf-8")
    path.unlink()
    return Base(place, text)


def verdicts(text: str | bytes) -> list[str]:
    """All verdicts of a certificate, of its questions and their parts."""
    return [where[key] for where, key in holders(json.loads(text)) if key == "verdict"]


def random_certificate(random: Random, known: tuple[Base, ...]) -> tuple[bytes, Path]:
    """The bytes of a changed certificate and its place. Most of them can be read, since the rest tells little."""
    base = min(random.sample(known, 2), key=lambda b: len(b.text) if random.random() < 0.7 else 0)
    text = base.text
    kind = random.random()
    if kind < 0.85:
        document = json.loads(text)
        for _ in range(random.choice((1, 1, 1, 2, 4))):
            change = random.choices(tuple(CHANGES), tuple(CHANGES.values()))[0]
            change(random, document, known)
        text = json.dumps(document, ensure_ascii=random.random() < 0.5, separators=(",", ":"))
        for name, raw in RAW.items():
            text = text.replace(f'"{name}"', raw)
        text = _numbered(random, text) if random.random() < 0.1 else text
    if kind >= 0.80:
        text = _damaged(random, text)
    data = text.encode("utf-8", "surrogatepass")
    if kind >= 0.95:
        here = random.randrange(len(data) + 1)
        data = data[:here] + random.randbytes(random.choice((1, 2, 9))) + data[here + random.randrange(4) :]
    return data, base.place


# ---------------------------------------------------------------- changes of documents

Holder = tuple[Any, Any]


def holders(document: Any) -> Iterator[Holder]:
    """Every part of a document as a list or object and a place in it."""
    pending = [document]
    while pending:
        value = pending.pop()
        for key, inner in list(value.items() if isinstance(value, dict) else enumerate(value)):
            yield value, key
            if isinstance(inner, dict | list):
                pending.append(inner)


def _somewhere(random: Random, document: Any) -> Holder | None:
    """A part, its size not counted: each depth and each field is as likely as the others. Mostly in the evidence."""
    value, found = document, None
    if isinstance(document, dict) and document.get("questions") and random.random() < 0.9:
        value = document["questions"]
    while isinstance(value, dict | list) and value and (found is None or random.random() < 0.93):
        key = random.choice(list(value)) if isinstance(value, dict) else random.randrange(len(value))
        value, found = value[key], (value, key)
    return found


def _replaced(random: Random, document: Any, known: tuple[Base, ...]) -> None:
    """Something else, of another type mostly."""
    if found := _somewhere(random, document):
        found[0][found[1]] = _anything(random, _name(random, document))


def _anything(random: Random, name: str) -> Any:
    match random.randrange(8):
        case 0:
            return random.choice((None, True, False, 0, -1, 1, 2, 7))
        case 1:
            return random.choice((10**20, -(10**20), 2**63, 2**64, 10**999))
        case 2:
            return random.choice(("", "x", "\x00", "\ud800", "\x1b[2J", "a" * 5000, "é", "‮", "../abs.sa", "null"))
        case 3:
            return random.choice(([], {}, [[]], [{}], {"": {}}, [None] * 50, list(range(50))))
        case 4:
            return random.choice(tuple(RAW))
        case _:
            return hostile_term(random, name)


#: What stands for itself only in the text, since Python writes no such numbers and nothing so deep.
RAW = {f"[{depth}": "[" * depth + "0" + "]" * depth for depth in (5, 100, 900, 3000)}
RAW |= {f"{{{depth}": '{"not":' * depth + "0" + "}" * depth for depth in (5, 100, 900, 3000)}
RAW |= {f"9{digits}": "-" * (digits % 2) + "9" * digits for digits in (1000, 1001, 4301, 20_000)}


def _dropped(random: Random, document: Any, known: tuple[Base, ...]) -> None:
    if found := _somewhere(random, document):
        del found[0][found[1]]


def _doubled(random: Random, document: Any, known: tuple[Base, ...]) -> None:
    if found := _somewhere(random, document):
        where, key = found
        if isinstance(where, list):
            where.insert(random.randrange(len(where) + 1), where[key])
        else:
            where[random.choice(("x", "", key + "'", "format"))] = where[key]


def _exchanged(random: Random, document: Any, known: tuple[Base, ...]) -> None:
    """Two parts, mostly of the same kind."""
    first, second = _somewhere(random, document), _somewhere(random, document)
    if first is None or second is None:
        return
    same = [h for h in holders(document) if h[1] == first[1] and isinstance(h[1], str)]
    second = random.choice(same) if same and random.random() < 0.7 else second
    mine = json.dumps(first[0][first[1]])
    first[0][first[1]] = json.loads(json.dumps(second[0][second[1]]))
    second[0][second[1]] = json.loads(mine)


def _transplanted(random: Random, document: Any, known: tuple[Base, ...]) -> None:
    """A part of another certificate in the place of one that has its name."""
    other = json.loads(random.choice(known).text)
    parts: dict[Any, list[Any]] = {}
    for where, key in holders(other):
        parts.setdefault(key, []).append(where[key])
    mine = [h for h in holders(document) if h[1] in parts and h[1] not in ("sources", "files", "format")]
    if mine:
        where, key = random.choice(mine)
        where[key] = random.choice(parts[key])


def _nudged(random: Random, document: Any, known: tuple[Base, ...]) -> None:
    """A number, a flag or a name that is nearly the same."""
    plain = [(w, k) for w, k in holders(document) if isinstance(w[k], int) or k in ("at", "edge", "name", "verdict")]
    if plain:
        where, key = random.choice(plain)
        value = where[key]
        if isinstance(value, bool):
            where[key] = not value
        elif isinstance(value, int):
            where[key] = value + random.choice((-1, 1, 2, 10**18))
        else:
            where[key] = random.choice(plain)[1] if random.random() < 0.3 else str(value) + random.choice("' .%|")


_SYMBOL = re.compile(r"\s*([()]|\|[^|]*\||[^\s()|]+)")
WORDS = "( ) + - * <= < = and or not ite div mod true false 0 1 2 x x' _ let forall as :named |x| |".split()  # noqa: SIM905


def _termed(random: Random, document: Any, known: tuple[Base, ...]) -> None:
    """A term with symbols dropped, exchanged, replaced, or a hostile one inside of it."""
    terms = list(_terms(document))
    if not terms:
        return
    where, key = random.choice(terms)
    if random.random() < 0.2:
        where[key] = hostile_term(random, _name(random, document))
        return
    words = _SYMBOL.findall(where[key])
    there, other = random.choice(terms)
    others = _SYMBOL.findall(there[other])
    for _ in range(random.choice((1, 1, 2, 4))):
        if not words:
            break
        here = random.randrange(len(words))
        match random.randrange(7):
            case 0:
                del words[here]
            case 1:
                words.insert(here, random.choice(words))
            case 2:
                words[here] = random.choice(WORDS)
            case 3:
                words[here] = hostile_term(random, _name(random, document))
            case 4 | 5:
                words[here] = random.choice(words)
            case _:
                words[here] = random.choice(others or words)
    where[key] = " ".join(words)


def _terms(document: Any) -> Iterator[Holder]:
    return ((w, k) for w, k in holders(document) if isinstance(w[k], str) and w[k].startswith("("))


def _name(random: Random, document: Any) -> str:
    """A name that some term speaks of."""
    terms = list(_terms(document))
    where, key = random.choice(terms) if terms else ({0: "x"}, 0)
    return random.choice([w for w in _SYMBOL.findall(where[key]) if w[0].isalpha() and w not in WORDS] or ["x"])


def hostile_term(random: Random, name: str) -> str:
    """About a name; deep, wide, or with numbers and products that grow."""
    primed = name + "'"
    depth = random.choice((3, 60, 190, 199, 200, 201, 1000))
    number = random.choice(("0", "2", "9" * 300, "9" * 999, "9" * 1000, "9" * 1001, "9" * 5000))
    return random.choice(
        (
            "(not " * depth + "true" + ")" * depth,
            "(+ 1 " * depth + name + ")" * depth,
            "(- " * depth + name + ")" * depth,
            f"(* {name} " * min(depth, 60) + name + ")" * min(depth, 60),
            f"(* {number} " * min(depth, 20) + name + ")" * min(depth, 20),
            f"(= {name} (* {' '.join([number] * min(depth, 60))}))",
            f"(<= (mod (* {name} {number}) {number}) (div {name} {number}))",
            "(= 0 (*" + f" (+ {name} {primed} {primed}' 1)" * min(depth, 60) + "))",
            f"(ite true {name} " * depth + "0" + ")" * depth,
            f"(ite (= {name} 1) {name} " * depth + "0" + ")" * depth,
            f"(or (and (= {name} 1) " * min(depth, 100) + "false" + "))" * min(depth, 100),
            f"(and {' '.join(f'(<= {name} {n})' for n in range(depth))})",
            f"(and {' '.join(f'(or (= {name} {n}) (= {name} {-n % 7}))' for n in range(min(depth, 200)))})",
            f"(forall (({name} Int)) (= {name} 1))",
            f"(let ((a {name})) (= a a))",
            name + "'" * depth,
            f"|{name}{'%27' * depth}|",
            f"({name} {name})",
            "()",
            "(" * depth,
            number,
            f"(= {name} -{number})",
        )
    )


CHANGES: dict[Callable[[Random, Any, tuple[Base, ...]], None], int] = {
    _replaced: 12,
    _dropped: 5,
    _doubled: 4,
    _exchanged: 15,
    _transplanted: 10,
    _nudged: 14,
    _termed: 40,
}

# ---------------------------------------------------------------- changes of text


def _numbered(random: Random, text: str) -> str:
    """A number as no certificate has it."""
    numbers = [m.span() for m in re.finditer(r"(?<=[:,\[])-?\d+(?=[,\]}])", text)]
    if not numbers:
        return text
    start, end = random.choice(numbers)
    other = ("1.0", "1e3", "1e400", "-0", "01", "NaN", "Infinity", "0x1", "9" * 1001, "9" * 6000, "-" + "9" * 999)
    return text[:start] + random.choice(other) + text[end:]


def _damaged(random: Random, text: str) -> str:
    for _ in range(random.choice((1, 1, 3))):
        here, length = random.randrange(len(text) + 1), random.choice((0, 1, 1, 8, 200))
        piece = random.choice(
            ("", "0", "-", '"', "{", "[", "null", "(", "\\", "\\u0000", "\\ud800", "\x00", "‮", "﻿", "[" * 3000, "{")
        )
        text = text[:here] + piece + text[here + length :]
    return text[: random.randrange(len(text) + 1)] if random.random() < 0.2 else text
