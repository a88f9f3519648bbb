"""Training data from verified episodes: what was done right, what was done wrong at the same place, and what is still to do."""
