// keys.mjs - a server with keys: a page without one looks and stops; with a key it drives, edits and resets.
//
//   node keys.mjs URL
import { ask, close, equal, main, open, until } from './browser.mjs';

const base = process.argv[2];
const PAGES = { world: '.robots button', devices: '.card', charts: '.chooser', experiments: '.experiments', programs: '.over-blocks', motion: '.empty', recordings: '.recordings', server: '.server table' };

async function give(page, key) {
  await page.click('button[aria-label="Rights and key"]');
  await page.fill('.sheet input[type=password]', key);
  await page.keyboard.press('Enter');
}

main({
  'without a key every page looks, complains of nothing, and says what needs one': async () => {
    const page = await open(base, 'world');
    await page.waitForSelector('.tools .chip:has-text("look only")');
    for (const [route, sight] of Object.entries(PAGES)) {
      await page.click(`nav a[href="#/${route}"]`);
      await page.waitForSelector(sight);
      if (route === 'world') {
        await page.click('.robots button');
        await page.waitForSelector('.robot:has-text("Driving needs a key")');
        equal(await page.locator('.stick').count(), 0);
      } else if (route === 'programs') {
        await page.waitForSelector('.over-blocks:has-text("Blocks need a key")');
        equal(await page.locator('button.go').isDisabled(), true);
      }
    }
    await page.waitForFunction(() => /read/.test(document.querySelector('.tiles').textContent));
    equal(await page.locator('.note').allTextContents(), []);
    await close(page);
  },

  'STOP needs no key, its reset does; a key that fits brings blocks, the stick and the reset': async () => {
    const page = await open(base, 'programs');
    await page.waitForSelector('.over-blocks');
    await page.keyboard.press('F8');
    await page.waitForSelector('#panic:has-text("Stopped in")');
    await page.click('#panic button:has-text("Reset")');
    await page.waitForSelector('.note.bad:has-text("an operator\'s key, ends a panic")');
    equal((await ask(base, '/api/panic')).active, true);
    await give(page, 'no-key-of-this-server');
    await page.waitForSelector('.note.bad:has-text("no key of this server fits")');
    await until('the next key is accepted', async () => {
      await give(page, 'the-key-of-the-pupil');
      await page.locator('.note:has-text("you may move")').or(page.locator('.note.bad:has-text("before the next try")')).last().waitFor();
      return (await page.locator('.note:has-text("you may move")').count()) > 0;
    });
    await page.waitForSelector('.blocklyDraggable');
    await page.waitForSelector('.over-blocks', { state: 'detached' });
    await page.waitForSelector('.note.bad:has-text("ends a panic")', { state: 'detached' });
    await page.click('#panic button:has-text("Reset")');
    await page.waitForSelector('.note.bad:has-text("ends a panic")'); // it raised it, but may not operate
    await give(page, 'the-key-of-the-teacher');
    await page.waitForSelector('.note:has-text("you may operate")');
    await page.click('#panic button:has-text("Reset")');
    await page.waitForSelector('#panic', { state: 'detached' });
    await page.click('nav a[href="#/world"]');
    await page.click('.robots button');
    await page.waitForSelector('.stick');
    await close(page, /403/);
  },
});
