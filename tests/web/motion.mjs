// motion.mjs - the page Motion with a simulated arm: its description, a joint that is moved, hold and rate.
//
//   node motion.mjs URL
import { ask, close, equal, holds, main, open, until } from './browser.mjs';

const base = process.argv[2];

async function waist() {
  return (await ask(base, '/api/devices/actarray:0/STATE?wait=10')).value.actuators[0].position;
}

async function rate() {
  return (await ask(base, '/api/devices/mechanism:0/STATE?wait=10')).value.rate;
}

main({
  'the mechanism is described, and a slider moves its joint': async () => {
    const page = await open(base, 'motion');
    await page.waitForSelector('.tree .node:has-text("waist")');
    equal(await page.locator('.tree .node').count(), 9);
    holds(/puma560/.test(await page.textContent('.motion-grid h2')), 'the robot has no name');
    const slider = page.locator('.tree li:has(.node:has-text("waist")) input[type=range]').first();
    await slider.fill('0.5');
    await until('the joint arrives', async () => Math.abs((await waist()) - 0.5) < 0.02);
    await until('the page shows it', async () => Math.abs((await slider.inputValue()) - 0.5) < 0.03);
    // Rows with the name of the client that moves a joint fit on a telephone.
    await page.setViewportSize({ width: 360, height: 800 });
    const over = () => page.evaluate(() => {
      const row = [...document.querySelectorAll('.dof:has(input)')].pop();
      row.insertAdjacentHTML('beforeend', '<span class="chip warn">a client with a long name</span>');
      const beyond = row.lastChild.getBoundingClientRect().right - row.getBoundingClientRect().right;
      row.lastChild.remove();
      return beyond;
    });
    holds((await over()) <= 0, 'a name is beyond its row');
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.click('button:has-text("All joints home")');
    await until('the joint is home', async () => Math.abs(await waist()) < 0.02);
    await close(page);
  },

  'hold and rate are those of the robot, and a panic is shown': async () => {
    const page = await open(base, 'motion');
    await page.waitForSelector('.tree .node');
    await page.click('.controls button:has-text("Hold")');
    await until('time is held', async () => (await rate()) === 0);
    await page.click('.controls button:has-text("Resume")');
    await until('time goes on', async () => (await rate()) === 1);
    await page.click('.controls button:has-text("Panic")');
    await page.waitForSelector('#panic:has-text("Stopped in")');
    await page.click('#panic button:has-text("Reset")');
    await page.waitForSelector('#panic', { state: 'detached' });
    await close(page);
  },
});
