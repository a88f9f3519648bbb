"""What the OCI image specification calls things, as records: descriptors, manifests, indexes."""

from __future__ import annotations

from typing import TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from worldwright.core.canonical import canonical_json, sha256
from worldwright.core.errors import TamperedPack

INDEX = "application/vnd.oci.image.index.v1+json"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"
CONFIG = "application/vnd.oci.image.config.v1+json"
LAYER = "application/vnd.oci.image.layer.v1.tar+gzip"
PLAIN_LAYER = "application/vnd.oci.image.layer.v1.tar"
DOCKER_MANIFEST = "application/vnd.docker.distribution.manifest.v2+json"
DOCKER_INDEX = "application/vnd.docker.distribution.manifest.list.v2+json"
DOCKER_LAYER = "application/vnd.docker.image.rootfs.diff.tar.gzip"

PACK = "application/vnd.worldwright.pack.v1"
"""The type of artifact that a pack is."""
PACK_CONFIG = "application/vnd.worldwright.pack.config.v1+json"
GYM = "application/vnd.worldwright.gym.v1"
"""The type of an index of packs."""

MAX_MANIFEST_BYTES = 4 * 1024 * 1024
"""Bytes of a manifest, an index or a config; registries take no more either."""

REF_NAME = "org.opencontainers.image.ref.name"
TITLE = "org.opencontainers.image.title"
VERSION = "org.opencontainers.image.version"
NAME, VARIANT, WORLD = "io.worldwright.name", "io.worldwright.variant", "io.worldwright.digest"
GROUP = "io.worldwright.layer"
"""On a layer that is the world's: which of its layers."""

_DIGEST = r"^sha256:[0-9a-f]{64}$"


def digest_of(data: bytes) -> str:
    return f"sha256:{sha256(data)}"


def pack_layer(group: str) -> str:
    """The media type of a layer of a pack."""
    return f"application/vnd.worldwright.pack.{group}.v1.tar+gzip"


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", populate_by_name=True)

    def encode(self) -> bytes:
        """Encode the record; the same record gives the same bytes."""
        return canonical_json(self.model_dump(mode="json", by_alias=True, exclude_none=True))


class Platform(_Part):
    os: str
    architecture: str
    variant: str | None = None


class Descriptor(_Part):
    """A blob, named."""

    media_type: str = Field(alias="mediaType", min_length=1, max_length=255)
    digest: str = Field(pattern=_DIGEST)
    size: int = Field(ge=0)
    artifact_type: str | None = Field(default=None, alias="artifactType")
    platform: Platform | None = None
    annotations: dict[str, str] | None = None

    def note(self, key: str) -> str:
        return (self.annotations or {}).get(key, "")


class Manifest(_Part):
    """An image, or an artifact: a config and layers."""

    schema_version: int = Field(default=2, alias="schemaVersion", ge=2, le=2)
    media_type: str = Field(default=MANIFEST, alias="mediaType")
    artifact_type: str | None = Field(default=None, alias="artifactType")
    config: Descriptor
    layers: tuple[Descriptor, ...]
    annotations: dict[str, str] | None = None

    def note(self, key: str) -> str:
        return (self.annotations or {}).get(key, "")


class Index(_Part):
    """Several manifests under one name."""

    schema_version: int = Field(default=2, alias="schemaVersion", ge=2, le=2)
    media_type: str = Field(default=INDEX, alias="mediaType")
    artifact_type: str | None = Field(default=None, alias="artifactType")
    manifests: tuple[Descriptor, ...] = ()
    annotations: dict[str, str] | None = None


P = TypeVar("P", bound=_Part)


def read(kind: type[P], data: bytes, where: str) -> P:
    """A record from bytes that somebody else wrote."""
    if len(data) > MAX_MANIFEST_BYTES:
        raise TamperedPack(f"{where} is larger than {MAX_MANIFEST_BYTES // 1024**2} MiB")
    try:
        return kind.model_validate_json(data)
    except ValidationError as e:
        first = e.errors()[0]
        at = ".".join(map(str, first["loc"]))
        raise TamperedPack(f"{where} cannot be read: {at + ': ' if at else ''}{first['msg']}") from None
