"""The shell lines of a page: what stands in fenced or indented blocks and begins with a program."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
_LINE = re.compile(r"(?:\$ )?(?:\.venv/bin/)?((?:worldwright|make) .*)")
_REMARK = re.compile(r"\s{2,}.*|\s#\s.*")
SHELL = ("", "sh", "bash", "console")


@dataclass(frozen=True, slots=True)
class ShellLine:
    page: str
    number: int
    text: str
    """Without prompt and remark; what continues on the next line is joined."""

    @property
    def synopsis(self) -> bool:
        """Whether it only shows the form of a command: `worldwright export --gym NAME[:TAG]`."""
        return bool(re.search(r"\[[-:A-Z]|\.\.\.", self.text))


def shell_lines(path: Path) -> Iterator[ShellLine]:
    """Every line for `worldwright` or `make`."""
    lines = path.read_text(encoding="utf-8").splitlines()
    fence: str | None = None
    for i, line in enumerate(lines):
        if mark := re.match(r"\s*```(\w*)", line):
            fence = mark[1] if fence is None else None
            continue
        found = _LINE.fullmatch(line.strip())
        if found and (fence in SHELL or (fence is None and line.startswith("    "))):
            yield ShellLine(path.relative_to(ROOT).as_posix(), i + 1, _joined(found[1], lines[i + 1 :]))


def _joined(text: str, following: list[str]) -> str:
    for line in following:
        if not text.endswith("\\") and not line.strip().startswith("--"):
            break
        text = f"{text.removesuffix(chr(92)).strip()} {line.strip()}"
    return _REMARK.sub("", text)
