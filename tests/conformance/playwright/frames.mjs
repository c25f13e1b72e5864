// Frames: of the same site, of others, nested, and workers inside them.

import { until, url } from "../node_check_runner.mjs";

const names = (page) => page.frames().map((frame) => frame.url()).sort();

export const frames = {
  async frames_of_the_same_site({ page }) {
    await page.goto(url("/frames.html"));
    const kid = page.frame("kid");
    await kid.click("button");
    return [page.frames().length, await kid.title(), kid.parentFrame() === page.mainFrame(),
      kid.childFrames().length, await page.frameLocator("iframe >> nth=1").locator("p").textContent()];
  },

  async foreign_and_nested_frames({ page }) {
    await page.goto(url("/oopif.html"));
    await until(() => page.frames().length === 3, "three frames");
    const leaf = page.frameLocator("[name=f]").frameLocator("[name=f]");
    await leaf.getByRole("button").click();
    await leaf.locator("input").fill("typed far below");
    return [names(page), await leaf.getByRole("button").textContent(), await leaf.locator("input").inputValue()];
  },

  async evaluate_in_a_foreign_frame({ page }) {
    await page.goto(url("/oopif.html"));
    await until(() => page.frames().length === 3, "three frames");
    const hosts = await Promise.all(page.frames().map((f) => f.evaluate(() => location.hostname)));
    return hosts.sort();
  },

  async init_scripts_reach_foreign_frames({ page }) {
    await page.addInitScript(() => { window.early = location.hostname; });
    await page.goto(url("/oopif.html"));
    await until(() => page.frames().length === 3, "three frames");
    return (await Promise.all(page.frames().map((f) => f.evaluate(() => window.early)))).sort();
  },

  async bindings_reach_foreign_frames({ page }) {
    const callers = [];
    await page.exposeBinding("tell", (source, what) => {
      callers.push([source.frame.url(), what]);
      return what * 2;
    });
    await page.goto(url("/oopif.html"));
    await until(() => page.frames().length === 3, "three frames");
    const doubled = [];
    for (const frame of page.frames()) doubled.push(await frame.evaluate(() => window.tell(21)));
    return [doubled, callers.sort()];
  },

  async frame_events({ page }) {
    const seen = [];
    await page.goto(url("/blank.html"));
    for (const kind of ["frameattached", "framenavigated", "framedetached"]) {
      page.on(kind, (frame) => seen.push(`${kind} ${new URL(frame.url(), "http://x/").pathname}`));
    }
    await page.evaluate(() => new Promise((done) => {
      const frame = document.createElement("iframe");
      frame.src = "/child.html";
      frame.onload = () => { frame.remove(); done(); };
      document.body.append(frame);
    }));
    await until(() => seen.length >= 3, "three events");
    return seen;
  },

  async foreign_frame_goes_away({ page }) {
    await page.goto(url("/oopif.html"));
    await until(() => page.frames().length === 3, "three frames");
    await page.evaluate(() => document.querySelector("iframe").remove());
    await until(() => page.frames().length === 1, "one frame");
    return page.frames().length;
  },

  async frame_navigates_to_another_site_and_back({ page }) {
    await page.goto(url("/frames.html"));
    const kid = page.frame("kid");
    await kid.goto(url("/leaf.html", "localhost"));
    const away = await kid.title();
    await kid.goto(url("/child.html"));
    return [away, await kid.title(), page.frames().length];
  },

  async content_frame_and_frame_element({ page }) {
    await page.goto(url("/oopif.html"));
    const handle = await page.waitForSelector("iframe");
    const frame = await handle.contentFrame();
    await frame.waitForLoadState();
    const element = await frame.frameElement();
    return [frame.url(), await element.getAttribute("name"), (await element.boundingBox()).width];
  },

  async worker_in_a_nested_foreign_frame({ page }) {
    const came = page.waitForEvent("worker");
    await page.goto(url("/oopif.html"));
    const worker = await came;
    return [worker.url(), await worker.evaluate(() => 6 * 7)];
  },

  async network_of_foreign_frames_is_seen({ page }) {
    const asked = new Set();
    page.on("request", (r) => asked.add(new URL(r.url()).hostname + new URL(r.url()).pathname));
    await page.goto(url("/oopif.html"));
    await until(() => asked.has("a.localhost/worker.js"), "the worker's script");
    return [...asked].filter((path) => !path.includes("favicon")).sort();
  },
};
