"""Python files with their classes, functions and names. Nothing of them is ever run or imported."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from worldwright.anchor.evidence import Note, Source
from worldwright.anchor.intake.uploads import Upload
from worldwright.anchor.readers.repo.tree import AnyFunction, assigned, tree_of
from worldwright.formats.encodings import decode_text

MAX_FILE_BYTES = 2 * 1024 * 1024


@dataclass(frozen=True, slots=True, eq=False)
class Module:
    """A Python file that was read."""

    file: str
    dotted: str
    """`src.orders.models`; of a package's `__init__.py`, the package."""
    text: str
    tree: ast.Module
    imports: dict[str, str] = field(default_factory=dict)
    """Names that it imports: what each stands for, in full."""
    stars: list[str] = field(default_factory=list)
    """Modules that it imports everything from."""
    names: dict[str, Named] = field(default_factory=dict)
    """What its names stand for; those in a class as `Order.status`."""
    functions: list[Function] = field(default_factory=list)
    values: dict[str, ast.expr] = field(default_factory=dict)
    """What is assigned to names at the top."""
    cls: None = None

    @property
    def module(self) -> Module:
        return self

    @property
    def classes(self) -> list[Class]:
        return [named for named in self.names.values() if isinstance(named, Class)]

    def source(self, node: ast.AST, first: int = 0) -> Source:
        """The lines of a node, its decorators included, or those from an earlier line on."""
        line = first or min([getattr(node, "lineno", 1), *(d.lineno for d in getattr(node, "decorator_list", ()))])
        return Source(self.file, f"{line}-{getattr(node, 'end_lineno', None) or line}")

    def calls(self, *words: str) -> Iterator[ast.Call]:
        """The calls in it, if one of these words occurs in it at all: most files have nothing to do with a matter."""
        nodes = ast.walk(self.tree) if any(word in self.text for word in words) else ()
        return (node for node in nodes if isinstance(node, ast.Call))


@dataclass(frozen=True, slots=True, eq=False)
class Class:
    """A class in a file."""

    module: Module
    node: ast.ClassDef
    name: str
    title: str
    """With the classes around it: `Outer.Inner`."""
    source: Source
    values: dict[str, ast.expr] = field(default_factory=dict)
    """What is assigned to names in its body."""
    methods: dict[str, Function] = field(default_factory=dict)

    @property
    def cls(self) -> Class:
        return self

    @property
    def meta(self) -> dict[str, ast.expr]:
        """What is assigned in the class `Meta` inside of it."""
        inner = self.module.names.get(f"{self.title}.Meta")
        return inner.values if isinstance(inner, Class) else {}


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """A function in a file."""

    module: Module
    node: AnyFunction
    name: str
    title: str
    source: Source
    cls: Class | None
    """The class that it stands in."""


@dataclass(frozen=True, slots=True)
class Assigned:
    """The expression that a name was given, and where."""

    place: Module | Class
    node: ast.expr


Place = Module | Class | Function
"""Where a name is looked up."""
Named = Class | Function | Assigned


def parsed(upload: Upload) -> Module | Note:
    """A file as a module, or why it is none."""
    source = Source(upload.name)
    if len(upload.data) > MAX_FILE_BYTES:
        return Note(
            "warning", f"not read: more than {MAX_FILE_BYTES // 2**20} MiB of Python: generated, or data", source
        )
    text = decode_text(upload.data)[0].removeprefix("\ufeff")
    tree = tree_of(text)
    if isinstance(tree, str):
        return Note("warning", f"not read: {tree}", source)
    path = PurePosixPath(upload.name).with_suffix("").parts
    module = Module(upload.name, ".".join(path[:-1] if path[-1:] == ("__init__",) else path), text, tree)
    _add_imports(module, path[:-1])
    _collect(module, tree.body, None, False)
    return module


def _add_imports(module: Module, package: Sequence[str]) -> None:
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                head = alias.name.split(".")[0]
                module.imports[alias.asname or head] = alias.name if alias.asname else head
        elif isinstance(node, ast.ImportFrom):
            above = package[: max(0, len(package) - node.level + 1)] if node.level else ()
            base = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                module.imports[alias.asname or alias.name] = f"{base}.{alias.name}".lstrip(".")
            module.stars.extend(base for alias in node.names if alias.name == "*")


def _collect(module: Module, body: Iterable[ast.AST], cls: Class | None, in_function: bool) -> None:
    """Note the classes, functions and assigned names of a block and of the blocks in it."""
    inside = f"{cls.title}." if cls is not None else ""
    for node in body:
        match node:
            case ast.ClassDef(name=name) if not in_function:
                made = Class(module, node, name, inside + name, module.source(node))
                if module.names.setdefault(made.title, made) is made:
                    _collect(module, node.body, made, False)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                title = f"{cls.name}.{name}" if cls is not None else name
                function = Function(module, node, name, title, module.source(node), cls)
                module.functions.append(function)
                if not in_function:
                    module.names.setdefault(inside + name, function)
                    (cls.methods if cls is not None else {}).setdefault(name, function)
                _collect(module, node.body, cls, True)
            case ast.Assign() | ast.AnnAssign():
                for name, value in assigned(node) if not in_function else ():
                    (cls or module).values[name] = value
                    module.names[inside + name] = Assigned(cls or module, value)
            case ast.stmt() | ast.excepthandler() | ast.match_case():
                _collect(module, ast.iter_child_nodes(node), cls, in_function)
