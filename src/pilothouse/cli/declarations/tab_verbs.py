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
    "click": (
        "Click an element, as a person would.",
        (
            (
                "target",
                "text",
                ...,
                "a ref (e12), CSS, text=…, button=Save, label=…, XPath, or x,y",
            ),
            ("button", "text", "left", "left, right or middle"),
            ("count", "int", 1, "2 is a double click"),
            ("modifiers", "texts", None, ""),
            ("position", "numbers", None, ""),
            ("hold_ms", "float", 0, ""),
            (
                "frame",
                "text",
                "",
                "the frame it is in: the ref of its iframe, its name, or part of its address",
            ),
            ("nth", "int", None, "which one if several match; 0 is the first, -1 the last"),
            ("timeout", "float", None, "seconds to wait for the element"),
        ),
    ),
    "dblclick": (
        "Click an element twice.",
        (
            ("target", "text", ..., ""),
            ("frame", "text", "", ""),
            ("nth", "int", None, ""),
            ("timeout", "float", None, ""),
        ),
    ),
    "hover": (
        "Move the pointer over an element.",
        (
            ("target", "text", ..., ""),
            ("modifiers", "texts", None, ""),
            ("frame", "text", "", ""),
            ("nth", "int", None, ""),
            ("timeout", "float", None, ""),
        ),
    ),
    "type": (
        "Type text into an element, key by key, after what is there.",
        (
            ("target", "text", ..., ""),
            ("text", "text", ..., "what is typed"),
            ("delay_ms", "float", 0, ""),
            ("submit", "flag", False, "press Enter afterwards"),
            ("frame", "text", "", ""),
            ("nth", "int", None, ""),
            ("timeout", "float", None, ""),
        ),
    ),
    "fill": (
        "Set a field of any kind to a value, and check that it took it.",
        (
            ("target", "text", ..., ""),
            ("value", "text", ..., "text; true or false for checkboxes; an option for lists"),
            (
                "submit",
                "flag",
                False,
                "send the form: by Enter, or its button where Enter does not",
            ),
            ("frame", "text", "", ""),
            ("nth", "int", None, ""),
            ("timeout", "float", None, ""),
        ),
    ),
    "clear": (
        "Empty a field.",
        (
            ("target", "text", ..., ""),
            ("frame", "text", "", ""),
            ("nth", "int", None, ""),
            ("timeout", "float", None, ""),
        ),
    ),
    "press": (
        "Press a key or a chord, in the focused element or in `target`.",
        (
            ("keys", "text", ..., "Enter, Escape, a, Control+A, Shift+Tab"),
            ("target", "text", None, ""),
            ("frame", "text", "", ""),
            ("nth", "int", None, ""),
            ("timeout", "float", None, ""),
        ),
    ),
    "select": (
        "Choose options of a list by value, label or index.",
        (
            ("target", "text", ..., ""),
            ("values", "texts", ..., "one of them, or several for lists that take several"),
            ("frame", "text", "", ""),
            ("nth", "int", None, ""),
            ("timeout", "float", None, ""),
        ),
    ),
    "check": (
        "Tick a checkbox, radio button or switch.",
        (
            ("target", "text", ..., ""),
            ("frame", "text", "", ""),
            ("nth", "int", None, ""),
            ("timeout", "float", None, ""),
        ),
    ),
    "uncheck": (
        "Untick a checkbox or switch.",
        (
            ("target", "text", ..., ""),
            ("frame", "text", "", ""),
            ("nth", "int", None, ""),
            ("timeout", "float", None, ""),
        ),
    ),
    "focus": (
        "Give an element the focus.",
        (
            ("target", "text", ..., ""),
            ("frame", "text", "", ""),
            ("nth", "int", None, ""),
            ("timeout", "float", None, ""),
        ),
    ),
    "scroll": (
        "Scroll the page or an element by so many pixels, or to an edge.",
        (
            ("dx", "float", 0, ""),
            ("dy", "float", 0, ""),
            ("target", "text", None, ""),
            ("to", "text", "", "top or bottom"),
            ("frame", "text", "", ""),
            ("nth", "int", None, ""),
            ("timeout", "float", None, ""),
        ),
    ),
    "scroll_into_view": (
        "Scroll until an element can be seen.",
        (
            ("target", "text", ..., ""),
            ("frame", "text", "", ""),
            ("nth", "int", None, ""),
            ("timeout", "float", None, ""),
        ),
    ),
    "drag": (
        "Drag an element onto another one, to a point, or by a distance.",
        (
            ("source", "text", ..., "what is taken"),
            ("destination", "text", None, "where it is dropped"),
            ("by", "numbers", None, "instead of that, pixels to the right and down"),
            ("steps", "int", 12, "moves of the pointer on the way"),
            ("frame", "text", "", ""),
            ("nth", "int", None, ""),
            ("timeout", "float", None, ""),
        ),
    ),
    "upload": (
        "Give files to a file input, to a button that opens a chooser, or to a drop zone.",
        (
            ("target", "text", ..., ""),
            ("paths", "texts", ..., "one file or several, in a folder that may be read"),
            ("how", "text", "auto", "auto, input, chooser or drop"),
            ("any_type", "flag", False, "also files that the input says it does not accept"),
            ("frame", "text", "", ""),
            ("nth", "int", None, ""),
            ("timeout", "float", None, ""),
        ),
    ),
    "key_down": (
        "Press a key and hold it.",
        (("key", "text", ..., "Shift, Control, a, ArrowDown"),),
    ),
    "key_up": (
        "Let go of a held key; of all without a name.",
        (("key", "text", "", "the key that is held"),),
    ),
    "clipboard_read": ("The text in the clipboard.", ()),
    "clipboard_write": (
        "Put a text into the clipboard.",
        (("text", "text", ..., "what is put there"),),
    ),
    "goto": (
        "Go to an address.",
        (
            ("url", "text", ..., ""),
            (
                "wait_until",
                "text",
                "load",
                "load, domcontentloaded, networkidle0, networkidle2, commit or settled",
            ),
            ("timeout", "float", 30.0, ""),
        ),
    ),
    "back": (
        "Go back in the history.",
        (("wait_until", "text", "load", ""), ("timeout", "float", 30.0, "")),
    ),
    "forward": (
        "Go forward in the history.",
        (("wait_until", "text", "load", ""), ("timeout", "float", 30.0, "")),
    ),
    "reload": (
        "Load the page again.",
        (
            ("ignore_cache", "flag", False, ""),
            ("wait_until", "text", "load", ""),
            ("timeout", "float", 30.0, ""),
        ),
    ),
    "stop": ("Stop loading.", ()),
    "evaluate": (
        "Run JavaScript in the page: an expression, a body with return, or a function with args.",
        (
            ("code", "text", ..., ""),
            ("args", "json", None, ""),
            ("frame_id", "text", "", ""),
            (
                "world",
                "text",
                "main",
                "main is the page's own, isolated sees the same document and none of its variables",
            ),
            ("timeout", "float", 30.0, ""),
        ),
    ),
    "wait_for": (
        "Wait for one thing to come true.",
        (
            ("selector", "text", "", "CSS, text=…, button=… or a ref"),
            ("state", "text", "visible", "visible, hidden, attached or detached"),
            ("text", "text", "", "a text that any frame shows"),
            ("text_gone", "text", "", "one that none shows any more"),
            ("url", "text", "", "a part of the address, or a glob"),
            ("function", "text", "", "JavaScript that gives something true"),
            ("response", "text", "", "the next response from an address; a glob or a part"),
            ("request", "text", "", "the next request to an address; a glob or a part"),
            ("idle", "flag", False, "until no request was under way for half a second"),
            ("download", "flag", False, "until the next download has ended"),
            ("popup", "flag", False, "until the page opens the next tab"),
            ("timeout", "float", 30.0, ""),
        ),
    ),
    "wait_for_url": (
        "Wait until the tab is at an address; returns the whole of it.",
        (
            ("pattern", "text", ..., "a part of the address, a glob, or re:<regular expression>"),
            ("timeout", "float", 30.0, ""),
        ),
    ),
    "wait_for_response": (
        "Wait for the answer to a request of the page.",
        (
            ("pattern", "text", ..., "a part of its address, a glob, or re:<regular expression>"),
            ("timeout", "float", 30.0, ""),
        ),
    ),
    "result": (
        "The result, given once, of an action that something had blocked and that is answered.",
        (
            ("action_id", "text", ..., ""),
            ("again", "flag", False, "what blocks it still, or anew, comes back at once"),
            ("timeout", "float", 30.0, ""),
        ),
    ),
    "cookies": (
        "The cookies of your browser context, or those a request to `urls` would carry.",
        (("urls", "texts", None, ""),),
    ),
    "set_cookies": (
        "Set cookies: name, value, and url or domain.",
        (("cookies", "json", ..., ""),),
    ),
    "clear_cookies": (
        "Delete cookies by name, domain or path; without any of them, all.",
        (("name", "text", "", ""), ("domain", "text", "", ""), ("path", "text", "", "")),
    ),
    "storage": (
        "What the page keeps in its storage; one value, or all.",
        (
            ("kind", "text", "local", "local or session"),
            ("key", "text", "", "one entry"),
            ("frame_id", "text", "", ""),
        ),
    ),
    "set_storage": (
        "Set a value of the page's storage; null removes it.",
        (
            ("key", "text", ..., "the entry"),
            ("value", "text", ..., "its new value"),
            ("kind", "text", "local", "local or session"),
            ("frame_id", "text", "", ""),
        ),
    ),
    "save_state": (
        "Cookies and storage as a file (or a value) that `load_state` takes.",
        (("path", "text", "", ""),),
    ),
    "load_state": (
        "Restore cookies and storage from a file or a value of `save_state`.",
        (("state", "text", ..., ""),),
    ),
    "viewport": (
        "Set the size of the page.",
        (
            ("width", "int", ..., "CSS pixels"),
            ("height", "int", ..., "CSS pixels"),
            ("scale", "float", 1.0, "device pixels in a CSS pixel"),
            (
                "mobile",
                "flag",
                False,
                "as on a phone, with its viewport meta and overlay scrollbars",
            ),
        ),
    ),
    "emulate": (
        "Tell the page something else about the world; without any, what it is told now.",
        (
            (
                "device",
                "text",
                "",
                "a device by name, such as iPhone 13; its size, scale, touch and user agent",
            ),
            ("user_agent", "text", "", "what the browser says it is"),
            ("locale", "text", "", "such as de-AT"),
            ("timezone", "text", "", "such as Europe/Vienna"),
            (
                "geolocation",
                "numbers",
                None,
                "latitude and longitude, and accuracy in metres if wanted",
            ),
            ("offline", "choice", None, "whether the page is cut off from the network"),
            ("throttle", "text", "", "a slow network: none, 2g, slow-3g, fast-3g or 4g"),
            ("color_scheme", "text", "", "light, dark or no-preference"),
            ("reduced_motion", "text", "", "reduce or no-preference"),
            ("media", "text", "", "screen or print"),
            ("cpu", "float", 0, "so many times slower, 1 to 100"),
            ("reset", "flag", False, "end all emulation first"),
        ),
    ),
    "downloads": (
        "The files this tab has downloaded, or is downloading, with the path of each.",
        (),
    ),
    "save_download": (
        "Move a downloaded file to another folder that may be written to.",
        (
            ("id", "text", ..., "of the download; `downloads` lists it"),
            ("to", "text", "", "a name or a path; without it, the file stays where it was kept"),
        ),
    ),
    "dialogs": ("The dialogs that wait, the last ones that are over, and other interrupts.", ()),
    "handle_dialog": (
        "Answer a dialog; the only one there is, unless an id is given.",
        (
            ("accept", "flag", True, ""),
            ("text", "text", None, "what is typed into a prompt"),
            ("dialog_id", "text", None, ""),
        ),
    ),
    "answer": (
        "Decide about anything else that waits: a password, a file chooser, a permission.",
        (
            ("interrupt_id", "text", ..., "what waits, such as i-1; `dialogs` lists it"),
            (
                "action",
                "text",
                ...,
                "one of the answers it names, such as provide, upload, grant, deny or cancel",
            ),
            (
                "detail",
                "json",
                None,
                'what it needs, as {"username": "ann", "password": "…"} or {"files": ["a.txt"]}',
            ),
        ),
    ),
    "console": (
        "What the page said on its console, and its uncaught errors.",
        (
            (
                "since",
                "int",
                None,
                "only lines from this number on; `next_seq` of an earlier answer",
            ),
            ("level", "text", "debug", "debug, info, warning or error: that and worse"),
            ("limit", "int", 100, ""),
        ),
    ),
    "errors": ("The errors of the page.", (("limit", "int", 50, ""),)),
    "requests": (
        "The requests of the page, newest last.",
        (
            ("since", "text", "", ""),
            ("url", "text", "", "a part of the address, or a glob"),
            ("type", "text", "", ""),
            ("failed", "choice", None, ""),
            ("limit", "int", 100, ""),
        ),
    ),
    "request": (
        "One request with its headers; and its body, if asked for.",
        (("id", "text", ..., ""), ("body", "flag", False, "")),
    ),
    "har": ("The requests as a HAR file.", (("url", "text", "", ""),)),
    "route": (
        "Block, mock or change the requests that fit a pattern, from now on.",
        (
            ("pattern", "text", ..., "a part of the address, a glob, or re:<regular expression>"),
            (
                "action",
                "text",
                "block",
                "block, mock (status, headers, body) or continue (headers, url)",
            ),
            ("status", "int", 200, "of the mocked answer"),
            ("headers", "json", None, "of the mocked answer, or to be sent instead"),
            ("body", "text", "", "of the mocked answer"),
            ("url", "text", "", ""),
            ("times", "int", 0, "how often; 0 is always"),
        ),
    ),
    "unroute": (
        "Take back a route; without an id all of them.",
        (("id", "text", "", "what `route` gave, such as route-1"),),
    ),
    "routes": ("The routes there are.", ()),
    "url": ("The address of the page.", ()),
    "title": ("The title of the page.", ()),
    "snapshot": (
        "What is on the page, in all frames, as text with refs to act on.",
        (
            ("interactive", "flag", False, "only what can be acted on, and alerts"),
            ("depth", "int", 0, ""),
            ("root", "text", "", "a ref: only what is in it"),
            ("viewport", "flag", False, ""),
            ("budget", "int", 4000, "about how many tokens; 0 is no limit"),
            ("find", "text", "", "only rows, items and lines with this text, or /regex/"),
            ("limit", "int", 0, "show at most so many of those; 0 is all"),
            ("diff", "flag", False, "only what changed since your last snapshot"),
            ("boxes", "flag", False, ""),
            ("hidden", "flag", False, ""),
            ("client", "text", "", ""),
        ),
    ),
    "changed": (
        "What reads otherwise since the page was last looked at: lines that came and went.",
        (),
    ),
    "observe": (
        "The elements that can be acted on, as a list: id, role, name, value, states.",
        (
            ("include_all", "flag", False, "also what can only be read"),
            ("viewport_only", "flag", False, "only what is in the viewport now"),
        ),
    ),
    "screenshot": (
        "A picture of the viewport, the whole page or one element.",
        (
            ("target", "text", None, ""),
            ("full_page", "flag", False, ""),
            ("annotate", "flag", False, "draw the refs on it"),
            ("format", "text", "png", ""),
            ("quality", "int", None, ""),
            ("scale", "float", 1.0, ""),
            ("for_model", "flag", False, "a copy of at most 1024x1024 and 150 KiB"),
            ("save", "text", "", "also write it to this file, in a folder that may be written to"),
        ),
    ),
    "extract": (
        "The page's article as markdown or text, with its tables, links and code.",
        (
            ("format", "text", "markdown", ""),
            ("article", "flag", True, "the article alone, or (false) the whole page"),
            ("selector", "text", "", "CSS; reads only this part of the page"),
            ("limit", "int", 0, "characters; 0 is none"),
        ),
    ),
    "images": (
        "The images of the page: address, alternative text, sizes.",
        (
            ("backgrounds", "flag", False, "also images of CSS backgrounds"),
            ("hidden", "flag", True, "also those that are not shown"),
        ),
    ),
    "pdf": (
        "The page as a PDF.",
        (
            ("paper", "text", "a4", "a3, a4, a5, a6, letter, legal or tabloid"),
            ("landscape", "flag", False, "lay it on its side"),
            ("pages", "text", "", "such as 1-3, 5; all without it"),
            ("scale", "float", 1.0, ""),
            ("background", "flag", True, "also colours and pictures behind the text"),
            ("save", "text", "", "also write it to this file, in a folder that may be written to"),
        ),
    ),
    "text": (
        "The text of an element, as it is painted.",
        (("target", "text", ..., ""), ("nth", "int", None, "")),
    ),
    "html": (
        "The HTML of an element; without one, of the page.",
        (("target", "text", "html", ""), ("nth", "int", None, "")),
    ),
    "value": ("The value of a field.", (("target", "text", ..., ""), ("nth", "int", None, ""))),
    "attr": (
        "An attribute of an element; nothing if it has none of that name.",
        (
            ("target", "text", ..., ""),
            ("name", "text", ..., "of the attribute"),
            ("nth", "int", None, ""),
        ),
    ),
    "count": ("How many elements match.", (("target", "text", ..., ""),)),
    "box": (
        "Where an element is in its frame: x, y, width, height.",
        (("target", "text", ..., ""), ("nth", "int", None, "")),
    ),
    "is_visible": (
        "Whether an element is there and painted.",
        (("target", "text", ..., ""), ("nth", "int", None, "")),
    ),
    "is_enabled": (
        "Whether an element is enabled.",
        (("target", "text", ..., ""), ("nth", "int", None, "")),
    ),
    "is_checked": (
        "Whether a checkbox, radio button or switch is on.",
        (("target", "text", ..., ""), ("nth", "int", None, "")),
    ),
    "frames": ("The frames of the page as a tree.", ()),
}
