"""Ruff on generated files, as somebody would run it on a pack: its own defaults, nothing of this project's."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from worldwright.kinds.database.emit.documents import WIDTH


def complaints(files: Mapping[str, str], folder: Path, lint: bool = True, width: int = WIDTH) -> str:
    """What `ruff format` would change in the files and what `ruff check` finds in them; nothing where all is well."""
    for name, source in files.items():
        (folder / name).write_text(source, encoding="utf-8")
    said = _ruff("format", "--diff", f"--line-length={width}", str(folder))
    return said + (_ruff("check", "--no-cache", "--output-format=concise", str(folder)) if lint else "")


def _ruff(command: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "ruff", command, "--isolated", *arguments], capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr if done.returncode else ""
