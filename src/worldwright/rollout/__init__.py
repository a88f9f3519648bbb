"""Episodes in bulk: what is run, one episode, many at once, what is kept of them, and whether it can be believed."""
