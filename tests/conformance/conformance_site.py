"""The pages that clients are held against: one site, three host names, an echo, a WebSocket.

    with Site() as site:
        site.url("/form.html")        # http://127.0.0.1:PORT/form.html
        site.sockets                  # ws://127.0.0.1:PORT2

Knows: HTML that makes each part of a client's API show what it does. Must not know: clients.
"""

from __future__ import annotations

import json
import threading
from typing import Any

from websockets.sync.server import Server, ServerConnection, serve

from tests.page_server import Page, Pages, Visit

__all__ = ["Site"]

# What /echo gives back of a request: what a client can change, nothing that differs by itself.
ECHOED = ("x-added", "x-one", "accept-language", "authorization", "content-type", "cookie")

FORM = """<!doctype html><title>Form</title><body style="margin:8px">
<button id=b onclick="n.textContent=+n.textContent+1" ondblclick="d.textContent='double'"
 oncontextmenu="d.textContent='menu';return false">Press me</button><span id=n>0</span><span id=d>
</span><br><label>Name <input id=name placeholder="your name"></label>
<label><input type=checkbox id=c> Agree</label>
<label><input type=radio name=r value=1 id=r1>One</label>
<label><input type=radio name=r value=2 id=r2>Two</label>
<select id=s><option value=a>A<option value=b>B<option value=c>C</select>
<select id=m multiple><option value=x>X<option value=y>Y<option value=z>Z</select>
<textarea id=t></textarea><div contenteditable id=e style="min-width:50px">edit</div>
<input type=file id=f multiple><input type=date id=date><input type=range id=range min=0 max=10>
<div id=h onmouseover="this.textContent='hovered'" style="width:80px;height:20px">hover</div>
<div id=src draggable=true style="width:60px;height:30px;background:#ccc">drag</div>
<div id=dst style="width:90px;height:40px;background:#eee">here</div>
<button id=off disabled>Disabled</button><button id=later style="display:none">Later</button>
<p data-testid=para>A <b>bold</b> word</p><a href="/blank.html" id=link>to blank</a>
<ul><li>one<li>two<li>three</ul><img alt="a picture" src="data:," width=1 height=1>
<div id=deep></div><pre id=log></pre>
<script>
const log=x=>{document.getElementById('log').textContent+=x+';'};
const named=document.getElementById('name');
for (const k of ['keydown','keyup'])
 named.addEventListener(k,e=>log(k+':'+e.key+(e.shiftKey?'+s':'')));
src.addEventListener('dragstart',e=>{e.dataTransfer.setData('text','cargo')});
dst.addEventListener('dragover',e=>e.preventDefault());
dst.addEventListener('drop',e=>{e.preventDefault();
 dst.textContent='dropped '+e.dataTransfer.getData('text')});
const sized=async x=>x.name+'='+(await x.text()).length;
f.addEventListener('change',async e=>log('files:'+await Promise.all([...f.files].map(sized))));
b.addEventListener('touchstart',e=>log('touch'+e.touches.length));
addEventListener('wheel',e=>log('wheel'+Math.sign(e.deltaY)));
deep.attachShadow({mode:'open'}).innerHTML='<button>In the shadow</button>';
document.addEventListener('mousedown',e=>{if(e.target.id==='h')log('down'+e.button)});
</script>"""

DIALOGS = """<!doctype html><title>Dialogs</title>
<button id=alert onclick="alert('hello');o.textContent='alerted'">alert</button>
<button id=confirm onclick="o.textContent=confirm('sure?')">confirm</button>
<button id=prompt onclick="o.textContent=prompt('name?','nobody')">prompt</button>
<button id=unload onclick="onbeforeunload=e=>{e.preventDefault();e.returnValue='x'}">unload</button>
<span id=o></span>"""

POPUPS = """<!doctype html><title>Popups</title>
<button id=open onclick="w=window.open('/popped.html')">open</button>
<button id=blank onclick="w=window.open('about:blank')">blank</button>
<a id=target href="/popped.html" target=_blank>target</a>
<a id=noopener href="/popped.html" target=_blank rel=noopener>noopener</a>
<button id=foreign onclick="w=window.open('http://localhost:PORT/popped.html')">foreign</button>"""

WORKERS = """<!doctype html><title>Workers</title><script>
const w=new Worker('/worker.js'); w.onmessage=e=>{document.title='worker said '+e.data};
</script>"""

SHAPES = """<!doctype html><title>Shapes</title><body style="margin:0;background:#fff">
<div id=red style="position:absolute;left:10px;top:20px;width:40px;height:30px;background:#f00">
</div>
<div style="height:2000px;background:linear-gradient(#00f,#0f0)"></div>"""

# Noise does not compress: as many pixels as it takes for a PNG of the wanted size.
NOISE = """<!doctype html><title>Noise</title><body style="margin:0"><canvas id=c></canvas><script>
const [w,h]=location.hash.slice(1).split('x').map(Number); c.width=w; c.height=h;
c.style.display='block'; const g=c.getContext('2d'); const d=g.createImageData(w,h);
const v=new Uint32Array(d.data.buffer); let s=1;
for(let i=0;i<v.length;i++){s=(Math.imul(s,1664525)+1013904223)|0;v[i]=s|0xff000000}
g.putImageData(d,0,0); document.title='ready';</script>"""

ARIA = """<!doctype html><title>Tree</title><h1>Head</h1>
<nav aria-label=Main><a href=#>Home</a></nav>
<ul><li>one</li><li>two</li></ul><button aria-pressed=true>Bold</button>
<input aria-label=Mail value="a@b"><input type=checkbox checked aria-label=Yes>"""

SCRIPTED = """<!doctype html><title>Scripted</title><link rel=stylesheet href="/style.css">
<script src="/script.js"></script><div class=used>styled</div>"""


class Site(Pages):
    """The server of the pages, and a WebSocket that says everything twice."""

    def __init__(self) -> None:
        super().__init__()
        self._asked = threading.local()
        self._sockets: Server = serve(_twice, "127.0.0.1", 0)
        self._speaking = threading.Thread(target=self._sockets.serve_forever)
        self._furnish()

    @property
    def sockets(self) -> str:
        """Where the WebSocket listens."""
        return f"ws://127.0.0.1:{self._sockets.socket.getsockname()[1]}"

    def __enter__(self) -> Site:
        super().__enter__()
        self._speaking.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._sockets.shutdown()
        self._speaking.join()
        super().__exit__(*exc)

    def note(self, visit: Visit) -> None:
        """Remember who asks: the echo answers in the same thread."""
        self._asked.visit = visit
        super().note(visit)

    def find(self, path: str) -> Page | None:
        """What the path answers; /echo answers with the request."""
        if path.partition("?")[0] != "/echo":
            return super().find(path)
        return Page(json.dumps(_echo(self._asked.visit)).encode(), 200, {
            "Content-Type": "application/json",
            "Cache-Control": "no-store",
            "Access-Control-Allow-Origin": "*",
        })  # fmt: skip

    def _furnish(self) -> None:
        html = {
            "blank": "<!doctype html><title>Blank</title><p>blank</p>",
            "other": "<!doctype html><title>Other</title><p>other</p>",
            "form": FORM,
            "dialogs": DIALOGS,
            "alert": "<!doctype html><script>alert('at load')</script><title>done</title>",
            "popups": POPUPS.replace("PORT", str(self.port)),
            "popped": "<!doctype html><title>Popped</title><script>made=window.early||'late'"
            "</script><p id=p>popped</p>",
            "workers": WORKERS,
            "shapes": SHAPES,
            "noise": NOISE,
            "aria": ARIA,
            "scripted": SCRIPTED,
            "frames": "<!doctype html><title>Frames</title><iframe name=kid src='/child.html'>"
            "</iframe><iframe srcdoc='<p>written</p>'></iframe>",
            "child": "<!doctype html><title>Child</title><button onclick=\"document.title='hit'\">"
            "child</button>",
            "nested": self._framing("Nested", "a.localhost", "/leaf.html"),
            "oopif": self._framing("Foreign", "localhost", "/nested.html"),
            "dialogs-oopif": self._framing("Foreign dialogs", "localhost", "/dialogs.html"),
            "leaf": "<!doctype html><title>Leaf</title><button onclick=\"this.textContent='hit'\">"
            "leaf</button><input><script>new Worker('/worker.js')</script>",
            "sw": "<!doctype html><title>Service</title><script>navigator.serviceWorker"
            ".register('/sw.js').then(()=>navigator.serviceWorker.ready)"
            ".then(()=>{document.title='served'})</script>",
            "downloads": "<!doctype html><title>Downloads</title><a href='/file.bin' id=a>file</a>"
            "<a href='data:text/plain,here' download='data.txt' id=b>data</a>",
            "prerender": "<!doctype html><title>Prerender</title><a id=go href='/other.html'>go</a>"
            '<script type=speculationrules>{"prerender":[{"urls":["/other.html"],'
            '"eagerness":"immediate"}]}</script>',
        }
        for name, text in html.items():
            self.add(f"/{name}.html", text)
        self.add("/worker.js", "self.postMessage('hi'); self.onmessage=e=>postMessage(e.data*2)")
        self.add("/sw.js", "self.addEventListener('activate',e=>e.waitUntil(clients.claim()))")
        self.add("/script.js", "function used(){return 1}\nfunction unused(){return 2}\nused();")
        self.add("/style.css", ".used{color:red}\n.unused{color:blue}")
        self.add("/data.json", '{"answer": 42}', headers={"Access-Control-Allow-Origin": "*"})
        self.add("/cookie.html", "<title>Cookie</title>", headers={"Set-Cookie": "served=yes"})
        self.add_redirect("/there", "/then")
        self.add_redirect("/then", "/blank.html")
        self.add_download("/file.bin", b"0123456789" * 100, "file.bin")
        self.add_protected("/secret.html", "<title>Secret</title>", "me", "pass")
        self.add("/missing.html", "<title>Gone</title>", status=404)

    def _framing(self, title: str, host: str, path: str) -> str:
        return (
            f"<!doctype html><title>{title}</title>"
            f"<iframe name=f style='width:400px;height:300px' src='{self.url(path, host)}'>"
            "</iframe>"
        )


def _twice(speaker: ServerConnection) -> None:
    for said in speaker:
        speaker.send(said)
        speaker.send(said)


def _echo(visit: Visit) -> dict[str, Any]:
    headers = {name.lower(): value for name, value in visit.headers.items()}
    return {
        "method": visit.method,
        "headers": {name: headers[name] for name in ECHOED if name in headers},
        "body": visit.body.decode(errors="replace"),
    }
