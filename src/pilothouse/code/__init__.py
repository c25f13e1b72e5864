"""Python code that drives tabs: the client library, and the sandbox that runs agents' code.

    client/         what users and agents import: Client, Tab, Element and Locator; DaemonClient
                    sends their calls to the daemon over its Unix socket
    sandbox/        Runner executes agent-written code in a confined worker process; inside the
                    worker, the same Tab sends its calls to the daemon through the worker's socket
    run_result.py   turns values and errors of a run into JSON

A call travels like this: Tab -> DaemonClient -> Unix socket -> daemon. In a run: Tab -> worker
socket -> Runner -> daemon, which checks it with security/calls_allowed_in_code_runs.py.
"""
