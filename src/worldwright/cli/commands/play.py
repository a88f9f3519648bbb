"""`worldwright play`: call the tools of a world yourself, freely or in a task."""

from __future__ import annotations

from typing import Any

import click

from worldwright.cli.inputs.options import json_option


@click.command(name="play")
@click.argument("pack")
@click.option("--role", metavar="ROLE", help="Who you are (the first role of the world).")
@click.option("--task", "ref", metavar="TASK", help="A task to do, as the person who is asked.")
@click.option(
    "--asking", is_flag=True, help="With --task: the request leaves something out; ask whoever made it, in your words."
)
@click.option(
    "--call", "calls", multiple=True, metavar="'TOOL {json}'", help="Make this call and leave; may be repeated."
)
@click.option("--answer", metavar="JSON", help="With --task: submit this after the calls.")
@json_option("With --call or --answer: everything as one JSON document.")
def command(**given: Any) -> int:
    """Play in a world: call its tools, see what they give and what they change.

    At the prompt `help` lists the commands. A script can be piped in, one command per line. The pack is never changed.
    With --task you get a request, end with `submit`, and see the verdict; exit code 1 where it is not a pass, or where
    you leave without an answer.

    \b
    Examples:
      worldwright play enterprise_procurement --role buyer
      worldwright play enterprise_procurement --task task_007
      worldwright play hotel_booking --task 3 --asking
      worldwright play town_library --call 'find_members tier=gold limit=3'
      worldwright play town_library --call 'lend {"member": "MEM-0001", "copy": "CPY-0004"}' --json
      worldwright play town_library --task 2 --call 'find_members name=Abigail' --answer '{"outcome": "refused"}' --json
      printf 'find_loans overdue=true\\nclock\\n' | worldwright play town_library
    """
    from worldwright.cli.play.script import run_play

    return run_play(**given)
