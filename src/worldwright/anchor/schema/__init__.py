"""JSON Schema, as OpenAPI documents and MCP tools write it.

keywords     what may stand under a keyword, and what is meant where it is written otherwise
references   the schemas within a schema, where references lead, and what a validator would never finish
repair       a copy that every validator accepts
shapes       a schema as the shape of a value, and the smallest value that it accepts
type_words   the words that people write for types, as shapes
"""
