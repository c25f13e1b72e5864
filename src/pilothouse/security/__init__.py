"""What agents, pages, runs and relay clients may do, decided in pure functions.

Each module holds one allow list and the function that judges by it. Nothing here does IO, and
no package above this one keeps a second list of its own: it asks here.

    cdp_methods  the decision about every CDP method, for tools and for relay clients
    redaction    the one redactor: known secrets in every spelling, and what looks like a secret
    secrets      secrets that agents know by name, and where each may be typed
    spellings    every spelling in which a text may come back, as one pattern
    cdp_policy   which raw CDP methods and fields a page session may send
    relay_tokens what a token of the relay lets its holder do
    profile_policy   which owners may open a kept profile
    file_access  which folders a session may read from and write to
    run_policy   which methods and fields of the daemon code in a run may call

Knows: rules. Must not know: sessions, sockets, files or settings files.
"""
