"""Options that ask for many worlds at once, given to a command as one record."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import wraps
from typing import Any

import click

from worldwright.cli.inputs.options import F, axes_option, siblings_option, text_option


@dataclass(frozen=True, slots=True)
class ManyWorldsOptions:
    """What a command was told of many worlds."""

    every: bool
    variants: int | None
    axes: tuple[str, ...]
    siblings: int
    workers: int | None
    ray: str
    fresh: bool
    dry_run: bool

    def asks_for_many(self, named: int) -> bool:
        """Return whether more than one world is asked for, or one in the way of many."""
        return self.every or self.variants is not None or named > 1

    def check_one(self) -> None:
        """Refuse what only many worlds have, where one is asked for."""
        said = {
            "--axes": self.axes,
            "--ray": self.ray,
            "--workers": self.workers,
            "--fresh": self.fresh,
            "--dry-run": self.dry_run,
        }
        if idle := [option for option, value in said.items() if value]:
            raise click.UsageError(f"{idle[0]} is about many worlds: say how many with --variants N")


_OPTIONS = (
    click.option("--all", "every", is_flag=True, help="Every domain of the catalogue."),
    click.option(
        "--variants", type=click.IntRange(1), metavar="N", help="So many worlds of each, spread over the axes."
    ),
    axes_option,
    siblings_option,
    click.option("--workers", type=click.IntRange(1, 1024), metavar="N", help="Processes that build; one per core if left out."),
    text_option("--ray", metavar="ADDRESS", help="Build on a Ray cluster: auto, local, or host:port."),
    click.option("--fresh", is_flag=True, help="Build everything again, also what a run of the same order has built."),
    click.option("--dry-run", is_flag=True, help="Show the plan and its counts, and build nothing."),
)  # fmt: skip


def many_options(command: F) -> F:
    """Add options for many worlds, given to the command as one record `many`."""
    names = [field.name for field in fields(ManyWorldsOptions)]

    @wraps(command)
    def with_record(**given: Any) -> Any:
        many = ManyWorldsOptions(**{name: given.pop(name) for name in names})
        return command(**given, many=many)

    out: Any = with_record
    for option in reversed(_OPTIONS):
        out = option(out)
    return out  # type: ignore[no-any-return]
