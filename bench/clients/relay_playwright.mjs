// Playwright's big screenshot for the relay's benchmark, one page of its own.
//
//     {"do": "shot"}   {"ms", "mb"}
//
// Knows: playwright-core. Must not know: what stands at the endpoint.

import readline from 'node:readline';
import { chromium } from 'playwright-core';

const where = JSON.parse(process.argv[2]);
const browser = await chromium.connectOverCDP(where.ws);
const page = await browser.contexts()[0].newPage();
await page.setViewportSize({ width: 1320, height: 1320 });
// Noise does not compress: the picture is about 5.2 MB, its base64 about 7.
await page.evaluate(() => {
  document.body.style.margin = 0;
  const c = document.body.appendChild(document.createElement('canvas'));
  c.style.display = 'block';
  c.width = c.height = 1320;
  const g = c.getContext('2d');
  const d = g.createImageData(1320, 1320);
  const v = new Uint32Array(d.data.buffer);
  let s = 1;
  for (let i = 0; i < v.length; i++) {
    s = (Math.imul(s, 1664525) + 1013904223) | 0;
    v[i] = s | 0xff000000;
  }
  g.putImageData(d, 0, 0);
});
const shot = async () => {
  const before = performance.now();
  const png = await page.screenshot();
  return { ms: performance.now() - before, mb: (png.length * 4) / 3 / 1e6 };
};
await shot();
console.log(JSON.stringify({ ready: 'playwright-core' }));
for await (const line of readline.createInterface({ input: process.stdin })) {
  if (JSON.parse(line).do === 'quit') break;
  console.log(JSON.stringify(await shot()));
}
await page.close();
process.exit(0);
