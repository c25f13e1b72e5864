"""`pilothouse relay token`: tokens that are good for one owner each, and replacing your own.

Knows: the files of the tokens. Must not know: what a token lets its holder do. A daemon that runs
is told afterwards, so that it hangs up on those whose token is good no more.
"""

from __future__ import annotations

from datetime import UTC, datetime

from pilothouse.cli.daemon_call import FAILED, Answer, Call
from pilothouse.cli.output import printable
from pilothouse.cli.parser import Usage
from pilothouse.errors import PilothouseError
from pilothouse.paths import RuntimePaths
from pilothouse.relay.server import TokenStore

# As typing.TYPE_CHECKING, without the import: a warm call should not pay for it.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["token"]

_WAYS = "create|list|revoke|rotate"


def token(call: Call) -> Answer:
    """Create, list, revoke or replace tokens."""
    what, name = call.options.get("what"), str(call.options.get("id") or "")
    if what is None:
        raise Usage("relay token: WHAT is missing", hint=f"pilothouse relay token {_WAYS}")
    if (what == "revoke") != bool(name):
        wrong = "ID is missing" if what == "revoke" else f"{name!r} is one word too many"
        raise Usage(f"relay token {what}: {wrong}", hint="pilothouse relay token revoke ID")
    paths = RuntimePaths()
    paths.prepare()
    tokens = TokenStore(paths.root / "relay.token")
    match what:
        case "create":
            return _create(call, tokens)
        case "list":
            return _list(tokens)
        case "revoke":
            return _revoke(call, tokens, name)
    return _rotate(call, tokens)


def _create(call: Call, tokens: TokenStore) -> Answer:
    owner = str(call.options.get("owner") or "")
    made, token = tokens.create(
        owner,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        attach=call.options.get("attach") or "owned",
        label=call.options.get("label") or "",
        files=tuple(call.options.get("files") or ()),
    )
    # Only the token: it goes into a file or a variable, and is shown this once.
    return Answer({"id": made, "owner": owner, "token": token}, token)


def _list(tokens: TokenStore) -> Answer:
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
    return Answer(told, lambda: _show(told))


def _show(told: list[dict[str, Any]]) -> None:
    if not told:
        print("No token was created; pilothouse relay token create --owner NAME makes one.")
    for one in told:
        label = f" ({one['label']})" if one["label"] else ""
        files = f", files in {', '.join(one['files'])}" if one["files"] else ""
        words = f"{one['id']}  {one['owner']}{label}, {one['attach']}, {one['created']}{files}"
        print(printable(words))


def _revoke(call: Call, tokens: TokenStore, name: str) -> Answer:
    if not tokens.revoke(name):
        said = {
            "message": f"there is no token {name!r}",
            "hint": "pilothouse relay token list",
            "kind": "ToolError",
        }
        return Answer({"revoked": False}, code=FAILED, error=said)
    ended = _ended(call)
    said_of = f"Token {name} is revoked; {_clients(ended)} hung up on."
    return Answer({"revoked": True, "ended": ended}, said_of)


def _rotate(call: Call, tokens: TokenStore) -> Answer:
    owner = str(call.options.get("owner") or "")
    tokens.rotate(owner)
    ended = _ended(call)
    whose = f"The token in URLs of {owner}" if owner else "Your token"
    said = f"{whose} is replaced; {_clients(ended)} hung up on. pilothouse relay url prints the new"
    return Answer({"rotated": True, "ended": ended}, f"{said} one.")


def _clients(count: int) -> str:
    return f"{count} client was" if count == 1 else f"{count} clients were"


def _ended(call: Call) -> int:
    """Have a daemon that runs hang up on those whose token is good no more."""
    try:
        call.line(start=False)
    except PilothouseError:
        return 0  # none runs, so nobody is connected
    return int(call.ask("relay.check_tokens")["ended"])
