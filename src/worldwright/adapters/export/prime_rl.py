"""A gym for prime-rl: the package of verifiers, and a config that trains in it."""

from __future__ import annotations

from pathlib import Path

from worldwright.adapters.export import verifiers
from worldwright.adapters.export.package import read_gym, render, write_files


def write(gym: str, out: Path) -> list[Path]:
    """Write the package of verifiers, in whose environments prime-rl trains, and the `rl.toml` that it is started with."""
    written = verifiers.write(gym, out)
    package = f"worldwright-{read_gym(gym).name}".replace("_", "-")
    readme = (out / "README.md").read_text(encoding="utf-8")
    more = {
        "rl.toml": render("prime_rl/rl.toml", package=package),
        "README.md": f"{readme}\n{render('prime_rl/README.md', package=package)}",
    }
    return sorted({*written, *write_files(more, out)})
