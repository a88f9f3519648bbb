"""How an agent is asked for on the command line: the same options wherever one plays."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from worldwright.cli.inputs.options import F, parse_pairs, text_option
from worldwright.rollout.records import Limits

LIMITS = Limits()
"""What an episode may take unless told otherwise."""

max_turns_option = click.option(
    "--max-turns", type=click.IntRange(1), default=LIMITS.turns, help="Messages of the agent in an episode."
)


def agent_options(who: str = "agent") -> Callable[[F], F]:
    """Add `--temperature`, `--base-url` and `--agent-option`, given to the command as one record `options`."""
    article = "an" if who[0] in "aeiou" else "a"
    more = (
        click.option("--temperature", type=click.FloatRange(0),
                     help=f"How freely {article} {who} draws what it says; 0 for the likeliest."),
        text_option("--base-url", metavar="URL", help="The endpoint of openai:MODEL; it speaks OpenAI's API."),
        click.option("--agent-option", "more", multiple=True, callback=parse_pairs, metavar="NAME=VALUE",
                     help=f"An option of the {who} itself; may be repeated."),
    )  # fmt: skip

    def add_options(command: F) -> F:
        @wraps(command)
        def with_options(temperature: float | None, base_url: str, more: dict[str, str], **given: Any) -> Any:
            from worldwright.agents.protocol import Options

            return command(**given, options=Options(temperature=temperature, base_url=base_url, more=more))

        out: Any = with_options
        for option in reversed(more):
            out = option(out)
        return out  # type: ignore[no-any-return]

    return add_options
