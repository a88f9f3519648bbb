"""Options and kinds of values that several commands share. It is quick to import, because `--help` reads it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from worldwright.engine.surface import SURFACES

F = TypeVar("F", bound=Callable[..., Any])
Names = tuple[str, ...]

FOLDER = click.Path(file_okay=False, path_type=Path)
FILE = click.Path(dir_okay=False, path_type=Path)
PATH = click.Path(path_type=Path)
SEED = click.IntRange(0, 2**63 - 1)
WHOLE_GRAPH = "*"
"""`inspect --graph` without a tool."""
TAG = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,59}\Z")


def text_option(*names: str, **more: Any) -> Callable[[F], F]:
    """Add an option for a text; where it is not given, the command gets an empty one, which help does not name."""
    return click.option(*names, default="", show_default=False, **more)


gym_option = click.option(
    "--gym", required=True, metavar="NAME[:TAG]", help="Worlds: a reference, a folder of packs, or one pack."
)
face_option = click.option("--face", type=click.Choice(SURFACES), default="plain", help="How tasks are shown.")
workers_option = click.option(
    "--workers", type=click.IntRange(0), help="Processes (one for each core); 0 plays right here."
)
plain_http_option = click.option(
    "--plain-http", is_flag=True, help="Speak to a registry without TLS; on this machine that is so anyway."
)
axes_option = text_option(
    "--axes", metavar="NAMES", callback=lambda ctx, param, value: parse_names(ctx, param, value),
    help="What varies, with commas between; all if left out.",
)  # fmt: skip
siblings_option = click.option(
    "--siblings", type=click.IntRange(1), default=2,
    help="Sets of rules for one state, so that one request has several right outcomes.")  # fmt: skip


def json_option(says: str = "The same as one JSON document.") -> Callable[[F], F]:
    """Add `--json`, given to the command as `as_json`."""
    return click.option("--json", "as_json", is_flag=True, help=says)


def force_option(says: str) -> Callable[[F], F]:
    """Add `--force`, for a command that would write over something."""
    return click.option("--force", is_flag=True, help=says)


def seed_option(says: str = "Same seed, same world.", default: int = 0) -> Callable[[F], F]:
    return click.option("--seed", type=SEED, default=default, help=says)


# callbacks


def parse_names(ctx: click.Context, param: click.Parameter, value: str | Names) -> Names:
    """Names with commas between, or an option for each; each once."""
    values = (value,) if isinstance(value, str) else value
    return tuple(dict.fromkeys(part.strip() for one in values for part in one.split(",") if part.strip()))


def parse_pairs(ctx: click.Context, param: click.Parameter, values: Names) -> dict[str, str]:
    """Parse `NAME=VALUE`, as often as it was given."""
    out = {}
    for value in values:
        name, mark, chosen = value.partition("=")
        if not (name and mark):
            raise click.BadParameter(f"{value!r} is not {param.metavar or 'NAME=VALUE'}", ctx, param)
        out[name] = chosen
    return out


def check_tag(ctx: click.Context, param: click.Parameter, value: str) -> str:
    """A tag of the store; an empty one is left to the command."""
    if value and not TAG.match(value):
        raise click.BadParameter("a tag is letters, digits, _ . and -", ctx, param)
    return value
