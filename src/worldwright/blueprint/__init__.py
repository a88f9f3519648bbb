"""The IR: everything a person may author, its expressions, checker, patterns and static effects; YAML in and out."""
