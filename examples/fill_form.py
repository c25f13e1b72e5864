"""Fill a form, submit it, and say what happened.

python examples/fill_form.py https://shop.example/login

The page needs fields labelled "Email" and "Password" and a button "Sign in".
"""

import sys

from pilothouse import Refused, connect

url = sys.argv[1] if len(sys.argv) > 1 else "https://shop.example/login"

with connect() as client:
    tab = client.open(url)
    try:
        tab.fill("label=Email", "ann@example.com")
        tab.fill("label=Password", "correct horse")
        receipt = tab.click("button=Sign in")
    except Refused as error:
        sys.exit(f"{error.message}\n{error.hint}")
    print(receipt["text"])
    if receipt["refused"]:
        print("The browser did not submit the form:", *receipt["refused"], sep="\n  ")
    print("Now at", tab.url())
