"""What a form of ours sends, read with suspicion."""

from __future__ import annotations

from collections.abc import Mapping
from secrets import compare_digest
from urllib.parse import parse_qsl

from starlette.requests import Request

from worldwright.core.errors import UsageError
from worldwright.studio.access import Access

MAX_FIELDS = 2_000
TOKEN = "_form"
Form = dict[str, list[str]]
"""The fields of a form, each with its values."""


async def read_form(request: Request, access: Access) -> Form:
    """The fields of a form, each with its values. One that does not hold the token of our own forms is refused."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        raise UsageError("a form was expected, and something else came")
    try:
        pairs = parse_qsl((await request.body()).decode(), keep_blank_values=True, max_num_fields=MAX_FIELDS)
    except ValueError:
        raise UsageError("the form cannot be read: it has too many fields, or text that is no text") from None
    out: Form = {}
    for name, value in pairs:
        out.setdefault(name, []).append(value.replace("\r\n", "\n"))
    if not compare_digest(one(out, TOKEN).encode(), access.form.encode()):
        raise UsageError(
            "this form is of a studio that was started earlier: load the page again, and send it once more"
        )
    return out


def one(fields: Mapping[str, list[str]], name: str, usual: str = "") -> str:
    """The value of a field; the last one, where it was sent twice."""
    return fields[name][-1] if fields.get(name) else usual
