"""Experiments whose results stand in docs/results: small programs over the public parts of Worldwright."""
