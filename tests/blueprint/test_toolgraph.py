"""Which tool's output can feed which tool's input: by hand for the example, and held against what results really show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from tests.effort import examples
from tests.random_caller import ID, Caller
from tests.worlds import LIBRARY, NAMES, SMALL, role_of, runtime, take, text, walks

from worldwright.blueprint.checked import Checked
from worldwright.blueprint.conditions import list_guard_reads
from worldwright.blueprint.effects import effects
from worldwright.blueprint.load import load_text
from worldwright.blueprint.siblings import load_cached
from worldwright.blueprint.toolgraph import (
    EFFECT,
    STRONG,
    VALUE,
    WEAK,
    Edge,
    derive_graph,
    list_brought,
    list_consumed,
    list_produced,
)


def library() -> Checked:
    return load_cached(text(LIBRARY), f"{LIBRARY}.yaml")


PRODUCES = {
    "lend": {"loan", "member", "copy"},
    "take_back": {"loan", "member", "copy"},
    "waive_fine": {"loan", "member", "copy"},
    "clear_shelf": set(),
    "find_loans": {"loan", "member", "copy"},
    "find_members": {"member"},
    "find_copies": {"copy", "title"},
    "get_member": {"member", "loan", "notice", "copy"},
}
"""`get_member` embeds loans, and every loan shows its copy."""

BRINGS = {
    "lend": {"loan", "member", "copy"},
    "take_back": {"member", "copy"},
    "waive_fine": {"member", "copy"},
    "clear_shelf": set(),
    "find_loans": {"loan", "member", "copy"},
    "find_members": {"member"},
    "find_copies": {"copy", "title"},
    "get_member": {"loan", "notice", "copy"},
}
"""Without what the caller had to know already: `take_back` gives the loan that it was given. `lend` is done once for a
reference, so it may give the loan of another call, with another member."""

CONSUMES = {
    "lend": (("member", "member", True), ("copy", "copy", True)),
    "take_back": (("loan", "loan", True),),
    "waive_fine": (("loan", "loan", True),),
    "clear_shelf": (("copies", "copy", True),),
    "find_loans": (("member", "member", False), ("copy", "copy", False)),
    "find_members": (),
    "find_copies": (("title", "title", False),),
    "get_member": (("member", "member", True),),
}


@pytest.mark.parametrize("name", PRODUCES)
def test_produces(name: str) -> None:
    assert list_produced(library(), name) == PRODUCES[name]


@pytest.mark.parametrize("name", BRINGS)
def test_brings(name: str) -> None:
    assert list_brought(library(), name) == BRINGS[name]


@pytest.mark.parametrize("name", CONSUMES)
def test_consumes(name: str) -> None:
    assert list_consumed(library().operations[name]) == CONSUMES[name]


def test_an_edge_for_every_way_to_feed_an_input() -> None:
    graph = [e for e in derive_graph(library()) if e.kind == VALUE]
    wanted = {
        (source, target, name)
        for target, takes in CONSUMES.items()
        for name, entity, _ in takes
        for source, entities in BRINGS.items()
        if entity in entities and source != target
    }
    assert {(e.source, e.target, e.input) for e in graph} == wanted
    assert len(graph) == len(wanted)


def test_an_effect_for_every_change_that_a_guard_can_accept() -> None:
    """Giving a copy back puts it on the shelf, where it can be lent; lending it enables no second loan."""
    found = {(e.source, e.target, e.input, e.column) for e in derive_graph(library()) if e.kind == EFFECT}
    assert found == {
        ("take_back", "lend", "copy", "status"),
        ("take_back", "clear_shelf", "copies", "status"),
        ("take_back", "waive_fine", "loan", "fine"),
    }


def test_an_edge_is_strong_where_there_is_no_other_way() -> None:
    """A title's id is shown by `find_copies` alone: a tool that needs one depends on it."""
    needs = "  waive_fine:\n    in: desk"
    more = (
        "  drop_title:\n    in: desk\n    says: Look at a title.\n    by: anyone\n    takes: {title: title, other: title?}\n"
        "    gives: {name: title.name}\n"
    )
    assert text(LIBRARY).count(needs) == 1
    graph = derive_graph(load_text(text(LIBRARY).replace(needs, more + needs)))
    assert [e for e in graph if e.target == "drop_title"] == [
        Edge("find_copies", "drop_title", "title", "title", STRONG),
        Edge("find_copies", "drop_title", "other", "title", WEAK),
    ]


def test_edges_of_the_example_are_weak() -> None:
    assert {e.weight for e in derive_graph(library())} == {WEAK}
    assert not any(e.source == e.target for e in derive_graph(library()))


@pytest.mark.parametrize("name", NAMES)
def test_edges_are_right_in_every_world(name: str) -> None:
    bp = runtime(name).compiled.blueprint
    made = {op: list_brought(bp, op) for op in bp.operations}
    for e in derive_graph(bp):
        assert (e.input, e.entity) in {(i, entity) for i, entity, _ in list_consumed(bp.operations[e.target])}
        if e.kind == EFFECT:
            changed = {(w.entity, c) for w in effects(bp, e.source).writes if w.verb == "set" for c in w.columns}
            assert (e.entity, e.column) in changed
            assert (e.input, e.entity, e.column) in list_guard_reads(bp, e.target)
            assert e.weight == WEAK
            continue
        assert e.entity in made[e.source]
        others = [s for s in made if e.entity in made[s] and s not in (e.source, e.target)]
        assert (e.weight == STRONG) <= (not others)


def ids(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for item in value.values():
            yield from ids(item)
    elif isinstance(value, list):
        for item in value:
            yield from ids(item)
    elif isinstance(value, str) and ID.match(value):
        yield value


@pytest.mark.parametrize("name", NAMES)
def test_results_show_no_ids_but_those_the_graph_knows(name: str) -> None:
    world = runtime(name)
    bp = world.compiled.blueprint
    entity_of = {e.key.prefix: e.name for e in bp.schema.entities.values()}
    session = world.session("")

    @settings(
        max_examples=examples(20 if name in (LIBRARY, SMALL) else 6),
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(walks(50))
    def walk(drawn: tuple[int, list[int]]) -> None:
        role = role_of(world, drawn[0])
        session.reset(role)
        caller = Caller(world, role)
        for seed in drawn[1]:
            tool, arguments, result = take(session, caller, seed)
            keys = [(entity_of[m[0]], key) for key in ids(result.data) if (m := ID.match(key)) and m[0] in entity_of]
            assert {entity for entity, _ in keys} - list_produced(bp, tool) == set(), f"{tool} {arguments}"
            sent = set(ids(arguments))
            new = {entity for entity, key in keys if key not in sent}
            assert new - list_brought(bp, tool) == set(), f"{tool} {arguments}"

    walk()
    session.close()
