"""Call Pilothouse's tools as an agent does, over MCP on stdio, with the official SDK.

python examples/mcp_client.py https://example.com
"""

import asyncio
import os
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

url = sys.argv[1] if len(sys.argv) > 1 else "https://example.com"


async def main() -> None:
    # The SDK passes only a few variables on by itself; these include your PILOTHOUSE_* settings.
    server = StdioServerParameters(
        command=sys.executable, args=["-m", "pilothouse", "mcp"], env=dict(os.environ)
    )
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        tools = await session.list_tools()
        print(f"{len(tools.tools)} tools")
        answer = await session.call_tool("browser_navigate", {"url": url})
        print(answer.content[0].text)


asyncio.run(main())
