"""Instalments: an amount is spread over due dates, payments go to the oldest first, and missed ones break the plan.

Use it where something is paid off in parts: loans, payment plans, tuition, assessments, deposits on account. The first
instalments are all the same; what rounding leaves over is in the last one.

Adds
- entity `instalment`: the plan, number, due_on, amount, called_off; `paid` and `open_amount`, kept; `status`, kept: open,
  part_paid, paid or called_off; `missed`, computed: not paid, and due for longer than `grace` days;
- entity `allocation`: which part of a payment went to which instalment, and when;
- entity `instalment_number`: a table of the numbers from one to `most`, which plans are laid out by;
- to the plan: `instalments_paid` and `instalments_open`, both kept;
- terms `overdue_of(plan)`, everything open that was due before today, `missed_of(plan)`, how many are missed, and
  `next_due(plan)`, the day on which the oldest open one is or was due;
- policy `in_good_standing`, about `plan`: fewer missed instalments than break the plan. Your operations obey it;
- always `instalments_add_up` (never more than the amount of the plan) and `never_overpaid`;
- at the end of each operation under `lays`, the instalments, refused with CANNOT_SPREAD where there are too many or too
  little for them; under `pays`, the allocations, refused with MORE_THAN_OPEN where there is less to pay; under
  `takes_back`, the same allocations once more with the sign turned, so that what they paid is open again; under
  `calls_off`, nothing more is due: what was paid counts, the rest may be laid out anew.

Values are expressions over what is in scope where the operation ends.

```yaml
use:
  - instalments:
      in: books
      plan: payment_plan
      amount: total
      payment: payment
      grace: 5
      breaks_after: {default: 2, strict: 1, lenient: 3}
      enforced: agent
      lays:
        agree_plan: {plan: agreed, count: months, first_due: first_due}
      pays:
        take_payment: {plan: payment_plan, amount: amount, payment: paid}
      takes_back:
        return_payment: {payment: payment}
      calls_off:
        end_plan: {plan: payment_plan}
# ...
- obey: {in_good_standing: {plan: payment_plan}}
```
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, ValidationInfo, field_validator

from worldwright.blueprint.patterns import _write as write
from worldwright.blueprint.patterns._parts import HAS_DEFAULT, Enforced, Name, Parameters, refuse_own_names
from worldwright.core.names import to_words
from worldwright.english.nouns import article, indefinite

OWN = ("number", "due_on", "amount", "called_off", "paid", "open_amount", "status", "missed", "allocations")
"""Fields of an instalment."""


class Layout(Parameters):
    """How an operation lays out a plan when it ends."""

    plan: str = Field(description="The plan row.")
    count: str = Field(description="How many instalments, a whole number.")
    first_due: str = Field(description="When the first one is due.")
    every: str = Field(default="1", description="Months between two of them.")
    amount: str = Field(default="", description="What is spread; all that is not laid out yet unless said.")
    when: str = Field(default="", description="Only where this holds.")


class Paying(Parameters):
    """How an operation pays instalments when it ends."""

    plan: str = Field(description="The plan row.")
    amount: str = Field(description="How much is paid.")
    payment: str = Field(default="", description="The payment row, where `payment` names its entity.")
    spare: Literal["refused", "left"] = Field(
        default="refused", description="What is paid beyond all that is open: refused, or left and not allocated."
    )
    when: str = Field(default="", description="Only where this holds.")


class Return(Parameters):
    """An operation after which a payment counts as not made."""

    payment: str = Field(description="The payment row that came back unpaid.")
    when: str = Field(default="", description="Only where this holds.")


class End(Parameters):
    """An operation after which nothing more is due."""

    plan: str = Field(description="The plan row.")
    when: str = Field(default="", description="Only where this holds.")


class Params(Parameters):
    in_: Name = Field(alias="in", description="The system that keeps the instalments.")
    plan: Annotated[Name, refuse_own_names(*OWN, "instalment", "allocated_on")] = Field(
        description="The entity that is paid off."
    )
    amount: Name = Field(description="Its money field: what is spread in all.")
    called: tuple[str, ...] = Field(
        default=(), description="How people refer to an instalment; by amount and day unless said."
    )
    payment: Name | None = Field(default=None, description="The entity of payments, kept with each allocation.")
    most: int = Field(default=60, ge=1, le=480, description="The most instalments that a plan can have.")
    grace: int = Field(default=0, ge=0, le=365, description="Days after the due date before one is missed.")
    breaks_after: Annotated[dict[str, Annotated[int, Field(ge=1)]], HAS_DEFAULT] = Field(
        default={"default": 2}, description="How many missed instalments break a plan; by variant."
    )
    enforced: Enforced = Field(default="tool", description="Who keeps `in_good_standing`.")
    stops: str = Field(
        default="nothing more is granted on it", description="What a broken plan stops, as the handbook says it."
    )
    lays: dict[str, Layout] = Field(min_length=1, description="By operation, how it lays out a plan.")
    pays: dict[str, Paying] = Field(default={}, description="By operation, how it pays instalments.")
    takes_back: dict[str, Return] = Field(default={}, description="By operation, the payment that came back unpaid.")
    calls_off: dict[str, End] = Field(default={}, description="By operation, the plan of which nothing more is due.")

    @field_validator("pays")
    @classmethod
    def _payments_are_named(cls, pays: dict[str, Paying], info: ValidationInfo) -> dict[str, Paying]:
        for operation, paying in pays.items():
            if bool(paying.payment) != bool(info.data.get("payment")):
                raise ValueError(f"`{operation}` names a payment row exactly where `payment` names an entity")
        return pays

    @field_validator("takes_back")
    @classmethod
    def _payments_are_kept(cls, takes_back: dict[str, Return], info: ValidationInfo) -> dict[str, Return]:
        if takes_back and not info.data.get("payment"):
            raise ValueError("what is taken back needs `payment`, the entity of payments")
        return takes_back


def expand(params: Params) -> dict[str, Any]:
    return {
        "entities": {
            "instalment": _instalment(params),
            "allocation": _allocation(params),
            "instalment_number": _numbers(params),
        },
        "terms": _terms(params),
        "policies": {"in_good_standing": _good_standing(params)},
        "always": _always(params),
        "extend": {
            "entities": {params.plan: {"fields": _plan_fields()}},
            "operations": write.append_steps(
                params,
                (params.takes_back, _take_back),
                (params.calls_off, _call_off),
                (params.lays, _lay_out),
                (params.pays, _allocate),
            ),
        },
    }


def _instalment(params: Params) -> dict[str, Any]:
    plan = to_words(params.plan)
    late = "due_on < today" if not params.grace else f"due_on + {params.grace} < today"
    return {
        "in": params.in_,
        "says": f"A part of what is due on {article(plan)}, with its day.",
        "key": "INS-######",
        "called": list(params.called) or ["the instalment of {amount:money} due on {due_on:day}"],
        "fields": {
            params.plan: f"{params.plan} as instalments",
            "number": write.field("int", f"Its place in the {plan}, from one on."),
            "due_on": "date",
            "amount": "money",
            "called_off": write.field("bool", "Whether the rest of it is no longer due."),
            "paid": "money = sum(a.amount for a in allocations)",
            "open_amount": write.field(
                "money = money(0) if called_off else amount - sum(a.amount for a in allocations)",
                "What is still to be paid.",
            ),
            "status": {
                "type": "one of open, part_paid, paid, called_off",
                "kept": "'paid' if sum(a.amount for a in allocations) >= amount else 'called_off' if called_off "
                "else 'part_paid' if sum(a.amount for a in allocations) > 0 else 'open'",
            },
            "missed": write.field(
                f"bool computed open_amount > 0 and {late}",
                "Not paid in full "
                + (f"{params.grace} days after the day it was due." if params.grace else "when its day had passed."),
            ),
        },
        "unique": [[params.plan, "number"]],
    }


def _allocation(params: Params) -> dict[str, Any]:
    payment = {params.payment: f"{params.payment} as allocations"} if params.payment else {}
    return {
        "in": params.in_,
        "says": "What went from one payment to one instalment; negative where the payment came back unpaid.",
        "key": "ALC-######",
        "fields": {"instalment": "instalment as allocations", **payment, "amount": "money", "allocated_on": "date"},
    }


def _numbers(params: Params) -> dict[str, Any]:
    return {
        "in": params.in_,
        "says": f"The places that instalments of {indefinite(params.plan)} can have.",
        "key": "NO-###",
        "rows": params.most,
        "seeds": [{"number": number} for number in range(1, params.most + 1)],
        "fields": {"number": "int"},
    }


def _plan_fields() -> dict[str, Any]:
    return {
        "instalments_paid": write.field("money = sum(i.paid for i in instalments)", "Paid on its instalments."),
        "instalments_open": write.field(
            "money = sum(i.open_amount for i in instalments)", "Still to be paid on its instalments."
        ),
    }


def _terms(params: Params) -> dict[str, Any]:
    about, plan = {"plan": params.plan}, to_words(params.plan)
    return {
        "overdue_of": {
            "about": about,
            "is": "sum(i.open_amount for i in plan.instalments if i.due_on < today)",
            "says": f"Everything on {article(plan)} that was due before today and is not paid.",
        },
        "missed_of": {
            "about": about,
            "is": "count(i for i in plan.instalments if i.missed)",
            "says": f"How many instalments of {article(plan)} are missed.",
        },
        "next_due": {
            "about": about,
            "is": "first((i for i in plan.instalments if i.open_amount > 0), by=i.due_on).due_on",
            "says": f"When the oldest open instalment of {article(plan)} is or was due.",
        },
    }


def _say_grace(grace: int) -> str:
    if not grace:
        return "once its day has passed and it is not paid"
    return f"when it is not paid {grace} {'day' if grace == 1 else 'days'} after its day"


def _good_standing(params: Params) -> dict[str, Any]:
    least = params.breaks_after["default"]
    return {
        "about": {"plan": params.plan},
        "rule": "missed_of(plan) < missed",
        "parameters": {"missed": dict(params.breaks_after)},
        "says": f"{indefinite(params.plan).capitalize()} with {{missed:int}} or more missed instalments is broken: "
        f"{params.stops}. An instalment is missed {_say_grace(params.grace)}.",
        "enforced": params.enforced,
        "code": "PLAN_BROKEN",
        "cases": [
            {"allowed": {"plan.instalments": [*({"missed": True} for _ in range(least - 1)), {"missed": False}]}},
            {"forbidden": {"plan.instalments": [*({"missed": True} for _ in range(least)), {"missed": False}]}},
        ],
    }


def _always(params: Params) -> dict[str, Any]:
    plan = to_words(params.plan)
    return {
        "instalments_add_up": {
            "each": params.plan,
            "holds": f"instalments_paid + instalments_open <= {params.amount}",
            "says": f"The instalments of {article(plan)} never come to more than its {to_words(params.amount)}.",
        },
        "never_overpaid": {
            "each": "instalment",
            "holds": "0 <= paid <= amount and amount > 0",
            "says": "No instalment gets more than it asks for or less than nothing, and each asks for something.",
        },
    }


def _lay_out(params: Params, layout: Layout) -> list[write.Statement]:
    """So many equal parts, rounded down; the last one takes what is left."""
    plan = "plan_to_lay_out"
    left = f"{plan}.{params.amount} - {plan}.instalments_paid - {plan}.instalments_open"
    return [
        {"let": {plan: layout.plan, "parts_to_lay_out": layout.count}},
        {"let": {"sum_to_lay_out": layout.amount or left}},
        write.require(
            f"1 <= parts_to_lay_out <= {params.most} and sum_to_lay_out >= parts_to_lay_out * money(0.01)",
            "CANNOT_SPREAD",
            f"{indefinite(params.plan).capitalize()} has 1 to {params.most} instalments, each of a cent or more.",
        ),
        {
            "let": {
                "each_part": "round_down(sum_to_lay_out / parts_to_lay_out, 2)",
                "numbers_before": f"coalesce(max(i.number for i in {plan}.instalments), 0)",
            }
        },
        {
            "each": "place in instalment_number",
            "where": "place.number <= parts_to_lay_out",
            "by": "place.number",
            "do": [
                {
                    "add": "instalment",
                    "with": {
                        params.plan: plan,
                        "number": "numbers_before + place.number",
                        "due_on": f"add_months({layout.first_due}, ({layout.every}) * (place.number - 1))",
                        "amount": "each_part if place.number < parts_to_lay_out "
                        "else sum_to_lay_out - (parts_to_lay_out - 1) * each_part",
                    },
                }
            ],
        },
    ]


def _allocate(params: Params, paying: Paying) -> list[write.Statement]:
    """Instalment after instalment takes what is open on it, until the payment is used up."""
    payment = {params.payment: paying.payment} if params.payment else {}
    values = {"instalment": "part_to_pay", **payment, "amount": "share_paid", "allocated_on": "today"}
    bounded = write.require(
        "sum_to_pay > 0 and sum_to_pay <= plan_to_pay.instalments_open",
        "MORE_THAN_OPEN",
        "Only {plan_to_pay.instalments_open:money} is open on {plan_to_pay.id}.",
    )
    return [
        {"let": {"plan_to_pay": paying.plan, "sum_to_pay": paying.amount}},
        *([bounded] if paying.spare == "refused" else []),
        {
            "each": "part_to_pay in plan_to_pay.instalments",
            "where": "part_to_pay.open_amount > 0",
            "by": "part_to_pay.due_on",
            "carry": {"left_to_pay": "sum_to_pay"},
            "do": [
                {
                    "when": "left_to_pay > 0",
                    "do": [
                        {"let": {"share_paid": "min(left_to_pay, part_to_pay.open_amount)"}},
                        {"add": "allocation", "with": values},
                        {"let": {"left_to_pay": "left_to_pay - share_paid"}},
                    ],
                }
            ],
        },
    ]


def _take_back(params: Params, back: Return) -> list[write.Statement]:
    """Take from each instalment what the payment gave it; both stay on record."""
    values = {
        "instalment": "part_taken_back.instalment",
        str(params.payment): back.payment,
        "amount": "0 - part_taken_back.amount",
        "allocated_on": "today",
    }
    every, where = f"part_taken_back in {back.payment}.allocations", "part_taken_back.amount > 0"
    return [{"each": every, "where": where, "do": [{"add": "allocation", "with": values}]}]


def _call_off(_: Params, end: End) -> list[write.Statement]:
    every, where = f"part_called_off in {end.plan}.instalments", "part_called_off.open_amount > 0"
    return [{"each": every, "where": where, "do": [write.set_fields("part_called_off", called_off="true")]}]
