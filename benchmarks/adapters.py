"""What a call costs through the frameworks that live in the trainer's own process, against the same call made natively.

    .venvs/gymnasium/bin/python -m benchmarks.adapters [--domain NAME ...] [--json]

The calls are those of random episodes and of keys, made in the same order in the same world by each side in turn. `gymnasium` is a
step of the environment as `gymnasium.make` gives it: an action as JSON text in, an observation as text out. `trl` is a tool method
of the environment that TRL calls. `text` is what nobody can leave out who answers in text: the result written as JSON. Beside them
stands the worst case, without a target: a search that the world knows the answer to, so that text is most of the work. Exits 1
where a target is missed. `make adapters-test ADAPTERS=gymnasium` makes that environment; in another one, Gymnasium is left out.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

from benchmarks._measure import Figure, Side, interleaved, table

from worldwright import catalogue
from worldwright.adapters.rows import list_rows, open_row_gym
from worldwright.adapters.trl import environment, get_episode
from worldwright.agents.chat import encode
from worldwright.compiler.build import build
from worldwright.core.rng import Stream
from worldwright.engine.episode import Episode
from worldwright.engine.limits import Limits
from worldwright.engine.walk import walk
from worldwright.pack.seal import write_pack
from worldwright.world.records import Call

SEED = 7
WORLDS = ("retail_returns", "enterprise_procurement")
MOST = 1.5
"""Times the native call."""
ROUNDS, TASKS, CALLS = 25, 20, 20
SAYS = {"text": "a call, and its result as JSON", "trl": "a call of a tool method", "gymnasium": "a step"}
MANY = Limits(calls=10_000)


class Played(NamedTuple):
    """An episode to be played by each side."""

    row: dict[str, Any]
    calls: Sequence[Call]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--domain", nargs="+", default=list(WORLDS), choices=catalogue.names())
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    figures: list[Figure] = []
    for name in given.domain:
        with tempfile.TemporaryDirectory() as folder:
            write_pack(build(catalogue.load(name), SEED).pack.files, Path(folder) / name)
            figures += measured(name, str(Path(folder) / name))
    if given.json:
        print(json.dumps([f.data() for f in figures], indent=2))
    else:
        print(table(figures))
        if not find_spec("gymnasium"):
            print("Gymnasium is not installed here and was not measured.")
    return 0 if all(f.holds is not False for f in figures) else 1


def measured(name: str, ref: str) -> list[Figure]:
    """Every side in one run, over the same episodes."""
    found = []
    for played, what, most in ((episodes(ref), "", MOST), (searches(ref), "the same search again", None)):
        sides = {"native": native(played), "text": text(played), "trl": trl(played)}
        if find_spec("gymnasium"):
            sides["gymnasium"] = gymnasium(ref, played)
        times = dict(zip(sides, interleaved(ROUNDS, *sides.values()), strict=True))
        begun = times.pop("native")
        for side, took in times.items():
            says = f"{name}, {what or SAYS[side]}"
            found.append(Figure(side, says, "s", took, "native call", begun, None if side == "text" else most))
    return found


def episodes(ref: str) -> list[Played]:
    """Calls as agents make them: at random, most of them refused; and by the key, none of them."""
    world = open_row_gym(ref).world(open_row_gym(ref).variants[0])
    found = []
    for number, row in enumerate(islice(list_rows(ref), TASKS)):
        with world.open(row["task"], limits=MANY) as episode:
            drawn = [step.call for step in walk(episode.env, Stream("benchmark", number), CALLS)]
        found += [Played(row, drawn), Played(row, world.key(row["task"]).calls)]
    return found


def searches(ref: str) -> list[Played]:
    """The cheapest call there is: a search that the world remembers the answer to."""
    world = open_row_gym(ref).world(open_row_gym(ref).variants[0])
    return [Played(row, world.key(row["task"]).calls[:1] * CALLS) for row in islice(list_rows(ref), TASKS)]


def _each(played: Sequence[Played], begin: Callable[[int], Iterator[Sequence[Callable[[], object]]]]) -> Side:
    """Plays all episodes in a round. What one call took is told, in time of this process: others on the machine do not count.

    Every side closes its episodes, so that all of them play in the same environment, one after the other."""
    number_of_calls = sum(len(one.calls) for one in played)

    def side(_: int) -> float:
        took = 0.0
        for at in range(len(played)):
            for calls in begin(at):
                before = process_time()
                for call in calls:
                    call()
                took += process_time() - before
        return took / number_of_calls

    return side


def native(played: Sequence[Played]) -> Side:
    def begin(at: int) -> Iterator[Sequence[Callable[[], object]]]:
        row, calls = played[at]
        with _open(row) as episode:
            yield [partial(episode.call, call.tool, call.arguments) for call in calls]

    return _each(played, begin)


def text(played: Sequence[Played]) -> Side:
    def begin(at: int) -> Iterator[Sequence[Callable[[], object]]]:
        row, calls = played[at]
        with _open(row) as episode:
            yield [partial(_as_text, episode, call.tool, call.arguments) for call in calls]

    return _each(played, begin)


def _as_text(episode: Episode, name: str, arguments: Any) -> str:
    return encode(episode.call(name, arguments).payload())


def _open(row: dict[str, Any]) -> Episode:
    return open_row_gym(row["gym"]).world(row["variant"]).open(row["task"], limits=MANY)


def trl(played: Sequence[Played]) -> Side:
    """A trainer looks methods up once."""
    made = [environment(row["gym"], row["variant"], row["task"], limits=MANY) for row, _ in played]

    def begin(at: int) -> Iterator[Sequence[Callable[[], object]]]:
        row, calls = played[at]
        made[at].reset(**row)
        yield [partial(getattr(made[at], call.tool), **call.arguments) for call in calls]
        get_episode(made[at]).close()

    return _each(played, begin)


def gymnasium(ref: str, played: Sequence[Played]) -> Side:
    """To write the actions is the model's part."""
    import gymnasium

    made = gymnasium.make("worldwright.adapters.gymnasium:worldwright/gym-v0", gym=ref, calls=MANY.calls)
    actions = [[encode({"name": c.tool, "arguments": c.arguments}) for c in calls] for _, calls in played]

    def begin(at: int) -> Iterator[Sequence[Callable[[], object]]]:
        made.reset(options={"task": played[at].row["task"]})
        yield [partial(made.step, action) for action in actions[at]]
        made.unwrapped.close()

    return _each(played, begin)


if __name__ == "__main__":
    raise SystemExit(main())
