"""One program per client. Each speaks JSON lines on stdin and stdout; see `speak.py`."""
