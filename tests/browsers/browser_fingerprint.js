// The scorecard: what a site can read about the browser, in every place in which it can read it.
//
// One file for all places. A window that is part of the card and a worker post their own rows to
// whoever made them; the page itself gathers all of them with `gather(hosts)`.

const inWindow = typeof document !== "undefined";

/** A value, or the name of the error it ended with: a place that lacks something still has a row. */
async function row(ask) {
  try {
    const value = await ask();
    return value === undefined ? null : value;
  } catch (error) {
    return `error: ${error.name}`;
  }
}

const HINTS = [
  "architecture", "bitness", "formFactors", "fullVersionList", "model", "platformVersion",
  "uaFullVersion", "wow64",
];

function gpu() {
  const canvas = new OffscreenCanvas(16, 16);
  const gl = canvas.getContext("webgl");
  if (!gl) return "none";
  const named = gl.getExtension("WEBGL_debug_renderer_info");
  return [gl.getParameter(named.UNMASKED_VENDOR_WEBGL), gl.getParameter(named.UNMASKED_RENDERER_WEBGL)];
}

async function drawing() {
  const canvas = new OffscreenCanvas(120, 40);
  const pen = canvas.getContext("2d");
  pen.font = "20px sans-serif";
  pen.fillText("Pilothouse \u{1F6A2}", 4, 24);
  const bytes = await crypto.subtle.digest("SHA-256", pen.getImageData(0, 0, 120, 40).data);
  return Array.from(new Uint8Array(bytes).slice(0, 8), (byte) => byte.toString(16)).join("");
}

/** Rows that every place has; all places must agree on them. */
async function everywhere() {
  const hints = navigator.userAgentData;
  return {
    userAgent: await row(() => navigator.userAgent),
    appVersion: await row(() => navigator.appVersion),
    platform: await row(() => navigator.platform),
    language: await row(() => navigator.language),
    languages: await row(() => [...navigator.languages]),
    locale: await row(() => Intl.DateTimeFormat().resolvedOptions().locale),
    timeZone: await row(() => Intl.DateTimeFormat().resolvedOptions().timeZone),
    cores: await row(() => navigator.hardwareConcurrency),
    memory: await row(() => navigator.deviceMemory),
    brands: await row(() => hints.brands),
    mobile: await row(() => hints.mobile),
    system: await row(() => hints.platform),
    hints: await row(async () => {
      const all = await hints.getHighEntropyValues(HINTS);
      return Object.fromEntries(HINTS.map((name) => [name, all[name]]));
    }),
    gpu: await row(gpu),
    drawing: await row(drawing),
    drawnAgain: await row(drawing),
    echoed: await row(async () => (await fetch(`${self.origin}/echo`)).ok),
  };
}

/** How often an error's stack and name are read when it is written to the console: who listens
 *  there may show by it. */
function consoleReads() {
  const reads = { stack: 0, name: 0 };
  for (const part of Object.keys(reads)) {
    const trap = new Error("trap");
    Object.defineProperty(trap, part, { get() { reads[part] += 1; return ""; } });
    console.debug(trap);
  }
  return reads;
}

function native(make) {
  const source = Function.prototype.toString.call(make);
  return /^(function|class) .*\{\s*\[native code\]\s*\}$/s.test(source);
}

/** Functions that are no longer the browser's own: an answer with names in it is a lie found. */
function patched() {
  const getter = (of, name) => Object.getOwnPropertyDescriptor(of.prototype, name)?.get;
  const all = {
    toString: Function.prototype.toString,
    webdriver: getter(Navigator, "webdriver"),
    userAgent: getter(Navigator, "userAgent"),
    languages: getter(Navigator, "languages"),
    cores: getter(Navigator, "hardwareConcurrency"),
    plugins: getter(Navigator, "plugins"),
    hidden: getter(Document, "hidden"),
    contentWindow: getter(HTMLIFrameElement, "contentWindow"),
    width: getter(Screen, "width"),
    query: Permissions.prototype.query,
    getParameter: WebGLRenderingContext.prototype.getParameter,
    toDataURL: HTMLCanvasElement.prototype.toDataURL,
    canPlayType: HTMLMediaElement.prototype.canPlayType,
    getChannelData: AudioBuffer.prototype.getChannelData,
  };
  return [
    ...Object.keys(all).filter((name) => all[name] && !native(all[name])),
    ...Object.getOwnPropertyNames(navigator).map((name) => `navigator.${name}`),
  ];
}

async function sound() {
  const context = new OfflineAudioContext(1, 2000, 44100);
  const tone = context.createOscillator();
  tone.connect(context.destination);
  tone.start();
  const made = await context.startRendering();
  return made.getChannelData(0).reduce((sum, sample) => sum + Math.abs(sample), 0);
}

/** Rows that only windows have. */
async function ofWindow() {
  const video = document.createElement("video");
  return {
    webdriver: await row(() => navigator.webdriver),
    patched: await row(patched),
    notifications: await row(async () => [
      Notification.permission,
      (await navigator.permissions.query({ name: "notifications" })).state,
    ]),
    plugins: await row(() => [navigator.plugins instanceof PluginArray, navigator.plugins.length]),
    pdf: await row(() => navigator.pdfViewerEnabled),
    chrome: await row(() => Object.keys(window.chrome).sort()),
    inner: [innerWidth, innerHeight],
    outer: [outerWidth, outerHeight],
    screen: [screen.width, screen.height],
    available: [screen.availWidth, screen.availHeight],
    scale: devicePixelRatio,
    visible: [document.visibilityState, document.hidden],
    focused: document.hasFocus(),
    codecs: await row(() =>
      ['video/mp4; codecs="avc1.42E01E"', 'audio/mp4; codecs="mp4a.40.2"', 'video/webm; codecs="vp9"'].map((kind) => video.canPlayType(kind)),
    ),
    sound: await row(sound),
    soundAgain: await row(sound),
    touch: [navigator.maxTouchPoints, "ontouchstart" in window],
    pointer: [matchMedia("(hover: hover)").matches, matchMedia("(pointer: fine)").matches],
    connection: await row(() => navigator.connection.rtt > 0),
    consoleReads: consoleReads(),
  };
}

async function card() {
  return { ...(await everywhere()), ...(inWindow ? await ofWindow() : {}) };
}

// Gathering.

const ARRIVES_WITHIN_MS = 15000;

/** The first message for which `from` says that it is the wanted one. */
function message(target, name, from = () => true) {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`nothing came from ${name}`)), ARRIVES_WITHIN_MS);
    target.addEventListener("message", (event) => {
      if (!from(event) || !event.data?.card) return;
      clearTimeout(late);
      resolve(event.data.card);
    });
    target.start?.();
  });
}

async function framed(name, attributes) {
  const frame = Object.assign(document.createElement("iframe"), attributes);
  const came = message(window, name, (event) => event.source === frame.contentWindow);
  document.body.append(frame);
  return came;
}

async function shared() {
  const worker = new SharedWorker("/scorecard.js?shared");
  return message(worker.port, "the shared worker");
}

async function service() {
  const registered = await navigator.serviceWorker.register("/scorecard.js?service", { scope: "/none/" });
  const worker = registered.installing ?? registered.waiting ?? registered.active;
  const wire = new MessageChannel();
  const came = message(wire.port1, "the service worker");
  worker.postMessage("card", [wire.port2]);
  const said = await came;
  await registered.unregister();
  return said;
}

function popup() {
  const opened = window.open("/scorecard.html?part", "", "popup,width=500,height=400");
  return message(window, "the popup", (event) => event.source === opened).finally(() => opened.close());
}

/** The rows of all places, by place. Needs a user's gesture, for the popup. */
async function gather(foreign) {
  const inner = '<script src="/scorecard.js?part"></script>';
  const blob = new Blob([`importScripts("${location.origin}/scorecard.js?blob")`]);
  const places = {
    popup: popup(), // first: the gesture is spent on it
    page: card(),
    own_frame: framed("the own frame", { src: "/scorecard.html?part" }),
    srcdoc_frame: framed("the srcdoc frame", { srcdoc: inner }),
    foreign_frame: framed("the foreign frame", { src: `${foreign}/scorecard.html?part` }),
    worker: message(new Worker("/scorecard.js?worker"), "the worker"),
    module_worker: message(new Worker("/scorecard.js?module", { type: "module" }), "the module worker"),
    blob_worker: message(new Worker(URL.createObjectURL(blob)), "the blob worker"),
    nested_worker: message(new Worker("/nested.js"), "the nested worker"),
    shared_worker: shared(),
    service_worker: service(),
  };
  const rows = await Promise.all(Object.values(places));
  return Object.fromEntries(Object.keys(places).map((name, at) => [name, rows[at]]));
}

// A part of the card answers by itself.

if (inWindow) {
  const to = window.opener ?? (window.parent !== window ? window.parent : null);
  if (to) card().then((rows) => to.postMessage({ card: rows }, "*"));
} else if (typeof SharedWorkerGlobalScope !== "undefined" && self instanceof SharedWorkerGlobalScope) {
  self.onconnect = ({ ports: [port] }) => card().then((rows) => port.postMessage({ card: rows }));
} else if (typeof ServiceWorkerGlobalScope !== "undefined" && self instanceof ServiceWorkerGlobalScope) {
  self.onmessage = ({ ports: [port] }) => card().then((rows) => port.postMessage({ card: rows }));
} else {
  card().then((rows) => self.postMessage({ card: rows }));
}
