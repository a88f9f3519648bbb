"""From inputs to an anchor: read, merged, made into worlds, and locked with the reasons.

build      the whole way
worlds     three ways from evidence to worlds
coverage   how much of the evidence was used
records    an anchor and its lock
"""
