"""Mutation testing of two commits with the same mutants: did the suite lose strength between them?

    pip install cosmic-ray==8.7.0                                                            for `draw` alone
    python -m studies.mutants draw --before TREE --after TREE --out sample.json [--mutants 70] [--seed 7]
    python -m studies.mutants run --tree TREE --side before --sample sample.json --reached before.json --out before.jsonl

A tree is a checkout of the project, and `WORLDWRIGHT_EFFORT` says how much its tests try. `draw` takes statements that both trees
have, names aside, and of each at most one mutation by an operator of cosmic-ray. `run` imports the project and collects the tests
once, and notes which functions each test reaches, unless `--reached` is a file of an earlier run. Then a process is forked for
every mutant: the code of the mutated function is replaced, and the tests that reach it run, the quickest first, until one fails.
Only code in functions is mutated: what runs at import has run when the process is forked. `--out` gets a line per mutant; those
that it has already are not tried again.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import json
import random
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from studies.mutant_runs import AREAS, TESTS, read_area, run

SWAPS = {("Add", "Sub"), ("Sub", "Add"), ("Mul", "FloorDiv"), ("FloorDiv", "Mul"), ("Mod", "Mul")} | {
    *(("BitOr", "BitAnd"), ("BitAnd", "BitOr"), ("BitOr", "Sub"), ("Sub", "BitOr"), ("BitAnd", "Sub"))
}
"""Of the replacements of arithmetic those that keep the types: the others fail wherever they are reached."""
IDENTITY = {"Is", "IsNot"}
"""Replaced by each other alone: equality says mostly the same of `None` and types, and an order there is none."""
LEFT_OUT = ("RemoveDecorator", "VariableReplacer", "VariableInserter")
_Scope = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True)
class Statement:
    """A statement without its body: where it stands, and what is the same in both trees but for names."""

    file: str
    function: str
    first: tuple[int, int]
    last: tuple[int, int]
    shape: str


class _Blank(ast.NodeTransformer):
    """Takes names, texts and annotations away."""

    def generic_visit(self, node: ast.AST) -> ast.AST:
        for field in ("id", "attr", "arg", "name", "annotation", "returns"):
            if hasattr(node, field):
                setattr(node, field, None)
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node.value = ""
        return super().generic_visit(node)


def read_statements(file: str, source: str) -> Iterator[Statement]:
    """Read the statements inside of functions, but for what only narrows types or tells of an error."""

    def walk(body: Iterable[ast.stmt], inside: str, in_function: bool) -> Iterator[Statement]:
        for node in body:
            parts = [getattr(node, name, []) for name in ("body", "orelse", "finalbody")]
            parts += [one.body for name in ("handlers", "cases") for one in getattr(node, name, [])]
            if isinstance(node, _Scope):
                below, deeper = f"{inside}.{node.name}".lstrip("."), not isinstance(node, ast.ClassDef)
            else:
                below, deeper = inside, in_function
                if in_function and not isinstance(node, ast.Raise | ast.Assert):
                    inner = [one.lineno for part in parts for one in part]
                    last = (min(inner), 0) if inner else (node.end_lineno or 0, node.end_col_offset or 0)
                    bare = ast.parse(ast.unparse(node)).body[0]
                    for part in (bare, *getattr(bare, "cases", [])):
                        for name in ("body", "orelse", "finalbody", "handlers"):
                            if isinstance(getattr(part, name, None), list):
                                setattr(part, name, [])
                    shape = ast.dump(_Blank().visit(bare))
                    yield Statement(file, inside, (node.lineno, node.col_offset), last, shape)
            for part in parts:
                yield from walk(part, below, deeper)

    return walk(ast.parse(source).body, "", False)


def match_statements(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[tuple[Statement, Statement]]:
    """Pair the statements that both sides have, in the files that resemble each other most."""
    old = [list(read_statements(file, source)) for file, source in before.items()]
    for file, source in after.items():
        new = list(read_statements(file, source))
        shapes = [one.shape for one in new]
        ranked = [difflib.SequenceMatcher(None, [s.shape for s in one], shapes, autojunk=False) for one in old]
        best = max(range(len(old)), key=lambda i: ranked[i].ratio())
        for block in ranked[best].get_matching_blocks():
            yield from zip(old[best][block.a :][: block.size], new[block.b :][: block.size], strict=True)


def is_wanted(operator: str) -> bool:
    """Tell whether an operator makes mutants that are neither the same nor dead by construction."""
    kind, _, pair = operator.partition("_")
    old, _, new = pair.partition("_")
    if kind == "ReplaceComparisonOperator":
        return (old in IDENTITY) == (new in IDENTITY)
    return (old, new) in SWAPS if kind == "ReplaceBinaryOperator" else kind not in LEFT_OUT


def find_mutations(source: str, statements: Sequence[Statement]) -> dict[Statement, dict[str, list[int]]]:
    """Find by statement and operator what cosmic-ray would change, as its numbers of occurrences in the file.

    Annotations are left alone, and texts with parts that are filled in, which mostly tell a reader what is wrong.
    """
    operators, parse = (
        import_module("cosmic_ray.operators.provider").OperatorProvider(),
        import_module("cosmic_ray.ast"),
    )
    nodes = list(parse.ast_nodes(parse.get_ast(source)))
    walked = list(ast.walk(ast.parse(source)))
    silent: list[ast.expr] = [one.annotation for one in walked if isinstance(one, ast.AnnAssign)]
    silent += [one for one in walked if isinstance(one, ast.JoinedStr)]
    spans = [((n.lineno, n.col_offset), (n.end_lineno or 0, n.end_col_offset or 0)) for n in silent]
    out: dict[Statement, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for name in filter(is_wanted, sorted(operators)):
        operator = operators[name]()
        positions = [first for node in nodes for first, _ in operator.mutation_positions(node)]
        for occurrence, at in enumerate(positions):
            around = [s for s in statements if s.first <= at < s.last]
            if around and not any(a <= at < b for a, b in spans):
                out[max(around, key=lambda s: s.first)][name].append(occurrence)
    return out


def mutate(source: str, operator: str, occurrence: int) -> dict[str, Any]:
    """Mutate a source, and say where it differs: line, old and new."""
    made = import_module("cosmic_ray.operators.provider").OperatorProvider()[operator]()
    mutated = import_module("cosmic_ray.mutating").mutate_code(source, made, occurrence)
    old, new = source.splitlines(), mutated.splitlines()
    blocks = [b for b in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes() if b[0] != "equal"]
    lines, others = old[blocks[0][1] : blocks[-1][2]], new[blocks[0][3] : blocks[-1][4]]
    told = {"old": " ".join(map(str.strip, lines)), "new": " ".join(map(str.strip, others))}
    return {"line": blocks[0][1] + 1, **told, "source": mutated}


def draw(before: Path, after: Path, mutants: int, seed: int) -> Iterator[dict[str, Any]]:
    """Draw mutants that both trees have: so many of each area, at most one of a statement."""
    for area in AREAS:
        sides = read_area(before, area), read_area(after, area)
        pairs = list(match_statements(*sides))
        both: list[dict[Statement, dict[str, list[int]]]] = [{}, {}]
        for side, file in [(i, name) for i, files in enumerate(sides) for name in files]:
            both[side] |= find_mutations(sides[side][file], [pair[side] for pair in pairs if pair[side].file == file])
        generator = random.Random(f"{seed} {area}")
        generator.shuffle(pairs)
        drawn = 0
        for pair in pairs:
            found = [both[side].get(pair[side], {}) for side in (0, 1)]
            kinds: dict[str, list[str]] = defaultdict(list)
            for name in sorted(found[0].keys() & found[1].keys()):
                if len(found[0][name]) == len(found[1][name]):
                    kinds[name.partition("_")[0]].append(name)
            if drawn == mutants or not kinds:
                continue
            name = generator.choice(kinds[generator.choice(sorted(kinds))])
            at = generator.randrange(len(found[0][name]))
            drawn += 1
            mutant: dict[str, Any] = {"id": f"{area}-{drawn:03}", "area": area, "operator": name}
            for side, called in enumerate(("before", "after")):
                file = pair[side].file
                made = mutate(sides[side][file], name, found[side][name][at])
                mutant[called] = {"file": file, "function": pair[side].function, **made}
            yield mutant
        print(f"{area}: {len(pairs)} statements in both trees, {drawn} mutants", file=sys.stderr)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    drawing = commands.add_parser("draw", help="draw mutants that two trees have in common")
    drawing.add_argument("--before", type=Path, required=True, help="a checkout of the older commit")
    drawing.add_argument("--after", type=Path, required=True, help="a checkout of the newer commit")
    drawing.add_argument("--mutants", type=int, default=70, help="of each area")
    drawing.add_argument("--seed", type=int, default=7)
    running = commands.add_parser("run", help="run the tests of a tree on every mutant")
    running.add_argument("--tree", type=Path, required=True, help="a checkout")
    running.add_argument("--side", choices=("before", "after"), required=True, help="which of the two commits it is")
    running.add_argument("--sample", type=Path, required=True, help="what `draw` wrote")
    running.add_argument(
        "--reached", type=Path, required=True, help="what each test reaches; measured if there is no such file"
    )
    running.add_argument(
        "--seconds",
        type=float,
        nargs="+",
        default=(4, 60),
        help="of tests at most on a mutant, in a first round and in later ones",
    )
    running.add_argument("--tests", nargs="*", default=TESTS, help="instead of those nearest to the areas")
    for one in (drawing, running):
        one.add_argument("--out", type=Path, required=True)
    asked = parser.parse_args()
    if asked.command == "draw":
        sample = list(draw(asked.before, asked.after, asked.mutants, asked.seed))
        asked.out.write_text(json.dumps(sample, indent=1), encoding="utf-8")
    else:
        sample = json.loads(asked.sample.read_text(encoding="utf-8"))
        files = asked.reached.resolve(), asked.out.resolve()
        run(asked.tree.resolve(), asked.side, sample, *files, asked.tests, asked.seconds)


if __name__ == "__main__":
    main()
