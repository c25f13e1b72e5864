"""Writes src/pilothouse/code/client/tab.py: a method for every verb, typed and documented.

    python -m scripts.generate_client

Verbs are declared in src/pilothouse/tabs/verbs; a test tells when the file is not what this makes.
"""

from __future__ import annotations

import subprocess
import sys
import types
import typing
from pathlib import Path
from typing import Any

from pilothouse.tabs import verbs as _verbs  # noqa: F401 - declares them
from pilothouse.tabs.verb import VERBS, Parameter, Verb

TARGET = Path(__file__).parent.parent / "src/pilothouse/code/client/tab.py"

HEAD = '''"""A tab, as Python code sees it: every verb is a method; each call waits for its result.

Made by scripts/generate_client.py from the declarations of the verbs; do not edit it by hand.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pilothouse.code.client.element import Element, ref_of
from pilothouse.code.client.raw_cdp import RawPage
from pilothouse.code.client.notebook_display import Picture, Rich, Snapshot
from pilothouse.code.client.aliases import either_spelling

__all__ = ["Tab"]


class Tab(Rich):
    """One tab of yours, by name. What cannot be done is raised, with a hint in its words.

    Options may be given as `wait_until` or `waitUntil`.
    """

    def __init__(
        self, call: Callable[..., Any], name: str = "main", opened: dict[str, Any] | None = None
    ) -> None:
        self._call = call
        self.name = name
        # How it was opened: address, title, browser, whether it was there before.
        self.opened: dict[str, Any] = opened or {}

    def __repr__(self) -> str:
        return f"<Tab {self.name}>"

    @property
    def page(self) -> RawPage:
        """CDP itself, for what a tab does not offer: `tab.page.cdp("Page.reload")`."""
        return RawPage(self._call, self.name)

    def id(self, ref: int | str) -> Element:
        """The element of a ref that `snapshot` or `observe` gave: `tab.id("e12").click()`.

        Raises at once if it is not on the page any more.
        """
        element = Element(ref_of(ref), self)
        element.is_visible()
        return element
'''

# What notebooks show richly.
RETURNS = {"screenshot": "Picture", "snapshot": "Snapshot"}


def type_text(kind: Any) -> str:
    """An annotation as it is written."""
    if kind is Any:
        return "Any"
    if kind is type(None):
        return "None"
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    if origin in (types.UnionType, typing.Union):
        return " | ".join(type_text(arg) for arg in args)
    if origin is not None:
        return f"{origin.__name__}[{', '.join(type_text(arg) for arg in args)}]"
    return str(kind.__name__)


def signature(parameter: Parameter, rest: str = "") -> str:
    """One parameter as it is written; lists and mappings start empty, so they may be left out.
    The one that is `rest` takes all that follow."""
    text = type_text(parameter.kind)
    if parameter.name == rest:
        return f"*{rest}: {'Any' if text == 'list[Any]' else text}"
    if parameter.default is ...:
        return f"{parameter.name}: {text}"
    if isinstance(parameter.default, list | dict):
        return f"{parameter.name}: {text} | None = None"
    return f"{parameter.name}: {text} = {parameter.default!r}"


def method(verb: Verb) -> str:
    """The method of one verb."""
    parts = ["self", *(signature(p, verb.rest) for p in verb.parameters)]
    returns = RETURNS.get(verb.name, "")
    lines = [
        "    @either_spelling",
        f"    def {verb.name}({', '.join(parts)}) -> {returns or 'Any'}:",
    ]
    about = verb.about.splitlines()
    lines.append(f'        """{about[0]}' + ('"""' if len(about) == 1 else ""))
    if len(about) > 1:
        lines += [f"        {line}".rstrip() for line in about[1:]]
        lines.append('        """')
    given = ["tab=self.name"]
    for p in verb.parameters:
        if p.name == verb.rest and type_text(p.kind) == "list[Any]":
            given.append(f"{p.name}=list({p.name})")
        elif p.name == verb.rest:
            given.append(f"{p.name}={p.name}[0] if len({p.name}) == 1 else list({p.name})")
        elif isinstance(p.default, list | dict):
            given.append(f"{p.name}={p.name} or {type(p.default)()!r}")
        else:
            given.append(f"{p.name}={p.name}")
    called = f'self._call("tab.{verb.name}", {", ".join(given)})'
    lines.append(f"        return {returns}({called})" if returns else f"        return {called}")
    return "\n".join(lines)


def camel(name: str) -> str:
    """`wait_for` as `waitFor`."""
    first, *rest = name.split("_")
    return first + "".join(part.title() for part in rest)


def source() -> str:
    """The whole file, formatted."""
    body = "\n\n".join(method(verb) for verb in VERBS.values())
    aliases = [f"    {camel(name)} = {name}" for name in VERBS if "_" in name]
    extra = ["    upload_file = uploadFile = upload"] if "upload" in VERBS else []
    text = f"{HEAD}\n{body}\n\n    # The same by the names other tools have for them.\n"
    text += "\n".join([*aliases, *extra]) + "\n"
    ruff = [sys.executable, "-m", "ruff", "format", "--stdin-filename", str(TARGET), "-"]
    done = subprocess.run(ruff, input=text, capture_output=True, text=True, check=True)
    return done.stdout


if __name__ == "__main__":
    TARGET.write_text(source(), "utf-8")
    print(f"wrote {TARGET.name}: {len(VERBS)} verbs")
