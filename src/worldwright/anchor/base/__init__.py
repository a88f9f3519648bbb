"""The catalogue as a base: the business that a prompt or a document is nearest to, adapted to it, or under a bare surface.

nearest     which businesses of the catalogue the words speak of
adapt       a Blueprint of the catalogue with what a document says, the rest marked as borrowed
onto        the tools of an API over the operations of a business
"""

from __future__ import annotations

from worldwright.anchor.base.adapt import adapted
from worldwright.anchor.base.nearest import NEAR, Candidate, is_near, nearest
from worldwright.anchor.base.onto import Laid, laid_over, narrowed
from worldwright.anchor.base.records import Adapted, Change, Match, Unused

__all__ = [
    "NEAR", "Adapted", "Candidate", "Change", "Laid", "Match", "Unused", "adapted", "is_near", "laid_over", "narrowed",
    "nearest",
]  # fmt: skip
