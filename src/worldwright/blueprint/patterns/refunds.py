"""Money back over several payments: a refund in parts, each part to one payment, never more than was paid on it.

Use it where one thing (an order, a booking, an invoice) is paid in several ways and money goes back in part and more
than once. What is given back is spread over the payments in a stated order of methods; each payment takes at most
what is left of it.

Adds
- entity `refund` (key `RFD-#####`): how much, why, by whom, under which reference;
- entity `refund_part` (key `RFP-######`): what went back to one payment, reached as `refund.parts`;
- kept fields: `refunded` on the payment and on the thing paid for;
- terms `left_on(payment)`, what has not gone back yet, and `refundable(...)`, the same over all payments of a thing;
- operation `give_back`, which makes the refund and its parts; the same reference never pays twice;
- always `never_more_than_paid`, `refund_adds_up` and `part_not_empty`.

```yaml
use:
  - refunds:
      in: shop
      of: order
      payments: payment
      first: [gift_card, store_credit, card]
      back_to: {gift_card: gift_card.balance, store_credit: order.customer.store_credit}
      reasons: [returned, goodwill, undelivered]
      about: {rma: rma}
      staff: staff
      by: supervisor
      obeys: [goodwill_cap]
# ...
- run: give_back
  with: {order: rma.order, amount: due, reason: returned, reference: reference, rma: rma}
  as: paid_back
```
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from worldwright.blueprint.patterns import _write as write
from worldwright.blueprint.patterns._parts import Name, Names, Parameters, refuse_own_names
from worldwright.core.names import to_words
from worldwright.english.nouns import article, indefinite, plural

ReferredField = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+$")]
"""A field that is reached through a reference."""


OWN = ("amount", "reason", "reference", "issued_at", "issued_by")


class Params(Parameters):
    in_: Name = Field(alias="in", description="The system that keeps refunds.")
    of: Name = Field(description="The entity that was paid for.")
    payments: Name = Field(description="The entity of payments.")
    way: Name | None = Field(
        default=None, description="The way back from what was paid for to its payments; their plural unless said."
    )
    amount: Name = Field(default="amount", description="The money field of a payment.")
    method: Name = Field(default="method", description="The `one of` field of a payment that says how it was paid.")
    first: Names = Field(
        min_length=1, description="Methods in the order in which they get money back; those not named come last."
    )
    back_to: dict[Name, ReferredField] = Field(
        default={}, description="For methods with a balance: the money field that rises, as a path from the payment."
    )
    reasons: Names = Field(min_length=1, description="The words for why money goes back.")
    about: Annotated[dict[Name, Name], refuse_own_names(*OWN, named_by=("of",))] = Field(
        default={}, description="What a refund may also name, and `give_back` takes: names and entities, each optional."
    )
    staff: Name | None = Field(default=None, description="The entity of callers, to keep who gave the money back.")
    by: Names = Field(
        min_length=1,
        description="The roles that may give money back by hand. Other operations `run` it without that check.",
    )
    obeys: Names = Field(
        default=(),
        description="Policies that `give_back` keeps to: about what was paid for, `amount`, `reason` and the names of `about`.",
    )


def expand(params: Params) -> dict[str, Any]:
    way = params.way or plural(params.payments)
    return {
        "entities": {"refund": _refund(params), "refund_part": _part(params)},
        "terms": {
            "left_on": {
                "about": {params.payments: params.payments},
                "is": f"{params.payments}.{params.amount} - {params.payments}.refunded",
                "says": "What was paid and has not gone back yet.",
            },
            "refundable": {
                "about": {params.of: params.of},
                "is": f"sum(left_on(x) for x in {params.of}.{way})",
                "says": f"The most that can still go back on {indefinite(params.of)}, over all its payments.",
            },
        },
        "operations": {"give_back": _give_back(params, way)},
        "always": _always(params),
        "extend": {
            "entities": {
                params.payments: {"fields": {"refunded": "money = sum(x.amount for x in refund_parts)"}},
                params.of: {"fields": {"refunded": "money = sum(x.amount for x in refunds)"}},
            }
        },
    }


def _reason(params: Params) -> str:
    return f"one of {', '.join(params.reasons)}"


def _refund(params: Params) -> dict[str, Any]:
    return {
        "in": params.in_,
        "says": f"Money given back on {indefinite(params.of)}, in one go.",
        "key": "RFD-#####",
        "called": "the refund of {amount:money} on {issued_at:day}",
        "fields": {
            params.of: f"{params.of} as refunds",
            **{name: f"{entity} as refunds?" for name, entity in params.about.items()},
            "amount": "money",
            "reason": _reason(params),
            "reference": write.field("text?", "The caller's own reference; one reference, one refund."),
            "issued_at": "time",
            **({"issued_by": f"{params.staff} as refunds_issued"} if params.staff else {}),
        },
    }


def _part(params: Params) -> dict[str, Any]:
    return {
        "in": params.in_,
        "says": "The part of a refund that went back to one payment.",
        "key": "RFP-######",
        "fields": {
            "refund": "refund as parts",
            params.payments: f"{params.payments} as refund_parts",
            "amount": "money",
        },
    }


def _give_back(params: Params, way: str) -> dict[str, Any]:
    thing, p = to_words(params.of), params.of
    order = ", then ".join(to_words(m) for m in params.first)
    obey = [{"obey": list(params.obeys)}] if params.obeys else []
    return {
        "in": params.in_,
        "says": f"Give money back on {article(thing)}, spread over its payments: {order}.",
        "by": list(params.by),
        "takes": {
            p: params.of,
            "amount": {"type": "money", "min": 0.01, "says": "How much goes back in all."},
            "reason": _reason(params),
            "reference": write.field("text?", "Your own reference. The same one never pays twice."),
            **{name: f"{entity}?" for name, entity in params.about.items()},
        },
        "once": "first(x for x in refund if x.reference == reference and reference is not none)",
        "does": [
            write.require(
                f"amount <= refundable({p})",
                "MORE_THAN_PAID",
                f"Only {{refundable({p}):money}} can still go back on {{{p}.id}}.",
            ),
            *obey,
            {"add": "refund", "with": _refund_values(params), "as": "money_back"},
            _spread(params, way),
        ],
        "gives": "money_back",
    }


def _refund_values(params: Params) -> dict[str, str]:
    kept = (params.of, "amount", "reason", "reference", *params.about)
    issuer = {"issued_by": "actor"} if params.staff else {}
    return {**{name: name for name in kept}, "issued_at": "now", **issuer}


def _spread(params: Params, way: str) -> dict[str, Any]:
    """Payment after payment takes what is left of it, until nothing is left to give."""
    credit = [
        {
            "when": f"part_of.{params.method} == '{method}'",
            "do": [{"set": {f"part_of.{path}": f"part_of.{path} + share"}}],
        }
        for method, path in params.back_to.items()
    ]
    return {
        "each": f"part_of in {params.of}.{way}",
        "where": "left_on(part_of) > 0",
        "by": _rank(params),
        "carry": {"still_due": "amount"},
        "do": [
            {
                "when": "still_due > 0",
                "do": [
                    {"let": {"share": "min(still_due, left_on(part_of))"}},
                    {
                        "add": "refund_part",
                        "with": {"refund": "money_back", params.payments: "part_of", "amount": "share"},
                    },
                    *credit,
                    {"let": {"still_due": "still_due - share"}},
                ],
            }
        ],
    }


def _rank(params: Params) -> str:
    """The place of a payment in the stated order; ties go by id."""
    places = {method: params.first.index(method) for method in params.first}
    return write.choose(f"part_of.{params.method}", places, len(params.first))


def _always(params: Params) -> dict[str, Any]:
    return {
        "never_more_than_paid": {
            "each": params.payments,
            "holds": f"refunded <= {params.amount}",
            "says": "No payment gets back more than was paid with it.",
        },
        "refund_adds_up": {
            "each": "refund",
            "holds": "amount > 0 and amount == sum(x.amount for x in parts)",
            "says": "A refund moves money, and its parts add up to it.",
        },
        "part_not_empty": {"each": "refund_part", "holds": "amount > 0", "says": "Every part of a refund moves money."},
    }
