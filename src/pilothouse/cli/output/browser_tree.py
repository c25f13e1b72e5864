"""Show a supervised browser's tabs, frames and dialogs, as a tree or as JSON."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from rich.console import Console
from rich.markup import escape
from rich.status import Status
from rich.table import Table
from rich.tree import Tree

from pilothouse.browsers import BrowserHandle
from pilothouse.cli.output.text import printable
from pilothouse.errors import plural
from pilothouse.supervisor import Supervisor
from pilothouse.supervisor.agent_view import frame_tree, pending_dialogs

__all__ = ["describe_browser", "escape_page_text", "print_json", "show_browser", "spinner"]


def describe_browser(
    handle: BrowserHandle, supervisor: Supervisor, tabs: Sequence[str]
) -> dict[str, Any]:
    """Return the browser, its tabs, their frames and dialogs as JSON."""
    state = supervisor.state
    return {
        "product": handle.product,
        "kind": handle.kind.describe(),
        "notes": list(handle.notes),
        "tabs": [
            {
                "id": tab,
                "url": state.tabs[tab].url,
                "title": state.tabs[tab].title,
                "frame_tree": frame_tree(state, tab),
                "pending_dialogs": pending_dialogs(state, tab, supervisor.clock),
            }
            for tab in tabs
        ],
    }


def print_json(value: Any) -> None:
    """Print one JSON document."""
    sys.stdout.buffer.write(msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n")


def spinner(what: str, quiet: bool) -> Status:
    """Return a spinner on stderr for a `with` block; silent if `quiet`."""
    return Console(stderr=True, quiet=quiet).status(f"{escape(what)} …")


def show_browser(found: Mapping[str, Any], console: Console) -> None:
    """Print what `describe` gave."""
    about = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    about.add_row("browser", f"[bold]{escape_page_text(found['product'])}[/] ({found['kind']})")
    about.add_row("tabs", str(len(found["tabs"])))
    for note in found["notes"]:
        about.add_row("note", escape(note))
    console.print(about)
    for tab in found["tabs"]:
        console.print(_tree(tab))


def _tree(tab: Mapping[str, Any]) -> Tree:
    tree = Tree(
        f"[bold]{escape_page_text(tab['title']) or '(no title)'}[/]  {escape_page_text(tab['url'])}"
    )
    frames = tab["frame_tree"]
    branches = {frames["top"]["frame_id"]: tree} if frames["top"] else {}
    for frame in frames["children"]:
        mark = "[cyan]own process[/]" if frame["is_oopif"] else "[dim]same process[/]"
        above = branches.get(frame["parent_frame_id"], tree)
        branches[frame["frame_id"]] = above.add(f"{escape_page_text(frame['url'])}  {mark}")
    if frames["truncated"]:
        tree.add(f"[dim]… {plural(frames['total'], 'frame')} in all[/]")
    for dialog in tab["pending_dialogs"]:
        tree.add(
            f"[yellow]{dialog['type']} {dialog['id']}[/]  {escape_page_text(dialog['message'])}"
        )
    return tree


def escape_page_text(page_text: str) -> str:
    """Return page text as one line, without rich markup and escape sequences."""
    return escape(printable(page_text).replace("\n", "\N{MIDDLE DOT}"))
