"""Python files as syntax trees. Nothing of them is ever run or imported."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from worldwright.anchor.evidence import Note, Skipped, Source
from worldwright.anchor.intake.uploads import Upload
from worldwright.formats.encodings import decode_text

MAX_FILE_BYTES = 2 * 1024 * 1024
MAX_FILES = 5_000
MAX_PYTHON_BYTES = 20 * 1024 * 1024
"""Bytes of Python that are read in all; a syntax tree takes about a hundred times as much memory."""
MAX_DEPTH = 300
"""Levels of a tree that are looked into. Code that people write has fewer than thirty, but for long chains of `elif`."""

_LINE_ENDS = re.compile(r"\r\n|\r|\n")
_OLD_PYTHON = re.compile(
    r"""^[ \t]*(print[ \t]+["'\w]|exec[ \t]+["'\w]|except[ \t]+[\w.]+[ \t]*,[ \t]*\w+[ \t]*:|raise[ \t]+[\w.]+[ \t]*,[ \t])"""
    r"""|\bur["']|<>|\b0[0-7]{2,}\b|\b\d+L\b""",
    re.M,
)
_TYPE_PARAMETERS = re.compile(r"^([ \t]*(?:class|def|async def)[ \t]+\w+)(\[[^\[\]\n]{1,200}\])(?=[ \t]*[(:])", re.M)
_TYPE_STATEMENT = re.compile(r"^([ \t]*)type[ \t]+(\w+)(?:\[[^\]\n]{1,200}\])?([ \t]*=)", re.M)


@dataclass(frozen=True, slots=True, eq=False)
class Module:
    """A Python file that was read."""

    file: str
    dotted: str
    """`src.orders.models`; of a package's `__init__.py`, the package."""
    lines: tuple[bytes, ...]
    tree: ast.Module
    imports: Mapping[str, str]
    """Names that it imports: what each stands for, in full."""
    stars: tuple[str, ...]
    """Modules that it imports everything from."""
    data: bytes = b""
    classes: Mapping[str, Class] = field(default_factory=dict)
    """By name; a nested one as `Outer.Inner`."""
    values: Mapping[str, ast.expr] = field(default_factory=dict)
    """What is assigned to names at the top."""

    def source(self, node: ast.AST) -> Source:
        """The lines of a node, its decorators included."""
        first = getattr(node, "lineno", 1)
        for decorator in getattr(node, "decorator_list", ()):
            first = min(first, decorator.lineno)
        last = getattr(node, "end_lineno", None) or first
        return Source(self.file, f"{first}-{last}")

    def mentions(self, words: Iterable[str]) -> bool:
        """Tell whether one of these words occurs in it: saves looking through files that have nothing to do with a matter."""
        return any(word.encode() in self.data for word in words)

    def text(self, node: ast.expr | ast.stmt, longest: int = 500) -> str:
        """A node as it is written, on one line."""
        first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
        lines = list(self.lines[first : min(last, first + 20) + 1])
        if not lines:
            return ""
        if last <= first + 20:
            lines[-1] = lines[-1][: node.end_col_offset]
        lines[0] = lines[0][node.col_offset :]
        return " ".join(b" ".join(lines).decode("utf-8", "replace").split())[:longest]


@dataclass(frozen=True, slots=True, eq=False)
class Class:
    """A class in a file."""

    module: Module
    node: ast.ClassDef
    name: str
    """As it is written, without the class around it."""
    inside: str = ""
    """The class around it."""
    values: Mapping[str, ast.expr] = field(default_factory=dict)
    """What is assigned to names in its body."""

    @property
    def source(self) -> Source:
        return self.module.source(self.node)


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """A function in a file, and the class that it stands in."""

    module: Module
    node: ast.FunctionDef | ast.AsyncFunctionDef
    cls: Class | None

    @property
    def name(self) -> str:
        return self.node.name

    @property
    def title(self) -> str:
        return f"{self.cls.name}.{self.name}" if self.cls else self.name


def parsed(upload: Upload) -> Module | Note | Skipped:
    """A file as a module, or why it is none."""
    source = Source(upload.name)
    if len(upload.data) > MAX_FILE_BYTES:
        return Skipped(upload.name, f"more than {MAX_FILE_BYTES // 2**20} MiB of Python: generated, or data", source)
    text = decode_text(upload.data)[0].removeprefix("\ufeff")
    tree = tree_of(text)
    if isinstance(tree, str):
        if _OLD_PYTHON.search(text):
            return Skipped(upload.name, "Python 2 is not read", source)
        return Note("warning", f"not read: {tree}", source)
    imports, stars = _imports(tree, _package(upload.name))
    lines = tuple(line.encode("utf-8", "replace") for line in _LINE_ENDS.split(text))
    classes: dict[str, Class] = {}
    values = dict(_values(tree.body))
    module = Module(upload.name, dotted(upload.name), lines, tree, imports, stars, upload.data, classes, values)
    classes.update(_classes(module))
    return module


def tree_of(text: str) -> ast.Module | str:
    """The syntax tree of a text, or what is wrong with it. Tries the dialects before and after the Python that this runs on."""
    wrong = ""
    for attempt, version in ((text, None), (text, (3, 6)), (_older(text), None)):
        if wrong and attempt == text and version is None:
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse(attempt, feature_version=version)
        except SyntaxError as e:
            wrong = wrong or f"line {e.lineno or 1} is no Python that is understood here ({e.msg})"
        except (ValueError, RecursionError, MemoryError):
            return "its code is nested too deeply, or holds characters that no code has"
        else:
            return tree if _depth(tree) <= MAX_DEPTH else f"its code is nested more than {MAX_DEPTH} levels deep"
    return wrong


def _older(text: str) -> str:
    """Code with type parameters and `type` statements (Python 3.12) as code without; lines and columns after them may shift."""
    return _TYPE_STATEMENT.sub(r"\1\2\3", _TYPE_PARAMETERS.sub(r"\1", text))


def _depth(tree: ast.Module) -> int:
    deepest = 0
    level: list[ast.AST] = [tree]
    while level and deepest <= MAX_DEPTH:
        deepest += 1
        level = [child for node in level for child in ast.iter_child_nodes(node)]
    return deepest


def dotted(file: str) -> str:
    """`src/orders/__init__.py` -> `src.orders`."""
    parts = list(PurePosixPath(file).with_suffix("").parts)
    if parts and parts[-1] == "__init__":
        parts.pop()
    return ".".join(parts)


def _package(file: str) -> tuple[str, ...]:
    return PurePosixPath(file).parent.parts


def _imports(tree: ast.Module, package: tuple[str, ...]) -> tuple[dict[str, str], tuple[str, ...]]:
    names: dict[str, str] = {}
    stars: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                names[alias.asname or alias.name.split(".")[0]] = (
                    alias.name if alias.asname else alias.name.split(".")[0]
                )
        elif isinstance(node, ast.ImportFrom):
            base = [node.module] if node.module else []
            if node.level:
                base = [*package[: max(0, len(package) - node.level + 1)], *base]
            for alias in node.names:
                if alias.name == "*":
                    stars.append(".".join(base))
                else:
                    names[alias.asname or alias.name] = ".".join([*base, alias.name])
    return names, tuple(stars)


def top_level(body: Sequence[ast.stmt], depth: int = 0) -> Iterator[ast.stmt]:
    """The statements at the top, those under `if`, `try` and `with` too."""
    for node in body:
        yield node
        if depth < 4 and isinstance(node, ast.If | ast.Try | ast.With):
            yield from top_level(node.body, depth + 1)
            if isinstance(node, ast.If | ast.Try):
                yield from top_level(node.orelse, depth + 1)
            if isinstance(node, ast.Try):
                for handler in node.handlers:
                    yield from top_level(handler.body, depth + 1)


def _values(body: Sequence[ast.stmt]) -> Iterator[tuple[str, ast.expr]]:
    for node in top_level(body):
        match node:
            case ast.Assign(targets=[*targets], value=value):
                for target in targets:
                    if isinstance(target, ast.Name):
                        yield target.id, value
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                yield name, value


def _classes(module: Module) -> dict[str, Class]:
    found: dict[str, Class] = {}
    waiting: list[tuple[str, ast.stmt]] = [("", node) for node in top_level(module.tree.body)]
    while waiting:
        inside, node = waiting.pop(0)
        if not isinstance(node, ast.ClassDef):
            continue
        name = f"{inside}.{node.name}" if inside else node.name
        found.setdefault(name, Class(module, node, node.name, inside, dict(_values(node.body))))
        if name.count(".") < 3:
            waiting.extend((name, child) for child in node.body if isinstance(child, ast.ClassDef))
    return found


def functions(module: Module) -> Iterator[Function]:
    """The functions and methods of a file, in order; those inside of functions too."""
    classes = {id(cls.node): cls for cls in module.classes.values()}
    waiting: list[tuple[ast.AST, Class | None]] = [(module.tree, None)]
    while waiting:
        node, cls = waiting.pop()
        inner = classes.get(id(node), cls)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield Function(module, node, cls)
        waiting.extend((child, inner) for child in reversed(list(ast.iter_child_nodes(node))) if _holds(child))


def _holds(node: ast.AST) -> bool:
    return isinstance(node, ast.stmt | ast.excepthandler | ast.match_case) and not isinstance(
        node, ast.Expr | ast.Assign | ast.AnnAssign | ast.Return | ast.Raise | ast.Assert
    )


def own_nodes(function: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function in order of the text, without those of functions and classes inside of it."""
    waiting = list(reversed(list(ast.iter_child_nodes(function))))
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            waiting.extend(reversed(list(ast.iter_child_nodes(node))))


def docstring(node: ast.AST) -> str:
    """The text under a class or a function, cut where it becomes a manual."""
    if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        return ""
    text = ast.get_docstring(node) or ""
    return text.encode("utf-8", "replace").decode("utf-8")[:4_000].strip()


def path_of(node: ast.expr | None) -> str:
    """`sa.orm.relationship` for a name with dots, the called one for a call; empty for anything else."""
    parts: list[str] = []
    while True:
        match node:
            case ast.Attribute(value=inner, attr=attr):
                parts.append(attr)
                node = inner
            case ast.Name(id=name):
                return ".".join([name, *reversed(parts)])
            case ast.Call(func=func) if not parts:
                node = func
            case _:
                return ""


def last(path: str) -> str:
    return path.rpartition(".")[2]


def keyword(call: ast.Call, *names: str) -> ast.expr | None:
    """The argument that a call gives under one of these names."""
    for name in names:
        for given in call.keywords:
            if given.arg == name:
                return given.value
    return None


def argument(call: ast.Call, position: int, *names: str) -> ast.expr | None:
    """The argument at a position, or under one of these names."""
    plain = [a for a in call.args if not isinstance(a, ast.Starred)]
    return plain[position] if position < len(plain) else keyword(call, *names)
