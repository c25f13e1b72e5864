"""Who does the job of the economy benchmark: a model without a mind, one for each server.

Knows: what the tools of each server are called, and how their answers name elements. Must not know:
the job.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from bench.chromium import BenchError
from bench.mcp_stdio_client import McpPeer

__all__ = ["DevtoolsWorker", "Field", "OurWorker", "PlaywrightWorker", "Worker"]

FIELDS = "textbox|searchbox|combobox|spinbutton|slider|checkbox|radio|Date|Time|DateTime|InputTime"
FIELDS += "|ColorWell|color|date|time|listbox|file input|button"


@dataclass(frozen=True)
class Field:
    """A field of a form by its label; `kind` as @playwright/mcp wants it said."""

    label: str
    value: str | list[str]
    kind: str = "textbox"


class Worker:
    """What all of them do: call, count, and remember what was read."""

    element = r'(?:{role}) "{name}"[^\n]*?\[ref=(\w+)\]'
    snapshot = "browser_snapshot"

    def __init__(self, peer: McpPeer) -> None:
        self.peer = peer
        self.calls = 0
        self.chars = 0
        self.refused = 0
        self.hidden: list[str] = []
        self.log: list[dict[str, str]] = []
        self._page: list[str] = []  # what was read of this page, newest first
        self._behind: list[str] = []  # and of the page that opened this one
        self._fresh: list[str] = []  # since the last action

    # What the job asks for; each server does it in its own calls.

    def open(self, url: str) -> None:
        """Go to an address."""
        raise NotImplementedError

    def click(self, role: str, name: str, near: str = "", *, leads: bool = False) -> None:
        """Click an element; `near` is in its row, `leads` if another page comes of it."""
        raise NotImplementedError

    def fill(self, fields: list[Field], submit: str = "", *, leads: bool = False) -> None:
        """Fill fields; press the button of that name afterwards."""
        raise NotImplementedError

    def upload(self, label: str, path: str) -> None:
        """Give a file to a field."""
        raise NotImplementedError

    def answer(self, text: str = "") -> None:
        """Accept the dialog that is open."""
        raise NotImplementedError

    def wait(self, text: str) -> None:
        """Wait for a text."""
        raise NotImplementedError

    def enter_popup(self) -> None:
        """Go on in the window that the last click opened."""
        raise NotImplementedError

    def leave_popup(self) -> None:
        """Close it and go on where it was opened."""
        raise NotImplementedError

    # What they have in common.

    def learn(self, fact: str) -> None:
        """Know a fact: from the answers since the last action, else by looking."""
        if any(fact in text for text in self._fresh):
            return
        if not any(fact in text for text in [self.look()]):
            self.hidden.append(fact)

    def look(self) -> str:
        """Take a snapshot."""
        text = self.call(self.snapshot, **self.always())
        self._page = [text]
        self._fresh.append(text)
        return text

    def always(self) -> dict[str, Any]:
        """What every call wants besides."""
        return {}

    def act(self, tool: str, leads: bool = False, **given: Any) -> str:
        """Call a tool that changes something."""
        if leads:
            self._page = []
        text = self.call(tool, **given, **self.always())
        self._fresh = [text]
        self._page.insert(0, text)
        return text

    def call(self, tool: str, **given: Any) -> str:
        """Call a tool and count it."""
        self.calls += 1
        text = self.peer.call(tool, **given)
        said = json.dumps(given, separators=(",", ":"))
        self.chars += len(tool) + len(said) + len(text)
        self.log.append({"tool": tool, "arguments": said, "answer": text})
        if self.is_refusal(text):
            self.refused += 1
        return self.readable(text)

    def is_refusal(self, text: str) -> bool:
        """Whether an answer is an error."""
        return text.startswith("### Error") or text.startswith("Error")

    def readable(self, text: str) -> str:
        """An answer as it is searched, one element a line."""
        return text

    def ref(self, role: str, name: str, near: str = "") -> str:
        """An element that was read on this page; looks if it was not."""
        return self._read(role, name, near) or self._looked_for(role, name, near)

    def _looked_for(self, role: str, name: str, near: str) -> str:
        self.look()
        found = self._read(role, name, near)
        if not found:
            raise BenchError(f"{role} {name!r} {near} is not to be seen: {self._page[0][:2000]}")
        return found

    def _read(self, role: str, name: str, near: str) -> str:
        wanted = re.compile(self.element.format(role=role, name=re.escape(name)))
        for text in self._page:
            start = text.find(near) if near else 0
            found = wanted.search(text, start) if start >= 0 else None
            if found:
                return found[1]
        return ""


def _if(**given: Any) -> dict[str, Any]:
    return {name: value for name, value in given.items() if value}


def _unquoted(line: str) -> str:
    if not line.startswith("{"):
        return line
    return re.sub(r'(?<!\\)"', "\n", line).replace('\\"', '"')


class OurWorker(Worker):
    """Pilothouse, with its default tools and without browser_batch."""

    element = r'(?:{role}) "{name}"[^\n]*?\[(?:ref=)?((?:f\d+)?e\d+)\]'

    def __init__(self, peer: McpPeer) -> None:
        super().__init__(peer)
        self._tab = ""

    def always(self) -> dict[str, Any]:
        return {"tab": self._tab} if self._tab else {}

    def is_refusal(self, text: str) -> bool:
        return text.startswith('{"success":false') and '"blocked by a dialog' not in text

    def readable(self, text: str) -> str:
        # Lines of the page are strings in JSON where an answer has more to tell than the page.
        return "\n".join(map(_unquoted, text.splitlines()))

    def open(self, url: str) -> None:
        self.act("browser_navigate", leads=True, url=url)

    def click(self, role: str, name: str, near: str = "", *, leads: bool = False) -> None:
        self.act("browser_click", leads, ref=self.ref(role, name, near))

    def fill(self, fields: list[Field], submit: str = "", *, leads: bool = False) -> None:
        given = [{"ref": self.ref(FIELDS, one.label), "value": one.value} for one in fields]
        self.act("browser_fill_form", leads, fields=given, **_if(submit=bool(submit)))

    def upload(self, label: str, path: str) -> None:
        self.act("browser_upload", ref=self.ref(FIELDS, label), paths=path)

    def answer(self, text: str = "") -> None:
        self.act("browser_dialog", action="accept", **_if(prompt_text=text))

    def wait(self, text: str) -> None:
        self.act("browser_wait", text=text)

    def enter_popup(self) -> None:
        said = self.log[-1]["answer"]
        found = re.search(r'"new_tabs":\["([\w.]+)"', said)
        if found is None:
            raise BenchError(f"no word of the popup: {said[:500]}")
        self._tab = found[1]
        self._behind = self._page

    def leave_popup(self) -> None:
        name, self._tab = self._tab, ""
        self.act("browser_tabs", action="close", name=name)
        self._page = self._behind


class PlaywrightWorker(Worker):
    """@playwright/mcp with its defaults: what an action came to is a snapshot away."""

    def open(self, url: str) -> None:
        self.act("browser_navigate", leads=True, url=url)

    def click(self, role: str, name: str, near: str = "", *, leads: bool = False) -> None:
        self.act("browser_click", leads, element=name, target=self.ref(role, name, near))

    def fill(self, fields: list[Field], submit: str = "", *, leads: bool = False) -> None:
        only = fields[0]
        if len(fields) == 1 and only.kind == "textbox":
            target = self.ref(FIELDS, only.label)
            given: dict[str, Any] = {"element": only.label, "target": target, "text": only.value}
            self.act("browser_type", leads, **given, **_if(submit=bool(submit)))
            return
        plain = [
            {"name": one.label, "type": one.kind, "target": self.ref(FIELDS, one.label),
             "value": one.value}
            for one in fields
            if isinstance(one.value, str)
        ]  # fmt: skip
        self.act("browser_fill_form", fields=plain)
        for one in fields:
            if not isinstance(one.value, str):
                target = self.ref(FIELDS, one.label)
                self.act(
                    "browser_select_option", element=one.label, target=target, values=one.value
                )
        if submit:
            self.click("button", submit, leads=leads)

    def upload(self, label: str, path: str) -> None:
        self.click("button", label)
        self.act("browser_file_upload", paths=[path])

    def answer(self, text: str = "") -> None:
        self.act("browser_handle_dialog", accept=True, **_if(promptText=text))

    def wait(self, text: str) -> None:
        self.act("browser_wait_for", text=text)

    def enter_popup(self) -> None:
        self._behind = self._page
        self.act("browser_tabs", leads=True, action="select", index=1)

    def leave_popup(self) -> None:
        self.act("browser_tabs", action="close", index=1)
        self._page = self._behind


class DevtoolsWorker(Worker):
    """chrome-devtools-mcp with its defaults; a snapshot is asked for with the action where one is
    needed next."""

    element = r'uid=(\w+) (?:{role}) "{name}'
    snapshot = "take_snapshot"

    def __init__(self, peer: McpPeer) -> None:
        super().__init__(peer)
        self._number = 1

    def always(self) -> dict[str, Any]:
        return {"pageId": self._number}

    def is_refusal(self, text: str) -> bool:
        return bool(re.match(r"(?:Error|Failed|MCP error|.{0,80}(?:not found|failed))", text))

    def open(self, url: str) -> None:
        self.act("navigate_page", leads=True, type="url", url=url)

    def click(self, role: str, name: str, near: str = "", *, leads: bool = False) -> None:
        self.act("click", leads, uid=self.ref(role, name, near))

    def fill(self, fields: list[Field], submit: str = "", *, leads: bool = False) -> None:
        given = [
            {"uid": self.ref(FIELDS, one.label), "value": one.value}
            for one in fields
            if isinstance(one.value, str)
        ]
        if len(given) == 1:
            self.act("fill", uid=given[0]["uid"], value=given[0]["value"])
        else:
            self.act("fill_form", elements=given)
        for one in fields:
            if not isinstance(one.value, str):
                for value in one.value:
                    self.act("click", uid=self.ref("option", value))
        if submit:
            self.click("button", submit, leads=leads)

    def upload(self, label: str, path: str) -> None:
        self.act("upload_file", uid=self.ref(FIELDS, label), filePaths=[path])

    def answer(self, text: str = "") -> None:
        self.act("handle_dialog", action="accept", **_if(promptText=text))

    def wait(self, text: str) -> None:
        self.act("wait_for", text=[text])

    def enter_popup(self) -> None:
        text = self.call("list_pages")
        numbers = [int(number) for number in re.findall(r"^(\d+): ", text, re.MULTILINE)]
        self._number = max(numbers, default=1)
        self._behind, self._page, self._fresh = self._page, [], []

    def leave_popup(self) -> None:
        self.act("close_page")
        self._number = 1
        self._page = self._behind
