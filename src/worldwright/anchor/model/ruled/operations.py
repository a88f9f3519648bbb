"""Which operations a sentence means, and how each of them calls what a rule looks at."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from worldwright.anchor.model.operations import BlueprintOperation
from worldwright.anchor.model.records import Attribute
from worldwright.english.stems import stem, stemset

CHANGES = stemset("change modify edit amend alter update adjust correct revise touch")
CREATES = stemset(
    "create add register place submit raise file open make request issue book log enter record lodge claim apply post"
)
DELETES = stemset("delete remove erase")
ALIKE: Mapping[str, str] = {
    stem("authorise"): stem("approve"),
    stem("decline"): stem("reject"),
    stem("refuse"): stem("reject"),
    stem("dispatch"): stem("ship"),
    stem("settle"): stem("pay"),
    stem("finish"): stem("complete"),
}
"""Verbs that mean the same as another."""
BACK = stemset("reopen restore unarchive unlock undo reactivate resume")
"""Moves that undo what a record has come to."""
DECIDES = stemset("approve authorise accept confirm")
ENDS = stemset("cancel reject decline close archive void delete withdraw dismiss deactivate expire")
"""Moves that end something: nobody asks for an approval there."""
WRITES = ("create", "update", "move", "delete")


@dataclass(frozen=True, slots=True)
class Act:
    """An operation that changes something."""

    made: BlueprintOperation
    row: str
    """What it calls the record that it changes; empty for a new one."""

    @property
    def name(self) -> str:
        return self.made.name

    @property
    def kind(self) -> str:
        return self.made.intent.kind

    @property
    def verb(self) -> str:
        """The stem of what it does."""
        return stem(self.made.intent.verb[0]) if self.made.intent.verb else ""

    def value(self, a: Attribute) -> str:
        """Return what a value is after the operation; empty where it has none."""
        given = next((t.name for t in self.made.takes if t.attribute is not None and t.attribute.name == a.name), "")
        if not self.row:
            return given
        return f"coalesce({given}, {self.row}.{a.name})" if given else f"{self.row}.{a.name}"

    def takes(self, a: Attribute) -> bool:
        return any(t.attribute is not None and t.attribute.name == a.name for t in self.made.takes)


def acts_of(made: Sequence[BlueprintOperation]) -> dict[str, tuple[Act, ...]]:
    """By thing, the operations that write, in order."""
    out: dict[str, tuple[Act, ...]] = {}
    for one in made:
        if one.logs or one.intent.kind not in WRITES or "does" not in one.spec:
            continue
        row = _row(one)
        if row or one.intent.kind == "create":
            out[one.entity.name] = (*out.get(one.entity.name, ()), Act(one, row))
    return out


def _row(one: BlueprintOperation) -> str:
    if one.intent.kind == "create":
        return ""
    own = one.row
    if own:
        return own
    first: Mapping[str, object] = next(iter(one.spec["does"]), {})
    name, _, entity = str(first.get("find", "")).partition(" in ")
    return name if entity == one.entity.name else ""


def named(acts: Iterable[Act], verbs: Collection[str]) -> list[Act]:
    """The operations that verbs mean: their own first, else by the kind of thing that the verbs say is done.

    Who changes a thing does not move it on: a rule that paid orders are not changed does not keep them from being shipped.
    """
    known = {ALIKE.get(v, v) for v in verbs}
    listed = list(acts)
    out = [a for a in listed if a.verb and ALIKE.get(a.verb, a.verb) in known and a.kind == "move"]
    if known & CHANGES:
        out += [a for a in listed if a.kind == "update"]
    if known & DELETES:
        out += [a for a in listed if a.kind == "delete"]
    if known & CREATES and not out:
        out += [a for a in listed if a.kind == "create"]
    return list({a.name: a for a in out}.values())


def deciding(acts: Sequence[Act]) -> list[Act]:
    """Return where an approval is asked for: at the decision itself, else at the moves that go on."""
    moves = [a for a in acts if a.kind == "move" and a.verb not in ENDS]
    return [a for a in moves if a.verb in DECIDES] or [a for a in moves if a.verb not in BACK]
