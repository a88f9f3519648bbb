"""A model at the bench, as a job that a person watches."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.text import Text

from worldwright.cli import exits
from worldwright.cli.extras import require_extra
from worldwright.cli.terminal.console import Screen, escape
from worldwright.cli.terminal.messages import print_json
from worldwright.core.errors import UsageError

if TYPE_CHECKING:
    from worldwright.agents.protocol import Options

ENDS = {
    "done": "nothing is left that pays",
    "rounds": "the rounds are spent; the same command goes on from here",
    "tokens": "the tokens are spent; more with --tokens",
    "still": "its last answers changed nothing; a person or another model may go on",
}


def read_model(name: str, options: Options) -> Any:
    """The settings of `openai:MODEL`; a wrong name, address or missing key is told before anything is sent."""
    mode, colon, model = name.partition(":")
    if mode != "openai" or not colon or not model:
        raise UsageError(f"{name[:80]!r} is no model; expected openai:MODEL")
    with require_extra("models"):
        from worldwright.agents.models.settings import read_settings

    return read_settings(replace(options, model=model), mode)


def run_model(folder: Path, name: str, options: Options, rounds: int, tokens: int, as_json: bool) -> int:
    """Let a model work at a bench and say how it ended."""
    from worldwright.author import verbs
    from worldwright.cli.views.author import show_grade

    settings = read_model(name, options)
    with require_extra("models"):
        from worldwright.author.model_seat import Budget, author_with_model

    screen = Screen(err=True)
    outcome = author_with_model(
        folder, settings, Budget(rounds, tokens), lambda stage, says: screen.print(Text(escape(says)))
    )
    document = {
        **verbs.checkup_data(outcome.found),
        "ended": outcome.why,
        "rounds": outcome.rounds,
        "tokens": outcome.tokens,
        "folder": str(folder),
    }
    if as_json:
        print_json(document)
    else:
        Screen().print(Text(f"{outcome.rounds} rounds, {outcome.tokens:,} tokens: {ENDS[outcome.why]}"))
        if outcome.found.grade is not None:
            show_grade(Screen(), outcome.found.grade)
    return exits.OK if outcome.found.lockable else exits.FAILED


def author_anchor(anchor: str, name: str, options: Options, rounds: int, tokens: int, as_json: bool) -> int:
    """Open a bench for an anchor, or go on at the one that is there, let a model work at it, and lock what stands."""
    from worldwright.author import verbs
    from worldwright.author.folder import BENCH
    from worldwright.author.open import open_bench
    from worldwright.cli.views.author import show_locked
    from worldwright.store.anchors import Anchors

    folder = Path(anchor)
    if not (folder / BENCH).is_file():
        open_bench(Anchors(), anchor, folder)
    status = run_model(folder, name, options, rounds, tokens, as_json)
    if status != exits.OK:
        Screen(err=True).print(Text(f"the draft stays as it was locked; go on at the bench in {folder}", "yellow"))
        return status
    found = verbs.lock(folder, name)
    if not as_json:
        show_locked(Screen(), found)
    return status
