"""The assertions of a verdict over the steps of an episode: a row for each, a cell for each step, and where it was decided."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from worldwright.rollout.report.charts import draw_svg
from worldwright.rollout.report.markup import Markup, tag, truncate

ROW, TOP, MAX_NAME_CHARS, LETTER = 16, 19, 44, 5.9
MIN_CELL, MAX_CELL, WIDTH = 9, 34, 980


def draw_assertions(states: Sequence[Mapping[str, bool]], decided: Mapping[str, int]) -> Markup:
    """Draw what held before the first step and after each; a cell leads to its step."""
    names = list(decided)
    left = round(max((min(len(name), MAX_NAME_CHARS) for name in names), default=8) * LETTER) + 16
    cell = max(MIN_CELL, min(MAX_CELL, (WIDTH - left) // max(1, len(states))))
    every = max(1, -(-len(states) * 14 // ((WIDTH - left) or 1)), 1 if cell > 15 else 5)
    parts = [
        tag(
            "text",
            "0" if at == 0 else str(at),
            x=left + cell * at + cell / 2,
            y=12,
            class_="tick",
            text_anchor="middle",
        )
        for at in range(len(states))
        if at % every == 0
    ]
    for down, name in enumerate(names):
        y = TOP + ROW * down
        parts.append(
            tag(
                "text",
                tag("title", name),
                truncate(name, MAX_NAME_CHARS),
                x=left - 10,
                y=y + 12,
                class_="name",
                text_anchor="end",
            )
        )
        for at, held in enumerate(states):
            ok = held.get(name, False)
            kind = "held" if ok else "not-held"
            mark = " decided" if at == decided[name] and at else ""
            says = f"{'before the first step' if at == 0 else f'after step {at}'}: {name} {'holds' if ok else 'does not hold'}"
            square = tag(
                "rect", x=left + cell * at + 1, y=y + 1, width=cell - 2, height=ROW - 3, rx=2, class_=kind + mark
            )
            parts.append(tag("a", tag("title", says), square, href=f"#step-{at}", data_step=at))
    words = "; ".join(
        f"{name} {'holds' if states[-1].get(name) else 'does not hold'}, {f'decided at step {at}' if at else 'from the beginning'}"
        for name, at in decided.items()
    )
    return draw_svg(
        "What held after each step",
        words,
        "assertions",
        left + cell * len(states) + 8,
        TOP + ROW * len(names) + 6,
        parts,
        True,
    )
