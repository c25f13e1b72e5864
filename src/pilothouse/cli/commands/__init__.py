"""The handlers of the commands: each takes an Invocation and returns a CommandResult or exit code.

    tab_verbs.py              tabs and everything done in one: open, run, screenshot, dialog,
                              cookies, …
    daemon_and_connection.py  status, tabs, journal, connect, and the daemon's start, stop and log
    config.py                 the settings
    tools.py                  `tools` and `tool`
    mcp_and_serve.py          `mcp` (a pipe between an MCP client and the daemon) and `serve`, with
                              mcp_config.py (what to write into the settings of MCP clients)
    relay.py                  the relay, with relay_tokens.py
    extension.py              the browser extension: install, pair, status
    demo_and_look_runner.py   starts `look` (look.py) and `demo` (demo.py), which run
                              their own browser
    doctor.py                 runs the checks of cli/doctor/

A handler asks the daemon (Invocation.request, Invocation.verb) and returns the result for `--json`
with a text or table for people (cli/output/). cli/declarations/ names the handlers.
"""
