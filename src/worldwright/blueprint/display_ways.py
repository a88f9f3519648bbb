"""Ways in which records show a value that is kept otherwise."""

from __future__ import annotations

import re

DATE_STYLES: tuple[str, ...] = ("DD.MM.YY", "DD.MM.YYYY", "DD/MM/YYYY", "MM/DD/YYYY", "DD-Mon-YYYY")
CLOCK = re.compile(r"UTC([+-])(\d{1,2})\Z")
FACTOR = re.compile(r"\* (\d{1,6}(?:\.\d{1,6})?)\Z")
FIELD = re.compile(r"= ([a-z][a-z0-9_]*)\Z")
