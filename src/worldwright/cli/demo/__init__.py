"""The acts of `worldwright demo`."""
