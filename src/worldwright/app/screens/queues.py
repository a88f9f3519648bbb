"""Queues: states in which a record waits for something that a role does.

A queue is a search with one filter, the state. It is offered where

- the role has a search over the entity that filters by its state, and nothing else has to be said;
- an operation of the role is done to such a record (its first reference), or to one that belongs to it and that no list shows;
- it leads on, to a state that stands behind that one in the lifecycle: not where things are called off or go wrong;
- the state is none in which records of a kind are at rest most of their life.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from worldwright.app.screens.labels import to_phrase
from worldwright.app.screens.moves import Move, find_moves
from worldwright.app.screens.records import ListScreen, Queue
from worldwright.app.screens.states import find_tone
from worldwright.blueprint.checked import Checked
from worldwright.english.words import wordset

RESTING = wordset(
    """
    active in_force in_use in_stock on_shelf shelved free vacant available clean let valid enabled employed enrolled live kept
    healthy normal good listed current in_store fitted granted suspended
    """
)
"""States in which a record is at rest, whatever can still be done with it."""


def find_queues(
    blueprint: Checked, lists: Mapping[str, ListScreen], operations: Mapping[str, str]
) -> tuple[tuple[str, Queue], ...]:
    """Find the queues of a role, each with the system of its list. `operations` are those of the role, by tool."""
    tools: dict[tuple[str, str], list[str]] = {}
    shown = {
        e.name: _find_list(lists, e.name, e.state_field) for e in blueprint.schema.entities.values() if e.lifecycle
    }
    for tool, operation in operations.items():
        for move in _list_own_moves(blueprint, operation, {name for name, found in shown.items() if found is not None}):
            for state in _list_states_to_leave(blueprint, move):
                tools.setdefault((move.entity, state), []).append(tool)
    out: list[tuple[str, Queue]] = []
    for name, found in shown.items():
        for state in blueprint.schema.entities[name].lifecycle:
            if found is not None and (name, state) in tools:
                screen, parameter = found
                title = f"{screen.title}: {to_phrase(state)}"
                forms = tuple(dict.fromkeys(tools[name, state]))
                out.append((screen.form.system, Queue(title, screen.form.tool, parameter, state, forms)))
    return tuple(out)


def _list_own_moves(blueprint: Checked, operation: str, listed: Collection[str]) -> Iterator[Move]:
    """The moves of the record that an operation is done to, or of what that one belongs to."""
    first = next((i for i in blueprint.operations[operation].inputs if i.type.kind == "ref"), None)
    for move in find_moves(blueprint, operation):
        near = not move.path or (len(move.path) == 1 and first is not None and first.type.entity not in listed)
        if first is not None and move.input == first.name and near:
            yield move


def _list_states_to_leave(blueprint: Checked, move: Move) -> Iterator[str]:
    lifecycle = blueprint.schema.entities[move.entity].lifecycle
    order = list(lifecycle)
    for state in move.out_of:
        ahead = [to for to in move.into if to in lifecycle[state] and order.index(to) > order.index(state)]
        if state not in RESTING and any(find_tone(to, lifecycle) != "bad" for to in ahead):
            yield state


def _find_list(lists: Mapping[str, ListScreen], entity: str, state_field: str) -> tuple[ListScreen, str] | None:
    """The search over an entity that filters by its state, and the filter."""
    for shown in lists.values():
        if shown.entity == entity and not shown.needs:
            name = next((n for n, (column, op) in shown.filters.items() if column == state_field and op == "=="), None)
            if name is not None:
                return shown, name
    return None
