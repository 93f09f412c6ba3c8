"""Options as a record: a command takes the fields of one, beside its own parameters, and gets them as one value."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, Signature, signature
from typing import Any, Concatenate, ParamSpec, TypeVar, get_type_hints

from msgspec import NODEFAULT, Struct, structs

Own = ParamSpec("Own")
Record = TypeVar("Record", bound=Struct)


def with_options(
    record: type[Record],
) -> Callable[[Callable[Concatenate[Record, Own], None]], Callable[..., None]]:
    """A command whose first parameter is such a record; the command line sees the fields in its place.

    The fields of the record come behind the command's own parameters, those of the class that it is made from last.
    """

    def decorated(command: Callable[Concatenate[Record, Own], None]) -> Callable[..., None]:
        hints = get_type_hints(record, include_extras=True)
        fields = {field.name: field for field in structs.fields(record)}
        order = dict.fromkeys(name for kind in record.__mro__ for name in vars(kind).get("__annotations__", ()))
        shared = tuple(_parameter(fields[name], hints[name]) for name in order if name in fields)
        own = tuple(signature(command, eval_str=True).parameters.values())[1:]

        def called(*values: Any, **given: Any) -> None:
            # Those of the record are left out by who calls it as a function.
            made = record(**{name: given.pop(name) for name in fields if name in given})
            command(made, *values, **given)

        called.__name__, called.__doc__ = command.__name__, command.__doc__
        called.__module__ = command.__module__
        called.__signature__ = Signature((*own, *shared))  # type: ignore[attr-defined]  # a function may have one
        called.__annotations__ = {p.name: p.annotation for p in (*own, *shared)}
        return called

    return decorated


def _parameter(field: structs.FieldInfo, hint: object) -> Parameter:
    default = Parameter.empty if field.default is NODEFAULT else field.default
    return Parameter(field.name, Parameter.POSITIONAL_OR_KEYWORD, default=default, annotation=hint)
