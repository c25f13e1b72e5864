"""Print results as tables. Knows: rich. Must not know: where results come from.

Imported only when a table is printed. On a terminal, tables fit its width; in a pipe, lines are not
cut, so that programs such as grep find everything.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from pilothouse.cli.output.text import printable
from pilothouse.errors import plural

__all__ = [
    "make_console",
    "show_checks",
    "show_console",
    "show_cookies",
    "show_dialogs",
    "show_journal",
    "show_pages",
    "show_requests",
    "show_settings",
    "show_status",
    "show_tabs",
]

UNLIMITED_WIDTH = 100_000
_LEVELS = {"error": "red", "warning": "yellow", "info": "", "debug": "dim"}
_EVENT_STYLES = {
    "answer": "green", "auth": "yellow", "closed": "dim", "connection": "red", "crashed": "red",
    "dialog": "yellow", "download": "green", "file_chooser": "yellow", "frame": "dim",
    "hung": "red", "loads": "cyan", "moves": "cyan", "note": "yellow", "opened": "green",
    "permission": "yellow", "popup": "green", "title": "dim",
}  # fmt: skip
_CHECK_MARKS = {"ok": ("✓", "green"), "warn": ("!", "yellow"), "broken": ("✗", "red")}


def make_console() -> Console:
    """Return the console for tables."""
    console = Console(highlight=False)
    if not sys.stdout.isatty():
        console.width = UNLIMITED_WIDTH
    return console


def _table(*columns: str, fold: str = "", **wide: int) -> Table:
    """Return a table with these columns. Columns in `wide` share the remaining width. Text that
    does not fit is cut off, except in the column `fold`."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", pad_edge=False)
    for column in columns:
        table.add_column(
            column,
            no_wrap=column != fold,
            overflow="fold" if column == fold else "ellipsis",
            ratio=wide.get(column) or None,
        )
    table.expand = bool(wide) and sys.stdout.isatty()
    return table


def _text(value: Any, style: str = "") -> Text:
    return Text(printable(str(value)).replace("\n", " "), style=style)


def _clock(at: float) -> str:
    return time.strftime("%H:%M:%S", time.localtime(at))


def show_tabs(tabs: Sequence[dict[str, Any]]) -> None:
    """Print the tabs of an owner."""
    console = make_console()
    if not tabs:
        console.print('No tabs. [cyan]pilothouse open https://example.com[/] opens "main".')
        return
    table = _table("", "name", "title", "address", "browser", title=2, address=3)
    for tab in tabs:
        if not tab["alive"]:
            mark = Text("✗", "red")
        elif tab["busy"]:
            mark = Text("…", "yellow")
        else:
            mark = Text("●", "green")
        name = _text(tab["name"], "bold")
        if tab["busy"]:
            name.append(f" ({tab['busy']})", "yellow")
        untitled = tab["title"] in ("", tab["url"])
        title, style = ("(no title)", "dim") if untitled else (tab["title"], "")
        table.add_row(
            mark, name, _text(title, style), _text(tab["url"], "cyan"), _text(tab["browser"], "dim")
        )
    console.print(table)


def show_dialogs(found: dict[str, Any], tab_options: str = "") -> None:
    """Print open dialogs and interrupts, and recently closed dialogs."""
    console = make_console()
    waiting = [*found["pending_dialogs"], *found["interrupts"]]
    if not waiting:
        console.print("Nothing waits for an answer.")
    for dialog in found["pending_dialogs"]:
        key, kind = dialog["id"], dialog["type"]
        console.print(Text.assemble((f"{kind} ", "bold"), (key, "yellow"), ": ",
                                    _text(dialog["message"])))  # fmt: skip
        text = " --text TEXT" if kind == "prompt" else ""
        console.print(
            f"  answer   [cyan]pilothouse dialog accept {key}{text}{escape(tab_options)}[/]"
        )
        console.print(f"      or   [cyan]pilothouse dialog dismiss {key}{escape(tab_options)}[/]")
    for interrupt in found["interrupts"]:
        key = interrupt["id"]
        console.print(Text.assemble((f"{interrupt['kind']} ", "bold"), (key, "yellow"), "  ",
                                    _text(interrupt.get("origin", ""))))  # fmt: skip
        for answer in interrupt.get("answers", ()):
            console.print(
                f"  answer   [cyan]pilothouse answer {key} {answer}{escape(tab_options)}[/]"
            )
    over = found["recent_dialogs"]
    if over:
        console.print("[dim]recently closed[/]")
    for dialog in over[-5:]:
        got = "" if dialog.get("page_got") is None else f"; the page got {dialog['page_got']!r}"
        said = f"{dialog['type']} {dialog['id']}: {dialog['message']}"
        how = f"closed by {dialog['closed_by']}{got}"
        console.print(_text(f"  {_clock(dialog['closed_at'])}  {said}; {how}", "dim"))


def show_console(found: dict[str, Any]) -> None:
    """Print console messages."""
    console = make_console()
    if not found["entries"]:
        console.print("The console is empty.")
        return
    table = _table("#", "at", "level", "text", "from", fold="text", text=3)
    for entry in found["entries"]:
        style = _LEVELS.get(entry["level"], "")
        place = entry.get("url", "").rpartition("/")[2]
        where = f"{place}:{entry['line']}" if place and entry.get("line") else place
        table.add_row(
            str(entry["seq"]),
            Text(_clock(entry["at"]), "dim"),
            Text(entry["level"], style),
            _text(entry["text"], style if entry["level"] != "info" else ""),
            _text(where, "dim"),
        )
    console.print(table)
    if found.get("dropped"):
        console.print(
            f"[dim]{plural(found['dropped'], 'older line is', 'older lines are')} no longer kept[/]"
        )


def show_journal(found: dict[str, Any]) -> None:
    """Print journal entries, oldest first."""
    console = make_console()
    if not found["entries"]:
        console.print("Nothing has happened yet.")
        return
    if found["left_out"]:
        number = plural(found["left_out"], "older one is", "older ones are")
        console.print(f"[dim]{number} left out (--last shows more)[/]")
    table = _table("time", "tab", "event", "words", fold="words", words=1)
    for entry in found["entries"]:
        event = entry["event"]
        style = _EVENT_STYLES.get(event.split()[0], "")
        if entry["tab"] and not entry["id"]:
            event, style = f"→ {event}", "bold"  # an action of the user, not an event
        if entry["words"].startswith("refused: ") or ", refused: " in entry["words"]:
            style = "red"
        table.add_row(
            _text(_clock(entry["at"]), "dim"),
            _text(entry["tab"], "bold"),
            _text(event, style),
            _text(entry["words"]),
        )
    console.print(table)


def show_requests(found: dict[str, Any]) -> None:
    """Print network requests."""
    console = make_console()
    if not found["requests"]:
        console.print("No requests.")
        return
    table = _table("id", "method", "status", "type", "size", "ms", "address", address=1)
    for request in found["requests"]:
        status = request.get("status") or request["state"]
        failed = bool(request.get("failed")) or (isinstance(status, int) and status >= 400)
        style = "red" if failed else "yellow" if request["state"] == "pending" else "green"
        shown = f"{status} {request['failed']}" if request.get("failed") else str(status)
        table.add_row(
            _text(request["id"], "dim"),
            _text(request["method"]),
            _text(shown, style),
            _text(request["type"], "dim"),
            _text(_bytes(request["size"]) if "size" in request else ""),
            _text(f"{request['ms']:.0f}" if "ms" in request else ""),
            _text(request["url"], "cyan"),
        )
    console.print(table)
    left = found["total"] - len(found["requests"])
    if left > 0:
        console.print(f"[dim]{plural(left, 'earlier one')}: --limit shows more[/]")


def _bytes(size: float) -> str:
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" or size >= 10 else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"


def show_cookies(cookies: Sequence[dict[str, Any]], *, whole: bool = False) -> None:
    """Print cookies; values are shortened unless `whole`."""
    console = make_console()
    if not cookies:
        console.print("No cookies.")
        return
    table = _table("name", "value", "domain", "path", "expires", "flags", value=1)
    for cookie in cookies:
        value = str(cookie.get("value", ""))
        shown = value if whole or len(value) <= 8 else f"{value[:4]}… ({len(value)})"
        flags = [name for name in ("secure", "httpOnly") if cookie.get(name)]
        expires = cookie.get("expires", -1)
        day = time.strftime("%Y-%m-%d", time.localtime(expires)) if expires > 0 else "session"
        table.add_row(
            _text(cookie["name"], "bold"),
            _text(shown),
            _text(cookie.get("domain", ""), "cyan"),
            _text(cookie.get("path", "")),
            _text(day, "dim"),
            _text(" ".join([*flags, str(cookie.get("sameSite", ""))]).strip(), "dim"),
        )
    console.print(table)


def show_status(found: dict[str, Any]) -> None:
    """Print the status of the daemon, its browsers and the code sandbox."""
    console = make_console()
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column(style="dim", no_wrap=True)
    table.add_column()
    up = _duration(int(found["uptime_s"]))
    table.add_row("daemon", Text.assemble(("● ", "green"), f"pid {found['pid']}, version "
                                         f"{found['version']}, up {up}"))  # fmt: skip
    table.add_row("calls", f"{found['calls']}; clients connected: {found['clients']}")
    table.add_row("tabs", f"{found['tabs']} of yours")
    for browser in found["browsers"]:
        if "error" in browser:
            said = Text.assemble(("✗ ", "red"), _text(f"{browser['browser']}: {browser['error']}"))
        else:
            said = Text.assemble(
                ("● ", "green"), _text(browser.get("product", "")),
                (f"  {browser['browser']}, answers in {browser['ms']:.1f} ms", "dim"),
                *_limits(browser.get("capabilities") or {}),
            )  # fmt: skip
        table.add_row("browser", said)
    if not found["browsers"]:
        table.add_row("browser", Text("none: the first tab starts one", "dim"))
    if (found.get("relay") or {}).get("open"):
        table.add_row("relay", _relay(found["relay"]))
    if (captures := found.get("captures") or {"mode": "off"})["mode"] != "off":
        table.add_row("captures", _captures(captures))
    table.add_row("sandbox", _code_sandbox(found.get("walls") or {}))
    table.add_row("runtime", _text(found["settings"], "dim"))
    console.print(table)


# Text for each capability that a browser may lack.
_MISSING_CAPABILITIES = {
    "dialog_detect": "dialogs are not detected",
    "frame_tree": "only the top frame is visible",
    "oopif_evaluate": "no code in cross-site frames",
    "downloads": "no downloads",
}


def _limits(capabilities: dict[str, Any]) -> list[tuple[str, str]]:
    """Return what does not work in a browser; [] if everything works."""
    lacking = [
        said for name, said in _MISSING_CAPABILITIES.items() if capabilities.get(name) is False
    ]
    if capabilities.get("dialog_respond") == "no":
        lacking.append("dialogs cannot be answered")
    return [("; " + "; ".join(lacking), "yellow")] if lacking else []


def _captures(captures: dict[str, Any]) -> Text:
    size = f"{plural(captures['captures'], 'capture')}, {captures['bytes'] / 1_000_000:.1f} MB"
    return Text.assemble(f"{captures['mode']}: {size} in ", _text(captures["folder"]))


def _relay(relay: dict[str, Any]) -> Text:
    connected = sum(bool(one.get("connected")) for one in relay["extensions"])
    clients, extensions = plural(len(relay["clients"]), "client"), plural(connected, "extension")
    said = f"port {relay['port']}, {clients}, {extensions}"
    return Text.assemble(("● ", "green"), said)


def _duration(seconds: int) -> str:
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {seconds} s" if minutes else f"{seconds} s"


def _code_sandbox(sandbox: dict[str, Any]) -> Text:
    """Return which layers of the sandbox for `run` code are in force, and which are missing."""
    layers, missing = sandbox.get("stand") or (), sandbox.get("missing") or ()
    if not layers and not missing:
        return Text("starts with the first run", "dim")
    said = Text(", ".join(map(str, layers)), "green")
    if missing:
        unavailable = "unavailable: " + ", ".join(map(str, missing))
        said.append(f"; {unavailable}" if layers else unavailable, "yellow")
    return said


def show_pages(found: dict[str, Any]) -> None:
    """Print a connected browser and its pages."""
    console = make_console()
    console.print(
        Text.assemble(
            "Connected to ", _text(found["product"], "bold"), " at ", _text(found["endpoint"])
        )
    )
    table = _table("title", "address", title=1, address=2)
    for page in found["pages"]:
        table.add_row(_text(page["title"]), _text(page["url"], "cyan"))
    if found["pages"]:
        console.print(table)
    if found.get("closed"):
        gone = ", ".join(found["closed"])
        console.print(_text(f"Closed with the previous browser: {gone}", "yellow"))
    if found.get("released"):
        stay = ", ".join(found["released"])
        console.print(_text(f"Released in the previous browser (left open): {stay}", "yellow"))
    console.print("[dim]`pilothouse open --target TEXT` uses one of them; `open URL` opens a tab")


def show_settings(rows: Sequence[tuple[str, Any, bool]], path: str) -> None:
    """Print the settings; those that differ from the default are bold."""
    console = make_console()
    table = _table("setting", "value")
    for name, value, changed in rows:
        table.add_row(_text(name, "bold" if changed else ""),
                      _text(value, "bold green" if changed else "dim"))  # fmt: skip
    console.print(table)
    console.print(_text(path, "dim"))


def show_checks(checks: Sequence[dict[str, Any]]) -> None:
    """Print the findings of `pilothouse doctor`."""
    console = make_console()
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True, style="bold")
    table.add_column(overflow="fold")
    for check in checks:
        mark, style = _CHECK_MARKS[check["state"]]
        said = _text(check["found"])
        if check["mend"]:
            said.append(f"\n→ {printable(check['mend'])}", style)
        table.add_row(Text(mark, style), check["name"], said)
    console.print(table)
    count = {state: sum(c["state"] == state for c in checks) for state in _CHECK_MARKS}
    if count["broken"]:
        console.print(f"\n[red]{count['broken']} broken[/], {_warnings(count['warn'])}")
    else:
        told = f", {_warnings(count['warn'])}" if count["warn"] else ""
        console.print(f"\n[green]nothing is broken[/]{told}")


def _warnings(count: int) -> str:
    return f"{count} warning{'' if count == 1 else 's'}"
