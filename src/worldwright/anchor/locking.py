"""From what was given to an anchor: read, merged, understood as worlds, and locked with the reasons."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from worldwright.anchor.anonymise import Report, anonymise
from worldwright.anchor.coverage import coverage
from worldwright.anchor.evidence import Evidence
from worldwright.anchor.intake import Given, Read, prompts, read
from worldwright.anchor.lock import Anchor, Domain, lock_data
from worldwright.anchor.merge import Decision, merged
from worldwright.anchor.model.derive import Derived, derive
from worldwright.anchor.names import identifier, parts
from worldwright.blueprint.checked import Checked
from worldwright.blueprint.load import load_text
from worldwright.core.canonical import digest, pretty_json
from worldwright.core.errors import UsageError
from worldwright.core.names import words
from worldwright.engine.contract import contract_data

Progress = Callable[[str, str], None]


@dataclass(frozen=True, slots=True)
class Asked:
    """What somebody wants beside what the inputs say."""

    name: str = ""
    focus: tuple[str, ...] = ()
    onto: str = ""
    key: str = ""
    """Personal data is replaced with this key; empty for not at all."""


def anonymising_key(given: Sequence[Given]) -> str:
    """A key that only who has the inputs can know, and that is the same for the same inputs."""
    return digest([u.digest for one in given for u in one.uploads])


def locked(given: Sequence[Given], asked: Asked, progress: Progress = lambda stage, figures: None) -> Anchor:
    """The anchor of some inputs. `progress` hears each stage as it ends."""
    reads, personal = _read(given, asked)
    _check_readable(given, reads)
    progress("read", _figures(reads))
    found = merged(reads)
    if len(reads) > 1:
        progress("merge", f"{len(found.evidence.things)} things, {len(found.decisions)} decisions")
    return _anchor(given, reads, found.evidence, found.decisions, asked, personal, progress)


def _read(given: Sequence[Given], asked: Asked) -> tuple[tuple[Read, ...], Report]:
    reads = read(given)
    if not asked.key:
        return reads, Report()
    cleaned, reports = [], []
    for one in reads:
        evidence, report = anonymise(one.evidence, asked.key)
        cleaned.append(replace(one, evidence=evidence))
        reports.append(report)
    return tuple(cleaned), Report(tuple(f for r in reports for f in r.found), sum(r.replaced for r in reports))


def _check_readable(given: Sequence[Given], reads: Sequence[Read]) -> None:
    """Nothing is locked where nothing could be read."""
    if not given:
        raise UsageError("nothing was given")
    if prompts(given) or any(_says_something(r.evidence) for r in reads):
        return
    wrong = [f"{n.source}: {n.says}" for r in reads for n in r.evidence.notes if n.level == "error"]
    raise UsageError("nothing in the inputs could be understood" + (": " + "; ".join(wrong[:5]) if wrong else ""))


def _says_something(evidence: Evidence) -> bool:
    return bool(evidence.things or evidence.actions or evidence.rules)


def _figures(reads: Sequence[Read]) -> str:
    kinds = dict.fromkeys(r.kind for r in reads)
    every = [r.evidence for r in reads]
    counts = {
        "operations": sum(len(e.actions) for e in every),
        "things": sum(len(e.things) for e in every),
        "rules": sum(len(e.rules) for e in every),
        "rows": sum(r.total for e in every for r in e.rows),
    }
    return ", ".join([*kinds, *(f"{n:,} {what}" for what, n in counts.items() if n)])


def _anchor(
    given: Sequence[Given],
    reads: Sequence[Read],
    evidence: Evidence,
    decisions: Sequence[Decision],
    asked: Asked,
    personal: Report,
    progress: Progress,
) -> Anchor:
    title = evidence.title or _title(given)
    name = identifier(parts(asked.name or title), "service")
    made = derive(replace(evidence, title=title), name, asked.focus)
    if not made:
        raise UsageError(_nothing(evidence, asked))
    domains = tuple(_domain(one) for one in made)
    progress("model", f"{len(domains)} worlds, {sum(d.counts['entities'] for d in domains)} entities")
    options: dict[str, Any] = {
        "name": asked.name,
        "focus": list(asked.focus),
        "onto": asked.onto,
        "anonymised": {"columns": len(personal.found), "values": personal.replaced} if asked.key else None,
    }
    covered = coverage(evidence, made)
    reasons = [
        {"world": one.name, "what": r.what, "why": r.why, "source": r.source} for one in made for r in one.reasons
    ]
    lock = lock_data(name, title, given, reads, options, domains, decisions, covered, reasons)
    return Anchor(name, title, domains, lock)


def _title(given: Sequence[Given]) -> str:
    """A name where the inputs say none: that of the first file."""
    first = next((u.name for g in given for u in g.uploads), "")
    stem = first.rsplit("/", 1)[-1].split(".")[0]
    return " ".join(parts(stem)).capitalize() or "Derived service"


def _nothing(evidence: Evidence, asked: Asked) -> str:
    if asked.focus:
        return f"nothing is called {', '.join(asked.focus)}; leave out --focus to see what there is"
    return f"there is nothing to build a world from: {len(evidence.actions)} operations, {len(evidence.things)} things"


def _domain(one: Derived) -> Domain:
    checked = load_text(one.blueprint, f"{one.name}.yaml")
    contract = pretty_json(contract_data(one.contract))
    return Domain(one.name, one.title, one.blueprint, one.contract, contract, _counts(one, checked), _hard(checked))


def _counts(one: Derived, checked: Checked) -> dict[str, int]:
    blueprint = checked.blueprint
    return {
        "entities": len(blueprint.entities),
        "operations": len(blueprint.operations),
        "policies": len(blueprint.policies),
        "goals": len(blueprint.goals),
        "tools": len(one.contract.tools),
        **one.business,
    }


def _hard(checked: Checked) -> tuple[str, ...]:
    """What makes a world hard, in a few words."""
    return tuple(words(name) for name in checked.blueprint.policies)[:8]
