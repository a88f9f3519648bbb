"""Guards that can never refuse, known without running: by the time one is reached, earlier conditions leave it no choice.

On the way to each statement we know facts of the form "this field of this row holds one of these words". Conditions add facts,
writes take them away, branches keep what both agree on. Where nothing is known every word is possible, so what cannot be followed
(a sum, a row that was looked up in two ways, an operation that is run) only ever leaves a guard standing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count

from worldwright.blueprint import checked as c
from worldwright.blueprint.check.safety import walk_statements
from worldwright.blueprint.definitions import find_definition
from worldwright.blueprint.effects import effects
from worldwright.blueprint.expr import nodes as n
from worldwright.blueprint.known_facts import ALL, AccessPath, Hop, Known, Words, join_known
from worldwright.blueprint.types import BOOL, Type

MAX_DEPTH = 12
"""How deep names inside names are followed."""


def find_certain_guards(blueprint: c.Checked, operation: c.Operation) -> frozenset[int]:
    """Find the guards that can never refuse, by their position in `walk_statements`."""
    reader = _Reader(blueprint)
    start = Known()
    for i in operation.inputs:
        place = AccessPath(i.name)
        start = start.bind(i.name, place)
        if not i.optional:
            start = replace(start, there=start.there | {place})
    if blueprint.schema.actor:
        start = start.bind("actor", AccessPath("actor"))
    reader.block(start, operation.body)
    return frozenset(reader.certain)


class _Reader:
    """Goes through the statements of one operation in the order of `walk_statements`."""

    def __init__(self, blueprint: c.Checked) -> None:
        self.blueprint = blueprint
        self.entities = blueprint.schema.entities
        self.certain: list[int] = []
        self._positions = count()
        self._roots = count(1)

    def block(self, known: Known | None, statements: tuple[c.Statement, ...]) -> Known | None:
        for s in statements:
            known = self._statement(known, s)
        return known

    def _statement(self, known: Known | None, s: c.Statement) -> Known | None:
        position = next(self._positions)
        if known is None or self._never_refuses(known, s):
            self.certain.append(position)
        match s:
            case c.When():
                yes, no = (None, None) if known is None else (self.learn(known, s.test, w) for w in (True, False))
                return join_known([self.block(yes, s.do), self.block(no, s.otherwise)])
            case c.Each():
                return self._read_loop(known, s)
        return None if known is None else self._step(known, s)

    def _step(self, known: Known, s: c.Statement) -> Known | None:
        match s:
            case c.Let():
                known, place = self._row(known, s.value)
                return known.bind(s.name, place) if place is not None else self._bind_fresh(known, s.name)[0]
            case c.Find():
                return self._find(known, s)
            case c.Require():
                return self.learn(known, s.test, True)
            case c.Obey() if self.blueprint.policies[s.policy].enforced == "tool":
                return self.learn(known, n.Obeys(BOOL, s.policy, s.args), True)
            case c.Set():
                return self._set(known, s)
            case c.Add():
                return self._add(known, s)
            case c.Run() if s.name:
                return self._bind_fresh(known.forget_written(self._list_writes((s,))), s.name)[0]
            case c.Remove() | c.Run():
                return known.forget_written(self._list_writes((s,)))
        return known

    def _bind_fresh(self, known: Known, name: str, there: bool = False) -> tuple[Known, AccessPath]:
        """Bind a name to something that nothing is known of yet."""
        place = AccessPath(f"{name} {next(self._roots)}")
        known = known.bind(name, place) if name else known
        return (replace(known, there=known.there | {place}) if there else known), place

    # statements

    def _never_refuses(self, known: Known, s: c.Statement) -> bool:
        match s:
            case c.Require():
                return self.learn(known, s.test, False) is None
            case c.Obey():
                return self.learn(known, n.Obeys(BOOL, s.policy, s.args), False) is None
            case c.Set():
                return self._always_moves(known, s)
        return False

    def _always_moves(self, known: Known, s: c.Set) -> bool:
        entity = self.entities[s.row.type.entity]
        target = dict(s.values).get(entity.state_field)
        place = self.find_place(known, s.row)
        if target is None or place is None:
            return False
        before = self.list_words(
            known, place.follow(entity.name, entity.state_field), entity.columns[entity.state_field].type
        )
        after = self.list_values(known, target)
        return all(b is not None and a in entity.lifecycle.get(str(b), ()) for b in before for a in after)

    def _set(self, known: Known, s: c.Set) -> Known:
        entity, place = self.entities[s.row.type.entity], self.find_place(known, s.row)
        values = {name: self.list_values(known, v) for name, v in s.values if entity.columns[name].type.kind == "enum"}
        written = self._list_writes((s,))
        known = known.forget_written(written)
        if place is None or written & set(place.hops):
            return known
        for name, words in values.items():
            known = known.with_fact(place.follow(entity.name, name), words)
        return known

    def _add(self, known: Known, s: c.Add) -> Known:
        entity, given = self.entities[s.entity], dict(s.values)
        known, place = self._bind_fresh(known.forget_written(frozenset()), s.name, there=True)
        if not entity.state_field:
            return known
        words = self.list_values(known, given[entity.state_field]) if entity.state_field in given else frozenset([None])
        # Where no state is given, a new row starts in the first one.
        if None in words:
            words = words - {None} | {next(iter(entity.lifecycle))}
        return known.with_fact(place.follow(entity.name, entity.state_field), words)

    def _find(self, known: Known, s: c.Find) -> Known | None:
        """Return what is known after a find: with a code, what was found is there and as the condition says; without, only if
        there is such a row."""
        if s.code:
            found, _ = self._bind_fresh(known, s.name, there=True)
            return found if s.where is None else self.learn(found, s.where, True)
        known, place = self._bind_fresh(known, s.name)
        return self._learn_if_there(known, place, known, s.where)

    def _learn_if_there(self, known: Known, place: AccessPath, inside: Known, where: n.Node | None) -> Known:
        """Learn what a condition says of a row, so far as the row is there at all."""
        there = replace(inside, there=inside.there | {place})
        chosen = there if where is None else self.learn(there, where, True)
        facts = {} if chosen is None else {p: w | {None} for p, w in chosen.facts.items() if p.root == place.root}
        return replace(known, facts={**known.facts, **facts})

    def _read_loop(self, known: Known | None, s: c.Each) -> Known | None:
        """Read a loop: what its body may write is not certain on any turn, nor after it."""
        if known is None:
            self.block(None, s.do)
            return None
        written, bound = self._list_writes(s.do), _list_bound_names(s)
        after = known.forget_written(written).unbind(bound)
        turn, row = self._bind_fresh(known, s.var, there=True)
        chosen = turn if s.where is None else self.learn(turn, s.where, True)
        if chosen is None:
            self.block(None, s.do)
            return after
        inside = chosen.forget_written(written).unbind(bound - {s.var})
        # Rows of a table come up once each: what earlier turns did to their own row, they did not do to this one.
        if not s.rows.items:
            others = self._list_writes(s.do, but=s.var)
            own = {p: w for p, w in chosen.facts.items() if p.root == row.root and len(p.hops) == 1}
            own = {p: w for p, w in own.items() if not {p.hops[0], (p.hops[0][0], ALL)} & others}
            inside = replace(inside, facts={**inside.facts, **own})
        self.block(inside, s.do)
        return after

    def _list_writes(self, statements: tuple[c.Statement, ...], but: str = "") -> frozenset[Hop]:
        """List every field that the statements may write to, leaving out those of the row called `but`."""
        out: set[Hop] = set()
        for s in walk_statements(statements):
            match s:
                case c.Set() if not (isinstance(s.row, n.Var) and s.row.name == but):
                    out |= {(s.row.type.entity, name) for name, _ in s.values}
                case c.Remove():
                    out.add((s.row.type.entity, ALL))
                case c.Run():
                    for write in effects(self.blueprint, s.operation).writes:
                        columns = {"set": write.columns, "remove": (ALL,)}.get(write.verb, ())
                        out |= {(write.entity, name) for name in columns}
        return frozenset(out)

    # conditions

    def learn(self, known: Known, node: n.Node, want: bool, depth: int = 0) -> Known | None:
        """Return what is known where the condition holds (or does not); None where it cannot be so."""
        if depth > MAX_DEPTH:
            return known
        body = self._resolve(node)
        if body is not None:
            return self.learn(known, body, want, depth + 1)
        match node:
            case n.Const():
                return known if bool(node.value) == want else None
            case n.Not():
                return self.learn(known, node.item, not want, depth + 1)
            case n.And() | n.Or():
                return self._learn_joined(known, node, want, depth + 1)
            case n.If():
                return join_known(
                    None if way is None else self.learn(way, branch, want, depth + 1)
                    for way, branch in self._ways(known, node, depth)
                )
            case n.Compare(op="==" | "!=", right=n.Const() as right):
                return self._learn_among(known, node.left, frozenset([right.value]), (node.op == "==") == want)
            case n.InValues():
                return self._learn_among(known, node.item, frozenset(v.value for v in node.values), want)
            case n.IsNone():
                return self._learn_none(known, node.item, want)
        return known

    def _ways(self, known: Known, node: n.If, depth: int) -> Iterator[tuple[Known | None, n.Node]]:
        yield self.learn(known, node.test, True, depth + 1), node.then
        yield self.learn(known, node.test, False, depth + 1), node.other

    def _learn_joined(self, known: Known, node: n.And | n.Or, want: bool, depth: int) -> Known | None:
        if isinstance(node, n.And) != want:
            return join_known(self.learn(known, item, want, depth) for item in node.items)
        now: Known | None = known
        for item in node.items:
            now = None if now is None else self.learn(now, item, want, depth)
        return now

    def _learn_among(self, known: Known, node: n.Node, words: Words, want: bool) -> Known | None:
        place = self.find_place(known, node) if node.type.kind == "enum" else None
        if place is None:
            return known
        before = self.list_words(known, place, node.type)
        left = before & words if want else before - words
        return known.with_fact(place, left) if left else None

    def _learn_none(self, known: Known, node: n.Node, want: bool) -> Known | None:
        known, place = self._row(known, node)
        if place is None:
            return known
        if want:
            return replace(known, absent=known.absent | {place}) if self._may_be_none(known, place) else None
        if place in known.absent:
            return None
        # A row that is there has a value in every field that must have one.
        facts = {p: w - {None} if self._is_required_of(p, place) else w for p, w in known.facts.items()}
        known = replace(known, facts=facts, there=known.there | {place})
        return None if any(not w for w in facts.values()) else known

    def _is_required_of(self, fact: AccessPath, place: AccessPath) -> bool:
        if fact == place:
            return True
        if fact.root != place.root or fact.hops[:-1] != place.hops:
            return False
        entity, name = fact.hops[-1]
        return bool(entity) and not self.entities[entity].columns[name].optional

    def _resolve(self, node: n.Node) -> n.Node | None:
        """Return the condition behind a name, where it is one."""
        found = (
            find_definition(self.blueprint, node) if not isinstance(node, n.Field) or node.type.kind == "bool" else None
        )
        return None if found is None else found.inlined

    # places and what they hold

    def find_place(self, known: Known, node: n.Node) -> AccessPath | None:
        """Find where an expression reads, if it is a name or fields followed from one."""
        match node:
            case n.Var():
                return known.names.get(node.name)
            case n.TermCall() | n.Aggregate():
                return known.looked_up.get(node)
            case n.Field() if node.base.type.kind == "row":
                base = self.find_place(known, node.base)
                return None if base is None else base.follow("", node.name)
            case n.Field():
                entity = node.base.type.entity
                column = self.entities[entity].columns.get(node.name)
                base = self.find_place(known, node.base) if column is not None and column.source == "given" else None
                return None if base is None else base.follow(entity, node.name)
        return None

    def _row(self, known: Known, node: n.Node) -> tuple[Known, AccessPath | None]:
        """The place of a row; one that is looked up gets a place of its own, and is as the condition of the search says."""
        found, search = self.find_place(known, node), self._search(node)
        if found is not None or search is None:
            return known, found
        known, place = self._bind_fresh(known, "")
        known = self._learn_if_there(known, place, known.bind(search.var, place), search.where)
        return replace(known, looked_up={**known.looked_up, node: place}), place

    def _search(self, node: n.Node) -> n.Aggregate | None:
        """The search for one row that an expression is, as it stands or by the name of a term."""
        if isinstance(node, n.TermCall):
            loops = {part.var for part in n.walk(self.blueprint.terms[node.name].body) if isinstance(part, n.Aggregate)}
            body = self._resolve(node)
            # What is handed over under the name of a loop inside would be taken for a row of that loop.
            clash = any(loops & n.free_names(arg) for arg in node.args)
            return None if body is None or clash else self._search(body)
        if not isinstance(node, n.Aggregate) or node.kind not in ("first", "last"):
            return None
        return node if node.type.kind == "ref" and node.value == n.Var(node.type, node.var) else None

    def list_words(self, known: Known, place: AccessPath, kind: Type) -> Words:
        """List what a place of an enum can hold."""
        found = known.list_words(place)
        if found is None:
            found = frozenset(kind.values) | ({None} if self._may_be_none(known, place) else set())
        return found

    def list_values(self, known: Known, node: n.Node) -> Words:
        """List what an expression of an enum can be."""
        if isinstance(node, n.Const):
            return frozenset([node.value])
        if isinstance(node, n.If):
            ways = ((way, branch) for way, branch in self._ways(known, node, 0) if way is not None)
            return frozenset(word for way, branch in ways for word in self.list_values(way, branch))
        place = self.find_place(known, node)
        return self.list_words(known, place, node.type) if place is not None else frozenset(node.type.values) | {None}

    def _may_be_none(self, known: Known, place: AccessPath) -> bool:
        if place in known.there:
            return False
        if not place.hops:
            return True
        entity, name = place.hops[-1]
        if not entity or self.entities[entity].columns[name].optional:
            return True
        return self._may_be_none(known, AccessPath(place.root, place.hops[:-1]))


def _list_bound_names(s: c.Each) -> frozenset[str]:
    """List the names that a loop gives meaning to, its own and those of its body."""
    names = {s.var, *(name for name, _ in s.carry)}
    for inner in walk_statements(s.do):
        match inner:
            case c.Let() | c.Find() | c.Add() | c.Run():
                names.add(inner.name)
            case c.Each():
                names |= {inner.var, *(name for name, _ in inner.carry)}
    return frozenset(names)
