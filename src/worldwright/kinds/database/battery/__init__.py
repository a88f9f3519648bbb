"""The battery that every verifier of a database world is tried with, and what it measures."""
