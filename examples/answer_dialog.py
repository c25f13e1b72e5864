"""Click a button that asks back with a dialog, and answer it.

python examples/answer_dialog.py https://shop.example/cart "button=Delete"
"""

import sys

from pilothouse import Blocked, connect

url = sys.argv[1] if len(sys.argv) > 1 else "https://shop.example/cart"
selector = sys.argv[2] if len(sys.argv) > 2 else "button=Delete"

with connect() as client:
    tab = client.open(url)
    try:
        print(tab.click(selector)["text"])
    except Blocked as blocked:
        dialog = blocked.blocked_by[0]
        print(f"The page asks: {dialog['message']}")
        tab.handle_dialog(accept=True)
        # The click goes on where the dialog stopped it; this is its own result.
        print(tab.result(blocked.action_id)["text"])
