"""Secrets of external MCP servers: filled in from the environment, removed from texts. Pure.

Knows: the fields of a server in config.yaml. Must not know: how servers are reached.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import parse_qsl, urlsplit

from msgspec.structs import replace

from pilothouse.errors import PilothouseError
from pilothouse.security.redaction import Redactor
from pilothouse.tools.tool_config_file import McpServerConfig

__all__ = ["SECRETS", "fill_variables", "make_server_redactor"]

_VARIABLE = re.compile(r"\$\{(\w+)\}")
SECRETS = re.compile(r"token|key|secret|passw|auth|cookie|credential", re.IGNORECASE)
# Shorter values are not redacted: they are no secrets, and would match inside ordinary words.
MIN_SECRET_LENGTH = 6


def fill_variables(server: McpServerConfig, environ: Mapping[str, str]) -> McpServerConfig:
    """Fill in `${NAME}` in a server's env and headers. Raises PilothouseError."""

    def of(field: str, pairs: Mapping[str, str]) -> dict[str, str]:
        made = {}
        for key, text in pairs.items():
            for name in _VARIABLE.findall(text):
                if name not in environ:
                    where = f"mcp_servers.{server.name}.{field}.{key}"
                    raise PilothouseError(
                        f"{where}: environment variable {name} is not set",
                        hint="set it in the environment that starts the daemon",
                    )
            made[key] = _VARIABLE.sub(lambda found: environ[found[1]], text)
        return made

    return replace(server, env=of("env", server.env), headers=of("headers", server.headers))


def make_server_redactor(
    server: McpServerConfig, environ: Mapping[str, str], only: re.Pattern[str] | None = None
) -> Redactor:
    """Make a redactor for a server's values: all, or `only` those whose name matches."""
    try:
        known = fill_variables(server, environ)
    except PilothouseError:
        known = server
    split = urlsplit(known.url)
    pairs = [*known.env.items(), *known.headers.items(), *parse_qsl(split.query)]
    pairs += [(key, part) for key, value in known.headers.items() for part in value.split()[-1:]]
    pairs += [("password", split.password or "")]
    values = {value for key, value in pairs if only is None or only.search(key)}
    long = {value: value for value in values if len(value) >= MIN_SECRET_LENGTH}
    return Redactor(long, mark=lambda name: "***")
