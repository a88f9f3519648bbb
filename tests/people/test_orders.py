"""What somebody does cannot be taken back: they act on an order of which every word is known, for now, and on nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from studies.understanding.data import read_orders

from worldwright.people.manners import MANNERS
from worldwright.people.replies import reply_to, report_act
from worldwright.people.understand import understand
from worldwright.world.tasks import Act, Fact, Requester


def act(name: str, called: tuple[str, ...], *asked: str) -> Act:
    return Act(name, called, asked, name, {"case": "REP-00132"}, "it is done")


RESTART = act(
    "restart", ("restart the router", "switch the router off and on"), "Please restart your router.",
    "Could you switch the router off and on again?", "Turn the box off, wait ten seconds and turn it on.",
    "Reboot the device, please.", "Take it off the mains for a moment, so that it starts anew.",
)  # fmt: skip
CABLE = act(
    "cable", ("take the cable out and put it back in", "reseat the cable"), "Please take the cable out and put it back in.",
    "Could you unplug the line cable and push it in again until it clicks?", "Reseat the cable, please.",
)  # fmt: skip
LIGHT = act(
    "light", ("read the light", "look at the light"), "Which light is on now?", "Tell me what the status light shows."
)
AIRPLANE = act(
    "airplane", ("switch airplane mode off", "leave airplane mode"), "Please switch airplane mode off.",
    "Could you turn off flight mode on your phone?", "Disable airplane mode in the settings, please.",
    "Please take your phone out of that mode.",
)  # fmt: skip
PAY = act(
    "pay", ("have them pay the deductible", "take their card"), "Please have them pay the deductible now.",
    "Could they put their card into the terminal?", "The shop has our money, now the insured has to pay theirs.",
    "Ask them to settle the deductible at the counter.", "Let the insured pay what falls to them.",
)  # fmt: skip
LINE = Fact(
    "line", "record", ("line",), "the line in Old Town", ("Which line is it?", "Where is it?", "What is your line?")
)
OFFICE = Requester("plain", (LINE,), (RESTART, CABLE, LIGHT))
PHONE = Requester("plain", (LINE,), (AIRPLANE,))
SHOP = Requester("plain", (LINE,), (PAY,))


def do(person: Requester, *messages: str, opening: str = "") -> tuple[str, ...]:
    """What somebody does because of the last of these messages."""
    before: list[tuple[str, str]] = []
    did: tuple[str, ...] = ()
    for message in messages:
        reply = reply_to(message, person, (), before, opening)
        before.append((message, " ".join(filter(None, (reply.text, reply.after)))))
        did = tuple(act.name for act in reply.acts)
    return did


def say(person: Requester, *messages: str, opening: str = "") -> str:
    before: list[tuple[str, str]] = []
    for message in messages:
        reply = reply_to(message, person, (), before, opening)
        before.append((message, " ".join(filter(None, (reply.text, reply.after)))))
    return before[-1][1]


@pytest.mark.parametrize(
    "message",
    [
        "pls dont restart the router",
        "Please donot restart the router.",
        "Please don\u00b4t restart the router.",
        "Please don\u2018t restart the router.",
        "Please don`t restart the router.",
        "Please refrain from restarting the router.",
        "Avoid restarting the router.",
        "Please cancel the restart of the router.",
        "Please postpone the restart of the router.",
        "Please prevent anybody from restarting the router.",
        "Please ensure the router stays on; restarting it would be bad.",
        "A restart of the router is usually the first step.",
        "The router needs a restart from time to time.",
        "I will now restart your router remotely, OK?",
        "To restart the router, press the button at the back.",
        "Please write down the steps to restart the router.",
        "Please describe how you restarted the router.",
        "Your neighbour should restart his router.",
        "Can you restart the router by yourself, or should I send somebody?",
        "Please restart the router of Leila Morgan.",
        "Please restart the router at 11:00, when your meeting is over.",
        "Please restart your computer.",
        "My computer is slow. Please restart it.",
        "Please wait ten seconds.",
        "Please take the cable out.",
        "Turn the router off.",
        '{"tool": "restart_router"}',
    ],
)
def test_nobody_restarts_a_router_for_this(message: str) -> None:
    assert "restart" not in do(OFFICE, message)
    assert "cable" not in do(OFFICE, message)


@pytest.mark.parametrize(
    "message",
    [
        "Please leave airplane mode on.",
        "Please leave airplane mode alone.",
        "Please leave airplane mode as it is.",
        "Make sure airplane mode is on.",
        "Please turn airplane mode on.",
        "Airplane mode off would be bad.",
    ],
)
def test_airplane_mode_stays_as_it_is(message: str) -> None:
    assert do(PHONE, message) == ()


@pytest.mark.parametrize(
    "message",
    [
        "Please stop the payment of the deductible.",
        "Please cancel the deductible.",
        "Please refund the deductible.",
        "Please hold the payment of the deductible.",
        "Please skip the deductible.",
        "Please refuse any payment of the deductible.",
        "Please prevent them from paying the deductible.",
        "The payment of the deductible should be avoided for now.",
        "Please have the shop pay the deductible.",
        "Pay the other driver's deductible.",
        "Have them pay half of the deductible.",
        "Please ask the shop to waive the deductible.",
        "Please send them a bill for the deductible.",
        "Please explain to them why they have to pay the deductible.",
        "I will pay our part first. After that the insured pays the deductible.",
        "Have them pay 500 of the deductible.",
    ],
)
def test_nobody_pays_for_this(message: str) -> None:
    assert do(SHOP, message) == ()


@pytest.mark.parametrize(
    ("person", "message", "did"),
    [
        (OFFICE, "Please restart your router.", ("restart",)),
        (OFFICE, "Kindly reboot your router.", ("restart",)),
        (OFFICE, "Please power-cycle your router.", ("restart",)),
        (OFFICE, "As the line isn't working, please restart the router now.", ("restart",)),
        (OFFICE, "I'm not sure what is wrong, so please restart the router.", ("restart",)),
        (OFFICE, "Good morning! I am sorry to hear that. Could you restart your router, please?", ("restart",)),
        (OFFICE, "Please reseat the cable and then restart the router.", ("cable", "restart")),
        (OFFICE, "Take the cable out, put it back in, and restart the router.", ("cable", "restart")),
        (OFFICE, "Could you please restart the router and tell me what the light shows?", ("restart", "light")),
        (PHONE, "Please switch off flight mode on your phone.", ("airplane",)),
        (PHONE, "Deactivate flight mode now.", ("airplane",)),
        (PHONE, "Airplane mode off, please.", ("airplane",)),
        (PHONE, "OK, so airplane mode is on. Please switch it off.", ("airplane",)),
        (SHOP, "Please have them pay the deductible.", ("pay",)),
        (SHOP, "Ask them to settle the deductible at the counter, please.", ("pay",)),
    ],
)
def test_an_order_is_carried_out(person: Requester, message: str, did: tuple[str, ...]) -> None:
    assert do(person, message) == did


@pytest.mark.parametrize("message", ["Please restart the router at 11:00.", "A restart of the router often helps."])
def test_what_is_not_surely_an_order_is_asked_back_and_for_now(message: str) -> None:
    back = say(OFFICE, message)
    assert back == "Do you mean that I should restart the router now?"
    assert do(OFFICE, message, "Yes, please.") == do(OFFICE, message, "The restart, please.") == ("restart",)
    assert (
        do(OFFICE, message, "No.") == do(OFFICE, message, "No, thanks.") == do(OFFICE, message, "Yes, at 11:00.") == ()
    )
    assert say(OFFICE, message, "No.") == MANNERS["plain"].other
    assert say(OFFICE, message, "Yes, at 11:00.") == back


def test_who_says_what_is_not_to_be_done_is_understood() -> None:
    assert say(OFFICE, "Please do not restart the router.") == MANNERS["plain"].refrains
    assert say(SHOP, "Please stop the payment of the deductible.") == MANNERS["plain"].refrains


PATIENT = Requester("plain", (LINE,), (RESTART,), patience=3)


def test_manners_cost_no_patience() -> None:
    """A blind player found it: somebody left after a greeting, sympathy and `one moment, please`."""
    polite = [
        "Hello!",
        "Thank you for contacting us.",
        "I'm so sorry about that!",
        "One moment, please.",
        "Let me check that for you.",
        "So you have had no line since Monday, is that right?",
        "Please do not restart anything yet.",
    ]
    assert "Old Town" in say(PATIENT, *polite, "Which line is it?", opening="My line is dead since Monday.")
    assert say(PATIENT, *["What colour is the sky?"] * 3) == MANNERS["plain"].leaves


def test_a_summary_is_held_against_what_they_said() -> None:
    opening = "Good morning! I want the technician on 24 March 2026. It is urgent."
    changed = Requester("plain", (LINE,), (), ("No, sorry, make it 2 April 2026 then.",))
    asked = "Which line is it?"
    assert say(OFFICE, "So on 24 March 2026, is that right?", opening=opening) == (
        "As I said: I want the technician on 24 March 2026."
    )
    assert say(OFFICE, "So on 25 March 2027, is that right?", opening=opening).startswith("As I said: I want")
    assert say(OFFICE, "So it is for Mr Grey, isn't it?", opening="My line is dead.") == MANNERS["plain"].not_said
    for summary in ("So on 24 March 2026, is that right?", "So on 2 April 2026, is that correct?"):
        assert say(changed, asked, summary, opening=opening) == f"As I said: {changed.changes[0]}"


def test_what_is_asked_last_after_much_talk_is_heard() -> None:
    talk = "We do all that we can for our customers. " * 40
    assert "Old Town" in say(OFFICE, f"{talk} Which line is it?")
    assert do(OFFICE, f"{talk} Please restart your router.") == ("restart",)


def test_a_refusal_is_told_without_the_ids_of_records() -> None:
    """It was a way to learn what nobody had told: the id that the answer asks for."""
    told = report_act(PAY, None, "REP-00132 is authorised, CLM-2024-7 is open.", "plain")
    assert told == "That does not work: the case is authorised, it is open."


def test_who_asks_for_everything_else_first_is_told_to_ask() -> None:
    assert say(OFFICE, "Anything else I need to know?") == MANNERS["plain"].ask_me
    assert say(OFFICE, "Which line is it?", "Anything else?") == MANNERS["plain"].no_more


WRONG = Fact(
    "demand", "record", ("demand",), "the demand on Old Prairie Insurance", ("Which demand is it?", "On whom?", "What demand?"),
    "the demand on New Prairie Mutual",
)  # fmt: skip


@pytest.mark.parametrize(
    "message",
    ["I can only find a demand on Old Prairie Insurance.", "It is Old Prairie Insurance, isn't it?", "Are you sure?"],
)
def test_a_belief_from_the_opening_can_be_doubted(message: str) -> None:
    person = Requester("plain", (WRONG,))
    opening = "Please close the demand on New Prairie Mutual."
    assert say(person, message, opening=opening).endswith("the demand on Old Prairie Insurance.")


def test_who_is_only_polite_does_not_doubt() -> None:
    assert say(
        Requester("plain", (WRONG,)), "Could I have the demand, please, and tell me exactly which demand it is?"
    ) == ("the demand on New Prairie Mutual.")


def test_of_what_a_blind_writer_called_no_order_nothing_is_done() -> None:
    """Prohibitions, other things, later, half of it, how-to, quotations, and orders beside them: hardly any is lost."""
    found = read_orders()
    understood = 0
    for at, one in enumerate(found):
        deeds = [found[(at + k) % len(found)].deed for k in range(3)]
        for message in one.no_orders:
            assert understand(message, deeds).asked == (), message
        for message in one.orders:
            heard = understand(message, deeds)
            assert heard.asked in ((), (one.deed.name,)), message
            understood += one.deed.name in (*heard.asked, *heard.unclear)
    assert understood >= 0.95 * sum(len(one.orders) for one in found)


VERBS = st.sampled_from(["restart", "reboot", "switch off and on"])
FORBIDS = st.sampled_from(
    ["do not", "don't", "dont", "never", "please don\u2019t", "you must not", "nobody should", "no need to"]
)


@given(FORBIDS, VERBS, st.sampled_from(["the router", "your router", "it", "the box"]))
def test_no_prohibition_is_an_order(forbids: str, verb: str, thing: str) -> None:
    assert do(OFFICE, f"{forbids} {verb} {thing}") == ()


@given(st.text(max_size=200))
def test_hardly_any_text_is_an_order(message: str) -> None:
    assert do(OFFICE, message) == ()
