"""An outside judge of the scripted person: the telecom tasks of tau2, where some of the work is done by the caller's own hands."""
