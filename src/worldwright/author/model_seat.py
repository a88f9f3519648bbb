"""A model at the bench: draft, findings, answer, in rounds that are bounded, each kept whole, and resumed from the folder alone.

Every round is a conversation of its own: the model is shown the guide, the evidence, what lies on the bench and what pays most, and
answers with blocks (`answers.py`). Cases of policies come from other calls, which are shown the claims and the schema, no rule.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worldwright.agents.models.client import ContextFull, get_client
from worldwright.agents.models.settings import Settings
from worldwright.agents.protocol import AgentUnavailable
from worldwright.author import verbs
from worldwright.author.answers import apply_answer
from worldwright.author.check import Checkup, check_bench
from worldwright.author.folder import BLUEPRINT, CONTRACT, read_bench, read_text
from worldwright.author.rounds import read_rounds
from worldwright.core.errors import UsageError
from worldwright.formats.strict_yaml import YamlError, read_yaml

MAX_EVIDENCE_CHARS = 120_000
MAX_CLAIMS = 150
"""Open claims that one request shows."""
MAX_STILL = 2
"""Rounds without a change after which it is no use to go on."""
MAX_CASE_CALLS = 6
"""Policies for which cases are asked after one round."""
SYSTEM = """You are the author of a world for training agents. You make its Blueprint say what the evidence says.
Answer with fenced blocks only, each of them YAML, as many as you like:
```set        a map from a path in blueprint.yaml (policies.carry_over) to the node that is to stand there
```remove     a list of paths
```claims     a list of {id, is: bound | not_business | not_expressible, to: [policy:NAME, guard:OPERATION.CODE, ...], why}
```contract   a map from a tool of the evidence to an operation, or to {operation, takes, fixed, gives, shows}
```notes      what you want to remember
Work on what pays most first. The guide follows.

"""
Progress = Callable[[str, str], None]


@dataclass(frozen=True, slots=True)
class Budget:
    """How far a model may go."""

    rounds: int = 12
    tokens: int = 2_000_000
    """Read and written, over all rounds of the bench."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How it ended."""

    found: Checkup
    why: str
    """done, rounds, tokens, still (nothing changes any more)"""
    rounds: int
    tokens: int


def author_with_model(
    folder: Path, settings: Settings, budget: Budget, progress: Progress = lambda stage, figures: None
) -> Outcome:
    """Let a model work at a bench until nothing pays any more or the budget is spent. What it did so far is always kept."""
    return asyncio.run(_author(folder, settings, budget, progress))


async def _author(folder: Path, settings: Settings, budget: Budget, progress: Progress) -> Outcome:
    by = f"{settings.mode}:{settings.model}"
    found = await asyncio.to_thread(verbs.check, folder, by)
    spent = sum(int(r.exchange.get("tokens", 0)) for r in read_rounds(folder))
    problems: list[str] = []
    still = 0
    for number in range(1, budget.rounds + 1):
        pays = verbs.next_data(found)
        if not pays and not problems:
            return Outcome(found, "done", number - 1, spent)
        if spent >= budget.tokens:
            return Outcome(found, "tokens", number - 1, spent)
        before = {file: read_text(folder, file) for file in (BLUEPRINT, CONTRACT, "claims.yaml")}
        messages = write_request(folder, found, pays, problems)
        said, tokens = await _ask(settings, messages)
        spent += tokens
        problems = apply_answer(folder, said)
        cases, more = await _ask_for_cases(folder, settings, by)
        spent += more
        exchange = {"asked": messages, "said": said, "problems": problems, "cases": cases, "tokens": tokens + more}
        found = await asyncio.to_thread(verbs.check, folder, by, exchange=exchange)
        progress("author", _describe(number, found, spent))
        still = still + 1 if all(read_text(folder, file) == text for file, text in before.items()) else 0
        if still >= MAX_STILL:
            return Outcome(found, "still", number, spent)
    return Outcome(found, "rounds", budget.rounds, spent)


def _describe(number: int, found: Checkup, spent: int) -> str:
    errors = sum(verbs.finding_data(f)["level"] == "error" for f in found.findings)
    grade = found.grade.word if found.grade else "no world"
    return (
        f"round {number}: {found.claims['bound']} of {found.claims['business']} claims bound, {errors} errors, "
        f"{len(found.findings)} findings, {grade}, {spent:,} tokens"
    )


def write_request(
    folder: Path, found: Checkup, pays: Sequence[Mapping[str, Any]], problems: Sequence[str]
) -> list[dict[str, str]]:
    """What a model is shown in one round."""
    claims = verbs.list_claims(folder, "open", most=MAX_CLAIMS)
    bound = [f"{row['id']}: {', '.join(row.get('to', ()))}" for row in verbs.list_claims(folder, "bound", most=500)]
    parts = [
        ("What was wrong with your last answer", "\n".join(f"- {p}" for p in problems)),
        ("What pays most", json.dumps(list(pays), ensure_ascii=False, indent=1)),
        ("Open claims", "\n".join(f"{c['id']} ({c['at']}, {c['kind']}): {c['says']}" for c in claims)),
        ("Bound claims", "\n".join(bound)),
        ("blueprint.yaml", read_text(folder, BLUEPRINT)),
        ("contract.yaml", read_text(folder, CONTRACT)),
        ("Evidence", _evidence(folder)),
        ("Grade", json.dumps(found.grade.data() if found.grade else None, ensure_ascii=False)),
    ]
    shown = "\n\n".join(f"# {title}\n{text}" for title, text in parts if text.strip())
    return [{"role": "system", "content": SYSTEM + verbs.read_guide()}, {"role": "user", "content": shown}]


def _evidence(folder: Path) -> str:
    """The sheets, each cut to its share of the room."""
    sheets = verbs.list_evidence(folder)
    room = MAX_EVIDENCE_CHARS // max(1, len(sheets))
    texts = [(name, verbs.read_evidence(folder, name, most=30_000)) for name, _ in sheets]
    return "\n\n".join(
        f"## {name}\n{text[:room]}" + ("\n(cut here)" if len(text) > room else "") for name, text in texts
    )


async def _ask(settings: Settings, messages: Sequence[Mapping[str, str]]) -> tuple[str, int]:
    """What the model says, and the tokens that it took."""
    request: dict[str, Any] = {"model": settings.model, "messages": list(messages), **settings.fields()}
    request |= {"temperature": settings.temperature} if settings.temperature is not None else {}
    request |= {"max_tokens": settings.max_tokens} if settings.max_tokens is not None else {}
    try:
        answer = await (await get_client(settings)).ask(request)
    except ContextFull as e:
        raise UsageError(
            f"the request is longer than the model can read ({e}); a model with a larger context is needed"
        ) from None
    except AgentUnavailable as e:
        raise UsageError(
            f"{e}; the draft and every round so far are kept, and the same command goes on from there"
        ) from None
    try:
        said = answer.data["choices"][0]["message"]["content"]
    except (LookupError, TypeError):
        raise UsageError(f"the endpoint answered without a message: {str(answer.data)[:200]}") from None
    usage = answer.data.get("usage") or {}
    counted = usage.get("total_tokens") if isinstance(usage, Mapping) else None
    text = said if isinstance(said, str) else ""
    return text, int(counted) if isinstance(counted, (int, float)) else (
        len(text) + sum(len(m["content"]) for m in messages)
    ) // 4


async def _ask_for_cases(folder: Path, settings: Settings, by: str) -> tuple[list[dict[str, Any]], int]:
    """Cases for policies that have none by somebody else, each from a conversation that is shown no rule."""
    found = await asyncio.to_thread(lambda: check_bench(*read_bench(folder), with_world=False))
    missing = [f.place.rsplit(".", 1)[1] for f in found.findings if f.code == "cases_missing"][:MAX_CASE_CALLS]
    kept: list[dict[str, Any]] = []
    spent = 0
    for policy in missing:
        brief = verbs.brief_cases(folder, policy)
        said, tokens = await _ask(
            settings, [{"role": "user", "content": brief + "\nAnswer with one fenced YAML block: the list of cases."}]
        )
        spent += tokens
        cases, problem = read_cases(said)
        if cases:
            verbs.add_cases(folder, policy, f"{by}, another call", cases)
        kept.append({"policy": policy, "asked": brief, "said": said, "problem": problem})
    return kept, spent


def read_cases(said: str) -> tuple[list[dict[str, Any]], str]:
    """The cases in an answer, or why there are none."""
    body = said.partition("```")[2].partition("\n")[2].partition("```")[0] if "```" in said else said
    try:
        data, _ = read_yaml(body)
    except YamlError as e:
        return [], f"line {e.line}: {e.reason}"
    if not isinstance(data, list) or not data or not all(isinstance(c, dict) for c in data):
        return [], "expected a list of cases"
    return data, ""
