"""Facts of the world that values are made of: countries, currencies, languages, kinds of files, units.

Tables of our own and not a library's: a world has to come out the same, byte by byte, whatever versions are installed. Tests hold
every row against `pycountry`, `phonenumbers` and `zoneinfo`.
"""

from __future__ import annotations

from typing import NamedTuple

from worldwright.kinds.database.compile.values.locale import phrases, words


class Country(NamedTuple):
    code: str
    """ISO 3166-1, two letters."""
    code_3: str
    name: str
    """In English, as the atlas has it."""
    dial: str
    currency: str
    language: str
    """ISO 639-1."""
    timezone: str


def _countries(text: str) -> tuple[Country, ...]:
    return tuple(Country(*(part.strip() for part in line.split("|"))) for line in text.strip().splitlines())


COUNTRIES = _countries("""
US | USA | United States | +1 | USD | en | America/New_York
GB | GBR | United Kingdom | +44 | GBP | en | Europe/London
DE | DEU | Germany | +49 | EUR | de | Europe/Berlin
FR | FRA | France | +33 | EUR | fr | Europe/Paris
ES | ESP | Spain | +34 | EUR | es | Europe/Madrid
CA | CAN | Canada | +1 | CAD | en | America/Toronto
AU | AUS | Australia | +61 | AUD | en | Australia/Sydney
NL | NLD | Netherlands | +31 | EUR | nl | Europe/Amsterdam
IT | ITA | Italy | +39 | EUR | it | Europe/Rome
JP | JPN | Japan | +81 | JPY | ja | Asia/Tokyo
CH | CHE | Switzerland | +41 | CHF | de | Europe/Zurich
SE | SWE | Sweden | +46 | SEK | sv | Europe/Stockholm
NO | NOR | Norway | +47 | NOK | no | Europe/Oslo
DK | DNK | Denmark | +45 | DKK | da | Europe/Copenhagen
FI | FIN | Finland | +358 | EUR | fi | Europe/Helsinki
IE | IRL | Ireland | +353 | EUR | en | Europe/Dublin
BE | BEL | Belgium | +32 | EUR | nl | Europe/Brussels
AT | AUT | Austria | +43 | EUR | de | Europe/Vienna
PT | PRT | Portugal | +351 | EUR | pt | Europe/Lisbon
PL | POL | Poland | +48 | PLN | pl | Europe/Warsaw
CZ | CZE | Czechia | +420 | CZK | cs | Europe/Prague
GR | GRC | Greece | +30 | EUR | el | Europe/Athens
HU | HUN | Hungary | +36 | HUF | hu | Europe/Budapest
RO | ROU | Romania | +40 | RON | ro | Europe/Bucharest
TR | TUR | Türkiye | +90 | TRY | tr | Europe/Istanbul
UA | UKR | Ukraine | +380 | UAH | uk | Europe/Kyiv
BR | BRA | Brazil | +55 | BRL | pt | America/Sao_Paulo
MX | MEX | Mexico | +52 | MXN | es | America/Mexico_City
AR | ARG | Argentina | +54 | ARS | es | America/Argentina/Buenos_Aires
CL | CHL | Chile | +56 | CLP | es | America/Santiago
CO | COL | Colombia | +57 | COP | es | America/Bogota
PE | PER | Peru | +51 | PEN | es | America/Lima
NZ | NZL | New Zealand | +64 | NZD | en | Pacific/Auckland
SG | SGP | Singapore | +65 | SGD | en | Asia/Singapore
HK | HKG | Hong Kong | +852 | HKD | zh | Asia/Hong_Kong
CN | CHN | China | +86 | CNY | zh | Asia/Shanghai
IN | IND | India | +91 | INR | hi | Asia/Kolkata
KR | KOR | South Korea | +82 | KRW | ko | Asia/Seoul
ID | IDN | Indonesia | +62 | IDR | id | Asia/Jakarta
MY | MYS | Malaysia | +60 | MYR | ms | Asia/Kuala_Lumpur
TH | THA | Thailand | +66 | THB | th | Asia/Bangkok
VN | VNM | Vietnam | +84 | VND | vi | Asia/Ho_Chi_Minh
PH | PHL | Philippines | +63 | PHP | en | Asia/Manila
AE | ARE | United Arab Emirates | +971 | AED | ar | Asia/Dubai
SA | SAU | Saudi Arabia | +966 | SAR | ar | Asia/Riyadh
IL | ISR | Israel | +972 | ILS | he | Asia/Jerusalem
EG | EGY | Egypt | +20 | EGP | ar | Africa/Cairo
ZA | ZAF | South Africa | +27 | ZAR | en | Africa/Johannesburg
NG | NGA | Nigeria | +234 | NGN | en | Africa/Lagos
KE | KEN | Kenya | +254 | KES | en | Africa/Nairobi
MA | MAR | Morocco | +212 | MAD | ar | Africa/Casablanca
GH | GHA | Ghana | +233 | GHS | en | Africa/Accra
IS | ISL | Iceland | +354 | ISK | is | Atlantic/Reykjavik
LU | LUX | Luxembourg | +352 | EUR | fr | Europe/Luxembourg
SK | SVK | Slovakia | +421 | EUR | sk | Europe/Bratislava
SI | SVN | Slovenia | +386 | EUR | sl | Europe/Ljubljana
EE | EST | Estonia | +372 | EUR | et | Europe/Tallinn
LV | LVA | Latvia | +371 | EUR | lv | Europe/Riga
LT | LTU | Lithuania | +370 | EUR | lt | Europe/Vilnius
BD | BGD | Bangladesh | +880 | BDT | bn | Asia/Dhaka
PK | PAK | Pakistan | +92 | PKR | ur | Asia/Karachi
LK | LKA | Sri Lanka | +94 | LKR | si | Asia/Colombo
""")  # fmt: skip
"""The countries of the locales first, then by how often a business meets them."""

BY_CODE = {country.code: country for country in COUNTRIES}
BY_NAME = {country.name: country for country in COUNTRIES}


class Currency(NamedTuple):
    code: str
    """ISO 4217."""
    name: str
    symbol: str


CURRENCIES = tuple(
    Currency(*(part.strip() for part in line.split("|")))
    for line in """
USD | US Dollar | $
EUR | Euro | €
GBP | Pound Sterling | £
CAD | Canadian Dollar | CA$
AUD | Australian Dollar | A$
JPY | Yen | ¥
CHF | Swiss Franc | CHF
SEK | Swedish Krona | kr
NOK | Norwegian Krone | kr
DKK | Danish Krone | kr
PLN | Zloty | zł
CZK | Czech Koruna | Kč
HUF | Forint | Ft
RON | Romanian Leu | lei
TRY | Turkish Lira | ₺
UAH | Hryvnia | ₴
BRL | Brazilian Real | R$
MXN | Mexican Peso | MX$
ARS | Argentine Peso | AR$
CLP | Chilean Peso | CL$
COP | Colombian Peso | CO$
PEN | Sol | S/
NZD | New Zealand Dollar | NZ$
SGD | Singapore Dollar | S$
HKD | Hong Kong Dollar | HK$
CNY | Yuan Renminbi | CN¥
INR | Indian Rupee | ₹
KRW | Won | ₩
IDR | Rupiah | Rp
MYR | Malaysian Ringgit | RM
THB | Baht | ฿
VND | Dong | ₫
PHP | Philippine Peso | ₱
AED | UAE Dirham | AED
SAR | Saudi Riyal | SAR
ILS | New Israeli Sheqel | ₪
EGP | Egyptian Pound | E£
ZAR | Rand | R
NGN | Naira | ₦
KES | Kenyan Shilling | KSh
MAD | Moroccan Dirham | MAD
GHS | Ghana Cedi | GH₵
ISK | Iceland Krona | kr
BDT | Taka | ৳
PKR | Pakistan Rupee | Rs
LKR | Sri Lanka Rupee | Rs
""".strip().splitlines()
)  # fmt: skip

LANGUAGES: tuple[tuple[str, str], ...] = tuple(
    (code, name)
    for code, name in (
        entry.split(" ", 1)
        for entry in phrases("""
    en English; de German; fr French; es Spanish; it Italian; nl Dutch; pt Portuguese; pl Polish; sv Swedish; no Norwegian
    da Danish; fi Finnish; cs Czech; hu Hungarian; ro Romanian; el Greek; tr Turkish; uk Ukrainian; ja Japanese; zh Chinese
    ko Korean; hi Hindi; ar Arabic; he Hebrew; id Indonesian; ms Malay; th Thai; vi Vietnamese; bn Bengali; ur Urdu
    is Icelandic; sk Slovak; sl Slovenian; et Estonian; lv Latvian; lt Lithuanian; si Sinhala
    """)
    )
)
"""ISO 639-1 codes and names in English."""

FILES: tuple[tuple[str, str], ...] = tuple(
    (ending, kind)
    for ending, kind in (
        entry.split()
        for entry in phrases("""
    pdf application/pdf; docx application/vnd.openxmlformats-officedocument.wordprocessingml.document
    xlsx application/vnd.openxmlformats-officedocument.spreadsheetml.sheet; csv text/csv; txt text/plain; png image/png
    jpg image/jpeg; zip application/zip; json application/json; html text/html; xml application/xml; gif image/gif
    mp4 video/mp4; mp3 audio/mpeg; svg image/svg+xml
    """)
    )
)
"""Endings of files, and their media types."""

COLOURS: tuple[tuple[str, str], ...] = tuple(
    (name, code)
    for name, code in (
        entry.split()
        for entry in phrases("""
    black #000000; white #ffffff; grey #808080; navy #000080; blue #1f6feb; green #2e8b57; red #d1242f; yellow #f2c744
    brown #8b5a2b; beige #f5f5dc; orange #f08a24; purple #7d4cdb; silver #c0c0c0; teal #008080; pink #e685b5; maroon #800000
    """)
    )
)

US_STATES: dict[str, str] = dict(
    entry.split(" ", 1)
    for entry in phrases("""
    AZ Arizona; CA California; CO Colorado; FL Florida; GA Georgia; IL Illinois; IN Indiana; KY Kentucky; LA Louisiana
    MA Massachusetts; MD Maryland; MI Michigan; MN Minnesota; MO Missouri; NC North Carolina; NE Nebraska; NM New Mexico; NV Nevada
    NY New York; OH Ohio; OR Oregon; PA Pennsylvania; TN Tennessee; TX Texas; UT Utah; WA Washington; WI Wisconsin
    """)
)
"""The states that the atlas has cities in."""
UNITS = words("pcs kg g l ml m cm mm h day box pack set pair")
CARRIERS = phrases("UPS Ground; FedEx Home; DHL Express; USPS Priority; DPD Classic; GLS Parcel; TNT Economy")
PAYMENT_METHODS = phrases("credit card; bank transfer; cash; direct debit; invoice; cheque; gift card; debit card")
HTTP_METHODS = words("GET POST PUT PATCH DELETE")
HONORIFICS = words("Ms Mr Mrs Dr Mx")
GENDERS = words("female male")
