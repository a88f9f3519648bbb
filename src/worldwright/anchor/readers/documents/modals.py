"""Words that demand, forbid or allow something, by language. English has its own finer reading in `demands`."""

from __future__ import annotations

import re

MODALS: dict[str, tuple[tuple[str, str], ...]] = {
    "de": (
        (
            "only_if",
            r"\b(?:darf|dürfen|kann|können|wird|werden|ist|sind) (?:\w+ ){0,3}nur\b|\bnur (?:dann|wenn|falls|nach|"
            r"zulässig|mit)\b|^nur\b.{1,80}\b(?:darf|dürfen|kann|können)\b",
        ),
        (
            "must_not",
            r"\b(?:darf|dürfen|kann|können|soll|sollen|sollte|sollten|muss|müssen) (?:[\w-]+ ){0,4}(?:nicht|"
            r"keine[nrsm]?|kein|nie|niemals)\b|\b(?:nicht|un)\s?(?:erlaubt|zulässig|gestattet|möglich)\b|\bverboten\b|"
            r"\buntersagt\b|\bausgeschlossen\b",
        ),
        (
            "must",
            r"\b(?:muss|müssen|musst|soll|sollen|sollte|sollten)\b|\b(?:ist|sind) (?:[\w-]+ ){0,4}(?:erforderlich|"
            r"notwendig|verpflichtend|verpflichtet|anzugeben|vorzulegen|einzureichen)\b|\b(?:benötigt|benötigen|"
            r"erfordert|erfordern|bedarf|bedürfen)\b|\bverpflichtet\b|\bpflichtfeld\b|\bhat (?:[\w-]+ ){0,5}zu \w+en\b",
        ),
        (
            "may",
            r"\b(?:darf|dürfen|kann|können)\b|\b(?:ist|sind) (?:erlaubt|zulässig|gestattet|berechtigt)\b|\bberechtigt\b",
        ),
    ),
    "fr": (
        (
            "only_if",
            r"\b(?:uniquement|seulement|exclusivement) (?:si|lorsque|quand|après|par|pour|aux?|en)\b|\bne (?:peut|"
            r"peuvent|doit|doivent) (?:\S+ ){1,6}que?\b(?!.{0,3}pas)|^seuls?\b|^seules?\b|\bqu'(?:après|avec|à|en|"
            r"une fois|si)\b",
        ),
        (
            "must_not",
            r"\bne (?:doit|doivent|peut|peuvent|devra|devront|devrait|pourra|pourront|saurait) (?:pas|jamais|plus|"
            r"en aucun cas|être)\b|\binterdite?s?\b|\bn'est pas (?:autorisée?|permise?|possible)\b|"
            r"\bne sont pas (?:autorisée?s|permise?s|acceptée?s)\b",
        ),
        (
            "must",
            r"\b(?:doit|doivent|devra|devront|devrait|devraient)\b|\b(?:est|sont) (?:obligatoires?|requise?s?|"
            r"exigée?s?|nécessaires?|tenue?s? de)\b|\b(?:exige|exigent|nécessite|nécessitent)\b|\bil faut\b|"
            r"\bobligatoires?\b",
        ),
        ("may", r"\b(?:peut|peuvent|pourra|pourront)\b|\b(?:est|sont) (?:autorisée?s?|permise?s?)\b"),
    ),
    "es": (
        (
            "only_if",
            r"\b(?:solo|sólo|solamente|únicamente) (?:si|cuando|tras|después|por|para|se|podrán?|pueden?|en|con|los|"
            r"las|el|la)\b|\b(?:puede|pueden|podrá|podrán) (?:\S+ ){0,4}(?:solo|sólo|únicamente|solamente)\b|^(?:solo|"
            r"sólo|únicamente)\b",
        ),
        (
            "must_not",
            r"\bno (?:se )?(?:debe|deben|deberá|deberán|puede|pueden|podrá|podrán|permite|permiten|admite|admiten)\b|"
            r"\bprohibid[oa]s?\b|\bno (?:está|están|es|son) (?:permitid|autorizad|posible)|\bqueda prohibido\b",
        ),
        (
            "must",
            r"\b(?:debe|deben|deberá|deberán|debería|deberían)\b|\b(?:tiene|tienen|hay) que\b|\b(?:es|"
            r"son) (?:obligatori[oa]s?|necesari[oa]s?)\b|\b(?:requiere|requieren|necesita|necesitan|exige|exigen)\b|"
            r"\bobligatori[oa]s?\b",
        ),
        ("may", r"\b(?:puede|pueden|podrá|podrán)\b|\bse permite\b"),
    ),
    "pt": (
        (
            "only_if",
            r"\b(?:só|somente|apenas|unicamente) (?:se|quando|após|por|para|pode|podem|poderá|poderão|é|são|os|as|o|a|"
            r"com)\b|\b(?:pode|podem) (?:\S+ ){0,4}(?:só|somente|apenas)\b|^(?:só|somente|apenas)\b",
        ),
        (
            "must_not",
            r"\bnão (?:se )?(?:deve|devem|deverá|deverão|pode|podem|poderá|poderão|é permitid|são permitid|é possível|"
            r"são aceit)|\bproibid[oa]s?\b|\bvedad[oa]s?\b",
        ),
        (
            "must",
            r"\b(?:deve|devem|deverá|deverão|deveria|deveriam)\b|\b(?:tem|têm|tê[m]?) (?:que|de)\b|\b(?:é|"
            r"são) (?:obrigatóri[oa]s?|necessári[oa]s?|exigid[oa]s?)\b|\b(?:requer|requerem|precisa|precisam|exige|"
            r"exigem)\b|\bobrigatóri[oa]s?\b",
        ),
        ("may", r"\b(?:pode|podem|poderá|poderão)\b|\b(?:é|são) permitid[oa]s?\b"),
    ),
    "it": (
        (
            "only_if",
            r"\b(?:solo|soltanto|esclusivamente|unicamente) (?:se|quando|dopo|da|dal|per|in|con|i|gli|le|il|la)\b|"
            r"\b(?:può|possono) (?:\S+ ){0,4}(?:solo|soltanto|esclusivamente)\b|^(?:solo|soltanto)\b",
        ),
        (
            "must_not",
            r"\bnon (?:si )?(?:deve|devono|dovrà|dovranno|può|possono|potrà|potranno|è consentit|sono consentit|"
            r"è possibile|è ammess|sono ammess)|\bvietat[oaie]\b|\bproibit[oaie]\b",
        ),
        (
            "must",
            r"\b(?:deve|devono|dovrà|dovranno|dovrebbe|dovrebbero)\b|\b(?:è|sono) (?:obbligatori[oae]?|necessari[oae]?|"
            r"richiest[oaie])\b|\b(?:richiede|richiedono|occorre|occorrono|bisogna)\b|\bobbligatori[oae]?\b",
        ),
        ("may", r"\b(?:può|possono|potrà|potranno)\b|\b(?:è|sono) consentit[oaie]\b"),
    ),
    "nl": (
        (
            "only_if",
            r"\b(?:mag|mogen|kan|kunnen|wordt|worden|is|zijn) (?:\S+ ){0,4}(?:alleen|uitsluitend|slechts|pas)\b|"
            r"\b(?:alleen|uitsluitend|slechts) (?:als|indien|wanneer|na|door|voor|met|toegestaan)\b|^(?:alleen|"
            r"uitsluitend)\b",
        ),
        (
            "must_not",
            r"\b(?:mag|mogen|kan|kunnen|moet|moeten|zal|zullen) (?:\S+ ){0,4}(?:niet|geen|nooit)\b|"
            r"\bniet (?:toegestaan|mogelijk)\b|\bverboden\b",
        ),
        (
            "must",
            r"\b(?:moet|moeten|dient|dienen|behoort|behoren|zou moeten)\b|\b(?:is|zijn) (?:verplicht|vereist|nodig|"
            r"noodzakelijk)\b|\b(?:vereist|vereisen|verplicht)\b",
        ),
        ("may", r"\b(?:mag|mogen|kan|kunnen)\b|\b(?:is|zijn) toegestaan\b"),
    ),
    "zh": (
        (
            "only_if",
            r"只有.{1,60}(?:才|方)|仅(?:当|限|在|可|能|允许)|只(?:能|可|允许|有)|方可|除非|须经.{1,30}(?:后|方)",
        ),
        ("must_not", r"不得|不能|不可(?!避免|或缺)|禁止|不允许|不应|严禁|不许|不准|无权"),
        (
            "must",
            r"必须|必需|须|应当|应该|需要|务必|应(?![用急聘变收付税答邀对该当])|不少于|不低于|不超过|至少|不晚于|需(?![求要])",
        ),
        ("may", r"可以|允许|有权|可(?=[由在向以对将按通根自申查撤修取提选])"),
    ),
    "ja": (
        (
            "only_if",
            r"場合に限り|場合のみ|場合にのみ|に限る|に限り|のみが?.{0,40}(?:できる|できます|可能)|でなければ.{1,40}(?:できない|できません|ならない)",
        ),
        (
            "must_not",
            r"てはならない|てはなりません|てはいけない|てはいけません|禁止|ことはできない|ことはできません|ことができない|できないものとする|できない|できません|不可|認めない|認められない|許可しない",
        ),
        (
            "must",
            r"なければならない|なければなりません|なくてはならない|ねばならない|ものとする|ものとします|必要がある|必要があります|が必要|を要する|すること(?:。|$)|こと(?:。|$)|必須|べき|義務",
        ),
        ("may", r"ことができる|ことができます|できる|できます|てもよい|てよい|可能"),
    ),
    "ko": (
        ("only_if", r"경우에만|에 한하여|에 한해|에만|해야만"),
        ("must_not", r"안 된다|안 됩니다|안된다|안됩니다|수 없다|수 없습니다|수 없음|금지|불가|아니 된다"),
        (
            "must",
            r"해야 한다|해야 합니다|하여야|해야 함|되어야|어야 한다|어야 합니다|아야 한다|필수|필요하다|필요합니다|의무",
        ),
        ("may", r"수 있다|수 있습니다|수 있음|가능하다|가능합니다|허용"),
    ),
    "ru": (
        (
            "only_if",
            r"\bтолько (?:если|при|после|когда|в случае|с|для)\b|\bлишь (?:если|при|после)\b|\bне раньше чем\b|^только\b",
        ),
        (
            "must_not",
            r"\bне (?:должен|должна|должно|должны|может|могут|разрешается|допускается|следует|вправе)\b|\bзапрещ\w+|"
            r"\bнельзя\b|\bневозможно\b",
        ),
        (
            "must",
            r"\b(?:должен|должна|должно|должны|обязан|обязана|обязаны|следует|необходимо|требуется|требуют|нужно|"
            r"надлежит)\b|\bобязательн\w+",
        ),
        ("may", r"\b(?:может|могут|вправе|разрешается|допускается|можно)\b"),
    ),
    "ar": (
        ("only_if", r"فقط (?:إذا|عند|بعد|في)|إلا (?:إذا|بعد|في|عند)"),
        ("must_not", r"لا يجوز|لا يجب|لا يمكن|لا ينبغي|يحظر|ممنوع|يمنع|لا يسمح"),
        ("must", r"يجب|ينبغي|يتعين|يلزم|لا بد|إلزامي|يتطلب"),
        ("may", r"يجوز|يمكن|يسمح|يحق"),
    ),
}
"""In order: the first form that is found decides."""

FORMS: dict[str, tuple[tuple[str, re.Pattern[str]], ...]] = {
    code: tuple((demand, re.compile(form, re.IGNORECASE)) for demand, form in forms) for code, forms in MODALS.items()
}
EXAMPLES = {
    "de": "muss",
    "fr": "doit",
    "es": "debe",
    "pt": "deve",
    "it": "deve",
    "nl": "moet",
    "zh": "必须",
    "ja": "なければならない",
    "ko": "해야 한다",
    "ru": "должен",
    "ar": "يجب",
}


def demand_in(text: str, language: str) -> str:
    """What a sentence demands, or nothing."""
    return next((demand for demand, form in FORMS.get(language, ()) if form.search(text)), "")
