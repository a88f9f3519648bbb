"""Images of worlds, as commands make them: options that several share, and the work with its progress.

For a command that has packs in its hands:

    @image_options
    def command(..., image: Path | None, base_image: str, wheels: Path | None) -> None:
        check_base(image, base_image)
        ...
        if image is not None:
            document["images"] = make_images(packs, image, base_image, wheels)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from worldwright.cli.extras import require_extra
from worldwright.cli.inputs.options import text_option
from worldwright.cli.terminal.console import Screen
from worldwright.cli.terminal.progress import Progress
from worldwright.cli.terminal.stages import Stages
from worldwright.core.errors import UsageError

if TYPE_CHECKING:
    from worldwright.pack.open import Pack

BASE = "WORLDWRIGHT_BASE"
F = TypeVar("F", bound=Callable[..., Any])

base_option = text_option(
    "--base", "base_image", envvar=BASE, metavar="IMAGE",
    help=f"What images stand on: an OCI layout, a tar of `docker save` or of a root file system. Or ${BASE}.",
)  # fmt: skip
wheels_option = click.option(
    "--wheels", metavar="DIR", type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A folder of wheels for the runtime, in place of an index.",
)  # fmt: skip


def image_options(command: F) -> F:
    """Add `--image DIR`, `--base IMAGE` and `--wheels DIR` for a command that makes worlds."""
    image = click.option(
        "--image", metavar="DIR", type=click.Path(file_okay=False, path_type=Path),
        help="Also write OCI images of the worlds, and their graders, into DIR.",
    )  # fmt: skip
    return image(base_option(wheels_option(command)))


def check_base(image: Path | None, base: str) -> None:
    """Check before any work that images that were asked for have something to stand on."""
    if image is not None and not base:
        raise UsageError(
            f"an image stands on a base with Python: name one with --base or ${BASE}. For instance, after `docker save "
            "python:3.12-slim -o python.tar`, --base python.tar; with skopeo, --base docker://python:3.12-slim"
        )


def make_images(
    packs: Iterable[tuple[str, Pack]],
    folder: Path,
    base: str,
    wheels: Path | None = None,
    total: int = 1,
    force: bool = False,
) -> dict[str, Any]:
    """The images of some packs (variant and pack) under a folder; what was made, as plain data."""
    with require_extra("oci"):
        from worldwright.store.oci.base import read_base
        from worldwright.store.oci.gym import GRADER, WORLDS, write_gym
        from worldwright.store.oci.layer_cache import LayerCache
        from worldwright.store.oci.runtime import make_runtime
    check_base(folder, base)
    screen = Screen(err=True)
    workshop = LayerCache()
    with Stages(screen, ("base", "runtime")) as stages:
        found = read_base(base, workshop)
        stages("base", f"{_megabytes(found.layers)} MB, {found.python.path}, {found.python.libc}")
        runtime = make_runtime(found.python, workshop, wheels)
        stages("runtime", f"{_megabytes(runtime.layers)} MB, {len(runtime.packages)} libraries")
    with Progress(screen, "images", total) as progress:
        made = write_gym(packs, found, runtime, workshop, folder, lambda variant: progress.step(), force)
    return {
        "folder": str(folder),
        "worlds": str(folder / WORLDS),
        "grader": str(folder / GRADER),
        "base": {"bytes": sum(b.size for b in found.layers), "python": found.python.path},
        "runtime": {"bytes": sum(b.size for b in runtime.layers), "packages": runtime.packages},
        "images": [asdict(image) for image in made],
    }


def _megabytes(layers: Iterable[Any]) -> str:
    return f"{sum(layer.size for layer in layers) / 1e6:,.1f}"
