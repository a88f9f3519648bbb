"""What depends on an agent or on the outside: which tasks an agent can learn from, and which are known from benchmarks.

Nothing of it is part of a pack. Results lie beside the packs, under `$WORLDWRIGHT_HOME/gates/`.
"""
