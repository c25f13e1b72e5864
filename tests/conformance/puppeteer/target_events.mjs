// The events of targets of every type, one by one and in order: what came, changed and went.

import { next, until, url } from "../node_check_runner.mjs";

const SIGNS = { targetcreated: "+", targetchanged: "~", targetdestroyed: "-" };

const short = (address) => address.replace(/^http:\/\/(127\.0\.0\.1|localhost):\d+/, (_, host) => (host === "localhost" ? "other site" : ""));

/** Every event of the browser from now on, in order; `ends` waits until a line was said. */
function listen(browser, context) {
  const lines = [];
  for (const [event, sign] of Object.entries(SIGNS)) {
    browser.on(event, (target) => {
      if (target.browserContext() === context && !target.url().startsWith("chrome:")) lines.push(`${sign}${target.type()} ${short(target.url())}`);
    });
  }
  return { lines, ends: (line) => until(() => lines.includes(line), line) };
}

/** A fresh page on a site, and what is heard from before it came. */
async function started({ browser, context }) {
  const heard = listen(browser, context);
  const page = await context.newPage();
  await page.goto(url("/blank.html"));
  await heard.ends("~page /blank.html");
  return { ...heard, page };
}

async function closed(page, ends, address = "/blank.html") {
  await page.close();
  await ends(`-page ${address}`);
}

const registered = (page) => page.evaluate(async () => {
  const registration = await navigator.serviceWorker.register("/sw.js", { scope: "/nowhere/" });
  const worker = registration.installing ?? registration.waiting ?? registration.active;
  if (worker.state === "activated") return;
  await new Promise((resolve) => { worker.onstatechange = () => worker.state === "activated" && resolve(); });
});

const unregistered = (page) => page.evaluate(async () => { await (await navigator.serviceWorker.getRegistration("/nowhere/")).unregister(); });

const framed = (page, address) => page.evaluate((source) => new Promise((resolve) => {
  const frame = document.createElement("iframe");
  frame.onload = () => resolve();
  frame.src = source;
  document.body.append(frame);
}), address);

export const targetEvents = {
  async target_events_of_navigations(stage) {
    const { lines, ends, page } = await started(stage);
    await page.goto(url("/other.html", "localhost"));
    await ends("~page other site/other.html");
    await page.goto("about:blank");
    await ends("~page about:blank");
    await closed(page, ends, "about:blank");
    return lines;
  },

  async target_events_of_a_popup(stage) {
    const { lines, ends, page } = await started(stage);
    await page.evaluate(() => { window.opened = window.open("/popped.html"); });
    await ends("+page /popped.html");
    await page.evaluate(() => { window.opened.close(); });
    await ends("-page /popped.html");
    await closed(page, ends);
    return lines;
  },

  async target_events_of_a_blank_popup(stage) {
    const { lines, ends, page } = await started(stage);
    const [popup] = await Promise.all([next(page, "popup"), page.evaluate(() => { window.open(); })]);
    await popup.close();
    await ends("-page about:blank");
    await closed(page, ends);
    return lines;
  },

  async target_events_of_a_worker(stage) {
    const { lines, ends, page } = await started(stage);
    await page.evaluate(() => { window.kept = new Worker("/worker.js"); });
    await ends("+other /worker.js");
    await page.evaluate(() => { window.kept.terminate(); });
    await ends("-other /worker.js");
    await closed(page, ends);
    return lines;
  },

  async target_events_of_a_shared_worker(stage) {
    const { lines, ends, page } = await started(stage);
    await page.evaluate(() => { window.kept = new SharedWorker("/worker.js"); });
    await ends("+shared_worker /worker.js");
    await page.close();
    await ends("-shared_worker /worker.js");
    return lines.sort(); // page and worker end at once
  },

  async target_events_of_frames(stage) {
    const { lines, ends, page } = await started(stage);
    await framed(page, url("/other.html"));
    await framed(page, url("/other.html", "localhost"));
    await ends("~other other site/other.html");
    await page.evaluate(() => { for (const frame of document.querySelectorAll("iframe")) frame.remove(); });
    await ends("-other other site/other.html");
    await closed(page, ends);
    return lines;
  },

  async target_events_of_an_unregistered_service_worker(stage) {
    const { lines, ends, page } = await started(stage);
    await registered(page);
    await ends("+service_worker /sw.js");
    await unregistered(page);
    await ends("-service_worker /sw.js");
    await closed(page, ends);
    return lines;
  },

  async target_events_of_a_closed_service_worker(stage) {
    const { lines, ends, page } = await started(stage);
    await registered(page);
    await ends("+service_worker /sw.js");
    const target = stage.browser.targets().find((one) => one.type() === "service_worker" && one.browserContext() === stage.context);
    await (await target.worker()).close();
    await ends("-service_worker /sw.js");
    await unregistered(page);
    await closed(page, ends);
    return lines;
  },
};
