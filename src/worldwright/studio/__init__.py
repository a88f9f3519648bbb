"""The studio: what one does with worlds, in a browser on this machine."""
