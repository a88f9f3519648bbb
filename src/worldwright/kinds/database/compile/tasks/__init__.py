"""Tasks: goals bound to a state, grounded by a witness that really ran, described so that they mean one thing."""
