"""Random secrets, through every encoder a page has in a real Chromium: the redactor finds each."""

from __future__ import annotations

import asyncio
import json
import random
import re

import pytest

from pilothouse.security.redaction import Redactor
from tests.browser.browser_with_dialog_places import WITHIN_S, Stage
from tests.page_server import Pages, Visit

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

SEED = 20261118
MANY = 60
ASCII = "".join(map(chr, range(33, 127)))
# Of several kinds: what people choose, what generators make, what breaks encoders.
ALPHABETS = (
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
    ASCII,
    ASCII + " ",
    "0123456789",
    "0123456789-.",
    "abc@#?&=+/%\\\"'<>;: ",
    "aeiouäöüßéñçÅ€œ™ !@",
    "日本語пароль١٢٣😀👍🏽 x1",
    "ab\t\n \u00a0\u2028'\"`",
)

# Every way in which a page's own code writes a text down.
ENCODERS = """
const parts = (value) => {
  const link = document.createElement('a');
  link.setAttribute('title', value);
  link.textContent = value;
  const field = Object.assign(document.createElement('input'), {value});
  field.setAttribute('value', value);
  const area = Object.assign(document.createElement('textarea'), {value});
  const box = document.createElement('div');
  box.append(link, field);
  const style = document.createElement('p');
  style.style.setProperty('--said', JSON.stringify(value));
  const utf8 = String.fromCharCode(...new TextEncoder().encode(value));
  const at = (base, put) => { const url = new URL(base); put(url); return url.href; };
  const form = new URLSearchParams({value});
  const latin = [...value].every((c) => c.codePointAt(0) < 256);
  return {
    'URL, path': new URL('http://h/p/' + value).href,
    'URL, path by its setter': at('http://h/', (u) => { u.pathname = 'x' + value; }),
    'URL, query': new URL('http://h/p?q=' + value).href,
    'URL, query by its setter': at('http://h/', (u) => { u.search = 'q=' + value; }),
    'URL, fragment': new URL('http://h/p#' + value).href,
    'URL, fragment by its setter': at('http://h/', (u) => { u.hash = value; }),
    'URL, user': at('http://h/', (u) => { u.username = value; }),
    'URL, password': at('http://h/', (u) => { u.password = value; }),
    'URL, opaque path': new URL('mailto:x' + value).href,
    'URL, other scheme': new URL('other://h/p?' + value).href,
    'URL, nested': new URL('http://h/?next=' +
      encodeURIComponent('http://i/?q=' + encodeURIComponent(value))).href,
    'URLSearchParams': form.toString(),
    'URLSearchParams on a URL': at('http://h/', (u) => { u.searchParams.set('q', value); }),
    'encodeURI': encodeURI(value),
    'encodeURIComponent': encodeURIComponent(value),
    'escape': escape(value),
    'JSON': JSON.stringify(value),
    'JSON in JSON': JSON.stringify(JSON.stringify({value})),
    'btoa of UTF-8': btoa(utf8),
    'btoa with a user': btoa('me:' + utf8),
    'btoa in the middle': btoa('ab' + utf8 + 'cd'),
    'btoa of a component': btoa(encodeURIComponent(value)),
    ...(latin ? {'btoa': btoa(value), 'btoa after a sign': btoa('x' + value)} : {}),
    'base64 in a query': form.toString() && new URLSearchParams({q: btoa(utf8)}).toString(),
    'hex': [...utf8].map((c) => c.charCodeAt(0).toString(16).padStart(2, '0')).join(''),
    'outerHTML': box.outerHTML,
    'XML': new XMLSerializer().serializeToString(link),
    'attribute': link.getAttribute('title'),
    'textContent': link.textContent,
    'field': field.value,
    'text area': area.value,
    'CSS.escape': CSS.escape(value),
    'style': style.style.cssText,
    'String.raw': JSON.stringify({[value]: 1}),
    'Function': String(new Function('return ' + JSON.stringify(value))),
    'template': `x${value}y`,
  };
};
"""
FORM = """<!doctype html><title>form</title>
<iframe name=here></iframe><form target=here></form>
<script>
const send = (values, method, enctype) => {
  const form = document.forms[0];
  form.replaceChildren(...values.map((value, i) =>
    Object.assign(document.createElement('textarea'), {name: 'f' + i, value})));
  Object.assign(form, {method, enctype, action: '/sent'});
  form.submit();
};
</script>"""
ENCTYPES = ("application/x-www-form-urlencoded", "multipart/form-data", "text/plain")


def _secrets() -> list[str]:
    rng = random.Random(SEED)
    made: list[str] = []
    while len(made) < MANY:
        text = "".join(rng.choices(ALPHABETS[len(made) % len(ALPHABETS)], k=rng.randint(4, 24)))
        # Dot segments are taken out of paths, and with them what they undo.
        if len(text.strip()) >= 4 and ".." not in text and "/." not in text and "\\." not in text:
            made.append(text)
    return made


def _unredacted(secrets: list[str], spelt: list[dict[str, str]]) -> list[tuple[str, str, str]]:
    """The spellings in which a secret was not found: encoder, secret, spelling."""
    missed = []
    for secret, ways in zip(secrets, spelt, strict=True):
        redactor = Redactor({"IT": secret})
        missed += [
            (way, secret, text) for way, text in ways.items() if redactor.redact_text(text) == text
        ]
    return missed


async def test_no_encoder_of_a_page_gets_a_secret_past_the_redactor(stage: Stage) -> None:
    stage.pages.add("/encoders", "<!doctype html><meta charset=utf-8><title>encoders</title>")
    frame = await stage.loaded(await stage.sup.open_tab("encoders", stage.pages.url("/encoders")))
    secrets = _secrets()
    code = f"(() => {{ {ENCODERS} return {json.dumps(secrets)}.map(parts); }})()"
    spelt = await stage.value(frame.id, code)
    assert len(spelt) == MANY
    assert _unredacted(secrets, spelt) == []


@pytest.mark.parametrize("charset", ["utf-8", "windows-1252"])
async def test_no_form_gets_a_secret_past_the_redactor(stage: Stage, charset: str) -> None:
    pages = stage.pages
    as_charset = {"Content-Type": f"text/html; charset={charset}"}
    pages.add(f"/form-{charset}", FORM, headers=as_charset)
    pages.add("/sent", "thanks")
    frame = await stage.loaded(await stage.sup.open_tab("forms", pages.url(f"/form-{charset}")))
    secrets = _secrets()
    for method, enctype in (("GET", ENCTYPES[0]), *(("POST", enctype) for enctype in ENCTYPES)):
        seen = len(pages.visits)
        sent = f"send({json.dumps(secrets)}, {json.dumps(method)}, {json.dumps(enctype)})"
        await stage.value(frame.id, sent)
        visit = await _visit(pages, seen, method)
        fields = _fields(visit, enctype, charset)
        assert len(fields) == len(secrets), (method, enctype)
        spelt = [{f"{method} {enctype}": field} for field in fields]
        assert _unredacted(secrets, spelt) == []


async def _visit(pages: Pages, seen: int, method: str) -> Visit:
    async with asyncio.timeout(WITHIN_S):
        while True:
            for visit in pages.visits[seen:]:
                if visit.path.startswith("/sent") and visit.method == method:
                    return visit
            await asyncio.sleep(0.02)


def _fields(visit: Visit, enctype: str, charset: str) -> list[str]:
    """What arrived for each field, as it was spelt on the wire."""
    body = (
        visit.path.partition("?")[2]
        if visit.method == "GET"
        else visit.body.decode(charset, "replace")
    )
    if visit.method == "POST" and enctype == "multipart/form-data":
        boundary = visit.headers["Content-Type"].partition("boundary=")[2]
        parts = body.split(f"--{boundary}")[1:-1]
        return [part.partition("\r\n\r\n")[2] for part in parts]
    if visit.method == "POST" and enctype == "text/plain":
        return re.split(r"(?:^|\r\n)f\d+=", body)[1:]
    return [pair.partition("=")[2] for pair in body.split("&")]
