"""The catalogue as a base: the business that a prompt or a document is nearest to, adapted to it, or under a bare surface.

nearest     which businesses of the catalogue the words speak of
adapt       a Blueprint of the catalogue with what a document says, the rest marked as borrowed
overlay     the tools of an API over the operations of a business
"""

from __future__ import annotations

from worldwright.anchor.base.adapt import adapt_blueprint
from worldwright.anchor.base.nearest import NEAR, Candidate, is_near, rank_domains
from worldwright.anchor.base.overlay import Overlay, narrow_goals, overlay_operations
from worldwright.anchor.base.records import Adapted, Change, Match, Unused

__all__ = [
    "NEAR",
    "Adapted",
    "Candidate",
    "Change",
    "Match",
    "Overlay",
    "Unused",
    "adapt_blueprint",
    "is_near",
    "narrow_goals",
    "overlay_operations",
    "rank_domains",
]  # fmt: skip
