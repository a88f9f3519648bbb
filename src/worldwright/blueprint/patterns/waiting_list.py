"""A waiting list: people wait for a place in something with limited places, and the next in line is offered one.

Adds
- the entity `entry`: who waits for a place in what, since when, with which priority. Its state is `waiting`, then
  `offered` a place, then `taken` or `lapsed`; whoever gives up, even with an offer in hand, has `left`. Where the place
  on offer falls away, the entry is `waiting` again, as long as before;
- the terms `comes_before(a, b)` (priority first, then who joined earlier), `next_waiting(place)` (the entry that is to be
  offered the next place, none where nobody may take one) and `place_in_line(entry)` (1 is the next);
- the policy `next_in_line` about an `entry`: a place is offered to the first in line who may take it;
- the policy `offer_window` about an `entry` and an `answer`: so long an offer holds, and not longer. Until then it can
  be taken and does not lapse; afterwards it lapses and cannot be taken;
- where `free` is given, the policy `place_to_offer` about a `place`: no more offers are out than there are places.

It adds no operation: yours join, offer, take, lapse and leave, and get the statements for that at their end. What
`joins` and `moves` say are expressions over what is in scope there.

```yaml
use:
  - waiting_list:
      in: desk
      who: student
      place: course_section
      priority: [graduating, major, other]
      eligible: [student.in_good_standing]
      free: seats_left
      window: {default: 48, strict: 24, lenient: 72}
      joins:
        ask_for_seat: {who: student, place: course_section, priority: claim}
      moves:
        offer_seat: [{to: offered, entry: entry}]
        answer_offer:
          - {to: taken, entry: entry, when: accepts}
          - {to: left, entry: entry, when: not accepts}
        withdraw_offer: [{to: lapsed, entry: entry}]
```
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationInfo, field_validator

from worldwright.blueprint.patterns import _write as write
from worldwright.blueprint.patterns._parts import HAS_DEFAULT, Enforced, FieldPath, Name, Parameters, refuse_own_names
from worldwright.core.names import to_words
from worldwright.english.nouns import indefinite, plural

OWN = ("priority", "rank", "joined_at", "offered_at", "ended_at", "status", "entry", "answer")
"""Fields of an entry, and what the policies speak of."""


class Join(Parameters):
    """The entry that an operation makes when it ends."""

    who: str = Field(description="Who joins.")
    place: str = Field(description="What they wait for.")
    priority: str = Field(default="", description="One of the words of `priority`.")
    with_: dict[Name, str] = Field(default={}, alias="with", description="The values of `fields`.")
    when: str = Field(default="", description="Only where this holds.")


class Move(Parameters):
    """What an operation does to an entry when it ends."""

    to: Literal["offered", "taken", "lapsed", "left", "waiting"] = Field(description="What becomes of the entry.")
    entry: str = Field(description="The entry.")
    when: str = Field(default="", description="Only where this holds.")


class Params(Parameters):
    in_: Name = Field(alias="in", description="The system that keeps the list.")
    entry: Name = Field(default="waiting_entry", description="The name of the entity of entries.")
    key: str = Field(default="WTL-#####", description="The ids of entries.")
    who: Annotated[Name, refuse_own_names(*OWN)] = Field(description="The entity of those who wait.")
    place: Annotated[Name, refuse_own_names(*OWN)] = Field(description="The entity that they wait for.")
    priority: tuple[Name, ...] = Field(
        default=(), description="The words for priority, the most pressing first; without them only the time counts."
    )
    fields: Annotated[dict[Name, Any], refuse_own_names(*OWN, named_by=("who", "place"))] = Field(
        default={}, description="More fields of an entry."
    )
    called: tuple[str, ...] = Field(default=(), description="How people refer to an entry.")
    eligible: tuple[FieldPath, ...] = Field(
        default=(),
        description="Bool fields of an entry, or paths from it, that must be true for an offer; others wait on.",
    )
    eligible_says: str = Field(
        default="",
        description="What `eligible` asks of somebody, in words that follow on `the first in line`, as `who is not on probation`.",
    )
    free: Name | None = Field(
        default=None, description="The place's whole-number field: places that nobody has taken, whatever is on offer."
    )
    window: Annotated[dict[str, Annotated[int, Field(ge=1)]], HAS_DEFAULT] = Field(
        default={"default": 48}, description="How long an offer holds; by variant."
    )
    unit: Literal["hours", "days", "business_days"] = Field(default="hours", description="What the window counts.")
    joins: dict[Name, Join] = Field(default={}, description="By operation, the entry that it makes when it ends.")
    moves: dict[Name, tuple[Move, ...]] = Field(default={}, description="By operation, what it does to entries.")
    next_enforced: Enforced = Field(default="agent", description="Who keeps the order of the line.")
    window_enforced: Enforced = Field(default="tool", description="Who keeps the window of an offer.")
    free_enforced: Enforced = Field(default="tool", description="Who keeps to the number of places.")

    @field_validator("joins")
    @classmethod
    def _priority_where_there_is_one(cls, joins: dict[str, Join], info: ValidationInfo) -> dict[str, Join]:
        known = bool(info.data.get("priority"))
        for operation, join in joins.items():
            if bool(join.priority) != known:
                problem = "needs a `priority`" if known else "has a `priority`, and there are no words for it"
                raise ValueError(f"`{operation}` {problem}")
        return joins


def expand(params: Params) -> dict[str, Any]:
    """The entity of entries, the terms, the policies, and the statements of operations."""
    policies = {"next_in_line": _next_in_line(params), "offer_window": _offer_window(params)}
    if params.free:
        policies["place_to_offer"] = _place_to_offer(params, params.free)
    return {
        "entities": {params.entry: _entry(params)},
        "terms": _terms(params),
        "policies": policies,
        "extend": {"operations": write.append_steps(params, (params.joins, _joining), (params.moves, _moving))},
    }


def _entry(params: Params) -> dict[str, Any]:
    who, place, way = params.who, params.place, plural(params.entry)
    fields: dict[str, Any] = {who: f"{who} as {way}", place: f"{place} as {way}"}
    if params.priority:
        ranks = {word: rank for rank, word in enumerate(params.priority)}
        _, last = ranks.popitem()
        fields["priority"] = write.field(
            f"one of {', '.join(params.priority)}", f"In this order: {', '.join(params.priority)}."
        )
        fields["rank"] = write.field(f"int = {write.choose('priority', ranks, last)}", "0 is the most pressing.")
    fields |= {
        "joined_at": "time",
        "offered_at": write.field("time?", "When a place was last offered."),
        "ended_at": "time?",
        "status": "state",
    } | params.fields
    return {
        "in": params.in_,
        "says": f"{indefinite(who).capitalize()} who waits for a place in {indefinite(place)}.",
        "key": params.key,
        "called": list(params.called) or f"the place in line that {{{who}.name}} has had since {{joined_at:day}}",
        "fields": fields,
        "lifecycle": {
            "waiting": ["offered", "left"],
            "offered": ["taken", "lapsed", "left", "waiting"],
            "taken": [],
            "lapsed": [],
            "left": [],
        },
    }


def _terms(params: Params) -> dict[str, Any]:
    earlier = "(a.joined_at < b.joined_at or (a.joined_at == b.joined_at and a.id < b.id))"
    before = f"a.rank < b.rank or (a.rank == b.rank and {earlier})" if params.priority else earlier
    line = f"place.{plural(params.entry)}"
    urgent = f" and e.rank == min(f.rank for f in {line} if {_may_take(params, 'f')})" if params.priority else ""
    return {
        "comes_before": {
            "about": {"a": params.entry, "b": params.entry},
            "is": before,
            "says": (
                "Priority first, then who joined earlier." if params.priority else "Who joined earlier comes first."
            ),
        },
        "next_waiting": {
            "about": {"place": params.place},
            "is": f"first((e for e in {line} if {_may_take(params, 'e')}{urgent}), by=e.joined_at)",
            "says": f"Who is to be offered the next place in {indefinite(params.place)}.",
        },
        "place_in_line": {
            "about": {"entry": params.entry},
            "is": f"1 + count({_ahead(params)})",
            "says": "1 for the next in line; those who may not take a place are not counted.",
        },
    }


def _may_take(params: Params, var: str) -> str:
    return " and ".join([f"{var}.status == 'waiting'", *(f"{var}.{path}" for path in params.eligible)])


def _ahead(params: Params) -> str:
    line = f"entry.{params.place}.{plural(params.entry)}"
    return f"o for o in {line} if o != entry and {_may_take(params, 'o')} and comes_before(o, entry)"


def _next_in_line(params: Params) -> dict[str, Any]:
    order = "by priority and then by time" if params.priority else "by time"
    flags = " and ".join(f"`{path}`" for path in params.eligible)
    fit = f" {params.eligible_says or f'for whom {flags} is true'}" if params.eligible else ""
    only = " Nothing else keeps anybody from being the next." if params.eligible else ""
    eligible = "".join(f"entry.{path} and " for path in params.eligible)
    return {
        "about": {"entry": params.entry},
        "rule": f"{eligible}not exists({_ahead(params)})",
        "says": f"A place in {indefinite(params.place)} is offered to the first in line{fit}, {order}.{only} "
        "Nobody is passed over.",
        "enforced": params.next_enforced,
        "code": "NOT_NEXT_IN_LINE",
        "cases": _line_cases(params),
    }


def _line_cases(params: Params) -> list[write.Statement]:
    cases = [
        {"allowed": _line(params, (0, 12), [])},
        {"allowed": _line(params, (0, 12), [(0, 13, "waiting")])},
        {"forbidden": _line(params, (0, 12), [(0, 11, "waiting")])},
        {"allowed": _line(params, (0, 12), [(0, 11, "left"), (0, 10, "taken")])},
    ]
    if len(params.priority) > 1:
        cases += [
            {"allowed": _line(params, (0, 12), [(1, 11, "waiting")])},
            {"forbidden": _line(params, (1, 12), [(0, 13, "waiting")])},
        ]
    if params.eligible:
        cases += [
            {"allowed": _line(params, (0, 12), [(0, 11, "waiting")], barred="others")},
            {"forbidden": _line(params, (0, 12), [], barred="entry")},
        ]
    return cases


def _line(params: Params, own: tuple[int, int], others: list[tuple[int, int, str]], barred: str = "") -> dict[str, Any]:
    """An entry of that rank that joined on that day, and others with rank, day and state in the same line."""
    given = {f"entry.{name}": value for name, value in _row(params, *own, "waiting", barred != "entry").items()}
    rows = [_row(params, *other, barred != "others") for other in others]
    given[f"entry.{params.place}.{plural(params.entry)}"] = rows
    return given


def _row(params: Params, rank: int, day: int, status: str, eligible: bool) -> dict[str, Any]:
    row: dict[str, Any] = {"joined_at": f"2025-03-{day:02d}T10:00:00Z", "status": status}
    if params.priority:
        row |= {"rank": rank, "priority": params.priority[rank]}
    return row | dict.fromkeys(params.eligible, eligible)


def _offer_window(params: Params) -> dict[str, Any]:
    length = params.window["default"]
    if params.unit == "hours":
        last, over = length, length + 1
        holds, spoken = "now <= add_hours(entry.offered_at, window)", "{window:int} hours"
    elif params.unit == "days":
        last, over = 24 * length, 24 * (length + 1)
        holds, spoken = "today <= day(entry.offered_at) + window", "{window:days}"
    else:
        last, over = 1, 24 * (4 * length + 30)  # the last day itself depends on the holidays
        holds = "today <= add_business_days(day(entry.offered_at), window)"
        spoken = "{window:int} business days"
    in_time, too_late = _at(last), _at(over)
    return {
        "about": {"entry": params.entry, "answer": "one of taken, lapsed"},
        "rule": f"({holds}) == (answer == 'taken')",
        "parameters": {"window": dict(params.window)},
        "says": f"An offer of a place holds up to and including {spoken} after it was made. Until then it can be taken and "
        "does not lapse; after that it lapses and can no longer be taken.",
        "enforced": params.window_enforced,
        "code": "OFFER_WINDOW",
        "cases": [
            {"allowed": {**in_time, "answer": "taken"}},
            {"forbidden": {**in_time, "answer": "lapsed"}},
            {"allowed": {**too_late, "answer": "lapsed"}},
            {"forbidden": {**too_late, "answer": "taken"}},
        ],
    }


def _at(hours: int) -> dict[str, str]:
    """An offer that was made so many hours ago."""
    now = _OFFERED + timedelta(hours=hours)
    return {"entry.offered_at": f"{_OFFERED:{_TIME}}", "now": f"{now:{_TIME}}", "today": f"{now:%Y-%m-%d}"}


_OFFERED = datetime(2025, 3, 3, 10)
_TIME = "%Y-%m-%dT%H:%M:%SZ"


def _place_to_offer(params: Params, free: str) -> dict[str, Any]:
    line = f"place.{plural(params.entry)}"
    return {
        "about": {"place": params.place},
        "rule": f"place.{free} > count(e for e in {line} if e.status == 'offered')",
        "says": "A place is offered only where one is free that is not on offer to somebody else already.",
        "enforced": params.free_enforced,
        "code": "NO_PLACE_TO_OFFER",
        "cases": [
            {"allowed": {f"place.{free}": 1, line: [{"status": "waiting"}, {"status": "lapsed"}]}},
            {"forbidden": {f"place.{free}": 0, line: []}},
            {"allowed": {f"place.{free}": 2, line: [{"status": "offered"}]}},
            {"forbidden": {f"place.{free}": 1, line: [{"status": "offered"}]}},
        ],
    }


def _joining(params: Params, join: Join) -> list[write.Statement]:
    line = f"({join.who}).{plural(params.entry)}"
    values = {params.who: join.who, params.place: join.place, "joined_at": "now"} | join.with_
    if params.priority:
        values["priority"] = join.priority
    return [
        write.require(
            f"not exists(w for w in {line} if w.{params.place} == {join.place} and w.status in ('waiting', 'offered'))",
            "WAITING_ALREADY",
            f"They are on the list for that {to_words(params.place)} already.",
            unless_new=[join.who, join.place],
        ),
        {"add": params.entry, "with": values, "as": "new_in_line"},
    ]


def _moving(params: Params, move: Move) -> list[write.Statement]:
    entry, held = move.entry, {"offered": "('waiting',)", "left": "('waiting', 'offered')"}.get(move.to, "('offered',)")
    out: list[write.Statement] = [
        write.require(f"{entry}.status in {held}", "NOT_IN_LINE", f"{{{entry}.id}} is {{{entry}.status}}.")
    ]
    match move.to:
        case "offered":
            rules: list[write.Statement] = [{"next_in_line": {"entry": entry}}]
            if params.free:
                rules.append({"place_to_offer": {"place": f"{entry}.{params.place}"}})
            return [*out, {"obey": rules}, write.set_fields(entry, status="'offered'", offered_at="now")]
        case "waiting":
            return [*out, write.set_fields(entry, status="'waiting'", offered_at="none")]
        case "taken" | "lapsed":
            out.append({"obey": {"offer_window": {"entry": entry, "answer": f"'{move.to}'"}}})
    return [*out, write.set_fields(entry, status=f"'{move.to}'", ended_at="now")]
