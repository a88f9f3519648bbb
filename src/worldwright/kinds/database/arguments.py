"""Arguments: from whatever a caller sent to values in storage form, or a refusal that says what would be right; and back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from worldwright.blueprint.checked import Input, Operation
from worldwright.blueprint.types import Type
from worldwright.core.days import parse_day, parse_moment
from worldwright.core.fixed import INT64, parse_fixed, to_number
from worldwright.core.names import suggest, to_words
from worldwright.english.nouns import indefinite
from worldwright.kinds.database.records import to_json
from worldwright.kinds.database.unit_of_work import Refusal, Row, UnitOfWork

MAX_TEXT_CHARS = 10_000

Convert = Callable[[UnitOfWork, Any], Any]


class ArgumentReader:
    """Reads the arguments of one operation."""

    def __init__(self, operation: Operation) -> None:
        self._names = frozenset(i.name for i in operation.inputs)
        self._defaults = {i.name: get_default(i) for i in operation.inputs}
        self._required = tuple(i.name for i in operation.inputs if not i.optional and i.default is None)
        self._inputs = {i.name: (converter(i), i) for i in operation.inputs}
        self._texts = tuple(i for i in operation.inputs if i.type.kind == "text" or i.parts)

    def read(self, uow: UnitOfWork, arguments: Any) -> dict[str, Any]:
        """The frame of a call."""
        if not isinstance(arguments, Mapping):
            raise make_refusal("arguments", "a JSON object of named arguments", arguments)
        frame: dict[str, Any] = dict(self._defaults)
        for name, value in arguments.items():
            entry = self._inputs.get(name)
            if entry is None:
                raise Refusal(
                    "INVALID_ARGUMENT", f"There is no argument `{str(name)[:60]}`.", None,
                    {"argument": str(name)[:60], "hint": suggest(str(name)[:60], self._names)},
                )  # fmt: skip
            if value is None:
                if name in self._required:
                    raise make_refusal(name, _describe_expected(entry[1]), value)
                continue
            frame[name] = entry[0](uow, value)
        for name in self._required:
            if frame[name] is None or name not in arguments:
                raise Refusal(
                    "INVALID_ARGUMENT", f"`{name}` is missing.", None,
                    {"argument": name, "expected": _describe_expected(self._inputs[name][1])},
                )  # fmt: skip
        return frame

    def list_texts(self, arguments: Mapping[str, Any]) -> Iterator[str]:
        """List what a call that was taken says in free words, as far as it is text."""
        for i in self._texts:
            yield from _list_texts(i, arguments.get(i.name))


def _list_texts(i: Input, value: Any) -> Iterator[str]:
    if value and i.type.kind == "text":
        yield value
    for element in value or () if i.parts else ():
        for part in i.parts:
            yield from _list_texts(part, element.get(part.name) if part.name else element)


def get_default(i: Input) -> Any:
    """Return the value of an input that is not given."""
    return i.default.value if i.default is not None else () if i.parts else None


def make_refusal(name: str, expected: str, found: Any) -> Refusal:
    shown = _render_value(found)
    shown = shown if len(shown) <= 80 else shown[:77] + "..."
    return Refusal(
        "INVALID_ARGUMENT",
        f"`{name}` has to be {expected}, not {shown}.",
        None,
        {"argument": name, "expected": expected},
    )


def _render_value(found: Any) -> str:
    try:
        return repr(found)
    except (ValueError, RecursionError):  # a number of thousands of digits, a list of lists of lists
        return f"a {type(found).__name__}"


def _describe_expected(i: Input) -> str:
    """Say what an input takes, in words."""
    kind = i.type
    match kind.kind:
        case "ref":
            return f"the id of {indefinite(kind.entity)}"
        case "enum":
            return "one of " + ", ".join(kind.values)
        case "date":
            return "a day as YYYY-MM-DD"
        case "time":
            return "a moment as YYYY-MM-DDTHH:MM:SSZ"
        case "bool":
            return "true or false"
        case "text":
            low, high = i.low or 0, i.high or MAX_TEXT_CHARS
            return f"text of {low} to {high} characters"
        case "list":
            return f"a list of {i.low} to {i.high} " + ("values" if i.parts[0].name == "" else "objects")
    number = "a whole number" if not kind.places else f"a number with at most {kind.places} decimal places"
    if i.low is not None:
        number += f", at least {to_number(i.low, kind.places)}"
    if i.high is not None:
        number += f", at most {to_number(i.high, kind.places)}"
    return number


def converter(i: Input) -> Convert:
    """A function from a JSON value to the frame's value of one input."""
    name, expected = i.name or "item", _describe_expected(i)
    match i.type.kind:
        case "ref":
            return _row(i.type.entity, name, expected)
        case "enum":
            return _make_check(name, expected, lambda v: isinstance(v, str) and v in i.type.values)
        case "bool":
            return _make_check(name, expected, lambda v: isinstance(v, bool))
        case "date":
            return _make_check(name, expected, lambda v: parse_day(v) is not None)
        case "time":
            return _make_check(name, expected, lambda v: parse_moment(v) is not None and v.isascii())
        case "text":
            low, high = i.low or 0, i.high or MAX_TEXT_CHARS
            return _make_check(
                name, expected, lambda v: isinstance(v, str) and low <= len(v) <= high and _is_printable(v)
            )
        case "list":
            return _list(i, expected)
    return _number(i, name, expected)


def _is_printable(text: str) -> bool:
    """Return whether a text has no NUL and no lone surrogate: what SQLite and JSON can both hold."""
    try:
        return "\0" not in text and bool(text.encode() or True)
    except UnicodeEncodeError:
        return False


def _make_check(name: str, expected: str, good: Callable[[Any], bool]) -> Convert:
    def convert(uow: UnitOfWork, value: Any) -> Any:
        if not good(value):
            raise make_refusal(name, expected, value)
        return value

    return convert


def _row(entity: str, name: str, expected: str) -> Convert:
    def convert(uow: UnitOfWork, value: Any) -> Any:
        if not isinstance(value, str) or len(value) > 100 or not _is_printable(value):
            raise make_refusal(name, expected, value)
        row = uow.row(entity, value)
        if row is None:
            raise Refusal(
                "NOT_FOUND",
                f"There is no {to_words(entity)} {value!r}.",
                None,
                {"argument": name, "expected": expected},
            )
        return row

    return convert


def _number(i: Input, name: str, expected: str) -> Convert:
    places, low, high = i.type.places, i.low, i.high

    def convert(uow: UnitOfWork, value: Any) -> Any:
        number = parse_fixed(value, places)
        if (
            number is None
            or abs(number) > INT64
            or (low is not None and number < low)
            or (high is not None and number > high)
        ):
            raise make_refusal(name, expected, value)
        return number

    return convert


def _list(i: Input, expected: str) -> Convert:
    plain = converter(i.parts[0]) if i.parts[0].name == "" else None
    parts = {p.name: (p, converter(p)) for p in i.parts}

    def element(uow: UnitOfWork, value: Any, at: int) -> Any:
        if plain is not None:
            return plain(uow, value)
        if not isinstance(value, Mapping):
            raise make_refusal(f"{i.name}[{at}]", "an object", value)
        out: dict[str, Any] = {}
        for name in value:
            if name not in parts:
                hint = suggest(str(name)[:60], parts)
                raise Refusal(
                    "INVALID_ARGUMENT",
                    f"`{i.name}[{at}]` has no part `{str(name)[:60]}`.",
                    None,
                    {"argument": i.name, "hint": hint},
                )
        for name, (part, convert) in parts.items():
            given = value.get(name)
            if given is not None:
                out[name] = convert(uow, given)
            elif part.default is not None:
                out[name] = part.default.value
            elif part.optional:
                out[name] = None
            else:
                raise make_refusal(f"{i.name}[{at}].{name}", _describe_expected(part), given)
        return out

    def convert(uow: UnitOfWork, value: Any) -> Any:
        if not isinstance(value, (list, tuple)) or not (i.low or 0) <= len(value) <= (i.high or 0):
            raise make_refusal(i.name, expected, value)
        return [element(uow, v, at) for at, v in enumerate(value)]

    return convert


# back


def write_argument(value: Any, kind: Input) -> Any:
    """A value of an expression as the JSON that a caller sends."""
    if value is None:
        return None
    if kind.parts:
        if kind.parts[0].name == "":
            return [value_to_json(v, kind.parts[0].type) for v in value]
        parts = {p.name: p for p in kind.parts}
        return [
            {k: write_argument(v, parts[k]) for k, v in element.items() if v is not None or not parts[k].optional}
            for element in value
        ]
    return value_to_json(value, kind.type)


def value_to_json(value: Any, kind: Type) -> Any:
    """Convert a value in storage form, or a row, to JSON."""
    return value.id if isinstance(value, Row) else to_json(value, kind)


def write_arguments(operation: Operation, values: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a call, as JSON; what is left out stays out."""
    out = {}
    for i in operation.inputs:
        if values.get(i.name) is not None:
            out[i.name] = write_argument(values[i.name], i)
    return out
