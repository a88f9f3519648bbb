"""What `make check` runs: style of the files that changed, and the tests that are nearest to them, within a minute.

    python -m tests.changed [--base REV] [--seconds 40] [--list]

A test file belongs to a change if it changed itself, or if it imports what changed: directly first, then by way of one other
module, and so on. The nearest are taken until the seconds that they were measured with are used up; what is left out is said.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from tests.timing import ROOT, read_measured

USUAL_SECONDS = 2.0
"""For a file whose time is not known yet."""
NO_TESTS = 5
"""What pytest ends with where every test that was named is slow."""
ALWAYS = ("tests/test_layers.py",)
DOCUMENTS = ("tests/test_surface.py", "tests/cli/test_docs.py")
"""Tests that read README and docs."""
_NAME = r"((?:worldwright|tests)[\w.]*)"
_IMPORT = re.compile(rf"^\s*(?:from\s+{_NAME}\s+import\s+\(?([^#\n)]*)|import\s+{_NAME})", re.M)


def find_changed(base: str) -> list[str]:
    """List the files that differ from a commit, those that git does not know yet among them."""
    commands = (["git", "diff", "--name-only", base], ["git", "ls-files", "--others", "--exclude-standard"])
    return sorted({line for c in commands for line in subprocess.check_output(c, cwd=ROOT, text=True).splitlines()})


def module_of(file: str) -> str:
    """`src/worldwright/core/rng.py` -> `worldwright.core.rng`."""
    return file.removeprefix("src/").removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def read_imports(files: Iterable[Path]) -> dict[str, set[str]]:
    """Map every Python file to the modules that it names in imports."""
    out: dict[str, set[str]] = {}
    for path in files:
        found: set[str] = set()
        for source, names, plain in _IMPORT.findall(path.read_text(encoding="utf-8")):
            found |= {source or plain, *(f"{source}.{n.split(' as ')[0].strip()}" for n in names.split(",") if source)}
        out[path.relative_to(ROOT).as_posix()] = found
    return out


def rank_tests(changed: Iterable[str], imports: Mapping[str, set[str]]) -> dict[str, int]:
    """Map test files to their distance from the change: 0 where they changed themselves."""
    distance = {file: 0 for file in changed if file in imports}
    edge = list(distance)
    while edge:
        modules = {module_of(file) for file in edge}
        found = [f for f, names in imports.items() if f not in distance and names & modules]
        step = max(distance.values()) + 1
        distance |= dict.fromkeys(found, step)
        edge = [file for file in found if not Path(file).name.startswith("test_")]
    return {file: d for file, d in distance.items() if Path(file).name.startswith("test_")}


def choose(ranked: Mapping[str, int], seconds: float) -> tuple[list[str], list[str]]:
    """Take the nearest test files, quick ones first, until the time is used up; give those and the rest."""
    known = read_measured()["files"]
    taken: list[str] = []
    left: list[str] = []
    total = 0.0
    for file in sorted(ranked, key=lambda f: (ranked[f], known.get(f, USUAL_SECONDS), f)):
        total += known.get(file, USUAL_SECONDS)
        (taken if total <= seconds or not taken else left).append(file)
    return taken, left


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--base", default="HEAD", help="the commit to compare with (default: HEAD, what is not committed)"
    )
    parser.add_argument("--seconds", type=float, default=40.0, help="how long the tests may take (default: 40)")
    parser.add_argument("--list", action="store_true", help="say which tests these are, and run none")
    asked = parser.parse_args(argv)
    changed = find_changed(asked.base)
    if not changed:
        print(f"nothing changed since {asked.base}: name another commit with BASE=HEAD~1")
        return 0
    ranked = rank_tests(changed, read_imports(p for top in ("src", "tests") for p in (ROOT / top).rglob("*.py")))
    if any(file.endswith(".md") for file in changed):
        ranked |= {file: 1 for file in DOCUMENTS if (ROOT / file).exists()}
    taken, left = choose(ranked, asked.seconds)
    taken = list(dict.fromkeys([*ALWAYS, *taken]))
    print(f"{len(changed)} files changed; {len(taken)} test files belong to them", flush=True)
    if left:
        print(
            f"{len(left)} more are farther away or take longer (`make test` runs them): {', '.join(left[:6])} ...",
            flush=True,
        )
    if asked.list:
        print("\n".join(taken))
        return 0
    python = [f for f in changed if f.endswith(".py") and (ROOT / f).exists()]
    ruff = [[sys.executable, "-m", "ruff", *verb, *python] for verb in (["check", "-q"], ["format", "--check", "-q"])]
    tests = [sys.executable, "-m", "pytest", "-q", "-n", "2", "--dist", "loadgroup", "-m", "not slow", *taken]
    codes = [subprocess.run(c, cwd=ROOT, check=False).returncode for c in [*(ruff if python else []), tests]]
    return max(0 if code == NO_TESTS else code for code in codes)


if __name__ == "__main__":
    sys.exit(main())
