"""Revisions: versions of a document, one of them current, one draft at a time, and a release that takes the former out.

Use it where a text or a setting is worked on and put into force: procedures, drawings, tariffs, contracts, plans of
study, release notes, menus. Numbers count up and are never used twice.

Adds
- the entity `revision`: the document, number, summary, author, opened_on; released_by, released_on and effective_on once
  it is released. Its state is draft, released, superseded (a later one was released) or withdrawn;
- to the document: `current_number`, kept: that of the released revision, none where there is none; `drafts_open`, kept;
- terms `current_of(document)`, `draft_of(document)`, `next_number(document)`, and `in_force_on(document, d)`: the latest
  revision that took effect by that day, whether or not a later one was released meanwhile; one that was withdrawn is not;
- policies about `revision`: `not_own_release` (about `releaser` too), nobody releases what they wrote, and
  `notice_given` (about `effective_on` too), so many days lie between release and effect. Both are obeyed by each operation
  under `releases`, the second where it says its own `effective_on`;
- always `one_current`, `one_draft` and `numbers_count_up`;
- at the end of each operation under `opens`, a draft, refused with DRAFT_OPEN where there is one; under `releases`, the
  release, refused with NOT_A_DRAFT, and the former one is superseded; under `withdraws`, the revision is withdrawn, refused
  with NOT_WITHDRAWABLE where there is none, or it is superseded or withdrawn already: you need not ask first.

Values are expressions over what is in scope where the operation ends.

```yaml
use:
  - revisions:
      in: dms
      document: procedure
      people: employee
      notice: {default: 5, strict: 10, lenient: 0}
      rows: 40
      opens:
        draft_change: {document: procedure, summary: summary}
      releases:
        release: {revision: revision, effective_on: effective_on}
      withdraws:
        drop_draft: {revision: revision}
```
"""

from __future__ import annotations

from datetime import date, timedelta
from typing import Annotated, Any

from pydantic import Field, ValidationInfo, field_validator

from worldwright.blueprint.patterns import _write as write
from worldwright.blueprint.patterns._parts import HAS_DEFAULT, Enforced, Name, Parameters, refuse_own_names
from worldwright.core.names import to_words
from worldwright.english.nouns import article, indefinite, plural

OWN = ("number", "summary", "author", "opened_on", "released_by", "released_on", "effective_on", "status")
"""Fields of a revision."""

AT_ONCE = "today"
"""The day of effect where none is said."""


class Opening(Parameters):
    """How an operation opens a draft when it ends."""

    document: str = Field(description="The document row.")
    summary: str = Field(default="''", description="What changes, a text.")
    as_: Name = Field(default="new_revision", alias="as", description="What the new row is called in that operation.")


class Release(Parameters):
    """How an operation releases a draft when it ends."""

    revision: str = Field(description="The revision row.")
    effective_on: str = Field(
        default=AT_ONCE, description="The day from which it is in force; needed where notice is to be given."
    )


class Withdrawal(Parameters):
    """An operation that withdraws a revision when it ends."""

    revision: str = Field(description="The revision row.")


class Params(Parameters):
    in_: Name = Field(alias="in", description="The system that keeps revisions.")
    document: Annotated[Name, refuse_own_names(*OWN)] = Field(description="The entity of documents.")
    people: Name = Field(description="The entity of callers: they write and release.")
    revision: Name = Field(default="revision", description="The name of the entity of revisions.")
    key: str = Field(default="REV-#####", description="The ids of revisions.")
    called: tuple[str, ...] = Field(default=(), description="How people refer to a revision.")
    notice: Annotated[dict[str, Annotated[int, Field(ge=0, le=365)]], HAS_DEFAULT] = Field(
        default={"default": 0}, description="How many days lie between release and effect at the least; by variant."
    )
    own_enforced: Enforced = Field(default="agent", description="Who keeps `not_own_release`.")
    notice_enforced: Enforced = Field(default="tool", description="Who keeps `notice_given`.")
    rows: int = Field(default=0, ge=0, le=5_000, description="How many documents begin with a first revision in force.")
    opens: dict[str, Opening] = Field(min_length=1, description="By operation, the draft that it opens.")
    releases: dict[str, Release] = Field(min_length=1, description="By operation, the draft that it releases.")
    withdraws: dict[str, Withdrawal] = Field(default={}, description="By operation, the revision that it withdraws.")

    @field_validator("releases")
    @classmethod
    def _notice_needs_a_day(cls, releases: dict[str, Release], info: ValidationInfo) -> dict[str, Release]:
        if any(info.data.get("notice", {}).values()):
            for operation, release in releases.items():
                if release.effective_on == AT_ONCE:
                    raise ValueError(f"`{operation}` needs an `effective_on`: today leaves no days of notice")
        return releases


def expand(params: Params) -> dict[str, Any]:
    return {
        "entities": {params.revision: _revision(params)},
        "terms": _terms(params),
        "policies": {"not_own_release": _not_own(params), "notice_given": _notice(params)},
        "always": _always(params),
        "extend": {
            "entities": {params.document: {"fields": _document_fields(params)}},
            "operations": write.append_steps(
                params, (params.opens, _open), (params.releases, _release), (params.withdraws, _withdraw)
            ),
        },
    }


def _revision(params: Params) -> dict[str, Any]:
    document, people, way = params.document, params.people, plural(params.revision)
    without = f"not exists(r for r in {params.revision} if r.{document} == x)"
    return {
        "in": params.in_,
        "says": f"One version of {indefinite(document)}.",
        "key": params.key,
        "rows": params.rows,
        "called": list(params.called) or ["revision {number} of {opened_on:day}", 'the revision "{summary}"'],
        "fields": {
            document: {"type": f"{document} as {way}", "draw": f"any(x for x in {document} if {without})"},
            "number": write.field("int", "From one on, without gaps.", draw="1"),
            "summary": write.field("text", "What changes with it.", draw="'First issue'"),
            "author": f"{people} as {way}_written",
            "opened_on": "date ~ between(today - 900, today - 500)",
            "released_by": write.field(
                f"{people} as {way}_released?",
                "Who put it into force.",
                draw=f"any(x for x in {people} if x != author)",
            ),
            "released_on": "date? ~ opened_on + between(3, 40)",
            "effective_on": write.field(
                "date?",
                "The day from which it is in force.",
                draw=f"released_on + {params.notice['default']} + between(0, 20)",
            ),
            "status": {"type": "state", "draw": "'released'"},
        },
        "lifecycle": {
            "draft": ["released", "withdrawn"],
            "released": ["superseded", "withdrawn"],
            "superseded": [],
            "withdrawn": [],
        },
        "unique": [[document, "number"]],
    }


def _document_fields(params: Params) -> dict[str, Any]:
    way = plural(params.revision)
    return {
        "current_number": write.field(
            f"int? = max(r.number for r in {way} if r.status == 'released')", "The number of the released revision."
        ),
        "drafts_open": write.field(
            f"int = count(r for r in {way} if r.status == 'draft')", "Whether somebody works on the next one: 1 or 0."
        ),
    }


def _terms(params: Params) -> dict[str, Any]:
    about, document, way = {"document": params.document}, to_words(params.document), plural(params.revision)
    return {
        "current_of": {
            "about": about,
            "is": f"first((r for r in document.{way} if r.status == 'released'), by=r.number)",
            "says": f"The released revision of {article(document)}.",
        },
        "draft_of": {
            "about": about,
            "is": f"first((r for r in document.{way} if r.status == 'draft'), by=r.number)",
            "says": f"The revision of {article(document)} that is being worked on.",
        },
        "next_number": {
            "about": about,
            "is": f"coalesce(max(r.number for r in document.{way}), 0) + 1",
            "says": f"The number that the next revision of {article(document)} gets.",
        },
        "in_force_on": {
            "about": {**about, "d": "date"},
            "is": f"last((r for r in document.{way} if r.status in ('released', 'superseded') "
            "and r.effective_on <= d), by=r.number)",
            "says": f"The revision of {article(document)} that counts on a day.",
        },
    }


def _not_own(params: Params) -> dict[str, Any]:
    return {
        "about": {"revision": params.revision, "releaser": params.people},
        "rule": "revision.author != releaser",
        "says": f"Nobody releases a revision of {indefinite(params.document)} that they wrote themselves.",
        "enforced": params.own_enforced,
        "code": "OWN_REVISION",
        "cases": [
            {"allowed": {"revision.author": "ann", "releaser": "bob"}},
            {"forbidden": {"revision.author": "ann", "releaser": "ann"}},
        ],
    }


def _notice(params: Params) -> dict[str, Any]:
    today, days = date(2030, 3, 20), params.notice["default"]
    on_time, late = today + timedelta(days), today + timedelta(days - 1)
    document = to_words(params.document)
    return {
        "about": {"revision": params.revision, "effective_on": "date"},
        "rule": "effective_on >= today + days",
        "parameters": {"days": dict(params.notice)},
        "says": f"A revision of {article(document)} takes effect {{days:days}} or more after its release."
        if any(params.notice.values())
        else f"A revision of {article(document)} does not take effect before its release.",
        "enforced": params.notice_enforced,
        "code": "TOO_SOON",
        "cases": [
            {"allowed": {"today": today.isoformat(), "effective_on": on_time.isoformat()}},
            {"forbidden": {"today": today.isoformat(), "effective_on": late.isoformat()}},
        ],
    }


def _always(params: Params) -> dict[str, Any]:
    document, way = to_words(params.document), plural(params.revision)
    return {
        "one_current": {
            "each": params.document,
            "holds": f"count(r for r in {way} if r.status == 'released') <= 1",
            "says": f"A {document} has at most one released revision.",
        },
        "one_draft": {
            "each": params.document,
            "holds": "drafts_open <= 1",
            "says": f"Nobody works on two revisions of {article(document)} at once.",
        },
        "numbers_count_up": {
            "each": params.document,
            "holds": f"count(r for r in {way}) == coalesce(max(r.number for r in {way}), 0)",
            "says": f"The revisions of {article(document)} are numbered from one on, without gaps.",
        },
    }


def _open(params: Params, opening: Opening) -> list[write.Statement]:
    return [
        {"let": {"document_to_revise": opening.document}},
        write.require(
            "document_to_revise.drafts_open == 0",
            "DRAFT_OPEN",
            f"A revision of this {to_words(params.document)} is being worked on already.",
            unless_new=[opening.document],
        ),
        {
            "add": params.revision,
            "with": {
                params.document: "document_to_revise",
                "number": "next_number(document_to_revise)",
                "summary": opening.summary,
                "author": "actor",
                "opened_on": "today",
            },
            "as": opening.as_,
        },
    ]


def _release(params: Params, release: Release) -> list[write.Statement]:
    new = "revision_released"
    rules = {"not_own_release": {"revision": new, "releaser": "actor"}}
    if release.effective_on != AT_ONCE:
        rules["notice_given"] = {"revision": new, "effective_on": "in_force_from"}
    return [
        {"let": {new: release.revision, "in_force_from": release.effective_on}},
        write.require(
            f"{new}.status == 'draft'", "NOT_A_DRAFT", f"{{{new}.id}} is {{{new}.status}}; only drafts are released."
        ),
        {"obey": rules},
        write.set_fields(
            new, status="'released'", released_by="actor", released_on="today", effective_on="in_force_from"
        ),
        {
            "each": f"former_revision in {new}.{params.document}.{plural(params.revision)}",
            "where": f"former_revision.status == 'released' and former_revision != {new}",
            "do": [write.set_fields("former_revision", status="'superseded'")],
        },
    ]


def _withdraw(_: Params, withdrawal: Withdrawal) -> list[write.Statement]:
    out = "revision_withdrawn"
    return [
        {"let": {out: withdrawal.revision}},
        write.require(
            f"{out}.status == 'draft' or {out}.status == 'released'",
            "NOT_WITHDRAWABLE",
            f"{{{out}.id}} is {{{out}.status}}.",
        ),
        write.set_fields(out, status="'withdrawn'"),
    ]
