"""The catalogue as a base."""
