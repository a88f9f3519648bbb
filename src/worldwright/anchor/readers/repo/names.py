"""What names in a repository stand for: classes, constants and values, followed from file to file."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from worldwright.anchor.evidence import Shape
from worldwright.anchor.readers.repo.source import Class, Function, Module, functions, last, path_of

MAX_STEPS = 2_000_000
"""Of looking up names and values, for a whole repository; a thousand files need about fifty thousand."""
MAX_ELEMENTS = 2_000
MAX_STARRED = 50
_DEEPEST = 12
MAX_INTEGER = 10**18
"""A number that is larger, or infinite, is none of a business."""
_HOPS = 6
"""Imports that are followed for one name."""


class Unknown:
    """A value that only running the code would tell."""

    def __bool__(self) -> bool:
        return False


UNKNOWN: Final = Unknown()


@dataclass(frozen=True, slots=True, eq=False)
class Scope:
    """Where a name is looked up: a file, and the class whose body it stands in."""

    module: Module
    cls: Class | None = None
    inside: tuple[Class, ...] = ()
    """The records around it, where the shape of a record is made."""


class Repo:
    """All files of a repository, and what their names stand for. Filled once; what it remembers only saves time."""

    def __init__(self, modules: Sequence[Module]) -> None:
        self.modules = tuple(modules)
        self.shapes: dict[tuple[Class, int], Shape] = {}
        self.functions: list[Function] = []
        self.methods: dict[Class, list[Function]] = {}
        self.aliases: dict[tuple[Module, str, tuple[Class, ...], int], Shape] = {}
        self.families: dict[Class, str] = {}
        self.steps = MAX_STEPS
        self.old_optional = _uses_old_pydantic(self.modules)
        """Whether an `Optional` without a default may be left out, as in the first version of Pydantic."""
        self._by_path: dict[str, list[Module]] = {}
        self._places: dict[str, list[Scope]] = {}
        self._stars: dict[Module, list[Module]] = {}
        self.forwards: dict[str, ast.expr | None] = {}
        self._by_class: dict[str, list[Class]] = {}
        self._by_function: dict[tuple[str, str], Function] = {}
        self._values: dict[tuple[Module, Class | None, str], Any] = {}
        for module in self.modules:
            parts = module.dotted.split(".")
            for i in range(min(len(parts), 12)):
                self._by_path.setdefault(".".join(parts[i:]), []).append(module)
            self.functions.extend(functions(module))
            for cls in module.classes.values():
                self._by_class.setdefault(cls.name, []).append(cls)
        for function in self.functions:
            if function.cls is not None:
                self.methods.setdefault(function.cls, []).append(function)
            else:
                self._by_function.setdefault((function.module.file, function.name), function)

    def classes(self) -> Iterator[Class]:
        for module in self.modules:
            yield from module.classes.values()

    def named(self, name: str) -> tuple[Class, ...]:
        """Every class of that name, wherever it stands."""
        return tuple(self._by_class.get(name, ()))

    def module(self, path: str, near: Module) -> Module | None:
        """The file that is imported as `path`: of several, the one that shares most folders with `near`."""
        found = self._by_path.get(path, [])
        if not found:
            return None
        return max(found, key=lambda m: (_shared(m.file, near.file), -len(m.file)))

    def full(self, module: Module, path: str) -> str:
        """A name with what it was imported as: `sa.Column` -> `sqlalchemy.Column`."""
        head, dot, rest = path.partition(".")
        return module.imports.get(head, head) + dot + rest

    def find_class(self, scope: Scope, path: str) -> Class | None:
        """The class that a name stands for there."""
        if scope.cls is not None and (inner := scope.module.classes.get(f"{scope.cls.name}.{path}")):
            return inner
        found = self._find(scope.module, path, _HOPS)
        return found if isinstance(found, Class) else None

    def find_value(self, module: Module, path: str) -> tuple[Module, ast.expr] | None:
        """The expression that was assigned to a name, and the file where it was."""
        found = self._find(module, path, _HOPS)
        return found if isinstance(found, tuple) else None

    def find_function(self, module: Module, path: str) -> Function | None:
        """The function at the top of a file that a name stands for there."""
        head, _, name = self.full(module, path).rpartition(".")
        there = module if "." not in path and path not in module.imports else self.module(head, module)
        return self._by_function.get((there.file, name)) if there is not None else None

    def home(self, module: Module, name: str) -> tuple[Module, str] | None:
        """The file and the name under which an object at the top of a file was made, such as a router."""
        for _ in range(_HOPS):
            if name in module.values:
                return module, name
            path = module.imports.get(name)
            if path is None:
                return None
            head, _, name = path.rpartition(".")
            there = self.module(head, module)
            if there is None:
                return None
            module = there
        return None

    def _find(self, module: Module, path: str, hops: int) -> Class | tuple[Module, ast.expr] | None:
        self.steps -= 1
        if self.steps < 0:
            return None
        if path in module.classes:
            return module.classes[path]
        head, _, rest = path.partition(".")
        if path in module.values:
            return module, module.values[path]
        if head in module.classes:
            value = module.classes[head].values.get(rest)
            return (module, value) if value is not None else None
        if hops <= 0:
            return None
        if head in module.imports:
            return self._find_full(self.full(module, path), module, hops - 1)
        for there in self._starred(module):
            if head in there.classes or head in there.values or head in there.imports:
                return self._find(there, path, hops - 1)
        return None

    def _starred(self, module: Module) -> list[Module]:
        """The files that a file imports everything from, and those that they do."""
        known = self._stars.get(module)
        if known is None:
            found: dict[Module, None] = {}
            waiting = [module]
            while waiting and len(found) < MAX_STARRED:
                current = waiting.pop(0)
                for star in current.stars:
                    there = self.module(star, current)
                    if there is not None and there is not module and there not in found:
                        found[there] = None
                        waiting.append(there)
            known = self._stars[module] = list(found)
        return known

    def _find_full(self, path: str, near: Module, hops: int) -> Class | tuple[Module, ast.expr] | None:
        parts = path.split(".")
        for i in range(len(parts) - 1, 0, -1):
            there = self.module(".".join(parts[:i]), near)
            if there is not None:
                rest = ".".join(parts[i:])
                return self._find(there, rest, hops) if there is not near or rest in there.classes else None
        return None

    def setting(self, name: str) -> str:
        """The text that a name has wherever it is given one, at the top of a file or in a class; empty where that differs."""
        if not self._places:
            for scope in [*map(Scope, self.modules), *(Scope(cls.module, cls) for cls in self.classes())]:
                for known in (scope.cls or scope.module).values:
                    self._places.setdefault(known, []).append(scope)
        places = self._places.get(name, [])[:20]
        texts = {self.text(p, (p.cls or p.module).values[name]) for p in places} - {""}
        return texts.pop() if len(texts) == 1 else ""

    # values

    def value(self, scope: Scope, node: ast.expr | None) -> Any:
        """Return what an expression is, where that can be told from the text; `UNKNOWN` otherwise."""
        return self._value(scope, node, 0) if node is not None else UNKNOWN

    def text(self, scope: Scope, node: ast.expr | None) -> str:
        found = self.value(scope, node)
        return found if isinstance(found, str) else ""

    def _value(self, scope: Scope, node: ast.expr, depth: int) -> Any:
        self.steps -= 1
        if depth > _DEEPEST or self.steps < 0:
            return UNKNOWN
        match node:
            case ast.Constant(value=str() as value):
                return clean(value)
            case ast.Constant(value=None | bool() as value):
                return value
            case ast.Constant(value=int() | float() as value):
                return value if abs(value) < MAX_INTEGER else UNKNOWN
            case ast.Name() | ast.Attribute():
                return self._named_value(scope, path_of(node), depth)
            case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts):
                return self._list(scope, parts, depth)
            case ast.Dict():
                return self._dict(scope, node, depth)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                number = self._value(scope, operand, depth + 1)
                return -number if _is_number(number) else UNKNOWN
            case ast.BinOp(left=left, op=op, right=right):
                return _combined(self._value(scope, left, depth + 1), op, self._value(scope, right, depth + 1))
            case ast.JoinedStr(values=parts):
                texts = [self._value(scope, p, depth + 1) for p in parts]
                return "".join(texts) if all(isinstance(t, str) for t in texts) else UNKNOWN
            case ast.FormattedValue(value=inner, conversion=-1, format_spec=None):
                return self._value(scope, inner, depth + 1)
            case ast.Call():
                return self._called(scope, node, depth)
        return UNKNOWN

    def _list(self, scope: Scope, parts: Sequence[ast.expr], depth: int) -> Any:
        out: list[Any] = []
        for part in parts[:MAX_ELEMENTS]:
            starred = isinstance(part, ast.Starred)
            value = self._value(scope, part.value if isinstance(part, ast.Starred) else part, depth + 1)
            if isinstance(value, Unknown) or (starred and not isinstance(value, tuple)):
                return UNKNOWN
            out.extend(value if starred else [value])
        return tuple(out[:MAX_ELEMENTS])

    def _dict(self, scope: Scope, node: ast.Dict, depth: int) -> Any:
        out: dict[Any, Any] = {}
        for key, part in list(zip(node.keys, node.values, strict=True))[:MAX_ELEMENTS]:
            name = self._value(scope, key, depth + 1) if key is not None else UNKNOWN
            value = self._value(scope, part, depth + 1)
            if isinstance(value, Unknown) or not isinstance(name, str | int | float | None):
                return UNKNOWN
            out[name] = value
        return out

    def _called(self, scope: Scope, call: ast.Call, depth: int) -> Any:
        name = last(path_of(call.func))
        if name in _SAME and len(call.args) == 1:
            value = self._value(scope, call.args[0], depth + 1)
            return value if name not in _LISTS or isinstance(value, tuple) else UNKNOWN
        if name in ("Decimal", "int", "float") and len(call.args) == 1:
            return _number(self._value(scope, call.args[0], depth + 1))
        if name in _LISTS and not call.args:
            return ()
        return UNKNOWN

    def _named_value(self, scope: Scope, path: str, depth: int) -> Any:
        if not path:
            return UNKNOWN
        key = (scope.module, scope.cls, path)
        if key not in self._values:
            self._values[key] = UNKNOWN  # a name that stands for itself has no value
            self._values[key] = self._look_up(scope, path, depth)
        return self._values[key]

    def _look_up(self, scope: Scope, path: str, depth: int) -> Any:
        if scope.cls is not None:
            path = path.removeprefix("self.").removeprefix("cls.")
            inner = scope.cls.values.get(path) or scope.cls.values.get(path.removesuffix(".value"))
            if inner is not None:
                return self._value(scope, inner, depth + 1)
        owner, _, member = path.rpartition(".")
        if member in ("value", "label", "name") and "." in owner:
            owner, _, member = owner.rpartition(".")
        cls = self.find_class(scope, owner) if owner else None
        if cls is not None:
            value = cls.values.get(member)
            found = self._value(Scope(cls.module, cls), value, depth + 1) if value is not None else UNKNOWN
            if isinstance(value, ast.Call) and last(path_of(value)) == "auto":
                return member.lower()
            if path.endswith(".name") and value is not None:
                return member
            return found[0] if isinstance(found, tuple) and found and is_choices(cls) else found
        there = self.find_value(scope.module, path)
        return self._value(Scope(there[0]), there[1], depth + 1) if there is not None else UNKNOWN


def _uses_old_pydantic(modules: Sequence[Module]) -> bool:
    """Tell whether the repository is written for the first version of Pydantic, by what it imports."""
    used = {path for m in modules for path in m.imports.values() if path.startswith("pydantic.")}
    names = {last(path) for path in used}
    old = bool(names & {"validator", "root_validator"}) or any(path.startswith("pydantic.v1.") for path in used)
    return old and not names & {"field_validator", "model_validator", "ConfigDict", "RootModel", "computed_field"}


def is_choices(cls: Class) -> bool:
    """Tell whether the members of an enumeration are pairs of a value and a label."""
    return any(last(path_of(base)).endswith("Choices") for base in cls.node.bases)


def _shared(one: str, other: str) -> int:
    count = 0
    for a, b in zip(one.split("/"), other.split("/"), strict=False):
        if a != b:
            break
        count += 1
    return count


_SAME = frozenset({
    "_", "gettext", "gettext_lazy", "ugettext", "ugettext_lazy", "pgettext_lazy", "_lazy", "N_", "str", "text",
    "tuple", "list", "set", "frozenset", "sorted",
})  # fmt: skip
_LISTS = frozenset({"tuple", "list", "set", "frozenset", "sorted"})
_OPERATORS: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
}


def clean(text: str) -> str:
    """A text that can be written: half of a character becomes a question mark."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e15


def number(value: Any) -> float | None:
    """A value as a figure, where it is one of a sane size."""
    return float(value) if _is_number(value) else None


def _number(value: Any) -> Any:
    if not isinstance(value, str) or len(value) > 40:
        return value if _is_number(value) else UNKNOWN
    try:
        found = float(value)
    except ValueError:
        return UNKNOWN
    return int(found) if found.is_integer() and abs(found) < 1e15 else found if _is_number(found) else UNKNOWN


def _combined(left: Any, op: ast.operator, right: Any) -> Any:
    if _is_number(left) and _is_number(right) and type(op) in _OPERATORS:
        if max(abs(left), abs(right)) > 1e12:
            return UNKNOWN
        return _OPERATORS[type(op)](left, right)
    if isinstance(op, ast.Add) and type(left) is type(right) and isinstance(left, str | tuple):
        return left + right if len(left) + len(right) <= 100_000 else UNKNOWN
    return UNKNOWN
