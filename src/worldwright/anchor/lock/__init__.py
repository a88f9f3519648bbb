"""From inputs to an anchor: read, merged, made into worlds, and locked with the reasons."""
