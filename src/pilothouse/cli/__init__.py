"""The `pilothouse` command. This is the only package that prints.

    main.py                 main(): parse, run the handler, print, return the exit code
    command.py              CliCommand and Argument: how a command is declared
    declarations/           all commands as data
    parser.py               the command line -> CliCommand and options
    help.py, completion.py  help texts and shell completion, from the declarations
    command_invocation.py   Invocation (one run of a command, with its connection to the daemon),
                            CommandResult (JSON, text and exit code), Spinner
    commands/               the handlers
    output/                 text and tables for people
    doctor/                 the checks of `pilothouse doctor`
    tool_switches.py ToolSwitches: the daemon's tools, the user's choices, what a switch changes
    tools_screen.py  the screen of `pilothouse tools`

argv -> parser.parse() -> main imports the handler by name -> handler(Invocation) -> request to the
daemon over its socket -> CommandResult -> JSON envelope, text or table.
"""

from __future__ import annotations

from pilothouse.cli.main import main

__all__ = ["main"]
