"""The layout rules as functions: the files of src in, offences out.

Knows: how packages, modules and classes may be cut and named (docs/design.md, Layout). Must not
know: pytest. Each offence is one line that names the place, what is wrong and what to do.
"""

from __future__ import annotations

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath

from tests.code_and_docs_rules import GENERATED, PACKAGE, Source, imports

__all__ = [
    "crowded_folders",
    "doubled_classes",
    "fragments",
    "private_entries",
    "shadowed_exports",
    "unmapped_packages",
    "verbal_names",
]

MOST_MODULES = 20
SMALL_MODULE = 60
SHORTEST_MAP = 8

# Words that end as gerunds and participles do, and are nouns or adjectives of the field.
NOUNS = frozenset(
    {
        "string",
        "thing",
        "ring",
        "settings",
        "setting",
        "pairing",
        "encoding",
        "feed",
        "speed",
        "seed",
        "shared",
    }
    | {
        "red",
        "embed",
        "ping",
        "logging",
        "connected",
        "mapping",
        "heading",
    }
    | {"warning", "answering", "owned", "managed", "formatting"}
)
PARTICIPLES = frozenset({"told", "kept", "held", "sent", "said", "made", "lent", "known", "heard"})


def private_entries(source: Source, allowed: Mapping[str, Iterable[str]]) -> list[str]:
    """A sub-package is entered through its `__init__`. `allowed` maps a module of a sub-package to
    the files that may import it directly."""
    module = source.module()
    offences = []
    for line, name in imports(source):
        parts = name.split(".")
        # pilothouse.page.input.receipt.Receipt: package, sub-package, module, name
        if len(parts) < 5 or parts[0] != PACKAGE or not parts[3].islower():
            continue
        inside = module[:3] == parts[:3]
        if inside or source.path in allowed.get(".".join(parts[1:4]), ()):
            continue
        offences.append(
            f"{source.path}:{line} imports {name}: import it from {'.'.join(parts[:3])}"
        )
    return offences


def doubled_classes(sources: Iterable[Source], exceptions: Iterable[str]) -> list[str]:
    """One public class name means one thing in the whole package."""
    places: dict[str, list[str]] = defaultdict(list)
    for source in sources:
        if source.path.endswith("cdp/protocol.py"):
            continue
        for node in source.tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(f"{source.path}:{node.lineno}")
    excepted = set(exceptions)
    return [
        f"class {name} is defined in {' and '.join(found)}: rename all but one"
        for name, found in sorted(places.items())
        if len(found) > 1 and name not in excepted
    ]


def crowded_folders(sources: Iterable[Source]) -> list[str]:
    """A folder whose modules one can see at a glance."""
    counts = Counter(
        str(PurePosixPath(source.path).parent)
        for source in sources
        if not source.path.endswith("/__init__.py")
    )
    return [
        f"{folder} has {count} modules, over {MOST_MODULES}: group them"
        for folder, count in sorted(counts.items())
        if count > MOST_MODULES
    ]


def fragments(sources: Iterable[Source], reasons: Mapping[str, str]) -> list[str]:
    """A small module with a single importer belongs to its importer, unless there is a reason."""
    everything = list(sources)
    importers: dict[str, set[str]] = defaultdict(set)
    for source in everything:
        own = ".".join(source.module())
        for _, name in imports(source):
            for known in (name, name.rpartition(".")[0]):
                if known != own:
                    importers[known].add(source.path)
    offences = []
    for source in everything:
        name, lines = ".".join(source.module()), len(source.text.splitlines())
        if source.path.endswith(("/__init__.py", "/__main__.py")) or source.matches(GENERATED):
            continue
        users = [path for path in importers[name] if not path.endswith("/__init__.py")]
        # What only another package uses is that package's interface, not a fragment of it.
        alone = len(users) == 1 and users[0].split("/")[:3] == source.path.split("/")[:3]
        if lines < SMALL_MODULE and alone and source.path not in reasons:
            offences.append(
                f"{source.path} has {lines} lines and is used only by {users[0]}: merge them"
            )
    return offences


def verbal_names(source: Source) -> list[str]:
    """A module is a thing: its name ends in a noun, not in a gerund or a participle."""
    word = PurePosixPath(source.path).stem.rpartition("_")[2]
    verbal = re.search(r"(ing|ed)$", word) and word not in NOUNS
    if verbal or word in PARTICIPLES:
        return [f"{source.path}: name it by the thing it holds, not by '{word}'"]
    return []


def unmapped_packages(source: Source, modules: set[str]) -> list[str]:
    """The docstring of a package is a map: what it is for, its modules, how data moves."""
    if not source.path.endswith("/__init__.py"):
        return []
    text = ast.get_docstring(source.tree) or ""
    if len(text.splitlines()) < SHORTEST_MAP:
        return [
            f"{source.path}: write a map of the package, of at least {SHORTEST_MAP} lines: "
            "what it is for, its modules, how data moves through them"
        ]
    folder = PurePosixPath(source.path).parent
    return [
        f"{source.path}: its map names {name}, which is not there"
        for name in re.findall(r"(?<![\w./*-])([a-z_][a-z0-9_/]*\.py)\b", text)
        if not _exists(str(folder), name, modules)
    ]


def _exists(folder: str, name: str, modules: set[str]) -> bool:
    """Whether a map's file is in the folder or below it, in the package around it, or a path from
    the top of the package or of the project."""
    around = str(PurePosixPath(folder).parent)
    return any(
        path in (name, f"{around}/{name}", f"src/{PACKAGE}/{name}")
        or (path.startswith(f"{folder}/") and path.endswith(f"/{name}"))
        for path in modules
    )


def shadowed_exports(source: Source, modules: set[str]) -> list[str]:
    """A package that imports its names on first use exports none that one of its modules has:
    importing the module would replace the exported class or function by the module."""
    if not source.path.endswith("/__init__.py") or "lazy_exports" not in source.text:
        return []
    folder = PurePosixPath(source.path).parent
    beside = {path.removeprefix(f"{folder}/").partition("/")[0].removesuffix(".py")
              for path in modules if path.startswith(f"{folder}/")}  # fmt: skip
    listed: set[str] = set()
    for node in source.tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            listed |= set(ast.literal_eval(node.value))
    return [
        f"{source.path} exports {name}, and has a module of that name: rename one of them"
        for name in sorted(listed & beside)
    ]
