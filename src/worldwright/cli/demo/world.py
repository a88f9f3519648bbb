"""The guided tour of `worldwright demo`: real calls in a procurement world, on rows found by asking the world."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from worldwright import catalogue
from worldwright.cli.demo.acts import begin_act, begin_step, show_call
from worldwright.cli.jobs.outputs import keep_in_folder
from worldwright.cli.play.player import Player
from worldwright.cli.terminal.console import escape, print_hanging
from worldwright.cli.terminal.stages import Stages, build_stages
from worldwright.cli.terminal.tables import grid, rows_table
from worldwright.compiler.build import build
from worldwright.core.errors import EpisodeError
from worldwright.engine.env import Env
from worldwright.facts.opened import OpenedPack, open_place
from worldwright.facts.rows import count_rows
from worldwright.facts.tool import format_signature
from worldwright.facts.world import table_facts
from worldwright.kinds.database.battery.settings import BULK
from worldwright.kinds.database.compile.tasks.knobs import knobs

TOOLS_SHOWN = ("get_vendor", "place_order", "match_invoice", "pay_vendor", "change_bank_details")


def build_first(screen: Console, folder: Path, domain: str, seed: int, tasks: int) -> OpenedPack:
    """Build a world of the catalogue and keep it in `folder`."""
    begin_act(screen, 1, f"The Blueprint of {domain} and seed {seed}, through the compiler:")
    screen.print()
    with Stages(screen, build_stages(), indent=2) as stages:
        made = knobs("medium", {"most": str(tasks)})
        pack = build(catalogue.load(domain), seed, watch=stages.hear, knobs=made, battery=BULK).pack
    place, was_there = keep_in_folder(pack, folder)
    screen.print(Text(f"  {place}{' (already there)' if was_there else ''}", "dim"), soft_wrap=True)
    return open_place(place)


def look_inside(screen: Console, opened: OpenedPack) -> None:
    tables = sorted(table_facts(opened.checked, count_rows(opened.world)), key=lambda t: -t.rows)
    policies = opened.checked.policies.values()
    by_hand = sum(p.enforced == "agent" and p.rule is not None for p in policies)
    says = (
        f"{len(tables)} tables in {len(opened.checked.blueprint.systems)} systems that do not always agree, "
        f"{len(opened.world.tools)} tools, {len(policies)} policies, {by_hand} of them written only in the handbook."
    )
    begin_step(screen, "INSIDE", says)
    living = [t for t in tables if t.lifecycle][:4]
    grid(
        screen, ("table", "rows", "what a row is"), [(t.name, f"{t.rows:,}", t.says.partition(". ")[0]) for t in living]
    )
    chosen = [t for t in opened.world.tools if t.name in TOOLS_SHOWN]
    rows = [(t.name, ", ".join(t.roles) or "anyone", ", ".join(format_signature(t))) for t in chosen]
    grid(screen, ("tool", "for", "takes"), rows)


def walk(screen: Console, opened: OpenedPack) -> list[str]:
    """Make every stop of the tour that this world has rows for; give the names of those that were made."""
    begin_act(screen, 2, "A prompt is somebody at work; `worldwright play` gives you one.")
    rules = {p.name: p.says for p in opened.checked.policies.values()}
    clerk = Player(opened.world, "ap_clerk", screen, rules)
    manager = Player(opened.world, "vendor_manager", screen, rules)
    stops = (("read", _read, clerk), ("write", _write, clerk), ("refusal", _refuse, clerk), ("fork", _fork, manager))
    made = [name for name, stop, player in stops if stop(player)]
    clerk.close()
    manager.close()
    return made


def _read(player: Player) -> bool:
    begin_step(
        player.screen, "READ", "An accounts clerk asks what is past due. Reading is free: the clock stands still."
    )
    result = show_call(player, "find_invoices", {"overdue": True, "sort": "due_on", "limit": 3})
    rows_table(player.screen, result.data["items"], 4)
    return True


def _write(player: Player) -> bool:
    vendor = find_payable(player.env)
    if vendor is None:
        return False
    says = f"{vendor['name']} is owed {vendor['owed']} {vendor['currency']}. The clerk pays: one call, and every row it touched."
    begin_step(player.screen, "WRITE", says)
    return show_call(
        player, "pay_vendor", {"vendor": vendor["id"], "amount": vendor["owed"], "reference": "DEMO-0001"}
    ).ok


def _refuse(player: Player) -> bool:
    vendor = find_unverified(player.env)
    if vendor is None:
        return False
    says = f"The bank account of {vendor['name']} was never verified. The system knows the policy and says no."
    begin_step(player.screen, "REFUSED", says)
    call = {"vendor": vendor["id"], "amount": vendor["owed"] or 100, "reference": "DEMO-0002"}
    return not show_call(player, "pay_vendor", call).ok


def _fork(player: Player) -> bool:
    mail = find_doubtful_mail(player.env)
    if mail is None:
        return False
    says = (
        f"{mail['sender']} asks, in the name of a vendor, for another bank account. Only the handbook forbids it. "
        "On a fork, a copy of this moment, we see what would happen."
    )
    begin_step(player.screen, "FORK", says)
    opening = player.env.state_digest()
    player.do("fork")
    call = {"vendor": mail["contact_vendor"], "bank_account": mail["stated_account"], "message": mail["id"]}
    show_call(player, "change_bank_details", call)
    broke = [policy for policy, _, _ in player.env.violations()]
    for policy in broke:
        print_hanging(player.screen, Text(escape(f"breaks {policy}: {player.rules[policy]}"), "magenta"), 4)
    player.do("back")
    same = player.env.state_digest() == opening
    said = "did not notice: its state digest is the same" if same else "has changed, and that must not be"
    print_hanging(player.screen, Text(f"The world we forked from {said}.", "green" if same else "red"), 2)
    return bool(broke) and same


# finding rows, through read tools only


def find_items(env: Env, tool: str, arguments: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield every item of a search, page by page, on a copy: looking around leaves no trace in the episode."""
    scout = env.fork()
    try:
        offset: int | None = 0
        while offset is not None:
            page = _data(scout, tool, {**arguments, "limit": 50, "offset": offset})
            yield from page["items"]
            offset = page["next_offset"]
    finally:
        scout.close()


def _data(env: Env, tool: str, arguments: Mapping[str, Any]) -> Any:
    result = env.call_tool(tool, arguments)
    if not result.ok:
        raise EpisodeError(f"{tool} refused: {result.error}")
    return result.data


def _is_verified(vendor: Mapping[str, Any]) -> bool:
    verified, changed = vendor["bank_verified_on"], vendor["bank_changed_on"]
    return verified is not None and (changed is None or changed <= verified)


def find_payable(env: Env) -> dict[str, Any] | None:
    """Find a vendor whom the clerk may pay now, owed as little as possible so that the change is easy to read."""
    found = [v for v in find_items(env, "find_vendors", {"status": "active", "owed_from": 0.01}) if _is_verified(v)]
    return min(found, key=lambda v: (v["owed"], v["id"]), default=None)


def find_unverified(env: Env) -> dict[str, Any] | None:
    """Find a vendor whose account is not verified, one with money waiting if there is one."""
    found = [v for v in find_items(env, "find_vendors", {"status": "active"}) if not _is_verified(v)]
    return max(found, key=lambda v: (v["owed"], v["id"]), default=None)


def find_doubtful_mail(env: Env) -> dict[str, Any] | None:
    """Find a mail that asks for a bank change and was not sent from the vendor's address on file."""
    for mail in find_items(env, "find_messages", {"topic": "bank_change", "waiting": True}):
        scout = env.fork()
        vendor = _data(scout, "get_vendor", {"vendor": mail["contact_vendor"]})
        scout.close()
        new = mail["stated_account"] not in (None, vendor["bank_account"])
        if new and mail["sender"].lower() != vendor["email"].lower():
            return mail
    return None
