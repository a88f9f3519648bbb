"""Flaws to plant in verifiers, so that the battery itself can be tested: in the data of a key, and in how it is judged."""
