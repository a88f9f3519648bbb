"""Guards that can never refuse: what follows from earlier conditions, and everything that must not be taken to follow."""

from __future__ import annotations

import textwrap

import pytest

from worldwright.blueprint import checked as c
from worldwright.blueprint.certainty import find_certain_guards
from worldwright.blueprint.check.safety import walk_statements
from worldwright.blueprint.load import load_text

WORLD = """
blueprint: small_office
title: Small office
now: 2025-06-16T09:00:00Z
systems: {office: the office}
actor: {entity: clerk, role: role}
roles: {clerk: does the work}
entities:
  clerk: {in: office, key: CL-##, rows: 2, fields: {name: person, role: one of clerk}}
  folder:
    in: office
    key: FO-##
    rows: 2
    fields: {title: text, status: state}
    lifecycle: {fresh: [full, gone], full: [fresh, gone], gone: []}
  paper:
    in: office
    key: PA-##
    rows: 2
    fields:
      title: text
      folder: folder as papers
      spare: folder?
      parent: paper as copies?
      kind: one of letter, bill
      urgent: bool
      status: state
      waits: bool computed status == 'open' or status == 'held'
      waits_urgently: bool computed waits and urgent
    lifecycle: {open: [held, closed], held: [open, closed], closed: [open], lost: []}
terms:
  is_open: {about: {p: paper}, is: p.status == 'open'}
  first_open: {about: {f: folder}, is: first(p for p in f.papers if p.status == 'open')}
  next_to: {about: {x: paper}, is: "first(p for p in x.copies if x.status == 'open' and p.kind == x.kind)"}
policies:
  only_open:
    about: {p: paper}
    rule: is_open(p)
    says: Only open papers.
    cases: [allowed: {p.status: open}, forbidden: {p.status: held}]
  better_open:
    about: {p: paper}
    rule: p.status == 'open'
    enforced: agent
    says: Better open ones.
    cases: [allowed: {p.status: open}, forbidden: {p.status: held}]
operations:
  lose: {in: office, by: anyone, says: Lose a paper., takes: {paper: paper}, does: [set: {paper.status: closed}], gives: paper}
  stamp: {in: office, by: anyone, says: Stamp it., takes: {paper: paper}, does: [set: {paper.title: "'stamped'"}], gives: paper}
  shred:
    in: office
    says: Remove a paper.
    by: anyone
    takes: {paper: paper}
    does: [remove: paper]
    gives: {done: true}
  work:
    in: office
    says: What is looked at.
    by: anyone
    takes:
      paper: paper
      other: paper
      folder: folder
      maybe: paper?
      to: one of held, closed
      anything: one of open, held, closed, lost
      flag: bool = false
      papers: {list: paper, max: 3}
      lines: {list: {paper: paper, note: text?}, max: 3}
    does:
"""


def verdicts(does: str) -> list[tuple[str, bool]]:
    """The guards of an operation with this body: each as a word, and whether it is certain."""
    blueprint = load_text(
        WORLD + textwrap.indent(textwrap.dedent(does).strip(), "      ") + "\n    gives: {done: true}\n"
    )
    operation = blueprint.operations["work"]
    sure = find_certain_guards(blueprint, operation)
    out = []
    for i, s in enumerate(walk_statements(operation.body)):
        if isinstance(s, c.Set) and "status" in dict(s.values):
            out.append(("move", i in sure))
        elif isinstance(s, (c.Require, c.Obey)):
            out.append((type(s).__name__.lower(), i in sure))
    return out


def moves(does: str) -> list[bool]:
    return [sure for kind, sure in verdicts(does) if kind == "move"]


CERTAIN = {
    "a require before": """
        - require: paper.status == 'open'
        - set: {paper.status: closed}
        """,
    "one of several states, all of which may move there": """
        - require: paper.status in ('open', 'held')
        - set: {paper.status: closed}
        """,
    "what is left when others are excluded": """
        - require: paper.status != 'closed' and not paper.status == 'lost'
        - set: {paper.status: closed}
        """,
    "an or about the same row": """
        - require: paper.status == 'open' or paper.status == 'held'
        - set: {paper.status: closed}
        """,
    "a branch": """
        - when: paper.status == 'open'
          do: [set: {paper.status: held}]
        """,
    "the other branch": """
        - when: paper.status in ('closed', 'lost')
          do: []
          otherwise: [set: {paper.status: closed}]
        """,
    "a move before": """
        - require: paper.status == 'closed'
        - set: {paper.status: open}
        - set: {paper.status: held}
        """,
    "both branches lead to states that may move": """
        - require: paper.status == 'closed' or paper.status == 'open'
        - when: paper.status == 'closed'
          do: [set: {paper.status: open}]
        - set: {paper.status: held}
        """,
    "a term": """
        - require: is_open(paper)
        - set: {paper.status: held}
        """,
    "a computed field inside another": """
        - require: paper.waits_urgently
        - set: {paper.status: closed}
        """,
    "a policy that the tool enforces": """
        - obey: {only_open: {p: paper}}
        - set: {paper.status: held}
        """,
    "another name for the same row": """
        - let: {same: paper.parent}
        - require: paper.parent.status == 'open'
        - set: {same.status: held}
        """,
    "every value of an input": """
        - require: paper.status in ('open', 'held') and (paper.status != 'held' or to == 'closed')
        - require: paper.status == 'open'
        - set: {paper.status: to}
        """,
    "either value of an expression": """
        - require: paper.status == 'open'
        - set: {paper.status: held if flag else closed}
        """,
    "rows of a loop": """
        - each: p in folder.papers
          where: p.status == 'open'
          do: [set: {p.status: held}]
        """,
    "a loop that writes another entity": """
        - require: paper.status == 'open'
        - each: p in folder.papers
          do: [set: {p.folder.status: full}]
        - set: {paper.status: held}
        """,
    "a row that was found": """
        - find: first_open in paper
          where: first_open.status == 'open'
          else: NONE_OPEN
        - set: {first_open.status: held}
        """,
    "a row that is there after all": """
        - find: first_open in paper
          where: first_open.status == 'open'
        - when: first_open is not none
          do: [set: {first_open.status: held}]
        """,
    "branches that ask the same question": """
        - when: maybe is not none
          do: [require: maybe.status == 'open']
        - when: maybe is not none
          do: [set: {maybe.status: held}]
        """,
    "a new row": """
        - add: paper
          with: {folder: folder, kind: bill}
          as: fresh
        - set: {fresh.status: held}
        """,
    "an operation that writes something else": """
        - require: paper.status == 'open'
        - run: stamp
          with: {paper: other}
        - set: {paper.status: held}
        """,
    "a field of the same row that is no state": """
        - require: paper.status == 'open'
        - set: {other.title: "'x'", paper.folder: folder}
        - set: {paper.status: held}
        """,
}

OPEN = {
    "nothing is known": """
        - set: {paper.status: closed}
        """,
    "one of the states may not move there": """
        - require: paper.status in ('open', 'lost')
        - set: {paper.status: closed}
        """,
    "an or with something else": """
        - require: paper.status == 'open' or flag
        - set: {paper.status: closed}
        """,
    "a negation": """
        - require: not paper.status == 'open'
        - set: {paper.status: closed}
        """,
    "a negated and": """
        - require: not (paper.status == 'lost' and flag)
        - set: {paper.status: closed}
        """,
    "another row": """
        - require: other.status == 'open'
        - set: {paper.status: closed}
        """,
    "it was moved in between": """
        - require: paper.status == 'open'
        - set: {paper.status: closed}
        - set: {paper.status: closed}
        """,
    "another name of what may be the same row was moved in between": """
        - require: paper.status == 'open' and other.status == 'held'
        - set: {other.status: closed}
        - set: {paper.status: closed}
        """,
    "a loop over what may be the same row": """
        - require: paper.status == 'open'
        - each: p in folder.papers
          where: p.status == 'open'
          do: [set: {p.status: closed}]
        - set: {paper.status: held}
        """,
    "one branch moved it": """
        - require: paper.status == 'open'
        - when: flag
          do: [set: {paper.status: closed}]
        - set: {paper.status: closed}
        """,
    "an operation moved it": """
        - require: paper.status == 'open'
        - run: lose
          with: {paper: other}
        - set: {paper.status: held}
        """,
    "an operation removed it": """
        - require: paper.status == 'open'
        - run: shred
          with: {paper: other}
        - set: {paper.status: held}
        """,
    "it was removed": """
        - require: paper.status == 'open'
        - remove: other
        - set: {paper.status: held}
        """,
    "the reference was turned": """
        - require: paper.folder.status == 'fresh'
        - set: {paper.folder: folder}
        - set: {paper.folder.status: full}
        """,
    "the reference may have been turned through another row": """
        - require: paper.parent.status == 'open'
        - set: {other.parent: other}
        - set: {paper.parent.status: held}
        """,
    "a name keeps the old row when the reference is turned": """
        - let: {old: paper.folder}
        - set: {paper.folder: folder}
        - require: paper.folder.status == 'fresh'
        - set: {old.status: full}
        """,
    "a name keeps the old state": """
        - let: {before: paper.status}
        - require: paper.status == 'open'
        - set: {paper.status: closed}
        - when: before == 'open'
          do: [set: {paper.status: closed}]
        """,
    "a rule that only the handbook enforces": """
        - obey: {better_open: {p: paper}}
        - set: {paper.status: held}
        """,
    "a condition about some row": """
        - require: exists(p for p in folder.papers if p.status == 'open')
        - set: {paper.status: held}
        """,
    "a value that may be anything": """
        - require: paper.status == 'open'
        - set: {paper.status: anything}
        """,
    "a row that may not be there": """
        - find: first_open in paper
          where: first_open.status == 'open'
        - set: {first_open.status: held}
        """,
    "a row that may not be there, from what it is not": """
        - require: maybe.status not in ('closed', 'lost')
        - set: {maybe.status: closed}
        """,
    "branches that ask different questions": """
        - when: maybe is not none and flag
          do: [require: maybe.status == 'open']
        - when: maybe is not none
          do: [set: {maybe.status: held}]
        """,
    "a list in which the same row may come twice": """
        - each: p in papers
          where: p.status == 'open'
          do: [set: {p.status: held}]
        """,
    "a part of a list in which the same row may come twice": """
        - each: l in lines
          where: l.paper.status == 'open'
          do: [set: {l.paper.status: held}]
        """,
    "what one turn knew, the next does not": """
        - each: p in folder.papers
          do:
            - when: paper.status == 'open'
              do: [set: {paper.status: held}]
              otherwise: [set: {paper.status: open}]
        """,
    "two rows of the same loop by another name": """
        - each: p in folder.papers
          where: p.status == 'open'
          do:
            - let: {same: p}
            - set: {same.status: held}
        """,
}


@pytest.mark.parametrize("case", CERTAIN)
def test_the_last_move_is_certain(case: str) -> None:
    assert moves(CERTAIN[case])[-1]


@pytest.mark.parametrize("case", OPEN)
def test_the_last_move_is_not_certain(case: str) -> None:
    assert not moves(OPEN[case])[-1]


def test_a_loop_whose_turns_move_each_others_rows() -> None:
    assert moves(
        """
        - each: p in folder.papers
          where: p.status == 'open'
          do:
            - set: {p.status: held}
            - when: p.parent.status == 'open'
              do: [set: {p.parent.status: closed}]
        """
    ) == [False, True]


def test_a_require_that_was_asked_before() -> None:
    assert verdicts(
        """
        - require: paper.status in ('open', 'held')
        - require: paper.status != 'lost'
        - require: paper.status == 'open'
        - obey: {only_open: {p: paper}}
        - obey: {better_open: {p: paper}}
        - require: paper.status == 'open' and flag
        """
    ) == [
        ("require", False),
        ("require", True),
        ("require", False),
        ("obey", True),
        ("obey", True),
        ("require", False),
    ]


def test_a_require_of_a_row_that_is_there() -> None:
    assert verdicts(
        """
        - require: paper is not none
        - require: maybe is not none
        - require: maybe is not none
        - require: maybe.spare is not none
        """
    ) == [("require", True), ("require", False), ("require", True), ("require", False)]


def test_what_is_never_reached_never_refuses() -> None:
    assert verdicts(
        """
        - require: paper.status == 'open'
        - when: paper.status == 'lost'
          do:
            - require: flag
            - set: {paper.status: open}
        - require: flag
        """
    ) == [("require", False), ("require", True), ("move", True), ("require", False)]


def test_what_both_branches_ask_is_known_after_them() -> None:
    assert verdicts(
        """
        - when: flag
          do: [require: paper.status == 'open']
          otherwise: [require: paper.status == 'held']
        - require: paper.status in ('open', 'held')
        - require: paper.status == 'open'
        """
    ) == [("require", False), ("require", False), ("require", True), ("require", False)]
