"""What somebody gives, as bytes with a kind, and the reader that each kind goes to.

uploads       files, folders and cloned repositories as named bytes
mcp_session   the tools of an MCP server that is asked
dispatch      each input to its reader
"""
