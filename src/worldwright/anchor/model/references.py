"""Which values are ids of other things: told by names, by what is said of them, and by how those things are named elsewhere."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from worldwright.anchor.evidence import Field
from worldwright.anchor.model.records import Noun, OperationIntent, Path
from worldwright.anchor.names import noun, parts
from worldwright.english.nouns import singular
from worldwright.english.words import wordset

IDS = wordset("id uuid gid uid sid guid")
CODES = wordset("code number key reference slug name")
"""Last words of what may name a record, where its own thing is named so."""
PEOPLE: tuple[Noun, ...] = (
    ("user",), ("member",), ("team", "member"), ("employee",), ("agent",), ("staff",), ("person",), ("contact",), ("account",),
)  # fmt: skip
"""Things that people are, the likeliest first."""
ROLES = wordset(
    "assignee owner author creator requester reporter responder approver manager supervisor sender recipient reviewer organizer "
    "assigner submitter editor uploader inviter resolver"
)
DOERS = frozenset(
    {("created", "by"), ("updated", "by"), ("assigned", "to"), ("requested", "by"), ("approved", "by"), ("owned", "by")}
)
"""What somebody is called in a record."""
_SAID = re.compile(
    r"(?:the |an? |unique |internal )*(?:id|identifier|uuid|gid|key)s? (?:of|for) "
    r"(?:the |an? |this |its |that )*([a-z][a-z \-]{2,40})",
    re.IGNORECASE,
)
_MENTIONS = re.compile(r"\b(?:ids?|identifiers?|uuids?|gids?)\b", re.IGNORECASE)


def _other(found: str, own: str) -> str:
    return "" if found == own else found


class References:
    """The things of an API, and by what each is named."""

    def __init__(self, names: Mapping[Noun, str], intents: Iterable[OperationIntent]) -> None:
        first = Counter(n[0] for n in names if len(n) > 1).most_common(1)
        common = first[0][0] if first and first[0][1] > len(names) // 2 else ""
        self.names = {**{n[1:]: name for n, name in names.items() if n[0] == common and n[1:]}, **names}
        self.codes = {(i.noun, parts(i.by)[-1]) for i in intents if i.by and parts(i.by)}
        self.people = next((names[n] for n in PEOPLE if n in names), "")

    def find(self, path: Path, part: Field, own: str) -> str:
        """The thing that a value is the id of; empty where it is none."""
        words, says = parts(path[-1]), part.says or part.shape.says
        if part.refers_to:
            return self.thing(noun(part.refers_to))
        if words in (("id",), ("uuid",), ("gid",)):
            return self._called(parts(path[-2]), own) if len(path) > 1 else ""
        if len(words) > 1 and words[-1] in IDS:
            return self._called(words[:-1], own)
        if len(words) > 1 and words[0] == "id":
            return self._called(words[1:], own)
        if len(words) > 1 and words[-1] in CODES:
            return self.names.get(words[:-1], "") if (words[:-1], words[-1]) in self.codes else ""
        return _other(self._told(words, part, says, own), own)

    def _told(self, words: tuple[str, ...], part: Field, says: str, own: str) -> str:
        """The thing that a description names, or that a value is called after which is said to be an id."""
        said = _SAID.match(says)
        if said is not None:
            return self._described(parts(said[1])) or self._called(words, own)
        if _MENTIONS.search(says) or part.shape.kind == "integer" or part.shape.format == "uuid":
            person = self.people if words in DOERS or (words and words[-1] in ROLES) else ""
            return person or (self.names.get(noun("_".join(words)), "") if _MENTIONS.search(says) else "")
        return ""

    def _called(self, words: tuple[str, ...], own: str) -> str:
        found = self.thing(words)
        if found or not words:
            return found
        return own if words[0] == "parent" else self.people if words[-1] in ROLES or words in DOERS else ""

    def _described(self, words: tuple[str, ...]) -> str:
        """The thing that a description begins with: `customer who owns the card`."""
        known = (self.names.get((*words[: k - 1], singular(words[k - 1]))) for k in range(min(len(words), 3), 0, -1))
        return next((name for name in known if name), "")

    def thing(self, words: tuple[str, ...]) -> str:
        """The thing that these words, or the last of them, are the name of."""
        return next((self.names[words[k:]] for k in range(len(words)) if words[k:] in self.names), "")
