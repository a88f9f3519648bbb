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
    fine: str
    """To what tells and asks for nothing."""
    refrains: str
    """To who says what is not to be done."""
    other: str
    """To who says no to a question back."""
    ask_me: str
    """To who asks for everything else before they asked for anything."""
    as_said: str
    not_said: str


MANNERS: Mapping[str, Manner] = {
    "plain": Manner(
        one="{}", back_one="do you mean {}?", back_two="do you mean {} or {}?",
        many="That is a lot at once. What do you need first?",
        lost="I do not know that, or I do not understand what you mean. What do you need to know from me?",
        no_more="I have nothing to add.", failed="That does not work: {}",
        leaves="I have to go now. Please do what you can with what you have.",
        corrects="Let me look it up. I was wrong: {}", welcome="You are welcome.",
        fine="I see.", refrains="All right, I will not.", other="What do you need, then?",
        ask_me="Ask me what you need to know.", as_said="As I said: {}", not_said="I did not say that.",
    ),
    "terse": Manner(
        one="{}", back_one="you mean {}?", back_two="{} or {}?", many="One thing at a time.",
        lost="No idea. What do you need?", no_more="That is all.", failed="Does not work: {}",
        leaves="No more time for this.", corrects="Checked. {}", welcome="Fine.",
        fine="Hm.", refrains="OK, I leave it.", other="What then?",
        ask_me="Ask away.", as_said="I said: {}", not_said="I never said that.",
    ),
    "chatty": Manner(
        one="Oh, of course, {}", back_one="Hm, do you mean {}?", back_two="Hm, do you mean {} or {}?",
        many="Goodness, so many questions! What do you need first?",
        lost="Sorry, I do not know that, or you have lost me there! What is it that you need from me?",
        no_more="No, that is everything, thank you!", failed="Oh dear, that does not work: {}",
        leaves="Sorry, I really have to run now. You will manage!",
        corrects="Oh, wait, let me look that up... I got that wrong! {}", welcome="Oh, thank you!",
        fine="Oh, I see!", refrains="Oh, all right, I will leave it alone!", other="Oh, what is it that you need, then?",
        ask_me="Just ask me whatever you need to know!", as_said="Well, as I said: {}", not_said="Oh no, I did not say that!",
    ),
    "formal": Manner(
        one="Certainly, {}", back_one="May I ask whether you mean {}?", back_two="May I ask whether you mean {} or {}?",
        many="May I ask you to put one question after the other? Which comes first?",
        lost="I am afraid I do not know that, or I do not follow. Which detail do you require from me?",
        no_more="I have nothing to add. Thank you for asking.", failed="I regret that this is not possible: {}",
        leaves="I must leave it at this. Please proceed with what you have.",
        corrects="I have looked it up, and I was mistaken. {}", welcome="You are most welcome.",
        fine="I see.", refrains="Very well, I shall refrain from it.", other="May I ask what you require, then?",
        ask_me="Please ask me for whatever you require.", as_said="As I have said: {}", not_said="I have not said that.",
    ),
    "simple": Manner(
        one="{}", back_one="you mean {}?", back_two="you mean {} or {}?", many="Please ask me one thing first.",
        lost="Sorry, I do not know, or I do not understand. What do you need from me?",
        no_more="No, nothing more. Thank you.", failed="It does not work: {}", leaves="I am sorry, I must go now.",
        corrects="Wait, I look. Sorry, I was wrong. {}", welcome="Please.",
        fine="I see.", refrains="Good, I do not do it.", other="What do you need, please?",
        ask_me="Please ask me what you need.", as_said="I said: {}", not_said="No, I did not say this.",
    ),
}  # fmt: skip


def find_manner(voice: str) -> Manner:
    return MANNERS.get(voice, MANNERS["plain"])
