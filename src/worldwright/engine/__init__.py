"""Running a world: episodes, the agent's face apart from the controller's face, sessions and limits."""
