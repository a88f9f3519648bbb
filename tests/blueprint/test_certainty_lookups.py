"""Rows that are looked up: what their search says of them is known, as long as it is the same search and nothing was written."""

from __future__ import annotations

import pytest
from tests.blueprint.test_certainty import moves

CERTAIN = {
    "named, and it is there": """
        - let: {found: first_open(folder)}
        - require: found is not none
        - set: {found.status: held}
        """,
    "without a term": """
        - let: {found: first(p for p in folder.papers if p.status == 'open')}
        - require: found is not none
        - set: {found.status: held}
        """,
    "asked for before it is named": """
        - require: first_open(folder) is not none
        - let: {found: first_open(folder)}
        - set: {found.status: held}
        """,
    "never named": """
        - require: first_open(folder) is not none
        - set: {first_open(folder).status: held}
        """,
    "a name outlives a write to something else": """
        - let: {found: first_open(folder)}
        - require: found is not none
        - set: {other.title: "'x'"}
        - set: {found.status: held}
        """,
}

OPEN = {
    "it may not be there": """
        - let: {found: first_open(folder)}
        - set: {found.status: held}
        """,
    "its search says nothing of the state": """
        - let: {found: first(p for p in folder.papers if p.urgent)}
        - require: found is not none
        - set: {found.status: held}
        """,
    "another search": """
        - require: first_open(folder) is not none
        - let: {found: first_open(other.folder)}
        - set: {found.status: held}
        """,
    "something was written, so it may be another row": """
        - require: first_open(folder) is not none
        - set: {other.title: "'x'"}
        - let: {found: first_open(folder)}
        - set: {found.status: held}
        """,
    "a row was added": """
        - require: first(p for p in folder.papers if p.kind == 'bill' and p.status == 'open') is not none
        - add: paper
          with: {folder: folder, kind: bill}
        - set: {first(p for p in folder.papers if p.kind == 'bill' and p.status == 'open').status: held}
        """,
    "it was moved": """
        - let: {found: first_open(folder)}
        - require: found is not none
        - set: {other.status: closed}
        - set: {found.status: held}
        """,
    "only one branch asked": """
        - when: flag
          do: [require: first_open(folder) is not none]
        - let: {found: first_open(folder)}
        - set: {found.status: held}
        """,
    "what the search says of another row under the same name": """
        - each: p in folder.papers
          do:
            - let: {found: next_to(p)}
            - require: found is not none
            - set: {found.status: held}
        """,
}


@pytest.mark.parametrize("case", CERTAIN)
def test_the_last_move_is_certain(case: str) -> None:
    assert moves(CERTAIN[case])[-1]


@pytest.mark.parametrize("case", OPEN)
def test_the_last_move_is_not_certain(case: str) -> None:
    assert not moves(OPEN[case])[-1]
