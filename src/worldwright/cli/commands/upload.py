"""`worldwright upload`: turn an API, a schema, documents or data into an anchor."""

from __future__ import annotations

from typing import Any

import click
from rich.text import Text

from worldwright.cli.extras import require_extra
from worldwright.cli.inputs.agent import agent_options
from worldwright.cli.inputs.options import force_option, json_option, text_option
from worldwright.cli.terminal.console import Screen, escape, print_hanging
from worldwright.cli.terminal.messages import print_json
from worldwright.cli.terminal.stages import UPLOAD_STAGES, Stages
from worldwright.cli.terminal.tables import show_next

NAMES = {
    "prompt": "prompt", "prd": "PRD", "docs": "docs", "repo": "repo", "mcp": "MCP", "openapi": "OpenAPI", "sql": "SQL",
    "data": "data", "any": "files",
}  # fmt: skip
MAX_WARNINGS = 5


@click.command(name="upload")
@click.argument("paths", nargs=-1)
@click.option("--prompt", multiple=True, metavar="TEXT", help="What it is about, in your words.")
@click.option("--prd", multiple=True, metavar="PATH", help="Requirements: Markdown, text, HTML, DOCX or PDF.")
@click.option("--docs", multiple=True, metavar="PATH", help="Other documents, or a folder of anything.")
@click.option(
    "--repo", multiple=True, metavar="PATH|URL", help="A repository: a folder, an archive, or an address for git."
)
@click.option(
    "--mcp", multiple=True, metavar="FILE|URL", help="A saved tools/list answer, a settings file, or a live server."
)
@click.option(
    "--mcp-command", "commands", multiple=True, metavar="COMMAND", help="A command that starts an MCP server to ask."
)
@click.option(
    "--ask",
    "servers",
    multiple=True,
    metavar="SERVER",
    help="A server of the settings file to start and ask; `all` for each.",
)
@click.option("--openapi", multiple=True, metavar="PATH", help="OpenAPI 2.0, 3.0 or 3.1; a folder where it is split.")
@click.option("--sql", multiple=True, metavar="PATH", help="DDL, with or without INSERTs, of any of five dialects.")
@click.option("--data", multiple=True, metavar="PATH", help="CSV, JSON, JSONL, Parquet or SQLite.")
@text_option("--name", metavar="NAME", help="The name of the domain; else it follows from the inputs.")
@click.option(
    "--focus", multiple=True, metavar="WORD", help="Only what is about this: a noun, a tag, a path, an operation."
)
@text_option("--onto", metavar="DOMAIN", help="Lay the operations over a business of the catalogue.")
@click.option("--anonymise", is_flag=True, help="Replace personal data before anything is stored.")
@text_option("--author", metavar="openai:MODEL", help="Let a model make the draft deep, at a bench in the folder NAME.")
@click.option("--rounds", type=click.IntRange(1), default=12, help="Rounds that the author may take.")
@click.option("--tokens", type=click.IntRange(1), default=2_000_000, help="Tokens that the author may read and write.")
@agent_options("author")
@force_option("Replace an anchor of the same name.")
@click.option("--timeout", default=30.0, metavar="SECONDS", help="How long a live server may take.")
@json_option("The summary of the lock as one JSON document.")
def command(
    paths: tuple[str, ...],
    prompt: tuple[str, ...],
    prd: tuple[str, ...],
    docs: tuple[str, ...],
    repo: tuple[str, ...],
    mcp: tuple[str, ...],
    commands: tuple[str, ...],
    servers: tuple[str, ...],
    openapi: tuple[str, ...],
    sql: tuple[str, ...],
    data: tuple[str, ...],
    name: str,
    focus: tuple[str, ...],
    onto: str,
    anonymise: bool,
    author: str,
    rounds: int,
    tokens: int,
    options: Any,
    force: bool,
    timeout: float,
    as_json: bool,
) -> int | None:
    """Lock evidence as an anchor: what was given, the worlds that follow from it, and why.

    PATHS are files or folders that tell by themselves what they are. Every option may be repeated; all inputs together make one
    anchor. Nothing is run, and nothing is fetched except from addresses and servers that you name. Same inputs, same lock.

    \b
    Examples:
      worldwright upload erp.yaml
      worldwright upload --openapi erp.yaml --sql schema.sql --prd workflows.pdf --name purchasing
      worldwright upload --mcp tools.json --onto enterprise_procurement
      worldwright upload --mcp mcp.json --ask crm
      worldwright upload --mcp-command "npx -y some-server" --data exports/ --anonymise
      worldwright upload --prd leave_policy.pdf --author openai:gpt-4.1
    """
    from worldwright.cli.inputs.evidence import collect_inputs
    from worldwright.cli.jobs.outputs import check_store
    from worldwright.facts.anchor import summarise_lock
    from worldwright.store.anchors import Anchors

    with require_extra("anchor"):
        from worldwright.anchor.lock.build import AnchorOptions, build_anchor, derive_anonymising_key

    by_kind = {
        "prompt": prompt,
        "prd": prd,
        "docs": docs,
        "repo": repo,
        "mcp": mcp,
        "openapi": openapi,
        "sql": sql,
        "data": data,
    }
    named = [(kind, value) for kind, values in (*by_kind.items(), ("any", paths)) for value in values]
    if not named and not commands:
        raise click.UsageError("name what to upload: a path, or one of the options (see --help)")
    if author:
        from worldwright.cli.jobs.author import read_model

        read_model(author, options)
    check_store()
    order = ("read", "anonymise", *UPLOAD_STAGES[1:]) if anonymise else UPLOAD_STAGES
    with Stages(Screen(err=True), order) as stages:
        given = collect_inputs(named, servers, commands, timeout)
        asked = AnchorOptions(name, focus, onto, derive_anonymising_key(given) if anonymise else "")
        anchor = build_anchor(given, asked, stages)
    place = Anchors().put(anchor, replace=force)
    held = Anchors().read_lock(anchor.name)
    kept = held["digest"] != anchor.lock["digest"]
    document = {**summarise_lock(held), "path": str(place), "kept": kept}
    if as_json and not author:
        print_json(document)
    elif not as_json:
        _say(Screen(), document, list(dict.fromkeys(NAMES[g.kind] for g in given)))
        if kept:
            message = f"{anchor.name} is as its author left it; the draft that was just read is not stored (--force puts it there)"
            Screen().print(Text("! ", "bold yellow") + Text(escape(message)), soft_wrap=True)
    if not author:
        return None
    from worldwright.cli.jobs.author import author_anchor

    return author_anchor(anchor.name, author, options, rounds, tokens, as_json)


def _say(screen: Screen, found: dict[str, Any], kinds: list[str]) -> None:
    from worldwright.english.nouns import plural

    worlds = found["worlds"]
    done = Text("✓ ", "bold green")
    screen.print()
    screen.print(done + Text(f"anchor locked: {', '.join(kinds)}", "bold") + Text(f"  {found['digest'][:12]}", "dim"))
    for first in worlds[:1]:
        figures = ", ".join(f"{first[what]} {what}" for what in ("entities", "operations", "policies"))
        screen.print(done + Text(escape(f"domain model: {first['name']}, {figures}")))
        if first["hard"]:
            screen.print(done + Text(escape("complexity: " + ", ".join(first["hard"]))), soft_wrap=True)
    claims = found["claims"]
    screen.print(done + Text(f"claims: {claims['total']:,}, {claims.get('business', 0):,} of them about the business"))
    if len(worlds) > 1:
        listed = ", ".join(w["name"] for w in worlds[1:7]) + (" ..." if len(worlds) > 7 else "")
        print_hanging(
            screen,
            Text(escape(f"{len(worlds) - 1} more {plural('world') if len(worlds) > 2 else 'world'}: {listed}"), "dim"),
            2,
        )
    for kind, share in found["coverage"].items():
        if share["total"]:
            screen.print(Text(f"  {share['used']:,} of {share['total']:,} {kind} used", "dim"))
    for warning in found["warnings"][:MAX_WARNINGS]:
        print_hanging(screen, Text(escape(f"{warning['level']}: {warning['says']} ({warning['source']})"), "yellow"), 2)
    more = len(found["warnings"]) - MAX_WARNINGS
    if more > 0:
        screen.print(Text(f"  and {more} more; see `worldwright anchor show {found['anchor']}`", "yellow"))
    build = [f"generate --domain {w['name']}" for w in worlds[:1]] or [f"author {found['anchor']}"]
    show_next(screen, *build, f"anchor show {found['anchor']}")
