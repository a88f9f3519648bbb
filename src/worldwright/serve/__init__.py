"""Worlds over HTTP and MCP: episodes for agents and trainers in other processes, over `engine.episode.Episode`.

Nothing in here is needed by anything else: the libraries come with the extra `serve`.
"""
