"""A verdict from two database files and a trajectory, as anybody has them who did not watch the episode.

What changed is found by comparing the files. Which rules were broken on the way is found by making the calls again. Nothing of
it is believed: files that are not states of this world, a trajectory of another task, or one that does not lead from the first
file to the second, make the verdict `error`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass

from worldwright.core.errors import EpisodeError, TamperedPack, UsageError
from worldwright.engine.requester import NAME as ASK
from worldwright.kinds.database.compiled_world import CompiledWorld
from worldwright.kinds.database.runtime import Runtime
from worldwright.kinds.database.state import check_state
from worldwright.kinds.database.unit_of_work import Change, Refusal
from worldwright.kinds.database.verify.spec import Episode
from worldwright.world.records import Call, Step, Trajectory
from worldwright.world.tasks import Act, Verdict

Content = Mapping[str, Mapping[str, tuple[object, ...]]]
"""By table and id, the stored values of a row."""


@dataclass(frozen=True, slots=True)
class ExpectedTask:
    """Which task an episode must be of, and as whom. Its trajectory does not get to say that."""

    task: str
    role: str
    actor: str
    world: str = ""
    """The world's digest; empty where that is not looked at."""
    acts: tuple[Act, ...] = ()
    """What its requester does themselves when they are asked to."""


@dataclass(frozen=True, slots=True)
class Files:
    """What an episode left behind."""

    initial: bytes
    final: bytes
    trajectory: Trajectory


def judge_files(runtime: Runtime, judged: Callable[[Episode], Verdict], asked: ExpectedTask, files: Files) -> Verdict:
    """Judge what the files come to, by a verifier or by anything else that judges episodes."""
    compiled = runtime.compiled
    try:
        _check_task(asked, files.trajectory)
        initial = _read_opening(runtime, files.initial)
        _check("final.db", files.final, compiled)
        with closing(compiled.connect(files.final)) as final:
            return judged(_episode(runtime, asked, files.trajectory, initial, final))
    except (EpisodeError, TamperedPack, UsageError) as e:
        return Verdict("error", reason=str(e))
    except (sqlite3.Error, UnicodeDecodeError) as e:
        return Verdict("error", reason=f"a state cannot be read: {e}")
    except (Refusal, OverflowError) as e:
        return Verdict("error", reason=f"the final state cannot be judged: {e}")


def _check_task(asked: ExpectedTask, trajectory: Trajectory) -> None:
    if asked.world and trajectory.world != asked.world:
        raise EpisodeError("the trajectory is of another world")
    if (trajectory.task, trajectory.role) != (asked.task, asked.role):
        of = f"{trajectory.task[:60]!r} as {trajectory.role[:60]!r}"
        raise EpisodeError(f"the trajectory is of task {of}, not of {asked.task!r} as {asked.role!r}")


def _check(name: str, data: bytes, compiled: CompiledWorld) -> None:
    try:
        check_state(data, compiled.blueprint.schema)
    except TamperedPack as e:
        raise TamperedPack(str(e).replace("state.db", name)) from None


def _read_opening(runtime: Runtime, data: bytes) -> Content:
    """Read what initial.db holds, once it was seen to be the state in which the world opens."""
    compiled = runtime.compiled
    with closing(compiled.connect(runtime.state)) as conn:
        opening = read_content(compiled, conn)
    if data != runtime.state:
        _check("initial.db", data, compiled)
        with closing(compiled.connect(data)) as conn:
            if read_content(compiled, conn) != opening:
                raise EpisodeError("initial.db is not the state in which this world opens")
    return opening


def _episode(
    runtime: Runtime, asked: ExpectedTask, trajectory: Trajectory, initial: Content, final: sqlite3.Connection
) -> Episode:
    """The calls made again from the first state; the end is read from the second."""
    compiled = runtime.compiled
    ended = read_content(compiled, final)
    session = runtime.session(asked.role, asked.actor)
    try:
        for step in trajectory.steps:
            for call in _list_calls(step, asked.acts):
                session.call(call.tool, call.arguments)
        if read_content(compiled, session.unit_of_work().conn) != ended:
            raise EpisodeError("the calls of the trajectory do not lead from initial.db to final.db")
        said = session.said
        own = session.changes() if runtime.opening.events else None
        clock, broken = session.clock, tuple(dict.fromkeys(policy for policy, _, _ in session.violations()))
    finally:
        session.close()
    uow = compiled.unit_of_work(final)
    uow.now, uow.today = clock, clock[:10]
    actor = asked.actor or runtime.opening.actors.get(asked.role)
    if actor:
        uow.actor = uow.row(compiled.blueprint.schema.actor, actor)
    span = (runtime.opening_clock, clock)
    changes, names = list_changes(initial, ended) if own is None else own, runtime.opening.names
    return Episode(changes, uow, span, broken, trajectory.answer, trajectory.submitted, names, said)


def _list_calls(step: Step, acts: Sequence[Act]) -> tuple[Call, ...]:
    """The calls that a step made: its own, or those of the requester that it led to. Whether it did, the final state shows."""
    if step.call.tool != ASK:
        return (step.call,)
    did = step.result.data.get("did") if isinstance(step.result.data, Mapping) else None
    named = did if isinstance(did, list) else []
    return tuple(Call(act.tool, act.arguments) for tool in named for act in acts if act.tool == tool)


def read_content(compiled: CompiledWorld, conn: sqlite3.Connection) -> Content:
    """Read every row of every table."""
    return {
        name: {row[0]: row for row in conn.execute(table.select).fetchall()}
        for name, table in sorted(compiled.tables.items())
    }


def list_changes(before: Content, after: Content) -> tuple[Change, ...]:
    """List every row that differs between two states, by table and id."""
    out: list[Change] = []
    for name, old in before.items():
        new = after[name]
        if old != new:
            out += [
                Change(name, key, old.get(key), new.get(key))
                for key in sorted(old.keys() | new.keys())
                if old.get(key) != new.get(key)
            ]
    return tuple(out)
