"""Owned tabs: which owner has which tab in which browser, and the verbs of a tab.

    tabs.py                     `Tabs`: all tabs, by (owner, name); opens, reuses and closes them
    owned_tab_and_browser.py    `OwnedTab` (a tab, its page and lease), `OwnerBrowser`, `OpenedTab`
    lease.py                    `Lease`: one call at a time on a tab
    open_and_close_requests.py  `OpenRequest`, `CloseRequest`: checked parameters of `open` and
                                `close`
    owner_url_policy.py         `OwnerUrlPolicies`: an owner's URL policy, before a page exists
    captures.py                 `Captures`, `TabCaptures`: what tabs showed after each action
    capture_folders.py          `CaptureFolders`: the captures on disk, and their limits
    download_mover.py           `DownloadMover`: moves finished downloads to their owner's folder
    verb_and_tool_declaration.py     `Declaration`: a typed function with its checked parameters
    tab_calls.py                `TabCalls`: one call of a verb for an owner: lease, time limit,
                                redaction
    verb.py, verbs/     `Verb` and `invoke`; all verbs by family
    hand_over.py    requests to a person, who has the tab meanwhile; what the person changed
    notices.py      notices for the reply of the current call
    progress.py     progress texts of the current call
    verb_descriptions.py  short descriptions of actions, for the user of an extension browser

`Tabs.open` takes an `OpenRequest`, finds or starts the browser (browsers/) with its supervisor, and
returns an `OpenedTab`. `TabCalls.perform` then runs verbs with `invoke(tab, name, arguments)`
while it holds the tab's lease. A verb calls the tab's page (page/page.py) and returns an `Outcome`.
"""
