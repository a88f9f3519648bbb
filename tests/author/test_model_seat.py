"""A model at the bench, behind a real endpoint on the loopback: what it says is data, and nothing that it says is lost or run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.agents.chat_server import Reply, Sent, completion, serving

from worldwright.agents.models.settings import Settings, read_settings
from worldwright.agents.protocol import Options
from worldwright.author.answers import apply_answer
from worldwright.author.model_seat import Budget, Outcome, author_with_model
from worldwright.author.rounds import read_rounds
from worldwright.core.errors import UsageError

CLAIMS = """I bind what is there.
```claims
- {id: c001, is: bound, to: [policy:loan_limit]}
- {id: c002, is: bound, to: [policy:no_debts]}
- {id: c003, is: bound, to: [policy:waiver_cap]}
- {id: c004, is: bound, to: ['guard:lend.NOT_ON_SHELF']}
```
"""
CASES = """```yaml
- allowed: {loan.fine: 15, member.owed: 0}
- forbidden: {loan.fine: 16, member.owed: 11}
```"""


def settings(url: str, **more: str) -> Settings:
    return read_settings(Options(model="m", base_url=url, more={"retries": "0", **more}), "openai")


def say(text: str, tokens: int = 100) -> Reply:
    return completion({"content": text}, {"prompt_tokens": tokens, "completion_tokens": 1, "total_tokens": tokens + 1})


def asks_for_cases(sent: Sent) -> bool:
    return "# Cases for" in sent.body["messages"][-1]["content"]


def run(bench: Path, script: Callable[[Sent], Reply], budget: Budget | None = None) -> tuple[Outcome, list[Sent]]:
    with serving(script) as server:
        return author_with_model(bench, settings(server.url), budget or Budget(rounds=3)), list(server.sent)


def test_a_model_binds_claims_and_others_write_the_cases(bench: Path) -> None:
    outcome, sent = run(bench, lambda one: say(CASES if asks_for_cases(one) else CLAIMS), Budget(rounds=1))
    assert outcome.found.claims["bound"] == 4
    briefs = [one.body["messages"] for one in sent if asks_for_cases(one)]
    assert len(briefs) == 3
    assert all(len(messages) == 1 and "rule:" not in messages[0]["content"] for messages in briefs)
    assert all("loan.fine <= cap" not in messages[0]["content"] for messages in briefs)
    (one,) = [r for r in read_rounds(bench) if r.exchange]
    assert one.exchange["said"] == CLAIMS
    assert one.by == "openai:m"
    assert one.exchange["tokens"] == sum(101 for _ in sent)


def test_a_model_that_writes_nonsense_changes_nothing_and_is_told_so(bench: Path) -> None:
    before = {p.name: p.read_bytes() for p in bench.glob("*.yaml")}
    outcome, sent = run(bench, lambda one: say("I would rather talk about the weather."))
    assert outcome.why == "still"
    assert len(sent) == 2
    assert "there was no block to carry out" in sent[1].body["messages"][1]["content"]
    assert {p.name: p.read_bytes() for p in bench.glob("*.yaml")} == before


def test_a_model_that_never_converges_ends_with_its_rounds(bench: Path) -> None:
    seen: list[int] = []

    def turn(one: Sent) -> Reply:
        seen.append(1)
        return say(f"```set\nsummary: attempt {len(seen)}\n```")

    outcome, _ = run(bench, turn, Budget(rounds=2))
    assert (outcome.why, outcome.rounds) == ("rounds", 2)
    assert "attempt 2" in (bench / "blueprint.yaml").read_text()


def test_the_budget_of_tokens_counts_over_all_runs_of_a_bench(bench: Path) -> None:
    script = lambda one: say("```notes\nhm\n```", tokens=900)  # noqa: E731
    first, _ = run(bench, script, Budget(rounds=1, tokens=1_000))
    again, sent = run(bench, script, Budget(rounds=5, tokens=901))
    assert first.tokens == 901
    assert (again.why, again.tokens, sent) == ("tokens", 901, [])


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        (Reply({"error": {"message": "no such key"}}, 401), "the key is not accepted"),
        (Reply({"error": {"message": "gone"}}, 404), "no such model"),
        (Reply(b"<html>busy</html>", 200), "did not answer with JSON"),
        (Reply({"choices": []}, 200), "without a message"),
        (Reply({"error": {"message": "broken"}}, 500), "the same command goes on"),
    ],
)
def test_an_endpoint_that_refuses_is_told_clearly_and_nothing_is_lost(bench: Path, reply: Reply, says: str) -> None:
    before = {p.name: p.read_bytes() for p in bench.glob("*.yaml")}
    with serving([reply]) as server, pytest.raises(UsageError, match=says):
        author_with_model(bench, settings(server.url), Budget(rounds=2))
    assert {p.name: p.read_bytes() for p in bench.glob("*.yaml")} == before


def test_no_endpoint_at_all(bench: Path) -> None:
    with pytest.raises(UsageError, match="cannot connect"):
        author_with_model(bench, settings("http://127.0.0.1:9/v1"), Budget(rounds=1))


def test_it_goes_on_where_it_stopped(bench: Path) -> None:
    def stops(one: Sent) -> Reply:
        return (
            say(CASES)
            if asks_for_cases(one)
            else say(CLAIMS)
            if not rounds
            else Reply({"error": {"message": "x"}}, 500)
        )

    rounds: list[Any] = []

    def count(one: Sent) -> Reply:
        reply = stops(one)
        rounds.extend([] if asks_for_cases(one) else [1])
        return reply

    with serving(count) as server, pytest.raises(UsageError):
        author_with_model(bench, settings(server.url), Budget(rounds=3))
    assert sum(bool(r.exchange) for r in read_rounds(bench)) == 1
    outcome, _ = run(bench, lambda one: say("```notes\ndone\n```"), Budget(rounds=1))
    assert outcome.found.claims["bound"] == 4


@pytest.mark.parametrize(
    "answer",
    [
        "```set\n__class__: 1\n```",
        "```set\nblueprint: ../../etc\n```",
        "```python\nimport os; os.system('touch /tmp/owned')\n```",
        "```set\npolicies.x:\n  rule: __import__('os').system('true')\n  says: x\n```",
        "```set\n? !!python/object/apply:os.system ['true']\n: 1\n```",
        "```contract\n../../x: lend\n```",
        "```claims\n- {id: c001, to: ['policy:__import__']}\n```",
        "```write ../../../tmp/owned\nx\n```",
        "```set\n" + "a: [" * 500 + "]" * 500 + "\n```",
        "```notes\n" + "x" * 5_000_000 + "\n```",
    ],
)
def test_what_a_model_smuggles_in_is_data(bench: Path, answer: str, tmp_path: Path) -> None:
    from worldwright.author import verbs

    there = set(tmp_path.rglob("*"))
    apply_answer(bench, answer)
    found = verbs.check(bench, "a test", with_world=False)
    assert {p.name for p in tmp_path.rglob("*")} - {p.name for p in there} <= {"began.json", "rounds.jsonl"}
    assert not Path("/tmp/owned").exists()
    assert found.claims["claims"] == 5
