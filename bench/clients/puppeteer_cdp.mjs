// puppeteer-core through its CDPSession. The lines it speaks are those of speak.py.

import { createRequire } from 'node:module';
import readline from 'node:readline';
import puppeteer from 'puppeteer-core';

const { version } = createRequire(import.meta.url)('puppeteer-core/package.json');
const EXPRESSION = '1+1';
const IN_FLIGHT = 100;
const WARM_UP_CALLS = 100;

const where = JSON.parse(process.argv[2]);
const browser = await puppeteer.connect({
  browserWSEndpoint: where.ws,
  defaultViewport: null,
  protocolTimeout: 600_000,
});
const [page] = await browser.pages();
const cdp = await page.createCDPSession();

const say = (line) => process.stdout.write(JSON.stringify(line) + '\n');
const evaluate = async (expression) =>
  (await cdp.send('Runtime.evaluate', { expression })).result.value;

async function timed(work) {
  const cpu = process.cpuUsage();
  const start = process.hrtime.bigint();
  await work();
  const seconds = Number(process.hrtime.bigint() - start) / 1e9;
  const { user, system } = process.cpuUsage(cpu);
  return { seconds, cpu_s: (user + system) / 1e6 };
}

async function sequential(calls) {
  const took = [];
  const spent = await timed(async () => {
    for (let i = 0; i < calls; i++) {
      const before = process.hrtime.bigint();
      await evaluate(EXPRESSION);
      took.push(Number(process.hrtime.bigint() - before) / 1000);
    }
  });
  took.sort((a, b) => a - b);
  const at = (share) => took[Math.floor(calls * share)];
  return { calls, ...spent, p50_us: at(0.5), p95_us: at(0.95) };
}

async function pipelined(calls) {
  const spent = await timed(async () => {
    for (let done = 0; done < calls; done += IN_FLIGHT) {
      const batch = Math.min(IN_FLIGHT, calls - done);
      await Promise.all(Array.from({ length: batch }, () => evaluate(EXPRESSION)));
    }
  });
  return { calls, ...spent };
}

let onMessage;
async function flood(events) {
  if (onMessage === undefined) {
    cdp.on('Runtime.consoleAPICalled', (params) => onMessage?.(params.type));
    await cdp.send('Runtime.enable');
  }
  const spent = await timed(async () => {
    let heard = 0;
    const all = new Promise((resolve) => {
      onMessage = (kind) => {
        if (kind === 'log' && ++heard === events) resolve();
      };
    });
    await evaluate(`for (let i = 0; i < ${events}; i++) console.log('event ' + i)`);
    await all;
  });
  return { events, ...spent };
}

if ((await evaluate(EXPRESSION)) !== 2) throw new Error('1+1 is not 2');
for (let i = 0; i < WARM_UP_CALLS; i++) await evaluate(EXPRESSION);
say({ ready: `puppeteer-core ${version}` });

for await (const line of readline.createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  if (request.do === 'sequential') say(await sequential(request.calls));
  else if (request.do === 'pipelined') say(await pipelined(request.calls));
  else if (request.do === 'flood') say(await flood(request.events));
  else break;
}
process.exit(0);
