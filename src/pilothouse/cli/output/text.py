"""Format results as text for a terminal: receipts, navigations, snapshots, blocked calls.

Knows: the shapes of results, and that page text must not contain escape sequences. Must not know:
where results come from. Every command prints through this module, so its imports are cheap.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time

from pilothouse.errors import plural

# As typing.TYPE_CHECKING, without the import: a warm call should not pay for it.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TextIO

__all__ = [
    "answer_commands",
    "arrival_text",
    "blocked_hint",
    "blocked_text",
    "colorize",
    "format_result",
    "interrupts_text",
    "opened_text",
    "printable",
    "requests_text",
    "snapshot_text",
    "supports_color",
    "value_text",
]

_STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}
_REF = re.compile(r"\[ref=(\w+)\]")
_NAME = re.compile(r'"(?:[^"\\]|\\.)*"')
# Arguments that an answer requires.
_REQUIRED_DETAILS = {
    "provide": """ --detail '{"username": "NAME", "password": "PASSWORD"}'""",
    "upload": " FILE…",
}
# Fields of an interrupt that are shown elsewhere.
_SHOWN_ELSEWHERE = frozenset(
    {"answers", "commands", "deadline_s", "frame_id", "id", "kind", "opened_at", "origin", "tab"}
)
_BOUNDARY = re.compile(r"\[(?:page|end) \w+(?:: [^\]]*)?\]")


def printable(page_text: str) -> str:
    """Return text that is safe for a terminal: characters that are not printable become dots."""
    lines = page_text.replace("\r\n", "\n").replace("\t", "    ").split("\n")
    return "\n".join(
        line if line.isprintable() else "".join(c if c.isprintable() else "·" for c in line)
        for line in lines
    )


def supports_color(stream: TextIO) -> bool:
    """Return whether to use colours: on a terminal, unless NO_COLOR is set or TERM is dumb."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def colorize(text: str, style: str, stream: TextIO | None = None) -> str:
    """Return the text in a style, if the stream supports colours."""
    if not text or not supports_color(stream or sys.stdout):
        return text
    return f"\x1b[{_STYLES[style]}m{text}\x1b[0m"


def value_text(value: Any) -> str:
    """Format any JSON value for people."""
    if isinstance(value, str):
        return printable(value)
    return printable(json.dumps(value, indent=2, ensure_ascii=False))


def format_result(result: Any) -> str:
    """Format the result of a verb."""
    if isinstance(result, dict):
        if "changed" in result and "action" in result:
            return _format_receipt(result)
        if "loaded" in result and "kind" in result:
            return arrival_text(result)
        if "boundary" in result:
            return snapshot_text(result)
    if result is None:
        return colorize("done", "dim")
    return value_text(result)


def _format_receipt(receipt: dict[str, Any]) -> str:
    text = printable(str(receipt["text"]))
    said, *more = text.split("; ")
    said = said[:1].upper() + said[1:]
    lines = [colorize(said, "bold")]
    if more:
        lines.append("  " + "; ".join(more))
    return "\n".join(lines) if supports_color(sys.stdout) else "; ".join([said, *more])


def opened_text(opened: dict[str, Any]) -> str:
    """Format the result of `open`: whether the tab is new, was there, or is a page that was already
    open in the browser."""
    name, browser = colorize(printable(opened["name"]), "bold"), printable(opened["browser"])
    if opened["adopted"] and browser.startswith("the user's Chrome"):
        return f"Using your tab as {name} on {browser}"
    if opened["adopted"] and not opened["reused"]:
        page = printable(opened["title"] or opened["url"]).replace("\n", " ")
        return f'Using the page "{page}" as tab {name} in the {browser}'
    return f"{'Reused' if opened['reused'] else 'Opened'} tab {name} on {browser}"


def arrival_text(arrival: dict[str, Any]) -> str:
    """Format the result of a navigation."""
    url, title = printable(arrival["url"]), printable(arrival.get("title", ""))
    status = f" ({arrival['status']})" if arrival.get("status") else ""
    lines = [f"At {colorize(url, 'bold')}{status}" + (f": {title}" if title else "")]
    for stop in arrival.get("redirects", ()):
        lines.append(f"  redirected from {printable(stop['url'])} by the {stop['by']}")
    if arrival.get("error"):
        lines.append("  " + colorize(f"it failed: {printable(arrival['error'])}", "red"))
    if arrival.get("kind") == "download":
        where = arrival.get("path") or "pilothouse downloads tells where it is"
        lines.append(
            f"  it is a download: {printable(arrival.get('filename', ''))}: {printable(where)}"
        )
    if arrival.get("timed_out"):
        hanging = ", ".join(printable(url) for url in arrival.get("hanging", ())[:5])
        lines.append(
            f"  it was not loaded in time (reached: {arrival.get('loaded') or 'nothing'}"
            + (f"; unanswered: {hanging})" if hanging else ")")
        )
    return "\n".join(lines)


def snapshot_text(snapshot: dict[str, Any]) -> str:
    """Format a snapshot. Programs get it unchanged, with the untrusted-text markers; on a terminal
    the markers are removed and refs are coloured."""
    text = printable(snapshot["text"])
    if not supports_color(sys.stdout):
        return text
    lines = [line for line in text.split("\n") if not _BOUNDARY.fullmatch(line)]
    shown = [colorize(lines[0], "bold")] if lines else []
    for line in lines[1:]:
        line = _NAME.sub(lambda found: colorize(found[0], "green"), line, count=1)
        shown.append(_REF.sub(lambda found: colorize(found[1], "cyan"), line))
    foot = f"{plural(snapshot['elements'], 'element')}, {snapshot['acting']} to act on"
    if snapshot.get("cut"):
        foot += f", {snapshot['cut']} left out (--budget 0 shows all)"
    return "\n".join([*shown, colorize(foot, "dim")])


# Blocked calls.


def blocked_text(result: dict[str, Any], tab_options: str = "") -> str:
    """Format what blocks a call, and the commands to continue. `tab_options` are the options that
    select the same tab."""
    lines = []
    for blocker in result["blocked_by"]:
        lines += _format_blocker(blocker, tab_options)
    action = result.get("action_id")
    then = f"pilothouse result {action}{tab_options}" if action else "the same command again"
    lines.append(f"  then     {colorize(then, 'cyan')}")
    return "\n".join(lines)


def answer_commands(waiting: dict[str, Any], tab_options: str = "") -> list[str]:
    """Return the commands that answer a dialog or another interrupt."""
    key = waiting["id"]
    if waiting.get("orphaned"):  # its answer can no longer be delivered
        return [f"pilothouse reload{tab_options}"]
    if waiting["kind"] == "human":
        return _handover_commands(waiting["request"])
    if waiting["kind"] != "dialog":
        answers = waiting.get("answers", ())
        return [
            f"pilothouse answer {key} {answer}{_REQUIRED_DETAILS.get(answer, '')}{tab_options}"
            for answer in answers
        ]
    text = " --text TEXT" if waiting["type"] == "prompt" else ""
    return [
        f"pilothouse dialog accept {key}{text}{tab_options}",
        f"pilothouse dialog dismiss {key}{tab_options}",
    ]


def _handover_commands(request: str) -> list[str]:
    """Return the commands with which a person answers a request."""
    return [
        f"pilothouse handover done {request}",
        f"pilothouse handover answer {request} TEXT",
        f"pilothouse handover refuse {request} REASON",
    ]


def _format_blocker(blocker: dict[str, Any], tab_options: str) -> list[str]:
    lines = _format_interrupt(blocker, answer_commands(blocker, tab_options))
    return [f"Blocked by {lines[0]}", *lines[1:]]


def _format_interrupt(waiting: dict[str, Any], commands: list[str]) -> list[str]:
    key, kind = waiting["id"], waiting["kind"]
    if kind == "dialog":
        said = printable(waiting.get("message", ""))
        head = f"{waiting['type']} {colorize(key, 'yellow')}: {said}"
    else:
        detail = ", ".join(
            f"{name} {printable(str(value))}"
            for name, value in waiting.items()
            if name not in _SHOWN_ELSEWHERE and value
        )
        head = f"{kind} {colorize(key, 'yellow')}" + (f": {detail}" if detail else "")
    words = ["answer", *["or"] * len(commands)]
    return [
        head,
        *(
            f"  {word:>6}   {colorize(command, 'cyan')}"
            for word, command in zip(words, commands, strict=False)
        ),
    ]


def interrupts_text(waiting: list[dict[str, Any]]) -> str:
    """Format pending interrupts by tab, with the commands that answer them."""
    lines: list[str] = []
    for one in waiting:
        first, *answers = _format_interrupt(one, one["commands"])
        lines += [f"{colorize(printable(one['tab']), 'bold')}: {first}", *answers]
    return "\n".join(lines)


def requests_text(waiting: list[dict[str, Any]]) -> str:
    """Format the requests that wait for a person, with the commands that answer them."""
    lines: list[str] = []
    for one in waiting:
        left = max(int(one["expires_at"] - time.time()), 0)  # noqa: TID251
        lines += [
            f"{colorize(one['id'], 'yellow')}  {printable(one['reason'])}",
            f"        {one['owner']}, tab {printable(one['tab'])}, {one['browser']}: "
            f"{printable(one['url'])}",
            f"        expires in {left // 60} min {left % 60} s",
        ]
        if one["choices"]:
            lines.append(f"        choose: {printable(', '.join(one['choices']))}")
        words = ("answer", "or", "or")
        lines += [
            f"  {word:>6}   {colorize(command, 'cyan')}"
            for word, command in zip(words, _handover_commands(one["id"]), strict=True)
        ]
    return "\n".join(lines)


def blocked_hint(result: dict[str, Any], tab_options: str = "") -> str:
    """Return the commands to continue in one line, for the JSON envelope."""
    first = result["blocked_by"][0]
    commands = answer_commands(first, tab_options) or [
        f"pilothouse answer {first['id']} ANSWER{tab_options}"
    ]
    # Without a text, a prompt gets its default.
    answer = commands[0].replace(" --text TEXT", "")
    action = result.get("action_id")
    return answer + (
        f", then: pilothouse result {action}{tab_options}" if action else ", then again"
    )
