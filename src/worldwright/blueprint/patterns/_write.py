"""How patterns write the parts of a Blueprint: each function here gives one part as an author would write it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

Statement = dict[str, Any]
"""A statement of an operation."""


def choose(field: str, values: Mapping[str, object], otherwise: object) -> str:
    """Write `a if field == 'x' else b if field == 'y' else otherwise`."""
    return "".join(f"{value} if {field} == '{word}' else " for word, value in values.items()) + str(otherwise)


def is_one_of(field: str, words: Iterable[str]) -> str:
    return " or ".join(f"{field} == '{word}'" for word in words)


def field(type_: str, says: str, draw: str | None = None) -> dict[str, Any]:
    return {"type": type_, "says": says} if draw is None else {"type": type_, "draw": draw, "says": says}


def require(condition: str, else_: str, says: str, unless_new: Iterable[str] = ()) -> Statement:
    """Write what has to hold, the error code where it does not, and the rows of which nothing is asked while they are new."""
    new = list(unless_new)
    return {"require": condition, "else": else_, "says": says, **({"unless_new": new} if new else {})}


def set_fields(row: str, /, **values: str) -> Statement:
    return {"set": {f"{row}.{name}": value for name, value in values.items()}}


def do_when(when: str, *statements: Statement) -> list[Statement]:
    """Write statements that are carried out where a condition holds; always, where it is empty."""
    return [{"when": when, "do": list(statements)}] if when else list(statements)


def append_to(*added: tuple[str, Iterable[Statement]]) -> dict[str, Any]:
    """Extend operations by statements at their end, in the order given."""
    after: dict[str, list[Statement]] = {}
    for operation, statements in added:
        after.setdefault(operation, []).extend(statements)
    return {operation: {"after": statements} for operation, statements in after.items()}


Steps = tuple[Mapping[str, Any], Callable[[Any, Any], list[Statement]]]
"""By operation, one step or several; and what writes the statements of one, given the parameters of the pattern."""


def append_steps(params: Any, *added: Steps) -> dict[str, Any]:
    """Extend operations by steps at their end, in the order given, each where its `when` holds, if it has one."""
    return append_to(
        *(
            (operation, do_when(getattr(step, "when", ""), *write_step(params, step)))
            for steps, write_step in added
            for operation, those in steps.items()
            for step in (those if isinstance(those, tuple) else (those,))
        )
    )
