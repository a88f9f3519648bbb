"""Every failure that Worldwright names, drawn once.

    WorldwrightError
    ├── BlueprintError        a Blueprint that does not load or check; carries all findings
    ├── PackError             a pack that cannot be trusted or read
    │   └── TamperedPack      a digest, schema or layout is not what the manifest promises
    ├── StoreError            a reference that the store cannot resolve, a store that cannot be written
    │   └── RegistryError     a registry that cannot be reached, or refuses
    ├── BuildError            a world that cannot be built from a Blueprint that checks
    ├── EpisodeError          the controller used an episode wrongly (closed, never reset)
    │   ├── GraderElsewhere   a key was asked of a world that was sent out without its keys
    │   └── LostTransaction   the episode's state can no longer be trusted; its verdict is `error`
    └── UsageError            a wrong argument to a public function or command

An agent never sees any of these: what a tool refuses is a `ToolError` record in a `Result`.
"""

from __future__ import annotations

from dataclasses import dataclass


class WorldwrightError(Exception):
    """Base of everything raised on purpose."""


class PackError(WorldwrightError):
    """A pack that cannot be trusted or read."""


class TamperedPack(PackError):
    """A digest, schema or layout is not what the manifest promises."""


class StoreError(WorldwrightError):
    """A reference that the store cannot resolve, or a store that cannot be written."""


class RegistryError(StoreError):
    """A registry that cannot be reached, or refuses."""


class BuildError(WorldwrightError):
    """A world that cannot be built from a Blueprint that checks."""


class EpisodeError(WorldwrightError):
    """The controller used an episode wrongly."""


class GraderElsewhere(EpisodeError):
    """A key was asked of a world that was sent out without its keys."""


class LostTransaction(EpisodeError):
    """The episode's state can no longer be trusted."""


class UsageError(WorldwrightError):
    """A wrong argument to a public function or command."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing wrong in a Blueprint: where, what, and what would be right."""

    file: str
    line: int
    path: str
    """The node, as `operations.route_approval.does[2].set`."""
    message: str
    hint: str = ""
    """The nearest right name, or what was expected."""

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}: " if self.line else f"{self.file}: "
        return f"{where}{self.path}: {self.message}" + (f" ({self.hint})" if self.hint else "")


class BlueprintError(WorldwrightError):
    """A Blueprint that does not load or check."""

    def __init__(self, findings: list[Finding]) -> None:
        self.findings = tuple(sorted(set(findings), key=lambda f: (f.file, f.line, f.path, f.message)))
        super().__init__("\n".join(map(str, self.findings)))

    def __reduce__(self) -> tuple[type[BlueprintError], tuple[list[Finding]]]:
        """It comes from other processes with its findings."""
        return type(self), (list(self.findings),)
