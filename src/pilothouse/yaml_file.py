"""YAML that people write: read with the line of everything, written back with its comments.

Knows: ruamel.yaml, imported late as it costs. Must not know: what the files are about.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pilothouse.errors import PilothouseError

__all__ = ["as_text", "editable", "kept_tail", "line_of", "parse_file", "write_file"]


def parse_file(path: Path) -> Any:
    """What the file says, with its comments and lines. Raises PilothouseError with the line."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        yaml = YAML()
        yaml.preserve_quotes = True
        return yaml.load(path.read_text("utf-8"))
    except YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}" if mark else ""
        what = getattr(error, "problem", None) or "it cannot be read"
        alias = "alias" in str(getattr(error, "context", None))
        hint = 'put quotes around a word that begins with "*"' if alias else "mend the YAML there"
        raise PilothouseError(f"{path}{line}: {str(what).strip()}", hint=hint) from None
    except UnicodeDecodeError as error:
        number = error.object[: error.start].count(b"\n") + 1
        raise PilothouseError(
            f"{path}:{number}: this is no UTF-8", hint="save it as UTF-8"
        ) from None
    except OSError as error:
        raise PilothouseError(f"{path}: {error.strerror}", hint="check the file") from None


def line_of(mapping: Any, key: Any) -> int:
    """The line of a field, counted from 1."""
    try:
        return int(mapping.lc.key(key)[0]) + 1
    except (AttributeError, KeyError):
        return 1  # merged in from elsewhere: only the file is known


def editable(path: Path) -> Any:
    """The sections of the file, to be changed and given to `write_file`. Raises
    PilothouseError."""
    from ruamel.yaml import YAML
    from ruamel.yaml.comments import CommentedMap

    document = parse_file(path) if path.exists() else None
    if document is None:
        text = path.read_text("utf-8") if path.exists() else ""
        if not all(line.lstrip().startswith("#") for line in text.splitlines() if line.strip()):
            return CommentedMap()
        # Comments need something to hang on.
        document = YAML().load(f"{text.rstrip()}\n_: 0\n")
        del document["_"]
    if not isinstance(document, dict):
        raise PilothouseError(f"{path}: sections are wanted", hint="begin with browser:")
    return document


def as_text(document: Any, path: Path) -> str:
    """What `editable` gave as YAML; comments, order and the indentation of the file stay. Nothing
    is said of no sections: only their comments are left."""
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
    """Write what `editable` gave, as `as_text` has it. Raises PilothouseError."""
    text = as_text(document, path)
    # The file may be a link to where a person keeps it; and is never seen half written.
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
        raise PilothouseError(f"{path}: {error.strerror}", hint="check the directory") from None


@contextmanager
def kept_tail(section: Any) -> Iterator[None]:
    """While a section is changed: the comments after its last line belong to what follows, so
    they stay at its end."""
    tail = ""
    if (found := _last(section)) is not None and (token := _comment(*found)) is not None:
        own, _, tail = token.value.partition("\n")
        token.value = f"{own}\n"
    yield
    if not tail or (found := _last(section)) is None:
        return
    token = _comment(*found)
    if token is None:
        from ruamel.yaml.error import CommentMark
        from ruamel.yaml.tokens import CommentToken

        token = CommentToken("\n", CommentMark(0), None)
        container, key, slot = found
        container.ca.items.setdefault(key, [None] * 4)[slot] = token
    token.value = token.value.rstrip("\n") + "\n" + tail


def _last(node: Any) -> tuple[Any, Any, int] | None:
    """The last leaf below a section: what it is in, its key, and where its comment is kept."""
    if not node or not hasattr(node, "ca") or node.fa.flow_style():
        return None
    key = next(reversed(node)) if isinstance(node, dict) else len(node) - 1
    return _last(node[key]) or (node, key, 2 if isinstance(node, dict) else 0)


def _comment(container: Any, key: Any, slot: int) -> Any:
    kept = container.ca.items.get(key)
    return kept[slot] if kept else None


def _dash_offset(text: str) -> int:
    """How far the dashes of lists stand in, as the person writes them."""
    found = re.search(
        r"^( *)[^\s#-][^\n]*:[ \t]*(?:#[^\n]*)?\n(?:[ \t]*(?:#[^\n]*)?\n)*( *)- ", text, re.M
    )
    return max(len(found[2]) - len(found[1]), 0) if found else 2
