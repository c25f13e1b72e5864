"""`pilothouse config`: read and write the settings. Knows: settings.py. Must not know: YAML."""

from __future__ import annotations

import json
import os
from typing import Any

import msgspec

from pilothouse.cli.command_invocation import CommandResult, Invocation
from pilothouse.cli.parser import CommandLineError
from pilothouse.errors import PilothouseError
from pilothouse.settings import Settings, config_path, load, set_value

__all__ = ["config", "rows"]


def config(call: Invocation) -> CommandResult:
    """`pilothouse config`: run the action."""
    action = call.options["action"]
    path = str(config_path())
    if action == "path":
        return CommandResult({"path": path, "exists": os.path.exists(path)}, path)
    if action == "edit":
        return _edit(path)
    if action == "list":
        found = rows(load())

        def show() -> None:
            from pilothouse.cli.output import show_settings

            show_settings([(name, _shown(value), new) for name, value, new in found], path)

        return CommandResult({name: value for name, value, _ in found}, show)
    name = call.options.get("name")
    if name is None:
        raise CommandLineError(
            f"config {action}: NAME is missing",
            hint="run `pilothouse config list` to see the names",
        )
    if action == "get":
        return _get(name)
    if "value" not in call.options:
        raise CommandLineError(
            "config set: VALUE is missing", hint=f"pilothouse config set {name} VALUE"
        )
    written = set_value(name, call.options["value"])
    made = {found: value for found, value, _ in rows(load())}[name]
    said = f"{name} = {_shown(made)}  in {written}\nA running daemon keeps its settings until you"
    return CommandResult({name: made, "path": str(written)}, f"{said} run: pilothouse daemon stop")


def _get(name: str) -> CommandResult:
    known = {found: value for found, value, _ in rows(load())}
    if name not in known:
        import difflib

        near = difflib.get_close_matches(name, known, 1)
        hint = f"did you mean {near[0]}?" if near else "pilothouse config list"
        raise PilothouseError(f"there is no setting {name}", hint=hint)
    return CommandResult(known[name], _shown(known[name]))


def _edit(path: str) -> CommandResult:
    """Open the file in the user's editor, then check it."""
    import shlex
    import subprocess

    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    os.makedirs(os.path.dirname(path), exist_ok=True)
    named = next((name for name in ("VISUAL", "EDITOR") if os.environ.get(name)), "EDITOR")
    try:
        done = subprocess.run([*shlex.split(editor), path], check=False)
    except OSError as error:
        raise PilothouseError(
            f"the editor {editor!r} cannot be started: {error.strerror}",
            hint=f"set {named} to an editor that is installed",
        ) from None
    if done.returncode:
        raise PilothouseError(
            f"{editor} ended with code {done.returncode}; {path} was not checked",
            hint=f"run `pilothouse config list` to check it; set {named} for another editor",
        )
    load()
    return CommandResult({"path": path}, f"{path} is valid.")


def rows(settings: Settings) -> list[tuple[str, Any, bool]]:
    """Return every setting: name, value, and whether it differs from the default."""
    usual, found = Settings(), []
    for section in settings.__struct_fields__:
        for name in getattr(settings, section).__struct_fields__:
            value = getattr(getattr(settings, section), name)
            changed = value != getattr(getattr(usual, section), name)
            shown = msgspec.to_builtins(list(value) if isinstance(value, tuple) else value)
            found.append((f"{section}.{name}", shown, changed))
    return found


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        texts = [one if isinstance(one, str) else json.dumps(one) for one in value]
        return " ".join(texts) or "(none)"
    return str(value) if value != "" else "(empty)"
