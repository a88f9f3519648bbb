"""The app of a world for a person: a server on this machine, a browser, and what came of it."""

from __future__ import annotations

import json
import signal
import threading
import webbrowser
from pathlib import Path
from typing import Any

import click

from worldwright.app import AppServer, AppSession
from worldwright.cli import exits
from worldwright.cli.terminal.messages import note
from worldwright.core.errors import StoreError, UsageError
from worldwright.core.whole_file import write_whole
from worldwright.engine.trajectories import read_trajectory, trajectory_text
from worldwright.engine.world import World
from worldwright.english.nouns import count_noun
from worldwright.facts.opened import open_named
from worldwright.world.records import Trajectory


def run_app(
    pack: str,
    ref: str | None,
    role: str | None,
    face: str,
    port: int,
    log: Path | None,
    force: bool,
    no_open: bool,
    as_json: bool,
) -> int:
    """Serve one session until Ctrl-C. Exit code 1 for a task that was answered wrongly."""
    if ref is not None and role is not None:
        raise UsageError("--role is for looking around: a task says who you are")
    if ref is None and "asking" in face:
        raise UsageError("--face asking needs a --task: whoever made the request is asked")
    world = open_named(pack).world
    task = world.book.task(ref).id if ref is not None else None
    before = _read_log(world, task, log) if log is not None and log.exists() and not force else None
    server = AppServer(port)
    session = server.sessions.open(world, task, face=face, role=role, log=before)
    if log is not None:
        session.noted = lambda one: write_whole(log, trajectory_text(one.log()))
        session.noted(session)
    try:
        server.start()
    except OSError as e:
        raise UsageError(
            f"cannot listen at 127.0.0.1:{port}: {e.strerror}; choose another --port, or 0 for any"
        ) from None
    try:
        _announce(server, session, world, task, before, as_json, no_open)
        _wait()
    finally:
        code = _sum_up(session, log)
        server.stop()
    return code


def _announce(
    server: AppServer,
    session: AppSession,
    world: World,
    task: str | None,
    before: Trajectory | None,
    as_json: bool,
    no_open: bool,
) -> None:
    url = f"{server.url}{session.path}"
    if as_json:
        facts: dict[str, Any] = {"url": url, "world": world.name, "digest": world.digest, "task": task}
        click.echo(json.dumps(facts))
    else:
        click.echo(f"{world.name}{f', {task}' if task else ''} at {url}")
        if before is not None:
            note(f"goes on after {count_noun(len(before.steps), 'call')}")
        note("Ctrl-C ends it")
    if not no_open:
        webbrowser.open(url)


def _wait() -> None:
    """Wait for Ctrl-C, or to be told to stop."""
    stopped = threading.Event()
    before = signal.signal(signal.SIGTERM, lambda *_: stopped.set())
    try:
        while not stopped.wait(1):
            pass
    except KeyboardInterrupt:
        pass
    finally:
        signal.signal(signal.SIGTERM, before)


def _sum_up(session: AppSession, log: Path | None) -> int:
    """Say how it ended."""
    with session.lock:
        where = f"; kept in {log}" if log is not None else ""
        if session.task is None or not session.submitted:
            note(f"{count_noun(len(session.seen), 'call')} made{where}")
            return exits.OK
        verdict = session.judge()
    assert verdict is not None
    note(f"{session.task.id}: {verdict.status}{where}")
    return exits.OK if verdict.reward == 1.0 else exits.FAILED


def _read_log(world: World, task: str | None, log: Path) -> Trajectory:
    """The log of an earlier session, where it is one of this world and task."""
    try:
        found = read_trajectory(log.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as e:
        raise StoreError(f"{log} cannot be read: {e}") from None
    except UsageError as e:
        raise UsageError(f"{log} is no log to go on from: {e}; start anew with --force") from None
    if found.world != world.digest or found.task != (task or ""):
        said = f"task {found.task}" if found.world == world.digest and found.task else "another world, or no task"
        raise UsageError(f"{log} is of {said}: name another file, or replace it with --force")
    return found
