// pages.mjs - axe-core on every page, light and dark, narrow and wide; tasks by keyboard alone; what the first load weighs.
//
//   node pages.mjs URL
import { readFileSync } from 'node:fs';
import { ask, axeSource, close, equal, holds, main, mistakes, open, until } from './browser.mjs';

const base = process.argv[2];
const PAGES = { world: '.robots button', devices: '.card', charts: '.chooser', experiments: '.experiments', programs: '.blocklyDraggable', motion: '.empty, .motion', recordings: '.recordings', server: '.server table' };

async function pose() {
  return (await ask(base, '/api/devices/simulation:0/request/GET_POSE2D', { name: 'ada' })).pose;
}

/** What notes lie over that can be pressed: anything that the pointer does not reach, and the buttons above the page. */
function covered(page) {
  return page.evaluate(() => {
    const notes = [...document.querySelectorAll('.note')].map((one) => one.getBoundingClientRect());
    const under = (box) => notes.some((note) => box.x < note.right && note.x < box.right && box.y < note.bottom && note.y < box.bottom);
    return [...document.querySelectorAll('button, select, input, a')]
      .filter((one) => {
        const box = one.getBoundingClientRect();
        return document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2)?.closest('.note') || (one.closest('.top, .bar') && under(box));
      })
      .map((one) => one.getAttribute('aria-label') ?? one.textContent);
  });
}

/** Presses a key until an element that matches has the focus. */
async function pressUntil(page, key, selector) {
  for (let i = 0; i < 200; i++) {
    if (await page.evaluate((wanted) => document.activeElement?.matches(wanted), selector)) {
      return;
    }
    await page.keyboard.press(key);
  }
  throw new Error(`${key} never reaches ${selector}`);
}

const tabTo = (page, selector) => pressUntil(page, 'Tab', selector);

const tests = {};
for (const width of [360, 1280]) {
  tests[`nothing serious on any page, light and dark: ${width} px`] = async () => {
    const page = await open(base, 'world', { viewport: { width, height: 800 }, colorScheme: 'light', bypassCSP: true });
    const found = [];
    for (const [route, sight] of Object.entries(PAGES)) {
      await page.goto(`${base}#/${route}`);
      await page.waitForSelector(sight);
      if (route === 'world') {
        await page.click('.robots button');
      } else if (route === 'charts') {
        await page.click('.chooser button:has-text("Add")');
        await page.click('.chart summary');
      }
      await page.evaluate(axeSource);
      found.push(...(await mistakes(page)).map((one) => `${route}: ${one}`));
      // The other colours: nothing else differs.
      await page.emulateMedia({ colorScheme: 'dark' });
      await page.waitForSelector('html[data-theme=dark]');
      found.push(...(await mistakes(page, { runOnly: ['color-contrast'] })).map((one) => `${route}, dark: ${one}`));
      await page.emulateMedia({ colorScheme: 'light' });
      await page.waitForSelector('html[data-theme=light]');
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      holds(wide <= 0, `${route} is ${wide} px wider than the screen`);
    }
    equal(found, []);
    await close(page);
  };
}

main({
  ...tests,

  'STOP is on the screen at every width, on every page': async () => {
    const page = await open(base, 'world');
    for (const [route, sight] of Object.entries(PAGES)) {
      await page.goto(`${base}#/${route}`);
      await page.waitForSelector(sight);
      for (const width of [320, 360, 480, 481, 820, 821, 1120, 1366]) {
        await page.setViewportSize({ width, height: 600 });
        await page.evaluate(() => scrollTo(0, 10000));
        const box = await page.locator('.stop').boundingBox(); // the layout is done when it is asked for
        holds(box.x >= 0 && box.y >= 0 && box.x + box.width <= width && box.height >= 40 && box.width >= 100, `${route}, ${width} px: ${JSON.stringify(box)}`);
      }
    }
    await close(page);
  },

  'the list of pages is whole on a screen of 700 px and more, and nothing covers it': async () => {
    const page = await open(base, 'world');
    await page.waitForSelector('.robots button');
    for (const width of [700, 820, 821, 980, 981, 1024, 1160, 1161, 1280, 1366, 1400, 1401]) {
      await page.setViewportSize({ width, height: 600 });
      const [list, top, main] = await page.evaluate(() => [
        document.querySelector('.top nav').scrollWidth - document.querySelector('.top nav').clientWidth,
        document.querySelector('.top').scrollHeight - document.querySelector('.top').clientHeight,
        document.querySelector('main').getBoundingClientRect().top - document.querySelector('.top').getBoundingClientRect().bottom,
      ]);
      equal([width, list, top, main], [width, 0, 0, 0]);
    }
    await close(page);
  },

  'sentences for the user cover nothing that can be pressed': async () => {
    for (const width of [360, 1280]) {
      const page = await open(base, 'world', { viewport: { width, height: 800 } });
      for (const [route, sight] of Object.entries(PAGES)) {
        await page.goto(`${base}#/${route}`);
        await page.waitForSelector(sight);
        await page.click('button[aria-label="Rights and key"]');
        await page.fill('.sheet input[type=password]', 'no-key-of-this-server');
        await page.keyboard.press('Enter');
        await page.waitForSelector('.note.bad');
        equal([route, width, await covered(page)], [route, width, []]);
      }
      await close(page);
    }
  },

  'the tour covers nothing: pages end above it, and it goes through its five steps': async () => {
    const page = await open(base, 'world', { viewport: { width: 1366, height: 768 } });
    await page.click('.tools button[aria-label^="Tour"]');
    for (const [step, sight] of [
      [1, '.stage'],
      [2, '.stage'],
      [3, '.editors'],
      [4, 'main'],
      [5, '.stage'],
    ]) {
      await page.waitForSelector(`.tour small:has-text("${step} of 5")`);
      await page.waitForSelector(sight);
      await until(`step ${step} ends above the tour`, async () => {
        const [bar, box] = [await page.locator('.tour').boundingBox(), await page.locator(sight).boundingBox()];
        return box !== null && box.y + box.height <= bar.y + 1;
      });
      await page.click('.tour button.go');
    }
    await page.waitForSelector('.tour', { state: 'detached' });
    await close(page);
  },

  'by keyboard alone: drive, stop, reset': async () => {
    const page = await open(base, 'world');
    await page.waitForSelector('.robots button');
    await tabTo(page, '.robots button');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.stick');
    await tabTo(page, '.stick');
    const before = await pose();
    await page.keyboard.down('ArrowLeft');
    await until('the robot turns', async () => Math.abs((await pose()).pa - before.pa) > 0.1);
    await page.keyboard.press('F8');
    await page.waitForSelector('#panic:has-text("Stopped in")');
    await page.keyboard.up('ArrowLeft');
    await tabTo(page, '#panic button');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#panic', { state: 'detached' });
    await close(page);
  },

  'by keyboard alone: edit a block, run': async () => {
    const page = await open(base, 'programs');
    await page.waitForSelector('.blocklyDraggable');
    await tabTo(page, '#program-text');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('drive 0 turn 20\nwait 30 s');
    await until('the blocks follow', () => page.evaluate(() => document.querySelector('.workspace').editor.program().body[1]?.kind === 'wait'));
    // Back over the controls of the workspace to the workspace itself; then to the first block and the first number in it.
    await pressUntil(page, 'Shift+Tab', '.blocklyWorkspaceSelectionRing');
    await page.keyboard.press('ArrowDown');
    await pressUntil(page, 'ArrowRight', '.blocklyTextInputField');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.blocklyHtmlInput');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('25');
    await page.keyboard.press('Enter');
    await until('the text follows the block', async () => /^drive 25 turn 20$/m.test(await page.inputValue('#program-text')));
    await tabTo(page, 'button.go');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#phase:has-text("running")');
    await page.keyboard.press('F8');
    await page.waitForSelector('#panic:has-text("Stopped in")');
    await tabTo(page, '#panic button');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#panic', { state: 'detached' });
    await close(page);
  },

  'by keyboard alone: chart and export': async () => {
    const page = await open(base, 'charts/6665:position2d:0');
    await page.waitForSelector('.chooser');
    await tabTo(page, '.chooser button[type=submit]');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.chart');
    await tabTo(page, '.plot');
    await page.waitForFunction(() => document.querySelector('.u-legend .u-value') !== null);
    await page.keyboard.press('ArrowLeft');
    await tabTo(page, '.toolbar button:has(svg):nth-of-type(2)');
    const [file] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')]);
    holds(/^time \(s\),/.test(readFileSync(await file.path(), 'utf8')), 'no table');
    await close(page);
  },
});
