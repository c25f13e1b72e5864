"""The verbs of a tab as the command line reads them: what each does, and its parameters.

Made by scripts/generate_commands.py from the declarations of the verbs; do not edit it by hand.
A parameter is its name, its kind, its default (`...` where one has to be given), and its meaning.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["VERBS"]

VERBS: dict[str, tuple[str, tuple[tuple[str, str, Any, str], ...]]] = {
    "dialogs": ("List open dialogs, recently closed dialogs and other interrupts.", ()),
    "handle_dialog": (
        "Answer a JavaScript dialog.",
        (
            ("accept", "flag", True, "true presses OK, false presses Cancel"),
            ("text", "text", None, "the text to enter into a prompt"),
            ("dialog_id", "text", None, "which dialog; needed only if several are open"),
        ),
    ),
    "answer": (
        "Answer an interrupt that is not a dialog: a login, a file chooser, a permission prompt.",
        (
            ("interrupt_id", "text", ..., "its id, such as i-1; `dialogs` lists it"),
            (
                "action",
                "text",
                ...,
                "one of its answers, such as provide, upload, grant, deny or cancel",
            ),
            (
                "detail",
                "json",
                None,
                'data for the answer: {"username": "ann", "password": "…"} or {"files": ["a.txt"]}',
            ),
        ),
    ),
    "console": (
        "Read console messages and uncaught errors of the page.",
        (
            (
                "since",
                "int",
                None,
                "only entries from this number on; use `next_seq` of an earlier answer",
            ),
            ("level", "text", "debug", "the lowest level to return: debug, info, warning or error"),
            ("limit", "int", 100, "return at most this many of the latest entries"),
        ),
    ),
    "errors": (
        "Read console errors and uncaught errors of the page.",
        (("limit", "int", 50, "return at most this many of the latest errors"),),
    ),
    "requests": (
        "List the network requests of the page, newest last.",
        (
            ("since", "text", "", "only requests after this id"),
            ("url", "text", "", "part of the URL, or a glob"),
            ("type", "text", "", "only this resource type, such as xhr, fetch, image or document"),
            ("failed", "choice", None, "true: only failed requests"),
            ("limit", "int", 100, "return at most this many of the latest requests"),
        ),
    ),
    "request": (
        "Read one network request with its headers.",
        (
            ("id", "text", ..., "the request's id; `requests` lists it"),
            ("body", "flag", False, "also return the response body"),
        ),
    ),
    "har": (
        "Return the network log in HAR format.",
        (("url", "text", "", "part of the URL, or a glob; only these requests"),),
    ),
    "route": (
        "Block, mock or change later requests whose URL matches a pattern.",
        (
            ("pattern", "text", ..., "part of the URL, a glob, or re:<regular expression>"),
            (
                "action",
                "text",
                "block",
                "block, mock (status, headers, body) or continue (headers, url)",
            ),
            ("status", "int", 200, "HTTP status of the mocked response"),
            (
                "headers",
                "json",
                None,
                "headers of the mocked response, or request headers to send instead",
            ),
            ("body", "text", "", "body of the mocked response"),
            ("url", "text", "", "with continue: the URL to request instead"),
            ("times", "int", 0, "how many requests to handle; 0 means all"),
        ),
    ),
    "unroute": (
        "Remove a route, or all routes if no id is given.",
        (("id", "text", "", "the id that `route` returned, such as route-1"),),
    ),
    "routes": ("List the routes of the tab.", ()),
    "click": (
        "Click an element with real mouse events. Waits until it can be clicked.",
        (
            (
                "target",
                "text",
                ...,
                "the element: a ref (e12), CSS, text=…, button=Save, label=…, XPath, or x,y",
            ),
            ("button", "text", "left", "left, right or middle"),
            ("count", "int", 1, "2 is a double click"),
            ("modifiers", "texts", None, "keys to hold: Alt, Control, Meta, Shift"),
            (
                "position",
                "numbers",
                None,
                "pixels from the left and top of the element; by default its middle",
            ),
            ("hold_ms", "float", 0, "milliseconds between press and release"),
            (
                "frame",
                "text",
                "",
                "the frame of the element: the ref of its iframe, its name, or part of its URL",
            ),
            ("nth", "int", None, "which one if several match; 0 is the first, -1 the last"),
            ("timeout", "float", None, "seconds to wait for the element"),
        ),
    ),
    "dblclick": (
        "Double-click an element.",
        (
            ("target", "text", ..., ""),
            ("frame", "text", "", ""),
            ("nth", "int", None, ""),
            ("timeout", "float", None, ""),
        ),
    ),
    "hover": (
        "Move the mouse pointer over an element.",
        (
            ("target", "text", ..., ""),
            ("modifiers", "texts", None, ""),
            ("frame", "text", "", ""),
            ("nth", "int", None, ""),
            ("timeout", "float", None, ""),
        ),
    ),
    "type": (
        "Type text into an element key by key, after its present text.",
        (
            ("target", "text", ..., ""),
            ("text", "text", ..., "the text to type"),
            ("delay_ms", "float", 0, "milliseconds between keys"),
            ("submit", "flag", False, "press Enter afterwards"),
            ("frame", "text", "", ""),
            ("nth", "int", None, ""),
            ("timeout", "float", None, ""),
        ),
    ),
    "fill": (
        "Set the value of a form field of any kind, and check that the field accepted it.",
        (
            ("target", "text", ..., ""),
            ("value", "text", ..., "text; true or false for checkboxes; an option for lists"),
            (
                "submit",
                "flag",
                False,
                "submit the form afterwards, with Enter or else with its button",
            ),
            ("frame", "text", "", ""),
            ("nth", "int", None, ""),
            ("timeout", "float", None, ""),
        ),
    ),
    "clear": (
        "Clear a form field.",
        (
            ("target", "text", ..., ""),
            ("frame", "text", "", ""),
            ("nth", "int", None, ""),
            ("timeout", "float", None, ""),
        ),
    ),
    "press": (
        "Press a key or a key combination, in the focused element or in `target`.",
        (
            ("keys", "text", ..., "such as Enter, Escape, a, Control+A, Shift+Tab"),
            ("target", "text", None, ""),
            ("frame", "text", "", ""),
            ("nth", "int", None, ""),
            ("timeout", "float", None, ""),
        ),
    ),
    "select": (
        "Select options of a list by value, label or index.",
        (
            ("target", "text", ..., ""),
            ("values", "texts", ..., "one option, or several if the list allows it"),
            ("frame", "text", "", ""),
            ("nth", "int", None, ""),
            ("timeout", "float", None, ""),
        ),
    ),
    "check": (
        "Turn a checkbox, radio button or switch on.",
        (
            ("target", "text", ..., ""),
            ("frame", "text", "", ""),
            ("nth", "int", None, ""),
            ("timeout", "float", None, ""),
        ),
    ),
    "uncheck": (
        "Turn a checkbox or switch off.",
        (
            ("target", "text", ..., ""),
            ("frame", "text", "", ""),
            ("nth", "int", None, ""),
            ("timeout", "float", None, ""),
        ),
    ),
    "focus": (
        "Focus an element.",
        (
            ("target", "text", ..., ""),
            ("frame", "text", "", ""),
            ("nth", "int", None, ""),
            ("timeout", "float", None, ""),
        ),
    ),
    "scroll": (
        "Scroll the page or an element by pixels, or to an edge.",
        (
            ("dx", "float", 0, "pixels to the right"),
            ("dy", "float", 0, "pixels down"),
            ("target", "text", None, ""),
            ("to", "text", "", "top or bottom"),
            ("frame", "text", "", ""),
            ("nth", "int", None, ""),
            ("timeout", "float", None, ""),
        ),
    ),
    "scroll_into_view": (
        "Scroll until an element is in the viewport.",
        (
            ("target", "text", ..., ""),
            ("frame", "text", "", ""),
            ("nth", "int", None, ""),
            ("timeout", "float", None, ""),
        ),
    ),
    "drag": (
        "Drag an element onto another element, to a point, or by a distance.",
        (
            ("source", "text", ..., "the element to drag"),
            ("destination", "text", None, "the element or point to drop it on"),
            ("by", "numbers", None, "instead of destination: pixels to the right and down"),
            ("steps", "int", 12, "number of mouse moves in between"),
            ("frame", "text", "", ""),
            ("nth", "int", None, ""),
            ("timeout", "float", None, ""),
        ),
    ),
    "upload": (
        "Upload files to a file input, a button that opens a file chooser, or a drop zone.",
        (
            ("target", "text", ..., ""),
            ("paths", "texts", ..., "one file or several, in a folder that may be read"),
            ("how", "text", "auto", "auto, input, chooser or drop"),
            ("any_type", "flag", False, "also files of a type that the input does not accept"),
            ("frame", "text", "", ""),
            ("nth", "int", None, ""),
            ("timeout", "float", None, ""),
        ),
    ),
    "key_down": (
        "Press a key and hold it down.",
        (("key", "text", ..., "such as Shift, Control, a, ArrowDown"),),
    ),
    "key_up": (
        "Release a held key, or all held keys if none is given.",
        (("key", "text", "", "the key to release"),),
    ),
    "clipboard_read": ("Return the text in the clipboard.", ()),
    "clipboard_write": (
        "Write text to the clipboard.",
        (("text", "text", ..., "the text to write"),),
    ),
    "url": ("Return the URL of the page.", ()),
    "title": ("Return the title of the page.", ()),
    "snapshot": (
        "Return the content of the page and its frames as text, with refs for actions.",
        (
            ("interactive", "flag", False, "only interactive elements and alerts"),
            ("depth", "int", 0, "nesting levels to show; 0 is all"),
            ("root", "text", "", "a ref; only this element's content"),
            ("viewport", "flag", False, "only what is in the viewport"),
            ("budget", "int", 4000, "about how many tokens; 0 is no limit"),
            ("find", "text", "", "only rows, items and lines with this text, or /regex/"),
            ("limit", "int", 0, "with find: at most this many matches; 0 is all"),
            ("diff", "flag", False, "only what changed since your last snapshot"),
            ("boxes", "flag", False, "also the position and size of elements"),
            ("hidden", "flag", False, "also hidden elements"),
            ("client", "text", "", "separates the diffs of several readers"),
        ),
    ),
    "changed": (
        "Return the snapshot lines that were added and removed since the last snapshot.",
        (),
    ),
    "observe": (
        "List interactive elements: id, role, name, value, states.",
        (
            ("include_all", "flag", False, "also elements that are not interactive"),
            ("viewport_only", "flag", False, "only elements in the viewport"),
        ),
    ),
    "screenshot": (
        "Take a screenshot of the viewport, the whole page or one element.",
        (
            ("target", "text", None, "the element: a ref or a selector"),
            ("full_page", "flag", False, "the whole page, not only the viewport"),
            ("annotate", "flag", False, "draw the refs on it"),
            ("format", "text", "png", "png, jpeg or webp"),
            ("quality", "int", None, "0 to 100, for jpeg and webp"),
            ("scale", "float", 1.0, "factor for the size of the image"),
            ("for_model", "flag", False, "a copy of at most 1024x1024 and 150 KiB"),
            ("save", "text", "", "also write it to this file, in a folder that may be written to"),
        ),
    ),
    "extract": (
        "Extract the page's article as markdown or text, with tables, links and code.",
        (
            ("format", "text", "markdown", "markdown or text"),
            ("article", "flag", True, "true: only the article"),
            ("selector", "text", "", "CSS; extract only this part of the page"),
            ("limit", "int", 0, "at most this many characters; 0 is no limit"),
        ),
    ),
    "images": (
        "List the images of the page: URL, alternative text, sizes.",
        (
            ("backgrounds", "flag", False, "also CSS background images"),
            ("hidden", "flag", True, "also images that are not visible"),
        ),
    ),
    "pdf": (
        "Print the page to PDF.",
        (
            ("paper", "text", "a4", "a3, a4, a5, a6, letter, legal or tabloid"),
            ("landscape", "flag", False, "landscape orientation"),
            ("pages", "text", "", "such as 1-3, 5; all pages without it"),
            ("scale", "float", 1.0, "factor for the size of the content"),
            ("background", "flag", True, "also print background colours and images"),
            ("save", "text", "", "also write it to this file, in a folder that may be written to"),
        ),
    ),
    "text": (
        "Return the visible text of an element.",
        (("target", "text", ..., ""), ("nth", "int", None, "")),
    ),
    "html": (
        "Return the HTML of an element, or of the page if no element is given.",
        (("target", "text", "html", ""), ("nth", "int", None, "")),
    ),
    "value": (
        "Return the value of a form field.",
        (("target", "text", ..., ""), ("nth", "int", None, "")),
    ),
    "attr": (
        "Return an attribute of an element; null if it does not have it.",
        (
            ("target", "text", ..., ""),
            ("name", "text", ..., "the attribute's name"),
            ("nth", "int", None, ""),
        ),
    ),
    "count": ("Count the elements that match a selector.", (("target", "text", ..., ""),)),
    "box": (
        "Return the position and size of an element in its frame: x, y, width, height.",
        (("target", "text", ..., ""), ("nth", "int", None, "")),
    ),
    "is_visible": (
        "Return whether an element exists and is visible.",
        (("target", "text", ..., ""), ("nth", "int", None, "")),
    ),
    "is_enabled": (
        "Return whether an element is enabled.",
        (("target", "text", ..., ""), ("nth", "int", None, "")),
    ),
    "is_checked": (
        "Return whether a checkbox, radio button or switch is on.",
        (("target", "text", ..., ""), ("nth", "int", None, "")),
    ),
    "frames": ("Return the frames of the page as a tree.", ()),
    "goto": (
        "Navigate to a URL.",
        (
            (
                "url",
                "text",
                ...,
                "the URL; without a scheme, https:// is added (http:// for this machine)",
            ),
            (
                "wait_until",
                "text",
                "load",
                "load, domcontentloaded, networkidle0, networkidle2, commit or settled",
            ),
            ("timeout", "float", 30.0, "seconds"),
        ),
    ),
    "back": (
        "Go back in the tab's history.",
        (("wait_until", "text", "load", ""), ("timeout", "float", 30.0, "")),
    ),
    "forward": (
        "Go forward in the tab's history.",
        (("wait_until", "text", "load", ""), ("timeout", "float", 30.0, "")),
    ),
    "reload": (
        "Reload the page.",
        (
            ("ignore_cache", "flag", False, "load everything from the network"),
            ("wait_until", "text", "load", ""),
            ("timeout", "float", 30.0, ""),
        ),
    ),
    "stop": ("Stop loading the page.", ()),
    "evaluate": (
        "Run JavaScript in the page: an expression, a body with return, or a function with args.",
        (
            ("code", "text", ..., ""),
            ("args", "json", None, "arguments for the function"),
            ("frame_id", "text", "", "the frame to run it in; by default the main frame"),
            (
                "world",
                "text",
                "main",
                "main, the page's own; isolated has the document but not the page's variables",
            ),
            ("timeout", "float", 30.0, "seconds"),
        ),
    ),
    "wait_for": (
        "Wait until one condition is true. Give exactly one condition.",
        (
            ("selector", "text", "", "CSS, text=…, button=… or a ref"),
            ("state", "text", "visible", "visible, hidden, attached or detached"),
            ("text", "text", "", "text visible in any frame"),
            ("text_gone", "text", "", "text no longer visible in any frame"),
            ("url", "text", "", "part of the tab's URL, or a glob"),
            ("function", "text", "", "JavaScript that returns a true value"),
            ("response", "text", "", "the next response from a URL; part of it, or a glob"),
            ("request", "text", "", "the next request to a URL; part of it, or a glob"),
            ("idle", "flag", False, "until no request has been running for half a second"),
            ("download", "flag", False, "until the next download has finished"),
            ("popup", "flag", False, "until the page opens a new tab"),
            ("timeout", "float", 30.0, "seconds"),
        ),
    ),
    "wait_for_url": (
        "Wait until the tab's URL matches a pattern; return the full URL.",
        (
            ("pattern", "text", ..., "part of the URL, a glob, or re:<regular expression>"),
            ("timeout", "float", 30.0, "seconds"),
        ),
    ),
    "wait_for_response": (
        "Wait for the next response to a request of the page.",
        (
            ("pattern", "text", ..., "part of the URL, a glob, or re:<regular expression>"),
            ("timeout", "float", 30.0, "seconds"),
        ),
    ),
    "result": (
        "Return the result of an action that was blocked, after you answered what blocked it.",
        (
            ("action_id", "text", ..., "the id that the blocked action returned"),
            (
                "again",
                "flag",
                False,
                "return at once if the action is still blocked, or blocked again",
            ),
            ("timeout", "float", 30.0, "seconds"),
        ),
    ),
    "cookies": (
        "Read the cookies of your browser context.",
        (("urls", "texts", None, "only cookies that a request to these URLs would send"),),
    ),
    "set_cookies": (
        "Set cookies.",
        (("cookies", "json", ..., "objects with name, value, and url or domain"),),
    ),
    "clear_cookies": (
        "Delete cookies by name, domain or path; without any of these, all cookies.",
        (("name", "text", "", ""), ("domain", "text", "", ""), ("path", "text", "", "")),
    ),
    "storage": (
        "Read the page's local or session storage.",
        (
            ("kind", "text", "local", "local or session"),
            ("key", "text", "", "only this entry; all entries without it"),
            ("frame_id", "text", "", "the frame whose storage is read; by default the main frame"),
        ),
    ),
    "set_storage": (
        "Set an entry of the page's storage; null removes it.",
        (
            ("key", "text", ..., "the entry"),
            ("value", "text", ..., "the new value"),
            ("kind", "text", "local", "local or session"),
            ("frame_id", "text", "", ""),
        ),
    ),
    "save_state": (
        "Save cookies and storage for `load_state`, to a file or as the returned value.",
        (("path", "text", "", "the file to write; without it the state is returned"),),
    ),
    "load_state": (
        "Restore cookies and storage that `save_state` saved.",
        (("state", "text", ..., "a file, or the value that `save_state` returned"),),
    ),
    "viewport": (
        "Set the viewport size of the page.",
        (
            ("width", "int", ..., "CSS pixels"),
            ("height", "int", ..., "CSS pixels"),
            ("scale", "float", 1.0, "device pixels per CSS pixel"),
            ("mobile", "flag", False, "behave like a phone: viewport meta tag, overlay scrollbars"),
        ),
    ),
    "emulate": (
        "Emulate a device, locale, place or network. Without parameters, return what is emulated.",
        (
            (
                "device",
                "text",
                "",
                "a device by name, such as iPhone 13: its size, scale, touch and user agent",
            ),
            ("user_agent", "text", "", "the User-Agent string"),
            ("locale", "text", "", "such as de-AT"),
            ("timezone", "text", "", "such as Europe/Vienna"),
            (
                "geolocation",
                "numbers",
                None,
                "latitude, longitude and optionally accuracy in metres",
            ),
            ("offline", "choice", None, "true: no network"),
            ("throttle", "text", "", "network speed: none, 2g, slow-3g, fast-3g or 4g"),
            ("color_scheme", "text", "", "light, dark or no-preference"),
            ("reduced_motion", "text", "", "reduce or no-preference"),
            ("media", "text", "", "CSS media type: screen or print"),
            ("cpu", "float", 0, "slow the CPU down by this factor, 1 to 100"),
            ("reset", "flag", False, "end all emulation first"),
        ),
    ),
    "downloads": ("List the downloads of this tab, finished and running, with their paths.", ()),
    "save_download": (
        "Move a downloaded file to another folder.",
        (
            ("id", "text", ..., "the download's id; `downloads` lists it"),
            (
                "to",
                "text",
                "",
                "a file name, or a path in a writable folder; without it, the file stays",
            ),
        ),
    ),
}
