"""Rules: named parameters of policies, all of one name or a mix, and exemptions put behind what they beat.

A setting is the name of a set (`strict`: every policy that has parameters of that name), `swapped` (every exemption behind the
rules that it would beat), or a list: `two_quotes=strict,safety_purchase=after`. Text and rule come from the same place, the
Blueprint's `variant`, so the handbook says what holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from worldwright.blueprint.check.rules import AFTER, OFF, list_sets
from worldwright.blueprint.checked import Checked
from worldwright.blueprint.model import Blueprint
from worldwright.core.errors import UsageError
from worldwright.core.names import suggest, to_words
from worldwright.core.rng import Stream
from worldwright.variants.axis import Axis, Setting
from worldwright.variants.record import USUAL

DEFAULT = "default"
SWAPPED = "swapped"
_ENDS = ("strict", "lenient")
"""Names that lie on opposite sides of the default."""


def list_levels(bp: Blueprint) -> dict[str, tuple[str, ...]]:
    """Map each policy to the sets that it may have, where there is a choice. `off` is left to those who know what the texts of
    a Blueprint say: an exemption that the handbook no longer names may still be spoken of elsewhere."""
    named = {
        policy: tuple(
            s
            for s in list_sets(spec)
            if s != OFF or s in frozenset(name for values in spec.parameters.values() for name in values)
        )
        for policy, spec in bp.policies.items()
    }
    return {policy: own for policy, own in named.items() if len(own) > 1}


def list_rule_sets(bp: Blueprint) -> dict[str, dict[str, str]]:
    """Map each name that parameters have, and `swapped`, to what is chosen for each policy."""
    own = list_levels(bp)
    names = sorted({name for sets in own.values() for name in sets if name not in (DEFAULT, AFTER)}, key=_order)
    out = {name: {policy: name for policy, sets in own.items() if name in sets} for name in names}
    behind = {policy: AFTER for policy, sets in own.items() if AFTER in sets}
    return {**out, **({SWAPPED: behind} if behind else {})}


def _order(name: str) -> tuple[int, str]:
    return (_ENDS.index(name) if name in _ENDS else len(_ENDS), name)


def parse_setting(bp: Blueprint, value: str) -> dict[str, str]:
    """Parse what a setting says of each policy."""
    sets = list_rule_sets(bp)
    if value == USUAL:
        return {}
    if value in sets:
        return sets[value]
    out = {}
    for part in value.split(","):
        policy, mark, name = part.partition("=")
        if not mark:
            raise UsageError(f"`policy` cannot be {value[:60]!r}; {suggest(value[:60], sets)}")
        if policy not in bp.policies:
            raise UsageError(f"`policy`: no policy is called `{policy}`; {suggest(policy, bp.policies)}")
        if name not in list_sets(bp.policies[policy]):
            raise UsageError(f"`policy`: {policy} has no set `{name}`; {suggest(name, list_sets(bp.policies[policy]))}")
        out[policy] = name
    return out


def write_setting(bp: Blueprint, choice: Mapping[str, str]) -> str:
    """The setting that says this: the name of a whole set, where it is one."""
    named = {policy: name for policy, name in choice.items() if name != DEFAULT}
    for name, whole in list_rule_sets(bp).items():
        if named == whole:
            return name
    return ",".join(f"{policy}={name}" for policy, name in sorted(named.items())) or USUAL


def find_opposite(bp: Blueprint, choice: Mapping[str, str], stream: Stream) -> dict[str, str]:
    """The set of rules that is farthest from this one: strict where it is lenient, and nowhere the same."""
    out = {}
    for policy, sets in list_levels(bp).items():
        mine = choice.get(policy, DEFAULT)
        across = _ENDS[1 - _ENDS.index(mine)] if mine in _ENDS else ""
        others = [s for s in sets if s not in (mine, DEFAULT)] if mine == DEFAULT else [DEFAULT]
        out[policy] = across if across in sets else stream.pick(others)
    return out


def _list_settings(checked: Checked) -> tuple[Setting, ...]:
    bp = checked.blueprint
    return tuple(Setting(name, _phrase(bp, name)) for name in list_rule_sets(bp))


def _vary(bp: Blueprint, value: str) -> Blueprint:
    named = {**bp.variant, **parse_setting(bp, value)}
    return bp.model_copy(update={"variant": {policy: name for policy, name in named.items() if name != DEFAULT}})


def _phrase(bp: Blueprint, value: str) -> str:
    if value == SWAPPED:
        return "exceptions behind their rules"
    if value in list_rule_sets(bp):
        return f"{value} rules"
    by_name: dict[str, list[str]] = {}
    for policy, name in parse_setting(bp, value).items():
        by_name.setdefault(name, []).append(to_words(policy))
    parts = [f"{name} {_join_names(by_name[name])}" for name in sorted(by_name, key=_order) if name not in (AFTER, OFF)]
    parts += [f"no exception for {_join_names(by_name[name])}" for name in (AFTER, OFF) if name in by_name]
    return ", ".join(parts)


def _join_names(names: Iterable[str], most: int = 1) -> str:
    listed = list(names)
    if len(listed) <= most:
        return " and ".join(listed)
    return f"{', '.join(listed[:most])} and {len(listed) - most} more"


AXIS = Axis(
    "policy",
    "rules",
    10,
    "named parameters of the policies, all of one name or a mix, and exceptions behind what they beat",
    _list_settings,
    _vary,
    phrase=_phrase,
)
