"""Everything that the product declares is used by the product: functions, classes and methods,
module constants, attributes and parameters.

Names decide: a name counts as used if any other code in src/ refers to it. What tests alone use is
removed, or listed below with the reason why the product keeps it.
"""

from __future__ import annotations

import ast
import functools
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

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

# Constants that only tests read, because they prove a table of the product complete.
CONSTANTS_KEPT: dict[str, str] = {
    "CHANGES": "with READS, every page script",
    "CONDITIONAL": "with ALLOWED and REFUSED, every system call",
    "DESCRIBED_METHODS": "every method that has a description",
    "JS_FUNCTIONS": "every page script",
    "UNBOUNDED": "with BOUNDED, every RPC method",
}
# Attributes that are set and not read in src: those of libraries, and some for users' programs.
ATTRIBUTES_KEPT: dict[str, str] = {
    "argtypes": "ctypes",
    "at_line": "for users' programs: `RunFailed.at_line`",
    "border_title": "textual",
    "expand": "rich",
    "listener_errors": "for users' programs: `connection.counts`",
    "no_wrap": "rich",
    "preserve_quotes": "ruamel.yaml",
    "redirect_slashes": "starlette",
    "refs": "for users' programs: `page.refs`",
    "restype": "ctypes",
    "should_exit": "uvicorn.Server",
}


Function = ast.FunctionDef | ast.AsyncFunctionDef


class Names(NamedTuple):
    """What one file declares, sets and refers to. Each file is parsed once for all rules."""

    # Public functions, classes and their methods; module constants; attributes: name and line.
    declared: tuple[tuple[str, int], ...]
    constants: tuple[tuple[str, int], ...]
    attributes: tuple[tuple[str, int], ...]
    # All functions: name, line, and the parameters that it neither reads nor must take.
    functions: tuple[tuple[str, int, tuple[str, ...]], ...]
    # Names that code refers to; those that it reads as attributes; those that it passes on.
    used: frozenset[str]
    read: frozenset[str]
    passed_on: frozenset[str]


@functools.cache
def names_of(source: Source) -> Names:
    """Collect the names of a file. Imports and `__all__` are no use, but an import under another
    name is."""
    module = source.tree
    used, read, passed_on = set[str](), set[str](), set[str]()
    attributes, functions, called = [], [], set[int]()
    for node in ast.walk(module):
        match node:
            case ast.Call(func=function):
                called.add(id(function))
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                functions.append((node.name, node.lineno, tuple(_unread(node))))
            case ast.alias(name=name, asname=str()):
                used.add(name.rpartition(".")[2])
            case ast.Constant(value=str() as text):
                read.add(text)  # for getattr
                passed_on.add(text.rpartition(":")[2])  # "commands.daemon:journal"
                if ":" in text and " " not in text:
                    used.add(text.rpartition(":")[2])
            case ast.Attribute(ctx=ast.Store()):
                attributes.append((node.attr, node.lineno))
        match node:
            case ast.Name(id=name, ctx=ast.Load()):
                used.add(name)
            case ast.Attribute(attr=name):
                used.add(name)
                if isinstance(node.ctx, ast.Load):
                    read.add(name)
            case _:
                continue
        if id(node) not in called:
            passed_on.add(name)
    return Names(
        tuple(_declared(module)),
        tuple(_constants(module)),
        tuple(attributes),
        tuple(functions),
        frozenset(used),
        frozenset(read),
        frozenset(passed_on),
    )


def _declared(module: ast.Module) -> Iterator[tuple[str, int]]:
    for node in _with_methods(module):
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


def _constants(module: ast.Module) -> Iterator[tuple[str, int]]:
    for node in module.body:
        match node:
            case ast.Assign(targets=targets):
                parts = [part for target in targets for part in ast.walk(target)]
            case ast.AnnAssign(target=target):
                parts = [target]
            case _:
                continue
        names = [part.id for part in parts if isinstance(part, ast.Name)]
        yield from ((name, node.lineno) for name in names if not name.startswith("__"))


def _unread(node: Function) -> Iterator[str]:
    """The parameters that a function does not read. Decorators decide what a function must take,
    and a function without any code is a declaration."""
    code = [part for line in node.body for part in ast.walk(line)]
    empty = all(isinstance(line, ast.Expr | ast.Raise | ast.Pass) for line in node.body)
    if node.decorator_list or (empty and not any(isinstance(part, ast.Call) for part in code)):
        return
    read = {part.id for part in code if isinstance(part, ast.Name)}
    given = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
    yield from (a.arg for a in given if a.arg not in read and a.arg not in ("self", "cls"))


def unused(sources: Iterable[Source]) -> list[str]:
    """Public names of src that nothing in src refers to."""
    sources = list(sources)
    known = set(CALLED_BY_LIBRARIES).union(KEPT, *(names_of(source).used for source in sources))
    return [
        f"{source.path}:{line} {name} is called by nothing in src: remove it with its tests"
        for source in sources
        if not source.path.startswith(INTERFACES)
        for name, line in names_of(source).declared
        if name not in known and not name.startswith(PREFIXES)
    ]


def unread_constants(sources: Iterable[Source]) -> list[str]:
    """Module constants that nothing in src reads."""
    sources = list(sources)
    known = set(CONSTANTS_KEPT).union(*(names_of(source).used for source in sources))
    return [
        f"{source.path}:{line} {name} is read by nothing in src: remove it"
        for source in sources
        if not source.path.startswith(INTERFACES)
        for name, line in names_of(source).constants
        if name not in known
    ]


def unread_attributes(sources: Iterable[Source]) -> list[str]:
    """Attributes that src sets and nowhere reads. A string counts: it may name one for getattr."""
    sources = list(sources)
    known = set(ATTRIBUTES_KEPT).union(*(names_of(source).read for source in sources))
    return [
        f"{source.path}:{line} {name} is set and read by nothing in src: remove it"
        for source in sources
        for name, line in names_of(source).attributes
        if name not in known
    ]


def unread_parameters(sources: Iterable[Source]) -> list[str]:
    """Parameters that their function does not read.

    Some functions must take what they are given: those that are passed on as values, and those that
    share their name with another one, because they may implement one interface."""
    sources = list(sources)
    known = set(CALLED_BY_LIBRARIES).union(*(names_of(source).passed_on for source in sources))
    times = Counter(name for source in sources for name, _, _ in names_of(source).functions)
    return [
        f"{source.path}:{line} {name} does not read its parameter {parameter}: remove it"
        for source in sources
        for name, line, parameters in names_of(source).functions
        if name not in known and times[name] == 1
        for parameter in parameters
    ]


def test_every_public_function_has_a_caller_in_the_product() -> None:
    keeps(unused(python_files("src")))


def test_every_constant_is_read_by_the_product() -> None:
    keeps(unread_constants(python_files("src")))


def test_every_attribute_that_the_product_sets_is_read_by_it() -> None:
    keeps(unread_attributes(python_files("src")))


def test_every_parameter_is_read_by_its_function() -> None:
    keeps(unread_parameters(python_files("src")))


def test_the_list_of_kept_names_only_shrinks() -> None:
    sources = python_files("src")
    names = set[str]().union(*(names_of(source).used for source in sources))
    there = {name for source in sources for name, _ in names_of(source).declared}
    keeps(f"{name} has a caller now: take it off KEPT" for name in KEPT if name in names)
    keeps(f"{name} is gone: take it off KEPT" for name in KEPT if name not in there)


def test_a_function_that_only_tests_call_is_refused() -> None:
    module = Source("src/pilothouse/cdp/a.py", '__all__ = ["f", "g"]\ndef f(): ...\nclass C: ...')
    caller = Source("src/pilothouse/cdp/b.py", "from pilothouse.cdp.a import C, f\nx: C = C()")
    (offence,) = unused([module, caller])
    assert "cdp/a.py:2 f is called by nothing" in offence
    assert unused([module, Source("src/pilothouse/cdp/b.py", "f(C)")]) == []


def test_a_constant_an_attribute_and_a_parameter_that_nothing_reads_are_refused() -> None:
    text = """
LIMIT, OTHER = 1, 2
class C:
    def start(self, within, delay):
        self.started = self.asked = within
    def show(self):
        print(self.asked, OTHER)
def opener(kind, context): return kind
x = opener
"""
    module = Source("src/pilothouse/cdp/a.py", text)
    # Nothing reads `x`, either.
    assert [line.split()[1] for line in unread_constants([module])] == ["LIMIT", "x"]
    (offence,) = unread_attributes([module])
    assert "a.py:5 started is set and read by nothing" in offence
    (offence,) = unread_parameters([module])
    assert "a.py:4 start does not read its parameter delay" in offence
