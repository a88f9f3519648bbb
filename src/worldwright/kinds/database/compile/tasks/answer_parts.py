"""The parts of an answer, described in words: what each holds, and which of the things asked for it belongs to."""

from __future__ import annotations

from collections.abc import Sequence

from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.types import TEXT, Type
from worldwright.core.names import to_words
from worldwright.english.nouns import plural
from worldwright.kinds.database.compile.tasks.describe import name_kind
from worldwright.kinds.database.compile.tasks.sandbox import Sandbox

OUTCOME = Type("enum", values=("done", "partly", "refused"))
_FORMS = {
    "money": "an amount of money", "foreign": "an amount of money", "int": "a whole number", "decimal": "a number",
    "number": "a number", "date": "a day", "time": "a moment", "bool": "true or false", "enum": "a word as the records have it",
}  # fmt: skip
ABOUT_SEVERAL = "the id of a record that this is about; nothing hangs on it here, and it may be left out"
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


def list_outcome_parts() -> dict[str, tuple[Type | None, str]]:
    """List the parts that every answer has."""
    return {
        "outcome": (
            OUTCOME,
            "done; refused where a rule of the handbook forbids it; partly where one forbids a part of it and the rest was done",
        ),
        "rule": (
            TEXT,
            "the name of the rule that forbids it, as the handbook calls it: the rule itself, not one that only says when it "
            "applies; left out where the outcome is done",
        ),
    }


def name_parts(tells: Sequence[Sequence[str]]) -> list[dict[str, str]]:
    """Name what each of the things asked for tells, in their order: by itself the first time, with its place after that."""
    taken: set[str] = set()
    out = []
    for place, keys in enumerate(tells):
        out.append({key: f"{key}_{place + 1}" if key in taken else key for key in keys})
        taken.update(keys)
    return out


def describe_part(sandbox: Sandbox, name: str, node: n.Node, place: int | None = None) -> str:
    """Describe a part of an answer by what it holds; `place` is which of several things asked for it belongs to, from 0 on."""
    return say_place(_describe(sandbox, name, node), place)


def say_place(says: str, place: int | None) -> str:
    """Say which of several things asked for a part of the answer belongs to; as it is where there is one only."""
    if place is None:
        return says
    return f"of the {_ORDINALS[place] if place < len(_ORDINALS) else f'{place + 1}th'} thing asked for: {says}"


def _describe(sandbox: Sandbox, name: str, node: n.Node) -> str:
    form = _FORMS.get(node.type.kind, "a text")
    match node:
        case _ if node.type.kind == "ref":
            return f"the id of the {to_words(node.type.entity)}"
        case n.Aggregate(kind="count", rows=rows):
            return f"a whole number: how many {plural(name_kind(sandbox, rows.entity))}, counted as the request says"
        case n.Aggregate(kind="sum", value=n.Field(name=field), rows=rows):
            return f"{form}: {to_words(field)} of the {plural(name_kind(sandbox, rows.entity))} added up, as the request says"
        case n.Field(base=base, name=field) if base.type.kind == "ref":
            of = name_kind(sandbox, base.type.entity)
            return f"{form}: {to_words(field)} of the {of}, as the request asks for it"
    return f"{form}: {to_words(name)}, as the request asks for it"


def say_where_done(says: str) -> str:
    return f"{says}; only where it was done"
