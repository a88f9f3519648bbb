"""Words and forms that say what a text means: tables only. How they are read is in `meanings`."""

from __future__ import annotations

import re
from collections.abc import Mapping

from worldwright.english.words import wordset

MOMENT, DAY, AMOUNT, CODE, IDENTITY, JSON, SQL, LAST_DIGITS, NAME_SUFFIX = (
    "moment", "day", "amount", "code", "identity", "json", "sql", "last_digits", "name_suffix",
)  # fmt: skip
"""Meanings that are no kinds of the language: written with expressions, or made of the name of the field."""
OWN = frozenset({MOMENT, DAY, AMOUNT, CODE, IDENTITY, JSON, SQL, LAST_DIGITS, NAME_SUFFIX})

PEOPLE = wordset(
    "person people user customer contact employee member patient guest client agent owner author assignee requester manager doctor "
    "student driver buyer candidate staff lead attendee signer provider recipient sender creator approver reviewer operator "
    "subscriber administrator admin practitioner physician cardholder payer invoicer consumer participant teacher player artist "
    "composer supervisor child parent traveler passenger shopper sponsor artist actor"
)
COMPANIES = wordset(
    "company account organization organisation vendor supplier merchant partner tenant enterprise business employer manufacturer "
    "institution bank insurer publisher shipper carrier payee agency insurance"
)
GOODS = wordset("product item sku variant article part good goods asset material good device")
PLACES = wordset("location place store warehouse branch office depot station facility hotel venue shop outlet")
FILES = wordset("file document attachment image media upload photo")
TASKS = wordset(
    "task issue ticket case story bug todo event meeting appointment campaign page post thread topic message album track"
)
TECHNICAL = wordset(
    "attribute field column parameter variable property key metadata schema setting config module hook table index"
)
"""Things that are called like people, like companies, and so on, by a word for them."""

GLUED: Mapping[str, str] = {
    "firstname": "first name", "lastname": "last name", "middlename": "middle name", "fullname": "full name", "fname": "first name",
    "lname": "last name", "mname": "middle name", "username": "username", "filename": "file name", "filetype": "file type",
    "nickname": "nick name", "surname": "last name", "forename": "first name", "postalcode": "postal code",
    "zipcode": "postal code",
    "postcode": "postal code", "countrycode": "country code", "currencycode": "currency code", "phonecell": "cell phone",
    "phonehome": "home phone", "phonew": "work phone", "ipaddress": "ip address", "hostname": "host name", "streetb": "street 2",
    "timezone": "time zone", "datetime": "date time", "startdate": "start date", "enddate": "end date", "begdate": "start date",
    "dob": "birth date", "addr": "address", "desc": "description", "descr": "description", "msg": "message", "lang": "language",
    "cfg": "configuration", "tel": "phone", "mail": "email", "www": "website", "pwd": "password", "passwd": "password",
    "abbr": "abbreviation", "nbr": "number", "nr": "number", "num": "number", "amt": "amount", "qty": "quantity", "cnt": "count",
    "colour": "color", "rowguid": "guid", "taxvat": "tax number", "federaltaxid": "tax number", "attr": "attribute", "img": "image",
    "thumb": "thumbnail", "organisation": "organization", "uom": "unit", "sex": "gender", "groupname": "group name",
    "doctype": "document type", "subtype": "type", "billname": "name", "apptstatus": "status", "pid": "patient id", "uid": "id",
    "telecom": "phone", "referer": "url", "referrer": "url", "ipv": "ip", "geo": "location", "ccy": "currency", "iso": "iso",
}  # fmt: skip
"""Words that are written as one, or cut short."""

_CUES = """
email: email, email address, from address, reply to, email id
phone: phone no, mobile no, contact no, telephone no, fax no, phone, phone number, mobile, mobile phone, cell phone, cell, fax,
    telephone, home phone, work phone, fax number, mobile number, contact number, telephone number, national number
given_name: first name, given name, middle name, preferred name, nick name, maiden name
family_name: last name, family name, surname
person: full name, person name, contact name, user name full, holder name, cardholder name, signature name, author name,
    attention, created by name, modified by name, performed by, legal name person
username: username, login, login id, user name, login name, screen name, handle, signin name
honorific: salutation, name prefix, honorific, title of courtesy, courtesy title, name title
gender: gender, sex
job: job title, job, position title, occupation, profession, job name, designation
department: department, division, team name, business unit, department name, cost center, practice group
role: role, role name, member role, permission
company: company, company name, organization, organization name, employer, vendor, supplier, merchant, business name, vendor
    name, supplier name, merchant name, institution, bank name, legal name, insurance company, payer name, publisher, enterprise
    name, agency, facility name
brand: brand, manufacturer, make, brand name, card brand, manufacturer name, vendor brand
address: address, full address, mailing address, billing address, shipping address, delivery address, ship to, formatted
    address, location address
street: street, street address, street name, address line, address line 1, line 1, address 1, street 1, street line, admin line,
    street 1 address
address_unit: address line 2, line 2, address 2, street 2, apartment, suite, address line 3, line 3, floor, unit number, address
    3, street 3
city: city, town, locality, city name, admin area 2, birth place, city town, sublocality, suburb, administrative district 2,
    district
region_name: region name, state name, province name, county name, territory name
region: region, province, county, state province, address state, administrative district, administrative district level, admin
    area 1, state code, region code, state province code, district level 1, state or province, territory, admin area,
    stateprovince
postcode: postal code, zip, postcode, zip code, post code, zip postal code
country: country
country_code: country code, country id, country iso, country of origin, origin country, country iso code, manufacture country,
    nationality code, iso country, residence country, country code iso
country_name: country name, nationality, citizenship
phone_e164: e 164
dial_code: dial code, calling code, phone country code, country calling code, call prefix
language: language, language code, preferred language, culture, language id, content language, lang iso, language iso
locale: locale, locale code, culture code
timezone: time zone, time zone name, time zone id, tz, iana time zone
currency: currency, currency code, currency id, currency iso, base currency, default currency, iso currency, money currency,
    currency type
currency_symbol: currency symbol
currency_name: currency name
payment_method: payment method, payment type, method of payment, tender type, payment mode, mode of payment, pay method, payment
    instrument, payment method code, payment name
iban: iban
bic: bic, swift, swift code, routing number
last_digits: last 4, last four, last digits, card last 4
card_number: card number, credit card number, pan, cc number, masked card number
account_number: account number, bank account number, bank account, account no, gan
tax_number: tax number, tax id, vat number, vat id, vat, ein, tin, fiscal code, siret, tax identifier, tax id number, federal
    tax, ssn, tax identification number
document_number: order number, invoice number, document number, receipt number, bill number, purchase order number, po number,
    confirmation number, booking number, contract number, policy number, case number, claim number, ticket number, increment id,
    order no, invoice no, purchase order, quote number, reservation number, confirmation, requisition number, request number,
    check number, transaction number, reference number, po, manifest number, batch number, lot number, trace number
tracking_number: tracking number, tracking code, tracking id, track number, tracking, shipment number, master tracking number
serial_number: serial number, serial, device serial, udi, imei, vin
licence_number: license number, licence number, license, npi, npi number, dea number, driver license, upin, license code,
    registration number, passport number, identity number, national id, member number, insurance number, policy holder number
vehicle_plate: license plate, plate, plate number
sku: sku, product sku, item code, product code, article number, part number, product number, item number, mpn, asin, product sku
    code, seller sku, variant sku, style number
barcode: barcode, upc, ean, gtin, ean 13, upc code, ean code
isbn: isbn
reference: reference, reference id, ref, external reference, merchant reference, external id, external key, correlation id,
    customer reference, payment reference, reference code, cross reference, psp reference
title: title, subject, headline, heading, topic, caption, subject line, short description, meta title, email subject, call
    subject, short text
label: value, label, display name, friendly name, nick, display label
paragraph: description, long description, body, content, summary, details, abstract, overview, biography, bio, about, long text,
    product description, meta description, html, text body, body html, body text, html body, full text, instruction,
    instructions, terms, terms and conditions, prompt, resume, markdown, narrative, article, text content, policy text
note: email signature, message signature, signature block, result, detail, info, output, outcome, resolution, note, notes,
    comment, comments, remark, remarks, memo, message, feedback, private note, message text, text, additional info, additional
    information, admin note, internal note, answer, response, reply, transcript, additional instructions, special instructions,
    customer note, gift message, explanation, statement
reason: reason, cause, justification, why, purpose, motive, reason description, cancellation reason, stop reason, failure
    reason, outcome reason
sentence: sentence, tagline, slogan, greeting, valedictory, wording
question: question, survey question, question text, prompt question
error_message: error, error message, error detail, exception message, error text, failure message, error description, errors,
    exception, stack trace, error log, exception msg
category: category, class, classification, category name, genre, segment, sector, industry, family, product type, catalog name,
    subcategory, division name
tag: tag, keyword, keywords, meta keywords, label tag, tags, hashtag
status: status, state, stage, phase, condition, order status, status name, payment status, fulfillment status, status label,
    disposition, result status, visibility, availability
priority: priority, severity, urgency, importance, risk level, risk
type: type, kind, tier, level, plan, style, format, variant, grade, edition, option, group, account type, entity type, object
    type, model type, item type, package, template type, service type, theme, model, resource, protocol
mode: mode, method, operation mode, strategy, approach, handling
channel: channel, source, medium, origin, platform, provider, referral source, sales channel, source name, lead source, source
    type
frequency: frequency, recurrence, interval, repeat, periodicity, period, billing cycle, schedule type, repeat interval
colour: color, colour, color name
hex_colour: color hex, hex color, background color, text color, hex, color code, foreground color, label color
size: size, size name, clothing size
unit: unit, unit of measure, unit measure, measure unit, units, uom, unit code, weight unit, dimension unit, unit name, unit
    measure code, measurement unit, unit source value, length unit
carrier: carrier, carrier name, shipping carrier, carrier code, shipping method, ship method, ship via, delivery method,
    shipping provider, carrier nickname, shipping service, shipping method code
diagnosis: diagnosis, condition name, problem, complaint, chief complaint, indication, allergy, disease
medication: medication, drug, medication name, drug name, prescription
specialty: specialty, speciality, medical specialty
url: url, uri, href, link, web link, permalink, callback, callback url, redirect uri, webhook, endpoint, webhook url, download
    link, web url, api url, self, location url, html url, source url
website: website, homepage, web site, site url, web page, company website, website url
image_url: image url, avatar url, avatar, photo url, logo url, picture url, thumbnail url, icon url, thumbnail, photo, logo,
    picture, image, icon, banner, small image, base image, cover image, image link
domain: domain, domain name, host, host name, hostname, fqdn, site domain, server name, email domain
slug: slug, url key, handle slug, url slug, permalink slug, link rewrite, request path, seo name, url path, alias, path key
ip_address: ip, ip address, remote addr, remote ip, ip v 4, client ip, public ip, private ip, remote address, ipv 4, gateway
ipv6_address: ip v 6, ipv 6, ip address v 6
mac_address: mac, mac address
user_agent: user agent, browser
http_method: http method, request method
file_name: file name, original file name, attachment name, attachment, file, document name, original name, uploaded file,
    document file, amendment file
file_path: path, file path, folder path, directory, full path, source path, destination path, destination, relative path, file
    location
file_extension: extension, file extension, file type, file format, document format
mime_type: mime type, content type, media type, mime, content mime type, mimetype
uuid: uuid, guid, idempotency key, request uuid, client token, row guid, transaction uuid, idempotence key, request id, trace id
hash: hash, sha 256, digest, signature, checksum, hmac, fingerprint, file hash, content hash
md5: md 5, etag, md 5 hash
commit: sha, sha 1, commit sha, commit id, commit, sha1 hash, revision sha
token: token, access token, refresh token, secret, password, client secret, nonce, cursor, marker, next token, page token, api
    token, auth token, session token, access key, secret key, batch token, api secret, encrypted password, password hash, next
    cursor, previous cursor, continuation token, pagination token, payment token, pubsub token, hmac identifier, salt,
    authentication code
api_key: api key, public key, private key, app key, license key
version: version, version number, app version, software version, api version, release, vocabulary version
cron: cron, cron expression, cron schedule, schedule, crontab
duration: duration, timeout, length of time, elapsed, auto complete duration, prep time duration, time to live, expected
    duration
time_of_day: time of day, opening time, closing time, open time, close time, local time, scheduled time of day, opening hours,
    business hours
identifier: attribute code, field name, column name, variable, parameter name, attribute name, property name, variable name,
    attribute key, meta key, identifier key, metadata key, key, field, property, attribute, parameter, table name, class name,
    handler, handler type, element id, frontend input, backend type, backend model, source model, frontend class, column,
    namespace, search key, template key
event_name: event, event type, event name, webhook event, activity type, action, trigger, event code, action type, operation,
    activity
mnemonic: coupon code, promo code, discount code, voucher code, coupon, promotion code, symbol, abbreviation, short code,
    mnemonic, short name, error code, reason code, gift code, initials, code name
number: quantity, count, position, sort order, sequence, index, rank, score, age, adults, children, days, number of, length,
    width, height, percentage, percent, points, nights, offset, max length, order qty, dosage quantity, refills
amount: price, amount, total, subtotal, cost, fee, balance, tax, rate, discount, weight, value amount, money, total amount, unit
    price, deposit, premium, salary, wage, tax amount, grand total, base price, gross, net, payment amount, total price
latitude: latitude, lat
longitude: longitude, lng, lon, long
yes_no: enabled, disabled, active, deleted, required, visible, is default, default, verified
moment: timestamp, date time, created, updated, modified, last updated, last modified, created at, updated at, since, last
    login, last seen, time, expires, expiry, deadline, begin, updated after, updated before, due at since, start time, end time,
    appointment time, starts at
day: date, day, birth date, birthday, start date, end date, due date, date of birth, expiry date, issue date, expiration date,
    date from, date to, onset, holiday
json: json, data, metadata, settings, configuration, config, parameters, payload, custom values, custom fields, meta info,
    object
sql: sql, query, sql query, sql statement
identity: id, ids, gid, sid, tenant id
code: code, number, no, identifier, codes, account code, cvx code, gl code, prefix, suffix, rxnorm, cpt code, icd code, code
    system, loinc code, snomed
"""
"""By kind, the ends of names that say it."""
CUES: Mapping[tuple[str, ...], str] = {
    tuple(cue.split()): kind
    for line in _CUES.replace("\n    ", " ").strip().splitlines()
    for kind, listed in (line.split(": ", 1),)
    for cue in listed.split(", ")
}
WEAK = frozenset(
    {
        "type",
        "status",
        "label",
        "identifier",
        "reference",
        "mode",
        "category",
        "channel",
        "number",
        CODE,
        IDENTITY,
        "",
        "yes_no",
    }
    | {"note", "event_name", "amount", "size", "mnemonic", "address", "country", "language", "phone"}
)
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

FORMATS: Mapping[str, str] = {
    "email": "email", "idn-email": "email", "phone": "phone", "uri": "url", "url": "url", "iri": "url", "uri-reference": "url",
    "uuid": "uuid", "guid": "uuid", "ipv4": "ip_address", "ip": "ip_address", "ipv6": "ipv6_address", "hostname": "domain",
    "idn-hostname": "domain", "duration": "duration", "time": "time_of_day", "timezone": "timezone", "password": "token",
    "token": "token", "jwt": "token", "byte": "token", "digest": "hash", "currency": "currency", "mac": "mac_address",
    "date": DAY, "date-time": MOMENT, "datetime": MOMENT, "decimal": AMOUNT, "html": "paragraph", "markdown": "paragraph",
    "country": "country_code", "language": "language", "locale": "locale",
}  # fmt: skip
"""By the format of a schema."""

STATED: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), kind)
    for pattern, kind in (
        (r"ISO[- ]?4217|three[- ](letter|character) currency|currency code", "currency"),
        (r"ISO[- ]?3166(-1)? alpha[- ]?3|three[- ]letter country", "country_code_3"),
        (r"ISO[- ]?3166-2", "region"),
        (r"ISO[- ]?3166|two[- ](letter|character) (ISO )?country|country code", "country_code"),
        (r"ISO[- ]?639|two[- ]letter language|BCP[- ]?47|IETF language", "language"),
        (r"\bE[.]164\b", "phone_e164"),
        (r"\bIANA\b.*(time ?zone|tz)|time ?zone name", "timezone"),
        (r"\b(MIME|media|content)[- ]type\b", "mime_type"),
        (r"RFC[- ]?3339|ISO[- ]?8601[^.]{0,30}(date ?time|timestamp)", MOMENT),
        (r"date ?time (when|of|at)|timestamp", MOMENT),
        (r"ISO[- ]?8601 duration", "duration"),
        (r"YYYY-MM-DD(?!T)", DAY),
        (r"\bHH:MM\b", "time_of_day"),
        (
            r"^(the |a |an )?(\w+ ){0,3}url\b(?! key)|\burl (of|to|that|for|where|pointing)\b|^link to\b|resource url",
            "url",
        ),
        (r"\bUUID\b|\bGUID\b", "uuid"),
        (r"base[- ]?64", "token"),
        (r"\bsemantic version|\bsemver\b", "version"),
        (r"\bSHA-?(1|256|512)\b|\bMD5\b", "hash"),
        (r"\bSQL\b.*(query|statement)", SQL),
        (r"\bJSON\b", JSON),
        (r"^whether\b|^true if\b|^if true\b", "yes_no"),
        (r"^(the )?email address", "email"),
        (r"^(the )?(phone|telephone) number", "phone"),
    )
)
"""What a description says outright."""
OVERRULED = frozenset({"currency", "country_code", MOMENT, "url", "uuid", "mime_type", "token", "hash", JSON, DAY})
"""Kinds that descriptions of something else mention in passing: they have to fit the name, or come first in the description."""

SEEN: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), kind)
    for pattern, kind in (
        (r"https?://\S+[.](png|jpe?g|gif|svg|webp)", "image_url"),
        (r"https?://\S+", "url"),
        (r"[\w.+-]+@[\w-]+[.][\w.]+", "email"),
        (r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "uuid"),
        (r"\d{1,3}([.]\d{1,3}){3}", "ip_address"),
        (r"[0-9a-f]{2}(:[0-9a-f]{2}){5}", "mac_address"),
        (r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}\S*", MOMENT),
        (r"\d{4}-\d{2}-\d{2}", DAY),
        (r"\d{2}:\d{2}(:\d{2})?", "time_of_day"),
        (r"[0-9a-f]{64}", "hash"),
        (r"[0-9a-f]{40}", "commit"),
        (r"#[0-9a-fA-F]{6}", "hex_colour"),
        (r"(America|Europe|Asia|Africa|Australia|Pacific)/\w+", "timezone"),
        (r"[a-z]+/[a-z][\w.+-]+", "mime_type"),
        (r"[+]\d{8,15}", "phone_e164"),
        (r"\d+[.]\d+[.]\d+", "version"),
        (r"(true|false)", "yes_no"),
        (r"(?=\S*\d)(?=\S*[a-z])(?=\S*[A-Z])[\w=+/-]{24,}", "token"),
        (r"\d+[.]\d{2}", AMOUNT),
    )
)
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
    "region": (),
    "language_name": ((3, "language"),),
    "locale": ((3, "language"),),
    "person": ((12, "given_name"),),
    MOMENT: ((19, DAY),),
}
"""Where so many characters are all there is room for, what is meant instead."""

NAMED: tuple[tuple[str, frozenset[str]], ...] = (
    ("person", PEOPLE),
    ("company", COMPANIES),
    ("product", GOODS),
    ("file_name", FILES),
    ("identifier", TECHNICAL),
    ("country_name", frozenset({"country", "nation"})),
    ("currency_name", frozenset({"currency"})),
    ("language_name", frozenset({"language", "culture"})),
    ("city", frozenset({"city", "town", *PLACES})),
    ("region_name", frozenset({"region", "state", "province", "county", "territory"})),
    ("department", frozenset({"department", "team", "division"})),
    ("title", TASKS),
    ("tag", frozenset({"tag", "keyword"})),
    ("category", frozenset({"category", "genre", "segment"})),
    ("unit", frozenset({"unit", "uom"})),
    ("colour", frozenset({"color"})),
    ("job", frozenset({"job", "position"})),
    ("role", frozenset({"role"})),
    ("username", frozenset({"login"})),
    ("domain", frozenset({"domain", "host", "server", "zone"})),
    ("payment_method", frozenset({"payment"})),
    ("carrier", frozenset({"carrier"})),
    ("event_name", frozenset({"event", "trigger"})),
    ("medication", frozenset({"drug", "medication"})),
    ("diagnosis", frozenset({"diagnosis", "condition", "allergy", "problem"})),
)
"""What names of things are, by a word for the thing."""
