"""The layout of a pack on disk, its digests, and how one is opened and checked."""
