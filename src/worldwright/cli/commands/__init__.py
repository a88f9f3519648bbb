"""One file per command; each has a click command called `command`."""
