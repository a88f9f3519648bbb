"""Whether a gym shares text with benchmarks that somebody names: instructions first, then what the world holds."""
