"""State that has lived: base rows, then a past made by the world's own operations, then labelled mess."""
