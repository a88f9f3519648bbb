"""The models of requests and responses, as the description of the API shows them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from worldwright.engine.surface import SURFACES
from worldwright.world.records import ToolSpec

Face = Literal[SURFACES]  # type: ignore[valid-type]
Name = Annotated[str, Field(min_length=1, max_length=200)]


class _StrictModel(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Health(_StrictModel):
    status: Literal["ok"]
    version: str
    gym: str
    workers: int
    episodes: int = Field(description="Open over all workers.")


class WorldFacts(_StrictModel):
    variant: str
    name: str
    digest: str = Field(description="The identity of the world: the same bytes everywhere.")
    tasks: int
    roles: list[str]


class Worlds(_StrictModel):
    gym: str
    worlds: list[WorldFacts]


class TaskFacts(_StrictModel):
    """A task as its agent is asked it. Nothing in here gives the answer away."""

    id: str
    family: str
    role: str
    actor: str
    instruction: str
    answer_schema: dict[str, Any]
    features: dict[str, Any] = Field(description="Difficulty, measured.")


class Tasks(_StrictModel):
    variant: str
    tasks: list[TaskFacts]


class OpenRequest(_StrictModel):
    """Which episode to open."""

    variant: Name
    task: Name
    face: Face | None = Field(None, description="How the task is shown; without it, as the server was started.")


class Message(_StrictModel):
    role: Literal["system", "user"]
    content: str


class Tool(_StrictModel):
    name: str
    description: str
    input_schema: dict[str, Any]
    output_schema: dict[str, Any]


class OpenedEpisode(_StrictModel):
    """An open episode. Whoever has its id may play it, over MCP without any token."""

    id: str
    variant: str
    world: str = Field(description="The digest of the world.")
    task: str
    face: str
    clock: str
    messages: list[Message]
    tools: list[Tool] = Field(description="What may be called; the last one takes the answer and ends the episode.")
    submit: str = Field(description="The name of the last tool.")
    mcp: str | None = Field(description="Where an agent connects over MCP: a path on this server.")
    url: str | None = Field(
        description="The address of the process that holds the episode. Requests to any other address are passed on, "
        "which takes longer. Null where there is only one."
    )


class EpisodeState(_StrictModel):
    id: str
    variant: str
    task: str
    done: bool
    clock: str
    calls: int


class StepRequest(_StrictModel):
    """A tool call. Whatever the model wrote may be sent: what does not fit is a refusal of the tool, not of the request."""

    tool: str = Field(max_length=10_000)
    arguments: Any = Field(None, description="An object, the JSON text of one, or nothing.")


class ToolFailure(_StrictModel):
    code: str
    message: str
    policy: str | None = Field(None, description="The rule of the handbook that decided, where one did.")
    details: dict[str, Any] | None = Field(None, description="What would be valid.")


class StepResult(_StrictModel):
    """What the call came to: `data` where it is ok, `error` where it is not."""

    ok: bool
    data: Any = None
    error: ToolFailure | None = None
    done: bool = Field(description="Whether the episode has ended.")


class Check(_StrictModel):
    name: str
    ok: bool
    expected: Any = None
    found: Any = None


class VerdictReport(_StrictModel):
    """A verdict. It shows what was expected: for the controller, never for the agent."""

    status: Literal["pass", "fail", "error"]
    reward: float | None = Field(description="1, 0, or null where the environment failed: mask such a sample.")
    assertions: list[Check]
    reason: str = ""


def render_tool(tool: ToolSpec) -> dict[str, Any]:
    """Render a tool as the API shows it."""
    return {
        "name": tool.name,
        "description": tool.description,
        "input_schema": dict(tool.input_schema),
        "output_schema": dict(tool.output_schema),
    }
