"""Frozen records that cross boundaries (tasks, calls, trajectories, verdicts, manifests); the protocol of a world."""
