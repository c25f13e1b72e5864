"""An MCP server of the newest kind for tests, made with the official SDK: it grows a tool, and says
so only to those who listen."""

from __future__ import annotations

from mcp.server.mcpserver import Context, MCPServer

app = MCPServer("modern")


def fins() -> str:
    """Swim."""
    return "it swims"


@app.tool()
async def grow(ctx: Context) -> str:
    """Grow fins."""
    app.add_tool(fins)
    await ctx.notify_tools_changed()
    return "it grew"


@app.tool()
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


if __name__ == "__main__":
    app.run("stdio")
