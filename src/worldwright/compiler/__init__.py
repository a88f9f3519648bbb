"""The pipeline: from a checked Blueprint to a sealed pack, whatever the kind of world."""
