"""Where the numbers of a page lead: in the studio to the episodes that they count, in a file of its own nowhere."""

from __future__ import annotations

from worldwright.rollout.report.markup import Markup, tag, text


class Links:
    """Addresses of what a page counts. This one has none, as a page has that stands alone."""

    def episodes(self, **which: str) -> str:
        """Where the episodes are that have something in common: `family="walk"`, `status="fail"`."""
        return ""

    def episode(self, key: str, agent: str = "") -> str:
        """Where one episode is, of a certain agent where several played."""
        return ""

    def failures(self, agent: str, **which: str) -> str:
        """Where the failures of an agent are that have something in common: `kind="loop"`, `domain="hotel_booking"`."""
        return ""


NOWHERE = Links()


def link_to(what: object, url: str) -> Markup:
    """A text that leads somewhere, where there is somewhere to go."""
    return tag("a", what, href=url) if url else text(what)


def link_drawn(drawn: Markup, url: str) -> Markup:
    """A part of a drawing that leads somewhere, where there is somewhere to go."""
    return tag("a", drawn, href=url) if url else drawn
