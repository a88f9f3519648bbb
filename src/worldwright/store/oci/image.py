"""The image of a world: base, runtime, and the layers of its pack that a world runs on. Nothing in it judges."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from worldwright.core.canonical import canonical_json
from worldwright.core.version import VERSION
from worldwright.pack.open import Pack
from worldwright.store.oci import spec
from worldwright.store.oci.base import Base
from worldwright.store.oci.layer_cache import LayerCache
from worldwright.store.oci.packs import ROOT, WORLD_GROUPS, Cutter, make_annotations
from worldwright.store.oci.runtime import PLACE, Runtime

PORT = 8000
WORLD = f"/{ROOT.rstrip('/')}"
SERVE = ("serve", "--gym", WORLD, "--http", "--host", "0.0.0.0", "--port", str(PORT))
"""What an image does when nothing else is said."""
USER = "65532:65532"
"""Nobody in particular, and not root."""
CREATED = "1970-01-01T00:00:00Z"
"""An image tells nothing of when it was made: the same parts are the same image."""
ENVIRONMENT = {
    "PYTHONPATH": PLACE,
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONUNBUFFERED": "1",
    "HOME": "/dev/shm",
    "TMPDIR": "/dev/shm",
    "WORLDWRIGHT_HOME": "/dev/shm/worldwright",
}
"""With a root that cannot be written, /dev/shm is the one place to write that every engine gives: sockets of workers lie there."""
_KEPT = ("architecture", "os", "variant")
_SECOND = 1_000_000_000
_ALIVE = f"import urllib.request as r; r.urlopen('http://127.0.0.1:{PORT}/health', timeout=4).read()"


def entrypoint(python: str) -> list[str]:
    return [python, "-m", "worldwright"]


def health(python: str) -> list[str]:
    """A command that succeeds while the server answers."""
    return [python, "-c", _ALIVE]


def put_image(
    cutter: Cutter, workshop: LayerCache, base: Base, runtime: Runtime, pack: Pack, variant: str, ref_name: str
) -> spec.Descriptor:
    """The image of a world in a layout. The same parts are the same image."""
    own = list(cutter.cut(pack, WORLD_GROUPS).items())
    cutter.layout.take(workshop.layout, (*base.layers, *runtime.layers))
    steps = {f"{group} of {pack.manifest.name}": cut.diff_id for group, cut in own}
    written = make_annotations(pack, variant)
    config = make_image_config(base, runtime, steps, written)
    layers = (
        *base.layers,
        *runtime.layers,
        *(
            cut.blob.model_copy(update={"media_type": spec.LAYER, "annotations": {spec.GROUP: group}})
            for group, cut in own
        ),
    )
    manifest = spec.Manifest(
        media_type=spec.MANIFEST, config=cutter.layout.put(canonical_json(config), spec.CONFIG), layers=layers,
        annotations=written,
    )  # fmt: skip
    blob = cutter.layout.put(manifest.encode(), spec.MANIFEST)
    place = spec.Platform(os=config["os"], architecture=config["architecture"], variant=config.get("variant"))
    return blob.model_copy(update={"platform": place, "annotations": {**written, spec.REF_NAME: ref_name}})


def make_image_config(
    base: Base, runtime: Runtime, steps: Mapping[str, str], labels: Mapping[str, str]
) -> dict[str, Any]:
    """Make the config that says how the image is run. `steps` are the layers of the world, by what they hold."""
    before = base.config.get("config") or {}
    environment = dict(entry.partition("=")[::2] for entry in before.get("Env") or ()) | ENVIRONMENT
    history = base.config.get("history") or []
    if sum(not h.get("empty_layer") for h in history) != len(base.layers):
        history = [{"created": CREATED, "created_by": "base"} for _ in base.layers]
    added = [f"worldwright {VERSION}", *steps]
    python = base.python.path
    kept: dict[str, Any] = {key: base.config[key] for key in _KEPT if key in base.config}
    return {
        **kept,
        "created": CREATED,
        "config": {
            "User": USER,
            "ExposedPorts": {f"{PORT}/tcp": {}},
            "Env": [f"{name}={value}" for name, value in sorted(environment.items())],
            "Entrypoint": entrypoint(python),
            "Cmd": list(SERVE),
            "WorkingDir": WORLD,
            "StopSignal": "SIGTERM",
            "Labels": {**(before.get("Labels") or {}), **labels},
            # Not of the OCI specification; Docker and what follows it read it all the same.
            "Healthcheck": {
                "Test": ["CMD", *health(python)], "Interval": 10 * _SECOND, "Timeout": 5 * _SECOND,
                "StartPeriod": 60 * _SECOND, "Retries": 3,
            },
        },
        "rootfs": {"type": "layers", "diff_ids": [*base.diff_ids, *runtime.diff_ids, *steps.values()]},
        "history": [*history, *({"created": CREATED, "created_by": step} for step in added)],
    }  # fmt: skip
