"""Wrong Blueprints: small edits of the example, each with what the checker has to say about it, and where."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

EXAMPLE = (Path(__file__).parents[2] / "examples" / "town_library.yaml").read_text(encoding="utf-8")


@dataclass(frozen=True)
class Wrong:
    """`old` becomes `new`; a finding with these pieces is due on the line where they begin to differ."""

    old: str
    new: str
    message: str
    hint: str = ""
    at: str = ""
    """Text on the line of the finding, where it is not the line of the edit."""

    @property
    def text(self) -> str:
        assert EXAMPLE.count(self.old) == 1, f"{self.old!r} is not in the example exactly once"
        return EXAMPLE.replace(self.old, self.new)

    @property
    def line(self) -> int:
        text = self.text
        if self.at:
            assert text.count(self.at) == 1, f"{self.at!r} is not in the text exactly once"
            return text[: text.index(self.at)].count("\n") + 1
        same = next((i for i, (a, b) in enumerate(zip(self.old, self.new, strict=False)) if a != b), 0)
        return EXAMPLE[: EXAMPLE.index(self.old) + same].count("\n") + 1


HEAD = [
    Wrong("now: 2025-06-16T09:00:00Z", "now: 2025-06-16", "`2025-06-16` is not a moment", "2025-06-16T09:00:00Z"),
    Wrong(
        "holidays: [2025-01-01, 2025-05-01]",
        "holidays: [2025-01-01, 2025-02-30]",
        "`2025-02-30` is not a day",
        "2025-01-31",
    ),
    Wrong("currency: EUR", "currency: euro", "[A-Z]{3}"),
    Wrong("rounding: half_up", "rounding: up", "'half_up' or 'half_even'"),
    Wrong("title: Town library\n", "titel: Town library\n", "`titel` is not known here", "did you mean `title`?"),
    Wrong("title: Town library\n", "", "`title` is needed", at="blueprint: town_library"),
    Wrong("blueprint: town_library", "blueprint: Town Library", "Town Library"),
    Wrong(
        "entity: clerk, role: role", "entity: clark, role: role", "no entity is called `clark`", "did you mean `clerk`?"
    ),
    Wrong("entity: clerk, role: role", "entity: clerk, role: name", "`name` is not a `one of` field of clerk"),
    Wrong("  manager: waives", "  director: waives", "role `director` is not a value of clerk.role"),
    Wrong("actor: {entity: clerk, role: role}\n", "", "", at="roles:\n  librarian"),
    Wrong("category: Education / ", "category: Education: ", "not YAML", "quote text that contains `: `"),
    Wrong(
        "title: Town library\n", "title: Town library\ntitle: Again\n", "`title` is given twice here", at="title: Again"
    ),
    Wrong(
        "systems: {desk: the",
        "use: &a []\nsource: *a\nsystems: {desk: the",
        "aliases are not allowed",
        "write it out",
        at="source: *a",
    ),
]

ENTITIES = [
    Wrong("    in: mail\n    says: A message", "    in: mial\n    says: A message",
          "no system is called `mial`", "did you mean `mail`?"),
    Wrong("key: MEM-####", "key: mem-####", "`mem-####` is not a key", "capitals, a dash and 2 to 9 #"),
    Wrong("rows: 8\n", "rows:\n", "nothing stands there", "quote a text with a comma"),
    Wrong("key: TTL-####", "key: MEM-####", "the key prefix MEM- is already that of `member`"),
    Wrong("rows: 40", "rows: forty", "valid integer"),
    Wrong("    rows: 40\n", "    rows: 40\n    row: 3\n",
          "`row` is not known here", "did you mean `rows`?", at="    row: 3"),
    Wrong("science 20%, history 20%, children 10%", "science 20%", "the weights add up to 70%", "100% is needed"),
    Wrong("one of librarian 75%, manager 25%", "one of librarian, librarian", "a choice names a word twice"),
    Wrong("price: money ~", "price: mony ~", "no type or entity is called `mony`", "did you mean `money`?"),
    Wrong("lognormal(18, 0.5)", "lognormal(18)", "`lognormal` takes 2 arguments, not 1"),
    Wrong("money ~ lognormal(18, 0.5)", "money in currency",
          "no field `currency` names the currency", "known: genre, name, price"),
    Wrong("      blocked: bool", "      count: bool", "`count` is a word of the language", "the_count"),
    Wrong("      blocked: bool", "      Blocked: bool", "`Blocked` cannot be the name of a field", "lower case"),
    Wrong("favourite(t for t in title)", "favourite(t for t in titel)",
          "`titel` is not an entity", "did you mean `title`?"),
    Wrong("today - 30)", "today - allowance)", "a draw may read only fields declared above it, not `allowance`"),
    Wrong("10 if tier == 'gold'", "10 if tier == 'golden'",
          "'golden' is not one of basic, gold", "did you mean `gold`?"),
    Wrong("10 if tier == 'gold'", "10 if joined_on < today", "a kept field cannot read `today`", "use `computed`"),
    Wrong("l.fine for l in loans)", "l.fine for l in loan)",
          "only over rows that refer to its own row", "use `computed`"),
    Wrong("l.fine for l in loans)", "l.fines for l in loans)", "`loan` has no field `fines`", "did you mean `fine`?"),
    Wrong("on_shelf: [lent, lost]", "on_shelf: [lend, lost]", "`lend` is not a state", "did you mean `lent`?"),
    Wrong("      status: state\n    lifecycle:\n      on_shelf", "      status: text\n    lifecycle:\n      on_shelf",
          "a lifecycle but no field of type `state`", "add `status: state`", at="  copy:\n    in"),
    Wrong("member: member as notices", "member: member as loans",
          "`member` already has a `loans`", "name the way back"),
    Wrong("due_on < today\n", "due_on < yesterday\n",
          "nothing is called `yesterday` here", "known: actor, copy, due_on"),
    Wrong("bool computed status == 'out' and due_on < today", "bool computed overdue", "is computed from itself"),
    Wrong("bool computed status == 'out' and due_on < today", "bool computed fine", "bool is needed, not money"),
    Wrong("({tier} member)", "({teir} member)", "nothing is called `teir` here", "did you mean `tier`?"),
    Wrong("  title:\n    in", "  product:\n    in", "`product` is a type of the language"),
]  # fmt: skip

RULES = [
    Wrong("l in m.loans if", "l in m.loan if", "`member` has no way back `loan`", "did you mean `loans`?"),
    Wrong("l in m.loans if", "l in m.loans where", "not an expression", "conditions in aggregates follow `if`"),
    Wrong('"max(0, today - l.due_on)"', '"late_days(l)"', "leads back to itself"),
    Wrong("about: {l: loan}", "about: {l: lone}", "no type or entity is called `lone`", "did you mean `loan`?"),
    Wrong("rule: open_loans(member) <", "rule: open_loan(member) <",
          "no function or term is called `open_loan`", "`open_loans`?"),
    Wrong("rule: open_loans(member) < member.allowance + extra", "rule: open_loans(member)", "bool is needed, not int"),
    Wrong("{extra: {default: 0,", "{extra: {defualt: 0,", "parameter `extra` has no `default`"),
    Wrong("than {extra:int} loans", "than {more:int} loans", "nothing is called `more` here", "known: actor, extra"),
    Wrong("than {extra:int} loans", "than {extra:integer} loans", "unknown format `integer`", "did you mean `int`?"),
    Wrong("beats: [loan_limit]", "beats: [loan_limits]",
          "no policy `loan_limits` to beat", "did you mean `loan_limit`?"),
    Wrong("enforced: agent", "enforced: agents", "'tool' or 'agent'"),
    Wrong("code: LOAN_LIMIT", "code: loan limit", "[A-Z]"),
    Wrong("      - allowed: {member.owed: 10}\n", "",
          "no case says `allowed`", "one of each at least", at="    cases:\n      - forbidden: {member.owed"),
    Wrong("{member.owed: 10}", "{member.owed: 11}",
          "the case says allowed, the rule says otherwise", "mend the rule or the case"),
    Wrong("{member.owed: 10}", "{member.owned: 10}", "`member` has no field `owned`", "did you mean `owed`?"),
    Wrong("{member.owed: 10}", "{membre.owed: 10}", "the policy is not about `membre`", "did you mean `member`?"),
    Wrong("{member.owed: 10}", "{membre: 10}", "the policy is not about `membre`", "did you mean `member`?"),
    Wrong("{member.owed: 10}", "{member.owed: 10, loan.fine: 3}", "the policy is not about `loan`"),
    Wrong("{member.owed: 10}", "{member.tier: gold}", "the case does not say `member.owed`"),
    Wrong("because: long_standing", "because: long_standin",
          "`long_standin` does not beat", "did you mean `long_standing`?"),
    Wrong("not: {member.tier: gold, member.joined_on: 2025-06-01}", "not: {member.tier: gold, member.joined_on: May}",
          "'May' is not a day"),
    Wrong("applies: {member.tier: gold,", "applies: {member.tier: goldd,",
          "'goldd' is not one of", "did you mean `gold`?"),
    Wrong("each: loan, holds: fine >= 0", "each: loans, holds: fine >= 0",
          "no entity is called `loans`", "did you mean `loan`?"),
    Wrong("each: loan, holds: fine >= 0", "each: loan, holds: due_on >= today",
          "cannot depend on the time", "make it a policy"),
    Wrong("each: loan, holds: fine >= 0", "each: loan, holds: fin >= 0",
          "nothing is called `fin` here", "did you mean `fine`?"),
]  # fmt: skip

OPERATIONS = [
    Wrong("[librarian, manager]\n    takes:\n", "[librarien, manager]\n    takes:\n",
          "no role is called `librarien`", "`librarian`?"),
    Wrong("default: 21,", "default: soon,", "nothing is called `soon` here"),
    Wrong("{type: int, min: 1,", "{type: int, minimum: 1,", "`minimum` is not known here", "did you mean `min`?"),
    Wrong("default: 21,", "default: 90,", "90"),
    Wrong("min: 1, max: 60,", "min: 60, max: 1,", ""),
    Wrong("once: first(l for l in loan if", "once: count(l for l in loan if", "not int", "first(r for r in ...)"),
    Wrong("require: copy.status == 'on_shelf'", "require: copy.status == 'onshelf'",
          "'onshelf' is not one of", "did you mean `on_shelf`?"),
    Wrong("require: copy.status == 'on_shelf'", "require: copy.state == 'on_shelf'",
          "`copy` has no field `state`", "`status`?"),
    Wrong("else: NOT_ON_SHELF", "else: not on shelf", "[A-Z]"),
    Wrong("is {copy.status}, not", "is {copy.statu}, not", "`copy` has no field `statu`", "did you mean `status`?"),
    Wrong("is {copy.status}, not", "is {copy.status:money}, not", "money"),
    Wrong("[loan_limit, no_debts]", "[loan_limit, no_debt]",
          "no policy is called `no_debt`", "did you mean `no_debts`?"),
    Wrong("obey: [waiver_cap]", "obey: [no_debts]",
          "`no_debts` is about `member`, which is not in scope", "say member=..."),
    Wrong("set: {copy.status: lent}", "set: {copy.status: lended}", "`lended` is not one of", "did you mean `lent`?"),
    Wrong("set: {copy.status: lent}", "set: {copy.satus: lent}",
          "`copy` has no field `satus`", "did you mean `status`?"),
    Wrong("set: {copy.status: lent}", "set: {member.owed: 3}", "`member.owed` is kept; it follows from its rule"),
    Wrong("add: loan\n", "add: laon\n", "no entity is called `laon`", "did you mean `loan`?"),
    Wrong("{member: member, copy: copy, lent_on: today,", "{member: copy, copy: copy, lent_on: today,",
          "a row of member is needed, not copy"),
    Wrong("{member: member, copy: copy, lent_on: today,", "{copy: copy, lent_on: today,",
          "`loan.member` is required", "give it in `with`",
          at="- add: loan"),
    Wrong("copy: copy, lent_on: today,", "copy: copy, lent_on: now,", "date is needed, not time", "use day(...)"),
    Wrong("as: l\n    gives: l\n", "as: l\n    gives: m\n", "nothing is called `m` here"),
    Wrong("as: l\n    gives: l\n", "as: member\n    gives: l\n",
          "`member` already means something here", "choose another name"),
    Wrong("      - let: {late: late_days(loan)}\n", "      - let: {late: late_days(loan)}\n        else: NOPE\n",
          "`else` does not go with `let`",
          at="      - let: {late:"),
    Wrong("- let: {late: late_days(loan)}", "- lets: {late: late_days(loan)}",
          "`lets` is not known here", "did you mean `let`?"),
    Wrong("late_days(loan)}", "late_days(loan) / 2}", "a division has to be rounded", "write round(a / b, places)"),
    Wrong("late * money(0.30)", "late * 0.30", "money do not mix"),
    Wrong("late * money(0.30)", "loan.fine * money(0.30)", "money times money has no meaning"),
    Wrong("- when: late > 14", "- when: late", "bool is needed, not int"),
    Wrong("{late:days} late", "{late:daze} late", "unknown format `daze`", "known: day, days"),
    Wrong("- each: c in copies", "- each: c in copys", "`copys` is not an entity", "did you mean `cop"),
    Wrong("- each: c in copies", "- each: c of copies", "`c of copies` is not `name in rows`"),
    Wrong("{list: copy, max: 10,", "{list: copy, max: 1000,", "a list of 1 to 1000", "at most 100"),
    Wrong("gives: {lost_value: value}", "gives: {lost_value: 'f\"{copies}\"'}", "list"),
    Wrong("filters: [member, copy, status,", "filters: [member, copy, state,",
          "`loan` has no field `state`", "did you mean `status`?"),
    Wrong("filters: [member, copy, status,", "filters: [member, member, status,", "member"),
    Wrong("sort: [-due_on, fine]", "sort: [-due, fine]", "`loan` has no field `due`", "did you mean `due_on`?"),
    Wrong("sort: [-due_on, fine]", "sort: [-due_on, member]", "`member` has no order", "dates, numbers"),
    Wrong("member.name, copy, due_on", "member.nam, copy, due_on",
          "`member` has no field `nam`", "did you mean `name`?"),
    Wrong("    search: loan\n", "    search: lone\n", "no entity is called `lone`", "did you mean `loan`?"),
    Wrong("    get: member\n", "    get: membre\n", "no entity is called `membre`", "did you mean `member`?"),
    Wrong("with: [loans, notices]", "with: [loans, notice]", "`notice`", "did you mean `notices`?"),
    Wrong("  waive_fine:\n    in", "  submit:\n    in", "`submit` is reserved"),
]  # fmt: skip


def _drift(original: str, copy: str, via: str) -> str:
    return f"layer: drift, from: {original}, to: {copy}, via: {via}, label: misspelt_members,"


PAST = [
    Wrong("where status == 'on_shelf'}", "where status == 'shelf'}",
          "'shelf' is not one of", "did you mean `on_shelf`?"),
    Wrong("given: {m: member,", "given: {m: memeber,",
          "no type or entity is called `memeber`", "did you mean `member`?"),
    Wrong("l.member == m and", "l.member == c and", "a row of member is needed, not copy"),
    Wrong("please lend {c} to", "please lend {x} to", "nothing is called `x` here", "known: actor, c, m"),
    Wrong("spans: 200 days", "spans: 200 weeks", "`200 weeks` is not a span", "for instance `240 days`"),
    Wrong("seasonal: winter", "seasonal: wintry", "'winter'"),
    Wrong("per_week: 12", "per_week: 0", "greater than 0"),
    Wrong("per_week: 12", "per_week: nan", ""),
    Wrong("- do: take_back", "- do: takeback", "no operation is called `takeback`", "did you mean `take_back`?"),
    Wrong("by: manager\n          chance", "by: librarian\n          chance",
          "a librarian may not waive_fine", "by manager"),
    Wrong("{loan: loan}\n        - do: waive", "{lone: loan}\n        - do: waive",
          "`take_back` does not take `lone`", "did you mean `loan`?"),
    Wrong("chance: 95%", "chance: 195%", "less than or equal to 1"),
    Wrong("if: loan.fine > 0", "if: loan.fined > 0", "`loan` has no field `fined`", "did you mean `fine`?"),
    Wrong("in: member.name, share", "in: member.nam, share",
          "`member` has no stored field `nam`", "did you mean `name`?"),
    Wrong("{layer: typo,", "{layer: typos,", "'typo'"),
    Wrong("in: member.name, share", "in: member.joined_on, share", "`member.joined_on` is date, not text"),
    Wrong("style: DD.MM.YY", "style: DD/MM/YY", "`DD/MM/YY` is not a style", "DD.MM.YY, MM/DD/YYYY"),
    Wrong("in: copy.acquired_on", "in: member.joined_on",
          "so its format cannot be old", "choose a date that no rule reads"),
    Wrong("label: twice_registered", "label: old_dates", "two layers are labelled `old_dates`"),
    Wrong("share: 20%", "share: 20", "less than or equal to 1"),
    Wrong("vary: [name, mail]", "vary: [name, tier]", "`tier` is not text and cannot vary"),
    Wrong("layer: typo, label: misspelt_members,", "layer: missing, label: misspelt_members,",
          "cannot be missing", "make it optional with ?"),
    Wrong("layer: typo, label: misspelt_members,", "layer: half_done, flow: lendings, after: lend, label: misspelt_members,",
          "no flow is called `lendings`", "did you mean `lending`?"),
    Wrong("layer: typo, label: misspelt_members,", "layer: half_done, flow: lending, after: lent, label: misspelt_members,",
          "flow `lending` has no step `lent`", "did you mean `lend`?"),
    Wrong("layer: typo, label: misspelt_members,", _drift("titel.name", "copy.shelf", "title"),
          "no entity is called `titel`", "did you mean `title`?"),
    Wrong("layer: typo, label: misspelt_members,", _drift("title.name", "copies.shelf", "title"),
          "no entity is called `copies`", "did you mean `copy`?"),
    Wrong("layer: typo, label: misspelt_members,", _drift("title.price", "copy.shelf", "title"),
          "`title.price` is money, `copy.shelf` is text"),
    Wrong("layer: typo, label: misspelt_members,", _drift("title.name", "copy.shelf", "acquired_on"),
          "`copy.acquired_on` does not refer to `title`"),
]  # fmt: skip

JOINED = "      joined_on: date ~ between(today - 900, today - 30)\n"


def _joined(shown: str, *more: str) -> str:
    """The field with a way to be shown, and what stands behind it."""
    field = f"      joined_on: {{type: 'date ~ between(today - 900, today - 30)', shown: {shown}}}\n"
    return field + "".join(f"      {line}\n" for line in more)


DESK = "desk_of: {type: 'one of here, there?', draw: none}"
SHOWN = [
    Wrong(JOINED, _joined("{by: tier}"), "says either `codes`, or `by` a field and its `ways`"),
    Wrong(JOINED, _joined("{codes: {a: b}}"), "only a `one of` or a state has codes"),
    Wrong(JOINED, _joined("{by: teir, ways: {gold: DD.MM.YY}}"), "`teir` is not a stored `one of` field", "did you mean `tier`?"),
    Wrong(JOINED, _joined("{by: desk_of, ways: {hear: DD.MM.YY}}", DESK),
          "`hear` is not a word of `desk_of`", "did you mean `here`?"),
    Wrong(JOINED, _joined("{by: desk_of, ways: {here: YY}}", DESK), "`YY` is no way to show date", "a style: DD.MM.YY"),
    Wrong(JOINED, _joined("{by: desk_of, ways: {here: = tier}}", DESK), "`tier` is one of basic, gold, `joined_on` is date"),
    Wrong(JOINED, _joined("{by: desk_of, ways: {here: = joined}}", DESK),
          "has no stored field `joined`", "did you mean `joined_on`?"),
    Wrong("tier: one of basic 80%, gold 20%", "tier: {type: 'one of basic, gold', shown: {codes: {basic: B}}}",
          "has no code for `gold`"),
    Wrong("tier: one of basic 80%, gold 20%", "tier: {type: 'one of basic, gold', shown: {codes: {basic: B, gold: B}}}",
          "two words have one code"),
    Wrong('    called: "{name} ({tier} member)"\n', '    called: "{name} ({tier} member)"\n    live: gone_on is none\n',
          "nothing is called `gone_on` here", at="live: gone_on"),
]  # fmt: skip

WRONG = [*HEAD, *ENTITIES, *RULES, *OPERATIONS, *PAST, *SHOWN]
