"""English as every package reads and writes it: stems, nouns, small words, numbers, dates, currencies.

Whoever compares words compares `stem(word)`, so that a search, the planner and the readers of evidence agree on what is one
word. `languages` tells which language a text is in.
"""
