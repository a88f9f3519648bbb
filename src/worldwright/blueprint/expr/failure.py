"""What is wrong with an expression, before anyone knows in which file."""

from __future__ import annotations


class ExprError(Exception):
    """Caught by the checker, which adds file, line and node."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class Consequence(ExprError):
    """Wrong only because something else is, which has a finding of its own."""
