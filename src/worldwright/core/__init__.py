"""What everything stands on: errors, canonical JSON and hashing, seeded randomness, the virtual clock, ids, fan-out."""
