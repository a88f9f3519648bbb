"""Budget caps: what is made or approved for one customer, project or department in a period has an upper bound.

Caps are rows of their own, set in the past by what was usual then, so they fit the business whatever its amounts are. The new
amount counts together with what is there already: whoever looks at the amount alone is wrong. Where people say the amount, it lies
on both sides of what is left. Tools let it through: what they refuse, trying finds out, and nobody has to read.
"""

from __future__ import annotations

from collections.abc import Callable

from worldwright.blueprint import checked as c
from worldwright.blueprint.checked import Checked
from worldwright.blueprint.model import (
    Blueprint,
    CaseSpec,
    EntitySpec,
    FlowSpec,
    InputSpec,
    OperationSpec,
    PolicySpec,
    StatementSpec,
    StepSpec,
)
from worldwright.core.days import add_days
from worldwright.core.names import to_words
from worldwright.english.nouns import article, indefinite, plural
from worldwright.variants.drafting.bookings import Booking, find_bookings
from worldwright.variants.drafting.goal_calls import (
    add_entries,
    find_searches,
    first_with_several,
    name_entity,
    path_in_goal,
    pick_free_name,
    write_path,
)
from worldwright.variants.layer import Draft, Layer

NAME = "budget_caps"
MAX_RULES = 2
SHARES = {"default": 1.0, "strict": 0.75, "lenient": 1.3}
"""How much of a cap may be used under each set of rules."""
TYPICAL_GROUPS = 40
"""How many there are of something that only the past makes."""
CAPPED_SHARE = 0.7
"""Caps for each group there is, spread over the past."""
LOOKBACK_DAYS = 60
"""Days whose amounts say how large a new cap is."""


def _lay(checked: Checked) -> Draft | None:
    return first_with_several(checked, find_bookings(checked, NAME), MAX_RULES, _drafted)


def _drafted(checked: Checked, places: list[Booking]) -> Draft:
    bp = checked.blueprint
    parts: list[str] = []
    for place in places:
        name = pick_free_name(
            (*bp.policies, *bp.entities), f"{place.entity}_cap"[:40], f"cap_on_{place.operation}"[:40]
        )
        way = pick_free_name(
            (*checked.schema.entities[place.holder].ways, *bp.entities[place.holder].fields), f"{name}s"
        )
        bp = add_entries(
            bp,
            entities={name: _cap(bp, place, way)},
            policies={name: _policy(checked, place, name, way)},
            operations={
                **_operations(checked, place, name),
                place.operation: _obey_rule(bp.operations[place.operation], place, name),
            },
        )
        bp = _add_goals(_add_history(bp, checked, place, name, way), checked, place, way)
        parts += [f"policy:{name}", f"operation:find_{plural(name)}"]
        if not any(_is_complete_search(op, place) for op in find_searches(checked, place.entity)):
            look = pick_free_name(
                bp.operations, f"list_{plural(place.entity)}"[:50], f"list_dated_{plural(place.entity)}"[:50]
            )
            bp = add_entries(bp, operations={look: _search(checked, place)})
            parts.append(f"operation:{look}")
    return Draft(bp, tuple(parts))


# caps


def _cap(bp: Blueprint, place: Booking, way: str) -> EntitySpec:
    return EntitySpec(
        in_=bp.entities[place.entity].in_,
        says="An upper bound on what something comes to in a period.",
        key=pick_free_name((e.key for e in bp.entities.values()), "CAP-####", "LIM-####"),
        fields={"holder": f"{place.holder} as {way}", "cap": "money", "from_on": "date", "until_on": "date"},
    )


def _operations(checked: Checked, place: Booking, name: str) -> dict[str, OperationSpec]:
    bp, roles = checked.blueprint, checked.operations[place.operation].roles
    system, holder = bp.entities[place.entity].in_, name_entity(checked, place.holder)
    return {
        f"set_{name}": OperationSpec(
            in_=system,
            says=f"Set a cap on the {plural(name_entity(checked, place.entity))} of one {holder} from today on, "
            "by what was usual lately.",
            by=roles or ("anyone",),
            takes={
                "holder": place.holder,
                "share": InputSpec(
                    type="decimal(2)", min=0.1, max=5, says=f"Of what the last {LOOKBACK_DAYS} days came to."
                ),
                "until_on": "date",
            },
            does=(
                StatementSpec(require="until_on > today", else_="BAD_PERIOD", says="The cap has to end in the future."),
                StatementSpec(
                    let={"lately": _write_sum(checked, place, "holder", f"today - {LOOKBACK_DAYS}", "today")}
                ),
                StatementSpec(require="lately > 0", else_="NOTHING_LATELY", says="There is nothing to go by."),
                StatementSpec(
                    add=name,
                    with_={
                        "holder": "holder",
                        "cap": "round(lately * share, 0) + 1",
                        "from_on": "today",
                        "until_on": "until_on",
                    },
                    as_="made",
                ),
            ),
            gives="made",
        ),
        f"find_{plural(name)}": OperationSpec(
            in_=system,
            says=f"Search the caps on the {plural(name_entity(checked, place.entity))} of each {holder}.",
            by=("anyone",),
            search=name,
            filters=("holder", "from_on", "until_on"),
            sort=("-from_on",),
            shows=("holder", "cap", "from_on", "until_on"),
        ),
    }


def _add_history(bp: Blueprint, checked: Checked, place: Booking, name: str, way: str) -> Blueprint:
    """Add a past in which caps were set: somewhat less or more than what it came to lately."""
    roles = checked.operations[place.operation].roles or tuple(bp.roles)
    many = checked.schema.entities[place.holder].rows or TYPICAL_GROUPS
    weekly = min(20.0, max(0.2, round(CAPPED_SHARE * many * 7 / max(28, checked.span_days), 2)))
    lately = _write_sum(checked, place, "g", f"today - {LOOKBACK_DAYS}", "today")
    step = StepSpec(
        do=f"set_{name}",
        by=roles[0] if roles else "",
        with_={
            "holder": f"any(g for g in {place.holder} if {lately} > 0 and not exists(k for k in g.{way}))",
            "share": "pick(0.4, 0.7, 1.0, 1.3)",
            "until_on": "today + 400",
        },
    )
    flows = {
        **bp.history.flows,
        pick_free_name(bp.history.flows, f"setting_{name}"): FlowSpec(per_week=weekly, steps=(step,)),
    }
    return bp.model_copy(update={"history": bp.history.model_copy(update={"flows": flows})})


# the rule


def _policy(checked: Checked, place: Booking, name: str, way: str) -> PolicySpec:
    kind = "".join(f" with `{to_words(k)}` {to_words(v)}" for k, v in place.only)
    things, holder = f"{plural(name_entity(checked, place.entity))}{kind}", name_entity(checked, place.holder)
    used = _write_sum(checked, place, "booked_for", "k.from_on", "k.until_on")
    return PolicySpec(
        about={"booked_for": place.holder, "amount": "money"},
        rule=f"all({used} + amount <= round(k.cap * share, 2) for k in booked_for.{way} if k.from_on <= today <= k.until_on)",
        parameters={"share": dict(SHARES)},
        says=(
            f"Where {indefinite(name)} is in force for {article(holder)}, its {things} whose `{to_words(place.dated)}` lies in the "
            f"time of the cap come to no more than {{share:percent}} of it together. The `{to_words(place.counted)}` of each "
            f"counts, whatever became of it, and so does that of the one which `{to_words(place.operation)}` is about to add."
        ),
        enforced="agent",
        code="OVER_CAP",
        cases=_cases(checked, place, way),
    )  # fmt: skip


def _write_sum(checked: Checked, place: Booking, group: str, first: str, last: str) -> str:
    """Write what counts for a group from one day to another, as an expression."""
    way = _way(checked, place)
    date = f"day(b.{place.dated})" if place.moment else f"b.{place.dated}"
    tests = [f"{date} >= {first}", f"{date} <= {last}", *(f"b.{k} == '{v}'" for k, v in place.only)]
    tests = tests if way else [f"b.{place.group.name} == {group}", *tests]
    return f"sum(b.{place.counted} for b in {f'{group}.{way}' if way else place.entity} if {' and '.join(tests)})"


def _way(checked: Checked, place: Booking) -> str:
    ways = checked.schema.entities[place.holder].ways
    return next((w for w, way in ways.items() if (way.entity, way.column) == (place.entity, place.group.name)), "")


def _cases(checked: Checked, place: Booking, caps: str) -> tuple[CaseSpec, ...]:
    way, today = _way(checked, place), checked.schema.now[:10]
    key, own = (f"booked_for.{way}", {}) if way else (place.entity, {place.group.name: "booked_for"})
    since, until = add_days(today, -10), add_days(today, 10)

    def case(ago: int, amount: float, last: str | None = until) -> dict[str, object]:
        day = add_days(today, -ago)
        dated = f"{day}T08:00:00Z" if place.moment else day
        row = {place.counted: 60, place.dated: dated, **dict(place.only), **own}
        cap = {"cap": 100, "from_on": since, "until_on": last}
        return {"today": today, key: [row], f"booked_for.{caps}": [cap], "amount": amount}

    return (
        CaseSpec(allowed=case(3, 40)),
        CaseSpec(forbidden=case(3, 40.01)),
        CaseSpec(forbidden=case(10, 40.01)),
        CaseSpec(allowed=case(11, 40.01)),
        CaseSpec(allowed=case(3, 40.01, add_days(today, -1))),
        CaseSpec(forbidden=case(3, 15.01), variant="strict"),
        CaseSpec(allowed=case(3, 70), variant="lenient"),
    )


def _obey_rule(op: OperationSpec, place: Booking, name: str) -> OperationSpec:
    """Put the rule right before what the operation makes or decides."""
    rule = StatementSpec(obey={name: {"booked_for": place.written, "amount": place.amount}})
    row = place.amount.rpartition(".")[0]

    def here(s: StatementSpec) -> bool:
        return s.add == place.entity if place.makes else s.set is not None and f"{row}.{place.dated}" in s.set

    return op.model_copy(update={"does": _insert_rule(op.does, rule, here)})


def _insert_rule(
    does: tuple[StatementSpec, ...], rule: StatementSpec, here: Callable[[StatementSpec], bool]
) -> tuple[StatementSpec, ...]:
    out: list[StatementSpec] = []
    for s in does:
        inner = {"do": _insert_rule(s.do, rule, here), "otherwise": _insert_rule(s.otherwise, rule, here)}
        out += [rule, s] if here(s) else [s.model_copy(update=inner) if s.do or s.otherwise else s]
    return tuple(out)


# what is asked, and what is seen


def _add_goals(bp: Blueprint, checked: Checked, place: Booking, way: str) -> Blueprint:
    """Add goals that say the amount: as before, or near what is left of a cap."""
    goals = dict(bp.goals)
    for call in place.calls:
        node = call.args.get(place.amount)
        said = write_path(node) if node is not None else None
        group = path_in_goal(call, place.written)
        if group is None or said is None or said not in goals[call.goal].states:
            continue
        spec = goals[call.goal]
        kind, mark, usual = spec.states[said].partition("~")
        caps = f"k in {group}.{way} if k.from_on <= today <= k.until_on"
        left = f"coalesce(min(k.cap - {_write_sum(checked, place, group, 'k.from_on', 'k.until_on')} for {caps}), money(1))"
        edge = f"max(money(1), round({left} * pick(0.5, 1.0, 1.25), 2)) + pick(money(0), money(0.01))"
        drawn = f"{kind}{mark} ({usual.strip()}) if chance(0.3) or not exists(k for {caps}) else {edge}"
        goals[call.goal] = spec.model_copy(update={"states": {**spec.states, said: drawn}})
    return bp.model_copy(update={"goals": goals})


def _is_complete_search(op: c.Operation, place: Booking) -> bool:
    """Return whether a search finds everything that counts for a group, and shows it."""
    read = op.read
    if not isinstance(read, c.Search) or op.roles or read.where is not None:
        return False
    shows = {name for name, _ in read.shows}
    wanted = {place.counted, place.dated, *(name for name, _ in place.only)}
    return any(f.column == place.group.name for f in read.filters) and (not shows or wanted <= shows)


def _search(checked: Checked, place: Booking) -> OperationSpec:
    only = tuple(name for name, _ in place.only)
    return OperationSpec(
        in_=checked.blueprint.entities[place.entity].in_,
        says=f"List {plural(name_entity(checked, place.entity))} by {to_words(place.group.name)} and day, the newest first.",
        by=("anyone",),
        search=place.entity,
        filters=(place.group.name, place.dated, *only),
        sort=(f"-{place.dated}",),
        shows=(place.group.name, place.counted, place.dated, *only),
    )


LAYER = Layer(
    "rules",
    "what is made or approved for one customer or department in a period has an upper bound, counting what is there already",
    "caps on what a period may cost",
    _lay,
)
