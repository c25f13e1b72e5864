"""Write the tables of docs/configuration.md from the declarations in settings.py.

    python -m scripts.generate_configuration_docs

A table stands between `<!-- settings: SECTION -->` or `<!-- variables -->` and `<!-- end -->`; the
text around the tables is written by hand. A test fails when a table is not what this script writes.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, get_type_hints

from pilothouse import settings as declared
from pilothouse.settings import VARIABLES, Settings, descriptions

PAGE = Path(__file__).parent.parent / "docs/configuration.md"
_TABLE = re.compile(r"(<!-- (settings: (\w+)|variables) -->\n).*?(<!-- end -->)", re.DOTALL)
_TYPES = {bool: "boolean", int: "whole number", float: "number", str: "text"}


def type_text(setting: str, hint: Any) -> str:
    """Return what values a setting takes."""
    section, _, name = setting.partition(".")
    if choices := declared._CHOICES.get((section, name)):
        return ", ".join(f"`{choice}`" for choice in choices if choice)
    if setting == "browser.dialog_rules":
        return "list of rules"
    text = _TYPES.get(hint, "list of texts")
    least = declared._MINIMUM.get((section, name))
    most = declared._MAXIMUM.get((section, name))
    text += f", at least {least:g}" if least else ""
    return text + (f", at most {most:g}" if most else "")


def default_text(value: Any) -> str:
    """Return a default as people write it."""
    if value in ("", ()):
        return "empty"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    return f"`{value:g}`" if isinstance(value, float) else f"`{value}`"


def settings_table(section: str) -> str:
    """Return the table of one section's settings."""
    kind, values = declared._sections()[section], getattr(Settings(), section)
    rows = ["| setting | type | default | environment | meaning |", "|---|---|---|---|---|"]
    for name, hint in get_type_hints(kind).items():
        setting = f"{section}.{name}"
        variables = [
            f"`{variable}`"
            for variable, place in declared._ENVIRONMENT.items()
            if place == (section, name)
        ]
        cells = [
            f"`{setting}`",
            type_text(setting, hint),
            default_text(getattr(values, name)),
            ", ".join(variables),
            descriptions()[setting],
        ]
        rows.append("| " + " | ".join(cells) + " |")
    return "\n".join(rows) + "\n"


def variables_table() -> str:
    """Return the table of all environment variables."""
    rows = ["| variable | meaning |", "|---|---|"]
    rows += [f"| `{name}` | {meaning} |" for name, meaning in sorted(VARIABLES.items())]
    return "\n".join(rows) + "\n"


def page(text: str) -> str:
    """Return the page with its tables written anew."""

    def table(found: re.Match[str]) -> str:
        made = settings_table(found[3]) if found[3] else variables_table()
        return f"{found[1]}{made}{found[4]}"

    return _TABLE.sub(table, text)


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text("utf-8")), "utf-8")
    print(f"wrote {PAGE.name}")
