"""Promises about functions that are called: what they do not do, and what they return.

A call that breaks a promise is undefined, or gives poison (LangRef, Function Attributes, Parameter Attributes). They
are left out of account: calls of the first function then count as more defined than they are, so that what is proved
is so. The second function's calls may break no more promises than the first's, which are seen to be the same calls,
but for what is so of a function of the library.
What is refuted need not be so, since what is called may do less than the play has it do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, zip_longest
from typing import TypeAlias

from sa.frontends.llvm import syntax as s
from sa.frontends.llvm.analysis import callee_of
from sa.frontends.llvm.library import is_fact, is_library

#: A function and its module.
Defined: TypeAlias = tuple[s.Function, s.Module]

#: Promises about a function that is called and its result, by the word before their parenthesis.
_OF_CALLS = frozenset({
    "memory", "readnone", "readonly", "writeonly", "argmemonly", "inaccessiblememonly", "inaccessiblemem_or_argmemonly",
    "willreturn", "nosync", "noalias", "allocsize", "align", "dereferenceable", "dereferenceable_or_null", "range",
})  # fmt: skip

#: Those that a function makes for what it calls, too.
_OF_BODIES = frozenset({"memory", "readnone", "readonly", "writeonly", "willreturn", "nosync"})

#: Promises about what a function does with an argument, and about its value.
_OF_ARGUMENTS = frozenset({"readnone", "readonly", "writeonly", "returned", "captures", "nocapture", "range"})


def is_promise(word: str, of_argument: bool = False) -> bool:
    """Whether a word is a promise about a function that is called, or about an argument of it."""
    return word.partition("(")[0] in (_OF_ARGUMENTS if of_argument else _OF_CALLS)


def words_of(call: s.Call, module: s.Module) -> tuple[str, ...]:
    """All that is said of the function that is called, of this call, and of its result."""
    declared = module.declared.get(callee_of(call))
    groups = (word for group in call.groups for word in module.groups.get(group, ()))
    own = () if declared is None else (*declared.words, *declared.attributes)
    return (*own, *call.attributes, *call.result, *groups)


def arguments_of(call: s.Call, module: s.Module) -> Iterator[s.Argument]:
    """The arguments of a call, with all that is said of them."""
    declared = module.declared.get(callee_of(call))
    for argument, parameter in zip_longest(call.arguments, () if declared is None else declared.parameters):
        said = tuple(dict.fromkeys((*argument.attributes, *(() if parameter is None else parameter.attributes))))
        yield s.Argument(argument.type, said, argument.operand)


def check_promises(first: Defined, second: Defined) -> None:
    """Raises InputError where a call of the second function promises what not all calls of the first promise."""
    (function, module), (other, its) = first, second
    for call in visible_calls(other):
        name = callee_of(call)
        before = [_promises(c, module) for c in visible_calls(function) if callee_of(c) == name]
        for number, word in sorted(_promises(call, its)):
            known = is_fact(name, word, of_argument=number >= 0)
            if not known and (not before or any((number, word) not in promises for promises in before)):
                message = f"`{word}` is promised of `@{name}` in the second file, and not in the first one"
                hint = "leave out the attribute in the second file"
                raise s.refused("SA746", message, other.signature.span, hint)


def opaque(functions: Iterable[Defined]) -> str | None:
    """A function that is called, if more is known of it than is modelled; first of all one of the library."""
    found = [(callee_of(call), call, *pair) for pair in functions for call in visible_calls(pair[0])]
    known = (name for name, *_ in found if is_library(name))
    bound = (n for n, call, f, module in found if _promises(call, module) or is_bound(f.signature))
    return next(chain(known, bound), None)


def visible_calls(function: s.Function) -> Iterator[s.Call]:
    """The calls of functions that the module does not define, but of intrinsics."""
    lines = (line.instruction for block in function.blocks for line in block.lines)
    yield from (i for i in lines if isinstance(i, s.Call) and not callee_of(i).startswith("llvm."))


def binds(word: str, of_parameter: bool = False) -> bool:
    """Whether a word at a function, or at a parameter of it, says something of the functions that it calls."""
    return word.partition("(")[0] in (_OF_ARGUMENTS if of_parameter else _OF_BODIES)


def is_bound(signature: s.Signature) -> bool:
    """Whether something is said of a function that those that it calls have to keep."""
    own = any(binds(word) for word in (*signature.words, *signature.attributes))
    return own or any(binds(word, True) for p in signature.parameters for word in p.attributes)


def _promises(call: s.Call, module: s.Module) -> frozenset[tuple[int, str]]:
    """The promises of a call, those about arguments with their numbers."""
    of_call = {(-1, word) for word in words_of(call, module) if is_promise(word)}
    arguments = enumerate(arguments_of(call, module))
    return frozenset(of_call | {(n, w) for n, a in arguments for w in a.attributes if is_promise(w, True)})
