"""Words that figures are written with, by language: numbers, units and comparisons; and the currencies."""

from __future__ import annotations

import re

from worldwright.english import words
from worldwright.english.money import CURRENCY_CODES
from worldwright.english.words import wordset

_NUMBERS: dict[str, str] = {
    "de": "null ein|eine|einen|einem|einer zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
    "fr": "zéro un|une deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze",
    "es": "cero un|una|uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince",
    "pt": "zero um|uma dois|duas três quatro cinco seis sete oito nove dez onze doze treze catorze quinze",
    "it": "zero un|uno|una due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici",
    "nl": "nul een|één twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien",
}
NUMBERS: dict[str, dict[str, int]] = {"en": words.NUMBERS} | {
    code: {word: value for value, forms in enumerate(text.split()) for word in forms.split("|")}
    for code, text in _NUMBERS.items()
}
TIMES = {"once": 1, "twice": 2, "thrice": 3, "einmal": 1, "zweimal": 2, "dreimal": 3}

UNITS: dict[str, tuple[tuple[str, str], ...]] = {
    "en": (
        ("business_days", r"(?:business|working|work|banking|trading)[ -]?days?"),
        ("days", r"(?:(?:calendar|consecutive|full|natural)[ -])?days?"),
        ("hours", r"(?:(?:business|working|clock)[ -])?(?:hours?|hrs?|h)"),
        ("weeks", r"(?:(?:calendar|working)[ -])?(?:weeks?|wks?)"),
        ("months", r"(?:calendar[ -])?months?"),
        ("years", r"(?:(?:calendar|fiscal|financial)[ -])?(?:years?|yrs?)"),
        ("minutes", r"min(?:ute)?s?"),
        ("seconds", r"sec(?:ond)?s?|ms|s|milliseconds?"),
        ("quarters", r"quarters"),
        ("percent", r"%|per ?cent|percentage points?|pct"),
        ("times", r"times|x|×"),
    ),
    "de": (
        ("business_days", r"(?:werk|arbeits|bank|geschäfts)tage?n?"),
        ("days", r"(?:kalender)?tage?n?s?"),
        ("hours", r"stunden?"),
        ("weeks", r"wochen?"),
        ("months", r"monate?n?s?"),
        ("years", r"jahre?n?s?"),
        ("minutes", r"minuten?"),
        ("percent", r"%|prozent"),
        ("times", r"mal"),
    ),
    "fr": (
        ("business_days", r"jours? (?:ouvrés?|ouvrables?)"),
        ("days", r"jours?(?: calendaires?)?"),
        ("hours", r"heures?|h"),
        ("weeks", r"semaines?"),
        ("months", r"mois"),
        ("years", r"ans?|années?"),
        ("minutes", r"minutes?"),
        ("percent", r"%|pour ?cent"),
        ("times", r"fois"),
    ),
    "es": (
        ("business_days", r"días? (?:hábil(?:es)?|laborables?)"),
        ("days", r"días?(?: naturales| calendario)?"),
        ("hours", r"horas?"),
        ("weeks", r"semanas?"),
        ("months", r"mes(?:es)?"),
        ("years", r"años?"),
        ("minutes", r"minutos?"),
        ("percent", r"%|por ciento"),
        ("times", r"ve(?:z|ces)"),
    ),
    "pt": (
        ("business_days", r"dias? (?:úte?is|útil)"),
        ("days", r"dias?(?: corridos)?"),
        ("hours", r"horas?"),
        ("weeks", r"semanas?"),
        ("months", r"m[eê]s(?:es)?"),
        ("years", r"anos?"),
        ("minutes", r"minutos?"),
        ("percent", r"%|por cento"),
        ("times", r"ve(?:z|zes)"),
    ),
    "it": (
        ("business_days", r"giorn[oi] lavorativ[oi]"),
        ("days", r"giorn[oi]"),
        ("hours", r"or[ae]"),
        ("weeks", r"settiman[ae]"),
        ("months", r"mes[ei]"),
        ("years", r"ann[oi]"),
        ("minutes", r"minut[oi]"),
        ("percent", r"%|per cento"),
        ("times", r"volt[ae]"),
    ),
    "nl": (
        ("business_days", r"werkdag(?:en)?"),
        ("days", r"(?:kalender)?dag(?:en)?"),
        ("hours", r"uren|uur"),
        ("weeks", r"we(?:ek|ken)"),
        ("months", r"maand(?:en)?"),
        ("years", r"ja(?:ar|ren)"),
        ("minutes", r"minu(?:ut|ten)"),
        ("percent", r"%|procent"),
        ("times", r"keer|maal"),
    ),
}

BEFORE: dict[str, tuple[tuple[str, str], ...]] = {
    "en": (
        (
            "at_most",
            r"(?:no|not) (?:more|greater|larger|higher|longer) than|(?:not|never|n't|"
            r"cannot) (?:to )?exceed(?:ing)?|not over|at most|up to|(?:a )?max(?:imum|\.)?(?: of)?|capped at|"
            r"limited to|(?:a )?(?:limit|cap|ceiling) of|not above|<=|≤",
        ),
        (
            "at_least",
            r"(?:no|not) (?:less|fewer|lower|smaller|shorter|earlier) than|at least|(?:a )?min(?:imum|\.)?(?: of)?|"
            r"not below|not under|starting (?:at|from)|>=|≥",
        ),
        (
            "within",
            r"within(?: a (?:period|maximum) of)?(?: the (?:first|next|last|following))?|(?:no|not) later than|"
            r"in (?:less|under)(?: than)?|inside of",
        ),
        (
            "over",
            r"(?:more|greater|larger|higher|longer|older|later) than|in excess of|over|above|exceed(?:s|ing)?|"
            r"beyond|surpass(?:es)?|after|>",
        ),
        ("under", r"(?:less|fewer|lower|smaller|shorter|younger|earlier) than|under|below|<"),
        ("exactly", r"exactly|equal to|precisely|="),
    ),
    "de": (
        ("at_most", r"höchstens|maximal|nicht mehr als|bis zu|nicht über|nicht länger als"),
        ("at_least", r"mindestens|nicht weniger als|wenigstens|ab"),
        ("within", r"innerhalb(?: von)?|binnen|spätestens(?: nach)?|in weniger als"),
        ("over", r"mehr als|über|länger als|nach"),
        ("under", r"weniger als|unter"),
        ("exactly", r"genau"),
    ),
    "fr": (
        ("at_most", r"au plus|au maximum|pas plus de|jusqu'à|ne (?:doit|peut) pas dépasser|maximum"),
        ("at_least", r"au moins|au minimum|minimum|à partir de"),
        ("within", r"dans (?:un délai de|les)|sous|en moins de|au plus tard"),
        ("over", r"plus de|supérieure?s? à|au-delà de|dépassant|après"),
        ("under", r"moins de|inférieure?s? à"),
        ("exactly", r"exactement"),
    ),
    "es": (
        ("at_most", r"como máximo|a lo sumo|no más de|hasta|un máximo de|máximo"),
        ("at_least", r"al menos|como mínimo|por lo menos|un mínimo de|mínimo"),
        ("within", r"dentro de(?: los)?|en un plazo (?:máximo )?de|en menos de|a más tardar"),
        ("over", r"más de|superior(?:es)? a|mayor(?:es)? (?:a|de|que)|excede(?:n)?|después de|tras"),
        ("under", r"menos de|inferior(?:es)? a|menor(?:es)? (?:a|de|que)"),
        ("exactly", r"exactamente"),
    ),
    "pt": (
        ("at_most", r"no máximo|até|não mais (?:de|que)|um máximo de|máximo de"),
        ("at_least", r"pelo menos|no mínimo|ao menos|um mínimo de|mínimo de"),
        ("within", r"dentro de|no prazo (?:máximo )?de|em até|em menos de"),
        ("over", r"mais de|superior(?:es)? a|acima de|maior(?:es)? (?:que|do que)|após"),
        ("under", r"menos de|inferior(?:es)? a|abaixo de|menor(?:es)? (?:que|do que)"),
        ("exactly", r"exatamente"),
    ),
    "it": (
        ("at_most", r"al massimo|non più di|fino a|un massimo di|massimo"),
        ("at_least", r"almeno|come minimo|un minimo di|minimo"),
        ("within", r"entro(?: e non oltre)?|in meno di"),
        ("over", r"più di|oltre(?: i| le)?|superior[ei] a|maggior[ei] di|dopo"),
        ("under", r"meno di|inferior[ei] a|minor[ei] di"),
        ("exactly", r"esattamente"),
    ),
    "nl": (
        ("at_most", r"hoogstens|maximaal|ten hoogste|niet meer dan|tot(?: maximaal)?"),
        ("at_least", r"minstens|ten minste|minimaal|vanaf"),
        ("within", r"binnen|uiterlijk(?: na)?"),
        ("over", r"meer dan|boven(?: de)?|langer dan|hoger dan|na"),
        ("under", r"minder dan|onder(?: de)?|lager dan"),
        ("exactly", r"precies|exact"),
    ),
}

AFTER: tuple[tuple[str, str], ...] = (
    (
        "at_least",
        r"or (?:more|older|above|over|longer|higher|greater|later)|and (?:above|over|up|older)|minimum|"
        r"at (?:a )?minimum|oder mehr|ou plus|o más|ou mais|o più|of meer|\+",
    ),
    (
        "at_most",
        r"or (?:less|fewer|below|under|younger|shorter|lower)|and (?:below|under)|maximum|at (?:the )?most|"
        r"oder weniger|ou moins|o menos|ou menos|o meno|of minder",
    ),
)

CODES = CURRENCY_CODES - wordset("ALL BAM CUP GEL SOS TOP")
"""Codes that no English word is spelt like, whatever their case."""

ALL_FORMS = {
    code: [(name, re.compile(rf"(?:{form})(?!\w)", re.IGNORECASE)) for name, form in forms]
    for code, forms in UNITS.items()
}
