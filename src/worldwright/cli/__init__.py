"""The command line. `commands` has one file per command; the other rooms hold what they share."""
