"""Names of the fields of an HTML form: paths in the arguments of a tool, with dots between the keys.

`lines.0.quantity` is the quantity of the first of some lines. A dot in a key is written `~1`, a tilde `~0`. Names that begin with a
tilde and a letter are the form's own, and no argument's.
"""

from __future__ import annotations

from collections.abc import Iterable

FORM_NUMBER = "~form"
"""How many calls had been made when the form was drawn."""
BLANK = "~blank."
"""Before the name of a text: it is sent although it is empty."""
GO = "~go"
"""What a button asks for that does not send the form: a look-up, another row, one row less."""
DRAFT = "~draft"
FOR = "~for"
"""On the page of a search: the draft and the field that a row is chosen for."""
AS = "~as"
"""How the rows of a search are shown."""


def write_name(path: Iterable[str]) -> str:
    return ".".join(key.replace("~", "~0").replace(".", "~1") for key in path)


def read_name(name: str) -> tuple[str, ...]:
    return tuple(key.replace("~1", ".").replace("~0", "~") for key in name.split("."))


def is_own(name: str) -> bool:
    """Whether a name is the form's own."""
    return name.startswith("~") and name[1:2] not in ("0", "1")
