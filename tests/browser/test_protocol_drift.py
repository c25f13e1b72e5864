"""The typed subset still fits the browser that runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from pilothouse.cdp import protocol
from pilothouse.cdp.message import EventName
from scripts.generate_protocol import Schema, Subset, read_allow_list, render
from tests.cdp.test_protocol import generated_members
from tests.chromium import running_chromium

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def schema(chromium_path: Path) -> Schema:
    """What the installed browser says it speaks."""
    with running_chromium(chromium_path) as endpoint:
        return Schema(endpoint.get("/json/protocol"))


def test_every_allowed_command_and_event_still_exists(schema: Schema) -> None:
    missing = [n for n in read_allow_list() if n not in schema.commands and n not in schema.events]
    assert missing == []


def test_every_param_we_can_send_still_exists_and_no_new_one_is_required(schema: Schema) -> None:
    drift = []
    for name, member in generated_members().items():
        if isinstance(member, EventName) or name not in schema.commands:
            continue
        builder = member.__func__
        ours = set(builder.__annotations__) - {"return"}
        required_by_us = ours - set(builder.__kwdefaults__ or {})
        params = schema.commands[name].get("parameters", [])
        theirs = {p["name"] for p in params}
        required = {p["name"] for p in params if not p.get("optional")}
        drift += [f"{name}: {param} is gone" for param in sorted(ours - theirs)]
        drift += [f"{name}: {param} is required now" for param in sorted(required - required_by_us)]
    assert drift == []


def test_every_key_we_read_from_results_and_events_still_exists(schema: Schema) -> None:
    text = Path(protocol.__file__).read_text()
    ours = typed_dicts(text)
    known = schema.commands | schema.events
    subset = Subset.of(schema, [name for name in read_allow_list() if name in known])
    theirs = typed_dicts(render(subset, "the running browser"))
    drift = []
    for shape, members in ours.items():
        now = theirs.get(shape)
        if now is None:
            drift.append(f"{shape} is gone")
            continue
        for key, annotation in members.items():
            if key not in now:
                drift.append(f"{shape}.{key} is gone")
            elif annotation not in (now[key], f"NotRequired[{now[key]}]"):
                drift.append(f"{shape}.{key}: {annotation} became {now[key]}")
    assert drift == []


def typed_dicts(source: str) -> dict[str, dict[str, str]]:
    """The TypedDicts of generated source: name -> key -> annotation."""
    found: dict[str, dict[str, str]] = {}
    members: dict[str, str] = {}
    for line in source.splitlines():
        if line.endswith("(TypedDict):"):
            members = found.setdefault(line.split()[1].removesuffix("(TypedDict):"), {})
        elif line.startswith("        ") and ": " in line:
            key, _, annotation = line.strip().partition(": ")
            members[key] = annotation
        elif line.startswith("class "):
            break
    return found
