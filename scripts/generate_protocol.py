"""Write `src/pilothouse/cdp/protocol.py` and `tests/protocol_methods.json` from Chromium's schema.

    python -m scripts.generate_protocol [--schema FILE --product NAME] [--check]

Without `--schema`, the script starts Chromium and asks it for its schema. Typed builders are
generated for the methods in `scripts/protocol_allow.txt`; the fake Chrome of the tests uses the
list of all methods. The output depends only on the schema and that list. `--check` writes nothing
and fails if the files differ.
"""

from __future__ import annotations

import argparse
import json
import keyword
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.chromium import find_chromium, running_chromium

__all__ = ["Schema", "SchemaError", "Subset", "methods_json", "read_allow_list", "render"]

ROOT = Path(__file__).resolve().parent.parent
ALLOW = ROOT / "scripts" / "protocol_allow.txt"
PROTOCOL = ROOT / "src" / "pilothouse" / "cdp" / "protocol.py"
METHODS = ROOT / "tests" / "protocol_methods.json"

PRIMITIVES = {
    "any": "Any",
    "array": "list[Any]",
    "binary": "str",
    "boolean": "bool",
    "integer": "int",
    "number": "float",
    "object": "dict[str, Any]",
    "string": "str",
}

HEADER = '''\
"""Typed builders for the CDP commands and events Pilothouse uses. Generated; do not edit.

By scripts/generate_protocol.py from the schema of {product}, protocol {version},
restricted to scripts/protocol_allow.txt. The types exist for the checker alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pilothouse.cdp.message import Command, EventName

__all__ = [
{exports}
]
'''


class SchemaError(Exception):
    """The allow-list does not fit the schema."""


class Schema:
    """Chromium's protocol description, by full name."""

    def __init__(self, raw: dict[str, Any]) -> None:
        self.version = f"{raw['version']['major']}.{raw['version']['minor']}"
        self.commands: dict[str, dict[str, Any]] = {}
        self.events: dict[str, dict[str, Any]] = {}
        self.types: dict[str, dict[str, Any]] = {}
        for domain in raw["domains"]:
            name = domain["domain"]
            self.commands |= {f"{name}.{c['name']}": c for c in domain.get("commands", ())}
            self.events |= {f"{name}.{e['name']}": e for e in domain.get("events", ())}
            self.types |= {f"{name}.{t['id']}": t for t in domain.get("types", ())}

    def resolve(self, reference: str, domain: str) -> str:
        """Return the full name of a type that `domain` refers to."""
        return reference if "." in reference else f"{domain}.{reference}"

    def wire_type(self, item: dict[str, Any], full_name: str) -> str:
        """Return the JSON type of an item that the domain of `full_name` describes."""
        while "$ref" in item:
            full_name = self.resolve(item["$ref"], full_name.partition(".")[0])
            item = self.types[full_name]
        return "string" if item["type"] == "binary" else str(item["type"])


def read_allow_list(path: Path = ALLOW) -> list[str]:
    """Return the full names in the list, sorted. Raises SchemaError for a duplicate."""
    names: list[str] = []
    for line in path.read_text().splitlines():
        domain, _, members = line.partition("#")[0].partition(":")
        names += [f"{domain.strip()}.{member}" for member in members.split()]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise SchemaError(f"listed twice: {', '.join(twice)}")
    return sorted(names)


def class_name(full_name: str, suffix: str = "") -> str:
    """`Page.navigate` + `Result` -> `PageNavigateResult`."""
    domain, _, member = full_name.partition(".")
    return f"{domain}{member[:1].upper()}{member[1:]}{suffix}"


@dataclass
class Subset:
    """The allowed part of a schema, with every type that can be reached from it."""

    schema: Schema
    commands: list[str] = field(default_factory=list)
    events: list[str] = field(default_factory=list)
    shapes: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, schema: Schema, allowed: Iterable[str]) -> Subset:
        """Resolve the list. Raises SchemaError with all names that Chromium does not have."""
        subset = cls(schema)
        missing: list[str] = []
        for name in allowed:
            if name in schema.commands:
                subset.commands.append(name)
            elif name in schema.events:
                subset.events.append(name)
            else:
                missing.append(name)
        if missing:
            raise SchemaError(f"not in the schema: {', '.join(missing)}")
        return subset

    def annotation(self, item: dict[str, Any], domain: str) -> str:
        """Return the Python type of a property, parameter or array item."""
        if "$ref" in item:
            return self._reference(item["$ref"], domain)
        if item["type"] == "array" and "items" in item:
            return f"list[{self.annotation(item['items'], domain)}]"
        return PRIMITIVES[item["type"]]

    def _reference(self, reference: str, domain: str) -> str:
        full_name = self.schema.resolve(reference, domain)
        target = self.schema.types[full_name]
        home = full_name.partition(".")[0]
        if not target.get("properties"):
            return self.annotation(target, home)
        name = class_name(full_name)
        if name not in self.shapes:
            self.shapes[name] = ""  # a placeholder: types may contain themselves
            self.shapes[name] = self.shape(name, target["properties"], home)
        return name

    def shape(self, name: str, members: list[dict[str, Any]], domain: str) -> str:
        """Return the source of one TypedDict."""
        pairs = []
        for member in members:
            annotation = self.annotation(member, domain)
            if member.get("optional"):
                annotation = f"NotRequired[{annotation}]"
            pairs.append((member["name"], annotation))
        if any(keyword.iskeyword(key) for key, _ in pairs):
            body = ", ".join(f'"{key}": "{annotation}"' for key, annotation in pairs)
            return f'    {name} = TypedDict("{name}", {{{body}}})\n'
        lines = [f"    class {name}(TypedDict):"]
        lines += [f"        {key}: {annotation}" for key, annotation in pairs]
        return "\n".join(lines) + "\n"

    def payload(self, name: str, members: list[dict[str, Any]], domain: str) -> str:
        """Return the name of the TypedDict for a result or for an event's params."""
        if not members:
            return "Empty"
        if name in self.shapes:
            raise SchemaError(f"two types would be called {name}")
        self.shapes[name] = self.shape(name, members, domain)
        return name

    def builder(self, full_name: str) -> str:
        """Return the source of one command's static method."""
        domain, _, member = full_name.partition(".")
        command = self.schema.commands[full_name]
        params = sorted(command.get("parameters", ()), key=lambda p: bool(p.get("optional")))
        result = self.payload(class_name(full_name, "Result"), command.get("returns", []), domain)
        signature = []
        for param in params:
            if keyword.iskeyword(param["name"]):
                raise SchemaError(f"{full_name}: {param['name']} cannot be a Python parameter")
            annotation = self.annotation(param, domain)
            optional = param.get("optional") and annotation != "Any"
            default = " = None" if param.get("optional") else ""
            text = f"{param['name']}: {annotation}{' | None' if optional else ''}{default}"
            signature.append(text)
        lines = ["    @staticmethod", *_def_lines(member, signature, f"Command[{result}]")]
        return "\n".join(lines + _body_lines(full_name, params)) + "\n"

    def event(self, full_name: str) -> str:
        """Return the source of one event's attribute."""
        domain, _, member = full_name.partition(".")
        members = self.schema.events[full_name].get("parameters", [])
        params = self.payload(class_name(full_name, "Event"), members, domain)
        return f'    {member}: EventName[{params}] = EventName("{full_name}")\n'


def _def_lines(name: str, signature: list[str], returns: str) -> list[str]:
    keyword_only = ["*", *signature] if signature else []
    line = f"    def {name}({', '.join(keyword_only)}) -> {returns}:"
    if len(line) <= 100:
        return [line]
    return [f"    def {name}(", *(f"        {p}," for p in keyword_only), f"    ) -> {returns}:"]


def _body_lines(full_name: str, params: list[dict[str, Any]]) -> list[str]:
    """Return assignments instead of a filtering loop: they run once per command sent."""
    if not params:
        return [f'        return Command("{full_name}")']
    required = [p["name"] for p in params if not p.get("optional")]
    optional = [p["name"] for p in params if p.get("optional")]
    given = ", ".join(f'"{name}": {name}' for name in required)
    if not optional:
        return [f'        return Command("{full_name}", {{{given}}})']
    lines = [f"        params: dict[str, Any] = {{{given}}}"]
    for name in optional:
        lines += [f"        if {name} is not None:", f'            params["{name}"] = {name}']
    return [*lines, f'        return Command("{full_name}", params)']


def render(subset: Subset, product: str) -> str:
    """Return the whole of protocol.py."""
    domains = sorted({name.partition(".")[0] for name in subset.commands + subset.events})
    classes = []
    for domain in domains:
        members = [subset.event(n) for n in subset.events if n.startswith(f"{domain}.")]
        builders = [subset.builder(n) for n in subset.commands if n.startswith(f"{domain}.")]
        parts = ["".join(members), *builders] if members else builders
        title = f'class {domain}:\n    """Commands and events of the {domain} domain."""\n\n'
        classes.append(title + "\n".join(parts))
    if clash := set(domains) & set(subset.shapes):
        raise SchemaError(f"both a domain and a type: {', '.join(sorted(clash))}")
    exports = "\n".join(f'    "{domain}",' for domain in domains)
    header = HEADER.format(product=product, version=subset.schema.version, exports=exports)
    typing = "if TYPE_CHECKING:\n    from typing import NotRequired, TypedDict\n\n"
    empty = "    class Empty(TypedDict):\n        pass\n\n"
    shapes = "\n".join(subset.shapes[name] for name in sorted(subset.shapes))
    return "\n".join([header, typing + empty + shapes, "", "\n\n".join(classes)])


def methods_json(schema: Schema, product: str) -> str:
    """Return every command with its params and their JSON types, and every event."""
    commands = []
    for name, command in sorted(schema.commands.items()):
        params = command.get("parameters", [])
        required = {p["name"]: schema.wire_type(p, name) for p in params if not p.get("optional")}
        optional = {p["name"]: schema.wire_type(p, name) for p in params if p.get("optional")}
        entry = {"required": required, "optional": optional}
        commands.append(f"  {json.dumps(name)}: {json.dumps(entry)}")
    events = [f"  {json.dumps(name)}" for name in sorted(schema.events)]
    lines = [
        "{",
        f'"product": {json.dumps(product)},',
        f'"protocol": {json.dumps(schema.version)},',
        '"commands": {',
        ",\n".join(commands),
        "},",
        '"events": [',
        ",\n".join(events),
        "]",
        "}",
    ]
    return "\n".join(lines) + "\n"


def fetch() -> tuple[dict[str, Any], str]:
    """Start Chromium; return its schema and product name."""
    executable = find_chromium()
    if executable is None:
        raise SchemaError("no Chromium found; set PILOTHOUSE_BROWSER or give --schema")
    with running_chromium(executable) as endpoint:
        # The product name of headless differs; the schema is the same.
        product = endpoint.get("/json/version")["Browser"].replace("Headless", "")
        return endpoint.get("/json/protocol"), product


def main() -> int:
    """Generate the files, then write or compare them."""
    parser = argparse.ArgumentParser(description="generate the typed subset of CDP")
    parser.add_argument("--schema", type=Path, help="a saved /json/protocol")
    parser.add_argument("--product", default="an unnamed Chromium", help="who served --schema")
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    options = parser.parse_args()
    try:
        if options.schema:
            raw, product = json.loads(options.schema.read_text()), options.product
        else:
            raw, product = fetch()
        schema = Schema(raw)
        subset = Subset.of(schema, read_allow_list())
        outputs = {PROTOCOL: render(subset, product), METHODS: methods_json(schema, product)}
    except SchemaError as error:
        print(f"generate_protocol: {error}", file=sys.stderr)
        return 1
    changed = [p for p, text in outputs.items() if not p.exists() or p.read_text() != text]
    for path in changed:
        if not options.check:
            path.write_text(outputs[path])
        print(f"{'differs' if options.check else 'wrote'}: {path.relative_to(ROOT)}")
    print(
        f"{len(subset.commands)} commands, {len(subset.events)} events, {len(subset.shapes)} types"
    )
    return 1 if options.check and changed else 0


if __name__ == "__main__":
    sys.exit(main())
