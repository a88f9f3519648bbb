"""`worldwright pull`: pull packs from an OCI registry into the store."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.text import Text

from worldwright.cli.extras import require_extra
from worldwright.cli.inputs.options import FOLDER, TAG, check_tag, json_option, plain_http_option, text_option
from worldwright.cli.terminal.console import Screen, escape
from worldwright.cli.terminal.messages import print_json
from worldwright.cli.terminal.progress import Progress
from worldwright.cli.terminal.tables import grid, show_next


@click.command(name="pull")
@click.argument("source", metavar="oci://HOST/NAME[:TAG|@DIGEST]")
@text_option("--tag", metavar="TAG", callback=check_tag, help="In the store; else the one that was pulled, or latest.")
@click.option("--out", metavar="DIR", type=FOLDER, help="Also write each as a folder in DIR.")
@plain_http_option
@json_option("What was pulled, as one JSON document.")
def command(source: str, tag: str, out: Path | None, plain_http: bool, as_json: bool) -> None:
    """Pull a pack, or a family of packs, and keep it in the store.

    Nothing that comes from a registry is believed: every blob is held against its digest, and every pack is checked as opening
    one does. Worlds that the store has are not fetched again, and a pull that was interrupted goes on where it was.

    Credentials are those of `docker login` and podman, or $WORLDWRIGHT_REGISTRY_USER and $WORLDWRIGHT_REGISTRY_PASSWORD.

    \b
    Examples:
      worldwright pull oci://registry.example.com/gyms/retail_returns:v1
      worldwright pull oci://registry.example.com/worlds/retail_returns-grader --tag v1 --json
      worldwright pull oci://127.0.0.1:5000/retail_returns@sha256:0123... --out packs
    """
    from worldwright.cli.jobs.outputs import check_store, check_writable, keep_in_folder
    from worldwright.facts.opened import open_named

    with require_extra("oci"):
        from worldwright.store.oci.pull import pull
        from worldwright.store.oci.reference import parse_reference
        from worldwright.store.oci.registry import Repository
    check_store()
    check_writable(out)
    at = parse_reference(source)
    chosen = tag or (at.tag if TAG.match(at.tag) else "latest")
    with Repository(at, plain_http) as repository, Progress(Screen(err=True), "packs", 0) as progress:
        pulled = pull(repository, chosen, lambda total, figures: progress.step(figures, total))
    rows = [{**asdict(p), "folder": None} for p in pulled.packs]
    if out is not None:
        for row in rows:
            row["folder"] = str(keep_in_folder(open_named(row["digest"]).pack, out)[0])
    document = {"source": str(at), "packs": rows, **pulled.moved.data()}
    if as_json:
        print_json(document)
    else:
        _say(Screen(), document)


def _say(screen: Screen, document: dict[str, Any]) -> None:
    rows = [
        (p["digest"][:12], escape(p["reference"]), p["folder"] or "", "was there" if p["was_there"] else "")
        for p in document["packs"]
    ]
    grid(screen, ("digest", "reference", "", ""), rows)
    screen.print(Text(f"  {document['bytes'] / 1e6:,.1f} MB in {document['blobs']} blobs fetched", "dim"))
    show_next(screen, f"verify {document['packs'][0]['reference']}")
