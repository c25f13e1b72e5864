"""Writes docs/tools.md: every tool an agent can call, from the declarations themselves.

python -m scripts.generate_tool_docs
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pilothouse.tools import catalog
from pilothouse.tools.tool import TOOLS, Tool

TARGET = Path(__file__).parent.parent / "docs/tools.md"

HEAD = """\
# Tools for agents

Made by `python -m scripts.generate_tool_docs` from the declarations themselves; do not edit it by
hand.

Agents call these over MCP, the daemon's own line (`tool`), or Python
(`connect().tool("browser_click", ref="e5")`). Every answer has `success`. If it is true, the fields
of the tool follow; actions tell in `changes` what they brought about. If it is false, `error` says
what is wrong and `hint` what to do.

While a dialog or something else waits for a decision, the call that it stopped answers at once with
`blocked_by` and `action_id`. `browser_dialog` and `browser_interrupt` decide, and give the result
of that call as `interrupted`. `pending_dialogs` and `notices` stand beside any answer that needs
them.

An element is named by its ref in the snapshot (`e5`, also `@e5`), by CSS, `text=…`, a role with a
name (`button=Save`), `label=…`, XPath, or as `x,y`. An exact name or text wins over those that only
contain it; `text="…"` takes nothing but the exact one. `>> nth=1` chooses among several. All forms:
[selectors](selectors.md). Tools that work on a tab take its name as `tab`; without it they mean the
present one (`browser_tabs`).
"""

TITLES = {
    "browser": "Toolset `browser`: the daily ones",
    "browser-data": "Toolset `browser-data`: what a browser keeps and sends",
    "web": "Toolset `web`: search and read",
    "code": "Toolset `code`: off until somebody names it",
    "connect": "Toolset `connect`: join a browser that runs; off until somebody names it",
}
FLAGS = {
    "reads": "returns untrusted page content",
    "changes": "may change the page or browser state",
    "reversible": "destroys nothing",
    "cdp": "needs a browser that can be reached",
    "free": "works while a dialog blocks the page",
    "dangerous": "off until somebody names it",
}


def kind(schema: dict[str, Any]) -> str:
    """What a parameter takes, in a word."""
    if "enum" in schema:
        return ", ".join(f"`{one}`" for one in schema["enum"] if one)
    if "anyOf" in schema:
        return " or ".join(kind(one) for one in schema["anyOf"])
    if schema.get("type") == "array":
        inner = schema.get("items") or {}
        fields = ", ".join(f"`{name}`" for name in inner.get("properties", ()))
        return f"list of ({fields})" if fields else f"list of {kind(inner)}"
    if schema.get("properties"):
        return "(" + ", ".join(f"`{name}`" for name in schema["properties"]) + ")"
    found = schema.get("type", "anything")
    return " or ".join(found) if isinstance(found, list) else str(found)


def section(tool: Tool) -> str:
    """One tool."""
    told = [text for name, text in FLAGS.items() if getattr(tool.flags, name)]
    lines = [f"### `{tool.name}`", "", tool.about, ""]
    if told:
        lines += ["Flags: " + "; ".join(told) + ".", ""]
    properties = tool.schema["properties"]
    if properties:
        lines += ["| parameter | takes | default | |", "|---|---|---|---|"]
    required = tool.schema.get("required", ())
    for name, schema in properties.items():
        default = "" if "default" not in schema else f"`{json.dumps(schema['default'])}`"
        default = "required" if name in required else default
        about = schema.get("description", "").replace("|", "\\|")
        lines.append(f"| `{name}` | {kind(schema)} | {default} | {about} |")
    return "\n".join((*lines, ""))


def source() -> str:
    """The whole page."""
    assert catalog.DECLARED
    parts = [HEAD]
    for home, title in TITLES.items():
        parts.append(f"## {title}\n")
        mine = [tool for tool in TOOLS.values() if tool.toolset == home and not tool.source]
        parts += [section(tool) for tool in sorted(mine, key=lambda tool: tool.name)]
    return "\n".join(parts)


def main() -> None:
    """Write the page."""
    TARGET.write_text(source(), "utf-8")
    print(f"wrote {TARGET.name}: {len(TOOLS)} tools")


if __name__ == "__main__":
    main()
