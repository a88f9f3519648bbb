"""Figures in Chinese, Japanese and Korean, where the unit follows the number at once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from worldwright.anchor.evidence import Quantity
from worldwright.anchor.readers.documents.blocks import squeezed
from worldwright.english.money import CURRENCY_SIGNS

_UNITS: tuple[tuple[str, str], ...] = (
    ("business_days", "个?营业日|个?工作日|営業日"),
    ("days", "日間?|天"),
    ("hours", "个?小时|時間|시간"),
    ("minutes", "分钟|分間?"),
    ("weeks", "周|个?星期|週間?|주"),
    ("months", "个月|か月間?|ヶ月間?|ヵ月間?|カ月間?|개월"),
    ("years", "年間?|년"),
    ("percent", "%|％|パーセント"),
    ("times", "次|回|倍"),
    ("money", "元|円|人民币|원"),
    ("people", "人|名"),
    ("items", "个|個|件|份|部|本|张|枚|点|건"),
)
_BEFORE: tuple[tuple[str, str], ...] = (
    ("at_most", "不得?超过|不多于|最多|至多|最大|最高|上限为?|不超出"),
    ("at_least", "不少于|不低于|至少|最少|最低|少なくとも"),
    ("over", "超过|大于|高于|多于"),
    ("under", "低于|少于|小于|不足"),
)
_AFTER: tuple[tuple[str, str], ...] = (
    ("within", "以内|之内|内|までに|이내"),
    ("at_least", "以上|及以上|이상"),
    ("at_most", "以下|及以下|まで|이하"),
    ("over", "を超える?|超|초과"),
    ("under", "未満|未满|미만"),
)
_NUMBERS = {name: value for value, name in enumerate("〇一二三四五六七八九十")} | {
    "两": 2,
    "十二": 12,
    "十五": 15,
    "二十": 20,
    "三十": 30,
}
_SCALES = {"万": 1e4, "億": 1e8, "亿": 1e8, "千": 1e3}
_MONEY = {"元": "CNY", "人民币": "CNY", "円": "JPY", "원": "KRW"}
_VAGUE = frozenset({"items", "people", "times", "days"})
"""Units that a number in words only counts with where something is compared: `一人` is nobody in particular."""


def _any(forms: Sequence[tuple[str, str]]) -> str:
    return "|".join(f"(?:{form})" for _, form in forms)


_NUMBER = r"\d[\d,，.]{0,14}|十二|十五|二十|三十|[一二两三四五六七八九十]"
_FIGURE = re.compile(
    rf"(?:(?P<before>{_any(_BEFORE)})\s?)?(?P<sign>[¥￥$€])?\s?(?P<number>{_NUMBER})\s?(?P<scale>[万億亿千])?\s?"
    rf"(?P<unit>{_any(_UNITS)})?(?:の?\s?(?P<after>{_any(_AFTER)}))?"
)


def wide_quantities(text: str) -> Iterator[Quantity]:
    """Every figure of a sentence that says how much, in order."""
    for found in _FIGURE.finditer(text):
        unit = _named(_UNITS, found["unit"]) or ("money" if found["sign"] else "")
        compares = _named(_AFTER, found["after"]) or _named(_BEFORE, found["before"])
        value = _value(found["number"])
        spelled = found["number"] in _NUMBERS
        if not unit or value is None or (spelled and not compares and unit in _VAGUE):
            continue
        currency = (
            _MONEY.get(found["unit"] or "", "") or CURRENCY_SIGNS.get(found["sign"] or "", "")
            if unit == "money"
            else ""
        )
        amount = value * _SCALES.get(found["scale"] or "", 1.0)
        yield Quantity(amount, unit, compares or "exactly", squeezed(found[0]), currency)


def _named(forms: Sequence[tuple[str, str]], said: str | None) -> str:
    return next((name for name, form in forms if said and re.fullmatch(form, said)), "")


def _value(digits: str) -> float | None:
    if digits in _NUMBERS:
        return float(_NUMBERS[digits])
    plain = digits.rstrip(",，.").replace(",", "").replace("，", "")
    return float(plain) if plain.count(".") <= 1 else None
