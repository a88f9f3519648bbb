"""Every code that a finding can have: how grave it is, why it matters, what mends it, and how much mending it pays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

ERROR, WARNING, NOTE = "error", "warning", "note"


@dataclass(frozen=True, slots=True)
class Code:
    """What findings of one code have in common."""

    level: str
    """error: nothing can be locked; warning: the world is worse for it; note: worth a look."""
    pays: int
    """What mending one of them is worth; `author next` goes by it."""
    why: str
    mend: str


CODES: Mapping[str, Code] = {
    "language": Code(
        ERROR,
        100,
        "A Blueprint that is not valid builds nothing.",
        "Correct the line; docs/blueprint.md has the language.",
    ),
    "contract": Code(
        ERROR,
        90,
        "A tool that fits no operation cannot be called.",
        "Name an operation and where its inputs stand in contract.yaml.",
    ),
    "file": Code(
        ERROR,
        100,
        "A file that cannot be read is not used.",
        "Restore the file, or open the bench again in a new folder.",
    ),
    "build": Code(
        ERROR,
        95,
        "A world that cannot be built has no tasks.",
        "Mend what the message names.",
    ),
    "claim_open": Code(
        WARNING,
        10,
        "A statement of the evidence that nothing came of is a rule the world does not have.",
        "Bind it to what enforces it, or say that it is not about the business, or why it cannot be expressed.",
    ),
    "claim_target": Code(
        ERROR,
        30,
        "A claim bound to something that is not there is not bound.",
        "Name a node that exists: policy:NAME, guard:OPERATION.CODE, ...",
    ),
    "claim_place": Code(
        ERROR,
        30,
        "A claim that an author adds counts like the others: its words must stand in the evidence, and only once.",
        "Quote the words at FILE#PLACE as the sheet has them, or take the row out.",
    ),
    "claim_idle": Code(
        WARNING,
        20,
        "What a claim is bound to must be able to refuse, limit or compute something; a citation does not.",
        "Bind it to a policy, guard, lifecycle, constraint, computed value, role or effect that has force.",
    ),
    "claim_unreached": Code(
        WARNING,
        14,
        "A statement that no tool of the contract does, takes or shows decides nothing for an agent, and is not counted as bound.",
        "Map the parameter or the part of the answer in contract.yaml, offer the operation, or bind it to what holds it elsewhere.",
    ),
    "claim_figure": Code(
        WARNING,
        15,
        "A figure of the statement that stands nowhere in what enforces it was probably read wrongly.",
        "Put the figure into the rule, its parameters or its bounds; or bind the claim to what holds it.",
    ),
    "claim_words": Code(
        WARNING,
        12,
        "The handbook tells the agent one thing and the evidence another.",
        "Word the policy's `says` as the evidence has it.",
    ),
    "claim_why": Code(
        WARNING,
        8,
        "Left out without a reason, nobody can tell a decision from an oversight.",
        "Give `why`.",
    ),
    "claim_overruled": Code(
        NOTE,
        2,
        "The reader takes the statement to be about the business and the author does not.",
        "Look at it once more; leave it if you are sure.",
    ),
    "rule_unsourced": Code(
        WARNING,
        12,
        "A rule without a source is somebody's invention.",
        "Give `source: FILE#PLACE`, or `source: assumed` where you made it up on purpose.",
    ),
    "cases_missing": Code(
        WARNING,
        9,
        "A rule and its cases by the same hand share their mistakes.",
        "Let somebody who has not seen the rule write cases: `author cases POLICY` shows them what they may see.",
    ),
    "case_disagrees": Code(
        ERROR,
        40,
        "Two readers of the same statement came to different results: one of them is wrong.",
        "Read the statement again; correct the rule or the case.",
    ),
    "case_unclear": Code(
        WARNING,
        6,
        "A case that does not say all that the rule reads decides nothing.",
        "Let its writer add what is missing.",
    ),
    "operation_denied": Code(
        WARNING,
        35,
        "Somebody who knows the business says that an operation does something else: then agents learn something that is not so.",
        "Let the operation do what they say; the sentence becomes another one with it, and they look again (`author review`).",
    ),
    "no_effect": Code(
        WARNING,
        14,
        "A tool that promises a change and changes nothing teaches an agent that calls do not matter.",
        "Let the operation set, add or remove something; a trace does not count.",
    ),
    "parameter_idle": Code(
        WARNING,
        3,
        "A parameter that changes nothing is a lie to the agent.",
        "Let an input take it (contract.yaml `takes`), as a field, a filter or a bound.",
    ),
    "parameter_single": Code(
        WARNING,
        7,
        "A search compares a list with one text: a call with two values finds nothing, though callers may send several.",
        "Claims about several values are not expressible by this filter; say so, or leave the parameter out.",
    ),
    "answer_fixed": Code(
        WARNING,
        2,
        "A part of an answer that is always the same tells an agent nothing.",
        "Give the record such a field, or map it in contract.yaml `gives`.",
    ),
    "tool_missing": Code(
        NOTE,
        4,
        "An operation of the evidence that is no tool is a part of the system that is not there.",
        "Add it to contract.yaml, or leave it out on purpose.",
    ),
    "dangling": Code(
        ERROR,
        25,
        "A reference to a record that does not exist cannot be followed.",
        "Make the field a reference to the entity, or draw its value from there.",
    ),
    "code_like": Code(
        WARNING,
        6,
        "A name, address or title that looks like KP-69079 tells a reader nothing.",
        "Give the field a value that fits its meaning.",
    ),
    "contradicts": Code(
        WARNING,
        8,
        "A value that its own description forbids cannot come from such a system.",
        "Draw it within its format, unit and bounds.",
    ),
    "constant": Code(
        NOTE,
        3,
        "A column with one value for all rows asks for nothing.",
        "Draw different values, or leave the field out.",
    ),
    "dates": Code(
        WARNING,
        10,
        "A record that ends before it begins cannot be.",
        "Let the later date follow from the earlier one.",
    ),
    "disagrees": Code(
        WARNING,
        8,
        "A copy that differs from what it copies makes every question about it ambiguous.",
        "Compute it from the record it refers to.",
    ),
    "task_dropped": Code(
        NOTE,
        5,
        "A request that was made and could not be proven is practice lost.",
        "See the reason; often a search, a shown field or a goal's `given` is missing.",
    ),
    "goal_silent": Code(
        WARNING,
        7,
        "A goal of which no task came is a request that nobody practises.",
        "See what stood in the way; the guide's chapter on requests that are left out has the mends.",
    ),
    "program_silent": Code(
        WARNING,
        6,
        "What is asked for many records at once is a program; without any, a world practises single steps only.",
        "See what stood in the way; often no search shows by what the records differ, or `how` needs more than the record.",
    ),
    "rule_unmet": Code(
        NOTE,
        4,
        "A rule that decides no request is a sentence that nobody has to read.",
        "Add a goal that runs into it, or rows that are on either side of it.",
    ),
    "question_unlikely": Code(
        WARNING,
        4,
        "A question that no user of the system would ask trains for nothing.",
        "Ask for what somebody decides on; name records as people do.",
    ),
    "few_tasks": Code(
        WARNING,
        30,
        "With few tasks a world is little practice.",
        "Add goals, states that make rules matter, and roles that ask.",
    ),
    "family_missing": Code(
        WARNING,
        20,
        "Without requests that rules forbid, and without programs of several steps, a world trains for clicks.",
        "Add policies that goals run into, and goals that follow one another.",
    ),
}
