"""Arranging: rows and arguments under which a given guard just holds, or just does not.

Used by the tests pass (each guard on both sides of its boundary). Everything found is found by running the operation; what is
suggested here only tells where to look.

`search` asks for a scene on either side of each of the `guards`; `climb` gets from a refusal to a success. Both take
suggestions from `suggest`, which follows a condition to the rows and arguments behind it (`sight`, `inverse`) against what
is there now (`sight`), and make them `edits` of a scene (`climb`, `cast`). The `stage` runs it; `write` tells it to people.
"""
