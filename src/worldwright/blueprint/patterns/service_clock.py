"""A service clock: a case is to be settled within a target; the clock stands still while somebody else has to act.

Extends the case with `clock_from` (when the clock started), `due` (kept: start, target and pauses together),
`paused_since`, `paused_total` and `clock_stopped`, and with `late_noted` (when a delay was explained or escalated). In
`business_days` these are days, in `hours` moments, with whole hours counted around the clock.

Adds the terms `clock_target(x)` (how long a case of that kind may take), `clock_left(x)` (what is left of it, negative
where it is overdue; none before the clock has started), `clock_runs(x)` and `is_late(x)`; and the policy `late_explained`
about the case, by the name of its entity: what is late by more than `grace` is settled only after the delay was noted.

It adds no operation: yours start, pause, resume, stop and note, and get the statements for that at their end. What `runs`
says are expressions over what is in scope there. A clock that is paused is not paused again, one that runs is not resumed,
and one that has stopped stays so until it is started anew: then everything is counted from there.

```yaml
use:
  - service_clock:
      case: incident
      unit: hours
      by: priority
      targets: {critical: 4, high: 24}
      target: 72
      runs:
        report_incident: [{does: start, case: made}]
        ask_back: [{does: pause, case: incident}]
        hear_back: [{does: resume, case: incident}]
        resolve: [{does: stop, case: incident}]
        escalate: [{does: note, case: incident}]
      grace: {default: 0, lenient: 8}
```
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationInfo, field_validator

from worldwright.blueprint.patterns import _write as write
from worldwright.blueprint.patterns._parts import HAS_DEFAULT, Enforced, Name, Parameters
from worldwright.core.names import to_words
from worldwright.english.nouns import indefinite

Length = Annotated[int, Field(ge=1)]


class Run(Parameters):
    """What an operation does to a clock when it ends."""

    does: Literal["start", "pause", "resume", "stop", "note"] = Field(description="What happens to the clock.")
    case: str = Field(description="The row with the clock.")
    when: str = Field(default="", description="Only where this holds.")


class Params(Parameters):
    case: Name = Field(description="The entity with the clock.")
    unit: Literal["business_days", "hours"] = Field(default="business_days", description="What is counted.")
    target: Length = Field(description="How long a case may take, unless `targets` says otherwise.")
    by: Name | None = Field(default=None, description="The `one of` field of the case that the target depends on.")
    targets: dict[str, Length] = Field(default={}, description="The targets of its words.")
    runs: dict[Name, tuple[Run, ...]] = Field(default={}, description="By operation, what it does to clocks.")
    grace: Annotated[dict[str, Annotated[int, Field(ge=0)]], HAS_DEFAULT] = Field(
        default={"default": 0}, description="How late a case may be without a note; by variant."
    )
    late_enforced: Enforced = Field(default="agent", description="Who keeps `late_explained`.")

    @field_validator("targets")
    @classmethod
    def _words_of_a_field(cls, targets: dict[str, int], info: ValidationInfo) -> dict[str, int]:
        if bool(targets) != bool(info.data.get("by")):
            raise ValueError("`by` and `targets` go together")
        return targets


def expand(params: Params) -> dict[str, Any]:
    """The fields of the case, the terms, the policy, and the statements of operations."""
    return {
        "terms": _terms(params),
        "policies": {"late_explained": _late_explained(params)},
        "extend": {
            "entities": {params.case: {"fields": _fields(params)}},
            "operations": write.append_steps(params, (params.runs, _running)),
        },
    }


def _now(params: Params) -> str:
    return "now" if params.unit == "hours" else "today"


def _target(params: Params, field: str) -> str:
    return write.choose(field, params.targets, params.target)


def _later(params: Params, moment: str, length: str) -> str:
    return f"{'add_hours' if params.unit == 'hours' else 'add_business_days'}({moment}, {length})"


def _between(params: Params, earlier: str, later: str) -> str:
    return f"{'hours_between' if params.unit == 'hours' else 'business_days_between'}({earlier}, {later})"


def _fields(params: Params) -> dict[str, Any]:
    moment = "time" if params.unit == "hours" else "date"
    target = f"({_target(params, params.by or '')}) + paused_total"
    return {
        "clock_from": write.field(f"{moment}?", "When the clock started.", draw="none"),
        "paused_since": write.field(f"{moment}?", "Set while the clock stands still.", draw="none"),
        "paused_total": write.field("int", f"{to_words(params.unit).capitalize()} that do not count.", draw="0"),
        "clock_stopped": write.field(f"{moment}?", "When the clock stopped for good.", draw="none"),
        "late_noted": write.field(f"{moment}?", "When a delay was explained or escalated.", draw="none"),
        "due": {"type": f"{moment}?", "kept": _later(params, "clock_from", target), "says": "The end of the target."},
    }


def _terms(params: Params) -> dict[str, Any]:
    about = {"x": params.case}
    seen = _clock_moment(params, "x")
    table = ", ".join(f"{n} for {to_words(word)}" for word, n in params.targets.items())
    unit, case = to_words(params.unit), indefinite(params.case)
    return {
        "clock_target": {
            "about": about,
            "is": _target(params, f"x.{params.by}"),
            "says": f"How many {unit} {case} may take: {table + ', otherwise ' if table else ''}{params.target}.",
        },
        "clock_left": {
            "about": about,
            "is": _between(params, seen, "x.due"),
            "says": f"How many {unit} are left; negative where it is late. Pauses and what came after the end do not count.",
        },
        "clock_runs": {
            "about": about,
            "is": "x.clock_from is not none and x.paused_since is none and x.clock_stopped is none",
            "says": "Started, not paused and not stopped.",
        },
        "is_late": {
            "about": about,
            "is": f"x.due < {seen}",
            "says": "The target is over, or was when the clock was paused or stopped.",
        },
    }


def _clock_moment(params: Params, case: str) -> str:
    """The moment up to which a clock is looked at."""
    return f"coalesce({case}.clock_stopped, coalesce({case}.paused_since, {_now(params)}))"


def _late_explained(params: Params) -> dict[str, Any]:
    case = params.case
    spoken = f" by more than {{grace:int}} {to_words(params.unit)}" if any(params.grace.values()) else ""
    in_time = f"{_clock_moment(params, case)} <= {_later(params, f'{case}.due', 'grace')}"
    return {
        "about": {case: params.case},
        "rule": f"not is_late({case}) or {case}.late_noted is not none or {in_time}",
        "parameters": {"grace": dict(params.grace)},
        "says": f"{indefinite(params.case).capitalize()} that is late{spoken} is settled only after the delay was explained "
        "or escalated on the record.",
        "enforced": params.late_enforced,
        "code": "LATE_UNEXPLAINED",
        "cases": [
            {"allowed": _case(params, over=False)},
            {"forbidden": _case(params, over=True)},
            {"allowed": _case(params, over=True, late_noted=True)},
            # What counts is the moment when the clock was paused or stopped.
            {"allowed": _case(params, over=True, paused_since=True)},
            {"allowed": _case(params, over=True, clock_stopped=True)},
        ],
    }


def _case(params: Params, over: bool, **at_the_end: bool) -> dict[str, Any]:
    """A case at the end of the grace, or after it; the fields that are named were set when it was due."""
    grace = params.grace["default"]
    if params.unit == "hours":
        due, now = f"{_DUE:{_TIME}}", f"{_DUE + timedelta(hours=grace + over):{_TIME}}"
    else:  # when the grace ends depends on the holidays
        due, now = f"{_DUE:%Y-%m-%d}", f"{_DUE + timedelta(days=(4 * grace + 30) * over):%Y-%m-%d}"
    set_then = ("late_noted", "paused_since", "clock_stopped")
    given = {f"{params.case}.{field}": due if at_the_end.get(field) else "none" for field in set_then}
    return {_now(params): now, f"{params.case}.due": due, **given}


_DUE = datetime(2025, 3, 3, 10)
_TIME = "%Y-%m-%dT%H:%M:%SZ"


def _running(params: Params, run: Run) -> list[write.Statement]:
    case, now = run.case, _now(params)
    goes_on = {
        f"{case}.paused_total": f"{case}.paused_total + {_between(params, f'{case}.paused_since', now)}",
        f"{case}.paused_since": "none",
    }
    paused = f"{case}.paused_since is not none"
    match run.does:
        case "start":
            anew = {"clock_from": now, "paused_since": "none", "paused_total": "0", "clock_stopped": "none"}
            return [
                write.require(
                    f"{case}.clock_from is none or {case}.clock_stopped is not none",
                    "CLOCK_STARTED",
                    f"The clock of {{{case}.id}} has started already.",
                    unless_new=[case],
                ),
                write.set_fields(case, **anew, late_noted="none"),
            ]
        case "pause":
            return [{"when": f"clock_runs({case})", "do": [write.set_fields(case, paused_since=now)]}]
        case "resume":
            return [{"when": paused, "do": [{"set": goes_on}]}]
        case "stop":
            return [
                {"obey": {"late_explained": {params.case: case}}},
                {"when": paused, "do": [{"set": goes_on}]},
                {"when": f"clock_runs({case})", "do": [write.set_fields(case, clock_stopped=now)]},
            ]
        case "note":
            return [write.set_fields(case, late_noted=now)]
