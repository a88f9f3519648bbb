"""What a requester answers: a fact that was asked for, what they did, a question back where that is not clear, more to do, or
nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from worldwright.people.beliefs import find_doubted, find_next, find_repeated, find_sentence, holds, was_said
from worldwright.people.commands import stops_something
from worldwright.people.features import clean_message, is_asking, list_stems, list_words, split_sentences
from worldwright.people.manners import Manner, find_manner
from worldwright.people.orders import ACTION, is_for_now, is_forbidden
from worldwright.people.signals import (
    asks_for_more,
    asks_to_confirm,
    choose_meant,
    declines,
    is_small_talk,
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
_ID = re.compile(r"\b[A-Z][A-Z0-9]*-\d[\w-]*\b")
_PART = re.compile(r"\{([a-z_0-9]+)\}")
GONE = "(They do not answer any more.)"
"""What comes back from somebody who has left."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What comes of a message: what is done, then what is said before and after it."""

    text: str
    acts: tuple[Act, ...] = ()
    after: str = ""


def reply_to(
    message: str,
    requester: Requester,
    adds: Sequence[str],
    before: Sequence[tuple[str, str]] = (),
    opening: str = "",
) -> Reply:
    """The reply to a message. `adds` is what they want besides, one after the other; `before` are earlier messages and replies,
    after the request that they began with."""
    manner = find_manner(requester.voice)
    if any(reply in (manner.leaves, GONE) for _, reply in before):
        return Reply(GONE)
    reply = _answer(clean_message(message), requester, adds, manner, before, opening)
    useless = [text for text in (*(said for _, said in before), reply.text) if text in (manner.lost, manner.many)]
    if reply.text in useless and 0 < requester.patience <= len(useless):
        return Reply(manner.leaves)
    return reply


def report_act(act: Act, data: Mapping[str, Any] | None, problem: str, voice: str) -> str:
    """What they say of what they did, by what came of it. They do not know the ids of records."""
    if data is None:
        return _end(find_manner(voice).failed.format(_leave_out_ids(problem, act)))
    text = _PART.sub(lambda part: _speak(data.get(part[1])), act.says)
    return _end(text[:1].upper() + text[1:])


def _leave_out_ids(text: str, act: Act) -> str:
    """A message of a tool with the names of its arguments where their ids stood."""
    for name, value in act.arguments.items():
        if isinstance(value, str) and value:
            text = re.sub(rf"(?<!\w){re.escape(value)}(?!\w)", f"the {name.replace('_', ' ')}", text)
    return _ID.sub("it", text)


def _answer(
    message: str,
    requester: Requester,
    adds: Sequence[str],
    manner: Manner,
    before: Sequence[tuple[str, str]],
    opening: str,
) -> Reply:
    topics = list_topics(requester)
    known, acts = {topic.name: topic for topic in topics}, {act.name: act for act in requester.acts}
    said = (*([opening] if opening else []), *(reply for _, reply in before))
    question = leave_out_reports(message)
    pending = _find_pending(topics, manner, before)
    heard = _resolve(message, known, pending) or (understand(question, topics) if question else Heard())
    more = asks_for_more(message) or reports_something(message)
    if len(heard.asked) > MAX_AT_ONCE:
        return Reply(manner.many)
    doubted = find_doubted(message, requester.facts, heard, said)
    asked = tuple(dict.fromkeys((*heard.asked, *doubted)))
    told = _tell([known[name] for name in asked if name not in acts], doubted, said, manner)
    done = tuple(acts[name] for name in asked if name in acts)
    unclear = Heard((), tuple(name for name in heard.unclear if name not in asked))
    back = _ask_back(unclear, known, manner) if unclear.unclear else ""
    if told or done:
        change = find_next(requester.changes, said)
        if change and not doubted and all(holds(change, known[name].says) for name in asked if name not in acts):
            told = ""
        after = (change, find_next(adds, said) if more else "", back)
        return Reply(told, done, " ".join(filter(None, after)))
    again = [] if unclear.unclear else find_repeated(message, requester.facts, said)
    if again:
        wrong = [fact.name for fact in again if fact.thinks and not was_said(fact.says, said)]
        return Reply(_tell(again, wrong, said, manner))
    if question and is_asking(question) and not asks_for_more(message):
        return Reply(back or _answer_otherwise(message, requester, known, pending, manner, said) or manner.lost)
    if more:
        untold = asks_for_more(message) and any(not _was_told(fact, said) for fact in requester.facts)
        return Reply(find_next(adds, said) or back or (manner.ask_me if untold else manner.no_more))
    if thanks(message) and not back:
        return Reply(manner.welcome)
    return Reply(back or _answer_otherwise(message, requester, known, pending, manner, said) or manner.lost)


def _was_told(fact: Fact, said: Sequence[str]) -> bool:
    return was_said(fact.says, said) or bool(fact.thinks and was_said(fact.thinks, said))


def _answer_otherwise(
    message: str,
    requester: Requester,
    known: Mapping[str, Fact],
    pending: tuple[str, ...],
    manner: Manner,
    said: Sequence[str],
) -> str:
    """Answer what asks for nothing that they know: a no, what is not to be done, a summary, small talk. Empty where it is none."""
    if pending and declines(message):
        return manner.other
    if pending and any(known[name].kind == ACTION for name in pending) and not is_for_now(message):
        return _ask_back(Heard((), pending), known, manner)
    deeds = [known[act.name] for act in requester.acts]
    if deeds and "?" not in message and any(_forbids(one, deeds) for one in split_sentences(message)):
        return manner.refrains
    if asks_to_confirm(message):
        found = find_sentence(message, said, requester.changes)
        return _end(manner.as_said.format(found)) if found else manner.not_said
    return manner.fine if message.strip() and is_small_talk(message) else ""


def list_topics(requester: Requester) -> list[Fact]:
    """What they may be asked for."""
    return [*requester.facts, *(Fact(act.name, ACTION, act.called, "", act.asked) for act in requester.acts)]


def _forbids(sentence: str, deeds: Sequence[Fact]) -> bool:
    return is_forbidden(sentence) or stops_something(sentence, deeds)


def _find_pending(topics: Sequence[Fact], manner: Manner, before: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """Find what their last words asked back about; nothing where these were no question back."""
    if not before:
        return ()
    question, reply = before[-1]
    unclear = understand(leave_out_reports(clean_message(question)), topics).unclear
    asked = _ask_back(Heard((), unclear), {topic.name: topic for topic in topics}, manner) if unclear else ""
    return unclear if unclear and reply.endswith(asked) else ()


def _resolve(message: str, known: Mapping[str, Fact], pending: tuple[str, ...]) -> Heard | None:
    """What is asked for by an answer to a question back: yes, both, the second, the restart."""
    if not pending:
        return None
    named = [name for name in pending if _names(message, known[name])]
    if len(named) != 1:
        named = [name for name in pending if _hints_at(message, known[name])]
    if len(named) == 1:
        return Heard(tuple(named))
    meant = choose_meant(message, len(pending))
    return Heard(tuple(pending[at] for at in meant)) if meant else None


def _names(message: str, topic: Fact) -> bool:
    """Whether an answer names the thing, as what is meant; of what is to be done, that it is, and now."""
    return any(holds(message, text) for text in topic.called) and _may_be_meant(message, topic)


def _hints_at(message: str, topic: Fact) -> bool:
    """Whether an answer is made of words that are known of the thing alone: `the restart`."""
    own = frozenset(list_stems(list_words(message)))
    words = frozenset(stem for text in topic.called for stem in list_stems(list_words(text)))
    return bool(own) and own <= words and _may_be_meant(message, topic)


def _may_be_meant(message: str, topic: Fact) -> bool:
    return topic.kind != ACTION or not ("?" in message or is_forbidden(message) or not is_for_now(message))


def _tell(facts: Sequence[Fact], doubted: Sequence[str], said: Sequence[str], manner: Manner) -> str:
    if not facts:
        return ""
    if len(facts) == 1:
        form = manner.corrects if facts[0].name in doubted else manner.one
        quoted = _say(facts[0], doubted, said)
        if form is manner.corrects and not form.endswith(": {}") and quoted.startswith(_ARTICLES):
            quoted = quoted[:1].upper() + quoted[1:]
        return _end(form.format(quoted if form.endswith((", {}", ": {}")) else _begin(quoted, facts[0])))
    return " ".join(_end(_begin(f"{_name(f)}: {_quote(f, doubted, said)}", f)) for f in facts)


def _say(fact: Fact, doubted: Sequence[str], said: Sequence[str]) -> str:
    """A fact with its name, where it would say nothing without."""
    quoted = _quote(fact, doubted, said)
    bare = fact.kind in _VALUES and _name(fact).split()[-1].lower() not in quoted.lower().split()
    return f"the {_name(fact)}: {quoted}" if bare else quoted


def _begin(text: str, fact: Fact) -> str:
    """With a capital, where it does not begin with what they were asked for: that is told to the letter."""
    return text if text.startswith((fact.says, fact.thinks or fact.says)) else text[:1].upper() + text[1:]


def _ask_back(heard: Heard, known: Mapping[str, Fact], manner: Manner) -> str:
    names = [_refer(known[name]) for name in heard.unclear]
    text = (manner.back_one if len(names) == 1 else manner.back_two).format(*names)
    return text[:1].upper() + text[1:]


def _refer(topic: Fact) -> str:
    return f"that I should {_name(topic)} now" if topic.kind == ACTION else f"the {_name(topic)}"


def _name(fact: Fact) -> str:
    return fact.called[0] if fact.called else fact.name.replace("_", " ")


def _quote(fact: Fact, doubted: Sequence[str], said: Sequence[str]) -> str:
    """What they answer: what they believe, until they have found out. Words that matter to the letter stand in quotes."""
    if fact.thinks and fact.name not in doubted and not was_said(fact.says, said):
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
