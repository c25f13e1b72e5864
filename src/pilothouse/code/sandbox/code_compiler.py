"""Compiles agent-written Python: `return` or the last expression gives the result, and `await`
works before any value. Pure.

The code becomes the body of one function, so that `return` works. Its names stay global, as in a
script: functions, classes and comprehensions in it see them, and `tab = …` may follow a use of
`tab`.
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Sequence
from types import CodeType
from typing import NamedTuple

__all__ = ["FILE", "Program", "prepare"]

# The file name of the agent's code in tracebacks.
FILE = "<run>"
ENTRY = "__run__"
MAYBE = "__maybe__"

_FLAGS = ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT


class Program(NamedTuple):
    """Compiled code that defines one function, ENTRY; `is_async` if it must be awaited."""

    code: CodeType
    is_async: bool


class _Body(ast.NodeTransformer):
    """Collects the names that the top level binds, and wraps awaited values in MAYBE."""

    def __init__(self) -> None:
        self.names: set[str] = set()
        self.is_async = False
        self._functions = 0
        self._classes = 0
        self._comprehensions = 0

    def _binds(self, name: str | None) -> None:
        if name and not self._functions and not self._classes:
            self.names.add(name)

    def _waits(self) -> None:
        self.is_async |= not self._functions

    def _each(self, nodes: Sequence[ast.AST]) -> list[ast.AST]:
        return [self.visit(node) for node in nodes]

    # `await`.

    def visit_Await(self, node: ast.Await) -> ast.AST:
        self._waits()
        self.generic_visit(node)
        wrapped = ast.Call(ast.Name(MAYBE, ast.Load()), [node.value], [])
        return ast.copy_location(ast.Await(wrapped), node)

    def visit_AsyncFor(self, node: ast.AsyncFor) -> ast.AST:
        self._waits()
        return self.generic_visit(node)

    def visit_AsyncWith(self, node: ast.AsyncWith) -> ast.AST:
        self._waits()
        return self.generic_visit(node)

    def visit_Yield(self, node: ast.Yield | ast.YieldFrom) -> ast.AST:
        if not self._functions:
            # It would turn the whole program into a generator, and nothing would run.
            place = (FILE, node.lineno, node.col_offset + 1, None)
            raise SyntaxError("'yield' outside function: use `return`, or a function", place)
        return self.generic_visit(node)

    visit_YieldFrom = visit_Yield

    # Nodes with a scope of their own.

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.AST:
        self._binds(node.name)
        node.decorator_list = self._each(node.decorator_list)  # type: ignore[assignment]
        self.visit(node.args)
        self._functions += 1
        node.body = self._each(node.body)  # type: ignore[assignment]
        self._functions -= 1
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = _function

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        self.visit(node.args)
        self._functions += 1
        node.body = self.visit(node.body)
        self._functions -= 1
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        self._binds(node.name)
        self._classes += 1
        self.generic_visit(node)
        self._classes -= 1
        return node

    def _comprehension(self, node: ast.AST) -> ast.AST:
        self._comprehensions += 1
        self.generic_visit(node)
        self._comprehensions -= 1
        return node

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        if node.is_async:
            self._waits()
        return self.generic_visit(node)

    # Nodes that bind a name.

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if not self._comprehensions and not isinstance(node.ctx, ast.Load):
            self._binds(node.id)
        return node

    def visit_NamedExpr(self, node: ast.NamedExpr) -> ast.AST:
        self._binds(node.target.id)
        return self.generic_visit(node)

    def visit_alias(self, node: ast.alias) -> ast.AST:
        if node.name != "*":
            self._binds(node.asname or node.name.partition(".")[0])
        return node

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        self._binds(node.name)
        return self.generic_visit(node)

    def _match(self, node: ast.MatchAs | ast.MatchStar) -> ast.AST:
        self._binds(node.name)
        return self.generic_visit(node)

    visit_MatchAs = visit_MatchStar = _match

    def visit_MatchMapping(self, node: ast.MatchMapping) -> ast.AST:
        self._binds(node.rest)
        return self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        self.generic_visit(node)
        if self._functions or self._classes or not isinstance(node.target, ast.Name):
            return node
        # Python does not allow annotations of global names in a function, so drop this one.
        if node.value is None:
            return ast.copy_location(ast.Pass(), node)
        return ast.copy_location(ast.Assign([node.target], node.value), node)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> ast.AST:
        if self._functions == 1:
            # The enclosing scope is the top level, whose names are global.
            return ast.copy_location(ast.Global(node.names), node)
        return node


def prepare(source: str) -> Program:
    """Compile the code into a function. Raises SyntaxError with the agent's own line numbers."""
    try:
        return _prepare(_dedented(source))
    except (RecursionError, MemoryError):
        raise SyntaxError("the code is nested too deeply to be compiled") from None
    except (ValueError, OverflowError) as error:
        raise SyntaxError(str(error)) from None


def _prepare(source: str) -> Program:
    parsed = compile(source, FILE, "exec", _FLAGS, dont_inherit=True)
    assert isinstance(parsed, ast.Module)
    futures, body = _split_futures(parsed.body)
    if body and isinstance(last := body[-1], ast.Expr):
        body = [*body[:-1], ast.copy_location(ast.Return(last.value), last)]
    finder = _Body()
    visited = [finder.visit(statement) for statement in body] or [ast.Pass()]
    if finder.names:
        visited.insert(0, ast.Global(sorted(finder.names)))
    word = "async def" if finder.is_async else "def"
    outer = ast.parse(f"{word} {ENTRY}(): pass", FILE)
    made = outer.body[0]
    assert isinstance(made, ast.FunctionDef | ast.AsyncFunctionDef)
    made.body = visited
    module = ast.fix_missing_locations(ast.Module([*futures, made], []))
    return Program(compile(module, FILE, "exec", dont_inherit=True), finder.is_async)


def _dedented(source: str) -> str:
    """Remove common indentation, as in code that was cut out of a longer text."""
    first = next((line for line in source.splitlines() if line.strip()), "")
    return textwrap.dedent(source) if first[:1] in (" ", "\t") else source


def _split_futures(body: list[ast.stmt]) -> tuple[list[ast.stmt], list[ast.stmt]]:
    """Split off imports from `__future__`: they must come first, outside of the function."""
    count = 0
    for statement in body:
        is_text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        is_future = isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
        if not is_future and not (is_text and count == 0):
            break
        count += 1
    if not any(isinstance(statement, ast.ImportFrom) for statement in body[:count]):
        return [], body
    return body[:count], body[count:]
