"""Verbs of operations: what kind of deed each usually is, and which of them are nouns as often."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from worldwright.english.words import wordset

VERBS: Mapping[str, str] = {
    word: kind
    for kind, words in {
        "list": "list search find query browse lookup filter count",
        "get": "get read retrieve view show fetch describe info download check preview export calculate estimate parse recognize",
        "create": "create add new insert register post upload write book schedule draft generate issue open setup upsert",
        "update": "update edit patch put set modify change rename save customize",
        "delete": "delete remove destroy purge",
        "move": """
            cancel approve reject decline accept close reopen send complete start stop pause resume publish unpublish merge
            restore assign unassign move submit refund capture confirm lock unlock pin unpin archive unarchive activate
            deactivate enable disable fork push release void finalize pay payout debit ship deliver return convert transfer
            subscribe unsubscribe invite join leave reply react tag untag link unlink attach detach resolve escalate snooze
            verify validate sign suspend terminate renew expire retry trigger run execute replicate reset remind mark toggle
            unblock block follow unfollow copy duplicate clone import sync revoke rotate authorize process redeem hand adjust
            apply reorder swap split acknowledge dismiss undo forward revert fire refresh kick share end connect disconnect
            invalidate evaluate prepare call make
        """,
    }.items()
    for word in words.split()
}
"""By verb, the kind of deed it usually is."""
NOUNLIKE = wordset(
    """
    book draft issue post count query filter view download check preview export estimate new set change put return refund
    transfer copy import sync link tag pin block lock process sign run push fork release split end call share payout debit capture
    reply mark trigger hand call start stop follow order patch open make schedule info read write
    """
)
"""Verbs that begin names of things as well: `draft-orders`, `tag_groups`. Only where nothing speaks for a thing do they count."""
ADDING = wordset("add assign attach link invite subscribe tag create upload post share new insert register")
REMOVING = wordset("remove unassign detach unlink untag delete unsubscribe unshare kick")
"""Verbs that put one thing to another, and take it away again."""
SEARCHES = wordset("search searches query queries find lookup filter")
"""Segments of a path that say that what follows is looked for: `POST /search/orders`."""
PARTICLES = wordset("in out off on up down back over away")
"""Words that belong to a verb: `check in`, `hand over`."""
_BEFORE = ("un", "re", "dis", "de", "pre")


def kind_of_verb(word: str) -> str:
    """The kind of deed that a word says; empty where it is no verb. `unschedule` and `resend` are verbs for what is in them."""
    if word in VERBS:
        return VERBS[word]
    before = next((p for p in _BEFORE if word.startswith(p)), "")
    inner = word.removeprefix(before)
    sure = before == "un" or inner not in NOUNLIKE
    return "move" if before and sure and len(inner) > 3 and VERBS.get(inner) in ("move", "create") else ""


def join_prefixes(words: Sequence[str]) -> list[str]:
    """Words in which `un suspend` and `pre authorize` are one: names in humps cut it in two."""
    out: list[str] = []
    for word in words:
        if out and out[-1] in ("un", "pre") and kind_of_verb(word):
            out[-1] += word
        else:
            out.append(word)
    return out
