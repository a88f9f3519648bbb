"""Packages that a framework installs: a gym written out as the framework wants it, ready to be built and published."""
