"""Writes src/pilothouse/cli/declarations/tab_verbs.py: what the command line must know of the
verbs.

    python -m scripts.generate_commands

The declarations themselves bring half of the product with them; a warm call reads this instead.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from pilothouse.tabs import verbs as _verbs  # noqa: F401 - declares them
from pilothouse.tabs.verb import VERBS, Parameter, Verb
from scripts.generate_client import type_text

TARGET = Path(__file__).parent.parent / "src/pilothouse/cli/declarations/tab_verbs.py"

HEAD = '''"""The verbs of a tab as the command line reads them: what each does, and its parameters.

Made by scripts/generate_commands.py from the declarations of the verbs; do not edit it by hand.
A parameter is its name, its kind, its default (`...` where one has to be given), and its meaning.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["VERBS"]

'''

# How each annotation is written on a command line.
KINDS = {
    "bool": "flag",
    "bool | None": "choice",
    "dict[str, Any]": "json",
    "dict[str, str]": "json",
    "float": "float",
    "float | None": "float",
    "int": "int",
    "int | None": "int",
    "list[Any]": "json",
    "list[dict[str, Any]]": "json",
    "list[float] | None": "numbers",
    "list[str]": "texts",
    "list[str] | None": "texts",
    "str": "text",
    "str | None": "text",
    "str | bool | float | list[str]": "text",
    "str | dict[str, Any]": "text",
    "str | int | list[str | int]": "texts",
    "str | list[float] | dict[str, float]": "text",
    "str | list[float] | dict[str, float] | None": "text",
    "str | list[str]": "texts",
}


def row(parameter: Parameter) -> tuple[str, str, object, str]:
    """One parameter as the table has it."""
    written = type_text(parameter.kind)
    if written not in KINDS:
        raise SystemExit(f"{parameter.name}: {written} has no form on a command line: add it here")
    default = None if isinstance(parameter.default, list | dict) else parameter.default
    return parameter.name, KINDS[written], default, parameter.about


def entry(verb: Verb) -> str:
    """One verb as the table has it."""
    about = verb.about.split("\n\n", 1)[0].replace("\n", " ")
    rows = tuple(row(p) for p in verb.parameters)
    text = repr(rows).replace("Ellipsis", "...")
    return f"    {verb.name!r}: ({about!r}, {text}),"


def source() -> str:
    """The whole file, formatted."""
    kind = "dict[str, tuple[str, tuple[tuple[str, str, Any, str], ...]]]"
    body = "\n".join(entry(verb) for verb in VERBS.values())
    text = f"{HEAD}VERBS: {kind} = {{\n{body}\n}}\n"
    ruff = [sys.executable, "-m", "ruff", "format", "--stdin-filename", str(TARGET), "-"]
    done = subprocess.run(ruff, input=text, capture_output=True, text=True, check=True)
    return done.stdout


if __name__ == "__main__":
    TARGET.write_text(source(), "utf-8")
    print(f"wrote {TARGET.name}: {len(VERBS)} verbs")
