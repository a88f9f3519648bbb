"""One file per command, with a click command called `command`. Help lists what the first line says after "`worldwright NAME`: "."""
