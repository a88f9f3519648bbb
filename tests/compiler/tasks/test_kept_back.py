"""What a requester keeps back, where the Blueprint does not say what it is called, reads as a name."""

from __future__ import annotations

import pytest
from tests.blueprint.test_goals import library

from worldwright.blueprint.load import load_text
from worldwright.kinds.database.compile.tasks.kept_back import Piece, keep_back
from worldwright.people.replies import reply_to
from worldwright.world.tasks import Requester


@pytest.mark.parametrize(
    ("name", "reply"),
    [
        ("due", "The due day: 3 May 2025."),
        ("latest", "The latest day: 3 May 2025."),
        ("planned", "The planned day: 3 May 2025."),
        ("last_day", "The last day: 3 May 2025."),
        ("deadline", "The deadline: 3 May 2025."),
        ("until", "The day: 3 May 2025."),
    ],
)
def test_a_day_is_called_as_people_call_it(name: str, reply: str) -> None:
    changes = {"states": {name: "date ~ today + 9", "period": "int ~ pick(5, 10)"}}
    goal = load_text(library(asks=[f"wait for {{c}} until {{{name}:day}} and lend it to {{m}}"], **changes)).goals[
        "lend_it"
    ]
    texts = ["a book", "3 May 2025", "Ada"]
    values = dict(zip((part for part in goal.asks[0].parts if not isinstance(part, str)), texts, strict=True))
    pieces = [Piece(part) if isinstance(part, str) else Piece(values[part], part[0]) for part in goal.asks[0].parts]
    opening, facts = keep_back(pieces, goal)
    assert opening == "wait for a book until a certain day and lend it to Ada"
    assert reply_to("Until when?", Requester("plain", facts), ()).text == reply
