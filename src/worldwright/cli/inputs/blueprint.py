"""The Blueprint that a person named: a domain of the catalogue, an anchor, or a file."""

from __future__ import annotations

from pathlib import Path

from worldwright import catalogue
from worldwright.blueprint.checked import Checked
from worldwright.blueprint.load import load_file, load_text
from worldwright.core.errors import StoreError
from worldwright.core.names import suggest, suggest_path
from worldwright.engine.contract import Contract, read_contract
from worldwright.factory.sources import Source, source_of_domain, source_of_text
from worldwright.kinds import builder
from worldwright.store.anchors import Anchors

SHIPPED = "catalogue/"
"""Before a name: the domain that ships, where an anchor has the same name."""


def source(domain: str | None, file: Path | None) -> tuple[Checked, Contract | None, str]:
    """The Blueprint, the contract over it, and the digest of the lock it comes from; the last two only for an anchor."""
    if domain is not None and domain.startswith(SHIPPED):
        return catalogue.load(domain.removeprefix(SHIPPED)), None, ""
    if domain is not None:
        held = Anchors().world(domain)
        if held is None:
            return _shipped(domain), None, ""
        checked = load_text(held.blueprint, f"{held.name}.yaml")
        contract = (
            None
            if held.contract is None
            else read_contract(held.contract, builder(checked.blueprint.kind).tool_specs(checked))
        )
        return checked, contract, held.lock
    assert file is not None
    if not file.is_file():
        raise StoreError(f"there is no file {file}{suggest_path(file)}")
    return load_file(file), None, ""


def _shipped(domain: str) -> Checked:
    known = (*catalogue.names(), *Anchors().names())
    if domain not in catalogue.names():
        raise StoreError(f"neither catalogue nor anchors have a domain `{domain}`; {suggest(domain, known)}")
    return catalogue.load(domain)


def family(domain: str | None, file: Path | None) -> Source:
    """The same as something to send to whoever builds many of its variants. A domain that ships is not read yet."""
    if domain is not None and domain.startswith(SHIPPED):
        return source_of_domain(domain.removeprefix(SHIPPED))
    if domain is not None:
        held = Anchors().world(domain)
        if held is not None:
            checked, _, _ = source(domain, None)
            return source_of_text(checked.blueprint.blueprint, held.blueprint, held.contract, held.lock)
        return (
            source_of_domain(domain)
            if domain in catalogue.names()
            else source_of_domain(_shipped(domain).blueprint.blueprint)
        )
    checked, _, _ = source(None, file)
    assert file is not None
    return source_of_text(checked.blueprint.blueprint, file.read_text(encoding="utf-8"))
