"""What a run came to, for people: one summary, shown on a page of its own or on the screen."""
