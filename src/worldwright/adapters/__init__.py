"""A world in the frameworks that people already train and evaluate with: one file each, over `engine.episode.Episode`.

Nothing in here imports a framework before it is used: each has an extra of its own, and no two have to install together.
"""
