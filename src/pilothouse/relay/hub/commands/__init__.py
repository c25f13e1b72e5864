"""The commands of clients: one table of handlers for each kind of session.

    browser_and_storage.py    ROOT_COMMANDS for a client's browser session; BROWSER_COMMANDS for the
                              `Browser` and `Storage` methods that take a browser context, window or
                              target
    target.py                 TARGET_COMMANDS: the `Target` domain, on whatever session they are
                              sent
    synthetic_tab_session.py  TAB_COMMANDS for the made-up tab targets above pages
    page_session.py           PAGE_COMMANDS for pages, frames and workers: every other method

A handler gets (client, session, command) and replies, fails or forwards. A method without a
handler does not exist for the client. `security/cdp_policy` decides what is allowed; the tables
carry those decisions out.
"""
