"""Does it help to train in more families, and in more worlds of each? Model, steps and evaluation are the same for all arms.

    python -m studies.scaling --data DATA --out DIR --model FOLDER [--steps 150] [--seeds 0] [--eval-sets held_out]

Families: 1, 4, 12 and all 20, always 60 to 64 worlds in all. Worlds: 1, 8 and 64 of each of four families.
SFT alone. DATA is what `studies.demonstrations` wrote.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from studies import curriculum
from studies.study_run import StudyRun, load_demonstrations, load_eval_sets


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--steps", type=int, default=150)
    parser.add_argument("--seeds", default="0")
    parser.add_argument("--eval-sets", default="held_out")
    parser.add_argument("--max-tasks", type=int, default=0, help="evaluate on a sample of so many tasks")
    given = parser.parse_args()
    sft = curriculum.make_settings(given.model).sft.model_copy(update={"steps": given.steps})
    run = StudyRun(given.out, curriculum.make_settings(given.model, sft=sft))
    eval_sets = load_eval_sets(given.data, given.eval_sets.split(","), given.max_tasks)
    for seed in map(int, given.seeds.split(",")):
        for name, (families, variants) in curriculum.ARMS.items():
            stored = load_demonstrations(given.data, families, variants)
            worlds = len({(one.family, one.variant) for one in stored})
            run.restore_weights()
            run.note(f"{name}, seed {seed}: {len(stored)} demonstrations of {worlds} worlds")
            run.run_sft(f"{name}, seed {seed}", [one.episode for one in stored], given.steps, seed)
            run.evaluate(f"{name.replace(' ', '_')}-{seed}", eval_sets)


if __name__ == "__main__":
    main()
