"""What a requester answers: a fact that was asked for, what they did, a question back where that is not clear, more to do, or
nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from worldwright.people.features import is_asking
from worldwright.people.manners import Manner, find_manner
from worldwright.people.orders import ACTION, is_for_now, is_forbidden
from worldwright.people.signals import (
    asks_for_more,
    choose_meant,
    doubts,
    found_otherwise,
    leave_out_reports,
    reports_something,
    thanks,
)
from worldwright.people.understand import Heard, understand
from worldwright.world.tasks import Act, Fact, Requester

MAX_AT_ONCE = 2
"""Facts that are told in one reply: nobody likes to be questioned from a list."""
_VALUES = frozenset({"date", "money", "count", "choice", "reference"})
"""Kinds of facts that say nothing alone: with the name beside it, nobody takes one for another."""
_ARTICLES = ("the ", "a ", "an ")
_PART = re.compile(r"\{([a-z_0-9]+)\}")
GONE = "(They do not answer any more.)"
"""What comes back from somebody who has left."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What comes of a message: what is done, then what is said before and after it."""

    text: str
    acts: tuple[Act, ...] = ()
    after: str = ""


def reply_to(message: str, requester: Requester, adds: Sequence[str], before: Sequence[tuple[str, str]] = ()) -> Reply:
    """The reply to a message. `adds` is what they want besides, one after the other; `before` are earlier messages and replies."""
    manner = find_manner(requester.voice)
    if any(reply in (manner.leaves, GONE) for _, reply in before):
        return Reply(GONE)
    reply = _answer(message, requester, adds, manner, before)
    useless = [text for text in (*(said for _, said in before), reply.text) if text in (manner.lost, manner.many)]
    if reply.text in useless and 0 < requester.patience <= len(useless):
        return Reply(manner.leaves)
    return reply


def report_act(act: Act, data: Mapping[str, Any] | None, problem: str, voice: str) -> str:
    """What they say of what they did, by what came of it."""
    if data is None:
        return _end(find_manner(voice).failed.format(problem))
    text = _PART.sub(lambda part: _speak(data.get(part[1])), act.says)
    return _end(text[:1].upper() + text[1:])


def _answer(
    message: str, requester: Requester, adds: Sequence[str], manner: Manner, before: Sequence[tuple[str, str]]
) -> Reply:
    topics = list_topics(requester)
    known, acts = {topic.name: topic for topic in topics}, {act.name: act for act in requester.acts}
    question = leave_out_reports(message)
    heard = _resolve(message, topics, manner, before) or (understand(question, topics) if question else Heard())
    more = asks_for_more(message) or reports_something(message)
    if len(heard.asked) > MAX_AT_ONCE:
        return Reply(manner.many)
    doubted = _find_doubted(message, requester.facts, heard, before)
    asked = tuple(dict.fromkeys((*heard.asked, *doubted)))
    told = _tell([known[name] for name in asked if name not in acts], doubted, before, manner)
    done = tuple(acts[name] for name in asked if name in acts)
    unclear = Heard((), tuple(name for name in heard.unclear if name not in asked))
    back = _ask_back(unclear, known, manner) if unclear.unclear else ""
    if told or done:
        change = _find_next(requester.changes, before)
        if change and not doubted and all(_holds(change, known[name].says) for name in asked if name not in acts):
            told = ""
        after = (change, _find_next(adds, before) if more else "", back)
        return Reply(told, done, " ".join(filter(None, after)))
    again = [] if unclear.unclear else _find_repeated(message, requester.facts, before)
    if again:
        wrong = [fact.name for fact in again if fact.thinks and not _was_said(fact.says, before)]
        return Reply(_tell(again, wrong, before, manner))
    if question and is_asking(question) and not asks_for_more(message):
        return Reply(back or manner.lost)
    if more:
        return Reply(_find_next(adds, before) or back or manner.no_more)
    return Reply(manner.welcome if thanks(message) and not back else back or manner.lost)


def _find_doubted(
    message: str, facts: Sequence[Fact], heard: Heard, before: Sequence[tuple[str, str]]
) -> tuple[str, ...]:
    """The facts of which somebody has reason to think that they are otherwise: what is true stands in the message, or they doubt
    it, or ask a second time. Where a doubt names nothing, it is about the first that they are wrong about."""
    wrong = [fact for fact in facts if fact.thinks and not _was_said(fact.says, before)]
    named = [fact for fact in wrong if fact.name in (*heard.asked, *heard.unclear)]
    if any(_holds(message, fact.says) for fact in wrong):
        return tuple(fact.name for fact in wrong if _holds(message, fact.says))
    if named and found_otherwise(message):
        return tuple(fact.name for fact in named)
    told = any(_was_said(fact.thinks, before) for fact in wrong[:1])
    if not heard.asked and (doubts(message) or (told and found_otherwise(message))):
        return tuple(fact.name for fact in wrong[:1])
    return tuple(fact.name for fact in named if fact.name in heard.asked and _was_said(fact.thinks, before))


def _find_repeated(message: str, facts: Sequence[Fact], before: Sequence[tuple[str, str]]) -> list[Fact]:
    """The fact of which they are asked whether they were heard well: `so it is 2 March?` Nothing new is told by it."""
    said = [text for fact in facts for text in (fact.says, fact.thinks) if text and _holds(message, text)]
    if "?" not in message or not said or not any(_was_said(text, before) for text in said):
        return []
    return [fact for fact in facts if _holds(message, fact.says) or (fact.thinks and _holds(message, fact.thinks))][:1]


def _was_said(text: str, before: Sequence[tuple[str, str]]) -> bool:
    return any(_holds(reply, text) for _, reply in before)


def _holds(message: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(text)}(?!\w)", message, re.IGNORECASE) is not None


def list_topics(requester: Requester) -> list[Fact]:
    """What they may be asked for."""
    return [*requester.facts, *(Fact(act.name, ACTION, act.called, "", act.asked) for act in requester.acts)]


def _find_next(texts: Sequence[str], before: Sequence[tuple[str, str]]) -> str:
    """The first that was not said yet."""
    return next((text for text in texts if not _was_said(text, before)), "")


def _resolve(message: str, facts: Sequence[Fact], manner: Manner, before: Sequence[tuple[str, str]]) -> Heard | None:
    """What is asked for by an answer to a question back: yes, both, the second."""
    if not before:
        return None
    question, reply = before[-1]
    unclear = understand(leave_out_reports(question), facts).unclear
    if not unclear or not reply.endswith(_ask_back(Heard((), unclear), {fact.name: fact for fact in facts}, manner)):
        return None
    known = {fact.name: fact for fact in facts}
    named = [name for name in unclear if _names(message, known[name])]
    if len(named) == 1:
        return Heard(tuple(named))
    meant = choose_meant(message, len(unclear))
    return Heard(tuple(unclear[at] for at in meant)) if meant else None


def _names(message: str, topic: Fact) -> bool:
    """Whether an answer names the thing, as what is meant; of what is to be done, that it is, and now."""
    if not any(_holds(message, text) for text in topic.called):
        return False
    return topic.kind != ACTION or not ("?" in message or is_forbidden(message) or not is_for_now(message))


def _tell(facts: Sequence[Fact], doubted: Sequence[str], before: Sequence[tuple[str, str]], manner: Manner) -> str:
    if not facts:
        return ""
    if len(facts) == 1:
        form = manner.corrects if facts[0].name in doubted else manner.one
        said = _say(facts[0], doubted, before)
        if form is manner.corrects and not form.endswith(": {}") and said.startswith(_ARTICLES):
            said = said[:1].upper() + said[1:]
        return _end(form.format(said if form.endswith((", {}", ": {}")) else _begin(said, facts[0])))
    return " ".join(_end(_begin(f"{_name(f)}: {_quote(f, doubted, before)}", f)) for f in facts)


def _say(fact: Fact, doubted: Sequence[str], before: Sequence[tuple[str, str]]) -> str:
    """A fact with its name, where it would say nothing without."""
    said = _quote(fact, doubted, before)
    bare = fact.kind in _VALUES and _name(fact).split()[-1].lower() not in said.lower().split()
    return f"the {_name(fact)}: {said}" if bare else said


def _begin(text: str, fact: Fact) -> str:
    """With a capital, where it does not begin with what they were asked for: that is told to the letter."""
    return text if text.startswith((fact.says, fact.thinks or fact.says)) else text[:1].upper() + text[1:]


def _ask_back(heard: Heard, known: Mapping[str, Fact], manner: Manner) -> str:
    names = [_refer(known[name]) for name in heard.unclear]
    text = (manner.back_one if len(names) == 1 else manner.back_two).format(*names)
    return text[:1].upper() + text[1:]


def _refer(topic: Fact) -> str:
    return f"that I should {_name(topic)}" if topic.kind == ACTION else f"the {_name(topic)}"


def _name(fact: Fact) -> str:
    return fact.called[0] if fact.called else fact.name.replace("_", " ")


def _quote(fact: Fact, doubted: Sequence[str], before: Sequence[tuple[str, str]]) -> str:
    """What they answer: what they believe, until they have found out. Words that matter to the letter stand in quotes."""
    if fact.thinks and fact.name not in doubted and not _was_said(fact.says, before):
        return fact.thinks
    if fact.kind == "text" and " " in fact.says and '"' not in fact.says:
        return f'"{fact.says}"'
    return fact.says


def _end(text: str) -> str:
    return text if text.endswith((".", "?", "!")) else text + "."


def _speak(value: Any) -> str:
    """A value of a result as somebody says it who looks at it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.2f}"
    return "nothing" if value is None else str(value).replace("_", " ")
