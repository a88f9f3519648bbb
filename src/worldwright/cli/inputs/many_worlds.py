"""Options that ask for many worlds at once, given to a command as one record."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import wraps
from typing import Any

import click

from worldwright.cli.inputs.options import F, axes_option, siblings_option


@dataclass(frozen=True, slots=True)
class ManyAsked:
    """What a command was told of many worlds."""

    every: bool
    variants: int | None
    axes: tuple[str, ...]
    siblings: int
    workers: int | None
    ray: str
    fresh: bool
    dry_run: bool

    def wanted(self, named: int) -> bool:
        """Whether more than one world is asked for, or one in the way of many."""
        return self.every or self.variants is not None or named > 1

    def check_one(self) -> None:
        """Of one world, nothing is asked that only many have."""
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
    click.option("--ray", metavar="ADDRESS", default="", help="Build on a Ray cluster: auto, local, or host:port."),
    click.option("--fresh", is_flag=True, help="Build everything again, also what a run of the same order has built."),
    click.option("--dry-run", is_flag=True, help="Show the plan and its counts, and build nothing."),
)  # fmt: skip


def many_options(command: F) -> F:
    """Options for many worlds, given to the command as one record `many`."""
    names = [field.name for field in fields(ManyAsked)]

    @wraps(command)
    def with_record(**given: Any) -> Any:
        many = ManyAsked(**{name: given.pop(name) for name in names})
        return command(**given, many=many)

    out: Any = with_record
    for option in reversed(_OPTIONS):
        out = option(out)
    return out  # type: ignore[no-any-return]
