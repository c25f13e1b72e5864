"""Agents' own programs, driving Pilothouse by MCP."""
