"""What a command is made of: a name, words, and who does it. No imports that cost."""

from __future__ import annotations

from collections.abc import Sequence

# As typing.TYPE_CHECKING, without the import: a warm call should not pay for it.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["Command", "Word"]


class Word:
    """One word of a command: an option, or (`positional`) a place in its line."""

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
        """As it is written: `--full-page`."""
        return "--" + self.name.replace("_", "-")


class Command:
    """One command. `does` names a function as `module:function` of this room."""

    __slots__ = ("about", "does", "examples", "name", "owned", "verb", "words")

    def __init__(
        self,
        name: str,
        about: str,
        does: str,
        words: Sequence[Word] = (),
        *,
        verb: str = "",
        examples: Sequence[str] = (),
        owned: bool = True,
    ) -> None:
        self.name = name
        self.about = about
        self.does = does
        self.words = tuple(words)
        self.verb = verb
        self.examples = tuple(examples)
        self.owned = owned
