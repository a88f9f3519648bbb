"""The screen: console, tables, progress and messages."""
