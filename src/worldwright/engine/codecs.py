"""Values as a contract writes them, and as the world keeps them.

A contract may number its records 1, 2, 3 or call them by UUIDs, write amounts in cents or as texts, and moments in seconds. The
world has ids such as `ORD-00012`, exact numbers, ISO dates and words. A codec is data:
`{"as": "id", "key": "ORD-#####", "form": "integer"}`.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any

from worldwright.core.errors import TamperedPack
from worldwright.core.ids import KeyFormat

Codec = Mapping[str, Any]

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}\Z")
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\Z", re.IGNORECASE)
_MARK = "5eed"
"""In every UUID that stands for an id of this world: what else looks like one is unknown."""
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MAX_TEXT_CHARS = 100_000


class InvalidValue(Exception):
    """A value that the contract does not allow; says what would be right."""


def read_value(codec: Codec, value: Any) -> Any:
    """Read a value of the contract as the world takes it."""
    return _INWARD[codec["as"]](codec, value)


def write_value(codec: Codec, value: Any) -> Any:
    """Write a value of the world as the contract has it. None stays None."""
    return None if value is None else _OUTWARD[codec["as"]](codec, value)


def check_codec(codec: Any, where: str) -> None:
    """Refuse what is no codec: contracts come in packs, and packs from anywhere."""
    if not isinstance(codec, Mapping) or codec.get("as") not in _INWARD:
        raise TamperedPack(f"contract.json: {where} has no codec of a known kind")
    if codec["as"] == "id" and (KeyFormat.parse(str(codec.get("key"))) is None or not _is_form(codec.get("form"))):
        raise TamperedPack(f"contract.json: {where} has an id without a key format")
    if codec["as"] == "items":
        check_codec(codec.get("of"), where)
    words = codec.get("words")
    if codec["as"] == "words" and not (isinstance(words, Mapping) and all(isinstance(w, str) for w in words.values())):
        raise TamperedPack(f"contract.json: {where} has words that are no table")


# ids

_FORMS = ("text", "integer", "uuid")
_LED = re.compile(r"[A-Za-z0-9_.:-]{0,24}#\Z")
"""A form of its own: some characters, and the number of the record in place of `#`, as in `se-#`."""


def _is_form(form: Any) -> bool:
    return form in _FORMS or (isinstance(form, str) and _LED.match(form) is not None)


def _is_led(found: KeyFormat, form: str) -> bool:
    """Tell whether ids are written inside as the form asks for: `se-1010412` as `se-#`."""
    return form.endswith("#") and found.prefix.startswith(form[:-1]) and found.prefix[len(form) - 1 :].isdigit()


def _id_in(codec: Codec, value: Any) -> str:
    form, found = codec["form"], KeyFormat.parse(codec["key"])
    assert found is not None
    if form == "integer":
        if isinstance(value, str) and value.isascii() and value.isdigit():
            value = int(value[:18])
        if not isinstance(value, int) or isinstance(value, bool):
            raise InvalidValue("an integer")
        if found.prefix.isdigit():
            return str(value)
        return found.make(value) if 0 <= value < 10**18 else f"{found.prefix}none"
    if not isinstance(value, str):
        raise InvalidValue("a string")
    if _is_led(found, form):
        return value[:200]
    if form.endswith("#"):
        number = value.removeprefix(form[:-1])[:18]
        known = value.startswith(form[:-1]) and number.isascii() and number.isdigit() and str(int(number)) == number
        return found.make(int(number)) if known else f"{found.prefix}none"
    if form == "uuid":
        if not _UUID.match(value):
            raise InvalidValue("a UUID")
        if _UUID.match(found.make(0)):
            return value.lower()
        digits = value.lower().replace("-", "")
        own = digits[:4] == _MARK and digits[4:12] == _tag(found) and digits[12] == "4"
        return found.make(int(digits[20:], 16)) if own else f"{found.prefix}none"
    return value[:200]


def _id_out(codec: Codec, value: Any) -> Any:
    found = KeyFormat.parse(codec["key"])
    number = found.number(value) if found is not None and isinstance(value, str) else None
    if found is None or number is None or codec["form"] == "text" or _is_led(found, codec["form"]):
        return value
    if codec["form"] == "integer":
        return int(value) if found.prefix.isdigit() else number
    if codec["form"].endswith("#"):
        return f"{codec['form'][:-1]}{number}"
    if _UUID.match(value):
        return value
    digits = f"{_MARK}{_tag(found)}4000{'8000'}{number:012x}"
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def _tag(key: KeyFormat) -> str:
    """Eight digits that tell the ids of one table from those of another."""
    return hashlib.sha256(key.prefix.encode()).hexdigest()[:8]


# numbers, texts, moments


def _text_in(codec: Codec, value: Any) -> str:
    if not isinstance(value, str):
        raise InvalidValue("a string")
    return value[:MAX_TEXT_CHARS]


def _integer_in(codec: Codec, value: Any) -> int:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        raise InvalidValue("an integer")
    return value


def _number_in(codec: Codec, value: Any) -> int | float:
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        raise InvalidValue("a number")
    return value


def _number_text_in(codec: Codec, value: Any) -> float:
    try:
        number = Decimal(value) if isinstance(value, str) and len(value) < 40 else Decimal("nan")
    except InvalidOperation:
        number = Decimal("nan")
    if not number.is_finite():
        raise InvalidValue("a number written as a string, such as '12.50'")
    return float(number)


def _number_text_out(codec: Codec, value: Any) -> str:
    return f"{Decimal(str(value)):.{int(codec.get('places', 2))}f}"


def _cents_in(codec: Codec, value: Any) -> float:
    return _integer_in(codec, value) / 100


def _cents_out(codec: Codec, value: Any) -> int:
    return int((Decimal(str(value)) * 100).to_integral_value())


def _boolean_in(codec: Codec, value: Any) -> bool:
    if not isinstance(value, bool):
        raise InvalidValue("true or false")
    return value


def _date_in(codec: Codec, value: Any) -> str:
    if not isinstance(value, str) or not _DATE.match(value[:10]):
        raise InvalidValue("a date such as 2025-01-31")
    return value[:10]


def _moment_in(codec: Codec, value: Any) -> str:
    try:
        found = datetime.fromisoformat(value) if isinstance(value, str) and len(value) < 40 else None
        moment = None if found is None else (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        moment = None
    if moment is None:
        raise InvalidValue("a moment such as 2025-01-31T09:00:00Z")
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def _seconds_in(codec: Codec, value: Any) -> str:
    number = _integer_in(codec, value)
    if not 0 <= number < 2**33:
        raise InvalidValue("seconds since 1970")
    return (EPOCH + timedelta(seconds=number)).strftime("%Y-%m-%dT%H:%M:%SZ")


def _seconds_out(codec: Codec, value: Any) -> int:
    return int((datetime.fromisoformat(value) - EPOCH).total_seconds())


# words, lists, anything


def _words_in(codec: Codec, value: Any) -> str:
    found = codec["words"].get(value if isinstance(value, str) else json.dumps(value))
    if found is None:
        raise InvalidValue(f"one of {', '.join(list(codec['words'])[:20])}")
    return str(found)


def _words_out(codec: Codec, value: Any) -> Any:
    outside = next((o for o, i in codec["words"].items() if i == value), value)
    return read_enum_word(outside) if codec.get("plain") is False else outside


def read_enum_word(word: str) -> Any:
    """Read a word of an enum that holds more than texts."""
    try:
        return json.loads(word)
    except ValueError:
        return word


def _list_in(codec: Codec, value: Any) -> str:
    if not isinstance(value, list) or not all(isinstance(v, (str, int, float)) for v in value):
        raise InvalidValue("a list of texts")
    return ", ".join(map(str, value))[:MAX_TEXT_CHARS]


def _list_out(codec: Codec, value: Any) -> list[Any]:
    listed = [part for part in str(value).split(", ") if part]
    return [int(part) for part in listed if part.lstrip("-").isdigit()] if codec.get("of") == "integer" else listed


def _items_in(codec: Codec, value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise InvalidValue("a list")
    return [read_value(codec["of"], element) for element in value]


def _items_out(codec: Codec, value: Any) -> list[Any]:
    return [write_value(codec["of"], element) for element in value]


def _json_in(codec: Codec, value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)[:MAX_TEXT_CHARS]


def _json_out(codec: Codec, value: Any) -> Any:
    try:
        found = json.loads(value)
    except ValueError:
        return codec.get("else")
    wanted = {"object": dict, "array": list}.get(str(codec.get("type")))
    return found if wanted is None or isinstance(found, wanted) else codec.get("else")


def _keep(codec: Codec, value: Any) -> Any:
    return value


Way = Callable[[Codec, Any], Any]


def _cursor_in(codec: Codec, value: Any) -> int:
    rest = value.removeprefix(_CURSOR) if isinstance(value, str) and value.startswith(_CURSOR) else ""
    if not (rest.isascii() and rest.isdigit() and len(rest) < 8):
        raise InvalidValue("a cursor that an earlier page gave")
    return int(rest)


_CURSOR = "page-from-"


def _cursor_out(codec: Codec, value: Any) -> str:
    return f"{_CURSOR}{value}"


def _has_more_out(codec: Codec, value: Any) -> bool:
    return True


_INWARD: Mapping[str, Way] = {
    "id": _id_in, "text": _text_in, "integer": _integer_in, "number": _number_in, "number_text": _number_text_in,
    "cents": _cents_in, "boolean": _boolean_in, "date": _date_in, "moment": _moment_in, "seconds": _seconds_in,
    "words": _words_in, "list": _list_in, "json": _json_in, "cursor": _cursor_in, "more": _boolean_in,
    "items": _items_in,
}  # fmt: skip
_OUTWARD: Mapping[str, Way] = {
    "id": _id_out, "text": _keep, "integer": _keep, "number": _keep, "number_text": _number_text_out, "cents": _cents_out,
    "boolean": _keep, "date": _keep, "moment": _keep, "seconds": _seconds_out, "words": _words_out, "list": _list_out,
    "json": _json_out, "cursor": _cursor_out, "more": _has_more_out, "items": _items_out,
}  # fmt: skip
