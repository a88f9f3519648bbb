"""What becomes of questions for a fact, and of messages that ask for none: told, asked back, told something else, told nothing."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from studies.understanding.data import JUDGED_BY, Ordered, Situation, read_more, read_orders, read_situations
from worldwright.core.rng import Stream
from worldwright.people.understand import understand
from worldwright.world.tasks import Fact

ACTS = 3
"""Things that somebody can do who is told to do one."""


def print_report(facts: int, people: int, as_json: bool) -> int:
    """Print the figures; the exit code is 1 where fewer than 95% of the questions reach their fact, or something is given away."""
    situations = read_situations(JUDGED_BY)
    rows = {
        "with examples": measure(situations, facts, people),
        "with examples, the messages of other writers": measure(read_more(situations), facts, people),
        "with names alone": measure([_without_examples(s) for s in situations], facts, people),
        "orders, to somebody who can do three of ten things": measure_orders(read_orders()),
    }
    if as_json:
        print(json.dumps(rows, indent=1))
    else:
        print(f"{len(situations)} situations; people who know {facts} of 10 facts, {people} of each\n")
        for name, row in rows.items():
            print(f"{name}:")
            for key, value in row.items():
                print(f"  {key:<58}{value:>9}")
    good = rows["with examples"]
    return int(_share(good["questions that get the fact, at once or after one question back"]) < 0.95)


def measure(situations: Sequence[Situation], facts: int, people: int) -> dict[str, str]:
    asked, beside, near = Counter[str](), Counter[str](), Counter[str]()
    loud: set[str] = set()
    for situation in situations:
        for k in range(people):
            held = Stream(situation.domain, facts, k).shuffled(situation.facts)[:facts]
            for fact in held:
                asked.update(_outcome(text, held, fact.name) for text in situation.questions[fact.name])
            for text in situation.unrelated:
                outcome = _outcome(text, held, "")
                beside[outcome] += 1
                loud |= {text} if outcome == "wrong" else set()
            near.update(_outcome(text, held, "") for text in situation.near)
    total, other, close = sum(asked.values()), sum(beside.values()), sum(near.values())
    messages = sum(len(set(s.unrelated)) for s in situations)
    return {
        "questions": f"{total:,}",
        "questions that get the fact at once": _percent(asked["told"], total),
        "questions that get the fact, at once or after one question back": _percent(
            asked["told"] + asked["back"], total
        ),
        "questions that get another fact": _percent(asked["wrong"], total),
        "unrelated messages": f"{messages:,}",
        "unrelated messages that get a fact from somebody": f"{len(loud):,}",
        "unrelated messages to somebody that get a fact": _percent(beside["wrong"], other),
        "unrelated messages to somebody that are asked back": _percent(beside["back"], other),
        **({"near messages to somebody that get a fact": _percent(near["wrong"], close)} if close else {}),
    }


def measure_orders(found: Sequence[Ordered]) -> dict[str, str]:
    """Measure what becomes of orders, and of what is none, said to somebody who can do this and two other things."""
    ordered, other = Counter[str](), Counter[str]()
    for at, one in enumerate(found):
        held = [found[(at + k) % len(found)].deed for k in range(ACTS)]
        ordered.update(_outcome(text, held, one.deed.name) for text in one.orders)
        other.update(_outcome(text, held, "") for text in one.no_orders)
    total, rest = sum(ordered.values()), sum(other.values())
    return {
        "orders": f"{total:,}",
        "orders that are carried out at once": _percent(ordered["told"], total),
        "orders that are carried out, at once or after one question back": _percent(
            ordered["told"] + ordered["back"], total
        ),
        "orders for which something else is done": _percent(ordered["wrong"], total),
        "messages that are no orders": f"{rest:,}",
        "messages that are no orders, for which something is done": f"{other['wrong']:,}",
        "messages that are no orders, and are asked back": _percent(other["back"], rest),
    }


def _outcome(text: str, held: Sequence[Fact], wanted: str) -> str:
    heard = understand(text, held)
    if heard.asked:
        return "told" if wanted in heard.asked else "wrong"
    return "back" if heard.unclear and (not wanted or wanted in heard.unclear) else "nothing"


def _without_examples(situation: Situation) -> Situation:
    return replace(situation, facts=tuple(replace(fact, asked=()) for fact in situation.facts))


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / max(1, whole):.1f} %"


def _share(text: str) -> float:
    return float(text.split()[0]) / 100
