"""JSON Schema, as OpenAPI documents and MCP tools write it.

shapes          a schema as the shape of a value
references      the schemas within a schema, and where references lead
repair          a copy that every validator accepts
cost            schemas that a validator would never finish
minimal_value   the smallest value that a schema accepts
patterns        texts that a regular expression matches
"""
