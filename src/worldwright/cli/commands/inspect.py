"""`worldwright inspect`: show a world: tables, tools, rules, tasks, tool graph."""

from __future__ import annotations

from typing import Any

import click

from worldwright.cli.inputs.options import WHOLE_GRAPH, json_option


@click.command(name="inspect")
@click.argument("pack")
@click.option("--table", metavar="NAME", help="One table: columns with types and sorts, and rows.")
@click.option("--tool", metavar="NAME", help="One tool: arguments, effects, guards, and its source.")
@click.option("--policies", is_flag=True, help="The policies in full.")
@click.option(
    "--graph",
    is_flag=False,
    flag_value=WHOLE_GRAPH,
    metavar="[TOOL]",
    help="The tool graph by sub-domain; with a tool, its edges and the executions that prove them.",
)
@click.option("--rows", type=click.IntRange(0, 1000), help="Sample rows per table (2; with --table 5).")
@json_option()
def command(**given: Any) -> None:
    """Show what a world is: its tables, tools, policies, lifecycles, tasks, rows and mess.

    PACK is a folder, an archive, or a reference in the store.

    \b
    Examples:
      worldwright inspect enterprise_procurement
      worldwright inspect enterprise_procurement:latest/default-7 --table purchase_order --rows 10
      worldwright inspect out/enterprise_procurement-8f31c2 --tool place_order
      worldwright inspect enterprise_procurement --policies
      worldwright inspect enterprise_procurement --graph
      worldwright inspect enterprise_procurement --graph place_order
      worldwright inspect enterprise_procurement --json
    """
    from worldwright.cli.jobs.inspect import run_inspect

    run_inspect(**given)
