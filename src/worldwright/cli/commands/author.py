"""`worldwright author`: make the draft of an anchor deep, at a bench."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from worldwright.cli import exits
from worldwright.cli.extras import require_extra
from worldwright.cli.groups import NamedCommands
from worldwright.cli.inputs.agent import agent_options
from worldwright.cli.inputs.options import FOLDER, json_option, text_option
from worldwright.cli.terminal.console import Screen
from worldwright.cli.terminal.messages import print_json
from worldwright.cli.terminal.stages import Stages, build_stages

PERSON = "a person"


class OpensByName(NamedCommands):
    """A group in which a word that is no command is the name of an anchor to open."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in self.list_commands(ctx) and not args[0].startswith("-"):
            args = ["open", *args]
        return super().resolve_command(ctx, args)


def folder_option(f: Callable[..., Any]) -> Callable[..., Any]:
    return click.option("--folder", type=FOLDER, default=".", help="The bench; where you are, if left out.")(f)


rounds_option = click.option("--rounds", type=click.IntRange(1), default=12, help="Rounds that a model may take.")
tokens_option = click.option(
    "--tokens", type=click.IntRange(1), default=2_000_000, help="Tokens that a model may read and write in all."
)
by_option = text_option("--by", metavar="WHO", help="Who works here, for the transcript.")


@click.group(name="author", cls=OpensByName)
def command() -> None:
    """Make a draft deep: a folder with the evidence, its claims and the Blueprint, and findings on what is missing.

    \b
    Examples:
      worldwright author open purchasing               a bench for an anchor; `author purchasing` is the same
      cd purchasing && worldwright author check        what is missing, and the grade
      worldwright author next                          the few findings that pay most
      worldwright author lock                          keep the world in the store
      worldwright author serve                         the same for a coding agent, over MCP
    """


@command.command(name="open", short_help="Open a bench for an anchor (`author NAME` does the same).")
@click.argument("name")
@text_option("--world", metavar="NAME", help="Which world of the anchor; the first, if left out.")
@click.option("--folder", type=FOLDER, help="Where to; NAME, if left out.")
@click.option("--from", "begin", type=FOLDER, help="Begin with the files that an author left in this folder.")
@json_option()
def open_(name: str, world: str, folder: Path | None, begin: Path | None, as_json: bool) -> None:
    """Open a bench: write a folder with the evidence as numbered text, the draft, and every claim of the evidence.

    \b
    Examples:
      worldwright author open purchasing
      worldwright author open purchasing --from benches/purchasing --folder again
      worldwright author open purchasing --world purchasing_orders --folder benches/orders
    """
    from worldwright.cli.views.author import show_opened
    from worldwright.store.anchors import Anchors

    with require_extra("anchor"):
        from worldwright.author.folder import read_bench
        from worldwright.author.open import open_bench

    place = open_bench(Anchors(), name, folder or Path(name), world, begin)
    bench, _ = read_bench(place)
    facts = {"folder": str(place), "anchor": bench.anchor, "world": bench.world, "claims": len(bench.claims),
             "open": sum(c.business and not c.is_ for c in bench.claims)}  # fmt: skip
    print_json(facts) if as_json else show_opened(Screen(), facts)


@command.command(short_help="Every finding, the claims and the grade.")
@folder_option
@click.option("--world/--no-world", "with_world", default=True, help="Build the world and look at it too.")
@click.option("--watch", is_flag=True, help="Check again whenever a file of the bench is saved.")
@click.option("--all", "every", is_flag=True, help="Every finding, not only the first of each sort.")
@by_option
@json_option("Findings, claims and grade as one JSON document.")
def check(folder: Path, with_world: bool, watch: bool, every: bool, by: str, as_json: bool) -> int:
    """Check the bench: the language, claims that are open, operations without effect, values that cannot be, and more.

    Each finding has a code, a place, why it matters and what would mend it. The exit status is 1 while there are errors.

    \b
    Examples:
      worldwright author check
      worldwright author check --no-world --watch
      worldwright author check --json
    """
    from worldwright.cli.views.author import show_checkup

    with require_extra("anchor"):
        from worldwright.author import verbs
        from worldwright.author.folder import find_bench
        from worldwright.author.watch import wait_for_change

    place = find_bench(folder)
    while True:
        found = _check(place, by or PERSON, with_world)
        print_json(verbs.checkup_data(found)) if as_json else show_checkup(Screen(), found, every)
        if not watch:
            return exits.OK if found.lockable else exits.FAILED
        Screen(err=True).print("waiting for a change; Ctrl-C ends", style="dim")
        wait_for_change(place)


def _check(place: Path, by: str, with_world: bool) -> Any:
    from worldwright.author import verbs

    with Stages(Screen(err=True), build_stages(True, contract=True), only=("tasks", "assay")) as stages:
        return verbs.check(place, by, with_world, stages.hear)


@command.command(name="next", short_help="The few findings that pay most.")
@folder_option
@by_option
@json_option()
def next_(folder: Path, by: str, as_json: bool) -> None:
    """Name the few findings that pay most to mend.

    \b
    Examples:
      worldwright author next
    """
    from worldwright.cli.views.author import show_next_findings

    with require_extra("anchor"):
        from worldwright.author import verbs
        from worldwright.author.folder import find_bench

    found = verbs.next_data(_check(find_bench(folder), by or PERSON, True))
    print_json({"next": found}) if as_json else show_next_findings(Screen(), found)


@command.command(short_help="What your changes do to tools, rows, tasks and grade.")
@folder_option
@click.option(
    "--since", type=click.Choice(["began", "last"]), default="began", help="Compare with the draft, or the last round."
)
@json_option()
def diff(folder: Path, since: str, as_json: bool) -> None:
    """Show what the changes of the bench do to tools, rows, tasks and grade. Both worlds are built.

    \b
    Examples:
      worldwright author diff
      worldwright author diff --since last --json
    """
    from dataclasses import asdict

    from worldwright.cli.views.author import show_changes

    with require_extra("anchor"):
        from worldwright.author import verbs
        from worldwright.author.folder import find_bench

    with Stages(Screen(err=True), build_stages(True, contract=True), only=()) as stages:
        found = verbs.diff(find_bench(folder), since, stages.hear)
    print_json({"changes": [asdict(c) for c in found]}) if as_json else show_changes(Screen(), found)


@command.command(short_help="What a writer of independent cases may see.")
@click.argument("policy", default="")
@folder_option
def cases(policy: str, folder: Path) -> None:
    """Print what somebody may see who writes independent cases: the claims of a policy and the schema, not the rule.

    Without POLICY, for all bound policies that nobody else has written cases for.

    Give it to somebody else (another person, another conversation), and put what they write into cases.yaml.

    \b
    Examples:
      worldwright author cases carry_over_limit
      worldwright author cases > brief.md
    """
    with require_extra("anchor"):
        from worldwright.author import verbs
        from worldwright.author.folder import find_bench

    click.echo(verbs.brief_cases(find_bench(folder), policy), nl=False)


@command.command(short_help="What each operation does, to be confirmed by somebody who knows.")
@click.argument("operation", default="")
@folder_option
@click.option("--yes", "answer", flag_value="yes", help="It does that.")
@click.option("--no", "answer", flag_value="no", help="It does not.")
@text_option("--instead", metavar="TEXT", help="What it does instead, in your words.")
@click.option("--examples/--no-examples", default=True, help="Show a run of each in the drafted world.")
@by_option
@json_option()
def review(
    operation: str, folder: Path, answer: str | None, instead: str, examples: bool, by: str, as_json: bool
) -> None:
    """Show what we believe each operation does, with a run that shows it; or keep what somebody says of one.

    The sentences follow from the Blueprint, and the runs from the drafted world. What is said is kept in review.yaml, about the
    sentence as it is now. An operation that somebody denies is a finding of `author check` until it does something else.

    \b
    Examples:
      worldwright author review
      worldwright author review approve_order --yes --by Ada
      worldwright author review approve_order --instead "two of us sign above 10,000" --by Ada
    """
    from worldwright.cli.views.author import show_beliefs

    with require_extra("anchor"):
        from worldwright.author import verbs
        from worldwright.author.folder import find_bench

    place = find_bench(folder)
    if operation and (answer or instead):
        said = verbs.review(place, operation, "edit" if instead else str(answer), by or PERSON, instead)
        print_json({"kept": said}) if as_json else Screen().print(said)
        return
    if answer or instead:
        raise click.UsageError("name the operation that this is about")
    found = [one for one in verbs.list_beliefs(place, examples) if operation in ("", one["operation"])]
    if not found:
        raise click.UsageError(f"there is no operation `{operation[:60]}`; `worldwright author review` lists them")
    print_json({"operations": found}) if as_json else show_beliefs(Screen(), found)


@command.command(short_help="Keep the world in the store, in the place of the draft.")
@folder_option
@by_option
@json_option()
def lock(folder: Path, by: str, as_json: bool) -> None:
    """Check once more and lock: the world takes the place of the draft, with its claims, cases, notes and transcript.

    \b
    Examples:
      worldwright author lock --by "Ada"
    """
    from worldwright.cli.views.author import show_locked

    with require_extra("anchor"):
        from worldwright.author import verbs
        from worldwright.author.folder import find_bench

    with Stages(Screen(err=True), build_stages(True, contract=True), only=("tasks", "assay", "grade")) as stages:
        found = verbs.lock(find_bench(folder), by or PERSON, watch=stages.hear)
    print_json(found) if as_json else show_locked(Screen(), found)


@command.command(short_help="Serve the bench to a coding agent (MCP on standard input and output).")
@folder_option
def serve(folder: Path) -> None:
    """Serve the bench over MCP, on standard input and output, with the same verbs as these commands.

    \b
    Examples:
      worldwright author serve --folder purchasing
    """
    with require_extra("anchor"):
        from worldwright.author.folder import find_bench
    with require_extra("mcp"):
        from worldwright.author.mcp_server import serve_bench

    serve_bench(find_bench(folder))


@command.command(short_help="Let a model work at the bench, in bounded rounds.")
@click.argument("model", metavar="openai:MODEL")
@folder_option
@rounds_option
@tokens_option
@agent_options("model")
@json_option()
def model(model: str, folder: Path, rounds: int, tokens: int, options: Any, as_json: bool) -> int:
    """Let a model work at the bench: findings, an answer, a check, again. Stopped at any time, the same command goes on.

    What the model says is data: it changes the author's files alone and passes the same checks as everything else. Each exchange is
    kept in rounds.jsonl. Cases of policies come from calls that are not shown the rule.

    \b
    Examples:
      worldwright author model openai:gpt-4.1 --folder purchasing
      worldwright author model openai:qwen3-32b --base-url http://localhost:8000/v1 --rounds 6
    """
    from worldwright.cli.jobs.author import run_model

    with require_extra("anchor"):
        from worldwright.author.folder import find_bench

    return run_model(find_bench(folder), model, options, rounds, tokens, as_json)


@command.command(short_help="Print the guide for authors.")
@text_option("--chapter", metavar="TITLE", help="Only this chapter.")
def guide(chapter: str) -> None:
    """Print the guide for authors: the language by example, and how to work at the bench.

    \b
    Examples:
      worldwright author guide
      worldwright author guide --chapter policies
    """
    with require_extra("anchor"):
        from worldwright.author.verbs import read_guide

    click.echo(read_guide(chapter))
