// Screenshots, PDF, tracing, video, snapshots of the tree.

import fs from "node:fs";
import { url, wish } from "../node_check_runner.mjs";

/** Width and height of a PNG. */
const size = (png) => [png.readUInt32BE(16), png.readUInt32BE(20)];

async function noise(page, width, height) {
  await page.goto(url(`/noise.html#${width}x${height}`));
  await page.waitForFunction(() => document.title === "ready");
  const png = await page.screenshot({ fullPage: true, timeout: 55_000 });
  return [size(png), Math.round(png.length / 1e6)];
}

export const pictures = {
  async screenshot_of_the_page({ page }) {
    await page.setViewportSize({ width: 500, height: 400 });
    await page.goto(url("/shapes.html"));
    const png = await page.screenshot();
    const jpeg = await page.screenshot({ type: "jpeg", quality: 50 });
    return [size(png), jpeg.subarray(0, 3).toString("hex")];
  },

  async screenshot_of_an_element({ page }) {
    await page.goto(url("/shapes.html"));
    return size(await page.locator("#red").screenshot());
  },

  async screenshot_of_the_full_page_and_a_clip({ page }) {
    await page.setViewportSize({ width: 300, height: 200 });
    await page.goto(url("/shapes.html"));
    const full = await page.screenshot({ fullPage: true });
    const clip = await page.screenshot({ clip: { x: 5, y: 5, width: 60, height: 50 } });
    return [size(full), size(clip)];
  },

  async screenshot_options({ page }) {
    await page.setViewportSize({ width: 200, height: 200 });
    await page.goto(url("/form.html"));
    const png = await page.screenshot({ mask: [page.locator("#b")], omitBackground: true, animations: "disabled", caret: "hide", scale: "css" });
    return size(png);
  },

  async screenshot_of_seven_megabytes({ page }) {
    await page.setViewportSize({ width: 1600, height: 900 });
    return noise(page, 1600, 1480);
  },

  async screenshot_of_twenty_megabytes({ page }) {
    await page.setViewportSize({ width: 1600, height: 900 });
    return noise(page, 2000, 3350);
  },

  async pdf({ page }) {
    await page.goto(url("/shapes.html"));
    const told = await page.pdf({ format: "A4", printBackground: true });
    return [told.subarray(0, 5).toString(), told.length > 1000];
  },

  async tracing_is_recorded({ context }) {
    await context.tracing.start({ screenshots: true, snapshots: true });
    const page = await context.newPage();
    await page.goto(url("/form.html"));
    await page.click("#b");
    const path = `${wish.scratch}/trace.zip`;
    await context.tracing.stop({ path });
    return fs.statSync(path).size > 5_000;
  },

  async tracing_of_the_browser({ browser, page }) {
    await browser.startTracing(page, { screenshots: false });
    await page.goto(url("/blank.html"));
    const told = JSON.parse((await browser.stopTracing()).toString());
    return told.traceEvents.length > 100;
  },

  async aria_snapshot({ page }) {
    await page.goto(url("/aria.html"));
    return page.locator("body").ariaSnapshot();
  },

  async accessibility_tree_by_session({ context, page }) {
    await page.goto(url("/aria.html"));
    const session = await context.newCDPSession(page);
    const { nodes } = await session.send("Accessibility.getFullAXTree");
    return nodes.filter((n) => !n.ignored && n.name?.value).map((n) => [n.role.value, n.name.value]);
  },

  async script_and_style_coverage({ page }) {
    await page.coverage.startJSCoverage();
    await page.coverage.startCSSCoverage();
    await page.goto(url("/scripted.html"));
    const [js, css] = [await page.coverage.stopJSCoverage(), await page.coverage.stopCSSCoverage()];
    return [js.map((e) => [e.url, e.functions.filter((f) => f.ranges[0].count).length]), css.map((e) => [e.url, e.ranges])];
  },
};
