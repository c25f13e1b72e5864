"""What the user lets agents reach, from config.yaml: origins, schemes, secrets by name.

    policies:
      allow: ["*.example.com", "https://shop.example:8443", "localhost:*"]
      deny: ["ads.example.com"]
      private_networks: block             # allow
      schemes: {file: allow}              # beside http, https, about:blank, data and blob
      joined: allow                       # browsers that we did not start, although less holds
      owners:
        nightly: {allow: ["staging.example.com"]}
    secrets:
      SHOP_PASSWORD: {env: SHOP_PASSWORD}
      PIN: {value: "4711", origins: ["bank.example"]}   # typed nowhere else
    profiles:
      work: [cli, nightly]                # who may open a kept profile; "*" is everybody

Knows: these three sections, their fields and lines. Must not know: how they are kept. They are read
once, when the daemon opens, and nothing an agent says changes them; an owner's own policy holds
beside everybody's and can only narrow it.
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

from pilothouse.errors import PilothouseError
from pilothouse.security.ip_addresses import Machine
from pilothouse.security.profile_policy import ProfilePolicy
from pilothouse.security.redaction import SHORTEST_SECRET
from pilothouse.security.secrets import Secrets
from pilothouse.security.url_policy import SCHEMES, Fence, OriginList, OriginRule, rule
from pilothouse.settings import config_path, line_of, parse_file

__all__ = ["Policies", "load", "read"]

_FIELDS = ("allow", "deny", "private_networks", "schemes", "joined")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")


class Policies(msgspec.Struct, frozen=True):
    """Everything that holds for agents, whatever they say."""

    everyone: Fence = msgspec.field(default_factory=Fence)
    owners: Mapping[str, Fence] = msgspec.field(default_factory=dict)
    secrets: Secrets = msgspec.field(default_factory=Secrets)
    # The owners of each kept profile.
    profiles: Mapping[str, tuple[str, ...]] = msgspec.field(default_factory=dict)

    def fence(self, owner: str) -> Fence:
        """What an owner's pages may reach."""
        own = self.owners.get(owner)
        return self.everyone if own is None else self.everyone.narrowed(own)

    def profile_policy(self, usual: str) -> ProfilePolicy:
        """Who may open which kept profile; `usual` is the one that every browser has."""
        return ProfilePolicy(self.profiles, usual)


def load(path: Path | None = None, environ: Mapping[str, str] | None = None) -> Policies:
    """The policies of the file; without one, the usual ones. Raises PilothouseError that names
    file, line and field."""
    path = path or config_path()
    document = parse_file(path) if path.exists() else None
    if not isinstance(document, dict):
        return Policies()
    return read(document, str(path), os.environ if environ is None else environ)


def read(document: Mapping[str, Any], path: str, environ: Mapping[str, str]) -> Policies:
    """The same from a document that was read already."""
    reading = _Reading(path)
    section = reading.mapping(document, "policies", "policies", (*_FIELDS, "owners"))
    owners = reading.mapping(section, "owners", "policies.owners")
    return Policies(
        reading.fence(section, "policies"),
        {
            str(owner): reading.fence(
                reading.mapping(owners, owner, f"policies.owners.{owner}", _FIELDS),
                f"policies.owners.{owner}",
            )
            for owner in owners
        },
        reading.secrets(reading.mapping(document, "secrets", "secrets"), environ),
        reading.profiles(reading.mapping(document, "profiles", "profiles")),
    )


def _this_machine() -> Machine:
    """This machine's name and addresses, as they are when the policies are read."""
    import psutil  # only who denies something needs it

    found = {
        ip_address(entry.address.partition("%")[0])
        for entries in psutil.net_if_addrs().values()
        for entry in entries
        if entry.family in (socket.AF_INET, socket.AF_INET6)
    }
    name = socket.gethostname().lower()
    names = dict.fromkeys((name, name.partition(".")[0], f"{name.partition('.')[0]}.local"))
    return Machine(tuple(names), tuple(sorted(found, key=str)))


class _Reading:
    """One file on its way in: what is wrong is said with its line and field."""

    def __init__(self, path: str) -> None:
        self._path = path

    def fence(self, section: Mapping[str, Any], name: str) -> Fence:
        allow = self._rules(section, "allow", name)
        private = self._choice(section, "private_networks", name, ("allow", "block"))
        joined = self._choice(section, "joined", name, ("refuse", "allow"))
        return Fence(
            allow=allow,
            deny=self._rules(section, "deny", name) or (),
            private=private != "block",
            schemes=self._schemes(section, name),
            joined=joined == "allow",
            machine=_this_machine() if "deny" in section else Machine(),
        )

    def _rules(
        self, section: Mapping[str, Any], key: str, name: str
    ) -> tuple[OriginRule, ...] | None:
        if key not in section:
            return None
        said = section[key]
        if not isinstance(said, list):
            raise self._wrong(section, key, f"{name}.{key}", "a list of origins is wanted")
        made = []
        for number, text in enumerate(said):
            where = f"{name}.{key}[{number}]"
            if not isinstance(text, str):
                raise self._wrong(section, key, where, f"{text!r} is no text")
            try:
                made.append(rule(text))
            except PilothouseError as error:
                raise self._wrong(section, key, where, error.message, error.hint) from None
        return tuple(made)

    def _schemes(self, section: Mapping[str, Any], name: str) -> tuple[tuple[str, bool], ...]:
        said = self.mapping(section, "schemes", f"{name}.schemes", tuple(SCHEMES))
        for scheme in said:
            self._choice(said, scheme, f"{name}.schemes", ("allow", "deny"))
            if scheme == "javascript" and said[scheme] == "allow":
                hint = "code in a page is run with evaluate"
                raise self._wrong(said, scheme, f"{name}.schemes.javascript", "it stays off", hint)
        return tuple((str(scheme), value == "allow") for scheme, value in said.items())

    def secrets(self, section: Mapping[str, Any], environ: Mapping[str, str]) -> Secrets:
        values: dict[str, str] = {}
        origins: dict[str, OriginList] = {}
        for name, said in section.items():
            where = f"secrets.{name}"
            if not isinstance(name, str) or not _NAME.fullmatch(name):
                hint = "letters, digits, _ and -; a letter first"
                raise self._wrong(section, name, where, "this is no name", hint)
            if isinstance(said, Mapping):
                self.mapping(section, name, where, ("env", "value", "origins"))
                listed = self._rules(said, "origins", where)
                if listed is not None:
                    origins[name] = OriginList(listed)
                said = self._from_environment(section, name, said, environ)
            values[name] = self._secret(section, name, said)
        return Secrets(values, origins)

    def profiles(self, section: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
        made: dict[str, tuple[str, ...]] = {}
        for name, said in section.items():
            if not isinstance(said, list) or not all(isinstance(one, str) for one in said):
                hint = "a list of owners: [cli, nightly]"
                raise self._wrong(section, name, f"profiles.{name}", "owners are wanted", hint)
            made[str(name)] = tuple(said)
        return made

    def _from_environment(
        self, section: Any, name: str, said: Mapping[str, Any], environ: Mapping[str, str]
    ) -> Any:
        if ("env" in said) == ("value" in said):
            raise self._wrong(section, name, f"secrets.{name}", "env or value is wanted", "one")
        if "value" in said:
            return said["value"]
        if str(said["env"]) not in environ:
            why = f"the variable {said['env']} is not set where the daemon is started"
            raise self._wrong(section, name, f"secrets.{name}", why, "set it, and start again")
        return environ[str(said["env"])]

    def _secret(self, section: Any, name: str, said: Any) -> str:
        if isinstance(said, bool) or not isinstance(said, str | int):
            raise self._wrong(
                section, name, f"secrets.{name}", "a text is wanted", "put it in quotes"
            )
        if len(str(said)) < SHORTEST_SECRET:
            why = f"it is shorter than {SHORTEST_SECRET} signs and could not be hidden"
            raise self._wrong(section, name, f"secrets.{name}", why, "use a longer one")
        return str(said)

    def mapping(
        self, section: Mapping[str, Any], key: Any, name: str, known: tuple[str, ...] = ()
    ) -> Mapping[str, Any]:
        said = section.get(key)
        if said is None:
            return {}
        if not isinstance(said, Mapping):
            raise self._wrong(section, key, name, "fields are wanted", "indent them")
        for inner in said:
            if known and inner not in known:
                near = difflib.get_close_matches(str(inner), known, 1)
                hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(known)}"
                raise self._wrong(said, inner, f"{name}.{inner}", "there is no such field", hint)
        return said

    def _choice(
        self, section: Mapping[str, Any], key: str, name: str, choices: tuple[str, ...]
    ) -> str:
        if key not in section:
            return ""
        said = section[key]
        if said not in choices:
            raise self._wrong(
                section, key, f"{name}.{key}", f"{said!r} is not known", f"one of {choices}"
            )
        return str(said)

    def _wrong(
        self, section: Any, key: Any, name: str, why: str, hint: str = "see docs/policies.md"
    ) -> PilothouseError:
        place = f"{self._path}:{line_of(section, key)}"
        return PilothouseError(f"{place}: {name}: {why}", hint=hint)
