"""The arena: agents are evaluated on fresh worlds, their failures diagnosed, and what targets them is generated."""
