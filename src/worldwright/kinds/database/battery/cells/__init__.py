"""The cells of the battery, one file each: a docstring that says what must happen, and a function that makes the episodes."""
