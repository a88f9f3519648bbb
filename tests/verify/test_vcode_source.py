"""Whatever a key may say, its file says the same: keys drawn at random, and read back from what was written for them."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.effort import examples
from tests.ruff_check import complaints
from tests.verify.made_world import PROCUREMENT

from worldwright import catalogue
from worldwright.blueprint.schema import Column, Entity
from worldwright.blueprint.types import Type
from worldwright.kinds.database import vcode as ww
from worldwright.kinds.database.compiled_world import CompiledWorld
from worldwright.kinds.database.emit.vcode import vcode_source
from worldwright.kinds.database.kind import compile_blueprint
from worldwright.kinds.database.verify.net import list_compared
from worldwright.kinds.database.verify.patterns import AnyValue, Cell, During, Is, Of, Pattern, pattern_data
from worldwright.kinds.database.verify.spec import Specification
from worldwright.kinds.database.verify.verifier import specification
from worldwright.world.tasks import Key, Task

many = settings(max_examples=examples(50), deadline=None, suppress_health_check=list(HealthCheck))
TABLES = ("approval", "requisition", "employee", "vendor", "message")
words = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.sampled_from(
    ['"quoted"', "it's", "a\\b", "{x}", "line\nbreak", "é漢", "x" * 90, "many words " * 14]
)


@cache
def compiled() -> CompiledWorld:
    return compile_blueprint(catalogue.text(PROCUREMENT))


def stored_values(kind: Type) -> st.SearchStrategy[Any]:
    if kind.kind == "bool":
        return st.sampled_from([0, 1])
    if kind.numeric:
        return st.integers(-(10**12), 10**12)
    return st.sampled_from(kind.values) if kind.values else words


def cells(column: Column, labels: list[str]) -> st.SearchStrategy[Cell]:
    exact = st.builds(Is, st.none() | stored_values(column.type))
    free: list[st.SearchStrategy[Cell]] = [st.just(AnyValue()), st.just(During()), exact, exact, exact]
    if column.type.kind == "ref" and labels:
        free.append(st.builds(Of, st.sampled_from(labels)))
    return st.one_of(*free)


@st.composite
def end_states(draw: st.DrawFn) -> tuple[Pattern, ...]:
    """Rows that came, changed and went, with references among them."""
    entities = compiled().blueprint.schema.entities
    kinds = st.sampled_from(("added", "added", "changed", "changed", "removed"))
    shapes = draw(st.lists(st.tuples(kinds, st.sampled_from(TABLES), st.booleans()), max_size=5))
    counts: dict[str, int] = {}
    named: list[tuple[str, Entity, str, str]] = []
    for number, (op, table, certain) in enumerate(shapes):
        counts[table] = counts.get(table, 0) + (op == "added")
        if op == "added":
            named.append((op, entities[table], f"{table}_{counts[table]}", ""))
        elif certain:
            named.append((op, entities[table], "", f"X-{draw(st.integers(1, 3)):05}"))
        else:
            named.append((op, entities[table], f"x{number}", ""))
    labels = [label for _, _, label, _ in named if label]
    out = []
    for op, entity, label, key in named:
        columns = [c for c in list_compared(entity) if op == "added" or (op == "changed" and draw(st.booleans()))]
        out.append(Pattern(op, entity.name, label, key, {c: draw(cells(entity.columns[c], labels)) for c in columns}))
    return tuple(out)


numbers = st.integers(-(10**9), 10**9) | st.integers(-(10**9), 10**9).map(lambda n: n / 100)
answers = st.dictionaries(
    st.sampled_from(("outcome", "total", "until", "ids", "rule")),
    st.one_of(
        st.builds(lambda w: {"is": w}, st.none() | words),
        st.builds(lambda n, p: {"number": n, "places": p}, numbers, st.integers(0, 4)),
        st.builds(lambda w: {"date": w}, words),
        st.builds(lambda w: {"set": w}, st.lists(words, max_size=4)),
    ),
    max_size=4,
)


@st.composite
def keys(draw: st.DrawFn) -> tuple[Task, Key]:
    blueprint = compiled().blueprint
    accepts = draw(st.lists(end_states(), min_size=1, max_size=3))
    rules = draw(st.lists(st.sampled_from(sorted(blueprint.policies)), max_size=4, unique=True))
    expects = {
        "outcome": "done",
        "goals": draw(goals(sorted({p.label: p.table for a in accepts for p in a if p.label}.items()))),
        "accepts": [[pattern_data(p, blueprint.schema) for p in patterns] for patterns in accepts],
        "rules": rules,
        "answer": draw(answers),
    }
    task = Task("task_001", "walk", draw(words), draw(st.sampled_from(("", "buyer"))), draw(words), "", "message", {})
    return task, Key("task_001", (), None, expects)


@st.composite
def goals(draw: st.DrawFn, labelled: list[tuple[str, str]]) -> list[dict[str, Any]]:
    """Goals of the world, about old rows and about new ones."""
    known = compiled().blueprint.goals
    out = []
    for name in draw(st.lists(st.sampled_from(sorted(known)), max_size=4)):
        goal, rows = known[name], {}
        for one, kind in goal.given.items():
            new = [label for label, table in labelled if table == kind.entity]
            at = st.builds(lambda n: {"id": f"X-{n:05}"}, st.integers(1, 3))
            rows[one] = draw(at | st.builds(lambda w: {"row": w}, st.sampled_from(new)) if new else at)
        said = {one: draw(_said(kind)) for one, kind in goal.states.items()}
        out.append({"goal": name, "rows": rows, "said": said})
    return out


def _said(kind: Type) -> st.SearchStrategy[Any]:
    scale = 10**kind.places
    if kind.numeric:
        return st.integers(0, 10**8).map(lambda n: n / scale if kind.places else n)
    return st.sampled_from(kind.values) if kind.values else words


def plain(spec: Specification) -> tuple[Any, ...]:
    """What two specifications are compared by: everything but the functions in them. Goals of one name are one assertion."""
    goals: dict[str, list[Any]] = {}
    for goal in spec.goals:
        goals.setdefault(goal.name, []).append(list(goal.names.rows.values()))
    return (
        list(goals.items()),
        [(list(t.names.rows.values()), t.kind.numeric, t.kind.places) for t in spec.texts],
        spec.accepts,
        (spec.framed, spec.rules, spec.no_others),
        [(a.name, None if a.kind is None else (a.kind.numeric, a.kind.places), a.value) for a in spec.answers],
    )


def written(task: Task, key: Key) -> Specification:
    names: dict[str, Any] = {"__name__": "vcode"}
    exec(compile(vcode_source(compiled(), task, key), "vcode.py", "exec"), names)
    check = names["verify"]
    assert (check.task, check.role, check.actor) == (task.id, task.role, task.actor)
    return ww.specification(check, compiled())


@many
@given(keys())
def test_the_file_says_what_the_key_says(made: tuple[Task, Key]) -> None:
    task, key = made
    assert plain(written(task, key)) == plain(specification(compiled(), key.expects))


def test_odd_files_are_clean_too(tmp_path: Path) -> None:
    sources: dict[str, str] = {}

    @settings(
        max_examples=examples(40),
        deadline=None,
        database=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )
    @given(keys())
    def collect(made: tuple[Task, Key]) -> None:
        sources[f"verify_{len(sources):03}.py"] = vcode_source(compiled(), *made)

    collect()
    assert complaints(sources, tmp_path) == ""
