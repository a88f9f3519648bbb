"""Generation guidelines: what to build next, as data that the factory can carry out and a person can read and change.

    format: 1
    agent: planner
    guidelines:
    - id: wrong_entity
      why: 41 of 96 failures took another record than the one that is meant
      share: 0.43
      domains: {hotel_booking: 0.7, motor_claims: 0.3}
      operations: [move_room]
      policies: []
      knobs: {distractors: 1..}
      layers: [look_alikes, duplicates]

Domains, layers and knobs decide what is built; operations and policies decide which of its tasks are taken. Domains may be a list:
then as much is built of each.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from worldwright import catalogue
from worldwright.arena.diagnose import records as r
from worldwright.arena.evaluate import Evaluation, TaskTraits
from worldwright.arena.weakness import Weakness, count_classes, rank_weaknesses
from worldwright.core.errors import UsageError
from worldwright.core.names import suggest
from worldwright.core.whole_file import write_whole
from worldwright.factory.order import Order, WorldOptions
from worldwright.factory.sources import add_layers, source_of_domain
from worldwright.formats.strict_yaml import YamlError, dump_yaml, read_yaml
from worldwright.kinds.database.compile.tasks.knobs import knobs as read_knobs
from worldwright.variants.inject import parse_layers

FORMAT = 1
MAX_NAMES = 6
"""Operations and policies that a guideline names."""
SEEDS_PER_GUIDELINE = 100
"""Between the seeds of two guidelines."""
MIN_SHARE = 0.03
"""A class with a smaller share of the failures gets no guideline."""


@dataclass(frozen=True, slots=True)
class Lever:
    """What makes tasks in which a class of failure can happen."""

    knobs: Mapping[str, str] = field(default_factory=dict)
    layers: tuple[str, ...] = ()


LEVERS: Mapping[str, Lever] = MappingProxyType(
    {
        r.WRONG_ENTITY: Lever({"distractors": "1.."}, ("look_alikes", "duplicates")),
        r.WRONG_VALUE: Lever({"writes": "1.."}, ("legacy_dates", "partial_refunds")),
        r.MISSED_STEP: Lever({"writes": "2.."}, ("half_finished",)),
        r.MISSED_POLICY: Lever({"contrast": "8"}, ("policy_conflicts", "seasonal_rules")),
        r.FORBIDDEN_WRITE: Lever({"contrast": "8"}, ("delegated_roles", "budget_caps")),
        r.STALE: Lever({}, ("stale", "duplicates", "soft_deleted")),
        r.MALFORMED: Lever({"writes": "1.."}, ()),
        r.HALLUCINATED: Lever({"joins": "1.."}, ("id_reuse",)),
        r.GAVE_UP: Lever({"calls": "3.."}, ("flaky_errors",)),
        r.LOOP: Lever({"calls": "3.."}, ("flaky_errors", "rate_limits")),
        r.RAN_OUT: Lever({"calls": "4.."}, ()),
        r.WRONG_ANSWER: Lever({"calls": "2.."}, ()),
        r.COLLATERAL: Lever({"distractors": "1.."}, ("look_alikes",)),
    }
)
"""By class, what the factory can turn."""


@dataclass(frozen=True, slots=True)
class Guideline:
    """One thing to build more of."""

    id: str
    why: str
    share: float
    """How much of what is built."""
    domains: tuple[str, ...]
    operations: tuple[str, ...] = ()
    policies: tuple[str, ...] = ()
    knobs: Mapping[str, str] = field(default_factory=dict)
    layers: tuple[str, ...] = ()
    parts: tuple[float, ...] = ()
    """By domain, how much of it is built there; empty for as much in each."""

    def __post_init__(self) -> None:
        where = f"guideline {self.id!r}"
        if not self.domains:
            raise UsageError(f"{where} names no domain to build")
        for name in self.domains:
            if name not in catalogue.names():
                raise UsageError(f"{where}: no domain is called {name!r}; {suggest(name, catalogue.names())}")
        for share in (self.share, *self.parts):
            if not 0 < share <= 1:
                raise UsageError(f"{where}: a share is more than 0 and at most 1, not {share}")
        parse_layers(self.layers)
        read_knobs("medium", self.knobs)

    def wants(self, traits: TaskTraits) -> bool:
        """Return whether a task has to do with what this is about; every task where it names no operation and no policy."""
        if not self.operations and not self.policies:
            return True
        return bool(set(self.operations) & set(traits.tools) or set(self.policies) & set(traits.policies))

    def data(self) -> dict[str, Any]:
        parts = {name: max(round(part, 4), 0.0001) for name, part in zip(self.domains, self.parts, strict=False)}
        return {
            "id": self.id, "why": self.why, "share": round(self.share, 4), "domains": parts or list(self.domains),
            "operations": list(self.operations), "policies": list(self.policies), "knobs": dict(self.knobs),
            "layers": list(self.layers),
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Guidelines:
    """Everything to build next, for one agent."""

    agent: str
    items: tuple[Guideline, ...]

    def data(self) -> dict[str, Any]:
        return {"format": FORMAT, "agent": self.agent, "guidelines": [one.data() for one in self.items]}

    def text(self) -> str:
        """Render the guidelines as YAML."""
        return dump_yaml(self.data())


def derive_guidelines(found: Evaluation, domains: Sequence[str] = ()) -> Guidelines:
    """Derive what to build from weaknesses: a guideline for each class of failure that is not rare.

    `domains` are those that may be built; where none are named, those in which the failures were seen.
    """
    ranked = rank_weaknesses(found)
    items = []
    common = [(kind, n, share) for kind, n, share in count_classes(found) if share >= MIN_SHARE]
    whole = sum(share for _, _, share in common)
    for kind, n, share in common:
        mine = [w for w in ranked if w.kind == kind]
        seen = tuple(dict.fromkeys(w.domain for w in mine if w.domain in catalogue.names()))
        allowed = tuple(domains) or seen
        if not allowed:
            continue
        here = tuple(d for d in seen if d in allowed) or allowed
        lever = LEVERS[kind]
        items.append(
            Guideline(
                kind.replace(" ", "_"), f"{n} of {len(found.failures)} failures: {r.CLASSES[kind]}", share / whole, here,
                _names(mine, "tool", here), _names(mine, "policy", here), dict(lever.knobs), lever.layers,
                _share_by_domain(mine, here),
            )
        )  # fmt: skip
    return Guidelines(found.agent, tuple(items))


def _share_by_domain(mine: Iterable[Weakness], domains: Sequence[str]) -> tuple[float, ...]:
    """Share out by domain what was seen to fail in this way; empty where none of it was seen there."""
    failed = Counter[str]()
    for one in mine:
        failed[one.domain] += one.failed
    whole = sum(failed[name] for name in domains)
    return tuple(failed[name] / whole for name in domains) if whole else ()


def _names(ranked: Iterable[Any], focus: str, domains: Sequence[str]) -> tuple[str, ...]:
    names = dict.fromkeys(w.name for w in ranked if w.focus == focus and w.domain in domains)
    return tuple(names)[:MAX_NAMES]


# in and out


def write_guidelines(path: Path, found: Guidelines) -> None:
    """Write YAML, or JSON where the file is called so."""
    text = json.dumps(found.data(), indent=2, ensure_ascii=False) + "\n" if path.suffix == ".json" else found.text()
    write_whole(path, text)


def read_guidelines(path: Path) -> Guidelines:
    try:
        data, _ = read_yaml(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, YamlError) as e:
        raise UsageError(f"{path} cannot be read: {e}") from None
    return guidelines_of(data, str(path))


def guidelines_of(data: Any, where: str) -> Guidelines:
    """Guidelines from plain data, wherever it comes from; what is wrong is said with its place."""
    if not isinstance(data, Mapping) or data.get("format") != FORMAT or not isinstance(data.get("guidelines"), list):
        raise UsageError(f"{where} holds no guidelines: `format: {FORMAT}` and a list `guidelines` were expected")
    items = tuple(_item(one, f"guideline {n} of {where}") for n, one in enumerate(data["guidelines"], start=1))
    return Guidelines(str(data.get("agent", "")), items)


_LISTS = ("domains", "operations", "policies", "layers")


def _item(data: Any, where: str) -> Guideline:
    if not isinstance(data, Mapping):
        raise UsageError(f"{where} is not a mapping")
    known = {"id", "why", "share", "knobs", *_LISTS}
    if strange := sorted(set(map(str, data)) - known):
        raise UsageError(f"{where} says {strange[0]!r}, which means nothing; {suggest(strange[0], known)}")
    lists = {name: data.get(name) or [] for name in _LISTS}
    parts: tuple[float, ...] = ()
    if isinstance(lists["domains"], Mapping):
        lists["domains"], parts = list(lists["domains"]), _numbers(lists["domains"].values(), where)
    for name, value in lists.items():
        if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
            raise UsageError(f"{where}: {name} is a list of names, not {value!r}")
    knobs, share = data.get("knobs") or {}, data.get("share")
    if not isinstance(knobs, Mapping) or isinstance(share, bool) or not isinstance(share, (int, float)):
        raise UsageError(f"{where} needs a share (a number up to 1), and knobs by name")
    settings = {str(name): str(value) for name, value in knobs.items()}
    return Guideline(
        str(data.get("id", "")), str(data.get("why", "")), float(share), knobs=settings, parts=parts,
        **{name: tuple(value) for name, value in lists.items()},
    )  # fmt: skip


def _numbers(values: Iterable[Any], where: str) -> tuple[float, ...]:
    found = tuple(values)
    if any(isinstance(value, bool) or not isinstance(value, (int, float)) for value in found):
        raise UsageError(
            f"{where}: domains are a list of names, or names with how much is built of each (a number up to 1)"
        )
    return tuple(map(float, found))


# for the factory


def control_guidelines(agent: str, domains: Sequence[str]) -> Guidelines:
    """Guidelines that target nothing: the control to hold targeted ones against, at the same cost."""
    return Guidelines(agent, (Guideline("untargeted", "nothing is targeted", 1.0, tuple(domains)),))


def plan_orders(found: Guidelines, worlds: int, tasks: int, seed: int) -> tuple[tuple[Guideline, Order], ...]:
    """Order from the factory what each guideline asks for: exactly so many worlds in all, shared out by the shares."""
    shared = _apportion([one.share for one in found.items], worlds)
    out: list[tuple[Guideline, Order]] = []
    for at, (one, mine) in enumerate(zip(found.items, shared, strict=True)):
        out += [(one, order) for order in _plan_guideline(one, mine, tasks, seed + SEEDS_PER_GUIDELINE * at)]
    return tuple(out)


def _plan_guideline(one: Guideline, worlds: int, tasks: int, seed: int) -> list[Order]:
    """Order so many worlds of one guideline: shared out among its domains by their parts, or as evenly as they go."""
    counts = _apportion(one.parts or [1.0] * len(one.domains), worlds)
    settings = (("most", str(tasks)), *one.knobs.items())
    return [
        Order(
            tuple(
                add_layers(source_of_domain(name), one.layers, strict=False)
                for name in _list_with_count(one.domains, counts, variants)
            ),
            variants, seed=seed, siblings=1, asked=WorldOptions(knobs=settings),
        )
        for variants in sorted({count for count in counts if count}, reverse=True)
    ]  # fmt: skip


def _list_with_count(domains: Sequence[str], counts: Sequence[int], wanted: int) -> list[str]:
    return [name for name, count in zip(domains, counts, strict=True) if count == wanted]


def _apportion(shares: Sequence[float], total: int) -> list[int]:
    """Give each share a whole number so that they add up to the total: what is left over goes to the largest remainders."""
    whole = sum(shares) or 1.0
    exact = [share * total / whole for share in shares]
    out = [int(x) for x in exact]
    by_rest = sorted(range(len(exact)), key=lambda at: (out[at] - exact[at], at))
    for at in by_rest[: total - sum(out)]:
        out[at] += 1
    return out
