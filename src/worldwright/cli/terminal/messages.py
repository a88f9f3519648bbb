"""What commands print: results on standard output, progress and complaints on standard error."""

from __future__ import annotations

import sys
from typing import Any

import click

from worldwright.core.canonical import pretty_json


def complain(message: str) -> None:
    """An error, in red where the terminal has colours."""
    click.secho(message, fg="red", err=True)


def warn(message: str) -> None:
    """Print something that the reader should know before trusting the result; in yellow where the terminal has colours."""
    click.secho(message, fg="yellow", err=True)


def note(message: str) -> None:
    """Progress and remarks; never part of the result."""
    click.echo(message, err=True)


def print_json(value: Any) -> None:
    """Print one JSON document on standard output."""
    sys.stdout.write(pretty_json(value))
