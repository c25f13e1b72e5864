// Pure parts of the extension: URLs, cookies, settings, shared tabs, digests.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";

const OWN = "chrome-extension://abcdefgh/";
globalThis.chrome = { runtime: { getURL: (path) => OWN + path } };

const { filterCookies, findOtherSite } = await import("../../extension/background/cookie_access.js");
const { constantTimeEqual, hmacProof } = await import("../../extension/background/connection.js");
const { errorOf } = await import("../../extension/background/debugger.js");
const { checkCommand, isAttachable, isOwnPage, siteOf } = await import(
  "../../extension/background/restrictions.js"
);
const { sha256 } = await import("../../extension/background/sha256.js");
const { isTabShared } = await import("../../extension/background/shared_tabs.js");
const { DEFAULTS, normalize, scopeOf } = await import("../../extension/shared/user_settings.js");
const { connectPage } = await import("../../extension/shared/worker_connection.js");

test("agents may use web pages, new tabs and data", () => {
  for (const url of ["", "http://a.test/", "https://a.test/x?y#z", "about:blank", "about:srcdoc",
    "data:text/html,hi", "blob:https://a.test/1", "blob:null/1"]) {
    assert.equal(isAttachable(url), true, url);
  }
});

test("agents may not use pages of the browser, of extensions and of files", () => {
  for (const url of ["chrome://settings", "about:BLANK", "about:flags", "file:///etc/passwd",
    "chrome-extension://x/y", "https://chromewebstore.google.com/x", "https://chrome.google.com./webstore",
    "devtools://x", "javascript:1", "view-source:https://a.test", "blob:file:///x", "not a url"]) {
    assert.equal(isAttachable(url), false, url);
  }
});

test("an own page is recognised by its address", () => {
  assert.equal(isOwnPage(`${OWN}popup/popup.html`), true);
  assert.equal(isOwnPage("https://a.test/"), false);
  assert.equal(isOwnPage(undefined), false);
});

test("a tab is locked to an origin", () => {
  assert.equal(siteOf("https://a.test:8443/x"), "https://a.test:8443");
  assert.equal(siteOf("file:///x"), "file://");
  assert.equal(siteOf("data:text/html,hi"), "");
  assert.equal(siteOf("nonsense"), "");
});

test("every command is refused while the table is not loaded", () => {
  const refused = checkCommand("Page.enable", {}, DEFAULTS, { targets: new Set() });
  assert.match(refused.message, /still starting/);
});

test("a cookie of a site that is not shared is found", () => {
  const urls = ["https://shop.a.test/x"];
  assert.equal(findOtherSite(urls, "Network.setCookie", { domain: ".a.test" }), "");
  assert.equal(findOtherSite(urls, "Network.setCookie", { domain: "b.test" }), "b.test");
  assert.equal(findOtherSite(urls, "Network.setCookie", { url: "https://b.test/" }), "b.test");
  assert.equal(findOtherSite(urls, "Network.setCookies", { cookies: [{}] }), "an unnamed site");
  assert.equal(findOtherSite(urls, "Page.enable", {}), "");
});

test("only cookies of shared pages are told", () => {
  const cookies = [{ domain: ".a.test" }, { domain: "b.test" }, { domain: "xa.test" }];
  assert.deepEqual(filterCookies(["https://www.a.test/"], { cookies }).cookies, [cookies[0]]);
});

test("a setting with a wrong value becomes its default", () => {
  assert.equal(normalize("mode", "auto"), "auto");
  assert.equal(normalize("mode", "all of them"), DEFAULTS.mode);
  assert.equal(normalize("readOnly", "yes"), false);
  assert.equal(normalize("autoDetachMinutes", "15"), 15);
  assert.equal(normalize("autoDetachMinutes", -1), 0);
  assert.equal(normalize("port", 70_000), 0);
  assert.equal(normalize("userInstructions", "x".repeat(5000)).length, 4000);
});

test("a tab that the user took back is never shared", () => {
  const settings = { ...DEFAULTS, mode: "auto" };
  const stored = { tabs: { 1: { by: "agent" } }, taken: { 1: true }, stopped: "" };
  const tab = { id: 1, url: "https://a.test/", windowId: 1, incognito: false };
  assert.equal(isTabShared(tab, settings, stored), false);
  assert.equal(isTabShared(tab, settings, { ...stored, taken: {} }), true);
  assert.equal(isTabShared({ ...tab, incognito: true }, settings, { ...stored, taken: {} }), false);
});

test("a stop ends sharing until a tab is allowed again", () => {
  const stored = { tabs: { 1: { by: "user" } }, taken: {}, stopped: "stopped" };
  const tab = { id: 1, url: "https://a.test/", windowId: 1 };
  assert.equal(isTabShared(tab, DEFAULTS, stored), false);
  stored.tabs[1].allowed = true;
  assert.equal(isTabShared(tab, DEFAULTS, stored), true);
});

test("SHA-256 equals that of Node.js at every block boundary", () => {
  for (const length of [0, 1, 55, 56, 63, 64, 65, 119, 120, 1000]) {
    const text = "ä".repeat(length);
    assert.equal(sha256(text), createHash("sha256").update(text).digest("hex"), String(length));
  }
});

test("a proof is the HMAC of the text, and is compared as a whole", async () => {
  const proof = await hmacProof("key", "text");
  assert.match(proof, /^[0-9a-f]{64}$/);
  assert.equal(constantTimeEqual(proof, proof), true);
  assert.equal(constantTimeEqual(proof, proof.slice(1)), false);
  assert.equal(constantTimeEqual(undefined, proof), false);
});

test("Chrome's errors are taken apart, and plain ones kept", () => {
  assert.deepEqual(errorOf(new Error('{"code":-32601,"message":"no method"}')), {
    code: -32601, message: "no method",
  });
  assert.deepEqual(errorOf(new Error("Detached")), { code: -32000, message: "Detached" });
  assert.deepEqual(errorOf("text"), { code: -32000, message: "text" });
});

test("the shared scope is manual unless the mode is automatic", () => {
  assert.equal(scopeOf({ ...DEFAULTS, mode: "manual", share: "window" }), "manual");
  assert.equal(scopeOf({ ...DEFAULTS, mode: "auto", share: "window" }), "window");
});

test("a page connects again when the worker ends, and sends to the new one", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const ports = [];
  const event = () => {
    const listeners = [];
    return { addListener: (add) => listeners.push(add), fire: (said) => listeners.forEach((one) => one(said)) };
  };
  globalThis.chrome.runtime.connect = ({ name }) => {
    const sent = [];
    const port = { name, sent, onMessage: event(), onDisconnect: event(), postMessage: (said) => sent.push(said) };
    ports.push(port);
    return port;
  };
  const views = [];
  const problems = [];
  const send = connectPage("popup", (view) => views.push(view), (problem) => problems.push(problem));
  ports[0].onMessage.fire({ view: "first" });
  ports[0].onDisconnect.fire();
  context.mock.timers.tick(300);
  ports[1].onMessage.fire({ problem: "no", view: "second" });
  send("stop", { tabId: 1 });
  assert.deepEqual(ports.map((port) => port.name), ["popup", "popup"]);
  assert.deepEqual([views, problems], [["first", "second"], ["no"]]);
  assert.deepEqual([ports[0].sent, ports[1].sent], [[], [{ action: "stop", tabId: 1 }]]);
});
