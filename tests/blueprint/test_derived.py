"""Checking a Blueprint that was derived from a checked one gives what checking it alone gives, result or errors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any

import pytest

from worldwright.blueprint.checked import Checked
from worldwright.blueprint.expr.syntax import syntax
from worldwright.blueprint.load import canonical, canonical_yaml, check_again, load_text, validate_document
from worldwright.blueprint.model import Blueprint
from worldwright.blueprint.source import Document
from worldwright.core.errors import BlueprintError
from worldwright.variants.inject import find_applicable_layers, inject

NOT_MEANING = ("blueprint", "digest", "parsed")

Change = Callable[[dict[str, Any]], object]


def changed(checked: Checked, change: Change) -> Blueprint:
    data = canonical(checked.blueprint)
    change(data)
    return validate_document(Document("changed.yaml", data, {}))


def result(check: Callable[[], Checked]) -> Checked | set[tuple[str, str, str]]:
    try:
        return check()
    except BlueprintError as e:
        return {(f.path, f.message, f.hint) for f in e.findings}


def same_meaning(one: Checked, other: Checked) -> bool:
    return one.digest == other.digest and all(
        getattr(one, f.name) == getattr(other, f.name) for f in fields(Checked) if f.name not in NOT_MEANING
    )


def test_every_layer_means_what_its_file_means(library: Checked) -> None:
    for name in find_applicable_layers(library):
        found = inject(library, [name])
        assert same_meaning(found, load_text(canonical_yaml(found.blueprint))), name


CHANGES: dict[str, Change] = {
    "a field of another type": lambda d: d["entities"]["loan"]["fields"].update(renewals="text"),
    "a field that is gone": lambda d: d["entities"]["copy"]["fields"].pop("status"),
    "a new field": lambda d: d["entities"]["member"]["fields"].update(nickname="text?"),
    "a term of the name of a function": lambda d: d["terms"].update(
        days_between={"about": {}, "is": "1", "says": "one"}
    ),
    "another rounding": lambda d: d.update(rounding="half_even"),
    "a term that does not parse": lambda d: d["terms"][min(d["terms"])].update({"is": "nothing_here"}),
    "a policy that is gone": lambda d: d["policies"].pop(min(d["policies"])),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_is_seen_wherever_it_matters(library: Checked, change: str) -> None:
    bp = changed(library, CHANGES[change])
    alone = result(lambda: load_text(canonical_yaml(bp), "changed.yaml"))
    derived = result(lambda: check_again(bp, "changed.yaml", library))
    if isinstance(alone, Checked) and isinstance(derived, Checked):
        assert same_meaning(derived, alone)
    else:
        assert derived == alone


def test_what_did_not_change_is_not_parsed_again(library: Checked, monkeypatch: pytest.MonkeyPatch) -> None:
    texts: list[str] = []

    def counted(text: str) -> Any:
        texts.append(text)
        return syntax(text)

    monkeypatch.setattr("worldwright.blueprint.expr.parse.syntax", counted)
    bp = changed(library, lambda d: d.update(summary="Another one."))
    assert check_again(bp, "changed.yaml", library).digest != library.digest
    rows = len([text for text in texts if text.replace(".", "").replace("_", "").isalnum()])
    assert len(texts) == rows  # only the sources of `find` and `each`, which are names
