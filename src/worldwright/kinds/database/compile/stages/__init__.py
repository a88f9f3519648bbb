"""The stages of the build of a database world, one file each."""
