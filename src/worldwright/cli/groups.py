"""Groups of commands that answer a slip with the nearest right name."""

from __future__ import annotations

import click

from worldwright.core.names import suggest


class NamedCommands(click.Group):
    """A group that says which command was meant."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        known = self.list_commands(ctx)
        if args[0] not in known and not args[0].startswith("-"):
            ctx.fail(f"there is no command `{args[0]}`; {suggest(args[0], known)}")
        return super().resolve_command(ctx, args)
