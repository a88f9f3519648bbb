"""Somebody writes in: the message is logged once, it waits, and somebody answers it once.

Adds
- an entity of messages: what was said, when it came, what was answered and by whom; in the first of its states it waits, the
  others are ends;
- the operation that logs one;
- the operation that answers one: a message that has been answered is not answered again.

It adds no read tools. Messages have no base rows: they come in by the operation that logs them, in a flow of the history.
Where work goes back and forth or is handed on, see `inbox`.

```yaml
use:
  - correspondence:
      in: counter
      message: letter
      key: LTR-#####
      called: 'the letter "{subject}" from {owner.name}'
      staff: clerk
      fields:
        owner: owner as letters
        permit: {type: permit as letters?, says: "The permit it is about, where there is one."}
        subject: {type: text, min: 3, max: 200}
        body: {type: text, min: 3, max: 2000}
      also: {answer_by: {type: date, is: "add_business_days(today, 5)"}}
      log:
        name: file_letter
        by: [portal, counter]
        require: [{require: permit is none or permit.owner == owner, else: NOT_THEIRS}]
        once: [owner, subject]
      answer: {name: answer_letter, by: counter, keeps: {reply: reply, by: answered_by, on: answered_on}}
```
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, ValidationInfo, field_validator

from worldwright.blueprint.patterns import _write as write
from worldwright.blueprint.patterns._parts import Name, Names, Parameters, Templates, refuse_own_names
from worldwright.english.nouns import indefinite, plural

Moment = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*_(at|on)$")]


def _long(spec: Any) -> Any:
    return {"type": spec} if isinstance(spec, str) else spec


Spec = Annotated[dict[str, Any], BeforeValidator(_long)]
"""A field in long form, with what its input may add."""

OF_INPUT, OF_FIELD = ("min", "max", "default"), ("sort",)
LOGGED = "logged"
"""What a new message is called in the operation that logs it."""
_WAY = re.compile(r"\s+as\s+\w+")


class Log(Parameters):
    """The operation that logs a message."""

    name: Name = Field(description="The name of the operation.")
    says: str = Field(default="", description="What it does.")
    by: Names = Field(min_length=1, description="The roles that log messages.")
    require: tuple[dict[str, str], ...] = Field(default=(), description="More guards.")
    once: tuple[Name, ...] = Field(
        default=(), description="The fields that, with the day, make it the same message, which is not logged again."
    )


class Answer(Parameters):
    """The operation that answers a message."""

    name: Name = Field(description="The name of the operation.")
    says: str = Field(default="", description="What it does.")
    by: Names = Field(min_length=1, description="The roles that answer messages.")
    named: Name | None = Field(default=None, description="What the operation calls the message.")
    keeps: dict[Literal["reply", "by", "on"], Name] = Field(
        default={"reply": "reply", "by": "answered_by"},
        description="The fields of the reply, of who answered and on which day; those left out are not kept.",
    )
    min: int = Field(default=5, ge=0, description="The length of the shortest reply.")
    max: int = Field(default=2000, ge=1, description="The length of the longest reply.")
    outcome: Name = Field(default="outcome", description="What the operation calls the end, where there are several.")
    require: tuple[dict[str, str], ...] = Field(default=(), description="More guards.")
    obey: tuple[Name, ...] = Field(default=(), description="Policies to obey.")
    sets: dict[Name, str] = Field(default={}, description="More fields of the message that it sets, and how.")
    code: str = Field(default="ANSWERED_ALREADY", description="The error where it was answered before.")


class Params(Parameters):
    in_: Name = Field(alias="in", description="The system that keeps the messages.")
    message: Name = Field(default="message", description="The name of the entity of messages.")
    key: str = Field(default="MSG-#####", description="The ids of messages.")
    says: str = Field(default="", description="What a message is.")
    called: Templates = Field(default=(), description="How people refer to a message.")
    noun: str = Field(default="", description="What people call a message.")
    staff: Name = Field(description="The entity of callers: they answer.")
    fields: Annotated[dict[Name, Spec], refuse_own_names("status", LOGGED)] = Field(
        min_length=1,
        description="What is said when it is logged, in this order. Fields as of any entity that are inputs too, with `min`, "
        "`max` and `default`; with `is`, the value is that expression and no input.",
    )
    came: Moment = Field(
        default="received_at",
        description="The field with the moment (`..._at`) or the day (`..._on`) that it was logged.",
    )
    also: dict[Name, Spec] = Field(
        default={},
        description="More fields, none of them an input: computed, with `is`, or set by an operation of yours.",
    )
    states: tuple[Name, ...] = Field(
        default=("waiting", "answered"),
        min_length=2,
        description="The state in which it waits, and those in which it ends; where there are several, the answer says which.",
    )
    log: Log = Field(description="The operation that logs a message.")
    answer: Answer = Field(description="The operation that answers a message.")

    @field_validator("log")
    @classmethod
    def _same_in_what_is_said(cls, log: Log, info: ValidationInfo) -> Log:
        if unknown := set(log.once) - set(info.data.get("fields", log.once)):
            raise ValueError(f"`once` names `{min(unknown)}`, which is not among `fields`")
        return log

    @field_validator("answer")
    @classmethod
    def _no_name_twice(cls, answer: Answer, info: ValidationInfo) -> Answer:
        given = info.data
        names = (*given.get("fields", ()), given.get("came"), *given.get("also", ()), *answer.keeps.values(), "status")
        if twice := [name for name, times in Counter(names).items() if times > 1]:
            raise ValueError(f"two fields would be called `{twice[0]}`")
        return answer


def expand(params: Params) -> dict[str, Any]:
    return {
        "entities": {params.message: _message(params)},
        "operations": {params.log.name: _log(params), params.answer.name: _answer(params)},
    }


def _message(params: Params) -> dict[str, Any]:
    kept = {
        "reply": "text?",
        "by": f"{params.staff} as {_answered(params)}?",
        "on": "date?",
    }
    also = {name: _without(spec, "is") for name, spec in params.also.items()}
    waits, *ends = params.states
    return {
        "in": params.in_,
        "says": params.says or "What somebody wrote, and what was answered.",
        "key": params.key,
        "called": list(params.called),
        "noun": params.noun,
        "fields": {
            **{name: _without(spec, "is", *OF_INPUT) for name, spec in params.fields.items()},
            params.came: "time" if _at(params) else "date",
            **{name: spec for name, spec in also.items() if not _computed(spec)},
            **{name: kept[part] for part, name in params.answer.keeps.items()},
            **{name: spec for name, spec in also.items() if _computed(spec)},
            "status": "state",
        },
        "lifecycle": {waits: ends} | {end: [] for end in ends},
    }


def _answered(params: Params) -> str:
    """The way back from who answered: `letters_answered`, by the name of the field."""
    return f"{plural(params.message)}_{params.answer.keeps.get('by', '').removesuffix('_by')}"


def _at(params: Params) -> bool:
    return params.came.endswith("_at")


def _computed(spec: dict[str, Any]) -> bool:
    return "computed" in spec or " computed " in str(spec.get("type", ""))


def _without(spec: dict[str, Any], *keys: str) -> dict[str, Any]:
    return {k: v for k, v in spec.items() if k not in keys}


def _log(params: Params) -> dict[str, Any]:
    log, said = params.log, {name: spec for name, spec in params.fields.items() if "is" not in spec}
    set_ = {name: spec["is"] for name, spec in (params.fields | params.also).items() if "is" in spec}
    out: dict[str, Any] = {
        "in": params.in_,
        "says": log.says or f"Log {indefinite(params.message)} that came in.",
        "by": list(log.by),
        "takes": {name: _input(spec) for name, spec in said.items()},
        "does": [
            *log.require,
            {
                "add": params.message,
                "with": {name: name for name in said} | {params.came: "now" if _at(params) else "today"} | set_,
                "as": LOGGED,
            },
        ],
        "gives": LOGGED,
    }
    if log.once:
        same = " and ".join(f"earlier.{name} == {name}" for name in log.once)
        day = f"day(earlier.{params.came})" if _at(params) else f"earlier.{params.came}"
        out["once"] = f"first(earlier for earlier in {params.message} if {same} and {day} == today)"
    return out


def _input(spec: dict[str, Any]) -> dict[str, Any]:
    """The same as an input: without the name of the way back."""
    return _without(spec, *OF_FIELD) | {"type": _WAY.sub("", str(spec.get("type", "")))}


def _answer(params: Params) -> dict[str, Any]:
    answer = params.answer
    waits, *ends = params.states
    message = answer.named or params.message
    takes: dict[str, Any] = {message: params.message}
    if len(ends) > 1:
        takes[answer.outcome] = f"one of {', '.join(ends)}"
    if reply := answer.keeps.get("reply"):
        takes[reply] = {"type": "text", "min": answer.min, "max": answer.max}
    values = {"reply": reply, "by": "actor", "on": "today"}
    set_ = {"status": answer.outcome if len(ends) > 1 else f"'{ends[0]}'"}
    set_ |= {name: str(values[part]) for part, name in answer.keeps.items()} | answer.sets
    return {
        "in": params.in_,
        "says": answer.says or f"Answer {indefinite(params.message)}.",
        "by": list(answer.by),
        "takes": takes,
        "does": [
            write.require(f"{message}.status == '{waits}'", answer.code, f"{{{message}.id}} is {{{message}.status}}."),
            *answer.require,
            *([{"obey": list(answer.obey)}] if answer.obey else []),
            write.set_fields(message, **set_),
        ],
        "gives": message,
    }
