"""`worldwright catalog`: list, search, compare and build the businesses that ship."""

from __future__ import annotations

from dataclasses import asdict
from difflib import get_close_matches

import click

from worldwright.cli import exits
from worldwright.cli.groups import NamedCommands
from worldwright.cli.inputs.options import json_option, seed_option
from worldwright.cli.terminal.console import Screen
from worldwright.cli.terminal.messages import print_json
from worldwright.cli.terminal.progress import Progress
from worldwright.core.errors import UsageError
from worldwright.core.names import suggest


class _Catalog(NamedCommands):
    """A group in which a domain alone means to show it."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        from worldwright import catalogue

        near = get_close_matches(args[0], (*self.commands, *catalogue.names()), n=1)
        named = not args[0].startswith("-") and not (near and near[0] in self.commands)
        return super().resolve_command(ctx, ["show", *args] if named else args)


@click.group(name="catalog", cls=_Catalog, invoke_without_command=True)
@json_option()
@click.pass_context
def command(ctx: click.Context, as_json: bool) -> None:
    """List the domains by category; show, search, compare and build them.

    \b
    Examples:
      worldwright catalog
      worldwright catalog enterprise_procurement
      worldwright catalog search refund
      worldwright catalog build --jobs 2
      worldwright catalog --json
    """
    from worldwright import catalogue
    from worldwright.catalogue import taxonomy
    from worldwright.cli.views.catalog import show_tree

    if ctx.invoked_subcommand is not None:
        return
    tree = taxonomy.read_taxonomy()
    if as_json:
        domains = [asdict(catalogue.read_entry(name)) for name in catalogue.names()]
        print_json({"categories": [asdict(c) for c in tree], "domains": domains})
    else:
        show_tree(Screen(), tree)


@command.command(short_help="Show one domain: entities, operations, rules, goals.")
@click.argument("name")
@json_option()
def show(name: str, as_json: bool) -> None:
    """Show one domain: its systems, entities, operations, rules, goals, and how deep it is.

    \b
    Examples:
      worldwright catalog show hotel_booking
      worldwright catalog show hotel_booking --json
    """
    from worldwright import catalogue
    from worldwright.blueprint.depth import measure_depth
    from worldwright.cli.views.catalog import show_domain
    from worldwright.facts.world import policy_facts, table_facts

    checked = catalogue.load(name)
    if not as_json:
        show_domain(Screen(), checked)
        return
    bp, measured = checked.blueprint, measure_depth(checked)
    print_json(
        {
            "name": bp.blueprint,
            "title": bp.title,
            "category": bp.category,
            "summary": " ".join(bp.summary.split()),
            "digest": checked.digest,
            "clock": checked.schema.now,
            "depth": {**asdict(measured), "business_share": round(measured.business_share, 4)},
            "systems": bp.systems,
            "roles": bp.roles,
            "entities": [asdict(t) | {"rows": checked.schema.entities[t.name].rows} for t in table_facts(checked, {})],
            "operations": [
                {"name": name, "system": o.system, "says": o.says, "roles": list(o.roles)}
                for name, o in checked.operations.items()
            ],
            "policies": [asdict(p) for p in policy_facts(checked)],
            "goals": {name: list(g.asks) for name, g in bp.goals.items()},
            "flows": list(checked.flows),
            "mess": [{"label": m.spec.label, "layer": m.spec.layer, "share": m.spec.share} for m in checked.mess],
        }
    )


@command.command(short_help="Find domains by words.")
@click.argument("words", nargs=-1, required=True)
@json_option()
def search(words: tuple[str, ...], as_json: bool) -> int:
    """Find domains by words: in their texts, operations, rules, and in what people ask.

    \b
    Examples:
      worldwright catalog search refund
      worldwright catalog search "waiting list"
    """
    from worldwright.catalogue.search import search as find
    from worldwright.cli.views.catalog import show_hits

    query = " ".join(words)
    hits = find(query)
    if as_json:
        print_json({"query": query, "domains": [asdict(h) for h in hits]})
    else:
        show_hits(Screen(), query, hits)
    return exits.OK if hits else exits.FAILED


@command.command(short_help="Measure how far apart the domains are, names taken away.")
@click.option("--all", "every", is_flag=True, help="Every pair, not only the nearest ones.")
@json_option("Every pair as one JSON document.")
def compare(every: bool, as_json: bool) -> None:
    """Compare the domains with all names taken away: 0 is a copy with other nouns, 1 nothing in common.

    \b
    Examples:
      worldwright catalog compare
      worldwright catalog compare --all
    """
    from worldwright import catalogue
    from worldwright.blueprint.likeness import marks, rank_pairs
    from worldwright.cli.views.catalog import show_pairs

    names = catalogue.names()
    known = {}
    with Progress(Screen(err=True), "domains", len(names)) as progress:
        for name in names:
            known[name] = marks(catalogue.load(name))
            progress.step(name)
    pairs = rank_pairs(known)
    if as_json:
        print_json({"pairs": [{"distance": round(d, 4), "one": a, "other": b} for d, a, b in pairs]})
    else:
        show_pairs(Screen(), pairs, every)


@command.command(short_help="Build, prove and test domains of the catalogue.")
@click.argument("names", nargs=-1)
@seed_option("Same seed, same worlds.", default=7)
@click.option("--jobs", type=click.IntRange(1, 256), default=2, help="Domains at a time.")
@click.option(
    "--resume", is_flag=True, help="Take packs of an earlier run from the store where the Blueprint is the same."
)
@json_option()
def build(names: tuple[str, ...], seed: int, jobs: int, resume: bool, as_json: bool) -> int:
    """Put domains through everything: check, compile, prove, seal, run their tests, hold them to what worlds promise.

    All of them where none is named. Packs are kept in the store under the tag `catalogue` as they are finished.

    \b
    Examples:
      worldwright catalog build
      worldwright catalog build hotel_booking motor_claims --seed 3
      worldwright catalog build --jobs 8 --resume --json
    """
    from worldwright import catalogue
    from worldwright.cli.views.catalog import show_rows
    from worldwright.factory.catalogue_bench import DomainResult, bench_domains, tag_pack

    known = catalogue.names()
    for name in names:
        if name not in known:
            raise UsageError(f"the catalogue has no domain `{name}`; {suggest(name, known)}")
    chosen = tuple(dict.fromkeys(names)) or known
    rows: list[DomainResult] = []
    with Progress(Screen(err=True), "domains", len(chosen)) as progress:
        for row in bench_domains(chosen, seed, jobs, resume):
            tag_pack(row, seed)
            rows.append(row)
            progress.step(row.name)
    rows.sort(key=lambda r: r.name)
    if as_json:
        print_json({"seed": seed, "domains": [r.data() for r in rows]})
    else:
        show_rows(Screen(), rows)
    return exits.OK if all(r.ok for r in rows) else exits.FAILED
