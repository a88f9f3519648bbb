"""What an operation can do, known without running it: by hand for the example, and held against what calls really do."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from tests.effort import examples
from tests.random_caller import Caller
from tests.worlds import LIBRARY, NAMES, SMALL, role_of, runtime, take, text, walks

from worldwright.blueprint.checked import Checked
from worldwright.blueprint.effects import GENERAL_CODES, Effects, Write, effects
from worldwright.blueprint.siblings import load_cached
from worldwright.world.protocol import Session


def library() -> Checked:
    return load_cached(text(LIBRARY), f"{LIBRARY}.yaml")


READ_TOOLS = ("find_loans", "find_members", "find_copies", "get_member")
LOAN = ("member", "copy", "lent_on", "due_on", "returned_on", "fine", "reference", "status")
WRITES: dict[str, list[Write]] = {
    "lend": [Write("copy", ("status",), "set", False), Write("loan", LOAN, "add", False)],
    "take_back": [
        Write("loan", ("status", "returned_on", "fine"), "set", True),
        Write("copy", ("status",), "set", True),
        Write("notice", ("member", "body", "sent_at"), "add", False),
    ],
    "waive_fine": [Write("loan", ("fine",), "set", True)],
    "clear_shelf": [Write("copy", ("status",), "set", False)],
    **{name: [] for name in READ_TOOLS},
}
"""`lend` may find that it was done before (`once`), so nothing of it is certain; the loop of `clear_shelf` may be empty."""

GUARDS: dict[str, list[tuple[str, str, str, bool]]] = {
    "lend": [
        ("require", "NOT_ON_SHELF", "", False),
        ("require", "MEMBER_BLOCKED", "", False),
        ("obey", "LOAN_LIMIT", "loan_limit", False),
        ("obey", "POLICY", "no_debts", False),
        ("move", "INVALID_STATE", "", False),
    ],
    "take_back": [
        ("require", "INVALID_STATE", "", True),
        ("move", "INVALID_STATE", "", True),
        ("move", "INVALID_STATE", "", True),
    ],
    "waive_fine": [("require", "NO_FINE", "", True), ("obey", "POLICY", "waiver_cap", True)],
    "clear_shelf": [("require", "INVALID_STATE", "", False), ("move", "INVALID_STATE", "", False)],
    **{name: [] for name in READ_TOOLS},
}

CODES: dict[str, str] = {
    "lend": "FORBIDDEN INVALID_ARGUMENT INVALID_STATE INVARIANT LOAN_LIMIT MEMBER_BLOCKED NOT_FOUND NOT_ON_SHELF",
    "take_back": "FORBIDDEN INVALID_ARGUMENT INVALID_STATE INVARIANT NOT_FOUND",
    "waive_fine": "FORBIDDEN INVALID_ARGUMENT INVARIANT NOT_FOUND NO_FINE POLICY",
    "clear_shelf": "FORBIDDEN INVALID_ARGUMENT INVALID_STATE INVARIANT NOT_FOUND",
    "find_loans": "INVALID_ARGUMENT NOT_FOUND",
    "find_members": "INVALID_ARGUMENT",
    "find_copies": "INVALID_ARGUMENT NOT_FOUND",
    "get_member": "INVALID_ARGUMENT NOT_FOUND",
}
"""`lend` never answers POLICY: what only the handbook forbids, no tool refuses."""

DERIVED = {"lend": {"owed"}, "take_back": {"owed"}, "waive_fine": {"owed"}, "clear_shelf": set()}
"""Only what reads a fine follows from it: the allowance follows from the tier alone."""

READS: dict[str, set[tuple[str, str]]] = {
    "lend": {
        ("copy", "status"), ("member", "blocked"), ("member", "allowance"), ("loan", "member"), ("loan", "status"),
        ("member", "tier"), ("member", "joined_on"), ("member", "owed"), ("loan", "reference"),
    },
    "take_back": {("loan", "due_on"), ("loan", "copy"), ("copy", "title"), ("title", "price"), ("loan", "member")},
    "waive_fine": {("loan", "fine")},
    "clear_shelf": {("copy", "status"), ("copy", "title"), ("title", "price")},
    "find_loans": {("loan", "status"), ("loan", "due_on"), ("loan", "overdue"), ("member", "name"), ("loan", "fine")},
    "find_members": {("member", "name"), ("member", "mail"), ("member", "tier"), ("member", "owed")},
    "find_copies": {("copy", "title"), ("title", "name"), ("copy", "shelf")},
    "get_member": {("member", "name"), ("loan", "member"), ("notice", "member")},
}  # fmt: skip


def test_every_operation_of_the_example_is_in_the_tables() -> None:
    for table in (WRITES, GUARDS, CODES, READS):
        assert set(table) == set(library().operations)


@pytest.mark.parametrize("name", WRITES)
def test_writes(name: str) -> None:
    found = effects(library(), name)
    assert [w for w in found.writes if not w.derived] == WRITES[name]
    assert found.mutates == bool(WRITES[name])


@pytest.mark.parametrize("name", DERIVED)
def test_kept_fields_that_follow(name: str) -> None:
    derived = [w for w in effects(library(), name).writes if w.derived]
    assert {c for w in derived for c in w.columns} == DERIVED[name]
    assert all((w.entity, w.verb, w.must) == ("member", "set", False) for w in derived)


@pytest.mark.parametrize("name", GUARDS)
def test_guards(name: str) -> None:
    found = effects(library(), name)
    assert [(g.kind, g.code, g.policy, g.must) for g in found.guards] == GUARDS[name]
    assert found.policies == tuple(policy for _, _, policy, _ in GUARDS[name] if policy)


@pytest.mark.parametrize("name", CODES)
def test_codes(name: str) -> None:
    assert " ".join(effects(library(), name).codes) == CODES[name]


@pytest.mark.parametrize("name", READS)
def test_reads(name: str) -> None:
    assert READS[name] - set(effects(library(), name).reads) == set()


def test_an_operation_has_the_effects_of_those_it_runs() -> None:
    bp = runtime("statement_world").compiled.blueprint
    chain, make, put = (effects(bp, name) for name in ("chain", "make_box", "put_coin"))
    assert {(w.entity, w.verb) for w in chain.writes} >= {("box", "add"), ("coin", "add"), ("box", "set")}
    assert set(chain.codes) >= {"CLOSED", "FULL"}
    assert set(chain.policies) == {"light", "tidy"}
    added = {(w.entity, w.must) for w in chain.writes if w.verb == "add"}
    assert ("coin", True) in added, "put_coin is certain to add one"
    assert ("box", False) in added, "make_box may find that it was done before"
    assert not any(w.must for w in make.writes)
    assert all(w.must for w in put.writes if w.verb == "add")


# held against calls


def cells(session: Session) -> dict[tuple[str, str, str], Any]:
    """Every cell that differs from the opening state, with its value; a whole row that is gone as one cell."""
    out: dict[tuple[str, str, str], Any] = {}
    for table, diff in session.diff().items():
        out |= {(table, key, name): value for key, row in diff.added.items() for name, value in row.items()}
        out |= {(table, key, name): after for key, row in diff.changed.items() for name, (_, after) in row.items()}
        out |= {(table, key, ""): "gone" for key in diff.removed}
    return out


def explained(
    found: Effects, before: dict[tuple[str, str, str], Any], after: dict[tuple[str, str, str], Any]
) -> list[str]:
    """What a call changed beyond its effects."""
    may = {(w.entity, w.verb, c) for w in found.writes for c in (w.columns if w.verb == "set" else ("",))}
    out = []
    for at in before.keys() | after.keys():
        table, key, column = at
        if before.get(at, "as it was") == after.get(at, "as it was"):
            continue
        new, gone = (table, key, "id") not in before and (table, key, "id") in after, (table, key, "") in after
        dropped = (table, key, "id") in before and (table, key, "id") not in after
        verb = "add" if new else "remove" if gone or dropped else "set"
        if (table, verb, column if verb == "set" else "") not in may:
            out.append(f"{verb} {table}.{column} of {key}")
    return out


@pytest.mark.parametrize("name", NAMES)
def test_calls_do_nothing_that_the_effects_do_not_say(name: str) -> None:
    world = runtime(name)
    blueprint = world.compiled.blueprint
    session = world.session("")

    @settings(
        max_examples=examples(30 if name in (LIBRARY, SMALL) else 6),
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(walks(60))
    def walk(drawn: tuple[int, list[int]]) -> None:
        role = role_of(world, drawn[0])
        session.reset(role)
        caller = Caller(world, role)
        before: dict[tuple[str, str, str], Any] = {}
        for seed in drawn[1]:
            tool, arguments, result = take(session, caller, seed)
            found, after = effects(blueprint, tool), cells(session)
            if result.ok:
                assert explained(found, before, after) == [], f"{tool} {arguments}"
                sure = {w.entity for w in found.writes if w.must and w.verb == "add"}
                added = {t for t, key, c in after if c == "id" and (t, key, c) not in before}
                assert sure <= added, f"{tool} {arguments} was certain to add"
            else:
                assert result.error is not None
                assert result.error.code in {*found.codes, *GENERAL_CODES}, f"{tool} {arguments}: {result.error}"
                assert after == before
            before = after
        assert {
            policy for policy, tool, _ in session.violations() if policy not in effects(blueprint, tool).policies
        } == set()

    walk()
    session.close()
