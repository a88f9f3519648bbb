"""The verifier of database worlds: net changes held against what a task accepts, by the sort of each column."""
