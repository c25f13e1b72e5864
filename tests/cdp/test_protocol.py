"""The generated builders: what they put on the wire, and that they are the generator's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pilothouse.cdp import protocol
from pilothouse.cdp.message import EventName
from pilothouse.cdp.protocol import Browser, Page, Runtime, Target
from scripts.generate_protocol import (
    METHODS,
    PROTOCOL,
    Schema,
    SchemaError,
    Subset,
    methods_json,
    read_allow_list,
    render,
)

TREE = {
    "id": "Tree",
    "type": "object",
    "properties": [
        {"name": "name", "$ref": "Name"},
        {"name": "children", "type": "array", "items": {"$ref": "Tree"}, "optional": True},
    ],
}
SCHEMA: dict[str, Any] = {
    "version": {"major": "1", "minor": "3"},
    "domains": [
        {
            "domain": "Wood",
            "types": [TREE, {"id": "Name", "type": "string", "enum": ["oak"]}],
            "commands": [
                {
                    "name": "grow",
                    "parameters": [
                        {"name": "years", "type": "number", "optional": True},
                        {"name": "tree", "$ref": "Tree"},
                    ],
                    "returns": [{"name": "tree", "$ref": "Tree"}],
                },
                {"name": "burn"},
            ],
            "events": [{"name": "fell", "parameters": [{"name": "from", "type": "string"}]}],
        }
    ],
}


def generated_members() -> dict[str, Any]:
    """Every builder and event of protocol.py by its CDP name."""
    return {
        f"{domain}.{name}": member
        for domain in protocol.__all__
        for name, member in vars(getattr(protocol, domain)).items()
        if not name.startswith("__")
    }


def test_builder_sends_what_was_given_and_nothing_else() -> None:
    command = Page.navigate(url="about:blank")
    assert (command.method, command.params) == ("Page.navigate", {"url": "about:blank"})
    command_with_more = Runtime.evaluate(expression="1", awaitPromise=False, timeout=0)
    assert command_with_more.params == {"expression": "1", "awaitPromise": False, "timeout": 0}


def test_builder_without_params_sends_none() -> None:
    assert Browser.getVersion().params is None


def test_event_carries_its_name() -> None:
    assert Page.loadEventFired.method == "Page.loadEventFired"
    assert Target.attachedToTarget.method == "Target.attachedToTarget"


def test_protocol_holds_exactly_the_allowed_names() -> None:
    assert sorted(generated_members()) == read_allow_list()


def test_every_member_bears_the_name_it_sends() -> None:
    for name, member in generated_members().items():
        if isinstance(member, EventName):
            assert member.method == name
        else:
            builder = member.__func__
            required = set(builder.__annotations__) - {"return"} - set(builder.__kwdefaults__ or {})
            assert builder(**dict.fromkeys(required, "x")).method == name


def test_protocol_and_method_list_come_from_the_same_browser() -> None:
    listed = json.loads(METHODS.read_text())
    assert f"schema of {listed['product']}, protocol {listed['protocol']}," in PROTOCOL.read_text()
    for name, member in generated_members().items():
        if isinstance(member, EventName):
            assert name in listed["events"]
        else:
            params = set(member.__func__.__annotations__) - {"return"}
            entry = listed["commands"][name]
            assert params == set(entry["required"]) | set(entry["optional"])


def test_types_cost_nothing_at_run_time() -> None:
    assert not hasattr(protocol, "PageFrame")
    assert not hasattr(protocol, "Empty")


def test_names_the_schema_lacks_are_all_named() -> None:
    with pytest.raises(SchemaError, match=r"not in the schema: Wood\.chop, Wood\.plant"):
        Subset.of(Schema(SCHEMA), ["Wood.burn", "Wood.chop", "Wood.plant"])


def test_name_listed_twice_is_refused(tmp_path: Path) -> None:
    allow = tmp_path / "allow.txt"
    allow.write_text("# a comment\nWood: burn grow\nWood: burn # again\n")
    with pytest.raises(SchemaError, match=r"Wood\.burn"):
        read_allow_list(allow)


def test_generated_source_is_deterministic_reaches_recursive_types_and_runs() -> None:
    allowed = ["Wood.burn", "Wood.fell", "Wood.grow"]
    source = render(Subset.of(Schema(SCHEMA), allowed), "Oak/1")
    assert source == render(Subset.of(Schema(SCHEMA), allowed), "Oak/1")
    assert "children: NotRequired[list[WoodTree]]" in source
    assert "name: str" in source
    assert 'WoodFellEvent = TypedDict("WoodFellEvent", {"from": "str"})' in source
    assert "def grow(*, tree: WoodTree, years: float | None = None)" in source
    scope: dict[str, Any] = {"__name__": "generated"}
    exec(compile(source, "generated", "exec"), scope)
    assert scope["Wood"].grow(tree={"name": "oak"}).params == {"tree": {"name": "oak"}}


def test_method_list_tells_required_from_optional_params_with_their_json_types() -> None:
    listed = json.loads(methods_json(Schema(SCHEMA), "Oak/1"))
    grow = {"required": {"tree": "object"}, "optional": {"years": "number"}}
    assert listed["commands"] == {"Wood.burn": {"required": {}, "optional": {}}, "Wood.grow": grow}
    assert listed["events"] == ["Wood.fell"]


def test_param_that_python_cannot_spell_is_refused() -> None:
    odd = {"name": "odd", "parameters": [{"name": "from", "type": "string"}]}
    schema = Schema({**SCHEMA, "domains": [{"domain": "Odd", "commands": [odd]}]})
    with pytest.raises(SchemaError, match=r"Odd\.odd: from"):
        render(Subset.of(schema, ["Odd.odd"]), "Oak/1")
