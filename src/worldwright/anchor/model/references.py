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
PEOPLE = ("user", "member", "team member", "employee", "agent", "staff", "person", "contact", "account")
"""Things that people are, the likeliest first."""
ROLES = wordset(
    "assignee owner author creator requester reporter responder approver manager supervisor sender recipient reviewer organizer "
    "assigner submitter editor uploader inviter resolver"
)
DOERS = ("created by", "updated by", "assigned to", "requested by", "approved by", "owned by")
"""What somebody is called in a record."""
_SAID = re.compile(
    r"(?:the |an? |unique |internal )*(?:id|identifier|uuid|gid|key)s? (?:of|for) "
    r"(?:the |an? |this |its |that )*([a-z][a-z \-]{2,40})",
    re.IGNORECASE,
)
_MENTIONS = re.compile(r"\b(?:ids?|identifiers?|uuids?|gids?)\b", re.IGNORECASE)


class References:
    """The things of an API, and by what each is named."""

    def __init__(self, names: Mapping[Noun, str], intents: Iterable[OperationIntent]) -> None:
        first = Counter(n[0] for n in names if len(n) > 1).most_common(1)
        common = first[0][0] if first and first[0][1] > len(names) // 2 else ""
        self.names = {**{n[1:]: name for n, name in names.items() if n[0] == common and n[1:]}, **names}
        self.codes = {(i.noun, parts(i.by)[-1]) for i in intents if i.by and parts(i.by)}
        self.people = next((names[n] for n in (tuple(p.split()) for p in PEOPLE) if n in names), "")

    def find(self, path: Path, part: Field, own: str) -> str:
        """The thing that a value is the id of; empty where it is none."""
        if part.refers_to:
            return self.thing(noun(part.refers_to))
        match parts(path[-1]):
            case ("id" | "uuid" | "gid",):
                return self._called(parts(path[-2]), own) if len(path) > 1 else ""
            case (_, *_, last) as words if last in IDS:
                return self._called(words[:-1], own)
            case ("id", _, *_) as words:
                return self._called(words[1:], own)
            case (_, *_, last) as words if last in CODES:
                return self.names.get(words[:-1], "") if (words[:-1], last) in self.codes else ""
            case words:
                found = self._told(words, part, part.says or part.shape.says, own)
                return found if found != own else ""

    def _told(self, words: Noun, part: Field, says: str, own: str) -> str:
        """The thing that a description names, or that a value is called after which is said to be an id."""
        said, mentions = _SAID.match(says), _MENTIONS.search(says)
        if said is not None:
            told = parts(said[1])[:3]
            starts = ((*told[: k - 1], singular(told[k - 1])) for k in range(len(told), 0, -1))
            return next((self.names[n] for n in starts if n in self.names), "") or self._called(words, own)
        person = (
            self._somebody(words) if mentions or part.shape.kind == "integer" or part.shape.format == "uuid" else ""
        )
        return person or (self.names.get(noun("_".join(words)), "") if mentions else "")

    def _called(self, words: Noun, own: str) -> str:
        found = self.thing(words)
        return found or (own if words[:1] == ("parent",) else self._somebody(words))

    def _somebody(self, words: Noun) -> str:
        """People, where a value is called after what one of them does."""
        return self.people if " ".join(words) in DOERS or (words and words[-1] in ROLES) else ""

    def thing(self, words: tuple[str, ...]) -> str:
        """The thing that these words, or the last of them, are the name of."""
        return next((self.names[words[k:]] for k in range(len(words)) if words[k:] in self.names), "")
