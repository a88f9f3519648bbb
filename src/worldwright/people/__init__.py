"""People who are asked for something: what a question is about, decided without a model, and what is answered.

Words are vectors of a table that comes with the package; all else is counting. Nothing here knows of worlds.
"""
