"""THE DAEMON: local RPC; later HTTP, dashboard and MCP."""
