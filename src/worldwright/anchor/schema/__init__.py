"""JSON Schema, as OpenAPI documents and MCP tools write it.

shapes       a schema as the shape of a value, and the smallest value that it accepts
references   the schemas within a schema, where references lead, and what a validator would never finish
repair       a copy that every validator accepts
patterns     texts that a regular expression matches
"""
