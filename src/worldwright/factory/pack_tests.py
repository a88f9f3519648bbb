"""The tests that a pack brings along, run as a user would: with pytest, in a folder of the pack."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

from worldwright.pack.seal import write_pack

TIMEOUT_SECONDS = 1_200
OPTIONS = ("-q", "-p", "no:cacheprovider", "-o", "addopts=")


def run_tests(files: Mapping[str, bytes]) -> tuple[int, int]:
    """Run the tests of a pack. Returns how many there are, and how many passed."""
    with tempfile.TemporaryDirectory(prefix="worldwright-") as folder:
        place = Path(folder) / "pack"
        write_pack(dict(files), place)
        command = [sys.executable, "-m", "pytest", *OPTIONS, str(place / "tests")]
        try:
            done = subprocess.run(
                command, capture_output=True, timeout=TIMEOUT_SECONDS, cwd=folder, check=False, text=True
            )
        except subprocess.TimeoutExpired:
            return 1, 0
        return _read_counts(done.stdout)


def _read_counts(output: str) -> tuple[int, int]:
    """Read the counts in the last line of pytest."""
    words = output.strip().splitlines()[-1].replace(",", "").replace("=", "").split() if output.strip() else []
    counts = {what: int(n) for n, what in pairwise(words) if n.isdigit()}
    passed, wrong = counts.get("passed", 0), sum(counts.get(k, 0) for k in ("failed", "error", "errors"))
    return passed + wrong, passed
