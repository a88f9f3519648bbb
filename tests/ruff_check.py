"""Ruff on generated files, as somebody would run it on a pack: its own defaults, nothing of this project's."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path


def complaints(files: Mapping[str, str], folder: Path) -> str:
    """What `ruff check` finds in the files; nothing where all is well."""
    for name, source in files.items():
        (folder / name).write_text(source, encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "ruff",
        "check",
        "--isolated",
        "--no-cache",
        "--output-format=concise",
        str(folder),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr if done.returncode else ""
