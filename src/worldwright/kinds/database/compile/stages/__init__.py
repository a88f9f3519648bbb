"""The stages of the build of a database world, by what they make."""
