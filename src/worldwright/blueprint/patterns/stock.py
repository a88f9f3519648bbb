"""Stock: how much of an item is at a place, what is promised of it, and which lot goes first.

Use it where things are counted or measured, come in and go out: components, spare parts, food, medicines, packaging.
Every change is a move; what is there is the sum of the moves and never set by hand.

Adds
- the entity `level`, one row for each item, place and, with `lots`, lot: `opening`, what was there when the books began;
  `on_hand`, `reserved` and `available` (on hand less reserved), all kept; `held`, which your operations set where a level
  is not to be used. With `lots` also lot_code, received_on and expires_on;
- the entity `move`: the level, kind, quantity, moved_on, and what it is about. Kinds are received, issued, reserved,
  released (no longer reserved) and counted (a difference found by counting, with its sign);
- terms `free_of(item, place)` and `free_anywhere(item)`: what is available, neither held nor expired; with `lots`
  `goes_first(item, place)`, the lot to take from;
- policies about `level`: `enough_there` (about `quantity` too) and `not_held`, enforced by the tool; with `lots`
  `not_expired`, by the tool, and `right_lot_first`: no other lot of the item at that place has to go before. Your
  operations obey them;
- always `stock_not_negative` and `move_not_empty`;
- at the end of each operation under `posts`, the moves that it makes. What comes in or is counted makes its level where
  there is none.

Values are expressions over what is in scope where the operation ends.

```yaml
use:
  - stock:
      in: wms
      item: article
      place: depot
      level: batch
      level_key: BAT-####
      lots: true
      called: ["batch {lot_code}"]
      days_left: {default: 0, strict: 14}
      refers: {order: order}
      posts:
        take_in:
          - {kind: received, item: article, place: depot, lot: lot_code, expires_on: expires_on, quantity: pieces}
        take_out:
          - {kind: issued, level: batch, quantity: pieces, about: {order: order}}
# ...
- let: {level: batch, quantity: pieces}
- obey: [enough_there, not_held, not_expired, right_lot_first]
```
"""

from __future__ import annotations

from datetime import date, timedelta
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationInfo, field_validator

from worldwright.blueprint.patterns import _write as write
from worldwright.blueprint.patterns._parts import (
    HAS_DEFAULT,
    Enforced,
    Name,
    Parameters,
    refuse_own_names,
    require_referred,
)
from worldwright.core.names import to_words
from worldwright.english.nouns import article, indefinite, plural

Kind = Literal["received", "issued", "reserved", "released", "counted"]

MOVE_OWN = ("level", "kind", "quantity", "moved_on")
LEVEL_OWN = ("opening", "on_hand", "reserved", "available", "held", "lot_code", "received_on", "expires_on")
TODAY = date(2030, 3, 20)
"""The day on which cases play."""


class Post(Parameters):
    """One move that an operation makes when it ends."""

    kind: Kind = Field(description="received, issued, reserved, released or counted.")
    quantity: str = Field(description="How much; above zero unless counted.")
    level: str = Field(default="", description="The level row, where it is known.")
    item: str = Field(default="", description="The item row, where the level is looked up.")
    place: str = Field(default="", description="The place row, where the level is looked up.")
    lot: str = Field(default="", description="The code of the lot, where the level is looked up.")
    expires_on: str = Field(default="", description="The last day of a lot that comes in.")
    when: str = Field(default="", description="Only where this holds.")
    about: dict[str, str] = Field(default={}, description="The documents it is about, by the names of `refers`.")


class Params(Parameters):
    in_: Name = Field(alias="in", description="The system that keeps the stock.")
    item: Annotated[Name, refuse_own_names(*LEVEL_OWN)] = Field(description="The entity of what is kept.")
    place: Annotated[Name, refuse_own_names(*LEVEL_OWN)] = Field(description="The entity of where it is kept.")
    level: Name = Field(default="stock_level", description="The name of the entity of levels.")
    level_key: str = Field(default="STK-#####", description="The ids of levels.")
    move: Name = Field(default="stock_move", description="The name of the entity of moves.")
    move_key: str = Field(default="MOV-######", description="The ids of moves.")
    called: tuple[str, ...] = Field(default=(), description="How people refer to a level.")
    quantity: Literal["int", "decimal(1)", "decimal(2)", "decimal(3)"] = Field(
        default="int", description="How things are measured."
    )
    lots: bool = Field(default=False, description="Whether lots are told apart.")
    first: Literal["expiry", "received"] = Field(
        default="expiry", description="Which lot goes first, by the earliest such day."
    )
    first_enforced: Enforced = Field(default="agent", description="Who keeps `right_lot_first`.")
    days_left: Annotated[dict[str, Annotated[int, Field(ge=0, le=3650)]], HAS_DEFAULT] = Field(
        default={"default": 0}, description="How many days a lot must still be good for to be used; by variant."
    )
    rows: int = Field(default=0, ge=0, le=5_000, description="How many levels there are at the start.")
    opening: str = Field(default="between(5, 60)", description="How what is there at the start is drawn.")
    expires: str = Field(default="today + between(20, 400)", description="How the last day of such a lot is drawn.")
    drawn: dict[Name, str] = Field(
        default={},
        description="How other fields of such a level are drawn, by name, where any item at any place will not do.",
    )
    refers: Annotated[dict[Name, Name], refuse_own_names(*MOVE_OWN, named_by=("level",))] = Field(
        default={}, description="What a move may be about: a name, and an entity."
    )
    posts: Annotated[dict[str, tuple[Post, ...]], require_referred("moves")] = Field(
        default={}, description="What each operation moves when it ends."
    )

    @field_validator("drawn")
    @classmethod
    def _drawn_are_fields(cls, drawn: dict[str, str], info: ValidationInfo) -> dict[str, str]:
        known = (
            info.data.get("item"),
            info.data.get("place"),
            "held",
            *(("lot_code", "received_on") if info.data.get("lots") else ()),
        )
        for name in drawn:
            if name not in known:
                raise ValueError(f"`{name}` is not one of {', '.join(str(k) for k in known)}")
        return drawn

    @field_validator("posts")
    @classmethod
    def _posts_fit(cls, posts: dict[str, tuple[Post, ...]], info: ValidationInfo) -> dict[str, tuple[Post, ...]]:
        lots = info.data.get("lots", False)
        for operation, post in ((o, post) for o, made in posts.items() for post in made):
            if bool(post.level) == bool(post.item and post.place):
                raise ValueError(f"`{operation}`: give either `level`, or `item` and `place`")
            if post.item and bool(post.lot) != lots:
                raise ValueError(f"`{operation}` looks up a level: it names a lot exactly where there are `lots`")
        return posts


def expand(params: Params) -> dict[str, Any]:
    return {
        "entities": {params.level: _level(params), params.move: _move(params)},
        "terms": _terms(params),
        "policies": _policies(params),
        "always": _always(params),
        "extend": {
            "operations": write.append_to(
                *((o, _post(params, post, i)) for o, posts in params.posts.items() for i, post in enumerate(posts, 1))
            )
        },
    }


def _level(params: Params) -> dict[str, Any]:
    item, place, way = params.item, params.place, plural(params.level)
    lot: dict[str, Any] = {
        "lot_code": {
            "type": "text",
            "draw": params.drawn.get("lot_code", 'f"L{digits(6)}"'),
            "sort": "content",
            "says": "What is printed on it.",
        },
        "received_on": {"type": "date", "draw": params.drawn.get("received_on", "today - between(10, 200)")},
        "expires_on": write.field("date?", "The last day on which it may be used.", draw=params.expires),
    }
    return {
        "in": params.in_,
        "says": f"How much of {indefinite(item)} there is at {indefinite(place)}{', of one lot' if params.lots else ''}.",
        "key": params.level_key,
        "rows": params.rows,
        **({"called": list(params.called)} if params.called else {"called": "lot {lot_code}"} if params.lots else {}),
        "fields": {
            item: {"type": f"{item} as {way}", "draw": params.drawn.get(item, f"any(x for x in {item})")},
            place: {"type": f"{place} as {way}", "draw": params.drawn.get(place, f"any(x for x in {place})")},
            **(lot if params.lots else {}),
            "opening": write.field(params.quantity, "What was there at the start.", draw=params.opening),
            "held": write.field("bool", "Not to be used for now.", draw=params.drawn.get("held", "false")),
            "on_hand": write.field(f"{params.quantity} = {_on_hand()}", "What is there."),
            "reserved": write.field(f"{params.quantity} = {_reserved()}", "What is promised of it."),
            "available": write.field(
                f"{params.quantity} = {_on_hand()} - ({_reserved()})", "What is there and not promised."
            ),
        },
        "unique": [[item, place, "lot_code"] if params.lots else [item, place]],
    }


def _sum(*kinds: Kind) -> str:
    return f"sum(m.quantity for m in moves if {write.is_one_of('m.kind', kinds)})"


def _on_hand() -> str:
    return f"opening + {_sum('received', 'counted')} - {_sum('issued')}"


def _reserved() -> str:
    return f"{_sum('reserved')} - {_sum('released')}"


def _move(params: Params) -> dict[str, Any]:
    way = plural(params.move)
    return {
        "in": params.in_,
        "says": f"A change of what there is of {indefinite(params.item)} at {indefinite(params.place)}, or of what is promised.",
        "key": params.move_key,
        "fields": {
            params.level: f"{params.level} as moves",
            "kind": write.field(
                "one of received, issued, reserved, released, counted",
                "released: no longer reserved. counted: a difference found by counting.",
            ),
            "quantity": write.field(params.quantity, "Below zero only where counting found less."),
            "moved_on": "date",
            **{name: f"{entity} as {way}?" for name, entity in params.refers.items()},
        },
    }


def _good(params: Params, row: str) -> str:
    """Neither held nor, where there are lots, past its last day."""
    expiry = f" and ({row}.expires_on is none or {row}.expires_on >= today)" if params.lots else ""
    return f"not {row}.held{expiry}"


def _rank(params: Params, row: str) -> str:
    return f"coalesce({row}.expires_on, date('9999-12-31'))" if params.first == "expiry" else f"{row}.received_on"


def _terms(params: Params) -> dict[str, Any]:
    item, place, way = params.item, params.place, plural(params.level)
    about = {"item": item, "place": place}
    here = f"s.{place} == place and {_good(params, 's')}"
    terms: dict[str, Any] = {
        "free_of": {
            "about": about,
            "is": f"sum(s.available for s in item.{way} if {here})",
            "says": f"How much of {indefinite(item)} can be used at {indefinite(place)}.",
        },
        "free_anywhere": {
            "about": {"item": item},
            "is": f"sum(s.available for s in item.{way} if {_good(params, 's')})",
            "says": f"How much of {indefinite(item)} can be used, over every {to_words(place)}.",
        },
    }
    if params.lots:
        terms["goes_first"] = {
            "about": about,
            "is": f"first((s for s in item.{way} if {here} and s.available > 0), by={_rank(params, 's')})",
            "says": f"The lot of {indefinite(item)} that is used first at {indefinite(place)}.",
        }
    return terms


def _policies(params: Params) -> dict[str, Any]:
    level, item, place = {"level": params.level}, to_words(params.item), to_words(params.place)
    out: dict[str, Any] = {
        "enough_there": {
            "about": {**level, "quantity": params.quantity},
            "rule": "quantity <= level.available",
            "says": f"No more of {article(item)} is taken or promised than is there and not promised yet.",
            "enforced": "tool",
            "code": "NOT_ENOUGH_STOCK",
            "cases": [
                {"allowed": {"level.available": 5, "quantity": 5}},
                {"forbidden": {"level.available": 5, "quantity": 6}},
            ],
        },
        "not_held": {
            "about": level,
            "rule": "not level.held",
            "says": "What is held is neither taken nor promised until it is let go.",
            "enforced": "tool",
            "code": "STOCK_HELD",
            "cases": [{"allowed": {"level.held": False}}, {"forbidden": {"level.held": True}}],
        },
    }
    if params.lots:
        days = params.days_left["default"]
        out["not_expired"] = {
            "about": level,
            "rule": "level.expires_on is none or level.expires_on >= today + days",
            "parameters": {"days": dict(params.days_left)},
            "says": (
                "A lot is used only while it has {days:days} or more to its last day; on that day itself it has none."
                if any(params.days_left.values())
                else "A lot is used up to and including its last day, not after it."
            ),
            "enforced": "tool",
            "code": "LOT_EXPIRED",
            "cases": [
                {"allowed": {"today": _day(0), "level.expires_on": _day(days)}},
                {"forbidden": {"today": _day(0), "level.expires_on": _day(days - 1)}},
                {"allowed": {"today": _day(0), "level.expires_on": "none"}},
            ],
        }
        order = "expires" if params.first == "expiry" else "came in"
        out["right_lot_first"] = {
            "about": level,
            "rule": f"not exists(s for s in level.{params.item}.{plural(params.level)} "
            f"if s.{params.place} == level.{params.place} and {_good(params, 's')} "
            f"and s.available > 0 and {_rank(params, 's')} < {_rank(params, 'level')})",
            "says": f"Of {article(item)} at {article(place)}, the lot that {order} first is used first, as long as something of it "
            "is free; held and expired lots do not count.",
            "enforced": params.first_enforced,
            "code": "OTHER_LOT_FIRST",
            "cases": _lot_cases(params),
        }
    return out


def _day(offset: int) -> str:
    return (TODAY + timedelta(offset)).isoformat()


def _lot_cases(params: Params) -> list[write.Statement]:
    field = "expires_on" if params.first == "expiry" else "received_on"

    def case(**other: Any) -> dict[str, Any]:
        row = {params.place: "here", "expires_on": _day(9), "received_on": _day(-9), "available": 1, "held": False}
        given = {f"level.{params.place}": "here", f"level.{field}": _day(10) if field == "expires_on" else _day(-8)}
        return {"today": _day(0), **given, f"level.{params.item}.{plural(params.level)}": [row | other]}

    same = _day(10) if field == "expires_on" else _day(-8)
    return [
        {"forbidden": case()},
        {"allowed": case(**{field: same})},
        {"allowed": case(available=0)},
        {"allowed": case(held=True)},
        {"allowed": case(expires_on=_day(-1))},
        {"allowed": case(**{params.place: "there"})},
    ]


def _always(params: Params) -> dict[str, Any]:
    return {
        "stock_not_negative": {
            "each": params.level,
            "holds": "on_hand >= 0 and reserved >= 0 and available >= 0",
            "says": f"There is never less than nothing of {indefinite(params.item)}, and never more promised than there is.",
        },
        "move_not_empty": {
            "each": params.move,
            "holds": "quantity > 0 or (kind == 'counted' and quantity != 0)",
            "says": "Every move moves something; only counting may find less.",
        },
    }


def _post(params: Params, post: Post, number: int) -> list[write.Statement]:
    """The move, on a level that is known, found, or made where something comes in."""
    if post.level:
        made = [_add_move(params, post, post.level)]
    else:
        found, new = f"level_found_{number}", f"level_made_{number}"
        lot = f" and {found}.lot_code == {post.lot}" if post.lot else ""
        find: dict[str, Any] = {
            "find": f"{found} in {params.level}",
            "where": f"{found}.{params.item} == {post.item} and {found}.{params.place} == {post.place}{lot}",
        }
        if post.kind in ("received", "counted"):
            fields = {params.item: post.item, params.place: post.place}
            if post.lot:
                fields |= {"lot_code": post.lot, "received_on": "today", "expires_on": post.expires_on or "none"}
            made = [
                find,
                {
                    "when": f"{found} is none",
                    "do": [{"add": params.level, "with": fields, "as": new}, _add_move(params, post, new)],
                    "otherwise": [_add_move(params, post, found)],
                },
            ]
        else:
            made = [{**find, "else": "NOT_IN_STOCK"}, _add_move(params, post, found)]
    return write.do_when(post.when, *made)


def _add_move(params: Params, post: Post, level: str) -> dict[str, Any]:
    values = {params.level: level, "kind": f"'{post.kind}'", "quantity": post.quantity, "moved_on": "today"}
    return {"add": params.move, "with": values | post.about}
