"""A world with every kind of statement in it, and the corners where an engine and a generated file could go apart."""

from __future__ import annotations

STATEMENTS = """
blueprint: statement_world
title: Boxes and coins
now: 2025-06-16T09:00:00Z
currency: EUR
systems: {vault: the vault}
actor: {entity: clerk, role: role}
roles: {junior: puts coins into boxes, senior: may do everything}
entities:
  clerk:
    in: vault
    key: CLK-##
    rows: 6
    fields:
      name: person
      role: one of junior, senior
      tally: int ~ between(0, 2)
      boss: clerk? ~ any(c for c in clerk) if chance(0.7) else none
  box:
    in: vault
    key: BOX-###
    rows: 9
    fields:
      label: text ~ f"box {letters(6)}"
      size: int ~ between(1, 9)
      weight: decimal(2)? ~ between(0.5, 20) if chance(0.6) else none
      owner: clerk as boxes? ~ any(c for c in clerk) if chance(0.7) else none
      status: state
      worth: money = sum(c.price for c in coins)
      shiny: bool computed exists(c for c in coins if c.shiny)
      lightest: decimal(2)? computed min(b.weight for b in box if b.owner == owner)
    lifecycle: {open: [closed], closed: [open, gone], gone: []}
    unique: [[label], [owner, weight]]
  coin:
    in: vault
    key: CN-####
    rows: 30
    fields:
      box: box as coins
      price: money ~ between(0, 9)
      bonus: money? ~ between(0, 2) if chance(0.5) else none
      shiny: bool? ~ pick(true, false, none)
      seen_on: date? ~ between(today - 20, today) if chance(0.5) else none
      keeper: clerk as kept? ~ any(c for c in clerk) if chance(0.5) else none
      kind: one of gold, silver? ~ pick('gold', 'silver', none)
  slip:
    in: vault
    key: SL-####
    fields:
      about: box?
      text: text
      paid: bool?
  transfer:
    in: vault
    key: TR-####
    fields:
      source_box: box as outgoing
      target_box: box as incoming
      coin: coin as transfers?
terms:
  load: {about: {b: box}, is: count(c for c in b.coins)}
  helper: {about: {c: coin}, is: c.keeper.boss}
policies:
  light:
    about: {b: box}
    rule: load(b) < most
    parameters: {most: {default: 6}}
    says: A box holds fewer than {most:int} coins.
    code: FULL
    cases: [allowed: {b.coins: 5}, forbidden: {b.coins: 6}]
  tidy:
    about: {b: box}
    rule: b.owner is not none
    enforced: agent
    says: A box has an owner.
    cases: [allowed: {b.owner: ann}, forbidden: {b.owner: none}]
operations:
  make_box:
    in: vault
    says: A new box.
    by: anyone
    takes: {label: {type: text, max: 30}, size: {type: int, min: 1, max: 9, default: 3}, owner: clerk?}
    once: first(b for b in box if b.label == label and b.owner == actor)
    does:
      - add: box
        with: {label: label, size: size, owner: "coalesce(owner, actor)"}
        as: b
      - obey: [tidy]
    gives: b
  put_coin:
    in: vault
    says: A coin into a box.
    by: anyone
    takes:
      box: box
      price: {type: money, min: 0, max: 50}
      bonus: money?
      keeper: clerk?
      seen_on: date?
      kind: one of gold, silver?
    does:
      - require: box.status == 'open'
        else: CLOSED
        says: 'Box "{box.label}" is {box.status}; it is worth {box.worth:money} and belongs to {box.owner}.'
      - obey: {light: {b: box}, tidy: {b: box}}
      - add: coin
        with: {box: box, price: price, bonus: bonus, keeper: keeper, seen_on: seen_on, kind: kind, shiny: price > 5 and bonus > 1}
        as: c
    gives: c
  turn_key:
    in: vault
    says: Close an open box, open a closed one, or send it away.
    by: anyone
    takes: {box: box, away: bool = false}
    does:
      - when: away
        do: [set: {box.status: gone}]
        otherwise:
          - when: box.status == 'open'
            do: [set: {box.status: closed}]
            otherwise: [set: {box.status: open}]
    gives: box
  spend:
    in: vault
    says: Take an amount out of the coins of a box, the dearest first.
    by: anyone
    takes: {box: box, amount: {type: money, min: 0.01, max: 30}}
    does:
      - each: c in box.coins
        where: c.price > 0
        by: c.price desc
        carry: {left: amount, used: 0}
        do:
          - let: {part: "min(left, c.price)"}
          - when: part > 0
            do:
              - set: {c.price: c.price - part}
              - let: {used: used + 1}
          - let: {left: left - part}
      - require: left <= 0
        else: NOT_ENOUGH
        says: "{left:money} is missing."
    gives: {left: left, used: used, worth: box.worth, half: "round(box.worth / used, 2)", none_at_all: "round(box.worth / 0, 2)"}
  add_up:
    in: vault
    says: Add up bonuses until one is unknown.
    by: anyone
    takes: {least: money?}
    does:
      - each: c in coin
        where: c.bonus != least
        by: c.seen_on
        carry: {total: 0, last_seen: none if true else today}
        do:
          - when: total < 1000
            do: [let: {total: total + c.bonus}]
          - let: {last_seen: "max(c.seen_on, coalesce(last_seen, c.seen_on))"}
    gives: {total: total, last_seen: last_seen}
  melt:
    in: vault
    says: Remove the cheap coins of a box, or the box where it is empty.
    by: senior
    takes: {box: box, below: money = 1}
    does:
      - each: c in box.coins
        where: c.price < below
        do: [remove: c]
      - when: box.status == 'open' and not exists(c for c in box.coins)
        do: [remove: box]
    gives: {gone: true}
  thank_keeper:
    in: vault
    says: Count a coin for its keeper, and for the keeper's boss.
    by: anyone
    takes: {coin: coin, drop: bool = false}
    does:
      - set: {coin.keeper.tally: coin.keeper.tally + 1}
      - when: drop
        do: [remove: helper(coin)]
        otherwise: [set: {helper(coin).tally: 0}]
    gives: coin
  count_me:
    in: vault
    says: One more for the caller; three are enough.
    by: anyone
    takes: {by_how_many: {type: int, min: 0, max: 5, default: 1}}
    does:
      - set: {actor.tally: actor.tally + by_how_many}
      - add: slip
        with: {text: 'f"{actor.name}: {actor.tally}"', paid: actor.tally > 2 and actor.boss.tally > 1}
      - require: actor.tally <= 3
        else: ENOUGH
    gives: {tally: actor.tally}
  who_am_i:
    in: vault
    says: The caller.
    by: anyone
    gives: {me: actor, name: actor.name, tally: actor.tally, slips: count(s for s in slip)}
  chain:
    in: vault
    says: A box and two coins at once, and where asked a look at them.
    by: senior
    takes: {label: text, price: money = 2, coin: coin?, slip: slip?}
    does:
      - run: make_box
        with: {label: label, size: load(coin.box) + 1}
        as: b
      - run: put_coin
        with: {box: b, price: price, kind: gold}
        as: one
      - run: put_coin
        with: {box: "coalesce(slip.about, coin.box)", price: price * 2, keeper: coin.keeper}
        as: two
      - run: get_box
        with: {box: two.box}
        as: seen
      - run: turn_key
        with: {box: seen}
    gives: {b: b, one: one, two: two, seen: seen.label, status: seen.status}
  sort_coins:
    in: vault
    says: Price many coins.
    by: anyone
    takes:
      lines: {list: {coin: coin, price: {type: money, min: 0, max: 20}, note: text?}, max: 4}
      boxes: {list: box, min: 0, max: 3}
    does:
      - let: {top: max(l.price for l in lines), first_note: first(l.note for l in lines), few: count(b for b in boxes if b.shiny)}
      - each: l in lines
        where: l.price != 13
        by: l.price desc
        do:
          - require: l.coin.box.status != 'gone'
            says: "{l.coin} is gone with {l.coin.box.label}."
          - set: {l.coin.price: l.price, l.coin.seen_on: today}
          - add: slip
            with: {about: l.coin.box, text: "coalesce(l.note, 'no note')"}
      - each: b in boxes
        do:
          - when: b.status == 'closed'
            do: [set: {b.status: open, b.size: b.size + 1}]
    gives: {top: top, first_note: first_note, few: few}
  look_around:
    in: vault
    says: The best coin of a box and who keeps it.
    by: anyone
    takes: {box: box, kind: "one of gold, silver?"}
    does:
      - obey: {tidy: {b: box}}
      - find: best in box.coins
        where: best.kind == kind or kind is none
        by: best.price desc
        else: NO_COIN
        says: Box {box.id} has no {kind} coin.
      - find: rare in coin
        where: rare.price > 1000
      - find: sibling in box
        where: sibling.owner == box.owner and sibling.id != box.id
        by: sibling.weight
    gives:
      best: best
      keeper: best.keeper.name
      boss: helper(best)
      rare: rare.price
      sibling: sibling
      weight: sibling.weight
      shiny: best.shiny
      fits: not (best.shiny and sibling.shiny) and (best.kind is none) == (kind is none)
      said: 'f"{best} of {sibling}, {best.bonus:money}, {best.keeper}"'
  carry_over:
    in: vault
    says: Move a coin to another box, with a transfer on record where asked.
    by: anyone
    takes: {coin: coin, box: box, recorded: bool = false}
    does:
      - let: {from_box: coin.box}
      - set: {coin.box: box}
      - when: recorded
        do:
          - add: transfer
            with: {source_box: from_box, target_box: box, coin: coin}
    gives: coin
  shrink:
    in: vault
    says: Make a box smaller.
    by: anyone
    takes: {box: box, steps: {type: int, min: 1, max: 4, default: 1}}
    does: [set: {box.size: box.size - steps}]
    gives: box
  find_boxes:
    in: vault
    says: Search boxes.
    by: anyone
    search: box
    where: status != 'gone'
    filters: [label, size, weight, owner, status, worth, shiny, lightest]
    sort: [-worth, label, weight, lightest]
  find_coins:
    in: vault
    says: Search coins.
    by: anyone
    search: coin
    filters: [box, price, bonus, shiny, seen_on, keeper, kind]
    sort: [price, seen_on, kind]
    shows: [box, box.owner.name, price, bonus, shiny, keeper.boss, kind]
  get_box:
    in: vault
    says: One box.
    by: anyone
    get: box
    where: status != 'gone'
    with: [owner, coins]
always:
  worth_is_not_negative: {each: box, holds: worth >= 0, says: A box is never worth less than nothing.}
  closed_boxes_hold_something: {each: box, holds: status != 'closed' or exists(c for c in coins), says: A closed box is not empty.}
  few_transfers: {each: box, holds: count(t for t in outgoing) + count(t for t in incoming) <= 2, says: A box is used twice.}
  coins_fit: {each: coin, holds: price <= box.size * money(10), says: A dear coin needs a large box.}
  few_boxes_each: {each: clerk, holds: count(b for b in box if b.owner.id == id) <= 6, says: Nobody has more than six boxes.}
  few_in_all: {holds: count(b for b in box) <= 60, says: There are sixty boxes at most.}
"""
