"""YAML files that people edit: parsed with line numbers, written back with their comments.

Knows: ruamel.yaml, imported late because it is slow to import. Must not know: what is in the files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pilothouse.errors import PilothouseError, read_hint, write_hint

__all__ = [
    "keep_trailing_comments",
    "line_of",
    "load_editable",
    "parse_file",
    "to_yaml",
    "write_file",
]


def parse_file(path: Path) -> Any:
    """Parse a file, with comments and line numbers. Raises PilothouseError that names the line."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        yaml = YAML()
        yaml.preserve_quotes = True
        return yaml.load(path.read_text("utf-8"))
    except YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}" if mark else ""
        what = getattr(error, "problem", None) or "not valid YAML"
        alias = "alias" in str(getattr(error, "context", None))
        hint = 'put quotes around a word that begins with "*"' if alias else "correct the YAML"
        raise PilothouseError(f"{path}{line}: {str(what).strip()}", hint=hint) from None
    except UnicodeDecodeError as error:
        number = error.object[: error.start].count(b"\n") + 1
        raise PilothouseError(
            f"{path}:{number}: not valid UTF-8", hint="save the file as UTF-8"
        ) from None
    except OSError as error:
        raise PilothouseError(
            f"could not read {path}: {error.strerror}", hint=read_hint(error)
        ) from None


def line_of(mapping: Any, key: Any) -> int:
    """Return the line of a field, counted from 1."""
    try:
        return int(mapping.lc.key(key)[0]) + 1
    except (AttributeError, KeyError):
        return 1  # the field came in by a YAML merge key


def load_editable(path: Path) -> Any:
    """Parse the sections of a file for a change; `write_file` writes them back.

    Raises PilothouseError.
    """
    from ruamel.yaml import YAML
    from ruamel.yaml.comments import CommentedMap

    document = parse_file(path) if path.exists() else None
    if document is None:
        text = path.read_text("utf-8") if path.exists() else ""
        if not all(line.lstrip().startswith("#") for line in text.splitlines() if line.strip()):
            return CommentedMap()
        # ruamel attaches comments to keys, so a file of comments alone needs a key to load.
        document = YAML().load(f"{text.rstrip()}\n_: 0\n")
        del document["_"]
    if not isinstance(document, dict):
        raise PilothouseError(f"{path}: expected a mapping of sections", hint="start with browser:")
    return document


def to_yaml(document: Any, path: Path) -> str:
    """Format what `load_editable` returned, keeping comments, order and indentation of the file.

    A document without sections becomes its comments alone, without `{}`.
    """
    from io import StringIO

    from ruamel.yaml import YAML

    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = 4096  # long values stay on their lines
    offset = _dash_offset(path.read_text("utf-8")) if path.exists() else 2
    yaml.indent(mapping=2, sequence=offset + 2, offset=offset)
    text = StringIO()
    yaml.dump(document, text)
    return text.getvalue() if document else text.getvalue().removesuffix("{}\n")


def write_file(document: Any, path: Path) -> None:
    """Write what `load_editable` returned. Raises PilothouseError."""
    text = to_yaml(document, path)
    # Keep a symlink a symlink. A rename, so that nobody reads a half-written file.
    path = path.resolve()
    new = path.with_name(f".{path.name}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        new.write_text(text, "utf-8")
        if path.exists():
            new.chmod(path.stat().st_mode & 0o777)
        new.replace(path)
    except OSError as error:
        new.unlink(missing_ok=True)
        raise PilothouseError(
            f"could not write {path}: {error.strerror}", hint=write_hint(error)
        ) from None


@contextmanager
def keep_trailing_comments(section: Any) -> Iterator[None]:
    """Keep the comments after the last line of a section at its end while the section changes.

    ruamel attaches them to the last leaf, but they are about what follows the section.
    """
    tail = ""
    if (found := _last_leaf(section)) is not None and (token := _comment_token(*found)) is not None:
        own, _, tail = token.value.partition("\n")
        token.value = f"{own}\n"
    yield
    if not tail or (found := _last_leaf(section)) is None:
        return
    token = _comment_token(*found)
    if token is None:
        from ruamel.yaml.error import CommentMark
        from ruamel.yaml.tokens import CommentToken

        token = CommentToken("\n", CommentMark(0), None)
        container, key, slot = found
        container.ca.items.setdefault(key, [None] * 4)[slot] = token
    token.value = token.value.rstrip("\n") + "\n" + tail


def _last_leaf(node: Any) -> tuple[Any, Any, int] | None:
    """Return the last leaf below a section: its container, its key, and the slot of its comment."""
    if not node or not hasattr(node, "ca") or node.fa.flow_style():
        return None
    key = next(reversed(node)) if isinstance(node, dict) else len(node) - 1
    return _last_leaf(node[key]) or (node, key, 2 if isinstance(node, dict) else 0)


def _comment_token(container: Any, key: Any, slot: int) -> Any:
    slots = container.ca.items.get(key)
    return slots[slot] if slots else None


def _dash_offset(text: str) -> int:
    """Return how far the user indents the dashes of lists."""
    found = re.search(
        r"^( *)[^\s#-][^\n]*:[ \t]*(?:#[^\n]*)?\n(?:[ \t]*(?:#[^\n]*)?\n)*( *)- ", text, re.M
    )
    return max(len(found[2]) - len(found[1]), 0) if found else 2
