"""The studio as a command runs it: where it listens is said, the browser opened, and what goes on without it named at the end."""

from __future__ import annotations

import json
import webbrowser
from pathlib import Path
from threading import Thread

import click
from rich.text import Text

from worldwright.cli.terminal.console import Screen
from worldwright.cli.terminal.messages import note
from worldwright.core.errors import UsageError
from worldwright.english.nouns import count_noun
from worldwright.studio.context import make_context
from worldwright.studio.server import bind, find_access, serve


def run_studio(port: int, opens: bool, folders: tuple[Path, ...], home: Path | None, as_json: bool) -> None:
    """Serve the studio until Ctrl-C."""
    for folder in folders:
        if not folder.is_dir():
            raise UsageError(f"there is no folder {folder}")
    listening = bind(port)
    access = find_access(listening)
    studio = make_context(access, None if home is None else home.resolve(), folders)

    def say() -> None:
        if as_json:
            click.echo(json.dumps({"url": access.url, "port": access.port, "store": str(studio.store.root)}))
        else:
            screen = Screen()
            screen.print(Text.assemble("the studio is at  ", (access.url, "bold")), soft_wrap=True)
            screen.print(Text(f"the store is {studio.store.root}; Ctrl-C ends the studio", "dim"), soft_wrap=True)
        if opens:
            Thread(target=webbrowser.open, args=(access.url,), daemon=True).start()

    serve(listening, studio, say)
    running = [job.title for job in studio.jobs.list_jobs() if job.running]
    if running:
        goes = "goes" if len(running) == 1 else "go"
        note(f"{count_noun(len(running), 'command')} that it started {goes} on: {', '.join(running[:5])}")
