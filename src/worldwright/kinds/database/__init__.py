"""The kind of world whose state is a relational database."""
