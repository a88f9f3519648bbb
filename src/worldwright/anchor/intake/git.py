"""A repository that lies elsewhere, fetched with git into a folder that is gone again afterwards. Nothing of it is run."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from pathlib import Path

from worldwright.anchor.intake.uploads import Upload, read_uploads
from worldwright.core.errors import UsageError

CLONE_TIMEOUT_SECONDS = 300
_ADDRESS = re.compile(r"(?:https?|ssh|git|file)://\S+\Z|[\w.-]+@[\w.-]+:\S+\Z")
_USER = re.compile(r"//[^/@\s]*@")
_SAFE = ("-c", "core.hooksPath=/dev/null", "-c", "protocol.ext.allow=never", "-c", "core.symlinks=false")


def is_git_url(text: str) -> bool:
    """Whether a text names a repository for git rather than a path."""
    return bool(_ADDRESS.match(text))


def _shown(address: str) -> str:
    """An address without who asks and with which password."""
    return _USER.sub("//", address)


def clone_repository(address: str) -> tuple[Upload, ...]:
    """The files of the newest commit, without their history."""
    if not is_git_url(address):
        raise UsageError(
            f"{address[:200]} is no address of a repository; expected one such as https://host/team/project.git"
        )
    with tempfile.TemporaryDirectory(prefix="worldwright-") as folder:
        target = Path(folder) / "repository"
        command = ["git", *_SAFE, "clone", "--quiet", "--depth", "1", "--no-tags", "--", address, str(target)]
        settings = {**os.environ, "GIT_TERMINAL_PROMPT": "0", "GIT_LFS_SKIP_SMUDGE": "1"}
        try:
            done = subprocess.run(
                command, env=settings, capture_output=True, timeout=CLONE_TIMEOUT_SECONDS, check=False
            )
        except FileNotFoundError:
            raise UsageError("fetching a repository needs git; install it, or give a folder or an archive") from None
        except subprocess.TimeoutExpired:
            raise UsageError(f"{_shown(address)} did not come within {CLONE_TIMEOUT_SECONDS} seconds") from None
        if done.returncode:
            said = done.stderr.decode("utf-8", "replace").replace(address, _shown(address)).strip().splitlines()
            raise UsageError(
                f"git cannot fetch {_shown(address)}: {_USER.sub('//', said[-1]) if said else 'it says nothing'}"
            )
        return tuple(read_uploads(target))
