"""Fit the table of `worldwright.people`: a bag of word vectors that is turned and weighted so that questions lie close to the
examples of what they ask for, and messages that ask for nothing close to none.

What is counted in a message is counted by `worldwright.people.features`, here as in a world. Six fits from one beginning, each with
the situations in another order, are averaged; thresholds come from situations and messages that a fit has not seen.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from studies.understanding.data import FITTED_ON, Situation, read_situations, read_unrelated
from worldwright.english.stems import cut_ending
from worldwright.people.features import (
    FEATURES,
    FORMS,
    Topic,
    compare_stems,
    find_forms,
    list_stems,
    list_words,
    read_topic,
    split_message,
)

WORDS, SIZE, BESIDE, POWER = 20_000, 100, 12, 8
KINDS = ("record", "reference", "person", "place", "date", "money", "count", "choice", "reason", "text")
DROPPED, NAMES_ALONE = 0.15, 0.25
HELD_OUT, UNSEEN = 16, 300
"""Situations and unrelated messages that the thresholds are taken from."""
SURE, MAYBE = 0.004, 0.08
"""Shares of unrelated messages that get a fact, or are asked back, among those that were held out."""


@dataclass(frozen=True)
class Sentence:
    words: list[int]
    seen: list[tuple[float, ...]]
    seen_bare: list[tuple[float, ...]]
    """The same of facts of which only the names are known."""
    forms: tuple[float, ...]


Message = list[Sentence]


@dataclass
class Lesson:
    """A situation in numbers."""

    kinds: list[int]
    examples: list[list[list[int]]]
    names: list[list[list[int]]]
    questions: list[list[Message]]
    near: list[Message]
    other: list[Message]


class Vocabulary:
    """The commonest words, their vectors, and how rare their stems are."""

    def __init__(self, path: Path) -> None:
        found = json.loads(path.read_text("utf-8"))["vectors"]
        names = [name for name in list(found)[:60_000] if name.isascii() and name.isalpha() and name == name.lower()][
            :WORDS
        ]
        vectors = np.array([found[name][:SIZE] for name in names], dtype=np.float32)
        vectors -= vectors.mean(0)
        self.names = names
        self.vectors = vectors / np.sqrt((vectors**2).sum(1).mean())
        self.index = {name: at for at, name in enumerate(names)}
        self.logs = np.log(np.arange(len(names)) + 10.0).astype(np.float32)
        self.stems = [cut_ending(name) for name in names]
        self.rarity: dict[str, int] = {}
        for one, log in zip(self.stems, self.logs, strict=True):
            self.rarity.setdefault(one, round(float(log) * 20))
        self.rarest = max(self.rarity.values())

    def weigh(self, one: str) -> int:
        return self.rarity.get(one, self.rarest)

    def number(self, text: str) -> list[int]:
        words = list_words(text)
        at = [self.index.get(w, self.index.get(w[:-1]) if w.endswith("s") else None) for w in words]
        return [k for k in at if k is not None] or [self.index["the"]]

    def message(self, text: str, full: Sequence[Topic], bare: Sequence[Topic]) -> Message:
        out = []
        for part in split_message(text):
            said = list_stems(list_words(part))
            seen, less = ([compare_stems(said, topic, self.weigh) for topic in topics] for topics in (full, bare))
            out.append(Sentence(self.number(part), seen, less, find_forms(part)))
        return out

    def lesson(self, situation: Situation, other: Sequence[str]) -> Lesson:
        full = [read_topic(f.called, f.asked) for f in situation.facts]
        bare = [read_topic(f.called, ()) for f in situation.facts]
        return Lesson(
            [KINDS.index(f.kind) for f in situation.facts],
            [[self.number(t) for t in (*f.asked, *f.called)] for f in situation.facts],
            [[self.number(t) for t in f.called] for f in situation.facts],
            [[self.message(t, full, bare) for t in situation.questions[f.name]] for f in situation.facts],
            [self.message(t, full, bare) for t in situation.near],
            [self.message(t, full, bare) for t in other],
        )


class Model(torch.nn.Module):  # type: ignore[misc]
    def __init__(self, vocabulary: Vocabulary) -> None:
        super().__init__()
        vectors = vocabulary.vectors
        _, _, turned = np.linalg.svd(vectors[:8000], full_matrices=False)
        self.given, self.logs = torch.tensor(vectors), torch.tensor(vocabulary.logs)
        new = torch.nn.Parameter
        self.turn = new(torch.tensor(turned[:SIZE].T.copy()))
        self.moved, self.weight, self.rare = (
            new(torch.zeros(WORDS, SIZE)),
            new(torch.zeros(WORDS)),
            new(torch.tensor(1.0)),
        )
        self.scale, self.nothing, self.kind, self.few = (new(torch.tensor(x)) for x in (8.0, 5.0, 0.5, 0.0))
        self.beside, self.beside_base = new(torch.randn(BESIDE, SIZE) * 0.3), new(torch.zeros(BESIDE) - 2)
        self.kinds, self.kinds_base = new(torch.randn(SIZE, len(KINDS)) * 0.1), new(torch.zeros(len(KINDS)))
        self.features, self.forms = new(torch.tensor([1.0, 1.0, 1.0, 1.0, 0.0])), new(torch.zeros(FORMS))

    def table(self) -> torch.Tensor:
        return (self.given @ self.turn + self.moved) * torch.exp(self.rare * (self.logs - 8) / 2 + self.weight)[:, None]

    def score(
        self,
        table: torch.Tensor,
        lesson: Lesson,
        held: Sequence[int],
        messages: Sequence[Message],
        dropped: float,
        bare: bool,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """How much more each message is about each fact than about nothing, and of which kind its first sentence is."""
        sentences = [s for m in messages for s in m]
        owner = torch.tensor([i for i, m in enumerate(messages) for _ in m])
        said = _embed(table, [s.words for s in sentences], dropped)
        kinds = said @ self.kinds * 5 + self.kinds_base
        margins = kinds - kinds.max(1, keepdim=True).values
        forms = torch.tensor([s.forms for s in sentences])
        nothing = self.nothing + (said @ self.beside.T * 5 + self.beside_base).max(1).values + forms @ self.forms
        out = []
        for k in held:
            examples = _embed(table, (lesson.names if bare else lesson.examples)[k], dropped)
            close = (torch.relu(said @ examples.T).pow(POWER).sum(1) + 1e-12).pow(1 / POWER)
            seen = torch.tensor([(s.seen_bare if bare else s.seen)[k] for s in sentences])
            value = (
                self.scale * close
                + self.kind * margins[:, lesson.kinds[k]].clamp(min=-4)
                + seen @ self.features
                + (self.few if bare else 0.0)
                - nothing
            )
            out.append(torch.full((len(messages),), -1e9).scatter_reduce(0, owner, value, "amax"))
        first = torch.tensor(np.cumsum([0] + [len(m) for m in messages[:-1]]))
        return torch.cat([torch.stack(out, 1), torch.zeros(len(messages), 1)], 1), torch.log_softmax(kinds, 1)[first]


def _embed(table: torch.Tensor, texts: Sequence[Sequence[int]], dropped: float) -> torch.Tensor:
    kept = [([k for k in text if random.random() > dropped] or text) if dropped else text for text in texts]
    flat = torch.tensor([k for text in kept for k in text])
    starts = torch.tensor(np.cumsum([0] + [len(text) for text in kept[:-1]]))
    return torch.nn.functional.normalize(torch.nn.functional.embedding_bag(flat, table, starts, mode="sum"), dim=1)


def _draw(model: Model, table: torch.Tensor, lesson: Lesson, rng: random.Random) -> torch.Tensor:
    """The loss on one person: some of the facts, questions for these and for others, and messages that ask for nothing."""
    order = list(range(len(lesson.kinds)))
    rng.shuffle(order)
    count = rng.choice((2, 3, 4))
    messages, label, kinds = [], [], []
    for place, k in enumerate(order):
        for message in rng.sample(lesson.questions[k], 12 if place < count else 5):
            messages.append(message)
            label.append(min(place, count))
            kinds.append(lesson.kinds[k])
    for message in lesson.near + rng.sample(lesson.other, 60):
        messages.append(message)
        label.append(count)
        kinds.append(-1)
    score, kind = model.score(table, lesson, order[:count], messages, DROPPED, rng.random() < NAMES_ALONE)
    known = torch.tensor(kinds)
    loss = torch.nn.functional.cross_entropy(score, torch.tensor(label))
    return loss + 0.3 * torch.nn.functional.nll_loss(kind[known >= 0], known[known >= 0])


def fit(vocabulary: Vocabulary, lessons: Sequence[Lesson], rounds: int, seed: int) -> dict[str, torch.Tensor]:
    torch.manual_seed(0)
    random.seed(seed)
    model, rng = Model(vocabulary), random.Random(seed)
    slow, quick = {"moved": 3e-3, "weight": 1e-2}, 5e-3
    optimizer = torch.optim.Adam([{"params": [p], "lr": slow.get(n, quick)} for n, p in model.named_parameters()])
    for _ in range(rounds):
        order = list(lessons)
        rng.shuffle(order)
        for at in range(0, len(order), 4):
            table = model.table()
            losses = [_draw(model, table, lesson, rng) for lesson in order[at : at + 4]]
            tied = 1e-2 * (0.1 * model.weight.pow(2).sum() + model.moved.pow(2).sum())
            optimizer.zero_grad()
            (sum(losses, torch.tensor(0.0)) / len(losses) + tied).backward()
            optimizer.step()
    return {name: value.detach().clone() for name, value in model.named_parameters()}


def write_table(vectors: Path, out: Path, rounds: int, seeds: int) -> None:
    vocabulary = Vocabulary(vectors)
    situations, unrelated = read_situations(FITTED_ON), read_unrelated(FITTED_ON)
    rng = random.Random(2)
    unrelated, last = unrelated[:-UNSEEN], unrelated[-UNSEEN:]
    lessons = []
    for situation in situations:
        others = rng.sample([s for s in situations if s is not situation], 8)
        foreign = [text for s in others for texts in s.questions.values() for text in rng.sample(texts, 2)]
        lessons.append(vocabulary.lesson(situation, rng.sample(unrelated, 250) + foreign))
    print(f"{len(lessons)} situations read", flush=True)
    seen = fit(vocabulary, lessons[:-HELD_OUT], rounds, 0)
    sure, maybe = _find_thresholds(vocabulary, seen, [vocabulary.lesson(s, last) for s in situations[-HELD_OUT:]])
    fits = []
    for seed in range(1, seeds + 1):
        fits.append(fit(vocabulary, lessons, rounds, seed))
        print(f"fit {seed} of {seeds}", flush=True)
    _write(vocabulary, {name: sum(f[name] for f in fits) / len(fits) for name in fits[0]}, sure, maybe, out)


def _load(vocabulary: Vocabulary, values: dict[str, torch.Tensor]) -> Model:
    model = Model(vocabulary)
    model.load_state_dict(values)
    return model


def _find_thresholds(
    vocabulary: Vocabulary, values: dict[str, torch.Tensor], lessons: Sequence[Lesson]
) -> tuple[float, float]:
    """What a score has to be for a fact to be told, or asked back for, by what unrelated messages reach."""
    model = _load(vocabulary, values)
    reached: list[float] = []
    with torch.no_grad():
        table = model.table()
        for lesson in lessons:
            score, _ = model.score(table, lesson, range(3), lesson.other, 0.0, False)
            reached += score[:, :-1].max(1).values.tolist()
    return tuple(round(float(np.quantile(reached, 1 - share)), 4) for share in (SURE, MAYBE))  # type: ignore[return-value]


def _write(vocabulary: Vocabulary, values: dict[str, Any], sure: float, maybe: float, out: Path) -> None:
    with torch.no_grad():
        table = _load(vocabulary, values).table().numpy()
    largest = float(np.quantile(np.abs(table), 0.9999))
    whole = np.clip(np.round(table / largest * 127), -127, 127).astype(np.int8)
    (out / "vectors.bin").write_bytes(whole.tobytes())
    rows = (
        f"{name}\t{one}\t{vocabulary.rarity[one]}" for name, one in zip(vocabulary.names, vocabulary.stems, strict=True)
    )
    (out / "words.tsv").write_text("\n".join(rows) + "\n", "utf-8")

    def numbers(value: Any) -> Any:
        return np.round(value.numpy().astype(float), 5).tolist()

    beside = [
        [numbers(row * 5), numbers(base)] for row, base in zip(values["beside"], values["beside_base"], strict=True)
    ]
    kinds = {
        name: [numbers(values["kinds"][:, k] * 5), numbers(values["kinds_base"][k])] for k, name in enumerate(KINDS)
    }
    assert len(values["features"]) == FEATURES
    head = {
        **{name: numbers(values[name]) for name in ("scale", "kind", "features", "nothing", "forms")},
        "unrelated": beside, "kinds": kinds, "sure": sure, "maybe": maybe,
    }  # fmt: skip
    (out / "weights.json").write_text(json.dumps(head) + "\n", "utf-8")
    print(f"written to {out}: told from {sure}, asked back from {maybe}")
