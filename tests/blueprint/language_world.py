"""A world that has one of everything the language can hold, and random rows for it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

from worldwright.blueprint.checked import Checked
from worldwright.blueprint.expr.scope import Language, Scope, Signature
from worldwright.blueprint.schema import Column
from worldwright.blueprint.siblings import load_cached
from worldwright.blueprint.types import DATE, INT, MONEY, TEXT, Type, ref
from worldwright.kinds.database.compiled_world import CompiledWorld
from worldwright.kinds.database.sql import register_functions
from worldwright.kinds.database.state import empty_state
from worldwright.kinds.database.unit_of_work import Row, UnitOfWork

TEXT_OF_IT = """
blueprint: language_world
title: One of everything
now: 2025-06-16T09:30:00Z
currency: EUR
rounding: half_even
holidays: [2025-06-17, 2025-12-25]
systems: {one: the only system}
actor: {entity: human, role: kind}
roles: {red: may do this, green: may do that}
entities:
  human:
    in: one
    key: HUM-##
    fields:
      name: text
      nick: text?
      kind: one of red, green, blue
      mood: one of red, calm, wild?
      flag: bool
      perhaps: bool?
      size: int
      extra: int?
      rate: decimal(4)
      tilt: decimal(2)?
      price: money
      paid: money?
      currency: text
      abroad: money in currency
      owing: money in currency?
      born: date
      gone_on: date?
      seen: time
      left_at: time?
      boss: human as team?
      status: state
      sold: money = sum(i.cost for i in items)
      old: bool computed born < today - 300
      away: int? computed today - gone_on
      heavy: money computed sum(i.cost * i.quantity for i in items if i.done)
      best: item? computed first((i for i in items), by=i.cost)
      label: text computed f"{name} ({kind}) {paid:money}"
      lively: bool? computed perhaps if flag else boss.perhaps
    lifecycle: {red: [busy], busy: [red, ended], ended: []}
  item:
    in: one
    key: ITM-##
    fields:
      owner: human as items
      helper: human as helping?
      quantity: int
      part: int?
      cost: money
      fee: money?
      weight: decimal(2)
      done: bool
      sure: bool?
      due: date
      shipped: date?
      made: time
      tone: one of red, blue?
      word: text
      memo: text?
      overdue: bool computed due < today and not done
  mark:
    in: one
    key: MRK-##
    fields:
      item: item as marks?
      author: human as marks?
      score: int?
      amount: money?
      day_of: date?
      hour: time?
      line: text?
      good: bool?
terms:
  worth: {about: {p: human}, is: sum(i.cost for i in p.items)}
  rich: {about: {p: human}, is: worth(p) > 50 or p.flag}
  aide: {about: {i: item}, is: i.helper}
  feeling: {about: {p: human}, is: p.mood}
  far: {about: {start: date, steps: int}, is: "add_business_days(start, steps)"}
  greeting: {about: {p: human, word: text}, is: 'f"{word}, {p.name}"'}
  trusted: {about: {i: item}, is: i.sure}
  latest: {about: {p: human}, is: "last((k for k in p.marks if k.score is not none), by=k.score)"}
  spread: {about: {x: money}, is: "round(x / 3, 2)"}
policies:
  cheap:
    about: {i: item}
    rule: i.cost <= most and not i.overdue
    parameters: {most: {default: 20}}
    says: Items cost {most:money} at most.
    cases:
      - allowed: {i.cost: 20, i.overdue: false}
      - forbidden: {i.cost: 20.01, i.overdue: false}
  few:
    about: {p: human}
    when: p.kind == 'red'
    rule: count(i for i in p.items if i.done) < most
    parameters: {most: {default: 2}}
    says: Fewer than {most:int} are done.
    cases:
      - allowed: {p.kind: red, p.items: [{done: true}], p.flag: false}
      - forbidden: {p.kind: red, p.items: [{done: true}, {done: true}], p.flag: false}
  free:
    about: {p: human}
    when: p.flag
    beats: [few]
    says: Flagged people are free.
    cases:
      - applies: {p.flag: true}
      - not: {p.flag: false}
  checked:
    about: {i: item}
    rule: i.sure
    says: Everything is sure.
    cases:
      - allowed: {i.sure: true}
      - forbidden: {i.sure: none}
operations:
  get_human: {in: one, says: One of them., by: anyone, get: human}
"""

LINE: tuple[tuple[str, Type], ...] = (("item", ref("item")), ("quantity", INT), ("note", TEXT), ("who", ref("human")))
NAMES: dict[str, Type] = {
    "p": ref("human"), "q": ref("human"), "i": ref("item"), "j": ref("item"), "n": INT, "m": INT, "d": DATE, "e": DATE,
    "t": TEXT, "amount": MONEY, "lines": Type("list", fields=LINE), "people": Type("list", fields=(("", ref("human")),)),
}  # fmt: skip
"""What an expression can name, as the inputs of an operation would be."""

MAYBE = {
    "q": True, "j": True, "m": True, "e": True, "t": True, "amount": True,
    "lines.note": True, "lines.who": True, "lines.item": False, "lines.quantity": False,
}  # fmt: skip
"""Which of them may be none."""

Values: TypeAlias = dict[str, Any]


@cache
def checked() -> Checked:
    return load_cached(TEXT_OF_IT, "language_world.yaml")


@cache
def compiled() -> CompiledWorld:
    return CompiledWorld(checked())


@cache
def language() -> Language:
    bp = checked()
    terms = {name: Signature(t.takes, t.body.type) for name, t in bp.terms.items()}
    policies = {name: Signature(p.takes) for name, p in bp.policies.items()}
    return Language(bp.schema, terms.get, policies.get, tuple(terms), tuple(policies))


def scope() -> Scope:
    return Scope(NAMES)


# random rows

Choose: TypeAlias = Callable[[int], int]
"""A number from 0 up to, not including, the one given."""

POOLS: dict[str, tuple[Any, ...]] = {
    "text": (
        "", "a", "A", "Ann", "ann", "it's", 'say "hi"', "İ", "ß", "SS", "名", "😀", "e\u0301", "\u00e9", "{x}", "back\\slash",
        "a\nb", "50%_", "red", "\x01\x7f", "\ufeff", "\uffff", " ",
    ),
    "int": (0, 1, 2, -1, 3, -3, 7, 40, 100, -100),
    "money": (0, 1, -1, 50, 100, 250, -375, 2000, 5000, -9999, 10_000),
    "decimal": (0, 1, -1, 49, 50, 5000, 10_000, 12_500, -15_000, 1_000_000),
    "date": ("2025-06-13", "2025-06-16", "2025-06-17", "2024-02-29", "2025-12-31", "1999-01-31", "2024-08-20", "0001-01-01"),
    "time": ("2025-06-16T09:30:00Z", "2025-06-16T08:00:00Z", "2024-12-31T23:59:59Z", "2025-06-17T00:00:00Z"),
    "bool": (0, 1),
}  # fmt: skip
POOLS["foreign"] = POOLS["money"]

Rows: TypeAlias = dict[str, list[tuple[Any, ...]]]


def random_rows(choose: Choose) -> Rows:
    """A few rows of every entity; references point to rows that exist; one optional value in four is none."""
    schema = checked().schema
    counts = {"human": choose(4) + 1, "item": choose(5) + 1, "mark": choose(6)}
    ids = {name: [schema.entities[name].key.make(k + 1) for k in range(n)] for name, n in counts.items()}

    def value(column: Column) -> Any:
        kind = column.type
        if column.optional and choose(4) == 0:
            return None
        pool = ids[kind.entity] if kind.kind == "ref" else kind.values or POOLS[kind.kind]
        return pool[choose(len(pool))]

    return {name: [(key, *map(value, schema.entities[name].stored)) for key in keys] for name, keys in ids.items()}


@dataclass(frozen=True)
class Given:
    """What the names of an expression hold: ids for rows."""

    values: Values
    actor: str | None


def random_given(choose: Choose, rows: Rows) -> Given:
    def some(pool: Sequence[Any]) -> Any:
        return pool[choose(len(pool))]

    def perhaps(pool: Sequence[Any]) -> Any:
        return None if choose(3) == 0 else some(pool)

    humans, items = [r[0] for r in rows["human"]], [r[0] for r in rows["item"]]
    ints, dates, texts, cents = (POOLS[k] for k in ("int", "date", "text", "money"))
    lines = [
        {"item": some(items), "quantity": some(ints), "note": perhaps(texts), "who": perhaps(humans)}
        for _ in range(choose(4))
    ]
    values = {
        "p": some(humans), "q": perhaps(humans), "i": some(items), "j": perhaps(items), "n": some(ints), "m": perhaps(ints),
        "d": some(dates), "e": perhaps(dates), "t": perhaps(texts), "amount": perhaps(cents), "lines": lines,
        "people": [some(humans) for _ in range(choose(4))],
    }  # fmt: skip
    return Given(values, perhaps(humans))


@cache
def connection() -> sqlite3.Connection:
    conn = empty_state(checked().schema)
    register_functions(conn, checked().schema)
    return conn


def uow_with(rows: Rows, actor: str | None) -> UnitOfWork:
    """A desk over these rows. There is one database for all of them, emptied each time."""
    conn = connection()
    conn.execute("BEGIN")
    for name in rows:
        conn.execute(f'DELETE FROM "{name}"')
        conn.executemany(compiled().tables[name].insert, rows[name])
    conn.execute("COMMIT")
    uow = compiled().unit_of_work(conn)
    uow.now, uow.today = checked().schema.now, checked().schema.now[:10]
    uow.actor = None if actor is None else uow.row("human", actor)
    return uow


def frame(uow: UnitOfWork, given: Values, wrap: Callable[[Row | None], Any], line: Callable[[Values], Any]) -> Values:
    """The values with rows in place of ids, as `wrap` shows rows and `line` shows elements of a list."""

    def row(entity: str, key: str | None) -> Any:
        return wrap(None if key is None else uow.row(entity, key))

    out = dict(given)
    out |= {"p": row("human", given["p"]), "q": row("human", given["q"])}
    out |= {"i": row("item", given["i"]), "j": row("item", given["j"])}
    out["people"] = [row("human", key) for key in given["people"]]
    out["lines"] = [
        line({**part, "item": row("item", part["item"]), "who": row("human", part["who"])}) for part in given["lines"]
    ]
    return out
