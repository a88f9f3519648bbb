"""A pack checked step by step, up to the first thing that does not hold."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.text import Text

from worldwright.cli import exits
from worldwright.cli.terminal.console import Screen, escape
from worldwright.cli.terminal.messages import complain, print_json
from worldwright.cli.terminal.tables import grid
from worldwright.core.errors import PackError
from worldwright.engine.world import World
from worldwright.facts.key import check_task
from worldwright.facts.opened import place_of
from worldwright.facts.task import count_families, join_counts
from worldwright.pack.open import Pack, check_pack
from worldwright.store.open import read_files_at, world_of


def run_verify(pack: str, as_json: bool) -> int:
    """Check a pack and show each step. Exit code 4 where one does not hold."""
    place = place_of(pack)
    checks, reason, whole = _run_checks(place)
    if as_json:
        print_json({"ok": not reason, "pack": str(place), "checks": checks, "reason": reason, "whole": whole})
    else:
        _say(Screen(), place, checks, whole)
    if reason:
        complain(f"{place} cannot be trusted: {escape(reason)}")
        return exits.UNTRUSTED
    return exits.OK


def _run_checks(place: Path) -> tuple[list[dict[str, Any]], str, bool]:
    """Return what was checked, up to the first thing that does not hold; why it does not; and whether the keys are there."""
    out: list[dict[str, Any]] = []
    files: dict[str, bytes] = {}
    opened: list[Pack] = []
    worlds: list[World] = []

    def layout() -> str:
        files.update(read_files_at(place))
        return f"{len(files)} plain files, {sum(map(len, files.values())):,} bytes, no link, no odd path"

    def digests() -> str:
        opened.append(check_pack(files))
        m = opened[0].manifest
        some = (
            ""
            if opened[0].whole
            else f"; {len(m.files) - len(files) + 1} more are held back: keys, verifiers and the like"
        )
        return f"{len(files) - 1} files have the length and sha256 of the manifest; digest {m.digest}{some}"

    def world() -> str:
        worlds.append(world_of(opened[0]))
        m = opened[0].manifest
        state = f"state.db has its tables and content {m.state[:12]}"
        return f"the Blueprint checks and is {m.blueprint[:12]}; {state}; {len(worlds[0].tools)} tools"

    def tasks() -> str:
        found = worlds[0].tasks
        if not found:
            return "none: the Blueprint has no goals, or it was built with --no-tasks"
        if not worlds[0].book.graded:
            families = join_counts(count_families(found))
            return f"{len(found)} tasks ({families}); keys and verifiers are elsewhere, with the whole pack"
        for task in found:
            check_task(worlds[0], task.id)
        return f"{len(found)} tasks ({join_counts(count_families(found))}); from every key a verifier can be made"

    steps: tuple[tuple[str, Callable[[], str]], ...] = (
        ("files", layout),
        ("manifest", digests),
        ("world", world),
        ("tasks", tasks),
    )
    for name, step in steps:
        try:
            out.append({"check": name, "ok": True, "found": step()})
        except (PackError, OSError) as e:
            out.append({"check": name, "ok": False, "found": str(e)})
            return out, str(e), False
    return out, "", opened[0].whole


def _say(screen: Screen, place: Path, checks: list[dict[str, Any]], whole: bool) -> None:
    screen.print(Text(str(place), "bold"), soft_wrap=True)
    rows = [(Text("ok", "green") if c["ok"] else Text("no", "bold red"), c["check"], c["found"]) for c in checks]
    grid(screen, ("", "", ""), rows)
    if all(c["ok"] for c in checks):
        screen.print(Text(f"  {'whole, and' if whole else 'without its keys, and'} what it says it is", "green"))
