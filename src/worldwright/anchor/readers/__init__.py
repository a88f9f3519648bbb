"""Readers: one file per format, bytes in, evidence out. None of them opens a file, runs anything or reaches the network."""
