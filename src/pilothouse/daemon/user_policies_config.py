"""Read the user's policies for agents from config.yaml: origins, schemes, secrets, profiles.

    policies:
      allow: ["*.example.com", "https://shop.example:8443", "localhost:*"]
      deny: ["ads.example.com"]
      private_networks: block             # allow
      schemes: {file: allow}              # beside http, https, about:blank, data and blob
      joined: allow                       # browsers we did not start, although less is enforced
      owners:
        nightly: {allow: ["staging.example.com"]}
    secrets:
      SHOP_PASSWORD: {env: SHOP_PASSWORD}
      PIN: {value: "4711", origins: ["bank.example"]}   # typed on these origins only
    profiles:
      work: [cli, nightly]                # owners that may open this profile; "*" is everybody

Knows: these three sections, their fields and lines. Must not know: how they are enforced. The
daemon reads them once, when it starts; agents cannot change them. An owner's policy applies in
addition to the general one and can only narrow it.
"""

from __future__ import annotations

import difflib
import os
import re
import socket
from collections.abc import Mapping
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from pilothouse.errors import PilothouseError
from pilothouse.security.hosts_and_ip_addresses import LocalMachine
from pilothouse.security.profile_policy import ProfilePolicy
from pilothouse.security.redaction import MIN_SECRET_LENGTH
from pilothouse.security.secrets import Secrets
from pilothouse.security.url_policy import (
    SCHEMES,
    OriginList,
    OriginRule,
    OwnPorts,
    UrlPolicy,
    parse_rule,
)
from pilothouse.settings import config_path, line_of, parse_file

__all__ = ["Policies", "load", "read"]

_FIELDS = ("allow", "deny", "private_networks", "schemes", "joined")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")


class Policies(msgspec.Struct, frozen=True):
    """The policies of all owners. Agents cannot change them."""

    everyone: UrlPolicy = msgspec.field(default_factory=UrlPolicy)
    owners: Mapping[str, UrlPolicy] = msgspec.field(default_factory=dict)
    secrets: Secrets = msgspec.field(default_factory=Secrets)
    # For each named profile, the owners that may open it.
    profiles: Mapping[str, tuple[str, ...]] = msgspec.field(default_factory=dict)
    # Ports of the dashboard, which no agent reaches, whatever the user's lists say.
    own_ports: OwnPorts = msgspec.field(default_factory=OwnPorts)

    def url_policy_for(self, owner: str) -> UrlPolicy:
        """Return the URL policy of an owner: the general one, narrowed by the owner's."""
        own = self.owners.get(owner)
        policy = self.everyone if own is None else self.everyone.combine(own)
        return replace(policy, own_ports=self.own_ports)

    def profile_policy(self, usual: str) -> ProfilePolicy:
        """Return who may open which profile. `usual` is the default profile."""
        return ProfilePolicy(self.profiles, usual)


def load(path: Path | None = None, environ: Mapping[str, str] | None = None) -> Policies:
    """Read the policies from the file; without a file, return the defaults. Raises
    PilothouseError that names file, line and field."""
    path = path or config_path()
    document = parse_file(path) if path.exists() else None
    if not isinstance(document, dict):
        return Policies()
    return read(document, str(path), os.environ if environ is None else environ)


def read(document: Mapping[str, Any], path: str, environ: Mapping[str, str]) -> Policies:
    """Read the policies from a parsed document."""
    reading = _PolicyReader(path)
    section = reading.mapping(document, "policies", "policies", (*_FIELDS, "owners"))
    owners = reading.mapping(section, "owners", "policies.owners")
    return Policies(
        reading.read_url_policy(section, "policies"),
        {
            str(owner): reading.read_url_policy(
                reading.mapping(owners, owner, f"policies.owners.{owner}", _FIELDS),
                f"policies.owners.{owner}",
            )
            for owner in owners
        },
        reading.secrets(reading.mapping(document, "secrets", "secrets"), environ),
        reading.profiles(reading.mapping(document, "profiles", "profiles")),
    )


def _this_machine() -> LocalMachine:
    """Return this machine's names and IP addresses, as they are now."""
    import psutil  # imported late: only needed if the policy denies something

    found = {
        ip_address(entry.address.partition("%")[0])
        for entries in psutil.net_if_addrs().values()
        for entry in entries
        if entry.family in (socket.AF_INET, socket.AF_INET6)
    }
    name = socket.gethostname().lower()
    names = dict.fromkeys((name, name.partition(".")[0], f"{name.partition('.')[0]}.local"))
    return LocalMachine(tuple(names), tuple(sorted(found, key=str)))


class _PolicyReader:
    """Reads and checks the sections of one file. Errors name the line and the field."""

    def __init__(self, path: str) -> None:
        self._path = path

    def read_url_policy(self, section: Mapping[str, Any], name: str) -> UrlPolicy:
        allow = self._rules(section, "allow", name)
        private = self._choice(section, "private_networks", name, ("allow", "block"))
        joined = self._choice(section, "joined", name, ("refuse", "allow"))
        return UrlPolicy(
            allow=allow,
            deny=self._rules(section, "deny", name) or (),
            private=private != "block",
            schemes=self._schemes(section, name),
            joined=joined == "allow",
            machine=_this_machine() if "deny" in section else LocalMachine(),
        )

    def _rules(
        self, section: Mapping[str, Any], key: str, name: str
    ) -> tuple[OriginRule, ...] | None:
        if key not in section:
            return None
        value = section[key]
        if not isinstance(value, list):
            raise self._error(section, key, f"{name}.{key}", "expected a list of origins")
        made = []
        for number, text in enumerate(value):
            where = f"{name}.{key}[{number}]"
            if not isinstance(text, str):
                raise self._error(section, key, where, f"{text!r} is not text")
            try:
                made.append(parse_rule(text))
            except PilothouseError as error:
                raise self._error(section, key, where, error.message, error.hint) from None
        return tuple(made)

    def _schemes(self, section: Mapping[str, Any], name: str) -> tuple[tuple[str, bool], ...]:
        value = self.mapping(section, "schemes", f"{name}.schemes", tuple(SCHEMES))
        for scheme in value:
            self._choice(value, scheme, f"{name}.schemes", ("allow", "deny"))
            if scheme == "javascript" and value[scheme] == "allow":
                hint = "run code in a page with evaluate"
                raise self._error(
                    value, scheme, f"{name}.schemes.javascript", "it cannot be allowed", hint
                )
        return tuple((str(scheme), setting == "allow") for scheme, setting in value.items())

    def secrets(self, section: Mapping[str, Any], environ: Mapping[str, str]) -> Secrets:
        values: dict[str, str] = {}
        origins: dict[str, OriginList] = {}
        for name, value in section.items():
            where = f"secrets.{name}"
            if not isinstance(name, str) or not _NAME.fullmatch(name):
                hint = "use letters, digits, _ and -; begin with a letter"
                raise self._error(section, name, where, "invalid name", hint)
            if isinstance(value, Mapping):
                self.mapping(section, name, where, ("env", "value", "origins"))
                listed = self._rules(value, "origins", where)
                if listed is not None:
                    origins[name] = OriginList(listed)
                value = self._secret_source(section, name, value, environ)
            values[name] = self._secret(section, name, value)
        return Secrets(values, origins)

    def profiles(self, section: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
        made: dict[str, tuple[str, ...]] = {}
        for name, value in section.items():
            if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
                hint = "write a list of owners: [cli, nightly]"
                raise self._error(
                    section, name, f"profiles.{name}", "expected a list of owners", hint
                )
            made[str(name)] = tuple(value)
        return made

    def _secret_source(
        self, section: Any, name: str, value: Mapping[str, Any], environ: Mapping[str, str]
    ) -> Any:
        if ("env" in value) == ("value" in value):
            raise self._error(section, name, f"secrets.{name}", "expected env or value", "give one")
        if "value" in value:
            return value["value"]
        if str(value["env"]) not in environ:
            why = f"the daemon's environment has no variable {value['env']}"
            raise self._error(
                section, name, f"secrets.{name}", why, "set it and restart the daemon"
            )
        return environ[str(value["env"])]

    def _secret(self, section: Any, name: str, value: Any) -> str:
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise self._error(section, name, f"secrets.{name}", "expected text", "put it in quotes")
        if len(str(value)) < MIN_SECRET_LENGTH:
            why = f"shorter than {MIN_SECRET_LENGTH} characters, so it could not be redacted"
            raise self._error(section, name, f"secrets.{name}", why, "use a longer value")
        return str(value)

    def mapping(
        self, section: Mapping[str, Any], key: Any, name: str, known: tuple[str, ...] = ()
    ) -> Mapping[str, Any]:
        value = section.get(key)
        if value is None:
            return {}
        if not isinstance(value, Mapping):
            raise self._error(
                section, key, name, "expected fields, name: value", "indent them below it"
            )
        for inner in value:
            if known and inner not in known:
                near = difflib.get_close_matches(str(inner), known, 1)
                hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(known)}"
                raise self._error(value, inner, f"{name}.{inner}", "unknown field", hint)
        return value

    def _choice(
        self, section: Mapping[str, Any], key: str, name: str, choices: tuple[str, ...]
    ) -> str:
        if key not in section:
            return ""
        value = section[key]
        if value not in choices:
            raise self._error(
                section, key, f"{name}.{key}", f"unknown value {value!r}", f"use one of {choices}"
            )
        return str(value)

    def _error(
        self, section: Any, key: Any, name: str, why: str, hint: str = "see docs/policies.md"
    ) -> PilothouseError:
        place = f"{self._path}:{line_of(section, key)}"
        return PilothouseError(f"{place}: {name}: {why}", hint=hint)
