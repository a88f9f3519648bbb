"""The shape of the code base, read from the source itself: who may import whom, and what no module may do.

Everything is found with `ast`, so local imports, imports under TYPE_CHECKING and relative imports all count.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SRC = ROOT / "src"
TOP = "worldwright"
MAX_LINES = 450

ORDER: tuple[tuple[str, ...], ...] = (
    ("core",),
    ("english", "formats"),
    ("world",),
    ("people",),
    ("blueprint", "pack"),
    ("engine",),
    ("kinds",),
    ("catalogue", "agents"),
    ("anchor", "variants"),
    ("assay",),
    ("compiler",),
    ("store",),
    ("facts",),
    ("author", "factory"),
    ("app",),
    ("serve", "adapters", "rollout"),
    ("gate",),
    ("distill", "train"),
    ("arena",),
    ("studio",),
    ("cli",),
)
RANK: Mapping[str, int] = {package: rank for rank, group in enumerate(ORDER) for package in group}
EXEMPT = frozenset({f"{TOP}/__init__.py", f"{TOP}/__main__.py"})

UNSEEDED_MODULES = frozenset({"random", "uuid", "secrets"})
UNSEEDED_CALLS = frozenset(
    {
        "time.time",
        "time.time_ns",
        "time.localtime",
        "time.gmtime",
        "datetime.datetime.now",
        "datetime.datetime.utcnow",
        "datetime.datetime.today",
        "datetime.date.today",
        "os.urandom",
    }
)

Check = Callable[[str, ast.Module], Iterator[str]]


def allowed_for(package: str) -> tuple[str, ...]:
    """The packages that `package` may import from, its own last."""
    return (*(name for group in ORDER[: RANK[package]] for name in group), package)


def order_as_text() -> str:
    """The order as the documentation writes it: `core < world < {blueprint, pack} < ...`."""
    return " < ".join(group[0] if len(group) == 1 else "{" + ", ".join(group) + "}" for group in ORDER)


def package_of(file: str) -> str:
    """`worldwright/core/rng.py` -> `core`; a module beside the packages gives its own name."""
    return Path(file).parts[1].removesuffix(".py")


def imports(file: str, tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Every imported name in full, with its line. `from a import b` gives `a.b`: b may be a module."""
    folder = Path(file).parent.parts
    for node in ast.walk(tree):
        match node:
            case ast.Import():
                for alias in node.names:
                    yield node.lineno, alias.name
            case ast.ImportFrom():
                base = node.module or ""
                if node.level:
                    base = ".".join([*folder[: len(folder) - node.level + 1], *filter(None, [node.module])])
                for alias in node.names:
                    yield node.lineno, f"{base}.{alias.name}"
            case ast.Call(
                func=ast.Name(id="import_module" | "__import__") | ast.Attribute(attr="import_module"),
                args=[ast.Constant(value=str(name)), *_],
            ) if not name.startswith("."):
                yield node.lineno, name


def layer_violations(file: str, tree: ast.Module) -> Iterator[str]:
    if file in EXEMPT:
        return
    package = package_of(file)
    if package not in RANK:
        yield f"{file}:1: {package!r} is in no layer; allowed are {order_as_text()}"
        return
    allowed = allowed_for(package)
    for line, name in imports(file, tree):
        parts = name.split(".")
        if parts[0] != TOP:
            continue
        target = parts[1] if len(parts) > 1 else ""
        if target not in allowed:
            what = name if target in RANK else f"{name} (a name of the top-level package, or of no layer)"
            yield f"{file}:{line}: {package} imports {what}; allowed are {', '.join(allowed)}"


def torch_violations(file: str, tree: ast.Module) -> Iterator[str]:
    if file.startswith((f"{TOP}/train/", "tests/train/")):
        return
    for line, name in imports(file, tree):
        if name.split(".")[0] == "torch":
            yield f"{file}:{line}: imports {name}; allowed only in {TOP}/train/ and tests/train/"


def blind_excepts(file: str, tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.ExceptHandler):
            continue
        caught = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
        for kind in caught:
            name = "everything" if kind is None else ast.unparse(kind).removeprefix("builtins.")
            if name in {"everything", "Exception", "BaseException"}:
                yield f"{file}:{node.lineno}: catches {name}; allowed are named errors only"


def unseeded(file: str, tree: ast.Module) -> Iterator[str]:
    """Wall clock and unseeded randomness, in every layer up to `factory`."""
    if file in EXEMPT or RANK.get(package_of(file), 0) > RANK["factory"]:
        return
    origin: dict[str, str] = {}
    for node in ast.walk(tree):
        match node:
            case ast.Import():
                origin |= {
                    a.asname or a.name.split(".")[0]: a.name if a.asname else a.name.split(".")[0] for a in node.names
                }
            case ast.ImportFrom(level=0):
                origin |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    advice = "allowed are core's seeded streams, its ids and its virtual clock"
    for line, name in imports(file, tree):
        if name.split(".")[0] in UNSEEDED_MODULES or name in UNSEEDED_CALLS:
            yield f"{file}:{line}: imports {name}; {advice}"
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and (used := dotted(node, origin)) and used in UNSEEDED_CALLS:
            yield f"{file}:{node.lineno}: uses {used}; {advice}"


REFEREE = f"{TOP}/kinds/database/referee/"
APART = frozenset({"compile", "battery", "verify", "vcode", "emit", "builder"})
"""What the referee must not share its eyes with."""


def shared_eyes(file: str, tree: ast.Module) -> Iterator[str]:
    """Imports by the referee of what made or judges the keys."""
    if not file.startswith(REFEREE):
        return
    for line, name in imports(file, tree):
        part = name.removeprefix(f"{TOP}.kinds.database.").split(".")[0]
        if part in APART:
            yield f"{file}:{line}: the referee imports {name}; allowed are the runtime, blueprint and what lies below"


def import_circles(trees: Mapping[str, ast.Module]) -> Iterator[str]:
    """Modules that import each other, at the top, under TYPE_CHECKING or inside a function; the first circle found."""
    files = {Path(file).with_suffix("").as_posix().replace("/", ".").removesuffix(".__init__"): file for file in trees}
    imported: dict[str, set[str]] = {}
    for file, tree in trees.items():
        named = (files.get(name) or files.get(name.rpartition(".")[0]) for _, name in imports(file, tree))
        imported[file] = {target for target in named if target is not None and target != file}
    try:
        TopologicalSorter(imported).prepare()
    except CycleError as e:
        yield f"{' < '.join(e.args[1])}: each is imported by the next; allowed are imports one way"


def dotted(node: ast.expr, origin: Mapping[str, str]) -> str | None:
    """`dt.now` -> `datetime.datetime.now` after `from datetime import datetime as dt`; None if not imported."""
    match node:
        case ast.Name(id=name):
            return origin.get(name)
        case ast.Attribute(value=value, attr=attr):
            base = dotted(value, origin)
            return base and f"{base}.{attr}"
    return None


def sources(folder: Path, base: Path) -> dict[str, str]:
    return {
        path.relative_to(base).as_posix(): path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.py"))
    }


@pytest.fixture(scope="module", name="texts")
def read_sources() -> dict[str, str]:
    return sources(SRC / TOP, SRC)


@pytest.fixture(scope="module", name="trees")
def parse_sources(texts: dict[str, str]) -> dict[str, ast.Module]:
    return {file: ast.parse(text, file) for file, text in texts.items()}


CHECKS: tuple[Check, ...] = (layer_violations, torch_violations, blind_excepts, unseeded, shared_eyes)


@pytest.mark.untraced
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_sources_keep_the_rules(check: Check, trees: dict[str, ast.Module]) -> None:
    found = [violation for file, tree in trees.items() for violation in check(file, tree)]
    assert not found, "\n" + "\n".join(found)


@pytest.mark.untraced
def test_no_modules_import_each_other(trees: dict[str, ast.Module]) -> None:
    found = list(import_circles(trees))
    assert not found, "\n" + "\n".join(found)


def test_tests_do_not_import_torch() -> None:
    own = {file: text for file, text in sources(ROOT / "tests", ROOT).items() if "torch" in text}
    found = [violation for file, text in own.items() for violation in torch_violations(file, ast.parse(text, file))]
    assert not found, "\n" + "\n".join(found)


def test_files_stay_short(texts: dict[str, str]) -> None:
    lines = {file: len(text.splitlines()) for file, text in texts.items()}
    found = [f"{file}:{n}: {n} lines; allowed are {MAX_LINES}" for file, n in lines.items() if n > MAX_LINES]
    assert not found, "\n" + "\n".join(found)


def test_there_is_something_to_check(texts: dict[str, str]) -> None:
    assert {"core", "world", "blueprint"} <= {package_of(file) for file in texts}


def test_contributing_shows_this_order() -> None:
    text = " ".join((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split())
    assert order_as_text() in text


# The checker itself: each planted violation is caught on its line, and each look-alike is let through.

CAUGHT = [
    (layer_violations, "core/a.py", "import worldwright.engine", "core imports worldwright.engine; allowed are core"),
    (
        layer_violations,
        "core/a.py",
        "def f():\n    from worldwright.cli import main",
        "core imports worldwright.cli.main",
    ),
    (layer_violations, "world/a.py", "if TYPE_CHECKING:\n    from worldwright import pack", "imports worldwright.pack"),
    (
        layer_violations,
        "pack/a.py",
        "from worldwright.blueprint.model import X",
        "allowed are core, english, formats, world, people, pack",
    ),
    (layer_violations, "core/sub/a.py", "from ...engine import env", "core imports worldwright.engine.env"),
    (layer_violations, "core/__init__.py", "from ..world import task", "core imports worldwright.world.task"),
    (layer_violations, "core/a.py", "importlib.import_module('worldwright.kinds')", "core imports worldwright.kinds"),
    (layer_violations, "engine/a.py", "from worldwright import __version__", "of no layer"),
    (layer_violations, "engine/a.py", "import worldwright", "of no layer"),
    (layer_violations, "helpers.py", "", "'helpers' is in no layer"),
    (torch_violations, "distill/a.py", "import torch.nn", "imports torch.nn"),
    (torch_violations, "core/a.py", "def f():\n    from torch import nn", "imports torch.nn"),
    (blind_excepts, "cli/a.py", "try: ...\nexcept: ...", "catches everything"),
    (blind_excepts, "core/a.py", "try: ...\nexcept Exception as e: ...", "catches Exception"),
    (blind_excepts, "core/a.py", "try: ...\nexcept (KeyError, BaseException): ...", "catches BaseException"),
    (unseeded, "core/a.py", "import random", "imports random"),
    (unseeded, "compiler/a.py", "from uuid import uuid4", "imports uuid.uuid4"),
    (unseeded, "factory/a.py", "from time import time", "imports time.time"),
    (unseeded, "store/a.py", "import time as t\nt.time()", "uses time.time"),
    (unseeded, "kinds/database/a.py", "from datetime import datetime as dt\ndt.now()", "uses datetime.datetime.now"),
    (unseeded, "engine/a.py", "import datetime\ndatetime.date.today()", "uses datetime.date.today"),
    (
        shared_eyes,
        "kinds/database/referee/a.py",
        "from worldwright.kinds.database.verify.net import net_rows",
        "the referee imports worldwright.kinds.database.verify.net",
    ),
    (
        shared_eyes,
        "kinds/database/referee/a.py",
        "def f():\n    from ..compile.tasks import plans",
        "the referee imports worldwright.kinds.database.compile.tasks.plans",
    ),
    (shared_eyes, "kinds/database/referee/a.py", "import worldwright.kinds.database.battery.run", "battery.run"),
]

PASSED = [
    (layer_violations, "engine/a.py", "from worldwright.core import rng\nfrom . import env\nfrom .env import Env"),
    (layer_violations, "kinds/database/a.py", "from worldwright.kinds import x\nfrom ..common import y"),
    (layer_violations, "cli/a.py", "import worldwright.arena, click"),
    (layer_violations, "__init__.py", "from worldwright.cli import main"),
    (layer_violations, "__main__.py", "from worldwright.cli.main import main"),
    (torch_violations, "train/a.py", "import torch"),
    (torch_violations, "core/a.py", "import torchless"),
    (blind_excepts, "core/a.py", "try: ...\nexcept (KeyError, ValueError): ..."),
    (unseeded, "serve/a.py", "import random, uuid"),
    (unseeded, "core/a.py", "import time\ntime.monotonic()\nclock.now()\nself.random.pick()"),
    (shared_eyes, "kinds/database/referee/a.py", "from worldwright.kinds.database.session import Session"),
    (shared_eyes, "kinds/database/battery/a.py", "from worldwright.kinds.database.verify import net"),
    (unseeded, "core/a.py", "from datetime import date, datetime\ndatetime.fromisoformat(s)\ndate(2025, 1, 1)"),
]


@pytest.mark.parametrize(("check", "file", "text", "message"), CAUGHT)
def test_planted_violation_is_caught(check: Check, file: str, text: str, message: str) -> None:
    [violation] = check(f"{TOP}/{file}", ast.parse(text))
    line = max(1, len(text.splitlines()))
    assert violation.startswith(f"{TOP}/{file}:{line}: ")
    assert message in violation
    assert "allowed" in violation


@pytest.mark.parametrize(("check", "file", "text"), PASSED)
def test_look_alike_is_let_through(check: Check, file: str, text: str) -> None:
    assert list(check(f"{TOP}/{file}", ast.parse(text))) == []


CIRCLES = [
    {"core/a.py": "from worldwright.core import b", "core/b.py": "import worldwright.core.a"},
    {"core/a.py": "from .b import x", "core/b.py": "if TYPE_CHECKING:\n    from worldwright.core.a import Y"},
    {"core/a.py": "from .b import x", "core/b.py": "def f():\n    from .c import y", "core/c.py": "from .a import z"},
    {"core/__init__.py": "from worldwright.core.a import x", "core/a.py": "from worldwright.core import y"},
]


@pytest.mark.parametrize("texts", CIRCLES)
def test_planted_circle_is_caught(texts: Mapping[str, str]) -> None:
    [violation] = import_circles({f"{TOP}/{file}": ast.parse(text) for file, text in texts.items()})
    assert all(f"{TOP}/{file}" in violation for file in texts)
    assert "allowed" in violation


def test_imports_one_way_are_no_circle() -> None:
    texts = {"core/a.py": "from .b import x", "core/b.py": "from .c import y", "core/c.py": "import worldwright.cli"}
    assert list(import_circles({f"{TOP}/{file}": ast.parse(text) for file, text in texts.items()})) == []
