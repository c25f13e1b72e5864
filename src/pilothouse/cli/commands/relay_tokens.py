"""`pilothouse relay token`: create, list and revoke tokens of single owners; rotate your own.

Knows: the token files. Must not know: what a token allows. After a change it asks a running daemon
to disconnect the clients whose token is no longer valid.
"""

from __future__ import annotations

from datetime import UTC, datetime

from pilothouse.cli.command_invocation import FAILED, CommandResult, Invocation
from pilothouse.cli.output import printable
from pilothouse.cli.parser import CommandLineError
from pilothouse.errors import PilothouseError, plural
from pilothouse.paths import relay_token_path
from pilothouse.relay.server import TokenStore

# As typing.TYPE_CHECKING, without the import: a warm call should not pay for it.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["token"]

_WAYS = "create|list|revoke|rotate"


def token(call: Invocation) -> CommandResult:
    """Create, list, revoke or replace tokens."""
    what, name = call.options.get("what"), str(call.options.get("id") or "")
    if what is None:
        raise CommandLineError(
            "relay token: WHAT is missing", hint=f"pilothouse relay token {_WAYS}"
        )
    if (what == "revoke") != bool(name):
        if what == "revoke":
            hint = "pilothouse relay token revoke ID (`pilothouse relay token list` has the ids)"
            raise CommandLineError("relay token revoke: ID is missing", hint=hint)
        raise CommandLineError(
            f"relay token {what}: unexpected argument {name!r}",
            hint=f"pilothouse relay token {what}",
        )
    tokens = TokenStore(relay_token_path())
    match what:
        case "create":
            return _create(call, tokens)
        case "list":
            return _list(tokens)
        case "revoke":
            return _revoke(call, tokens, name)
    return _rotate(call, tokens)


def _create(call: Invocation, tokens: TokenStore) -> CommandResult:
    owner = str(call.options.get("owner") or "")
    made, token = tokens.create(
        owner,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        attach=call.options.get("attach") or "owned",
        label=call.options.get("label") or "",
        files=tuple(call.options.get("files") or ()),
    )
    # Print only the token, for a file or a variable. It is shown this once.
    return CommandResult({"id": made, "owner": owner, "token": token}, token)


def _list(tokens: TokenStore) -> CommandResult:
    told = [
        {
            "id": name,
            "owner": one.owner,
            "attach": one.attach,
            "label": one.label,
            "created": one.created,
            "files": list(one.files),
        }
        for name, one in tokens.load().tokens.items()
    ]
    return CommandResult(told, lambda: _show(told))


def _show(told: list[dict[str, Any]]) -> None:
    if not told:
        print("No tokens. Create one: pilothouse relay token create --owner NAME")
    for one in told:
        label = f" ({one['label']})" if one["label"] else ""
        files = f", files in {', '.join(one['files'])}" if one["files"] else ""
        words = f"{one['id']}  {one['owner']}{label}, {one['attach']}, {one['created']}{files}"
        print(printable(words))


def _revoke(call: Invocation, tokens: TokenStore, name: str) -> CommandResult:
    if not tokens.revoke(name):
        said = {
            "message": f"unknown token {name!r}",
            "hint": "pilothouse relay token list",
            "kind": "ToolError",
        }
        return CommandResult({"revoked": False}, code=FAILED, error=said)
    ended = _end_invalid_clients(call)
    said_of = f"Token {name} is revoked; {_count_clients(ended)} disconnected."
    return CommandResult({"revoked": True, "ended": ended}, said_of)


def _rotate(call: Invocation, tokens: TokenStore) -> CommandResult:
    owner = str(call.options.get("owner") or "")
    tokens.rotate(owner)
    ended = _end_invalid_clients(call)
    whose = f"The token in URLs of {owner}" if owner else "Your token"
    said = f"{whose} is replaced; {_count_clients(ended)} disconnected."
    return CommandResult(
        {"rotated": True, "ended": ended}, f"{said} Print the new one: pilothouse relay url"
    )


def _count_clients(count: int) -> str:
    return plural(count, "client was", "clients were")


def _end_invalid_clients(call: Invocation) -> int:
    """Ask a running daemon to disconnect clients whose token is no longer valid; return how
    many."""
    try:
        call.connection(start=False)
    except PilothouseError:
        return 0  # no daemon, so no clients
    return int(call.request("relay.check_tokens")["ended"])
