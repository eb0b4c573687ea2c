// journey.mjs - a robot with a planner is sent to a goal by numbers and by a click, and stopped.
//
//   node journey.mjs URL
import { ask, close, equal, holds, main, open, passes, unmoved, until, world } from './browser.mjs';

const base = process.argv[2];

async function planner() {
  return (await ask(base, '/api/devices/planner:0/STATE?wait=10')).value;
}

async function chosen() {
  const page = await open(base, 'world');
  await page.click('.robots button:has-text("ada")');
  await page.waitForSelector('.go-to');
  return page;
}

main({
  'a robot goes to a place that was typed, while another page is open too, and the page says that it has arrived': async () => {
    const page = await chosen();
    const type = async () => {
      await page.fill('.go-to label:has-text("x") input', '-6.2');
      await page.fill('.go-to label:has-text("y") input', '1.9');
    };
    await type();
    await world(base, 'SPEED', { speed: 0.2 }); // so that it cannot arrive before the page has been looked at
    await page.click('.go-to button[type=submit]');
    await page.waitForSelector('#journey:has-text("On its way")');
    await page.waitForFunction(() => document.querySelector('.stage canvas').stage.painter.journey.goal() !== null);
    await page.click('nav a[href="#/server"]');
    await page.waitForSelector('.server table');
    await page.click('nav a[href="#/world"]');
    await page.waitForSelector('#journey:has-text("On its way")');
    await world(base, 'SPEED', { speed: 1 });
    await page.waitForSelector('#journey:has-text("arrived")');
    const { pos } = await planner();
    holds(Math.hypot(pos.px + 6.2, pos.py - 1.9) < 0.5, `it is at ${JSON.stringify(pos)}`);
    await unmoved(base, 'planner:0');
    equal(await page.locator('.note.bad').allTextContents(), []);
    // Where it is already, it arrives too.
    await type();
    await page.click('.go-to button[type=submit]');
    await page.waitForSelector('#journey:not(:has-text("arrived"))');
    await page.waitForSelector('#journey:has-text("arrived")');
    await page.waitForSelector('.go-to button:has-text("Stop")', { state: 'detached' });
    await close(page);
    const other = await chosen();
    const goal = { px: -6.2, py: 1.9, pa: 0 };
    await until('the page says the same of a robot that another client has sent', async () => {
      await ask(base, '/api/devices/planner:0/command/GOAL', { goal });
      return /arrived/.test(await other.textContent('#journey'));
    });
    await close(other);
  },

  'particles, what drivers draw on the world, and the map are drawn': async () => {
    const page = await chosen();
    const inked = () => page.evaluate(() => {
      const canvas = document.querySelector('.stage canvas');
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      let count = 0;
      for (let i = 0; i < data.length; i += 4) {
        count += data[i] > data[i + 1] + 50 && data[i + 2] > data[i + 1] + 35; // the colour of the map's walls
      }
      return count;
    });
    await page.waitForFunction(() => document.querySelector('.stage canvas').stage.painter.journey.particles.length >= 100);
    await page.waitForFunction(() => document.querySelector('.stage canvas').stage.scene.strokes.some((one) => one.model === 0xffffffff && one.kind === 2));
    const before = await inked();
    await page.click('.shows button:has-text("Map")');
    await page.waitForFunction(() => document.querySelector('.stage canvas').stage.map.grid !== null);
    await until('the map is drawn', async () => (await inked()) > before + 2000);
    await page.click('.shows button:has-text("Map")');
    await until('the map is gone', async () => (await inked()) <= before + 200);
    // Also with a map, the buttons fit on a telephone.
    await page.setViewportSize({ width: 360, height: 800 });
    equal(await page.evaluate(() => document.documentElement.scrollWidth), 360);
    await close(page);
  },

  'a click on the map is a goal; Stop stops the robot': async () => {
    const page = await chosen();
    await page.click('.go-to button:has-text("A place on the map")');
    const box = await page.locator('.stage canvas').boundingBox();
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    await page.waitForSelector('#journey:has-text("On its way")');
    await until('the goal is in the middle', async () => Math.abs((await planner()).goal.px) < 1);
    await page.click('.go-to button:has-text("Stop")');
    await until('it stands', async () => {
      const first = await planner();
      await passes(base, 0.3);
      const next = await planner();
      return Math.hypot(first.pos.px - next.pos.px, first.pos.py - next.pos.py) < 1e-3;
    });
    await passes(base, 1.5); // longer than the lease
    equal(await page.locator('.note.bad').allTextContents(), []);
    await close(page);
  },
});
