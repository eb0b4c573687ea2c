// cards.mjs - a world that was drawn, and cards that move something.
//
//   node cards.mjs URL
import { ask, close, equal, holds, main, open, passes, until } from './browser.mjs';

const base = process.argv[2];

async function joint(number) {
  return (await ask(base, '/api/devices/actarray:0/STATE')).value.actuators[number].position;
}

/** Timers as those of a page that is hidden: once a second at most. */
function slow() {
  for (const name of ['setInterval', 'setTimeout']) {
    const real = globalThis[name].bind(globalThis);
    globalThis[name] = (what, ms, ...more) => real(what, Math.max(ms ?? 0, 1000), ...more);
  }
}

async function card(page, name) {
  const found = page.locator(`article[aria-label="${name}"]`);
  await until(`a card of ${name}`, () => found.scrollIntoViewIfNeeded().then(() => true, () => false)); // cards are made anew as devices come
  return found;
}

main({
  'a cave has its halls: what is free in the picture is free on the page': async () => {
    const page = await open(base, 'world');
    await page.waitForSelector('.robots button');
    equal(await page.locator('.robots button').evaluateAll((all) => all.map((one) => one.childNodes[1].textContent)), ['fern', 'iris', 'moss', 'reed']);
    const colour = (x, y) =>
      page.evaluate(
        ([wx, wy]) => {
          const canvas = document.querySelector('canvas');
          const { view } = canvas.stage;
          const ratio = canvas.width / view.width;
          const at = [(wx - view.x) * view.scale + view.width / 2, (view.y - wy) * view.scale + view.height / 2];
          return [...canvas.getContext('2d').getImageData(at[0] * ratio, at[1] * ratio, 1, 1).data].slice(0, 3);
        },
        [x, y],
      );
    await until('the rock is drawn', async () => (await colour(-13.9, 8.8)).join() === '120,105,92');
    for (const free of [
      [-10, 0.5],
      [0, 3],
      [2, -6],
    ]) {
      holds((await colour(...free)).join() !== '120,105,92', `there is rock at ${free}`);
    }
    await close(page);
  },

  'a slider stays under the pointer; the joint arrives, also if the page is hidden': async () => {
    const page = await open(base, 'devices', {}, (one) => one.addInitScript(slow));
    const arm = await card(page, 'actarray:0');
    const slider = arm.locator('input[type=range]').nth(1);
    await slider.waitFor();
    const box = await slider.boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + 0.75 * box.width, box.y + box.height / 2, { steps: 3 });
    const wanted = +(await slider.inputValue());
    holds(wanted > 1, `it is at ${wanted}`);
    await passes(base, 0.5); // the joint has told where it is
    equal(+(await slider.inputValue()), wanted);
    await page.mouse.up();
    await until('the joint arrives', async () => Math.abs((await joint(1)) - wanted) < 0.01);
    equal(await arm.locator('[role=alert]').count(), 0);
    await close(page);
  },

  'what a card moves is stopped in the card': async () => {
    const page = await open(base, 'devices');
    const arm = await card(page, 'actarray:0');
    await arm.locator('input[type=range]').nth(2).focus();
    await page.keyboard.press('Home');
    await until('the joint moves', async () => (await joint(2)) < -0.1);
    await arm.getByRole('button', { name: 'Stop' }).click();
    await arm.getByText('This page moves it').waitFor({ state: 'detached' });
    await until('the joint stands', async () => {
      const before = await joint(2);
      await passes(base, 0.2); // it has told where it is since
      return (await joint(2)) === before;
    });
    holds((await joint(2)) > -2.5, 'it was too late');
    await close(page);
  },

  'a speed ends when the user looks at another tab': async () => {
    const page = await open(base, 'devices');
    const arm = await card(page, 'actarray:0');
    await arm.getByRole('button', { name: /command/ }).click();
    const form = arm.locator('details', { has: page.locator('summary', { hasText: /^Speed/ }) });
    await form.locator('summary').click();
    await form.getByLabel(/^speed/i).fill('0.001');
    await form.getByRole('button', { name: 'Send' }).click();
    await arm.getByText('This page moves it').waitFor();
    await page.evaluate(() => {
      Object.defineProperty(document, 'hidden', { value: true });
      document.dispatchEvent(new Event('visibilitychange'));
    });
    await arm.getByText('This page moves it').waitFor({ state: 'detached' });
    await close(page);
  },

  'a gripper that was stopped has no errors': async () => {
    const page = await open(base, 'devices');
    const gripper = await card(page, 'gripper:0');
    await gripper.getByRole('button', { name: 'Close' }).click();
    await until('it closes', async () => (await ask(base, '/api/devices/gripper:0/STATE')).value.state !== 1);
    await gripper.getByRole('button', { name: 'Stop' }).first().click();
    await passes(base, 1.5); // longer than a lease
    equal(await gripper.locator('[role=alert]').count(), 0);
    await close(page);
  },

  'a list of fixed length is filled in; what moves nothing has no Halt': async () => {
    const page = await open(base, 'devices');
    const place = await card(page, 'localize:0');
    await place.getByRole('button', { name: /request/ }).click();
    equal(await place.locator('summary', { hasText: 'Halt' }).count(), 0);
    await place.locator('summary', { hasText: 'Set pose' }).click();
    await place.getByRole('button', { name: 'Ask' }).first().click();
    await page.waitForSelector('.note:has-text("Set pose is done")');
    await close(page);
  },

  'a robot that is away: the block editor says why it is not there': async () => {
    const page = await open(base, 'programs');
    await page.waitForSelector('.blocks :text("nobody")');
    await close(page);
  },

  'a property that was emptied keeps its value': async () => {
    const page = await open(base, 'devices');
    const arm = await card(page, 'actarray:0');
    await arm.getByRole('button', { name: 'Properties' }).click();
    const field = arm.locator('input[type=number]').first();
    await field.waitFor();
    const before = await field.inputValue();
    await field.fill('');
    await field.press('Tab');
    await until('it is back', async () => (await field.inputValue()) === before);
    await close(page);
  },
});
