"""Arguments for any tool or verb, right and wrong ones, made from its JSON schema.

    calls = one_call_of_each({"browser_click": schema}, urls)   # a strategy of Hypothesis

Knows: JSON schemas, and which values are worth a try for parameters of a name. Must not know: what
a tool does with them. Nothing here leaves this machine or starts a program.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hypothesis import strategies as st

__all__ = ["Call", "arguments", "one_call_of_each"]

Call = tuple[str, dict[str, Any]]

_ODD: Sequence[Any] = (
    None, True, 0, -1, 2.5, 10**40, 2**63, "", "x", "\ud800", "\0", "é 漢 😀", "x" * 500,
    [], [None], [["x"]], {}, {"x": {"y": [1]}},
)  # fmt: skip
_TEXTS = ("", "Go", "a", "e1", "é 漢 😀", "half \ud83d", "\0", "/[/", "../x", "x" * 300)
_NUMBERS = (0, 1, 3, -1, 2.5, 0.1, 500, 10**9)
_INTEGERS = (0, 1, 2, 20, -1, 1000, 10**9, 2**63, 10**40)
_REFS = ("e1", "@e2", "e999", "#go", "#name", "text=Go", "button=Go", "5,5", ">>", "//[", "")
_FILES = ("", "/etc/passwd", "nothing.png", "../../up.png", "a\0b", "/nowhere/at/all.pdf")
_MEANT: Mapping[str, Sequence[Any]] = {
    "ref": _REFS,
    "to": (*_REFS, *_FILES),
    "selector": ("p", "#go", "[", ""),
    "root": _REFS,
    "tab": ("main", "main", "main", "other", "", "no such tab", "\n"),
    "target_id": ("", "", "main", "t1", "no such tab"),
    "frame_id": ("", "", "nothing", "0" * 32),
    "find": ("Go", "/G./", "/(/", "nothing here"),
    "query": ("Go", "/G./", "/(/", ""),
    "text": ("Go", "Anna", "é 漢 😀", "half \ud83d", "{{secret:NONE}}"),
    "text_gone": ("never there", "nothing"),
    "value": ("x", True, 5, 2.5, ["a"], "\ud83d"),
    "values": ("a", ["a", "b"], [], "no such option"),
    "key": ("Enter", "Tab", "Control+A", "Nonsense", "", "+", "é"),
    "by": ([5, 5], [1], [], [10**9, -(10**9)]),
    "modifiers": ([], ["Shift"], ["Nonsense"]),
    "seconds": (0.01, 0, -1, 10**9),
    "delay_ms": (0, 1, -1),
    "hold_ms": (0, 1, -1),
    "target": _REFS,
    "source": _REFS,
    "destination": _REFS,
    "keys": ("Enter", "Tab", "Control+A", "Nonsense", "", "+", "é"),
    "function": ("1", "document.title", ""),
    "frame": ("", "", "nothing", "e1"),
    "world": ("main", "isolated", "third"),
    "args": ([], [1], [{}]),
    "detail": ({}, {"username": 5}, {"files": "x"}),
    "format": ("png", "jpeg", "markdown", "text", "stone"),
    "how": ("", "input", "drop", "throw"),
    "timeout": (0.2, 1, 0, -1),
    "state": ("visible", "attached", {}, {"cookies": 5}, {"origins": [{}]}),
    "expression": (
        "1 + 1", "document.title", "NaN", "[NaN, undefined, -0]", "'\\ud800'", "10n", "window",
        "document.body", "new Map([[1, 2]])", "({blocked_by: [1], action_id: ''})", "() => 1",
        "Symbol('x')", "new Date(NaN)", "", "({images: [1], image: 5, ours: 7})",
    ),
    "code": ("1 + 1", "return 1", "display('x')", "print('\\ud800')", "", "state", "tab.title()",
        "tools.browser_find(query='Go')['matches']",
    ),
    "method": (
        "Browser.getVersion", "Network.getCookies", "Page.getLayoutMetrics", "Runtime.evaluate",
        "Page.handleJavaScriptDialog", "Target.getTargets", "Nothing.known", "nothing", "",
    ),
    "params": ({}, {"expression": "1"}, {"expression": 5}, {"targetId": "x"}, {"accept": True}),
    "paths": ("/etc/passwd", [], ["nothing.txt"], "", ["\0"]),
    "files": ([], ["/etc/passwd"], [""]),
    "path": _FILES,
    "save": _FILES,
    "id": ("", "r1", "d-1", "i-1", "nothing"),
    "name": ("", "main", "other", "\n", "x" * 200),
    "action_id": ("", "a-1", "nothing"),
    "steps": (
        [], [{"tool": "browser_find", "arguments": {"query": "Go"}}], [{"tool": "no such tool"}],
        [{"tool": "browser_batch", "arguments": {"steps": []}}], [{"arguments": {}}],
        [{"tool": "browser_get_images"}, {"tool": "browser_click", "arguments": {"ref": 5}}],
    ),
    "fields": (
        [{"ref": "#name", "value": "x"}], [{"ref": "#name", "value": 4}], [], [{}],
        [{"ref": "#one", "value": "b"}, {"ref": "e999", "value": None}],
    ),
    "cookies": (
        [], [{}], [{"name": "a", "value": "b"}], [{"name": 5, "value": None, "url": 7}],
        [{"name": "a", "value": "b", "url": "http://127.0.0.1/"}],
    ),
    "headers": ({}, {"x": "y"}, {"x\n": "y\0"}),
    "pattern": ("*.png", "**/never", "", "[", "\0"),
    # A program would be started, and an address dialled: only what fails at once.
    "app": ({}, {"cdp_url": "http://127.0.0.1:1"}, {"cdp_url": "nothing"}, {"path": ""}),
    "viewport": ({"width": 400, "height": 300}, {"width": -1, "height": 1e9}, {}),
    "device": ("iPhone 15", "toaster", ""),
    "throttle": ("none", "4g", "snail"),
    "cpu": (0, 1, 2, -1),
    "geolocation": ([1, 2], [1], [1000, 1000], []),
    "paper": ("a4", "letter", "stone"),
    "pages": ("", "1", "9-1", "x"),
    "scale": (1, 0, 0.5, -1, 100),
}  # fmt: skip
_NEVER = object()


def arguments(schema: Mapping[str, Any], urls: Sequence[str]) -> st.SearchStrategy[dict[str, Any]]:
    """Arguments that fit a schema: mostly right, some wrong, missing or unknown."""
    required = schema.get("required", ())
    parts = {
        name: _given(name, kind, urls, needed=name in required)
        for name, kind in schema["properties"].items()
    }
    parts["no_such_parameter"] = st.sampled_from([_NEVER] * 19 + [5])
    return st.fixed_dictionaries(parts).map(
        lambda made: {name: value for name, value in made.items() if value is not _NEVER}
    )


def one_call_of_each(
    schemas: Mapping[str, Mapping[str, Any]], urls: Sequence[str]
) -> st.SearchStrategy[list[Call]]:
    """One call of each of what has these schemas, in any order."""
    made = st.tuples(
        *(st.tuples(st.just(name), arguments(schemas[name], urls)) for name in sorted(schemas))
    )
    return made.flatmap(lambda calls: st.permutations(list(calls)))


def _given(
    name: str, kind: Mapping[str, Any], urls: Sequence[str], *, needed: bool
) -> st.SearchStrategy[Any]:
    """A value for a parameter, or that it is left out."""
    right = _right(name, kind, urls)
    # A wait as long as it is asked for would be no fault, and no test.
    short = name in ("timeout", "delay_ms", "hold_ms", "seconds")
    odd = st.sampled_from([one for one in _ODD if not (short and one in (10**40, 2**63))])
    left_out = st.just(_NEVER)
    if needed:
        return _weighed((17, right), (2, odd), (1, left_out))
    return _weighed((6, right), (1, odd), (8, left_out))


def _weighed(*parts: tuple[int, st.SearchStrategy[Any]]) -> st.SearchStrategy[Any]:
    whole = [strategy for weight, strategy in parts for _ in range(weight)]
    return st.integers(0, len(whole) - 1).flatmap(lambda at: whole[at])


def _right(name: str, kind: Mapping[str, Any], urls: Sequence[str]) -> st.SearchStrategy[Any]:
    if name == "url":
        return st.sampled_from(urls)
    if name == "urls":
        return st.sampled_from(urls) | st.lists(st.sampled_from(urls), max_size=2)
    if name in _MEANT and "enum" not in kind and (name, kind.get("type")) != ("steps", "integer"):
        return st.sampled_from(list(_MEANT[name]))
    if "enum" in kind:
        return st.sampled_from(kind["enum"])
    match kind.get("type"):
        case "boolean":
            return st.booleans()
        case "integer":
            return st.sampled_from(_INTEGERS)
        case "number":
            return st.sampled_from(_NUMBERS)
        case "array":
            return st.lists(_right("", kind.get("items", {}), urls), max_size=3)
        case "object":
            return st.just({}) | st.dictionaries(st.sampled_from("ab"), st.sampled_from(_ODD))
    return st.sampled_from(_TEXTS)
