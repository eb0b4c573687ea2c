// browser.mjs - a page of Chromium for tests, and results as TAP. The packages are those of web/package-lock.json.
//
//   NODE_PACKAGES=folder with node_modules
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';

const packages = process.env.NODE_PACKAGES;
const require = createRequire(resolve(packages, 'package.json'));
const { chromium } = require('playwright-core');

export const PATIENCE = 60000; // ms, far beyond anything that a healthy page needs
export const axeSource = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

let browser = null;

export async function begin(more = []) {
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', ...more], timeout: PATIENCE });
}

export async function end() {
  await browser?.close();
}

/** A page of the dashboard. It fails the test if the page logs an error or asks another host. */
export async function open(base, route, options = {}, before = async () => {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, acceptDownloads: true, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  page.problems = [];
  page.requests = [];
  page.on('pageerror', (error) => page.problems.push(error.stack ?? error.message));
  page.on('console', (message) => message.type() === 'error' && page.problems.push(message.text()));
  page.on('request', (request) => page.requests.push(request.url()));
  await before(page);
  await page.goto(`${base}#/${route}`);
  return page;
}

export async function close(page, expected = /^$/) {
  const problems = page.problems.filter((problem) => !expected.test(problem));
  await page.context().close();
  if (problems.length > 0) {
    throw new Error(`the page logged: ${problems.join('\n')}`);
  }
}

export function equal(got, wanted) {
  if (JSON.stringify(got) !== JSON.stringify(wanted)) {
    throw new Error(`got ${JSON.stringify(got)}\nwanted ${JSON.stringify(wanted)}`);
  }
}

export function holds(condition, text) {
  if (!condition) {
    throw new Error(text);
  }
}

/** Serious mistakes that axe-core finds on a page that has loaded it. */
export async function mistakes(page, options = {}) {
  const result = await page.evaluate((wanted) => globalThis.axe.run(document, wanted), { resultTypes: ['violations'], ...options });
  return result.violations.filter((one) => ['serious', 'critical'].includes(one.impact)).map((one) => `${one.id}: ${one.nodes[0].target.join(' ')}: ${one.nodes[0].failureSummary}`);
}

/** Nothing serious by axe-core in both colours, and nothing wider than the screen. */
export async function accessible(page) {
  await page.evaluate(axeSource);
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme });
    await page.waitForSelector(`html[data-theme=${colorScheme}]`);
    equal(await mistakes(page), []);
  }
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  holds(wide <= 0, `the page is ${wide} px wider than the screen`);
}

/** Waits until a function of this program gives something. */
export async function until(what, found) {
  const late = Date.now() + PATIENCE;
  for (;;) {
    const value = await found();
    if (value) {
      return value;
    }
    if (Date.now() > late) {
      throw new Error(`never: ${what}`);
    }
    await new Promise((done) => setTimeout(done, 20));
  }
}

/** Asks the server itself. */
export async function ask(base, path, body) {
  const answer = await fetch(new URL(path, base), body === undefined ? {} : { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
  const value = await answer.json();
  if (!answer.ok) {
    throw new Error(`${path}: ${value.error}`);
  }
  return value;
}

/** Waits until nobody moves a device: its lease is over. */
export async function unmoved(base, name) {
  const [interf, index] = name.split(':');
  const { code } = await ask(base, `/api/interfaces/${interf}`);
  const is = ({ addr, mover }) => addr.interf === code && addr.index === +index && mover === '';
  await until(`nobody moves ${name}`, async () => (await ask(base, '/api/server')).statistics.devices.some(is));
}

/** A request to the device world:0: the time of the simulated world. */
export function world(base, request = 'GET_STATE', body = {}) {
  return ask(base, `/api/devices/world:0/request/${request}`, body);
}

/** Waits until the simulated world is older by so many seconds. */
export async function passes(base, seconds) {
  const { time } = await world(base);
  await until(`the world goes on for ${seconds} s`, async () => (await world(base)).time >= time + seconds);
}

/** Two times Escape: STOP. On a busy machine the second one can come too late, and counts as a first one. */
export async function escapeTwice(page) {
  await until('Escape twice stops', async () => {
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    return (await page.locator('#panic').count()) > 0; // at once, whatever the robots do
  });
}

/** Pages that a test has left open when it failed: what they show is printed; they are closed, so that the next test is alone. */
async function abandon() {
  for (const context of browser.contexts()) {
    for (const page of context.pages()) {
      const shown = await page.evaluate(() => document.body.innerText).catch((error) => error.message);
      console.error(`${page.url()} has logged ${JSON.stringify(page.problems)} and shows:\n${shown.slice(0, 3000)}`);
    }
    await context.close();
  }
}

/** Ends a panic that a test has left when it failed. */
async function calm() {
  const { active, epoch } = await ask(process.argv[2], '/api/panic');
  if (active) {
    await ask(process.argv[2], '/api/reset', { epoch });
  }
}

/** Runs tests: their names are sentences. A word as the last argument chooses those that contain it. */
export async function main(all) {
  const word = process.argv[3] ?? '';
  const tests = Object.fromEntries(Object.entries(all).filter(([name]) => name.includes(word)));
  console.log(`1..${Object.keys(tests).length}`);
  let failed = false;
  await begin();
  let number = 0;
  for (const [name, test] of Object.entries(tests)) {
    number++;
    try {
      await test();
      console.log(`ok ${number} - ${name}`);
    } catch (error) {
      failed = true;
      console.log(`not ok ${number} - ${name}`);
      console.error(error.stack ?? error);
      await abandon();
      await calm().catch((why) => console.error(why.message));
    }
  }
  await end();
  process.exit(failed ? 1 : 0);
}
