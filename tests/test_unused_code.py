"""Every public function, class and method of the product has a caller in the product.

Names decide: a name counts as used if any other code in src/ refers to it. What tests alone call is
removed, or listed below with the reason why the product keeps it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from tests.code_and_docs_rules import Source, python_files
from tests.test_code_and_docs_rules import keeps

# Declared functions that the product finds by name: verbs, agent tools, commands.
DECORATORS = ("verb", "tool")
# Packages and files whose public methods are an interface for users' programs, or generated.
INTERFACES = (
    "src/pilothouse/async_api/",
    "src/pilothouse/cdp/protocol.py",
    "src/pilothouse/cli/commands/",
    "src/pilothouse/code/client/",
)
# Methods that a library calls by name.
CALLED_BY_LIBRARIES: dict[str, str] = {
    "buffer_updated": "asyncio.BufferedProtocol",
    "capture_signals": "uvicorn.Server",
    "compose": "textual",
    "data_received": "asyncio.Protocol",
    "eof_received": "asyncio.Protocol",
    "get_buffer": "asyncio.BufferedProtocol",
    "on_descendant_focus": "textual",
    "on_mount": "textual",
    "replay_events_after": "mcp.server.streamable_http.EventStore",
    "store_event": "mcp.server.streamable_http.EventStore",
    "writable": "io.TextIOBase",
}
PREFIXES = ("action_", "visit_")  # actions of textual's key bindings; ast.NodeVisitor
# What the product keeps although it does not call it. This list only shrinks.
KEPT: dict[str, str] = {
    "enable_domain": "for users' programs that share a session",
    "on_destroyed": "for users' programs: `connection.targets`",
    "wait_for_new": "for users' programs: `connection.targets`",
    "aborted": "`tab.signal.aborted`, for agents' code",
    "held_for": "shows what the relay's barrier holds",
    "is_busy": "shows whether the relay has clients",
    "is_held": "shows what the relay's barrier holds",
    "last_activity": "shows who acted on a tab last",
    "permit": "permissions by origin; no verb declares them yet",
    "register_tool": "for plugins",
    "register_toolset": "for plugins",
    "wait_open": "for callers of a connection that reconnects",
}


def declared(source: Source) -> Iterator[tuple[str, int]]:
    """The public functions and classes of a module and their public methods, with their lines."""
    for node in _with_methods(ast.parse(source.text)):
        names = {ast.unparse(d).split("(")[0] for d in node.decorator_list}
        if not node.name.startswith("_") and names.isdisjoint(DECORATORS):
            yield node.name, node.lineno


Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def _with_methods(module: ast.Module) -> Iterator[Definition]:
    for node in module.body:
        if isinstance(node, Definition):
            yield node
        if isinstance(node, ast.ClassDef):
            yield from (part for part in node.body if isinstance(part, Definition))


def used(source: Source) -> set[str]:
    """The names that a module's code refers to; imports and `__all__` are no use."""
    names = set()
    for node in ast.walk(ast.parse(source.text)):
        match node:
            case ast.Name(ctx=ast.Load()):
                names.add(node.id)
            case ast.Attribute():
                names.add(node.attr)
            case ast.Constant(value=str() as text) if ":" in text and " " not in text:
                names.add(text.rpartition(":")[2])  # "commands.daemon:journal"
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.arg() if node.type_comment:
                names.add(node.type_comment)
    return names


def unused(sources: Iterable[Source]) -> list[str]:
    """Public names of src that nothing in src refers to."""
    sources = list(sources)
    known = set[str]().union(*map(used, sources), CALLED_BY_LIBRARIES, KEPT)
    return [
        f"{source.path}:{line} {name} is called by nothing in src: remove it with its tests"
        for source in sources
        if not source.path.startswith(INTERFACES)
        for name, line in declared(source)
        if name not in known and not name.startswith(PREFIXES)
    ]


def test_every_public_function_has_a_caller_in_the_product() -> None:
    keeps(unused(python_files("src")))


def test_the_list_of_kept_names_only_shrinks() -> None:
    sources = python_files("src")
    names = set[str]().union(*map(used, sources))
    there = {name for source in sources for name, _ in declared(source)}
    keeps(f"{name} has a caller now: take it off KEPT" for name in KEPT if name in names)
    keeps(f"{name} is gone: take it off KEPT" for name in KEPT if name not in there)


def test_a_function_that_only_tests_call_is_refused() -> None:
    module = Source("src/pilothouse/cdp/a.py", '__all__ = ["f", "g"]\ndef f(): ...\nclass C: ...')
    caller = Source("src/pilothouse/cdp/b.py", "from pilothouse.cdp.a import C, f\nx: C = C()")
    (offence,) = unused([module, caller])
    assert "cdp/a.py:2 f is called by nothing" in offence
    assert unused([module, Source("src/pilothouse/cdp/b.py", "f(C)")]) == []
