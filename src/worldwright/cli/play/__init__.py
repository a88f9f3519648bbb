"""A person in a world: calls as they are typed, sessions, and what changed."""
