"""A checklist: what has to be settled, done or waived, before a case may move on.

Adds
- the entity `item`: one thing that a case needs. Its state is `open`, then `done` or `waived`; it keeps who settled it
  and when, and may be opened again by an operation of yours;
- the terms `still_missing(x)` (how many items of a case are open) and `is_settled(x, what)` (whether the case has such
  an item, and it is no longer open);
- the policy `all_settled` about the case, by the name of its entity: it moves on only when nothing is missing;
- where `waived_by` names roles, the policy `waiver_right`: only they waive; where `asked_by` names a field of the case,
  the policy `not_own_waiver`: nobody waives for a case of their own. Both are about an `item` and a `waiver`.

It adds no operation: yours open the case, settle, waive and move on, and get the statements for that at their end. What `acts`
says are expressions over what is in scope there.

```yaml
use:
  - checklist:
      in: desk
      case: tenancy
      item: move_in_item
      staff: clerk
      by: kind
      needs: {signed_lease: always, deposit: always, guarantor: [student], pet_addendum: [family, student]}
      acts:
        open_tenancy: [{does: lay_out, row: made}]
        tick_off: [{does: settle, row: item}]
        let_off: [{does: waive, row: item}]
        hand_over_keys: [{does: move, row: tenancy}]
      waived_by: [manager]
      asked_by: opened_by
```
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, ValidationInfo, field_validator

from worldwright.blueprint.patterns import _write as write
from worldwright.blueprint.patterns._parts import Enforced, Name, Parameters, refuse_own_names
from worldwright.core.names import to_words
from worldwright.english.nouns import indefinite, plural

OWN = ("what", "settled_by", "settled_on", "status", "item", "waiver")
"""Fields of an item, and what the policies speak of."""


class Act(Parameters):
    """What an operation does to a checklist when it ends."""

    does: Literal["lay_out", "settle", "waive", "move"] = Field(
        description="`lay_out` every item that the case needs, `settle` or `waive` an item, or `move` the case on."
    )
    row: str = Field(description="The item that is settled or waived; the case otherwise.")
    when: str = Field(default="", description="Only where this holds.")


class Params(Parameters):
    in_: Name = Field(alias="in", description="The system that keeps the items.")
    case: Annotated[Name, refuse_own_names(*OWN)] = Field(description="The entity that the items belong to.")
    item: Name = Field(default="checklist_item", description="The name of the entity of items.")
    key: str = Field(default="CHK-######", description="The ids of items.")
    staff: Name = Field(description="The entity of callers: they settle items.")
    role: Name = Field(default="role", description="The field of `staff` that names the role.")
    by: Name | None = Field(default=None, description="The `one of` field of the case that says of which kind it is.")
    needs: dict[Name, Literal["always"] | tuple[Name, ...]] = Field(
        min_length=1, description="What a case may need: `always`, or the words of `by` for which it does."
    )
    fields: Annotated[dict[Name, Any], refuse_own_names(*OWN, named_by=("case",))] = Field(
        default={}, description="More fields of an item."
    )
    called: tuple[str, ...] = Field(default=(), description="How people refer to an item.")
    acts: dict[Name, tuple[Act, ...]] = Field(default={}, description="By operation, what it does.")
    waived_by: tuple[Name, ...] = Field(default=(), description="The roles that waive; everybody where left out.")
    asked_by: Name | None = Field(default=None, description="The field of the case with the person who wants it.")
    settled_enforced: Enforced = Field(default="tool", description="Who keeps `all_settled`.")
    waiver_enforced: Enforced = Field(default="agent", description="Who keeps `waiver_right` and `not_own_waiver`.")

    @field_validator("needs")
    @classmethod
    def _kinds_need_a_field(cls, needs: dict[str, Any], info: ValidationInfo) -> dict[str, Any]:
        if not info.data.get("by") and any(kinds != "always" for kinds in needs.values()):
            raise ValueError("where something is not needed always, `by` names the field that decides")
        return needs


def expand(params: Params) -> dict[str, Any]:
    """The entity of items, the terms, the policies, and the statements of operations."""
    policies = {"all_settled": _all_settled(params)}
    if params.waived_by:
        policies["waiver_right"] = _waiver_right(params)
    if params.asked_by:
        policies["not_own_waiver"] = _not_own_waiver(params, params.asked_by)
    return {
        "entities": {params.item: _item(params)},
        "terms": _terms(params),
        "policies": policies,
        "extend": {"operations": write.append_steps(params, (params.acts, _acting))},
    }


def _item(params: Params) -> dict[str, Any]:
    case, way = params.case, plural(params.item)
    return {
        "in": params.in_,
        "says": f"One thing that has to be settled before {indefinite(case)} moves on.",
        "key": params.key,
        "called": list(params.called) or "the item {what} that was settled on {settled_on:day}",
        "fields": {
            case: f"{case} as {way}",
            "what": f"one of {', '.join(params.needs)}",
            "status": "state",
            "settled_by": write.field(f"{params.staff} as {way}_settled?", "Who saw to it, or waived it."),
            "settled_on": "date?",
        }
        | params.fields,
        "lifecycle": {"open": ["done", "waived"], "done": ["open"], "waived": ["open"]},
    }


def _terms(params: Params) -> dict[str, Any]:
    case, items = to_words(params.case), f"x.{plural(params.item)}"
    return {
        "still_missing": {
            "about": {"x": params.case},
            "is": f"count(i for i in {items} if i.status == 'open')",
            "says": f"How many items of {indefinite(params.case)} are neither done nor waived.",
        },
        "is_settled": {
            "about": {"x": params.case, "what": f"one of {', '.join(params.needs)}"},
            "is": f"exists(i for i in {items} if i.what == what and i.status != 'open')",
            "says": f"Whether the {case} has such an item and it is done or waived.",
        },
    }


def _all_settled(params: Params) -> dict[str, Any]:
    items = f"{params.case}.{plural(params.item)}"
    moves = [to_words(name) for name, acts in params.acts.items() if any(act.does == "move" for act in acts)]
    when = f" ({' or '.join(moves)})" if moves else ""
    return {
        "about": {params.case: params.case},
        "rule": f"still_missing({params.case}) == 0",
        "says": f"{indefinite(params.case).capitalize()} moves on{when} only when every item of its checklist is done or waived.",
        "enforced": params.settled_enforced,
        "code": "ITEMS_MISSING",
        "cases": [
            {"allowed": {items: [{"status": "done"}, {"status": "waived"}]}},
            {"allowed": {items: []}},
            {"forbidden": {items: [{"status": "done"}, {"status": "open"}]}},
        ],
    }


def _waiver_right(params: Params) -> dict[str, Any]:
    roles = params.waived_by
    role = f"waiver.{params.role}"
    return {
        "about": {"item": params.item, "waiver": params.staff},
        "rule": write.is_one_of(role, roles),
        "says": f"An item of the checklist is waived by {' or '.join(indefinite(r) for r in roles)} only.",
        "enforced": params.waiver_enforced,
        "code": "MAY_NOT_WAIVE",
        "cases": [{"allowed": {role: name}} for name in roles] + [{"forbidden": {role: "none"}}],
    }


def _not_own_waiver(params: Params, asked_by: str) -> dict[str, Any]:
    asker = f"item.{params.case}.{asked_by}"
    return {
        "about": {"item": params.item, "waiver": params.staff},
        "rule": f"{asker} != waiver",
        "says": f"Nobody waives an item of {indefinite(params.case)} that is their own.",
        "enforced": params.waiver_enforced,
        "code": "OWN_CASE",
        "cases": [{"allowed": {asker: "ann", "waiver": "bob"}}, {"forbidden": {asker: "ann", "waiver": "ann"}}],
    }


def _acting(params: Params, act: Act) -> list[write.Statement]:
    row = act.row
    if act.does == "lay_out":
        return [s for what, kinds in params.needs.items() for s in _needed(params, row, what, kinds)]
    if act.does == "move":
        return [{"obey": {"all_settled": {params.case: row}}}]
    waived = act.does == "waive"
    rules = [
        {name: {"item": row, "waiver": "actor"}}
        for name, there in (("waiver_right", params.waived_by), ("not_own_waiver", params.asked_by))
        if there and waived
    ]
    return [
        write.require(f"{row}.status == 'open'", "ITEM_SETTLED", f"{{{row}.id}} is {{{row}.status}} already."),
        *([{"obey": rules}] if rules else []),
        write.set_fields(row, status="'waived'" if waived else "'done'", settled_by="actor", settled_on="today"),
    ]


def _needed(params: Params, case: str, what: str, kinds: str | tuple[str, ...]) -> list[write.Statement]:
    when = "" if kinds == "always" else write.is_one_of(f"{case}.{params.by}", kinds)
    return write.do_when(when, {"add": params.item, "with": {params.case: case, "what": f"'{what}'"}})
