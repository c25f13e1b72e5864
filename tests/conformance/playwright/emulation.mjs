// What a page believes of the world.

import { url } from "../node_check_runner.mjs";

export const emulation = {
  async viewport_size({ page }) {
    await page.goto(url("/blank.html"));
    await page.setViewportSize({ width: 640, height: 480 });
    return [await page.evaluate(() => [innerWidth, innerHeight]), page.viewportSize()];
  },

  async media_of_all_kinds({ page }) {
    await page.goto(url("/blank.html"));
    const ask = () => page.evaluate(() => ["print", "(prefers-color-scheme: dark)", "(prefers-reduced-motion: reduce)", "(forced-colors: active)"]
      .map((query) => matchMedia(query).matches));
    const before = await ask();
    await page.emulateMedia({ media: "print", colorScheme: "dark", reducedMotion: "reduce", forcedColors: "active" });
    const during = await ask();
    await page.emulateMedia({ media: null, colorScheme: null, reducedMotion: null, forcedColors: null });
    return [before, during, await ask()];
  },

  async user_agent_and_client_hints_by_session({ context, page }) {
    const session = await context.newCDPSession(page);
    await session.send("Emulation.setUserAgentOverride", { userAgent: "mine", acceptLanguage: "fr" });
    await page.goto(url("/echo"));
    const headers = JSON.parse(await page.textContent("body")).headers;
    return [await page.evaluate(() => [navigator.userAgent, navigator.language]), headers["accept-language"]];
  },

  async locale_and_timezone_by_session({ context, page }) {
    const session = await context.newCDPSession(page);
    await session.send("Emulation.setTimezoneOverride", { timezoneId: "Asia/Tokyo" });
    await session.send("Emulation.setLocaleOverride", { locale: "de-DE" });
    await page.goto(url("/blank.html"));
    return page.evaluate(() => [Intl.DateTimeFormat().resolvedOptions().timeZone, (1234.5).toLocaleString(), new Date(0).getHours()]);
  },

  async mobile_device({ chromium, room }) {
    const more = await room({ viewport: { width: 390, height: 844 }, deviceScaleFactor: 3, isMobile: true, hasTouch: true });
    const page = await more.newPage();
    await page.goto(url("/blank.html"));
    return [await page.evaluate(() => [innerWidth > 390, devicePixelRatio, "ontouchstart" in window, navigator.maxTouchPoints]), chromium.name()];
  },

  async no_viewport({ room }) {
    const more = await room({ viewport: null });
    const page = await more.newPage();
    await page.goto(url("/blank.html"));
    return [page.viewportSize(), await page.evaluate(() => innerWidth > 0)];
  },

  async cpu_and_network_throttling({ context, page }) {
    const session = await context.newCDPSession(page);
    await session.send("Emulation.setCPUThrottlingRate", { rate: 2 });
    await session.send("Network.enable");
    await session.send("Network.emulateNetworkConditions", { offline: true, latency: 0, downloadThroughput: -1, uploadThroughput: -1 });
    const off = await page.goto(url("/blank.html")).then(() => "came", () => "failed");
    await session.send("Network.emulateNetworkConditions", { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: -1 });
    await page.goto(url("/blank.html"));
    return [off, await page.title()];
  },

  async content_security_policy_is_bypassed({ room }) {
    const more = await room({ bypassCSP: true });
    const page = await more.newPage();
    await page.setContent("<meta http-equiv=Content-Security-Policy content=\"default-src 'none'\">");
    await page.goto("data:text/html,<meta http-equiv=Content-Security-Policy content=\"default-src 'none'\">");
    await page.addScriptTag({ content: "window.ran = 1" });
    return page.evaluate(() => window.ran ?? null);
  },

  async focus_is_emulated({ context, page }) {
    await page.goto(url("/form.html"));
    const second = await context.newPage();
    await second.goto(url("/form.html"));
    return [await page.evaluate(() => document.hasFocus()), await second.evaluate(() => document.hasFocus())];
  },
};
