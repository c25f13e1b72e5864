"""Answers in words: receipts, arrivals, snapshots and what blocks, as text for a terminal.

Knows: the shapes of results, and that a page's text must not steer a terminal. Must not know: how
results are had. No imports that cost: a warm call prints through this.
"""

from __future__ import annotations

import json
import os
import re
import sys

# As typing.TYPE_CHECKING, without the import: a warm call should not pay for it.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TextIO

__all__ = [
    "answer_commands",
    "arrival_text",
    "blocked_hint",
    "blocked_text",
    "coloured",
    "interrupts_text",
    "paint",
    "printable",
    "sentence",
    "snapshot_text",
    "value_text",
]

_STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}
_REF = re.compile(r"\[ref=(\w+)\]")
_NAME = re.compile(r'"(?:[^"\\]|\\.)*"')
# What an answer cannot do without.
_DETAILS = {
    "provide": """ --detail '{"username": "NAME", "password": "PASSWORD"}'""",
    "upload": " FILE…",
}
# What of an interrupt is told in another place.
_NO_DETAIL = frozenset(
    {"answers", "commands", "deadline_s", "frame_id", "id", "kind", "opened_at", "origin", "tab"}
)
_BOUNDARY = re.compile(r"\[(?:page|end) \w+(?:: [^\]]*)?\]")


def printable(page_text: str) -> str:
    """Page text for a terminal, line by line: nothing in it is an escape sequence."""
    lines = page_text.replace("\r\n", "\n").replace("\t", "    ").split("\n")
    return "\n".join(
        line if line.isprintable() else "".join(c if c.isprintable() else "·" for c in line)
        for line in lines
    )


def coloured(stream: TextIO) -> bool:
    """Whether colours belong there: on a terminal, unless the person wants none."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def paint(text: str, style: str, stream: TextIO | None = None) -> str:
    """The text in a style, where colours belong."""
    if not text or not coloured(stream or sys.stdout):
        return text
    return f"\x1b[{_STYLES[style]}m{text}\x1b[0m"


def value_text(value: Any) -> str:
    """Any JSON value as a person reads it."""
    if isinstance(value, str):
        return printable(value)
    return printable(json.dumps(value, indent=2, ensure_ascii=False))


def sentence(result: Any) -> str:
    """What came of a verb, as text."""
    if isinstance(result, dict):
        if "changed" in result and "action" in result:
            return _receipt(result)
        if "loaded" in result and "kind" in result:
            return arrival_text(result)
        if "boundary" in result:
            return snapshot_text(result)
    if result is None:
        return paint("done", "dim")
    return value_text(result)


def _receipt(receipt: dict[str, Any]) -> str:
    text = printable(str(receipt["text"]))
    said, *more = text.split("; ")
    said = said[:1].upper() + said[1:]
    lines = [paint(said, "bold")]
    if more:
        lines.append("  " + "; ".join(more))
    return "\n".join(lines) if coloured(sys.stdout) else "; ".join([said, *more])


def arrival_text(arrival: dict[str, Any]) -> str:
    """Where a navigation ended."""
    url, title = printable(arrival["url"]), printable(arrival.get("title", ""))
    status = f" ({arrival['status']})" if arrival.get("status") else ""
    lines = [f"At {paint(url, 'bold')}{status}" + (f": {title}" if title else "")]
    for stop in arrival.get("redirects", ()):
        lines.append(f"  redirected from {printable(stop['url'])} by the {stop['by']}")
    if arrival.get("error"):
        lines.append("  " + paint(f"it failed: {printable(arrival['error'])}", "red"))
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
    """A snapshot. Programs get it as it is, with the marks around what the page wrote; on a
    terminal the marks go and the refs are coloured."""
    text = printable(snapshot["text"])
    if not coloured(sys.stdout):
        return text
    lines = [line for line in text.split("\n") if not _BOUNDARY.fullmatch(line)]
    shown = [paint(lines[0], "bold")] if lines else []
    for line in lines[1:]:
        line = _NAME.sub(lambda found: paint(found[0], "green"), line, count=1)
        shown.append(_REF.sub(lambda found: paint(found[1], "cyan"), line))
    foot = f"{snapshot['elements']} elements, {snapshot['acting']} to act on"
    if snapshot.get("cut"):
        foot += f", {snapshot['cut']} left out (--budget 0 shows all)"
    return "\n".join([*shown, paint(foot, "dim")])


# What blocks.


def blocked_text(result: dict[str, Any], again: str = "") -> str:
    """What is in the way of a call, and the commands to go on. `again` are the options that lead
    to the same tab."""
    lines = []
    for blocker in result["blocked_by"]:
        lines += _blocker(blocker, again)
    action = result.get("action_id")
    then = f"pilothouse result {action}{again}" if action else "the same command again"
    lines.append(f"  then     {paint(then, 'cyan')}")
    return "\n".join(lines)


def answer_commands(waiting: dict[str, Any], again: str = "") -> list[str]:
    """The commands that answer a dialog or another interrupt."""
    key = waiting["id"]
    if waiting.get("orphaned"):  # nobody can answer it any more
        return [f"pilothouse reload{again}"]
    if waiting["kind"] != "dialog":
        answers = waiting.get("answers", ())
        return [
            f"pilothouse answer {key} {answer}{_DETAILS.get(answer, '')}{again}"
            for answer in answers
        ]
    text = " --text TEXT" if waiting["type"] == "prompt" else ""
    return [
        f"pilothouse dialog accept {key}{text}{again}",
        f"pilothouse dialog dismiss {key}{again}",
    ]


def _blocker(blocker: dict[str, Any], again: str) -> list[str]:
    lines = _waiting(blocker, answer_commands(blocker, again))
    return [f"Blocked by {lines[0]}", *lines[1:]]


def _waiting(waiting: dict[str, Any], commands: list[str]) -> list[str]:
    key, kind = waiting["id"], waiting["kind"]
    if kind == "dialog":
        said = printable(waiting.get("message", ""))
        head = f"{waiting['type']} {paint(key, 'yellow')}: {said}"
    else:
        detail = ", ".join(
            f"{name} {printable(str(value))}"
            for name, value in waiting.items()
            if name not in _NO_DETAIL and value
        )
        head = f"{kind} {paint(key, 'yellow')}" + (f": {detail}" if detail else "")
    words = ["answer", *["or"] * len(commands)]
    return [
        head,
        *(
            f"  {word:>6}   {paint(command, 'cyan')}"
            for word, command in zip(words, commands, strict=False)
        ),
    ]


def interrupts_text(waiting: list[dict[str, Any]]) -> str:
    """What waits in which tab, and the commands that answer it."""
    lines: list[str] = []
    for one in waiting:
        first, *answers = _waiting(one, one["commands"])
        lines += [f"{paint(printable(one['tab']), 'bold')}: {first}", *answers]
    return "\n".join(lines)


def blocked_hint(result: dict[str, Any], again: str = "") -> str:
    """The same for programs: the commands to go on, in one line."""
    first = result["blocked_by"][0]
    commands = answer_commands(first, again) or [f"pilothouse answer {first['id']} ANSWER{again}"]
    # Without a text, a prompt gets its default.
    answer = commands[0].replace(" --text TEXT", "")
    action = result.get("action_id")
    return answer + (f", then: pilothouse result {action}{again}" if action else ", then again")
