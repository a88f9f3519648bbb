"""Running tests on mutants: the project is imported and its tests are collected once, and a process is forked for every mutant."""

from __future__ import annotations

import ast
import builtins
import functools
import gc
import hashlib
import itertools
import json
import os
import pickle
import re
import shutil
import signal
import sys
import tempfile
import time
import traceback
import types
from collections import Counter, defaultdict
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

_DATABASE = "src/worldwright/kinds/database"
AREAS: Mapping[str, Sequence[str]] = {
    "verify": [f"{_DATABASE}/verify"],
    "engine": [
        "src/worldwright/engine",
        *(f"{_DATABASE}/{name}.py" for name in ("session", "desk", "unit_of_work", "bench", "tool_runtime")),
    ],
    "check": ["src/worldwright/blueprint/check"],
}
"""Folders and files of which mutants are drawn; `desk` and `bench` are older names of two files."""
TESTS = (
    *("tests/verify", "tests/engine", "tests/blueprint", "tests/assay", "tests/rollout/test_episode.py"),
    *(
        f"tests/redteam/test_{name}.py"
        for name in ("agent_face", "sessions", "pack_states", "tool_arguments", "tool_sql")
    ),
    *(f"tests/redteam/test_blueprint_{name}.py" for name in ("bombs", "expressions", "generated", "names")),
)
"""The tests that are nearest to the areas."""
IN_OTHER_PROCESSES = "two_processes"
"""In the names of tests whose work is done by programs that they start: those do not see the mutant."""
MAX_SECONDS_OF_ALL, MAX_SECONDS = 7200, 1500
"""For noting what is reached, and for one mutant."""
WARM, MAX_WARM = ("tests/verify/", "tests/engine/"), 3.0
Mutant = Mapping[str, Any]


def read_area(tree: Path, area: str) -> dict[str, str]:
    """Read the sources of an area by path."""
    found = [tree / part for part in AREAS[area] if (tree / part).exists()]
    files = [file for one in found for file in (sorted(one.rglob("*.py")) if one.is_dir() else [one])]
    return {file.relative_to(tree).as_posix(): file.read_text(encoding="utf-8") for file in files}


def walk_code(code: types.CodeType) -> Iterator[tuple[str, types.CodeType]]:
    """Walk the code of a module's functions, each with a name that is the same after a mutation."""
    numbers: Counter[str] = Counter()
    todo = [code]
    while todo:
        for part in todo.pop(0).co_consts:
            if isinstance(part, types.CodeType):
                numbers[part.co_qualname] += 1
                yield f"{part.co_qualname} {numbers[part.co_qualname]}", part
                todo.append(part)


def replace_code(file: Path, before: str, after: ast.Module | str) -> int:
    """Give the functions of a module the code of another text of it, whoever holds them already, and count them."""
    old, new = (dict(walk_code(compile(text, str(file), "exec"))) for text in (before, after))
    names = {code: name for name, code in old.items() if name in new and new[name] != code}
    count = 0
    for one in gc.get_objects():
        if isinstance(one, types.FunctionType) and one.__code__.co_filename == str(file) and one.__code__ in names:
            one.__code__ = new[names[one.__code__]]
            count += 1
    return count


class Worlds:
    """Builds worlds with the code as it is without the mutant, each once: tests that play in them look at the mutant alone."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(exist_ok=True)
        names = ("worldwright.compiler.build", "worldwright.factory.build")
        self.module = import_module(next(name for name in names if find_spec(name) is not None))
        packs = import_module("worldwright.pack.open")
        self.make, self.files = self.module.build, getattr(packs, "check_pack", None) or packs.checked_pack
        self.without: Callable[[Callable[[], Any]], Any] = lambda work: work()
        vars(self.module)["build"] = self.build

    def build(self, checked: Any, seed: int, *args: Any, **named: Any) -> Any:
        """Do what the project's own `build` does."""
        asked = {k: getattr(v, "name", repr(v)) for k, v in sorted(named.items()) if v is not None}
        if args or {"parent", "watch", "memo"} & set(named):
            return self.make(checked, seed, *args, **named)
        key = hashlib.sha256(repr((checked.digest, seed, asked)).encode()).hexdigest()[:32]
        path = self.folder / key
        if not path.exists():
            made = self.without(lambda: self.make(checked, seed, **named))
            new = path.with_suffix(f".{os.getpid()}")
            new.write_bytes(pickle.dumps((dict(made.pack.files), made.figures)))
            new.replace(path)
        files, figures = pickle.loads(path.read_bytes())
        return self.module.Built(self.files(files), figures)


@functools.cache
def imports(file: Path, module: str) -> bool:
    """Tell whether a test file names a module in an import."""
    package, _, name = module.removesuffix(".__init__").rpartition(".")
    text = file.read_text(encoding="utf-8")
    return (
        re.search(rf"from {re.escape(module)} import|from {re.escape(package)} import .*\b{name}\b", text) is not None
    )


def forget() -> None:
    """Empty what functions of the project remember."""
    for one in gc.get_objects():
        if isinstance(one, functools._lru_cache_wrapper) and one.__module__.startswith("worldwright."):
            one.cache_clear()


class _Reached(ast.NodeTransformer):
    """Lets every function begin by saying that it was reached."""

    def __init__(self, file: str) -> None:
        self.file, self.inside = file, ""

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return self._enter(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._enter(node)

    def _enter(self, node: ast.ClassDef | ast.FunctionDef) -> ast.AST:
        outer, self.inside = self.inside, f"{self.inside}.{node.name}".lstrip(".")
        self.generic_visit(node)
        if isinstance(node, ast.FunctionDef):
            after_text = ast.get_docstring(node) is not None
            node.body[after_text:after_text] = ast.parse(f"__reached__({f'{self.file} {self.inside}'!r})").body
            ast.fix_missing_locations(node)
        self.inside = outer
        return node


class Forks:
    """A plugin of pytest that tries every mutant in a process of its own, after the tests are collected."""

    def __init__(
        self,
        tree: Path,
        side: str,
        sample: Sequence[Mutant],
        reached: Path,
        out: Path,
        rounds: Sequence[float],
        worlds: Worlds,
    ) -> None:
        self.worlds = worlds
        self.tree, self.side, self.sample, self.reached_file, self.out = tree, side, sample, reached, out
        self.rounds = rounds
        self.failed = ""
        self.reached: set[str] = set()
        self.by_fixture: dict[str, set[str]] = defaultdict(set)
        self.setups: dict[str, float] = defaultdict(float)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed = report.nodeid

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Generator[None, object, object]:
        outer, started = self.reached, time.process_time()
        self._note(set())
        result = yield
        self.by_fixture[fixturedef.argname] |= self.reached
        self.setups[fixturedef.argname] = max(self.setups[fixturedef.argname], time.process_time() - started)
        self._note(outer | self.reached)
        return result

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        items = [i for i in session.items if self._has_its_turn(i) and IN_OTHER_PROCESSES not in i.nodeid]
        if not self.reached_file.exists():
            found = self._fork(lambda: self._measure(items), MAX_SECONDS_OF_ALL)
            self.reached_file.write_text(json.dumps(found), encoding="utf-8")
        tests = json.loads(self.reached_file.read_text(encoding="utf-8"))["tests"]
        known = [i for i in items if i.nodeid in tests and not tests[i.nodeid]["failed"]]
        self._warm(known, tests)
        for past, seconds in itertools.pairwise((0.0, *self.rounds)):
            lines = self.out.read_text(encoding="utf-8").splitlines() if self.out.exists() else []
            latest = {one["id"]: one for one in map(json.loads, lines)}
            done = {key for key, one in latest.items() if one["killed"] or one["of"] >= seconds}
            for mutant in (one for one in self.sample if one["id"] not in done):
                result = self._fork(functools.partial(self._attempt, mutant, known, tests, past, seconds), MAX_SECONDS)
                with self.out.open("a", encoding="utf-8") as file:
                    file.write(json.dumps({"id": mutant["id"], "of": seconds, **result}) + "\n")
        return True

    def _warm(self, items: Sequence[pytest.Item], tests: Mapping[str, Any]) -> None:
        """Run a few quick tests here, so that the worlds which files of tests share are there for every mutant."""
        chosen: dict[object, pytest.Item] = {}
        for item in sorted(items, key=lambda item: tests[item.nodeid]["seconds"]):
            if item.nodeid.startswith(WARM):
                chosen.setdefault((item.path, *getattr(item, "fixturenames", ())), item)
        last = next(item for item in reversed(items) if not item.nodeid.startswith(WARM))
        run = sorted((i for i in chosen.values() if tests[i.nodeid]["seconds"] <= MAX_WARM), key=items.index)
        for item, following in itertools.zip_longest(run, run[1:], fillvalue=last):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        self.failed = ""

    def _has_its_turn(self, item: pytest.Item) -> bool:
        """As the conftest decides for a run of the whole suite; before there were turns, everything ran."""
        if item.get_closest_marker("slow") is None or not (self.tree / "tests" / "timing.py").exists():
            return True
        if not hasattr(import_module("tests.timing"), "runs_today"):
            return bool(import_module("tests.effort").has_its_turn(item.nodeid))
        return bool(import_module("tests.timing").runs_today(item.nodeid))

    def _fork(self, work: Callable[[], Mapping[str, Any]], seconds: int) -> dict[str, Any]:
        """Do a work in a process of its own, with a folder of its own for worlds, and return what it found or how it ended."""
        folder = Path(tempfile.mkdtemp())
        pid = os.fork()
        if not pid:
            code = 1
            try:
                signal.alarm(seconds)
                if "tests.shared_builds" in sys.modules:
                    vars(sys.modules["tests.shared_builds"])["KEPT"] = folder / "worlds"
                forget()
                (folder / "found").write_text(json.dumps(work()), encoding="utf-8")
                code = 0
            except BaseException:
                (folder / "error").write_text(traceback.format_exc(), encoding="utf-8")
                raise
            finally:
                os._exit(code)
        _, status, usage = os.wait4(pid, 0)
        error = folder / "error"
        found = {"killed": f"exit {os.waitstatus_to_exitcode(status)} {error.read_text() if error.exists() else ''}"}
        if not status:
            found = json.loads((folder / "found").read_text(encoding="utf-8"))
        shutil.rmtree(folder)
        return found | {"seconds": round(usage.ru_utime + usage.ru_stime, 1)}

    def _without(self, file: Path, mutated: str, work: Callable[[], Any]) -> Any:
        """Do a work with the code as it is."""
        source = file.read_text(encoding="utf-8")
        replace_code(file, mutated, source)
        try:
            return work()
        finally:
            replace_code(file, source, mutated)

    def _note(self, into: set[str]) -> None:
        self.reached = into
        vars(builtins)["__reached__"] = into.add

    def _measure(self, items: Sequence[pytest.Item]) -> dict[str, Any]:
        """Run every test as it is: the seconds that it takes, and the functions of the areas that it reaches."""
        for file, source in ((f, s) for area in AREAS for f, s in read_area(self.tree, area).items()):
            replace_code(self.tree / file, source, _Reached(file).visit(ast.parse(source)))
        tests: dict[str, dict[str, Any]] = {}
        for item, following in itertools.zip_longest(items, items[1:]):
            self.failed = ""
            self._note(set())
            started = time.process_time()
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            seconds = round(time.process_time() - started, 3)
            tests[item.nodeid] = {"seconds": seconds, "failed": self.failed, "reached": self.reached}
        for item in items:
            names, found = getattr(item, "fixturenames", ()), tests[item.nodeid]
            found["with_fixtures"] = round(found["seconds"] + sum(self.setups[name] for name in names), 3)
            found["reached"] = sorted(found["reached"].union(*(self.by_fixture[name] for name in names)))
        return {"tests": tests}

    def _attempt(
        self, mutant: Mutant, items: Sequence[pytest.Item], tests: Mapping[str, Any], past: float, seconds: float
    ) -> dict[str, Any]:
        """Run the tests that reach the mutated function until one fails: first those in files that import it, the quick ones."""
        here = mutant[self.side]
        function = f"{here['file']} {here['function']}"
        module = Path(here["file"].removeprefix("src/")).with_suffix("").as_posix().replace("/", ".")
        near = [item for item in items if function in tests[item.nodeid]["reached"]]
        near.sort(key=lambda item: (not imports(item.path, module), tests[item.nodeid]["with_fixtures"]))
        sums = itertools.accumulate(tests[item.nodeid]["seconds"] for item in near)
        near = [item for item, total in zip(near, sums, strict=True) if past < total <= seconds]
        file = self.tree / here["file"]
        if not replace_code(file, file.read_text(encoding="utf-8"), here["source"]):
            return {"killed": "", "tests": 0, "note": "no function has this code"}
        self.worlds.without = functools.partial(self._without, file, here["source"])
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        for number, (item, following) in enumerate(itertools.zip_longest(near, near[1:]), 1):
            signal.setitimer(signal.ITIMER_PROF, 30 + 4 * tests[item.nodeid]["seconds"])
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if self.failed:
                return {"killed": self.failed, "tests": number}
        return {"killed": "", "tests": len(near)}


def run(
    tree: Path,
    side: str,
    sample: Sequence[Mutant],
    reached: Path,
    out: Path,
    tests: Sequence[str],
    rounds: Sequence[float],
) -> None:
    """Run the tests of a tree on every mutant of a sample that `out` does not have yet, round by round."""
    here = str(Path(__file__).parents[1])
    sys.path[:] = [str(tree / "src"), str(tree), *(path for path in sys.path if path not in ("", here))]
    os.environ["PYTHONPATH"] = str(tree / "src")
    os.chdir(tree)
    options = ["-q", "-p", "no:cacheprovider", "-p", "no:schemathesis"]
    worlds = Worlds(reached.with_suffix(".worlds"))
    pytest.main([*tests, *options], plugins=[Forks(tree, side, sample, reached, out, rounds, worlds)])
