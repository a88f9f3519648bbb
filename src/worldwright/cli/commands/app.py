"""`worldwright app`: work in the software of a world, in a browser."""

from __future__ import annotations

import importlib
from typing import Any

import click

from worldwright.cli.extras import require_extra
from worldwright.cli.inputs.options import FILE, force_option, json_option

FACES = ("plain", "asking", "crowded", "crowded_asking")


@click.command(name="app")
@click.argument("pack", metavar="WORLD")
@click.option("--task", "ref", metavar="TASK", help="A task to do, as the person who is asked.")
@click.option("--role", metavar="ROLE", help="Without a task: who you are (the first role of the world).")
@click.option(
    "--face",
    type=click.Choice(FACES),
    default="plain",
    help="With --task: how it is shown; `asking`: ask the requester.",
)
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Where it listens; 0 for any free one.")
@click.option("--log", type=FILE, help="Keep what is done in this file, and go on from it where it is there.")
@force_option("With --log: start anew, and replace the file.")
@click.option("--no-open", is_flag=True, help="Only print the address; open no browser.")
@json_option("Say where it listens as one line of JSON.")
def command(**given: Any) -> int:
    """Serve the software that this business would have, and open it in a browser.

    It is made from the Blueprint: lists, records, forms, queues, an inbox, a calendar, the handbook. Every page that shows data is
    one call of a tool, and so is every form that is sent. With --task you get a request, end on the page `Finish`, and see the
    verdict. Without one you look around. The pack is never changed. Ctrl-C ends it; with --log it goes on where it was.

    \b
    Examples:
      worldwright app enterprise_procurement
      worldwright app enterprise_procurement --task task_007
      worldwright app broadband_support --task 3 --face asking
      worldwright app hotel_booking --role manager --port 8080 --no-open
      worldwright app motor_claims --task 12 --log claim.jsonl
    """
    with require_extra("app"):
        job = importlib.import_module("worldwright.cli.jobs.app")
    return int(job.run_app(**given))
