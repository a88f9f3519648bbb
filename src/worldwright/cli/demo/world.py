"""The guided tour of `worldwright demo`: real calls in a procurement world, on rows found by asking the world."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import Console
from rich.text import Text

from worldwright.cli.facts.rows import row_counts
from worldwright.cli.facts.world import table_facts
from worldwright.cli.inputs.pack import Opened
from worldwright.cli.play.call_line import CallLine, written_call
from worldwright.cli.play.player import Player
from worldwright.cli.terminal.console import hanging, plain
from worldwright.cli.terminal.tables import grid
from worldwright.cli.views.tool import signature
from worldwright.core.errors import EpisodeError
from worldwright.engine.env import Env

TOOLS_SHOWN = ("find_invoices", "get_vendor", "place_order", "match_invoice", "pay_vendor", "change_bank_details")


def chapter(screen: Console, title: str, says: str) -> None:
    screen.print()
    screen.print(Text(title, "bold cyan"))
    hanging(screen, Text(says), 2)
    screen.print()


def look_inside(screen: Console, opened: Opened) -> None:
    tables = sorted(table_facts(opened.checked, row_counts(opened.world)), key=lambda t: -t.rows)
    policies = opened.checked.policies.values()
    by_hand = sum(p.enforced == "agent" and p.rule is not None for p in policies)
    says = (
        f"{len(tables)} tables in {len(opened.checked.blueprint.systems)} systems that do not always agree, "
        f"{len(opened.world.tools)} tools, {len(policies)} policies, {by_hand} of them written only in the handbook."
    )
    chapter(screen, "INSIDE", says)
    living = [t for t in tables if t.lifecycle][:5]
    shown = [(t.name, f"{t.rows:,}", t.system, t.says) for t in living]
    grid(screen, ("table", "rows", "system", ""), shown, right={"rows"})
    screen.print()
    chosen = [t for t in opened.world.tools if t.name in TOOLS_SHOWN]
    rows = [(t.name, ", ".join(t.roles) or "anyone", ", ".join(signature(t))) for t in chosen]
    grid(screen, ("tool", "for", "takes"), rows)


def walk(screen: Console, opened: Opened) -> list[str]:
    """Every stop of the tour that this world has rows for; the names of those that were made."""
    rules = {p.name: p.says for p in opened.checked.policies.values()}
    clerk = Player(opened.world, "ap_clerk", screen, rules)
    manager = Player(opened.world, "vendor_manager", screen, rules)
    made = []
    stops = (("read", _read, clerk), ("write", _write, clerk), ("refusal", _refusal, clerk), ("fork", _fork, manager))
    for name, stop, player in stops:
        if stop(player):
            made.append(name)
    clerk.close()
    manager.close()
    return made


def _say_call(player: Player, tool: str, arguments: dict[str, Any]) -> Mapping[str, Any]:
    hanging(player.screen, Text(plain(f"{player.prompt}{written_call(tool, arguments)}"), "bold"), 2)
    return player.call(CallLine(tool, arguments))


def _read(player: Player) -> bool:
    chapter(player.screen, "READ", "An accounts clerk asks what is past due. Reading is free: the clock stands still.")
    _say_call(player, "find_invoices", {"overdue": True, "sort": "due_on", "limit": 4})
    return True


def _write(player: Player) -> bool:
    vendor = payable(player.env)
    if vendor is None:
        return False
    owed = f"{vendor['owed']} {vendor['currency']}"
    says = f"{vendor['name']} is owed {owed}. The clerk pays. One call, and every row it touched:"
    chapter(player.screen, "WRITE", says)
    call = {"vendor": vendor["id"], "amount": vendor["owed"], "reference": "DEMO-0001"}
    return bool(_say_call(player, "pay_vendor", call)["result"]["ok"])


def _refusal(player: Player) -> bool:
    vendor = unverified(player.env)
    if vendor is None:
        return False
    says = (
        f"The bank account of {vendor['name']} was never verified, or has changed since. "
        "The system knows the policy and says no; nothing changes."
    )
    chapter(player.screen, "REFUSED", says)
    call = {"vendor": vendor["id"], "amount": vendor["owed"] or 100, "reference": "DEMO-0002"}
    return not _say_call(player, "pay_vendor", call)["result"]["ok"]


def _fork(player: Player) -> bool:
    mail = doubtful_mail(player.env)
    if mail is None:
        return False
    says = (
        f"{mail['sender']} asks, in the name of a vendor, for another bank account. Only the handbook forbids it. "
        "On a fork, a copy of this moment, we see what would happen."
    )
    chapter(player.screen, "FORK", says)
    opening = player.env.state_digest()
    player.do("fork")
    call = {"vendor": mail["contact_vendor"], "bank_account": mail["stated_account"], "message": mail["id"]}
    _say_call(player, "change_bank_details", call)
    broke = bool(player.env.violations())
    player.do("back")
    same = player.env.state_digest() == opening
    said = "did not notice: its state digest is the same" if same else "has changed, and that must not be"
    hanging(player.screen, Text(f"The world we forked from {said}.", "green" if same else "red"), 2)
    return broke and same


# finding rows, through read tools only


def asked(env: Env, tool: str, arguments: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Every item of a search, page by page, on a copy: looking around leaves no trace in the episode."""
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


def _verified(vendor: Mapping[str, Any]) -> bool:
    verified, changed = vendor["bank_verified_on"], vendor["bank_changed_on"]
    return verified is not None and (changed is None or changed <= verified)


def payable(env: Env) -> dict[str, Any] | None:
    """A vendor whom the clerk may pay now, owed as little as possible so that the change is easy to read."""
    found = [v for v in asked(env, "find_vendors", {"status": "active", "owed_from": 0.01}) if _verified(v)]
    return min(found, key=lambda v: (v["owed"], v["id"]), default=None)


def unverified(env: Env) -> dict[str, Any] | None:
    """A vendor whose account is not verified, one with money waiting if there is one."""
    found = [v for v in asked(env, "find_vendors", {"status": "active"}) if not _verified(v)]
    return max(found, key=lambda v: (v["owed"], v["id"]), default=None)


def doubtful_mail(env: Env) -> dict[str, Any] | None:
    """A mail that asks for a bank change and was not sent from the vendor's address on file."""
    for mail in asked(env, "find_messages", {"topic": "bank_change", "waiting": True}):
        scout = env.fork()
        vendor = _data(scout, "get_vendor", {"vendor": mail["contact_vendor"]})
        scout.close()
        new = mail["stated_account"] not in (None, vendor["bank_account"])
        if new and mail["sender"].lower() != vendor["email"].lower():
            return mail
    return None
