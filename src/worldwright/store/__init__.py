"""The content-addressed store of packs, and their tags."""
