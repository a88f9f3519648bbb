"""Variants: from one Blueprint to many, axis by axis, pure and seeded; how they differ, and how many there really are."""
