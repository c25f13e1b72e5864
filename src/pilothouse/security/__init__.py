"""Decides what agents, pages, runs of code and relay clients may do. Pure functions.

Each module holds one list of rules and the function that applies it. Nothing here does IO. Packages
above this one keep no rules of their own: they pass the facts (a URL, a CDP method, a path, a
token) to a function here, which returns a verdict or raises an error with a hint.

    url_policy            UrlPolicy: which addresses pages may reach; classify() judges one URL;
                          ip_addresses parses hosts in every notation; cloud_metadata_hosts lists
                          hosts that no policy allows
    cdp_policy            which raw CDP commands tools may send; cdp_methods is the table of every
                          method, with one column for tools and one for relay clients
    read_only_script_hashes  ReadOnlyScripts: scripts that are known only to read a page
    calls_allowed_in_code_runs  which methods and fields of the daemon code in a run may call
    file_access           FileAccess: the folders a session may read and write; filenames cleans
                          names that sites suggest
    profile_policy        which owners may open a kept profile
    connect_policy        which running browsers an agent may join
    relay_tokens          TokenBook and Grant: what a token of the relay permits
    secrets               Secrets: values that agents type by name, and where each may be typed
    redaction             Redactor: removes known secrets, in every form that secret_encodings
                          lists, and whatever looks like a secret

Knows: rules. Must not know: sessions, sockets, files or settings files.
"""
