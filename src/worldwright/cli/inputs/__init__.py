"""What a person names on the command line, found and opened: a pack, a Blueprint, evidence, an agent."""
