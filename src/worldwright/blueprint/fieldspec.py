"""The short form of types, fields and inputs: `money in currency`, `one of a 70%, b 30%`, `int = a + b`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from worldwright.blueprint.expr.failure import ExprError
from worldwright.blueprint.model import FieldSpec
from worldwright.blueprint.types import BOOL, DATE, FOREIGN, INT, MONEY, TEXT, TEXT_KINDS, TIME, Type, decimal, ref
from worldwright.core.names import IDENTIFIER, suggest

SIMPLE: dict[str, Type] = {
    "text": TEXT, "int": INT, "bool": BOOL, "date": DATE, "time": TIME, "money": MONEY, **dict.fromkeys(TEXT_KINDS, TEXT),
}  # fmt: skip

_DECIMAL = re.compile(r"decimal\(([1-6])\)\Z")
_WORD = re.compile(r"(\w+)(?:\s+(\d+(?:\.\d+)?)%)?\Z")
_MARK = re.compile(r"~|=|\bcomputed\b")

_OPTIONAL_WAY = re.compile(r"\A(\w+)\?\s+as\s+(\w+)")
"""`staff? as tickets` says the same as `staff as tickets?`."""


@dataclass(frozen=True, slots=True)
class TypeSpec:
    """A type as written, resolved."""

    type: Type
    flavour: str = ""
    weights: tuple[float, ...] = ()
    currency: str = ""
    way: str = ""
    state: bool = False


def split_field(spec: str | FieldSpec) -> tuple[str, bool, FieldSpec]:
    """The type text, whether it is optional, and the rest in long form."""
    long = spec if isinstance(spec, FieldSpec) else FieldSpec(type=spec)
    text = _OPTIONAL_WAY.sub(r"\1 as \2?", long.type.strip())
    mark = _MARK.search(text)
    kind = (text[: mark.start()] if mark else text).strip()
    rest = text[mark.end() :].strip() if mark else ""
    if not kind or (mark and not rest):
        raise ExprError(f"`{long.type[:60]}` is not a field", "TYPE[?] [~ DRAW | = KEPT | computed EXPR]")
    parts = {{"~": "draw", "=": "kept", "computed": "computed"}[mark[0]]: rest} if mark else {}
    both = [k for k in parts if getattr(long, k) is not None]
    long = long.model_copy(update=parts)
    if both or sum(x is not None for x in (long.draw, long.kept, long.computed)) > 1:
        raise ExprError("a field is drawn, kept or computed, one of them only")
    return kind.removesuffix("?").strip(), kind.endswith("?"), long


def parse_type(text: str, entities: tuple[str, ...], states: tuple[str, ...] = ()) -> TypeSpec:
    """The type that `text` names. `states` are the lifecycle's, where `state` may be used."""
    if text in SIMPLE:
        return TypeSpec(SIMPLE[text], flavour=text if text in TEXT_KINDS else "")
    if text.startswith("one of "):
        return _enum(text)
    if text == "state":
        if not states:
            raise ExprError("`state` needs a `lifecycle` in the same entity")
        return TypeSpec(Type("enum", values=states), state=True)
    if m := _DECIMAL.match(text):
        return TypeSpec(decimal(int(m[1])))
    if text.startswith("money in "):
        return TypeSpec(FOREIGN, currency=text.removeprefix("money in ").strip())
    name, _, way = text.partition(" as ")
    if name.strip() in entities:
        way = way.strip()
        if way and not IDENTIFIER.match(way):
            raise ExprError(f"`{way}` cannot be a name", "lower case letters, digits and _")
        return TypeSpec(ref(name.strip()), way=way)
    known = [*SIMPLE, *entities, "state", "decimal(2)", "one of a, b"]
    raise ExprError(f"no type or entity is called `{text}`", suggest(name.strip(), known))


def _enum(text: str) -> TypeSpec:
    words: list[str] = []
    weights: list[float] = []
    for part in text.removeprefix("one of ").split(","):
        m = _WORD.match(part.strip())
        if m is None:
            raise ExprError(f"`{part.strip()}` is not a word of a choice", "one of draft 70%, sent 30%")
        words.append(m[1])
        weights.append(float(m[2]) if m[2] else -1.0)
    if len(set(words)) != len(words):
        raise ExprError("a choice names a word twice")
    if all(w < 0 for w in weights):
        weights = []
    elif any(w < 0 for w in weights):
        raise ExprError("either every word has a weight or none has")
    elif abs(sum(weights) - 100) > 0.5:
        raise ExprError(f"the weights add up to {sum(weights):g}%", "100% is needed")
    return TypeSpec(Type("enum", values=tuple(words)), weights=tuple(weights))
