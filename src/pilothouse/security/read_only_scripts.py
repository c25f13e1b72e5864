"""Which scripts only read a page: an allow list by SHA-256 of their whole text. Pure.

Under "read only" a script runs if Chrome can prove that it changes nothing (`throwOnSideEffect`),
or if its text is on this list. The list holds our own readers and those that Playwright sends for
`title()`, `content()` and the reads of locators; each was read by a person before it got there. The
extension judges by the same rules (extension/readers.js), and neither side trusts the other.

Knows: the texts, and where a known script takes code as an argument. Must not know: what is allowed
besides, or who asks.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

__all__ = ["CODE_KEYS", "UTILITY", "ReadScripts", "code_in", "digest"]

_TEXT_OF = {
    "Debugger.evaluateOnCallFrame": "expression",
    "Page.addScriptToEvaluateOnNewDocument": "source",
    "Runtime.callFunctionOn": "functionDeclaration",
    "Runtime.evaluate": "expression",
}
# Playwright sends every script of its own through this function, as the fourth argument.
UTILITY = "(utilityScript, ...args) => utilityScript.evaluate(...args)"
# By these names its known scripts take code that they run.
CODE_KEYS = frozenset({"callbackText", "functionText"})
# Its library ends with options that differ from client to client.
_LIBRARY = re.compile(
    r"(.*InjectedScript\(\)\)\(globalThis, )(\{[^{}]*\})(\);\s*\}\)\(\);\s*)\Z", re.DOTALL
)


def digest(text: str) -> str:
    """What a text is known by."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class ReadScripts:
    """The known readers: `texts` and `lengths` of whole scripts, `calls` that our own dispatcher
    (`alone`) may make."""

    def __init__(self, *tables: Mapping[str, Any]) -> None:
        def every(name: str) -> Iterator[Any]:
            for table in tables:
                yield from table.get(name, ())

        self._texts: frozenset[str] = frozenset(every("texts"))
        self._lengths: frozenset[int] = frozenset(every("lengths"))
        self._alone: frozenset[str] = frozenset(every("alone"))
        self._calls: frozenset[str] = frozenset(every("calls"))

    def knows(self, method: str, params: Mapping[str, Any]) -> bool:
        """Whether a command runs a script that is known to read only."""
        text = params.get(_TEXT_OF.get(method, ""))
        if not isinstance(text, str):
            return False
        given = params.get("arguments")
        arguments = given if isinstance(given, list) else []
        if method == "Runtime.callFunctionOn" and text == UTILITY:
            return self._known_all([_value(arguments, 3), *code_in(arguments[5:])])
        if method == "Runtime.evaluate" and (library := _LIBRARY.match(text)):
            return bool(self._known(library[1] + library[3])) and _plain_options(library[2])
        if digest_of := self._known(text):
            return digest_of not in self._alone or _value(arguments, 0) in self._calls
        return False

    def _known_all(self, texts: Iterable[Any]) -> bool:
        return all(isinstance(text, str) and self._known(text) for text in texts)

    def _known(self, text: str) -> str:
        """The digest of a text, if it is on the list. Long texts are not hashed in vain."""
        if len(text.encode("utf-16-le", "surrogatepass")) // 2 not in self._lengths:
            return ""
        found = digest(text)
        return found if found in self._texts else ""


def _value(arguments: list[Any], index: int) -> Any:
    one = arguments[index] if index < len(arguments) else None
    return one.get("value") if isinstance(one, Mapping) else None


def code_in(value: Any) -> Iterator[Any]:
    """Whatever stands under a name by which code is given, however deep: as plain objects, and as
    Playwright spells them ({"k": name, "v": value})."""
    if isinstance(value, list):
        for one in value:
            yield from code_in(one)
    elif isinstance(value, Mapping):
        if value.get("k") in CODE_KEYS:
            yield value.get("v")
        for name, one in value.items():
            if name in CODE_KEYS:
                yield one
            yield from code_in(one)


def _plain_options(text: str) -> bool:
    """Whether the library's options are data alone: selector engines of a client are code."""
    try:
        options = json.loads(text)
    except ValueError:
        return False
    return isinstance(options, dict) and all(
        isinstance(value, str | int | bool) or (name == "customEngines" and value == [])
        for name, value in options.items()
    )
