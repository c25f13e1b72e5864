// Keyboard, mouse, touch, files, dialogs, workers and emulation, in detail.

import fs from "node:fs";
import { failure, next, until, url, wish } from "../node_check_runner.mjs";

export const hands = {
  async keys_of_all_kinds({ page }) {
    await page.goto(url("/form.html"));
    await page.focus("#name");
    await page.keyboard.type("Hello Wörld 漢字");
    for (const key of ["Home", "Shift+End", "Control+C", "Backspace", "ControlOrMeta+V"]) await page.keyboard.press(key);
    await page.keyboard.insertText("嗨");
    await page.keyboard.down("Shift");
    await page.keyboard.press("KeyA");
    await page.keyboard.up("Shift");
    return [await page.inputValue("#name"), await failure(page.keyboard.press("NotAKey"))];
  },

  async key_events_have_codes({ page }) {
    await page.setContent("<textarea></textarea>");
    await page.evaluate(() => { window.seen = []; document.querySelector("textarea").onkeydown = (e) => seen.push([e.key, e.code, e.location, e.repeat, e.isTrusted]); });
    await page.focus("textarea");
    for (const key of ["a", "Enter", "ArrowLeft", "NumpadSubtract", "F2", "Escape", "Tab"]) await page.keyboard.press(key);
    return page.evaluate(() => seen);
  },

  async repeated_keys({ page }) {
    await page.setContent("<textarea></textarea>");
    await page.focus("textarea");
    await page.evaluate(() => { window.n = []; document.querySelector("textarea").onkeydown = (e) => n.push(e.repeat); });
    for (let i = 0; i < 3; i++) await page.keyboard.down("a");
    await page.keyboard.up("a");
    return [await page.evaluate(() => n), await page.inputValue("textarea")];
  },

  async mouse_events_in_order({ page }) {
    await page.setContent("<button style='width:100px;height:50px'>x</button>");
    await page.evaluate(() => { window.seen = []; for (const k of ["mousemove", "mousedown", "mouseup", "click", "dblclick", "auxclick", "contextmenu", "pointerdown"]) document.addEventListener(k, (e) => seen.push(`${k} ${e.button} ${e.detail} ${e.buttons}`)); });
    const box = await page.locator("button").boundingBox();
    await page.mouse.move(box.x + 5, box.y + 5, { steps: 3 });
    await page.mouse.down();
    await page.mouse.up();
    await page.mouse.dblclick(box.x + 10, box.y + 10);
    await page.mouse.click(box.x + 10, box.y + 10, { button: "right" });
    await page.mouse.click(box.x + 10, box.y + 10, { button: "middle" });
    return page.evaluate(() => seen);
  },

  async wheel_scrolls_page_and_frames({ page }) {
    await page.goto(url("/shapes.html"));
    await page.mouse.move(50, 50);
    await page.mouse.wheel(0, 300);
    await page.waitForFunction(() => scrollY === 300);
    return page.evaluate(() => scrollY);
  },

  async drag_events_and_data({ page }) {
    await page.goto(url("/form.html"));
    await page.evaluate(() => { window.seen = []; for (const k of ["dragstart", "dragenter", "drop", "dragend"]) document.addEventListener(k, (e) => seen.push(k), true); });
    await page.locator("#src").dragTo(page.locator("#dst"));
    return [await page.textContent("#dst"), await page.evaluate(() => seen)];
  },

  async drag_is_cancelled_by_escape({ page }) {
    await page.goto(url("/form.html"));
    await page.evaluate(() => { window.seen = []; for (const k of ["dragstart", "drop", "dragend"]) document.addEventListener(k, () => seen.push(k), true); });
    await page.hover("#src");
    await page.mouse.down();
    await page.hover("#dst");
    await page.keyboard.press("Escape");
    await page.mouse.up();
    return page.evaluate(() => seen);
  },

  async clicks_in_scrolled_and_nested_frames({ page }) {
    await page.goto(url("/oopif.html"));
    const leaf = page.frameLocator("[name=f]").frameLocator("[name=f]").getByRole("button");
    await leaf.click({ position: { x: 3, y: 3 } });
    const box = await leaf.boundingBox();
    await page.mouse.click(box.x + 4, box.y + 4);
    return [await leaf.textContent(), box.x > 0];
  },

  async click_options({ page }) {
    await page.setContent("<button>x</button><div id=log></div>");
    await page.evaluate(() => document.querySelector("button").addEventListener("click", (e) => { log.textContent += `${e.shiftKey}${e.altKey}${e.detail};`; }));
    await page.click("button", { modifiers: ["Shift"] });
    await page.click("button", { clickCount: 3, delay: 5 });
    await page.click("button", { force: true, noWaitAfter: true });
    await page.click("button", { trial: true });
    return page.textContent("#log");
  },

  async tap_and_touch_screen({ page }) {
    const session = await page.context().newCDPSession(page);
    await session.send("Emulation.setTouchEmulationEnabled", { enabled: true });
    await page.setContent("<div style='width:200px;height:200px' ontouchstart='document.title=event.touches.length'></div>");
    await session.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [{ x: 20, y: 20 }, { x: 60, y: 60 }] });
    await session.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
    return page.title();
  },

  async file_choosers_of_all_kinds({ page }) {
    await page.setContent("<input type=file><input type=file multiple>");
    const told = [];
    for (const nth of [0, 1]) {
      const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.locator("input").nth(nth).click()]);
      await chooser.setFiles(nth ? [{ name: "a.txt", mimeType: "text/plain", buffer: Buffer.from("a") }, { name: "b.txt", mimeType: "text/plain", buffer: Buffer.from("bb") }] : { name: "one.txt", mimeType: "text/plain", buffer: Buffer.from("1") });
      told.push([chooser.isMultiple(), await chooser.element().evaluate((e) => [...e.files].map((f) => [f.name, f.size, f.type]))]);
    }
    return told;
  },

  async file_chooser_in_a_foreign_frame({ page }) {
    await page.goto(url("/dialogs-oopif.html"));
    const frame = await until(() => page.frames().find((f) => f.url().includes("/dialogs.html")), "the frame");
    await frame.evaluate(() => { document.body.innerHTML = "<input type=file>"; });
    const [chooser] = await Promise.all([page.waitForEvent("filechooser"), frame.click("input")]);
    return [chooser.isMultiple(), chooser.page() === page];
  },

  async files_by_path_and_folder({ page }) {
    fs.mkdirSync(`${wish.scratch}/folder`, { recursive: true });
    fs.writeFileSync(`${wish.scratch}/folder/in.txt`, "inside");
    fs.writeFileSync(`${wish.scratch}/up.txt`, "contents");
    await page.goto(url("/blank.html"));
    await page.setContent("<input type=file id=a><input type=file webkitdirectory id=b>");
    await page.setInputFiles("#a", `${wish.scratch}/up.txt`);
    const one = await page.evaluate(async () => [a.files[0].name, await a.files[0].text()]);
    await page.setInputFiles("#a", []);
    await page.setInputFiles("#b", `${wish.scratch}/folder`);
    return [one, await page.evaluate(() => [a.files.length, [...b.files].map((f) => f.webkitRelativePath)])];
  },

  async large_file_by_path({ page }) {
    fs.writeFileSync(`${wish.scratch}/large.bin`, Buffer.alloc(60 * 1024 * 1024, 7));
    await page.goto(url("/blank.html"));
    await page.setContent("<input type=file id=a>");
    return failure(page.setInputFiles("#a", `${wish.scratch}/large.bin`).then(async () => { throw new Error(String(await page.evaluate(() => a.files[0].size))); }));
  },

  async dialogs_that_nobody_answers_in_time({ page }) {
    await page.goto(url("/blank.html"));
    page.on("dialog", (d) => d.dismiss());
    return page.evaluate(() => [confirm("a"), prompt("b", "c"), alert("d") ?? null]);
  },

  async dialog_answers_and_defaults({ page }) {
    await page.goto(url("/blank.html"));
    const told = [];
    page.on("dialog", async (d) => { told.push([d.type(), d.message(), d.defaultValue(), d.page() === page]); await d.accept(d.type() === "prompt" ? "given" : undefined); });
    return [await page.evaluate(() => [confirm("a"), prompt("b", "c")]), told];
  },

  async dialog_answered_twice_fails({ page }) {
    await page.goto(url("/blank.html"));
    const asked = page.waitForEvent("dialog");
    const answered = page.evaluate(() => confirm("x"));
    const dialog = await asked;
    await dialog.accept();
    return [await answered, await failure(dialog.dismiss())];
  },

  async before_unload_dismissed_on_navigation({ page }) {
    await page.goto(url("/dialogs.html"));
    await page.click("#unload");
    const kinds = [];
    page.once("dialog", (d) => { kinds.push(d.type()); return d.dismiss(); });
    const stayed = await failure(page.goto(url("/blank.html")));
    return [kinds, stayed, await page.title()];
  },

  async print_is_called({ page }) {
    await page.goto(url("/blank.html"));
    await page.evaluate(() => { window.printed = 0; window.print = () => { window.printed++; }; });
    await page.evaluate(() => print());
    return page.evaluate(() => [printed, Object.keys(window).includes("printed")]);
  },

  async page_sees_nothing_foreign({ page }) {
    await page.goto(url("/blank.html"));
    const before = await page.evaluate(() => Object.getOwnPropertyNames(window).filter((n) => /^(__|pilot|playwright|cdc_)/i.test(n) && !/^__(define|lookup|proto)/.test(n)));
    return [before, await page.evaluate(() => [typeof window.print, Function.prototype.toString.call(window.open)])];
  },

  async workers_nested_and_many({ page }) {
    await page.goto(url("/blank.html"));
    const came = [];
    page.on("worker", (w) => came.push(w));
    await page.evaluate(() => { window.kept = Array.from({ length: 4 }, () => new Worker("/worker.js")); });
    await until(() => came.length === 4, "four workers");
    const values = await Promise.all(came.map((w, i) => w.evaluate((n) => n * 2, i)));
    const ends = came.map((w) => next(w, "close"));
    await page.goto(url("/other.html"));
    await Promise.all(ends);
    return [values, page.workers().length];
  },

  async worker_errors_and_handles({ page }) {
    await page.goto(url("/blank.html"));
    const [worker] = await Promise.all([page.waitForEvent("worker"), page.evaluate(() => { window.kept = new Worker(URL.createObjectURL(new Blob(["self.x={a:1};setInterval(()=>0,1e4)"]))); })]);
    const handle = await until(() => worker.evaluateHandle(() => self.x), "the handle");
    return [await (await handle.getProperty("a")).jsonValue(), await failure(worker.evaluate(() => { throw new Error("in here"); }))];
  },

  async console_of_all_types({ page }) {
    await page.goto(url("/blank.html"));
    const heard = [];
    page.on("console", (m) => heard.push([m.type(), m.text()]));
    await page.evaluate(() => { console.log("l"); console.info("i"); console.warn("w"); console.error("e"); console.debug("d"); console.table([1]); console.assert(false, "as"); console.count("c"); console.trace("t"); console.dir({ a: 1 }); });
    await until(() => heard.length >= 10, "all");
    return heard.filter(([, t]) => !t.includes("404"));
  },

  async console_arguments_are_handles({ page }) {
    await page.goto(url("/blank.html"));
    const [message] = await Promise.all([page.waitForEvent("console"), page.evaluate(() => console.log("x", 5, { foo: "bar" }, null, undefined, [1]))]);
    return [message.text(), await Promise.all(message.args().map((a) => a.jsonValue())), message.location().lineNumber >= 0];
  },

  async exposed_binding_with_everything({ page }) {
    const log = [];
    await page.exposeBinding("bound", (source, ...args) => { log.push([source.page === page, source.frame === page.mainFrame(), args]); if (args[0] === "throw") throw new Error("thrown"); return { got: args.length }; });
    await page.goto(url("/frames.html"));
    const thrown = await page.evaluate(() => bound("throw").catch((e) => e.message));
    const kid = await page.frame("kid").evaluate(() => bound(1, [2], { a: null }));
    return [thrown, kid, log, await failure(page.exposeBinding("bound", () => 0))];
  },

  async exposed_function_is_removed_with_its_page({ context }) {
    const page = await context.newPage();
    await page.exposeFunction("slow", () => new Promise(() => {}));
    await page.goto(url("/blank.html"));
    const waiting = failure(page.evaluate(() => slow()));
    await page.close();
    return waiting;
  },

  async clock_of_all_kinds({ page }) {
    await page.clock.install({ time: new Date("2020-02-02T00:00:00Z") });
    await page.goto(url("/blank.html"));
    await page.evaluate(() => { window.n = 0; setInterval(() => n++, 1000); });
    await page.clock.runFor(5000);
    const ran = await page.evaluate(() => n);
    await page.clock.pauseAt(new Date("2020-02-02T01:00:00Z"));
    await page.clock.setFixedTime(new Date("2021-01-01T00:00:00Z"));
    return [ran, await page.evaluate(() => Date.now())];
  },

  async media_and_scheme_change({ page }) {
    const told = [];
    for (const media of [{ media: "print" }, { media: null, colorScheme: "dark" }, { colorScheme: "light", reducedMotion: "reduce" }, { colorScheme: null, reducedMotion: null }]) {
      await page.emulateMedia(media);
      told.push(await page.evaluate(() => [matchMedia("print").matches, matchMedia("(prefers-color-scheme: dark)").matches, matchMedia("(prefers-reduced-motion: reduce)").matches]));
    }
    return told;
  },

  async aria_snapshot_of_frames({ page }) {
    await page.goto(url("/frames.html"));
    return [await page.locator("body").ariaSnapshot(), await page.frameLocator("[name=kid]").locator("body").ariaSnapshot()];
  },

  async pictures_of_elements_and_masks({ page }) {
    await page.goto(url("/shapes.html"));
    const size = (b) => [b.readUInt32BE(16), b.readUInt32BE(20)];
    await page.setViewportSize({ width: 700, height: 500 });
    return [size(await page.locator("#red").screenshot()), size(await page.screenshot({ clip: { x: 5, y: 5, width: 50, height: 60 } })),
      size(await page.screenshot({ fullPage: true, mask: [page.locator("#red")], animations: "disabled", scale: "css" })),
      (await page.screenshot({ type: "jpeg", quality: 20 })).subarray(0, 2).toString("hex"), (await page.screenshot({ omitBackground: true })).length > 100];
  },

  async pdf_options({ page }) {
    await page.goto(url("/shapes.html"));
    const pdf = await page.pdf({ format: "A5", landscape: true, printBackground: true, pageRanges: "1", displayHeaderFooter: true, tagged: true, outline: true });
    return [pdf.subarray(0, 4).toString(), pdf.length > 500];
  },

  async selection_and_clipboard_keys({ page }) {
    await page.setContent("<input id=a value=copied><input id=b>");
    await page.focus("#a");
    await page.keyboard.press("ControlOrMeta+A");
    await page.keyboard.press("ControlOrMeta+X");
    await page.focus("#b");
    await page.keyboard.press("ControlOrMeta+V");
    return [await page.inputValue("#a"), await page.inputValue("#b")];
  },

  async locator_handlers({ page }) {
    await page.setContent("<div id=over style='position:fixed;inset:0;background:#fff'><button id=close onclick='over.remove()'>Close</button></div><button id=target onclick='document.title=\"hit\"'>Target</button>");
    await page.addLocatorHandler(page.locator("#over"), async () => { await page.click("#close"); });
    await page.click("#target");
    return page.title();
  },

  async web_authn_by_session({ page, context }) {
    await page.goto(url("/blank.html", "localhost"));
    const session = await context.newCDPSession(page);
    await session.send("WebAuthn.enable");
    const { authenticatorId } = await session.send("WebAuthn.addVirtualAuthenticator", { options: { protocol: "ctap2", transport: "internal", hasResidentKey: true, hasUserVerification: true, isUserVerified: true } });
    const { credentials } = await session.send("WebAuthn.getCredentials", { authenticatorId });
    return credentials.length;
  },

  async domains_are_counted_per_session({ page, context }) {
    const [one, two] = [await context.newCDPSession(page), await context.newCDPSession(page)];
    const heard = [];
    one.on("Runtime.consoleAPICalled", () => heard.push("one"));
    two.on("Runtime.consoleAPICalled", () => heard.push("two"));
    await one.send("Runtime.enable");
    await two.send("Runtime.enable");
    await one.send("Runtime.disable");
    await page.evaluate(() => console.log("x"));
    await until(() => heard.length, "a message");
    await one.detach();
    return heard;
  },

  async session_events_by_any_name({ page, context }) {
    const session = await context.newCDPSession(page);
    await session.send("Runtime.enable");
    const gone = next(session, "close").catch(() => null);
    const seen = [];
    session.on("event", ({ method }) => seen.push(method));
    await page.evaluate(() => console.log("x"));
    await session.send("Runtime.evaluate", { expression: "1" });
    await session.detach();
    await Promise.race([gone, until(() => true)]);
    return seen.includes("Runtime.consoleAPICalled") || seen.length === 0;
  },
};
