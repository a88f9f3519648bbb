"""How an agent is asked for on the command line: the same options wherever one plays."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import click

F = TypeVar("F", bound=Callable[..., object])


def agent_options(who: str = "agent") -> Callable[[F], F]:
    """`--temperature`, `--base-url` and `--agent-option` of a command, for whom it calls so."""

    def added(command: F) -> F:
        article = "an" if who[0] in "aeiou" else "a"
        for option in (
            click.option(
                "--agent-option",
                "more",
                multiple=True,
                callback=options_of,
                metavar="NAME=VALUE",
                help=f"What only the {who} knows.",
            ),
            click.option("--base-url", default="", metavar="URL", help="Of an endpoint that speaks OpenAI's API."),
            click.option("--temperature", type=click.FloatRange(0), help=f"Of {article} {who} that draws."),
        ):
            command = option(command)
        return command

    return added


def options_of(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    """`NAME=VALUE`, as often as it was given."""
    out = {}
    for value in values:
        name, mark, chosen = value.partition("=")
        if not (name and mark):
            raise click.BadParameter(f"{value!r} is not NAME=VALUE", ctx, param)
        out[name] = chosen
    return out
