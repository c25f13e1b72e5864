"""One program per client. Each speaks JSON lines on stdin and stdout; see
`protocol_and_timed_calls.py`."""
