"""`worldwright serve`: serve a gym over HTTP and MCP."""

from __future__ import annotations

import importlib
import json
import os
import secrets
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from worldwright.cli.extras import require_extra
from worldwright.cli.inputs.options import FILE, face_option, force_option, gym_option, json_option
from worldwright.core.errors import UsageError
from worldwright.core.names import suggest
from worldwright.engine.limits import Limits
from worldwright.english.nouns import count_noun

if TYPE_CHECKING:
    from worldwright.engine.world import Gym

TOKEN = "WORLDWRIGHT_TOKEN"
MIN_TOKEN_CHARS = 16


@click.command(name="serve")
@gym_option
@click.option("--variant", "variants", multiple=True, metavar="NAME", help="Only this one; may be given again.")
@click.option(
    "--mcp/--http", "mcp", default=True, show_default=False, help="HTTP, with MCP for agents (the default) or without."
)
@click.option("--stdio", is_flag=True, help="One episode over MCP on standard input and output, no HTTP.")
@click.option("--task", metavar="ID", help="With --stdio: the task of that episode.")
@click.option("--log", type=FILE, help="With --stdio: where the log of the episode is written.")
@force_option("With --log: replace the file that is there.")
@face_option
@click.option("--max-calls", type=click.IntRange(1), default=Limits().calls, help="Tool calls of an episode.")
@click.option("--host", default="127.0.0.1", help="Where to listen; 0.0.0.0 for everywhere.")
@click.option("--port", type=click.IntRange(0, 65535), default=8000, help="0 for any free one.")
@click.option("--workers", type=click.IntRange(1, 256), help="Processes (one for each core).")
@click.option("--direct", is_flag=True, help="Each worker also on a port of its own, named in what it answers.")
@click.option("--most-episodes", type=click.IntRange(1), default=1024, help="Episodes open at once; about 0.5 MB each.")
@click.option("--most-requests", type=click.IntRange(1), default=1024, help="Requests in work at once.")
@click.option("--idle", type=click.FloatRange(0.1), default=600.0, help="Seconds until an unused episode is closed.")
@click.option("--grace", type=click.FloatRange(1), default=30.0, help="Seconds for what is in work at the end.")
@click.option(
    "--token-file", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="FILE",
    help=f"The token that controllers show. Or ${TOKEN}; without both, one is made and printed.",
)  # fmt: skip
@json_option("Say where it listens as one line of JSON.")
def command(
    gym: str, variants: tuple[str, ...], stdio: bool, task: str | None, log: Path | None, force: bool, **given: Any
) -> None:
    """Serve the worlds of a gym to agents and trainers in other processes.

    Over HTTP a controller opens episodes, calls tools, asks for verdicts and closes them; an agent may connect to its own episode
    over MCP. Everything but /health and the agents' own addresses needs the token. Ctrl-C or SIGTERM lets requests in work finish.
    What there is to ask: /openapi.json, and docs/serve.md.

    \b
    Examples:
      worldwright serve --gym enterprise_procurement
      worldwright serve --gym hotel_booking:latest --workers 4 --port 8080 --most-episodes 4096
      worldwright serve --gym packs/ --http --token-file token.txt --json
      worldwright serve --gym retail_returns --mcp --stdio --task task_001 --log episode.jsonl
    """
    from worldwright.store.open import open_gym

    with require_extra("serve"):
        importlib.import_module(f"worldwright.serve.{'mcp_stdio' if stdio else 'supervisor'}")
    found = _choose_variants(open_gym(gym), variants)
    limits = Limits(calls=given["max_calls"])
    if stdio:
        _stdio(found, task, given["face"], limits, log, force)
    elif task or log:
        raise UsageError("--task and --log are for --stdio; over HTTP, POST /episodes says which task")
    else:
        raise SystemExit(_http(found, limits, **given))


def _choose_variants(gym: Gym, variants: tuple[str, ...]) -> Gym:
    """Keep only these variants of a gym where some are named."""
    from worldwright.engine.world import Gym

    for name in variants:
        if name not in gym.variants:
            raise UsageError(f"{gym.name} has no variant {name!r}; {suggest(name, gym.variants)}")
    return Gym(gym.name, {name: partial(gym.world, name) for name in variants}) if variants else gym


def _stdio(gym: Gym, task: str | None, face: str, limits: Limits, log: Path | None, force: bool) -> None:
    from worldwright.serve.mcp_stdio import serve_episode

    if task is None:
        raise UsageError("--stdio serves one episode: say which with --task ID")
    if log is not None and log.exists() and not force:
        raise UsageError(f"{log} is there already; replace it with --force, or name another file")
    if len(gym.variants) > 1:
        raise UsageError(
            f"{gym.name} has {len(gym.variants)} variants: say which with --variant; {suggest('', gym.variants)}"
        )
    world = gym.world(gym.variants[0])
    if task not in world.book.ids:
        raise UsageError(f"{gym.name} has no task {task!r}; {suggest(task, world.book.ids)}")
    serve_episode(world, task, face, limits, log=log)


def _http(gym: Gym, limits: Limits, *, as_json: bool, token_file: Path | None, **given: Any) -> int:
    from worldwright.serve.settings import Settings
    from worldwright.serve.supervisor import serve

    token, made = _read_token(token_file)
    settings = Settings(
        token=token, host=given["host"], port=given["port"], workers=given["workers"] or os.cpu_count() or 1,
        face=given["face"], mcp=given["mcp"], direct=given["direct"], max_episodes=given["most_episodes"],
        max_requests=given["most_requests"], idle_s=given["idle"], grace_s=given["grace"], limits=limits,
    )  # fmt: skip

    def announce(url: str) -> None:
        if as_json:
            facts = {"url": url, "gym": gym.name, "worlds": len(gym.variants), "workers": settings.workers}
            click.echo(json.dumps({**facts, "mcp": settings.mcp, "pid": os.getpid(), "token": token if made else None}))
            return
        crew = f"{settings.workers} workers" if settings.workers > 1 else "1 worker"
        worlds = count_noun(len(gym.variants), "world")
        click.echo(f"{gym.name} ({worlds}, {crew}) at {url}")
        if made:
            click.echo(f"token, shown only now: {token}")

    return serve(gym, settings, announce)


def _read_token(file: Path | None) -> tuple[str, bool]:
    """Return what controllers have to show, and whether it was made up here."""
    where = str(file) if file is not None else f"${TOKEN}"
    token = file.read_text(encoding="utf-8").strip() if file is not None else os.environ.get(TOKEN, "").strip()
    if not token and file is None:
        return secrets.token_urlsafe(32), True
    if len(token) < MIN_TOKEN_CHARS or not token.isascii() or not token.isprintable() or " " in token:
        raise UsageError(
            f"the token of {where} has to be {MIN_TOKEN_CHARS} or more printable ASCII characters, no spaces"
        )
    return token, False
