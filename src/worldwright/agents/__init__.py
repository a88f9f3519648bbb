"""Agents: what says the next message of an episode. Built-in ones need nothing; models are reached over the network."""
