"""A journal: money moves between accounts in balanced pairs, and what is held for others never runs short.

Use it where somebody holds money that is not theirs, or has to show where every amount is: trust accounts of a law
practice, tenants' deposits, clearing accounts, suspense. Each entry takes an amount from one account and brings it to
another, so the books balance whatever happens.

Adds
- the entity `entry`: debit and credit (two accounts), amount, booked_on, memo, and what it is about;
- to the account: `balance`, kept. It counts debits less credits where the account's kind is a debit kind (money in the
  bank, what others owe), credits less debits otherwise (what is held for others, what was earned);
- terms `balance_on(account, d)`, the balance at the end of a day, `came_in(account, since)`, what raised it from that day
  on, and `held_in(kind)`, the balances of all accounts of a kind;
- policies about `account` and `amount`: `covered` (enforced by the tool), so much is there, for the kinds under
  `not_below`, and, where `clearing` is given, `cleared_funds`: what came in during the last days is not paid out yet;
- always `books_balance`, `entry_moves_money`, and `not_below_zero` where `not_below` names kinds;
- at the end of each operation under `posts`, the entries that it books. To take one back, book it the other way round.

Values are expressions over what is in scope where the operation ends.

```yaml
use:
  - journal:
      in: books
      account: trust_account
      debit_kinds: [bank]
      not_below: [bank, client]
      clearing: {default: 3, strict: 5, lenient: 0}
      refers: {matter: matter}
      posts:
        take_deposit:
          - {debit: bank, credit: matter.account, amount: amount, memo: "'Deposit'", about: {matter: matter}}
# ...
- let: {account: matter.account}
- obey: [covered, cleared_funds]
```
"""

from __future__ import annotations

from datetime import date, timedelta
from typing import Annotated, Any

from pydantic import Field, field_validator

from worldwright.blueprint.patterns import _write as write
from worldwright.blueprint.patterns._parts import Enforced, Name, Parameters, refuse_own_names, require_referred
from worldwright.core.names import to_words
from worldwright.english.nouns import indefinite, plural

OWN = ("debit", "credit", "amount", "booked_on", "memo")
"""Fields of an entry."""


class Post(Parameters):
    """One entry that an operation books when it ends."""

    debit: str = Field(description="The account that is debited.")
    credit: str = Field(description="The account that is credited.")
    amount: str = Field(description="How much, in book money; above zero.")
    memo: str = Field(default="''", description="What the entry says, a text.")
    when: str = Field(default="", description="Only where this holds.")
    about: dict[str, str] = Field(default={}, description="The documents it is about, by the names of `refers`.")


class Params(Parameters):
    in_: Name = Field(alias="in", description="The system that keeps the entries.")
    account: Name = Field(description="The entity of accounts.")
    kind: Name = Field(default="kind", description="The `one of` field of an account that says what it is for.")
    debit_kinds: tuple[Name, ...] = Field(min_length=1, description="The kinds whose balance is debits less credits.")
    not_below: tuple[Name, ...] = Field(default=(), description="The kinds whose accounts never go below zero.")
    entry: Name = Field(default="journal_entry", description="The name of the entity of entries.")
    key: str = Field(default="JRN-######", description="The ids of entries.")
    clearing: dict[str, Annotated[int, Field(ge=0, le=365)]] = Field(
        default={}, description="For how many days money is not paid out after it came in; by variant."
    )
    clearing_enforced: Enforced = Field(default="agent", description="Who keeps `cleared_funds`.")
    refers: Annotated[dict[Name, Name], refuse_own_names(*OWN)] = Field(
        default={}, description="What an entry may be about: a name, and an entity."
    )
    posts: Annotated[dict[str, tuple[Post, ...]], require_referred("books")] = Field(
        default={}, description="What each operation books when it ends."
    )

    @field_validator("clearing")
    @classmethod
    def _there_is_a_default(cls, clearing: dict[str, int]) -> dict[str, int]:
        if clearing and "default" not in clearing:
            raise ValueError("`clearing` needs a `default`")
        return clearing


def expand(params: Params) -> dict[str, Any]:
    """The entity of entries, the balance, terms, rules and invariants, and the bookings of operations."""
    return {
        "entities": {params.entry: _entry(params)},
        "terms": _terms(params),
        "policies": _policies(params),
        "always": _always(params),
        "extend": {
            "entities": {params.account: {"fields": {"balance": _balance(params)}}},
            "operations": write.append_steps(params, (params.posts, _booking)),
        },
    }


def _entry(params: Params) -> dict[str, Any]:
    account = to_words(params.account)
    fields: dict[str, Any] = {
        "debit": write.field(f"{params.account} as debits", f"The {account} that is debited."),
        "credit": write.field(f"{params.account} as credits", f"The {account} that is credited."),
        "amount": "money",
        "booked_on": "date",
        "memo": "text",
    }
    fields |= {name: f"{entity} as {plural(params.entry)}?" for name, entity in params.refers.items()}
    return {
        "in": params.in_,
        "says": f"One booking: an amount that one {account} gives and another one gets.",
        "key": params.key,
        "called": ["the booking of {amount:money} on {booked_on:day}", 'the booking "{memo}" of {booked_on:day}'],
        "fields": fields,
    }


def _net(params: Params, kind: str, rows: str, where: str = "") -> str:
    """Debits less credits or the other way round, by the kind of the account."""
    debited = f"sum(e.amount for e in {rows}debits{where})"
    credited = f"sum(e.amount for e in {rows}credits{where})"
    return f"{debited} - {credited} if {write.is_one_of(kind, params.debit_kinds)} else {credited} - {debited}"


def _balance(params: Params) -> dict[str, Any]:
    return write.field(
        f"money = {_net(params, params.kind, '')}",
        f"What is on it: debits less credits for {', '.join(to_words(k) for k in params.debit_kinds)}, "
        "credits less debits for all others.",
    )


def _terms(params: Params) -> dict[str, Any]:
    account, kind = {"account": params.account}, f"account.{params.kind}"
    recent = " if e.booked_on >= since"
    return {
        "balance_on": {
            "about": {**account, "d": "date"},
            "is": _net(params, kind, "account.", " if e.booked_on <= d"),
            "says": f"What was on {indefinite(params.account)} at the end of a day.",
        },
        "came_in": {
            "about": {**account, "since": "date"},
            "is": f"sum(e.amount for e in account.debits{recent}) if {write.is_one_of(kind, params.debit_kinds)} "
            f"else sum(e.amount for e in account.credits{recent})",
            "says": f"Everything that raised {indefinite(params.account)} from a day on.",
        },
        "held_in": {
            "about": {"kind": "text"},
            "is": f"sum(a.balance for a in {params.account} if a.{params.kind} == kind)",
            "says": "What is on all accounts of one kind together.",
        },
    }


def _policies(params: Params) -> dict[str, Any]:
    out: dict[str, Any] = {}
    if params.not_below:
        out["covered"] = _covered(params)
    if params.clearing:
        out["cleared_funds"] = _cleared(params)
    return out


def _covered(params: Params) -> dict[str, Any]:
    kind = f"account.{params.kind}"
    named = [{kind: k} for k in params.not_below]
    return {
        "about": {"account": params.account, "amount": "money"},
        "when": write.is_one_of(kind, params.not_below),
        "rule": "account.balance >= amount",
        "says": f"Nothing is paid out of {indefinite(params.account)} of the kind "
        f"{' or '.join(to_words(k) for k in params.not_below)} that is not on it.",
        "enforced": "tool",
        "code": "NOT_COVERED",
        "cases": [
            {"allowed": {**named[0], "account.balance": 100, "amount": 100}},
            *({"forbidden": {**given, "account.balance": 100, "amount": 100.01}} for given in named),
        ],
    }


def _cleared(params: Params) -> dict[str, Any]:
    days = params.clearing["default"]
    kind, debit = f"account.{params.kind}", params.debit_kinds[0]

    def case(amount: int, came: str) -> dict[str, Any]:
        entries = [{"amount": 60, "booked_on": "2020-01-01"}, {"amount": 40, "booked_on": came}]
        rows = {"account.debits": entries, "account.credits": 0}
        return {kind: debit, "account.balance": 100, "amount": amount, "today": "2030-03-20", **rows}

    last = date(2030, 3, 20) - timedelta(days)
    old, young = last.isoformat(), (last + timedelta(1)).isoformat()
    fresh = [{"forbidden": case(61, young)}, {"allowed": case(60, young)}] if days else []
    return {
        "about": {"account": params.account, "amount": "money"},
        "rule": "amount <= account.balance - came_in(account, today - days + 1)",
        "parameters": {"days": dict(params.clearing)},
        "says": f"Money that came into {indefinite(params.account)} is not paid out before {{days:days}} have passed; "
        "until then only what was there before may go.",
        "enforced": params.clearing_enforced,
        "code": "NOT_CLEARED",
        "cases": [{"allowed": case(100, old)}, {"forbidden": case(101, old)}, *fresh],
    }


def _always(params: Params) -> dict[str, Any]:
    debits = write.is_one_of(f"a.{params.kind}", params.debit_kinds)
    out: dict[str, Any] = {
        "books_balance": {
            "holds": f"sum((a.balance if {debits} else 0 - a.balance) for a in {params.account}) == 0",
            "says": "All debits equal all credits.",
        },
        "entry_moves_money": {
            "each": params.entry,
            "holds": "amount > 0 and debit != credit",
            "says": "Every entry moves money from one account to another.",
        },
    }
    if params.not_below:
        out["not_below_zero"] = {
            "each": params.account,
            "holds": f"balance >= 0 or not ({write.is_one_of(params.kind, params.not_below)})",
            "says": f"A {to_words(params.account)} of the kind {' or '.join(to_words(k) for k in params.not_below)} "
            "never goes below zero.",
        }
    return out


def _booking(params: Params, post: Post) -> list[write.Statement]:
    values = {
        "debit": post.debit,
        "credit": post.credit,
        "amount": post.amount,
        "booked_on": "today",
        "memo": post.memo,
    }
    return [{"add": params.entry, "with": values | post.about}]
