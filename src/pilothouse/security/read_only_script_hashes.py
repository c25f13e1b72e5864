"""Lists scripts that only read a page, by SHA-256 of their whole text. Pure.

In read-only mode a script may run if Chrome can prove that it changes nothing
(`throwOnSideEffect`), or if its text is on this list. The list holds our own readers and those that
Playwright sends for `title()`, `content()` and the reads of locators. A person reviewed each of
them. The extension applies the same rules (extension/background/read_only_script_hashes.js), and
neither side trusts the other.

Knows: the texts, and where a known script takes code as an argument. Must not know: what else is
allowed, or who asks.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

__all__ = ["CODE_KEYS", "UTILITY", "ReadOnlyScripts", "digest", "find_code_arguments"]

_SCRIPT_FIELD = {
    "Debugger.evaluateOnCallFrame": "expression",
    "Page.addScriptToEvaluateOnNewDocument": "source",
    "Runtime.callFunctionOn": "functionDeclaration",
    "Runtime.evaluate": "expression",
}
# Playwright sends every script of its own through this function, as the fourth argument.
UTILITY = "(utilityScript, ...args) => utilityScript.evaluate(...args)"
# Argument names under which its known scripts take code to run.
CODE_KEYS = frozenset({"callbackText", "functionText"})
# Its injected library ends with options that differ between clients.
_LIBRARY = re.compile(
    r"(.*InjectedScript\(\)\)\(globalThis, )(\{[^{}]*\})(\);\s*\}\)\(\);\s*)\Z", re.DOTALL
)


def digest(text: str) -> str:
    """Return the SHA-256 of a script."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class ReadOnlyScripts:
    """The scripts that are known to read only.

    Each table has the digests (`texts`) and `lengths` of whole scripts. A script in `alone` is our
    own dispatcher: it is read-only only if it calls one of `calls`.
    """

    def __init__(self, *tables: Mapping[str, Any]) -> None:
        def every(name: str) -> Iterator[Any]:
            for table in tables:
                yield from table.get(name, ())

        self._texts: frozenset[str] = frozenset(every("texts"))
        self._lengths: frozenset[int] = frozenset(every("lengths"))
        self._alone: frozenset[str] = frozenset(every("alone"))
        self._calls: frozenset[str] = frozenset(every("calls"))

    def is_read_only(self, method: str, params: Mapping[str, Any]) -> bool:
        """Tell whether a command runs a script that is known to read only."""
        text = params.get(_SCRIPT_FIELD.get(method, ""))
        if not isinstance(text, str):
            return False
        given = params.get("arguments")
        arguments = given if isinstance(given, list) else []
        if method == "Runtime.callFunctionOn" and text == UTILITY:
            return self._are_all_known(
                [_argument_value(arguments, 3), *find_code_arguments(arguments[5:])]
            )
        if method == "Runtime.evaluate" and (library := _LIBRARY.match(text)):
            return bool(self._known_digest(library[1] + library[3])) and _has_only_data(library[2])
        if digest_of := self._known_digest(text):
            return digest_of not in self._alone or _argument_value(arguments, 0) in self._calls
        return False

    def _are_all_known(self, texts: Iterable[Any]) -> bool:
        return all(isinstance(text, str) and self._known_digest(text) for text in texts)

    def _known_digest(self, text: str) -> str:
        """Return the digest of a listed text, else an empty string.

        The length is compared first, so that long unknown texts need no hash.
        """
        if len(text.encode("utf-16-le", "surrogatepass")) // 2 not in self._lengths:
            return ""
        found = digest(text)
        return found if found in self._texts else ""


def _argument_value(arguments: list[Any], index: int) -> Any:
    one = arguments[index] if index < len(arguments) else None
    return one.get("value") if isinstance(one, Mapping) else None


def find_code_arguments(value: Any) -> Iterator[Any]:
    """Yield the values of all code arguments, however deep.

    Both in plain objects and as Playwright serializes them ({"k": name, "v": value}).
    """
    if isinstance(value, list):
        for one in value:
            yield from find_code_arguments(one)
    elif isinstance(value, Mapping):
        if value.get("k") in CODE_KEYS:
            yield value.get("v")
        for name, one in value.items():
            if name in CODE_KEYS:
                yield one
            yield from find_code_arguments(one)


def _has_only_data(text: str) -> bool:
    """Tell whether the library's options are only data: a client's selector engines are code."""
    try:
        options = json.loads(text)
    except ValueError:
        return False
    return isinstance(options, dict) and all(
        isinstance(value, str | int | bool) or (name == "customEngines" and value == [])
        for name, value in options.items()
    )
