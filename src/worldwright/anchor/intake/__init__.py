"""What somebody gives, as bytes with a kind, and the reader that each kind goes to.

uploads      files and folders as named bytes
git          a repository that is cloned
live_mcp     the tools of an MCP server that is asked
dispatch     each input to its reader
"""
