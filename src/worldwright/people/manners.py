"""How people say things, by the voice of a persona."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


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
    welcome: str


MANNERS: Mapping[str, Manner] = {
    "plain": Manner(
        "{}", "do you mean {}?", "do you mean {} or {}?", "That is a lot at once. What do you need first?",
        "I do not understand what you mean. What do you need to know from me?", "I have nothing to add.",
        "That does not work: {}", "I have to go now. Please do what you can with what you have.",
        "Let me look it up. I was wrong: {}", "You are welcome.",
    ),
    "terse": Manner(
        "{}", "you mean {}?", "{} or {}?", "One thing at a time.", "What do you mean? What do you need?", "That is all.",
        "Does not work: {}", "No more time for this.", "Checked. {}", "Fine.",
    ),
    "chatty": Manner(
        "Oh, of course, {}", "Hm, do you mean {}?", "Hm, do you mean {} or {}?",
        "Goodness, so many questions! What do you need first?", "Sorry, you have lost me there! What is it that you need from me?",
        "No, that is everything, thank you!",
        "Oh dear, that does not work: {}", "Sorry, I really have to run now. You will manage!",
        "Oh, wait, let me look that up... I got that wrong! {}", "Oh, thank you!",
    ),
    "formal": Manner(
        "Certainly, {}", "May I ask whether you mean {}?", "May I ask whether you mean {} or {}?",
        "May I ask you to put one question after the other? Which comes first?",
        "I am afraid I do not follow. Which detail do you require from me?", "I have nothing to add. Thank you for asking.",
        "I regret that this is not possible: {}", "I must leave it at this. Please proceed with what you have.",
        "I have looked it up, and I was mistaken. {}", "You are most welcome.",
    ),
    "simple": Manner(
        "{}", "you mean {}?", "you mean {} or {}?", "Please ask me one thing first.",
        "Sorry, I do not understand. What do you need from me?", "No, nothing more. Thank you.",
        "It does not work: {}", "I am sorry, I must go now.", "Wait, I look. Sorry, I was wrong. {}", "Please.",
    ),
}  # fmt: skip


def find_manner(voice: str) -> Manner:
    return MANNERS.get(voice, MANNERS["plain"])
