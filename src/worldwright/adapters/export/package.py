"""What every exported package has: a name, a version that changes with its worlds, the packs as archives, texts from templates."""

from __future__ import annotations

import re
import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from worldwright.core.canonical import digest
from worldwright.core.errors import UsageError
from worldwright.core.version import VERSION
from worldwright.core.whole_file import replace_file
from worldwright.engine.tasks import TaskBook
from worldwright.pack.open import Pack
from worldwright.pack.seal import pack_archive
from worldwright.store.open import find_gym_packs, pack_at

_FILE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+=-]{0,120}\Z")


@dataclass(frozen=True, slots=True)
class Gym:
    """A gym as it goes into a package."""

    ref: str
    """As it was named."""
    name: str
    """As an identifier: `town_library`, `town_library_v2` for the tag `v2`."""
    packs: Mapping[str, Pack]
    """By variant, in order of their names."""
    tasks: Mapping[str, int]
    """How many tasks each variant has."""

    @property
    def version(self) -> str:
        """A version that differs where the worlds differ, so that an installer takes them: `0.1.0+w8f31c2a09b17`."""
        worlds = {variant: pack.manifest.digest for variant, pack in self.packs.items()}
        return f"0.1.0+w{digest(worlds)[:12]}"

    def archives(self, folder: str) -> dict[str, bytes]:
        """The packs as files of a package."""
        return {f"{folder}/{variant}.tar": pack_archive(pack.files) for variant, pack in self.packs.items()}


def read_gym(ref: str) -> Gym:
    """The gym under a reference or a path, every pack of it checked."""
    if not ref.strip():
        raise UsageError("name a gym: a reference such as name:latest, or a folder of packs")
    places = find_gym_packs(ref)
    packs = {variant: pack_at(places[variant]) for variant in sorted(places)}
    for variant in packs:
        if not _FILE_NAME.match(variant):
            raise UsageError(f"{ref} has a variant that no file can be called by: {variant!r}")
    tasks = {variant: len(TaskBook(pack.files).tasks()) for variant, pack in packs.items()}
    if not any(tasks.values()):
        raise UsageError(f"{ref} has no tasks; an agent would have nothing to do in it")
    return Gym(ref, _name(ref, packs), packs, tasks)


def _name(ref: str, packs: Mapping[str, Pack]) -> str:
    if Path(ref).exists():
        names = {pack.manifest.name for pack in packs.values()}
        name, tag = (names.pop() if len(names) == 1 else Path(ref).resolve().name), ""
    else:
        name, _, tag = ref.partition(":")
    parts = [name] if tag in ("", "latest") else [name, tag]
    return re.sub(r"[^a-z0-9]+", "_", "_".join(parts).lower()).strip("_") or "gym"


class _Template(string.Template):
    delimiter = "@@"


def render(template: str, **values: object) -> str:
    """A file of the folder `templates`, with its places filled: `@@{module}`."""
    text = resources.files(__package__).joinpath("templates", f"{template}.template").read_text(encoding="utf-8")
    return _Template(text).substitute(values)


def format_requirement(extra: str = "") -> str:
    """Name the releases of Worldwright that a package runs with: this one, and later ones of the same minor version."""
    major, minor = VERSION.split(".")[:2]
    return f"worldwright{extra}>={VERSION},<{major}.{int(minor) + 1}"


def render_pyproject(gym: Gym, module: str, description: str, requirements: Sequence[str]) -> str:
    """Render the pyproject.toml that builds the wheel of a package that holds its packs."""
    listed = ", ".join(f'"{one}"' for one in requirements)
    package = module.replace("_", "-")
    return render(
        "pyproject.toml",
        package=package,
        module=module,
        version=gym.version,
        description=description,
        dependencies=listed,
    )


def render_worlds(gym: Gym) -> str:
    """The worlds of a gym as rows of a table."""
    worlds = gym.packs.items()
    return "\n".join(f"| `{variant}` | {gym.tasks[variant]} | `{pack.manifest.digest}` |" for variant, pack in worlds)


def write_files(files: Mapping[str, bytes | str], out: Path) -> list[Path]:
    """Write the files of a package, by path under `out`."""
    written = []
    for path, content in files.items():
        with replace_file(out / path) as file:
            file.write(content.encode() if isinstance(content, str) else content)
        written.append(out / path)
    return written
