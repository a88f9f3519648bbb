"""Running a file of `vcode/` by hand: two states and a trajectory in, every assertion and the verdict out."""

from __future__ import annotations

import argparse
import json
import sys
import traceback
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from pydantic import ValidationError

from worldwright.core.errors import PackError, UsageError, WorldwrightError
from worldwright.engine.tasks import TaskBook
from worldwright.engine.trajectories import MAX_CHARACTERS, read_trajectory
from worldwright.kinds.database.agenda import FILE as AGENDA_FILE
from worldwright.kinds.database.agenda import read_agenda
from worldwright.kinds.database.kind import compile_blueprint
from worldwright.kinds.database.runtime import Runtime
from worldwright.kinds.database.state import check_state
from worldwright.kinds.database.vcode.expect import Check, specification
from worldwright.kinds.database.verify.files import ExpectedTask, Files, judge_files
from worldwright.kinds.database.verify.verdict import judge_episode
from worldwright.pack.open import BLUEPRINT
from worldwright.world.manifest import MANIFEST, STATE, Manifest
from worldwright.world.tasks import Verdict

MAX_STATE = 1024**3
STATUS = {"pass": 0, "fail": 1, "error": 2}

MISTAKES = (ArithmeticError, AttributeError, LookupError, NameError, TypeError, ValueError)
"""What goes wrong in a condition that somebody edited. It must not look like a verdict."""


def main(check: Check, file: str, arguments: Sequence[str] | None = None) -> NoReturn:
    """Exit with 0 where the episode passes, 1 where it fails, 2 where that cannot be said."""
    options = _parser(check, Path(file)).parse_args(arguments)
    try:
        files = Files(
            _bytes(options.initial, MAX_STATE),
            _bytes(options.final, MAX_STATE),
            read_trajectory(_text(options.trajectory)),
        )
        found = verdict(check, options.pack, files)
    except WorldwrightError as e:
        found = Verdict("error", reason=str(e))
    except MISTAKES as e:
        traceback.print_exc()
        found = Verdict("error", reason=f"{Path(file).name} itself is wrong: {e}")
    data = {"task": check.task, **found.data()}
    text = json.dumps(data, indent=2) if options.json else report(check.task, found)
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(f"{text}\n".encode(encoding, "backslashreplace").decode(encoding))
    sys.exit(STATUS[found.status])


def _parser(check: Check, file: Path) -> argparse.ArgumentParser:
    pack = file.resolve().parent.parent
    parser = argparse.ArgumentParser(prog=file.name, description=f"Whether an episode of {check.task} passes.")
    parser.add_argument(
        "--initial", type=Path, default=pack / STATE, help="the state at the start; the pack's own by default"
    )
    parser.add_argument("--final", type=Path, required=True, help="the state at the end")
    parser.add_argument("--trajectory", type=Path, required=True, help="the episode's calls and answer, as JSON lines")
    parser.add_argument("--pack", type=Path, default=pack, help="the pack that the file belongs to")
    parser.add_argument("--json", action="store_true", help="print data for a program")
    return parser


def verdict(check: Check, pack: Path, files: Files) -> Verdict:
    """Judge an episode of a pack by a file: the same as `env.verify()` said when it ended."""
    runtime, digest = _world(pack)
    judge = partial(judge_episode, runtime.compiled, specification(check, runtime.compiled))
    task = pack / "tasks" / f"{check.task}.json"
    book = TaskBook({f"tasks/{task.name}": _bytes(task, MAX_CHARACTERS)} if task.exists() else {})
    requester = book.task(check.task).requester if book.ids else None
    acts = requester.acts if requester is not None else ()
    return judge_files(runtime, judge, ExpectedTask(check.task, check.role, check.actor, digest, acts), files)


def _world(pack: Path) -> tuple[Runtime, str]:
    """The world of a pack. Its digests are not checked: a file that was edited is just what somebody wants to see."""
    try:
        manifest = Manifest.model_validate_json(_bytes(pack / MANIFEST, MAX_CHARACTERS))
    except ValidationError as e:
        raise PackError(f"{MANIFEST} cannot be read: {e.errors()[0]['msg']}") from None
    compiled = compile_blueprint(_text(pack / BLUEPRINT))
    state = _bytes(pack / STATE, MAX_STATE)
    check_state(state, compiled.blueprint.schema)
    agenda = pack / AGENDA_FILE
    known = read_agenda(_bytes(agenda, MAX_STATE) if agenda.exists() else None, compiled.tools)
    return Runtime(compiled, state, "", agenda=known), manifest.digest


def _bytes(path: Path, most: int) -> bytes:
    try:
        if path.stat().st_size > most:
            raise UsageError(f"{path} is larger than {most // 1024**2} MiB")
        return path.read_bytes()
    except OSError as e:
        raise UsageError(f"{path} cannot be read: {e.strerror}") from None


def _text(path: Path) -> str:
    try:
        return _bytes(path, MAX_CHARACTERS).decode()
    except UnicodeDecodeError:
        raise UsageError(f"{path} is not UTF-8 text") from None


def report(task: str, verdict: Verdict) -> str:
    """The verdict as a person reads it."""
    lines = []
    for name, ok, expected, found in verdict.assertions:
        lines.append(
            f"{'ok  ' if ok else 'FAIL'}  {name}: expected {_render_value(expected)}, found {_render_value(found)}"
        )
    reason = f": {_clean_text(verdict.reason)}" if verdict.reason else ""
    return "\n".join([*lines, f"{task}: {verdict.status}{reason}"])


def _render_value(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return _clean_text(text if len(text) <= 400 else f"{text[:400]}...")


def _clean_text(text: str) -> str:
    """Remove what a terminal would act on: what is printed came from an agent."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
