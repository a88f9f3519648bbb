"""Collecting everything that is wrong, each thing with its place."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from worldwright.blueprint.expr.failure import Consequence, ExprError
from worldwright.blueprint.source import Document
from worldwright.core.errors import BlueprintError, Finding
from worldwright.formats.strict_yaml import Path


class Reporter:
    """Findings so far, and where in the document we are."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.findings: list[Finding] = []
        self.path: Path = ()

    @contextmanager
    def at(self, *parts: str | int) -> Iterator[None]:
        """Work on a node; what is wrong with an expression in it becomes a finding."""
        outer, self.path = self.path, (*self.path, *parts)
        try:
            yield
        except Consequence:
            pass
        except ExprError as e:
            self.add(e.message, e.hint)
        finally:
            self.path = outer

    def add(self, message: str, hint: str = "") -> None:
        self.findings.append(
            Finding(self.document.file, self.document.line(self.path), format_path(self.path), message, hint)
        )

    def stop_if_any(self) -> None:
        if self.findings:
            raise BlueprintError(self.findings)


def format_path(path: Path) -> str:
    """Format a path: `operations.route_approval.does[2].set`."""
    out = ""
    for part in path:
        out += f"[{part}]" if isinstance(part, int) else f".{part}" if out else part
    return out or "blueprint"
