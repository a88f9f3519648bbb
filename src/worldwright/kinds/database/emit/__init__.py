"""The files of a pack that people read: tools as Python, tests as pytest."""
