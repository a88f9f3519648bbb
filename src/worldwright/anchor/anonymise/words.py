"""Words about people: which names of columns speak of them, what their names look like, and parts to invent new ones from."""

from __future__ import annotations

from worldwright.english.words import wordset

PEOPLE = wordset(
    "person customer client contact user employee patient guest member student teacher doctor physician nurse staff "
    "worker candidate applicant driver agent author lead subscriber tenant passenger citizen beneficiary claimant "
    "insured donor volunteer attendee participant borrower buyer seller owner holder cardholder recipient sender "
    "payee payer manager supervisor assignee requester reporter reviewer approver rep representative consultant "
    "technician officer kunde mitarbeiter ansprechpartner partner child parent spouse relative witness resident"
)
"""Words for somebody: a thing of that name has people in it, a column of that name holds one."""
COMPANIES = wordset(
    "inc llc ltd gmbh ag corp corporation company kg ohg sa srl spa bv nv plc oy ab as group holding holdings "
    "university bank hotel store shop services service solutions systems partners associates foundation institute "
    "industries international logistics media team department office limited kk"
)
PARTICLES = wordset(
    "von van de der den del della da di do dos du la le el al bin ibn ben y e und and zu zur zum ter ten st san"
)
ENDINGS = wordset("jr sr ii iii iv phd md msc bsc esq")
"""After a name."""
TITLES = wordset("mr mrs ms miss mx dr prof herr herrn frau sir madam rev mme mlle monsieur madame señor señora")
NOBODY = frozenset(
    {"n/a", "na", "none", "null", "unknown", "anonymous", "test", "tbd", "other", "various", "system", "admin",
     "default", "unassigned", "-", "--", "?", "x", "xx", "xxx", "empty", "missing", "not available", "not given", "no", "yes"}
)  # fmt: skip
"""What stands in a column of people where nobody is meant."""
ROLES = wordset(
    "info support sales contact hello admin administrator office service help billing noreply no reply team hr jobs "
    "press mail webmaster postmaster marketing accounts invoice orders"
)
"""Before the `@` of an address that belongs to nobody in particular."""
_COMMON = """
    ahmed aiko aisha albert alex alexander ali alice amina amit amy ana anders andrea andreas andrew angela anja anna
    anne anthony arjun arthur astrid barbara benjamin bernd bert björn brian brigitte camille carl carlos carmen
    caroline catherine charles charlotte chidi chloé christian christine christopher claire claudia daniel david deepa
    dennis diana dieter dmitri dominique edward elena elizabeth ella emily emma eric erik eva fatima felix finn
    francesca frank gabriel george giovanni giulia grace günter hannah hans harry hassan heike helen henry hiroshi
    horst ibrahim ingrid isabella ivan jack jacob jacques james jan jane javier jennifer jessica jing joan john
    jonathan jose joseph josé joão juan julia julie jürgen karen karin katherine katrin kelly kenji kevin klaus kwame
    lars laura laurent lea lena leo leon lily linda lisa louis louise luc luca lucas lucy lucía luis lukas manfred
    marc marco margaret maria marie mario mark markus martin mary matthew max mei mia michael michel michelle miguel
    ming mohammed monica monika moritz muhammad nancy natasha ngozi nicole nina noah nora olga oliver olivia omar
    oscar pablo paolo patricia patrick paul pedro peter petra philip pierre priya rachel raj ravi rebecca renate
    richard robert ruth sabine sakura sam samuel sandra sanjay sara sarah sebastian simon sofia sophie stefan stephen
    steven sunita susan sven teresa thomas tim tom ursula uwe victoria vincent walter wei william wolfgang yuki yusuf
    zoe
"""
COMMON = frozenset(_COMMON.split())
"""Given names that many people have. They only help to notice that a column holds people."""
STREETS = wordset(
    "street st road rd avenue ave lane ln drive dr boulevard blvd court ct place pl square way terrace highway hwy "
    "parkway close crescent rue via calle plaza platz straße strasse str weg gasse allee ring ufer damm laan straat "
    "rua avenida ulica"
)
STREET_ENDINGS = tuple(wordset("straße strasse str weg gasse allee platz ring ufer damm laan straat gatan vej"))


def _tuple(text: str) -> tuple[str, ...]:
    return tuple(text.split())


GIVEN_STARTS = _tuple(
    "Al Am Bel Bren Cas Cor Da Del El Em Fa Fen Ga Gri Ha Hel Il Is Ja Jo Ka Kel La Lin Ma Mir Na Nor O Per Ra "
    "Ro Sa Sel Ta Tor U Va Wil Zel"
)
GIVEN_ENDS = _tuple(
    "bena dan dessa dric fina gan kara landa leth lian lisse lon maris mond nando nessa nik phine ra rell ric "
    "rian sander sela sten tara tian vanne ven vin wen xia yara"
)
FAMILY_STARTS = _tuple(
    "Ald Bar Bel Bren Cal Cor Dal Del Ebn Fal Far Gar Gel Hal Har Hol Ker Kes Lan Lin Mar Mer Nor Ost Pel Per "
    "Quil Ran Rol Sal Ser Sol Tal Tor Ulm Val Ver Wal Wes Zel"
)
FAMILY_MIDDLES = _tuple("a e o i en er an in or un ab ev iv")
FAMILY_ENDS = _tuple(
    "berg brook by dale den feld ford gate ham holt hurst ley low man mann mont more ner ny sen ski son sted "
    "ston strom ton vale ville well wick wood worth"
)
KINDS_OF_STREET = _tuple("Street Road Lane Avenue Way")
