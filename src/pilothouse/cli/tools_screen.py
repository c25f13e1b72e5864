"""The screen of `pilothouse tools`: platforms, toolsets and tools in three columns.

Knows: Textual and the keys. Must not know: what a switch changes (tool_switches.py).
Nothing is written until `s` is pressed; then only differences to the defaults are written.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Footer, OptionList, Static
from textual.widgets.option_list import Option

from pilothouse.cli.tool_switches import ToolSwitches
from pilothouse.errors import PilothouseError, plural
from pilothouse.tools.selection import Choices, Selection, ToolVerdict
from pilothouse.tools.tool_config_file import SwitchChange
from pilothouse.tools.toolsets import KINDS_WITH_TOOLS, PLATFORMS, Toolset

__all__ = ["ToolsScreen"]

EVERYWHERE = ""
_COLUMNS = ("platforms", "toolsets", "tools")
_TITLES = {
    "platforms": "platforms: tokens",
    "toolsets": "toolsets",
    "tools": "tools: tokens, why",
}
ON, PART, OFF, UNLISTED = "●", "◐", "○", "◌"


class ToolsScreen(App[None]):
    """Shows and switches all tools of the daemon. `written` are the switches that were saved."""

    TITLE = "Pilothouse tools"
    ENABLE_COMMAND_PALETTE = False
    CSS = """
    Screen { background: $background; }
    #head { height: 1; padding: 0 1; background: $primary; color: $text; text-style: bold; }
    #columns { height: 1fr; }
    .column { border: round $surface-lighten-2; border-title-color: $text-muted; padding: 0; }
    .column:focus-within { border: round $accent; border-title-color: $accent; }
    #platforms-box { width: 26; }
    #toolsets-box { width: 30; }
    #tools-box { width: 1fr; }
    OptionList, OptionList:focus {
        border: none; background: $background; background-tint: transparent; padding: 0;
        height: 1fr; text-wrap: nowrap; text-overflow: ellipsis; scrollbar-size-vertical: 1;
    }
    #detail { height: 7; border: round $surface-lighten-2; padding: 0 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "flip", "switch", priority=True),
        Binding("left", "column(-1)", "columns", key_display="← →", priority=True),
        Binding("right", "column(1)", "right", show=False, priority=True),
        Binding("d", "default", "back to default"),
        Binding("s", "save", "save"),
        Binding("q,escape", "leave", "quit"),
        Binding("ctrl+q", "quit", "quit now", show=False),
    ]

    def __init__(
        self,
        catalogue: ToolSwitches,
        platform: str = "mcp",
        saved: Callable[[], object] = lambda: None,
    ) -> None:
        super().__init__()
        self.catalogue = catalogue
        self.choices: Choices = catalogue.choices
        self.platform = platform
        self.written: list[SwitchChange] = []
        self._saved = saved
        self._toolset = ""
        self._leaving = False
        self._pending: list[SwitchChange] = []
        self._names = catalogue.names()
        self._rows: list[Toolset] = [
            toolset
            for toolset in catalogue.toolsets().values()
            if toolset.kind in KINDS_WITH_TOOLS and self._tools_of(toolset)
        ]
        self._selections: dict[str, Selection | PilothouseError] = {}

    # Display.

    def compose(self) -> ComposeResult:
        yield Static(id="head")
        with Horizontal(id="columns"):
            for name in _COLUMNS:
                with Vertical(id=f"{name}-box", classes="column") as box:
                    box.border_title = _TITLES[name]
                    yield OptionList(id=name)
        yield Static(id="detail")
        yield Footer()

    def on_mount(self) -> None:
        self._resolve()
        self._list("platforms").add_options([Option("", id=f"p-{n}") for n in self._platforms()])
        self._list("toolsets").add_options(
            [Option("", id=f"s-{i}") for i in range(len(self._rows))]
        )
        self._list("platforms").highlighted = self._platforms().index(self.platform)
        self._list("toolsets").highlighted = 0
        self._fill_tools()
        self._list("toolsets").focus()
        self._draw()

    def _platforms(self) -> list[str]:
        return [*PLATFORMS, EVERYWHERE]

    def _list(self, name: str) -> OptionList:
        return self.query_one(f"#{name}", OptionList)

    def _tools_of(self, toolset: Toolset) -> list[str]:
        home = self._names.home_tools(toolset)
        return (
            list(home)
            or [name for name in toolset.tools if name in self.catalogue.tools]
            or (self._custom_tools(toolset) if toolset.kind == "custom" else [])
        )

    def _custom_tools(self, toolset: Toolset) -> list[str]:
        from pilothouse.tools.toolsets import NameEntry

        return list(self._names.select_tools(NameEntry(f"toolset:{toolset.name}"), own=False))

    def _resolve(self) -> None:
        self._selections = {}
        for platform in PLATFORMS:
            try:
                found = self.catalogue.selection(platform, choices=self.choices)
                self._selections[platform] = found
            except PilothouseError as error:
                self._selections[platform] = error

    def _verdicts(self, tool: str) -> list[ToolVerdict]:
        """Return the verdicts on a tool for the current platform, or for all platforms."""
        wanted = (self.platform,) if self.platform else PLATFORMS
        found = [self._selections[name] for name in wanted]
        return [one.verdicts[tool] for one in found if isinstance(one, Selection)]

    def _fill_tools(self) -> None:
        tools = self._list("tools")
        tools.clear_options()
        toolset = self._rows[self._list("toolsets").highlighted or 0]
        self._toolset = toolset.name
        tools.add_options([Option("", id=f"t-{name}") for name in self._tools_of(toolset)])
        tools.highlighted = 0

    def _draw(self) -> None:
        """Redraw all rows in place."""
        self._pending = self.catalogue.differences(self.choices)
        self.query_one("#head", Static).update(self._head(len(self._pending)))
        for index, platform in enumerate(self._platforms()):
            self._list("platforms").replace_option_prompt_at_index(
                index, self._platform_row(platform)
            )
        for index, toolset in enumerate(self._rows):
            self._list("toolsets").replace_option_prompt_at_index(index, self._toolset_row(toolset))
        tools = self._list("tools")
        for index, name in enumerate(self._shown_tools()):
            tools.replace_option_prompt_at_index(index, self._tool_row(name))
        self.query_one("#detail", Static).update(self._detail())

    def _shown_tools(self) -> list[str]:
        tools = self._list("tools")
        ids = [tools.get_option_at_index(i).id or "" for i in range(tools.option_count)]
        return [name.removeprefix("t-") for name in ids]

    def _head(self, pending: int) -> Text:
        found = self._selections.get(self.platform)
        head = Text("Pilothouse tools   ")
        if isinstance(found, Selection):
            listed = found.listed
            cost = self.catalogue.tokens(listed)
            count = f"{len(listed)} of {plural(len(self.catalogue.tools), 'tool')}"
            head.append(f"{self.platform}: {count}, about {cost:,} tokens in every request")
        elif found is not None:
            head.append(f"{self.platform}: {found.message}", "red")
        else:
            head.append("all platforms at once")
        if pending:
            head.append(f"   {pending} unsaved", "bold yellow")
        return head

    def _platform_row(self, platform: str) -> Text:
        if not platform:
            return Text("all of them", "italic")
        found = self._selections[platform]
        if isinstance(found, PilothouseError):
            return Text.assemble(f"{platform:<11}", ("nothing", "red"))
        cost = self.catalogue.tokens(found.listed)
        return Text.assemble(f"{platform:<11}", (f"{len(found.listed):>3} {cost:>6,}", "dim"))

    def _toolset_row(self, toolset: Toolset) -> Text:
        inside = self._tools_of(toolset)
        count = sum(self._is_on(name) for name in inside)
        some = any(verdict.on for name in inside for verdict in self._verdicts(name))
        sign = ON if count == len(inside) else PART if some else OFF
        line = Text.assemble((sign, "green" if some else "dim"), " ")
        line.append(f"{toolset.name:<16}", self._style(toolset.name))
        line.append(f"{count:>4}/{len(inside):<3}", "dim")
        return line

    def _style(self, name: str) -> str:
        """Return the style of a name: highlighted if its switch is not saved yet."""
        waits = (
            SwitchChange(name, to, self.platform) in self._pending for to in (True, False, None)
        )
        return "bold yellow" if any(waits) else ""

    def _is_on(self, tool: str) -> bool:
        found = self._verdicts(tool)
        return bool(found) and all(verdict.on for verdict in found)

    def _tool_row(self, name: str) -> Text:
        verdicts = self._verdicts(name)
        count = sum(verdict.on for verdict in verdicts)
        sign = ON if count == len(verdicts) and count else PART if count else OFF
        if count and not all(verdict.listed for verdict in verdicts if verdict.on):
            sign = UNLISTED
        tool = self.catalogue.tools[name]
        line = Text.assemble((sign, "green" if count else "dim"), " ")
        line.append(f"{name:<20}", self._style(self._names.exact_name(name)))
        line.append(f"{self.catalogue.tokens([name]):>5} ", "dim")
        if tool.flags.dangerous:
            line.append("! ", "red")
        reason = (
            verdicts[0].reason if len(verdicts) == 1 else f"on {count} of {len(verdicts)} platforms"
        )
        if self._style(self._names.exact_name(name)):
            reason = "not saved yet"
        line.append(reason, "" if count else "dim")
        line.no_wrap, line.overflow = True, "ellipsis"
        return line

    def _detail(self) -> Text:
        focused = self.focused.id if self.focused is not None else ""
        if focused == "platforms":
            return self._platform_detail()
        if focused == "toolsets":
            toolset = self._rows[self._list("toolsets").highlighted or 0]
            names = ", ".join(self._tools_of(toolset))
            return Text.assemble(
                (toolset.name, "bold"), f"  {toolset.kind}: {toolset.about}\n", (names, "dim")
            )
        return self._tool_detail()

    def _platform_detail(self) -> Text:
        if not self.platform:
            return Text("What is switched here holds for every platform.")
        about = self._names.toolsets[self.platform].about
        found = self._selections[self.platform]
        text = Text.assemble((self.platform, "bold"), f"  {about}\n")
        if isinstance(found, PilothouseError):
            text.append(found.format_line(), "red")
        return text

    def _tool_detail(self) -> Text:
        tools = self._shown_tools()
        at = self._list("tools").highlighted
        if at is None or at >= len(tools):
            return Text("")
        tool = self.catalogue.tools[tools[at]]
        text = Text.assemble((tool.name, "bold"), f"  {tool.about}\n")
        shown = [self.platform] if self.platform else list(PLATFORMS)
        for platform, verdict in zip(shown, self._verdicts(tool.name), strict=False):
            sign = "on" if verdict.on else "off"
            text.append(f"{sign} for {platform}", "green" if verdict.on else "yellow")
            text.append(f": {verdict.reason}\n")
        return text

    # Events and actions.

    @on(OptionList.OptionHighlighted, "#platforms")
    def _at_platform(self, event: OptionList.OptionHighlighted) -> None:
        self.platform = self._platforms()[event.option_index]
        self._draw()

    @on(OptionList.OptionHighlighted, "#toolsets")
    def _at_toolset(self, event: OptionList.OptionHighlighted) -> None:
        if self._rows[event.option_index].name != self._toolset:
            self._fill_tools()
        self._draw()

    @on(OptionList.OptionHighlighted, "#tools")
    def _at_tool(self, event: OptionList.OptionHighlighted) -> None:
        self._draw()

    @on(OptionList.OptionSelected)
    def _on_selected(self, event: OptionList.OptionSelected) -> None:
        self.action_flip()

    def on_descendant_focus(self) -> None:
        self._draw()

    def action_column(self, by: int) -> None:
        """Focus the column to the left or right."""
        now = self.focused.id if self.focused is not None else _COLUMNS[0]
        at = _COLUMNS.index(now) if now in _COLUMNS else 0
        self._list(_COLUMNS[min(max(at + by, 0), len(_COLUMNS) - 1)]).focus()

    def _focused_switch(self) -> tuple[str, list[str]]:
        """Return the name of the focused switch, and the tools it means."""
        focused = self.focused.id if self.focused is not None else ""
        if focused == "tools" and self._shown_tools():
            name = self._shown_tools()[self._list("tools").highlighted or 0]
            return self._names.exact_name(name), [name]
        if focused == "toolsets":
            toolset = self._rows[self._list("toolsets").highlighted or 0]
            return toolset.name, self._tools_of(toolset)
        return "", []

    def action_flip(self) -> None:
        """Switch the focused tool or toolset: off if all of it is on, else on."""
        name, tools = self._focused_switch()
        if name:
            self._switch(name, not all(self._is_on(tool) for tool in tools))

    def action_default(self) -> None:
        """Remove the focused switch, which restores the default."""
        name, _ = self._focused_switch()
        if name:
            self._switch(name, None)

    def _switch(self, name: str, to: bool | None) -> None:
        self._leaving = False
        try:
            change = self.catalogue.change(self.choices, self.platform, [name], to)
        except PilothouseError as error:
            self.notify(error.format_line(), severity="error", markup=False)
            return
        self.choices = change.choices
        for (platform, tool), verdict in list(change.unchanged.items())[:1]:
            told = f"{tool} stays as it is for {platform}: {verdict.reason}"
            self.notify(told, severity="warning", markup=False)
        self._resolve()
        self._draw()

    def action_save(self) -> None:
        """Write the differences to config.yaml."""
        try:
            written = self.catalogue.save(self.choices)
            self._saved()
        except PilothouseError as error:
            self.notify(error.format_line(), severity="error", markup=False)
            return
        self.choices = self.catalogue.choices
        self.written += written
        said = f"{len(written)} written to {self.catalogue.path}" if written else "nothing to save"
        self.notify(said, markup=False)
        self._resolve()
        self._draw()

    def action_leave(self) -> None:
        """Quit; with unsaved switches only when pressed twice."""
        if self.catalogue.differences(self.choices) and not self._leaving:
            self._leaving = True
            self.notify("not saved: s saves, q again leaves without", severity="warning")
            return
        self.exit()
