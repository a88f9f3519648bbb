"""What a requester answers: a fact that was asked for, a question back where that is not clear, more to do, or nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from worldwright.people.features import is_asking
from worldwright.people.understand import Heard, understand
from worldwright.world.tasks import Fact

MAX_AT_ONCE = 2
"""Facts that are told in one reply: nobody likes to be questioned from a list."""


@dataclass(frozen=True, slots=True)
class Manner:
    """How one kind of person says things."""

    one: str
    back_one: str
    back_two: str
    many: str
    lost: str
    no_more: str


MANNERS: Mapping[str, Manner] = {
    "plain": Manner(
        "{}", "Do you mean the {}?", "Do you mean the {} or the {}?", "That is a lot at once. What do you need first?",
        "I do not know what you mean. What do you need to know from me?", "I have nothing to add.",
    ),
    "terse": Manner(
        "{}", "The {}?", "The {} or the {}?", "One thing at a time.", "No idea. What do you need?", "That is all.",
    ),
    "chatty": Manner(
        "Oh, of course: {}", "Hm, do you mean the {}?", "Hm, do you mean the {} or the {}?",
        "Goodness, so many questions! What do you need first?", "Sorry, you have lost me there! What is it that you need from me?",
        "No, that is everything, thank you!",
    ),
    "formal": Manner(
        "That would be: {}", "Are you referring to the {}?", "Are you referring to the {} or to the {}?",
        "May I ask you to put one question after the other? Which comes first?",
        "I am afraid I cannot say. Which detail do you require from me?", "I have nothing to add. Thank you for asking.",
    ),
    "simple": Manner(
        "It is {}", "You mean the {}?", "You mean the {} or the {}?", "Please ask me one thing first.",
        "Sorry, I do not understand. What do you need from me?", "No, nothing more. Thank you.",
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


def reply_to(
    message: str, facts: Sequence[Fact], adds: Sequence[str], voice: str, before: Sequence[tuple[str, str]]
) -> str:
    """The reply to a message. `adds` is what they want besides, one after the other; `before` are earlier messages and replies."""
    manner = MANNERS.get(voice, MANNERS["plain"])
    known = {fact.name: fact for fact in facts}
    heard = _resolve(message, facts, manner, before) or understand(message, facts)
    more = _MORE.search(message) is not None
    reports = _DONE.search(message) is not None and not is_asking(message)
    next_one = next((text for text in adds if all(text not in reply for _, reply in before)), "")
    if len(heard.asked) > MAX_AT_ONCE:
        return manner.many
    told = _tell([known[name] for name in heard.asked], manner) if heard.asked and not reports else ""
    if more or reports:
        return " ".join(filter(None, (told, next_one))) or manner.no_more
    if told:
        return told
    return _ask_back(heard, known, manner) if heard.unclear else manner.lost


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


def _tell(facts: Sequence[Fact], manner: Manner) -> str:
    if len(facts) == 1:
        return _end(manner.one.format(_quote(facts[0])))
    return " ".join(_end(f"{_name(fact)[:1].upper()}{_name(fact)[1:]}: {_quote(fact)}") for fact in facts)


def _ask_back(heard: Heard, known: Mapping[str, Fact], manner: Manner) -> str:
    names = [_name(known[name]) for name in heard.unclear]
    return (manner.back_one if len(names) == 1 else manner.back_two).format(*names)


def _name(fact: Fact) -> str:
    return fact.called[0] if fact.called else fact.name.replace("_", " ")


def _quote(fact: Fact) -> str:
    """What they answer; words that matter to the letter stand in quotes."""
    return f'"{fact.says}"' if fact.kind == "text" and " " in fact.says and '"' not in fact.says else fact.says


def _end(text: str) -> str:
    return text if text.endswith((".", "?", "!")) else text + "."
