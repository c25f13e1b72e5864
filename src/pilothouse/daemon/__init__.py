"""The daemon: one background process per user, with its RPC, MCP and relay services.

    __main__.py  the process: lock file, early browser launch, signals (late_imports.py)
    daemon.py    `Daemon`: owns all services; one method per RPC method
    rpc/         `RpcServer`: JSON-RPC on a Unix socket
    mcp/         `McpService`: MCP on that socket
    web/         `WebServer`: MCP over HTTP, and the dashboard
    external_mcp_servers/         `ExternalMcpServers`: tools of other MCP servers
    tool_service.py               `ToolService`: tools, tool sessions and the gate
                                  (tool_settings.py)
    code_run_service.py           `run_code`: an agent's code on a tab (code_run_images.py,
                                  code_run_file_uploads.py)
    relay_service.py              `RelayService`: the relay's port and the user's Chrome
    owner_browser_connections.py  `ConnectedBrowsers`: `connect`, `disconnect`
    user_policies_config.py       `Policies`: origins, secrets and profiles, from config.yaml
    owner_folders.py              `SessionFiles`: the folders of each owner
    owner_journals.py             `Journals`: recent events per owner; logs.py writes the log file
    browser_journals.py           `BrowserJournals`: the events of each browser, for export and
                                  replay
    lost_tabs_record.py           `CrashRecord`: open tabs on disk, to report them after a crash
    cdp_event_waits.py, tab_and_browser_replies.py  raw CDP waits; reply shapes
    memory_reclaimer.py           when cyclic garbage is collected and memory given back

A request comes from `RpcServer` to `Daemon.answer`. The client's owner selects its tabs (tabs/). A
verb runs under the tab's lease; a tool runs through the gate and makes such calls itself.
`Daemon.call` redacts secrets and bounds the time of every call.
"""
