"""Arranging: rows and arguments under which a given guard just holds, or just does not.

Used by the tests pass (each guard on both sides of its boundary). Everything found is found by running the
operation; what is suggested here only tells where to look.
"""
