"""A ledger: amounts booked to an account by kind, with totals that are kept and a ceiling that is never broken.

Adds the entity `entry` (what was booked, to which account, of which kind, on which day, about which document). Extends
the account with one kept total per kind and, where `limit` names a field of it, with `available`: the limit less
everything booked. Then the invariant `ACCOUNT_not_overdrawn` says that `available` never falls below zero. Extends each
operation under `posts` with the entries that it books when it ends; a negative amount takes back what was booked.

Values are expressions over what is in scope where the operation ends.

```yaml
use:
  - ledger:
      in: erp
      account: cost_centre
      entry: budget_entry
      key: BGE-#####
      kinds: [committed, spent]
      limit: budget
      refers: {po: purchase_order}
      posts:
        place_order:
          - {account: po.cost_centre, kind: committed, amount: po.book_total, about: {po: po}}
```
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, ValidationInfo, field_validator

from worldwright.blueprint.patterns import _write as write
from worldwright.blueprint.patterns._parts import Parameters, refuse_own_names, require_referred
from worldwright.core.names import to_words
from worldwright.english.nouns import indefinite


class Post(Parameters):
    """One entry that an operation books when it ends."""

    account: str = Field(description="The account row.")
    kind: str = Field(description="One of the ledger's kinds.")
    amount: str = Field(description="How much, in book money; negative to take back.")
    when: str = Field(default="", description="Only where this holds.")
    about: dict[str, str] = Field(default={}, description="The documents it is about, by the names of `refers`.")


class Params(Parameters):
    in_: str = Field(alias="in", description="The system that keeps the entries.")
    account: str = Field(description="The entity that is booked to.")
    entry: str = Field(description="The name of the entity of entries.")
    key: str = Field(default="LED-######", description="The ids of entries.")
    kinds: tuple[str, ...] = Field(min_length=1, description="What is booked: one kept total of the account for each.")
    limit: str = Field(default="", description="The money field of the account that all kinds together never exceed.")
    refers: Annotated[dict[str, str], refuse_own_names("kind", "amount", "booked_on", named_by=("account",))] = Field(
        default={}, description="What an entry may be about: a name, and an entity."
    )
    posts: Annotated[dict[str, tuple[Post, ...]], require_referred("books")] = Field(
        default={}, description="What each operation books when it ends."
    )

    @field_validator("limit")
    @classmethod
    def _no_kind_is_available(cls, limit: str, info: ValidationInfo) -> str:
        if limit and "available" in info.data.get("kinds", ()):
            raise ValueError("with a limit, `available` is what is left and cannot be a kind")
        return limit


def expand(params: Params) -> dict[str, Any]:
    """The entity of entries, the totals of the account, the invariant, and the bookings of operations."""
    out: dict[str, Any] = {
        "entities": {params.entry: _entry(params)},
        "extend": {
            "entities": {params.account: {"fields": _totals(params)}},
            "operations": write.append_steps(params, (params.posts, _booking)),
        },
    }
    if params.limit:
        out["always"] = {f"{params.account}_not_overdrawn": _not_overdrawn(params)}
    return out


def _entry(params: Params) -> dict[str, Any]:
    account = params.account
    fields: dict[str, Any] = {
        account: f"{account} as entries",
        "kind": f"one of {', '.join(params.kinds)}",
        "amount": write.field("money", "Negative where something booked before is taken back."),
        "booked_on": "date",
    }
    fields |= {name: f"{entity} as entries?" for name, entity in params.refers.items()}
    return {
        "in": params.in_,
        "says": f"One booking to {indefinite(account)}: {' or '.join(params.kinds)}.",
        "key": params.key,
        "called": "the {kind} booking of {amount:money} on {booked_on:day}",
        "fields": fields,
    }


def _totals(params: Params) -> dict[str, Any]:
    totals: dict[str, Any] = {
        kind: write.field(f"money = sum(e.amount for e in entries if e.kind == '{kind}')", f"All that is {kind}.")
        for kind in params.kinds
    }
    if params.limit:
        totals["available"] = write.field(
            f"money = {params.limit} - sum(e.amount for e in entries)",
            f"What is left: the {to_words(params.limit)} less {' and '.join(params.kinds)}.",
        )
    return totals


def _not_overdrawn(params: Params) -> dict[str, Any]:
    return {
        "each": params.account,
        "holds": "available >= 0",
        "says": f"What is booked to {indefinite(params.account)} never exceeds its {to_words(params.limit)}.",
    }


def _booking(params: Params, post: Post) -> list[write.Statement]:
    values = {params.account: post.account, "kind": f"'{post.kind}'", "amount": post.amount, "booked_on": "today"}
    return [{"add": params.entry, "with": values | post.about}]
