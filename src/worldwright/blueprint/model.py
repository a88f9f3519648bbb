"""The surface of the language: what an author writes, as frozen typed models.

Expressions and field types are still text here; `check` gives them meaning. The JSON Schema for editors is this file's.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema


class Surface(BaseModel):
    """Base of every node: frozen, nothing unknown admitted, and where it came from."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True, str_strip_whitespace=True)

    source: str = ""
    """The evidence (`file#span`) or the pattern that this node comes from."""


def _expression(value: Any) -> Any:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, (int, float)) else value


def _share(value: Any) -> Any:
    if isinstance(value, str) and value.rstrip().endswith("%"):
        try:
            return float(value.rstrip()[:-1]) / 100
        except ValueError:
            return value
    return value


def _as_tuple(value: Any) -> Any:
    return (value,) if isinstance(value, str) else value


Expr = Annotated[
    str,
    BeforeValidator(_expression),
    WithJsonSchema({"type": ["string", "number", "boolean", "null"], "description": "An expression."}),
]
Share = Annotated[
    float,
    BeforeValidator(_share),
    Field(ge=0, le=1),
    WithJsonSchema({"anyOf": [{"type": "number", "minimum": 0, "maximum": 1}, {"type": "string", "pattern": "%$"}]}),
]
Number = Annotated[int, Field(strict=True)] | Annotated[float, Field(strict=True, allow_inf_nan=False)]
Names = Annotated[
    tuple[str, ...],
    BeforeValidator(_as_tuple),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}),
]
Code = Annotated[str, Field(pattern=r"^[A-Z][A-Z0-9_]{1,39}$")]


class ActorSpec(Surface):
    """Who acts: each caller is a row of `entity`, whose field `role` names the role."""

    entity: str
    role: str


class ShownSpec(Surface):
    """How records show a value, where that is not how it is kept."""

    by: str = ""
    """An optional `one of` field of the same row that names the way; where it is none, the value is shown as it is."""
    ways: dict[str, str] = {}
    """By word of that field: a date style (`MM/DD/YYYY`), a clock (`UTC+2`), a factor (`* 1.36`), or another field (`= FIELD`)."""
    codes: dict[str, str] = {}
    """By word of the field itself, what stands there instead."""


class FieldSpec(Surface):
    """A field in long form."""

    type: str
    draw: Expr | None = None
    kept: Expr | None = None
    computed: Expr | None = None
    says: str = ""
    sort: Literal["", "content", "time", "sequence", "log", "text"] = ""
    shown: ShownSpec | None = None
    hidden: bool = False
    """Not in records; only a search that lists it in `shows` shows it."""


class EntitySpec(Surface):
    in_: str = Field(alias="in")
    says: str = ""
    key: str
    rows: Annotated[int, Field(ge=0, le=100_000)] = 0
    seeds: Annotated[tuple[dict[str, Any], ...], Field(max_length=2_000)] = ()
    """Its first rows, as far as they are known: values by field, a reference as the number of the row there."""
    called: Names = ()
    """How people refer to one, the most natural way first: never by its id."""
    noun: str = ""
    """What one is, for people, where the entity's name is not it."""
    fields: dict[str, str | FieldSpec]
    lifecycle: dict[str, tuple[str, ...]] = {}
    unique: tuple[tuple[str, ...], ...] = ()
    sort: Literal["", "log", "trail"] = ""
    live: Expr | None = None
    """Which rows count. The others only lie there still: no request speaks of one, and no goal is about one."""


class TermSpec(Surface):
    about: dict[str, str] = {}
    is_: Expr = Field(alias="is")
    says: str = ""


class CaseSpec(Surface):
    """One example, written apart from the rule."""

    allowed: dict[str, Any] | None = None
    forbidden: dict[str, Any] | None = None
    applies: dict[str, Any] | None = None
    not_: dict[str, Any] | None = Field(default=None, alias="not")
    because: str = ""
    variant: str = "default"


class PolicySpec(Surface):
    about: dict[str, str] = {}
    rule: Expr | None = None
    when: Expr | None = None
    beats: Names = ()
    parameters: dict[str, dict[str, int | float | str]] = {}
    says: str
    enforced: Literal["tool", "agent"] = "tool"
    code: Code = "POLICY"
    cases: tuple[CaseSpec, ...] = ()


class InputSpec(Surface):
    """An input in long form, or a list input."""

    type: str = ""
    list_: str | dict[str, str | InputSpec] | None = Field(default=None, alias="list")
    min: Number | None = None
    max: Number | None = None
    default: Expr | None = None
    says: str = ""


class StatementSpec(Surface):
    """One statement: exactly one verb, with what belongs to it."""

    let: dict[str, Expr] | None = None
    find: str | None = None
    require: Expr | None = None
    obey: tuple[str | dict[str, dict[str, Expr]], ...] | dict[str, dict[str, Expr]] | str | None = None
    set: dict[str, Expr] | None = None
    add: str | None = None
    remove: str | None = None
    when: Expr | None = None
    each: str | None = None
    run: str | None = None

    where: Expr | None = None
    by: str | None = None
    else_: Code | None = Field(default=None, alias="else")
    says: str = ""
    with_: dict[str, Expr] = Field(default={}, alias="with")
    as_: str = Field(default="", alias="as")
    do: tuple[StatementSpec, ...] = ()
    otherwise: tuple[StatementSpec, ...] = ()
    carry: dict[str, Expr] = {}


COMPANIONS: dict[str, frozenset[str]] = {
    "let": frozenset(),
    "find": frozenset({"where", "by", "else", "says"}),
    "require": frozenset({"else", "says"}),
    "obey": frozenset(),
    "set": frozenset(),
    "add": frozenset({"with", "as"}),
    "remove": frozenset(),
    "when": frozenset({"do", "otherwise"}),
    "each": frozenset({"where", "by", "carry", "do"}),
    "run": frozenset({"with", "as"}),
}
"""The verbs, and what may stand beside each."""


class OperationSpec(Surface):
    in_: str = Field(alias="in")
    says: str
    by: Names
    takes: dict[str, str | InputSpec] = {}
    once: Expr | None = None
    does: tuple[StatementSpec, ...] = ()
    gives: str | dict[str, Expr] | None = None
    lasts: Annotated[int, Field(ge=0, le=10_000)] | None = None
    """The minutes that a successful call takes; left out, one where it writes and none where it reads."""
    waits: Expr | None = None
    """Until which moment it waits, and does nothing else: what goes on meanwhile happens."""
    wakes: Expr | None = None
    """Ends the wait as soon as it holds."""
    search: str | None = None
    get: str | None = None
    where: Expr | None = None
    filters: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    page: Annotated[int, Field(ge=1, le=1000)] = 50
    sort: tuple[str, ...] = ()
    shows: tuple[str, ...] = ()
    with_: tuple[str, ...] = Field(default=(), alias="with")


class AlwaysSpec(Surface):
    each: str = ""
    holds: Expr
    says: str


class HowSpec(Surface):
    """One call of a goal's witness: one way that it can be reached, not the definition of success."""

    do: str
    with_: dict[str, Expr] = Field(default={}, alias="with")
    as_: str = Field(default="", alias="as")
    if_: Expr | None = Field(default=None, alias="if")


class FilesSpec(HowSpec):
    """A call that put the request into the world itself, before the episode: a ticket, a mail."""

    by: str = ""
    asks: tuple[str, ...]
    """How somebody is pointed to it."""


class PersonaSpec(Surface):
    """Somebody who asks for things."""

    says: str
    voice: Literal["plain", "terse", "chatty", "formal", "simple"] = "plain"
    signs: str = ""
    aside: tuple[str, ...] = ()
    """Sentences that this person adds and that ask for nothing."""
    patience: Annotated[int, Field(ge=0, le=20)] = 0
    """Under the face `asking`, with which useless message they leave; 0 where they never do."""


class FactSpec(Surface):
    """Something that a requester tells only when they are asked for it."""

    says: str = ""
    """What they answer: `{day:day}`; left out, what the goal states under this name."""
    thinks: str = ""
    """What they believe it to be, wrongly. They say so, and find out what is true when somebody doubts it or asks again."""
    called: tuple[str, ...] = ()
    """What people call it."""
    kind: str = ""
    """What it is to whoever asks: a date, money, a person; left out, what the type of the value says."""
    asked: tuple[str, ...] = ()
    """Examples of how one asks for it, each in other words."""


class ActSpec(Surface):
    """Something that only the requester can do, with their own hands: restart a device, read a label, sign."""

    do: str
    """The operation that is run when they are asked to. Under this face it is no tool of the agent."""
    with_: dict[str, Expr] = Field(default={}, alias="with")
    called: tuple[str, ...] = ()
    """What they do, as people say it: `restart the router`."""
    asked: tuple[str, ...] = ()
    """Examples of how one asks for it, each in other words."""
    says: str
    """What they report, with parts of what the operation gives in braces: `it is back, and the light is {light}`."""


class TalkSpec(Surface):
    """A goal as a conversation: how its requester begins, what they tell when they are asked, and what they do."""

    draws: dict[str, str] = {}
    """What they say first and take back: `first_day: date ~ ...`. Only the conversation knows these names."""
    opens: tuple[str, ...]
    knows: dict[str, FactSpec] = {}
    does: dict[str, ActSpec] = {}
    changes: tuple[str, ...] = ()
    """A change of mind: said with the first reply that tells or does something, one after the other."""
    adds: tuple[str, ...] = ()
    """What they say, one after the other, when they hear that all is done or are asked whether there is more: a second thought."""


class GoalSpec(Surface):
    """What somebody wants. Instruction and verifier both come from it."""

    by: Names = ()
    """The roles that are asked; left out, those that may make every call of `how`."""
    actor: Expr | None = None
    """Who exactly is asked, where that matters."""
    given: dict[str, str] = {}
    states: dict[str, str] = {}
    """What the asker says besides the things it is about: `note: text ~ f"DN-{digits(5)}"`."""
    wants: Expr = "true"
    how: tuple[HowSpec, ...] = ()
    tells: dict[str, Expr] = {}
    """What is reported back, worked out on the state at the end."""
    mentions: dict[str, tuple[Expr, ...]] = {}
    """Texts that are written on the way, each with the facts it must state."""
    mends: Names = ()
    """The mess layers whose damage this repairs: its first given is a row that one of them touched."""
    files: FilesSpec | None = None
    asks: tuple[str, ...]
    then: tuple[str, ...] = ()
    """The same as what is wanted next, after something else: `call {po} off`."""
    each: tuple[str, ...] = ()
    """The same for every row of a kind: `stop all business with every vendor {which}`."""
    talk: TalkSpec | None = None
    """The same as a conversation, under the face `asking`."""


class StepSpec(Surface):
    do: str
    by: str = ""
    with_: dict[str, Expr] = Field(default={}, alias="with")
    as_: str = Field(default="", alias="as")
    after: Expr = "0"
    chance: Share = 1.0
    if_: Expr | None = Field(default=None, alias="if")


class FlowSpec(Surface):
    per_week: Annotated[float, Field(gt=0, le=500)]
    seasonal: Literal["flat", "quarter_end", "month_end", "summer", "december", "winter", "spring", "autumn"] = "flat"
    weekdays: bool = True
    goes_on: bool = False
    """Whether it goes on after `now`, while agents work."""
    steps: tuple[StepSpec, ...]


class HistorySpec(Surface):
    spans: str = "0 days"
    ahead: str = "0 days"
    """How long after `now` the flows that go on do so."""
    flows: dict[str, FlowSpec] = {}


class ReactionSpec(Surface):
    """What others do because of a call: an approver answers, a customer calls again."""

    to: str
    """The operation."""
    as_: str = Field(default="", alias="as")
    """A name for the row that it gave."""
    at: Expr
    """The moment, worked out when the call was made; none for never."""
    says: str
    """For the handbook."""
    does: tuple[StepSpec, ...]


class MessSpec(Surface):
    layer: Literal["stale", "duplicate", "legacy_format", "missing", "half_done", "drift", "typo"]
    label: str
    in_: str = Field(default="", alias="in")
    share: Share
    set: dict[str, Expr] = {}
    vary: tuple[str, ...] = ()
    alike: tuple[str, ...] = ()
    """Names that look like those of the original and are others'; every third is the very same."""
    style: str = ""
    onto: Literal["", "unused"] = ""
    """Where copies go: new rows, or for the larger part earlier rows that nothing refers to. Where there is none, the original is
    marked by `set`, and the copy counts."""
    flow: str = ""
    after: str = ""
    from_: str = Field(default="", alias="from")
    to: str = ""
    via: str = ""


class ServiceSpec(Surface):
    """How a service treats its callers in an episode: it answers so many calls and no more, or some calls only the second time."""

    in_: str = Field(default="", alias="in")
    """The system that it is about; or `on`, some operations."""
    on: Names = ()
    only: Literal["", "searches", "reads", "writes"] = ""
    at_most: Annotated[int, Field(ge=0, le=100)] = 0
    in_any: Annotated[int, Field(ge=0, le=100)] = 0
    fails: Annotated[Share, Field(le=0.9)] = 0.0


class Blueprint(Surface):
    """A whole Blueprint."""

    blueprint: str
    title: str
    category: str = ""
    summary: str = ""
    kind: Literal["database"] = "database"
    now: str
    locale: Literal["en_US", "en_GB", "de_DE", "fr_FR", "es_ES"] = "en_US"
    currency: Annotated[str, Field(pattern=r"^[A-Z]{3}$")] = "USD"
    rounding: Literal["half_up", "half_even"] = "half_up"
    holidays: tuple[str, ...] = ()
    variant: dict[str, str] = {}
    """Which named parameters each policy has in this variant; `default` where nothing is said. An exemption may be `off`, or be put
    `after` the rules that it beats."""
    axes: dict[str, str] = {}
    """How it was varied from its parent, setting by axis. It is kept and changes nothing."""
    layers: dict[str, tuple[str, ...]] = {}
    """By complexity layer, what it put here: `mess:LABEL`, `policy:NAME`, ... Tasks that meet it are counted under it."""
    evidence: dict[str, int] = {}
    """For a world made from evidence, how many of its statements there are and what became of them. The grade goes by it."""
    systems: dict[str, str]
    actor: ActorSpec | None = None
    roles: dict[str, str] = {}
    use: tuple[dict[str, dict[str, Any]], ...] = ()
    entities: dict[str, EntitySpec]
    terms: dict[str, TermSpec] = {}
    policies: dict[str, PolicySpec] = {}
    operations: dict[str, OperationSpec]
    always: dict[str, AlwaysSpec] = {}
    notes: dict[str, str] = {}
    """What the handbook says about reading the records: which source counts, what a code or a style means."""
    personas: dict[str, PersonaSpec] = {}
    goals: dict[str, GoalSpec] = {}
    history: HistorySpec = HistorySpec()
    reactions: dict[str, ReactionSpec] = {}
    mess: tuple[MessSpec, ...] = ()
    service: dict[str, ServiceSpec] = {}
    """What callers meet at the door of the systems: limits on calls, calls that fail once. It is no part of the state."""
    given: dict[str, str] = {}
    """By entity, rows that came with the evidence: what `seeds` says, as JSON Lines. They come after the seeds."""
