"""Where the Blueprint of a family comes from, small enough to be sent to whoever builds it, and loaded there once."""

from __future__ import annotations

from dataclasses import dataclass, replace

from worldwright import catalogue
from worldwright.blueprint.checked import Checked
from worldwright.blueprint.load import load_text
from worldwright.core.canonical import sha256
from worldwright.core.errors import BuildError, UsageError
from worldwright.core.memo import Memo, Slot
from worldwright.engine.contract import Contract, read_contract
from worldwright.kinds import builder
from worldwright.variants.inject import inject, parse_layers


@dataclass(frozen=True, slots=True)
class Source:
    """One family."""

    name: str
    digest: str
    """Of the text of the Blueprint."""
    text: str = ""
    """The Blueprint, where it does not ship with the catalogue."""
    contract: bytes | None = None
    lock: str = ""
    """The digest of the lock, for an anchor."""
    layers: tuple[str, ...] = ()
    """What is laid over it."""

    def data(self) -> dict[str, object]:
        """Return what decides its worlds."""
        return {"name": self.name, "blueprint": self.digest, "lock": self.lock, "layers": list(self.layers)}


@dataclass(frozen=True, slots=True)
class LoadedFamily:
    """A family, loaded: what its variants are made of."""

    checked: Checked
    contract: Contract | None


LOADED: Slot[LoadedFamily] = Slot("loaded families", max_entries=2)
"""Work comes family by family, so that a process keeps no more than two."""


def load_source(source: Source, memo: Memo) -> LoadedFamily:
    """Load the Blueprint of a family, with its layers on, or find it loaded."""
    return memo.get(LOADED, source, lambda: _load(source))


def _load(source: Source) -> LoadedFamily:
    checked = _read(source)
    specs = builder(checked.blueprint.kind).tool_specs
    contract = None if source.contract is None else read_contract(source.contract, specs(checked))
    return LoadedFamily(inject(checked, source.layers), contract)


def source_of_domain(name: str) -> Source:
    """A domain of the catalogue."""
    return Source(name, sha256(catalogue.text(name).encode()))


def source_of_text(name: str, text: str, contract: bytes | None = None, lock: str = "") -> Source:
    """A Blueprint of one's own, or of an anchor."""
    return Source(name, sha256(text.encode()), text, contract, lock)


def _read(source: Source) -> Checked:
    if source.text:
        return load_text(source.text, f"{source.name}.yaml")
    if (here := source_of_domain(source.name).digest) != source.digest:
        raise BuildError(
            f"the Blueprint `{source.name}` is another one here ({here[:12]}, wanted {source.digest[:12]}); everything that "
            "builds needs the same version of worldwright"
        )
    return catalogue.load(source.name)


def add_layers(source: Source, asked: tuple[str, ...], strict: bool) -> Source:
    """Add the layers that apply to a family. `strict` refuses where one does not."""
    checked, laid = _read(source), list[str]()
    for layer in parse_layers(asked):
        try:
            checked = inject(checked, [layer])
        except UsageError:
            if strict:
                raise
            continue
        laid.append(layer)
    return replace(source, layers=tuple(laid))
