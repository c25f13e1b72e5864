"""CliCommand and Argument: how a command is declared. Read on every call, so it imports little."""

from __future__ import annotations

from collections.abc import Sequence

# As typing.TYPE_CHECKING, without the import: a warm call should not pay for it.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["Argument", "CliCommand"]


class Argument:
    """One argument of a command: an option, or a positional argument.

    `kind` is how its value is parsed: text, texts (repeatable), int, float, numbers (`1,2`), json,
    flag (no value), or choice (`--x` and `--no-x`). `many`: the positional takes all that follow.
    `default` is `...` for a required positional.
    """

    __slots__ = ("about", "choices", "default", "kind", "many", "name", "positional", "short")

    def __init__(
        self,
        name: str,
        about: str = "",
        kind: str = "text",
        *,
        default: Any = None,
        positional: bool = False,
        many: bool = False,
        choices: Sequence[str] = (),
        short: str = "",
    ) -> None:
        self.name = name
        self.about = about
        self.kind = kind
        self.default = default
        self.positional = positional
        self.many = many
        self.choices = tuple(choices)
        self.short = short

    @property
    def option(self) -> str:
        """Return the option as it is written: `--full-page`."""
        return "--" + self.name.replace("_", "-")


class CliCommand:
    """One command. `handler` names its function as `module:function` below pilothouse.cli. `verb`
    is the tab verb it calls. `common_options`: it takes --tab, --owner and --timeout."""

    __slots__ = ("about", "arguments", "common_options", "examples", "handler", "name", "verb")

    def __init__(
        self,
        name: str,
        about: str,
        handler: str,
        arguments: Sequence[Argument] = (),
        *,
        verb: str = "",
        examples: Sequence[str] = (),
        common_options: bool = True,
    ) -> None:
        self.name = name
        self.about = about
        self.handler = handler
        self.arguments = tuple(arguments)
        self.verb = verb
        self.examples = tuple(examples)
        self.common_options = common_options
