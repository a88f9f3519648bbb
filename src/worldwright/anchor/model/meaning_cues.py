"""Words and forms that say what a text means: tables only. How they are read is in `meanings`."""

from __future__ import annotations

import re
from collections.abc import Mapping

from worldwright.english.words import wordmap, wordset

MOMENT, DAY, AMOUNT, CODE, IDENTITY, JSON, SQL = ("moment", "day", "amount", "code", "identity", "json", "sql")
OWN = frozenset({MOMENT, DAY, AMOUNT, CODE, IDENTITY, JSON, SQL, "last_digits", "name_suffix"})
"""Meanings that are no kinds of the language: written with expressions, or made of the name of the field."""


def read_lines(text: str) -> list[tuple[str, str]]:
    """Lines such as `phone: fax, fax number`, as pairs of what stands before the colon and after it."""
    lines = text.replace("\n    ", " ").strip().splitlines()
    return [(line.partition(": ")[0], line.partition(": ")[2]) for line in lines]


GLUED = wordmap("""
    firstname=first_name lastname=last_name middlename=middle_name fullname=full_name fname=first_name lname=last_name
    mname=middle_name filename=file_name filetype=file_type nickname=nick_name surname=last_name forename=first_name
    postalcode=postal_code zipcode=postal_code postcode=postal_code phonecell=cell_phone phonew=work_phone
    ipaddress=ip_address hostname=host_name streetb=street_2 timezone=time_zone datetime=date_time startdate=start_date
    enddate=end_date begdate=start_date dob=birth_date addr=address desc=description msg=message lang=language
    cfg=configuration tel=phone mail=email pwd=password passwd=password abbr=abbreviation nbr=number num=number amt=amount
    qty=quantity colour=color taxvat=tax_number federaltaxid=tax_number img=image thumb=thumbnail organisation=organization
    uom=unit sex=gender groupname=group_name doctype=document_type subtype=type billname=name apptstatus=status pid=patient_id
    uid=id referer=url ipv=ip
""")  # fmt: skip
"""Words that are written as one, or cut short: `_` stands between the words that they are."""

_CUES = """
email: email, email address, from address, reply to, email id
phone: mobile no, phone, phone number, mobile, cell, fax, telephone, fax number, mobile number, contact number, telephone number,
    national number
given_name: first name, given name, middle name, nick name
family_name: last name, family name
person: full name, holder name
username: username, login, login id, user name, handle
honorific: salutation, honorific, courtesy title
gender: gender
job: job title, job, occupation
department: department, division, cost center, practice group
role: role, permission
company: company, organization, employer, vendor, supplier, merchant, institution, legal name, payer name, publisher, agency,
    facility name
brand: brand, manufacturer, brand name
address: address
street: street, street address, line 1, address 1
address_unit: line 2, address 2, street 2, apartment, line 3
city: city, town, locality, admin area 2, sublocality, district
region: region, province, county, administrative district level, state code, region code, state province code, district level 1,
    territory, admin area
postcode: postal code, zip, zip code
country: country
country_code: country code, country iso, country iso code, country id, origin country
country_name: nationality
language: language, language code
locale: locale, locale code
timezone: time zone
currency: currency, currency code
currency_symbol: currency symbol
payment_method: payment method, payment type, payment method code
iban: iban
bic: bic, routing number
last_digits: last 4, last four
card_number: card number, cc number
account_number: account number, bank account, account no, gan
tax_number: tax number, tax id, vat number, vat id, vat, ein, siret, tax identifier, ssn
document_number: order number, invoice number, document number, receipt number, po number, confirmation number, booking number,
    contract number, policy number, case number, claim number, ticket number, increment id, purchase order, quote number,
    reservation number, confirmation, check number, transaction number, reference number, batch number, lot number, trace number
tracking_number: tracking number, tracking code, tracking id, track number, shipment number
serial_number: serial number, udi
licence_number: license number, license, npi, npi number, upin, registration number, passport number
vehicle_plate: plate
sku: sku, item code, product code, part number, product number, item number, mpn, asin
barcode: barcode, upc, ean
isbn: isbn
reference: reference, reference id, ref, external id, correlation id, reference code
title: title, subject, headline, heading, topic, caption, subject line, short description
label: value, label, display name, friendly name
paragraph: description, body, content, summary, details, bio, about, html, instruction, instructions, terms, terms and conditions,
    prompt, resume, markdown
note: email signature, message signature, result, detail, info, outcome, resolution, note, comment, remark, memo, message, text,
    additional information, answer, response, reply, explanation, statement
reason: reason, cause, why, purpose, reason description
sentence: tagline, valedictory, wording
question: question
error_message: error, error message, exception message, errors, exception, error log
category: category, segment, sector, class, classification, genre, industry, product type, catalog name
tag: tag, keyword, keywords, tags
status: status, state, stage, phase, condition, status name, disposition, visibility, availability
priority: priority, severity, risk level, risk
type: type, kind, tier, level, plan, style, format, variant, option, group, theme, model, resource
mode: mode, method, strategy
channel: channel, source, medium, origin, platform, provider, source name, source type
frequency: frequency, recurrence, interval, repeat, period
colour: color
hex_colour: background color, hex, color code, label color
size: size
unit: unit, units
carrier: carrier, carrier code, shipping method, delivery method, shipping method code
diagnosis: diagnosis, problem, indication, allergy
medication: medication, drug
specialty: specialty
url: url, uri, href, link, callback, webhook, endpoint
website: website, homepage, website url
image_url: image url, avatar url, avatar, logo url, thumbnail url, thumbnail, photo, logo, picture, image, icon
domain: domain, host
slug: slug, link rewrite, alias
ip_address: ip, ip address, remote address
mac_address: mac, mac address
user_agent: user agent
http_method: http method, request method
file_name: attachment, file
file_path: path, destination
file_extension: extension, file type, file format
mime_type: mime type, content type, media type, mime
uuid: uuid, guid, idempotency key, idempotence key, request id, trace id
hash: hash, signature, fingerprint
md5: etag
commit: sha, commit
token: token, secret, password, nonce, cursor, marker, access key, password hash, hmac identifier, salt
api_key: api key, public key, private key, license key
version: version, version number
cron: cron expression, schedule
duration: duration, timeout
time_of_day: opening time, closing time, opening hours, business hours
identifier: attribute code, variable, key, field, property, attribute, parameter, class name, handler type, element id, frontend
    input, backend type, backend model, source model, frontend class, column, namespace
event_name: event, event type, event name, action, trigger, event code, operation, activity
mnemonic: coupon code, promo code, discount code, voucher code, coupon, symbol, abbreviation, short code, short name, error code,
    code name
number: quantity, count, position, sort order, sequence, index, rank, score, age, children, days, length, width, height,
    percentage, percent, points, offset
amount: price, amount, total, subtotal, cost, fee, balance, tax, rate, discount, weight, deposit, premium, salary, wage
latitude: latitude, lat
longitude: longitude, lng, lon, long
yes_no: enabled, disabled, active, deleted, required, visible, default, verified
moment: timestamp, created, updated, modified, created at, updated at, since, last login, last seen, time, expires, expiry,
    deadline, starts at
day: date, day, birthday, onset
json: json, data, metadata, settings, configuration, config, parameters, payload, meta info, object
sql: sql, query
identity: id, ids, gid, sid
code: code, number, no, identifier, prefix, suffix, rxnorm, code system
"""
CUES = {tuple(cue.split()): kind for kind, listed in read_lines(_CUES) for cue in listed.split(", ")}
"""By the end of a name, the kind that it says."""
_NAMED = """
person: person user customer contact employee member patient guest client agent owner author assignee requester manager doctor
    student driver buyer candidate staff lead attendee provider recipient sender creator reviewer operator subscriber administrator
    admin practitioner cardholder payer teacher artist composer supervisor child parent passenger
company: company account organization organisation vendor supplier merchant partner tenant enterprise business employer manufacturer
    institution bank insurer publisher shipper carrier payee agency insurance
product: product item sku variant article part asset material device
file_name: file document attachment image media upload photo
identifier: attribute field column parameter variable property key metadata schema setting config module hook table index
country_name: country
currency_name: currency
language_name: language culture
city: location place store warehouse branch office depot station facility hotel venue shop outlet city town
region_name: region state province county territory
department: department team division
title: task issue ticket case story bug event meeting appointment campaign page post thread topic message album track
tag: tag keyword
category: category genre segment
unit: unit
colour: color
job: job position
role: role
username: login
domain: domain host server zone
payment_method: payment
event_name: trigger
medication: medication drug
diagnosis: diagnosis condition allergy problem
"""
NAMED = {word: kind for kind, listed in read_lines(_NAMED) for word in listed.split()}
"""By a word for a thing, what its name is."""
PEOPLE, COMPANIES, TASKS = (
    frozenset(w for w, k in NAMED.items() if k == kind) for kind in ("person", "company", "title")
)

WEAK = wordset(
    "type status label identifier reference mode category channel number code identity yes_no note event_name amount size mnemonic "
    "address country language phone"
) | {""}
"""Meanings that a description may know better."""
FILLERS = wordset("value field string text str txt raw formatted original new old entity custom")
"""Last words that say nothing of what a value is."""
RECORDS = wordset("lang language translation detail record info description text entry row history shop inst")
"""Last words of tables that hold more of what the word before says."""
PLACED = wordset("address location office billing shipping mailing place region subscriber employer bank home contact")
"""Words of what is somewhere: a state there is a part of a country."""
PLAIN = wordset("display available legal preferred short long public internal official real actual own alternate")
"""Words before `name` that say nothing of whose it is."""
FLAGS = wordset("is has can allow allows enable use uses should")

FORMATS = wordmap("""
    email=email idn-email=email phone=phone uri=url url=url iri=url uri-reference=url uuid=uuid guid=uuid ipv4=ip_address
    ip=ip_address ipv6=ipv6_address hostname=domain idn-hostname=domain duration=duration time=time_of_day timezone=timezone
    password=token token=token jwt=token byte=token digest=hash currency=currency mac=mac_address date=day date-time=moment
    datetime=moment decimal=amount html=paragraph markdown=paragraph country=country_code language=language locale=locale
""")  # fmt: skip
"""By the format of a schema."""

_STATED = r"""
currency: ISO[- ]?4217|three[- ](letter|character) currency|currency code
country_code_3: ISO[- ]?3166(-1)? alpha[- ]?3|three[- ]letter country
country_code: ISO[- ]?3166|two[- ](letter|character) (ISO )?country|country code
language: ISO[- ]?639|two[- ]letter language|BCP[- ]?47|IETF language
phone_e164: \bE[.]164\b
timezone: \bIANA\b.*(time ?zone|tz)|time ?zone name
mime_type: \b(MIME|media|content)[- ]type\b
moment: RFC[- ]?3339|ISO[- ]?8601[^.]{0,30}(date ?time|timestamp)
moment: date ?time (when|of|at)|timestamp
day: YYYY-MM-DD(?!T)
time_of_day: \bHH:MM\b
url: ^(the |a |an )?(\w+ ){0,3}url\b(?! key)|\burl (of|to|that|for|where|pointing)\b|^link to\b|resource url
uuid: \bUUID\b|\bGUID\b
token: base[- ]?64
hash: \bSHA-?(1|256|512)\b|\bMD5\b
sql: \bSQL\b.*(query|statement)
yes_no: ^whether\b|^true if\b|^if true\b
email: ^(the )?email address
phone: ^(the )?(phone|telephone) number
"""
STATED = [(kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in read_lines(_STATED)]
"""What a description says outright."""
OVERRULED = frozenset({"currency", "country_code", MOMENT, "url", "uuid", "mime_type", "token", "hash", JSON, DAY})
"""Kinds that descriptions of something else mention in passing: they have to fit the name, or come first in the description."""

_SEEN = r"""
image_url: https?://\S+[.](png|jpe?g|gif|svg|webp)
url: https?://\S+
email: [\w.+-]+@[\w-]+[.][\w.]+
uuid: [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}
ip_address: \d{1,3}([.]\d{1,3}){3}
moment: \d{4}-\d{2}-\d{2}T\d{2}:\d{2}\S*
day: \d{4}-\d{2}-\d{2}
time_of_day: \d{2}:\d{2}(:\d{2})?
commit: [0-9a-f]{40}
hex_colour: #[0-9a-fA-F]{6}
timezone: (America|Europe|Asia|Africa|Australia|Pacific)/\w+
mime_type: [a-z]+/[a-z][\w.+-]+
phone_e164: [+]\d{8,15}
yes_no: (true|false)
token: (?=\S*\d)(?=\S*[a-z])(?=\S*[A-Z])[\w=+/-]{24,}
amount: \d+[.]\d{2}
"""
SEEN = [(kind, re.compile(pattern)) for kind, pattern in read_lines(_SEEN)]
"""What an example is, by its looks."""

FAMILIES: Mapping[str, tuple[tuple[str, str], ...]] = {
    "country": (("[A-Z]{2}", "country_code"), ("[A-Z]{3}", "country_code_3")),
    "country_code": (("[A-Z]{3}", "country_code_3"), ("[A-Z][a-z]{3}.*", "country")),
    "language": (("[a-z]{2}[-_][A-Z]{2}", "locale"), ("[A-Z][a-z]{3,}", "language_name")),
    "colour": (("#[0-9A-Fa-f]{3,8}", "hex_colour"),),
    "phone": (("[+][0-9]{8,15}", "phone_e164"),),
    "hash": (("[0-9a-fA-F]{32}", "md5"), ("[0-9a-fA-F]{40}", "commit")),
    "status": (("[A-Z]{2}", "region"),),
    "currency": ((r"\D{1,2}", "currency_symbol"), ("[A-Z][a-z].*", "currency_name")),
}
"""Of a kind that is written in several ways, those that an example may show."""
SHORT: Mapping[str, tuple[tuple[int, str], ...]] = {
    "country": ((2, "country_code"), (3, "country_code_3")),
    "country_name": ((2, "country_code"), (3, "country_code_3")),
    "language_name": ((3, "language"),),
    "locale": ((3, "language"),),
    "person": ((12, "given_name"),),
    MOMENT: ((19, DAY),),
}
"""Where so many characters are all there is room for, what is meant instead."""
