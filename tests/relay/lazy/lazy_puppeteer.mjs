// What Puppeteer does to tabs that no debugger was attached to. Prints one JSON object of outcomes.

const [packages, url, base] = process.argv.slice(2);
const { default: puppeteer } = await import(`${packages}/puppeteer-core/lib/esm/puppeteer/puppeteer-core.js`);

const browser = await puppeteer.connect({ browserWSEndpoint: url });
const pages = await browser.pages();
const at = (end) => pages.find((page) => page.url().endsWith(end));
const text = (element) => element.textContent;
const seen = { pages: pages.map((page) => page.url()) };

const first = at("/main?1");
await first.evaluateOnNewDocument("window.early = 1");
seen.title = await first.title();
seen.frames = first.frames().map((frame) => new URL(frame.url()).pathname).sort();
const inner = await first.waitForFrame((frame) => frame.url().endsWith("/inner"));
seen.inner = await inner.$eval("#inner", text);
await first.$eval("button", (button) => button.click());
seen.clicked = await first.$eval("button", text);
seen.tooLate = await first.evaluate("typeof window.early");
seen.status = (await first.goto(`${base}/other`)).status();
seen.early = await first.evaluate("window.early");

const second = at("/main?2");
await second.exposeFunction("plus", (a) => a + 1);
seen.plus = await second.evaluate("plus(1)");
await second.reload();
seen.plusAgain = await second.evaluate("plus(2)");

const third = at("/main?3");
const session = await third.createCDPSession();
const contexts = [];
session.on("Runtime.executionContextCreated", (event) => contexts.push(event.context.id));
await session.send("Runtime.enable");
const asked = { expression: "document.title", contextId: contexts[0] };
seen.raw = (await session.send("Runtime.evaluate", asked)).result.value;
await session.detach();
seen.afterRaw = await third.title();

await browser.disconnect();
console.log(JSON.stringify(seen));
