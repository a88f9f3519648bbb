"""From evidence to a business: what actions do, which things there are, how they hang together, which rules hold."""
