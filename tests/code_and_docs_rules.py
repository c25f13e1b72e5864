"""The house rules as functions: a file in, its offences out.

Knows: the order of the rooms and the rules of docs/design.md. Must not know: pytest. Each offence
is one line that names the place, what is wrong and what to do about it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath
from typing import NamedTuple

__all__ = [
    "GENERATED",
    "PACKAGE",
    "ROOT",
    "Source",
    "all_is_complete",
    "banned_names",
    "broken_links",
    "error_tree",
    "imports",
    "imports_downwards",
    "impure_imports",
    "long_functions",
    "markdown_files",
    "missing_mirror",
    "oversized",
    "prints",
    "python_files",
    "unfinished_work",
    "unindexed",
    "without_module_docstring",
]

ROOT = Path(__file__).parent.parent
PACKAGE = "pilothouse"

# Bottom to top. Names on one line are siblings and must not import each other, except that all
# of the ground may use `errors`.
ROOMS = (
    (
        "errors",
        "asyncio_tasks",
        "lazy_exports",
        "loopback",
        "paths",
        "private_files",
        "setting_values",
        "speedup_switches",
        "yaml_file",
    ),
    ("settings",),
    ("security",),
    ("cdp",),
    ("supervisor",),
    ("page",),
    ("browsers",),
    ("tabs",),
    ("code",),
    ("tools", "async_api"),
    ("relay", "chat"),
    ("daemon",),
    ("cli",),
)
LEVEL = {room: level for level, rooms in enumerate(ROOMS) for room in rooms}

# Files that decide and never act. Everything in supervisor/ is one, save its shell.
PURE = (
    "src/pilothouse/cdp/backoff.py",
    "src/pilothouse/cdp/message.py",
    "src/pilothouse/cdp/router.py",
    "src/pilothouse/cdp/websocket/client_codec.py",
    "src/pilothouse/cdp/websocket/server_codec.py",
    "src/pilothouse/browsers/target_choice.py",
    "src/pilothouse/code/sandbox/code_compiler.py",
    "src/pilothouse/daemon/rpc/messages.py",
    "src/pilothouse/page/navigation/url_arguments.py",
    "src/pilothouse/page/input/option_matches.py",
    "src/pilothouse/page/emulation/commands.py",
    "src/pilothouse/page/storage/cookie_rules.py",
    "src/pilothouse/page/emulation/devices.py",
    "src/pilothouse/page/snapshot/diff.py",
    "src/pilothouse/page/input/field_value_checks.py",
    "src/pilothouse/security/filenames.py",
    "src/pilothouse/page/network/har.py",
    "src/pilothouse/page/navigation/requests_in_flight.py",
    "src/pilothouse/page/input/keys.py",
    "src/pilothouse/page/navigation/navigation_tracker.py",
    "src/pilothouse/page/extract/frame_texts.py",
    "src/pilothouse/page/network/log_entries.py",
    "src/pilothouse/page/network/requests_from_events.py",
    "src/pilothouse/page/network/request_record_and_decoder.py",
    "src/pilothouse/page/snapshot/tree.py",
    "src/pilothouse/page/media/screenshot_size_and_annotation.py",
    "src/pilothouse/page/script/agent_javascript_wrapper.py",
    "src/pilothouse/page/input/receipt.py",
    "src/pilothouse/page/snapshot/refs.py",
    "src/pilothouse/page/input/actionability_errors.py",
    "src/pilothouse/page/snapshot/render.py",
    "src/pilothouse/page/network/route_rules.py",
    "src/pilothouse/page/storage/state_file_format.py",
    "src/pilothouse/page/navigation/url_patterns.py",
    "src/pilothouse/page/emulation/user_agent_params.py",
    "src/pilothouse/relay/server/auth.py",
    "src/pilothouse/relay/cdp_bytes.py",
    "src/pilothouse/relay/lazy/*.py",
    "src/pilothouse/relay/extension_browser/*.py",
    "src/pilothouse/relay/server/pairing_proofs_and_codes.py",
    "src/pilothouse/relay/server/http_codec.py",
    "src/pilothouse/relay/extension_browser/agent_restrictions.py",
    "src/pilothouse/relay/server/client_slots.py",
    "src/pilothouse/relay/server/client_options.py",
    "src/pilothouse/relay/server/json_bodies.py",
    "src/pilothouse/security/*.py",
    "src/pilothouse/tabs/open_and_close_requests.py",
    "src/pilothouse/tools/selection.py",
    "src/pilothouse/tools/toolsets.py",
    "src/pilothouse/supervisor/*.py",
)
SHELLS = (
    "src/pilothouse/supervisor/__init__.py",
    "src/pilothouse/supervisor/interruptible_actions.py",
    "src/pilothouse/supervisor/interrupt_responder.py",
    "src/pilothouse/supervisor/journal/journal.py",
    "src/pilothouse/supervisor/capabilities/probe.py",
    "src/pilothouse/supervisor/supervisor_registry.py",
    "src/pilothouse/supervisor/ended_service_workers.py",
    "src/pilothouse/supervisor/shell*.py",
    "src/pilothouse/supervisor/supervisor.py",
    "src/pilothouse/supervisor/event_pump.py",
)
IMPURE = frozenset(
    {"asyncio", "logging", "os", "random", "select", "socket", "subprocess", "threading", "time"}
)

GENERATED = (
    "src/pilothouse/cdp/protocol.py",
    "src/pilothouse/cli/declarations/tab_verbs.py",
    "src/pilothouse/code/client/tab.py",
    "src/pilothouse/async_api/page.py",
)
LONGEST_FILE = 600
LONGEST_FUNCTION = 60
BANNED_WORDS = frozenset({"helper", "helpers", "util", "utils"})

# Spelt in halves so that this file does not offend against itself.
_UNFINISHED = re.compile(r"\b(" + "|".join(("TO" + "DO", "FIX" + "ME", "X" + "XX")) + r")\b")
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_TREE_LINE = re.compile(r"^ {4}(?P<indent>(?:[│ ] {3})*(?:[├└]── )?)(?P<name>[A-Z]\w*)(?: |$)")
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)


class Source(NamedTuple):
    """One Python file, by its path below the root."""

    path: str
    text: str

    @property
    def tree(self) -> ast.Module:
        """The file, parsed."""
        return ast.parse(self.text)

    def module(self) -> list[str]:
        """The dotted name in parts, for files below src; empty for others."""
        parts = list(PurePosixPath(self.path).with_suffix("").parts)
        if parts[0] != "src":
            return []
        return parts[1:-1] if parts[-1] == "__init__" else parts[1:]

    def room(self) -> str:
        """The room the file is in; empty for the package's own front files."""
        module = self.module()
        return module[1] if len(module) > 1 and module[1] != "__main__" else ""

    def matches(self, patterns: tuple[str, ...]) -> bool:
        """Whether the path is one of these."""
        return any(fnmatch(self.path, pattern) for pattern in patterns)


def python_files(*places: str) -> list[Source]:
    """Every Python file below these directories of the project."""
    found: list[Source] = []
    for place in places:
        for path in sorted((ROOT / place).rglob("*.py")):
            if "node_modules" not in path.parts:
                found.append(Source(path.relative_to(ROOT).as_posix(), path.read_text("utf-8")))
    return found


def markdown_files(root: Path = ROOT) -> list[Path]:
    """The project's own Markdown files."""
    return sorted([*root.glob("*.md"), *(root / "docs").rglob("*.md")])


def imports(source: Source) -> Iterator[tuple[int, str]]:
    """Line and full dotted name of everything imported, wherever in the file it stands."""
    module = source.module()
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                is_package = source.path.endswith("__init__.py")
                above = module[: len(module) - node.level + is_package]
                base = ".".join([*above, base]).strip(".")
            for alias in node.names:
                yield node.lineno, f"{base}.{alias.name}"


def imports_downwards(source: Source) -> list[str]:
    """A room knows only the rooms below it, and of those only what is public."""
    room = source.room()
    if not room:
        return []
    if room not in LEVEL:
        return [
            f"{source.path}: room '{room}' has no place in ROOMS of tests/code_and_docs_rules.py"
        ]
    offences = []
    for line, name in imports(source):
        parts = name.split(".")
        if parts[0] != PACKAGE or len(parts) < 2 or parts[1] == room:
            continue
        other, where = parts[1], f"{source.path}:{line}"
        on_the_ground = other == "errors" and LEVEL[room] == LEVEL["errors"]
        if other not in LEVEL:
            if other != "__version__":
                offences.append(f"{where} imports {name}, which is in no room of ROOMS")
        elif LEVEL[other] >= LEVEL[room] and not on_the_ground:
            offences.append(
                f"{where} imports {name}, which is not below '{room}': "
                "move the code down, or pass in what it needs"
            )
        elif any(part.startswith("_") for part in parts[2:]):
            offences.append(f"{where} imports {name}, private to '{other}': make it public there")
    return offences


def impure_imports(source: Source) -> list[str]:
    """A pure file neither acts nor asks the time."""
    if not source.matches(PURE) or source.matches(SHELLS):
        return []
    return [
        f"{source.path}:{line} imports {name}: a pure file decides only; let the shell do it"
        for line, name in imports(source)
        if name.split(".")[0] in IMPURE
    ]


def oversized(source: Source) -> list[str]:
    """A file one can read in one go."""
    lines = len(source.text.splitlines())
    if lines <= LONGEST_FILE or source.matches(GENERATED):
        return []
    return [f"{source.path} has {lines} lines, over {LONGEST_FILE}: split it by subject"]


def long_functions(source: Source) -> list[str]:
    """A function one can see in one go."""
    if source.matches(GENERATED):
        return []
    offences = []
    for node in ast.walk(source.tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            lines -= len((ast.get_docstring(node, clean=False) or "").splitlines())
            if lines > LONGEST_FUNCTION:
                offences.append(
                    f"{source.path}:{node.lineno} {node.name} has {lines} lines, "
                    f"over {LONGEST_FUNCTION}: take a part out and name it"
                )
    return offences


def all_is_complete(source: Source) -> list[str]:
    """`__all__` lists every public class and function, and nothing that is not there."""
    listed: list[str] | None = None
    bound: set[str] = set()
    public: set[str] = set()
    for node in source.tree.body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            bound.add(node.name)
            if not node.name.startswith("_"):
                public.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            bound |= _imported_names(node)
        else:
            # Below `if TYPE_CHECKING` stand the names that a package imports on first use.
            for inner in ast.walk(node):
                if isinstance(inner, ast.Import | ast.ImportFrom):
                    bound |= _imported_names(inner)
            names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
            bound |= names
            if isinstance(node, ast.Assign) and "__all__" in names:
                listed = list(ast.literal_eval(node.value))
    if listed is None:
        if not public:
            return []
        return [f"{source.path} has no __all__: list {', '.join(sorted(public))}, or hide them"]
    missing, absent = sorted(public - set(listed)), sorted(set(listed) - bound)
    return [
        *(f"{source.path}: {name} is missing in __all__: list it or hide it" for name in missing),
        *(f"{source.path}: __all__ lists {name}, which is not there: drop it" for name in absent),
    ]


def _imported_names(node: ast.Import | ast.ImportFrom) -> set[str]:
    return {(alias.asname or alias.name).split(".")[0] for alias in node.names}


def error_tree(source: Source) -> list[str]:
    """The tree drawn at the top of errors.py is the tree of its classes."""
    drawn: dict[str, str] = {}
    path: list[str] = []
    for line in (ast.get_docstring(source.tree, clean=False) or "").splitlines():
        if match := _TREE_LINE.match(line):
            depth = len(match["indent"]) // 4
            path[depth:] = [match["name"]]
            drawn[match["name"]] = path[depth - 1] if depth else "Exception"
    built = {
        node.name: ast.unparse(node.bases[0]) if node.bases else "object"
        for node in source.tree.body
        if isinstance(node, ast.ClassDef)
    }
    return [
        f"{source.path}: {name} is drawn below {drawn.get(name, 'nothing')} "
        f"and derives from {built.get(name, 'nothing')}: make the drawing and the class agree"
        for name in sorted(drawn.keys() | built.keys())
        if drawn.get(name) != built.get(name)
    ]


def missing_mirror(source: Source, tests: set[str]) -> list[str]:
    """src/pilothouse/room/file.py is tested by tests/room/test_file.py (or test_file_*.py); the
    package's own front by tests/test_pilothouse.py."""
    module = source.module()
    has_code = any(
        isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        for node in source.tree.body
    )
    if not has_code or source.matches(GENERATED):
        return []
    *rooms, name = module[1:] or module
    mirror = "/".join(["tests", *rooms, f"test_{name}"])
    if any(test == f"{mirror}.py" or fnmatch(test, f"{mirror}_*.py") for test in tests):
        return []
    return [f"{source.path} has no test of its own: write {mirror}.py"]


def prints(source: Source) -> list[str]:
    """Only the cli room prints."""
    if source.room() == "cli":
        return []
    return [
        f"{source.path}:{node.lineno} prints: return the text, or log it"
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "print"
    ]


def banned_names(source: Source) -> list[str]:
    """A name says what a thing is; these words say nothing."""
    named = [(1, PurePosixPath(source.path).stem)] + [
        (node.lineno, node.name)
        for node in ast.walk(source.tree)
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    return [
        f"{source.path}:{line} '{name}': name it by what it is or does (docs/design.md, Words)"
        for line, name in named
        # Names that `ast` looks for are not ours to choose.
        if not name.startswith("visit_")
        and BANNED_WORDS & {word.lower() for word in _WORD.findall(name)}
    ]


def without_module_docstring(source: Source) -> list[str]:
    """Each file opens with what it knows."""
    if ast.get_docstring(source.tree):
        return []
    return [f"{source.path} has no docstring: say what it knows and what it must not know"]


def unfinished_work(path: str, text: str) -> list[str]:
    """What is left to do is an issue, not a comment."""
    return [
        f"{path}:{number} holds a {match[1]}: finish it or open an issue"
        for number, line in enumerate(text.splitlines(), 1)
        if (match := _UNFINISHED.search(line))
    ]


def broken_links(path: Path, root: Path = ROOT) -> list[str]:
    """Every relative link leads to a file."""
    text = _FENCE.sub("", path.read_text("utf-8"))
    offences = []
    for target in _LINK.findall(text):
        place = target.partition("#")[0]
        if not place or re.match(r"[a-z][a-z+.-]*:", place):
            continue
        if not (path.parent / place).exists():
            name = path.relative_to(root).as_posix()
            offences.append(f"{name} links to {target}, which is not there: mend the link")
    return offences


def unindexed(directory: Path) -> list[str]:
    """INDEX.md of a card file links to every card beside it."""
    index = directory / "INDEX.md"
    if not index.exists():
        return [f"{directory.name}/ has no INDEX.md: write one that links to every card"]
    linked = set(_LINK.findall(index.read_text("utf-8")))
    return [
        f"{directory.name}/INDEX.md does not link to {card.name}: add a line for it"
        for card in sorted(directory.glob("*.md"))
        if card != index and card.name not in linked
    ]
