"""The controller's face of an episode: start it, watch it, measure it.

An agent is never handed this object; see `agent_face`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from worldwright.core.errors import EpisodeError, GraderElsewhere, LostTransaction, UsageError
from worldwright.core.names import suggest
from worldwright.engine import requester
from worldwright.engine.agent_face import AgentFace
from worldwright.engine.answers import MAX_RETURNED, find_problem
from worldwright.engine.contract import (
    Contract,
    ContractTool,
    call_inside,
    find_shown_record,
    make_answer,
    make_fault,
    select_properties,
    tool_spec,
)
from worldwright.engine.limits import Limits, Unreadable, clean_name, copy_plain
from worldwright.engine.service import find_refusal
from worldwright.engine.shown_key import show_key
from worldwright.engine.surface import Surface, surface
from worldwright.engine.tasks import TaskBook
from worldwright.world.protocol import Runtime, Session
from worldwright.world.records import (
    Call,
    Observation,
    OthersCall,
    Result,
    Step,
    TableDiff,
    ToolError,
    ToolSpec,
    Trajectory,
)
from worldwright.world.tasks import Key, Task, Verdict

UNREAD = "$unread"
FAULT = "never read: the service failed"
"""What a trajectory holds for arguments that were refused unread: why. Sent again, it is refused in the same words."""


class Env:
    """One episode at a time over one world."""

    def __init__(
        self,
        runtime: Runtime,
        digest: str,
        limits: Limits | None = None,
        book: TaskBook | None = None,
        face: str = "plain",
        contract: Contract | None = None,
        faults: Mapping[str, Sequence[str]] | None = None,
        word: requester.Word | None = None,
    ) -> None:
        self._runtime = runtime
        self._services = runtime.services
        self._digest = digest
        self._book = book or TaskBook({})
        self._task: Task | None = None
        self._face = face
        self._contract = contract
        self._faults = _check_faults(faults or {}, contract)
        self._failed: dict[str, int] = {}
        """By tool, how many of its faults this episode has seen."""
        self._asks_back = face.endswith("asking")
        self._word = word
        self._said: list[tuple[str, str]] = []
        """What the requester was told and what they said, before anybody worded it."""
        self._as_it_is = face == "plain" and contract is None
        self._surfaces: dict[tuple[str, frozenset[str]], Surface] = {}
        self._hands: frozenset[str] = frozenset()
        self._limits = limits or Limits()
        self._session: Session | None = None
        self._steps: list[Step] = []
        self._answer: Any = None
        self._done = False
        self._submitted = False
        self._returned = 0
        """Answers of the wrong form that were given back."""
        self._broken = ""
        self._observations: dict[tuple[str, frozenset[str]], Observation] = {}

    def reset(self, task_ref: str | int | None = None, *, role: str | None = None) -> Observation:
        """Start an episode from the opening state: a fork in memory. Without a task, as whoever first has the role."""
        task = self._book.task(task_ref) if task_ref is not None else None
        if task is not None:
            name, actor = task.role, task.actor
            if role is not None and role != name:
                raise EpisodeError(f"{task.id} is for a {name}, not a {role}")
        else:
            name, actor = role if role is not None else (self._runtime.roles[0] if self._runtime.roles else ""), ""
        if self._session is None:
            self._session = self._runtime.session(name, actor)
        else:
            self._session.reset(name, actor)
        self._task = task
        self._failed = {}
        self._steps = []
        self._said = []
        self._answer = None
        self._done = self._submitted = False
        self._returned = 0
        self._broken = ""
        self._hands = requester.list_hands(task) if self._asks_back else frozenset()
        found = self._observations.get((name, self._hands))
        if found is None:
            found = self._observations[name, self._hands] = self._observe(name)
        messages = [dict(m) for m in found.messages]
        if task is not None:
            messages.append({"role": "user", "content": self._render_request(task)})
        return replace(found, messages=tuple(messages))

    def _render_request(self, task: Task) -> str:
        """Render what the agent is told: the request itself, and what an answer looks like."""
        parts = task.answer_schema.get("properties", {})
        lines = [f"- {name}: {part.get('description', '')}" for name, part in parts.items()]
        you = f"You are {task.actor}.\n\n" if task.actor else ""
        text = task.turns[0] if task.turns and self._asks_back else task.instruction
        return f"{you}{text}\n\nWhen you are through, submit an answer with\n" + "\n".join(lines)

    @property
    def digest(self) -> str:
        """The digest of the world."""
        return self._digest

    @property
    def task(self) -> Task | None:
        """The task of this episode."""
        return self._task

    def _observe(self, role: str) -> Observation:
        offered = self._surface(role).tools
        who = f"You act as {role.replace('_', ' ')}." if role else ""
        clock = self._runtime.opening_clock
        text = f"{who} It is {clock}.\n\n{self._runtime.handbook}".strip()
        return Observation(({"role": "system", "content": text},), offered, clock)

    @property
    def agent(self) -> AgentFace:
        """What an agent gets: tools, calls and submit, nothing else."""
        return AgentFace(self.call_tool, self.submit, self._list_tools, self._clock)

    def _list_tools(self) -> tuple[ToolSpec, ...]:
        return self._surface(self._running().role).tools

    def _surface(self, role: str) -> Surface:
        found = self._surfaces.get((role, self._hands))
        if found is None:
            tools, named = self._tools(), self._contract.tools if self._contract is not None else {}
            hands = frozenset(n for n in tools if (named[n].operation if n in named else n) in self._hands)
            found = surface(self._face, tools, role, self._digest, hands)
            self._surfaces[role, self._hands] = found
        return found

    def _tools(self) -> Mapping[str, ToolSpec]:
        inside = self._runtime.tools
        if self._contract is None:
            return inside
        return {name: tool_spec(tool, inside[tool.operation]) for name, tool in self._contract.tools.items()}

    def _clock(self) -> str:
        return self._running().clock

    def _running(self) -> Session:
        if self._session is None:
            raise EpisodeError("reset the environment first")
        return self._session

    def _get_sound_session(self) -> Session:
        """Return the session, where its state can be trusted."""
        if self._broken:
            raise LostTransaction(self._broken)
        return self._running()

    def call_tool(self, name: str, arguments: Mapping[str, Any] | None = None) -> Result:
        """Call a tool as the agent. Whatever is sent, a result comes back."""
        session = self._running()
        if self._done:
            return Result(False, None, ToolError("EPISODE_OVER", "This episode has ended."), True)
        clock = session.clock
        tool = clean_name(name)
        given, problem = self._read({} if arguments is None else arguments)
        shown = None if self._as_it_is else self._surface(session.role).real
        if problem:
            result = Result(False, None, ToolError("INVALID_ARGUMENT", f"The arguments are {problem}."))
        elif shown is not None and tool not in shown:
            details = {"hint": suggest(tool, shown)}
            result = Result(False, None, ToolError("UNKNOWN_TOOL", f"There is no tool `{tool}`.", None, details))
        else:
            tool = tool if shown is None else shown[tool]
            if self._contract is not None and tool in self._contract.tools:
                return self._call_contract(self._contract.tools[tool], session, given)
            if self._asks_back and tool == requester.NAME:
                result = self._ask_requester(session, given)
            else:
                busy = self._find_refusal(tool, given) if self._services else None
                result = self._call_session(session, tool, given) if busy is None else busy
        return self._note_step(Call(tool, given), result, clock)

    def _ask_requester(self, session: Session, given: Any) -> Result:
        result = requester.answer_question(self._task, self._said, given, partial(self._call_session, session))
        if result.ok:
            self._said.append((given["message"], result.data["reply"]))
            result = result if self._word is None else requester.reword(result, self._task, self._word)
        return result

    def _note_step(self, call: Call, result: Result, clock: str) -> Result:
        """Add the call to the steps of the episode and return its result; the last one that is allowed ends it."""
        if len(self._steps) + 1 >= self._limits.calls:
            self._done = True
            result = result._replace(done=True)
        self._steps.append(Step(call, result, clock))
        return result

    def _call_contract(self, tool: ContractTool, session: Session, arguments: Any) -> Result:
        """Make a call of the contract inside, and answer it as the contract promises."""
        clock = session.clock
        fault = self._fault(tool)
        call, problem = call_inside(tool, arguments) if fault is None else (Call(tool.operation, {}), FAULT)
        if problem:
            call = Call(tool.operation, {UNREAD: problem})
            inside = Result(False, None, ToolError("INVALID_ARGUMENT", f"The arguments are {problem}."))
        else:
            busy = self._find_refusal(call.tool, call.arguments) if self._services else None
            inside = self._call_session(session, call.tool, call.arguments) if busy is None else busy
        inside = self._note_step(call, inside, clock)
        if fault is not None:
            return fault._replace(done=inside.done)
        seen = find_shown_record(tool, inside, lambda name, given: self._call_session(session, name, given))
        return select_properties(tool, arguments, make_answer(tool, seen))

    def _fault(self, tool: ContractTool) -> Result | None:
        """The next fault that this tool is to have, if there is one left."""
        planned, seen = self._faults.get(tool.name, ()), self._failed.get(tool.name, 0)
        if seen >= len(planned):
            return None
        self._failed[tool.name] = seen + 1
        return make_fault(tool, planned[seen])

    def inside(self) -> Env:
        """Open an environment over the same world with the tools as the world itself has them: what a trajectory names."""
        return Env(self._runtime, self._digest, self._limits, self._book, "asking" if self._asks_back else "plain")

    def _read(self, arguments: Any) -> tuple[Any, str]:
        """The arguments as they are from now on, whatever the caller does with its object; and why they are refused, if so."""
        try:
            given = copy_plain(arguments, self._limits)
        except Unreadable as e:
            return {UNREAD: str(e)}, str(e)
        if isinstance(given, dict) and UNREAD in given and len(given) == 1:
            return given, str(given[UNREAD])
        return given, ""

    def _find_refusal(self, tool: str, arguments: Mapping[str, Any]) -> Result | None:
        return find_refusal(self._services, self._steps, "" if self._task is None else self._task.id, tool, arguments)

    def _call_session(self, session: Session, name: str, arguments: Any) -> Result:
        try:
            return session.call(name, arguments)
        except LostTransaction as e:
            self._broken = str(e)
            self._done = True
            return Result(False, None, ToolError("UNAVAILABLE", "The system is not available."), True)

    def submit(self, answer: Any = None, as_it_is: bool = False) -> Result:
        """End the episode with an answer. One of another form than the task asks for is given back with what is wrong, a few
        times; `as_it_is` takes it nevertheless."""
        self._running()
        if self._done:
            return Result(False, None, ToolError("EPISODE_OVER", "This episode has ended."), True)
        try:
            given = copy_plain(answer, self._limits)
        except Unreadable as e:
            return Result(False, None, ToolError("INVALID_ARGUMENT", f"The answer is {e}."))
        problem = "" if as_it_is or self._task is None else find_problem(self._task.answer_schema, given)
        if problem and self._returned < MAX_RETURNED:
            self._returned += 1
            return Result(False, None, ToolError("INVALID_ARGUMENT", f"Nothing was submitted: {problem}."))
        self._answer = given
        self._submitted = self._done = True
        return Result(True, None, None, True)

    @property
    def done(self) -> bool:
        return self._done

    @property
    def calls(self) -> int:
        return len(self._steps)

    @property
    def last(self) -> Step:
        """The newest call, as the trajectory has it."""
        if not self._steps:
            raise EpisodeError("nothing was called yet")
        return self._steps[-1]

    def key(self) -> Key:
        """The key of this episode's task with its calls as the agent makes them: the names and arguments that tools are shown with.

        Its provenance speaks of these calls too, under the same numbers."""
        if self._task is None:
            raise EpisodeError("this episode has no task")
        key = self._book.key(self._task.id)
        names = {real: name for name, real in self._surface(self._running().role).real.items()}
        shown = show_key(self._contract, key)
        expects = dict(shown.expects)
        if expects.get("forbidden"):
            expects["forbidden"] = [
                {**one, "tool": names.get(one["tool"], one["tool"])} for one in expects["forbidden"]
            ]
        calls = tuple(call._replace(tool=names.get(call.tool, call.tool)) for call in shown.calls)
        labels = {
            f"{n} {one.tool}": f"{n} {call.tool}"
            for n, (one, call) in enumerate(zip(shown.calls, calls, strict=True), 1)
        }
        provenance = tuple(
            {**entry, "call": labels[entry["call"]]} for entry in shown.provenance if entry["call"] in labels
        )
        return replace(shown, calls=calls, expects=expects, provenance=provenance)

    @property
    def broken(self) -> str:
        """Why the backend failed, where it did: the verdict of such an episode is `error`, never 0 or 1."""
        return self._broken

    def diff(self) -> Mapping[str, TableDiff]:
        """Rows added, changed and removed since reset, by table."""
        return self._get_sound_session().diff()

    def diff_since_last(self) -> Mapping[str, TableDiff]:
        """The same since this was last asked: what one step changed, where it is asked after every step."""
        return self._get_sound_session().diff_since_last()

    def own_diff_since_last(self) -> Mapping[str, TableDiff]:
        """The same without what others changed; where they act too, ask for both after every step."""
        return self._get_sound_session().own_diff_since_last()

    def list_others(self, since: int = 0) -> tuple[OthersCall, ...]:
        """The calls that others made since reset, after the first so many, and whether the state let each happen."""
        return self._get_sound_session().list_others(since)

    def violations(self) -> tuple[tuple[str, str, int], ...]:
        """Handbook rules broken so far: (policy, tool, number of the call)."""
        return self._running().violations()

    def verify(self) -> Verdict:
        """Judge the episode so far. A backend that failed is `error`, never 0 or 1; so is a world without its keys."""
        session = self._running()
        if self._task is None:
            raise EpisodeError("this episode has no task to be judged by")
        if self._broken:
            return Verdict("error", reason=self._broken)
        try:
            judge = self._runtime.judge(self._book.key(self._task.id).expects)
            return judge.verdict(session, self._answer, self._submitted)
        except (LostTransaction, GraderElsewhere) as e:
            return Verdict("error", reason=str(e))

    def state_digest(self) -> str:
        return self._get_sound_session().digest()

    def snapshot(self) -> bytes:
        """The state now, as an SQLite database."""
        return self._get_sound_session().snapshot()

    def fork(self) -> Env:
        """An independent copy of the running episode at this step."""
        twin = Env(
            self._runtime, self._digest, self._limits, self._book, self._face, self._contract, self._faults, self._word
        )
        twin._task = self._task
        twin._session = self._get_sound_session().fork()
        twin._steps, twin._said = list(self._steps), list(self._said)
        twin._answer = self._answer
        twin._done, twin._submitted, twin._returned = self._done, self._submitted, self._returned
        twin._observations = self._observations
        twin._hands = self._hands
        twin._failed = dict(self._failed)
        return twin

    def trajectory(self) -> Trajectory:
        """The episode as it can be replayed."""
        session = self._running()
        final = "" if self._broken else session.digest()
        task = "" if self._task is None else self._task.id
        return Trajectory(self._digest, session.role, tuple(self._steps), self._answer, self._submitted, final, task)

    def close(self) -> None:
        if self._session is not None:
            self._session.close()
            self._session = None


def _check_faults(faults: Mapping[str, Sequence[str]], contract: Contract | None) -> dict[str, tuple[str, ...]]:
    """Check faults that were asked for: only of tools that there are, only statuses that these declare."""
    out: dict[str, tuple[str, ...]] = {}
    for name, statuses in faults.items():
        tool = contract.tools.get(name) if contract is not None else None
        if tool is None:
            raise UsageError(
                f"only tools of a contract have faults; {suggest(name, contract.tools if contract else ())}"
            )
        for status in map(str, statuses):
            if status not in tool.declares:
                known = ", ".join(tool.declares) or "none"
                raise UsageError(f"`{name}` does not declare {status}; it declares {known}")
        out[name] = tuple(map(str, statuses))
    return out
