"""Tools that agents call: how one is declared, which ones a client gets, and how a call runs.

    tool.py              Tool, ToolFlags and @tool: a tool is a typed function; TOOLS holds the
                         built-in ones. catalog/ declares them, one module per family
    plugins.py           load_plugins(): tools and toolsets from the user's Python files
    toolsets.py          Toolset (a named group of tools) and NameResolver (names to tools)
    tool_config_file.py  ToolConfig: the user's choices and MCP servers, from config.yaml
    selection.py         resolve(): Choices -> Selection, a ToolVerdict with a reason for every tool
    context.py           ToolSession (one client) and ToolContext (what a tool function gets)
    gate.py              Gate: runs every call and builds the ToolAnswer
    blocked_calls.py     calls that a dialog blocked, finished after the dialog is answered
    formatting.py        the daemon's replies as fields of an answer; json_safe.py,
                         wrong_page_warnings.py
    output_files.py      output too large for an answer; search_engine.py and vision_model.py ask
                         the web services that the user has configured (http_json.py)

A call goes: daemon -> Gate.answer(session, name, arguments) -> selection (is it on?) -> Tool.run
(checks the arguments) -> the tool function with a ToolContext -> daemon methods such as `tab.click`
-> formatting -> ToolAnswer. The daemon sends it to the client (daemon/mcp/, daemon/rpc/).
"""
