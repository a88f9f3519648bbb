"""Pages from templates: every text is escaped, and cleaned of what would break or turn the text around it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib import resources
from typing import Any
from urllib.parse import quote, urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from worldwright.core.names import to_words
from worldwright.english.nouns import count_noun
from worldwright.facts.values import format_json, format_value
from worldwright.rollout.report.charts import format_percent
from worldwright.rollout.report.markup import Markup as Drawn
from worldwright.rollout.report.markup import clean_text
from worldwright.studio.access import Access
from worldwright.studio.answers import show_answer

MAX_SHOWN_CHARS = 20_000
"""Of one text on a page: what is longer says how much longer it is."""
STATIC: Mapping[str, tuple[str, str]] = {
    "report.css": ("worldwright.rollout.report", "style.css"),
    "studio.css": (__package__, "static/studio.css"),
    "parts.css": (__package__, "static/parts.css"),
    "studio.js": (__package__, "static/studio.js"),
    "tables.js": (__package__, "static/tables.js"),
    "keys.js": (__package__, "static/keys.js"),
    "live.js": (__package__, "static/live.js"),
    "picture.js": (__package__, "static/picture.js"),
    "episode.js": (__package__, "static/episode.js"),
    "claims.js": (__package__, "static/claims.js"),
    "icon.svg": (__package__, "static/icon.svg"),
}
"""Every file that is served as it is: the name in its address, and the package that holds it."""
THEME = "worldwright_theme"
"""The cookie of whoever wants it light or dark, whatever the system says."""
TYPES = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}


@dataclass(frozen=True, slots=True)
class Crumb:
    """A step on the way to a page."""

    name: str
    url: str = ""


def clean(value: Any) -> Any:
    """Clean a value before it is escaped: none of a page's texts holds control marks, or marks that turn the direction of text."""
    if isinstance(value, Drawn):
        return Markup(value)
    if isinstance(value, Markup) or hasattr(value, "__html__"):
        return value
    if value is None:
        return ""
    text = clean_text(str(value))
    left = len(text) - MAX_SHOWN_CHARS
    return text if left <= 0 else f"{text[:MAX_SHOWN_CHARS]}… and {left:,} more characters"


def link(*parts: object, **query: object) -> str:
    """The address of a page: each part is quoted whole, and a query leaves out what is empty."""
    path = "/" + "/".join(quote(str(part), safe="") for part in parts)
    asked = {name: value for name, value in query.items() if value not in ("", None, False, (), [])}
    return f"{path}?{urlencode(asked, doseq=True)}" if asked else path


def format_bytes(size: int) -> str:
    """Format `446 kB`, `1.2 MB`."""
    return f"{size / 1e6:,.1f} MB" if size >= 1e6 else f"{size / 1e3:,.0f} kB"


def format_seconds(seconds: float) -> str:
    """Format `0.3 s`, `48 s`, `12 min`, `2 h 05 min`."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60:02d} min"


def is_plain(value: Any) -> bool:
    """Tell whether a value is shown as it is: no list and no map."""
    return not isinstance(value, (Mapping, list, tuple))


@cache
def read_static(name: str) -> tuple[bytes, str]:
    """A file that is served as it is, and its media type."""
    package, path = STATIC[name]
    return resources.files(package).joinpath(path).read_bytes(), TYPES[name.rpartition(".")[2]]


@cache
def static(name: str) -> str:
    """The address of a file: with its digest, so that it may be kept for ever."""
    return f"/static/{sha256(read_static(name)[0]).hexdigest()[:10]}/{name}"


FILTERS = {
    "words": to_words,
    "value": format_value,
    "json": format_json,
    "bytes": format_bytes,
    "seconds": format_seconds,
    "percent": format_percent,
    "digest": lambda text: sha256(str(text).encode()).hexdigest(),
}


class Pages:
    """Renders templates."""

    def __init__(self, access: Access) -> None:
        self._env = Environment(
            loader=PackageLoader(__package__), autoescape=True, finalize=clean, undefined=StrictUndefined,
            trim_blocks=True, lstrip_blocks=True, auto_reload=False,
        )  # fmt: skip
        self._env.filters.update(FILTERS)
        self._env.tests["plain"] = is_plain
        self._env.globals.update(
            link=link, static=static, count=count_noun, form_token=access.form, show_answer=show_answer
        )

    def render(
        self, request: Request, name: str, crumbs: Sequence[Crumb] = (), http_status: int = 200, **values: Any
    ) -> Response:
        """A whole page. `title` is among the values, or the last crumb."""
        title = values.pop("title", "") or (crumbs[-1].name if crumbs else "Studio")
        room = request.url.path.split("/")[1] or "shelf"
        theme = request.cookies.get(THEME, "")
        text = self._env.get_template(name).render(
            title=title, crumbs=crumbs, room=room, query=dict(request.query_params),
            theme=theme if theme in ("light", "dark") else "", **values,
        )  # fmt: skip
        return HTMLResponse(text, http_status)

    def part(self, name: str, macro: str, *values: Any) -> Markup:
        """What a macro of a template makes of some values."""
        return Markup(getattr(self._env.get_template(name).module, macro)(*values))
