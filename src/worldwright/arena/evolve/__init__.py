"""Evolve: find the weakness, build what targets it, train on what can be learned from, look again; round after round."""
