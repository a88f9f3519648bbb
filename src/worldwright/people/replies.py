"""What a requester answers: a fact that was asked for, what they did, a question back where that is not clear, more to do, or
nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from worldwright.people.features import is_asking
from worldwright.people.understand import Heard, understand
from worldwright.world.tasks import Act, Fact, Requester

MAX_AT_ONCE = 2
"""Facts that are told in one reply: nobody likes to be questioned from a list."""


ACTION = "action"
"""What something that is done is to whoever asks for it."""


@dataclass(frozen=True, slots=True)
class Manner:
    """How one kind of person says things."""

    one: str
    back_one: str
    back_two: str
    many: str
    lost: str
    no_more: str
    failed: str
    leaves: str
    corrects: str


MANNERS: Mapping[str, Manner] = {
    "plain": Manner(
        "{}", "Do you mean {}?", "Do you mean {} or {}?", "That is a lot at once. What do you need first?",
        "I do not know what you mean. What do you need to know from me?", "I have nothing to add.",
        "That does not work: {}", "I have to go now. Please do what you can with what you have.",
        "Let me see. No, you are right: {}",
    ),
    "terse": Manner(
        "{}", "You mean {}?", "{} or {}?", "One thing at a time.", "No idea. What do you need?", "That is all.",
        "Does not work: {}", "No more time for this.",
        "Checked. It is {}",
    ),
    "chatty": Manner(
        "Oh, of course: {}", "Hm, do you mean {}?", "Hm, do you mean {} or {}?",
        "Goodness, so many questions! What do you need first?", "Sorry, you have lost me there! What is it that you need from me?",
        "No, that is everything, thank you!",
        "Oh dear, that does not work: {}", "Sorry, I really have to run now. You will manage!",
        "Oh, wait, let me look that up... I got that wrong! It is {}",
    ),
    "formal": Manner(
        "That would be: {}", "May I ask whether you mean {}?", "May I ask whether you mean {} or {}?",
        "May I ask you to put one question after the other? Which comes first?",
        "I am afraid I cannot say. Which detail do you require from me?", "I have nothing to add. Thank you for asking.",
        "I regret that this is not possible: {}", "I must leave it at this. Please proceed with what you have.",
        "I have looked it up, and I was mistaken. It is {}",
    ),
    "simple": Manner(
        "It is {}", "You mean {}?", "You mean {} or {}?", "Please ask me one thing first.",
        "Sorry, I do not understand. What do you need from me?", "No, nothing more. Thank you.",
        "It does not work: {}", "I am sorry, I must go now.",
        "Wait, I look. Sorry, I was wrong. It is {}",
    ),
}  # fmt: skip
"""By the voice of a persona."""

_MORE = re.compile(
    r"\b(?:(?:any|some)(?:thing)?|what|nothing)\b[^.?!]{0,40}\b(?:else|more|further|other|left|to add|besides)\b"
    r"|\b(?:is|was|would) (?:that|this|it) (?:be )?(?:all|everything|it)\b|\bmore (?:to do|for me)\b"
    r"|\banything (?:I|we) (?:missed|forgot)\b",
    re.IGNORECASE,
)
_DONE = re.compile(
    r"\b(?:done|finished|completed?|taken care of|through with|all set|went through|has gone through|in place|sorted|settled"
    r"|(?:have|has|'ve|is|are|was) (?:now |just |been |already )*(?:\w+ed|put|sent|set|made|written|paid|given|taken))\b",
    re.IGNORECASE,
)
_YES = re.compile(r"\W*(?:yes|yep|yeah|right|exactly|correct|indeed|that one|this one|please)\b", re.IGNORECASE)
_BOTH = re.compile(r"\b(?:both|each of them|the two)\b", re.IGNORECASE)
_WHICH = (
    (re.compile(r"\b(?:first|former)\b", re.IGNORECASE), 0),
    (re.compile(r"\b(?:second|latter)\b", re.IGNORECASE), 1),
)
_DOUBTS = (
    r"are you (?:\w+ )?(?:sure|certain)|double[- ]?check|check (?:again|that|it|this)|look again|no such|cannot find"
    r"|(?:can|could) ?(?:not|n't) find|(?:does|do|did|is|are|was) ?n[o']t (?:match|fit|agree|exist|there)"
)
_DOUBT = re.compile(rf"\b(?:{_DOUBTS})\b", re.IGNORECASE)
"""What somebody says who cannot make what they were told fit."""
_OTHERWISE = re.compile(
    rf"\b(?:{_DOUBTS}|sure|certain|mistake\w*|mixed up|wrong|incorrect|mismatch\w*|nothing (?:under|for|on|by|with)"
    r"|(?:records?|system|file|books?) (?:says?|shows?|has|have)|I (?:only )?(?:see|find|have)|instead of|rather than"
    r"|according to)\b",
    re.IGNORECASE,
)
"""What somebody says of a thing that they found to be otherwise."""
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
    manner = MANNERS.get(requester.voice, MANNERS["plain"])
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
        return _end(MANNERS.get(voice, MANNERS["plain"]).failed.format(problem))
    text = _PART.sub(lambda part: _speak(data.get(part[1])), act.says)
    return _end(text[:1].upper() + text[1:])


def _answer(
    message: str, requester: Requester, adds: Sequence[str], manner: Manner, before: Sequence[tuple[str, str]]
) -> Reply:
    topics = list_topics(requester)
    known, acts = {topic.name: topic for topic in topics}, {act.name: act for act in requester.acts}
    heard = _resolve(message, topics, manner, before) or understand(message, topics)
    more = _MORE.search(message) is not None
    reports = _DONE.search(message) is not None and not is_asking(message)
    if len(heard.asked) > MAX_AT_ONCE:
        return Reply(manner.many)
    doubted = _find_doubted(message, requester.facts, heard, before)
    asked = doubted if reports else tuple(dict.fromkeys((*heard.asked, *doubted)))
    told = _tell([known[name] for name in asked if name not in acts], doubted, before, manner)
    done = tuple(acts[name] for name in asked if name in acts)
    after = _find_next(requester.changes, before) if told or done else ""
    if more or reports:
        after = " ".join(filter(None, (after, _find_next(adds, before))))
        return Reply(told or ("" if after or done else manner.no_more), done, after)
    if told or done:
        return Reply(told, done, after)
    return Reply(_ask_back(heard, known, manner) if heard.unclear else manner.lost)


def _find_doubted(
    message: str, facts: Sequence[Fact], heard: Heard, before: Sequence[tuple[str, str]]
) -> tuple[str, ...]:
    """The facts of which somebody has reason to think that they are otherwise: what is true stands in the message, or they doubt
    it, or ask a second time. Where a doubt names nothing, it is about the first that they are wrong about."""
    wrong = [fact for fact in facts if fact.thinks and not _was_said(fact.says, before)]
    named = [fact for fact in wrong if fact.name in (*heard.asked, *heard.unclear)]
    if any(_holds(message, fact.says) for fact in wrong):
        return tuple(fact.name for fact in wrong if _holds(message, fact.says))
    if named and _OTHERWISE.search(message) is not None:
        return tuple(fact.name for fact in named)
    if not heard.asked and _DOUBT.search(message) is not None:
        return tuple(fact.name for fact in wrong[:1])
    return tuple(fact.name for fact in named if fact.name in heard.asked and _was_said(fact.thinks, before))


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
    unclear = understand(question, facts).unclear
    if not unclear or reply != _ask_back(Heard((), unclear), {fact.name: fact for fact in facts}, manner):
        return None
    if len(unclear) == 1:
        return Heard(unclear) if _YES.match(message) else None
    if _BOTH.search(message):
        return Heard(unclear)
    return next((Heard((unclear[at],)) for pattern, at in _WHICH if pattern.search(message)), None)


def _tell(facts: Sequence[Fact], doubted: Sequence[str], before: Sequence[tuple[str, str]], manner: Manner) -> str:
    if not facts:
        return ""
    if len(facts) == 1:
        form = manner.corrects if facts[0].name in doubted else manner.one
        return _end(form.format(_quote(facts[0], doubted, before)))
    return " ".join(
        _end(f"{_name(fact)[:1].upper()}{_name(fact)[1:]}: {_quote(fact, doubted, before)}") for fact in facts
    )


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
    return "nothing" if value is None else str(value).replace("_", " ")
