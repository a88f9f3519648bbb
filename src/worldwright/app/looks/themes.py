"""Themes: how a system looks, as data. Templates and styles know these fields, and nothing of a theme's name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Look:
    """The look of one system. None of it changes what can be seen or done."""

    name: str
    layout: Literal["side", "top", "tabs", "tiles"]
    density: Literal["compact", "regular", "roomy"]
    palette: str
    """The set of colours, each with light and dark."""
    corners: Literal["square", "soft", "round"]
    labels: Literal["above", "beside"]
    lists: Literal["table", "cards"]
    type: Literal["sans", "serif", "mono"]
    """The face of headings and ids."""
    send: str
    """What the button of a form says; empty where it says what the form does."""
    find: str
    clear: str
    back: str
    order: Literal["given", "state_first", "days_last"] = "given"
    """How the columns of a list are ordered."""


WORDS: Mapping[str, tuple[str, str, str, str]] = {
    "harbour": ("Save", "Search", "Reset", "Cancel"),
    "ledger": ("OK", "Execute", "Clear", "Exit"),
    "meadow": ("", "Find", "Clear filters", "Back"),
    "slate": ("Apply", "Filter", "Remove filters", "Discard"),
    "ember": ("Submit", "Show", "Show all", "Cancel"),
    "iris": ("Done", "Go", "Start over", "Not now"),
    "paper": ("", "Look through", "Show everything", "Leave"),
    "signal": ("Confirm", "Query", "Reset query", "Abort"),
}
"""The words of each theme's buttons: what sends a form, what searches, what clears the filters, what leaves a form."""

THEMES: tuple[Look, ...] = (
    Look("harbour", "side", "regular", "navy", "soft", "above", "table", "sans", *WORDS["harbour"]),
    Look("ledger", "top", "compact", "graphite", "square", "beside", "table", "sans", *WORDS["ledger"], "state_first"),
    Look("meadow", "tabs", "roomy", "green", "round", "above", "cards", "sans", *WORDS["meadow"]),
    Look("slate", "side", "compact", "teal", "square", "above", "table", "mono", *WORDS["slate"], "days_last"),
    Look("ember", "top", "regular", "rust", "soft", "above", "table", "serif", *WORDS["ember"]),
    Look("iris", "tiles", "roomy", "violet", "round", "above", "cards", "sans", *WORDS["iris"], "state_first"),
    Look("paper", "tabs", "regular", "ink", "square", "beside", "table", "serif", *WORDS["paper"]),
    Look("signal", "tiles", "compact", "sky", "soft", "beside", "table", "mono", *WORDS["signal"], "days_last"),
)
"""The themes, named for nothing but themselves."""
NEUTRAL = Look("plain", "top", "regular", "slate", "soft", "above", "table", "sans", "", "Search", "Clear", "Cancel")
"""The look of pages that belong to no system."""
