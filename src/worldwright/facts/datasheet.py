"""`datasheet.json` as records, read with suspicion: a pack may hold anything."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from worldwright.core.errors import PackError
from worldwright.pack.open import Pack

DATASHEET = "datasheet.json"

Number = Annotated[int, Field(ge=0, lt=2**53)]


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="allow")


class Counts(_Record):
    """One cell of the battery: episodes that had to pass and did, that had to fail and did, and the two ways to be wrong."""

    accepted: Number = 0
    rejected: Number = 0
    false_accepts: Number = 0
    false_rejects: Number = 0

    @property
    def episodes(self) -> int:
        return self.accepted + self.rejected + self.false_accepts + self.false_rejects


class Battery(_Record):
    name: str = "full"
    walks_per_role: Annotated[int, Field(ge=0, le=1000)]


class Datasheet(_Record):
    battery: Battery
    tasks: Mapping[str, Mapping[str, Counts]]
    cells: Mapping[str, Counts]
    episodes: Number
    false_accepts: Number
    false_rejects: Number
    dropped: Mapping[str, Number] = {}


def read_datasheet(pack: Pack) -> Datasheet | None:
    """Read what the pack says of its own verifiers; None where it was built without tasks."""
    raw = pack.files.get(DATASHEET)
    if raw is None:
        return None
    try:
        return Datasheet.model_validate_json(raw)
    except ValidationError as e:
        raise PackError(f"{DATASHEET} cannot be read: {e.errors()[0]['msg']}") from None
