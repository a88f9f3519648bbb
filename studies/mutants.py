"""Mutation testing of two commits with the same mutants: did the suite lose strength between them?

    pip install cosmic-ray==8.7.0                       (for `draw` alone)
    python -m studies.mutants draw --before TREE --after TREE --out sample.json [--mutants 70] [--seed 7]
    python -m studies.mutants run --tree TREE --side before --sample sample.json --out before.jsonl [--effort everyday]
    python -m studies.mutants table sample.json before.jsonl after.jsonl ...

A tree is a checkout of the project. `draw` takes from each area statements that both trees have, names aside, and of
each at most one mutation by an operator of cosmic-ray. `run` imports the project and collects the area's tests once; then a
process is forked for every mutant, where the code of the mutated functions is replaced before the tests run, those first that
reach the function, until one fails. Only code in functions is mutated: what runs at import has run when the process is forked.
"""

from __future__ import annotations

import argparse
import ast
import builtins
import difflib
import functools
import gc
import itertools
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import types
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, TypeGuard

import pytest

_DATABASE = "src/worldwright/kinds/database"
AREAS: dict[str, tuple[str, ...]] = {
    "verify": (f"{_DATABASE}/verify",),
    "engine": (
        "src/worldwright/engine",
        *(f"{_DATABASE}/{name}.py" for name in ("session", "desk", "unit_of_work", "bench", "tool_runtime")),
    ),
    "check": ("src/worldwright/blueprint/check",),
}
TESTS: dict[str, tuple[str, ...]] = {
    "verify": ("tests/verify",),
    "engine": ("tests/engine", "tests/redteam/test_tool_arguments.py", "tests/redteam/test_sessions.py"),
    "check": ("tests/blueprint", "tests/redteam/test_blueprint_bombs.py", "tests/redteam/test_blueprint_names.py"),
}
SWAPS = {("Add", "Sub"), ("Sub", "Add"), ("Mul", "FloorDiv"), ("FloorDiv", "Mul"), ("Mod", "Mul")} | {
    ("BitOr", "BitAnd"), ("BitAnd", "BitOr"), ("BitOr", "Sub"), ("Sub", "BitOr"), ("BitAnd", "Sub")
}
"""Of the replacements of arithmetic those that keep the types: the others fail wherever they are reached."""
IDENTITY = {"Is", "IsNot"}
"""Replaced by each other alone: equality says mostly the same of `None` and types, and an order there is none."""
LEFT_OUT = ("RemoveDecorator", "VariableReplacer", "VariableInserter")
SURVIVED, KILLED = 0, 1


@dataclass(frozen=True)
class Statement:
    """A statement without its body: where it stands, and what is the same in both trees but for names."""

    file: str
    function: str
    first: tuple[int, int]
    last: tuple[int, int]
    shape: str


class _Blank(ast.NodeTransformer):
    """Names, texts and annotations away."""

    def generic_visit(self, node: ast.AST) -> ast.AST:
        for field in ("id", "attr", "arg", "name", "annotation", "returns"):
            if hasattr(node, field):
                setattr(node, field, None)
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node.value = ""
        return super().generic_visit(node)


def read_statements(file: str, source: str) -> Iterator[Statement]:
    """Read the statements inside of functions, in order."""

    def walk(body: Iterable[ast.stmt], inside: str, counts: bool) -> Iterator[Statement]:
        for node in body:
            blocks = [getattr(node, name, []) for name in ("body", "orelse", "finalbody")]
            below = [*blocks, *(h.body for h in getattr(node, "handlers", [])), *(c.body for c in getattr(node, "cases", []))]
            function = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
            opened = function or isinstance(node, ast.ClassDef)
            if counts and not opened and not isinstance(node, (ast.Raise, ast.Assert)):
                inner = [one.lineno for part in below for one in part]
                last = (min(inner), 0) if inner else (node.end_lineno or node.lineno, node.end_col_offset or 0)
                bare = ast.parse(ast.unparse(node)).body[0]
                for name in ("body", "orelse", "finalbody", "handlers"):
                    if isinstance(getattr(bare, name, None), list):
                        setattr(bare, name, [])
                for case in getattr(bare, "cases", []):
                    case.body = []
                yield Statement(file, inside, (node.lineno, node.col_offset), last, ast.dump(_Blank().visit(bare)))
            name = f"{inside}.{node.name}".lstrip(".") if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) else inside
            for part in below:
                yield from walk(part, name, function or (counts and not isinstance(node, ast.ClassDef)))

    return walk(ast.parse(source).body, "", False)


def read_area(tree: Path, area: str) -> dict[str, str]:
    """Read the sources of an area by path."""
    found = [tree / part for part in AREAS[area] if (tree / part).exists()]
    files = [file for one in found for file in (sorted(one.rglob("*.py")) if one.is_dir() else [one])]
    return {file.relative_to(tree).as_posix(): file.read_text(encoding="utf-8") for file in files}


def match_statements(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[tuple[Statement, Statement]]:
    """Pair the statements that both sides have, in the files that resemble each other most."""
    old, new = ({f: list(read_statements(f, s)) for f, s in side.items()} for side in (before, after))
    for statements in new.values():
        shapes = [s.shape for s in statements]
        ranked = [difflib.SequenceMatcher(None, [s.shape for s in o], shapes, autojunk=False) for o in old.values()]
        best = max(range(len(ranked)), key=lambda i: ranked[i].ratio())
        partner = list(old.values())[best]
        for block in ranked[best].get_matching_blocks():
            yield from zip(partner[block.a :][: block.size], statements[block.b :][: block.size], strict=True)


def find_mutations(source: str, statements: Sequence[Statement]) -> dict[Statement, dict[str, list[int]]]:
    """Find by statement and operator what cosmic-ray would change, as its numbers of occurrences in the file."""
    provider = import_module("cosmic_ray.operators.provider").OperatorProvider()
    parse = import_module("cosmic_ray.ast")
    nodes = list(parse.ast_nodes(parse.get_ast(source)))
    walked = list(ast.walk(ast.parse(source)))
    silent = [n.annotation for n in walked if isinstance(n, ast.AnnAssign)] + [n for n in walked if is_wording(n)]
    out: dict[Statement, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for name in sorted(provider):
        if not is_wanted(name):
            continue
        operator = provider[name]()
        positions = [p for node in nodes for p in operator.mutation_positions(node)]
        for occurrence, (first, _) in enumerate(positions):
            around = [s for s in statements if s.first <= first < s.last]
            if around and not any(
                (n.lineno, n.col_offset) <= first < (n.end_lineno or 0, n.end_col_offset or 0) for n in silent
            ):
                out[max(around, key=lambda s: s.first)][name].append(occurrence)
    return out


def is_wording(node: ast.AST) -> TypeGuard[ast.expr]:
    """Tell whether a node is text with parts that are filled in, which mostly tells a reader what is wrong."""
    return isinstance(node, ast.JoinedStr)


def is_wanted(name: str) -> bool:
    """Tell whether an operator makes mutants that are not the same by construction, and not dead by construction."""
    kind, _, pair = name.partition("_")
    old, _, new = pair.partition("_")
    if kind == "ReplaceComparisonOperator":
        return (old in IDENTITY) == (new in IDENTITY)
    if kind == "ReplaceBinaryOperator":
        return (old, new) in SWAPS
    return kind not in LEFT_OUT


def mutate(source: str, operator: str, occurrence: int) -> dict[str, Any]:
    """Mutate a source, and say where it differs: line, old and new."""
    made = import_module("cosmic_ray.operators.provider").OperatorProvider()[operator]()
    mutated = import_module("cosmic_ray.mutating").mutate_code(source, made, occurrence)
    old, new = source.splitlines(), mutated.splitlines()
    blocks = [b for b in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes() if b[0] != "equal"]
    a, b, c, d = blocks[0][1], blocks[-1][2], blocks[0][3], blocks[-1][4]
    return {"line": a + 1, "old": [x.strip() for x in old[a:b]], "new": [x.strip() for x in new[c:d]], "source": mutated}


def draw(before: Path, after: Path, mutants: int, seed: int) -> Iterator[dict[str, Any]]:
    """Draw mutants that both trees have: so many of each area, at most one of a statement."""
    for area in AREAS:
        sides = read_area(before, area), read_area(after, area)
        pairs = list(match_statements(*sides))
        both = []
        for side, files in enumerate(sides):
            chosen: dict[str, list[Statement]] = defaultdict(list)
            for pair in pairs:
                chosen[pair[side].file].append(pair[side])
            both.append({s: m for f, some in chosen.items() for s, m in find_mutations(files[f], some).items()})
        generator = random.Random(f"{seed} {area}")
        generator.shuffle(pairs)
        drawn = 0
        for old, new in pairs:
            one, other = both[0].get(old, {}), both[1].get(new, {})
            kinds: dict[str, list[str]] = defaultdict(list)
            for name in sorted(one.keys() & other.keys()):
                if len(one[name]) == len(other[name]):
                    kinds[name.partition("_")[0]].append(name)
            if drawn == mutants or not kinds:
                continue
            name = generator.choice(kinds[generator.choice(sorted(kinds))])
            at = generator.randrange(len(one[name]))
            drawn += 1
            yield {"id": f"{area}-{drawn:03}", "area": area, "operator": name} | {
                side: {"file": s.file, "function": s.function, **mutate(files[s.file], name, found[name][at])}
                for side, s, files, found in (("before", old, sides[0], one), ("after", new, sides[1], other))
            }
        print(f"{area}: {len(pairs)} statements in both trees, {drawn} mutants", file=sys.stderr)


def walk_code(code: types.CodeType) -> Iterator[tuple[str, types.CodeType]]:
    """Walk the code of functions in a module, each with a name that is the same after a mutation."""
    numbers: Counter[str] = Counter()
    todo = [code]
    while todo:
        for const in todo.pop(0).co_consts:
            if isinstance(const, types.CodeType):
                numbers[const.co_qualname] += 1
                yield f"{const.co_qualname} {numbers[const.co_qualname]}", const
                todo.append(const)


def replace_code(file: Path, tree: ast.Module | str) -> int:
    """Give the functions of a module the code of another text of it, wherever they are held already."""
    old = dict(walk_code(compile(file.read_text(encoding="utf-8"), str(file), "exec")))
    new = dict(walk_code(compile(tree, str(file), "exec")))
    at = {(c.co_qualname, c.co_firstlineno, c.co_code, c.co_consts): name for name, c in old.items()}
    count = 0
    for one in gc.get_objects():
        if isinstance(one, types.FunctionType) and one.__code__.co_filename == str(file):
            code = one.__code__
            name = at.get((code.co_qualname, code.co_firstlineno, code.co_code, code.co_consts))
            if name in new and new[name] != old[name]:
                one.__code__ = new[name]
                count += 1
    return count


def forget() -> None:
    """Empty what functions of the project and of the tests remember."""
    for one in gc.get_objects():
        if isinstance(one, functools._lru_cache_wrapper) and one.__module__.partition(".")[0] in ("worldwright", "tests"):
            one.cache_clear()


class _Reached(ast.NodeTransformer):
    """Every function begins by saying that it was reached."""

    def __init__(self, file: str) -> None:
        self.file, self.inside = file, [""]

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return self._enter(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._enter(node)

    def _enter(self, node: ast.ClassDef | ast.FunctionDef) -> ast.AST:
        self.inside.append(f"{self.inside[-1]}.{node.name}".lstrip("."))
        self.generic_visit(node)
        if isinstance(node, ast.FunctionDef):
            says = ast.parse(f"__reached__({f'{self.file} {self.inside[-1]}'!r})").body
            documented = ast.get_docstring(node) is not None
            node.body[documented:documented] = [ast.copy_location(one, node.body[0]) for one in says]
            ast.fix_missing_locations(node)
        self.inside.pop()
        return node


class Forks:
    """A plugin of pytest: it collects once, and then tries every mutant in a process of its own."""

    def __init__(self, tree: Path, side: str, sample: Sequence[Mapping[str, Any]], out: Path, known: Path) -> None:
        self.tree, self.side, self.sample, self.out, self.known = tree, side, sample, out, known
        self.failed = ""
        self.reached: set[str] = set()
        self.by_fixture: dict[str, set[str]] = defaultdict(set)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed = report.nodeid

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Iterator[None]:
        before, self.reached = self.reached, set()
        setattr(builtins, "__reached__", self.reached.add)
        result = yield
        self.by_fixture[fixturedef.argname] |= self.reached
        self.reached |= before
        setattr(builtins, "__reached__", self.reached.add)
        return result

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        try:
            slow_left = [i for i in session.items if i.get_closest_marker("slow") and not self.has_turn(i.nodeid)]
            left = set(slow_left)
            items = [i for i in session.items if i not in left and "two_processes" not in i.nodeid]
            if not self.known.exists():
                self.known.write_text(json.dumps(self.in_fork(lambda: self.measure(items), 3600)))
            known = json.loads(self.known.read_text())
            done = {json.loads(line)["id"] for line in self.out.read_text().splitlines()} if self.out.exists() else set()
            for mutant in self.sample:
                if mutant["id"] not in done:
                    result = self.in_fork(lambda m=mutant: self.attempt(m, items, known), 1200)
                    with self.out.open("a") as file:
                        file.write(json.dumps({"id": mutant["id"], **result}) + "\n")
        except BaseException:
            import traceback

            Path("/tmp/mutants/error.txt").write_text(traceback.format_exc())
            raise
        return True

    def has_turn(self, name: str) -> bool:
        try:
            return bool(import_module("tests.effort").has_its_turn(name))
        except ImportError:
            return True

    def in_fork(self, work: Any, seconds: int) -> dict[str, Any]:
        """Do a work in a process of its own, and return what it returns or how it ended."""
        folder = Path(tempfile.mkdtemp())
        started = time.monotonic()
        pid = os.fork()
        if not pid:
            code = 1
            try:
                signal.alarm(seconds)
                shared = sys.modules.get("tests.shared_builds")
                if shared is not None:
                    setattr(shared, "KEPT", folder / "worlds")
                forget()
                (folder / "result").write_text(json.dumps(work()))
                code = 0
            except BaseException:
                import traceback

                (folder / "error").write_text(traceback.format_exc())
            finally:
                os._exit(code)
        _, status, usage = os.wait4(pid, 0)
        spent = {"cpu": round(usage.ru_utime + usage.ru_stime, 1), "wall": round(time.monotonic() - started, 1)}
        if status:
            error = (folder / "error").read_text() if (folder / "error").exists() else ""
            found = {"killed": f"ended with {os.waitstatus_to_exitcode(status)} {error}"}
        else:
            found = json.loads((folder / "result").read_text())
        shutil.rmtree(folder)
        return found | {"spent": spent}

    def play(self, item: pytest.Item, following: pytest.Item | None) -> float:
        started = time.process_time()
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        return time.process_time() - started

    def measure(self, items: Sequence[pytest.Item]) -> dict[str, Any]:
        """Run every test as it is: the seconds it takes, and the functions of the areas that it reaches."""
        setattr(builtins, "__reached__", self.reached.add)
        for file, source in ((f, s) for area in AREAS for f, s in read_area(self.tree, area).items()):
            replace_code(self.tree / file, _Reached(file).visit(ast.parse(source)))
        tests: dict[str, Any] = {}
        for item, following in itertools.zip_longest(items, items[1:]):
            self.failed, self.reached = "", set()
            setattr(builtins, "__reached__", self.reached.add)
            seconds = self.play(item, following)
            tests[item.nodeid] = {"seconds": round(seconds, 3), "failed": self.failed, "reached": self.reached}
        for item in items:
            names = getattr(item, "fixturenames", [])
            found = tests[item.nodeid]
            found["reached"] = sorted(found["reached"].union(*(self.by_fixture[name] for name in names)))
        return {"tests": tests}

    def attempt(self, mutant: Mapping[str, Any], items: Sequence[pytest.Item], known: Mapping[str, Any]) -> dict[str, Any]:
        """Run tests on a mutant until one fails: those that reach its function, the quickest first."""
        here = mutant[self.side]
        tests = known["tests"]
        function = f"{here['file']} {here['function']}"
        near = [i for i in items if i.nodeid in tests and not tests[i.nodeid]["failed"]]
        near = sorted((i for i in near if function in tests[i.nodeid]["reached"]), key=lambda i: tests[i.nodeid]["seconds"])
        replaced = replace_code(self.tree / here["file"], here["source"])
        if not replaced:
            return {"killed": "", "tests": 0, "note": "nothing replaced"}
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        for number, (item, following) in enumerate(itertools.zip_longest(near, near[1:]), 1):
            signal.setitimer(signal.ITIMER_PROF, 30 + 4 * tests[item.nodeid]["seconds"])
            self.play(item, following)
            if self.failed:
                return {"killed": self.failed, "tests": number}
        return {"killed": "", "tests": len(near)}


def run(tree: Path, side: str, sample: Path, out: Path, known: Path, tests: Sequence[str]) -> None:
    """Run the tests of a tree on every mutant of a sample that `out` does not have yet."""
    os.chdir(tree)
    sys.path[:] = [str(tree / "src"), str(tree), *(p for p in sys.path if p not in ("", str(Path(__file__).parents[1])))]
    paths = tests or dict.fromkeys(path for some in TESTS.values() for path in some)
    plugin = Forks(tree, side, json.loads(sample.read_text()), out, known)
    pytest.main(
        [*paths, "-q", "-p", "no:cacheprovider", "-p", "no:schemathesis", "-p", "no:xdist"], plugins=[plugin]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    drawing = commands.add_parser("draw")
    drawing.add_argument("--before", type=Path, required=True)
    drawing.add_argument("--after", type=Path, required=True)
    drawing.add_argument("--mutants", type=int, default=70)
    drawing.add_argument("--seed", type=int, default=7)
    running = commands.add_parser("run")
    running.add_argument("--tree", type=Path, required=True)
    running.add_argument("--side", choices=("before", "after"), required=True)
    running.add_argument("--sample", type=Path, required=True)
    running.add_argument("--known", type=Path, required=True)
    running.add_argument("--tests", nargs="*", default=(), help="instead of those nearest to the areas")
    for one in (drawing, running):
        one.add_argument("--out", type=Path, required=True)
    asked = parser.parse_args()
    if asked.command == "draw":
        sample = list(draw(asked.before, asked.after, asked.mutants, asked.seed))
        asked.out.write_text(json.dumps(sample, indent=1), encoding="utf-8")
    else:
        run(asked.tree.resolve(), asked.side, asked.sample.resolve(), asked.out.resolve(), asked.known.resolve(), asked.tests)


if __name__ == "__main__":
    main()
