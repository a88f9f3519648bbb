"""Drawing pages: templates that escape everything, and the files of style and script that they name."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from worldwright.app.pages.page import Page
from worldwright.app.screens.labels import to_label

_STATIC = resources.files("worldwright.app") / "static"
STYLES = ("frame.css", "looks.css", "parts.css")
TYPES = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml"}


@cache
def read_static() -> dict[str, tuple[bytes, str]]:
    """What pages load, by name, with its type. Styles are kept in several files and loaded as one."""
    files = {f.name: f.read_bytes() for f in _STATIC.iterdir() if f.name.rpartition(".")[2] in TYPES}
    files = {**files, "app.css": b"\n".join(files.pop(name) for name in STYLES)}
    return {name: (data, TYPES[name.rpartition(".")[2]]) for name, data in sorted(files.items())}


@cache
def name_static() -> str:
    """The folder of these files in a URL: another one whenever one of them is another."""
    found = hashlib.sha256(b"\0".join(name.encode() + data for name, (data, _) in read_static().items()))
    return f"static/{found.hexdigest()[:12]}/"


@cache
def make_environment() -> Environment:
    """The templates. What they are not given is an error, and whatever they are given is text."""
    environment = Environment(
        loader=PackageLoader("worldwright.app", "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        auto_reload=False,
    )
    environment.filters["label"] = to_label
    environment.filters["finding"] = write_finding
    return environment


def write_finding(value: Any) -> str:
    """What a verdict expected or found, as a person reads it: a line for each thing, a dash for none."""
    if value is None or value in ([], (), {}, ""):
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        return "\n".join(map(write_finding, value))
    if isinstance(value, Mapping):
        return "\n".join(f"{to_label(str(key))}: {write_finding(one)}" for key, one in value.items())
    return str(value)


def draw(page: Page) -> str:
    """Draw a page."""
    values: dict[str, Any] = {"frame": page.frame, **page.values}
    return make_environment().get_template(page.template).render(values)
