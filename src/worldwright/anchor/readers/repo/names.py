"""What names in a repository stand for: classes, functions and values, followed from file to file."""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any, Final, TypeVar

from worldwright.anchor.readers.repo.source import Assigned, Class, Module, Named, Place
from worldwright.anchor.readers.repo.tree import clean, head_of, keyword, last, path_of
from worldwright.english.words import wordset

MAX_ELEMENTS = 2_000
_DEEPEST = 12
_HOPS = 6
"""Imports that are followed for one name."""
_SAME = wordset("_ gettext gettext_lazy ugettext ugettext_lazy _lazy N_ str text tuple list set frozenset sorted int")
"""Calls that give back what they are given, as far as it matters here."""
_BASES: Mapping[str, str] = {
    name: kind
    for kind, names in (
        ("record", "BaseModel RootModel GenericModel ninja.Schema"),
        ("settings", "BaseSettings"),
        ("sqlmodel", "SQLModel"),
        ("table", "DeclarativeBase DeclarativeBaseNoMeta"),
        ("django", "django.db.models.Model models.Model AbstractUser AbstractBaseUser"),
        ("enum", "Enum StrEnum IntEnum Flag IntFlag TextChoices IntegerChoices Choices"),
        ("serializer", "Serializer ModelSerializer HyperlinkedModelSerializer"),
    )
    for name in names.split()
}
"""Bases that come from libraries, by their last name, or in full where other libraries have that name too."""
COLUMNS = wordset("Column mapped_column")
RECORDS = wordset("record sqlmodel")
UNKNOWN: Final = object()
"""A value that only running the code would tell."""
T = TypeVar("T")


class Repo:
    """All files of a repository, and what their names stand for. Filled once; what it remembers only saves time."""

    def __init__(self, modules: Sequence[Module]) -> None:
        self.modules = tuple(modules)
        self.classes = [cls for m in modules for cls in m.classes]
        self.functions = [function for m in modules for function in m.functions]
        self.places: list[Module | Class] = [*self.modules, *self.classes]
        self._known: dict[Hashable, Any] = {}
        self._by_path: dict[str, list[Module]] = {}
        for module in modules:
            parts = module.dotted.split(".")
            for i in range(min(len(parts), 12)):
                self._by_path.setdefault(".".join(parts[i:]), []).append(module)

    def once(self, key: Hashable, meanwhile: T, make: Callable[[], T]) -> T:
        """What was made under a key before, or is made now; `meanwhile` answers whoever asks while it is being made."""
        if key not in self._known:
            self._known[key] = meanwhile
            self._known[key] = make()
        found: T = self._known[key]
        return found

    def module(self, path: str, near: Module) -> Module | None:
        """The file that is imported as `path`: of several, the one that shares most folders with `near`."""
        found = self._by_path.get(path, [])
        folders = [f"{folder}/" for folder in PurePosixPath(near.file).parents]
        return max(found, key=lambda m: (sum(map(m.file.startswith, folders)), -len(m.file)), default=None)

    def full(self, place: Place, node: ast.AST | str | None) -> str:
        """A name with what it was imported as: `sa.Column` -> `sqlalchemy.Column`."""
        head, dot, rest = (node if isinstance(node, str) else path_of(node)).partition(".")
        return place.module.imports.get(head, head) + dot + rest

    def find(self, place: Place, node: ast.AST | str | None) -> Named | None:
        """What a name stands for there."""
        path = (node if isinstance(node, str) else path_of(node)).removeprefix("self.").removeprefix("cls.")
        key = ("find", place.cls or place.module, path)
        return self.once(key, None, lambda: self._find(place, path, _HOPS)) if path else None

    def find_class(self, place: Place, node: ast.AST | str | None) -> Class | None:
        found = self.find(place, node)
        return found if isinstance(found, Class) else None

    def _find(self, place: Place, path: str, hops: int) -> Named | None:
        module = place.module
        for name in (f"{place.cls.title}.{path}", path) if place.cls is not None else (path,):
            if name in module.names:
                return module.names[name]
        if path.split(".")[0] in module.imports:
            parts = self.full(module, path).split(".")
            homes = [(".".join(parts[:i]), ".".join(parts[i:])) for i in range(len(parts) - 1, 0, -1)]
        else:
            homes = [(star, path) for star in module.stars[:20]]
        for home, rest in homes if hops > 0 else ():
            there = self.module(home, module)
            found = self._find(there, rest, hops - 1) if there is not None and there is not module else None
            if found is not None:
                return found
        return None

    def setting(self, name: str) -> Assigned | None:
        """What a name is wherever it is given a value, at the top of a file or in a class; None where that differs."""
        found = [Assigned(place, place.values[name]) for place in self.places if name in place.values][:20]
        return found[0] if len({ast.dump(one.node) for one in found}) == 1 else None

    def value(self, place: Place, node: ast.AST | None, depth: int = 0) -> Any:
        """Return what an expression is, where that can be told from the text; `UNKNOWN` otherwise. A list is a tuple."""
        deeper = depth + 1
        match node if depth <= _DEEPEST else None:
            case ast.Constant(value=str() as value):
                return clean(value)
            case ast.Constant(value=value) if value is None or isinstance(value, bool) or is_number(value):
                return value
            case ast.Name() | ast.Attribute() as named:
                key = ("value", place.cls or place.module, path_of(named))
                return self.once(key, UNKNOWN, lambda: self._named(place, path_of(named), deeper))
            case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts):
                several = [self.value(place, part, deeper) for part in parts[:MAX_ELEMENTS]]
                return UNKNOWN if UNKNOWN in several else tuple(several)
            case ast.Dict(keys=keys, values=values):
                several = [[self.value(place, part, deeper) for part in parts] for parts in (keys, values)]
                pairs = list(zip(*several, strict=True))
                known = all(isinstance(k, str | int | float) and v is not UNKNOWN for k, v in pairs)
                return dict(pairs[:MAX_ELEMENTS]) if known else UNKNOWN
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
                return -value if is_number(value) else UNKNOWN
            case ast.BinOp(left=left, op=op, right=right):
                return _combined(self.value(place, left, deeper), op, self.value(place, right, deeper))
            case ast.JoinedStr(values=parts):
                inner = (part.value if isinstance(part, ast.FormattedValue) else part for part in parts)
                texts = [self.value(place, part, deeper) for part in inner]
                return "".join(texts)[:100_000] if all(isinstance(text, str) for text in texts) else UNKNOWN
            case ast.Call(args=[one]) if head_of(node) in _SAME:
                return self.value(place, one, deeper)
        return UNKNOWN

    def text(self, place: Place, node: ast.AST | None) -> str:
        """The text that an expression is; empty where it is none."""
        found = self.value(place, node)
        return found if isinstance(found, str) else ""

    def texts(self, place: Place, node: ast.AST | None) -> tuple[str, ...]:
        """The texts in a list."""
        found = self.value(place, node)
        return tuple(t for t in found if isinstance(t, str)) if isinstance(found, tuple) else ()

    def flag(self, place: Place, call: ast.AST | None, name: str, value: bool = True) -> bool:
        """Tell whether a call is given an argument with a value: `unique=True`."""
        return self.value(place, keyword(call, name)) is value

    def _named(self, place: Place, path: str, depth: int) -> Any:
        """The value of a name; of a member of an enumeration, the value and not its label."""
        owner, _, member = path.rpartition(".")
        found = self.find(place, path) or (self.find(place, owner) if member in ("value", "label", "name") else None)
        if not isinstance(found, Assigned):
            return UNKNOWN
        if head_of(found.node) == "auto":
            return member.lower()
        value = self.value(found.place, found.node, depth)
        bases = found.place.node.bases if isinstance(found.place, Class) else []
        labelled = any(head_of(base).endswith("Choices") for base in bases)
        return value[0] if labelled and isinstance(value, tuple) and value else value


def is_number(value: Any) -> bool:
    """Tell whether a value is a figure of a sane size."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e15


def _combined(left: Any, op: ast.operator, right: Any) -> Any:
    if is_number(left) and is_number(right) and isinstance(op, ast.Mult):
        return left * right if is_number(left * right) else UNKNOWN
    joined = isinstance(op, ast.Add) and type(left) is type(right) and isinstance(left, str | tuple)
    return left + right if joined and len(left) + len(right) <= 100_000 else UNKNOWN


def lineage(repo: Repo, cls: Class) -> list[Class]:
    """The class and what it inherits from in the repository, the furthest first, each once."""

    def ordered() -> list[Class]:
        order = [cls]
        for one in order:
            found = [repo.find_class(one.module, base) for base in one.node.bases[:20]] if len(order) < 200 else []
            order += [above for above in dict.fromkeys(found) if above is not None and above not in order]
        return order[::-1]

    return repo.once(("lineage", cls), [cls], ordered)


def kind_of(repo: Repo, cls: Class) -> str:
    """The kind of a class: table, django, sqlmodel, record, settings, enum or serializer; else empty."""
    return repo.once(("kind", cls), "", lambda: _kind(repo, cls))


def _kind(repo: Repo, cls: Class) -> str:
    above = lineage(repo, cls)[::-1]
    bases = [(owner, base) for owner in above for base in owner.node.bases if not repo.find_class(owner.module, base)]
    for full in (repo.full(owner, base) for owner, base in bases):
        if full in _BASES or last(full) in _BASES:
            return _BASES.get(full) or _BASES[last(full)]
    calls = [(owner, v) for owner in above for v in list(owner.values.values())[:50] if isinstance(v, ast.Call)]
    if any("__tablename__" in owner.values for owner in above) or any(head_of(call) in COLUMNS for _, call in calls):
        return "table"
    made = [repo.full(owner, call) for owner, call in calls] if cls.node.bases else []
    if any(full.startswith("django.db.models.") and full.endswith(("Field", "Key")) for full in made):
        return "django"
    makers = [repo.full(owner, maker) for owner in above for maker in owner.node.decorator_list]
    return "record" if any(maker.startswith(("dataclass", "pydantic.dataclasses")) for maker in makers) else ""
